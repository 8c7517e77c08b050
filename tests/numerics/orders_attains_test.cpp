#include <catch2/catch.hpp>

#include "orders_reference.h"

namespace {

using namespace reckon::numerics;
using namespace reckon::tests;

/// Every result is attained, with an order that shows it; what lies beside results is not.
void check_all(const OrderQuestion& question) {
  INFO(text(question));
  const Format format = question.format;
  std::set<std::uint64_t> results;
  for (std::uint64_t bits : all_results(question)) {
    results.insert(is_nan(bits, format) ? canonical_nan(format) : bits);
  }
  std::set<std::uint64_t> targets{0, sign_bit(format), infinity_bits(format), canonical_nan(format)};
  for (std::uint64_t bits : results) {
    if (targets.size() > 24) break;
    for (std::uint64_t target : {bits, bits + 1, bits - 1, bits ^ sign_bit(format)}) {
      target &= width_mask(format);
      targets.insert(is_nan(target, format) ? canonical_nan(format) : target);
    }
  }
  for (std::uint64_t target : targets) {
    INFO("target " << hexadecimal(target, format));
    const auto got = attains(question, target);
    REQUIRE(got);
    CHECK(got->answer == (results.contains(target) ? Possibility::yes : Possibility::no));
    CHECK(got->tree.has_value() == (got->answer == Possibility::yes));
    if (!got->tree) continue;
    CHECK(belongs(*got->tree, question));
    const std::uint64_t bits = evaluate(*got->tree, question);
    CHECK((is_nan(bits, format) ? canonical_nan(format) : bits) == target);
  }
}

}  // namespace

TEST_CASE("attains equals the set of results of all orders", "[numerics][orders]") {
  std::mt19937_64 random(11);
  for (OrderSet orders : {OrderSet::any, OrderSet::any_tree, OrderSet::any_seq}) {
    for (Format format : {Format::f32, Format::f16, Format::f64, Format::bf16}) {
      for (std::size_t n = 1; n <= 7; ++n) {
        if (format == Format::bf16 && n > 5) continue;
        for (int k = 0; k < trials(n == 7 ? 3 : 8); ++k) {
          check_all(random_question(random, orders, k % 4 == 3 ? FoldOperation::mul : FoldOperation::add, format, n));
        }
      }
    }
  }
}

TEST_CASE("attains decides sums of twelve leaves", "[numerics][orders]") {
  std::mt19937_64 random(12);
  int yes = 0, no = 0;
  for (int k = 0; k < trials(3); ++k) {
    OrderQuestion question{OrderSet::any, FoldOperation::add, Format::f16, {}};
    for (int i = 0; i < 12; ++i)
      question.leaves.push_back(round_f64(static_cast<double>(random() % 2001) / 1000 - 1, Format::f16));
    const auto range = spread(question);
    for (std::int64_t at = key(range->low, Format::f16) - 1; at <= key(range->high, Format::f16) + 1;
         at += 1 + (at % 5 == 0)) {
      const std::uint64_t target =
          at >= 0 ? static_cast<std::uint64_t>(at) : static_cast<std::uint64_t>(-at - 1) | 0x8000;
      const auto got = attains(question, target);
      REQUIRE(got->answer != Possibility::unknown);
      (got->answer == Possibility::yes ? yes : no) += 1;
      if (got->tree) CHECK(evaluate(*got->tree, question) == target);
      if (yes + no > 60) break;
    }
  }
  CHECK(yes > 0);
  CHECK(no > 0);
}

TEST_CASE("beyond the limits attains says no, yes or unknown, never wrongly", "[numerics][orders]") {
  std::mt19937_64 random(13);
  OrderLimits none;
  none.splits = none.states = none.positions = 0;
  none.search = 500;
  for (OrderSet orders : {OrderSet::any, OrderSet::any_tree, OrderSet::any_seq}) {
    for (int k = 0; k < trials(60); ++k) {
      const auto question =
          random_question(random, orders, k % 4 == 3 ? FoldOperation::mul : FoldOperation::add, Format::f16, 6);
      INFO(text(question));
      std::set<std::uint64_t> results;
      for (std::uint64_t bits : all_results(question))
        results.insert(is_nan(bits, Format::f16) ? canonical_nan(Format::f16) : bits);
      for (std::uint64_t target :
           {*results.begin(), *results.rbegin(), *results.begin() + 1, std::uint64_t{0x7bff}, std::uint64_t{0}}) {
        if (is_nan(target, Format::f16)) target = canonical_nan(Format::f16);
        const auto got = attains(question, target, none);
        if (got->answer == Possibility::unknown) continue;
        CHECK((got->answer == Possibility::yes) == results.contains(target));
      }
    }
  }
}
