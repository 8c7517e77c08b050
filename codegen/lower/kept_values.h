// What the steps of a row leave to later steps (codegen/strategies/rows/): values, elements in registers or in shared
// memory, or what is computed where it is read.
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
  /// What is kept of a step: a value; one for each slot of the thread; or nothing, and it is computed where it is read.
  struct Kept {
    Values value;
    std::vector<Values> of_slot;
    Value array = nullptr;  ///< in shared memory
    const KernelBody* step = nullptr;
  };

  explicit KeptValues(Writer& writer) : w_(writer) {}
  KeptValues(const KeptValues&) = delete;

  /// A kernel of rows begins, or ends.
  void clear();
  /// Another row begins.
  void clear_inputs() { inputs_.clear(); }

  /// The positions of a row that are this thread's.
  const std::vector<Value>& slots() const { return slots_; }
  void set_slots(std::vector<Value> slots) { slots_ = std::move(slots); }

  /// By the step's first buffer.
  Kept& of_step(std::uint32_t buffer) { return steps_[buffer]; }
  /// What is kept of the step that has this buffer, and the first of whose buffers it is; null: nothing.
  std::pair<const Kept*, std::uint32_t> find(std::uint32_t buffer) const;

  /// What the thread keeps of a parameter that several steps read; the next one.
  Kept& add_input() { return inputs_.emplace_back(); }
  Kept& input(std::size_t k) { return inputs_[k]; }
  /// The step that begins reads these inputs, each at an element as it stands there.
  void begin_step(const std::vector<std::pair<ir::NodeId, std::size_t>>& reads);
  /// The input that the element is; null: it is none.
  const Kept* row_input(ir::NodeId element) const;

  /// The element at one of the thread's positions.
  Values row_element(const Kept& row, Value position);
  /// Are there elements of an earlier step among what it folds that are kept nowhere, and much code each?
  bool computes_elements_anew(const KernelBody& fold) const;

 private:
  Writer& w_;
  std::map<std::uint32_t, Kept> steps_;  ///< by the step's first buffer
  std::vector<Value> slots_;
  std::vector<Kept> inputs_;
  std::map<ir::NodeId, const Kept*> read_;  ///< inputs, by the element as it stands in the step that is under way
};

}  // namespace reckon::codegen
