#include <fmt/format.h>

#include <algorithm>

#include "draw/picture.h"
#include "draw/sheet.h"

namespace reckon::draw {
namespace {

// Pixels. A letter of the label font is 7.2 wide at 12; a little more is allowed for other fonts.
constexpr double narrowest_column = 20, leaf_height = 18, bundle_height = 50;

void dot(Sheet& sheet, Point centre, Level level) {
  sheet.add(level == Level::none ? "pair" : std::string(machine_level_name(level)), Circle{centre, 3.5});
}

/// A panel at a place: sizes first, so that the page can be divided.
class PanelSheet {
 public:
  explicit PanelSheet(const Panel& panel) : panel_(panel) {
    std::size_t longest = 0;
    for (const Mark& mark : panel.marks) {
      longest = std::max({longest, mark.label.size(), mark.form.size()});
    }
    column_ = std::max(narrowest_column, static_cast<double>(longest) * letter + 10);
    row_ = std::clamp(720.0 / std::max(panel.rows, 1), 11.0, 30.0);
    title_ = panel.title.empty() ? 0 : line;
  }

  double width() const { return std::max(column_ * panel_.columns, static_cast<double>(panel_.title.size()) * letter); }
  double height() const {
    return title_ + 10 + row_ * panel_.rows + (panel_.bundles ? bundle_height + 32 : leaf_height) + 6;
  }

  void write(Sheet& sheet, double left, double top) const {
    const auto x = [&](const Mark& mark) { return left + column_ * (mark.column + 0.5); };
    const double base = top + title_ + 10 + row_ * panel_.rows;
    const auto y = [&](const Mark& mark) { return base - row_ * mark.row; };
    // Edges lie under what they join.
    for (const Mark& mark : panel_.marks) {
      if (mark.kind != Mark::Kind::pair) continue;
      const Mark &a = panel_.marks[mark.left], &b = panel_.marks[mark.right];
      sheet.add("edge", Polyline{{{x(a), y(a)}, {x(a), y(mark)}, {x(b), y(mark)}, {x(b), y(b)}}});
    }
    if (title_ > 0) sheet.add("", Words{{left, top + 12}, panel_.title});
    for (const Mark& mark : panel_.marks) {
      const double at = x(mark);
      if (mark.kind == Mark::Kind::pair) {
        dot(sheet, {at, y(mark)}, mark.level);
      } else if (mark.kind == Mark::Kind::leaf) {
        const double half = static_cast<double>(mark.label.size()) * letter / 2 + 3;
        sheet.add("box", Rectangle{{at - half, base}, 2 * half, leaf_height, 4});
        sheet.add("middle", Words{{at, base + 13}, mark.label});
      } else {
        const double half = std::min(column_ / 2 - 3, 24.0 + letter), bottom = base + bundle_height;
        sheet.add("box", Polyline{{{at, base}, {at + half, bottom}, {at - half, bottom}}, true});
        sheet.add("middle", Words{{at, bottom - 9}, std::to_string(mark.leaves)});
        sheet.add("middle faint", Words{{at, bottom + 15}, mark.label});
        if (!mark.form.empty()) sheet.add("middle faint", Words{{at, bottom + 29}, mark.form});
      }
    }
  }

 private:
  const Panel& panel_;
  double column_ = 0, row_ = 0, title_ = 0;
};

void legend(Sheet& sheet, double left, double y) {
  for (const Level level : {Level::thread, Level::warp, Level::block, Level::grid, Level::none}) {
    const std::string name(level == Level::none ? "not pinned" : machine_level_name(level));
    dot(sheet, {left + 4, y - 4}, level);
    sheet.add("", Words{{left + 14, y}, name});
    left += 14 + static_cast<double>(name.size()) * letter + 22;
  }
}

}  // namespace

Sheet sheet_of(const Picture& picture) {
  Sheet sheet(Style::In::trees, picture.title, picture.summary);
  double width = 0, y = margin;
  if (picture.caption) {
    width = sheet.add_caption();
    y += 14 + line + 16;
  }
  bool levels = false;
  for (std::size_t i = 0; i < picture.sections.size(); ++i) {
    const Section& section = picture.sections[i];
    if (!section.title.empty()) {
      const std::string heading = fmt::format("{}. {}", i + 1, section.title);
      y += 28;
      sheet.add("heading", Words{{margin, y}, heading});
      width = std::max(width, static_cast<double>(heading.size()) * letter);
      y += 10;
    }
    Rows rows(y, 10);
    for (const Panel& panel : section.panels) {
      const PanelSheet drawn(panel);
      const Point corner = rows.place(drawn.width(), drawn.height());
      drawn.write(sheet, corner.x, corner.y);
      for (const Mark& mark : panel.marks) levels = levels || mark.level != Level::none;
    }
    width = std::max(width, rows.width());
    y = rows.bottom();
  }
  if (levels) {
    y += 24;
    legend(sheet, margin, y);
    width = std::max(width, 420.0);
  }
  sheet.resize(width + 2 * margin, y + margin);
  return sheet;
}

}  // namespace reckon::draw
