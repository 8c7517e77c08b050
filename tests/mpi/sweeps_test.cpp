// `mpirun -n N reckon run FILE --on=mpi`: what one process prints, whoever carries out which trials; and jobs that are
// killed and go on from a restart file.
#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "tests/mpi/launch.h"
#include "tests/support/in_turn.h"

using namespace reckon::test;

namespace {

using namespace std::chrono_literals;

std::vector<std::string> reckon_run(const std::string& program, const std::vector<std::string>& more = {}) {
  return std::vector<std::string>{program_path().string(), "run", program, "--budget=600"} + more;
}

/// What a job prints, without what mpirun adds to standard error.
RunResult on_ranks(int ranks, const std::string& program, const std::vector<std::string>& more = {},
                   std::chrono::milliseconds timeout = 120s) {
  const auto on = std::vector<std::string>{"--on=mpi"} + more;
  return run_command(launcher(ranks) + reckon_run(program, on), job_options(timeout));
}

/// How many trials the ranks carried out, by the note that `--verbose` gives at the end.
std::vector<long> shares(const std::string& notes) {
  std::vector<long> out;
  const std::size_t begin = notes.find("trials of sweeps: ");
  REQUIRE(begin != std::string::npos);
  for (std::size_t rank = 0;; ++rank) {
    const std::size_t at = notes.find(fmt::format(" by rank {}", rank), begin);
    if (at == std::string::npos) return out;
    out.push_back(std::stol(notes.substr(notes.rfind(' ', at - 1) + 1)));
  }
}

}  // namespace

TEST_CASE("checks print the same on any number of ranks", "[targets]") {
  if (!has_mpirun()) return;
  const std::string program = "tests/mpi/sweeps.rk";
  for (const auto& form : {std::vector<std::string>{"-v"}, std::vector<std::string>{"--format=json"}}) {
    const RunResult alone = run_command(reckon_run(program, form), job_options());
    REQUIRE(alone.status == 1);
    const std::vector<int> usual = all_targets() ? std::vector{1, 2, 3, 4, 7} : std::vector{2, 7};
    for (const int ranks : form[0] == "-v" ? usual : std::vector{3}) {
      INFO(ranks << " ranks");
      const RunResult run = on_ranks(ranks, program, form);
      INFO(run.err);
      CHECK(run.status == alone.status);
      CHECK(run.out == alone.out);
    }
  }
}

TEST_CASE("the ranks share the trials") {
  if (!has_mpirun()) return;
  const TemporaryFolder folder;
  write_file(folder / "p.rk",
             "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\n"
             "fn same(x: f32[n]) -> f32 = sum i: 1 * x[i] by seq\n"
             "check f == same in float for n: {64} trials 30000\n");
  const RunResult run = on_ranks(3, (folder / "p.rk").string(), {"-v"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto done = shares(run.err);
  REQUIRE(done.size() == 3);
  for (const long each : done) CHECK(each > 1000);
  CHECK(done[0] + done[1] + done[2] >= 29998);
}

TEST_CASE("a failure at a late trial is the first one, whoever finds it") {
  if (!has_mpirun()) return;
  // One trial in 32,768 fails, so that all of the first blocks are good.
  const TemporaryFolder folder;
  std::string text =
      "fn f(x: f32) -> f32 = x\n"
      "fn g(x: f32) -> f32 = select((bits(x) & 32767) == 12344, x + 1, x)\n";
  for (const int seed : {1, 2, 3, 4}) text += fmt::format("check f == g in float for x: 0..1 trials 400000 seed {}\n", seed);
  write_file(folder / "p.rk", text);
  const RunResult alone = run_command(reckon_run((folder / "p.rk").string()), job_options());
  REQUIRE(alone.status == 1);
  REQUIRE(occurrences(alone.out, "fails") == 4);
  const RunResult run = on_ranks(4, (folder / "p.rk").string(), {"-v"});
  INFO(run.err);
  CHECK(run.status == 1);
  CHECK(on_ranks(4, (folder / "p.rk").string()).out == alone.out);
  const auto done = shares(run.err);
  CHECK(done.size() == 4);
  CHECK(done[1] + done[2] + done[3] > 0);
}

TEST_CASE("a mistake in a program is told once, by rank 0") {
  if (!has_mpirun()) return;
  const TemporaryFolder folder;
  write_file(folder / "p.rk", "fn f(x: f32) -> f32 = y\n");
  const RunResult run = on_ranks(3, (folder / "p.rk").string());
  CHECK(run.status == 3);
  CHECK(occurrences(run.err, "error[E0") == 1);
  const RunResult missing = on_ranks(3, (folder / "none.rk").string());
  CHECK(missing.status == 2);
  CHECK(occurrences(missing.err, "cannot be read") == 1);
}

TEST_CASE("ranks with other programs or options do not begin") {
  if (!has_mpirun()) return;
  const TemporaryFolder folder;
  write_file(folder / "a.rk", "fn f(x: f32) -> f32 = x\ncheck f == f in float trials 100\n");
  write_file(folder / "b.rk", "fn f(x: f32) -> f32 = x + 0\ncheck f == f in float trials 100\n");
  const auto two = [&](const std::vector<std::string>& first, const std::vector<std::string>& second) {
    return run_command(launcher(1) + first + std::vector<std::string>{":", "-n", "1"} + second, job_options(30s));
  };
  const std::string a = (folder / "a.rk").string(), b = (folder / "b.rk").string();
  for (const RunResult& run : {two(reckon_run(a, {"--on=mpi"}), reckon_run(b, {"--on=mpi"})),
                               two(reckon_run(a, {"--on=mpi"}), reckon_run(a, {"--on=mpi", "--seed=3"}))}) {
    INFO(run.err);
    CHECK_FALSE(run.timed_out);
    CHECK(run.status == 69);
    CHECK(occurrences(run.err, "error[E0903]: the ranks do not have the same program and options") == 1);
    CHECK(run.out.empty());
  }
  // One rank has no such file.
  const RunResult file = two(reckon_run(a, {"--on=mpi"}), reckon_run("/nowhere/a.rk", {"--on=mpi"}));
  INFO(file.err);
  CHECK_FALSE(file.timed_out);
  CHECK(file.status != 0);
  CHECK(occurrences(file.err, "`/nowhere/a.rk` cannot be read") == 1);
}

TEST_CASE("shows and saves are rank 0's") {
  if (!has_mpirun()) return;
  const TemporaryFolder folder;
  write_file(folder / "p.rk", fmt::format("show f32(1) + 2\nsave \"{}\" = f32(1) + 2\ncheck 1 == 1\n", (folder / "x.npy").string()));
  const RunResult alone = run_command(reckon_run((folder / "p.rk").string()), job_options());
  REQUIRE(alone.status == 0);
  const RunResult run = on_ranks(3, (folder / "p.rk").string());
  CHECK(run.status == 0);
  CHECK(run.out == alone.out);
}

TEST_CASE("a rank that dies in a sweep ends the job within seconds") {
  if (!has_mpirun()) return;
  const TemporaryFolder folder;
  write_file(folder / "p.rk",
             "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\n"
             "fn same(x: f32[n]) -> f32 = sum i: 1 * x[i] by seq\n"
             "check f == same in float for n: {64} trials 100000000\n");
  const std::vector<std::string> run_it = reckon_run((folder / "p.rk").string(), {"--on=mpi"});
  const auto start = std::chrono::steady_clock::now();
  const RunResult run = run_command(
      launcher(1) + run_it + std::vector<std::string>{":", "-n", "1", "timeout", "-s", "KILL", "3"} + run_it, job_options(60s));
  INFO(run.out << run.err);
  CHECK_FALSE(run.timed_out);
  CHECK(run.status != 0);
  CHECK(run.out.empty());
  CHECK(std::chrono::steady_clock::now() - start < 30s);
}

TEST_CASE("the clock of rank 0 ends a check on all ranks") {
  if (!has_mpirun()) return;
  const TemporaryFolder folder;
  write_file(folder / "p.rk",
             "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\n"
             "fn same(x: f32[n]) -> f32 = sum i: 1 * x[i] by seq\n"
             "check f == same in float for n: {64} trials 100000000 within 2s\n"
             "check f == same in float for n: {8} trials 500\n");
  const RunResult run = on_ranks(3, (folder / "p.rk").string(), {}, 60s);
  INFO(run.out << run.err);
  CHECK_FALSE(run.timed_out);
  CHECK(run.status == 0);
  CHECK(occurrences(run.out, "the budget of 2 s ended here") == 1);
  CHECK(occurrences(run.out, "500 trials") == 1);
}

TEST_CASE("a job that is killed at any moment goes on, on another number of ranks, too") {
  if (!has_mpirun()) return;
  const TemporaryFolder folder;
  write_file(folder / "p.rk",
             "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\n"
             "fn g(x: f32[n]) -> f32 = sum i: x[i] by tree\n"
             "fn h(x: f32) -> f32 = select((bits(x) & 32767) == 12344, x + 1, x)\n"
             "fn same(x: f32) -> f32 = x\n"
             "check f ~ g within bound in float for n: {24} trials 40000\n"
             "check f ~ g within 1e-4 in float for n: {24}, x: 0..1 trials 60000\n"
             "check same == h in float for x: 0..1 trials 400000 seed 2\n"
             "show f32(1)\n");
  const std::string program = (folder / "p.rk").string(), file = (folder / "done").string();
  const RunResult whole = run_command(reckon_run(program), job_options());
  REQUIRE(whole.status == 1);
  std::mt19937 random(11);
  RunResult last;
  int killed = 0;
  for (int turn = 0; turn < 40; ++turn) {
    const int ranks = turn == 0 ? 0 : static_cast<int>(random() % 4);  // 0: without MPI
    // A part of what the whole job takes here, so that the first turn does not end it and the others do.
    const double part = turn == 0 ? 0.4 : 0.4 + 0.01 * static_cast<double>(random() % 80);
    const std::string after = fmt::format("{:.2f}", part * whole.wall.count());
    const std::vector<std::string> kill{"timeout", "-s", "KILL", after};
    std::vector<std::string> command = reckon_run(program, {"--resume=" + file});
    command = ranks == 0 ? kill + command : launcher(ranks) + kill + command + std::vector<std::string>{"--on=mpi"};
    last = run_command(command, job_options());
    if (last.status == whole.status && !last.out.empty()) break;
    ++killed;
  }
  CHECK(killed > 0);
  INFO(last.err);
  CHECK(last.status == whole.status);
  CHECK(last.out == whole.out);
  // Once more: nothing is left to do.
  const RunResult again = run_command(reckon_run(program, {"--resume=" + file, "-v"}), job_options());
  CHECK(again.err.find(" 0 by rank 0") != std::string::npos);
}
