#include "ir/schedule/rounds.h"

namespace reckon::ir {

std::optional<std::vector<std::vector<std::int64_t>>> round_groups(const Rounds& rounds, std::int64_t m) {
  const RoundRule<std::int64_t>& rule = rounds.of_numbers;
  const std::int64_t groups = rule.groups(m);
  if (groups < 1 || groups >= m || groups > m / 2 + m % 2) return std::nullopt;
  std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(groups));
  std::vector<bool> taken(static_cast<std::size_t>(m), false);
  std::int64_t left = m;
  for (std::int64_t i = 0; i < groups; ++i) {
    const std::int64_t size = rule.size(m, i);
    if (size < 1 || size > left) return std::nullopt;
    left -= size;
    auto& group = out[static_cast<std::size_t>(i)];
    for (std::int64_t c = 0; c < size; ++c) {
      const std::int64_t node = rule.node(m, i, c);
      if (node < 0 || node >= m || taken[static_cast<std::size_t>(node)]) return std::nullopt;
      taken[static_cast<std::size_t>(node)] = true;
      group.push_back(node);
    }
  }
  return left == 0 ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace reckon::ir
