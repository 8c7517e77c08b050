// `reckon bench`: what it counts, against the semantics that carries every operation out; its errors.
#include "tests/cli/npy.h"
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

RunResult bench(const std::string& text, std::vector<std::string> options) {
  const TemporaryFolder folder;
  write_file(folder / "program.rk", text);
  options.insert(options.begin(), {"bench", "program.rk", "--seconds=0"});
  return reckon_in(folder.path(), options);
}

}  // namespace

TEST_CASE("bench counts the operations that the interpreter carries out") {
  struct Case {
    const char* name;
    std::int64_t bytes;  ///< of a 5 x 7 array, a vector of 7, and the result, where the circuit has them
  };
  for (const auto& [name, bytes] : {Case{"softmax", 2 * 140}, {"layer_norm", 2 * 140}, {"rms_norm", 2 * 140},
                                    {"total", 140 + 4}, {"column_tree", 140 + 28}, {"row_halving", 140 + 20},
                                    {"fused_dots", 140 + 28 + 20}}) {
    INFO(name);
    const RunResult run = reckon_here({"bench", "tests/gpu/place.rk", "--fn", name, "-D", "m=5", "-D", "n=7",
                                       "--seconds=0", "--format=json"});
    REQUIRE(run.status == 0);
    const auto found = json_lines(run.out)[0];
    CHECK(found["bytes"] == bytes);
    CHECK(found["runs"] == 5);
    CHECK(found["median_seconds"] > 0);
    CHECK(found["copy_bytes_per_second"] > 0);

    const TemporaryFolder folder;
    write_file(folder / "x.npy", npy("<f4", "(5, 7)", std::string(140, '\0')));
    write_file(folder / "y.npy", npy("<f4", "(7,)", std::string(28, '\0')));
    std::vector<std::string> more{"--in=count", "--format=json", "--arg", "x=@" + (folder / "x.npy").string()};
    if (std::string(name) == "fused_dots") more.insert(more.end(), {"--arg", "y=@" + (folder / "y.npy").string()});
    const RunResult counted = call("tests/gpu/place.rk", name, more);
    REQUIRE(counted.status == 0);
    auto summary = json_lines(counted.out)[0]["summary"];
    summary.erase("depth");
    // What a schedule fuses is counted here as the product and the sum that it was.
    const auto joined = summary.contains("fma") ? std::stoll(summary["fma"].get<std::string>()) : 0;
    summary.erase("fma");
    REQUIRE(summary.size() == found["operations"].size());
    for (const auto& [operation, count] : summary.items()) {
      CHECK(found["operations"][operation] == std::stoll(count.get<std::string>()) + joined);
    }
  }
}

TEST_CASE("bench: an operation of one's own, lengths that depend on indices, arguments") {
  const char* const text = R"(
fn squares(a: f64, b: f64) -> f64 = a * a + b * b
fn norm(x: f64[n]) -> f64 = reduce(squares) i: x[i] by seq
fn prefixes(x: f64[n]) -> f64[n] = for i < n: sum j < i + 1: x[j]
fn scaled(x: f64[n], a: f64) -> f64[n] = for i: fma(x[i], a, a)
)";
  auto found = json_lines(bench(text, {"--fn=norm", "-Dn=9", "--format=json"}).out)[0];
  CHECK(found["operations"] == Json{{"add", 8}, {"mul", 16}});
  CHECK(found["arithmetic"] == 24);
  found = json_lines(bench(text, {"--fn=prefixes", "-Dn=9", "--format=json"}).out)[0];
  CHECK_FALSE(found.contains("operations"));
  CHECK(found["bytes"] == 144);
  // The size is the argument's; an fma is two operations.
  found = json_lines(bench(text, {"--fn=scaled", "--arg", "x=1,2,3", "--format=json"}).out)[0];
  CHECK(found["operations"] == Json{{"fma", 3}});
  CHECK(found["arithmetic"] == 6);
  CHECK(found["bytes"] == 24 + 8 + 24);
  const RunResult readable = bench(text, {"--fn=scaled", "-Dn=1000", "--in=fpsan"});
  CHECK(readable.out.starts_with("circuit    scaled, fpsan, host, one thread\ntime       "));
  CHECK(bench(text, {"--fn=scaled", "-Dn=10", "--on=interp"}).status == 0);
}

TEST_CASE("bench: what is wrong is said") {
  const char* const text = "fn f(x: f32[n, m]) -> f32 = sum i, j: x[i, j]\n";
  RunResult run = bench(text, {"--fn=f", "-Dn=4"});
  CHECK(run.status == 3);
  CHECK(run.err == "error[E0603]: the size of `x` is not known\n   = help: give its dimensions: `-D m=1024`\n");
  run = bench(text, {"--fn=g", "-Dn=4"});
  CHECK(run.status == 3);
  CHECK(run.err.starts_with("error[E0200]: there is no circuit `g`"));
  CHECK(bench(text, {"--fn=f", "-Dn=4", "-Dm=4", "--on=moon"}).status == 2);
  CHECK(bench(text, {"--fn=f", "-Dn=4", "-Dm=4", "--arg", "z=1"}).status == 2);
  CHECK(bench(text, {"--fn=f", "-Dn=4", "-Dm=4", "--seconds=-1"}).status == 2);
  CHECK(bench(text, {"--fn=f", "-Dn=4", "-Dm=-4"}).status == 3);
#ifndef __SANITIZE_ADDRESS__  // which ends the program where memory is refused
  for (const char* size : {"-Dm=1000000000000", "-Dm=9000000000000000000"}) {
    run = bench(text, {"--fn=f", "-Dn=1000000", size});
    CHECK(run.status == 3);
    CHECK(run.err.starts_with("error[E0410]: this needs more memory than there is\n  --> program.rk:1:4\n"));
  }
#endif
}
