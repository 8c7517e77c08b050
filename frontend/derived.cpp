#include "frontend/derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "diagnostics/codes/type_mismatch.h"
#include "frontend/calls.h"
#include "frontend/operators.h"
#include "ir/op.h"
#include "numerics/format.h"

namespace reckon::frontend {

using ir::Op;
using ir::Scalar;

namespace {

/// Operations on values, as the operators of the language do them. After an error all results are nothing.
class Expression {
 public:
  Expression(Elaborator& elaborator, const std::string& name, SourceSpan at) : elaborator_(elaborator), name_(name) {
    here_.span = here_.operator_span = at;
  }
  Maybe binary(const Maybe& left, const char* sign, const Maybe& right) {
    if (!left || !right) return std::nullopt;
    return frontend::binary(elaborator_, sign, *left, *right, here_, here_.span, here_.span);
  }
  Maybe negated(const Maybe& value) {
    if (!value) return std::nullopt;
    return unary(elaborator_, "-", *value, here_, here_.span);
  }
  Maybe apply(Op op, const std::vector<Maybe>& operands) {
    std::vector<Value> values;
    for (const Maybe& each : operands) {
      if (!each) return std::nullopt;
      values.push_back(*each);
    }
    return frontend::apply(elaborator_, op, values, std::vector<SourceSpan>(values.size(), here_.span), here_.span, name_);
  }

 private:
  Elaborator& elaborator_;
  const std::string& name_;
  Expr here_;
};

Value number(const mpq_class& value) { return {value}; }

/// isnan, isinf and isfinite of what is known before anything runs; nothing for values of circuits.
std::optional<bool> known_class(const std::string& name, const Value& value) {
  if (value.is<DynamicValue>()) return std::nullopt;
  if (const auto* special = value.get_if<SpecialNumber>()) return name == (special->nan ? "isnan" : "isinf");
  const bool finite = value.is<mpq_class>() || value.is<DecimalValue>() || value.is<RealMultiple>() || value.is<SymbolicInteger>();
  return finite ? std::optional(name == "isfinite") : std::nullopt;
}

Maybe needs_float(Elaborator& elaborator, const std::string& name, Scalar scalar, SourceSpan at) {
  const std::string type(ir::scalar_name(scalar));
  return elaborator.report(
      Diagnostic(code::type_mismatch, at, fmt::format("`{}` works on floats, and this is `{}`", name, type))
          .help(scalar == Scalar::boolean ? "`true` and `false` are no numbers"
                : name == "frexp"         ? "convert it first: `frexp(f32(x))`"
                                          : fmt::format("every `{}` is a finite number", type)));
}

Maybe classify(Elaborator& elaborator, const std::string& name, const Value& x, SourceSpan at) {
  if (const auto known = known_class(name, x)) return Value{*known};
  const Scalar scalar = elaborator.scalar_of(x).value_or(Scalar::number);
  if (ir::is_integer(scalar) || scalar == Scalar::boolean) return needs_float(elaborator, name, scalar, at);
  Expression with(elaborator, name, at);
  if (name == "isnan") return with.binary(x, "!=", x);
  if (scalar == Scalar::number) {
    return elaborator.report(Diagnostic(code::type_mismatch, at,
                                        "whether a number is finite depends on its format, and none is named here")
                                 .help(fmt::format("name one: `{}(f64(...))`", name)));
  }
  // Without infinities, what is no NaN is finite, and `x < x` is false for every x.
  const bool infinities = numerics::has_infinity(ir::format_of(scalar));
  if (name == "isfinite") {
    return infinities ? with.binary(with.apply(Op::abs, {x}), "<", Value{SpecialNumber{}}) : with.binary(x, "==", x);
  }
  return infinities ? with.binary(with.apply(Op::abs, {x}), "==", Value{SpecialNumber{}}) : with.binary(x, "<", x);
}

/// As C's round, and exact: |x - trunc(x)| is, and so is its double, whose whole part is 1 from a half on. The minimum
/// changes it at infinities alone, where the difference is NaN.
Maybe round_away(Elaborator& elaborator, const std::string& name, const Value& x, SourceSpan at) {
  Expression with(elaborator, name, at);
  const Maybe whole = with.apply(Op::trunc, {x});
  const Maybe twice = with.binary(number(2), "*", with.apply(Op::abs, {with.binary(x, "-", whole)}));
  const Maybe step = with.apply(Op::minnum, {with.apply(Op::trunc, {twice}), number(1)});
  return with.binary(whole, "+", with.apply(Op::copysign, {step, x}));
}

Maybe sigmoid(Elaborator& elaborator, const std::string& name, const Value& x, SourceSpan at) {
  Expression with(elaborator, name, at);
  return with.binary(number(1), "/", with.binary(number(1), "+", with.apply(Op::exp, {with.negated(x)})));
}

/// A fraction from 1/2 to 1, with the sign of x, and the exponent k, an `i32`, of x = fraction * 2^k; of 0, infinities
/// and NaNs, themselves and 0 (C23, 7.12.7.7). By operations that all meanings of numbers have, and exact: a logarithm
/// that is rounded is an integer too large by 1 at most, if it is one at all, and then the power of 2 is above x.
Maybe frexp(Elaborator& elaborator, const std::string& name, const Value& x, SourceSpan at) {
  const Scalar scalar = elaborator.scalar_of(x).value_or(Scalar::number);
  if (ir::is_integer(scalar) || scalar == Scalar::boolean) return needs_float(elaborator, name, scalar, at);
  if (scalar == Scalar::number) {
    return elaborator.report(Diagnostic(code::type_mismatch, at, "the fraction needs a format, and none is named here")
                                 .help(fmt::format("name one: `{}(f64(...))`", name)));
  }
  const numerics::FormatTraits& format = numerics::traits(ir::format_of(scalar));
  if (format.emin > -1) {
    return elaborator.report(
        Diagnostic(code::type_mismatch, at, fmt::format("`{}` does not have the fractions from 1/2 to 1", format.name))
            .help(fmt::format("take them in a format that has: `{}(f32(x))`", name)));
  }
  // The integers up to 150, which exponents are, are numbers of f32.
  Maybe wide = x;
  if (format.width < 32) wide = convert(elaborator, TypeValue{Scalar::f32, {}, false}, x, at, at);
  Expression with(elaborator, name, at);
  const Maybe special = with.binary(with.binary(number(mpq_class(1, 4)), "*", wide), "==", wide);
  const Maybe size = with.apply(Op::select, {special, number(1), with.apply(Op::abs, {wide})});
  const Maybe near = with.apply(Op::floor, {with.apply(Op::log2, {size})});
  const Maybe below = with.binary(size, "<", with.apply(Op::exp2, {near}));
  const Maybe exponent = with.apply(Op::select, {below, near, with.binary(near, "+", number(1))});
  const Maybe fraction = with.apply(Op::select, {special, wide, with.apply(Op::ldexp, {wide, with.negated(exponent)})});
  const Maybe power = with.apply(Op::select, {special, with.binary(exponent, "-", exponent), exponent});
  if (!fraction || !power) return std::nullopt;
  const Maybe own = convert(elaborator, TypeValue{scalar, {}, false}, *fraction, at, at);
  const Maybe whole = convert(elaborator, TypeValue{Scalar::i32, {}, false}, *power, at, at);
  if (!own || !whole) return std::nullopt;
  return Value{TupleValue{{*own, *whole}}};
}

/// One row for each function, which is called with one operand.
struct Derived {
  std::string_view name;
  Maybe (*expand)(Elaborator& elaborator, const std::string& name, const Value& x, SourceSpan at);
};
constexpr Derived table[] = {{"frexp", frexp},    {"isfinite", classify},     {"isinf", classify},
                             {"isnan", classify}, {"round_away", round_away}, {"sigmoid", sigmoid}};

}  // namespace

std::vector<std::string_view> derived_functions() {
  std::vector<std::string_view> names;
  for (const Derived& row : table) names.push_back(row.name);
  return names;
}

std::optional<Maybe> call_derived(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                                  SourceSpan at) {
  const auto row = std::ranges::find(table, name, &Derived::name);
  if (row == std::end(table)) return std::nullopt;
  if (wrong_count(elaborator, name, 1, arguments, at)) return Maybe();
  return row->expand(elaborator, name, arguments[0], at);
}

}  // namespace reckon::frontend
