// The steps of a plan: its kernels in order, with the loops around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codegen/compile.h"

namespace reckon::codegen {

struct Step {
  enum class Kind : std::uint8_t {
    launch,  ///< kernel `number`
    enter,   ///< the rounds of loop `number` begin, if it has any
    leave,   ///< a round of loop `number` ends
  } kind{};
  std::uint32_t number = 0;
  std::size_t partner = 0;  ///< of `enter` the step that leaves, and of `leave` the one that enters
};

/// Kernels of one loop stand together in the plan.
std::vector<Step> steps_of(const Plan& plan);

/// The numbers of the loops around a kernel, outermost first.
std::vector<std::uint32_t> loops_around(const Plan& plan, const Kernel& kernel);

/// Carries out the steps. `rounds` has how many rounds each loop has, and `round` gets the number of its round.
/// `launch(kernel)` ends everything by giving false; `exchange(loop)` exchanges the memory of the loop's buffers after
/// each round. Allocates nothing.
template <class Launch, class Exchange>
bool carry_out(const std::vector<Step>& steps, const std::vector<std::int64_t>& rounds, std::int64_t* round,
               Launch&& launch, Exchange&& exchange) {
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const Step& step = steps[at];
    switch (step.kind) {
      case Step::Kind::launch:
        if (!launch(step.number)) return false;
        break;
      case Step::Kind::enter:
        round[step.number] = 0;
        if (rounds[step.number] <= 0) at = step.partner;
        break;
      case Step::Kind::leave:
        exchange(step.number);
        if (++round[step.number] < rounds[step.number]) at = step.partner;
        break;
    }
  }
  return true;
}

}  // namespace reckon::codegen
