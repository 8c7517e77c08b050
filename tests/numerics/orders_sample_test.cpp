// Orders that are carried out, and how far results lie from theirs. Results are compared with those of all orders of a
// few leaves, carried out one by one; bugs are planted, and orders are drawn in other ways than the sampler's.
#include <catch2/catch.hpp>

#include <sstream>

#include "orders_power.h"
#include "orders_reference.h"

using namespace reckon::tests;

TEST_CASE("sampled results are results of the set's orders, and few leaves' are all found") {
  std::mt19937_64 random(5);
  for (Format format : {Format::f64, Format::f32, Format::f16, Format::bf16}) {
    for (FoldOperation operation : {FoldOperation::add, FoldOperation::mul}) {
      for (OrderSet orders : {OrderSet::any, OrderSet::any_tree, OrderSet::any_seq}) {
        for (int trial = 0; trial < 4; ++trial) {
          OrderQuestion question{orders, operation, format, {}};
          const int n = 2 + static_cast<int>(random() % 5);
          for (int i = 0; i < n; ++i) {
            const double unit = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
            question.leaves.push_back(round_f64(unit * (random() % 3 == 0 ? 64 : 1), format));
          }
          INFO(reckon::tests::text(question));
          const auto all = all_results(question);
          const std::set<std::uint64_t> possible(all.begin(), all.end());
          std::set<std::uint64_t> found;
          const auto families = *sample_orders(question);
          for (const OrderFamily& family : families) {
            for (std::uint64_t bits : family.results) {
              INFO(family.name);
              CHECK(possible.contains(bits));
              found.insert(bits);
            }
          }
          if (n <= 4) CHECK(found == possible);
        }
      }
    }
  }
}

TEST_CASE("a dropped, a doubled and a narrow sum of 100000 normals are seen") {
  const Seen seen = bugs_seen(2, 100'000);
  CHECK(seen.dropped == seen.trials);
  CHECK(seen.doubled == seen.trials);
  CHECK(seen.narrow == seen.trials);
}

TEST_CASE("what an order gives is called no bug") {
  for (int data = 0; data < 6; ++data) {
    for (Format format : {Format::f32, Format::f64, Format::f16, Format::bf16}) {
      for (std::int64_t n : {3, 12, 700}) {
        INFO(data_names[data] << " " << traits(format).name << " n = " << n);
        const Called called = orders_called(static_cast<Data>(data), n, format, 3, n > 100 ? 60 : 200);
        CHECK(called.failed == 0);
        CHECK(called.open == 0);
      }
    }
  }
}

TEST_CASE("where all orders agree, any other result is none of theirs") {
  OrderQuestion question{OrderSet::any, FoldOperation::add, Format::f32, {}};
  for (int i = 0; i < 1000; ++i) question.leaves.push_back(round_f64(i, Format::f32));  // the sum is below 2^24: exact
  const auto families = *sample_orders(question);
  REQUIRE(is_one_result(families, Format::f32));
  REQUIRE(all_orders_agree(question));
  const std::uint64_t sum = round_f64(499500, Format::f32);
  CHECK(scatter(families, Format::f32, sum, true).times == 0);
  CHECK(std::isinf(scatter(families, Format::f32, sum + 1, true).times));
  question.leaves = {round_f64(1, Format::f32), round_f64(0x1p-24, Format::f32), round_f64(0x1p-24, Format::f32)};
  CHECK_FALSE(all_orders_agree(question));
}

TEST_CASE("infinities and NaN are near nothing but themselves") {
  OrderQuestion question{OrderSet::any, FoldOperation::add, Format::f32, {}};
  for (double leaf : {3e38, 3e38, -3e38, -3e38, 1.0}) question.leaves.push_back(round_f64(leaf, Format::f32));
  const auto families = *sample_orders(question);
  const std::uint64_t infinity = infinity_bits(Format::f32), nan = canonical_nan(Format::f32);
  CHECK(scatter(families, Format::f32, infinity, false).times == 0);  // ((3e38 + 3e38) + ...)
  CHECK(scatter(families, Format::f32, nan, false).times == 0);       // ((3e38 + 3e38) + (-3e38 + -3e38))
  question.leaves = {question.leaves[4], question.leaves[4], question.leaves[4]};
  const auto tame = *sample_orders(question);
  CHECK(std::isinf(scatter(tame, Format::f32, infinity, false).times));
  CHECK(std::isinf(scatter(tame, Format::f32, nan, false).times));
}
