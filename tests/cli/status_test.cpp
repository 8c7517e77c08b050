// Exit statuses, what goes to which stream, colours, and the ways to hand over a program.
#include <fstream>

#include "tests/cli/reckon_run.h"
#include "tests/support/sanitized.h"

using namespace reckon::test;

namespace {

constexpr const char* circuits_for_status = R"(
fn dot_seq(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by seq
fn dot_tree(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree
)";

}  // namespace

TEST_CASE("a program whose checks hold ends with 0, and says nothing on standard error") {
  const RunResult run = run_text(std::string(circuits_for_status) + "check dot_seq == dot_tree in fpsan\nshow 1 + 1\n");
  CHECK(run.status == 0);
  CHECK(run.out.starts_with("holds     check dot_seq == dot_tree in fpsan  (agreed at these sizes; n: 1..5, 7, 8, "));
  CHECK(run.out.ends_with(" trials; probability of error: none proven)\n2\n"));
  CHECK(run.err.empty());
}

TEST_CASE("a check that fails gives 1, and the items after it are carried out") {
  const RunResult run = run_text(std::string(circuits_for_status) + "check dot_seq == dot_tree in float\nshow 7\n");
  CHECK(run.status == 1);
  CHECK(lines_of(run.out).front().starts_with("fails     check dot_seq == dot_tree in float"));
  CHECK(lines_of(run.out).back() == "7");
  CHECK(run.err.empty());
}

TEST_CASE("a text that is no program gets twenty messages, and the number of the others") {
  std::string text;
  for (int i = 0; i < 53; ++i) text += "fn f" + std::to_string(i) + "(x: f32) -> f32 = x..y.z\n";
  const RunResult run = run_text(text);
  CHECK(run.status == 3);
  std::size_t errors = 0;
  for (std::size_t at = run.err.find("error["); at != std::string::npos; at = run.err.find("error[", at + 1)) ++errors;
  CHECK(errors == 20);
  CHECK(run.err.ends_with("\n33 more messages are not shown; `--format=json` has all\n"));
  CHECK(lines_of(run_text(text, {"--format=json"}).out).size() == 53);
}

TEST_CASE("wrong usage gives 2 and a sentence on standard error") {
  const std::vector<std::vector<std::string>> commands = {
      {"nowhere.rk"},
      {"run"},
      {"run", "nowhere.rk"},
      {"run", "examples"},
      {"eval"},
      {"eval", "1", "--format=xml"},
      {"eval", "1", "--in=floats"},
      {"eval", "1", "--no-such-option"},
      {"eval", "1", "-D", "n"},
      {"eval", "1", "-D", "n=x"},
      {"eval", "1", "-D", "=3"},
      {"eval", "1", "-D", "n=99999999999999999999"},
      {"run", "examples/dot.rk", "-D", "T=f32"},
      {"-D", "T=f32"},
      {"run", "examples/tour.rk", "--seed=x"},
      {"run", "examples/tour.rk", "--color=sometimes"},
      {"compile", "examples/dot.rk"},
      {"compile", "examples/dot.rk", "--fn", "dot_seq", "--emit=wasm"},
      {"compile", "examples/dot.rk", "--fn", "dot_seq", "--emit=ptx", "--target=host"},
      {"compile", "examples/dot.rk", "--fn", "dot_seq", "-o", "/nonexistent/dot.ptx"},
      {"compile", "examples/dot.rk", "--fn", "dot_seq", "--in=floats"},
      {"call", "examples/dot.rk"},
      {"call", "examples/dot.rk", "--fn", "dot_seq"},
      {"call", "examples/dot.rk", "--fn", "dot_seq", "--arg", "x"},
      {"call", "examples/dot.rk", "--fn", "dot_seq", "--arg", "z=1"},
      {"call", "examples/dot.rk", "--fn", "dot_seq", "--arg", "x=1,,2", "--arg", "y=1,2"},
      {"call", "examples/dot.rk", "--fn", "dot_seq", "--arg", "x=1,one", "--arg", "y=1,2"},
      {"call", "examples/dot.rk", "--fn", "dot_seq", "--arg", "x=1", "--arg", "y=1", "--on=tpu"},
  };
  for (const auto& command : commands) {
    const RunResult run = reckon_here(command);
    std::string text;
    for (const std::string& word : command) text += " " + word;
    INFO("reckon" << text << "\n" << run.out << run.err);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK_FALSE(run.err.empty());
  }
}

TEST_CASE("a command or an option with a wrong name is told the nearest one") {
  const auto said = [](const std::vector<std::string>& command) {
    const RunResult run = reckon_here(command);
    CHECK(run.status == 2);
    return run.err.substr(0, run.err.find('\n'));
  };
  CHECK(said({"rnu", "examples/tour.rk"}) == "reckon: `rnu` is no command and no file; did you mean `run`?");
  CHECK(said({"tets"}) == "reckon: `tets` is no command and no file; did you mean `test`?");
  CHECK(said({"run", "tets"}) == "reckon: `tets` cannot be read");
  CHECK(said({"emit", "examples/tour.rk"}) == "reckon: `emit` is no command and no file");
  CHECK(said({"compile", "--fnn", "f", "examples/dot.rk"}) ==
        "reckon: `reckon compile` has no option `--fnn`; did you mean `--fn`?");
  CHECK(said({"examples/tour.rk", "--bugdet=3"}) ==
        "reckon: `reckon run` has no option `--bugdet`; did you mean `--budget`?");
  CHECK(said({"compile", "examples/dot.rk", "--fn", "dot_seq", "again"}) ==
        "The following argument was not expected: again");
}

TEST_CASE("a source with mistakes gives 3, and none of its items is carried out") {
  const RunResult run = run_text("show 1\nshow 1 + nope\nlet a = 1 // 0\n");
  CHECK(run.status == 3);
  CHECK(run.out.empty());
  CHECK(run.err.find("error[E0200]: `nope` is not defined") != std::string::npos);
  CHECK(run.err.find("standard input:2:10") != std::string::npos);
  CHECK(run.err.find("error[E0400]") != std::string::npos);
}

TEST_CASE("an item that cannot be evaluated gives 3, and the others are carried out") {
  const RunResult run = run_text("show approx.exp2(f32(1))\nshow 2\n");
  CHECK(run.status == 3);
  CHECK(run.out == "2\n");
  CHECK(run.err.find("error[E0501]") != std::string::npos);
}

TEST_CASE("an undecided check gives 0, and 4 with --strict") {
  // x*x - x lies in -0.25..0; an enclosure takes the two x for independent, and gives -1..1.
  const std::string text = "fn f(x: f32) -> f32 = x * x - x\ncheck f(x) within -0.5..0.5 in interval for x: 0..1\n";
  const RunResult lenient = run_text(text);
  INFO(lenient.out << lenient.err);
  CHECK(lenient.out ==
        "undecided check f(x) within -0.5..0.5 in interval for x: 0..1  (all of x: 0..1; 60 trials)\n"
        "    note     the enclosure [-1, 1] is not inside the range\n");
  CHECK(lenient.status == 0);
  CHECK(run_text(text, {"--strict"}).status == 4);
}

TEST_CASE("the gravest status wins") {
  const std::string failing = "check 1 == 2\n", wrong = "show approx.exp2(f32(1))\n";
  CHECK(run_text(failing + wrong).status == 3);
  CHECK(run_text(wrong + failing).status == 3);
  CHECK(run_text(failing, {"--strict"}).status == 1);
}

TEST_CASE("a call on a machine without a GPU gives 69 and says what can be done") {
  const RunResult run =
      run_program({"call", "examples/dot.rk", "--fn", "dot_seq", "--arg", "x=1,2", "--arg", "y=3,4", "--on=gpu"},
                  RunOptions{.input = {}, .folder = source_folder(), .environment = {{"CUDA_VISIBLE_DEVICES", ""}}});
  INFO(run.out << run.err);
  CHECK(run.status == 69);
  CHECK(run.out.empty());
  CHECK(run.err.starts_with("error[E0900]: "));
  CHECK(run.err.find("--on=host") != std::string::npos);
}

TEST_CASE("a cubin without ptxas gives 69, and without a folder for temporary files E0001") {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& temporary) {
    return run_program({"compile", "examples/dot.rk", "--fn", "dot_seq", "--emit=cubin"},
                       RunOptions{.input = {},
                                  .folder = source_folder(),
                                  .environment = {{"PATH", folder.path().string()}, {"TMPDIR", temporary}}});
  };
  if (!std::filesystem::exists("/usr/local/cuda/bin/ptxas")) {  // where it is found without PATH
    const RunResult none = with("/tmp");
    CHECK(none.status == 69);
    CHECK_THAT(none.err, Catch::Contains("`ptxas` was not found"));
  }
  write_file(folder / "ptxas", "#!/bin/sh\n");
  std::filesystem::permissions(folder / "ptxas", std::filesystem::perms::owner_all);
  const RunResult no_folder = with("/nonexistent");
  CHECK(no_folder.status == 3);
  CHECK(no_folder.err.starts_with("error[E0001]"));
}

TEST_CASE("a file by itself is run, with options on either side") {
  const RunResult whole = reckon_here({"run", "examples/tour.rk"});
  CHECK(whole.status == 0);
  CHECK(reckon_here({"examples/tour.rk"}).out == whole.out);
  CHECK(reckon_here({"--color=never", "examples/tour.rk"}).out == whole.out);
  const std::string json = reckon_here({"run", "examples/tour.rk", "--format=json"}).out;
  CHECK(reckon_here({"--format=json", "examples/tour.rk"}).out == json);
  CHECK(reckon_here({"--format", "json", "examples/tour.rk"}).out == json);
  CHECK(reckon_here({"examples/tour.rk", "--format", "json"}).out == json);
}

TEST_CASE("without a terminal, no arguments run the program on standard input") {
  CHECK(reckon_here({}, "show 6 * 7\n").out == "42\n");
  CHECK(reckon_here({}, "show 6 * 7\n").err.empty());
  CHECK(reckon_here({"-"}, "show 6 * 7\n").out == "42\n");
  CHECK(reckon_here({"run", "-"}, "").status == 0);
  CHECK(reckon_here({"run", "-"}, "").out.empty());
}

TEST_CASE("no colour off a terminal, unless it is asked for") {
  const std::string text = "check 1 == 1\nshow approx.exp2(f32(1))\n";
  const RunResult plain = run_text(text);
  CHECK((plain.out + plain.err).find('\033') == std::string::npos);
  const RunResult colored = run_text(text, {"--color=always"});
  CHECK(colored.out.starts_with("\033[32mholds"));
  CHECK(colored.err.find('\033') != std::string::npos);
}

TEST_CASE("-q prints failures only") {
  const RunResult run = run_text("show 1\ncheck 1 == 1\ncheck 1 == 2\n", {"-q"});
  CHECK(run.status == 1);
  CHECK(run.out == "fails     check 1 == 2  (proved)\n    left     1\n    right    2\n");
}

TEST_CASE("a closed standard output ends the program without a word of ours") {
  const RunResult run =
      run_command({"bash", "-c", program_path().string() + " eval 'parens(tree, 100000)' | head -c 5"});
  CHECK(run.out == "(((((");
}

TEST_CASE("--in names the semantics of items that name none") {
  const std::string text = "show f32(1) / f32(3)\nshow f32(1) / f32(3) in float\n";
  CHECK(run_text(text, {"--in=exact"}).out == "1/3\n0.33333334  f32#3eaaaaab\n");
}

TEST_CASE("--seed moves the inputs of checks that name none") {
  const std::string text = std::string(circuits_for_status) + "check dot_seq == dot_tree in float for n: {7}\n";
  const auto inputs = [&](const std::vector<std::string>& options) {
    return json_lines(run_text(text, options).out)[0]["counterexample"]["inputs"]["x"]["expression"].get<std::string>();
  };
  CHECK(inputs({"--format=json"}) == "random(f32[7], 0)");
  CHECK(inputs({"--format=json", "--seed=5"}) == inputs({"--format=json", "--seed", "5"}));
  CHECK(inputs({"--format=json", "--seed=5"}) != inputs({"--format=json"}));
}

TEST_CASE("-D gives the sizes that a check leaves free") {
  const auto verdict = [&](const std::string& sizes, const std::vector<std::string>& options) {
    return json_lines(
        run_text(std::string(circuits_for_status) + "check dot_seq == dot_tree in float" + sizes + "\n", options)
            .out)[0];
  };
  CHECK(verdict("", {"--format=json"})["verdict"] == "fails");
  CHECK(verdict("", {"--format=json", "-D", "n=2"})["verdict"] == "holds");  // two terms: one order
  CHECK(verdict("", {"--format=json", "-Dn=2"})["evidence"]["sizes"].dump() == R"([{"n":2}])");
  CHECK(verdict(" for n: {64}", {"--format=json", "-D", "n=2"})["verdict"] == "fails");
}

TEST_CASE("-D of a name that the program does not have gives 2, and nothing is carried out") {
  const std::string check = "check dot_seq == dot_tree in float\nshow 1\n";
  const RunResult run = run_text(circuits_for_status + check, {"-D", "zzz=4"});
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Catch::Contains("-D zzz=4: no circuit or check of this program has a size `zzz`") &&
                          Catch::Contains("it has `n`"));
  const std::string named = "fn f[width](x: f32[length_of_x]) -> f32 = x[0] * f32(width)\nshow 1\n";
  CHECK_THAT(run_text(named, {"-D", "lenght_of_x=4"}).err, Catch::Contains("did you mean `length_of_x`?"));
  CHECK(run_text(named, {"-D", "length_of_x=4", "-D", "width=3"}).status == 0);
  CHECK_THAT(run_text("show 1\n", {"-D", "n=4"}).err, Catch::Contains("it has none at all"));
  CHECK(run_text(circuits_for_status + check, {"-D", "n=4"}).status == 1);
}

TEST_CASE("bad input of every kind: one clear error, quickly, and no crash") {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& bytes) {
    write_file(folder / "bad.rk", bytes);
    const RunResult run = reckon_in(folder.path(), {"bad.rk"});
    INFO(run.err.substr(0, 2000));
    CHECK(run.status == 3);
    CHECK(run.out.empty());
    CHECK(run.wall.count() < 60);
    return run.err.substr(0, 12);
  };
  CHECK(message(std::string(100'000, '(')) == "error[E0103]");
  CHECK(message("show " + std::string(100'000, '[') + "\n") == "error[E0103]");
  CHECK(message("let a = " + std::string(100'000, '-') + "1\n") == "error[E0103]");
  CHECK(message(std::string("\xff\xfe s h o w")) == "error[E0002]");
  CHECK(message(std::string(1 << 20, '\0')) == "error[E0002]");

  write_file(folder / "zeros.rk", "");
  std::filesystem::resize_file(folder / "zeros.rk", std::uintmax_t{1} << 30);  // sparse: a gigabyte of zeros
  const RunResult run = reckon_in(folder.path(), {"zeros.rk"});
  CHECK(run.status == 3);
  CHECK(run.err.starts_with("error[E0002]: a NUL byte at offset 0"));
  CHECK(run.wall.count() < 60);
  CHECK(run.peak_memory_kb < (sanitized ? 1'200'000 : 600'000));
  CHECK(message("#" + std::string(65 << 20, ' ')) == "error[E0003]");
}
