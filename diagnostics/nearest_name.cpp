// "did you mean": the optimal string alignment distance (Damerau-Levenshtein in which no substring is
// edited twice), after Boytsov, "Indexing methods for approximate dictionary searching", JEA 16 (2011).
#include <algorithm>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace reckon {

namespace {

/// The distance, or `limit + 1` as soon as it is known to be more than `limit`.
std::size_t alignment_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit) return limit + 1;
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    std::size_t least = row[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    // A transposition reaches back two rows, so one row beyond the limit is not yet the end.
    if (least > limit + 1) return limit + 1;
  }
  return std::min(row[b.size()], limit + 1);
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  std::size_t limit = std::max<std::size_t>(1, wanted.size() / 3);
  const std::string* nearest = nullptr;
  for (const std::string& name : names) {
    const std::size_t distance = alignment_distance(wanted, name, limit);
    // To replace every letter of a short name is no correction of it.
    if (distance > limit || distance == 0 || distance >= std::max(wanted.size(), name.size())) continue;
    nearest = &name;
    if (distance == 1) break;
    limit = distance - 1;
  }
  if (nearest == nullptr) return std::nullopt;
  return *nearest;
}

}  // namespace reckon
