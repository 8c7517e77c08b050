#include <catch2/catch.hpp>
#include <set>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/not_text.h"
#include "diagnostics/diagnostic.h"

using namespace reckon;

TEST_CASE("codes print as E and four digits", "[diagnostics]") {
  CHECK(code_text(code::argument_count) == "E0303");
  CHECK(code_text(code::not_text) == "E0002");
  CHECK(code_title(code::not_text) == "a source file is not UTF-8 text");
}

TEST_CASE("every row of diagnostics.def has a number of its own and a title in style", "[diagnostics]") {
  std::set<int> numbers;
  const auto row = [&](int number, std::string_view title) {
    INFO(number);
    CHECK(numbers.insert(number).second);
    REQUIRE(!title.empty());
    CHECK(title.back() != '.');
    CHECK(code_title(static_cast<Code>(number)) == title);
  };
#define RECKON_DIAGNOSTIC(name, number, title) row(number, title);
#include "diagnostics/diagnostics.def"
#undef RECKON_DIAGNOSTIC
}
