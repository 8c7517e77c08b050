#include "semantics/accept/integers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "interp/algebra/words.h"
#include "ir/op.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/render.h"
#include "semantics/accept/sound.h"
#include "semantics/accept/suite.h"

namespace reckon::interp::accept {

namespace {

using ir::Op;

/// If at most so many integers are possible, they are examined one by one.
constexpr double max_integers = 8;
/// Every integer up to this one is a double.
constexpr std::uint64_t most_exact = std::uint64_t{1} << 53;

/// All integers that the value may be; nothing if there are too many.
std::vector<std::int64_t> integers_of(const Answers& x) {
  std::vector<std::int64_t> out;
  double count = 0;
  for (std::size_t k = 0; k < x.count; ++k) count += x.parts[k].high - x.parts[k].low + 1;
  if (x.nan || count > max_integers) return out;
  for (std::size_t k = 0; k < x.count; ++k) {
    for (double word = x.parts[k].low; word <= x.parts[k].high; ++word) out.push_back(static_cast<std::int64_t>(word));
  }
  return out;
}

/// The patterns between those of two numbers of the same sign.
Interval patterns(const NumberKind& kind, double from, double to) {
  const auto first = static_cast<double>(numerics::round_f64(from, kind.format));
  const auto last = static_cast<double>(numerics::round_f64(to, kind.format));
  return {std::min(first, last), std::max(first, last)};
}

void add_patterns(const NumberKind& kind, const Interval& x, Answers& out) {
  if (x.contains(0)) {
    unite(out, Answers::of({0, 0}), true);
    const auto negative = static_cast<double>(numerics::sign_bit(kind.format));
    unite(out, Answers::of({negative, negative}), true);
  }
  if (x.high > 0) unite(out, Answers::of(patterns(kind, std::max(x.low, kind.least), x.high)), true);
  if (x.low < 0) unite(out, Answers::of(patterns(kind, x.low, std::min(x.high, -kind.least))), true);
}

}  // namespace

Setting integer_setting() {
  Setting out;
  out.kind = NumberKind::of(numerics::Format::f64);
  out.flush_inputs = out.flush_outputs = Setting::Flush::never;
  out.indeterminate = false;
  return out;
}

Answers integer_answer(ir::Scalar type, std::uint64_t pattern, std::uint16_t operation) {
  const std::uint64_t wide = numerics::extended(ir::integer_traits(type), pattern);
  const bool negative = numerics::is_negative(ir::integer_traits(type), pattern);
  if ((negative ? 0 - wide : wide) > most_exact) return Answers::anything(Cause::integers, operation);
  const double word = negative ? -static_cast<double>(0 - wide) : static_cast<double>(wide);
  return Answers::of({word, word});
}

std::optional<Answers> integers_between(ir::Scalar type, const Interval& reals) {
  const double low = std::max(std::ceil(reals.low), ir::least_integer(type).get_d());
  const double high = std::min(std::floor(reals.high), ir::greatest_integer(type).get_d());
  if (low > high) return std::nullopt;
  if (std::max(std::fabs(low), std::fabs(high)) > static_cast<double>(most_exact)) {
    return Answers::anything(Cause::integers, operation_number(Op::convert));
  }
  return Answers::of({low + 0.0, high + 0.0});
}

std::optional<Fault> integer_operation(Op op, ir::Scalar from, ir::Scalar to, const Answers* const* operands,
                                       Answers& out) {
  const int arity = ir::traits(op).arity;
  std::vector<std::int64_t> words[3] = {{}, {0}, {0}};
  for (int k = 0; k < arity; ++k) {
    if (operands[k]->unbounded) return out = *operands[k], std::nullopt;
    words[k] = integers_of(*operands[k]);
    if (words[k].empty()) return out = Answers::anything(Cause::integers, operation_number(op), k), std::nullopt;
  }
  Answers found;
  for (const std::int64_t a : words[0]) {
    for (const std::int64_t b : words[1]) {
      for (const std::int64_t c : words[2]) {
        std::byte values[3][sizeof a], result[sizeof a];
        Rows rows[3];
        const std::int64_t numbers[] = {a, b, c};
        for (int k = 0; k < arity; ++k) {
          words::put(from, static_cast<std::uint64_t>(numbers[k]), values[k]);
          rows[k].data = values[k];
        }
        if (auto fault = words::apply("accept", op, from, to, rows, result, 1, 1, 1)) {
          // A divisor that may be 0 and may be another one has any quotient.
          if (words[1].size() == 1) return fault;
          return out = Answers::anything(Cause::integers, operation_number(op), 1), std::nullopt;
        }
        const Answers one = integer_answer(to, words::at(to, result), operation_number(op));
        if (one.unbounded) return out = one, std::nullopt;
        unite(found, one, true);
      }
    }
  }
  return out = found, std::nullopt;
}

Answers to_integers(const Setting& from, const Answers& x, ir::Scalar to) {
  if (x.unbounded) return x;
  const auto& type = ir::integer_traits(to);
  Answers out;
  if (x.nan) out = Answers::of({0, 0});
  for (std::size_t k = 0; k < x.count; ++k) {
    const Interval part = sound::input(from, x.parts[k]);
    const Answers low = integer_answer(to, numerics::to_integer(type, part.low), from.operation),
                  high = integer_answer(to, numerics::to_integer(type, part.high), from.operation);
    if (low.unbounded || high.unbounded) return Answers::anything(Cause::integers, from.operation);
    unite(out, Answers::of({low.parts[0].low, high.parts[0].high}), true);
  }
  return out;
}

Answers pattern_of(const Setting& from, const Answers& x) {
  if (x.unbounded) return x;
  if (x.nan) return Answers::anything(Cause::integers, from.operation);  // a NaN has many patterns
  Answers out;
  for (std::size_t k = 0; k < x.count; ++k) {
    const Interval& part = x.parts[k];
    if (!part.is_point()) {
      add_patterns(from.kind, sound::input(from, part), out);
      continue;
    }
    const suite::Inputs points = suite::inputs(from.kind, from.flush_inputs, part.low);
    for (int i = 0; i < points.count; ++i) add_patterns(from.kind, {points.values[i], points.values[i]}, out);
  }
  return out;
}

Answers from_pattern(const Setting& to, const Answers& integers) {
  if (integers.unbounded) return integers;
  const numerics::Format format = to.kind.format;
  const std::uint64_t mask = numerics::storage_mask(format), sign = numerics::sign_bit(format);
  Answers out;
  for (std::size_t k = 0; k < integers.count; ++k) {
    auto first = static_cast<std::uint64_t>(integers.parts[k].low), last = static_cast<std::uint64_t>(integers.parts[k].high);
    // Patterns between these two stand for numbers between theirs if all bits are used and the signs are the same.
    const bool one = first == last;
    if (!one && (last > mask || (first & sign) != (last & sign))) return Answers::anything(Cause::integers, to.operation);
    first &= mask;
    last &= mask;
    if (numerics::is_nan(first, format) || numerics::is_nan(last, format)) {
      if (to.indeterminate || !one) return Answers::anything(Cause::infinite, to.operation);
      out.nan = true;
      continue;
    }
    const double a = numerics::widen(first, format) + 0.0, b = numerics::widen(last, format) + 0.0;
    unite(out, sound::rounded(to, {std::min(a, b), std::max(a, b)}), true);
  }
  return out;
}

Rendering rendered_integers(const Answers& answers, const Rules& rules) {
  if (answers.unbounded) {
    const std::string why = reason(answers, rules);
    return {"unbounded: " + why, {{"unbounded", "true"}, {"reason", why}}};
  }
  std::vector<Interval> parts(answers.parts.begin(), answers.parts.begin() + answers.count);
  std::sort(parts.begin(), parts.end(), [](const Interval& a, const Interval& b) { return a.low < b.low; });
  const auto text = [](double word) { return fmt::format("{:.0f}", word); };
  std::string out;
  for (const Interval& part : parts) {
    out += fmt::format("{}{}{}", out.empty() ? "" : " or ", text(part.low),
                       part.is_point() ? "" : ".." + text(part.high));
  }
  if (parts.empty()) return {"nothing", {}};
  Rendering rendering{out, {{"lo", text(parts.front().low)}, {"hi", text(answers.hull().high)}}};
  if (parts.size() > 1) rendering.fields.emplace_back("alternatives", alternatives_json(parts, text));
  return rendering;
}

}  // namespace reckon::interp::accept
