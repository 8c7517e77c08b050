// fpsan as a program's `fpsan`, `fpsan(v38)`, ... names it (fpsan_semantics.h).
#pragma once

#include <memory>
#include <string>

#include "interp/semantics.h"
#include "numerics/fpsan.h"

namespace reckon::interp {

/// `name` as the user wrote it, in full. Each generation has a source of its own: in one, their kernels took four times
/// as long to compile as anything else.
template <numerics::fpsan::Generation generation>
std::unique_ptr<Semantics> fpsan_of(std::string name);

}  // namespace reckon::interp
