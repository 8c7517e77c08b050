#include "check/thresholds.h"

#include <functional>
#include <optional>
#include <set>

namespace reckon::check {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 20;

class ThresholdFinder {
 public:
  explicit ThresholdFinder(const ir::IndexStore& indices) : indices_(indices) {}

  void condition(ir::IndexId id) {
    if (!seen_.insert(id).second) return;
    const ir::IndexNode& node = indices_[id];
    if (node.op == ir::IndexOp::less || node.op == ir::IndexOp::less_equal || node.op == ir::IndexOp::equal) {
      comparison(id, node);
    }
    for (const ir::IndexId operand : node.operands) condition(operand);
  }

  std::vector<Threshold> found;

 private:
  void comparison(ir::IndexId id, const ir::IndexNode& node) {
    std::vector<ir::SymbolId> dimensions;
    indices_.dimensions(id, dimensions);
    const std::vector<ir::VariableId> variables = indices_.variables(id);
    const auto sign = [&](const std::function<std::int64_t(ir::VariableId)>& of,
                          std::int64_t size) -> std::optional<int> {
      ir::IndexEnvironment environment;
      for (const ir::VariableId variable : variables) environment.variables[variable] = of(variable);
      for (const ir::SymbolId symbol : dimensions) environment.dimensions[symbol] = size;
      const auto left = indices_.evaluate(node.operands[0], environment);
      const auto right = indices_.evaluate(node.operands[1], environment);
      if (!left || !right) return std::nullopt;
      return *left < *right ? -1 : *left > *right ? 1 : 0;
    };
    for (const ir::VariableId one : variables) {
      search(one, [&](std::int64_t t) {
        return sign([&](ir::VariableId variable) { return variable == one ? t : 0; }, largest);
      });
    }
    if (variables.size() > 1) {
      search({}, [&](std::int64_t t) { return sign([&](ir::VariableId) { return t; }, largest); });
    }
    if (!dimensions.empty()) {
      search({}, [&](std::int64_t t) { return sign([&](ir::VariableId) { return 0; }, t); });
      if (!variables.empty())
        search({}, [&](std::int64_t t) { return sign([&](ir::VariableId) { return t - 1; }, t); });
    }
  }

  void search(ir::VariableId variable, const std::function<std::optional<int>(std::int64_t)>& sign) {
    std::int64_t low = 1;
    std::optional<int> before = sign(low);
    for (std::int64_t high = 2; high <= largest; high *= 2) {
      const std::optional<int> after = sign(high);
      if (before && after && *before != *after) bisect(variable, sign, low, high, *before);
      low = high;
      before = after;
    }
  }

  /// Bisects between `low`, where the sign is `before`, and `high`, where it is another one.
  void bisect(ir::VariableId variable, const std::function<std::optional<int>(std::int64_t)>& sign, std::int64_t low,
              std::int64_t high, int before) {
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      const auto there = sign(middle);
      if (!there) return;
      (*there == before ? low : high) = middle;
    }
    found.push_back({variable, high});
  }

  const ir::IndexStore& indices_;
  std::set<ir::IndexId> seen_;
};

}  // namespace

std::vector<Threshold> thresholds_of(const ir::IndexStore& indices, ir::IndexId condition) {
  ThresholdFinder finder(indices);
  finder.condition(condition);
  return std::move(finder.found);
}

}  // namespace reckon::check
