// Writes the circuits of a program out as circuits of scalars, by evaluating them under a semantics whose values are
// nodes.
#pragma once

#include <memory>

#include "interp/evaluate.h"
#include "worst/circuit.h"

namespace reckon::worst {

class RecordingSemantics;

/// Of the function's parameters, for these sizes. An error for a dimension without one, and for more than 2^24
/// elements.
Expected<driver::Shapes> shapes_of(const ir::Module& module, const ir::Function& function, const ir::Dimensions& sizes);

/// Several circuits of the same parameters, in one circuit of scalars.
class Recorder {
 public:
  /// `shapes`: of the parameters of `function`, each of which is a float or a tensor of floats.
  /// `numbers`: what numbers without a format are; such as `sqrt(2)` are refused without it.
  /// `mode`: how operations round.
  static Expected<Recorder> make(ir::Module& module, const ir::Function& function, const driver::Shapes& shapes,
                                 const driver::ClosedNumbers* numbers = nullptr, const numerics::FloatMode& mode = {});
  Recorder(Recorder&&) noexcept;
  ~Recorder();

  /// The nodes of the circuit's results, element by element. It takes the same parameters.
  Expected<std::vector<NodeNumber>> add(ir::Module& module, const ir::Function& function, const ir::Dimensions& sizes,
                                        const interp::EvaluateOptions& options);

  /// The number of the condition that a circuit of the same parameters is, whose result is a truth value; nothing if
  /// the inputs do not decide it, and it holds. E0501 if it never holds, or cannot be followed.
  Expected<std::optional<std::uint32_t>> add_condition(ir::Module& module, const ir::Function& function,
                                                       const ir::Dimensions& sizes,
                                                       const interp::EvaluateOptions& options);

  /// One for each input of the circuit: its parameter, and which element of it.
  struct Input {
    std::size_t parameter = 0;
    std::int64_t element = 0;
  };
  const std::vector<Input>& inputs() const { return inputs_; }
  Circuit& circuit();
  /// From now on every sum is written out as the operations that carry it out, and no constant is computed. `residuals`:
  /// so is what `neumaier` adds up of roundings, which otherwise is one node for each addition.
  void follow_steps(bool residuals = false);

 private:
  Recorder();
  std::unique_ptr<RecordingSemantics> semantics_;
  std::vector<Input> inputs_;
  std::vector<interp::Argument> arguments_;
};

}  // namespace reckon::worst
