// What the steps of a row keep for later steps (codegen/strategies/rows/): values, elements in registers or in shared
// memory, or nothing, if elements are computed where they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "codegen/lower/writer.h"

namespace reckon::codegen {

class KeptValues {
 public:
  struct Kept;
  /// Inputs, by the element nodes that read them. Steps share variables, so that a node is an input's element in one step
  /// and another element in the next one.
  using Reads = std::map<ir::NodeId, const Kept*>;

  /// What is kept of a step: a value; elements, one for each slot of the thread; or only the step, to compute it again.
  struct Kept {
    Values value;
    std::vector<Values> of_slot;
    Value array = nullptr;  ///< in shared memory
    const KernelBody* step = nullptr;
    Reads reads;  ///< of that step
  };

  explicit KeptValues(Writer& writer) : w_(writer) {}
  KeptValues(const KeptValues&) = delete;

  /// Starts or ends a kernel of rows.
  void clear();
  /// Starts another row.
  void clear_inputs() { inputs_.clear(); }

  /// The positions of a row that belong to this thread.
  const std::vector<Value>& slots() const { return slots_; }
  void set_slots(std::vector<Value> slots) { slots_ = std::move(slots); }

  /// What is kept of a step, by its first buffer.
  Kept& of_step(std::uint32_t buffer) { return steps_[buffer]; }
  /// What is kept of the step that has this buffer, and that step's first buffer; null: nothing.
  std::pair<const Kept*, std::uint32_t> find(std::uint32_t buffer) const;

  /// Adds the next parameter that several steps read; returns what the thread keeps of it.
  Kept& add_input() { return inputs_.emplace_back(); }
  Kept& input(std::size_t k) { return inputs_[k]; }
  /// Starts a step that reads these inputs, each through an element node of the step.
  void begin_step(const std::vector<std::pair<ir::NodeId, std::size_t>>& reads);
  const Reads& reads() const { return read_; }
  /// Goes on with the reads of another step, whose elements are computed anew; gives those of the current one.
  Reads exchange_reads(Reads reads) { return std::exchange(read_, std::move(reads)); }
  /// The input that the element reads; null: it reads none.
  const Kept* row_input(ir::NodeId element) const;

  /// The row's element at a position that belongs to the thread.
  Values row_element(const Kept& row, Value position);
  /// Whether the fold reads elements of an earlier step that are kept nowhere and that take much code each.
  bool computes_elements_anew(const KernelBody& fold) const;

 private:
  Writer& w_;
  std::map<std::uint32_t, Kept> steps_;  ///< by the step's first buffer
  std::vector<Value> slots_;
  std::vector<Kept> inputs_;
  Reads read_;  ///< of the current step
};

}  // namespace reckon::codegen
