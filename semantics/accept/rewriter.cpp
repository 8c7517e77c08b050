#include "semantics/accept/rewriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnostics/codes/too_large.h"
#include "interp/algebra/directed.h"
#include "ir/op.h"
#include "semantics/accept/orders.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/sound.h"

namespace reckon::interp::accept {

using directed::add_down, directed::add_up, directed::mul_down, directed::mul_up;
using ir::Op;

namespace {

Interval product_range(const Interval& a, const Interval& b) {
  return {std::min({mul_down(a.low, b.low), mul_down(a.low, b.high), mul_down(a.high, b.low), mul_down(a.high, b.high)}),
          std::max({mul_up(a.low, b.low), mul_up(a.low, b.high), mul_up(a.high, b.low), mul_up(a.high, b.high)})};
}
double size_of(const Interval& x) { return std::max(-x.low, x.high); }
/// Products and sums that are remembered, some 200 bytes each.
constexpr std::size_t most_made = 1 << 22;
/// Terms of a chain of operations that do more than round once, which are enclosed one by one.
constexpr std::size_t most_any_leaves = 64;

Fault too_long() {
  return {code::too_large,
          fmt::format("`reassociate may` encloses chains of up to {} operations where these do more than round once",
                      most_any_leaves),
          "state that they are `rounded` or `exact`, or ask about smaller sizes"};
}

Interval opposite_range(const Interval& x) { return {-x.high + 0.0, -x.low + 0.0}; }

/// The answers of one number for which nothing stands in the way of computing with it: all finite.
bool finite_range(const Setting& setting, const Answers& value, Interval& out) {
  if (value.unbounded || value.nan || value.count == 0) return false;
  out = sound::input(setting, value.hull());
  return setting.kind.is_finite(out);
}

}  // namespace

Rewriter::Rewriter(const Engine& engine)
    : engine_(engine),
      contracts_(engine.rules().profile().contracts()),
      reassociates_(engine.rules().profile().reassociates()) {}

bool Rewriter::follows(Op op) { return op == Op::add || op == Op::sub || op == Op::mul || op == Op::neg; }

const Rewriter::Made* Rewriter::product(const Answers& value) const {
  const Made* how = made(value);
  return how != nullptr && how->op == Op::mul ? how : nullptr;
}

/// The chain of additions or of multiplications that a value is.
const Rewriter::Made* Rewriter::chain(Op op, const Answers& value) const {
  const Made* how = made(value);
  return how != nullptr && (how->op == Op::mul) == (op == Op::mul) ? how : nullptr;
}

Answers Rewriter::remembered(Answers value, Made how) {
  made_.push_back(std::move(how));
  value.origin = static_cast<std::uint32_t>(made_.size());
  return value;
}

/// -value, exactly, with its factors if it is a product.
Answers Rewriter::negated(const Answers& value) {
  Answers out = value;
  out.origin = 0;
  for (std::size_t k = 0; k < out.count; ++k) out.parts[k] = opposite_range(value.parts[k]);
  if (const Made* how = product(value)) {
    Made opposite = *how;
    opposite.left = negated(opposite.left);
    opposite.reals = opposite_range(opposite.reals);
    return remembered(out, std::move(opposite));
  }
  return out;
}

bool Rewriter::term_range(const Setting& setting, const Answers& term, Interval& out) const {
  if (!finite_range(setting, term, out)) return false;
  const Made* how = contracts_ ? product(term) : nullptr;
  if (how == nullptr) return true;
  Interval exact;
  if (reassociates_) {
    if (!any_order_product(setting, *how, exact)) return false;
  } else {
    Interval left, right;
    if (!finite_range(setting, how->left, left) || !finite_range(setting, how->right, right)) return false;
    exact = product_range(left, right);
  }
  out = hull(out, exact);
  return true;
}

/// What is known of all terms or factors of the two operands together.
Rewriter::Made Rewriter::joined_chain(Op op, ir::Scalar scalar, const Answers& a, const Answers& b) const {
  const Setting setting = engine_.rules().setting(scalar, operation_number(op));
  Made out{op, scalar, a, b};
  out.known = true;
  for (const Answers* value : {&a, &b}) {
    const Made* how = chain(op, *value);
    Made one;
    if (how != nullptr) {
      one = *how;
    } else {
      one.count = 1;
      one.known = op == Op::mul ? finite_range(setting, *value, one.reals) : term_range(setting, *value, one.reals);
      one.size = op == Op::mul ? std::max(1.0, size_of(one.reals)) : size_of(one.reals);
    }
    if (op == Op::sub && value == &b) one.reals = opposite_range(one.reals);
    if (value == &a) {
      out.reals = one.reals;
      out.size = one.size;
    } else if (op == Op::mul) {
      out.reals = product_range(out.reals, one.reals);
      out.size = mul_up(out.size, one.size);
    } else {
      out.reals = {add_down(out.reals.low, one.reals.low), add_up(out.reals.high, one.reals.high)};
      out.size = add_up(out.size, one.size);
    }
    out.known &= one.known;
    out.count += one.count;
  }
  return out;
}

/// The real numbers that lie near the product of the factors, which are multiplied in any order but for the last
/// multiplication, or that one included. Each multiplication errs by at most one unit of its result, or by less than
/// `tiny` where that is subnormal or may be flushed, and what is multiplied to it later is at most `size` times the
/// errors of these multiplications.
bool Rewriter::any_order_product(const Setting& setting, const Made& chain, Interval& out) const {
  if (!chain.known || !std::isfinite(chain.size)) return false;
  const double growth = growth_of_errors(setting.kind.unit, chain.count - 1);
  const double tiny = setting.flushes() ? 3 * setting.kind.min_normal : setting.kind.least;
  const double error = add_up(mul_up(size_of(chain.reals), add_up(growth, -1)),
                              mul_up(mul_up(static_cast<double>(chain.count), tiny), mul_up(chain.size, growth)));
  out = {add_down(chain.reals.low, -error), add_up(chain.reals.high, error)};
  // No partial product is larger than this.
  return mul_up(chain.size, growth) <= setting.kind.largest;
}

void Rewriter::factors(const Answers& value, std::vector<Answers>& out) const {
  const Made* how = product(value);
  if (how == nullptr) {
    out.push_back(value);
    return;
  }
  factors(how->left, out);
  factors(how->right, out);
}

void Rewriter::terms(const Answers& value, bool negative, std::vector<Answers>& out) {
  const Made* found = chain(Op::add, value);
  if (found == nullptr) {
    out.push_back(negative ? negated(value) : value);
    return;
  }
  const Made how = *found;
  terms(how.left, negative != (how.op == Op::neg), out);
  if (how.op != Op::neg) terms(how.right, negative != (how.op == Op::sub), out);
}

/// All ways to write a product as one of two factors, which an fma multiplies exactly.
std::optional<Fault> Rewriter::factorings(const Answers& value, std::vector<Factors>& out) {
  const Made how = *product(value);
  if (!reassociates_ || how.count == 2) {
    out.emplace_back(how.left, how.right);
    return std::nullopt;
  }
  std::vector<Answers> all;
  factors(value, all);
  std::vector<Answers> of;
  if (auto fault = fold_subsets(engine_, Op::mul, how.scalar, all, nullptr, of)) return fault;
  for (std::size_t set = 1; set + 1 < of.size(); ++set) {
    if ((set & 1) != 0) out.emplace_back(of[set], of[of.size() - 1 - set]);
  }
  return std::nullopt;
}

/// What fma gives for a product (or its negative) and an addend, for each way to write the product.
std::optional<Fault> Rewriter::fused(ir::Scalar scalar, const Answers& value, bool negative, const Answers& addend,
                                     Answers& out) {
  const Made* how = product(value);
  if (how == nullptr) return std::nullopt;
  if (reassociates_ && how->count > most_terms) {
    const Setting setting = engine_.rules().setting(scalar, operation_number(Op::add));
    Interval exact, other;
    const bool known = adds_by_rounding(engine_, scalar) && any_order_product(setting, *how, exact) &&
                       finite_range(setting, addend, other);
    if (negative) exact = opposite_range(exact);
    unite(out,
          known ? sound::rounded(setting, {add_down(exact.low, other.low), add_up(exact.high, other.high)})
                : beyond_numbers(setting),
          true);
    return std::nullopt;
  }
  std::vector<Factors> ways;
  if (auto fault = factorings(value, ways)) return fault;
  for (const auto& [left, right] : ways) {
    const Answers factor = negative ? negated(left) : left;
    const Operand operands[3] = {{&factor, 0}, {&right, 0}, {&addend, 0}};
    Answers one;
    if (auto fault = engine_.apply(Op::fma, scalar, scalar, operands, &one, 0, 1, 1)) return fault;
    one.origin = 0;
    unite(out, one, true);
  }
  return std::nullopt;
}

std::optional<Fault> Rewriter::contracted(Op op, ir::Scalar scalar, const Answers& a, const Answers& b, Answers& out) {
  const Operand operands[2] = {{&a, 0}, {&b, 0}};
  Answers all;
  if (auto fault = engine_.apply(op, scalar, scalar, operands, &all, 0, 1, 1)) return fault;
  all.origin = 0;
  if (contracts_ && (op == Op::add || op == Op::sub)) {
    const Answers addend = op == Op::sub ? negated(b) : b;
    if (auto fault = fused(scalar, a, false, addend, all)) return fault;
    if (auto fault = fused(scalar, b, op == Op::sub, a, all)) return fault;
  }
  out = all;
  return std::nullopt;
}

std::optional<Fault> Rewriter::sum(Op op, ir::Scalar scalar, const Answers& a, const Answers& b, Answers& out) {
  if (!reassociates_) return contracted(op, scalar, a, b, out);
  Made how = joined_chain(op, scalar, a, b);
  const Setting setting = engine_.rules().setting(scalar, operation_number(op));
  Answers all;
  if (how.count <= most_terms) {
    std::vector<Answers> leaves, of;
    terms(a, false, leaves);
    terms(b, op == Op::sub, leaves);
    if (auto fault = fold_subsets(engine_, Op::add, scalar, leaves, this, of)) return fault;
    all = of.back();
  } else if (adds_by_rounding(engine_, scalar)) {
    all = how.known ? sum_in_any_order(setting, how.reals, how.size, how.count, contracts_) : beyond_numbers(setting);
  } else if (how.count > most_any_leaves) {
    return too_long();
  } else {
    std::vector<Answers> leaves;
    terms(a, false, leaves);
    terms(b, op == Op::sub, leaves);
    if (auto fault = fold_any_leaves(engine_, Op::add, scalar, leaves, this, all)) return fault;
  }
  all.origin = 0;
  out = remembered(all, std::move(how));
  return full();
}

std::optional<Fault> Rewriter::times(ir::Scalar scalar, const Answers& a, const Answers& b, Answers& out) {
  Made how = joined_chain(Op::mul, scalar, a, b);
  const Setting setting = engine_.rules().setting(scalar, operation_number(Op::mul));
  Answers all;
  if (!reassociates_ || how.count == 2) {
    const Operand operands[2] = {{&a, 0}, {&b, 0}};
    if (auto fault = engine_.apply(Op::mul, scalar, scalar, operands, &all, 0, 1, 1)) return fault;
  } else if (how.count <= most_terms) {
    std::vector<Answers> leaves, of;
    factors(a, leaves);
    factors(b, leaves);
    if (auto fault = fold_subsets(engine_, Op::mul, scalar, leaves, nullptr, of)) return fault;
    all = of.back();
  } else if (Interval reals; rounds_once(engine_, Op::mul, scalar)) {
    all = any_order_product(setting, how, reals) ? sound::rounded(setting, reals) : beyond_numbers(setting);
  } else if (how.count > most_any_leaves) {
    return too_long();
  } else {
    std::vector<Answers> leaves;
    factors(a, leaves);
    factors(b, leaves);
    if (auto fault = fold_any_leaves(engine_, Op::mul, scalar, leaves, nullptr, all)) return fault;
  }
  all.origin = 0;
  out = remembered(all, std::move(how));
  return full();
}

/// Where more is remembered than memory should hold, the evaluation ends: a value that is not followed would have too few
/// answers.
std::optional<Fault> Rewriter::full() const {
  if (made_.size() <= most_made) return std::nullopt;
  return Fault{code::too_large,
               fmt::format("`{}` lets compilers rewrite sums and products, and there are too many of them to follow",
                           engine_.rules().profile().name),
               "ask about smaller sizes, or give a check fewer of them: `for n: {100}`, `trials 10`"};
}

std::optional<Fault> Rewriter::apply(Op op, ir::Scalar scalar, const Answers* const* operands, Answers& out) {
  const Answers a = *operands[0];
  switch (op) {
    case Op::mul: return times(scalar, a, *operands[1], out);
    case Op::add:
    case Op::sub: return sum(op, scalar, a, Answers(*operands[1]), out);
    default: break;
  }
  const Operand operand[1] = {{&a, 0}};
  Answers value;
  if (auto fault = engine_.apply(Op::neg, scalar, scalar, operand, &value, 0, 1, 1)) return fault;
  value.origin = negated(a).origin;
  if (const Made* sum = chain(Op::add, a)) {
    Made how = *sum;
    how.op = Op::neg;
    how.left = a;
    how.reals = opposite_range(how.reals);
    out = remembered(value, std::move(how));
    return full();
  }
  out = value;
  return std::nullopt;
}

}  // namespace reckon::interp::accept
