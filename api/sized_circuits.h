// One circuit of circuits at several sizes (trace/sizes.h), whose sums may be named by another schedule where they are
// short.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/sizes.h"

namespace reckon {

/// trace::generalised of texts in which a sum's schedule is that of the largest size, where it has the same tree: of
/// 100 numbers, `lanes(128, seq) then S` is S.
std::optional<std::string> one_circuit(std::vector<trace::Instance> instances, std::string& problem);

}  // namespace reckon
