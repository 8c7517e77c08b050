// `float` in other modes: `float(toward_zero)`, `float(up, flush)`, ... (the arithmetic is float_mode_algebra.h's).
#include <fmt/format.h>

#include <cstring>

#include "diagnostics/codes/unknown_semantics.h"
#include "semantics/float/mode_algebra.h"
#include "semantics/float/modes.h"
#include "semantics/registry.h"
#include "interp/algebra/rounded_literal.h"

namespace reckon::interp {

namespace {

using numerics::Rounding;

class FloatModeSemantics : public FloatValues<FloatModeSemantics> {
 public:
  FloatModeSemantics(FloatMode mode, std::string name) : mode_(mode), name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<Semantics> another() const override { return std::make_unique<FloatModeSemantics>(*this); }

  // Not even x - 0 = x: downward, +0 - 0 is -0; and a subnormal may be flushed.
  driver::Traits traits() const override {
    using enum ir::Law;
    return {.laws = {add_commutes, mul_commutes, double_negation, select_same}, .floats = true};
  }

  template <ir::Scalar S>
  auto algebra() const {
    using Float = float_algebra::For<S>;
    if constexpr (!ir::is_float(S)) return Float{};
    else return InMode<Float>{mode_};
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (scalar == ir::Scalar::number) return without_format();
    if (scalar == ir::Scalar::boolean) {
      *out = static_cast<std::byte>(literal.bits != 0);
      return std::nullopt;
    }
    if (scalar == ir::Scalar::u32) return words::put_literal(literal, out), std::nullopt;
    put(scalar, literal_bits(literal, ir::format_of(scalar), mode_.rounding),
        literal.kind == ir::Literal::Kind::rational || literal.kind == ir::Literal::Kind::real, out);
    return std::nullopt;
  }

  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (scalar == ir::Scalar::u32) return words::put_indices(values, count, out), std::nullopt;
    if (!ir::is_float(scalar)) return without_format();
    for (std::size_t i = 0; i < count; ++i) {
      const mpq_class value(static_cast<long>(values[i]));
      put(scalar, numerics::round_rational(value, ir::format_of(scalar), mode_.rounding), false, out + i * size(scalar));
    }
    return std::nullopt;
  }

  std::optional<Fault> exact_sums(ir::Scalar scalar, std::size_t columns, std::optional<std::int64_t> folds,
                                  std::unique_ptr<ExactSums>& out) const override {
    return sums_in(mode_, scalar, columns, folds, out);
  }

 private:
  /// A number that becomes 0 has no sign of it.
  void put(ir::Scalar scalar, std::uint64_t bits, bool is_number, std::byte* out) const {
    const ir::Format format = ir::format_of(scalar);
    if (is_number && mode_.flush) bits = flushed(bits, format);
    if (is_number && bits == numerics::sign_bit(format)) bits = 0;
    std::memcpy(out, &bits, size(scalar));
  }

  FloatMode mode_;
  std::string name_;
};

Diagnostic refused(SourceSpan place, std::string message) {
  return Diagnostic(code::unknown_semantics, place, std::move(message));
}

Diagnostic unknown_mode(const std::string& given, SourceSpan place) {
  Diagnostic diagnostic = refused(place, fmt::format("`float` has no mode `{}`", given));
  const auto near = nearest_name(given, {"toward_zero", "up", "down", "flush", "flush_inputs"});
  if (given == "nearest" || given == "to_nearest" || given == "nearest_even") {
    diagnostic.helps.emplace_back("`float` without a direction rounds to nearest, ties to even");
  } else if (near) {
    diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
  } else {
    diagnostic.helps.emplace_back(
        "a direction is `toward_zero`, `up` or `down`; `flush` and `flush_inputs` make zeros of subnormals");
  }
  return diagnostic;
}

}  // namespace

Expected<std::unique_ptr<Semantics>> make_float_mode(const std::vector<SemanticsArgument>& arguments,
                                                     SourceSpan place) {
  FloatMode mode;
  std::string direction;
  const auto once = [&](bool& flag, const std::string& text) -> std::optional<Diagnostic> {
    if (flag) return refused(place, fmt::format("`{}` is given twice", text)).help("once is enough");
    flag = true;
    return std::nullopt;
  };
  for (const SemanticsArgument& argument : arguments) {
    const std::string& text = argument.text;
    std::optional<Diagnostic> problem;
    if (text == "flush") {
      problem = once(mode.flush, text);
    } else if (text == "flush_inputs") {
      problem = once(mode.flush_inputs, text);
    } else if (text == "toward_zero" || text == "up" || text == "down") {
      if (direction == text) problem = refused(place, fmt::format("`{}` is given twice", text)).help("once is enough");
      else if (!direction.empty()) {
        problem = refused(place, fmt::format("`{}` and `{}` are two directions", direction, text))
                      .help("results are rounded in one direction: leave out the other");
      }
      direction = text;
      mode.rounding = text == "up" ? Rounding::upward : text == "down" ? Rounding::downward : Rounding::toward_zero;
    } else {
      problem = unknown_mode(text, place);
    }
    if (problem) return *problem;
  }
  std::string name = direction;
  for (const auto& [given, text] : {std::pair{mode.flush, "flush"}, std::pair{mode.flush_inputs, "flush_inputs"}}) {
    if (given) name += fmt::format("{}{}", name.empty() ? "" : ", ", text);
  }
  return std::unique_ptr<Semantics>(std::make_unique<FloatModeSemantics>(mode, fmt::format("float({})", name)));
}

}  // namespace reckon::interp
