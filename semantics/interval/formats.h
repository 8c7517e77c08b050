// Intervals whose endpoints are not f64.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "interp/semantics.h"

namespace reckon::interp {

/// `name` is the semantics as the user wrote it, in full; `pieces` as in semantics.h.
std::unique_ptr<Semantics> make_interval_f32(std::string name, std::int64_t pieces);
/// Endpoints have so many bits, at least 2.
std::unique_ptr<Semantics> make_interval_wide(std::string name, std::int64_t pieces, std::int64_t bits);
/// The mean-value form, with endpoints of `f32`, `f64`, or so many bits.
std::unique_ptr<Semantics> make_interval_mean_value(std::string name, std::int64_t pieces, const std::string& format,
                                                    std::int64_t bits);

}  // namespace reckon::interp
