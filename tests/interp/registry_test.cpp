#include "diagnostics/codes/unknown_semantics.h"
#include "semantics/standard.h"
#include "tests/interp/circuits.h"
#include "tests/support/compiled_semantics.h"

using namespace reckon;
using namespace reckon::interp;

TEST_CASE("semantics are found by name, and near misses are named") {
  for (const std::string& name : semantics_names()) {
    if (takes_profile(name)) continue;
    auto made = make_semantics(name, {}, {});
    REQUIRE(made);
    CHECK((*made)->name() == name);
  }
  auto typo = make_semantics("flaot", {}, {});
  REQUIRE(!typo);
  CHECK(typo.error().code == code::unknown_semantics);
  CHECK(typo.error().helps == std::vector<std::string>{"did you mean `float`?"});
  auto of_nothing = make_semantics("accept", {}, {});
  REQUIRE(!of_nothing);
  CHECK(of_nothing.error().code == code::unknown_semantics);
}

TEST_CASE("what the registry evaluates with is what it says") {
  CHECK(floats()->name() == usual_semantics);
  CHECK(floats()->traits().floats);
  CHECK(floats()->traits().rounds_to_nearest);
  CHECK(bounds()->traits().bounds_errors);
  CHECK(bounds_for_any_order()->traits().bounds_all_orders);
  CHECK(reals(256)->traits().reals);
  CHECK(algebraic_ring()->traits().draws_values);
  CHECK(sanitizer()->traits().scrambles_patterns);
  CHECK(known_semantics().size() == semantics_names().size());
}

TEST_CASE("code is generated for the forms that the code generator knows") {
  const auto compiled = [](std::string_view name, const std::vector<SemanticsArgument>& arguments) {
    return (*make_semantics(name, arguments, {}))->traits().compiled;
  };
  CHECK(compiled("interval", {}) == &codegen::interval_code());
  CHECK(compiled("interval", {{"f64"}}) == &codegen::interval_code());
  CHECK(compiled("interval", {{"f32"}}) == &codegen::interval_f32_code());
  CHECK(compiled("fpsan", {{"v38"}}) == &codegen::fpsan_code(numerics::fpsan::v38));
  CHECK(!compiled("interval", {{"200"}}));
  CHECK(!compiled("interval", {{"mean_value"}}));
  CHECK(!compiled("interval", {{"split(16)"}}));
  CHECK(!compiled("float", {{"up"}}));
  CHECK(!compiled("exact", {}));
}

TEST_CASE("variants that are not there are refused") {
  CHECK(make_semantics("fpsan", {{"now"}}, {}));
  for (auto [name, variant] :
       {std::pair{"fpsan", "v37"}, {"float", "towards"}, {"interval", "f16"}, {"exact", "now"}, {"count", "x"}}) {
    auto made = make_semantics(name, {{variant}}, {});
    REQUIRE(!made);
    CHECK(made.error().code == code::unknown_semantics);
    CHECK(!made.error().helps.empty());
  }
}
