// Where a message points. Equal expressions are one node of the IR, wherever they are written: a message is about the
// one that was evaluated, compiled or checked. Each program below holds the same expression twice, the wrong one first;
// the right one is marked by `~` under it in a comment, so that the expected place is written by hand.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

struct Expected {
  std::string program;  ///< with a line `#   ~~~~` under the marked text
  std::size_t line = 0, column = 0;
};

/// The line and the column of the marked text, counted from 1.
Expected marked(const std::string& program) {
  Expected out{program};
  const auto lines = lines_of(program);
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const auto first = lines[k].find('~');
    if (lines[k].starts_with("#") && first != std::string::npos) {
      out.line = k;
      out.column = first + 1;
    }
  }
  REQUIRE(out.line > 0);
  return out;
}

/// The places of the first message in the text, the main one first.
std::vector<std::pair<std::size_t, std::size_t>> places_in(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const Json& message : json_lines(text)) {
    if (!message.contains("line")) continue;
    out.emplace_back(message["line"].get<std::size_t>(), message["column"].get<std::size_t>());
  }
  return out;
}

void points_at_the_mark(const std::string& program, std::vector<std::string> command = {"run"}) {
  TemporaryFolder folder;
  const Expected expected = marked(program);
  write_file(folder / "p.rk", program);
  command.insert(command.begin() + 1, (folder / "p.rk").string());
  command.push_back("--format=json");
  const RunResult run = reckon_here(command);
  INFO(program << run.out << run.err);
  REQUIRE(run.status != 0);
  const auto places = places_in(run.err.empty() ? run.out : run.err);
  REQUIRE(!places.empty());
  CHECK(places[0].first == expected.line);
  CHECK(places[0].second == expected.column);
}

}  // namespace

TEST_CASE("an error at run time points into the circuit that was evaluated") {
  points_at_the_mark(R"(fn unrelated(x: f32) -> f32 = 1 / sqrt(x) + 7
fn mine(x: f32) -> f32 { let y = sqrt(x); y * y }
#                                ~~~~~~~
show mine(-1) in exact
)");
  points_at_the_mark(R"(fn unrelated(x: f32) -> f32 = log(x) * 2
fn mine(x: f32) -> f32 = 3 +
  log(x)
# ~~~~~~
show mine(0) in exact
)");
  points_at_the_mark(R"(fn unrelated(x: f32, y: f32) -> f32 = exp(x / y)
fn mine(x: f32, y: f32) -> f32 =
  y + x / y
#     ~~~~~
show mine(1, 0) in exact
)");
}

TEST_CASE("an error in one of two circuits with an equal body points into that one") {
  points_at_the_mark(R"(fn first(x: f32) -> f32 = sqrt(x)
fn second(x: f32) -> f32 = sqrt(x)
#                          ~~~~~~~
show second(-1) in exact
)");
  // ... with other names, and under a binder.
  points_at_the_mark(R"(fn first(x: f32[n]) -> f32 = sum i: sqrt(x[i])
fn second(y: f32[m]) -> f32 = sum k: sqrt(y[k])
#                                    ~~~~~~~~~~
show second([1, -1]) in exact
)");
}

TEST_CASE("an error in a circuit that others call points into it, whoever calls it") {
  points_at_the_mark(R"(fn unrelated(x: f32) -> f32 = 1 / x
fn callee(x: f32) -> f32 = 1 / x
#                          ~~~~~
fn mine(x: f32, y: f32) -> f32 = callee(x - 1) + callee(y)
show mine(3, 0) in exact
)");
  points_at_the_mark(R"(fn callee(x: f32) -> f32 = 1 / x
fn mine(x: f32) -> f32 = callee(x + 1) +
  1 / x
# ~~~~~
show mine(0) in exact
)");
  // What the callee's 1 / a becomes here, 1 / 3, has nothing to do with the 1 / x of another circuit.
  points_at_the_mark(R"(fn callee(a: f32, b: f32) -> f32 = 1 / a + b
fn other(x: f32) -> f32 = 1 / x
#                         ~~~~~
fn mine(x: f32) -> f32 = callee(3, x) + other(x)
show mine(0) in exact
)");
}

TEST_CASE("an error in a definition points into the definition, however often it is used") {
  points_at_the_mark(R"(fn unrelated() -> f32 = sqrt(f32(-1)) + 1
let root = sqrt(f32(-1))
#          ~~~~~~~~~~~~~
fn one(x: f32) -> f32 = root + x
fn two(x: f32) -> f32 = root * x
show two(1) in exact
)");
  points_at_the_mark(R"(fn unrelated() -> f32 = sqrt(f32(-1)) + 1
let root = sqrt(f32(-1))
#          ~~~~~~~~~~~~~
let twice = root + root
show twice in exact
)");
  points_at_the_mark(R"(let root = sqrt(f32(-1))
show 1 + sqrt(f32(-1)) in exact
#        ~~~~~~~~~~~~~
)");
}

TEST_CASE("an error about the extent of what is read points into the circuit that reads") {
  points_at_the_mark(R"(fn unrelated(x: f32[n]) -> f32 = x[4] * 2
fn mine(x: f32[n]) -> f32 = 1 +
  x[4]
# ~~~~
show unrelated([1, 2, 3, 4, 5])
show mine([1, 2])
)");
  points_at_the_mark(R"(fn unrelated(x: f32[n]) -> f32 = (max i: x[i]) + 1
fn mine(x: f32[n]) -> f32 = 2 *
  (max i: x[i])
#  ~~~~~~~~~~~
show mine(for i < 0: f32(i))
)");
}

TEST_CASE("an error about an order points into the circuit that was asked for a value") {
  points_at_the_mark(R"(fn unrelated(x: f32[n]) -> f32 = 1 + (sum i: x[i] by any)
fn mine(x: f32[n]) -> f32 =
  sum i: x[i] by any
# ~~~~~~~~~~~~~~~~~~
show mine([1, 2])
)");
}

TEST_CASE("an error of the compiler points into the circuit that is compiled") {
  const std::string program = R"(fn unrelated(x: f32[n]) -> f32 = 1 + (sum i: x[i] by any)
fn mine(x: f32[n]) -> f32 =
  sum i: x[i] by any
# ~~~~~~~~~~~~~~~~~~
)";
  for (const char* target : {"--target=host", "--target=ptx"}) {
    points_at_the_mark(program, {"compile", "--fn", "mine", "--emit=llvm", target});
  }
  // Under `interval`, what compiled code meets at run time.
  const std::string root = R"(fn unrelated(x: f32) -> f32 = 1 / sqrt(x) + 7
fn mine(x: f32) -> f32 { let y = sqrt(x); y * y }
#                                ~~~~~~~
)";
  points_at_the_mark(root, {"call", "--fn", "mine", "--arg", "x=-1", "--on=host", "--in=interval"});
  points_at_the_mark(R"(fn unrelated(x: u32) -> u32 = (1 + (x >> 3)) * 7
fn mine(x: u32) -> u32 =
  1 + (x >> 3)
# ~~~~~~~~~~~~
)",
                     {"call", "--fn", "mine", "--arg", "x=8", "--on=host", "--in=interval"});
}

TEST_CASE("an error of a check points into the side that has it") {
  points_at_the_mark(R"(fn unrelated(x: f32[n]) -> f32 = x[4] * 2
fn left(x: f32[n]) -> f32 = 1 + x[0]
fn right(x: f32[n]) -> f32 = 1 +
  x[4]
# ~~~~
check left == right in float for n: {2}
)");
}
