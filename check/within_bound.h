// `check f ~ g within bound`: does rounding explain the difference of two results?
//
// Both sides are evaluated under `bound`; an element passes if |f - g| is at most the sum of the two proven bounds, in
// exact rationals. A closed side that no circuit computes (a loaded tensor, a list) has no known order. Its allowance
// is the error of the other side's sums in any order, under `bound(any)`; if the check names an order or set of orders
// (`within bound by numpy`), it is the error in these. A side whose sums are `by any` has the result of one order, and
// the bound of all orders.
#pragma once

#include "check/power.h"
#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"

namespace reckon::check {

/// Whether a circuit is closed and only picks, places and converts existing numbers.
bool is_plain(const ir::Module& module, const ir::Function& function);
/// A result as `float` shows it.
interp::Rendering as_float(std::uint64_t bits, ir::Scalar scalar);

class WithinBound {
 public:
  /// The result of comparing one pair of results; `no` comes with the element that exceeds its allowance by most.
  struct Finding {
    interp::Truth truth = interp::Truth::yes;
    std::vector<std::int64_t> shape;   ///< of the result that holds the element
    std::int64_t element = 0;
    std::size_t part = 0, parts = 1;   ///< which of the results, where a circuit has several
    interp::Rendering left, right;     ///< as `float` shows them
    std::string distance;              ///< `3 ulp`
    std::string allowance;             ///< how far apart they are, and how much rounding explains
    std::string doubt;                 ///< unknown: why there is no bound
    /// The same in numbers, rounded upward: allowed, allowed_left, allowed_right, and (of two numbers) difference.
    std::vector<std::pair<std::string, std::string>> amounts;
    mpq_class largest = 0;             ///< the largest difference of elements that pass
    std::int64_t compared = 0;         ///< results
    bool any_zero = false;             ///< whether a result was 0 on both sides
    bool any_finite = false;           ///< whether a result was a number on both sides, and not 0 on both
    Allowance most;                     ///< the largest that was compared
    std::vector<Allowance> allowances;  ///< of some elements, evenly spread; none where a circuit has several results
  };

  /// Makes the comparison, or says why the question has no meaning for this check.
  static Expected<WithinBound> make(ir::Module& module, const frontend::ElaboratedItem& item,
                                    const interp::Semantics& semantics);

  Expected<Finding> compare(const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                            const interp::EvaluateOptions& options);

  /// A sentence on what a failure means.
  std::string verdict() const;
  /// Which bugs the check would have detected.
  PowerSeen power(const Finding& finding, const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                  const interp::EvaluateOptions& options);

 private:
  struct Sides;
  class Elements;
  Expected<Sides> evaluate(const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                           const interp::EvaluateOptions& options);
  void describe(Finding& out, const mpq_class& left, const mpq_class& right, const mpq_class& any_order,
                const std::optional<mpq_class>& difference) const;

  WithinBound(ir::Module& module, const frontend::ElaboratedItem& item) : module_(&module), item_(&item) {}

  ir::Module* module_;
  const frontend::ElaboratedItem* item_;
  interp::Semantics& semantics_of(bool open) { return open ? *any_order_ : *bound_; }
  const ir::Function& plain_sides_circuit() const;

  bool left_plain_ = false, right_plain_ = false;  ///< computed by no circuit
  bool left_open_ = false, right_open_ = false;    ///< sums by a set of orders
  /// The circuit that stands for the side that no circuit computes, by the order that the check names, and whether that
  /// is a set of orders. If the check names no order, it is the circuit itself in any order.
  std::optional<ir::Function> named_;
  bool loose_open_ = true;
  std::unique_ptr<interp::Semantics> bound_, any_order_;
};

}  // namespace reckon::check
