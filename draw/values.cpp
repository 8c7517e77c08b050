#include <fmt/format.h>

#include "draw/layouts.h"
#include "layout/coordinates.h"
#include "layout/memory/access.h"

namespace reckon::draw {

using layout::AnyLayout;
using layout::AnyValue;
using layout::Bounds;
using layout::Composed;
using layout::CoordinateLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Problem;
using layout::Result;
using layout::Swizzle;

namespace {

std::string elements(std::int64_t count) { return fmt::format("{} element{}", count, count == 1 ? "" : "s"); }

std::string offsets_caption(const AnyLayout& any, std::int64_t offset) {
  const auto range = layout::range(any);
  if (!range) return elements(layout::size(any));
  return fmt::format("{}, offsets {}..{}", elements(layout::size(any)), range->min + offset, range->max + offset);
}

Values values_of_layout(AnyLayout any, std::int64_t offset) {
  Values out{layout::shape(any), layout::size(any), layout::text(any), offsets_caption(any, offset), {}};
  if (offset != 0) out.text = fmt::format("{} + {}", offset, out.text);
  out.swizzle = swizzle_in(std::visit([](const auto& each) { return AnyValue(each); }, any));
  out.at = [any = std::move(any), offset](std::int64_t index) -> Result<Value> {
    const auto at = layout::evaluate(any, IntTuple(index));
    if (!at) return at.problem();
    return Value{std::to_string(*at + offset), *at + offset};
  };
  return out;
}

std::int64_t bank_of(std::int64_t offset, std::int64_t bytes) {
  return offset * bytes / layout::word_bytes % layout::banks;
}

/// The bits of the offset that the swizzle changes, as a number.
std::int64_t changed_part(const Swizzle& swizzle, std::int64_t offset) {
  return (offset & swizzle.changed_mask()) >> (swizzle.base + std::max(-swizzle.shift, 0));
}

}  // namespace

std::int64_t Values::rows() const {
  if (shape.rank() < 2) return 1;
  return *layout::product(shape.elements()[0]);
}

std::optional<AnyLayout> layout_in(const AnyValue& value) {
  if (auto* plain = std::get_if<Layout>(&value)) return *plain;
  if (auto* composed = std::get_if<Composed>(&value)) return *composed;
  return std::nullopt;
}

std::optional<Swizzle> swizzle_in(const AnyValue& value) {
  const auto* composed = std::get_if<Composed>(&value);
  if (!composed || composed->stages().size() != 1) return std::nullopt;
  const auto* swizzle = std::get_if<Swizzle>(&composed->stages()[0].map);
  return swizzle && !swizzle->is_identity() ? std::optional(*swizzle) : std::nullopt;
}

std::string text_of(const AnyValue& value) {
  return std::visit([](const auto& each) { return each.text(); }, value);
}

std::optional<Values> values_of(const AnyValue& value, std::int64_t offset) {
  if (auto any = layout_in(value)) return values_of_layout(std::move(*any), offset);
  if (auto* coordinates = std::get_if<CoordinateLayout>(&value)) {
    return Values{coordinates->shape(), coordinates->size(), coordinates->text(), elements(coordinates->size()),
                  [it = *coordinates](std::int64_t index) -> Result<Value> {
                    const auto at = it(IntTuple(index));
                    if (!at) return at.problem();
                    return Value{at->text(), {}};
                  }};
  }
  if (auto* bounds = std::get_if<Bounds>(&value)) {
    const CoordinateLayout& coordinates = bounds->coordinates();
    return Values{coordinates.shape(), coordinates.size(), bounds->text(), elements(coordinates.size()),
                  [it = *bounds](std::int64_t index) -> Result<Value> {
                    const auto at = it.position(IntTuple(index));
                    if (!at) return at.problem();
                    const auto inside = it.inside(IntTuple(index));
                    if (!inside) return inside.problem();
                    return Value{at->text(), {}, !*inside};
                  }};
  }
  return std::nullopt;
}

Result<Grid> grid_of(const Values& values, const LayoutOptions& options, const Groups* groups) {
  using Label = LayoutOptions::Label;
  using Shade = LayoutOptions::Shade;
  std::vector<IntTuple> down, across;
  if (values.rank() < 2) {
    across.push_back(values.shape);
  } else {
    const auto& modes = values.shape.elements();
    down.push_back(modes[0]);
    across.assign(modes.begin() + 1, modes.end());
  }
  Grid out(Edge(down, max_rows), Edge(across, max_columns));
  out.title = values.text;
  out.caption = values.caption;
  const bool needs_bank = options.label == Label::bank || options.shade == Shade::bank;
  const bool grouped = groups && options.shade == Shade::standard;
  const std::int64_t rows = values.rows();
  for (std::int64_t i = 0; i < out.down.shown(); ++i) {
    for (std::int64_t j = 0; j < out.across.shown(); ++j) {
      const std::int64_t index = i + rows * j;
      const auto value = values.at(index);
      if (!value) return value.problem();
      if (value->outside) continue;
      Cell& cell = out.at(i, j);
      if (needs_bank && (!value->offset || *value->offset < 0)) {
        return Problem{Problem::Kind::bad_access,
                       fmt::format("`{}` at index {} is {}, which lies in no bank", values.text, index, value->text),
                       "banks are those of offsets from 0 on, in elements of `--bytes` bytes"};
      }
      switch (options.label) {
        case Label::index: cell.label = std::to_string(index); break;
        case Label::coordinate: cell.label = layout::split(index, values.shape)->text(); break;
        case Label::bank: cell.label = std::to_string(bank_of(*value->offset, options.element_bytes)); break;
        default: cell.label = value->text;
      }
      if (grouped) {
        const std::int64_t group = groups->of[static_cast<std::size_t>(index)];
        if (group < 0) continue;
        cell.colour = group;
        cell.mark = groups->mark.empty() ? group_mark(group) : groups->mark;
        continue;
      }
      switch (options.shade) {
        case Shade::standard:
          if (options.label == Label::bank) cell.colour = bank_of(*value->offset, options.element_bytes) / 4;
          else if (!value->offset || groups) break;
          else if (values.swizzle) cell.mark = group_mark(cell.colour = changed_part(*values.swizzle, *value->offset));
          else cell.colour = (*value->offset % palette_size + palette_size) % palette_size;
          break;
        case Shade::offset:
          if (!value->offset) break;
          cell.colour = (*value->offset % options.modulus + options.modulus) % options.modulus;
          if (options.modulus > palette_size) cell.mark = std::to_string(cell.colour);
          break;
        case Shade::bank:
          cell.colour = bank_of(*value->offset, options.element_bytes) / 4;
          if (options.label != Label::bank)
            cell.mark = fmt::format("b{}", bank_of(*value->offset, options.element_bytes));
          break;
        case Shade::thread:
        case Shade::row: cell.colour = values.rank() < 2 ? j : i; break;
        case Shade::warp:
          cell.colour = (values.rank() < 2 ? j : i) / warp_size;
          cell.mark = fmt::format("w{}", cell.colour);
          break;
        case Shade::value:
        case Shade::column: cell.colour = j; break;
        case Shade::tile: {
          const bool one = values.rank() < 2;
          const std::int64_t first = options.tile[0],
                             second = options.tile.size() > 1 ? options.tile[1] : out.across.size();
          const std::int64_t tile = one ? j / first : i / first + (out.down.size() + first - 1) / first * (j / second);
          cell.colour = tile;
          cell.mark = group_mark(tile);
          break;
        }
        case Shade::none: break;
      }
    }
  }
  return out;
}

std::string note_on(const LayoutOptions& options) {
  using Shade = LayoutOptions::Shade;
  switch (options.shade) {
    case Shade::offset:
      return options.modulus > palette_size ? fmt::format("small numbers: the offset modulo {}", options.modulus) : "";
    case Shade::bank:
      return fmt::format("b: the bank of shared memory, of elements of {} bytes", options.element_bytes);
    case Shade::tile: return "letters: the tile";
    case Shade::warp: return fmt::format("w: the warp, {} threads each", warp_size);
    default: return "";
  }
}

std::string note_on_swizzle(const AnyValue& value, const LayoutOptions& options) {
  const auto swizzle = swizzle_in(value);
  if (!swizzle || options.shade != LayoutOptions::Shade::standard || options.label == LayoutOptions::Label::bank) {
    return "";
  }
  const int first = swizzle->base + std::max(-swizzle->shift, 0), last = first + swizzle->bits - 1;
  const std::string bits = first == last ? fmt::format("bit {}", first) : fmt::format("bits {}..{}", first, last);
  std::string note = fmt::format("letters and colours: {} of the offset, which the swizzle changes", bits);
  // Whether the inner layout alone has one letter in each column, or row.
  const auto& composed = std::get<Composed>(value);
  Values plain = values_of_layout(composed.inner(), composed.stages()[0].offset);
  const std::int64_t rows = plain.rows(), columns = plain.size / rows;
  const auto letter = [&](std::int64_t i, std::int64_t j) {
    const auto at = plain.at(i + rows * j);
    return at ? changed_part(*swizzle, *at->offset) : -1;
  };
  bool by_column = rows > 1, by_row = columns > 1;
  for (std::int64_t i = 0; i < std::min(rows, max_rows); ++i) {
    for (std::int64_t j = 0; j < std::min(columns, max_columns); ++j) {
      by_column = by_column && letter(i, j) == letter(0, j);
      by_row = by_row && letter(i, j) == letter(i, 0);
    }
  }
  if (by_column != by_row) note += fmt::format("; without it, each {} has one letter", by_column ? "column" : "row");
  return note;
}

void add_notes(GridPicture& picture) {
  for (const Grid& grid : picture.grids) {
    const std::string what = picture.grids.size() > 1 ? fmt::format("of {}: ", grid.title) : "";
    if (grid.down.shown() < grid.down.size()) {
      picture.notes.push_back(
          fmt::format("{}the first {} of {} rows are drawn", what, grid.down.shown(), grid.down.size()));
    }
    if (grid.across.shown() < grid.across.size()) {
      picture.notes.push_back(
          fmt::format("{}the first {} of {} columns are drawn", what, grid.across.shown(), grid.across.size()));
    }
  }
}

}  // namespace reckon::draw
