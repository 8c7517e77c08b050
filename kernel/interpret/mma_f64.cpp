// Four products of f64 that a warp joins to each of its sums, one after the other.
#include <fmt/format.h>

#include <array>

#include "kernel/interpret/machine.h"

namespace reckon::kernel {
namespace {

constexpr auto leaves = static_cast<std::uint32_t>(MmaF64::leaves),
               together = static_cast<std::uint32_t>(MmaF64::together);

}  // namespace

bool Machine::mma_f64(const Operation& operation, const Lanes& lanes) {
  for (const std::uint32_t lane : lanes) {
    const std::uint32_t first = lane - lane % warp;
    if (first + warp > launch_.threads) {
      return fail(Report::Kind::no_partner, lane, fmt::format("the block has no thread {}", first + warp - 1));
    }
    if (word(operation.operands[0], lane) != word(operation.operands[0], first)) {
      return fail(Report::Kind::malformed, lane, "the threads of the warp have different leaves");
    }
    for (std::uint32_t which = 0; which < operation.results; ++which) {
      if (!join_products(operation, lane, which)) return false;
    }
  }
  return true;
}

/// The sum of that number in the lane's fragment.
bool Machine::join_products(const Operation& operation, std::uint32_t lane, std::uint32_t which) {
  constexpr auto scalar = ir::Scalar::f64;
  const std::uint32_t first = lane - lane % warp;
  const std::uint32_t of_row = first + lane % warp / leaves * leaves;
  const std::uint32_t of_column = first + (lane % leaves * together + which % together) * leaves;
  std::byte* sum = number(operation.result(which), lane);
  numbers_.copy(scalar, number(operation.operands[1 + MmaF64::factors + which], lane), sum);
  NumberArray more(numbers_, scalar, 2);
  std::byte *node = more.at(0), *joined = more.at(1);
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    const std::byte* x = number(operation.operands[1 + which / together], of_row + leaf);
    const std::byte* y = number(operation.operands[MmaF64::factors], of_column + leaf);
    const std::array<const std::byte*, 3> operands{x, y, sum};
    if (!check(numbers_.apply({ir::Op::fma, scalar, scalar, true}, operands, joined, 1), lane)) return false;
    const auto position = static_cast<std::int64_t>(word(operation.operands[0], lane)) + leaf;
    numbers_.leaf(operation.site, scalar, x, position, node);
    numbers_.node(operation.site, scalar, joined, sum, node, sum);
  }
  return true;
}

}  // namespace reckon::kernel
