// Sums of 2^20 standard normals in f16 and f32, in blocks of 64 to 1024 and in other orders: the error that was
// measured, the spread over random orders, and the bounds: of any order, of this order, and with probability 0.99. A
// bound that is below what was measured is a failure, which the exit status says.
//   bench_normal_sums [LEAVES] [ORDERS]      default: 1048576 leaves, 24 random orders
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "ir/schedule/bounds.h"
#include "ir/schedule/probable_bounds.h"
#include "numerics/format.h"

namespace {

using namespace reckon;
using ir::Format;

double rounded(double value, Format format) { return numerics::widen(numerics::round_f64(value, format), format); }

/// In order within blocks, whose sums are joined in pairs; `block` 0: all in order.
double sum_of(const std::vector<double>& leaves, std::size_t block, Format format) {
  if (block == 0) block = leaves.size();
  std::vector<double> nodes;
  for (std::size_t at = 0; at < leaves.size(); at += block) {
    double sum = leaves[at];
    for (std::size_t k = at + 1; k < std::min(at + block, leaves.size()); ++k) sum = rounded(sum + leaves[k], format);
    nodes.push_back(sum);
  }
  while (nodes.size() > 1) {
    std::vector<double> next;
    for (std::size_t k = 0; k + 1 < nodes.size(); k += 2) next.push_back(rounded(nodes[k] + nodes[k + 1], format));
    if (nodes.size() % 2 == 1) next.push_back(nodes.back());
    nodes = std::move(next);
  }
  return nodes[0];
}

std::int64_t height_of(std::int64_t leaves, std::int64_t block) {
  if (block == 0) return leaves - 1;
  std::int64_t height = std::min(block, leaves) - 1;
  for (std::int64_t nodes = (leaves + block - 1) / block; nodes > 1; nodes = (nodes + 1) / 2) ++height;
  return height;
}

/// Whether no bound is below what was measured.
bool print_rows(Format format, std::int64_t count, int orders) {
  std::mt19937_64 random(20);
  std::normal_distribution<double> normal;
  std::vector<double> leaves(static_cast<std::size_t>(count));
  for (double& each : leaves) each = rounded(normal(random), format);
  mpq_class exact = 0, magnitude = 0;
  for (const double each : leaves) {
    exact += mpq_class(each);
    magnitude += mpq_class(std::fabs(each));
  }
  const ir::Accumulation how{.format = format};
  const mpq_class u = ir::growth_factor(1, how);
  const std::string name(numerics::traits(format).name);
  std::printf("%s: %lld leaves, exact sum %.6g, sum of magnitudes %.6g\n", name.c_str(), static_cast<long long>(count),
              exact.get_d(), magnitude.get_d());
  std::printf(
      "| %s, order | height | error | spread of %d shuffles | with probability 0.99 | this order | any order "
      "|\n|---|---|---|---|---|---|---|\n",
      name.c_str(), orders);
  bool good = true;
  for (const std::int64_t block : {1, 64, 128, 256, 512, 1024, 0}) {
    const std::int64_t height = height_of(count, block);
    const auto error_of = [&](double sum) { return std::fabs(mpq_class(mpq_class(sum) - exact).get_d()); };
    const double error = error_of(sum_of(leaves, static_cast<std::size_t>(block), format));
    double low = HUGE_VAL, high = -HUGE_VAL, worst = error;
    std::vector<double> shuffled = leaves;
    for (int k = 0; k < orders; ++k) {
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      const double sum = sum_of(shuffled, static_cast<std::size_t>(block), format);
      low = std::min(low, sum);
      high = std::max(high, sum);
      worst = std::max(worst, error_of(sum));
    }
    const double probable = mpq_class(ir::probable_factor(count, height, u, mpq_class(99, 100)) * magnitude).get_d();
    const double of_order =
        mpq_class(*ir::tightest_factor({.leaves = count, .height = height}, how) * magnitude).get_d();
    const double of_any = mpq_class(ir::any_order_factor(count, how) * magnitude).get_d();
    const std::string order = block == 0   ? "seq"
                              : block == 1 ? "tree"
                                           : "tile(" + std::to_string(block) + ", seq) then tree";
    std::printf("| `%s` | %lld | %.3g | %.3g | %.3g | %.3g | %.3g |\n", order.c_str(), static_cast<long long>(height),
                error, high - low, probable, of_order, of_any);
    good = good && worst <= of_order && of_order <= of_any * (1 + 1e-12) && worst <= probable;
  }
  std::printf("\n");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t leaves = argc > 1 ? std::atoll(argv[1]) : 1048576;
  const int orders = argc > 2 ? std::atoi(argv[2]) : 24;
  const bool narrow = print_rows(Format::f16, leaves, orders), wide = print_rows(Format::f32, leaves, orders);
  if (!narrow || !wide) std::printf("a bound is below what was measured\n");
  return narrow && wide ? 0 : 1;
}
