#include "codegen/emit/mma_texts.h"

#include <fmt/format.h>

namespace reckon::codegen {

using kernel::MmaFactor;
using kernel::MmaTiles;

std::string MmaTexts::copies(const MmaFactor& factor, std::int64_t side, std::string_view map, std::size_t begin,
                             std::int64_t offset) const {
  std::string out;
  const std::int64_t boxes = is_leaf_first(factor) ? 1 : side / block_side();
  for (std::int64_t box = 0; box < boxes; ++box) {
    std::string place;
    for (std::size_t d = 0; d < factor.rank; ++d) {
      std::string coordinate = fmt::format("${}", begin + d);
      if (d == factor.of_leaf) {
        out += fmt::format("\tadd.s32 at_leaf, leaf, {};\n", coordinate);
        coordinate = "at_leaf";
      } else if (d == factor.of_side && box > 0) {
        out += fmt::format("\tadd.s32 side, {}, {};\n", coordinate, box * block_side());
        coordinate = "side";
      }
      place += (d == 0 ? "" : ", ") + coordinate;
    }
    const std::int64_t at = offset + box * block_side() * MmaTiles::row_bytes;
    out += fmt::format("\tadd.u32 box, to, {};\n", at);
    out += fmt::format(
        "\tcp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes [box], [{}, {{{}}}], "
        "[full];\n",
        factor.rank, map, place);
  }
  return out;
}

std::string MmaTexts::descriptor(const MmaFactor& factor) const {
  const std::uint64_t rows = 8 * MmaTiles::row_bytes, blocks = block_side() * MmaTiles::row_bytes;
  std::uint64_t out = std::uint64_t{1} << 62 | (rows >> 4) << 32;
  if (!is_leaf_first(factor)) out |= (blocks >> 4) << 16;
  return fmt::format("{}", static_cast<std::int64_t>(out));
}

std::int64_t MmaTexts::step(const MmaFactor& factor) const {
  const std::int64_t leaves = step_bytes / operand_bytes();
  return (is_leaf_first(factor) ? step_bytes : leaves * MmaTiles::row_bytes) / 16;
}

std::string_view MmaTexts::format() const {
  switch (*unit_.operand) {
    case numerics::Format::f8e4m3: return "e4m3";
    case numerics::Format::f8e5m2: return "e5m2";
    default: return ir::scalar_name(ir::scalar_of(*unit_.operand));
  }
}

std::string MmaTexts::instruction(std::int64_t columns) const {
  return fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{}", columns, step_bytes / operand_bytes(),
                     ir::scalar_name(ir::scalar_of(*unit_.accumulator)), format(), format());
}

std::string MmaTexts::warp_instruction() const {
  const std::string_view sums = ir::scalar_name(ir::scalar_of(*unit_.accumulator));
  return fmt::format("mma.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{}", step_bytes / operand_bytes(), sums, format(),
                     format(), sums);
}

std::string MmaTexts::transposed(const MmaFactor& factor) const {
  if (operand_bytes() != 2) return "";
  return is_leaf_first(factor) ? ", 0" : ", 1";
}

}  // namespace reckon::codegen
