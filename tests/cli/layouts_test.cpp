// Layouts where they meet circuits: views and stored parameters, interpreted and on the host.
#include "tests/cli/npy.h"
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

const char* const program =
    "fn columns(a: f32[m, k] @ (m, k):(1, m), x: f32[k]) -> f32[m] = for i: sum l: a[i, l] * x[l] by seq\n"
    "fn padded(a: f32[m, k] @ (m, k):(k + 3, 1)) -> f32[m] = for i: sum l: a[i, l] by seq\n"
    "fn cut(a: f32[m, 4] @ (m, (2, 2)):(2, (1, 2 * m))) -> f32[4, m] = for j, i: a[i, j]\n"
    "fn tiles(a: f32[m, n]) -> f32[4, 2] = view(a, zipped_divide(row_major((m, n)), (2, 2)))\n"
    "fn nested(a: f32[m, n]) -> f32[2, 2] = { let t = view(a, zipped_divide(row_major((m, n)), (2, 2)));\n"
    "  for i < 2, j < 2: t[(i, j), (0, 1)] }\n"
    "fn shared(a: f32[m, k] @ (m, k):(0, 1)) -> f32[m] = for i: a[i, 0]\n"
    "fn before(a: f32[m] @ m:(0 - 1)) -> f32[m] = a\n"
    "fn at_index(x: f32[8]) -> f32[2, 4] = for i, j: x[((2, 4):(4, 1))(i, j)]\n"
    "fn swizzled(a: f32[8]) -> f32[4, 2] = view(a, compose(swizzle(1, 0, 2), (4, 2):(1, 4)))\n"
    "fn carried(a: f32[n]) -> f32[2, 3] = view(a, compose((6, 2):(1, 7), (2, 3):(3, 2)))\n"
    "fn past(a: f32[n]) -> f32[n] = view(a, n:2)\n"
    "fn by_columns(a: f32[m, k]) -> f32[m, k] @ (m, k):(1, m) = for i, j: a[i, j] + 1\n"
    "fn apart(a: f32[m, k]) -> f32[m, k] @ (m, k):(k + 3, 1) { for i, j: a[i, j] + 1 }\n"
    "fn two(a: f32[m, k]) -> (f32[m] @ m:2, (f32[k, m] @ (k, m):(1, k), f32)) =\n"
    "  (for i: sum l: a[i, l] by seq, (for j, i: a[i, j], a[0, 0]))\n"
    "fn mixed(a: f32[m, k] @ compose(swizzle(1, 0, 2), (2, 4):(4, 1)))\n"
    "    -> f32[m, k] @ compose(swizzle(1, 1, 1), (2, 4):(1, 2)) = for i, j: a[i, j] + 1\n"
    "fn crossing(a: f32[m, k]) -> f32[m, k] @ (m, k):(2, 1) = for i, j: a[i, j]\n";

}  // namespace

TEST_CASE("a layout changes where an element lies, and no value") {
  const TemporaryFolder folder;
  const std::string file = (folder / "program.rk").string();
  write_file(file, program);
  const auto tensor = [&](const std::string& name, const std::string& shape, const std::vector<float>& values) {
    const std::string path = (folder / (name + shape + ".npy")).string();
    write_file(path, npy("<f4", shape, bytes_of(values)));
    return name + "=@" + path;
  };
  const std::string tall = tensor("a", "(3, 2)", {1, 2, 3, 4, 5, 6});
  const std::string wide = tensor("a", "(2, 4)", {1, 2, 3, 4, 5, 6, 7, 8});
  for (const char* where : {"interp", "host"}) {
    const auto run = [&](const std::string& circuit, std::vector<std::string> more) {
      INFO(where << " " << circuit);
      more.push_back(std::string("--on=") + where);
      const RunResult result = call(file, circuit, more);
      CHECK(result.err == "");
      std::string out = result.out;
      std::erase_if(out, [](char each) { return each == '\n' || each == ' '; });
      return out;
    };
    CHECK(run("columns", {"--arg", tall, "--arg", "x=1, 10"}) == "[21,43,65]");
    CHECK(run("columns", {"--arg", tall, "--arg", "x=1, 10", "--in=interval"}) == "[[21,21],[43,43],[65,65]]");
    CHECK(run("padded", {"--arg", tall}) == "[3,7,11]");
    CHECK(run("cut", {"--arg", wide}) == "[[1,5],[2,6],[3,7],[4,8]]");
    // Tiles of 2 x 2, side by side; the tile's coordinates column by column.
    CHECK(run("tiles", {"--arg", wide}) == "[[1,3],[5,7],[2,4],[6,8]]");
    CHECK(run("nested", {"--arg", wide}) == "[[3,4],[7,8]]");
    // Offsets 4..7 have bit 2 set, which flips bit 0; and 3 + 4 is 1 + 7 in (6,2):(1,7).
    CHECK(run("swizzled", {"--arg", "a=0,1,2,3,4,5,6,7"}) == "[[0,5],[1,4],[2,7],[3,6]]");
    CHECK(run("carried", {"--arg", "a=0,1,2,3,4,5,6,7,8"}) == "[[0,2,4],[3,5,8]]");
    // Results: where they lie is nobody's business but their reader's.
    for (const char* circuit : {"by_columns", "apart", "mixed"}) {
      CHECK(run(circuit, {"--arg", wide}) == "[[2,3,4,5],[6,7,8,9]]");
    }
    CHECK(run("two", {"--arg", tall}) == "([3,7,11],[[1,3,5],[2,4,6]],1f32#3f800000)");
    CHECK(run("at_index", {"--arg", "x=0,1,2,3,4,5,6,7"}) == "[[0,1,2,3],[4,5,6,7]]");
  }
  // Rings keep their carriers from load to store, and every order of the same operations is the same bits.
  for (const char* semantics : {"--in=fpsan", "--in=padic"}) {
    const auto on = [&](const char* where) {
      return call(file, "columns", {"--arg", tall, "--arg", "x=1, 10", semantics, where}).out;
    };
    CHECK(on("--on=host") == on("--on=interp"));
  }
}

TEST_CASE("views and parameters that cannot be are refused where they stand") {
  const TemporaryFolder folder;
  const std::string file = (folder / "program.rk").string();
  write_file(file, program);
  const std::string path = (folder / "a.npy").string();
  write_file(path, npy("<f4", "(2, 2)", bytes_of(std::vector<float>{1, 2, 3, 4})));
  const std::string wide = (folder / "wide.npy").string();
  write_file(wide, npy("<f4", "(2, 3)", bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6})));
  for (const char* where : {"--on=interp", "--on=host"}) {
    const RunResult shared = call(file, "shared", {"--arg", "a=@" + path, where});
    CHECK(shared.status == 3);
    CHECK_THAT(shared.err,
               Catch::Contains("error[E0406]: `(2,2):(0,1)` puts elements (0, 0) and (1, 0) in one place, 0") &&
                   Catch::Contains("program.rk:7:26"));
    const RunResult before = call(file, "before", {"--arg", "a=1, 2", where});
    CHECK_THAT(before.err, Catch::Contains("error[E0406]: `2:-1` puts an element at -1: a buffer begins at 0"));
    CHECK(call(file, "crossing", {"--arg", "a=@" + path, where}).status == 0);
    const RunResult crossing = call(file, "crossing", {"--arg", "a=@" + wide, where});
    CHECK_THAT(crossing.err,
               Catch::Contains("error[E0406]: `(2,3):(2,1)` puts elements (1, 0) and (0, 2) in one place, 2"));
  }
  for (const char* where : {"--on=interp", "--on=host"}) {
    const RunResult past = call(file, "past", {"--arg", "a=1, 2, 3", where});
    CHECK_THAT(past.err, Catch::Contains("error[E0308]: index 4 is out of range: dimension 1 has 3 elements"));
    CHECK(past.status == 3);
  }
}
