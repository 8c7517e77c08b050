// Boxes that give many sums: which elements each output has, its tree, and how few calls all of them take.
#include <catch2/catch.hpp>

#include "reveal/outputs.h"
#include "tests/reveal/sums.h"

using namespace reckon;
using namespace reckon::reveal;
using namespace reckon::reveal::test;
using Catch::Contains;

namespace {

using Floats = std::vector<float>;
using Shape = std::vector<std::int64_t>;

struct Asked {
  OutputsOutcome outcome;
  std::int64_t calls = 0;
};

template <class Sums>
Asked ask(const Shape& x, const Shape& y, Sums sums) {
  OutputsQuestion question;
  question.x_shape = x;
  question.y_shape = y;
  question.each.products = !y.empty();
  Asked out;
  auto found = reveal_outputs(
      [&](const Input& input) -> Expected<std::vector<std::uint64_t>> {
        ++out.calls;
        std::vector<std::uint64_t> bits;
        for (const float each : sums(floats(input.x), floats(input.y))) {
          bits.push_back(std::bit_cast<std::uint32_t>(each));
        }
        return bits;
      },
      question);
  REQUIRE(found);
  out.outcome = std::move(*found);
  CHECK(out.outcome.calls.probes + out.outcome.calls.checks == out.calls);
  return out;
}

float left(const Floats& x) {
  float s = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) s += x[i];
  return s;
}
float right(Floats x) {
  std::reverse(x.begin(), x.end());
  return left(x);
}
Floats row(const Floats& x, std::size_t i, std::size_t n) {
  return {x.begin() + static_cast<std::ptrdiff_t>(i * n), x.begin() + static_cast<std::ptrdiff_t>((i + 1) * n)};
}
Floats column(const Floats& x, std::size_t j, std::size_t n) {
  Floats out;
  for (std::size_t at = j; at < x.size(); at += n) out.push_back(x[at]);
  return out;
}
std::string left_tree(std::size_t n) {
  std::string out = "0";
  for (std::size_t k = 1; k < n; ++k) out = "(" + out + " " + std::to_string(k) + ")";
  return out;
}

}  // namespace

TEST_CASE("many sums: rows, in the calls of one row and few more") {
  for (const std::size_t rows : {1, 5, 64}) {
    const auto asked = ask({static_cast<std::int64_t>(rows), 30}, {}, [&](const Floats& x, const Floats&) {
      Floats out;
      for (std::size_t i = 0; i < rows; ++i) out.push_back(left(row(x, i, 30)) / 30);
      return out;
    });
    REQUIRE(asked.outcome.groups.size() == 1);
    const OutputGroup& group = asked.outcome.groups[0];
    CHECK(group.outputs.size() == rows);
    CHECK(group.x_pattern == (rows == 1 ? "x[:, :]" : "x[i, :]"));
    CHECK(group.outcome.undecided.empty());
    CHECK(group.outcome.tree->text() == left_tree(30));
    CHECK(group.outcome.scaling.factor == 30);
    CHECK(asked.outcome.verified == 50);
    CHECK(asked.outcome.calls.probes == 29);
    // 2 calls for each bit of a row's number, one for each place, and the checks of one order.
    CHECK(asked.calls < 350);
    const std::size_t last = rows - 1;
    CHECK(asked.outcome.x[last].at.front() == static_cast<std::int64_t>(30 * last));
  }
}

TEST_CASE("many sums: columns, middle axes, all elements, and elements alone") {
  const auto columns = ask({7, 12}, {}, [](const Floats& x, const Floats&) {
    Floats out;
    for (std::size_t j = 0; j < 12; ++j) out.push_back(right(column(x, j, 12)));
    return out;
  });
  REQUIRE(columns.outcome.groups.size() == 1);
  CHECK(columns.outcome.groups[0].x_pattern == "x[:, i]");
  CHECK(columns.outcome.groups[0].outcome.tree->text() == "(0 (1 (2 (3 (4 (5 6))))))");
  const auto middle = ask({2, 5, 3}, {}, [](const Floats& x, const Floats&) {
    Floats out;
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t c = 0; c < 3; ++c) out.push_back(left(column(row(x, a, 15), c, 3)));
    }
    return out;
  });
  REQUIRE(middle.outcome.groups.size() == 1);
  CHECK(middle.outcome.groups[0].x_pattern == "x[i, :, j]");
  CHECK(middle.outcome.x[4].at == Shape{16, 19, 22, 25, 28});
  const auto whole = ask({3, 4}, {}, [](const Floats& x, const Floats&) {
    return Floats{left(x), right(x), left(x) / 12};
  });
  REQUIRE(whole.outcome.groups.size() == 3);
  CHECK(whole.outcome.groups[1].x_pattern == "x[:, :]");
  CHECK(whole.outcome.groups[1].outcome.tree->text() != whole.outcome.groups[0].outcome.tree->text());
  CHECK(whole.outcome.groups[2].outcome.scaling.factor == 12);
  const auto alone = ask({3, 4}, {}, [](Floats x, const Floats&) {
    for (float& each : x) each /= 3;
    return x;
  });
  REQUIRE(alone.outcome.groups.size() == 1);
  CHECK(alone.outcome.groups[0].x_pattern == "x[i, j]");
  CHECK(alone.outcome.groups[0].outcome.scaling.factor == 3);
}

TEST_CASE("many sums: outputs of two orders are two groups") {
  const auto asked = ask({9, 12}, {}, [](const Floats& x, const Floats&) {
    Floats out;
    for (std::size_t i = 0; i < 9; ++i) out.push_back(i % 3 == 0 ? left(row(x, i, 12)) : right(row(x, i, 12)));
    return out;
  });
  REQUIRE(asked.outcome.groups.size() == 2);
  CHECK(asked.outcome.groups[0].outputs == Shape{0, 3, 6});
  CHECK(asked.outcome.groups[0].outcome.tree->text() == left_tree(12));
  CHECK(asked.outcome.groups[1].outputs == Shape{1, 2, 4, 5, 7, 8});
}

TEST_CASE("many sums: a product of matrices, in the calls of one of its elements") {
  for (const bool fused : {false, true}) {
    const auto asked = ask({5, 9}, {9, 6}, [&](const Floats& x, const Floats& y) {
      Floats out;
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
          float s = 0;
          for (std::size_t k = 0; k < 9; ++k) {
            const volatile float product = x[i * 9 + k] * y[k * 6 + j];
            s = fused ? std::fma(x[i * 9 + k], y[k * 6 + j], s) : s + product;
          }
          out.push_back(s);
        }
      }
      return out;
    });
    REQUIRE(asked.outcome.groups.size() == 1);
    const OutputGroup& group = asked.outcome.groups[0];
    CHECK(group.outputs.size() == 30);
    CHECK(group.x_pattern == "x[i, :]");
    CHECK(group.y_pattern == "y[:, j]");
    CHECK(group.outcome.tree->text() == left_tree(9));
    CHECK(group.outcome.arithmetic == (fused ? "f32 with fma" : "f32"));
    CHECK(asked.outcome.calls.probes == 8);
    CHECK(asked.calls < 220);
    CHECK(asked.outcome.y[7].at == Shape{1, 7, 13, 19, 25, 31, 37, 43, 49});
  }
}

TEST_CASE("many sums: elements that outputs share at other places") {
  const auto running = ask({9}, {}, [](const Floats& x, const Floats&) {
    Floats out{x[0]};
    for (std::size_t k = 1; k < 9; ++k) out.push_back(out.back() + x[k]);
    return out;
  });
  REQUIRE(running.outcome.groups.size() == 9);
  for (std::size_t k = 0; k < 9; ++k) {
    CHECK(running.outcome.groups[k].outcome.tree->text() == left_tree(k + 1));
    CHECK(running.outcome.x[k].at.size() == k + 1);
  }
  const auto windows = ask({20}, {}, [](const Floats& x, const Floats&) {
    Floats out;
    for (std::size_t k = 0; k + 3 <= 20; ++k) out.push_back((x[k] + x[k + 1] + x[k + 2]) / 3);
    return out;
  });
  REQUIRE(windows.outcome.groups.size() == 1);
  CHECK(windows.outcome.groups[0].outputs.size() == 18);
  CHECK(windows.outcome.x[5].at == Shape{5, 6, 7});
}

TEST_CASE("many sums: fixed factors, which outputs need not share") {
  const auto asked = ask({3, 8}, {}, [](const Floats& x, const Floats&) {
    Floats out;
    for (std::size_t i = 0; i < 3; ++i) {
      for (const float sign : {1.0F, -4.0F}) {
        Floats terms = row(x, i, 8);
        for (std::size_t k = 0; k < 8; ++k) terms[k] *= k % 2 == 0 ? sign : 0.5F;
        out.push_back(left(terms));
      }
    }
    return out;
  });
  REQUIRE(asked.outcome.groups.size() == 1);
  CHECK(asked.outcome.groups[0].outcome.undecided.empty());
  CHECK(asked.outcome.weights[2] == std::vector<double>{1, 0.5, 1, 0.5, 1, 0.5, 1, 0.5});
  CHECK(asked.outcome.weights[3] == std::vector<double>{-4, 0.5, -4, 0.5, -4, 0.5, -4, 0.5});
}

TEST_CASE("many sums: what is refused") {
  const auto reason = [](const Asked& asked) { return asked.outcome.groups.at(0).outcome.undecided; };
  const auto rows = [](auto finish) {
    return [finish](const Floats& x, const Floats&) {
      Floats out;
      for (std::size_t i = 0; i < 4; ++i) out.push_back(finish(left(row(x, i, 8)), x));
      return out;
    };
  };
  CHECK_THAT(reason(ask({4, 8}, {}, rows([](float s, const Floats&) { return s > 0 ? s : 0; }))),
             Contains("an order, but"));
  CHECK_THAT(reason(ask({4, 8}, {}, rows([](float s, const Floats& x) { return s / (1 + std::fabs(x[0])); }))),
             Contains("not a plain sum"));
  CHECK_THAT(reason(ask({4, 8}, {}, rows([](float s, const Floats& x) { return s / left(x); }))),
             Contains("not a plain sum"));
  CHECK_THAT(reason(ask({4, 8}, {}, rows([](float, const Floats&) { return 3.0F; }))), Contains("changes nothing"));
  // While all rows are asked alike they are sums of themselves, and a small number in another row changes nothing.
  CHECK_THAT(
      reason(ask({4, 8}, {}, rows([](float s, const Floats& x) { return x[31] > 3 && x[23] != x[31] ? s + 1 : s; }))),
      Contains("it depends on more elements than those that a 1 alone shows"));
  int call = 0;
  OutputsQuestion question;
  question.x_shape = {4, 8};
  const auto changing = reveal_outputs(
      [&](const Input&) -> Expected<std::vector<std::uint64_t>> {
        return std::vector<std::uint64_t>(static_cast<std::size_t>(3 + call++ % 2));
      },
      question);
  REQUIRE_FALSE(changing);
  CHECK_THAT(changing.error().message, Contains("3 results, and then 4"));
  question.x_shape = {4, 0};
  CHECK_FALSE(reveal_outputs(
      [](const Input&) -> Expected<std::vector<std::uint64_t>> { return std::vector<std::uint64_t>{}; }, question));
}
