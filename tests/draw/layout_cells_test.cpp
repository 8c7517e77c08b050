// Pictures of layouts against enumeration: what each cell says, in the text and in the SVG, and which group it is of.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "draw/layouts.h"
#include "layout/atoms/mma_atom.h"
#include "tests/layout/layouts.h"

using namespace reckon;
using layout_tests::layout_from;

namespace {

using Options = draw::LayoutOptions;

/// Worked out here: mixed radix, the first leaf fastest.
std::int64_t offset_at(const layout::Layout& of, std::int64_t index) {
  const auto extents = of.shape().leaves(), strides = of.stride().leaves();
  std::int64_t out = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    out += index % extents[k] * strides[k];
    index /= extents[k];
  }
  return out;
}

std::int64_t rows_of(const layout::Layout& of) {
  std::int64_t rows = 1;
  if (of.rank() >= 2) {
    for (const std::int64_t extent : of.mode(0).shape().leaves()) rows *= extent;
  }
  return rows;
}

draw::GridPicture picture(const layout::Expression& expression, const Options& options = {}) {
  const auto out = draw::picture_of(expression, options, "a picture");
  if (!out) FAIL(out.problem().message);
  return *out;
}

/// The cells of an SVG in the order in which they stand there.
std::vector<std::string> svg_cells(const std::string& svg) {
  std::vector<std::string> out;
  const std::regex cell("<text class=\"middle\"[^>]*>([^<]*)</text>");
  for (std::sregex_iterator at(svg.begin(), svg.end(), cell), end; at != end; ++at) out.push_back((*at)[1]);
  return out;
}

/// The cells of a text picture with one grid that is not folded, row by row.
std::vector<std::vector<std::string>> text_cells(const std::string& text) {
  std::vector<std::vector<std::string>> out;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) inside = false;
    const std::size_t corner = line.find_first_not_of(' ');
    if (corner != std::string::npos && line[corner] == '+') {
      inside = true;
      continue;
    }
    if (!inside) continue;
    std::string cells = line.substr(line.find('|'));
    for (char& c : cells) c = c == '|' ? ' ' : c;
    std::istringstream words(cells);
    out.emplace_back();
    for (std::string word; words >> word;) out.back().push_back(word);
  }
  return out;
}

}  // namespace

TEST_CASE("every cell of a layout's picture has the layout's value") {
  layout_tests::Random random(20261122);
  std::size_t cells = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const layout::Layout of = random.draw();
    if (of.size() > 512) continue;
    INFO(of.text());
    const auto drawn = picture({of, trial % 3});
    REQUIRE(drawn.grids.size() == 1);
    const draw::Grid& grid = drawn.grids[0];
    const std::int64_t rows = rows_of(of), columns = of.size() / rows;
    REQUIRE(grid.down.shown() == rows);
    REQUIRE(grid.across.shown() == columns);
    const auto in_svg = svg_cells(draw::svg(draw::sheet_of(drawn)));
    REQUIRE(in_svg.size() == static_cast<std::size_t>(of.size()));
    const auto in_text = text_cells(draw::text(drawn));
    const bool folded = in_text.size() != static_cast<std::size_t>(rows);
    std::size_t k = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      if (!folded) REQUIRE(in_text[static_cast<std::size_t>(i)].size() == static_cast<std::size_t>(columns));
      for (std::int64_t j = 0; j < columns; ++j, ++k) {
        const std::string expected = std::to_string(offset_at(of, i + rows * j) + trial % 3);
        REQUIRE(grid.at(i, j).label == expected);
        REQUIRE(in_svg[k] == expected);
        if (!folded) REQUIRE(in_text[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] == expected);
        ++cells;
      }
    }
    // The labels of an edge are the digits of its positions.
    for (const draw::Edge* edge : {&grid.down, &grid.across}) {
      std::set<std::vector<std::string>> seen;
      for (std::int64_t at = 0; at < edge->shown(); ++at) {
        std::vector<std::string> digits;
        for (std::size_t level = 0; level < edge->levels(); ++level) digits.push_back(edge->label(at, level));
        REQUIRE(seen.insert(digits).second);
        // So many digits begin again as groups end.
        int zeros = 0;
        while (at > 0 && digits[static_cast<std::size_t>(zeros)] == "0") ++zeros;
        REQUIRE(edge->breaks(at) == zeros);
      }
    }
  }
  CHECK(cells > 5000);
}

TEST_CASE("a picture that is folded or cut has the cells that it says") {
  const layout::Layout wide = layout_from("(3,(4,60)):(1,(3,12))");
  const auto in_text = text_cells(draw::text(picture({wide})));
  std::vector<std::string> first_row;
  for (std::size_t k = 0; k < in_text.size(); k += 3)
    first_row.insert(first_row.end(), in_text[k].begin(), in_text[k].end());
  // 240 columns: 128 are drawn.
  REQUIRE(first_row.size() == 128);
  for (std::size_t j = 0; j < first_row.size(); ++j) CHECK(first_row[j] == std::to_string(3 * j));
  CHECK(picture({wide}).notes == std::vector<std::string>{"the first 128 of 240 columns are drawn"});
  const auto large = picture({layout_from("(1000000,1000000):(1,1000000)")});
  CHECK(large.grids[0].cells.size() == 128 * 128);
  CHECK(large.grids[0].at(127, 3).label == "3000127");
  CHECK(large.notes.size() == 2);
}

TEST_CASE("labels and shades") {
  const layout::Layout of = layout_from("(4,(2,4)):(8,(4,1))");
  Options options;
  const auto label = [&](Options::Label what, std::int64_t i, std::int64_t j) {
    options.label = what;
    return picture({of}, options).grids[0].at(i, j).label;
  };
  CHECK(label(Options::Label::index, 3, 5) == "23");
  CHECK(label(Options::Label::coordinate, 3, 5) == "(3,(1,2))");
  // Offset 3 * 8 + 4 + 2 = 30, of 8 bytes: byte 240, word 60.
  options.element_bytes = 8;
  CHECK(label(Options::Label::bank, 3, 5) == "28");
  options = {};
  const auto cell = [&](Options::Shade what, std::int64_t i, std::int64_t j) {
    options.shade = what;
    return picture({of}, options).grids[0].at(i, j);
  };
  CHECK(cell(Options::Shade::row, 3, 5).colour == 3);
  CHECK(cell(Options::Shade::column, 3, 5).colour == 5);
  CHECK(cell(Options::Shade::none, 3, 5).colour == -1);
  options.modulus = 13;
  CHECK(cell(Options::Shade::offset, 3, 5).colour == 4);
  CHECK(cell(Options::Shade::offset, 3, 5).mark == "4");
  options.tile = {2, 4};
  CHECK(cell(Options::Shade::tile, 3, 5).mark == "d");
  CHECK(cell(Options::Shade::tile, 1, 4).mark == "c");
  CHECK(cell(Options::Shade::bank, 3, 5).mark == "b30");
}

TEST_CASE("a thread-value picture says of every element who holds it") {
  Options options;
  options.as = Options::As::tv;
  int drawn = 0;
  for (const std::string& name : layout::mma_atom_names()) {
    const auto atom = layout::mma_atom(name);
    REQUIRE(atom);
    const std::tuple<std::string, layout::Layout, std::int64_t, std::int64_t> operands[] = {
        {"A", atom->a, atom->m, atom->k}, {"B", atom->b, atom->n, atom->k}, {"C", atom->c, atom->m, atom->n}};
    for (const auto& [operand, of, rows, columns] : operands) {
      // Operands in shared memory are seen whole by every thread.
      if (of.size() > 1 << 14) continue;
      INFO(name << " " << operand);
      const layout::Expression expression{
          of, 0, layout::Call{"mma", {{.text = '"' + name + '"'}, {.text = '"' + operand + '"'}}}};
      const draw::Grid grid = picture(expression, options).grids[0];
      REQUIRE(grid.down.size() == rows);
      REQUIRE(grid.across.size() == columns);
      const std::int64_t threads = rows_of(of);
      std::int64_t held = 0, wrong = 0;
      for (std::int64_t i = 0; i < grid.down.shown(); ++i) {
        for (std::int64_t j = 0; j < grid.across.shown(); ++j) {
          long thread = -1, value = -1, more = 0;
          const int read = std::sscanf(grid.at(i, j).label.c_str(), "T%ldV%ld+%ld", &thread, &value, &more);
          wrong += read < 2 || offset_at(of, thread + threads * value) != i + rows * j || grid.at(i, j).colour != thread;
          held += 1 + more;
        }
      }
      CHECK(wrong == 0);
      if (grid.down.shown() == rows && grid.across.shown() == columns) CHECK(held == of.size());
      ++drawn;
    }
  }
  CHECK(drawn > 30);
}

TEST_CASE("a picture of banks has every element in the word of its address") {
  const layout::Layout inner = layout_from("(8,64):(64,1)");
  Options options;
  options.as = Options::As::banks;
  options.label = Options::Label::index;
  for (const bool swizzled : {false, true}) {
    for (const std::int64_t bytes : {1, 2, 4, 8, 16}) {
      INFO(bytes);
      options.element_bytes = bytes;
      const layout::AnyValue value = swizzled
                                         ? layout::AnyValue(layout::Composed(*layout::Swizzle::make(3, 3, 3), 0, inner))
                                         : layout::AnyValue(inner);
      const auto drawn = picture({value}, options);
      const draw::Grid& grid = drawn.grids[0];
      REQUIRE(grid.across.size() == 32);
      REQUIRE(grid.down.size() == 8 * 64 * bytes / 128);
      std::map<std::int64_t, std::vector<std::int64_t>> words;  // elements from the lowest address up
      std::map<std::int64_t, std::int64_t> element_at;
      for (std::int64_t index = 0; index < 512; ++index) {
        const std::int64_t plain = index % 8 * 64 + index / 8;
        element_at[swizzled ? plain ^ (plain >> 6 & 7) << 3 : plain] = index;
      }
      for (const auto& [offset, index] : element_at) {
        for (std::int64_t byte = offset * bytes; byte < offset * bytes + bytes; byte += bytes < 4 ? bytes : 4) {
          words[byte / 4].push_back(index);
        }
      }
      for (const auto& [word, indices] : words) {
        const std::string expected = std::to_string(indices[0]) + (indices.size() > 1 ? "+" : "");
        REQUIRE(grid.at(word / 32, word % 32).label == expected);
      }
    }
  }
  // docs/layouts.md, "What it says about memory": f16 (8,64) by rows takes 8 wavefronts, swizzled 1.
  options.element_bytes = 2;
  const auto notes = [&](const layout::AnyValue& value) {
    return fmt::format("{}", fmt::join(picture({value}, options).notes, "\n"));
  };
  CHECK(notes(inner).find("up to 8 wavefronts") != std::string::npos);
  CHECK(notes(layout::Composed(*layout::Swizzle::make(3, 3, 3), 0, inner)).find("1 wavefront, no conflict") !=
        std::string::npos);
}

TEST_CASE("bits are dots where the function has them") {
  const layout::Layout of = layout_from("(8,(2,4)):(8,(4,1))");
  const auto drawn = picture({layout::Composed(*layout::Swizzle::make(2, 1, 3), 0, of)}, {.as = Options::As::bits});
  const draw::Grid& grid = drawn.grids[0];
  REQUIRE(grid.across.size() == 6);
  REQUIRE(grid.down.size() == 6);
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      const std::int64_t plain = offset_at(of, std::int64_t{1} << j), image = plain ^ (plain >> 4 & 3) << 1;
      CHECK((grid.at(i, j).look == draw::Cell::Look::dot) == ((image >> (5 - i) & 1) == 1));
      CHECK(grid.at(i, j).label == (image >> (5 - i) & 1 ? "1" : "."));
    }
  }
}

TEST_CASE("groups have names, and letters are seen on every colour") {
  CHECK(draw::group_mark(0) == "a");
  CHECK(draw::group_mark(25) == "z");
  CHECK(draw::group_mark(26) == "aa");
  CHECK(draw::group_mark(26 + 26 * 26) == "aaa");
  // WCAG 2.1: relative luminance; 4.5 : 1 is what small text needs.
  const std::string svg = draw::svg(draw::sheet_of(picture({layout_from("2:1")})));
  const auto luminance = [](const std::string& hex) {
    const auto part = [&](std::size_t at) {
      const double c = std::stoi(hex.substr(at, 2), nullptr, 16) / 255.0;
      return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4);
  };
  const auto contrast = [&](const std::string& x, const std::string& y) {
    const double a = luminance(x), b = luminance(y);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
  };
  const std::regex fill("\\.(c[0-7]|none|page) \\{ fill: #([0-9a-f]{6})"), letters("text \\{[^}]*fill: #([0-9a-f]{6})");
  const std::size_t dark = svg.find("@media");
  for (const std::string& part : {svg.substr(0, dark), svg.substr(dark)}) {
    std::smatch text;
    REQUIRE(std::regex_search(part, text, letters));
    int fills = 0;
    for (std::sregex_iterator at(part.begin(), part.end(), fill), end; at != end; ++at, ++fills) {
      INFO((*at)[1]);
      CHECK(contrast((*at)[2], text[1]) >= 4.5);
    }
    CHECK(fills == 10);
  }
}

TEST_CASE("the colours of a swizzled layout are the bits that the swizzle changes") {
  for (const auto& [bits, base, shift] :
       std::vector<std::tuple<int, int, int>>{{3, 0, 3}, {2, 1, 3}, {3, 3, 3}, {1, 2, -3}, {2, 0, -2}, {4, 0, 4}}) {
    INFO(bits << " " << base << " " << shift);
    const layout::Layout inner = layout_from("(16,32):(32,1)");
    const layout::Composed swizzled(*layout::Swizzle::make(bits, base, shift), 0, inner);
    const auto drawn = picture({swizzled});
    const draw::Grid& grid = drawn.grids[0];
    const int first = base + (shift < 0 ? -shift : 0), reads = base + (shift > 0 ? shift : 0);
    const std::int64_t mask = (std::int64_t{1} << bits) - 1;
    for (std::int64_t i = 0; i < 16; ++i) {
      for (std::int64_t j = 0; j < 32; ++j) {
        const std::int64_t plain = 32 * i + j, part = (plain >> first & mask) ^ (plain >> reads & mask);
        REQUIRE(grid.at(i, j).label == std::to_string((plain & ~(mask << first)) | part << first));
        REQUIRE(grid.at(i, j).colour == part);
        REQUIRE(grid.at(i, j).mark == draw::group_mark(part));
      }
    }
    REQUIRE(drawn.notes.size() == 1);
    CHECK(drawn.notes[0].starts_with("letters and colours: bit"));
    // Without the swizzle: bits up to 4 are the column's, the others the row's.
    const bool columns = first + bits <= 5, rows = first >= 5;
    CHECK((drawn.notes[0].find("each column") != std::string::npos) == columns);
    CHECK((drawn.notes[0].find("each row") != std::string::npos) == rows);
    Options options;
    options.shade = Options::Shade::none;
    CHECK(picture({swizzled}, options).notes.empty());
    CHECK(picture({swizzled}, options).grids[0].at(1, 1).mark.empty());
  }
  // Nothing is swizzled.
  CHECK(picture({layout_from("(16,32):(32,1)")}).notes.empty());
  CHECK(picture({layout::Composed(*layout::Swizzle::make(0, 0, 3), 0, layout_from("(8,8):(8,1)"))}).notes.empty());
}

TEST_CASE("warps of a thread-value layout") {
  Options options;
  options.as = Options::As::tv;
  options.tile = {16, 16};
  options.shade = Options::Shade::warp;
  const auto drawn = picture({layout_from("(128,2):(2,1)")}, options);
  for (std::int64_t j = 0; j < 16; ++j) {
    for (std::int64_t i = 0; i < 16; ++i) {
      const std::int64_t warp = (i + 16 * j) / 2 / 32;
      REQUIRE(drawn.grids[0].at(i, j).colour == warp);
      REQUIRE(drawn.grids[0].at(i, j).mark == "w" + std::to_string(warp));
    }
  }
  CHECK(drawn.notes == std::vector<std::string>{"w: the warp, 32 threads each"});
  options.as = Options::As::grid;
  CHECK(picture({layout_from("(128,2):(2,1)")}, options).grids[0].at(100, 1).mark == "w3");
}
