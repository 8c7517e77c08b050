// The algebra of layouts on one core: operations a second on layouts of four modes, and the evaluation of all of a
// layout of 10^8 elements beside the loops that one writes by hand.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <vector>

#include "bench/measure.h"
#include "layout/coalesce.h"
#include "layout/complement.h"
#include "layout/compose.h"
#include "layout/filter.h"
#include "layout/inverse.h"
#include "layout/walk.h"

namespace {

using namespace reckon;
using namespace reckon::layout;

/// Four modes with strides in some order of the compact ones.
Layout drawn(std::mt19937& engine, bool shuffled) {
  std::vector<IntTuple> shape, stride(4, 0);
  for (int k = 0; k < 4; ++k) shape.emplace_back(std::int64_t{1} << (1 + engine() % 4));
  std::vector<std::size_t> order = {0, 1, 2, 3};
  if (shuffled) std::shuffle(order.begin(), order.end(), engine);
  std::int64_t next = 1;
  for (const std::size_t k : order) {
    stride[k] = next;
    next *= shape[k].value();
  }
  return *Layout::make(std::move(shape), std::move(stride));
}

template <class Operation>
void rate(const char* name, Operation&& operation) {
  constexpr std::size_t count = 1000;
  std::mt19937 engine(1);
  std::vector<Layout> a, b;
  for (std::size_t k = 0; k < count; ++k) {
    a.push_back(drawn(engine, k % 4 != 0));
    b.push_back(drawn(engine, k % 2 != 0));
  }
  std::int64_t refused = 0;
  const double seconds = bench::median_seconds(21, [&] {
    refused = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const auto out = operation(a[k], b[k]);
      refused += !out;
      bench::keep(&out);
    }
  });
  std::printf("%-28s %10.2f million a second   %5.0f ns   (%lld of %zu refused)\n", name, 1e-6 * count / seconds,
              1e9 * seconds / count, static_cast<long long>(refused), count);
}

/// Adds up what all offsets give with their indices, as a stand-in for what one does with them. The three ways in turn,
/// each by its least time, since they are compared.
void evaluation(const char* name, const Layout& layout, auto&& by_hand) {
  std::uint64_t sums[3];
  double least[3] = {1e9, 1e9, 1e9};
  const auto time = [&](int way, auto&& work) {
    const auto start = std::chrono::steady_clock::now();
    sums[way] = work();
    bench::keep(sums);
    least[way] = std::min(least[way], std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  };
  for (int run = 0; run < 9; ++run) {
    time(0, by_hand);
    time(1, [&] {
      std::uint64_t sum = 0;
      for_each_offset(layout, [&](std::int64_t index, std::int64_t offset) {
        sum += static_cast<std::uint64_t>(index ^ offset);
      });
      return sum;
    });
    if (run > 1) continue;
    time(2, [&] {
      std::uint64_t sum = 0;
      for (std::int64_t i = 0; i < layout.size(); ++i) sum += static_cast<std::uint64_t>(i ^ layout.at(i));
      return sum;
    });
  }
  const double scale = 1e9 / static_cast<double>(layout.size());
  std::printf("%-28s %8.2f %8.2f %8.2f %10.2f%s\n", name, least[0] * scale, least[1] * scale, least[2] * scale,
              least[1] / least[0], sums[0] == sums[1] && sums[0] == sums[2] ? "" : "   SUMS DIFFER");
}

}  // namespace

int main() {
  std::printf("operations on layouts of four modes, powers of two:\n");
  rate("coalesce", [](const Layout& a, const Layout&) { return std::optional(coalesce(a)); });
  rate("compose", [](const Layout& a, const Layout& b) { return compose(a, b); });
  rate("complement", [](const Layout& a, const Layout&) { return complement(a, 1 << 18); });
  rate("right_inverse", [](const Layout& a, const Layout&) { return right_inverse(a); });
  rate("a == b", [](const Layout& a, const Layout& b) { return std::optional(a == b); });

  std::printf("\nall offsets of 10^8 elements, ns each  by hand   walked    at(i)   walked / by hand\n");
  using Shape = std::vector<IntTuple>;
  evaluation("10^8:3", *Layout::make(100'000'000, 3), [] {
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < 100'000'000; ++i) sum += static_cast<std::uint64_t>(i ^ 3 * i);
    return sum;
  });
  evaluation("(10^4,10^4):(10^4,1)", *Layout::make(Shape{10'000, 10'000}, Shape{10'000, 1}), [] {
    std::uint64_t sum = 0;
    std::int64_t index = 0;
    for (std::int64_t j = 0; j < 10'000; ++j) {
      for (std::int64_t i = 0; i < 10'000; ++i) sum += static_cast<std::uint64_t>(index++ ^ (i * 10'000 + j));
    }
    return sum;
  });
  evaluation("(100,..,100):(..), 4 modes", *Layout::make(Shape{100, 100, 100, 100}, Shape{10'000, 1, 1'000'000, 100}),
             [] {
               std::uint64_t sum = 0;
               std::int64_t index = 0;
               for (std::int64_t l = 0; l < 100; ++l)
                 for (std::int64_t k = 0; k < 100; ++k)
                   for (std::int64_t j = 0; j < 100; ++j)
                     for (std::int64_t i = 0; i < 100; ++i)
                       sum += static_cast<std::uint64_t>(index++ ^ (i * 10'000 + j + k * 1'000'000 + l * 100));
               return sum;
             });
  evaluation("99999989:3, a prime", *Layout::make(99'999'989, 3), [] {
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < 99'999'989; ++i) sum += static_cast<std::uint64_t>(i ^ 3 * i);
    return sum;
  });
  evaluation("(3,5,7,952381):(..)", *Layout::make(Shape{3, 5, 7, 952'381}, Shape{35, 1, 5, 105}), [] {
    std::uint64_t sum = 0;
    std::int64_t index = 0;
    for (std::int64_t l = 0; l < 952'381; ++l)
      for (std::int64_t k = 0; k < 7; ++k)
        for (std::int64_t j = 0; j < 5; ++j)
          for (std::int64_t i = 0; i < 3; ++i)
            sum += static_cast<std::uint64_t>(index++ ^ (i * 35 + j + k * 5 + l * 105));
    return sum;
  });
  evaluation("(4,8,2,1562500):(..)", *Layout::make(Shape{4, 8, 2, 1'562'500}, Shape{16, 1, 8, 64}), [] {
    std::uint64_t sum = 0;
    std::int64_t index = 0;
    for (std::int64_t l = 0; l < 1'562'500; ++l)
      for (std::int64_t k = 0; k < 2; ++k)
        for (std::int64_t j = 0; j < 8; ++j)
          for (std::int64_t i = 0; i < 4; ++i)
            sum += static_cast<std::uint64_t>(index++ ^ (i * 16 + j + k * 8 + l * 64));
    return sum;
  });
}
