#include "ir/positive_sizes.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace reckon::ir {
namespace {

/// Over dimensions that are natural numbers.
class Natural {
 public:
  explicit Natural(IndexStore& indices) : indices_(indices) {}

  /// Whether it is shown that the condition has this truth everywhere.
  bool is(IndexId condition, bool truth) {
    const IndexNode node = indices_[condition];
    const auto both = [&](bool wanted) { return is(node.operands[0], wanted) && is(node.operands[1], wanted); };
    const auto either = [&](bool wanted) { return is(node.operands[0], wanted) || is(node.operands[1], wanted); };
    switch (node.op) {
      case IndexOp::constant: return (node.value != 0) == truth;
      case IndexOp::less: return truth ? is_below(node.operands[0], node.operands[1]) : is_not_above(node.operands[1], node.operands[0]);
      case IndexOp::less_equal:
        return truth ? is_not_above(node.operands[0], node.operands[1]) : is_below(node.operands[1], node.operands[0]);
      // Two equal sides have one form, which makes the condition a constant.
      case IndexOp::equal:
        return !truth && (is_below(node.operands[0], node.operands[1]) || is_below(node.operands[1], node.operands[0]));
      case IndexOp::logical_and: return truth ? both(true) : either(false);
      case IndexOp::logical_or: return truth ? either(true) : both(false);
      case IndexOp::logical_not: return is(node.operands[0], !truth);
      default: return false;
    }
  }

 private:
  bool is_not_above(IndexId a, IndexId b) { return is_natural(indices_.subtract(b, a)); }
  bool is_below(IndexId a, IndexId b) { return is_not_above(indices_.add(a, indices_.constant(1)), b); }

  bool is_natural(IndexId id) {
    const IndexNode node = indices_[id];
    const auto all = [&] { return std::ranges::all_of(node.operands, [&](IndexId each) { return is_natural(each); }); };
    switch (node.op) {
      case IndexOp::constant: return node.value >= 0;
      case IndexOp::dimension: return true;
      case IndexOp::sum: return is_natural_sum(id, node);
      case IndexOp::product:
      case IndexOp::minimum: return all();
      // A quotient by 0 stands for what does not fit in 64 bits.
      case IndexOp::floor_div: return all() && indices_.as_constant(node.operands[1]) != 0;
      // A remainder has the sign of its divisor.
      case IndexOp::floor_mod: return is_natural(node.operands[1]);
      case IndexOp::maximum: return is_natural(node.operands[0]) || is_natural(node.operands[1]);
      default: return is(id, true) || is(id, false);
    }
  }

  /// Without a negative coefficient; or with one, after what is no polynomial has given way to a bound.
  bool is_natural_sum(IndexId id, const IndexNode& sum) {
    const auto is_negative = [](std::int64_t each) { return each < 0; };
    if (sum.value >= 0 && std::ranges::none_of(sum.coefficients, is_negative) &&
        std::ranges::all_of(sum.operands, [&](IndexId each) { return is_natural(each); })) {
      return true;
    }
    for (const IndexId atom : bounded_atoms(sum)) {
      if (steps_left_ == 0) return false;
      --steps_left_;
      const auto [factor, rest] = parted(id, sum, atom);
      const bool from_below = is_natural(factor);
      if (from_below || is_natural(indices_.negate(factor))) return with_bound(rest, factor, from_below, indices_[atom]);
    }
    return false;
  }

  static bool has_bounds(IndexOp op) {
    return op == IndexOp::minimum || op == IndexOp::maximum || op == IndexOp::floor_mod || op == IndexOp::floor_div;
  }

  /// The extremes, remainders and quotients among the terms and their factors.
  std::vector<IndexId> bounded_atoms(const IndexNode& sum) const {
    std::vector<IndexId> out;
    for (const IndexId term : sum.operands) {
      const IndexNode& node = indices_[term];
      if (has_bounds(node.op)) out.push_back(term);
      if (node.op != IndexOp::product) continue;
      std::ranges::copy_if(node.operands, std::back_inserter(out), [&](IndexId each) { return has_bounds(indices_[each].op); });
    }
    return out;
  }

  /// The factor of the atom, and the rest: sum = factor * atom + rest.
  std::pair<IndexId, IndexId> parted(IndexId id, const IndexNode& sum, IndexId atom) {
    IndexId factor = indices_.constant(0);
    for (std::size_t k = 0; k < sum.operands.size(); ++k) {
      IndexId others = indices_.constant(sum.coefficients[k]);
      bool found = sum.operands[k] == atom;
      if (const IndexNode term = indices_[sum.operands[k]]; term.op == IndexOp::product) {
        for (const IndexId each : term.operands) {
          if (!found && each == atom) found = true;
          else others = indices_.multiply(others, each);
        }
      }
      if (found) factor = indices_.add(factor, others);
    }
    return {factor, indices_.subtract(id, indices_.multiply(factor, atom))};
  }

  /// Whether rest + factor * atom is natural because it is with a bound in the place of the atom, which is a lower one
  /// if the factor is natural, and else an upper one.
  bool with_bound(IndexId rest, IndexId factor, bool from_below, const IndexNode& atom) {
    const IndexId a = atom.operands[0], b = atom.operands[1];
    const auto scaled = [&](IndexId scale, IndexId bound) {
      return is_natural(indices_.add(indices_.multiply(scale, rest), indices_.multiply(factor, bound)));
    };
    const IndexId one = indices_.constant(1);
    if (atom.op == IndexOp::minimum || atom.op == IndexOp::maximum) {
      const bool both_bound = (atom.op == IndexOp::maximum) == from_below;
      // Where either operand is a bound, so is their mean.
      if (both_bound) return scaled(one, a) || scaled(one, b) || scaled(indices_.constant(2), indices_.add(a, b));
      return scaled(one, a) && scaled(one, b);
    }
    if (!is_natural(indices_.subtract(b, one))) return false;
    const IndexId greatest_rest = indices_.subtract(b, one);
    if (atom.op == IndexOp::floor_mod) return scaled(one, from_below ? indices_.constant(0) : greatest_rest);
    // a // b is at most a / b and at least (a - b + 1) / b, and the whole is multiplied by b.
    return scaled(b, from_below ? indices_.subtract(a, greatest_rest) : a);
  }

  int steps_left_ = 64;  ///< of which each atom that gives way takes one
  IndexStore& indices_;
};

}  // namespace

bool holds_for_positive(IndexStore& indices, IndexId condition) {
  std::vector<SymbolId> sizes;
  indices.dimensions(condition, sizes);
  IndexSubstitution more;
  for (const SymbolId size : sizes) more.dimensions[size] = indices.add(indices.dimension(size), indices.constant(1));
  return Natural(indices).is(indices.substitute(condition, more), true);
}

}  // namespace reckon::ir
