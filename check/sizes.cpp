#include "check/sizes.h"

#include <algorithm>
#include <array>

namespace reckon::check {
namespace {

constexpr std::array<std::int64_t, 8> usual_sizes{1, 2, 3, 7, 8, 17, 64, 100};
constexpr std::size_t most_combinations = 1000;

}  // namespace

std::vector<ir::Dimensions> choose_sizes(const std::vector<ir::SymbolId>& dimensions,
                                         const std::vector<frontend::SizeClause>& clauses) {
  std::vector<ir::Dimensions> out{{}};
  std::vector<ir::SymbolId> free;
  for (ir::SymbolId dimension : dimensions) {
    auto clause = std::find_if(clauses.begin(), clauses.end(),
                               [&](const frontend::SizeClause& each) { return each.dimension == dimension; });
    if (clause == clauses.end()) {
      free.push_back(dimension);
      continue;
    }
    std::vector<ir::Dimensions> longer;
    for (const ir::Dimensions& partial : out) {
      for (std::int64_t value : clause->values) {
        if (longer.size() >= most_combinations) break;
        ir::Dimensions next = partial;
        next[dimension] = value;
        longer.push_back(std::move(next));
      }
    }
    out = std::move(longer);
  }
  if (free.empty()) return out;
  std::vector<ir::Dimensions> all;
  // Shifted diagonals mix small and large sizes; on the plain one every free dimension is the same.
  constexpr std::size_t shifts[] = {0, 3, 5};
  for (std::size_t k = 0; k < usual_sizes.size(); ++k) {
    for (std::size_t shift : shifts) {
      if (shift > 0 && free.size() == 1) break;
      for (const ir::Dimensions& partial : out) {
        ir::Dimensions next = partial;
        for (std::size_t d = 0; d < free.size(); ++d) {
          next[free[d]] = usual_sizes[(k + d * shift) % usual_sizes.size()];
        }
        if (std::find(all.begin(), all.end(), next) == all.end()) all.push_back(std::move(next));
      }
    }
  }
  auto product = [](const ir::Dimensions& sizes) {
    std::int64_t total = 1;
    for (const auto& [dimension, value] : sizes) total *= std::max<std::int64_t>(value, 1);
    return total;
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const ir::Dimensions& a, const ir::Dimensions& b) { return product(a) < product(b); });
  return all;
}

}  // namespace reckon::check
