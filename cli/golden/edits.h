// The fewest lines to take out and to put in that make one text of another.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace reckon::golden {

struct Edit {
  char mark;          ///< ' ' in both texts, '-' in the left one only, '+' in the right one only
  std::size_t left;   ///< the line's number in the left text, from 0; for '+', that of the line that would follow
  std::size_t right;  ///< the same in the right text; for '-', that of the line that would follow
  bool operator==(const Edit&) const = default;
};

/// E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986), section 3. Where lines are
/// replaced, all that go out stand before all that come in. Texts that differ by more than 2,000 lines are replaced as
/// a whole, apart from their common ends.
std::vector<Edit> edits(const std::vector<std::string_view>& left, const std::vector<std::string_view>& right);

}  // namespace reckon::golden
