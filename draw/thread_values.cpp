// Thread-value layouts inverted: the tile, and which thread holds each of its elements (as CUTLASS prints them).
#include <fmt/format.h>

#include "draw/layouts.h"
#include "layout/tiled/mma.h"

namespace reckon::draw {

using layout::Operand;
using layout::Problem;
using layout::Result;

namespace {

/// The tile that an instruction's operand covers, where the call names the instruction.
std::vector<std::int64_t> tile_of(const layout::Expression& expression) {
  if (!expression.call) return {};
  const auto& [function, arguments] = *expression.call;
  const bool tiled = function == "tiled_mma";
  if (!(function == "mma" && arguments.size() == 2) && !(tiled && arguments.size() == 3)) return {};
  auto unquoted = [](const std::string& text) {
    return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : std::string();
  };
  const auto atom = layout::mma_atom(unquoted(arguments[0].text));
  const std::string name = unquoted(arguments.back().text);
  if (!atom || name.empty()) return {};
  const Operand operand = name == "A" ? Operand::a : name == "B" ? Operand::b : Operand::c;
  if (!tiled) return {operand == Operand::b ? atom->n : atom->m, operand == Operand::c ? atom->n : atom->k};
  const auto* atoms = arguments[1].value ? std::get_if<layout::Layout>(&*arguments[1].value) : nullptr;
  if (!atoms) return {};
  const auto made = layout::TiledMma::make(*atom, *atoms);
  if (!made) return {};
  return made->tile(operand).leaves();
}

}  // namespace

Result<Grid> thread_values(const layout::Expression& expression, const LayoutOptions& options,
                           std::vector<std::string>& notes) {
  using Label = LayoutOptions::Label;
  using Shade = LayoutOptions::Shade;
  const auto any = layout_in(expression.value);
  if (!any) {
    return Problem{Problem::Kind::bad_access, fmt::format("`{}` is no thread-value layout", text_of(expression.value)),
                   "`--as tv` takes a layout with two modes: the threads, and the values of each"};
  }
  const auto values = *values_of(expression.value, expression.offset);
  std::vector<std::int64_t> tile = options.tile.empty() ? tile_of(expression) : options.tile;
  if (tile.empty()) {
    return Problem{Problem::Kind::bad_access, fmt::format("the tile that `{}` covers is not known", values.text),
                   "say its size: `--tile 16,8`"};
  }
  if (tile.size() == 1) tile.insert(tile.begin(), 1);
  if (tile.size() > 2) {
    return Problem{Problem::Kind::rank, fmt::format("a tile of {} modes is not drawn", tile.size()),
                   "give two sizes: `--tile 16,8`"};
  }
  if (values.size > largest_enumerated) {
    return Problem{Problem::Kind::too_large,
                   fmt::format("{} elements are too many to look up who holds each", values.size),
                   fmt::format("at most {} are", largest_enumerated)};
  }
  const std::int64_t threads = values.rank() < 2 ? values.size : values.rows();
  Grid out(Edge::plain(tile[0], max_rows), Edge::plain(tile[1], max_columns));
  struct Owner {
    std::int64_t thread = -1, value = 0, others = 0;
  };
  std::vector<Owner> owners(out.cells.size());
  bool shared = false;
  for (std::int64_t index = 0; index < values.size; ++index) {
    const auto at = values.at(index);
    if (!at) return at.problem();
    const std::int64_t element = *at->offset, row = element % tile[0], column = element / tile[0];
    if (element < 0 || column >= tile[1]) {
      return Problem{Problem::Kind::out_of_range,
                     fmt::format("thread {}, value {} holds element {}, and a tile of {} x {} has {}", index % threads,
                                 index / threads, element, tile[0], tile[1], tile[0] * tile[1]),
                     "a tile's elements are numbered column by column; give its size with `--tile`"};
    }
    if (row >= out.down.shown() || column >= out.across.shown()) continue;
    Owner& owner = owners[static_cast<std::size_t>(row * out.across.shown() + column)];
    if (owner.thread < 0) {
      owner = {index % threads, index / threads, 0};
    } else {
      ++owner.others;
      shared = true;
    }
  }
  for (std::size_t k = 0; k < owners.size(); ++k) {
    const Owner& owner = owners[k];
    if (owner.thread < 0) continue;
    Cell& cell = out.cells[k];
    const std::int64_t element = static_cast<std::int64_t>(k) / out.across.shown() +
                                 tile[0] * (static_cast<std::int64_t>(k) % out.across.shown());
    switch (options.label) {
      case Label::thread: cell.label = fmt::format("T{}", owner.thread); break;
      case Label::value: cell.label = fmt::format("V{}", owner.value); break;
      case Label::offset:
      case Label::index: cell.label = std::to_string(element); break;
      case Label::coordinate: cell.label = fmt::format("({},{})", element % tile[0], element / tile[0]); break;
      default: cell.label = fmt::format("T{}V{}", owner.thread, owner.value);
    }
    if (owner.others > 0) cell.label += fmt::format("+{}", owner.others);
    switch (options.shade) {
      case Shade::none: break;
      case Shade::value: cell.colour = owner.value; break;
      case Shade::warp:
        cell.colour = owner.thread / warp_size;
        cell.mark = fmt::format("w{}", cell.colour);
        break;
      default: cell.colour = owner.thread;
    }
  }
  out.title = values.text;
  out.caption = fmt::format("{} threads with {} values each, a tile of {} x {}", threads, values.size / threads,
                            tile[0], tile[1]);
  if (const std::string note = note_on(options); options.shade == Shade::warp) notes.push_back(note);
  if (shared) notes.emplace_back("+n: n more threads or values hold the same element");
  return out;
}

}  // namespace reckon::draw
