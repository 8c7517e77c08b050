#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;

TEST_CASE("semantics are found by name, and near misses are named") {
  for (const std::string& name : semantics_names()) {
    if (name == "accept") continue;  // of a profile
    auto made = make_semantics(name, {}, {});
    REQUIRE(made);
    CHECK((*made)->name() == name);
  }
  auto typo = make_semantics("flaot", {}, {});
  REQUIRE(!typo);
  CHECK(typo.error().code == Code::unknown_semantics);
  CHECK(typo.error().helps == std::vector<std::string>{"did you mean `float`?"});
  auto of_nothing = make_semantics("accept", {}, {});
  REQUIRE(!of_nothing);
  CHECK(of_nothing.error().code == Code::unknown_semantics);
}

TEST_CASE("variants that are not there are refused") {
  CHECK(make_semantics("fpsan", {{"now"}}, {}));
  for (auto [name, variant] :
       {std::pair{"fpsan", "v37"}, {"float", "towards"}, {"interval", "f16"}, {"exact", "now"}, {"count", "x"}}) {
    auto made = make_semantics(name, {{variant}}, {});
    REQUIRE(!made);
    CHECK(made.error().code == Code::unknown_semantics);
    CHECK(!made.error().helps.empty());
  }
}
