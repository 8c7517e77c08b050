// A bound on a circuit's rounding error over one box.
//
// Let v be the real value of a node and v + d its float. Each operation gives
//
//   d = sum of the operands' d, each times a derivative at the reals, + e + r
//
// exactly: e is the error of the node's own rounding, and r what the derivatives leave, which is of the second order
// (for a product it is the product of the two d). Solved from the inputs to the result this is
//
//   d of the result = sum over all nodes of a (e + r)
//
// with a the derivative of the result with respect to the node, at the reals. So |d| is at most the maximum over the
// box of sum |a| (|e| + |r|), in which every |e| is at most half a unit of the binade of the node's value. The
// derivatives and the values are enclosed by intervals and by affine forms, and the sum is enclosed as a whole, so that
// derivatives that are large at different inputs do not add up (A. Solovyev et al., "Rigorous estimation of
// floating-point round-off errors with symbolic Taylor expansions", ACM TOPLAS 41(1), 2018). Rounded constants have
// known errors, which are added with their signs.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "worst/circuit.h"
#include "worst/forms.h"
#include "worst/intervals.h"

namespace reckon::worst {

/// Why nothing is known of a box.
enum class Reason : std::uint8_t {
  division_by_zero,
  outside_domain,
  overflow,
  unbounded,  ///< a derivative is not bounded
  no_rule     ///< the analysis does not know the operation
};
std::string_view reason_text(Reason reason);
struct Obstacle {
  NodeNumber node = 0;
  Reason reason{};
};

/// What an input is.
enum class Inputs : std::uint8_t {
  floats,  ///< numbers of their formats
  reals    ///< reals, which are rounded to their formats first: these roundings count
};

/// What is asked of a circuit's result.
struct Question {
  Inputs inputs = Inputs::floats;
  /// The result's own value counts, too: it is a difference of two results, of which the size is asked.
  bool with_value = false;
  std::vector<std::uint32_t> conditions =
      {};  ///< inputs for which one of them does not hold, in reals, are not asked about
};

using Box = std::vector<Interval>;

struct BoxBound {
  bool excluded = false;             ///< no inputs of the box are asked about
  std::optional<Obstacle> obstacle;  ///< nothing is known: there is no bound
  double error = 0;                  ///< the result's float differs from its real by no more
  Interval value{};                  ///< of the real result
  double drift = 0;                  ///< the first bound on the error, operation by operation
};

/// Evaluates boxes of one circuit, one after the other.
class BoxBounds {
 public:
  /// `output`: the number of the result. `inputs`: all that is asked about; boxes are parts of it. `forms`: whether
  /// affine forms are kept; without them the time does not grow with the number of inputs.
  BoxBounds(const Circuit& circuit, NodeNumber output, const Question& question, const Box& inputs, bool forms);

  BoxBound bound(const Box& box);

  // Of the last box that had a bound.
  /// An affine upper bound of the error over the box, in the symbols of `symbol_inputs`; null if there is none.
  const double* error_form() const { return has_error_form_ ? total_.data() : nullptr; }
  const Forms& forms() const { return forms_; }
  /// How much each input's range contributes to what the bound is above the error: where to cut the box, which is the
  /// last one that was evaluated. Needs forms.
  const std::vector<double>& cut_scores(const Box& box);
  /// The share of a node in the error.
  double share(NodeNumber node) const;
  /// The cost of one box, in operations on one node with one symbol, some nanoseconds each.
  double cost() const { return cost_; }

 private:
  struct Facts {
    Interval value{};   ///< the real
    Interval floats{};  ///< the float
    double drift = 0;   ///< |float - real| is no more
    double made = 0;    ///< the error of its own rounding and what is of the second order
    int place = 0;      ///< the float is a multiple of 2^place
    /// Nothing is known of it, which matters where a selection may take it: one more than the node that is the cause.
    NodeNumber cause = 0;
    bool flat = false;  ///< all of the operand's error is in `made`
  };
  /// What long sums of products do not need: it stands apart, so that their nodes take little memory.
  struct More {
    Interval slope{};         ///< functions: an enclosure of the derivative that the errors meet
    Interval second_slope{};  ///< the same with respect to the second operand
    double cut_by = 0;        ///< `made` would be less in a part of the box
  };
  struct Found : Facts, More {};
  /// A condition of reals and of floats; `agree`: the two are the same, whatever they are.
  struct Decided {
    interp::Truth reals{}, floats{};
    bool agree = false;
  };

  double* form(NodeNumber node) { return values_.data() + node * forms_.stride(); }
  double* slope_form(NodeNumber node) { return slopes_.data() + node * forms_.stride(); }
  double* adjoint_form(NodeNumber node) { return adjoint_forms_.data() + node * forms_.stride(); }

  Facts& facts_of(NodeNumber node) { return facts_[facts_at_[node]]; }
  const Facts& facts_of(NodeNumber node) const { return facts_[facts_at_[node]]; }
  More& more_of(NodeNumber node) { return more_[facts_at_[node]]; }
  /// Gives nodes that are sure to have the same facts one place for them. The first node of a place is computed.
  void share_facts(const Box& box);
  /// Which nodes vary over the box of all inputs, and which inputs are exact.
  void look_at(const Box& inputs);
  std::optional<Reason> node(NodeNumber number, const Box& box);
  /// The range, as far as the form allows.
  Interval narrowed(const Interval& range, const double* form) const {
    if (!with_forms_ || !forms_.known(form)) return range;
    return intersection(range, {forms_.lower(form), forms_.upper(form)});
  }
  /// A form of any number in the range, until the next one is asked for; null without forms.
  const double* form_of(const Interval& range) {
    if (!with_forms_) return nullptr;
    double* out = scratch_.data() + forms_.stride();
    forms_.set(out, range.low, range.high);
    return out;
  }
  bool inherits_cause(NodeNumber number);
  Decided decided(std::uint32_t condition) const;
  void selection(NodeNumber number);
  std::optional<Reason> input(NodeNumber number, const Box& box);
  void flush(NodeNumber number);
  void constant(NodeNumber number);
  std::optional<Reason> operation(NodeNumber number);
  std::optional<Reason> block(NodeNumber number);
  std::optional<Reason> arithmetic(NodeNumber number, Found& out, double& carried);
  std::optional<Reason> quotient(NodeNumber number, Found& out, double& carried);
  std::optional<Reason> function(NodeNumber number, numerics::Function f, Found& out, double& carried);
  std::optional<Reason> choice(NodeNumber number, Found& out, double& carried);
  std::optional<Reason> function_of_two(NodeNumber number, numerics::BinaryFunction f, Found& out, double& carried);
  void value_form_of_two(NodeNumber number, numerics::BinaryFunction f, const Found& facts);
  static bool is_step(ir::Op op);
  void step(NodeNumber number, Found& out, double& carried);
  void with_sign(NodeNumber number, Found& out, double& carried);
  std::optional<Reason> remainder(NodeNumber number, Found& out, double& carried);
  static void moves_by(double distance, Found& out, double& carried);
  void reciprocal(NodeNumber number, NodeNumber of, const Interval& range);
  /// The error of the node's rounding; `carried`: how far its operands' errors move it.
  std::optional<Reason> round(NodeNumber number, Found& facts, double carried);
  void keep(NodeNumber number, const Found& found) {
    facts_of(number) = found;
    if (has_more_) more_of(number) = found;
  }
  int digits(NodeNumber node) const;
  bool is_exact(const Node& node, const Interval& before, double& error) const;
  /// Of a sum that may be contracted: the same of an fma, and what the fma errs by at most. `place`: it is a multiple of
  /// 2^place.
  void contracted(const Node& node, const Interval& near, Interval& before, double& error, int& place) const;
  /// What the floats of the operands give before it is rounded.
  Interval before_rounding(const Node& node, const Facts& facts, double carried) const;
  const Interval& floats(NodeNumber number) const { return facts_of(number).floats; }
  /// Everything between the real and the float.
  Interval between(NodeNumber number) const { return hull(facts_of(number).value, facts_of(number).floats); }
  void tighten(NodeNumber number, Interval& range) const;

  void differentiate();
  void spread(NodeNumber number);
  void take_back(NodeNumber residual);
  void add_adjoint(NodeNumber to, const Interval& range, const double* form, double sign);
  void add_scaled(NodeNumber from, NodeNumber to, const Interval& by, const double* by_form, double sign);
  BoxBound total();
  /// total_ += at most weight |a|.
  void add_magnitude(const Interval& range, const double* form, double weight, double& sum);

  const Circuit& circuit_;
  const NodeNumber output_;
  const Question question_;
  const bool with_forms_;
  Forms forms_;
  IntervalArithmetic rules_{};
  std::vector<NodeNumber> facts_at_;  ///< where the facts of each node stand
  std::vector<Facts> facts_;
  std::vector<More> more_;       ///< beside the facts; none where nothing needs it
  std::vector<Reason> reasons_;  ///< of nodes that are causes; only where there are selections
  std::vector<Interval> adjoints_;
  std::vector<std::uint8_t> reached_;  ///< nodes on whose errors the result depends
  std::vector<double> values_, slopes_, adjoint_forms_, total_, scratch_;
  Box inputs_;
  std::vector<double> scores_, parts_;
  std::vector<std::uint64_t> depends_on_;   ///< the inputs that a node depends on, a bit each
  std::vector<std::uint8_t> exact_inputs_;  ///< those that are one number, which their formats have
  std::vector<std::uint8_t> varies_;        ///< nodes that depend on an input that is more than one number
  bool has_error_form_ = false, has_more_ = false;
  double cost_ = 0;
  static constexpr NodeNumber none = std::numeric_limits<NodeNumber>::max();
};

}  // namespace reckon::worst
