// How long checks take: the examples and the documentation's heavier checks, each in a process of its own, with the
// processor seconds of the least of several runs.
//   bench_checks RECKON [ANOTHER_RECKON [RUNS]]     ANOTHER_RECKON: an earlier version, or another build, to compare
//   with
// Checks that say more take longer: the number of trials stands beside the time, where a verdict names it.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

struct Case {
  std::string name, path;
};

/// User and system seconds of one run, without a value if it did not start; a check that fails is no error.
std::optional<double> seconds_of(const std::string& program, const std::string& path) {
  std::fflush(stdout);  // or the child has what is not written yet
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(127);
    execl(program.c_str(), program.c_str(), "run", path.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) return std::nullopt;
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) return std::nullopt;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::optional<double> least_seconds(const std::string& program, const std::string& path, int runs) {
  std::optional<double> least;
  for (int k = 0; k < runs; ++k) {
    const auto seconds = seconds_of(program, path);
    if (!seconds) return std::nullopt;
    least = std::min(*seconds, least.value_or(*seconds));
  }
  return least;
}

}  // namespace

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  if (count < 2) {
    std::fprintf(stderr, "usage: bench_checks RECKON [ANOTHER_RECKON [RUNS]]\n");
    return 2;
  }
  const std::string program = arguments[1], other = count > 2 ? arguments[2] : "";
  const int runs = count > 3 ? std::atoi(arguments[3]) : 3;
  std::vector<Case> cases;
  for (const auto& entry : fs::recursive_directory_iterator("examples")) {
    if (entry.path().extension() == ".rk")
      cases.push_back({fs::relative(entry.path(), "examples").string(), entry.path()});
  }
  std::ranges::sort(cases, {}, &Case::name);

  std::printf("processor seconds, the least of %d runs\n  %-44s %8s", runs, "", "this");
  std::printf(other.empty() ? "\n" : " %8s %6s\n", "other", "ratio");
  double logarithms = 0;
  int compared = 0;
  for (const Case& each : cases) {
    const auto here = least_seconds(program, each.path, runs);
    if (!here) {
      std::printf("  %-44s does not run here\n", each.name.c_str());
      continue;
    }
    std::printf("  %-44s %8.3f", each.name.c_str(), *here);
    if (!other.empty()) {
      if (const auto there = least_seconds(other, each.path, runs)) {
        std::printf(" %8.3f %6.2f", *there, *here / *there);
        logarithms += std::log(*here / *there);
        ++compared;
      } else {
        std::printf(" does not run there");
      }
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  if (compared > 0) std::printf("  geometric mean of the ratios %35.2f\n", std::exp(logarithms / compared));
  return 0;
}
