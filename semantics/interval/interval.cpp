// interval: two endpoints around the true real value. They are f64s unless `interval(f32)` or `interval(200)` (bits)
// says otherwise. Every result is the tightest interval of that format that holds all values of the operation on the
// operands' reals. Nothing is rounded to a format of the program: literals keep their rational value, conversions
// between formats are identities. A set-based subset of IEEE 1788-2015 without decorations.
//
// Rules for what has no ordinary answer:
//   * An infinite endpoint means unbounded on that side. `inf` stands for every real beyond the largest f64, `nan` is
//     refused (E0502). At endpoints 0 * inf is 0: the other factor is a real number, however large.
//   * A function takes the part of its operands that lies in its domain. Where nothing does, the result is empty
//     (empty.h), and a fault (E0502) besides, which is told if it is all of the result. At a pole on the border
//     of the domain (log(0), 1/sqrt(0), atanh(1)) it is unbounded.
//   * x / y with 0 inside y is everything, [-inf, inf]; with y = [0, b] or [a, 0] (b > 0, a < 0) the quotient is
//     unbounded on the sides that the signs allow; [0, 0] divided by these is [0, 0]. y = [0, 0] has no value.
//     rem(x, y) is x - y trunc(x / y), for y other than 0.
//   * tan with a pole inside its operand is everything. sin, cos and tan find their extremes and poles exactly, however
//     large the operand; under `interval(p)`, beyond 2^131072, the answer is [-1, 1], or everything.
//   * atan2(y, x) is an angle in (-pi, pi]; an operand that reaches the negative real axis from below, or crosses it,
//     gives [-pi, pi]; atan2(0, 0) has no value.
//   * pow(x, y): every y where x > 0; y >= 0 where x = 0, with 0^0 = 1; the integers within y where x < 0, so that
//     pow(x, [2, 2]) is x squared and pow([-2, -1], [1.5, 2.5]) is [1, 4].
//   * min and minnum are the same, as are max and maxnum. clamp(x, a, b) is min(max(x, a), b).
//   * A comparison is yes or no only if every pair of values agrees, otherwise unknown; `select` on unknown is the
//   hull.
//   * What is one node is one real: x * x is not negative, and x - x is 0 (ir/passes/related_uses.cpp).
//   * There is one zero; copysign takes it as positive.
#include <charconv>

#include "semantics/interval/formats.h"
#include "semantics/interval/kernels.h"
#include "semantics/interval/semantics.h"
#include "semantics/registry.h"

namespace reckon::interp {

namespace {

/// The number, if all of the text is a whole number.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace

Expected<std::unique_ptr<Semantics>> make_interval(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  const char* help = "write `interval`, `interval(f32)`, `interval(200)` for 200 bits, `interval(split(16))`, or "
                     "`interval(mean_value)`";
  std::string name, format;
  std::int64_t pieces = 1;
  bool is_split = false, mean_value = false;
  for (const SemanticsArgument& argument : arguments) {
    const std::string_view text = argument.text;
    name += (name.empty() ? "interval(" : ", ") + argument.text;
    if (text.starts_with("split(") && text.ends_with(")") && !is_split) {
      const auto count = whole_number(text.substr(6, text.size() - 7));
      if (!count || *count < 1 || *count > 1'000'000) {
        return no_arguments("interval", argument, place, "a range is cut into from 1 to 1000000 pieces: `split(16)`");
      }
      pieces = *count;
      is_split = true;
    } else if (text == "mean_value" && !mean_value) {
      mean_value = true;
    } else if (format.empty() && !text.empty()) {
      format = argument.text;
      if (format == "f64" || format == "f32") continue;
      const auto bits = whole_number(text);
      if (!bits) return no_arguments("interval", argument, place, help);
      if (*bits < 2 || *bits > 1'000'000) {
        return no_arguments("interval", argument, place, "endpoints have from 2 to 1000000 bits");
      }
    } else {
      return no_arguments("interval", argument, place, help);
    }
  }
  name += name.empty() ? "interval" : ")";
  if (mean_value) {
    const std::int64_t bits = whole_number(format).value_or(0);
    return make_interval_mean_value(std::move(name), pieces, format.empty() ? "f64" : format, bits);
  }
  if (format == "f32") return make_interval_f32(std::move(name), pieces);
  if (!format.empty() && format != "f64") return make_interval_wide(std::move(name), pieces, *whole_number(format));
  return std::unique_ptr<Semantics>(
      std::make_unique<IntervalSemantics<F64Intervals>>(std::move(name), pieces, F64Intervals{}));
}

}  // namespace reckon::interp
