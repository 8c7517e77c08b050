// Boxes that scale their sums: the order and the scaling are those that were planted, or the box is refused.
#include <catch2/catch.hpp>

#include "tests/reveal/sums.h"

using namespace reckon;
using namespace reckon::reveal;
using namespace reckon::reveal::test;
using Catch::Contains;
using Kind = Scaling::Kind;

namespace {

using Floats = std::vector<float>;

/// A tree of n leaves that is the same at each call.
Tree order(int which, std::size_t n) {
  std::vector<Tree> nodes(n);
  for (std::size_t k = 0; k < n; ++k) nodes[k].leaf = k;
  const auto join = [](Tree a, Tree b) { return Tree{0, {std::move(a), std::move(b)}}; };
  if (which == 0) {  // from the left
    Tree out = nodes[0];
    for (std::size_t k = 1; k < n; ++k) out = join(std::move(out), nodes[k]);
    return out;
  }
  if (which == 1) {  // in pairs
    while (nodes.size() > 1) {
      std::vector<Tree> next;
      for (std::size_t k = 0; k < nodes.size(); k += 2) {
        next.push_back(k + 1 < nodes.size() ? join(nodes[k], nodes[k + 1]) : nodes[k]);
      }
      nodes = std::move(next);
    }
    return nodes[0];
  }
  Random random(n);
  return random_tree(random, n, 2);
}

struct Planted {
  const char* name;
  float (*sum)(const Tree&, Floats);
  Kind kind;
  double factor;  ///< for n = 7; 0: not compared
};

float size(const Floats& x) { return static_cast<float>(x.size()); }
/// What a compiler may not contract or simplify.
float once(float value) {
  const volatile float kept = value;
  return kept;
}
template <class Each>
Floats each(Floats x, Each change) {
  for (float& value : x) value = once(change(value));
  return x;
}

const Planted scalings[] = {
    {"mean", [](const Tree& t, Floats x) { return sum_along(t, x) / size(x); }, Kind::sum_divided, 7},
    {"times the rounded 1/n", [](const Tree& t, Floats x) { return sum_along(t, x) * once(1 / size(x)); },
     Kind::sum_multiplied, static_cast<double>(1.0F / 7)},
    {"elements divided",
     [](const Tree& t, Floats x) { return sum_along(t, each(x, [&](float v) { return v / size(x); })); },
     Kind::elements_divided, 7},
    {"elements times 1/n",
     [](const Tree& t, Floats x) { return sum_along(t, each(x, [&](float v) { return v * once(1 / size(x)); })); },
     Kind::elements_multiplied, static_cast<double>(1.0F / 7)},
    {"alpha", [](const Tree& t, Floats x) { return -0.3F * sum_along(t, x); }, Kind::sum_multiplied,
     static_cast<double>(-0.3F)},
    {"large alpha", [](const Tree& t, Floats x) { return 1000.1F * sum_along(t, x); }, Kind::sum_multiplied,
     static_cast<double>(1000.1F)},
    {"over the root of n", [](const Tree& t, Floats x) { return sum_along(t, x) / once(std::sqrt(size(x))); },
     Kind::sum_divided, static_cast<double>(std::sqrt(7.0F))},
    {"over another number", [](const Tree& t, Floats x) { return sum_along(t, x) / 2.7F; }, Kind::sum_divided,
     static_cast<double>(2.7F)},
    {"a power of two", [](const Tree& t, Floats x) { return sum_along(t, x) / 64; }, Kind::exact, 0x1p-6},
};

bool power_of_two(std::size_t n) { return (n & (n - 1)) == 0; }

/// What `plain` says with every float that it gets and returns; a sum of f32.
template <class Sum>
Outcome outcome(Sum sum, std::int64_t n) {
  return revealed(float_box(sum), n);
}

Floats sevenths(const Floats& x) {
  return each(x, [](float v) { return v; });
}

float left(const Floats& x) {
  float s = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) s = once(s + x[i]);
  return s;
}

}  // namespace

TEST_CASE("scaled sums: every scaling of every order, at sizes that are no powers of two, too") {
  for (const std::size_t n : {2, 3, 7, 8, 100, 1000}) {
    for (int which = 0; which < 3; ++which) {
      const Tree tree = order(which, n);
      for (const Planted& planted : scalings) {
        if (n == 1000 && which == 1) continue;  // the 5,000 calls of each say nothing that others do not
        INFO(planted.name << ", order " << which << ", n = " << n);
        const auto found = outcome([&](const Floats& x) { return planted.sum(tree, x); }, static_cast<std::int64_t>(n));
        CHECK(found.undecided.empty());
        REQUIRE(found.tree);
        CHECK(found.tree->text() == tree.text());
        CHECK(found.arithmetic == "f32");
        CHECK(found.verified == 50);
        const bool by_n = planted.factor == 7 || planted.factor == static_cast<double>(1.0F / 7);
        const Kind expected = by_n && power_of_two(n) ? Kind::exact : planted.kind;
        CHECK(static_cast<int>(found.scaling.kind) == static_cast<int>(expected));
        if (n == 7) CHECK(found.scaling.factor == planted.factor);
      }
    }
  }
}

TEST_CASE("scaled sums: as text") {
  const auto text = [](const Planted& planted) {
    const auto found = outcome([&](const Floats& x) { return planted.sum(order(0, 7), x); }, 7);
    return found.scaling.text(7, found.computed->accumulator);
  };
  CHECK(text(scalings[0]) == "the sum, divided by 7 (n)");
  CHECK(text(scalings[1]) == "the sum, multiplied by 0.14285715 (1/n, rounded)");
  CHECK(text(scalings[2]) == "each element before it is added, divided by 7 (n)");
  CHECK(text(scalings[6]) == "the sum, divided by 2.6457512 (sqrt(n), rounded)");
  CHECK(text(scalings[8]) == "times 2^-6, exactly: it does not matter how or where");
}

TEST_CASE("scaled sums: an accumulator wider than the elements, an operation wider than the sums") {
  const auto wide = outcome(
      [](const Floats& x) {
        double s = 0;
        for (const float v : x) s += static_cast<double>(v);
        return static_cast<float>(s / static_cast<double>(x.size()));
      },
      7);
  CHECK(wide.arithmetic == "f64");
  CHECK(wide.scaling.factor == 7);
  const auto outside =
      outcome([](const Floats& x) { return static_cast<float>(static_cast<double>(left(x)) * 0.3); }, 7);
  CHECK(outside.arithmetic == "f32");
  CHECK(outside.scaling.format == Format::f64);
  CHECK(outside.scaling.factor == 0.3);
}

TEST_CASE("scaled sums: the result in f16, rounded before or after the division") {
  const auto narrow = [](float value) { return static_cast<float>(static_cast<_Float16>(value)); };
  for (const bool first : {false, true}) {
    Question question;
    question.formats = {Format::f16, Format::f16, Format::f16};
    const Box box = [&](const Input& input) -> Expected<std::uint64_t> {
      Floats x;
      for (const std::uint64_t bits : input.x) {
        x.push_back(static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits))));
      }
      const float sum = left(x);
      const auto out = static_cast<_Float16>((first ? narrow(sum) : sum) / size(x));
      return std::uint64_t{std::bit_cast<std::uint16_t>(out)};
    };
    for (const std::int64_t n : {3, 7, 50}) {
      INFO(first << " " << n);
      const auto found = revealed(box, n, question);
      CHECK(found.undecided.empty());
      REQUIRE(found.tree);
      CHECK(found.tree->text() == order(0, static_cast<std::size_t>(n)).text());
      CHECK(found.arithmetic == "f32");
      CHECK(static_cast<int>(found.scaling.kind) == static_cast<int>(Kind::sum_divided));
      CHECK(found.scaling.rounded_first == first);
    }
    const auto long_sum = revealed(box, 1000, question);
    CHECK_THAT(long_sum.undecided, Contains("no probe has answers that differ for every number of units"));
  }
}

TEST_CASE("weighted sums: powers of two of either sign are seen through, others are refused") {
  const Tree tree = order(2, 9);
  const auto weighted = [&](const Floats& weights) {
    return outcome(
        [&](Floats x) {
          for (std::size_t i = 0; i < x.size(); ++i) x[i] *= weights[i];
          return sum_along(tree, x);
        },
        9);
  };
  const Floats weights{1, -1, 4, 0.5, -0.125, 2, 1, 1, -8};
  const auto found = weighted(weights);
  CHECK(found.undecided.empty());
  REQUIRE(found.tree);
  CHECK(found.tree->text() == tree.text());
  CHECK(found.scaling.weights == std::vector<double>(weights.begin(), weights.end()));
  CHECK_THAT(weighted({1, 3, 1, 1, 1, 1, 1, 1, 1}).undecided,
             Contains("factors of their own, 1 for element 0 and 3 for"));
  CHECK_THAT(weighted({1, 1, 0, 1, 1, 1, 1, 1, 1}).undecided, Contains("a 1 at element 2 alone came to 0"));
}

TEST_CASE("scaled sums that are more than that are refused") {
  const auto reason = [](auto sum, std::int64_t n) {
    const auto found = outcome(sum, n);
    CHECK_FALSE(found.undecided.empty());
    return found.undecided + (found.notes.empty() ? "" : "; " + found.notes[0]);
  };
  for (const std::int64_t n : {7, 40}) {
    INFO(n);
    CHECK_THAT(reason([](const Floats& x) { return left(x) / size(x) + 1; }, n), Contains("zeros came to 1 "));
    CHECK_THAT(reason([](const Floats& x) { return left(x) * 0.3F + 0x1p-40F; }, n), Contains("zeros came to"));
    CHECK_THAT(reason([](const Floats& x) { return std::clamp(left(x) / size(x), -100.0F, 100.0F); }, n),
               Contains("came to 100: no factor"));
    CHECK_THAT(reason([](const Floats& x) { return std::clamp(left(x) / size(x), -1e30F, 1e30F); }, n),
               Contains("no factor"));
    CHECK_THAT(reason([](const Floats& x) { return std::max(left(x) / size(x), 0.0F); }, n),
               Contains("1 and -1 beside zeros came to"));
    CHECK_THAT(reason([](const Floats& x) { return once(left(x) / size(x)) * 0.3F; }, n), Contains("no factor"));
    CHECK_THAT(reason([](const Floats& x) { return std::exp(left(x)) - 1; }, n), Contains("1 and -1 beside zeros"));
    CHECK_THAT(reason(
                   [](const Floats& x) {
                     float s = 0, c = 0;
                     for (const float v : x) {
                       const float y = once(v - c), t = once(s + y);
                       c = once(once(t - s) - y);
                       s = t;
                     }
                     return s / size(x);
                   },
                   n),
               Contains("those of another sum") && Contains("Kahan"));
    CHECK_THAT(reason(
                   [](const Floats& x) {
                     Floats sorted = sevenths(x);
                     std::sort(sorted.begin(), sorted.end());
                     return left(sorted) / size(x);
                   },
                   n),
               Contains("does not add in the order of its elements"));
    std::size_t turn = 0;
    CHECK_THAT(reason(
                   [&](Floats x) {
                     std::rotate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(turn++ % x.size()), x.end());
                     return left(x) / size(x);
                   },
                   n),
               Contains("its order changes from call to call"));
    CHECK_THAT(reason(
                   [](const Floats& x) {
                     float s = 0;
                     for (const float v : x) s += once(v * v);
                     return s;
                   },
                   n),
               Contains("squares cannot cancel"));
    CHECK_THAT(reason(
                   [](const Floats& x) {
                     float s = 0;
                     for (const float v : x) s += once(v * v);
                     return std::sqrt(s / size(x));
                   },
                   n),
               Contains("squares cannot cancel"));
    CHECK_THAT(reason([](const Floats& x) { return left(x) / (1 + std::fabs(x[0])); }, n), Contains("no factor"));
    // Partial means: the scaling stands in the middle of the tree.
    CHECK_FALSE(reason(
                    [](const Floats& x) {
                      const auto middle = static_cast<std::ptrdiff_t>(x.size() / 2);
                      const Floats low(x.begin(), x.begin() + middle), high(x.begin() + middle, x.end());
                      return once(left(low) / size(x)) + once(left(high) / size(x));
                    },
                    n)
                    .empty());
  }
}
