#include "codegen/strategies/scans/warp_runs.h"

namespace reckon::codegen {

WarpRuns::Runs WarpRuns::of(const Values& node) {
  Runs runs{{node}, {}};
  for (std::int64_t k = 0; k < levels; ++k) {
    const Values own = runs.own.back();
    Values other;
    for (const Value value : own) other.push_back(b_.shuffle_xor(value, std::int64_t{1} << k));
    const Value is_right = bit(reducer_.lane(), k);
    runs.own.push_back(joins_.join(site_, w_.select(is_right, other, own), w_.select(is_right, own, other)));
    runs.other.push_back(std::move(other));
  }
  return runs;
}

}  // namespace reckon::codegen
