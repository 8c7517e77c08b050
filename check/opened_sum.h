// A circuit whose result is made of one sum (or product): its leaves, and what the circuit makes of other values of the
// sum. `sum i: x[i]` and a tensor of such sums are made of sums alone; a mean, a norm or a softmax is a function of
// them.
#pragma once

#include <optional>

#include "interp/evaluate.h"
#include "ir/bind.h"
#include "numerics/format.h"
#include "numerics/orders/orders.h"

namespace reckon::check {

/// A bit pattern's value.
inline double value_of(std::uint64_t bits, ir::Scalar scalar) { return numerics::widen(bits, ir::format_of(scalar)); }

class OpenedSum {
 public:
  /// Opens the circuit on these arguments under the semantics `float`. E0521 says why it is not made of one sum.
  static Expected<OpenedSum> open(ir::Module& module, const ir::Function& function,
                                  const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                                  interp::Semantics& floats, const interp::EvaluateOptions& options, SourceSpan asked,
                                  std::string_view asker);

  ir::Scalar scalar() const { return leaves_.scalar; }  ///< of the sum
  numerics::Format format() const { return ir::format_of(leaves_.scalar); }
  numerics::FoldOperation operation() const { return operation_; }
  ir::ScheduleId schedule() const { return schedule_; }
  std::int64_t length() const { return length_; }                    ///< leaves of each sum
  const std::vector<std::int64_t>& shape() const { return shape_; }  ///< of the result
  std::int64_t elements() const;                                     ///< of the result
  /// Whether the sums are the results.
  bool direct() const { return direct_; }
  /// Whether one sum serves all elements of the result.
  bool shared() const { return shared_; }

  /// The leaves of the sum that element e of the result is made of.
  std::vector<std::uint64_t> leaves(std::int64_t e) const { return row(leaves_, e); }
  /// The factors of the leaves, if the leaves are products; otherwise empty.
  std::vector<std::uint64_t> factors(std::int64_t e) const { return factors_ ? row(*factors_, e) : none(); }
  std::vector<std::uint64_t> other_factors(std::int64_t e) const { return others_ ? row(*others_, e) : none(); }

  /// Element e of the result for each value of its sum, as patterns of the result's format.
  Expected<std::vector<std::uint64_t>> results(std::int64_t e, const std::vector<std::uint64_t>& sums) const;
  /// The same circuit with its sum accumulated in another format: in its own order if that is a plain one, otherwise
  /// from left to right.
  ir::Function accumulated_in(ir::Scalar narrow) const;

 private:
  OpenedSum(ir::Module& module, interp::Semantics& floats, const std::vector<interp::Argument>& arguments,
            const interp::EvaluateOptions& options)
      : module_(&module), floats_(&floats), arguments_(&arguments), options_(&options) {}
  static std::vector<std::uint64_t> none() { return {}; }
  /// The values of `body` for all elements of the result (once if the sum is shared) and all leaves of `fold`.
  Expected<ir::HostTensor> at_all_leaves(ir::NodeId body, const ir::Node& fold) const;
  /// Evaluates the leaves of the opened sum, and their factors.
  std::optional<Diagnostic> evaluate_leaves(const ir::Node& fold);
  /// An element of the result with another value for its sum.
  ir::NodeId with_sum(ir::NodeId value) const;
  std::vector<std::uint64_t> row(const ir::HostTensor& tensor, std::int64_t e) const;

  ir::Module* module_;
  interp::Semantics* floats_;
  const std::vector<interp::Argument>* arguments_;
  const interp::EvaluateOptions* options_;
  ir::Function concrete_;                  ///< the circuit with its sizes bound
  std::vector<ir::VariableId> variables_;  ///< of the result's elements, free in `place_`
  std::vector<ir::IndexId> extents_;
  ir::NodeId place_, sum_;  ///< an element of the result, and the sum in it
  ir::Scalar result_{};
  std::vector<std::int64_t> shape_;
  std::int64_t length_ = 0;
  bool direct_ = true, shared_ = false;
  numerics::FoldOperation operation_{};
  ir::ScheduleId schedule_;
  ir::HostTensor leaves_;
  std::optional<ir::HostTensor> factors_, others_;
};

}  // namespace reckon::check
