#include "cli/golden/edits.h"

#include <algorithm>
#include <unordered_map>

namespace reckon::golden {
namespace {

using Lines = std::vector<std::size_t>;

/// One number for each different line, so that lines are compared once.
class Numbering {
 public:
  Lines operator()(const std::vector<std::string_view>& lines) {
    Lines out;
    out.reserve(lines.size());
    for (const std::string_view line : lines) out.push_back(numbers_.try_emplace(line, numbers_.size()).first->second);
    return out;
  }

 private:
  std::unordered_map<std::string_view, std::size_t> numbers_;
};

/// The marks of the shortest way from `a` to `b`, in order; everything out and everything in if it is too long.
std::vector<char> shortest_way(const Lines& a, const Lines& b) {
  constexpr std::ptrdiff_t most_changes = 2000;
  const auto n = static_cast<std::ptrdiff_t>(a.size()), m = static_cast<std::ptrdiff_t>(b.size());
  // furthest[d][d + k]: how far of `a` the ways of d changes come on the diagonal k, on which x - y = k.
  std::vector<std::vector<std::ptrdiff_t>> furthest;
  const auto comes_by_insertion = [&](std::ptrdiff_t d, std::ptrdiff_t k) {
    const auto& before = furthest[static_cast<std::size_t>(d - 1)];
    const auto at = [&](std::ptrdiff_t diagonal) { return before[static_cast<std::size_t>(d - 1 + diagonal)]; };
    return k == -d || (k != d && at(k - 1) < at(k + 1));
  };
  const auto before = [&](std::ptrdiff_t d, std::ptrdiff_t k) {
    return furthest[static_cast<std::size_t>(d - 1)][static_cast<std::size_t>(d - 1 + k)];
  };
  std::ptrdiff_t changes = -1;
  for (std::ptrdiff_t d = 0; changes < 0 && d <= std::min(n + m, most_changes); ++d) {
    std::vector<std::ptrdiff_t> row(static_cast<std::size_t>(2 * d + 1), 0);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = d == 0 ? 0 : comes_by_insertion(d, k) ? before(d, k + 1) : before(d, k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
      row[static_cast<std::size_t>(d + k)] = x;
      if (x >= n && x - k >= m) changes = d;
    }
    furthest.push_back(std::move(row));
  }
  std::vector<char> marks;
  if (changes < 0) {
    marks.assign(a.size(), '-');
    marks.insert(marks.end(), b.size(), '+');
    return marks;
  }
  std::ptrdiff_t x = n, y = m;
  for (std::ptrdiff_t d = changes; d > 0; --d) {
    const std::ptrdiff_t k = x - y;
    const bool insertion = comes_by_insertion(d, k);
    const std::ptrdiff_t from = insertion ? before(d, k + 1) : before(d, k - 1);
    const std::ptrdiff_t after = insertion ? from : from + 1;
    marks.insert(marks.end(), static_cast<std::size_t>(x - after), ' ');
    marks.push_back(insertion ? '+' : '-');
    x = from;
    y = from - (insertion ? k + 1 : k - 1);
  }
  marks.insert(marks.end(), static_cast<std::size_t>(x), ' ');
  std::reverse(marks.begin(), marks.end());
  return marks;
}

}  // namespace

std::vector<Edit> edits(const std::vector<std::string_view>& left, const std::vector<std::string_view>& right) {
  const std::size_t shorter = std::min(left.size(), right.size());
  std::size_t before = 0, after = 0;
  while (before < shorter && left[before] == right[before]) ++before;
  while (after < shorter - before && left[left.size() - 1 - after] == right[right.size() - 1 - after]) ++after;
  const auto middle = [&](const std::vector<std::string_view>& lines) {
    return std::vector<std::string_view>(lines.begin() + static_cast<std::ptrdiff_t>(before),
                                         lines.end() - static_cast<std::ptrdiff_t>(after));
  };
  Numbering number;
  const Lines a = number(middle(left)), b = number(middle(right));
  std::vector<char> marks(before, ' ');
  const std::vector<char> way = shortest_way(a, b);
  marks.insert(marks.end(), way.begin(), way.end());
  marks.insert(marks.end(), after, ' ');
  for (auto begin = marks.begin(); begin != marks.end();) {
    begin = std::find_if(begin, marks.end(), [](char mark) { return mark != ' '; });
    const auto end = std::find(begin, marks.end(), ' ');
    std::stable_partition(begin, end, [](char mark) { return mark == '-'; });
    begin = end;
  }
  std::vector<Edit> out;
  out.reserve(marks.size());
  std::size_t l = 0, r = 0;
  for (const char mark : marks) {
    out.push_back({mark, l, r});
    l += mark != '+';
    r += mark != '-';
  }
  return out;
}

}  // namespace reckon::golden
