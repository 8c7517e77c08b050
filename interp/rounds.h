// Loops: the state of a loop is computed whole, round by round, in a frame for each round.
#pragma once

#include <vector>

#include "interp/evaluator.h"

namespace reckon::interp {

class Rounds {
 public:
  Rounds(Evaluator& evaluator, ir::NodeId loop) : evaluator_(evaluator), loop_(loop) {}

  /// The parts of the last state, if the loop's home, `frame`, is whole.
  [[nodiscard]] bool last_state(Frame& frame, std::vector<Tensor>& out);
  /// The last states for each element of the loop's home: element i of a part for the home's element h is entry
  /// i * size + h.
  [[nodiscard]] bool last_states(Frame& home, Columns& out);

 private:
  void open_alone(Frame& home, std::int64_t element, Frame& out);

  Evaluator& evaluator_;
  ir::NodeId loop_;
};

}  // namespace reckon::interp
