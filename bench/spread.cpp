// How long the exact spread over all orders takes: `any` and `any_seq` by subsets, `any_tree` by positions.
//   bench_spread [LARGEST]      subsets of up to LARGEST leaves (default 18)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "numerics/orders/orders.h"

namespace {

using namespace reckon::numerics;

OrderQuestion random_sum(OrderSet orders, Format format, int n) {
  std::mt19937_64 random(static_cast<unsigned>(n));
  OrderQuestion out{orders, FoldOperation::add, format, {}};
  for (int i = 0; i < n; ++i) {
    const double value = (static_cast<double>(random() >> 11) * 0x1p-52 - 1) * (i % 3 == 0 ? 64 : 1);
    out.leaves.push_back(round_f64(value, format));
  }
  return out;
}

void time(const char* name, OrderSet orders, Format format, int n) {
  const OrderQuestion question = random_sum(orders, format, n);
  const auto start = std::chrono::steady_clock::now();
  const auto result = spread(question);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::printf("%-9s %-5s n = %4d  %8.3f s  %s .. %s%s\n", name, std::string(traits(format).name).c_str(), n,
              taken.count(), shortest_decimal(result->low, format).c_str(),
              shortest_decimal(result->high, format).c_str(), result->exact() ? "" : "  (not exact)");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const int largest = count > 1 ? std::atoi(arguments[1]) : 18;
  for (Format format : {Format::f64, Format::f32, Format::f16, Format::bf16}) {
    for (int n : {12, 16, largest}) time("any", OrderSet::any, format, n);
    time("any_seq", OrderSet::any_seq, format, 22);
    for (int n : {300, 1000}) time("any_tree", OrderSet::any_tree, format, n);
    time("any", OrderSet::any, format, 1000);
  }
}
