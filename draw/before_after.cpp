// Calls: the arguments and the result side by side; equal letters and colours mark the same elements.
#include <fmt/format.h>

#include "draw/links.h"

namespace reckon::draw {

using layout::IntTuple;
using layout::Result;

namespace {

/// Functions whose arguments are shapes and numbers: such a call changes no layout.
constexpr std::array<std::string_view, 7> makers{"column_major", "row_major", "make_ordered_layout", "identity",
                                                 "swizzle",      "fit",       "domain_distribute"};

}  // namespace

Result<std::vector<Grid>> before_and_after(const layout::Expression& expression, const LayoutOptions& options,
                                           std::vector<std::string>& notes) {
  std::vector<Grid> out;
  if (!expression.call || is_one_of(expression.call->function, makers)) return out;
  const layout::Call& call = *expression.call;
  Linked picture;
  auto add = [&](const layout::AnyValue& value, std::int64_t offset) {
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
