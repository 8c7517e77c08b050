#include "runtime/host/threads.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <thread>
#include <vector>

namespace reckon::runtime {

TEST_CASE("threads: every part is done once, however many threads there are", "[runtime]") {
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::int64_t parts : {0, 1, 2, 5, 64, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(parts));
      for (int round = 0; round < 20; ++round)
        in_threads(threads, parts, [&](std::int64_t part) { ++done[static_cast<std::size_t>(part)]; });
      for (const auto& each : done) CHECK(each == 20);
    }
  }
}

TEST_CASE("threads: callers at the same time, and calls within calls, do not wait for each other", "[runtime]") {
  std::atomic<int> done = 0;
  const auto work = [&] {
    for (int round = 0; round < 50; ++round)
      in_threads(4, 8, [&](std::int64_t) { in_threads(4, 2, [&](std::int64_t) { ++done; }); });
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(done == 2 * 50 * 8 * 2);
}

TEST_CASE("threads: RECKON_THREADS states their number", "[runtime]") {
  const char* before = std::getenv("RECKON_THREADS");
  const std::string kept = before ? before : "";
  setenv("RECKON_THREADS", "3", 1);
  CHECK(host_threads() == 3);
  for (const char* wrong : {"", "0", "-2", "many", "2x"}) {
    setenv("RECKON_THREADS", wrong, 1);
    CHECK(host_threads() >= 1);
    CHECK(host_threads() != 0);
  }
  if (before) setenv("RECKON_THREADS", kept.c_str(), 1);
  else unsetenv("RECKON_THREADS");
}

}  // namespace reckon::runtime
