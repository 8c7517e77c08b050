// The values that a static name takes, one after another: `{64, 128}`, `1..4`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

inline constexpr std::size_t most_static_choices = 10'000;

struct StaticChoice {
  Value value;
  std::string text;
};

/// The elements of `{...}`, which may be values of any kind.
std::optional<std::vector<StaticChoice>> elements_of_set(Elaborator& elaborator, const Context& context,
                                                         const std::vector<ExprId>& elements);
/// The integers from `low` to `high`, both of them included.
std::optional<std::vector<StaticChoice>> integers_between(Elaborator& elaborator, const Context& context, ExprId low,
                                                          ExprId high);

}  // namespace reckon::frontend
