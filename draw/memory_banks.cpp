// A tile in shared memory: rows of 32 banks, and what lies in each word.
#include <fmt/format.h>

#include <algorithm>

#include "draw/layouts.h"
#include "layout/memory/request.h"

namespace reckon::draw {

using layout::Problem;
using layout::Result;

namespace {

/// How many wavefronts ldmatrix takes at worst for eight of the tile's lines at one piece of 16 bytes; nothing if the
/// tile cannot be read so.
std::optional<std::string> matrix_reads(const std::vector<std::int64_t>& offsets, const Values& values, bool across,
                                        std::int64_t bytes) {
  constexpr std::int64_t lines_read = 8, width = layout::widest_access;
  const std::int64_t piece = width / bytes;
  if (values.rank() != 2 || piece < 1) return std::nullopt;
  const std::int64_t rows = values.rows(), columns = values.size / rows;
  const std::int64_t lines = across ? rows : columns, length = across ? columns : rows;
  const std::int64_t line_step = across ? 1 : rows, step = across ? rows : 1;
  if (lines % lines_read != 0 || length % piece != 0) return std::nullopt;
  int worst = 0;
  for (std::int64_t line = 0; line < lines; line += lines_read) {
    for (std::int64_t at = 0; at < length; at += piece) {
      std::vector<std::int64_t> addresses;
      for (std::int64_t k = 0; k < lines_read; ++k) {
        const std::int64_t first = (line + k) * line_step + at * step;
        const std::int64_t offset = offsets[static_cast<std::size_t>(first)];
        // The elements of a piece must follow each other in memory.
        for (std::int64_t j = 1; j < piece; ++j) {
          if (offsets[static_cast<std::size_t>(first + j * step)] != offset + j) return std::nullopt;
        }
        if (offset * bytes % width != 0) return std::nullopt;
        addresses.push_back(offset * bytes);
      }
      for (const layout::Phase& phase : layout::shared_phases(addresses, width))
        worst = std::max(worst, phase.wavefronts);
    }
  }
  return fmt::format("ldmatrix, eight {} at 16 bytes of each: {}", across ? "rows" : "columns",
                     worst == 1 ? "1 wavefront, no conflict" : fmt::format("up to {} wavefronts", worst));
}

}  // namespace

Result<Grid> memory_banks(const layout::Expression& expression, const LayoutOptions& options,
                          std::vector<std::string>& notes) {
  using Label = LayoutOptions::Label;
  using Shade = LayoutOptions::Shade;
  if (!layout_in(expression.value)) {
    return Problem{Problem::Kind::bad_access,
                   fmt::format("`{}` says of no element where it lies", text_of(expression.value)),
                   "`--as banks` takes a layout, swizzled or not"};
  }
  const auto values = *values_of(expression.value, expression.offset);
  if (values.size > largest_enumerated) {
    return Problem{Problem::Kind::too_large,
                   fmt::format("{} elements are too many to look up where each lies", values.size),
                   fmt::format("at most {} are", largest_enumerated)};
  }
  const std::int64_t bytes = options.element_bytes, row_bytes = layout::banks * layout::word_bytes;
  const std::int64_t rows = values.rows();
  struct Word {
    std::int64_t index = -1, offset = 0;
    bool more = false;
  };
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(values.size));
  std::int64_t last = 0;
  for (std::int64_t index = 0; index < values.size; ++index) {
    const auto at = values.at(index);
    if (!at) return at.problem();
    const std::int64_t offset = *at->offset;
    if (offset < 0 || offset > (std::int64_t{1} << 50)) {
      return Problem{Problem::Kind::out_of_range,
                     fmt::format("`{}` at index {} is {}: no offset into shared memory", values.text, index, offset),
                     "banks are those of offsets from 0 on"};
    }
    offsets[static_cast<std::size_t>(index)] = offset;
    last = std::max(last, offset * bytes + bytes - 1);
  }
  Grid out(Edge::plain(last / row_bytes + 1, max_rows), Edge::plain(layout::banks, layout::banks));
  std::vector<Word> words(out.cells.size());
  bool more = false;
  for (std::int64_t index = 0; index < values.size; ++index) {
    const std::int64_t offset = offsets[static_cast<std::size_t>(index)];
    const std::int64_t first = offset * bytes / layout::word_bytes;
    const std::int64_t end = (offset * bytes + bytes - 1) / layout::word_bytes;
    for (std::int64_t word = first; word <= end && word < static_cast<std::int64_t>(words.size()); ++word) {
      Word& there = words[static_cast<std::size_t>(word)];
      if (there.index >= 0) there.more = more = true;
      if (there.index < 0 || offset < there.offset) there = {index, offset, there.more};
    }
  }
  // Elements that follow each other in memory have one colour, 16 bytes of them: what one lane of ldmatrix, or of a
  // vector access, takes. The same piece of every row then has one colour.
  const auto step = [&](std::int64_t index) {
    return index < values.size ? offsets[static_cast<std::size_t>(index)] - offsets[0] : 0;
  };
  const bool across = values.rank() < 2 || step(rows) == 1 || step(1) != 1;
  const std::int64_t piece = std::max<std::int64_t>(16 / bytes, 1);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const Word& word = words[k];
    if (word.index < 0) continue;
    Cell& cell = out.cells[k];
    const std::int64_t row = word.index % rows, column = word.index / rows;
    switch (options.label) {
      case Label::offset: cell.label = std::to_string(word.offset); break;
      case Label::index: cell.label = std::to_string(word.index); break;
      default: cell.label = values.rank() < 2 ? std::to_string(word.index) : fmt::format("{},{}", row, column);
    }
    if (word.more) cell.label += "+";
    switch (options.shade) {
      case Shade::none: break;
      case Shade::row: cell.colour = row; break;
      case Shade::column: cell.colour = column; break;
      case Shade::bank: cell.colour = static_cast<std::int64_t>(k) % layout::banks / 4; break;
      default: cell.colour = (across ? column : row) / piece;
    }
  }
  out.title = values.text;
  out.caption = fmt::format("{} bytes an element; banks across, rows of {} bytes down", bytes, row_bytes);
  if (more) notes.emplace_back("+: more elements lie in the same word, of which the first is named");
  if (const auto reads = matrix_reads(offsets, values, across, bytes)) notes.push_back(*reads);
  if (options.shade == Shade::standard) {
    notes.push_back(fmt::format("colours: the {} of the tile, {} at a time ({} bytes)", across ? "columns" : "rows",
                                piece, piece * bytes));
  }
  return out;
}

}  // namespace reckon::draw
