// Calls: the arguments and the result side by side; equal letters and colours mark the same elements.
#include <fmt/format.h>

#include <algorithm>

#include "draw/links.h"

namespace reckon::draw {

using layout::IntTuple;
using layout::Result;

namespace {

/// Functions whose arguments are shapes and numbers: such a call changes no layout.
constexpr std::array<std::string_view, 7> makers{"column_major", "row_major", "make_ordered_layout", "identity",
                                                 "swizzle",      "fit",       "domain_distribute"};

/// Where no groups link the panels, those of swizzled layouts have the colours of their swizzle, with a note; of a
/// composition the other panels, too, which shows where each offset was before.
void colour_swizzles(Linked& picture, const std::vector<const layout::AnyValue*>& values, const LayoutOptions& options,
                     bool composition) {
  const bool linked = std::any_of(picture.panels.begin(), picture.panels.end(),
                                  [](const LinkedPanel& panel) { return panel.groups.has_value(); });
  std::vector<std::pair<std::string, std::string>> notes;  // and of which panel
  for (std::size_t k = 0; k < picture.panels.size(); ++k) {
    LinkedPanel& panel = picture.panels[k];
    if (linked) panel.values.swizzle.reset();
    const std::string note = linked ? "" : note_on_swizzle(*values[k], options);
    if (!note.empty() && (notes.empty() || notes.back().first != note)) notes.emplace_back(note, panel.name);
  }
  for (const auto& [note, name] : notes) {
    if (!picture.note.empty()) picture.note += "; ";
    picture.note += notes.size() > 1 ? fmt::format("of {}: {}", name, note) : note;
  }
  if (!composition || linked) return;
  for (LinkedPanel& panel : picture.panels) {
    if (!panel.values.swizzle) panel.values.swizzle = picture.result().values.swizzle;
  }
}

}  // namespace

Result<std::vector<Grid>> before_and_after(const layout::Expression& expression, const LayoutOptions& options,
                                           std::vector<std::string>& notes) {
  std::vector<Grid> out;
  if (!expression.call || is_one_of(expression.call->function, makers)) return out;
  const layout::Call& call = *expression.call;
  Linked picture;
  std::vector<const layout::AnyValue*> drawn;
  auto add = [&](const layout::AnyValue& value, std::int64_t offset) {
    drawn.push_back(&value);
    if (auto values = values_of(value, offset)) picture.panels.push_back({std::move(*values)});
    else picture.panels.push_back({Values{IntTuple(1), 1, text_of(value), "", {}}, {}, "", &value});
  };
  const bool takes_shape_second = is_one_of(call.function, products) || call.function == "compose";
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const layout::Argument& argument = call.arguments[k];
    if (!argument.value) continue;
    // The tiles of a division are drawn in the layout that is divided.
    if (k > 0 && layout::division_named(call.function)) continue;
    const bool first = k == 0 && !is_one_of(call.function, std::array<std::string_view, 2>{"slice", "dice"});
    if (argument.is_layout || first || (k == 1 && takes_shape_second)) add(*argument.value, 0);
  }
  if (picture.panels.empty()) return out;
  if (picture.panels.size() == 1) {
    picture.panels[0].name = "before";
  } else {
    static constexpr const char* names[] = {"first", "second", "third"};
    for (std::size_t k = 0; k < picture.panels.size(); ++k) {
      picture.panels[k].name = k < 3 ? names[k] : fmt::format("number {}", k + 1);
    }
  }
  const bool one = picture.panels.size() == 1;
  add(expression.value, expression.offset);
  picture.result().name = one ? "after" : "result";
  if (options.shade == LayoutOptions::Shade::standard) link(picture, call);
  colour_swizzles(picture, drawn, options, call.function == "compose");
  for (const LinkedPanel& panel : picture.panels) {
    const auto grid =
        panel.value ? bits_of(*panel.value) : grid_of(panel.values, options, panel.groups ? &*panel.groups : nullptr);
    if (!grid) return grid.problem();
    out.push_back(*grid);
    out.back().title = panel.name + ": " + out.back().title;
  }
  if (!picture.note.empty()) notes.push_back(picture.note);
  return out;
}

}  // namespace reckon::draw
