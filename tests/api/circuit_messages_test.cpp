// Messages about circuits that are written in C++ point to this file: to the token after a mark,
// a comment with `^` and a name.
#include <catch2/catch.hpp>
#include <filesystem>

#include "api/circuit/cpp_places.h"
#include "api/reckon/circuit.h"
#include "tests/support/files.h"

using namespace reckon;
using namespace reckon::circuit;

namespace {

/// While it lives, the path by which this file was compiled leads to it: the path may be relative to the build folder.
class WhereCompiled {
 public:
  WhereCompiled() : before_(std::filesystem::current_path()) { std::filesystem::current_path(RECKON_COMPILED_IN); }
  ~WhereCompiled() { std::filesystem::current_path(before_); }
  WhereCompiled(const WhereCompiled&) = delete;
  WhereCompiled& operator=(const WhereCompiled&) = delete;

 private:
  std::filesystem::path before_;
};

std::pair<std::uint32_t, std::uint32_t> marked(const std::string& name) {
  static const std::string text = test::read_file(test::source_folder() / "tests/api/circuit_messages_test.cpp");
  const std::string mark = "/*^" + name + "*/";
  const std::size_t at = text.find(mark);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = text.find_first_not_of(' ', at + mark.size()), line_start = text.rfind('\n', at) + 1;
  const auto line =
      static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  return {line + 1, static_cast<std::uint32_t>(begin - line_start) + 1};
}

void points_to(const std::vector<Message>& messages, const std::string& mark, const std::string& code,
               const std::string& part) {
  INFO(mark);
  REQUIRE(messages.size() >= 1);
  INFO(messages[0].text);
  CHECK(messages[0].code == code);
  CHECK_THAT(messages[0].message, Catch::Contains(part));
  CHECK_THAT(messages[0].file, Catch::EndsWith("circuit_messages_test.cpp"));
  CHECK(std::pair(messages[0].line, messages[0].column) == marked(mark));
  // The report shows the line of C++, with a mark under the token.
  CHECK_THAT(messages[0].text, Catch::Contains("/*^" + mark + "*/"));
}

template <class Circuit>
void refused(const Circuit& circuit, const std::string& mark, const std::string& code, const std::string& part) {
  Session session;
  points_to(session.define(circuit).messages(), mark, code, part);
}

}  // namespace

// clang-format off
TEST_CASE("a mistake in a circuit is told at its place in C++") {
  const WhereCompiled folder;
  const Size n("n"), m("m"), k("k");
  const Index i("i"), j("j");
  const auto x = in<f32>("x", n), y = in<f32>("y", m);
  const auto a = in<f32>("a", m, n);

  refused(fn("f", x, y, sum(i, x(i) * /*^ranges*/y(i))), "ranges", "E0306", "index `i` has two different ranges");
  refused(fn("f", x, /*^no_range*/sum(i, x(2 * i))), "no_range", "E0307", "index `i` has no range");
  const auto p = in<f32>("p", 3), q = in<f32>("q", 4);
  refused(fn("f", p, q, 2 * p /*^shapes*/ + abs(q - 1)), "shapes", "E0302", "");
  refused(fn("f", x, sum(i, x(i)).by(/*^size*/lanes(0, seq).then(tree))), "size", "E0403", "the size of `lanes` is 0");
  refused(fn("f", x, sum(i, x(i)).by(fused(seq)./*^fused*/at(Level::warp))), "fused", "E0421", "fuses products");
  refused(fn("f", x, prod(i, x(i))./*^kahan*/by(kahan)), "kahan", "E0421", "says how a sum is accumulated");
  refused(fn("f", in<f32>("x", 4), x, x /*^sum*/ + in<f32>("z", n)), "sum", "E0100", "`z` is not a parameter");
  refused(fn("f", x, each(i, x(i)) * /*^outside*/x(j)), "outside", "E0100", "the index `j` is used");
  refused(fn("f", x, /*^last*/sum({i, j}, x(i)) - sum(i, x(i))), "last", "E0307", "");
}

TEST_CASE("places of operators, of functions, and over several lines") {
  const WhereCompiled folder;
  const Size n("n");
  const Index i("i"), j("j");
  const auto x = in<f32>("x", n);
  refused(fn("f", x, sum(i, x(i) - /*^over*/x(n))), "over", "E0308", "index `n` is out of range");
  const auto p = in<f32>("p", 3), q = in<f32>("q", 4);
  refused(fn("f", p, q, select(exp(p) /*^less*/ < q * (2 + q), p, 0)), "less", "E0302", "");
  const auto g = fn("g", q, -q);
  refused(fn("f", p, q, /*^call*/g(p)), "call", "E0302", "");
  refused(fn("f", p, q, /*^power*/pow(
      p, q)), "power", "E0302", "");
  refused(fn("f", p, q, 1 - (p
      * 2 /*^plus*/ + q)), "plus", "E0302", "");
  refused(fn("f", x, each(i, x(i) * 2 + exp(
      x(i) * /*^nested*/x(j)))), "nested", "E0100", "");
}
// clang-format on

TEST_CASE("the token of a place is a function's name or an operator") {
  const auto token = [](std::string_view text, std::string_view at, std::string_view sign) {
    const auto [begin, end] = circuit::token_at(text, text.find(at), sign);
    return std::string(text.substr(begin, end - begin)) + " " + std::to_string(begin);
  };
  CHECK(token("a + foo<f32>(b)", "(", "") == "foo 4");
  CHECK(token("x = y * zz;", "zz", "*") == "* 6");
  CHECK(token("x = (y * 1) - (z - 1e-3);", "1e", "-") == "- 17");
  CHECK(token("x = (y * 1) - (z - 2);", ");", "-") == "- 12");
  CHECK(token("x = -y", "y", "-") == "- 4");
  CHECK(token("a <= b", "b", "<=") == "<= 2");
  CHECK(token("a <= b", "b", "<") == "b 5");  // no such operator: the place itself
  CHECK(token("f(x); y", "y", "*") == "y 6");
  CHECK(token("", "", "") == " 0");
}

TEST_CASE("a program whose source is elsewhere still has the compiler's places") {
  const Index i;
  Session session;
#line 1234 "/no/such/file.cpp"
  const auto messages = session.define(fn("f", in<f32>("x", Size("n")), [&](auto x) { return x(i); })).messages();
#line 112 "tests/api/circuit_messages_test.cpp"
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].file == "/no/such/file.cpp");
  CHECK(messages[0].line == 1234);
  CHECK(messages[0].column > 50);
}
