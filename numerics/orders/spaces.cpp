#include "numerics/orders/spaces.h"

#include <algorithm>
#include <limits>
#include <map>

namespace reckon::numerics {

MultisetSpace::MultisetSpace(const OrderQuestion& question, bool sequential) : sequential_(sequential) {
  // Products use magnitudes (arithmetic.h).
  const std::uint64_t kept = question.operation == FoldOperation::mul ? ~sign_bit(question.format) : ~std::uint64_t{0};
  std::map<std::uint64_t, std::size_t> known;
  for (std::uint32_t leaf = 0; leaf < question.leaves.size(); ++leaf) {
    const std::uint64_t bits = question.leaves[leaf] & kept;
    auto [found, added] = known.try_emplace(bits, classes_.size());
    if (added) classes_.push_back({bits, 0, {}});
    classes_[found->second].leaves.push_back(leaf);
  }
  split_count_ = sequential ? static_cast<long double>(classes_.size()) : 0.5L;
  for (Class& each : classes_) {
    const std::uint64_t radix = each.leaves.size() + 1;
    each.stride = static_cast<std::uint32_t>(states_);
    states_ = std::min<std::uint64_t>(states_ * radix, std::numeric_limits<std::uint32_t>::max());
    split_count_ *= static_cast<long double>(sequential ? radix : radix * (radix + 1) / 2);
  }
}

bool MultisetSpace::within(const OrderLimits& limits) const {
  return states_ <= limits.states && split_count_ <= static_cast<long double>(limits.splits);
}

bool MultisetSpace::is_leaf(std::uint32_t state) const {
  return std::any_of(classes_.begin(), classes_.end(), [&](const Class& each) { return each.stride == state; });
}

std::uint64_t MultisetSpace::leaf_bits(std::uint32_t state) const {
  const auto found =
      std::find_if(classes_.begin(), classes_.end(), [&](const Class& each) { return each.stride == state; });
  return found->bits;
}

Splits MultisetSpace::splits(std::uint32_t state, std::vector<std::uint32_t>& storage) const {
  storage.clear();
  std::uint32_t rest = state;
  if (sequential_) {
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const auto radix = static_cast<std::uint32_t>(classes_[c].leaves.size()) + 1;
      if (rest % radix != 0) storage.push_back(state - classes_[c].stride);
      rest /= radix;
    }
    return {&storage, state, ~std::uint32_t{0}};
  }
  // All parts in ascending order are symmetric: part k is the complement of part (last - k). So the first half is
  // enough, without the first part, which is empty.
  storage.push_back(0);
  std::size_t half = 0;
  for (std::size_t c = 0; rest > 0; ++c) {
    const auto radix = static_cast<std::uint32_t>(classes_[c].leaves.size()) + 1;
    const std::uint32_t digit = rest % radix;
    rest /= radix;
    if (digit == 0) continue;
    const std::size_t size = storage.size();
    half = (size * (digit + 1) - 1) / 2;
    const std::uint32_t copies = rest == 0 ? digit / 2 : digit;
    storage.resize(size * (copies + 1));
    for (std::uint32_t copy = 1; copy <= copies; ++copy) {
      const std::uint32_t add = copy * classes_[c].stride;
      std::uint32_t* out = storage.data() + size * copy;
      const std::uint32_t* in = storage.data();
      for (std::size_t k = 0; k < size; ++k) out[k] = in[k] + add;
    }
  }
  // The last entry of the half replaces entry 0, the empty part.
  storage[0] = storage[half];
  storage.resize(half);
  return {&storage, state, ~std::uint32_t{0}};
}

std::uint32_t MultisetSpace::Names::leaf(std::uint32_t state) {
  for (std::size_t c = 0; c < taken_.size(); ++c) {
    if (space_.classes_[c].stride == state) return space_.classes_[c].leaves[taken_[c]++];
  }
  return 0;
}

Splits IntervalSpace::splits(std::uint32_t state, std::vector<std::uint32_t>& storage) const {
  const std::uint32_t i = state / n_, j = state % n_;
  storage.clear();
  for (std::uint32_t k = i; k < j; ++k) storage.push_back(i * n_ + k);
  // If left is i n + k, right is (k + 1) n + j.
  return {&storage, (1 - i * n_) * n_ + j, n_};
}

}  // namespace reckon::numerics
