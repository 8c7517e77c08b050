// Closed numbers are computed as `exact` computes them.
#include "driver/closed_numbers.h"

#include <fmt/format.h>

#include "diagnostics/codes/undecided_value.h"
#include "diagnostics/codes/undefined_result.h"
#include "interp/evaluate.h"
#include "numerics/format.h"
#include "semantics/standard.h"

namespace reckon::interp {

namespace {

constexpr std::int64_t most_bits = 10'000;

class ExactNumbers : public driver::ClosedNumbers {
 public:
  Expected<driver::ClosedNumber> number(ir::Module& module, ir::NodeId node, ir::Scalar format) const override {
    const auto real = reals(most_bits);
    auto values = evaluated(module, node, *real);
    if (!values) return values.error();
    const std::byte* value = values->data();
    if (const auto rational = real->rational(ir::Scalar::number, value))
      return driver::ClosedNumber{*rational, true, true};
    for (const bool finest : {false, true}) {
      const auto enclosure =
          finest ? real->finest_enclosure(ir::Scalar::number, value) : real->enclosure(ir::Scalar::number, value);
      if (!enclosure) continue;
      if (auto number = rounded(*enclosure, format)) return *number;
    }
    return Diagnostic(code::undecided_value, module.span(node),
                      fmt::format("{} bits do not tell how this number is rounded to `{}`", most_bits,
                                  ir::scalar_name(format)));
  }

  Expected<bool> truth(ir::Module& module, ir::NodeId comparison) const override {
    const auto real = reals(most_bits);
    auto values = evaluated(module, comparison, *real);
    if (!values) return values.error();
    return static_cast<Truth>(*values->data()) == Truth::yes;
  }

 private:
  static Expected<Values> evaluated(ir::Module& module, ir::NodeId node, Semantics& real) {
    ir::Function function;
    function.name = module.symbol("number");
    function.span = module.span(node);
    function.places = module.places().current();
    function.body = node;
    function.result = module[node].type;
    auto values = evaluate(module, function, real, {});
    if (values) return std::move(values->front());
    Diagnostic out = values.error();
    // The program has not asked for exact numbers.
    const std::string_view semantics = " under `exact`";
    if (const auto at = out.message.find(semantics); at != std::string::npos) out.message.erase(at, semantics.size());
    if (out.code == code::undefined_result) {
      out.helps = {"floats have `nan` and `inf` for such results: give an operand a format, as in `f64(2)`"};
    } else if (out.code == code::undecided_value) {
      out.helps = {"floats decide it by their bits: give an operand a format, as in `f64(2)`"};
    }
    return out;
  }

  /// Nothing if the ends of the enclosure are rounded to two floats.
  static std::optional<driver::ClosedNumber> rounded(const Enclosure& enclosure, ir::Scalar scalar) {
    using numerics::Format;
    const auto& [low, high] = enclosure;
    const Format format = ir::format_of(scalar);
    const std::uint64_t bits = numerics::round_rational(high, format);
    const auto nearest = numerics::exact_value(bits, format);
    const bool zero = nearest && *nearest == 0;
    const bool same = numerics::round_rational(low, format) == bits;
    if (zero && sgn(low) != sgn(high) &&
        numerics::exact_value(numerics::round_rational(low, format), format) == nearest) {
      return driver::ClosedNumber{0, false, false};
    }
    if (!same) return std::nullopt;
    const std::uint64_t wide = numerics::round_rational(high, Format::f64);
    const auto between = numerics::exact_value(wide, Format::f64);
    const bool separated =
        numerics::round_rational(low, Format::f64) == wide && between && (*between < low || high < *between);
    const bool take_low = nearest && abs(mpq_class(*nearest - low)) > abs(mpq_class(high - *nearest));
    return driver::ClosedNumber{take_low ? low : high, false, separated};
  }
};

}  // namespace

const driver::ClosedNumbers& closed_numbers() {
  static const ExactNumbers numbers;
  return numbers;
}

}  // namespace reckon::interp
