#include "layout/rearrange.h"

namespace reckon::layout {

IntTuple gathered(const IntTuple& pairs, const Tiler& tiler) {
  if (!tiler.is_tuple()) return pairs;
  std::vector<IntTuple> first, second;
  for (std::size_t k = 0; k < pairs.rank(); ++k) {
    const IntTuple& mode = pairs.elements()[k];
    if (k >= tiler.rank()) {
      second.push_back(mode);
      continue;
    }
    const IntTuple pair = gathered(mode, tiler.modes()[k]);
    first.push_back(pair.elements()[0]);
    second.push_back(pair.elements()[1]);
  }
  return std::vector<IntTuple>{std::move(first), std::move(second)};
}

IntTuple unpacked(const IntTuple& tuple, std::size_t mode) {
  const auto& modes = tuple.elements();
  if (modes[mode].is_int() || modes[mode].rank() == 1) return tuple;
  const auto at = static_cast<std::ptrdiff_t>(mode);
  std::vector<IntTuple> out(modes.begin(), modes.begin() + at);
  out.insert(out.end(), modes[mode].elements().begin(), modes[mode].elements().end());
  out.insert(out.end(), modes.begin() + at + 1, modes.end());
  return out;
}

}  // namespace reckon::layout
