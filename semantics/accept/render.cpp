#include "semantics/accept/render.h"

#include <fmt/format.h>

#include <algorithm>

#include "semantics/accept/primitives.h"

namespace reckon::interp::accept {

namespace {

std::string decimal(double x, const NumberKind& kind) {
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  if (kind.has(x)) return numerics::shortest_decimal(numerics::round_f64(x + 0.0, kind.format), kind.format);
  return numerics::shortest_decimal(std::bit_cast<std::uint64_t>(x), numerics::Format::f64);
}
std::string hexadecimal(double x) {
  return numerics::hexadecimal(std::bit_cast<std::uint64_t>(x + 0.0), numerics::Format::f64);
}

std::vector<Interval> ascending(const Answers& answers) {
  std::vector<Interval> out(answers.parts.begin(), answers.parts.begin() + answers.count);
  std::sort(out.begin(), out.end(),
            [](const Interval& a, const Interval& b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
  return out;
}

std::string ordinal(int argument) {
  constexpr const char* names[] = {"first", "second", "third", "fourth"};
  return argument < 4 ? names[argument] : "last";
}

}  // namespace

std::string alternatives_json(const std::vector<Interval>& parts, const std::function<std::string(double)>& text) {
  std::string out;
  for (const Interval& part : parts) {
    out += fmt::format("{}{{\"lo\":\"{}\",\"hi\":\"{}\"}}", out.empty() ? "[" : ",", text(part.low), text(part.high));
  }
  return out + "]";
}

std::string reason(const Answers& answers, const Rules& rules) {
  const std::string name = rules.operation_text(answers.operation);
  switch (answers.cause) {
    case Cause::outside:
      return fmt::format("the {} argument of {} may be outside of what the profile states", ordinal(answers.argument),
                         name);
    case Cause::zero: return fmt::format("the divisor of {} may be 0", name);
    case Cause::undefined: return fmt::format("{} may have no value there", name);
    case Cause::overflow: return fmt::format("{} may overflow", name);
    case Cause::infinite:
      return fmt::format("the {} argument of {} may be beyond the largest number", ordinal(answers.argument), name);
    case Cause::amount: return fmt::format("the error permitted to {} overflows", name);
    case Cause::stated: return fmt::format("the profile allows {} anything", name);
    case Cause::integers: return fmt::format("the integers that {} works on are not known", name);
    case Cause::none: break;
  }
  return "anything goes";
}

std::string verdict_text(const Answers& answers, const Rules& rules) {
  if (answers.verdict == Verdict::valid) return "valid";
  return fmt::format("{} ({})", answers.verdict == Verdict::invalid ? "invalid" : "either",
                     rules.operation_text(answers.verdict_operation));
}

Rendering rendered(const Answers& answers, const NumberKind& kind, const Rules& rules) {
  if (answers.unbounded) {
    const std::string why = reason(answers, rules);
    return {"unbounded: " + why, {{"unbounded", "true"}, {"reason", why}}};
  }
  const std::vector<Interval> parts = ascending(answers);
  std::string text;
  for (const Interval& part : parts) {
    if (!text.empty()) text += " or ";
    text += decimal(part.low, kind);
    if (!part.is_point()) text += ".." + decimal(part.high, kind);
  }
  if (answers.nan) text += text.empty() ? "nan" : " or nan";
  Rendering out{text, {}};
  if (!parts.empty()) {
    const Interval hull = answers.hull();
    out.fields = {{"lo", hexadecimal(hull.low)}, {"hi", hexadecimal(hull.high)}};
    if (parts.size() > 1) out.fields.emplace_back("alternatives", alternatives_json(parts, hexadecimal));
  }
  if (answers.nan) out.fields.emplace_back("nan", "true");
  return out;
}

}  // namespace reckon::interp::accept
