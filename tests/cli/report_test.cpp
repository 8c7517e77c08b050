// `--emit=report`: what it says of the examples, and who gets none.
#include <algorithm>

#include "tests/cli/reckon_run.h"
#include "tests/support/golden.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

std::string report(const std::string& file, const std::string& circuit, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"compile", file, "--fn", circuit, "--emit=report"});
  const RunResult run = reckon_here(more);
  INFO(file << " " << circuit << "\n" << run.err);
  CHECK(run.status == 0);
  std::string said;
  for (const std::string& word : more) said += (said.empty() ? "" : " ") + word;
  return "$ reckon " + said + "\n" + run.out + "\n";
}

}  // namespace

TEST_CASE("report: what became of the reductions of the examples") {
  std::string all;
  for (const char* circuit : {"dot_seq", "dot_tree", "dot_wide", "dot_numpy"}) {
    for (const std::vector<std::string>& sizes :
         {std::vector<std::string>{}, std::vector<std::string>{"-Dn=1000"}, std::vector<std::string>{"-Dn=10000000"}}) {
      all += report("examples/dot.rk", circuit, sizes);
    }
  }
  check_golden("cli/report/dot.txt", all);
  all.clear();
  for (const char* circuit : {"naive", "shifted", "online", "online_tree"}) {
    all += report("examples/softmax.rk", circuit, {"-Dn=4096"});
  }
  all += report("examples/kernels.rk", "softmax_128", {"-Dm=8192", "-Dn=4096"});
  check_golden("cli/report/softmax.txt", all);
  all.clear();
  for (const char* kernel : {"matmul", "square", "crowded"}) {
    all += report("examples/kernels.rk", kernel, {"-Dm=4096", "-Dk=4096", "-Dn=4096"});
  }
  all += report("examples/kernels.rk", "matmul", {"-Dm=16", "-Dk=16384", "-Dn=16"});
  all += report("examples/kernels.rk", "matmul");
  check_golden("cli/report/matmul.txt", all);
}

TEST_CASE("report: every strategy has its words, and every one that was not taken its reason") {
  std::string all;
  const std::string file = "tests/data/report.rk";
  all += report(file, "rows", {"-Dm=4", "-Dn=1000"});
  all += report(file, "rows", {"-Dm=10000", "-Dn=1000"});
  all += report(file, "rows", {"-Dm=4", "-Dn=20"});
  all += report(file, "chains", {"-Dm=32", "-Dn=65536"});
  all += report(file, "columns", {"-Dm=5000", "-Dn=4096"});
  all += report(file, "columns_in_halves", {"-Dm=5000", "-Dn=4096"});
  all += report(file, "product_by_tree", {"-Dm=256", "-Dn=256", "-Dk=1000"});
  all += report(file, "product_in_runs", {"-Dm=256", "-Dn=256", "-Dk=1000"});
  all += report(file, "transposed", {"-Dm=256", "-Dn=256"});
  all += report(file, "runs", {"-Dn=1000000"});
  all += report(file, "counts", {"-Dn=1000000"});
  all += report(file, "by_key_in_order", {"-Dn=1000000"});
  all += report(file, "by_key", {"-Dn=1000000"});
  all += report(file, "convolution", {"-Db=7", "-Dc=256", "-Dh=16", "-Dw=16", "-Do=256", "-Dr=3"});
  all += report(file, "runs", {"-Dn=3000"});
  all += report(file, "pinned", {"-Dn=100000"});
  all += report(file, "triangle", {"-Dn=1000"});
  all += report(file, "means", {"-Dm=100", "-Dn=50"});
  all += report(file, "prefixes", {"-Dn=1000"});
  check_golden("cli/report/strategies.txt", all);
}

TEST_CASE("report: the host reduces by key in one pass, in the orders in which it can") {
  const auto said = [](const std::string& order) {
    const std::string program =
        "fn f(key: u32[n], x: f32[n]) -> f32[99] = for k < 99: sum i where key[i] == k: x[i] by " + order;
    return reckon_here({"compile", "-", "--fn", "f", "--emit=report", "--target=host"}, program + "\n").out;
  };
  CHECK_THAT(said("seq"), Contains("goes through the leaves once"));
  CHECK_THAT(said("tree"), Contains("takes one item after the other"));
}

TEST_CASE("report: only chips whose facts are known have limits, and the host has threads of its own") {
  const std::string other = report("examples/dot.rk", "dot_tree", {"-Dn=1000", "--arch=sm_80"});
  CHECK_THAT(other, Contains("sm_80") && !Contains("H100"));
  const std::string host = report("examples/dot.rk", "dot_tree", {"-Dn=1000", "--target=host"});
  CHECK_THAT(host, Contains("thread of the host") && !Contains("block"));
  // What cannot be compiled has no report.
  const RunResult refused = reckon_here({"compile", "examples/dot.rk", "--fn", "dot_tree", "--emit=report", "--in=exact"});
  CHECK(refused.status != 0);
  CHECK(refused.out.empty());
}

TEST_CASE("report: products on tensor cores, what goes with them, and what does not") {
  const auto said = [](const std::string& text, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"compile", "-", "--fn", "f", "--emit=report", "-Dm=4096", "-Dn=4096", "-Dk=4096"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string sum = "sum l: f32(a[i, l]) * f32(b[l, j]) by mma(hopper)";
    const RunResult run =
        reckon_here(words, "fn f(a: f16[m, k], b: f16[k, n]) -> f16[m, n] = for i, j: f16(" + text + sum + ")\n");
    INFO(run.err);
    CHECK(run.status == 0);
    std::string line = run.out;
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  };
  // 2 * 4096^3 operations at the data sheet's 989.4 * 10^12 in a second.
  CHECK_THAT(said(""), Contains("on tensor cores (wgmma)") && Contains("is carried out on the way") &&
                           Contains("The tensor cores of an H100 take at least 139 us for its 137 billion operations."));
  CHECK_THAT(said("1 / "), Contains("is carried out on the way"));
  CHECK_THAT(said("erfc(f32(a[i, 0])) * "), Contains("Not in one kernel with what is made of the results"));
  CHECK_THAT(said("", {"--arch=sm_80"}), Contains("Not tensor cores: the order is that of sm_90's tensor cores, and the code is for sm_80"));
}

TEST_CASE("report: chains of fma of f64 are on tensor cores, and tiles that nothing needs are left out") {
  const auto said = [](const std::string& element, const std::string& format) {
    const std::string sum = "(sum l: a[i, l] * b[l, j] by fused(seq))";
    std::string text = "fn f(a: T[m, k], b: T[k, n]) -> T[m, n] = for i, j: " + element + "\n";
    for (std::size_t at; (at = text.find("SUM")) != std::string::npos;) text.replace(at, 3, sum);
    for (std::size_t at; (at = text.find("T[")) != std::string::npos;) text.replace(at, 1, format);
    const RunResult run =
        reckon_here({"compile", "-", "--fn", "f", "--emit=report", "-Dm=4096", "-Dn=4096", "-Dk=4096"}, text);
    INFO(run.err);
    CHECK(run.status == 0);
    std::string line = run.out;
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  };
  // 2 * 4096^3 operations at the data sheet's 66.9 * 10^12 in a second.
  CHECK_THAT(said("SUM", "f64"),
             Contains("in shared memory, on tensor cores.") && Contains("2.05 ms to issue the instructions"));
  CHECK_THAT(said("select(j <= i, SUM, 0)", "f64"), !Contains("2.05 ms"));
  const auto left_out = Contains("Tiles whose results nothing asks for are left out.");
  CHECK_THAT(said("select(j <= i, SUM * 0.5, -1)", "f64"), left_out);
  for (const char* element : {"select(j <= i, SUM * 0.5, -1)", "exp(select(i < j + 40 and j <= i, 2 * SUM, 3))",
                              "select(not (j < i), SUM, 0)"}) {
    CHECK_THAT(said(element, "f32"), left_out);
  }
  for (const char* element : {"select(j <= i, 1, SUM)", "select(i * j < 50, SUM, 0)", "select(j <= i, SUM, 1) + SUM",
                              "select(j <= i, a[i, 0], 1) * SUM", "select(b[0, j] < 0, SUM, 0)"}) {
    CHECK_THAT(said(element, "f32"), !left_out);
  }
  // Nor where a zero could be a divisor, or what stands for empty sums could have no value.
  CHECK_THAT(said("select(j <= i, 1000 // (sum l: a[i, l] * b[l, j] by seq), 0)", "i32"), !left_out);
  CHECK_THAT(said("select(j <= i, sum l: a[i, l] * b[l, j] by seq else 1 // b[0, j], 0)", "i32"), !left_out);
  CHECK_THAT(said("select(j <= i, 1000 + (sum l: a[i, l] * b[l, j] by seq), 0)", "i32"), left_out);
}

TEST_CASE("report: two products on tensor cores are one kernel, or it says why they are not") {
  const auto said = [](const std::string& order, std::vector<std::string> more) {
    std::vector<std::string> words{"compile", "-", "--fn", "f", "--emit=report", "-Ds=4096", "-Dt=4096"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string text = R"(
fn f(q: f16[s, d], k: f16[t, d], v: f16[t, c]) -> f16[s, c] {
  let score = for i, j: sum e: f32(q[i, e]) * f32(k[j, e]) by mma(hopper);
  let top = for i: max j: score[i, j];
  let p = for i, j: f16(exp(score[i, j] - top[i]));
  let total = for i: sum j: f32(p[i, j])ORDER;
  for i, e: f16((sum j: f32(p[i, j]) * f32(v[j, e]) by mma(hopper)) / total[i])
}
)";
    const RunResult run = reckon_here(words, std::string(text).replace(text.find("ORDER"), 5, order));
    INFO(run.err);
    CHECK(run.status == 0);
    std::string line = run.out;
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  };
  // 2 * 4096^2 * (2 * 128 + 128) operations at 989.4 * 10^12 in a second.
  CHECK_THAT(said(" by lanes(8, seq) then tree", {"-Dd=128", "-Dc=128"}),
             Contains("computes 128 rows of two products on tensor cores") &&
                 Contains("2 times, by tiles of 128 columns") && Contains("13 us for its 12.9 billion operations."));
  CHECK_THAT(said("", {"-Dd=128", "-Dc=128"}), Contains("Not one kernel with the product before: between them stands"));
  CHECK_THAT(said(" by lanes(8, seq) then tree", {"-Dd=512", "-Dc=128"}),
             Contains("Not one kernel with the product before: that product has 512 leaves, and 256 have room"));
  CHECK_THAT(said(" by lanes(8, seq) then tree", {"-Dc=128"}),
             Contains("Not one kernel with the product before: the number of that product's leaves is not known."));
  CHECK_THAT(said(" by lanes(8, seq) then tree", {"-Dd=128", "-Dc=20"}),
             Contains("Not one kernel with the product before: a factor needs a copy"));
}
