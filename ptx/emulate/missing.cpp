#include "ptx/emulate/missing.h"

#include <algorithm>

namespace reckon::ptx {
namespace {

struct ByName {
  std::string_view begin, what;
};
constexpr ByName by_name[] = {{"tex", "textures"},
                              {"tld4", "textures"},
                              {"txq", "textures"},
                              {"istypep", "textures and surfaces"},
                              {"sul", "surfaces"},
                              {"sus", "surfaces"},
                              {"suq", "surfaces"},
                              {"sured", "surfaces"},
                              {"tcgen05", "tensor memory"},
                              {"multimem", "memory that several GPUs share"},
                              {"clusterlaunchcontrol", "blocks that take over the work of others"}};

bool has_any(const Instruction& instruction, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return instruction.has(part); });
}

}  // namespace

std::string_view missing_for(const Instruction& instruction) {
  const bool is_product = instruction.name == "mma" || instruction.name == "wgmma" || instruction.name == "wmma";
  if (is_product && has_any(instruction, {"sp", "sp::ordered_metadata"})) return "sparse products";
  if (is_product && instruction.has("block_scale")) return "block-scaled products";
  if (is_product && has_any(instruction, {"b1", "s4", "u4"})) return "products of integers of 1 and 4 bits";
  if (is_product && has_any(instruction, {"e2m1", "e2m3", "e3m2"})) return "products of floats of 4 and 6 bits";
  if (has_any(instruction, {"e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2", "e2m1x4", "e2m3x4", "e3m2x4"}))
    return "floats of 4 and 6 bits, and scales of 8";
  const auto* found = std::find_if(std::begin(by_name), std::end(by_name),
                                   [&](const ByName& row) { return instruction.name.starts_with(row.begin); });
  return found == std::end(by_name) ? std::string_view{} : found->what;
}

}  // namespace reckon::ptx
