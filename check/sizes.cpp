#include "check/sizes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

#include "ir/visit.h"

namespace reckon::check {
namespace {

constexpr std::array<std::int64_t, 8> usual_sizes{1, 2, 3, 7, 8, 17, 64, 100};
constexpr std::size_t most_combinations = 1000;
constexpr std::int64_t largest_tile = 1024;
/// What is added for tiles has so many combinations of indices at most.
constexpr std::int64_t most_index_values = std::int64_t{1} << 14;

class TileFinder {
 public:
  explicit TileFinder(ir::Module& module) : module_(module), default_order_(module.schedules().default_order()) {}

  void circuit(const ir::Function& function) {
    for (const ir::Requirement& each : function.requirements) index(each.left), index(each.right);
    ir::visit_nodes(module_, {function.body}, [&](ir::NodeId id) {
      const ir::Node& node = module_[id];
      for (ir::IndexId each : node.indices) index(each);
      for (ir::IndexId each : module_.type(id).extents) index(each);
      if (node.op == ir::Op::reduce || node.op == ir::Op::scan) schedule(module_.reduction_of(node).schedule);
    });
  }

  std::set<std::int64_t> tiles;

 private:
  void add(ir::IndexId index) {
    const auto value = module_.indices().as_constant(index);
    if (value && *value >= 2 && *value <= largest_tile) tiles.insert(*value);
  }
  void index(ir::IndexId id) {
    if (!id.valid() || !seen_.insert(id).second) return;
    const ir::IndexNode& node = module_.indices()[id];
    if (node.op == ir::IndexOp::floor_div || node.op == ir::IndexOp::floor_mod) add(node.operands[1]);
    for (ir::IndexId operand : node.operands) index(operand);
  }
  void schedule(ir::ScheduleId id) {
    if (id == default_order_) return;
    for (ir::ScheduleId term : module_.schedules().terms(id)) {
      const ir::ScheduleNode& node = module_.schedules()[term];
      if (node.op == ir::ScheduleOp::tile || node.op == ir::ScheduleOp::lanes) add(node.parameter);
      if (node.op == ir::ScheduleOp::conditional) index(node.parameter);
    }
  }

  ir::Module& module_;
  ir::ScheduleId default_order_;
  std::set<ir::IndexId> seen_;
};

/// The tiles, and the least common multiple of all, that divide no usual size.
std::vector<std::int64_t> further_sizes(const std::vector<std::int64_t>& tiles) {
  std::vector<std::int64_t> wanted = tiles, out;
  std::int64_t all = 1;
  for (std::int64_t tile : tiles) {
    if (all <= largest_tile) all = std::lcm(all, tile);
  }
  if (all <= largest_tile) wanted.push_back(all);
  for (std::int64_t size : wanted) {
    const bool met = std::ranges::any_of(usual_sizes, [&](std::int64_t usual) { return usual % size == 0; });
    if (!met && std::ranges::find(out, size) == out.end()) out.push_back(size);
  }
  return out;
}

}  // namespace

std::int64_t index_values(const ir::Dimensions& sizes) {
  std::int64_t total = 1;
  for (const auto& [dimension, value] : sizes) {
    if (__builtin_mul_overflow(total, std::max<std::int64_t>(value, 1), &total)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return total;
}

std::vector<std::int64_t> tiles_in_sight(ir::Module& module, const frontend::ElaboratedItem& item) {
  TileFinder finder(module);
  for (const auto* side : {&item.left, &item.right}) {
    if (*side) finder.circuit(**side);
  }
  return {finder.tiles.begin(), finder.tiles.end()};
}

std::vector<ir::Dimensions> choose_sizes(ir::Module& module, const frontend::ElaboratedItem& item) {
  std::vector<ir::Dimensions> out{{}};
  std::vector<ir::SymbolId> free;
  for (ir::SymbolId dimension : item.left->dimensions) {
    const auto clause = std::ranges::find(item.sizes, dimension, &frontend::SizeClause::dimension);
    if (clause == item.sizes.end()) {
      free.push_back(dimension);
      continue;
    }
    std::vector<ir::Dimensions> longer;
    for (const ir::Dimensions& partial : out) {
      for (std::int64_t value : clause->values) {
        if (longer.size() >= most_combinations) break;
        ir::Dimensions next = partial;
        next[dimension] = value;
        longer.push_back(std::move(next));
      }
    }
    out = std::move(longer);
  }
  if (free.empty()) return out;
  std::vector<ir::Dimensions> all;
  const auto add = [&](auto&& size_of, std::int64_t most) {
    for (const ir::Dimensions& partial : out) {
      ir::Dimensions next = partial;
      for (std::size_t d = 0; d < free.size(); ++d) next[free[d]] = size_of(d);
      if (index_values(next) <= most && std::ranges::find(all, next) == all.end()) all.push_back(std::move(next));
    }
  };
  // Shifted diagonals mix small and large sizes; on the plain one every free dimension is the same.
  constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k < usual_sizes.size(); ++k) {
    for (std::size_t shift : {0, 3, 5}) {
      if (shift > 0 && free.size() == 1) break;
      add([&](std::size_t d) { return usual_sizes[(k + d * shift) % usual_sizes.size()]; }, any_number);
    }
  }
  // Tiles in every dimension at once, and in one at a time.
  for (std::int64_t size : further_sizes(tiles_in_sight(module, item))) {
    for (std::int64_t multiple : {size, 2 * size}) {
      add([&](std::size_t) { return multiple; }, most_index_values);
      for (std::size_t tiled = 0; tiled < free.size(); ++tiled) {
        add([&](std::size_t d) { return d == tiled ? multiple : 3; }, most_index_values);
      }
    }
  }
  std::ranges::stable_sort(all, {}, index_values);
  return all;
}

}  // namespace reckon::check
