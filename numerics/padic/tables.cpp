#include "numerics/padic/tables.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace reckon::numerics::padic {

namespace {

/// Places in the order. Random elements must often lie on both sides of a constant, or else max(x, 2) would be x: among
/// residues taken as integers, all constants would be at the bottom. Each residue stands for the fraction n/m with the
/// least n m, at most 20,000, that it equals up to sign (11 counts as negative, but is as large as 11), so that places
/// spread over the logarithms of values. Residues without such a fraction, one in five hundred, use their own digits.
void rank_residues(Tables& t) {
  constexpr std::uint32_t most = 20000;
  struct Fraction {
    std::uint32_t top = 0, bottom = 1, residue = 0;
  };
  std::vector<Fraction> fractions(p + 1);
  for (std::uint32_t m = 1; m <= most; ++m) {
    std::uint64_t residue = 0;
    for (std::uint32_t n = 1; n * m <= most; ++n) {
      residue += t.inverse[m];
      if (residue >= p) residue -= p;
      for (const std::uint64_t x : {residue, p - residue}) {
        Fraction& known = fractions[x];
        if (known.top == 0 || n * m < known.top * known.bottom) known = {n, m, 0};
      }
    }
  }
  std::vector<Fraction> ordered;
  for (std::uint32_t x = 1; x < p; ++x) {
    if (t.index[x] == Tables::none) continue;
    Fraction fraction = fractions[x];
    if (fraction.top == 0) fraction = {1 + x % 197, 1 + x / 197, 0};
    fraction.residue = x;
    ordered.push_back(fraction);
  }
  std::sort(ordered.begin(), ordered.end(), [](const Fraction& x, const Fraction& y) {
    const std::uint64_t first = std::uint64_t{x.top} * y.bottom, second = std::uint64_t{y.top} * x.bottom;
    return first != second ? first < second : x.residue < y.residue;
  });
  t.rank.fill(0);
  std::uint16_t place = 0;
  for (const Fraction& fraction : ordered) t.rank[fraction.residue] = ++place;
}

std::unique_ptr<Tables> build() {
  auto made = std::make_unique<Tables>();
  Tables& t = *made;
  // Any element but 1 of the group of order q would do. An arbitrary one gives no small number a log with a special b.
  const std::uint64_t zeta = power(form<std::uint64_t>(12345), 2 * p3);
  std::uint64_t x = one_form;
  for (std::uint64_t& entry : t.low) entry = x, x = multiply(x, zeta);
  const std::uint64_t giant = x;
  x = one_form;
  for (std::uint64_t& entry : t.high) entry = x, x = multiply(x, giant);

  t.index.fill(Tables::none);
  const std::uint64_t step = plain(zeta) % p;
  std::uint64_t residue = 1;
  for (std::uint16_t w = 0; w < q; ++w) t.index[residue] = w, residue = residue * step % p;

  // 1/x = -(m / x) * 1/(m % x) modulo m.
  const auto inverses = [](auto& table, std::uint32_t modulus) {
    table[0] = 0, table[1] = 1;
    for (std::uint32_t i = 2; i < modulus; ++i) {
      const std::uint32_t inverse = static_cast<std::uint32_t>(std::uint64_t{modulus / i} * table[modulus % i] % modulus);
      table[i] = static_cast<std::remove_reference_t<decltype(table[0])>>(modulus - inverse);
    }
  };
  inverses(t.inverse, p);
  inverses(t.inverse_q, q);
  inverses(t.inverse_r, r);
  rank_residues(t);

  t.root_q.fill(Tables::none);
  for (std::uint32_t i = 0; i < q; ++i) {
    const std::uint32_t square = i * i % q;  // it is a square itself, so it is the root of its own square
    t.root_q[square * square % q] = static_cast<std::uint16_t>(square);
  }

  // (1 + 2i) / (1 - 2i) = (-3 + 4i) / 5. Its power to (p + 1) / r and p^3, the other orders, is an element of order r.
  const std::uint64_t fifth = power(form<std::uint64_t>(5), p3 * (p - 1) - 1);
  Point base{multiply(fifth, form<std::uint64_t>(p4 - 3)), multiply(fifth, form<std::uint64_t>(4))}, eta{one_form, 0};
  for (std::uint64_t exponent = (p + 1) / r * p3; exponent > 0; exponent >>= 1, base = multiply(base, base)) {
    if (exponent & 1) eta = multiply(eta, base);
  }
  Point point{one_form, 0};
  for (Point& entry : t.circle) entry = point, point = multiply(point, eta);
  return made;
}

}  // namespace

const Tables& tables() {
  static const std::unique_ptr<Tables> built = build();
  return *built;
}

}  // namespace reckon::numerics::padic
