// Every order of a few leaves, one by one, in arithmetic of its own: what spread and attains are compared with.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>
#include <set>

#include "numerics/orders/orders.h"

namespace reckon::tests {

using namespace reckon::numerics;

inline std::string text(const OrderQuestion& question) {
  static const char* sets[] = {"any", "any_tree", "any_seq"};
  std::string out = std::string(sets[static_cast<int>(question.orders)]) +
                    (question.operation == FoldOperation::add ? " add " : " mul ") +
                    std::string(traits(question.format).name);
  for (std::uint64_t bits : question.leaves) out += " " + hexadecimal(bits, question.format);
  return out;
}

/// A join by exact rationals (GMP) and one rounding; infinities and NaN by the rules of IEEE 754-2019, 6.1 and 7.2.
inline std::uint64_t exact_join(FoldOperation operation, Format format, std::uint64_t a, std::uint64_t b) {
  const auto x = exact_value(a, format), y = exact_value(b, format);
  const bool negative_a = (a & sign_bit(format)) != 0, negative_b = (b & sign_bit(format)) != 0;
  if (!x || !y)
    return round_f64(operation == FoldOperation::add ? widen(a, format) + widen(b, format)
                                                     : widen(a, format) * widen(b, format),
                     format);
  const mpq_class exact = operation == FoldOperation::add ? mpq_class(*x + *y) : mpq_class(*x * *y);
  const std::uint64_t rounded = round_rational(exact, format);
  if ((rounded & ~sign_bit(format)) != 0) return rounded;
  const bool negative = operation == FoldOperation::mul ? negative_a != negative_b : negative_a && negative_b;
  return negative ? sign_bit(format) : 0;
}

/// The machine's own f32 and f64; the exact sum or product of f16 in f64, rounded once.
inline std::uint64_t machine_join(FoldOperation operation, Format format, std::uint64_t a, std::uint64_t b) {
  if (format == Format::bf16) return exact_join(operation, format, a, b);
  if (format == Format::f32) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a)),
               y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    const float out = operation == FoldOperation::add ? x + y : x * y;
    return out != out ? canonical_nan(format) : std::bit_cast<std::uint32_t>(out);
  }
  const double x = widen(a, format), y = widen(b, format);
  return round_f64(operation == FoldOperation::add ? x + y : x * y, format);
}

/// The results of all orders, each order once: (2n-3)!! trees up to swapped operands for `any`, Catalan(n-1) for
/// `any_tree`, n! left folds for `any_seq`.
inline std::vector<std::uint64_t> all_results(const OrderQuestion& question) {
  const auto n = static_cast<std::uint32_t>(question.leaves.size());
  auto join = [&](std::uint64_t a, std::uint64_t b) {
    return (n <= 4 ? exact_join : machine_join)(question.operation, question.format, a, b);
  };
  std::vector<std::uint64_t> out;
  if (question.orders == OrderSet::any_seq) {
    std::vector<std::uint32_t> order(n);
    for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
    do {
      std::uint64_t value = question.leaves[order[0]];
      for (std::uint32_t i = 1; i < n; ++i) value = join(value, question.leaves[order[i]]);
      out.push_back(value);
    } while (std::next_permutation(order.begin(), order.end()));
    return out;
  }
  if (question.orders == OrderSet::any_tree) {
    std::vector<std::vector<std::vector<std::uint64_t>>> of(n, std::vector<std::vector<std::uint64_t>>(n));
    for (std::uint32_t last = 0; last < n; ++last) {
      of[last][last] = {question.leaves[last]};
      for (std::uint32_t first = last; first-- > 0;) {
        for (std::uint32_t k = first; k < last; ++k) {
          for (std::uint64_t a : of[first][k]) {
            for (std::uint64_t b : of[k + 1][last]) of[first][last].push_back(join(a, b));
          }
        }
      }
    }
    return of[0][n - 1];
  }
  std::vector<std::vector<std::uint64_t>> of(std::size_t{1} << n);
  for (std::uint32_t set = 1; set < of.size(); ++set) {
    if (std::has_single_bit(set)) of[set] = {question.leaves[static_cast<std::size_t>(std::countr_zero(set))]};
    for (std::uint32_t part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set) {
      for (std::uint64_t a : of[part]) {
        for (std::uint64_t b : of[set ^ part]) of[set].push_back(join(a, b));
      }
    }
  }
  return of.back();
}

/// Whether a tree belongs to the question's set of orders.
inline bool belongs(const OrderTree& tree, const OrderQuestion& question) {
  const auto n = static_cast<std::uint32_t>(question.leaves.size());
  if (tree.leaf_count != n || tree.pairs.size() != n - 1) return false;
  // The leaves under each node, from left to right.
  std::vector<std::vector<std::uint32_t>> under(n);
  for (std::uint32_t i = 0; i < n; ++i) under[i] = {i};
  std::vector<bool> used(2 * n - 1, false);
  for (std::uint32_t k = 0; k < tree.pairs.size(); ++k) {
    const auto& [left, right] = tree.pairs[k];
    if (left >= n + k || right >= n + k || left == right || used[left] || used[right]) return false;
    used[left] = used[right] = true;
    if (question.orders == OrderSet::any_seq && (right >= n || (k > 0 && left != n + k - 1))) return false;
    auto both = under[left];
    both.insert(both.end(), under[right].begin(), under[right].end());
    under.push_back(both);
  }
  auto leaves = under.back();
  if (question.orders == OrderSet::any_tree && !std::is_sorted(leaves.begin(), leaves.end())) return false;
  std::sort(leaves.begin(), leaves.end());
  return std::adjacent_find(leaves.begin(), leaves.end()) == leaves.end() && leaves.size() == n;
}

/// Numbers in their order, -0 below +0.
inline std::int64_t key(std::uint64_t bits, Format format) {
  const auto magnitude = static_cast<std::int64_t>(bits & ~sign_bit(format));
  return (bits & sign_bit(format)) != 0 ? -magnitude - 1 : magnitude;
}

/// Leaves of one of several kinds, most of them hostile to rounding.
inline OrderQuestion random_question(std::mt19937_64& random, OrderSet orders, FoldOperation operation, Format format,
                                     std::size_t n) {
  OrderQuestion out{orders, operation, format, {}};
  const int kind = static_cast<int>(random() % 8);
  const FormatTraits t = traits(format);
  auto normal = [&](int low, int high) {
    const int exponent = low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    const std::uint64_t biased = static_cast<std::uint64_t>(std::clamp(exponent, t.emin, t.emax) + t.emax);
    return (random() & sign_bit(format)) | (biased << mantissa_bits(format)) |
           (random() & ((std::uint64_t{1} << mantissa_bits(format)) - 1));
  };
  const int spread = operation == FoldOperation::mul ? t.emax / 2 : t.precision;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = 0;
    switch (kind) {
      case 0: bits = normal(-1, 1); break;            // like sizes
      case 1: bits = normal(-spread, spread); break;  // mixed sizes
      case 2: bits = normal(0, 0) & ~(random() % 2 ? 0 : sign_bit(format)); break;
      case 3:
        bits = i % 2 && !out.leaves.empty() ? out.leaves.back() ^ sign_bit(format) : normal(-spread, spread);
        break;
      case 4: bits = normal(t.emax - 1, t.emax); break;     // overflow on both sides
      case 5: bits = random() & width_mask(format); break;  // any pattern at all
      case 6: bits = i < 2 || random() % 2 ? normal(0, t.precision) : out.leaves[random() % i]; break;  // equal leaves
      default: bits = (random() & sign_bit(format)) | (random() & ((std::uint64_t{4} << mantissa_bits(format)) - 1));
    }
    if (kind == 5 && random() % 4 == 0) bits = infinity_bits(format) | (random() % 3 ? 0 : sign_bit(format));
    if (random() % 24 == 0) bits = random() & sign_bit(format);  // zeros
    if (kind != 5 && random() % 200 == 0) bits = infinity_bits(format) | (random() & sign_bit(format));
    out.leaves.push_back(bits);
  }
  return out;
}

/// RECKON_TRIALS multiplies the number of inputs.
inline int trials(int usual) {
  const char* factor = std::getenv("RECKON_TRIALS");
  return usual * (factor ? std::max(std::atoi(factor), 1) : 1);
}

}  // namespace reckon::tests
