#include "ptx/emulate/profile.h"

#include <algorithm>
#include <utility>

#include "ptx/module.h"

namespace reckon::ptx {

std::string_view name_of(Unit unit) {
  static constexpr std::string_view names[unit_count] = {"integer", "f32",    "f64",    "half",     "special",
                                                         "convert", "tensor", "memory", "exchange", "control"};
  return names[static_cast<std::size_t>(unit)];
}

Unit unit_of(const Instruction& one) {
  static constexpr std::pair<std::string_view, Unit> names[] = {
      {"ld", Unit::memory},          {"ldu", Unit::memory},          {"st", Unit::memory},
      {"atom", Unit::memory},        {"red", Unit::memory},          {"cp", Unit::memory},
      {"ldmatrix", Unit::memory},    {"stmatrix", Unit::memory},     {"mbarrier", Unit::memory},
      {"membar", Unit::memory},      {"fence", Unit::memory},        {"prefetch", Unit::memory},
      {"prefetchu", Unit::memory},   {"mma", Unit::tensor},          {"wgmma", Unit::tensor},
      {"wmma", Unit::tensor},        {"shfl", Unit::exchange},       {"vote", Unit::exchange},
      {"match", Unit::exchange},     {"redux", Unit::exchange},      {"elect", Unit::exchange},
      {"movmatrix", Unit::exchange}, {"activemask", Unit::exchange}, {"cvt", Unit::convert},
      {"bra", Unit::control},        {"brx", Unit::control},         {"call", Unit::control},
      {"ret", Unit::control},        {"exit", Unit::control},        {"trap", Unit::control},
      {"bar", Unit::control},        {"barrier", Unit::control},     {"nanosleep", Unit::control}};
  const auto* found =
      std::find_if(std::begin(names), std::end(names), [&](const auto& row) { return row.first == one.name; });
  if (found != std::end(names)) {
    if (found->second == Unit::memory && one.name == "ld" && one.has("param")) return Unit::integer;
    // wmma moves its fragments, too.
    return one.name == "wmma" && !one.has("mma") ? Unit::memory : found->second;
  }
  if (one.has("approx") || one.has("full")) return Unit::special;
  if (one.name == "setp" || one.name == "selp" || one.name == "mov") return Unit::integer;
  if (one.has("f32") || one.has("f32x2")) return Unit::f32;
  if (one.has("f64")) return Unit::f64;
  if (one.has("f16") || one.has("f16x2") || one.has("bf16") || one.has("bf16x2")) return Unit::half;
  return Unit::integer;
}

}  // namespace reckon::ptx
