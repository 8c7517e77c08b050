#include <fmt/format.h>

#include <algorithm>

#include "draw/picture.h"
#include "draw/svg_parts.h"

namespace reckon::draw {
namespace {

// Pixels. A letter of the label font is 7.2 wide at 12; a little more is allowed for other fonts.
constexpr double margin = 20, letter = 7.4, title_letter = 9.2, line = 20;
constexpr double narrowest_column = 20, leaf_height = 18, bundle_height = 50, gap = 36, widest = 1600;

/// Classes with their colours written out: some renderers know neither custom properties nor the dark scheme, and these
/// show the light one.
constexpr const char* style = R"(<style>
text { font: 12px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328; }
.title { font-size: 15px; font-weight: bold; }
.heading { font-weight: bold; }
.middle { text-anchor: middle; }
.page { fill: #ffffff; }
.faint { fill: #59636e; }
.edge { fill: none; stroke: #8c959f; stroke-width: 1.3; }
.box { fill: #f0f3f6; stroke: #8c959f; }
.pair { fill: #1f2328; }
.thread { fill: #0969da; }
.warp { fill: #1a7f37; }
.block { fill: #bc4c00; }
.grid { fill: #8250df; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .page { fill: #0d1117; }
  .faint { fill: #9198a1; }
  .edge { stroke: #6e7681; }
  .box { fill: #21262d; stroke: #6e7681; }
  .pair { fill: #e6edf3; }
  .thread { fill: #58a6ff; }
  .warp { fill: #3fb950; }
  .block { fill: #f0883e; }
  .grid { fill: #bc8cff; }
}
</style>
)";

std::string dot(double x, double y, Level level) {
  return fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>\n",
                     level == Level::none ? "pair" : machine_level_name(level), number(x), number(y));
}

/// A panel at a place: sizes first, so that the page can be divided.
class PanelSvg {
 public:
  explicit PanelSvg(const Panel& panel) : panel_(panel) {
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

  std::string write(double left, double top) const {
    std::string edges, marks;
    if (title_ > 0) marks += words(left, top + 12, panel_.title, "");
    const auto x = [&](const Mark& mark) { return left + column_ * (mark.column + 0.5); };
    const double base = top + title_ + 10 + row_ * panel_.rows;
    const auto y = [&](const Mark& mark) { return base - row_ * mark.row; };
    for (const Mark& mark : panel_.marks) {
      const double at = x(mark);
      if (mark.kind == Mark::Kind::pair) {
        const Mark &a = panel_.marks[mark.left], &b = panel_.marks[mark.right];
        edges += fmt::format("<path class=\"edge\" d=\"M{} {}V{}H{}V{}\"/>\n", number(x(a)), number(y(a)),
                             number(y(mark)), number(x(b)), number(y(b)));
        marks += dot(at, y(mark), mark.level);
      } else if (mark.kind == Mark::Kind::leaf) {
        const double half = static_cast<double>(mark.label.size()) * letter / 2 + 3;
        marks += fmt::format("<rect class=\"box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>\n",
                             number(at - half), number(base), number(2 * half), number(leaf_height));
        marks += words(at, base + 13, mark.label, "middle");
      } else {
        const double half = std::min(column_ / 2 - 3, 24.0 + letter);
        marks += fmt::format("<path class=\"box\" d=\"M{} {}L{} {}H{}Z\"/>\n", number(at), number(base),
                             number(at + half), number(base + bundle_height), number(at - half));
        marks += words(at, base + bundle_height - 9, std::to_string(mark.leaves), "middle");
        marks += words(at, base + bundle_height + 15, mark.label, "middle faint");
        if (!mark.form.empty()) marks += words(at, base + bundle_height + 29, mark.form, "middle faint");
      }
    }
    return edges + marks;
  }

 private:
  const Panel& panel_;
  double column_ = 0, row_ = 0, title_ = 0;
};

std::string legend(double left, double y) {
  std::string out;
  for (const Level level : {Level::thread, Level::warp, Level::block, Level::grid, Level::none}) {
    const std::string name(level == Level::none ? "not pinned" : machine_level_name(level));
    out += dot(left + 4, y - 4, level) + words(left + 14, y, name, "");
    left += 14 + static_cast<double>(name.size()) * letter + 22;
  }
  return out;
}

}  // namespace

std::string svg(const Picture& picture) {
  const std::size_t longest_title = static_cast<std::size_t>((widest - 2 * margin) / title_letter);
  const std::string title =
      picture.title.size() <= longest_title ? picture.title : picture.title.substr(0, longest_title - 4) + " ...";
  double width =
      std::max(static_cast<double>(title.size()) * title_letter, static_cast<double>(picture.summary.size()) * letter);
  double y = margin + 14;
  std::string body = words(margin, y, title, "title");
  y += line;
  body += words(margin, y, picture.summary, "faint");
  y += 16;
  bool levels = false;
  for (std::size_t i = 0; i < picture.sections.size(); ++i) {
    const Section& section = picture.sections[i];
    if (!section.title.empty()) {
      const std::string heading = fmt::format("{}. {}", i + 1, section.title);
      y += 28;
      body += words(margin, y, heading, "heading");
      width = std::max(width, static_cast<double>(heading.size()) * letter);
      y += 10;
    }
    // Panels side by side while there is room.
    double x = margin, highest = 0;
    for (const Panel& panel : section.panels) {
      const PanelSvg drawn(panel);
      if (x > margin && x + drawn.width() > widest) {
        y += highest + 10;
        x = margin;
        highest = 0;
      }
      body += drawn.write(x, y);
      width = std::max(width, x - margin + drawn.width());
      highest = std::max(highest, drawn.height());
      x += drawn.width() + gap;
      for (const Mark& mark : panel.marks) levels = levels || mark.level != Level::none;
    }
    y += highest;
  }
  if (levels) {
    y += 24;
    body += legend(margin, y);
    width = std::max(width, 420.0);
  }
  return page({width + 2 * margin, y + margin, picture.title, picture.summary, style}, body);
}

}  // namespace reckon::draw
