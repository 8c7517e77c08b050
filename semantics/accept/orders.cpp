#include "semantics/accept/orders.h"

#include <algorithm>

#include "interp/algebra/directed.h"
#include "ir/op.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/rewriter.h"
#include "semantics/accept/sound.h"

namespace reckon::interp::accept {

namespace {

using directed::add_down, directed::add_up, directed::mul_up;
using ir::Op;
using ir::ScheduleOp;

class Folds {
 public:
  /// `rewriter`: what makes an addition of a product; null: nothing is rewritten.
  Folds(const Engine& engine, Op op, ir::Scalar scalar, const std::vector<Answers>& leaves, Rewriter* rewriter)
      : engine_(engine),
        op_(op),
        scalar_(scalar),
        leaves_(leaves),
        n_(leaves.size()),
        rewriter_(op == Op::add || op == Op::sub ? rewriter : nullptr) {}

  std::optional<Fault> fault;

  /// By subsets: the hull of all left folds of a subset's leaves. Interval operations are monotone in the endpoints, so
  /// the endpoints of the hull belong to some order.
  Answers left_folds() {
    std::vector<Answers> of(std::size_t{1} << n_);
    for (std::size_t set = 1; set < of.size(); ++set) {
      for (std::size_t last = 0; last < n_; ++last) {
        const std::size_t bit = std::size_t{1} << last;
        if ((set & bit) == 0) continue;
        span(of[set], set == bit ? leaves_[last] : joined(of[set & ~bit], leaves_[last]));
      }
    }
    return of.back();
  }

  /// The answers of each subset's leaves. `apart`: as alternatives, where there is room for them.
  std::vector<Answers> all_trees(bool apart = false) {
    std::vector<Answers> of(std::size_t{1} << n_);
    for (std::size_t set = 1; set < of.size(); ++set) {
      if ((set & (set - 1)) == 0) {
        of[set] = leaves_[static_cast<std::size_t>(std::countr_zero(set))];
        continue;
      }
      for (std::size_t left = (set - 1) & set; left != 0; left = (left - 1) & set) {
        const Answers one = joined(of[left], of[set & ~left]);
        if (apart) unite(of[set], one, true);
        else span(of[set], one);
      }
    }
    return of;
  }

  Answers trees_in_place() {
    std::vector<std::vector<Answers>> of(n_, std::vector<Answers>(n_));  // from, to
    for (std::size_t i = 0; i < n_; ++i) of[i][i] = leaves_[i];
    for (std::size_t length = 2; length <= n_; ++length) {
      for (std::size_t from = 0; from + length <= n_; ++from) {
        const std::size_t to = from + length - 1;
        for (std::size_t cut = from; cut < to; ++cut) span(of[from][to], joined(of[from][cut], of[cut + 1][to]));
      }
    }
    return of[0][n_ - 1];
  }

  Answers in_line() {
    Answers out = leaves_[0];
    for (std::size_t i = 1; i < n_; ++i) out = joined(out, leaves_[i]);
    return out;
  }

  /// Bounds every order: any k leaves may be the leaves of a node with k leaves.
  Answers of_any_leaves(bool trees) {
    Answers any;
    for (const Answers& leaf : leaves_) span(any, leaf);
    any.origin = 0;
    std::vector<Answers> of(n_ + 1);
    of[1] = any;
    for (std::size_t k = 2; k <= n_; ++k) {
      for (std::size_t left = trees ? 1 : k - 1; left < k; ++left) span(of[k], joined(of[left], of[k - left]));
      // `any` has forgotten which leaves are products.
      if (rewriter_ == nullptr) continue;
      for (const Answers& leaf : leaves_) span(of[k], joined(leaf, k == 2 ? any : of[k - 1]));
      for (std::size_t a = 0; k == 2 && a < n_; ++a) {
        for (std::size_t b = 0; b < n_; ++b) span(of[k], joined(leaves_[a], leaves_[b]));
      }
    }
    return of[n_];
  }

  Answers bounded_sum(const Setting& setting) {
    Interval sum{0, 0};
    double size = 0;
    for (const Answers& leaf : leaves_) {
      if (leaf.unbounded) return leaf;
      if (leaf.nan || leaf.count == 0) return anything_but_nothing(leaf);
      Interval x = sound::input(setting, leaf.hull());
      if (rewriter_ != nullptr && !rewriter_->term_range(setting, leaf, x)) return beyond_numbers(setting);
      if (!setting.kind.is_finite(x)) return beyond_numbers(setting);
      sum = {add_down(sum.low, x.low), add_up(sum.high, x.high)};
      size = add_up(size, std::max(-x.low, x.high));
    }
    return sum_in_any_order(setting, sum, size, n_, rewriter_ != nullptr);
  }

 private:
  static Answers anything_but_nothing(const Answers& leaf) {
    Answers out = Answers::of({-infinity, infinity});
    out.nan = leaf.nan || leaf.count == 0;
    return out;
  }

  Answers joined(const Answers& a, const Answers& b) {
    if (fault) return a;
    if (rewriter_ != nullptr) {
      Answers out;
      fault = rewriter_->contracted(op_, scalar_, a, b, out);
      return out;
    }
    const Operand operands[2] = {{&a, 0}, {&b, 0}};
    Answers out;
    fault = engine_.apply(op_, scalar_, scalar_, operands, &out, 0, 1, 1);
    return out;
  }

  const Engine& engine_;
  Op op_;
  ir::Scalar scalar_;
  const std::vector<Answers>& leaves_;
  std::size_t n_;
  Rewriter* rewriter_;
};

}  // namespace

double growth_of_errors(double unit, std::size_t roundings) {
  double growth = 1, power = add_up(1, unit);
  for (std::size_t k = roundings; k != 0; k /= 2, power = mul_up(power, power)) {
    if (k % 2 != 0) growth = mul_up(growth, power);
  }
  return growth;
}

Answers beyond_numbers(const Setting& setting) {
  if (setting.indeterminate) return Answers::anything(Cause::overflow, setting.operation);
  Answers out = Answers::of({-infinity, infinity});
  out.nan = true;
  return out;
}

bool rounds_once(const Engine& engine, Op op, ir::Scalar scalar) {
  const Rule* rule = engine.rules().rule(op, scalar);
  if (rule == nullptr || rule->choices.size() != 1) return false;
  const auto& pieces = rule->choices[0].pieces;
  return pieces.size() == 1 && pieces[0].domains.empty() &&
         (pieces[0].kind == Piece::Kind::rounded || pieces[0].kind == Piece::Kind::exact);
}

bool adds_by_rounding(const Engine& engine, ir::Scalar scalar) {
  return rounds_once(engine, Op::add, scalar) && rounds_once(engine, Op::sub, scalar) &&
         (!engine.rules().profile().contracts() || rounds_once(engine, Op::fma, scalar));
}

/// The error of an addition is at most one unit u of its result or, if it may be flushed, less than the least normal
/// number for each operand and the result. So the error of a partial sum of terms with Sum |x| = A is at most
/// A ((1 + u)^(n-1) - 1), whatever the tree (Higham, "Accuracy and Stability of Numerical Algorithms", 4.2). An fma is
/// such an addition of a product that was not rounded, but a subnormal result of it may be rounded, too.
Answers sum_in_any_order(const Setting& setting, const Interval& sum, double size, std::size_t terms, bool contracts) {
  const double growth = growth_of_errors(setting.kind.unit, terms - 1);
  const double tiny = setting.flushes() ? 3 * setting.kind.min_normal : contracts ? setting.kind.least : 0;
  const double error =
      add_up(mul_up(size, add_up(growth, -1)), mul_up(mul_up(static_cast<double>(terms), tiny), growth));
  if (!(add_up(size, error) <= setting.kind.largest)) return beyond_numbers(setting);
  return sound::rounded(setting, {add_down(sum.low, -error), add_up(sum.high, error)});
}

std::optional<Fault> fold_subsets(const Engine& engine, Op op, ir::Scalar scalar, const std::vector<Answers>& leaves,
                                  Rewriter* rewriter, std::vector<Answers>& out) {
  Folds folds(engine, op, scalar, leaves, rewriter);
  out = folds.all_trees(true);
  return std::move(folds.fault);
}

std::optional<Fault> fold_any_leaves(const Engine& engine, Op op, ir::Scalar scalar, const std::vector<Answers>& leaves,
                                     Rewriter* rewriter, Answers& out) {
  Folds folds(engine, op, scalar, leaves, rewriter);
  out = folds.of_any_leaves(true);
  return std::move(folds.fault);
}

std::optional<Fault> fold_all_orders(const Engine& engine, Op op, ScheduleOp orders, ir::Scalar scalar,
                                     const std::vector<Answers>& leaves, Rewriter* rewriter, Answers& out) {
  const std::size_t n = leaves.size();
  Folds folds(engine, op, scalar, leaves, rewriter);
  const bool rounds = rewriter != nullptr && op == Op::add ? adds_by_rounding(engine, scalar)
                                                           : rounds_once(engine, op, scalar);
  if (orders == ScheduleOp::any_seq && n <= 10) out = folds.left_folds();
  else if (orders == ScheduleOp::any && n <= 7) out = folds.all_trees().back();
  else if (orders == ScheduleOp::any_tree && n <= 64) out = folds.trees_in_place();
  else if (rounds && (op == Op::min || op == Op::max)) out = folds.in_line();
  else if (rounds && op == Op::add) out = folds.bounded_sum(engine.rules().setting(scalar, operation_number(op)));
  else out = folds.of_any_leaves(orders != ScheduleOp::any_seq);
  return std::move(folds.fault);
}

}  // namespace reckon::interp::accept
