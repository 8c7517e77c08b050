#include "layout/atoms/names.h"

#include <algorithm>
#include <numeric>

namespace reckon::layout {
namespace {

/// The number of characters to insert, to remove or to change (Levenshtein).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

Problem unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t k = 0; k < names.size(); ++k) {
    // Characters after `name` cost little: SM80_16x8x16 is near to all names that begin with it.
    const bool begun = names[k].rfind(name, 0) == 0;
    order.emplace_back(begun ? 0 : distance(name, names[k]), k);
  }
  std::sort(order.begin(), order.end());
  Problem out{Problem::Kind::unknown_name, "no " + what + " is called `" + name + "`"};
  for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 3); ++k) {
    out.hint += (k == 0 ? "near to it: `" : ", `") + names[order[k].second] + "`";
  }
  return out;
}

}  // namespace reckon::layout
