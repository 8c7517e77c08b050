#include "check/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "check/thresholds.h"
#include "ir/op.h"
#include "ir/visit.h"
#include "numerics/format.h"

namespace reckon::check {
namespace {

/// Small numbers, primes, and powers of two with their neighbours: where tiles, lanes and unrolled loops end.
constexpr std::array<std::int64_t, 28> default_sizes{1,   2,   3,   4,   5,   7,    8,    11,  13,  16,
                                                     17,  31,  32,  33,  63,  64,   65,   97,  100, 127,
                                                     128, 129, 255, 256, 257, 1023, 1024, 1025};
/// Sizes for all dimensions at once, equal or mixed.
constexpr std::array<std::int64_t, 10> default_diagonal{1, 2, 3, 5, 7, 8, 17, 33, 64, 100};
/// Sizes for each dimension alone, if an evaluation takes long.
constexpr std::array<std::int64_t, 5> some_sizes{1, 4, 17, 65, 129};
constexpr std::size_t max_combinations = 1000;
/// Larger constants are ignored: their neighbours are too large as sizes for a check to try by default.
constexpr std::int64_t largest_constant = std::int64_t{1} << 20;
constexpr std::int64_t largest_common_multiple = 1024;
constexpr std::size_t max_constants_mixed = 5;
constexpr std::int64_t max_mixed = 1 << 16;  ///< index values beyond constants in several dimensions
/// For formats of so few bits, the first integer that the format does not have is a size worth trying.
constexpr int few_bits = 11;

class ConstantFinder {
 public:
  explicit ConstantFinder(ir::Module& module) : module_(module), default_order_(module.schedules().default_order()) {}

  void circuit(const ir::Function& function) {
    for (const ir::Requirement& each : function.requirements) index(each.left), index(each.right);
    std::map<ir::VariableId, std::set<ir::SymbolId>> ranges;
    std::vector<Threshold> thresholds;
    std::optional<int> narrowest;
    bool has_values = false;
    ir::visit_nodes(module_, {function.body}, [&](ir::NodeId id) {
      const ir::Node& node = module_[id];
      for (ir::IndexId each : node.indices) index(each);
      for (ir::IndexId each : module_.type(id).extents) index(each);
      if (node.op == ir::Op::reduce || node.op == ir::Op::scan) schedule(module_.reduction_of(node).schedule);
      const bool compares = ir::is_scalar_operation(node.op) &&
                            (ir::traits(node.op).result == ir::ResultRule::truth || (node.op >= ir::Op::min && node.op <= ir::Op::clamp));
      if (compares) comparison(node);
      takes_none |= node.op == ir::Op::reduce && module_.reduction_of(node).has_otherwise;
      if (ir::operands_inside(module_, node) > 0) {
        for (std::size_t k = 0; k < node.indices.size() && k < node.variables.size(); ++k) {
          std::vector<ir::SymbolId> sizes;
          module_.indices().dimensions(node.indices[k], sizes);
          ranges[node.variables[k]].insert(sizes.begin(), sizes.end());
        }
      }
      if (node.op == ir::Op::index_condition) {
        const std::vector<Threshold> more = thresholds_of(module_.indices(), node.indices[0]);
        thresholds.insert(thresholds.end(), more.begin(), more.end());
      }
      has_values |= node.op == ir::Op::index_value;
      if ((node.op == ir::Op::index_value || node.op == ir::Op::convert) && ir::is_float(module_.type(id).scalar)) {
        const int precision = numerics::traits(ir::format_of(module_.type(id).scalar)).precision;
        narrowest = std::min(narrowest.value_or(precision), precision);
      }
    });
    for (const auto& [size, value] : residues_) {
      const auto at = std::ranges::find(function.dimensions, size) - function.dimensions.begin();
      residues[static_cast<std::size_t>(at)] = value;
    }
    residues_.clear();
    if (has_values && narrowest && *narrowest <= few_bits) add((std::int64_t{1} << *narrowest) + 1);
    for (const Threshold& threshold : thresholds) {
      add(threshold.value);
      for (const ir::SymbolId size : ranges[threshold.variable]) {
        const auto at = std::ranges::find(function.dimensions, size) - function.dimensions.begin();
        std::int64_t& most = beyond[static_cast<std::size_t>(at)];
        if (threshold.value <= largest_constant) most = std::max(most, threshold.value);
      }
    }
  }

  std::set<std::int64_t> found;
  /// The largest index at which a condition changes, by the position of the dimension in its circuit.
  std::map<std::size_t, std::int64_t> beyond;
  /// A size with the residue that a condition asks for, likewise.
  std::map<std::size_t, std::int64_t> residues;
  bool takes_none = false;  ///< a reduction has a value where it has no leaves

 private:
  void add(std::int64_t value) {
    const std::int64_t size = value < 0 ? -value : value;
    if (size >= 2 && size <= largest_constant) found.insert(size);
  }
  void index(ir::IndexId id) {
    if (!id.valid() || !seen_.insert(id).second) return;
    const ir::IndexNode node = module_.indices()[id];
    if (node.op == ir::IndexOp::equal || node.op == ir::IndexOp::less || node.op == ir::IndexOp::less_equal)
      residue(node);
    if (node.op == ir::IndexOp::constant || node.op == ir::IndexOp::sum) add(node.value);
    for (std::int64_t coefficient : node.coefficients) add(coefficient);
    for (ir::IndexId operand : node.operands) index(operand);
  }
  /// For `n % 16 == 5`: the sizes 16 + 5 and 32 + 5.
  void residue(const ir::IndexNode& comparison) {
    for (std::size_t k = 0; k < 2; ++k) {
      const ir::IndexNode& left = module_.indices()[comparison.operands[k]];
      const auto rest = module_.indices().as_constant(comparison.operands[1 - k]);
      if (left.op != ir::IndexOp::floor_mod || !rest || *rest < 0) continue;
      const auto run = module_.indices().as_constant(left.operands[1]);
      if (!run || *run < 1 || *run > largest_constant) continue;
      for (const std::int64_t runs : {1, 2}) add(runs * *run + *rest);
      std::vector<ir::SymbolId> sizes;
      module_.indices().dimensions(left.operands[0], sizes);
      for (const ir::SymbolId size : sizes) residues_[size] = *run + *rest;
    }
  }
  void schedule(ir::ScheduleId id) {
    if (id == default_order_) return;
    for (ir::ScheduleId term : module_.schedules().terms(id)) index(module_.schedules()[term].parameter);
  }
  /// For `f32(i) < 100`: the number that an index is compared with.
  void comparison(const ir::Node& node) {
    const auto is_index = [&](ir::NodeId id) { return module_[id].op == ir::Op::index_value; };
    if (std::ranges::none_of(node.operands, is_index)) return;
    for (ir::NodeId id : node.operands) {
      if (module_[id].op != ir::Op::literal) continue;
      const ir::Literal& literal = module_.literal_of(id);
      if (literal.kind != ir::Literal::Kind::rational || abs(literal.value) > largest_constant) continue;
      add(mpz_class(literal.value.get_num() / literal.value.get_den()).get_si());
    }
  }

  ir::Module& module_;
  ir::ScheduleId default_order_;
  std::set<ir::IndexId> seen_;
  std::map<ir::SymbolId, std::int64_t> residues_;  ///< of the circuit that is being visited
};

ConstantFinder look_through(ir::Module& module, const frontend::ElaboratedItem& item) {
  ConstantFinder out(module);
  for (const auto* side : {&item.left, &item.right}) {
    if (*side) out.circuit(**side);
  }
  return out;
}

/// For each constant, its neighbours, itself and its double; the least common multiple of all; and products of two.
std::vector<std::int64_t> around(const std::vector<std::int64_t>& constants, bool with_products) {
  std::set<std::int64_t> out;
  std::int64_t all = 1;
  for (std::int64_t constant : constants) {
    for (std::int64_t size : {constant - 1, constant, constant + 1, 2 * constant}) out.insert(size);
    if (all <= largest_common_multiple) all = std::lcm(all, constant);
  }
  if (all <= largest_common_multiple) out.insert(all);
  // Products matter, too: after 64 blocks of 32, say, a new case begins.
  constexpr std::int64_t largest_product = std::int64_t{1} << 17;
  constexpr std::size_t max_products = 6;
  std::size_t products = 0;
  for (std::size_t k = 0; with_products && k < constants.size() && products < max_products; ++k) {
    for (std::size_t other = k; other < constants.size() && products < max_products; ++other) {
      const std::int64_t one = constants[k], two = constants[other];
      if (one > largest_product / two) continue;
      for (std::int64_t size : {one * two, one * two + 1, one * two + std::max(one, two)}) out.insert(size);
      ++products;
    }
  }
  return {out.begin(), out.end()};
}

/// The choices for the dimensions that the check leaves free, each beside all of those given.
class Chooser {
 public:
  Chooser(std::vector<ir::Dimensions> given, std::vector<ir::SymbolId> free) : given_(std::move(given)), free_(std::move(free)) {}

  template <class SizeOf>
  void add(SizeOf&& size_of, std::int64_t most) {
    for (const ir::Dimensions& partial : given_) {
      ir::Dimensions next = partial, own;
      for (std::size_t d = 0; d < free_.size(); ++d) next[free_[d]] = own[free_[d]] = size_of(d);
      if (index_values(own) <= most && known_.insert(next).second) all.push_back(std::move(next));
    }
  }
  void everywhere(std::int64_t size, std::int64_t most) {
    add([&](std::size_t) { return size; }, most);
  }
  /// Gives each dimension in turn the size, and every other dimension 2 or 3.
  void alone(std::int64_t size, std::int64_t most) {
    for (std::size_t one = 0; one < free_.size(); ++one) {
      add([&](std::size_t d) { return d == one ? size : 2 + (static_cast<std::int64_t>(d) + size) % 2; }, most);
    }
  }

  std::vector<ir::Dimensions> all;

 private:
  std::vector<ir::Dimensions> given_;
  std::vector<ir::SymbolId> free_;
  std::set<ir::Dimensions> known_;
};

/// `1..3, 5, 7, 8`.
std::string ranges_text(const std::set<std::int64_t>& values) {
  std::vector<std::string> parts;
  for (auto at = values.begin(); at != values.end();) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    while (++at != values.end() && *at == last + 1) ++last;
    if (last - first >= 2) parts.push_back(fmt::format("{}..{}", first, last));
    else {
      parts.push_back(std::to_string(first));
      if (last != first) parts.push_back(std::to_string(last));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
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

std::vector<std::int64_t> constants_in_sight(ir::Module& module, const frontend::ElaboratedItem& item) {
  const ConstantFinder circuits = look_through(module, item);
  return {circuits.found.begin(), circuits.found.end()};
}

std::vector<ir::Dimensions> choose_sizes(ir::Module& module, const frontend::ElaboratedItem& item,
                                         const SizeLimits& limits) {
  std::vector<ir::Dimensions> given{{}};
  std::vector<ir::SymbolId> free;
  for (ir::SymbolId dimension : item.left->dimensions) {
    const auto clause = std::ranges::find(item.sizes, dimension, &frontend::SizeClause::dimension);
    if (clause == item.sizes.end()) {
      free.push_back(dimension);
      continue;
    }
    std::vector<ir::Dimensions> longer;
    for (const ir::Dimensions& partial : given) {
      for (std::int64_t value : clause->values) {
        if (longer.size() >= max_combinations) break;
        ir::Dimensions next = partial;
        next[dimension] = value;
        longer.push_back(std::move(next));
      }
    }
    given = std::move(longer);
  }
  if (free.empty()) return given;
  Chooser chooser(std::move(given), free);
  const ConstantFinder circuits = look_through(module, item);
  if (circuits.takes_none) chooser.everywhere(0, limits.index_values);
  if (free.size() == 1) {
    for (std::int64_t size : default_sizes) chooser.everywhere(size, limits.index_values);
  } else {
    // Shifted diagonals mix small and large sizes; on the unshifted one all free dimensions are equal.
    for (std::size_t k = 0; k < default_diagonal.size(); ++k) {
      for (std::size_t shift : {0, 3, 5}) {
        chooser.add([&](std::size_t d) { return default_diagonal[(k + d * shift) % default_diagonal.size()]; },
                    limits.index_values);
      }
    }
    if (limits.each_alone) {
      for (std::int64_t size : default_sizes) chooser.alone(size, limits.index_values);
    } else {
      for (std::int64_t size : some_sizes) chooser.alone(size, limits.index_values);
    }
  }
  const std::vector<std::int64_t> constants(circuits.found.begin(), circuits.found.end());
  for (std::int64_t size : around(constants, free.size() == 1)) {
    chooser.everywhere(size,
                       free.size() == 1 ? limits.constant_index_values : std::max(limits.index_values, max_mixed));
    if (free.size() > 1) chooser.alone(size, limits.constant_index_values);
  }
  // Sizes at which every dimension is beyond all conditions on its indices, and sizes at which each has its residue.
  const auto jointly = [&](const std::map<std::size_t, std::int64_t>& sizes, std::int64_t more) {
    if (free.size() < 2 || sizes.empty()) return;
    chooser.add(
        [&](std::size_t d) {
          const auto at = std::ranges::find(item.left->dimensions, free[d]) - item.left->dimensions.begin();
          const auto found = sizes.find(static_cast<std::size_t>(at));
          return found == sizes.end() ? 2 + static_cast<std::int64_t>(d % 2) : found->second + more;
        },
        limits.constant_index_values);
  };
  jointly(circuits.beyond, 1);
  jointly(circuits.residues, 0);
  // Beyond one constant in one dimension and beyond another in the next.
  for (std::size_t k = 0; k < constants.size() && free.size() > 1 && constants.size() <= max_constants_mixed; ++k) {
    for (std::size_t other = 0; other < constants.size(); ++other) {
      chooser.add([&](std::size_t d) { return constants[d % 2 == 0 ? k : other] + 1; },
                  std::max(limits.index_values, max_mixed));
    }
  }
  std::ranges::stable_sort(chooser.all, {}, index_values);
  return std::move(chooser.all);
}

std::string size_text(const ir::Module& module, const ir::Dimensions& sizes) {
  std::vector<std::string> parts;
  for (const auto& [symbol, value] : sizes) parts.push_back(fmt::format("{} = {}", module.name(symbol), value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string sizes_text(const ir::Module& module, const std::vector<ir::Dimensions>& sizes) {
  constexpr std::size_t few = 3;
  if (sizes.empty() || sizes.front().empty()) return {};
  if (sizes.front().size() > 1 && sizes.size() <= few) {
    std::vector<std::string> names, all;
    for (const auto& [symbol, value] : sizes.front()) names.emplace_back(module.name(symbol));
    for (const ir::Dimensions& each : sizes) {
      std::vector<std::int64_t> values;
      for (const auto& [symbol, value] : each) values.push_back(value);
      all.push_back(fmt::format("({})", fmt::join(values, ", ")));
    }
    return fmt::format("({}): {}", fmt::join(names, ", "), fmt::join(all, ", "));
  }
  std::vector<std::string> parts;
  for (const auto& [symbol, first] : sizes.front()) {
    std::set<std::int64_t> values;
    for (const ir::Dimensions& each : sizes) values.insert(each.at(symbol));
    parts.push_back(fmt::format("{}: {}", module.name(symbol), ranges_text(values)));
  }
  if (parts.size() == 1) return parts.front();
  return fmt::format("{} ({} combinations)", fmt::join(parts, "; "), sizes.size());
}

}  // namespace reckon::check
