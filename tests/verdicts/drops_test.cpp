// A sum that stops at K elements is told from the whole, whatever K is: sizes are tried around every constant of the
// circuits. all_drops.sh does the same for every K from 1 to 4096.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <iostream>
#include <random>
#include <set>

#include "tests/support/golden.h"
#include "tests/verdicts/pairs.h"

using namespace reckon::test;

namespace {

constexpr int last = 4096;
constexpr double longest = 10;  ///< seconds of one core for a check

std::set<int> sample() {
  std::set<int> out;
  for (int k = 1; k <= 64; ++k) out.insert(k);
  for (int power = 64; power <= last; power *= 2) {
    for (int k = power - 1; k <= std::min(power + 1, last); ++k) out.insert(k);
  }
  std::mt19937 random(20261123);  // NOLINT(cert-msc51-cpp): the same every time
  while (out.size() < 130) out.insert(1 + static_cast<int>(random() % last));
  return out;
}

std::string program(int k, const std::string& meaning) {
  return fmt::format(
      "fn whole(x: f32[n]) -> f32 = sum i: x[i]\n"
      "fn capped(x: f32[n]) -> f32 = sum i < min(n, {}): x[i]\n"
      "check whole == capped in {}\n",
      k, meaning);
}

}  // namespace

TEST_CASE("a sum that stops at K elements fails, for every K") {
  std::map<std::string, std::string> listed = known_misses();
  for (const std::string meaning : {"float", "algebra"}) {
    std::string missed;
    int misses = 0;
    double slowest = 0, total = 0;
    for (const int k : sample()) {
      const TimedRun run = timed_run(program(k, meaning));
      total += run.cpu.count();
      slowest = std::max(slowest, run.cpu.count());
      if (run.out.starts_with("fails ")) continue;
      ++misses;
      if (misses <= 10) missed += fmt::format("  K = {}: {}\n", k, run.out.substr(0, run.out.find('\n')));
    }
    std::cout << fmt::format("sums that stop, in {}: {} of {} missed, the slowest check took {:.2f} s of {:.1f} s\n",
                             meaning, misses, sample().size(), slowest, total);
    const std::string id = "drops/" + meaning;
    if (listed.contains(id)) {
      if (misses == 0 && updating_golden()) {
        listed.erase(id);
        write_known_misses(listed);
      } else if (misses == 0) {
        FAIL_CHECK(id << " is right now: take it out of tests/verdicts/known_misses.txt");
      }
    } else if (misses > 0) {
      FAIL_CHECK(misses << " of " << sample().size() << " are missed in " << meaning << ":\n" << missed);
    }
#ifndef __SANITIZE_ADDRESS__
    CHECK(slowest < longest);
#endif
  }
}
