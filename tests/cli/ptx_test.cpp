// `reckon ptx`: kernels of a file, a launch, what is found and what is refused, with its exit status.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

const std::string kernels = "tests/data/ptx/kernels_sm_80.ptx";

RunResult launched(std::vector<std::string> words) {
  words.insert(words.begin(), {"ptx", kernels});
  return reckon_here(words);
}

}  // namespace

TEST_CASE("reckon ptx lists the kernels of a file, and what they take") {
  const RunResult run = launched({});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Catch::StartsWith("sum_by_halves\n  sum_by_halves_param_0: u64\n"));
  CHECK_THAT(run.out, Contains("\nstencil\n  stencil_param_0: u64\n  stencil_param_1: u64\n  stencil_param_2: f32\n"));
  CHECK(json_lines(launched({"--format=json"}).out).size() == 18);
}

TEST_CASE("reckon ptx runs a kernel, prints what it changed, and writes it") {
  const TemporaryFolder folder;
  const std::string file = (folder / "y.npy").string();
  const std::vector<std::string> words{"--entry", "recursion", "--block", "12", "--arg", "i32[12]"};
  const RunResult run = launched(words);
  CHECK(run.status == 0);
  CHECK(run.out == "argument 0:\n[0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]\n");
  std::vector<std::string> further = words;
  further.insert(further.end(), {"-v", "-o", "0=" + file});
  CHECK_THAT(launched(further).out, Contains("thread instructions"));
  CHECK_THAT(reckon_here({"eval", "1"}).out, Contains("1"));
  CHECK(read_file(file).size() == 128 + 48);
  const auto lines =
      json_lines(launched({"--entry", "recursion", "--block", "12", "--arg", "i32[12]", "--format=json"}).out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1]["blocks"] == 1);
}

TEST_CASE("reckon ptx tells what a kernel should not do, with status 1") {
  const RunResult run = launched({"--entry", "stencil", "--block", "128", "--arg", "zeros:f32[128]", "--arg",
                                  "f32[100]", "--arg", "0.5", "--arg", "128"});
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Contains("error[E0631]: stores 4 bytes at") &&
                          Contains("that is 0 bytes after the 400 bytes of argument 1") &&
                          Contains("--> " + kernels + ":"));
}

TEST_CASE("reckon ptx refuses what cannot be read or run, with status 3, and wrong words with status 2") {
  const auto refused = [](const std::vector<std::string>& words, const std::string& message) {
    const RunResult run = launched(words);
    INFO(run.err);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains("error[E0630]: ") && Contains(message));
  };
  refused({"--entry", "nothing"}, "there is no kernel `nothing`");
  refused({"--entry", "recursion"}, "parameters of the kernel: 1; arguments given: 0");
  refused({"--entry", "recursion", "--arg", "12", "--block", "2000"}, "a block has 1 to 1024 threads, not 2000");
  refused({"--entry", "stencil", "--arg", "1", "--arg", "2", "--arg", "x", "--arg", "3"},
          "`x` is no value of the parameter `stencil_param_2`, which has the type .f32");
  refused({"--entry", "softmax", "--arg", "f32[4]", "--arg", "f32[4]", "--arg", "4"},
          "--approx=nearest takes the nearest number for it");
  // Tables of a chip: two numbers and their exponentials' shares.
  const std::vector<std::string> softmax{"--entry", "softmax",   "--arg",   "zeros:f32[2, 4]",
                                         "--arg",   "f32[2, 4]", "--arg",   "4",
                                         "--grid",  "2",         "--block", "32"};
  const auto with = [&](std::vector<std::string> words, const std::string& tables) {
    words.push_back("--approx=" + tables);
    return words;
  };
  const RunResult measured = launched(with(softmax, "h200"));
  INFO(measured.err);
  CHECK(measured.status == 0);
  CHECK_THAT(measured.out, Contains("0.25"));
  refused(with(softmax, "nothing"), "`nothing` is no chip whose tables are known");
  refused(with(softmax, "tests/data/ptx/kernels.cu"),
          "has no tables of approximate instructions: it does not begin as such a file does");
  const RunResult unreadable = reckon_here({"ptx", "tests/data/ptx/kernels.cu"});
  CHECK(unreadable.status == 3);
  CHECK_THAT(unreadable.err, Contains("error[E0630]: `#` is not expected here"));
  CHECK(launched({"--entry", "recursion", "--arg", "f32[x]"}).status == 2);
  CHECK(launched({"--entry", "recursion", "--arg", "f32[4]", "-o", "7=y.npy"}).status == 2);
}

TEST_CASE("reckon ptx --report tells what each line costs, printed, as JSON and as a picture") {
  const std::string source = read_file(source_folder() / "tests/data/ptx/grids.cu");
  // The line of a text in the kernel that exchanges rows and columns without a column more.
  const auto line_of = [&](const std::string& text) {
    const std::size_t at = source.find(text, source.find("transpose_with_conflicts"));
    return "grids.cu:" +
           std::to_string(1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  const std::string reads = line_of("= in["), writes = line_of("out[");
  const auto report = [&](std::vector<std::string> further) {
    std::vector<std::string> words{"ptx",     "tests/data/ptx/grids_sm_80.ptx",
                                   "--entry", "transpose_with_conflicts",
                                   "--grid",  "2,1",
                                   "--block", "32,8",
                                   "--arg",   "zeros:f32[32,64]",
                                   "--arg",   "f32[64,32]",
                                   "--arg",   "32",
                                   "--arg",   "64",
                                   "-q"};
    words.insert(words.end(), further.begin(), further.end());
    return reckon_here(words);
  };
  std::size_t found = 0;
  for (const auto& row : json_lines(report({"--report", "--format=json"}).out)) {
    if (row["kind"] != "line" || (row["place"] != reads && row["place"] != writes)) continue;
    ++found;
    // Two blocks of eight warps, four rows each: 128 bytes in 4 sectors, into or out of 32 words.
    CHECK(row["global"]["requests"] == 64);
    CHECK(row["global"]["bytes"] == 64 * 128);
    CHECK(row["global"]["sectors"] == 64 * 4);
    CHECK(row["shared"]["requests"] == 64);
    CHECK(row["shared"]["wavefronts"] == (row["place"] == reads ? 64 : 64 * 32));
    CHECK(row["shared"]["least wavefronts"] == 64);
    CHECK(row["units"]["memory"] == 128);
  }
  CHECK(found == 2);
  const RunResult text = report({"--report"});
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains("transpose_with_conflicts, grid 2,1, block 32,8\n") && Contains("\n" + reads) &&
                           Contains("\nall lines"));
  const TemporaryFolder folder;
  const std::string file = (folder / "costs.svg").string();
  CHECK(report({"--report=" + file}).status == 0);
  const std::string picture = read_file(file);
  CHECK_THAT(picture,
             Catch::StartsWith("<svg ") && Contains(">" + writes + "</text>") && Contains("<title>transpose_with"));
  // A form that there is none of is refused before anything is run or printed.
  const RunResult refused = report({"--report=" + (folder / "costs.png").string()});
  CHECK(refused.status == 2);
  CHECK(refused.out.empty());
}

TEST_CASE("reckon ptx shows what a kernel prints") {
  const std::vector<std::string> words{
      "ptx", "tests/data/ptx/numbers_sm_80.ptx", "--entry", "speaks", "--block", "1", "--arg", "zeros:f32[1]", "-q"};
  CHECK(reckon_here(words).out == "thread 0 has 0, as given\n");
  std::vector<std::string> json = words;
  json.emplace_back("--format=json");
  CHECK(json_lines(reckon_here(json).out)[0]["text"] == "thread 0 has 0, as given\n");
}
