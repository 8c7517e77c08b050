// `reckon compile` in every form.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

RunResult compile(std::vector<std::string> more) {
  more.insert(more.begin(), {"compile", "examples/dot.rk", "--fn", "dot_wide"});
  return reckon_here(more);
}
std::string emitted(std::vector<std::string> more) {
  const RunResult run = compile(std::move(more));
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  return run.out;
}

}  // namespace

TEST_CASE("every kind of output, for both targets") {
  CHECK_THAT(emitted({"--emit=ir"}), Catch::StartsWith("fn dot_wide[n](x: f32[n], y: f32[n]) -> f32 {"));
  CHECK_THAT(emitted({"--emit=llvm"}), Contains("target triple = \"nvptx64-nvidia-cuda\"") && Contains("define"));
  CHECK_THAT(emitted({"--emit=llvm", "--target=host"}), !Contains("nvptx") && Contains("define"));
  CHECK_THAT(emitted({"--emit=ptx"}), Contains(".target sm_90") && Contains(".visible .entry"));
  CHECK(emitted({}) == emitted({"--emit=ptx"}));
  CHECK(emitted({"--emit=asm"}) == emitted({"--emit=ptx"}));
  CHECK_THAT(emitted({"--emit=asm", "--target=host"}), Contains("reckon_dot_wide") && !Contains(".visible"));
}

TEST_CASE("the architecture is the one that was asked for") {
  for (const char* arch : {"sm_80", "sm_86", "sm_90", "sm_100"}) {
    CHECK_THAT(emitted({"--arch", arch}), Contains(std::string(".target ") + arch));
  }
  const RunResult run = compile({"--arch=sm_1"});
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("error[E0700]") && Contains("sm_1"));
}

TEST_CASE("nothing is contracted, approximated or flushed to zero") {
  for (const char* file : {"dot", "softmax", "matmul"}) {
    const std::string circuit = file == std::string("dot")       ? "dot_seq"
                                : file == std::string("softmax") ? "shifted"
                                                                 : "matmul";
    const RunResult run = reckon_here({"compile", std::string("examples/") + file + ".rk", "--fn", circuit});
    INFO(file << run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.out, !Contains(".approx") && !Contains(".ftz") && !Contains("fma.rz"));
  }
  CHECK_THAT(reckon_here({"compile", "examples/dot.rk", "--fn", "dot_seq"}).out, !Contains("fma."));
}

TEST_CASE("sizes that do not fit together are refused before anything is emitted") {
  const TemporaryFolder folder;
  const std::string file = (folder / "sizes.rk").string();
  write_file(file,
             "fn h(x: f32[n], y: f32[m]) -> f32[n] = x + y\n"
             "fn s(x: f32[m, n]) -> f32[m, n] @ (m, n):(0, 1) = x + x\n"
             "fn t(x: f32[m, n] @ (m, n):(1, 2)) -> f32[m, n] = x + x\n");
  for (const char* emit : {"ir", "kernels", "report", "llvm", "ptx", "plan"}) {
    INFO(emit);
    const auto compiled = [&](const char* circuit, const char* m) {
      return reckon_here({"compile", file, "--fn", circuit, "-D", "n=2", "-D", m, std::string("--emit=") + emit});
    };
    const RunResult unequal = compiled("h", "m=3"), in_one_place = compiled("s", "m=2"), short_stride = compiled("t", "m=3");
    CHECK(unequal.status == 3);
    CHECK_THAT(unequal.err, Contains("here `n` is 2 and `m` is 3"));
    CHECK(in_one_place.status == 3);
    CHECK_THAT(in_one_place.err, Contains("error[E0406]: `(2,2):(0,1)` puts elements (0, 0) and (1, 0) in one place, 0"));
    CHECK(short_stride.status == 3);
    CHECK_THAT(short_stride.err, Contains("error[E0406]: `(3,2):(1,2)` puts elements (2, 0) and (0, 1) in one place, 2"));
    CHECK(compiled("h", "m=2").status == 0);
    CHECK(compiled("t", "m=2").status == 0);
  }
}

TEST_CASE("intervals are rounded outward by the machine in PTX, and in integers on the host") {
  CHECK_THAT(emitted({"--in=interval"}), Contains("mul.rm.f64") && Contains("add.rp.f64") && !Contains(".rn.f64"));
  CHECK_THAT(emitted({"--in=interval", "--emit=llvm", "--target=host"}), Contains("fmul") && !Contains("call void @llvm.set"));
  CHECK_THAT(emitted({"--in=interval", "--emit=llvm", "--target=host"}), !Contains("reckon_interval_function"));
}

TEST_CASE("output goes to a file, whole or not at all") {
  const TemporaryFolder folder;
  const std::string file = (folder / "dot.ptx").string();
  const RunResult run = compile({"-o", file});
  CHECK(run.status == 0);
  CHECK(run.out.empty());
  CHECK(read_file(file) == emitted({"-o", "-"}));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);  // nothing is left beside it
}

TEST_CASE("sizes and static parameters can be given") {
  CHECK_THAT(emitted({"--emit=ir", "-D", "n=64"}), Contains("(x: f32[64], y: f32[64])"));
  const RunResult run = reckon_here({"compile", "examples/canonical.rk", "--fn", "total", "--emit=ir", "-D", "l=8"});
  CHECK_THAT(run.out, Contains("total[8]") || Contains("lanes(8, tree)"));
  CHECK(reckon_here({"compile", "examples/canonical.rk", "--fn", "total", "--emit=ir"}).status == 3);
}

TEST_CASE("passes can be watched and left out") {
  CHECK_THAT(emitted({"--emit=ir", "--dump-after=all"}), Catch::StartsWith("; after "));
  CHECK_THAT(compile({"--emit=ir", "--dump-after=no_such_pass"}).err,
             Contains("error[E0603]: there is no pass `no_such_pass`"));
  CHECK_THAT(compile({"--emit=ir", "--without=no_such_pass"}).err,
             Contains("error[E0603]: there is no pass `no_such_pass`"));
}

TEST_CASE("fpsan compiles, other semantics say that they do not") {
  CHECK_THAT(emitted({"--in=fpsan"}), Contains(".visible .entry") && !Contains("add.rn.f32"));
  const RunResult run = compile({"--in=exact"});
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("error[E0700]: `exact` cannot be compiled") &&
                          Contains("the interpreter has every semantics"));
}

TEST_CASE("what is written replaces a file as a whole, and nothing else") {
  const TemporaryFolder folder;
  const std::string program = (source_folder() / "examples/dot.rk").string();
  const auto compile_to = [&](const std::string& path) {
    return reckon_in(folder.path(), {"compile", program, "--fn", "dot_seq", "-o", path});
  };
  CHECK(compile_to("/dev/null").status == 0);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  write_file(folder / "old.ptx", "old");
  std::filesystem::create_symlink("old.ptx", folder / "link.ptx");
  CHECK(compile_to("link.ptx").status == 0);
  CHECK(std::filesystem::is_symlink(folder / "link.ptx"));
  CHECK(read_file(folder / "old.ptx").find(".visible .entry") != std::string::npos);
  const RunResult into_folder = compile_to(".");
  CHECK(into_folder.status == 2);
  CHECK(into_folder.err == "reckon: `.` cannot be written: it is a folder\n");
  CHECK(compile_to("none/dot.ptx").err == "reckon: `none/dot.ptx` cannot be written: No such file or directory\n");
  const RunResult picture = reckon_in(folder.path(), {"draw", "tree", "--n=4", "-o", "none/tree.svg"});
  CHECK(picture.err == "reckon: `none/tree.svg` cannot be written: No such file or directory\n");
  CHECK(picture.status == 2);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files += entry.exists() ? 1 : 0;
  CHECK(files == 2);
}

TEST_CASE("compiled kernels are kept between processes, where RECKON_KERNELS says") {
  const TemporaryFolder folder;
  const auto compile_with = [&](const std::string& kernels, const std::string& schedule) {
    write_file(folder / "p.rk", "fn f(x: f32[n]) -> f32 = sum i: x[i] by " + schedule + "\n");
    return run_program({"compile", "p.rk", "--fn", "f", "-o", "-"},
                       RunOptions{.folder = folder.path(), .environment = {{"RECKON_KERNELS", kernels}}});
  };
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(folder / "kernels"), std::filesystem::directory_iterator());
  };
  const std::string place = (folder / "kernels").string();
  const RunResult first = compile_with(place, "seq");
  CHECK(first.status == 0);
  CHECK(files() == 1);
  CHECK(compile_with(place, "seq").out == first.out);
  CHECK(files() == 1);
  CHECK(compile_with(place, "tree").out != first.out);
  CHECK(files() == 2);
  CHECK(compile_with("off", "halving").status == 0);
  CHECK(files() == 2);
}

TEST_CASE("the plan says what a launch needs") {
  const auto plan = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"compile", "tests/gpu/place.rk", "--emit=plan"});
    const RunResult run = reckon_here(more);
    CHECK(run.status == 0);
    return json_lines(run.out).at(0);
  };
  const Json known = plan({"--fn", "row_sums", "-Dm=600", "-Dn=4096"});
  REQUIRE(known["buffers"].size() == 2);
  CHECK(known["buffers"][0] == Json{{"role", "parameter"}, {"type", "f32"}, {"extents", {600, 4096}},
                                    {"element_bytes", 4}, {"position", 0}});
  CHECK(known["buffers"][1]["role"] == "result");
  CHECK(known["dimensions"].empty());
  REQUIRE(known["kernels"].size() == 1);
  CHECK(known["kernels"][0]["items"] == Json{600});
  CHECK(known["kernels"][0]["block_items"] == 1);
  const Json open = plan({"--fn", "total"});
  CHECK(open["dimensions"] == Json{"m", "n"});
  REQUIRE(open["kernels"].size() == 1);
  CHECK(open["kernels"][0]["one_item"] == true);
  CHECK(open["buffers"].back()["role"] == "counters");
  CHECK(open["buffers"][0]["extents"] == Json{"m", "n"});
}

TEST_CASE("a cubin needs a folder for temporary files") {
  if (run_command({"ptxas", "--version"}).status != 0) return;
  const RunResult run = run_program({"compile", (source_folder() / "examples/dot.rk").string(), "--fn", "dot_seq",
                                     "--emit=cubin", "-o", "-"},
                                    RunOptions{.environment = {{"TMPDIR", "/nonexistent"}}});
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("no temporary file can be made") && Contains("TMPDIR"));
}
