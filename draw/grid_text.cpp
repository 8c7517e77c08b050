#include <algorithm>

#include "draw/grid.h"

namespace reckon::draw {
namespace {

constexpr std::size_t max_text_width = 120, between = 4;

using Lines = std::vector<std::string>;

std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::size_t width_of(const Lines& lines) {
  std::size_t out = 0;
  for (const std::string& line : lines) out = std::max(out, line.size());
  return out;
}

class GridText {
 public:
  explicit GridText(const Grid& grid) : grid_(grid) {
    for (const Cell& cell : grid.cells) cell_ = std::max(cell_, shown(cell).size());
    for (std::size_t level = 0; level < grid.across.levels(); ++level) {
      for (std::int64_t j = 0; j < grid.across.shown(); ++j) {
        cell_ = std::max(cell_, grid.across.label(j, level).size());
      }
    }
    for (std::size_t level = 0; level < grid.down.levels(); ++level) {
      std::size_t widest_label = 0;
      for (std::int64_t i = 0; i < grid.down.shown(); ++i) {
        widest_label = std::max(widest_label, grid.down.label(i, level).size());
      }
      labels_.push_back(widest_label);
    }
  }

  /// The whole grid; columns that do not fit beside each other stand in parts, one under the other.
  Lines write() const {
    Lines out;
    if (!grid_.title.empty()) out.push_back(grid_.title);
    if (!grid_.caption.empty()) out.push_back(grid_.caption);
    if (!out.empty()) out.emplace_back();
    // Room for the breaks, too: at most one for two columns.
    const std::size_t room = max_text_width - margin() - 4, column = cell_ + 1;
    std::int64_t part = static_cast<std::int64_t>(room / column);
    while (part > 1 && line_width(grid_.across.cut(part)) > room) --part;
    part = grid_.across.cut(part);
    for (std::int64_t first = 0; first < grid_.across.shown(); first += part) {
      if (first > 0) out.emplace_back();
      write(first, std::min(first + part, grid_.across.shown()), out);
    }
    return out;
  }

 private:
  static std::string shown(const Cell& cell) { return (cell.label.empty() ? "-" : cell.label) + cell.mark; }

  std::size_t margin() const {
    std::size_t out = 0;
    for (const std::size_t width : labels_) out += width + 1;
    return out;
  }
  std::size_t line_width(std::int64_t columns) const {
    std::size_t out = static_cast<std::size_t>(columns) * (cell_ + 1);
    for (std::int64_t j = 1; j < columns; ++j) out += grid_.across.breaks(j) > 0 ? 2 : 0;
    return out;
  }
  /// What stands before a column: a line where a group ends, a double one where an outer group does.
  std::string before(std::int64_t column, std::int64_t first, const char* lines[3]) const {
    if (column == first) return "";
    return lines[std::min(grid_.across.breaks(column), 2)];
  }

  void write(std::int64_t first, std::int64_t last, Lines& out) const {
    for (std::size_t level = grid_.across.levels(); level-- > 0;) {
      std::string line(margin() + 1, ' ');
      const char* lines[] = {"", level <= 1 ? " |" : "  ", "||"};
      for (std::int64_t j = first; j < last; ++j) {
        const bool written = j == first || grid_.across.begins(j, level);
        line += before(j, first, lines) + " " + right(written ? grid_.across.label(j, level) : "", cell_);
      }
      out.push_back(trimmed(line));
    }
    out.push_back(rule('-', first, last));
    for (std::int64_t i = 0; i < grid_.down.shown(); ++i) {
      if (const int breaks = grid_.down.breaks(i)) out.push_back(rule(breaks > 1 ? '=' : '-', first, last));
      std::string line;
      for (std::size_t level = grid_.down.levels(); level-- > 0;) {
        const bool written = i == 0 || grid_.down.begins(i, level);
        line += right(written ? grid_.down.label(i, level) : "", labels_[level]) + " ";
      }
      line += "|";
      static const char* lines[] = {"", " |", "||"};
      for (std::int64_t j = first; j < last; ++j) {
        line += before(j, first, lines) + " " + right(shown(grid_.at(i, j)), cell_);
      }
      out.push_back(line);
    }
  }

  std::string rule(char with, std::int64_t first, std::int64_t last) const {
    std::string line = std::string(margin(), ' ') + "+";
    const std::string one = std::string(1, with) + "+", two = "++";
    const char* lines[] = {"", one.c_str(), two.c_str()};
    for (std::int64_t j = first; j < last; ++j) line += before(j, first, lines) + std::string(cell_ + 1, with);
    return line;
  }

  static std::string trimmed(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  const Grid& grid_;
  std::size_t cell_ = 1;
  std::vector<std::size_t> labels_;  ///< widths, by level
};

}  // namespace

std::string text(const GridPicture& picture) {
  std::string out = picture.caption ? picture.title + "\n" : "";
  if (picture.caption && !picture.summary.empty()) out += picture.summary + "\n";
  // Grids stand beside each other while there is room.
  std::vector<Lines> row;
  std::size_t width = 0;
  auto flush = [&] {
    std::size_t height = 0;
    for (const Lines& lines : row) height = std::max(height, lines.size());
    out += "\n";
    for (std::size_t k = 0; k < height; ++k) {
      std::string line;
      std::size_t at = 0;
      for (const Lines& lines : row) {
        if (k < lines.size() && !lines[k].empty()) {
          line.resize(at, ' ');
          line += lines[k];
        }
        at += width_of(lines) + between;
      }
      out += line + "\n";
    }
    row.clear();
    width = 0;
  };
  for (const Grid& grid : picture.grids) {
    Lines lines = GridText(grid).write();
    if (!row.empty() && width + width_of(lines) > max_text_width) flush();
    width += width_of(lines) + between;
    row.push_back(std::move(lines));
  }
  if (!row.empty()) flush();
  if (!picture.caption) return out.substr(std::min(out.find_first_not_of('\n'), out.size()));
  if (!picture.notes.empty()) out += "\n";
  for (const std::string& note : picture.notes) out += note + "\n";
  return out;
}

}  // namespace reckon::draw
