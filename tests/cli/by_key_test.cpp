// Reductions by key, whose elements are computed together, against the same conditions written in another way, which
// are computed leaf by leaf.
#include <fmt/format.h>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

TEST_CASE("a reduction by key is the same under every semantics, whatever its condition looks like") {
  constexpr const char* pairs = R"(
fn total_key(key: u8[n], x: f32[n]) -> f32[20] = for k < 20: sum i where key[i] == k + 1: x[i] by seq
fn total_all(key: u8[n], x: f32[n]) -> f32[20] = for k < 20: sum i where not (key[i] != k + 1): x[i] by seq
fn usual_key(key: u8[n], x: f32[n]) -> f32[20] = for k < 20: sum i where key[i] == k: x[i] else 7
fn usual_all(key: u8[n], x: f32[n]) -> f32[20] = for k < 20: sum i where not (key[i] != k): x[i] else 7
fn rows_key(key: i16[n], x: f32[n, d]) -> f32[20, d] = for k < 20, j: sum i where k == i32(key[i]) * 2: x[i, j] by tree
fn rows_all(key: i16[n], x: f32[n, d]) -> f32[20, d] = for k < 20, j: sum i where not (k != i32(key[i]) * 2): x[i, j] by tree
fn words_key(key: u8[n], x: i8[n]) -> i8[20] = for k < 20: prod i where key[i] == k: x[i] by tile(3, tree) then tree
fn words_all(key: u8[n], x: i8[n]) -> i8[20] = for k < 20: prod i where not (key[i] != k): x[i] by tile(3, tree) then tree
fn most_key(key: u8[n], x: f32[n]) -> f32[20] = for k < 20: max i where key[i] == k: x[i] * f32(i) else -1
fn most_all(key: u8[n], x: f32[n]) -> f32[20] = for k < 20: max i where not (key[i] != k): x[i] * f32(i) else -1
)";
  for (const char* name : {"total", "usual", "rows", "words", "most"}) {
    for (const char* semantics : {"float", "exact", "interval", "fpsan", "padic", "bound", "float(toward_zero)"}) {
      const std::string check =
          fmt::format("check {0}_key == {0}_all in {1} for n: {{15, 16, 47}} trials 12\n", name, semantics);
      const bool sizes = std::string_view(name) == "rows";
      const std::string with_d =
          fmt::format("check {0}_key == {0}_all in {1} for n: {{15, 16, 47}}, d: {{1, 5}} trials 12\n", name,
                      semantics);
      const RunResult run = run_text(pairs + (sizes ? with_d : check));
      INFO(check << run.out << run.err);
      CHECK(run.status == 0);
    }
  }
}

TEST_CASE("a reduction by key reports the errors of leaves that take no part") {
  const std::string sums =
      "fn f(key: u8[n], at: u8[n], x: f32[m]) -> f32[20] = for k < 20: sum i where key[i] == k: x[at[i]]\n"
      "fn g(key: u8[n], div: i32[n]) -> i32[20] = for k < 20: sum i where key[i] == k: 12 // div[i]\n";
  std::string keys = "[u8(200)", at = "[u8(9)", div = "[i32(0)";
  for (int i = 1; i < 30; ++i) {
    keys += ", 1";
    at += ", 1";
    div += ", 3";
  }
  const RunResult out_of_range = run_text(sums + "show f(" + keys + "], " + at + "], [f32(1), 2])\n");
  CHECK_THAT(out_of_range.err, Contains("error[E0308]: index 9 is out of range: the dimension has 2 elements"));
  const RunResult divided = run_text(sums + "show g(" + keys + "], " + div + "])\n");
  CHECK_THAT(divided.err, Contains("error[E0400]"));
}
