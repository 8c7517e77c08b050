// Reductions of leaves under a condition, and of leaves that are tensors or tuples, against loops written here; the
// interpreter and the host.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <optional>
#include <random>

#include "api/reckon/reckon.h"

using namespace reckon;

namespace {

constexpr On everywhere[] = {On::interpreter, On::host};

const char* const program = R"(
fn sums_seq(key: u32[n], x: f32[n]) -> f32[7] = for k < 7: sum i where key[i] == k: x[i] by seq
fn sums_tree(key: u32[n], x: f32[n]) -> f32[7] = for k < 7: sum i where key[i] == k: x[i] by tree
fn counts(key: u32[n], x: f32[n]) -> f32[7] = for k < 7: sum i where key[i] == k: 1
fn products(key: u32[n], x: f32[n]) -> f32[7] = for k < 7: prod i where key[i] == k: x[i] by tree
fn largest(key: u32[n], x: f32[n]) -> f32[7] = for k < 7: max i where not (key[i] < k or key[i] > k): x[i] else -5
fn smallest(key: u32[n], x: f32[n]) -> f32[7] = for k < 7: min i where key[i] <= k and key[i] >= k: x[i] else -5
fn less(a: f32, b: f32) -> f32 = a - b / 2
fn folded_seq(key: u32[n], x: f32[n]) -> f32[7] = for k < 7: reduce(less) i where key[i] == k: x[i] by seq else -5
fn folded_tree(key: u32[n], x: f32[n]) -> f32[7] = for k < 7: reduce(less) i where key[i] == k: x[i] by tree else -5
fn late(a: (f32, f32), b: (f32, f32)) -> (f32, f32) { let (p, q) = a; let (r, s) = b; (p + r * q, q * s) }
fn pairs(key: u32[n], x: f32[n]) -> f32[7] =
  for k < 7: { let (p, q) = reduce(late) i where key[i] == k: (x[i], x[i] - 2) by tree else (-5, 0); p + q }
)";

using Operation = std::function<float(float, float)>;

float in_order(const std::vector<float>& leaves, const Operation& operation) {
  float out = leaves[0];
  for (std::size_t i = 1; i < leaves.size(); ++i) out = operation(out, leaves[i]);
  return out;
}

/// Neighbours are joined, and an odd one at the end goes up; a leaf without a value leaves its neighbour as it is.
template <class V>
std::optional<V> pairwise(std::vector<std::optional<V>> nodes, const std::function<V(V, V)>& operation) {
  while (nodes.size() > 1) {
    std::vector<std::optional<V>> next;
    for (std::size_t i = 0; i < nodes.size(); i += 2) {
      if (i + 1 == nodes.size()) next.push_back(nodes[i]);
      else if (nodes[i] && nodes[i + 1]) next.emplace_back(operation(*nodes[i], *nodes[i + 1]));
      else next.push_back(nodes[i] ? nodes[i] : nodes[i + 1]);
    }
    nodes = std::move(next);
  }
  return nodes[0];
}

std::vector<float> result(Session& session, const std::string& circuit, const std::vector<Tensor>& arguments, On on) {
  CallOptions options;
  options.on = on;
  const auto out = session.call(circuit, arguments, options);
  if (!out) FAIL(circuit << ": " << out.messages().front().text);
  return out->front().tensor->as<float>();
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::bit_cast<std::uint32_t>(a[k]) != std::bit_cast<std::uint32_t>(b[k])) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("reductions of the leaves of a key are those of a loop") {
  Session session;
  REQUIRE(session.load(program));
  std::mt19937 random(1);
  std::uniform_real_distribution<float> number(-2, 2);
  for (const std::size_t n : {1, 2, 3, 8, 33, 100, 257}) {
    for (const bool signed_zeros : {false, true}) {
      std::vector<std::uint32_t> key(n);
      std::vector<float> x(n);
      for (std::size_t i = 0; i < n; ++i) {
        key[i] = random() % 6;  // none of key 6
        x[i] = signed_zeros ? (random() % 2 ? 0.0f : -0.0f) : number(random);
      }
      const std::vector<Tensor> arguments{Tensor::of<std::uint32_t>(key, {}, "u32"), Tensor::of<float>(x)};
      const auto each = [&](const std::function<float(std::uint32_t)>& of_key) {
        std::vector<float> out;
        for (std::uint32_t k = 0; k < 7; ++k) out.push_back(of_key(k));
        return out;
      };
      const auto leaves = [&](std::uint32_t k, float absent) {
        std::vector<float> out;
        for (std::size_t i = 0; i < n; ++i) out.push_back(key[i] == k ? x[i] : absent);
        return out;
      };
      const auto present = [&](std::uint32_t k) {
        std::vector<std::optional<float>> out;
        for (std::size_t i = 0; i < n; ++i) out.push_back(key[i] == k ? std::optional(x[i]) : std::nullopt);
        return out;
      };
      const auto all_present = [](const std::vector<float>& values) {
        return std::vector<std::optional<float>>(values.begin(), values.end());
      };
      const Operation add = [](float a, float b) { return a + b; }, multiply = [](float a, float b) { return a * b; },
                      less = [](float a, float b) { return a - b / 2; };
      for (const On on : everywhere) {
        INFO("n = " << n << ", on the host: " << (on == On::host));
        const auto holds = [&](const std::string& circuit, const std::function<float(std::uint32_t)>& of_key) {
          INFO(circuit);
          CHECK(same_bits(result(session, circuit, arguments, on), each(of_key)));
        };
        holds("sums_seq", [&](std::uint32_t k) { return in_order(leaves(k, 0), add); });
        holds("sums_tree", [&](std::uint32_t k) { return *pairwise<float>(all_present(leaves(k, 0)), add); });
        holds("counts", [&](std::uint32_t k) { return static_cast<float>(std::count(key.begin(), key.end(), k)); });
        holds("products", [&](std::uint32_t k) { return *pairwise<float>(all_present(leaves(k, 1)), multiply); });
        holds("folded_tree", [&](std::uint32_t k) { return pairwise<float>(present(k), less).value_or(-5); });
        holds("folded_seq", [&](std::uint32_t k) {
          std::vector<float> kept;
          for (const auto& leaf : present(k)) {
            if (leaf) kept.push_back(*leaf);
          }
          return kept.empty() ? -5 : in_order(kept, less);
        });
        holds("pairs", [&](std::uint32_t k) {
          using Pair = std::pair<float, float>;
          std::vector<std::optional<Pair>> nodes;
          for (const auto& leaf : present(k)) nodes.push_back(leaf ? std::optional(Pair{*leaf, *leaf - 2}) : std::nullopt);
          const auto found = pairwise<Pair>(nodes, [](Pair a, Pair b) {
            return Pair{a.first + b.first * a.second, a.second * b.second};
          });
          return found ? found->first + found->second : -5;
        });
        if (signed_zeros) continue;
        const auto extreme = [&](std::uint32_t k, bool most) {
          float out = -5;
          bool any = false;
          for (const auto& leaf : present(k)) {
            if (!leaf) continue;
            out = !any ? *leaf : most ? std::max(out, *leaf) : std::min(out, *leaf);
            any = true;
          }
          return out;
        };
        holds("largest", [&](std::uint32_t k) { return extreme(k, true); });
        holds("smallest", [&](std::uint32_t k) { return extreme(k, false); });
      }
    }
  }
}

// With many keys the interpreter sorts the leaves, and the host goes through them once.
TEST_CASE("sums of many keys at once are those of a loop") {
  Session session;
  REQUIRE(session.load(R"(
fn by_seq(key: i16[n], x: f32[n, 3]) -> f32[40] = for k < 40: sum i where key[i] == k + 2: x[i, 1] by seq
fn by_tree(key: i16[n], x: f32[n, 3]) -> f32[40] = for k < 40: sum i where key[i] == k + 2: x[i, 1] by tree
fn rows(key: i16[n], x: f32[n, d]) -> f32[40, d] = for k < 40, j: sum i where key[i] == k + 2: x[i, j] by seq
fn weighted(key: i16[n], x: f32[n, 3]) -> f32[40] = for k < 40: sum i where key[i] == k + 2: x[i, 0] * f32(k) by seq
fn counted(key: i16[n], x: f32[n, 3]) -> f32[40] = for k < 40: f32(sum i where key[i] == k + 2: u32(1))
)"));
  std::mt19937 random(3);
  for (const std::size_t n : {1, 15, 16, 31, 200, 1500}) {
    for (const int distinct : {1, 5, 60}) {
      for (const bool signed_zeros : {false, true}) {
        std::vector<std::int16_t> key(n);
        std::vector<float> x(3 * n);
        for (auto& each : key)
          each = static_cast<std::int16_t>(2 + static_cast<int>(random() % static_cast<unsigned>(distinct)) -
                                           distinct / 6);
        for (auto& each : x) {
          each = signed_zeros
                     ? (distinct == 1 || random() % 2 ? -0.0f : 0.0f)
                     : std::ldexp(static_cast<float>(random() % 2001) - 1000, static_cast<int>(random() % 20) - 10);
        }
        const std::vector<Tensor> arguments{Tensor::of<std::int16_t>(key, {}, "i16"),
                                            Tensor::of<float>(x, {static_cast<std::int64_t>(n), 3})};
        const auto leaves = [&](int k, std::size_t column, float factor) {
          std::vector<float> out;
          for (std::size_t i = 0; i < n; ++i) out.push_back(key[i] == k + 2 ? x[3 * i + column] * factor : 0);
          return out;
        };
        const Operation add = [](float a, float b) { return a + b; };
        for (const On on : everywhere) {
          INFO("n = " << n << ", keys: " << distinct << ", on the host: " << (on == On::host));
          const auto holds = [&](const std::string& circuit, const std::function<void(int, std::vector<float>&)>& put) {
            INFO(circuit);
            std::vector<float> expected;
            for (int k = 0; k < 40; ++k) put(k, expected);
            CHECK(same_bits(result(session, circuit, arguments, on), expected));
          };
          holds("by_seq", [&](int k, auto& out) { out.push_back(in_order(leaves(k, 1, 1), add)); });
          holds("by_tree", [&](int k, auto& out) {
            const std::vector<float> all = leaves(k, 1, 1);
            out.push_back(*pairwise<float>({all.begin(), all.end()}, add));
          });
          holds("rows", [&](int k, auto& out) {
            for (std::size_t j = 0; j < 3; ++j) out.push_back(in_order(leaves(k, j, 1), add));
          });
          holds("weighted",
                [&](int k, auto& out) { out.push_back(in_order(leaves(k, 0, static_cast<float>(k)), add)); });
          holds("counted", [&](int k, auto& out) {
            out.push_back(static_cast<float>(std::count(key.begin(), key.end(), static_cast<std::int16_t>(k + 2))));
          });
        }
      }
    }
  }
}

TEST_CASE("a condition that no leaf meets, and no leaf at all") {
  Session session;
  REQUIRE(session.load(program));
  const std::vector<Tensor> arguments{Tensor::of<std::uint32_t>({}, {0}, "u32"), Tensor::of<float>({}, {0})};
  for (const On on : everywhere) {
    CHECK(same_bits(result(session, "sums_tree", arguments, on), std::vector<float>(7, 0)));
    CHECK(same_bits(result(session, "products", arguments, on), std::vector<float>(7, 1)));
    CHECK(same_bits(result(session, "largest", arguments, on), std::vector<float>(7, -5)));
    CHECK(same_bits(result(session, "folded_tree", arguments, on), std::vector<float>(7, -5)));
  }
}

TEST_CASE("reductions and scans of tensors and tuples are those of their numbers") {
  Session session;
  REQUIRE(session.load(R"(
fn sum_of_rows(x: f32[n, d]) -> f32[d] = sum i: (for j: x[i, j]) by tree
fn each_sum(x: f32[n, d]) -> f32[d] = for j: sum i: x[i, j] by tree
fn sum_of_pairs(x: f32[n, d]) -> f32[d] = { let (a, b) = sum i: (x[i, 0], for j: x[i, j] * x[i, j]) by seq; a + b }
fn each_pair(x: f32[n, d]) -> f32[d] = { let a = sum i: x[i, 0] by seq; for j: a + (sum i: x[i, j] * x[i, j] by seq) }
fn prefixes(x: f32[n, d]) -> f32[n, d] = scan(add) i: (for j: x[i, j]) by tree
fn each_prefix(x: f32[n, d]) -> f32[n, d] { let s = for j: scan(add) i: x[i, j] by tree; for i, j: s[j, i] }

fn merge(a: (f32, f32, f32[d]), b: (f32, f32, f32[d])) -> (f32, f32, f32[d]) {
  let (ma, la, oa) = a;
  let (mb, lb, ob) = b;
  let m = max(ma, mb);
  let ea = exp(ma - m);
  let eb = exp(mb - m);
  (m, la * ea + lb * eb, for j: oa[j] * ea + ob[j] * eb)
}
fn one(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
  let (ma, oa) = a;
  let (mb, ob) = b;
  let m = max(ma, mb);
  (m, oa * exp(ma - m) + ob * exp(mb - m))
}
fn attended(x: f32[n, d]) -> f32[d] {
  let (m, l, o) = reduce(merge) i: (x[i, 0], f32(1), for j: x[i, j]) by tree else (0, 1, for j < d: f32(0));
  for j: o[j] / l
}
fn each_attended(x: f32[n, d]) -> f32[d] {
  let (m, l) = reduce(one) i: (x[i, 0], f32(1)) by tree else (0, 1);
  for j: { let (k, o) = reduce(one) i: (x[i, 0], x[i, j]) by tree else (0, 0); o / l }
}
fn some(x: f32[n, d]) -> f32[d] {
  let (m, l, o) = reduce(merge) i where x[i, 1] > 0: (x[i, 0], f32(1), for j: x[i, j]) by seq else (0, 1, for j < d: f32(9));
  for j: o[j] / l
}
fn running(x: f32[n, d]) -> f32[n, d] { let (m, l, o) = scan(merge) i: (x[i, 0], f32(1), for j: x[i, j]) by tree; o }
fn each_running(x: f32[n, d]) -> f32[n, d] {
  let s = for j: { let (k, o) = scan(one) i: (x[i, 0], x[i, j]) by tree; o };
  for i, j: s[j, i]
}
)"));
  std::mt19937 random(2);
  std::uniform_real_distribution<float> number(-2, 2);
  const std::pair<const char*, const char*> pairs[] = {{"sum_of_rows", "each_sum"},     {"sum_of_pairs", "each_pair"},
                                                       {"prefixes", "each_prefix"},     {"attended", "each_attended"},
                                                       {"running", "each_running"}};
  for (const std::int64_t n : {1, 2, 7, 33, 130}) {
    for (const std::int64_t d : {2, 5}) {
      std::vector<float> x(static_cast<std::size_t>(n * d));
      for (float& each : x) each = number(random);
      const std::vector<Tensor> arguments{Tensor::of<float>(x, {n, d})};
      for (const auto& [whole, parts] : pairs) {
        INFO(whole << ", n = " << n << ", d = " << d);
        const std::vector<float> expected = result(session, parts, arguments, On::interpreter);
        for (const On on : everywhere) CHECK(same_bits(result(session, whole, arguments, on), expected));
      }
      // The rows under the condition, and no others.
      std::vector<float> kept;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto row = x.begin() + i * d;
        if (row[1] > 0) kept.insert(kept.end(), row, row + d);
      }
      REQUIRE(session.load("fn in_order(x: f32[n, d]) -> f32[d] { let (m, l, o) = reduce(merge) i: "
                           "(x[i, 0], f32(1), for j: x[i, j]) by seq; for j: o[j] / l }"));
      const std::vector<float> expected =
          kept.empty() ? std::vector<float>(static_cast<std::size_t>(d), 9)
                       : result(session, "in_order",
                                {Tensor::of<float>(kept, {static_cast<std::int64_t>(kept.size()) / d, d})},
                                On::interpreter);
      for (const On on : everywhere) CHECK(same_bits(result(session, "some", arguments, on), expected));
    }
  }
}

TEST_CASE("a state of known extents is combined in any way") {
  Session session;
  REQUIRE(session.load(R"(
fn times(a: f32[2, 2], b: f32[2, 2]) -> f32[2, 2] = for i, j: sum k: a[i, k] * b[k, j] by seq
fn product(x: f32[n, 2, 2]) -> f32[2, 2] = reduce(times) i: (for r, c: x[i, r, c]) by seq
fn all(x: f32[n, 2, 2]) -> f32[n, 2, 2] = scan(times) i: (for r, c: x[i, r, c]) by seq
)"));
  std::mt19937 random(3);
  std::uniform_real_distribution<float> number(-1, 1);
  for (const std::int64_t n : {1, 2, 9, 40}) {
    std::vector<float> x(static_cast<std::size_t>(4 * n));
    for (float& each : x) each = number(random);
    std::vector<float> all(x.begin(), x.begin() + 4);
    for (std::size_t i = 1; i < static_cast<std::size_t>(n); ++i) {
      const float *a = all.data() + 4 * (i - 1), *b = x.data() + 4 * i;
      const float next[] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                            a[2] * b[1] + a[3] * b[3]};
      all.insert(all.end(), next, next + 4);
    }
    const std::vector<Tensor> arguments{Tensor::of<float>(x, {n, 2, 2})};
    for (const On on : everywhere) {
      INFO("n = " << n << ", on the host: " << (on == On::host));
      CHECK(same_bits(result(session, "all", arguments, on), all));
      CHECK(same_bits(result(session, "product", arguments, on), std::vector<float>(all.end() - 4, all.end())));
    }
  }
}

TEST_CASE("a fold is a loop over a state of another type than its leaves") {
  Session session;
  REQUIRE(session.load(R"(
fn horner(s: f32, c: f32) -> f32 = s * 0.75 + c
fn value(c: f32[n]) -> f32 = fold(horner, 1) i: c[i]
fn filter(s: (f32, f32), x: (f32, f32, f32)) -> (f32, f32) { let (a, b) = s; let (p, q, r) = x; (b, p + q * b - r * a) }
fn filtered(x: f32[n, d]) -> (f32, f32) = fold(filter, (0.5, -1)) i: (x[i, 0], x[i, 1], x[i, 1] / 2)
fn decay(s: f32[d], x: (f32, f32[d])) -> f32[d] { let (g, v) = x; for j: s[j] * g + v[j] }
fn state(x: f32[n, d]) -> f32[d] = fold(decay, for j < d: f32(1)) i: (x[i, 1], for j: x[i, j])
fn states(x: f32[n, d]) -> f32[n, d] = scan(decay, for j < d: f32(1)) i: (x[i, 1], for j: x[i, j])
fn turn(m: f32[2, 2], a: f32) -> f32[2, 2] = for r, c: a * m[r, 1 - c] + m[1 - r, c]
fn turned(x: f32[n]) -> f32[2, 2] = fold(turn, [[1, 0.5], [0.25, -1]]) i: x[i]
fn some(x: f32[n]) -> f32 = fold(horner, 3) i where x[i] > 0: x[i]
fn last(s: u32, x: f32) -> u32 = select(x > 0, bits(x), s + 1)
fn words(x: f32[n]) -> u32 = fold(last, 7) i: x[i]
)"));
  std::mt19937 random(4);
  std::uniform_real_distribution<float> number(-1, 1);
  for (const std::int64_t n : {0, 1, 2, 5, 64, 301}) {
    std::vector<float> x(static_cast<std::size_t>(3 * n)), line(static_cast<std::size_t>(n));
    for (float& each : x) each = number(random);
    for (float& each : line) each = number(random);
    float value = 1, some = 3, a = 0.5f, b = -1;
    float state[] = {1, 1, 1}, m[2][2] = {{1, 0.5f}, {0.25f, -1}};
    std::uint32_t word = 7;
    std::vector<float> states;
    for (std::size_t i = 0; i < line.size(); ++i) {
      value = value * 0.75f + line[i];
      if (line[i] > 0) some = some * 0.75f + line[i];
      const float* row = x.data() + 3 * i;
      const float next = row[0] + row[1] * b - row[1] / 2 * a;
      a = b;
      b = next;
      for (int j = 0; j < 3; ++j) state[j] = state[j] * row[1] + row[j];
      states.insert(states.end(), state, state + 3);
      float turned[2][2];
      for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) turned[r][c] = line[i] * m[r][1 - c] + m[1 - r][c];
      }
      std::copy(&turned[0][0], &turned[0][0] + 4, &m[0][0]);
      word = line[i] > 0 ? std::bit_cast<std::uint32_t>(line[i]) : word + 1;
    }
    const Tensor rows = Tensor::of<float>(x, {n, 3}), values = Tensor::of<float>(line, {n});
    for (const On on : everywhere) {
      INFO("n = " << n << ", on the host: " << (on == On::host));
      const auto number_of = [&](const std::string& circuit, const Tensor& argument, std::size_t part = 0) {
        CallOptions options;
        options.on = on;
        const auto out = session.call(circuit, {argument}, options);
        if (!out) FAIL(circuit << ": " << out.messages().front().text);
        return out->at(part).tensor->as<std::uint32_t>().at(0);
      };
      CHECK(number_of("value", values) == std::bit_cast<std::uint32_t>(value));
      CHECK(number_of("some", values) == std::bit_cast<std::uint32_t>(some));
      CHECK(number_of("words", values) == word);
      CHECK(number_of("filtered", rows, 0) == std::bit_cast<std::uint32_t>(a));
      CHECK(number_of("filtered", rows, 1) == std::bit_cast<std::uint32_t>(b));
      CHECK(same_bits(result(session, "state", {rows}, on), {state, state + 3}));
      CHECK(same_bits(result(session, "states", {rows}, on), states));
      CHECK(same_bits(result(session, "turned", {values}, on), {&m[0][0], &m[0][0] + 4}));
    }
  }
}

TEST_CASE("iterations are those of a loop") {
  Session session;
  REQUIRE(session.load(R"(
fn relax(y: f32) -> f32 = y * 0.75 + 0.3
fn relaxed[k](x: f32[n]) -> f32[n] = for i: iterate(k, relax, x[i])
fn rows(x: f32[n]) -> f32[n] = iterate(n, halve, x)
fn halve(x: f32[n]) -> f32[n] = for i: x[i] / 2 + 1
fn turn(m: f32[2, 2]) -> f32[2, 2] = for r, c: m[r, 1 - c] + m[1 - r, c] / 2
fn turned[k](x: f32) -> f32[2, 2] = iterate(k, turn, [[x, 0.5], [0.25, -1]])
fn relaxed_0(x: f32[n]) -> f32[n] = relaxed[0](x)
fn relaxed_1(x: f32[n]) -> f32[n] = relaxed[1](x)
fn relaxed_9(x: f32[n]) -> f32[n] = relaxed[9](x)
fn turned_0(x: f32[n]) -> f32[2, 2] = turned[0](x[0])
fn turned_1(x: f32[n]) -> f32[2, 2] = turned[1](x[0])
fn turned_9(x: f32[n]) -> f32[2, 2] = turned[9](x[0])

fn newton(s: (f32, f32)) -> (f32, f32) { let (y, x) = s; (y - (y * y - x) / (2 * y), x) }
fn is_near(s: (f32, f32)) -> bool { let (y, x) = s; abs(y * y - x) < 0.001 }
fn roots(x: f32[n]) -> f32[n] = for i: { let (y, a) = until(newton, is_near, (x[i], x[i]), at_most 7); y }
fn collatz(u: u32) -> u32 = select((u & 1) == 0, u >> 1, 3 * u + 1)
fn is_one(u: u32) -> bool = u == 1
fn ends(u: u32[n]) -> u32[n] = for i: until(collatz, is_one, u[i], at_most (2 * n + 20))
)"));
  std::mt19937 random(9);
  std::uniform_real_distribution<float> number(0.1f, 9);
  for (const std::size_t n : {1, 2, 5, 33}) {
    std::vector<float> x(n);
    std::vector<std::uint32_t> u(n);
    for (float& each : x) each = number(random);
    for (std::uint32_t& each : u) each = 1 + random() % 5000;
    const Tensor numbers = Tensor::of<float>(x), words = Tensor::of<std::uint32_t>(u, {}, "u32");
    for (const On on : everywhere) {
      INFO("n = " << n << ", on the host: " << (on == On::host));
      for (const int k : {0, 1, 9}) {
        std::vector<float> relaxed = x;
        for (float& y : relaxed) {
          for (int step = 0; step < k; ++step) y = y * 0.75f + 0.3f;
        }
        CHECK(same_bits(result(session, "relaxed_" + std::to_string(k), {numbers}, on), relaxed));
        std::vector<float> m{x[0], 0.5f, 0.25f, -1};
        for (int step = 0; step < k; ++step) {
          m = {m[1] + m[2] / 2, m[0] + m[3] / 2, m[3] + m[0] / 2, m[2] + m[1] / 2};
        }
        CHECK(same_bits(result(session, "turned_" + std::to_string(k), {numbers}, on), m));
      }
      std::vector<float> rows = x, roots = x;
      for (float& y : rows) {
        for (std::size_t step = 0; step < n; ++step) y = y / 2 + 1;
      }
      CHECK(same_bits(result(session, "rows", {numbers}, on), rows));
      for (std::size_t i = 0; i < n; ++i) {
        for (int step = 0; step < 7 && !(std::abs(roots[i] * roots[i] - x[i]) < 0.001f); ++step) {
          roots[i] = roots[i] - (roots[i] * roots[i] - x[i]) / (2 * roots[i]);
        }
      }
      CHECK(same_bits(result(session, "roots", {numbers}, on), roots));
      std::vector<std::uint32_t> ends = u;
      for (std::uint32_t& word : ends) {
        for (std::size_t step = 0; step < 2 * n + 20 && word != 1; ++step) word = word % 2 == 0 ? word / 2 : 3 * word + 1;
      }
      CallOptions options;
      options.on = on;
      const auto out = session.call("ends", {words}, options);
      REQUIRE(out);
      CHECK(out->front().tensor->as<std::uint32_t>() == ends);
    }
  }
}
