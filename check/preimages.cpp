#include "check/preimages.h"

#include <bit>
#include <cmath>
#include <optional>

#include "ir/function_of.h"
#include "ir/integer.h"
#include "numerics/format.h"

namespace reckon::check {
namespace {

using ir::NodeId;
using ir::Op;

constexpr std::size_t max_preimages = 24;
constexpr std::uint64_t multiples = 8;  ///< the number of operands tried that have the same remainder
constexpr int deepest_preimage = 64;

/// Words whose square is `square` modulo 2^width: at most four of them; if `square` is odd, these are all.
std::vector<std::uint64_t> square_roots(std::uint64_t square, int width) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width), half = std::uint64_t{1} << (width / 2);
  if (square == 0) return {0, half, mask & (0 - half), std::uint64_t{1} << (width - 1)};
  const int zeros = std::countr_zero(square);
  const std::uint64_t odd = square >> zeros;
  if (zeros % 2 != 0 || odd % 8 != 1) return {};
  // Hensel's lemma: `root` is a square root of `odd` modulo 2^bit; where its square differs in that bit, adding 2^(bit - 1)
  // changes the bit and none below it.
  std::uint64_t root = 1;
  for (int bit = 3; bit < width; ++bit) {
    if (((root * root - odd) >> bit & 1) != 0) root += std::uint64_t{1} << (bit - 1);
  }
  root <<= zeros / 2;
  const std::uint64_t further = std::uint64_t{1} << (width - 1 - zeros / 2);
  return {root & mask, (0 - root) & mask, (root + further) & mask, (0 - root + further) & mask};
}

/// The arithmetic in which the formula of an inverse function is evaluated.
struct Doubles {
  using Value = double;
  static double number(float value) { return static_cast<double>(value); }
  static double real(numerics::RealConstant constant) { return numerics::enclose_real(1, constant).first; }
  static double apply(numerics::Function f, double a) {
    return std::bit_cast<double>(numerics::mpfr_unary(f, std::bit_cast<std::uint64_t>(a), numerics::Format::f64));
  }
  static double digamma(double) { return std::numeric_limits<double>::quiet_NaN(); }  // no inverse has it
  static double neg(double a) { return -a; }
  static double square(double a) { return a * a; }
  static double root(double a) { return std::sqrt(a); }
  static double add(double a, double b) { return a + b; }
  static double sub(double a, double b) { return a - b; }
  static double mul(double a, double b) { return a * b; }
  static double div(double a, double b) { return a / b; }
  static double hypot(double a, double b) { return std::hypot(a, b); }
};

class Walk {
 public:
  Walk(const ir::Module& module, const std::vector<std::vector<std::int64_t>>& shapes)
      : module_(module), shapes_(shapes) {}

  /// Finds operands at a step: for `x` and `round(x)` the integers, for `x` and `floor(x) + 1/2` the midpoints.
  void steps(NodeId expression, NodeId stepped) {
    const ir::Node& node = module_[stepped];
    const auto steps_from = [&](double first) {
      for (const double at : {0.0, 1.0, 2.0, -1.0, 100.0}) undo(expression, first + at, 0);
    };
    if (node.op == Op::round && node.operands[0] == expression) steps_from(0);
    if (node.op != Op::add || module_[node.operands[0]].op != Op::floor) return;
    if (module_[node.operands[0]].operands[0] == expression) steps_from(0.5);
  }

  void side(NodeId expression, NodeId number) {
    if (is_word(expression)) {
      if (const auto target = word(number)) undo_word(expression, *target, 0);
    } else if (const auto target = real(number)) {
      undo(expression, *target, 0);
    }
  }

  std::vector<Preimage> found;

 private:
  bool is_word(NodeId id) const { return ir::is_integer(module_.type(id).scalar); }

  std::optional<mpq_class> exact(NodeId id) const {
    const ir::Node& node = module_[id];
    if (node.op == Op::index_value) {
      const auto value = module_.indices().as_constant(node.indices[0]);
      if (value) return mpq_class(*value);
    }
    if (node.op != Op::literal) return std::nullopt;
    const ir::Literal& literal = module_.literal_of(node);
    if (literal.kind == ir::Literal::Kind::rational) return literal.value;
    if (literal.kind != ir::Literal::Kind::bits || !ir::is_float(module_.type(id).scalar)) return std::nullopt;
    return numerics::exact_value(literal.bits, ir::format_of(module_.type(id).scalar));
  }
  std::optional<double> real(NodeId id) const {
    const auto value = exact(id);
    return value ? std::optional(value->get_d()) : std::nullopt;
  }
  /// The pattern of an integer that the node states.
  std::optional<std::uint64_t> word(NodeId id) const {
    const auto value = exact(id);
    const ir::Scalar type = module_.type(id).scalar;
    if (!value || !ir::has_integer(type, *value)) return std::nullopt;
    return ir::integer_pattern(type, value->get_num());
  }

  /// The place of an input's element, if the node reads one.
  std::optional<Place> place(NodeId id) const {
    const ir::Node& node = module_[id];
    if (node.op == Op::parameter && module_.type(id).extents.empty()) return Place{node.attribute, 0};
    if (node.op != Op::element || module_[node.operands[0]].op != Op::parameter) return std::nullopt;
    const std::uint32_t parameter = module_[node.operands[0]].attribute;
    const auto element = element_at(module_.indices(), node.indices, shapes_[parameter]);
    return element ? std::optional(Place{parameter, *element}) : std::nullopt;
  }

  bool is_over(int depth) const { return depth > deepest_preimage || found.size() >= max_preimages; }

  /// `target`: a pattern of the node's type.
  void undo_word(NodeId id, std::uint64_t target, int depth) {
    if (is_over(depth++)) return;
    const auto& type = ir::integer_traits(module_.type(id).scalar);
    if (const auto at = place(id)) return found.push_back({*at, target});
    const ir::Node& node = module_[id];
    const auto go = [&](std::size_t operand, std::uint64_t value) {
      undo_word(node.operands[operand], numerics::wrapped(type, value), depth);
    };
    if (node.op == Op::bits) {
      const ir::Scalar scalar = module_.type(node.operands[0]).scalar;
      if (const auto at = place(node.operands[0])) return found.push_back({*at, target});
      if (const auto value = numerics::exact_value(target, ir::format_of(scalar)))
        undo(node.operands[0], value->get_d(), depth);
      return;
    }
    if (node.op == Op::convert) {
      const ir::Scalar from = module_.type(node.operands[0]).scalar;
      const mpz_class number = ir::integer_of(module_.type(id).scalar, target);
      if (is_word(node.operands[0])) return undo_word(node.operands[0], ir::integer_pattern(from, number), depth);
      return undo(node.operands[0], number.get_d(), depth);
    }
    if (node.op == Op::select) {
      go(1, target);
      return go(2, target);
    }
    if (node.operands.size() != 2) return;
    if (node.op == Op::mul && node.operands[0] == node.operands[1]) {
      for (const std::uint64_t root : square_roots(target, type.width)) go(0, root);
      return;
    }
    const std::optional<std::uint64_t> constants[] = {word(node.operands[0]), word(node.operands[1])};
    const auto width = static_cast<std::uint64_t>(type.width);
    for (std::size_t k = 0; k < 2; ++k) {  // the operand that is undone
      const auto& other = constants[1 - k];
      if (!other || constants[k]) continue;
      const std::uint64_t c = *other;
      switch (node.op) {
        case Op::add: go(k, target - c); break;
        case Op::sub: go(k, k == 0 ? target + c : c - target); break;
        case Op::mul:
          if (c % 2 != 0) {
            std::uint64_t inverse = c;  // Newton's iteration; c itself is correct in the low 3 bits
            for (int step = 0; step < 5; ++step) inverse *= 2 - c * inverse;
            go(k, target * inverse);
          } else if (c != 0 && target % c == 0) {
            go(k, target / c);
            const auto zeros = static_cast<std::uint64_t>(std::countr_zero(c));
            if (zeros > 0)
              go(k, target / c + (std::uint64_t{1} << (width - zeros)));  // the product wraps around to the same word
          }
          break;
        case Op::floor_div:  // the least and the greatest dividend, as far as they do not wrap
          if (k == 0) go(k, target * c), go(k, target * c + (numerics::is_negative(type, c) ? c + 1 : c - 1));
          break;
        case Op::floor_mod:
          for (std::uint64_t times = 0; k == 0 && times < multiples; ++times) go(k, target + times * c);
          break;
        case Op::bit_and:
          if ((target & ~c) == 0) go(k, target), go(k, target | ~c);
          break;
        case Op::bit_or:
          if ((target & c) == c) go(k, target & ~c), go(k, target);
          break;
        case Op::bit_xor: go(k, target ^ c); break;
        case Op::shift_left:
          if (k == 0 && c < width && (target >> c << c) == target) {
            go(k, target >> c);
            if (c > 0) go(k, target >> c | std::uint64_t{1} << (width - c));  // a bit that the shift drops
          }
          break;
        case Op::shift_right:
          if (k == 0 && c < width) {
            go(k, target << c);
            if (c > 0) go(k, target << c | ((std::uint64_t{1} << c) - 1));
          }
          break;
        case Op::rootn:
          if (k == 0) go(k, std::copysign(std::pow(std::fabs(target), c), target));
          break;
        case Op::min:
        case Op::max: go(k, target); break;
        default: break;
      }
    }
  }

  void undo(NodeId id, double target, int depth) {
    if (is_over(depth++) || std::isnan(target)) return;
    const ir::Scalar scalar = module_.type(id).scalar;
    if (const auto at = place(id)) {
      if (ir::is_float(scalar)) found.push_back({*at, numerics::round_f64(target, ir::format_of(scalar))});
      return;
    }
    const ir::Node& node = module_[id];
    const auto go = [&](std::size_t operand, double value) { undo(node.operands[operand], value, depth); };
    const auto both_signs = [&](double value) { go(0, value), go(0, -value); };
    switch (node.op) {
      case Op::neg: return go(0, -target);
      case Op::abs: return both_signs(target);
      case Op::copysign: return both_signs(target);
      case Op::floor:
      case Op::ceil:
      case Op::trunc:
      case Op::round:
      case Op::clamp: return go(0, target);
      case Op::convert:
        if (!is_word(node.operands[0])) return go(0, target);
        if (const ir::Scalar from = module_.type(node.operands[0]).scalar;
            std::isfinite(target) && ir::has_integer(from, mpz_class(target))) {
          undo_word(node.operands[0], ir::integer_pattern(from, mpz_class(target)), depth);
        }
        return;
      case Op::from_bits:
        if (ir::is_float(scalar) && is_word(node.operands[0])) {
          undo_word(node.operands[0], numerics::round_f64(target, ir::format_of(scalar)), depth);
        }
        return;
      case Op::select: go(1, target); return go(2, target);
      case Op::fma: {
        const auto factor = real(node.operands[1]), first = real(node.operands[0]), term = real(node.operands[2]);
        if (term && factor) go(0, (target - *term) / *factor);
        else if (term && first) go(1, (target - *term) / *first);
        else if (factor && first) go(2, target - *first * *factor);
        return;
      }
      default: break;
    }
    if (const auto function = ir::function_of(node.op)) {
      const numerics::FunctionTraits& row = numerics::traits(*function);
      if (!row.inverse) return;
      const double preimage = numerics::evaluate(row.inverse, Doubles{}, target, target);
      return row.shape == numerics::Shape::valley ? both_signs(preimage) : go(0, preimage);
    }
    if (node.operands.size() != 2) return;
    if (node.op == Op::mul && node.operands[0] == node.operands[1]) return both_signs(std::sqrt(target));
    const std::optional<double> constants[] = {real(node.operands[0]), real(node.operands[1])};
    for (std::size_t k = 0; k < 2; ++k) {
      const auto& other = constants[1 - k];
      if (!other || constants[k]) continue;
      const double c = *other;
      switch (node.op) {
        case Op::add: go(k, target - c); break;
        case Op::sub: go(k, k == 0 ? target + c : c - target); break;
        case Op::mul: go(k, target / c); break;
        case Op::div: go(k, k == 0 ? target * c : c / target); break;
        case Op::rem:
          for (std::uint64_t times = 0; k == 0 && times < multiples; ++times)
            go(k, target + static_cast<double>(times) * c);
          break;
        case Op::pow:
          if (k == 1) {
            go(k, std::log(target) / std::log(c));
          } else {
            const double root = std::pow(std::fabs(target), 1 / c);
            go(k, root), go(k, -root);
          }
          break;
        case Op::min:
        case Op::max:
        case Op::minnum:
        case Op::maxnum: go(k, target); break;
        default: break;
      }
    }
  }

  const ir::Module& module_;
  const std::vector<std::vector<std::int64_t>>& shapes_;
};

}  // namespace

std::vector<Preimage> preimages(const ir::Module& module, const std::vector<std::vector<std::int64_t>>& shapes,
                                const Comparison& comparison) {
  Walk walk(module, shapes);
  walk.side(comparison.left, comparison.right);
  walk.side(comparison.right, comparison.left);
  walk.steps(comparison.left, comparison.right);
  return std::move(walk.found);
}

}  // namespace reckon::check
