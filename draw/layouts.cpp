#include "draw/layouts.h"

#include <fmt/format.h>

namespace reckon::draw {

using layout::BitMatrix;
using layout::Problem;
using layout::Result;
using layout::Swizzle;

Result<GridPicture> picture_of(const layout::Expression& expression, const LayoutOptions& options, std::string title) {
  using As = LayoutOptions::As;
  GridPicture out;
  out.title = std::move(title);
  out.caption = options.caption;
  if (options.shade == LayoutOptions::Shade::tile && options.tile.empty()) {
    return Problem{Problem::Kind::bad_access, "how large the tiles are that are to be coloured is not said",
                   "say so with `--tile 2,4`"};
  }
  auto add = [&](Result<Grid> grid) -> std::optional<Problem> {
    if (!grid) return grid.problem();
    out.grids.push_back(*grid);
    return std::nullopt;
  };
  std::optional<Problem> problem;
  const bool bits =
      std::holds_alternative<Swizzle>(expression.value) || std::holds_alternative<BitMatrix>(expression.value);
  if (options.as == As::tv) {
    problem = add(thread_values(expression, options, out.notes));
  } else if (options.as == As::banks) {
    problem = add(memory_banks(expression, options, out.notes));
  } else if (options.as == As::bits) {
    problem = add(bits_of(expression.value));
  } else {
    if (!options.alone) {
      auto grids = before_and_after(expression, options, out.notes);
      if (!grids) return grids.problem();
      out.grids = *grids;
    }
    if (out.grids.empty()) {
      if (const std::string note = note_on_swizzle(expression.value, options); !note.empty()) out.notes.push_back(note);
      problem =
          add(bits ? bits_of(expression.value) : grid_of(*values_of(expression.value, expression.offset), options));
    }
    if (const std::string note = note_on(options); !note.empty()) out.notes.push_back(note);
  }
  if (problem) return *problem;
  if (out.grids.size() == 1) {
    // One title is enough.
    Grid& only = out.grids[0];
    if (only.title == out.title) only.title.clear();
    out.summary = only.title.empty() ? only.caption : fmt::format("{}: {}", only.title, only.caption);
    only.title.clear();
    only.caption.clear();
  }
  add_notes(out);
  return out;
}

}  // namespace reckon::draw
