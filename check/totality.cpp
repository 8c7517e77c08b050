#include "check/totality.h"

#include <algorithm>
#include <unordered_map>

#include "ir/function_of.h"
#include "ir/visit.h"

namespace reckon::check {

namespace {

using ir::NodeId;
using ir::Op;

/// A circuit with deeper nesting is not examined.
constexpr int deepest = 500;

class Signs {
 public:
  Signs(const ir::Module& module, const frontend::ElaboratedItem& item) : module_(module), item_(item) {}

  bool above_zero(NodeId id) { return at_least(id) == Least::above_zero; }
  bool not_below_zero(NodeId id) { return at_least(id) != Least::unknown; }
  /// Whether a value lies within -1..1; `strictly`: and is neither of the endpoints.
  bool within_one(NodeId id, bool strictly) const {
    const ir::Node& node = module_[id];
    if (node.op == Op::literal) return value(id) && (strictly ? abs(*value(id)) < 1 : abs(*value(id)) <= 1);
    if (node.op == Op::sign) return !strictly;
    const auto function = ir::function_of(node.op);
    if (!function || numerics::traits(*function).range_of_pi) return false;
    const numerics::Domain& range = numerics::traits(*function).range;
    return range.low >= -1 && range.high <= 1 && (!strictly || (range.low_open && range.high_open));
  }
  bool is_nonzero(NodeId id) {
    if (above_zero(id)) return true;
    const ir::Node& node = module_[id];
    if (node.op == Op::literal) return value(id) && *value(id) != 0;
    // Integers wrap: the product of two that are not 0 may be 0, and so may one in a narrower type.
    if (is_word(id)) return false;
    if (node.op == Op::neg || node.op == Op::convert) return is_nonzero(node.operands[0]);
    if (node.op == Op::mul) return is_nonzero(node.operands[0]) && is_nonzero(node.operands[1]);
    return false;
  }

 private:
  bool is_word(NodeId id) const {
    const ir::Type& type = module_.type(id);
    return type.kind != ir::TypeKind::tuple && ir::is_integer(type.scalar);
  }

  enum class Least : std::uint8_t { unknown, zero, above_zero };

  /// What is known of every integer of the node's type.
  Least of_word(NodeId id) const {
    return is_word(id) && !ir::integer_traits(module_.type(id).scalar).is_signed ? Least::zero : Least::unknown;
  }
  /// Whether the operation on integers may leave the type, so that the signs of its operands say nothing.
  static bool wraps(Op op) {
    switch (op) {
      case Op::literal:
      case Op::parameter:
      case Op::element:
      case Op::at:
      case Op::map:
      case Op::min:
      case Op::max:
      case Op::clamp:
      case Op::select: return false;
      default: return true;
    }
  }

  std::optional<mpq_class> value(NodeId id) const {
    const ir::Literal& literal = module_.literal_of(id);
    if (literal.kind != ir::Literal::Kind::rational && literal.kind != ir::Literal::Kind::real) return std::nullopt;
    return literal.value;
  }

  Least at_least(NodeId id) {
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    if (depth_ >= deepest) return Least::unknown;
    ++depth_;
    const Least out = found(id);
    --depth_;
    return known_[id] = out;
  }

  Least found(NodeId id) {
    const ir::Node& node = module_[id];
    const auto operand = [&](std::size_t k) { return at_least(node.operands[k]); };
    const auto least = [&](std::size_t a, std::size_t b) { return std::min(operand(a), operand(b)); };
    if (is_word(id) && wraps(node.op)) return of_word(id);
    switch (node.op) {
      case Op::literal:
        if (!value(id)) return Least::unknown;
        return *value(id) > 0 ? Least::above_zero : *value(id) == 0 ? Least::zero : Least::unknown;
      case Op::parameter: {
        const Least stated = of_parameter(node.attribute);
        return stated == Least::unknown ? of_word(id) : stated;
      }
      case Op::element:
      case Op::at:
      case Op::map:
      case Op::convert:
        if (is_word(id)) return of_word(id);
        return operand(0);
      case Op::sqrt: return operand(0) == Least::above_zero ? Least::above_zero : Least::zero;
      case Op::abs:
      case Op::hypot: return Least::zero;
      case Op::add: return least(0, 1) == Least::unknown ? Least::unknown : std::max(operand(0), operand(1));
      case Op::mul:
        if (node.operands[0] == node.operands[1]) return std::max(operand(0), Least::zero);
        return least(0, 1);
      case Op::div: return least(0, 1);
      case Op::fma: {
        const Least product = node.operands[0] == node.operands[1] ? std::max(operand(0), Least::zero) : least(0, 1);
        return std::min(product, operand(2)) == Least::unknown ? Least::unknown : std::max(product, operand(2));
      }
      case Op::rootn:
      case Op::pow: return operand(0);
      case Op::max:
      case Op::maxnum: return std::max(operand(0), operand(1));
      case Op::min:
      case Op::minnum: return least(0, 1);
      case Op::clamp: return std::min(std::max(operand(0), operand(1)), operand(2));
      case Op::select: return least(1, 2);
      case Op::reduce:
      case Op::scan: {
        const ir::Reduction& reduction = module_.reduction_of(node);
        if (reduction.user) return Least::unknown;
        const Least leaf = operand(0);
        return reduction.has_otherwise ? std::min(leaf, at_least(node.operands.back())) : leaf;
      }
      default: break;
    }
    const auto function = ir::function_of(node.op);
    if (!function) return Least::unknown;
    if (numerics::keeps_sign(*function)) return operand(0);
    const numerics::Domain& range = numerics::traits(*function).range;
    if (range.low < 0) return Least::unknown;
    return range.low > 0 || range.low_open ? Least::above_zero : Least::zero;
  }

  Least of_parameter(std::uint32_t parameter) const {
    for (const frontend::RangeClause& range : item_.ranges) {
      if (range.parameter != parameter) continue;
      if (range.sign != 0) return range.sign > 0 ? Least::above_zero : Least::unknown;
      return range.low > 0 ? Least::above_zero : range.low == 0 ? Least::zero : Least::unknown;
    }
    return Least::unknown;
  }

  const ir::Module& module_;
  const frontend::ElaboratedItem& item_;
  std::unordered_map<NodeId, Least> known_;
  int depth_ = 0;
};

bool is_total(const ir::Module& module, NodeId id, Signs& signs) {
  const ir::Node& node = module[id];
  if (node.op == Op::literal) {
    const auto kind = module.literal_of(id).kind;
    return kind != ir::Literal::Kind::infinity && kind != ir::Literal::Kind::not_a_number;
  }
  if (!ir::is_scalar_operation(node.op)) return true;
  const auto operand = [&](std::size_t k) { return node.operands[k]; };
  switch (node.op) {
    case Op::div:
    case Op::rem:
    case Op::floor_div:
    case Op::floor_mod: return signs.is_nonzero(operand(1));
    case Op::pow: return signs.above_zero(operand(0));
    case Op::rootn: {
      const mpq_class* degree = module[operand(1)].op == Op::literal ? &module.literal_of(operand(1)).value : nullptr;
      const bool odd = degree && *degree > 0 && degree->get_den() == 1 && mpz_odd_p(degree->get_num_mpz_t());
      return odd || signs.above_zero(operand(0));
    }
    case Op::atan2:
    case Op::ldexp: return false;
    default: break;
  }
  const auto function = ir::function_of(node.op);
  if (!function) return !ir::is_approximate(node.op);
  if (numerics::is_total(*function)) return true;
  const numerics::Poles poles = numerics::traits(*function).poles;
  if (poles != numerics::Poles::none) return poles == numerics::Poles::from_zero && signs.above_zero(operand(0));
  const numerics::Domain& domain = numerics::traits(*function).domain;
  if (domain.low == -1 && domain.high == 1) return signs.within_one(operand(0), domain.low_open);
  if (numerics::is_everywhere(*function) || domain.low > 0) return false;
  return domain.low == 0 && domain.low_open ? signs.above_zero(operand(0)) : signs.not_below_zero(operand(0));
}

}  // namespace

bool are_total(const ir::Module& module, const frontend::ElaboratedItem& item) {
  Signs signs(module, item);
  return !ir::find_node(module, {item.left->body, item.right->body}, [&](NodeId id) {
            return !is_total(module, id, signs);
          }).has_value();
}

}  // namespace reckon::check
