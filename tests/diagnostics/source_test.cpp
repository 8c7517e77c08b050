#include <catch2/catch.hpp>

#include "diagnostics/source.h"

using namespace reckon;

TEST_CASE("lines are found without their line breaks", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "one\ntwo\r\n\nlast");
  CHECK(map.line(file, 1) == "one");
  CHECK(map.line(file, 2) == "two");
  CHECK(map.line(file, 3).empty());
  CHECK(map.line(file, 4) == "last");
  CHECK(map.line(file, 5).empty());
  CHECK(map.line(file, 0).empty());
  CHECK(map.name(file) == "a.rk");
  CHECK(map.file_count() == 1);
}

TEST_CASE("places count lines and code points from 1", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("a.rk", "π = 3\nab");
  const auto at = [&](std::uint32_t offset) {
    const LineColumn place = map.locate(file, offset);
    return std::pair(place.line, place.column);
  };
  CHECK(at(0) == std::pair(1U, 1U));
  CHECK(at(2) == std::pair(1U, 2U));
  CHECK(at(6) == std::pair(1U, 6U));
  CHECK(at(7) == std::pair(2U, 1U));
  CHECK(at(9) == std::pair(2U, 3U));
  CHECK(at(1000) == std::pair(2U, 3U));
}

TEST_CASE("views stay valid as files are added, spans are clipped to their file", "[diagnostics]") {
  SourceMap map;
  const auto first = map.add("a", "short");
  const std::string_view text = map.text(first);
  for (int i = 0; i < 100; ++i) (void)map.add("b", "more");
  CHECK(text == "short");
  CHECK(map.text(SourceSpan{first, 1, 3}) == "ho");
  CHECK(map.text(SourceSpan{first, 3, 99}) == "rt");
  CHECK(map.text(SourceSpan{first, 9, 3}).empty());
  CHECK(map.text(SourceSpan{}).empty());
}

TEST_CASE("a part of something longer counts its lines from where it stands", "[diagnostics]") {
  SourceMap map;
  const auto file = map.add("-", "a\nbc", 7);
  CHECK(map.locate(file, 0).line == 7);
  CHECK(map.locate(file, 3).line == 8);
  CHECK(map.locate(file, 3).column == 2);
  CHECK(map.line(file, 7) == "a");
  CHECK(map.line(file, 8) == "bc");
  CHECK(map.line(file, 6).empty());
  CHECK(map.line(file, 9).empty());
}
