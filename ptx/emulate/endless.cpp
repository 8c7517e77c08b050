// Loops that provably never end: a warp comes back to a state that it was in before, and nothing that it could see has
// changed meanwhile. States are compared after turns, with one that is kept for twice as many turns each time (R.
// Brent, "An improved Monte Carlo factorization algorithm", 1980), so that loops of any length are found.
#include <algorithm>

#include "ptx/emulate/warp.h"

namespace reckon::ptx {

Warp::State Warp::state() const {
  State out;
  out.registers = registers_;
  out.local = local_;
  out.lane_pc = lane_pc_;
  out.returns = returns_;
  out.masks = masks();
  out.copies = copies.size();
  return out;
}

bool Warp::is_in(const State& state) const {
  const auto same_way = [](const Return& a, const Return& b) {
    return a.operation == b.operation && a.part == b.part && a.left == b.left && a.frame == b.frame &&
           (a.saved == b.saved || (a.saved && b.saved && *a.saved == *b.saved));
  };
  if (lane_pc_ != state.lane_pc || masks() != state.masks || registers_ != state.registers || local_ != state.local ||
      copies.size() != state.copies)
    return false;
  for (std::size_t lane = 0; lane < lanes_of_warp; ++lane) {
    if (!std::ranges::equal(returns_[lane], state.returns[lane], same_way)) return false;
  }
  return true;
}

bool Warp::comes_back() {
  const std::uint64_t now = machine_.progress + machine_.clock;
  if (now != kept_at_) {
    kept_at_ = now;
    comes_back_ = false;
    turns_ = most_turns_ = 0;
  }
  if (comes_back_) return true;
  if (most_turns_ > 0 && is_in(kept_)) return comes_back_ = true;
  if (++turns_ > most_turns_) {
    kept_ = state();
    turns_ = 0;
    most_turns_ = 2 * most_turns_ + 1;
  }
  return false;
}

bool Machine::is_endless(const std::vector<std::unique_ptr<Block>>& blocks) const {
  bool all = true, any = false;
  for (const auto& block : blocks) {
    for (const auto& warp : block->warps()) {
      if (warp->is_done() || !warp->is_ready()) continue;
      any = true;
      if (!warp->comes_back()) all = false;  // the others' states are kept all the same
    }
  }
  return all && any;
}

void Machine::endless(const std::vector<std::unique_ptr<Block>>& blocks) {
  for (const auto& block : blocks) {
    for (const auto& warp : block->warps()) {
      if (warp->is_done() || !warp->is_ready()) continue;
      fault(kernel_.operations[warp->place()], *warp,
            "endless loop: threads come here again and again with all that they know as it was, and nothing that could "
            "end it happens elsewhere");
      return;
    }
  }
}

}  // namespace reckon::ptx
