#include "semantics/accept/orders.h"

#include <algorithm>

#include "interp/algebra/directed.h"
#include "ir/op.h"
#include "semantics/accept/primitives.h"
#include "semantics/accept/sound.h"

namespace reckon::interp::accept {

namespace {

using directed::add_down, directed::add_up, directed::mul_up;
using ir::Op;
using ir::ScheduleOp;

class Folds {
 public:
  Folds(const Engine& engine, Op op, ir::Scalar scalar, const std::vector<Answers>& leaves)
      : engine_(engine), op_(op), scalar_(scalar), leaves_(leaves), n_(leaves.size()) {}

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

  Answers all_trees() {
    std::vector<Answers> of(std::size_t{1} << n_);
    for (std::size_t set = 1; set < of.size(); ++set) {
      if ((set & (set - 1)) == 0) {
        of[set] = leaves_[static_cast<std::size_t>(std::countr_zero(set))];
        continue;
      }
      for (std::size_t left = (set - 1) & set; left != 0; left = (left - 1) & set)
        span(of[set], joined(of[left], of[set & ~left]));
    }
    return of.back();
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
    std::vector<Answers> of(n_ + 1);
    of[1] = any;
    for (std::size_t k = 2; k <= n_; ++k) {
      for (std::size_t left = trees ? 1 : k - 1; left < k; ++left) span(of[k], joined(of[left], of[k - left]));
    }
    return of[n_];
  }

  /// The error of an addition is at most one unit u of its result or, if it may be flushed, less than the least
  /// normal number for each operand and the result. So the error of a partial sum of leaves with Sum |x| = A is at most
  /// A ((1 + u)^(n-1) - 1), whatever the tree (Higham, "Accuracy and Stability of Numerical Algorithms", 4.2).
  Answers bounded_sum(const Setting& setting) {
    Interval sum{0, 0};
    double size = 0;
    for (const Answers& leaf : leaves_) {
      if (leaf.unbounded) return leaf;
      if (leaf.nan || leaf.count == 0) return anything_but_nothing(leaf);
      const Interval x = sound::input(setting, leaf.hull());
      if (!setting.kind.is_finite(x)) return overflow(setting);
      sum = {add_down(sum.low, x.low), add_up(sum.high, x.high)};
      size = add_up(size, std::max(-x.low, x.high));
    }
    double growth = 1, power = add_up(1, setting.kind.unit);
    for (std::size_t k = n_ - 1; k != 0; k /= 2, power = mul_up(power, power)) {
      if (k % 2 != 0) growth = mul_up(growth, power);
    }
    const double flush =
        setting.flushes() ? mul_up(mul_up(3 * static_cast<double>(n_), setting.kind.min_normal), growth) : 0;
    const double error = add_up(mul_up(size, add_up(growth, -1)), flush);
    if (!(add_up(size, error) <= setting.kind.largest)) return overflow(setting);
    return sound::rounded(setting, {add_down(sum.low, -error), add_up(sum.high, error)});
  }

 private:
  static Answers anything_but_nothing(const Answers& leaf) {
    Answers out = Answers::of({-infinity, infinity});
    out.nan = leaf.nan || leaf.count == 0;
    return out;
  }
  static Answers overflow(const Setting& setting) {
    if (setting.indeterminate) return Answers::anything(Cause::overflow, setting.operation);
    Answers out = Answers::of({-infinity, infinity});
    out.nan = true;
    return out;
  }

  Answers joined(const Answers& a, const Answers& b) {
    if (fault) return a;
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
};

}  // namespace

std::optional<Fault> fold_all_orders(const Engine& engine, Op op, ScheduleOp orders, ir::Scalar scalar,
                                     const std::vector<Answers>& leaves, Answers& out) {
  const std::size_t n = leaves.size();
  Folds folds(engine, op, scalar, leaves);
  const Rule* rule = engine.rules().rule(op, scalar);
  bool rounds = rule != nullptr && rule->choices.size() == 1;
  if (rounds) {
    const auto& pieces = rule->choices[0].pieces;
    rounds = pieces.size() == 1 && pieces[0].domains.empty() &&
             (pieces[0].kind == Piece::Kind::rounded || pieces[0].kind == Piece::Kind::exact);
  }
  if (orders == ScheduleOp::any_seq && n <= 10) out = folds.left_folds();
  else if (orders == ScheduleOp::any && n <= 7) out = folds.all_trees();
  else if (orders == ScheduleOp::any_tree && n <= 64) out = folds.trees_in_place();
  else if (rounds && (op == Op::min || op == Op::max)) out = folds.in_line();
  else if (rounds && op == Op::add) out = folds.bounded_sum(engine.rules().setting(scalar, operation_number(op)));
  else out = folds.of_any_leaves(orders != ScheduleOp::any_seq);
  return std::move(folds.fault);
}

}  // namespace reckon::interp::accept
