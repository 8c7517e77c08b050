// Operators: static values are computed exactly, sizes and indices become index expressions, all others circuit nodes.
#include <fmt/format.h>

#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/division_by_zero.h"
#include "diagnostics/codes/integer_overflow.h"
#include "diagnostics/codes/mixed_formats.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/codes/undecided_condition.h"
#include "frontend/calls.h"
#include "frontend/layouts/layouts.h"
#include "frontend/operators.h"
#include "ir/index_algebra.h"
#include "ir/op.h"
#include "ir/word_range.h"
#include "numerics/format.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::Scalar;
using ir::TypeKind;

namespace {

std::optional<Op> arithmetic_op(const std::string& sign) {
  if (sign == "+") return Op::add;
  if (sign == "-") return Op::sub;
  if (sign == "*") return Op::mul;
  if (sign == "/") return Op::div;
  if (sign == "%") return Op::rem;
  if (sign == "//") return Op::floor_div;
  if (sign == "&") return Op::bit_and;
  if (sign == "|") return Op::bit_or;
  if (sign == "xor") return Op::bit_xor;
  if (sign == "<<") return Op::shift_left;
  if (sign == ">>") return Op::shift_right;
  return std::nullopt;
}

bool is_comparison(const std::string& sign) {
  return sign == "<" || sign == "<=" || sign == ">" || sign == ">=" || sign == "==" || sign == "!=" || sign == "===";
}

// A static number above this many bits is a mistake, and would only fill the memory.
constexpr std::size_t max_bits = 1'000'000;

bool is_bit_sign(const std::string& sign) {
  return sign == "&" || sign == "|" || sign == "xor" || sign == "<<" || sign == ">>";
}

bool is_symbolic_integer(const Value& value) { return value.is<SymbolicInteger>(); }

/// Bit operations on integers as in two's complement with infinitely many bits; `>>` rounds down.
Maybe static_bits(Elaborator& elaborator, const std::string& sign, const mpz_class& a, const mpz_class& b,
                  const Expr& at, SourceSpan right_span) {
  if (sign == "&") return Value{mpq_class(a & b)};
  if (sign == "|") return Value{mpq_class(a | b)};
  if (sign == "xor") return Value{mpq_class(a ^ b)};
  if (b < 0) {
    return elaborator.fail(code::bad_argument, right_span,
                           fmt::format("a static integer is shifted by {} bits", b.get_str()));
  }
  if (sign == ">>") return Value{mpq_class(b > max_bits ? mpz_class(a < 0 ? -1 : 0) : mpz_class(a >> b.get_ui()))};
  if (b > max_bits)
    return elaborator.fail(code::integer_overflow, at.span, "a static number has more than a million bits");
  return Value{mpq_class(mpz_class(a << b.get_ui()))};
}

Maybe symbolic_arithmetic(Elaborator& elaborator, const std::string& sign, IndexId a, IndexId b, const Expr& at) {
  ir::Module& module = elaborator.module;
  ir::IndexStore& indices = module.indices();
  if (sign == "+") return Value{SymbolicInteger{indices.add(a, b)}};
  if (sign == "-") return Value{SymbolicInteger{indices.subtract(a, b)}};
  if (sign == "*") return Value{SymbolicInteger{indices.multiply(a, b)}};
  if (sign == "/") {
    return elaborator.report(
        Diagnostic(code::type_mismatch, at.operator_span, "the quotient of sizes or indices may not be an integer")
            .help("write `//` for the floor quotient, or make numbers of them first: `f32(n) / 2`"));
  }
  if (is_bit_sign(sign)) {
    return elaborator.report(
        Diagnostic(code::type_mismatch, at.operator_span, fmt::format("sizes and indices have no `{}`", sign))
            .help("`i // 2` and `i % 4` are integers again; as numbers, `u32(i) & 3`"));
  }
  if (indices.as_constant(b) == 0)
    return elaborator.fail(code::division_by_zero, at.span, "an integer is divided by zero");
  return Value{SymbolicInteger{sign == "//" ? indices.floor_div(a, b) : indices.floor_mod(a, b)}};
}

Maybe truth(Elaborator& elaborator, const std::string& sign, const Value& left, const Value& right, const Expr& at) {
  ir::Module& module = elaborator.module;
  const bool both = sign == "and";
  if (auto* a = left.get_if<bool>()) {
    if (*a != both) return Value{!both};
    return right;
  }
  auto condition = [&](const Value& value) -> std::optional<IndexId> {
    if (auto* known = value.get_if<bool>()) return module.indices().constant(*known);
    if (auto* symbolic = value.get_if<SymbolicCondition>()) return symbolic->condition;
    return std::nullopt;
  };
  auto x = condition(left), y = condition(right);
  if (x && y) {
    return Value{SymbolicCondition{both ? module.indices().logical_and(*x, *y) : module.indices().logical_or(*x, *y)}};
  }
  return apply(elaborator, both ? Op::logical_and : Op::logical_or, {left, right}, {at.span, at.span}, at.span, sign);
}

/// An index or size that meets an integer of data, as a number of a type in which the two can be compared, and the
/// condition under which it is one; none if that is always so.
struct IndexAsWord {
  Value number;
  Scalar type;  ///< the other one's, or i64, which has every index and every integer of the narrower types
  std::optional<IndexId> condition;
};

std::optional<IndexAsWord> as_word(Elaborator& elaborator, const Value& value, const Value& other) {
  auto* integer = value.get_if<SymbolicInteger>();
  const auto type = integer != nullptr ? elaborator.scalar_of(other) : std::nullopt;
  if (!type || !ir::is_integer(*type)) return std::nullopt;
  ir::Module& module = elaborator.module;
  ir::IndexStore& indices = module.indices();
  const bool fits = ir::is_word(module, integer->index, *type);
  if (!fits && *type != Scalar::u32 && *type != Scalar::u64) {
    return IndexAsWord{{DynamicValue{module.index_value(integer->index, Scalar::i64)}}, Scalar::i64, std::nullopt};
  }
  IndexAsWord out{{DynamicValue{module.index_value(integer->index, *type)}}, *type, std::nullopt};
  if (fits) return out;
  out.condition = indices.less_equal(indices.constant(0), integer->index);
  if (*type == Scalar::u32) {
    const IndexId most = indices.constant(ir::word_range(*type).high);
    out.condition = indices.logical_and(*out.condition, indices.less_equal(integer->index, most));
  }
  return out;
}

/// The comparison of an index or size with an integer of data; nothing if these do not meet.
std::optional<Maybe> compare_with_index(Elaborator& elaborator, Op op, const Value& left, const Value& right,
                                        const Expr& at, const std::string& sign) {
  const auto a = as_word(elaborator, left, right), b = as_word(elaborator, right, left);
  if (!a && !b) return std::nullopt;
  const std::optional<IndexId> condition = a ? a->condition : b->condition;
  if (condition && op != Op::equal && op != Op::not_equal) {
    const std::string text = elaborator.index_text((a ? left : right).get_if<SymbolicInteger>()->index);
    const std::string_view type = ir::scalar_name((a ? a : b)->type);
    return Maybe{elaborator.report(
        Diagnostic(code::type_mismatch, at.span, fmt::format("`{}` may be no number of the format {}", text, type),
                   fmt::format("and it meets one at this `{}`", sign))
            .help(fmt::format("if it is one, say so: `{}({})`; what is subtracted may be added on the other side", type,
                              text)))};
  }
  const TypeValue type{(a ? a : b)->type, {}, false};
  const auto in_type = [&](const Value& word) { return convert(elaborator, type, word, at.span, at.span); };
  const Maybe first = a ? Maybe(a->number) : in_type(left), second = b ? Maybe(b->number) : in_type(right);
  if (!first || !second) return Maybe();
  Maybe compared = apply(elaborator, op, {*first, *second}, {at.span, at.span}, at.span, sign);
  if (!compared || !condition) return compared;
  if (op == Op::equal) return truth(elaborator, "and", {SymbolicCondition{*condition}}, *compared, at);
  const IndexId beyond = elaborator.module.indices().logical_not(*condition);
  return truth(elaborator, "or", {SymbolicCondition{beyond}}, *compared, at);
}

/// Layouts of sizes that are not known, as functions: they are the same for all sizes if they have one simplest form.
Maybe compare_unknown_layouts(Elaborator& elaborator, const std::string& sign, const Value& left, const Value& right,
                              const Expr& at) {
  const auto x = elaborator.index_layout_of(left, at.span);
  const auto y = x ? elaborator.index_layout_of(right, at.span) : std::nullopt;
  if (!y) return std::nullopt;
  ir::IndexAlgebra algebra(elaborator.module, [](ir::IndexId, ir::IndexId, const std::string&) { return false; });
  const bool same = sign == "===" ? *x == *y : algebra.coalesce(*x) == algebra.coalesce(*y);
  if (same) return Value{sign != "!="};
  return elaborator.report(
      Diagnostic(code::undecided_condition, at.span, "whether these layouts are the same is not known for all sizes")
          .help("compare layouts of known sizes"));
}

Maybe compare(Elaborator& elaborator, const std::string& sign, const Value& left, const Value& right, const Expr& at) {
  ir::Module& module = elaborator.module;
  auto ordered = [&](auto comparison) -> Value {
    if (sign == "<") return {comparison < 0};
    if (sign == "<=") return {comparison <= 0};
    if (sign == ">") return {comparison > 0};
    if (sign == ">=") return {comparison >= 0};
    return {(comparison == 0) == (sign != "!=")};
  };
  const bool equality = sign == "==" || sign == "!=" || sign == "===";
  auto equality_value = [&](bool equal) { return Value{equal == (sign != "!=")}; };
  auto* a = left.get_if<mpq_class>();
  auto* b = right.get_if<mpq_class>();
  if (a && b) return ordered(cmp(*a, *b));
  if ((is_symbolic_integer(left) || a) && (is_symbolic_integer(right) || b)) {
    auto x = elaborator.index_of(left, at.span, "an operand of integer comparison");
    if (!x) return std::nullopt;
    auto y = elaborator.index_of(right, at.span, "an operand of integer comparison");
    if (!y) return std::nullopt;
    ir::IndexStore& indices = module.indices();
    IndexId condition;
    if (sign == "<") condition = indices.less(*x, *y);
    else if (sign == "<=") condition = indices.less_equal(*x, *y);
    else if (sign == ">") condition = indices.less(*y, *x);
    else if (sign == ">=") condition = indices.less_equal(*y, *x);
    else condition = indices.equal(*x, *y);
    if (sign == "!=") condition = indices.logical_not(condition);
    if (auto known = indices.as_constant(condition)) return Value{*known != 0};
    return Value{SymbolicCondition{condition}};
  }
  if (equality) {
    // Layouts compare as functions; `===` compares spelling. A shape or stride without a colon is a layout position.
    if (left.is<LayoutObject>() || right.is<LayoutObject>()) return compare_objects(elaborator, sign, left, right, at);
    if (left.is<layout::Layout>() || right.is<layout::Layout>()) {
      auto x = elaborator.layout_of(left, at.span);
      if (!x) return std::nullopt;
      auto y = elaborator.layout_of(right, at.span);
      if (!y) return std::nullopt;
      return equality_value(sign == "===" ? same_spelling(*x, *y) : *x == *y);
    }
    if (left.is<ir::IndexLayout>() || right.is<ir::IndexLayout>()) {
      return compare_unknown_layouts(elaborator, sign, left, right, at);
    }
    if (auto* x = left.get_if<bool>()) {
      if (auto* y = right.get_if<bool>()) return equality_value(*x == *y);
    }
    if (auto* x = left.get_if<std::string>()) {
      if (auto* y = right.get_if<std::string>()) return equality_value(*x == *y);
    }
    if (auto* x = left.get_if<TypeValue>()) {
      auto* y = right.get_if<TypeValue>();
      if (y && !x->indexed && !y->indexed) return equality_value(x->scalar == y->scalar);
    }
    if (auto* x = left.get_if<TreeValue>()) {
      if (auto* y = right.get_if<TreeValue>()) return equality_value(x->tree == y->tree);
    }
    if (left.is<ScheduleValue>() && (right.is<ScheduleValue>() || right.is<TreeValue>())) {
      return elaborator.report(
          Diagnostic(code::static_needed, at.span, "two schedules are compared for a number of leaves")
              .help("`parens(S, n) == parens(T, n)` compares trees; `same(S, T, n)` up to swapped operands"));
    }
    if (auto* x = left.get_if<TupleValue>()) {
      auto* y = right.get_if<TupleValue>();
      if (y && x->parts.size() == y->parts.size()) {
        bool all = true;
        for (std::size_t k = 0; k < x->parts.size(); ++k) {
          auto part = compare(elaborator, "==", x->parts[k], y->parts[k], at);
          if (!part) return part;
          auto* known = part->get_if<bool>();
          if (!known)
            return elaborator.fail(code::undecided_condition, at.span,
                                   "this comparison is not known before anything runs");
          all = all && *known;
        }
        return equality_value(all);
      }
    }
  }
  if (sign == "===") {
    return elaborator.fail(code::type_mismatch, at.operator_span, "`===` compares how two layouts are written");
  }
  const Op op = sign == "<" || sign == ">" ? Op::less
                : sign == "<=" || sign == ">=" ? Op::less_equal
                : sign == "==" ? Op::equal
                               : Op::not_equal;
  const bool swapped = sign == ">" || sign == ">=";
  const Value &first = swapped ? right : left, &second = swapped ? left : right;
  if (auto found = compare_with_index(elaborator, op, first, second, at, sign)) return *found;
  return apply(elaborator, op, {first, second}, {at.span, at.span}, at.span, sign);
}

}  // namespace

Maybe unary(Elaborator& elaborator, const std::string& sign, const Value& value, const Expr& at, SourceSpan operand) {
  ir::Module& module = elaborator.module;
  if (sign == "not") {
    if (auto* known = value.get_if<bool>()) return Value{!*known};
    if (auto* symbolic = value.get_if<SymbolicCondition>()) {
      return Value{SymbolicCondition{module.indices().logical_not(symbolic->condition)}};
    }
    return apply(elaborator, Op::logical_not, {value}, {operand}, at.span, "not");
  }
  if (auto* number = value.get_if<mpq_class>()) return Value{mpq_class(-*number)};
  if (auto* number = value.get_if<DecimalValue>()) return Value{mpq_class(-number->value)};
  if (auto* symbolic = value.get_if<SymbolicInteger>()) {
    return Value{SymbolicInteger{module.indices().negate(symbolic->index)}};
  }
  if (auto* real = value.get_if<RealMultiple>()) return Value{RealMultiple{-real->factor, real->constant}};
  if (auto* special = value.get_if<SpecialNumber>()) return Value{SpecialNumber{special->nan, !special->negative}};
  return apply(elaborator, Op::neg, {value}, {operand}, at.span, "-");
}

Maybe binary(Elaborator& elaborator, const std::string& sign, const Value& left, const Value& right, const Expr& at,
             SourceSpan left_span, SourceSpan right_span) {
  if (auto* number = left.get_if<DecimalValue>())
    return binary(elaborator, sign, {number->value}, right, at, left_span, right_span);
  if (auto* number = right.get_if<DecimalValue>())
    return binary(elaborator, sign, left, {number->value}, at, left_span, right_span);
  if (sign == "and" || sign == "or") return truth(elaborator, sign, left, right, at);
  if (is_comparison(sign)) return compare(elaborator, sign, left, right, at);
  if (sign == "..") {
    return elaborator.report(
        Diagnostic(code::syntax, at.operator_span, "an interval can stand only after `within` and in `for`")
            .help("for example `check f(x) within 0..1 in interval for x: -1..1`"));
  }
  auto* a = left.get_if<mpq_class>();
  auto* b = right.get_if<mpq_class>();
  if (a && b) return static_arithmetic(elaborator, sign, *a, *b, at, right_span);
  if ((is_symbolic_integer(left) || a) && (is_symbolic_integer(right) || b)) {
    auto x = elaborator.index_of(left, left_span, "an operand of integer arithmetic");
    if (!x) return std::nullopt;
    auto y = elaborator.index_of(right, right_span, "an operand of integer arithmetic");
    if (!y) return std::nullopt;
    return symbolic_arithmetic(elaborator, sign, *x, *y, at);
  }
  // pi and other real constants stay multiples of the constant when they are multiplied by rationals.
  auto* real = left.get_if<RealMultiple>();
  if (real && b && sign == "*") return Value{RealMultiple{real->factor * *b, real->constant}};
  if (real && b && sign == "/" && *b != 0) return Value{RealMultiple{real->factor / *b, real->constant}};
  real = right.get_if<RealMultiple>();
  if (real && a && sign == "*") return Value{RealMultiple{*a * real->factor, real->constant}};
  const auto op = arithmetic_op(sign);
  if (!op) {
    return elaborator.report(Diagnostic(code::type_mismatch, at.operator_span,
                                        fmt::format("`{}` is for integers known before anything runs", sign))
                                 .help("divide floats with `/`, and round with `floor`"));
  }
  return apply(elaborator, *op, {left, right}, {left_span, right_span}, at.span, sign);
}

Maybe static_arithmetic(Elaborator& elaborator, const std::string& sign, const mpq_class& a, const mpq_class& b,
                        const Expr& at, SourceSpan right_span) {
  auto size = [](const mpq_class& x) {
    return mpz_sizeinbase(x.get_num_mpz_t(), 2) + mpz_sizeinbase(x.get_den_mpz_t(), 2);
  };
  if (size(a) + size(b) > max_bits) {
    return elaborator.fail(code::integer_overflow, at.span, "a static number has more than a million bits");
  }
  if (sign == "+") return Value{mpq_class(a + b)};
  if (sign == "-") return Value{mpq_class(a - b)};
  if (sign == "*") return Value{mpq_class(a * b)};
  if (b == 0 && !is_bit_sign(sign)) {
    return elaborator.report(
        Diagnostic(code::division_by_zero, right_span, "a static number is divided by zero", "this is zero")
            .help("a static number is exact and has no infinity; one of a format has: `f32(1) / f32(0)`"));
  }
  if (sign == "/") return Value{mpq_class(a / b)};
  if (a.get_den() != 1 || b.get_den() != 1) {
    return elaborator.fail(code::type_mismatch, at.operator_span,
                           fmt::format("`{}` of static numbers is for integers, and these are {} and {}", sign,
                                       a.get_str(), b.get_str()));
  }
  if (is_bit_sign(sign)) return static_bits(elaborator, sign, a.get_num(), b.get_num(), at, right_span);
  mpz_class quotient, remainder;
  mpz_fdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(), a.get_num_mpz_t(), b.get_num_mpz_t());
  return Value{mpq_class(sign == "//" ? quotient : remainder)};
}

namespace {

/// The tensor of the operation's results for all elements of tensors of one shape, with scalars beside them.
Value element_wise(ir::Module& module, Op op, std::vector<NodeId> nodes, const std::vector<IndexId>& extents,
                   SourceSpan at) {
  std::vector<ir::VariableId> variables;
  std::vector<IndexId> subscripts;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    variables.push_back(module.fresh_variable());
    subscripts.push_back(module.indices().variable(variables.back()));
  }
  for (NodeId& node : nodes) {
    if (module.type(node).kind == TypeKind::tensor) node = module.element(node, subscripts);
  }
  const NodeId body = module.apply(op, std::move(nodes));
  module.places().put(body, at);
  return Value{DynamicValue{module.map(std::move(variables), extents, body)}};
}

/// Whether operands of the operation may be numbers of this type.
bool has_operands(Op op, Scalar scalar) {
  if (scalar == Scalar::boolean) return true;
  return ir::is_integer(scalar) ? ir::takes_integers(op) : !ir::is_integer_operation(op);
}

Diagnostic without_operands(Op op, Scalar scalar, SourceSpan at, const std::string& spelled) {
  const bool integers = ir::is_integer(scalar);
  Diagnostic out(code::type_mismatch, at,
                 fmt::format("`{}` works on {}, and this is `{}`", spelled, integers ? "floats" : "integers",
                             ir::scalar_name(scalar)));
  if (!integers) {
    return std::move(out).help(ir::divides_integers(op)
                                   ? "divide floats with `/`, and round with `floor`"
                                   : "`bits(x)` are the bits of a float, and `u32(x)` is its whole part");
  }
  return std::move(out).help(op == Op::div
                                 ? "`a // b` is the quotient rounded down; that of numbers is `f64(a) / f64(b)`"
                                 : "convert it: `f32(u)`, or `from_bits(f32, u)` where it is the bits of one");
}

}  // namespace

Maybe apply(Elaborator& elaborator, Op op, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
            SourceSpan at, const std::string& spelled) {
  ir::Module& module = elaborator.module;
  const ir::OpTraits row = traits(op);
  // The format of the operation is that of the operands that have one.
  std::optional<Scalar> scalar;
  std::size_t scalar_from = 0;
  const std::size_t first = row.result == ir::ResultRule::choose ? 1 : 0;
  for (std::size_t k = first; k < arguments.size(); ++k) {
    if (auto found = elaborator.scalar_of(arguments[k]); found && (!scalar || scalar == Scalar::number)) {
      scalar = found;
      scalar_from = k;
    }
  }
  std::vector<NodeId> nodes;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool condition = k < first || row.result == ir::ResultRule::logic;
    auto node = elaborator.node_of(arguments[k], condition ? std::optional(Scalar::boolean) : scalar, spans[k]);
    if (!node) return std::nullopt;
    nodes.push_back(*node);
  }
  if (!scalar && row.result != ir::ResultRule::logic) scalar = module.type(nodes.back()).scalar;

  // The remainder of integers is another operation than that of floats.
  if (op == Op::rem && scalar && ir::is_integer(*scalar)) op = Op::floor_mod;
  if (scalar && !has_operands(op, *scalar)) return elaborator.report(without_operands(op, *scalar, at, spelled));
  if (ir::divides_integers(op) && module[nodes[1]].op == Op::literal && module.literal_of(nodes[1]).value == 0) {
    return elaborator.report(
        Diagnostic(code::division_by_zero, spans[1], "an integer is divided by zero", "this is zero"));
  }

  // The tensors must have one shape; scalars go with any shape.
  std::optional<std::size_t> shaped;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const ir::Type& type = module.type(nodes[k]);
    const std::string text = ir::type_text(module, module[nodes[k]].type);
    if (type.kind == TypeKind::tuple) {
      return elaborator.fail(code::type_mismatch, spans[k],
                             fmt::format("`{}` works on numbers and tensors, and this is `{}`", spelled, text));
    }
    const bool condition = k < first || row.result == ir::ResultRule::logic;
    if (condition != (type.scalar == Scalar::boolean) && !(k >= first && row.result == ir::ResultRule::choose)) {
      return elaborator.fail(code::type_mismatch, spans[k],
                             fmt::format("`{}` needs {} here, and this is `{}`", spelled,
                                         condition ? "a `bool`" : "a number", text));
    }
    if (!condition && type.scalar != *scalar) {
      const std::string other = ir::type_text(module, module[nodes[scalar_from]].type);
      Diagnostic diagnostic(code::mixed_formats, at,
                            fmt::format("`{}` mixes `{}` and `{}`", spelled, ir::scalar_name(*scalar),
                                        ir::scalar_name(type.scalar)));
      if (spans[k] != at) {
        diagnostic.secondary.push_back({spans[scalar_from], fmt::format("`{}`", other)});
        diagnostic.secondary.push_back({spans[k], fmt::format("`{}`", text)});
      }
      if (ir::is_numeric(type.scalar) && ir::is_numeric(*scalar)) {
        // The wider format loses nothing, so the conversion to it is suggested.
        const auto holds = [](Scalar wide, Scalar narrow) {
          const auto a = numerics::traits(ir::format_of(wide)), b = numerics::traits(ir::format_of(narrow));
          return a.precision >= b.precision && a.emax >= b.emax;
        };
        const bool floats = ir::is_float(*scalar) && ir::is_float(type.scalar);
        const bool widen_this = type.scalar == Scalar::number ||
                                (ir::is_integer(type.scalar) &&
                                 (!ir::is_integer(*scalar) || byte_width(*scalar) > byte_width(type.scalar))) ||
                                (floats && holds(*scalar, type.scalar));
        const std::size_t which = widen_this ? k : scalar_from;
        const Scalar target = widen_this ? *scalar : type.scalar;
        diagnostic.helps.push_back(fmt::format("convert one of them: `{}({})`", ir::scalar_name(target),
                                               spans[which] == at ? "..." : elaborator.sources.text(spans[which])));
      }
      return elaborator.report(std::move(diagnostic));
    }
    if (type.kind != TypeKind::tensor) continue;
    if (!shaped) {
      shaped = k;
      continue;
    }
    const std::vector<IndexId> a = module.type(nodes[*shaped]).extents, b = type.extents;
    Diagnostic diagnostic(code::shape_mismatch, at,
                          fmt::format("`{}` needs tensors of one shape, and these are `{}` and `{}`", spelled,
                                      ir::type_text(module, module[nodes[*shaped]].type), text));
    diagnostic.helps.push_back("nothing is broadcast but scalars: write the indices, `for i, j: a[i] * b[j]`");
    if (a.size() != b.size()) return elaborator.report(std::move(diagnostic));
    for (std::size_t d = 0; d < a.size(); ++d) {
      if (!elaborator.equal_extents(a[d], b[d], diagnostic)) return std::nullopt;
    }
  }
  if (!shaped) return Value{DynamicValue{module.apply(op, std::move(nodes))}};

  const std::vector<IndexId> extents = module.type(nodes[*shaped]).extents;
  return element_wise(module, op, std::move(nodes), extents, at);
}

}  // namespace reckon::frontend
