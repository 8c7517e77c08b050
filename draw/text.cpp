#include <fmt/format.h>

#include <algorithm>

#include "draw/picture.h"

namespace reckon::draw {
namespace {

/// Deeper trees have one column a row instead of two.
constexpr int widest_spread = 40;

char joint(Level level) { return level == Level::none ? '+' : machine_level_name(level)[0]; }

class PanelText {
 public:
  explicit PanelText(const Panel& panel)
      : panel_(panel), step_(panel.rows > widest_spread ? 1 : 2), lines_(static_cast<std::size_t>(panel.columns)) {}

  std::string write(const std::string& indent) {
    std::vector<std::string> labels;
    for (const Mark& mark : panel_.marks) {
      if (mark.kind == Mark::Kind::pair) continue;
      labels.push_back(mark.label);
      if (mark.kind == Mark::Kind::bundle) {
        labels.back() += fmt::format(" ({}{}{})", mark.leaves, mark.form.empty() ? "" : " ", mark.form);
      }
    }
    std::size_t width = 0;
    for (const std::string& label : labels) width = std::max(width, label.size());
    draw(static_cast<std::uint32_t>(panel_.marks.size() - 1), 0);
    std::string out;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      // Numbers stand to the right, the longer labels of bundles to the left.
      out +=
          indent + (panel_.bundles ? fmt::format("{:<{}}", labels[i], width) : fmt::format("{:>{}}", labels[i], width));
      out += " -" + lines_[i] + "\n";
    }
    return out;
  }

 private:
  std::size_t place(int row) const { return static_cast<std::size_t>((row - 1) * step_); }

  void put(std::size_t line, std::size_t column, char what, char between) {
    std::string& text = lines_[line];
    if (text.size() < column) text.resize(column, between);
    if (text.size() == column) text += what;
    else text[column] = what;
  }

  /// Draws the tree of a mark from line `first` on; the number of lines.
  std::size_t draw(std::uint32_t at, std::size_t first) {
    const Mark& mark = panel_.marks[at];
    if (mark.kind != Mark::Kind::pair) return 1;
    const std::size_t upper = draw(mark.left, first), lower = draw(mark.right, first + upper);
    const std::size_t column = place(mark.row);
    put(first, column, joint(mark.level), '-');
    for (std::size_t line = first + 1; line < first + upper; ++line) put(line, column, '|', ' ');
    put(first + upper, column, '\'', '-');
    return upper + lower;
  }

  const Panel& panel_;
  int step_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string text(const Picture& picture) {
  std::string out = picture.caption ? picture.title + "\n" + picture.summary + "\n" : "";
  bool levels = false;
  for (std::size_t i = 0; i < picture.sections.size(); ++i) {
    const Section& section = picture.sections[i];
    const std::string indent = section.title.empty() ? "" : "   ";
    if (!section.title.empty()) out += fmt::format("\n{}. {}\n", i + 1, section.title);
    for (const Panel& panel : section.panels) {
      out += "\n";
      if (!panel.title.empty()) out += indent + panel.title + "\n";
      out += PanelText(panel).write(indent);
      for (const Mark& mark : panel.marks) levels = levels || mark.level != Level::none;
    }
  }
  if (levels) out += "\nt thread, w warp, b block, g grid, + not pinned\n";
  return out.substr(std::min(out.find_first_not_of('\n'), out.size()));
}

}  // namespace reckon::draw
