// What the language says about wrong calls of the layout functions: golden files, one for each table of
// frontend/layouts/, in which no function may be missing.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>

#include "api/reckon/reckon.h"
#include "frontend/layouts/functions.h"
#include "tests/layout/wrong_calls.h"
#include "tests/support/golden.h"

using namespace reckon;
using namespace reckon::test;
using frontend::LayoutFunction;

namespace {

std::vector<LayoutFunction> table_named(const std::string& name) {
  if (name == "structure") return frontend::layout_functions::structure();
  if (name == "algebra") return frontend::layout_functions::algebra();
  if (name == "tiles") return frontend::layout_functions::tiles();
  if (name == "hardware") return frontend::layout_functions::hardware();
  REQUIRE(name == "instructions");
  return frontend::layout_functions::instructions();
}

/// The message, with where it points: the call, and the part of it.
std::string refusal(Session& session, const std::string& call) {
  INFO(call);
  const auto shown = session.evaluate(call);
  if (shown) FAIL("not refused: " << (shown->empty() ? "" : shown->front().text));
  REQUIRE(shown.messages().size() == 1);
  const Message& message = shown.messages()[0];
  CHECK(message.status == 3);
  CHECK(message.line == 1);
  // Lower case or code, no final full stop; no more than a paragraph.
  CHECK_FALSE((message.message.empty() || std::isupper(static_cast<unsigned char>(message.message[0]))));
  CHECK_FALSE(message.message.ends_with('.'));
  CHECK(message.message.size() < 400);
  std::string out = fmt::format("{}\n    {}, column {}: {}\n", call, message.code, message.column, message.message);
  for (const std::string& note : message.notes) out += "    note: " + note + "\n";
  for (const std::string& help : message.helps) out += "    help: " + help + "\n";
  return out;
}

/// Without arguments, and with what is no argument of any of them.
std::vector<std::string> generated(const std::vector<LayoutFunction>& table) {
  std::vector<std::string> out;
  const auto add = [&](std::string call) {
    if (std::find(out.begin(), out.end(), call) == out.end()) out.push_back(std::move(call));
  };
  for (const LayoutFunction& row : table) add(fmt::format("{}()", row.name));
  for (const LayoutFunction& row : table) {
    add(fmt::format("{}({})", row.name, fmt::join(std::vector<std::string>(std::max<std::size_t>(row.arity, 1), "seq"), ", ")));
  }
  return out;
}

}  // namespace

TEST_CASE("wrong calls of layout functions say which operation, what was seen, and the rule") {
  Session session;
  REQUIRE(session.use_library().empty());
  std::size_t functions = 0;
  for (const WrongCalls& wrong : wrong_calls) {
    const std::vector<LayoutFunction> table = table_named(wrong.table);
    functions += table.size();
    // Every function has a call of its own here, and every call a function.
    for (const LayoutFunction& row : table) {
      INFO("give tests/layout/wrong_calls.h a wrong call of `" << row.name << "`");
      CHECK(std::any_of(wrong.calls.begin(), wrong.calls.end(), [&](const std::string& call) {
        return call.starts_with(std::string(row.name) + "(");
      }));
    }
    std::string text;
    for (const std::string& call : generated(table)) text += refusal(session, call);
    for (const std::string& call : wrong.calls) text += refusal(session, call);
    check_golden("layout/errors_" + wrong.table + ".txt", text);
  }
  CHECK(functions == frontend::all_layout_functions().size());
}

TEST_CASE("a shape alone is a layout, also to functions whose names other things have, too") {
  Session session;
  const auto value = [&](const char* text) {
    const auto shown = session.evaluate(text);
    if (!shown) FAIL(shown.messages()[0].text);
    return shown->at(0).text;
  };
  CHECK(value("depth((4, (2, 3)))") == "2");
  CHECK(value("depth(tree, 8)") == "3");
  CHECK(value("min((4, 2))") == "0");
  CHECK(value("max((4, 2))") == "7");
  CHECK(value("max(4, 2)") == "4");
  CHECK(value("shape((4, 2))") == "(4, 2)");
}

TEST_CASE("of several rows of one name, the nearest says what is wrong") {
  Session session;
  const auto shown = session.evaluate("compose(swizzle(1, 0, 2), identity(8))");
  REQUIRE(!shown);
  CHECK(shown.messages()[0].column == 27);  // the second argument: a swizzle may come first
}
