#include "frontend/parse/source_lines.h"

#include <algorithm>
#include <tuple>

namespace reckon::frontend {

namespace {

/// A comment after a longer line stands alone: it would move the comments of its neighbours too far to the right.
constexpr std::size_t widest_aligned = 80;

}  // namespace

void SourceLines::begin(std::size_t column, bool after_blank) {
  const bool blank = after_blank && !lines_.empty();
  lines_.emplace_back();
  lines_.back().indent = column;
  lines_.back().after_blank = blank;
}

std::pair<std::size_t, std::size_t> SourceLines::comment_column(std::size_t first) const {
  std::size_t widest = 0, at = first;
  for (; at < lines_.size() && lines_[at].has_both() && (at == first || !lines_[at].after_blank); ++at) {
    if (lines_[at].width() <= widest_aligned) widest = std::max(widest, lines_[at].width());
  }
  return {widest + 2, at};
}

std::string SourceLines::text() const {
  std::string out;
  std::size_t column = 0, column_until = 0;
  for (std::size_t at = 0; at < lines_.size(); ++at) {
    const Line& line = lines_[at];
    if (line.after_blank) out += '\n';
    if (line.has_both() && at >= column_until) std::tie(column, column_until) = comment_column(at);
    out.append(line.indent, ' ').append(line.code);
    if (line.has_both()) out.append(std::max(column, line.width() + 2) - line.width(), ' ');
    out += line.comment;
    out += '\n';
  }
  return out;
}

}  // namespace reckon::frontend
