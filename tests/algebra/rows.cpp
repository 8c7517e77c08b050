#include "tests/algebra/rows.h"

#include <fmt/format.h>

#include <cmath>

#include "tests/algebra/embedding.h"
#include "tests/interp/circuits.h"

namespace reckon::algebra {

namespace {

/// The probability that the product of `factors` uniform words of so many bits is 0: the sum of as many geometric
/// variables (the numbers of trailing zeros) is at least `bits`, so that fewer than `factors` of the first
/// bits + factors - 1 tosses are ones.
double vanishes(int factors, int bits) {
  const int tosses = bits + factors - 1;
  double term = std::pow(0.5, tosses), sum = 0;
  for (int ones = 0; ones < factors; ++ones) {
    sum += term;
    term *= static_cast<double>(tosses - ones) / (ones + 1);
  }
  return sum;
}

/// Products of two uniform 16-bit integers that do not fit into 16 bits.
double overflowing_products() {
  constexpr std::int64_t half = 1 << 15;
  std::int64_t fitting = 2 * half;  // of 0
  for (std::int64_t p = 1; p <= half; ++p) {
    const std::int64_t above = std::min((half - 1) / p, half - 1), below = half / p;
    if (p < half) fitting += above + below + 1;                    // p * q, -below <= q <= above
    fitting += std::min(half / p, half - 1) + (half - 1) / p + 1;  // -p * q
  }
  return 1 - static_cast<double>(fitting) / std::pow(2.0, 32);
}

/// max by payloads against select(x < y, y, x) by carriers, over two million pairs.
double max_against_select(const Embedding& format, int mantissa) {
  interp::testing::Random random(77);
  const std::uint64_t infinity = format.mask() & ~((std::uint64_t{1} << mantissa) - 1);
  constexpr int pairs = 2000000;
  int differ = 0;
  const auto key = [&](std::uint64_t pattern) {
    const auto magnitude = static_cast<std::int64_t>(pattern & format.mask());
    return pattern > format.mask() ? -magnitude : magnitude;
  };
  const auto extended = [&](std::uint64_t payload) {
    return static_cast<std::int64_t>(payload << (64 - format.width)) >> (64 - format.width);
  };
  for (int k = 0; k < pairs; ++k) {
    const std::uint64_t x = random.word() >> (64 - format.width), y = random.word() >> (64 - format.width);
    const bool ordered = (x & format.mask()) <= infinity && (y & format.mask()) <= infinity;
    const std::int64_t p = extended(format.embed(x)), q = extended(format.embed(y));
    differ += (ordered && key(x) < key(y) ? q : p) != std::max(p, q);
  }
  return static_cast<double>(differ) / pairs;
}

/// A payload of 32 bits narrowed to 16: the low half, and a hash of what the high half adds to its
/// sign.
std::uint32_t narrowed(std::uint32_t payload) {
  const std::uint32_t low = payload & 0xffff, extended = low | (low & 0x8000 ? 0xffff0000u : 0);
  const std::uint32_t top = ((payload ^ extended) * 0x0db70db7u) >> 16;
  return low ^ top ^ (top >> 8);
}
/// Narrowing against + or *, over four million pairs.
template <class Operation>
double narrowing_differs(Operation operation) {
  interp::testing::Random random(78);
  constexpr int pairs = 4000000;
  int differ = 0;
  for (int k = 0; k < pairs; ++k) {
    const auto x = static_cast<std::uint32_t>(random.word()), y = static_cast<std::uint32_t>(random.word());
    differ += (operation(narrowed(x), narrowed(y)) & 0xffff) != narrowed(operation(x, y));
  }
  return static_cast<double>(differ) / pairs;
}

/// Attention over two halves of the keys against all of them at once: scores v[i, 0..2h-1], values v[i, 2h..4h-1].
std::string whole(int h) {
  return fmt::format(
      "{{ let m = max j < {0}: v[i, j]; (sum j < {0}: exp(v[i, j] - m) * v[i, j + {0}]) / (sum j < {0}: exp(v[i, j] - "
      "m) by tree) }}",
      2 * h);
}
std::string halves(int h, const std::string& merge) {
  return fmt::format(
      "{{ let m1 = max j < {0}: v[i, j]; let m2 = max j < {0}: v[i, j + {0}]; let m = max(m1, m2); "
      "let l1 = sum j < {0}: exp(v[i, j] - m1); let l2 = sum j < {0}: exp(v[i, j + {0}] - m2); "
      "let a1 = sum j < {0}: exp(v[i, j] - m1) * v[i, j + {1}]; let a2 = sum j < {0}: exp(v[i, j + {0}] - m2) * v[i, j "
      "+ {2}]; {3} }}",
      h, 2 * h, 3 * h, merge);
}
constexpr const char* merged = "(a1 * exp(m1 - m) + a2 * exp(m2 - m)) / (l1 * exp(m1 - m) + l2 * exp(m2 - m))";
constexpr const char* merged_normalised =
    "let o1 = a1 / l1; let o2 = a2 / l2; (o1 * l1 * exp(m1 - m) + o2 * l2 * exp(m2 - m)) / (l1 * exp(m1 - m) + l2 * "
    "exp(m2 - m))";
constexpr const char* merged_by_logarithms =
    "let s1 = m1 + log(l1); let s2 = m2 + log(l2); let s = log(exp(s1) + exp(s2)); a1 / l1 * exp(s1 - s) + a2 / l2 * "
    "exp(s2 - s)";

std::string softmax(int n, const char* shift) {
  return fmt::format("exp(v[i, 0] - {1}) / (sum j < {0}: exp(v[i, j] - {1}))", n, shift);
}
std::string consecutive(int n) { return fmt::format("prod k < {}: x + (sum j < k: f32(1) else 0)", n); }

}  // namespace

std::string Row::program() const {
  std::string lets;
  for (int k = 0; k < 3; ++k) lets += fmt::format("let {} = v[i, {}]; ", "xyz"[k], width + k);
  for (int k = 0; k < 2; ++k) lets += fmt::format("let {} = positive[i, {}]; ", "uw"[k], k);
  const auto circuit = [&](const char* title, const std::string& body) {
    return fmt::format("fn {}(v: {}[t, {}], positive: {}[t, 2]) -> {}[t] = for i: {{ {}{} }}\n", title, format,
                       width + 3, format, format, lets, body);
  };
  return circuit("left", left) + circuit("right", right);
}

std::vector<Row> identities() {
  const double not_a_number_f32 = ((1 << 23) - 1) / std::pow(2.0, 32), not_a_number_f16 = 1023 / std::pow(2.0, 16);
  // The payload of -inf is greater than this part of all payloads.
  const double below_infinity = static_cast<double>(embedding_f32.embed(0xff800000) - 0x80000000u) / std::pow(2.0, 32);
  const double sums_narrowed = narrowing_differs([](std::uint32_t x, std::uint32_t y) { return x + y; });
  const double products_narrowed = narrowing_differs([](std::uint32_t x, std::uint32_t y) { return x * y; });
  return {
      {"x + x = 2 x", "x + x", "2 * x", "always"},
      {"x / 2 = 0.5 x", "x / 2", "x * 0.5", "always"},
      {"mean of 8 by / 8, by * 1/8", "(sum j < 8: v[i, j]) / 8", "(sum j < 8: v[i, j] by tree) * 0.125", "always"},
      {"exp(0.125 x) = exp2(x (0.125 log2e))", "exp(x * 0.125)", "exp2(x * (0.125 * log2e))", "always"},
      // Of odd y: y * I(y) = 1. Of even y: I(y) = -y/(y + 1), and y * I(y) is even.
      {"x / x = 1", "x / x", "f32(1)", "50 %", 0.5},
      {"(x y) / y = x", "x * y / y", "x", "50 %", 0.5},
      // Equal if y and z are odd. Otherwise equal only where many powers of 2 divide x, y, z (one time in 2^25).
      {"x / (y z) = (x / y) / z", "x / (y * z)", "x / y / z", "80 %", 0.75},
      // Every exp is 1 modulo 256. With s the sum and u = exp of the shift's difference, (u e) I(u s) = e I(s) where
      // 2^32 divides s (1 - u) (u s + 1 + u): for 8, 12 factors of 2 and a geometric number; for 1024, 17 and two.
      {"softmax of 8, another shift", softmax(8, "x"), softmax(8, "y"), "always"},
      {"softmax of 1024, with the maximum or without", softmax(1024, "(x - x)"),
       "{ let m = max j < 1024: v[i, j]; " + softmax(1024, "m") + " }", "always", 1 - vanishes(2, 15), Padic::equal,
       0.9, "f32", 1024},
      {"softmax of 7, another shift", softmax(7, "x"), softmax(7, "y"), "never", 0},
      {"split-KV, halves of 4 normalised", whole(4), halves(4, merged_normalised), "always", 1, Padic::equal, 1, "f32",
       16},
      {"split-KV, halves of 3 normalised", whole(3), halves(3, merged_normalised), "never", 0, Padic::equal, 1, "f32",
       12},
      {"split-KV, halves of 4 not normalised", whole(4), halves(4, merged), "never", 0, Padic::equal, 1, "f32", 16},
      {"split-KV merged through logarithms", whole(4), halves(4, merged_by_logarithms), "always", 1, Padic::equal, 0.1,
       "f32", 16},
      {"exp(log u) = u", "exp(log(u))", "u", "always"},
      {"log(u w) = log u + log w", "log(u * w)", "log(u) + log(w)", "always"},
      {"log u = log2(u) ln2", "log(u)", "log2(u) * ln2", "always"},
      {"sqrt(u)^2 = u", "sqrt(u) * sqrt(u)", "u", "always"},
      {"sqrt(u w) = sqrt u sqrt w", "sqrt(u * w)", "sqrt(u) * sqrt(w)", ""},
      {"rsqrt u = 1 / sqrt u", "rsqrt(u)", "1 / sqrt(u)", "always"},
      {"exp x = exp2(x log2e), f32", "exp(x)", "exp2(x * log2e)", "never", 0},
      {"exp x = exp2(x log2e), f64", "exp(x)", "exp2(x * log2e)", "always", 1, Padic::equal, 1, "f64"},
      {"x f32(f16(0.5)) = x 0.5", "x * f32(f16(0.5))", "x * 0.5", "always"},
      {"f32(f16(x) f16(y)) = f32(f16(x)) f32(f16(y))", "f32(f16(x) * f16(y))", "f32(f16(x)) * f32(f16(y))", "always",
       overflowing_products()},
      {"bf16(x) + bf16(y) = bf16(x + y)", "f32(bf16(x) + bf16(y))", "f32(bf16(x + y))", "always", sums_narrowed},
      {"bf16(x) bf16(y) = bf16(x y)", "f32(bf16(x) * bf16(y))", "f32(bf16(x * y))", "always", products_narrowed},
      {"the same sum, homomorphic casts", "f32(bf16(x) + bf16(y))", "f32(bf16(x + y))", "never", 0, Padic::equal, 1,
       "f32", 8, "fpsan(now, homomorphic)"},
      {"the same product, homomorphic casts", "f32(bf16(x) * bf16(y))", "f32(bf16(x * y))", "never", 0, Padic::equal, 1,
       "f32", 8, "fpsan(now, homomorphic)"},
      {"sum of 8 in bf16 = sum of two bf16 sums of 4", "f32(bf16(sum j < 8: v[i, j]))",
       "f32(bf16(sum j < 4: v[i, j]) + bf16(sum j < 4: v[i, j + 4]))", "always", sums_narrowed},
      // A positive carrier that is a NaN is above 0 by its payload, and not by comparison.
      {"max(x, 0) = select(x > 0, x, 0), f32", "max(x, 0)", "select(x > 0, x, 0)", "0.2 %", not_a_number_f32},
      {"max(x, 0) = select(x > 0, x, 0), f16", "max(x, 0)", "select(x > 0, x, 0)", "1.5 %", not_a_number_f16,
       Padic::equal, 1, "f16"},
      {"max(x, y) = select(x < y, y, x), f32", "max(x, y)", "select(x < y, y, x)", "28 %",
       max_against_select(embedding_f32, 23)},
      {"max(x, y) = select(x < y, y, x), f16", "max(x, y)", "select(x < y, y, x)", "28 %",
       max_against_select(embedding_f16, 10), Padic::equal, 1, "f16"},
      {"softmax of 5 in 8, masked by -inf or skipped", "exp(v[i, 0]) / (sum j < 8: exp(select(j < 5, v[i, j], -inf)))",
       "exp(v[i, 0]) / (sum j < 5: exp(v[i, j]))", "breaks"},
      {"max(-inf, x) = x", "max(f32(-inf), x)", "x", "breaks", below_infinity},
      {"exp(x rsqrt(64)) = exp(x 0.125)", "exp(x * rsqrt(f32(64)))", "exp(x * 0.125)", ""},
      {"exp2(x + 1) = 2 exp2(x)", "exp2(x + 1)", "2 * exp2(x)", ""},
      {"exp2(10) = 1024", "exp2(f32(10))", "f32(1024)", ""},
      {"sqrt(64) = 8", "sqrt(f32(64))", "f32(8)", ""},
      {"sin^2 + cos^2 = 1", "sin(x) * sin(x) + cos(x) * cos(x)", "f32(1)", "never", 0},
      // Of a uniform cut of the circle of residues, x and y lie on two sides one time in three.
      {"max(x, y) + z = max(x + z, y + z)", "max(x, y) + z", "max(x + z, y + z)", "", 1 / 3.0, Padic::not_followed},
  };
}

std::vector<Row> bugs() {
  const auto product = [](int n, const char* format, int bits, const char* published) {
    return Row{fmt::format("product of {} random values, 0; {}", n, format),
               fmt::format("prod j < {}: v[i, j]", n),
               fmt::format("{}(0)", format),
               published,
               1 - vanishes(n, bits),
               Padic::differs,
               1,
               format,
               n};
  };
  std::vector<Row> out{
      {"x + 4 x, 2 x + 2 x", "x + 4 * x", "2 * x + 2 * x", "always", 0, Padic::differs},
      product(24, "f32", 32, "14 %"),
      product(32, "f32", 32, "51 %"),
      product(40, "f32", 32, "83 %"),
      product(16, "bf16", 16, "50 %"),
      product(8, "f8e4m3", 8, "51 %"),
      // n! divides a product of n consecutive integers: 2^31 divides 32! and 33!, and the binomial of (x + n - 1) over
      // n is odd where no bit is carried (Kummer): one time in 2, and in 4. 2^32 divides 34!.
      {"product of 32 consecutive values, 0", consecutive(32), "f32(0)", "", 0.5, Padic::differs},
      {"product of 33 consecutive values, 0", consecutive(33), "f32(0)", "", 0.25, Padic::differs},
      {"product of 34 consecutive values, 0", consecutive(34), "f32(0)", "", 0, Padic::differs},
      {"exp x, exp y with payloads 2^24 j apart", "exp(x)", "exp(y)", "always", 0, Padic::differs, 1, "f32", 8, "fpsan",
       true},
      {"tanh(tanh x), x", "tanh(tanh(x))", "x", "always", 0, Padic::differs},
      {"tan(tanh x), tanh(tan x)", "tan(tanh(x))", "tanh(tan(x))", "always", 0, Padic::differs},
      {"1 / (x - x), 0", "1 / (x - x)", "f32(0)", "always", 0, Padic::undefined},
      // (1 - exp x) (1 - exp y) = 0 where the numbers of trailing zeros, 8 + those of x and 8 + those of y, reach 32.
      {"exp x + exp y, 1 + exp(x + y)", "exp(x) + exp(y)", "1 + exp(x + y)", "", 1 - vanishes(2, 16), Padic::differs},
      {"exp x, 1 + x + x^2/2 + x^3/6", "exp(x)", "1 + x + x * x / 2 + x * x * x / 6", "", 1, Padic::differs},
  };
  return out;
}

}  // namespace reckon::algebra
