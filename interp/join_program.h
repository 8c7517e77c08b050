// The operation that a program defines for a reduction, as a list of array operations, so that no frame is needed for
// each join. This works for operations that use only their operands and numbers, such as the merge of an online softmax
// or a product of complex numbers.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "interp/evaluator.h"

namespace reckon::interp {

class JoinProgram {
 public:
  /// Null if the operation uses anything else. `around` is the frame that contains the reduction.
  static std::unique_ptr<JoinProgram> make(Evaluator& evaluator, Frame& around, ir::NodeId operation,
                                           ir::VariableId left, ir::VariableId right);

  /// The operation on `count` pairs; one column of each operand for each of its parts.
  [[nodiscard]] bool run(const Columns& left, const Columns& right, std::int64_t count, Columns& out);

 private:
  struct Step {
    ir::NodeId node;
    ir::Op op{};
    ir::Scalar from{}, to{};
    std::size_t arity = 0;
    std::array<std::size_t, 3> operands{};  ///< slots
    std::size_t out = 0;                    ///< a slot
    bool is_result = false;
  };
  explicit JoinProgram(Evaluator& evaluator) : evaluator_(evaluator) {}
  bool build(Frame& around, ir::NodeId operation, ir::VariableId left, ir::VariableId right);
  bool hold_numbers(std::int64_t count);

  Evaluator& evaluator_;
  std::size_t left_parts_ = 0, right_parts_ = 0;
  /// The slots: the left operand's parts, the right operand's, and the values computed from them and from numbers.
  std::vector<Column> slots_;
  std::vector<std::pair<std::size_t, ir::NodeId>> numbers_;  ///< slots of literals
  std::vector<Step> steps_;
  std::vector<std::size_t> results_;  ///< slots
  std::int64_t capacity_ = 0;         ///< of the slots that are no operands
};

}  // namespace reckon::interp
