// `reckon run --resume FILE` in one process: a job that was killed goes on, and files that are not its own are refused.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon::test;

namespace {

constexpr const char* resumed_circuits =
    "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\n"
    "fn g(x: f32[n]) -> f32 = sum i: x[i] by tree\n"
    "fn same(x: f32[n]) -> f32 = sum i: 1 * x[i] by seq\n"  // as f, which takes trials to see
    "fn hill(x: f32, y: f32) -> f32 = x * (1 - x) + y * (1 - y)\n";

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a process that is killed at several moments goes on from its restart file") {
  const TemporaryFolder folder;
  const std::string program = (folder / "p.rk").string(), file = (folder / "done").string();
  write_file(program, std::string(resumed_circuits) +
                          "check f ~ g within bound in float for n: {24} trials 40000\n"
                          "check hill within -0.01..0.5 in interval(200, split(400)) for x: 0..1, y: 0..1\n"
                          "check f ~ g within 1e-6 in exact for n: {30} trials 3000\n");
  const RunResult whole = run_program({"run", program, "--budget=600", "-v"});
  REQUIRE(whole.status == 0);
  int killed = 0;
  RunResult last;
  for (const char* after : {"1.4", "1.2", "2.1", "1.7", "1.3", "3", "1.9", "1.5", "4", "8", "16", "32", "64"}) {
    last = run_command({"timeout", "-s", "KILL", after, program_path().string(), "run", program, "--budget=600", "-v",
                        "--resume", file});
    if (last.status == whole.status) break;
    ++killed;
    CHECK(last.status == 128 + 9);
  }
  INFO(last.err);
  CHECK(killed > 0);
  CHECK(last.out == whole.out);
  CHECK(occurrences(last.err, "note: trials of sweeps: ") == 1);
  // Something was kept, and nothing is left to do.
  CHECK(occurrences(last.err, ": 0 were done before") == 0);
  const RunResult again = run_program({"run", program, "--budget=600", "-v", "--resume", file});
  CHECK(again.out == whole.out);
  CHECK(occurrences(again.err, " done before, 0 by rank 0") == 1);
}

TEST_CASE("a restart file that is not the job's own is refused and left as it is") {
  const TemporaryFolder folder;
  const std::string program = (folder / "p.rk").string(), file = (folder / "done").string();
  write_file(program, std::string(resumed_circuits) + "check f == same in float for n: {4} trials 200\n");
  REQUIRE(run_program({"run", program, "--resume", file}).status == 0);
  const std::string good = read_file(file);
  const auto refused = [&](const std::string& why, const std::vector<std::string>& options = {}) {
    const std::string before = read_file(file);
    std::vector<std::string> command{"run", program, "--resume", file};
    command.insert(command.end(), options.begin(), options.end());
    const RunResult run = run_program(command, RunOptions{});
    INFO(run.out << run.err);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK(occurrences(run.err, "error[E0602]: the restart file `" + file + "` " + why) == 1);
    CHECK(occurrences(run.err, "error") == 1);
    CHECK(read_file(file) == before);
  };
  refused("is of a job with no options, and this one has `--seed 4`", {"--seed", "4"});
  refused("is of a job with no options, and this one has `--in=fpsan`", {"--in=fpsan"});
  std::string damaged = good;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  write_file(file, damaged);
  refused("is damaged: it is not what Reckon wrote");
  write_file(file, good.substr(0, good.size() - 3));
  refused("is damaged: it is not what Reckon wrote");
  write_file(file, "a letter to my bank\n");
  refused("is no restart file");
  write_file(file, good);
  // Forms of output and limits of time are not the job's.
  CHECK(run_program({"run", program, "--resume", file, "--format=json", "--budget=3"}).status == 0);
  write_file(program, std::string(resumed_circuits) + "check f == same in float for n: {5} trials 200\n");
  refused("is of another program, or the program was changed since");
}

TEST_CASE("a restart file that cannot be is told before anything runs") {
  const TemporaryFolder folder;
  const std::string program = (folder / "p.rk").string();
  write_file(program, std::string(resumed_circuits) + "show f32(1)\n");
  for (const std::string& path : {(folder / "no/such/folder").string(), folder.path().string()}) {
    const RunResult run = run_program({"run", program, "--resume", path});
    INFO(run.err);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK(occurrences(run.err, "error[E0602]: the restart file `" + path + "` cannot be ") == 1);
  }
  // A program with mistakes leaves no file.
  write_file(program, "fn f(x: f32) -> f32 = y\n");
  CHECK(run_program({"run", program, "--resume", (folder / "done").string()}).status == 3);
  CHECK_FALSE(std::filesystem::exists(folder / "done"));
}

TEST_CASE("a check that names its trials carries out all of them in a long job") {
  const TemporaryFolder folder;
  const std::string program = (folder / "p.rk").string();
  write_file(program, std::string(resumed_circuits) +
                          "check f == same in float for n: {64} trials 1000000 within 0.3s\n"
                          "check f == same in float for n: {4} trials 3000\n");
  const RunResult run = run_program({"run", program, "--resume", (folder / "done").string()});
  INFO(run.out);
  CHECK(occurrences(run.out, "the budget of 0.3 s ended here") == 1);
  CHECK(occurrences(run.out, "; 3000 trials)") == 1);
  // What was done before the clock ended it is kept, and the next run does more.
  const RunResult more = run_program({"run", program, "-v", "--resume", (folder / "done").string()});
  CHECK(occurrences(more.err, ": 0 were done before") == 0);
}
