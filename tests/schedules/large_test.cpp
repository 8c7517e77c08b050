// Sums of more leaves than there should be memory for. RECKON_LEAVES=1000000000 takes some 10 s of CPU for each order.
#include "tests/schedules/support.h"

using namespace reckon::test;

TEST_CASE("the memory that a sum takes does not grow with its leaves") {
  const char* text = std::getenv("RECKON_LEAVES");
  const std::int64_t n = text ? std::atoll(text) : 4'000'000;  // in f64 they would take 32 MB
  const auto program = [](std::int64_t leaves, const std::string& order) {
    return fmt::format("show sum i < {}: f64(i) by {}\n", leaves, order);
  };
  for (const std::string order :
       {"seq", "tree", "halving", "blelloch", "lanes(128, tree) then tree", "lanes(1000, seq) then seq",
        "tile(1000, tree) then lanes(32, seq) then tree", "arrange((8, 4, _):(4, 1, 32), tree) then seq",
        "split(1000, seq, tree)", "neumaier(tree)", "rounded_once", "binned(2)"}) {
    INFO(order);
    const RunResult few = run_program({"-"}, program(1000, order));
    const RunResult many = run_program({"-"}, program(n, order), std::chrono::minutes(10));
    REQUIRE(few.status == 0);
    REQUIRE(many.status == 0);
    // Exact in every order while n (n - 1) / 2 < 2^53: for up to 10^8 leaves.
    if (n < 100'000'000) CHECK(many.out.substr(0, many.out.find(' ')) == fmt::format("{}", n / 2 * (n - 1)));
#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory
    CHECK(many.peak_memory_kb < few.peak_memory_kb + 8 * 1024);
#endif
    if (text) WARN(order << ": " << many.wall.count() << " s, " << many.peak_memory_kb / 1024 << " MiB");
  }
}
