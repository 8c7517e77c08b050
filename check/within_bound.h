// `check f ~ g within bound`: does rounding explain the difference of two results?
//
// Both sides are evaluated under `bound`; an element passes if |f - g| is at most the sum of the two proven bounds, in
// exact rationals. A closed side that no circuit computes (a loaded tensor, a list) has no order that we know: its
// allowance is what any order of the other side's sums may err, under `bound(any)`. So is that of a side whose sums are
// `by any`: one order's result, and the bound of them all.
#pragma once

#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"

namespace reckon::check {

/// A closed circuit that only picks, places and converts numbers that were there before.
bool is_plain(const ir::Module& module, const ir::Function& function);
/// A result as `float` shows it.
interp::Rendering as_float(std::uint64_t bits, ir::Scalar scalar);

class WithinBound {
 public:
  /// What one pair of results amounts to; `no` with the element that exceeds its allowance by most.
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
  };

  /// Or why the question has no meaning here.
  static Expected<WithinBound> make(ir::Module& module, const frontend::ElaboratedItem& item,
                                    const interp::Semantics& semantics);

  Expected<Finding> compare(const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                            const interp::EvaluateOptions& options);

  /// Whether a side stands for more orders than one.
  bool any_order() const { return any_order_ != nullptr; }

 private:
  void describe(Finding& out, const mpq_class& left, const mpq_class& right, const mpq_class& any_order,
                const std::optional<mpq_class>& difference) const;

  WithinBound(ir::Module& module, const frontend::ElaboratedItem& item) : module_(&module), item_(&item) {}

  ir::Module* module_;
  const frontend::ElaboratedItem* item_;
  interp::Semantics& semantics_of(bool open) { return open ? *any_order_ : *bound_; }

  bool left_plain_ = false, right_plain_ = false;  ///< computed by no circuit
  bool left_open_ = false, right_open_ = false;    ///< sums `by any`, `any_tree`, `any_seq`
  std::unique_ptr<interp::Semantics> bound_, any_order_;
};

}  // namespace reckon::check
