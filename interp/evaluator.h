// The implementation of the evaluator: frames, plans and folds over one instantiated function. Other folders use
// interp/evaluate.h instead.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interp/circuit_cache.h"
#include "interp/evaluate.h"
#include "interp/frame.h"
#include "interp/place_listener.h"
#include "interp/pool.h"
#include "ir/schedule/order.h"

namespace reckon::interp {

class KeyedFold;

class Evaluator {
 public:
  /// `circuits`, which prepares the bodies of called circuits, belongs to the module; both outlive the evaluator.
  Evaluator(const ir::Module& module, PreparedCircuit& circuit, Semantics& semantics, CircuitCache& circuits,
            std::vector<Tensor> parameters, const EvaluateOptions& options);
  ~Evaluator();

  /// Computes the function's result, tuples flattened. If it returns false, `diagnostic()` has the error.
  [[nodiscard]] bool results(std::vector<Tensor>& out);
  const Diagnostic& diagnostic() const { return *diagnostic_; }
  /// The first operation that left an element empty.
  const std::optional<Diagnostic>& first_empty() const { return first_empty_; }
  /// The operation that left this element without a value: the one of its reason if the element carries one, otherwise
  /// the first one of all.
  const std::optional<Diagnostic>& why_empty(ir::Scalar scalar, const std::byte* value) const;

  // Members that the parts of the evaluator use (element reads, folds, scans). A member that fails returns false.

  /// Ensures that frame.values has the values of all `nodes`: it computes those that the frame owns, and expands the
  /// others from the parent frame.
  [[nodiscard]] bool ensure_values(Frame& frame, const std::vector<ir::NodeId>& nodes);
  [[nodiscard]] bool ensure_values(Frame& frame, ir::NodeId node, Columns& out);
  /// The same; `out` points into frame.values, and is valid until the values are dropped there.
  [[nodiscard]] bool ensure_values(Frame& frame, ir::NodeId node, const Columns*& out);
  /// The parts of a tensor (or tuple of tensors) whose home is `whole`.
  [[nodiscard]] bool whole_tensor(Frame& frame, ir::NodeId node, std::vector<Tensor>& out);
  /// The parts of a tuple, or the one of any other node, in a frame that is `whole`. A number has no dimensions.
  [[nodiscard]] bool parts_of(Frame& frame, ir::NodeId node, std::vector<Tensor>& out);
  [[nodiscard]] bool index_column(const Frame& frame, ir::IndexId index, ir::NodeId place, IndexColumn& out);

  [[nodiscard]] bool fault(ir::NodeId place, Fault fault);
  [[nodiscard]] bool fail(Diagnostic diagnostic);
  /// `schedule.head(length)`. Recursive schedules lead to few different heads, which are kept.
  ir::Order::Head head(const ir::Order& schedule, std::int64_t length);
  [[nodiscard]] bool no_order(ir::NodeId place, const ir::Order& schedule, const ir::ScheduleProblem& problem);
  /// Returns true if there is no fault, or a fault that only leaves elements empty.
  std::string which_division(const Frame& frame, ir::NodeId id, ir::Scalar type, const Rows* operands) const;
  [[nodiscard]] bool check(ir::NodeId place, std::optional<Fault>&& found) {
    if (listener_ != nullptr) listener_->carried_out_at(span(place));
    return found ? fault(place, std::move(*found)) : true;
  }

  const ir::Module& module() const { return module_; }
  SourceSpan span(ir::NodeId node) const { return module_.span(node, circuit_.function.places); }
  Semantics& semantics() { return semantics_; }
  const Semantics& semantics() const { return semantics_; }
  /// The frame of what depends on nothing.
  Frame& root() { return root_; }
  Planner& planner() { return circuit_.planner; }
  std::int64_t batch() const { return batch_; }
  std::vector<ir::Scalar> component_scalars(ir::TypeId type) const;
  /// A column in which every value is the same number.
  [[nodiscard]] bool number(ir::NodeId place, int value, ir::Scalar scalar, std::int64_t count, Column& out);
  Column column(ir::Scalar scalar, std::int64_t count) { return pool_.column(scalar, static_cast<std::size_t>(count)); }
  std::shared_ptr<Values> new_tensor(ir::Scalar scalar, std::vector<std::int64_t> shape);

 private:
  /// The innermost frame that introduces a free variable of the node; the root if there is none.
  Frame& home_of(Frame& frame, ir::NodeId node) const;
  bool run(Frame& frame, const std::vector<ir::NodeId>& roots);
  bool compute(Frame& frame, ir::NodeId id, Columns& out);
  bool operand_columns(Frame& frame, ir::NodeId id, Columns& out);
  bool scalar_operation(Frame& frame, ir::NodeId id, Column& out);
  bool index_values(Frame& frame, ir::NodeId id, Column& out);
  Columns expand(const Frame& frame, const Columns& of_parent);

  // element.cpp
  bool element(Frame& frame, ir::NodeId id, Column& out);
  bool offsets(Frame& frame, ir::NodeId id, const std::vector<std::int64_t>& shape, IndexColumn& out);
  bool read(Frame& frame, const Values& tensor, const IndexColumn& offset, Column& out);
  /// Computes the offset of an element in a tensor of the given shape.
  using OffsetIn = std::function<bool(const std::vector<std::int64_t>& shape, IndexColumn& out)>;
  bool whole_element(Frame& frame, ir::NodeId tensor, const OffsetIn& offset_in, Column& out);
  bool mapped_element(Frame& frame, ir::NodeId map, const std::vector<IndexColumn>& subscripts, Column& out);
  bool table_element(Frame& frame, ir::NodeId whole, const OffsetIn& offset_in, Column& out);
  /// The element at these subscripts, which are the same for each element of the frame.
  bool element_at(Frame& frame, ir::NodeId tensor, const std::vector<std::int64_t>& subscripts, Column& out);
  bool table(Frame& home, ir::NodeId tensor, const Table*& out);
  /// A scalar in which an index is read from data.
  bool at(Frame& frame, ir::NodeId id, Column& out);
  bool index_from_data(Frame& frame, ir::NodeId id, IndexColumn& out);
  std::string where(const Frame& frame, ir::NodeId id, std::size_t element) const;
  bool scan_element_by_definition(Frame& frame, ir::NodeId scan, std::uint32_t part, const IndexColumn& offset,
                                  Column& out);

  // tensor.cpp
  bool make_tensor(Frame& frame, ir::NodeId id, std::vector<Tensor>& out);
  bool make_map(Frame& frame, ir::NodeId id, std::vector<Tensor>& out);
  bool map_dimension(const ir::Node& node, std::size_t dimension, Frame& parent,
                     const std::vector<std::int64_t>& extents, std::int64_t first, Values& out);
  bool make_source(ir::NodeId id, std::vector<Tensor>& out);
  bool shape_of(const Frame& frame, ir::NodeId id, std::vector<std::int64_t>& out);
  Tensor number_of(const Column& column);

  // call.cpp
  bool call(Frame& frame, ir::NodeId id, Columns& out);
  bool shapes_of(const ir::Type& type, ir::NodeId place, std::vector<std::vector<std::int64_t>>& out);
  bool run_body(const ir::Function& callee, Semantics& semantics, const std::vector<const Values*>& arguments,
                std::vector<Values>& out);

  // reduce.cpp
  bool reduce(Frame& frame, ir::NodeId id, Columns& out);
  bool reduce_by_key(Frame& frame, ir::NodeId id, std::int64_t length, Columns& out, bool& done);
  bool reduce_ragged(Frame& frame, ir::NodeId id, const IndexColumn& extent, Columns& out);

  const ir::Module& module_;
  PreparedCircuit& circuit_;
  Semantics& semantics_;
  PlaceListener* const listener_;  ///< of the semantics; null: it has none
  Pool pool_;
  CircuitCache& circuits_;
  std::int64_t batch_;
  const std::atomic<bool>* interrupted_;
  std::vector<Tensor> parameters_;
  Frame root_;
  std::map<std::pair<ir::ScheduleId, std::int64_t>, ir::Order::Head> heads_;  ///< of schedules without bound lengths
  std::unordered_map<ir::NodeId, std::unique_ptr<KeyedFold>> keyed_;
  std::optional<Diagnostic> diagnostic_, first_empty_;
  std::unordered_map<std::int32_t, std::optional<Diagnostic>> reasons_;  ///< by their numbers; only so many are kept
};

/// columns[i] = column[index[i]].
Column gathered(Evaluator& evaluator, const Column& column, const std::vector<std::int64_t>& index);

/// A view of `column` from element `first` on.
Column part_of(const Semantics& semantics, const Column& column, std::int64_t first);

/// Copies values, whatever the semantics.
void copy_values(const Semantics& semantics, ir::Scalar scalar, const std::byte* in, std::byte* out, std::size_t count);

}  // namespace reckon::interp
