#include "reveal/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "numerics/split_mix.h"
#include "reveal/reveal.h"

namespace reckon::reveal {

using numerics::traits;

std::string Arithmetic::text() const {
  const auto format = traits(accumulator).name;
  switch (kind) {
    case Kind::rounded: return std::string(format);
    case Kind::fma: return fmt::format("{} with fma", format);
    case Kind::fused_nodes:
      return fmt::format("{}, nodes of {} children fused: terms cut to {} fraction bits below the largest, result {}",
                         format, pairs_fused ? "any number of" : "three or more", fraction,
                         nearest ? "rounded to nearest" : "truncated");
    case Kind::kahan: return fmt::format("Kahan's compensated loop in {}", format);
    case Kind::neumaier: return fmt::format("Neumaier's compensated loop in {}", format);
    case Kind::exact: return "the exact sum, rounded once";
    case Kind::sorted:
      return fmt::format("a sequential sum in {} of the elements sorted by {}, {}", format,
                         magnitudes ? "magnitude" : "value", descending ? "descending" : "ascending");
  }
  return {};
}

std::vector<Arithmetic> tree_arithmetics(const Formats& formats, bool products, bool multiway) {
  using Kind = Arithmetic::Kind;
  std::vector<Format> accumulators{formats.accumulator};
  for (const Format wider : {Format::f32, Format::f64}) {
    if (traits(wider).precision > traits(formats.accumulator).precision) accumulators.push_back(wider);
  }
  std::vector<Arithmetic> out;
  if (!multiway) {
    for (const Format accumulator : accumulators) {
      out.push_back({Kind::rounded, accumulator});
      if (products) out.push_back({Kind::fma, accumulator});
    }
    return out;
  }
  // What tensor cores do: 23 bits (V100), 24 (Turing to Ada), 25 (Hopper, Blackwell), 13 (8-bit inputs).
  for (const int fraction : {25, 24, 23, 13}) {
    for (const bool nearest : {false, true}) {
      for (const bool pairs : {true, false}) out.push_back({Kind::fused_nodes, Format::f32, fraction, nearest, pairs});
    }
  }
  return out;
}

std::vector<Arithmetic> other_arithmetics(const Formats& formats) {
  using Kind = Arithmetic::Kind;
  std::vector<Arithmetic> out{
      {Kind::exact, formats.accumulator}, {Kind::kahan, formats.accumulator}, {Kind::neumaier, formats.accumulator}};
  for (const bool magnitudes : {false, true}) {
    for (const bool descending : {false, true}) {
      Arithmetic sorted{Kind::sorted, formats.accumulator};
      sorted.magnitudes = magnitudes;
      sorted.descending = descending;
      out.push_back(sorted);
    }
  }
  return out;
}

namespace {

/// One rounding. A sum of two numbers of p bits may be formed in f64 first where 53 >= 2p + 2 (Figueroa, 1995).
double rounded(double value, Format format) { return round_to(value, format); }

/// x * y + c rounded once.
double fused(double x, double y, double c, Format format) {
  if (format == Format::f64) return std::fma(x, y, c);
  if (format == Format::f32) {
    return std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(c));
  }
  if (!std::isfinite(c)) return c;
  return numerics::widen(numerics::round_rational(mpq_class(x) * mpq_class(y) + mpq_class(c), format), format);
}

struct Terms {
  std::vector<double> x, y;  ///< y: empty for a sum
  double product(std::size_t i, Format format) const { return y.empty() ? x[i] : rounded(x[i] * y[i], format); }
};

/// Terms aligned to the largest exponent, cut to a multiple of 2^(largest - fraction), added exactly, rounded once to
/// f32. Exact in f64: terms of at most 26 bits, and fewer than 2^20 of them.
double fused_node(const std::vector<double>& terms, const Arithmetic& arithmetic) {
  int largest = -1000;
  for (const double term : terms) {
    if (term != 0) largest = std::max(largest, std::ilogb(term));
  }
  if (largest == -1000) return 0;
  const int grid = std::max(largest, -133) - arithmetic.fraction;
  double sum = 0;
  for (const double term : terms) sum += std::trunc(std::ldexp(term, -grid));
  sum = std::ldexp(sum, grid);
  const auto nearest = static_cast<float>(sum);
  if (arithmetic.nearest || std::fabs(static_cast<double>(nearest)) <= std::fabs(sum)) return nearest;
  return std::nextafterf(nearest, 0);
}

double along(const Arithmetic& arithmetic, const SumTree& tree, const Terms& terms) {
  using Kind = Arithmetic::Kind;
  const Format format = arithmetic.accumulator;
  std::vector<double> value(tree.node_count());
  std::vector<double> parts;
  const auto index = [&](SumTree::Node node) { return static_cast<std::size_t>(tree.leaf_number(node)); };
  for (SumTree::Node node = 0; node < tree.node_count(); ++node) {
    if (tree.is_leaf(node)) {
      value[node] = terms.product(index(node), format);
      continue;
    }
    const auto& children = tree.children(node);
    if (arithmetic.kind == Kind::fused_nodes && (children.size() > 2 || arithmetic.pairs_fused)) {
      parts.clear();
      for (const SumTree::Node child : children) parts.push_back(value[child]);
      value[node] = fused_node(parts, arithmetic);
      continue;
    }
    SumTree::Node a = children[0], b = children[1];
    if (arithmetic.kind == Kind::fma && (tree.is_leaf(a) || tree.is_leaf(b))) {
      if (!tree.is_leaf(b)) std::swap(a, b);
      value[node] = fused(terms.x[index(b)], terms.y[index(b)], value[a], format);
    } else {
      value[node] = rounded(value[a] + value[b], format);
    }
  }
  return value[tree.root()];
}

double compensated(const Arithmetic& arithmetic, const Terms& terms) {
  const Format format = arithmetic.accumulator;
  const auto add = [&](double a, double b) { return rounded(a + b, format); };
  double sum = terms.product(0, format), rest = 0;
  for (std::size_t i = 1; i < terms.x.size(); ++i) {
    const double term = terms.product(i, format);
    if (arithmetic.kind == Arithmetic::Kind::kahan) {
      // W. Kahan, Further remarks on reducing truncation errors, CACM 8(1), 1965.
      const double y = add(term, -rest);
      const double t = add(sum, y);
      rest = add(add(t, -sum), -y);
      sum = t;
    } else {
      // A. Neumaier, ZAMM 54, 1974: the error of each addition, exactly.
      const double t = add(sum, term);
      rest = add(rest, std::fabs(sum) >= std::fabs(term) ? add(add(sum, -t), term) : add(add(term, -t), sum));
      sum = t;
    }
  }
  return arithmetic.kind == Arithmetic::Kind::kahan ? sum : add(sum, rest);
}

double sorted(const Arithmetic& arithmetic, const Terms& terms) {
  std::vector<double> values;
  for (std::size_t i = 0; i < terms.x.size(); ++i) values.push_back(terms.product(i, arithmetic.accumulator));
  std::stable_sort(values.begin(), values.end(), [&](double a, double b) {
    if (arithmetic.magnitudes) a = std::fabs(a), b = std::fabs(b);
    return arithmetic.descending ? a > b : a < b;
  });
  double sum = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) sum = rounded(sum + values[i], arithmetic.accumulator);
  return sum;
}

}  // namespace

std::optional<std::uint64_t> evaluate(const Arithmetic& arithmetic, const Formats& formats, const SumTree* tree,
                                      const Input& input, const Scaling& scaling) {
  using Kind = Arithmetic::Kind;
  Terms terms;
  for (const std::uint64_t bits : input.x) {
    terms.x.push_back(scaling.element(numerics::widen(bits, formats.input), terms.x.size()));
  }
  for (const std::uint64_t bits : input.y) terms.y.push_back(numerics::widen(bits, formats.input));
  if (arithmetic.kind == Kind::exact) {
    mpq_class sum = 0;
    for (std::size_t i = 0; i < terms.x.size(); ++i) {
      sum += mpq_class(terms.x[i]) * (terms.y.empty() ? mpq_class(1) : mpq_class(terms.y[i]));
    }
    if (scaling.kind == Scaling::Kind::none) return numerics::round_rational(sum, formats.result);
    const double rounded_sum =
        numerics::widen(numerics::round_rational(sum, arithmetic.accumulator), arithmetic.accumulator);
    return numerics::round_f64(scaling.sum(rounded_sum, formats), formats.result);
  }
  double sum = 0;
  switch (arithmetic.kind) {
    case Kind::rounded:
    case Kind::fma:
    case Kind::fused_nodes: sum = along(arithmetic, *tree, terms); break;
    case Kind::kahan:
    case Kind::neumaier: sum = compensated(arithmetic, terms); break;
    case Kind::sorted: sum = sorted(arithmetic, terms); break;
    case Kind::exact: break;
  }
  if (!std::isfinite(sum)) return std::nullopt;
  return numerics::round_f64(scaling.sum(sum, formats), formats.result);
}

Input random_input(const Question& question, std::uint64_t& state) {
  const Format format = question.formats.input;
  // For f16, n numbers below 2^(15 - log2 n) stay in range.
  const int log_n = std::bit_width(static_cast<std::uint64_t>(question.n));
  const int top = format == Format::f16 ? std::min(6, 14 - log_n) : 8;
  const int low = format == Format::f16 ? std::max(top - 10, -12) : -8;
  const auto number = [&] {
    const std::uint64_t bits = numerics::split_mix(state);
    const double fraction = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
    const int exponent = low + static_cast<int>(bits % static_cast<std::uint64_t>(top - low));
    const double sign = (bits >> 11) & 1 ? -1 : 1;
    return numerics::round_f64(sign * std::ldexp(fraction, exponent), format);
  };
  Input out;
  const bool hostile = numerics::split_mix(state) % 2 == 0;
  for (std::int64_t i = 0; i < question.n; ++i) out.x.push_back(number());
  const std::uint64_t sign = numerics::sign_bit(format), n = out.x.size();
  std::vector<std::uint64_t> order(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t at = numerics::split_mix(state) % (i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  for (std::uint64_t k = 0; hostile && 3 * k + 1 < n; ++k) {
    const std::uint64_t i = order[2 * k], j = order[2 * k + 1];
    // The value is far larger than the others, so that even a compensated sum shows its errors.
    const double value = numerics::widen(out.x[i], format);
    if (format != Format::f16) {
      out.x[i] = numerics::round_f64(std::ldexp(value, 2 * traits(format).precision - 8), format);
    }
    out.x[j] = out.x[i] ^ sign;
  }
  if (!question.products) return out;
  for (std::int64_t i = 0; i < question.n; ++i) {
    // For f16, the products must stay in range as well.
    out.y.push_back(
        format == Format::f16
            ? numerics::round_f64(std::ldexp(1 + static_cast<double>(numerics::split_mix(state) >> 12) * 0x1p-52, -1),
                                  format)
        : hostile ? numerics::round_f64(1.5, format)
                  : number());
  }
  return out;
}

}  // namespace reckon::reveal
