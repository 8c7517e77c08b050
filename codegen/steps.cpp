#include "codegen/steps.h"

#include <algorithm>

namespace reckon::codegen {

std::vector<std::uint32_t> loops_around(const Plan& plan, const Kernel& kernel) {
  std::vector<std::uint32_t> out;
  for (auto loop = kernel.loop; loop; loop = plan.loops[*loop].around) out.push_back(*loop);
  std::ranges::reverse(out);
  return out;
}

std::vector<Step> steps_of(const Plan& plan) {
  std::vector<Step> out;
  std::vector<std::size_t> open;  // steps that enter
  const auto close_to = [&](std::size_t depth) {
    while (open.size() > depth) {
      const std::size_t enter = open.back();
      open.pop_back();
      out[enter].partner = out.size();
      out.push_back({Step::Kind::leave, out[enter].number, enter});
    }
  };
  for (std::uint32_t k = 0; k < plan.kernels.size(); ++k) {
    const std::vector<std::uint32_t> around = loops_around(plan, plan.kernels[k]);
    std::size_t same = 0;
    while (same < open.size() && same < around.size() && out[open[same]].number == around[same]) ++same;
    close_to(same);
    for (; same < around.size(); ++same) {
      open.push_back(out.size());
      out.push_back({Step::Kind::enter, around[same], 0});
    }
    out.push_back({Step::Kind::launch, k, 0});
  }
  close_to(0);
  return out;
}

}  // namespace reckon::codegen
