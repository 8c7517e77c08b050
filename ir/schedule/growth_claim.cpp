#include "ir/schedule/growth_claim.h"

#include <algorithm>
#include <bit>

namespace reckon::ir {

Polynomial Polynomial::variable(std::size_t which) {
  Polynomial out;
  Exponents exponents(which + 1);
  exponents[which] = 1;
  out.add(std::move(exponents), 1);
  return out;
}

void Polynomial::add(Exponents exponents, const mpq_class& coefficient) {
  while (!exponents.empty() && exponents.back() == 0) exponents.pop_back();
  mpq_class& term = terms_[exponents];
  term += coefficient;
  if (term == 0) terms_.erase(exponents);
}

std::optional<mpq_class> Polynomial::constant() const {
  if (terms_.empty()) return mpq_class(0);
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

unsigned Polynomial::degree(std::size_t variable) const {
  unsigned out = 0;
  for (const auto& [exponents, factor] : terms_) {
    if (variable < exponents.size()) out = std::max(out, exponents[variable]);
  }
  return out;
}

Polynomial Polynomial::coefficient(std::size_t variable, unsigned power) const {
  Polynomial out;
  for (const auto& [exponents, factor] : terms_) {
    if ((variable < exponents.size() ? exponents[variable] : 0) != power) continue;
    Exponents rest = exponents;
    if (variable < rest.size()) rest[variable] = 0;
    out.add(std::move(rest), factor);
  }
  return out;
}

Polynomial Polynomial::with(std::size_t variable, const Polynomial& value) const {
  Polynomial out, power(1);
  const unsigned highest = degree(variable);
  for (unsigned k = 0; k <= highest; ++k) {
    out = out + coefficient(variable, k) * power;
    if (k < highest) power = power * value;
  }
  return out;
}

Polynomial operator+(Polynomial a, const Polynomial& b) {
  for (const auto& [exponents, factor] : b.terms_) a.add(exponents, factor);
  return a;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [x, p] : a.terms_) {
    for (const auto& [y, q] : b.terms_) {
      Polynomial::Exponents both(std::max(x.size(), y.size()));
      for (std::size_t k = 0; k < both.size(); ++k) both[k] = (k < x.size() ? x[k] : 0) + (k < y.size() ? y[k] : 0);
      out.add(std::move(both), p * q);
    }
  }
  return out;
}

namespace {

Polynomial claim_unit() { return Polynomial::variable(unit_variable); }
Polynomial claim_logarithm() { return Polynomial::variable(log_variable); }
Polynomial claim_leaves() { return Polynomial::variable(first_size); }

Polynomial whole_number(std::int64_t value) { return Polynomial(mpq_class(static_cast<long>(value))); }
/// The largest i with 2^i <= n; min_height(n) is the least one with 2^i >= n.
int binary_exponent(std::int64_t n) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1; }

/// The form for ceil(n / k) leaves. ceil(log2(ceil(n / k))) is the least i with k 2^i >= n.
HeightRange of_quotient(const HeightRange& whole, std::int64_t k) {
  const Polynomial shrunk = claim_leaves() * Polynomial(mpq_class(1, static_cast<unsigned long>(k)));
  const auto put = [&](const Polynomial& form, const Polynomial& count, int less) {
    return form.with(log_variable, claim_logarithm() - whole_number(less)).with(first_size, count);
  };
  HeightRange out;
  out.low = put(whole.low, shrunk, min_height(k));
  out.high = put(whole.high, shrunk + Polynomial(mpq_class(static_cast<long>(k - 1), static_cast<unsigned long>(k))),
                 binary_exponent(k));
  out.from = k * whole.from;
  return out;
}

std::optional<HeightRange> deepest_first(ScheduleStore& schedules, ScheduleId id, bool alone);

/// The number of roundings above leaf 0 of k leaves.
std::optional<std::int64_t> height_for(ScheduleStore& schedules, ScheduleId id, std::int64_t k) {
  if (k > 1'000'000 || !deepest_first(schedules, id, false)) return std::nullopt;
  const auto [tree, problem] = schedules.expand(id, k);
  if (problem) return std::nullopt;
  return schedules.trees().depth(tree);
}

/// The heights of a schedule by which leaf 0 is among the deepest, and more leaves make no lower tree. `blelloch` is
/// lower for 8 leaves than for 7: so it is one only `alone`, not in a stage.
std::optional<HeightRange> deepest_first(ScheduleStore& schedules, ScheduleId id, bool alone) {
  const ScheduleNode node = schedules[id];
  switch (node.op) {
    case ScheduleOp::seq: return HeightRange{claim_leaves() - whole_number(1), claim_leaves() - whole_number(1)};
    case ScheduleOp::tree:
    case ScheduleOp::halving: return HeightRange{claim_logarithm(), claim_logarithm()};
    // The first of m blocks has 2^k leaves, with m <= k + 1 and 2^k <= n.
    case ScheduleOp::blelloch:
      if (!alone) return std::nullopt;
      return HeightRange{claim_logarithm(), whole_number(2) * claim_logarithm()};
    case ScheduleOp::then: {
      const ScheduleNode stage = schedules[node.operands[0]];
      if (stage.op != ScheduleOp::tile && stage.op != ScheduleOp::lanes) return std::nullopt;
      const IndexNode& parameter = schedules.indices()[stage.parameter];
      if (parameter.op != IndexOp::constant || parameter.value < 1) return std::nullopt;
      const std::int64_t k = parameter.value;
      // From k leaves on, `tile` has a whole run first, and `lanes` k lanes, of which the first is a longest one.
      const bool tiles = stage.op == ScheduleOp::tile;
      const ScheduleId whole = tiles ? stage.operands[0] : node.operands[1],
                       shared = tiles ? node.operands[1] : stage.operands[0];
      const auto constant = height_for(schedules, whole, k);
      const auto growing = deepest_first(schedules, shared, false);
      if (!constant || !growing) return std::nullopt;
      HeightRange out = of_quotient(*growing, k);
      out.low = out.low + whole_number(*constant);
      out.high = out.high + whole_number(*constant);
      return out;
    }
    default: return std::nullopt;
  }
}

}  // namespace

HeightRange height_of(ScheduleStore& schedules, ScheduleId schedule) {
  if (const auto found = deepest_first(schedules, schedule, true)) return *found;
  return {claim_logarithm(), claim_leaves() - whole_number(1)};
}

namespace {

/// Proves claims for the first size from `from` on.
class Prover {
 public:
  Prover(const GrowthClaim& claim, std::int64_t from)
      : claim_(claim), from_(from), first_atom_(first_size + claim.sizes) {}

  bool shows(const Polynomial& difference) {
    if (++steps_ > most_steps) return false;
    for (std::size_t k = 0; k < claim_.atoms.size(); ++k) {
      const std::size_t variable = first_atom_ + k;
      if (difference.degree(variable) == 0) continue;
      const ClaimAtom& atom = claim_.atoms[k];
      if (atom.kind == ClaimAtom::Kind::growth) continue;
      const auto sign = sign_of(difference, variable);
      if (!sign) return false;
      if (atom.kind == ClaimAtom::Kind::minimum) return minimum(difference, variable, atom, *sign);
      if (atom.height->from > from_) return false;
      return shows(difference.with(variable, *sign > 0 ? atom.height->low : atom.height->high));
    }
    return shows_growth(difference);
  }

 private:
  static constexpr int most_steps = 200;
  /// The growth factors among the variables: atoms, and members of a minimum.
  struct Growth {
    std::size_t variable;
    HeightRange height;
  };

  /// 1 or -1 if the variable's coefficient is 0 or more, or 0 or less, everywhere.
  std::optional<int> sign_of(const Polynomial& difference, std::size_t variable) {
    if (difference.degree(variable) > 1) return std::nullopt;
    const Polynomial factor = difference.coefficient(variable, 1);
    if (is_not_negative(factor)) return 1;
    if (is_not_negative(factor * Polynomial(-1))) return -1;
    return std::nullopt;
  }

  bool minimum(const Polynomial& difference, std::size_t variable, const ClaimAtom& atom, int sign) {
    bool any = false, all = true;
    const auto member = [&](const Polynomial& value) {
      const bool shown = shows(difference.with(variable, value));
      any = any || shown;
      all = all && shown;
    };
    if (atom.polynomial) member(*atom.polynomial);
    if (atom.height && !(sign < 0 && any)) member(Polynomial::variable(growth_variable(variable)));
    return sign > 0 ? all : any;
  }

  /// The variable that stands for the growth factor of a minimum's height.
  std::size_t growth_variable(std::size_t variable) const { return variable + claim_.atoms.size(); }

  std::vector<Growth> growths(const Polynomial& difference) const {
    std::vector<Growth> out;
    for (std::size_t k = 0; k < claim_.atoms.size(); ++k) {
      const ClaimAtom& atom = claim_.atoms[k];
      const std::size_t variable =
          atom.kind == ClaimAtom::Kind::minimum ? growth_variable(first_atom_ + k) : first_atom_ + k;
      if (atom.height && atom.kind != ClaimAtom::Kind::height && difference.degree(variable) > 0)
        out.push_back({variable, *atom.height});
    }
    return out;
  }

  bool shows_growth(const Polynomial& difference) {
    if (++steps_ > most_steps) return false;
    const std::vector<Growth> all = growths(difference);
    if (all.empty()) return is_not_negative(difference);
    for (const Growth& one : all) {
      if (one.height.from > from_) return false;
      const auto sign = sign_of(difference, one.variable);
      if (!sign) return false;
      if (*sign > 0) continue;
      for (const Growth& other : all) {  // (1 + u)^g <= (1 + u)^h for g <= h
        if (other.variable == one.variable || sign_of(difference, other.variable) != 1) continue;
        if (!is_not_negative(other.height.low - one.height.high)) continue;
        // Only so much of the larger one is given up as the smaller one takes.
        const Polynomial given = difference.coefficient(one.variable, 1),
                         left = difference.coefficient(other.variable, 1) + given;
        if (!is_not_negative(left)) continue;
        const Polynomial without = difference.coefficient(one.variable, 0);
        if (shows_growth(without.coefficient(other.variable, 0) + left * Polynomial::variable(other.variable)))
          return true;
      }
      if (const auto known = expanded(one.height)) return shows_growth(difference.with(one.variable, *known));
      return shows_by_quotient(difference, one);
    }
    // None is subtracted any more.
    const Growth& one = all.front();
    if (const auto known = expanded(one.height); known && shows_growth(difference.with(one.variable, *known)))
      return true;
    return shows_growth(difference.with(one.variable, one.height.low * claim_unit()));
  }

  /// (1 + u)^h - 1 <= h u / (1 - h u): so (1 - p u) ((1 + u)^h - 1) <= p u where h <= p and p u < 1.
  bool shows_by_quotient(const Polynomial& difference, const Growth& one) {
    const Polynomial factor = difference.coefficient(one.variable, 1) * Polynomial(-1);
    const Polynomial rest = whole_number(1) - factor;
    const Polynomial p = rest.coefficient(unit_variable, 1);
    if (!(p * claim_unit() == rest) || p.degree(unit_variable) > 0 || !is_not_negative(p - one.height.high))
      return false;
    return shows_growth(difference.coefficient(one.variable, 0) - p * claim_unit());
  }

  /// The growth factor of a height that is one small number.
  static std::optional<Polynomial> expanded(const HeightRange& height) {
    const auto low = height.low.constant();
    if (!low || !(height.low == height.high) || *low > 64) return std::nullopt;
    Polynomial out(1);
    for (long k = 0; k < *low; ++k) out = out * (whole_number(1) + claim_unit());
    return out - whole_number(1);
  }

  bool is_not_negative(const Polynomial& value) {
    if (std::ranges::any_of(claim_.assumed, [&](const Polynomial& known) { return known == value; })) return true;
    if (value.degree(log_variable) > 1) return false;
    // Linear in the logarithm, so that its ends decide: ceil(log2 n) is at least that of the first n, and at most that
    // and 1 + 3/2 (n - first) / first more, because log2 x <= 3/2 (x - 1) for x >= 1.
    if (value.degree(log_variable) == 1) {
      const Polynomial least = whole_number(min_height(from_));
      const Polynomial most =
          least + (from_ == 1
                       ? claim_leaves() - whole_number(1)
                       : whole_number(1) + (claim_leaves() - whole_number(from_)) *
                                               Polynomial(mpq_class(3) / mpq_class(static_cast<long>(2 * from_))));
      return is_not_negative(value.with(log_variable, least)) && is_not_negative(value.with(log_variable, most));
    }
    Polynomial shifted = value;
    for (std::size_t k = 0; k < claim_.sizes; ++k) {
      const std::size_t size = first_size + k;
      shifted = shifted.with(size, Polynomial::variable(size) + whole_number(k == 0 ? from_ : 1));
    }
    return in_bernstein_basis(shifted, 0, mpq_class(1, 2), 6);
  }

  /// Whether no coefficient is negative for low <= u <= high, or for both halves of it.
  static bool in_bernstein_basis(const Polynomial& value, const mpq_class& low, const mpq_class& high, int halvings) {
    const unsigned degree = value.degree(unit_variable);
    // In t from 0 to 1, with u = low + (high - low) t.
    const Polynomial scaled =
        value.with(unit_variable, Polynomial(low) + Polynomial(mpq_class(high - low)) * claim_unit());
    std::vector<Polynomial> parts;
    for (unsigned k = 0; k <= degree; ++k) parts.push_back(scaled.coefficient(unit_variable, k));
    bool good = true;
    for (unsigned i = 0; i <= degree && good; ++i) {
      Polynomial sum;
      mpq_class weight = 1;  // binomial(i, k) / binomial(degree, k)
      for (unsigned k = 0; k <= i; ++k) {
        sum = sum + parts[k] * Polynomial(weight);
        if (k < i) weight *= mpq_class(i - k) / mpq_class(degree - k);
      }
      good = std::ranges::all_of(sum.terms(), [](const auto& term) { return term.second >= 0; });
    }
    if (good || halvings == 0) return good;
    const mpq_class middle = (low + high) / 2;
    return in_bernstein_basis(value, low, middle, halvings - 1) &&
           in_bernstein_basis(value, middle, high, halvings - 1);
  }

  const GrowthClaim& claim_;
  const std::int64_t from_;
  const std::size_t first_atom_;
  int steps_ = 0;
};

}  // namespace

bool is_shown(const GrowthClaim& claim, std::int64_t from) { return Prover(claim, from).shows(claim.difference); }

}  // namespace reckon::ir
