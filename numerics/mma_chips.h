// Which generation of tensor cores a chip has.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>

#include "numerics/mma.h"

namespace reckon::numerics {

/// The number of the first chip of each generation, in the order of MmaModel: 70 for sm_70.
inline constexpr int mma_first_chips[] = {70, 75, 80, 89, 90, 100};

constexpr int first_chip(MmaModel model) { return mma_first_chips[static_cast<std::size_t>(model)]; }

/// The generation of the chip with this number; none before Volta.
constexpr std::optional<MmaModel> mma_model_of_chip(int chip) {
  const auto* next = std::upper_bound(std::begin(mma_first_chips), std::end(mma_first_chips), chip);
  if (next == std::begin(mma_first_chips)) return std::nullopt;
  return static_cast<MmaModel>(next - std::begin(mma_first_chips) - 1);
}

}  // namespace reckon::numerics
