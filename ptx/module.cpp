#include "ptx/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace reckon::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  int bits;
};
constexpr TypeRow types[] = {
    {"", 0},
#define RECKON_PTX_TYPE(name, bits) {#name, bits},
#include "ptx/types.def"
};

constexpr std::string_view specials[] = {"%tid.x",
                                         "%tid.y",
                                         "%tid.z",
                                         "%ntid.x",
                                         "%ntid.y",
                                         "%ntid.z",
                                         "%ctaid.x",
                                         "%ctaid.y",
                                         "%ctaid.z",
                                         "%nctaid.x",
                                         "%nctaid.y",
                                         "%nctaid.z",
                                         "%clusterid.x",
                                         "%clusterid.y",
                                         "%clusterid.z",
                                         "%nclusterid.x",
                                         "%nclusterid.y",
                                         "%nclusterid.z",
                                         "%cluster_ctaid.x",
                                         "%cluster_ctaid.y",
                                         "%cluster_ctaid.z",
                                         "%cluster_nctaid.x",
                                         "%cluster_nctaid.y",
                                         "%cluster_nctaid.z",
                                         "%cluster_ctarank",
                                         "%cluster_nctarank",
                                         "%laneid",
                                         "%warpid",
                                         "%nwarpid",
                                         "%smid",
                                         "%nsmid",
                                         "%gridid",
                                         "%lanemask_eq",
                                         "%lanemask_le",
                                         "%lanemask_lt",
                                         "%lanemask_ge",
                                         "%lanemask_gt",
                                         "%dynamic_smem_size",
                                         "%total_smem_size",
                                         "%aggr_smem_size",
                                         "%reserved_smem_offset_begin",
                                         "%reserved_smem_offset_end",
                                         "%reserved_smem_offset_cap",
                                         "%reserved_smem_offset_0",
                                         "%reserved_smem_offset_1",
                                         "%clock",
                                         "%clock_hi",
                                         "%clock64",
                                         "%globaltimer",
                                         "%globaltimer_lo",
                                         "%globaltimer_hi",
                                         "%envreg1",
                                         "%envreg2"};

}  // namespace

std::string_view name_of(Type type) { return types[static_cast<int>(type)].name; }
int bits_of(Type type) { return types[static_cast<int>(type)].bits; }
std::optional<Type> type_named(std::string_view name) {
  for (std::size_t k = 1; k < std::size(types); ++k) {
    if (types[k].name == name) return static_cast<Type>(k);
  }
  return std::nullopt;
}

std::uint64_t float_in_bits(std::uint64_t bits, int from, int to) {
  if (from == to) return bits;
  if (from == 64) return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  return std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))});
}

std::string_view name_of(Space space) {
  constexpr std::string_view names[] = {"generic", "global", "const", "shared", "local", "param"};
  return names[static_cast<int>(space)];
}

std::optional<Special> special_named(std::string_view name) {
  const auto at = std::find(std::begin(specials), std::end(specials), name);
  if (at == std::end(specials)) return std::nullopt;
  return static_cast<Special>(at - std::begin(specials));
}
int bits_of(Special special) {
  return special == Special::clock64 || special == Special::globaltimer || special == Special::gridid ? 64 : 32;
}

bool Instruction::has(std::string_view part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::string Register::name() const { return number ? fmt::format("{}{}", prefix, *number) : std::string(prefix); }

const Function* Module::entry(std::string_view name) const {
  for (const Function& function : functions) {
    if (function.is_entry && function.is_defined && function.name == name) return &function;
  }
  return nullptr;
}

std::string Module::place_text(std::uint32_t place) const {
  if (place == 0) return {};
  const auto one = [&](const Place& at) {
    const auto file = files.find(at.file);
    return fmt::format("{}:{}", file == files.end() ? "file " + std::to_string(at.file) : file->second, at.line);
  };
  const Place& at = places[place];
  return at.caller == 0 ? one(at) : fmt::format("{}, in {}", one(places[at.caller]), one(at));
}

}  // namespace reckon::ptx
