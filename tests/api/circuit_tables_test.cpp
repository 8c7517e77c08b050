// The names of the public headers are those of the language's tables: each row has its function, value or type in C++.
#include <catch2/catch.hpp>
#include <set>

#include "frontend/layouts/functions.h"
#include "ir/op.h"
#include "ir/schedule/schedule.h"
#include "ir/type.h"
#include "tests/support/files.h"

using namespace reckon;

namespace {

std::string header(const char* name) {
  return test::read_file(test::source_folder() / "api/reckon/circuit" / (std::string(name) + ".h"));
}

}  // namespace

TEST_CASE("every operation of the language is a function or an operator in C++") {
  const std::string functions = header("functions");
  const std::string table = test::read_file(test::source_folder() / "api/reckon/functions.def");
  const std::set<std::string> operators{"add",       "sub",       "mul",    "div",     "rem",        "neg",
                                        "bit_and",   "bit_or",    "less",   "equal",   "less_equal", "not_equal",
                                        "and",       "or",        "not",    "bit_xor", "shift_left", "shift_right",
                                        "floor_div", "floor_mod", "convert"};
  for (std::size_t k = 0; k < std::size(ir::op_traits); ++k) {
    const auto& traits = ir::op_traits[k];
    if (!ir::is_scalar_operation(static_cast<ir::Op>(k))) continue;
    const std::string name(traits.spelling);
    INFO(name);
    const bool elementary = table.find("(" + name + ")\n") != std::string::npos;
    const bool called = elementary || functions.find("\"" + name + "\", place") != std::string::npos;
    CHECK(called != operators.contains(name));
    // The degree of a root is known before anything runs: rootn joins no two values.
    const bool combines =
        traits.arity == 2 && traits.result == ir::ResultRule::same && !name.starts_with("approx.") && name != "rootn";
    if (combines) CHECK(functions.find("(detail::name(\"" + name + "\"") != std::string::npos);
  }
}

TEST_CASE("every element type of the language is a type in C++") {
  const std::string formats = header("formats");
  for (const std::string_view name : ir::scalar_names()) {
    INFO(name);
    CHECK((name == "number" || formats.find("name = \"" + std::string(name) + "\"") != std::string::npos));
  }
}

TEST_CASE("every form of schedules is a value or a function in C++") {
  const std::string schedules = header("schedules") + header("layouts");
  for (const ir::Form& form : ir::Forms::standard().all()) {
    INFO(form.name);
    CHECK(schedules.find("\"" + std::string(form.name) + "\", ") != std::string::npos);
  }
}

TEST_CASE("every function of layouts is one in C++") {
  const std::string layouts = header("layouts");
  std::set<std::string> names;
  for (const frontend::LayoutFunction& function : frontend::all_layout_functions()) names.emplace(function.name);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(layouts.find("(\"" + name + "\", ") != std::string::npos);
  }
}
