// What `within orders` sees, and what it takes for a bug by mistake: counts, where the tests take a few seeds.
//   bench_orders_power [SEEDS [N [ORDERS]]]     100 seeds of 100000 normals, 2000 random orders of each kind of data
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/numerics/orders_power.h"

int main(int count, char** arguments) {
  using namespace reckon::tests;
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 100;
  const long n = count > 2 ? std::atol(arguments[2]) : 100'000;
  const int orders = count > 3 ? std::atoi(arguments[3]) : 2000;
  const auto start = std::chrono::steady_clock::now();
  bool good = true;
  const Seen seen = bugs_seen(seeds, n);
  std::printf(
      "n = %ld normals, f32: seen of %d: dropped %d, doubled %d, accumulated in f16 %d; least distance of a dropped "
      "one %.0f\n",
      n, seen.trials, seen.dropped, seen.doubled, seen.narrow, seen.least);
  good = good && seen.dropped == seeds && seen.doubled == seeds && seen.narrow == seeds;
  std::fflush(stdout);
  for (Format format : {Format::f32, Format::f64, Format::f16, Format::bf16}) {
    for (int data = 0; data < 6; ++data) {
      for (long length : {10l, 1000l, n}) {
        if (length == n && format != Format::f32) continue;
        const Called called = orders_called(static_cast<Data>(data), length, format, 1, orders);
        std::printf("%-5s n = %6ld %-12s %5d orders: fails %d, undecided %d, most %.2f times the spread\n",
                    std::string(traits(format).name).c_str(), length, data_names[data], called.orders, called.failed,
                    called.open, called.most);
        std::fflush(stdout);
        good = good && called.failed == 0;
      }
    }
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::printf("%s, %.0f s\n", good ? "all as wanted" : "NOT as wanted", taken.count());
  return good ? 0 : 1;
}
