// Tighter enclosures for expressions that use one value several times. An enclosure of x * y for all x and y in their
// intervals is wider than necessary if both operands are one node, and so one real number (the dependency problem:
// Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009, section 3.3). The rewrites use only operations
// that every semantics has:
//
//   x * x, x * x * x * x, x * y * y * x   max(..., 0)          each factor occurs an even number of times
//   x * -x                                min(..., 0)
//   x * y * x, fma(x, x, y)               |x| * y * |x|, fma(|x|, |x|, y)     factors that occur on both sides
//   x - x, x + -x                         |x| * 0              which is still empty, NaN or an error where x is
//
// Under IEEE arithmetic, rounded to nearest, each has the bits of what it replaces: for `bound`, whose results are
// those of `float`.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/passes/bottom_up.h"
#include "ir/passes/fused_leaves.h"
#include "ir/passes/passes.h"

namespace reckon::ir {
namespace {

/// The nodes that a product multiplies, and how often, without signs and without factors known not to be negative.
struct Product {
  std::map<NodeId, std::uint64_t> times;
  bool negative = false;

  bool is_even() const {
    return std::ranges::all_of(times, [](const auto& factor) { return factor.second % 2 == 0; });
  }
  bool is_odd_in(NodeId factor) const {
    const auto found = times.find(factor);
    return found != times.end() && found->second % 2 != 0;
  }
};

/// Products of more factors are examined in parts.
constexpr std::size_t max_factors = 64;

class RelatedUses {
 public:
  RelatedUses(Module& module, NodeId root) : module_(module), leaves_(fused_leaves(module, root)) {}

  /// Whether some product, sum or difference below combines a value with itself.
  bool any(NodeId root) {
    return find_node(module_, {root}, [&](NodeId id) { return meets_itself(id); }).has_value();
  }

  NodeId replacement(NodeId id, const Node& node, std::vector<NodeId> operands) {
    rewritten_[id] = plain(id, node, std::move(operands));
    return rewritten_[id];
  }

 private:
  bool meets_itself(NodeId id) {
    const Node& node = module_[id];
    switch (node.op) {
      case Op::sub: return node.operands[0] == node.operands[1];
      case Op::add: return is_opposite(node.operands[0], node.operands[1]) || is_opposite(node.operands[1], node.operands[0]);
      case Op::mul:
      case Op::fma: {
        const NodeId left = node.operands[0], right = node.operands[1];
        return std::ranges::any_of(product(left).times, [&](const auto& factor) {
          return factor.second % 2 != 0 && product(right).is_odd_in(factor.first);
        });
      }
      default: return false;
    }
  }

  NodeId plain(NodeId id, const Node& node, std::vector<NodeId> operands) {
    const Scalar scalar = module_.types()[node.type].scalar;
    const bool arithmetic = is_scalar_operation(node.op) && (is_float(scalar) || scalar == Scalar::number);
    if (arithmetic) {
      switch (node.op) {
        case Op::sub:
          if (node.operands[0] == node.operands[1]) return nothing_of(node.operands[0], operands[0], scalar);
          break;
        case Op::add:
          if (is_opposite(node.operands[0], node.operands[1])) return nothing_of(node.operands[1], operands[1], scalar);
          if (is_opposite(node.operands[1], node.operands[0])) return nothing_of(node.operands[0], operands[0], scalar);
          break;
        case Op::mul: {
          const Product &left = product(node.operands[0]), &right = product(node.operands[1]), &all = product(id);
          if (all.times.empty() || !all.is_even()) return with_magnitudes(id, {});
          if (leaves_.contains(id)) return with_magnitudes(id, {});
          // If both factors are even, the signs have been related already.
          if (left.is_even() && right.is_even()) break;
          const NodeId signless = module_.rebuild(node, std::move(operands));
          return module_.apply(all.negative ? Op::min : Op::max, {signless, module_.rational(0, scalar)});
        }
        case Op::fma: return with_magnitudes(id, {});
        default: break;
      }
    }
    return operands == node.operands ? id : module_.rebuild(node, std::move(operands));
  }

  /// Two occurrences of the literal `inf` stand for two numbers beyond the format, which may differ.
  bool is_infinity(NodeId id) const {
    return module_[id].op == Op::literal && module_.literal_of(id).kind == Literal::Kind::infinity;
  }
  bool is_opposite(NodeId id, NodeId of) const { return module_[id].op == Op::neg && module_[id].operands[0] == of; }

  NodeId nothing_of(NodeId original, NodeId id, Scalar scalar) {
    if (is_infinity(original)) return module_.apply(Op::sub, {id, id});
    return module_.apply(Op::mul, {module_.apply(Op::abs, {id}), module_.rational(0, scalar)});
  }

  /// Whether a node has the factors of its operands: a product, a sign, or a conversion of formats, which keeps signs.
  bool is_transparent(const Node& node) const {
    if (node.op == Op::mul || node.op == Op::neg) return true;
    return node.op == Op::convert && is_float(module_.types()[node.type].scalar) &&
           is_float(module_.type(node.operands[0]).scalar);
  }

  const Product& product(NodeId id) {
    if (auto found = products_.find(id); found != products_.end()) return found->second;
    const Node node = module_[id];
    Product out;
    if (is_transparent(node)) {
      for (NodeId operand : node.operands) {
        const Product& part = product(operand);
        for (const auto& [factor, times] : part.times) out.times[factor] += times;
        out.negative ^= part.negative;
      }
      out.negative ^= node.op == Op::neg;
      std::uint64_t all = 0;
      for (const auto& [factor, times] : out.times) all += times;
      if (all > max_factors) out = atom(id);
    } else if (const auto negative = sign(id)) {
      out.negative = *negative;
    } else {
      out = atom(id);
    }
    return products_.emplace(id, std::move(out)).first->second;
  }
  /// Whether a number is negative, if that is evident.
  std::optional<bool> sign(NodeId id) const {
    if (module_[id].op == Op::abs) return false;
    if (module_[id].op != Op::literal) return std::nullopt;
    const Literal& literal = module_.literal_of(id);
    using Kind = Literal::Kind;
    if (literal.kind == Kind::infinity) return literal.negative;
    if (literal.kind == Kind::rational || literal.kind == Kind::real) return literal.value < 0;
    return std::nullopt;
  }
  static Product atom(NodeId id) { return {{{id, 1}}, false}; }

  /// A product, or an fma, in which certain factors are replaced by their absolute values: `more`, and the factors that
  /// occur an odd number of times on each side.
  NodeId with_magnitudes(NodeId id, std::set<NodeId> more) {
    const Node node = module_[id];
    if (node.op == Op::mul || node.op == Op::fma) {
      for (const auto& [factor, times] : product(node.operands[0]).times) {
        if (times % 2 != 0 && product(node.operands[1]).is_odd_in(factor)) more.insert(factor);
      }
    }
    std::vector<NodeId> operands;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      operands.push_back(k < 2 ? magnitudes_in(node.operands[k], more) : rewritten_.at(node.operands[k]));
    }
    return operands == node.operands ? id : module_.rebuild(node, std::move(operands));
  }

  NodeId magnitudes_in(NodeId id, const std::set<NodeId>& factors) {
    const Product& inside = product(id);
    const bool concerned =
        std::ranges::any_of(factors, [&](NodeId factor) { return inside.times.contains(factor); });
    if (!concerned) return rewritten_.at(id);
    if (inside.times.size() == 1 && inside.times.contains(id)) return module_.apply(Op::abs, {rewritten_.at(id)});
    return with_magnitudes(id, factors);
  }

  Module& module_;
  const std::set<NodeId> leaves_;
  std::unordered_map<NodeId, Product> products_;
  std::unordered_map<NodeId, NodeId> rewritten_;
};

/// What a circuit has that matters here. Most circuits have little of it, and are evaluated often.
struct Look {
  bool meets = false;      ///< a product, a sum or a difference, which may meet itself
  bool views = false;      ///< elements of maps
  bool folds = false;      ///< operations that do nothing
  bool exchanges = false;  ///< two operations of the same operands, in another order

  Look(const Module& module, NodeId root) {
    std::unordered_map<std::uint64_t, NodeId> commuting;
    std::vector<NodeId> pending{root};
    std::unordered_set<NodeId> seen;
    while (!pending.empty()) {
      const NodeId id = pending.back();
      pending.pop_back();
      if (!seen.insert(id).second) continue;
      const Node& node = module[id];
      const auto operand = [&](std::size_t k) { return module[node.operands[k]].op; };
      views |= node.op == Op::element && (operand(0) == Op::map || operand(0) == Op::get);
      if (is_scalar_operation(node.op)) {
        meets |= node.op == Op::mul || node.op == Op::sub || node.op == Op::add || node.op == Op::fma;
        const bool undoes = node.op == Op::neg || node.op == Op::logical_not;
        for (std::size_t k = 0; k < node.operands.size(); ++k) {
          folds |= (undoes && operand(k) == node.op) || may_be_neutral(module, node.operands[k]);
        }
        if (node.operands.size() > 1) {
          folds |= node.operands[0] == node.operands[1] && node.op != Op::mul && node.op != Op::sub && node.op != Op::add;
          folds |= node.op == Op::select && node.operands[1] == node.operands[2];
          const auto [least, most] = std::minmax(node.operands[0].index, node.operands[1].index);
          const std::uint64_t pair = (std::uint64_t{least} << 32 | most) * 64 + static_cast<std::uint64_t>(node.op);
          exchanges |= !commuting.try_emplace(pair, id).second;
        }
      }
      folds |= node.op == Op::element && operand(0) == Op::array;
      pending.insert(pending.end(), node.operands.begin(), node.operands.end());
    }
  }

  /// 0, 1, true or false: what folding_rules.h needs under the laws of enclosures, where literals are not added up.
  static bool may_be_neutral(const Module& module, NodeId id) {
    if (module[id].op != Op::literal) return false;
    const Literal& literal = module.literal_of(id);
    return literal.kind == Literal::Kind::boolean ||
           (literal.kind == Literal::Kind::rational && (literal.value == 0 || literal.value == 1));
  }
};

}  // namespace

Function relate_uses(Module& module, const Function& function, Laws laws) {
  if (!laws.has(Law::uses_agree)) return function;
  const Look look(module, function.body);
  if (!look.meets) return function;
  // First, expressions that are one value are made one node, as far as that changes no endpoint.
  const Laws tidy = laws.without(Law::literals_exact);
  Function out = function;
  if (look.views) out = inline_views(module, out, tidy);
  if (look.views || look.folds) out = fold_constants(module, out, tidy);
  if (look.views || look.folds || look.exchanges) out = share_subexpressions(module, out, tidy);
  RelatedUses uses(module, out.body);
  if (!uses.any(out.body)) return out;
  out.body = BottomUp(module, [&](NodeId id, const Node& node, std::vector<NodeId> operands) {
               return uses.replacement(id, node, std::move(operands));
             }).run(out.body);
  return out;
}

}  // namespace reckon::ir
