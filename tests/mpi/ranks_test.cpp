// `mpirun -n N reckon call ... --on=mpi`: the bits of the interpreter in one process, for every number of ranks, and
// jobs that end when a rank fails or dies.
#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/mpi/launch.h"

using namespace reckon::test;

namespace {

using namespace std::chrono_literals;

std::vector<std::string> reckon_call(const std::string& circuit, const std::vector<std::string>& more) {
  std::vector<std::string> out{program_path().string(), "call", "tests/mpi/ranks.rk", "--fn", circuit};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// Numbers of many magnitudes, so that hardly any two orders of a sum agree.
std::string numbers(int count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::string out;
  for (int k = 0; k < count; ++k) {
    const auto mantissa = static_cast<double>(random() % 2000001) / 1e6 - 1;
    out += fmt::format("{}{:.6f}e{}", k > 0 ? "," : "", mantissa, static_cast<int>(random() % 7) - 3);
  }
  return out;
}

void same_bits(const std::string& circuit, const std::vector<int>& sizes, const std::vector<int>& ranks,
               const std::vector<std::string>& more = {}) {
  for (const int size : sizes) {
    const std::vector<std::string> arguments =
        std::vector<std::string>{"--arg", "x=" + numbers(size), "--format=json"} + more;
    const RunResult alone = run_command(reckon_call(circuit, arguments), job_options());
    REQUIRE(alone.status == 0);
    for (const int count : ranks) {
      INFO(circuit << ", " << size << " leaves, " << count << " ranks");
      const std::vector<std::string> on_ranks = arguments + std::vector<std::string>{"--on=mpi"};
      const RunResult run = run_command(launcher(count) + reckon_call(circuit, on_ranks), job_options());
      INFO(run.err);
      CHECK(run.status == 0);
      CHECK(run.out == alone.out);
    }
  }
}

}  // namespace

TEST_CASE("twenty orders have the interpreter's bits on any number of ranks") {
  if (!has_mpirun()) return;
  // A job takes a second to start, so small lengths have the numbers of ranks that divide them worst.
  same_bits("sums", {7, 1000, 4097}, {1, 2, 3, 4, 7});
  same_bits("sums", {1, 2, 3}, {2, 7});
  same_bits("sums", {100}, {3, 4});
}

TEST_CASE("results of several steps, and tensors, have the interpreter's bits") {
  if (!has_mpirun()) return;
  same_bits("softmax", {1, 5, 1000}, {2, 7});
  same_bits("table", {1, 6, 65}, {3, 4});
}

TEST_CASE("circuits are dealt under intervals and FPSan, too") {
  if (!has_mpirun()) return;
  same_bits("softmax", {33}, {3}, {"--in=interval"});
  same_bits("table", {33}, {3}, {"--in=fpsan"});
}

TEST_CASE("without a launcher there is one rank") {
  if (!has_mpirun()) return;
  const std::vector<std::string> arguments{"--arg", "x=1,2,3"};
  const RunResult run = run_command(reckon_call("softmax", {"--arg", "x=1,2,3", "--on=mpi"}), job_options());
  CHECK(run.status == 0);
  CHECK(run.out == run_command(reckon_call("softmax", arguments), job_options()).out);
}

TEST_CASE("--verbose says what was dealt, once") {
  if (!has_mpirun()) return;
  const auto told = [](const std::string& circuit, const std::string& argument) {
    return run_command(launcher(3) + reckon_call(circuit, {"--arg", argument, "--on=mpi", "--verbose"}), job_options()).err;
  };
  const std::string softmax = told("softmax", "x=1,2,3,4,5,6");
  CHECK(occurrences(softmax, "6 leaves by `tree`: the ranks fold 6 subtrees") == 1);
  CHECK(occurrences(softmax, "a tensor of 6 elements") == 1);
  CHECK(occurrences(softmax, "2, 2, 2") > 0);
  CHECK(occurrences(told("alone", "x=1"), "rank 0 computes this circuit alone") == 1);
}

TEST_CASE("a mistake is told once, with the status of one process") {
  if (!has_mpirun()) return;
  const RunResult run =
      run_command(launcher(3) + reckon_call("softmax", {"--arg", "x=1,2", "-D", "n=3", "--on=mpi"}), job_options());
  CHECK(run.status == 3);
  CHECK(occurrences(run.err, "error[E0") == 1);
  const RunResult semantics =
      run_command(launcher(2) + reckon_call("softmax", {"--arg", "x=1,2", "--on=mpi", "--in=exact"}), job_options());
  CHECK(semantics.status == 3);
  CHECK(occurrences(semantics.err, "error[E0720]: `exact` cannot be computed by several ranks") == 1);
  CHECK(semantics.out.empty());
}

TEST_CASE("an error in one rank ends the others") {
  if (!has_mpirun()) return;
  const auto two = [](const std::vector<std::string>& first, const std::vector<std::string>& second) {
    return run_command(launcher(1) + reckon_call("softmax", first) + std::vector<std::string>{":", "-n", "1"} +
                           reckon_call("softmax", second),
                       job_options(30s));
  };
  // One rank finds no file.
  const RunResult file = two({"--arg", "x=1,2", "--on=mpi"}, {"--arg", "x=@/nowhere/x.npy", "--on=mpi"});
  INFO(file.out << file.err);
  CHECK_FALSE(file.timed_out);
  CHECK(file.status != 0);
  CHECK(occurrences(file.err, "`/nowhere/x.npy`") == 1);
  CHECK(occurrences(file.err, "rank 1 of 2 reports this") == 1);
  // One rank has other arguments, or other sizes.
  for (const char* other : {"x=1,3", "x=1,2,3"}) {
    const RunResult run = two({"--arg", "x=1,2", "--on=mpi"}, {"--arg", other, "--on=mpi"});
    INFO(run.out << run.err);
    CHECK_FALSE(run.timed_out);
    CHECK(run.status == 69);
    CHECK(occurrences(run.err, "error[E0903]: the ranks do not have the same circuit and arguments") == 1);
    CHECK(run.out.empty());
  }
}

TEST_CASE("a rank that is killed ends the job within seconds") {
  if (!has_mpirun()) return;
  const std::vector<std::string> arguments{"--arg", "x=" + numbers(2000), "--on=mpi"};
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> killed{":", "-n", "1", "timeout", "-s", "KILL", "2"};
  const RunResult run =
      run_command(launcher(1) + reckon_call("slow", arguments) + killed + reckon_call("slow", arguments), job_options(60s));
  INFO(run.out << run.err);
  CHECK_FALSE(run.timed_out);
  CHECK(run.status != 0);
  CHECK(run.out.empty());
  CHECK(std::chrono::steady_clock::now() - start < 30s);
}

TEST_CASE("a missing MPI library is told with status 69") {
  RunOptions with = job_options();
  with.environment = {{"RECKON_MPI", "libno-mpi-at-all.so"}};
  const RunResult run = run_command(reckon_call("alone", {"--arg", "x=1", "--on=mpi"}), with);
  CHECK(run.status == 69);
  CHECK(occurrences(run.err,
                    "error[E0901]: no ranks can be used: MPI's library `libno-mpi-at-all.so` could not be "
                    "opened") == 1);
  CHECK(occurrences(run.err, "install Open MPI") == 1);
  with.environment = {{"RECKON_MPI", "libm.so.6"}};
  const RunResult other = run_command(reckon_call("alone", {"--arg", "x=1", "--on=mpi"}), with);
  CHECK(other.status == 69);
  CHECK(occurrences(other.err, "it is no MPI library") == 1);
}
