// `spread` and `attains`: what they say, and what they refuse.
#include <nlohmann/json.hpp>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

const std::string circuits_of_orders =
    "fn all(x: f32[n]) -> f32 = sum i: x[i] by any\n"
    "fn in_place(x: f32[n]) -> f32 = sum i: x[i] by any_tree\n"
    "fn folds(x: f32[n]) -> f32 = sum i: x[i] by any_seq\n"
    "fn dot(x: f16[n], y: f16[n]) -> f16 = sum i: x[i] * y[i] by any\n"
    "fn rows(a: f32[m, n]) -> f32[m] = for i: sum j: a[i, j] by any\n"
    "fn most(x: f32[n]) -> f32 = max i: x[i] by any\n"
    "fn product(x: f32[n]) -> f32 = prod i: x[i] by any\n"
    "fn merge(a: f32, b: f32) -> f32 = a + b * 2\n"
    "fn merged(x: f32[n]) -> f32 = reduce(merge) i: x[i] by any\n"
    "fn prefix(x: f32[n]) -> f32[n] = scan(merge) i: x[i] by any\n"
    "fn ragged(a: f32[n, n]) -> f32[n] = for i: sum j < i + 1: a[i, j] by any\n"
    "let big = f32(16777216)\n";

RunResult run_with_orders(const std::string& item, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"run", "-"});
  return reckon_here(options, circuits_of_orders + item + "\n");
}

nlohmann::json answer(const std::string& item) {
  const RunResult result = run_with_orders(item, {"--format=json"});
  INFO(item << ": " << result.out << result.err);
  REQUIRE(result.status == 0);
  return nlohmann::json::parse(result.out);
}

std::string error_code(const std::string& item, std::vector<std::string> options = {}) {
  const RunResult result = run_with_orders(item, std::move(options));
  CHECK(result.status == 3);
  const auto at = result.err.find("error[");
  return at == std::string::npos ? result.out + result.err : result.err.substr(at + 6, 5);
}

}  // namespace

TEST_CASE("the spread of 2^24, 1, -2^24 is 0 to 1, by hand") {
  // 2^24 + 1 is a tie, and rounds back to 2^24; 1 - 2^24 is exact.
  for (const char* circuit : {"all", "in_place", "folds"}) {
    const auto got = answer("show spread(" + std::string(circuit) + ", [big, 1, -big])");
    CHECK(got["lo_bits"] == "00000000");
    CHECK(got["hi_bits"] == "3f800000");
    CHECK(got["exact"] == true);
    CHECK(got["leaves"] == 3);
    CHECK(got["nan"] == "no");
    CHECK_FALSE(got.contains("lo_found"));
  }
  const RunResult text = run_with_orders("show spread(in_place, [big, 1, -big])");
  CHECK(text.out ==
        "0 .. 1  f32#00000000 .. f32#3f800000  (exact, all trees over 3 leaves)\n"
        "  0 by '((0 1) 2)\n"
        "  1 by '(0 (1 2))\n");
}

TEST_CASE("a witness pasted after by gives the bits that the spread states") {
  for (const char* leaves : {"[big, 3, 3, -big, 0.5]", "[f32(1), 1e-8, 1e-8, -1, 3e-8, 0.1]", "random(f32[9], 4)"}) {
    for (const char* circuit : {"all", "in_place", "folds"}) {
      const auto got = answer("show spread(" + std::string(circuit) + ", " + leaves + ")");
      for (const std::string end : {"lo", "hi"}) {
        const std::string tree = got[end + "_witness"];
        const auto value = answer("let x = " + std::string(leaves) + "\nshow sum i: x[i] by '" + tree);
        CHECK(value["bits"] == got[end + "_bits"]);
      }
    }
  }
}

TEST_CASE("leaves are what the circuit's body makes of its arguments") {
  // 2048 + 1 is a tie in f16 and rounds back to 2048, 2048 + 3 to 2052.
  const auto got = answer("show spread(dot, [f16(2048), 1, 1], [f16(1), 1, 3])");
  CHECK(got["lo"] == "0x1.008p+11");  // (2048 + 1) + 3 = 2052 = 2048 + (1 + 3)
  CHECK(got["hi"] == "0x1.008p+11");
  const auto three = answer("show spread(dot, [f16(2048), 1, 1], [f16(1), 1, 1])");
  CHECK(three["lo"] == "0x1p+11");
  CHECK(three["hi"] == "0x1.004p+11");
}

TEST_CASE("rows have an answer each") {
  const auto got = answer("show spread(rows, [[big, 1, -big], [1, 2, 3]])");
  CHECK(got["shape"] == std::vector<int>{2});
  CHECK(got["values"][0]["hi_bits"] == "3f800000");
  CHECK(got["values"][1]["lo_bits"] == "40c00000");
  CHECK(got["values"][1]["hi_bits"] == "40c00000");
  CHECK(run_with_orders("show spread(rows, [[big, 1, -big], [1, 2, 3]])").out == "[0 .. 1, 6]\n");
  const auto which = answer("show attains(rows, [[big, 1, -big], [1, 2, 3]], [1, 2])");
  CHECK(which["values"][0]["value"] == "yes");
  CHECK(which["values"][1]["value"] == "no");
}

TEST_CASE("overflow in some orders is told") {
  const auto got = answer("show spread(all, [f32(3e38), 3e38, -3e38, -3e38])");
  CHECK(got["lo"] == "-inf");
  CHECK(got["hi"] == "inf");
  CHECK(got["nan"] == "yes");
  CHECK(got["nan_witness"] == "((0 1) (2 3))");
  CHECK(answer("show spread(all, [f32(1), nan])")["nan"] == "always");
  CHECK(run_with_orders("show spread(all, [f32(1), nan])").out == "nan  (exact, the same in all orders of 2 leaves)\n");
}

TEST_CASE("many leaves have proven bounds") {
  const auto got = answer("show spread(all, random(f32[400], 3))");
  CHECK(got["exact"] == false);
  for (const char* name : {"lo", "hi", "lo_found", "hi_found", "lo_witness", "hi_witness"}) CHECK(got.contains(name));
  CHECK(
      run_with_orders("show spread(all, random(f32[400], 3))").out.find("(proven bounds, all orders of 400 leaves)") !=
      std::string::npos);
}

TEST_CASE("attains says yes with an order, or no") {
  CHECK(run_with_orders("show attains(all, [big, 1, -big], 1)").out == "yes, by '(0 (1 2))\n");
  CHECK(run_with_orders("show attains(all, [big, 1, -big], 0.5)").out == "no  (none of all orders of 3 leaves)\n");
  CHECK(run_with_orders("show attains(all, [big, 1, -big], f32#80000000)").out ==
        "no  (none of all orders of 3 leaves)\n");
  CHECK(answer("show attains(all, [f32(3e38), 3e38, -3e38, -3e38], nan)")["value"] == "yes");
  CHECK(answer("show attains(product, [f32(2), 3], 6)")["value"] == "yes");
}

TEST_CASE("a check of attains holds for a yes, and both verdicts are proofs") {
  const RunResult yes = run_with_orders("check attains(all, [big, 1, -big], 1)", {"--format=json"});
  CHECK(yes.status == 0);
  CHECK(nlohmann::json::parse(yes.out)["verdict"] == "holds");
  CHECK(nlohmann::json::parse(yes.out)["strength"] == "proved");
  const RunResult no = run_with_orders("check attains(all, [big, 1, -big], 2)", {"--format=json"});
  CHECK(no.status == 1);
  CHECK(nlohmann::json::parse(no.out)["verdict"] == "fails");
}

TEST_CASE("where no order matters, a set of orders has a value") {
  CHECK(run_with_orders("show all([1, 2, 3]) in exact").out == "6\n");
  CHECK(run_with_orders("show product([1, 2, 4]) in exact").out == "8\n");
  CHECK(run_with_orders("show all([1, 2, 3]) in interval").out ==
        run_with_orders("show sum i: [f32(1), 2, 3][i] by tree in interval").out);
  CHECK(run_with_orders("show all([1, 2, 3]) in fpsan").out ==
        run_with_orders("show sum i: [f32(1), 2, 3][i] by seq in fpsan").out);
  CHECK(run_with_orders("show most([1, 3, 2])").out == "3  f32#40400000\n");
  CHECK(run_with_orders("show spread(most, [1, 3, 2])").out ==
        "3  f32#40400000  (exact, the same in all orders of 3 leaves)\n");
  CHECK(error_code("show all([1, 2, 3])") == "E0507");
  CHECK(error_code("show all([1, 2, 3]) in count") == "E0507");
  CHECK(error_code("show merged([1, 2, 3]) in exact") == "E0507");
}

TEST_CASE("what spread and attains refuse") {
  CHECK(error_code("show spread(1)") == "E0300");
  CHECK(error_code("show spread()") == "E0303");
  CHECK(error_code("show attains(all)") == "E0303");
  CHECK(error_code("show spread(all)") == "E0303");
  CHECK(error_code("show attains(all, [1, 2], f16(3))") == "E0301");
  CHECK(error_code("show attains(rows, [[f32(1), 2]], [f32(1), 2])") == "E0302");
  CHECK(error_code("show spread(all, [1, 2]) in exact") == "E0501");
  CHECK(error_code("show spread(all, [1, 2])", {"--in=fpsan"}) == "E0501");
  CHECK(error_code("show spread(merged, [1, 2])") == "E0501");
  CHECK(error_code("show spread(prefix, [1, 2])") == "E0521");
  CHECK(error_code("show spread(ragged, [[f32(1), 2], [3, 4]])") == "E0521");
  CHECK(error_code("show 1 + spread(all, [1, 2])") == "E0300");
  CHECK(error_code("save \"/tmp/reckon_orders.npy\" = spread(all, [1, 2])") == "E0300");
  CHECK(error_code("check spread(all, [1, 2])") == "E0300");
}
