// Emits the nodes of circuits as code, each once, in the scope that owns it (scope.h). Elements of tensors are read
// from buffers, or computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "codegen/lower/kept_values.h"
#include "codegen/lower/writer.h"

namespace reckon::codegen {

class Folds;

/// Elements that are computed by a quick method which may be wrong, and all over again if one of them was wrong.
struct QuickElements {
  bool again = false;              ///< the method that is always right is used now
  const Scope* element = nullptr;  ///< the scope of the element that is being computed
  struct Divisor {
    Value prepared, sizes;
  };
  std::vector<Divisor> divisors;
};

class Circuits {
 public:
  Circuits(Writer& writer, KeptValues& kept, Folds& folds);
  Circuits(const Circuits&) = delete;

  Writer& writer() const { return w_; }
  bool uses_fma() const { return uses_fma_; }  ///< where the circuit does not say so

  // circuits.cpp
  Values emit(ir::NodeId id);
  Value scalar(ir::NodeId id) { return emit(id)[0]; }

  // rounded.cpp
  /// The function whose value the node rounds, if both are faster as one operation (`apply_rounded`).
  std::optional<ir::NodeId> rounded_function(ir::NodeId id) const;

  // quotient.cpp
  /// From now on quotients may use the quick method, and are recorded in `quick`; null: none may.
  void look_for_quick(QuickElements* quick) { quick_ = quick; }
  QuickElements* quick() const { return quick_; }
  /// A flag: one of the elements may be wrong. Null if none can be.
  Value may_be_wrong(const QuickElements& quick);
  /// What `all` gives by the quick method; if one of its elements may be wrong, what `again` gives by the exact one.
  Values quick_or_exact(FunctionRef<Values()> all, FunctionRef<Values()> again);

  // buffers.cpp
  Value load_at_offset(std::uint32_t buffer, Value offset);
  /// The element with this row-major number.
  void store(std::uint32_t buffer, Value element, Value value);
  void store_at_offset(std::uint32_t buffer, Value offset, Value value);
  /// Where the element at these variables lies.
  Value place_in(const Buffer& buffer, const std::vector<Binder>& space);
  ir::IndexId offset_of(const Buffer& buffer, const std::vector<ir::IndexId>& subscripts);
  ir::IndexId offset_of(const std::vector<ir::IndexId>& extents, const std::vector<ir::IndexId>& subscripts);
  /// Loads from now on are marked with this stream.
  void set_stream(Stream stream) { stream_ = stream; }
  /// The kernel that is being written reads these elements once.
  void set_read_once(std::set<ir::NodeId> elements) { single_use_reads_ = std::move(elements); }

  // fault.cpp
  /// Why operations had no value, in the order of the faults' numbers.
  std::vector<Diagnostic> take_faults() { return std::move(faults_); }

 private:
  Values emit_new(ir::NodeId id);
  Values emit_node(ir::NodeId id, const ir::Node& node);
  Values emit_literal(ir::NodeId id);
  Values emit_index_value(ir::NodeId id, const ir::Node& node);
  Values emit_operand(ir::NodeId id, const ir::Node& node);
  Values emit_operation(ir::NodeId id, const ir::Node& node);
  Values emit_element(ir::NodeId id, const ir::Node& node);
  Values emit_at(ir::NodeId id, const ir::Node& node);
  Value emit_array_element(const ir::Node& array, const std::vector<ir::IndexId>& subscripts);

  // rounded.cpp
  bool find_rounded(std::vector<ir::NodeId>& operations);
  void emit_in_stages(const std::vector<ir::NodeId>& operations);
  Values emit_rounded(const std::vector<ir::NodeId>& conversions);

  /// The value of a node where it is already known, and may be used here.
  const Values* cached(ir::NodeId id) const;
  /// Zeros in place of the node's values, so that lowering can go on after a failure.
  Values undefined(ir::NodeId id);

  Value divide_by_reciprocal(const ir::Node& node, const Values& operands);

  /// The buffer that keeps the node's value at this place; null if it has none.
  const Place* place_of(ir::NodeId id);
  Values load_place(ir::NodeId id, const Place& place, const std::vector<ir::IndexId>& subscripts);
  /// What a step of this row computed, if the buffer belongs to a step.
  std::optional<Values> kept_value(const Place& place, std::size_t parts, const std::vector<ir::IndexId>& subscripts);
  Value load(std::uint32_t buffer, const std::vector<ir::IndexId>& subscripts);
  /// Where the element with this row-major number lies.
  Value place_in(const Buffer& buffer, Value element);

  /// Records whether the operation has no value for these operands.
  void record_fault(ir::NodeId id, ir::Op op, ir::Scalar from, std::span<const Value> operands);
  /// The number of the node's fault, which is made if the node has none yet.
  std::int64_t fault_number(ir::NodeId id, FunctionRef<Diagnostic()> make);

  Writer& w_;
  kernel::Builder& b_;
  ir::Module& module_;
  const Planned& planned_;
  const Numbers& numbers_;
  KeptValues& kept_;
  Folds& folds_;
  std::map<ir::NodeId, std::size_t> fault_numbers_;
  std::vector<Diagnostic> faults_;  ///< by their numbers
  QuickElements* quick_ = nullptr;
  Stream stream_ = Stream::none;  ///< what loads are marked with
  std::set<ir::NodeId> single_use_reads_;
  bool uses_fma_ = false;
  std::set<ir::NodeId> rounding_;  ///< conversions that are emitted together with the functions that they round
};

}  // namespace reckon::codegen
