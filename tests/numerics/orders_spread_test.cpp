#include <catch2/catch.hpp>

#include "orders_reference.h"

namespace {

using namespace reckon::numerics;
using namespace reckon::tests;

constexpr Format formats[] = {Format::f32, Format::f16, Format::f64, Format::bf16};
constexpr FoldOperation operations[] = {FoldOperation::add, FoldOperation::mul};

/// What every spread promises, exact or not, given the results of all orders.
void check_sound(const OrderQuestion& question, const std::vector<std::uint64_t>& results, const Spread& got) {
  const Format format = question.format;
  const bool nan = std::any_of(results.begin(), results.end(), [&](auto bits) { return is_nan(bits, format); });
  const bool number = std::any_of(results.begin(), results.end(), [&](auto bits) { return !is_nan(bits, format); });
  if (got.nan != Possibility::unknown) CHECK((got.nan == Possibility::yes) == nan);
  if (got.only_nan) CHECK_FALSE(number);
  if (got.only_nan) return;
  for (std::uint64_t bits : results) {
    if (is_nan(bits, format)) continue;
    if (key(bits, format) >= key(got.low, format) && key(bits, format) <= key(got.high, format)) continue;
    FAIL_CHECK(hexadecimal(bits, format) + " lies outside");
    return;
  }
  for (const auto& witness : {got.lowest, got.highest}) {
    if (!witness) continue;
    CHECK(belongs(witness->tree, question));
    CHECK(evaluate(witness->tree, question) == witness->bits);
    CHECK(std::find(results.begin(), results.end(), witness->bits) != results.end());
  }
  if (got.nan_tree) {
    CHECK(belongs(*got.nan_tree, question));
    CHECK(is_nan(evaluate(*got.nan_tree, question), format));
  }
}

void check_exact(const OrderQuestion& question) {
  INFO(text(question));
  const auto results = all_results(question);
  const auto got = spread(question);
  REQUIRE(got);
  CHECK(got->exact());
  check_sound(question, results, *got);
  const Format format = question.format;
  std::set<std::int64_t> keys;
  bool nan = false;
  for (std::uint64_t bits : results) {
    if (is_nan(bits, format)) nan = true;
    else keys.insert(key(bits, format));
  }
  CHECK((got->nan == Possibility::yes) == nan);
  CHECK(got->nan_tree.has_value() == nan);
  CHECK(got->only_nan == keys.empty());
  if (keys.empty()) return;
  CHECK(key(got->low, format) == *keys.begin());
  CHECK(key(got->high, format) == *keys.rbegin());

  // Without any room for tables: bounds and a search, which must contain the truth.
  OrderLimits none;
  none.splits = none.states = none.positions = 0;
  none.search = 2000;
  const auto outer = spread(question, none);
  REQUIRE(outer);
  check_sound(question, results, *outer);
}

}  // namespace

TEST_CASE("a join of orders is the exact one, rounded once", "[numerics][orders]") {
  std::mt19937_64 random(1);
  for (Format format : formats) {
    for (FoldOperation operation : operations) {
      for (int k = 0; k < trials(3000); ++k) {
        const auto leaves = random_question(random, OrderSet::any, operation, format, 2).leaves;
        INFO(hexadecimal(leaves[0], format) << " " << hexadecimal(leaves[1], format));
        const std::uint64_t got = rounded_join(operation, format, leaves[0], leaves[1]);
        const std::uint64_t expected = exact_join(operation, format, leaves[0], leaves[1]);
        REQUIRE((got == expected || (is_nan(got, format) && is_nan(expected, format))));
      }
    }
  }
  constexpr std::uint64_t negative_zero = 0x8000, nan = 0x7e00;
  CHECK(rounded_join(FoldOperation::min, Format::f16, 0, negative_zero) == negative_zero);
  CHECK(rounded_join(FoldOperation::max, Format::f16, negative_zero, 0) == 0);
  CHECK(rounded_join(FoldOperation::max, Format::f16, 0x3c00, 0x7c01) == nan);
}

TEST_CASE("spread over any order equals the enumeration of all trees", "[numerics][orders]") {
  std::mt19937_64 random(2);
  for (std::size_t n = 1; n <= 8; ++n) {
    std::size_t trees = 1;
    for (std::size_t k = 3; k <= n; ++k) trees *= 2 * k - 3;
    CHECK(all_results(random_question(random, OrderSet::any, FoldOperation::add, Format::f32, n)).size() == trees);
    for (Format format : formats) {
      const bool wanted = format == Format::f32 || format == Format::f16;
      const int count = format == Format::bf16 && n > 6 ? 0 : n == 8 ? (wanted ? 8 : 2) : n == 7 ? 16 : 40;
      for (int k = 0; k < trials(count); ++k) {
        const auto operation = operations[k % 4 == 3];
        check_exact(random_question(random, OrderSet::any, operation, format, n));
      }
    }
  }
}

TEST_CASE("spread over any tree equals the enumeration of all trees in place", "[numerics][orders]") {
  std::mt19937_64 random(3);
  for (std::size_t n = 1; n <= 9; ++n) {
    for (Format format : formats) {
      const int count = format == Format::bf16 && n > 7 ? 0 : n > 7 ? 12 : 30;
      for (int k = 0; k < trials(count); ++k) {
        check_exact(random_question(random, OrderSet::any_tree, operations[k % 4 == 3], format, n));
      }
    }
  }
}

TEST_CASE("spread over left folds equals the enumeration of all permutations", "[numerics][orders]") {
  std::mt19937_64 random(4);
  for (std::size_t n = 1; n <= 7; ++n) {
    for (Format format : formats) {
      const int count = format == Format::bf16 && n > 5 ? 0 : n == 7 ? 6 : 30;
      for (int k = 0; k < trials(count); ++k) {
        check_exact(random_question(random, OrderSet::any_seq, operations[k % 4 == 3], format, n));
      }
    }
  }
}

TEST_CASE("min and max have one result in every order", "[numerics][orders]") {
  const std::vector<std::uint64_t> leaves{0x3c00, 0x8000, 0x0000, 0xc000, 0x7c00};
  for (OrderSet orders : {OrderSet::any, OrderSet::any_tree, OrderSet::any_seq}) {
    const auto least = spread({orders, FoldOperation::min, Format::f16, leaves});
    CHECK(least->exact());
    CHECK((least->low == 0xc000 && least->high == 0xc000));
    const auto greatest = spread({orders, FoldOperation::max, Format::f16, leaves});
    CHECK((greatest->low == 0x7c00 && greatest->high == 0x7c00));
  }
}

TEST_CASE("equal leaves make long sums exact", "[numerics][orders]") {
  // Two values, 9 and 17 times: every set of results by (how many of each), with sets and machine floats.
  const std::uint32_t counts[] = {9, 17};
  const float values[] = {16777215.0f, 0.75f};
  OrderQuestion question{OrderSet::any, FoldOperation::add, Format::f32, {}};
  for (int c = 0; c < 2; ++c)
    question.leaves.insert(question.leaves.end(), counts[c], std::bit_cast<std::uint32_t>(values[c]));
  std::vector<std::vector<std::pair<float, float>>> of(counts[0] + 1,
                                                       std::vector<std::pair<float, float>>(counts[1] + 1));
  for (std::uint32_t i = 0; i <= counts[0]; ++i) {
    for (std::uint32_t j = 0; j <= counts[1]; ++j) {
      if (i + j == 0) continue;
      if (i + j == 1) {
        of[i][j] = {values[j], values[j]};
        continue;
      }
      float low = INFINITY, high = -INFINITY;
      for (std::uint32_t a = 0; a <= i; ++a) {
        for (std::uint32_t b = 0; b <= j; ++b) {
          if (a + b == 0 || a + b == i + j) continue;
          low = std::min(low, of[a][b].first + of[i - a][j - b].first);
          high = std::max(high, of[a][b].second + of[i - a][j - b].second);
        }
      }
      of[i][j] = {low, high};
    }
  }
  const auto got = spread(question);
  CHECK(got->exact());
  CHECK(got->low == std::bit_cast<std::uint32_t>(of[counts[0]][counts[1]].first));
  CHECK(got->high == std::bit_cast<std::uint32_t>(of[counts[0]][counts[1]].second));
  CHECK(got->low != got->high);
  CHECK((belongs(got->lowest->tree, question) && belongs(got->highest->tree, question)));
}

TEST_CASE("sums that round nowhere need no search", "[numerics][orders]") {
  std::mt19937_64 random(5);
  OrderQuestion question{OrderSet::any, FoldOperation::add, Format::f32, {}};
  long sum = 0;
  for (int k = 0; k < 100'000; ++k) {
    const long value = static_cast<long>(random() % 257) - 128;
    sum += value;
    question.leaves.push_back(round_rational(value, Format::f32));
  }
  const auto got = spread(question);
  CHECK(got->exact());
  CHECK(exact_value(got->low, Format::f32) == mpq_class(sum));
}

TEST_CASE("long sums have proven bounds around the results found", "[numerics][orders]") {
  std::mt19937_64 random(6);
  OrderLimits limits;
  limits.search = 100'000;
  for (Format format : formats) {
    for (OrderSet orders : {OrderSet::any, OrderSet::any_tree, OrderSet::any_seq}) {
      for (FoldOperation operation : operations) {
        for (int k = 0; k < trials(3); ++k) {
          limits.positions = 16;
          const auto question = random_question(random, orders, operation, format, 60 + random() % 40);
          INFO(text(question));
          const auto got = spread(question, limits);
          // Random orders of the set, folded here.
          std::vector<std::uint64_t> results;
          for (int order = 0; order < 50; ++order) {
            std::vector<std::uint64_t> nodes = question.leaves;
            if (orders != OrderSet::any_tree) std::shuffle(nodes.begin(), nodes.end(), random);
            while (nodes.size() > 1) {
              const std::size_t at = orders == OrderSet::any_seq ? 0 : random() % (nodes.size() - 1);
              nodes[at] = machine_join(operation, format, nodes[at], nodes[at + 1]);
              nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            }
            results.push_back(nodes[0]);
          }
          for (const auto& witness : {got->lowest, got->highest}) {
            if (!witness) continue;
            CHECK(belongs(witness->tree, question));
            CHECK(evaluate(witness->tree, question) == witness->bits);
            CHECK(key(witness->bits, format) >= key(got->low, format));
            CHECK(key(witness->bits, format) <= key(got->high, format));
          }
          for (std::uint64_t bits : results) {
            if (is_nan(bits, format)) CHECK(got->nan != Possibility::no);
            else if (got->only_nan) CHECK(got->only_nan == false);
            else CHECK((key(bits, format) >= key(got->low, format) && key(bits, format) <= key(got->high, format)));
          }
        }
      }
    }
  }
}

TEST_CASE("an interrupted spread has no answer", "[numerics][orders]") {
  const std::atomic<bool> interrupted = true;
  OrderLimits limits;
  limits.interrupted = &interrupted;
  std::mt19937_64 random(7);
  OrderQuestion question{OrderSet::any, FoldOperation::add, Format::f32, {}};
  for (int k = 0; k < 18; ++k) question.leaves.push_back(round_f64(1.0 / (k + 3), Format::f32));
  CHECK_FALSE(spread(question, limits));
  CHECK_FALSE(attains(question, 0x3f800000, limits));
}

TEST_CASE("a tree is written as a quoted tree is", "[numerics][orders]") {
  CHECK(left_fold({2, 0, 1}).text() == "((2 0) 1)");
  CHECK(left_fold({0}).text() == "0");
  CHECK(OrderTree{4, {{0, 1}, {3, 2}, {4, 5}}}.text() == "((0 1) (3 2))");
  std::vector<std::uint32_t> deep(200'000);
  for (std::uint32_t i = 0; i < deep.size(); ++i) deep[i] = i;
  CHECK(left_fold(deep).text().size() > 1'000'000);
}
