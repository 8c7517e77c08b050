// Every combinator's tree against an independent definition in Python, parens.py: RECKON_TRIALS=100000 for a long run.
#include <random>
#include <set>

#include "tests/schedules/support.h"

using namespace reckon::test;

namespace {

/// Draws schedules that have a tree for every length in a set: those that a part of the schedule may meet.
class Generator {
 public:
  using Lengths = std::set<int>;
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint32_t>(bound)); }

  std::string schedule(const Lengths& lengths, int depth) {
    const bool one_length = lengths.size() == 1 && *lengths.begin() <= 12;
    const int form = below(depth > 0 ? 12 : 4);
    if (form == 3 && one_length) return "'" + quoted(*lengths.begin());
    if (form == 3) return "blelloch";
    if (form == 4) {
      const int m = size(lengths);
      Lengths first, rest;
      for (int n : lengths) {
        first.insert(std::min(n, m));
        if (n > m) rest.insert(n - m);
      }
      if (rest.empty()) rest.insert(1);
      const std::string few = schedule(first, depth - 1);
      return fmt::format("split({}, {}, {})", m, few, schedule(rest, depth - 1));
    }
    if (form > 4) {
      Lengths left = lengths;
      const int stages = 1 + below(3);
      std::string out;
      for (int i = 0; i < stages; ++i) out += stage(left, depth - 1) + " then ";
      // `then` associates, so parentheses about the first two stages or the last two parts change nothing.
      if (stages == 1 && below(3) == 0) {
        const std::string second = stage(left, depth - 1);
        return "(" + out + "(" + second + " then " + schedule(left, depth - 1) + "))";
      }
      return "(" + out + schedule(left, depth - 1) + ")";
    }
    static constexpr const char* names[] = {"seq", "tree", "halving"};
    return names[form % 3];
  }

 private:
  int size(const Lengths& lengths) {
    static constexpr int sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 128};
    // A divisor of the only length lets quoted trees follow.
    const int n = *lengths.begin();
    if (const int k = 2 + below(6); lengths.size() == 1 && n % k == 0 && below(2)) return k;
    return sizes[below(std::size(sizes))];
  }

  /// `lengths` becomes the numbers of nodes that the stage may leave.
  std::string stage(Lengths& lengths, int depth) {
    Lengths inner, left;
    if (below(3) == 0) return arranged(lengths, depth);
    const int k = size(lengths);
    const bool tiles = below(2);
    for (int n : lengths) {
      if (tiles) {
        if (n >= k) inner.insert(k);
        if (n % k) inner.insert(n % k);
        left.insert((n + k - 1) / k);
      } else {
        inner.insert((n + k - 1) / k);
        if (n >= k) inner.insert(n / k);
        left.insert(std::min(n, k));
      }
    }
    lengths = left;
    return fmt::format("{}({}, {})", tiles ? "tile" : "lanes", k, schedule(inner, depth));
  }

  /// Modes of the given sizes, with strides that make them a bijection, in a random order of the strides.
  std::string layout(const std::vector<int>& modes, const std::string& last_mode) {
    std::vector<int> strides(modes.size()), order(modes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(below(static_cast<int>(i)))]);
    int stride = 1;
    for (int mode : order) {
      strides[static_cast<std::size_t>(mode)] = stride;
      stride *= modes[static_cast<std::size_t>(mode)];
    }
    std::vector<std::string> sizes, steps;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      sizes.push_back(std::to_string(modes[i]));
      steps.push_back(std::to_string(strides[i]));
    }
    if (!last_mode.empty()) {
      sizes.push_back(last_mode);
      steps.push_back(std::to_string(stride));
    }
    // The first two of three modes as one nested mode: the same coordinates in the same order.
    if (sizes.size() == 3 && below(2)) {
      for (auto* parts : {&sizes, &steps}) *parts = {fmt::format("({},{})", (*parts)[0], (*parts)[1]), (*parts)[2]};
    }
    return fmt::format("({}):({})", fmt::join(sizes, ","), fmt::join(steps, ","));
  }

  std::string arranged(Lengths& lengths, int depth) {
    Lengths inner, left;
    if (lengths.size() == 1 && below(2)) {
      int n = *lengths.begin();
      std::vector<int> modes;
      for (int k = 2; k <= n && modes.size() < 3; ++k) {
        while (n % k == 0 && modes.size() < 3) {
          modes.push_back(k);
          n /= k;
        }
      }
      modes.push_back(n);
      std::swap(modes.back(), modes[static_cast<std::size_t>(below(static_cast<int>(modes.size())))]);
      inner.insert(*lengths.begin() / modes.back());
      left.insert(modes.back());
      const std::string text = layout(modes, "");
      lengths = left;
      return fmt::format("arrange({}, {})", text, schedule(inner, depth));
    }
    const int a = 1 + below(4), b = 1 + below(4);
    for (int n : lengths) {
      if (n >= a * b) inner.insert(a * b);
      if (n % (a * b)) inner.insert(n % (a * b));
      left.insert((n + a * b - 1) / (a * b));
    }
    const std::string text = below(2) ? layout({a, b}, "_") : layout({a * b}, "_");
    lengths = left;
    return fmt::format("arrange({}, {})", text, schedule(inner, depth));
  }

  /// A random tree over a random permutation of the leaves.
  std::string quoted(int n) {
    std::vector<std::string> nodes;
    for (int i = 0; i < n; ++i) nodes.push_back(std::to_string(i));
    while (nodes.size() > 1) {
      const auto a = static_cast<std::size_t>(below(static_cast<int>(nodes.size())));
      const std::string left = nodes[a];
      nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(a));
      const auto b = static_cast<std::size_t>(below(static_cast<int>(nodes.size())));
      nodes[b] = "(" + left + " " + nodes[b] + ")";
    }
    return nodes[0];
  }

  std::mt19937 random_;  // the same numbers everywhere
};

}  // namespace

TEST_CASE("parens of 2,000 random schedules agrees with the definitions in Python") {
  const auto python = python_with("re");
  if (!python) return;
  Generator generator(20260921);
  std::vector<Case> cases;
  for (int i = 0; i < trials(2000); ++i) {
    static constexpr int lengths[] = {1,  2,  3,  4,  5,  6,  7,   8,   9,   12,  16,  17,
                                      24, 31, 32, 33, 60, 64, 100, 127, 128, 129, 255, 300};
    const int n = generator.below(3) ? lengths[generator.below(std::size(lengths))] : 1 + generator.below(400);
    cases.push_back({n, generator.schedule({n}, 3)});
  }
  const auto here = trees_here(cases), there = trees_there(*python, "parens.py", cases);
  REQUIRE(here.size() == cases.size());
  REQUIRE(there.size() == cases.size());
  // The cases are worth something: every word comes up often, and few trees come up twice.
  std::set<std::string> different;
  for (const char* word : {"seq", "tree", "halving", "'", "split", "tile", "lanes", "then"}) {
    INFO(word);
    CHECK(std::count_if(cases.begin(), cases.end(), [&](const Case& each) {
            return each.schedule.find(word) != std::string::npos;
          }) > static_cast<int>(cases.size() / 20));
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].schedule << " of " << cases[i].n);
    different.insert(here[i]);
    if (here[i] != there[i]) FAIL_CHECK("here " << here[i] << "\nthere " << there[i]);
    if (!uses_each_leaf_once(here[i], cases[i].n)) FAIL_CHECK(here[i]);
  }
  CHECK(different.size() > cases.size() / 2);
}

TEST_CASE("lanes(L, tree) then tree follows WG21 P4016's rules") {
  const auto python = python_with("re");
  if (!python) return;
  std::vector<Case> ours, rules;
  // Around powers of two, the lane counts and their multiples; primes; fewer leaves than lanes.
  for (int n : {1,  2,  3,  4,   5,   6,   7,   9,   13,  15,  16,  17,  31,  32,   33,
                47, 48, 49, 100, 127, 128, 129, 255, 256, 257, 383, 384, 385, 1000, 2049}) {
    for (int lanes : {1, 2, 3, 16, 128}) {
      ours.push_back({n, fmt::format("canonical({})", lanes)});
      rules.push_back({n, fmt::format("p4016({})", lanes)});
    }
  }
  const auto here = trees_here(ours), there = trees_there(*python, "parens.py", rules);
  REQUIRE(here.size() == 150);
  REQUIRE(there.size() == 150);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    INFO(ours[i].schedule << " of " << ours[i].n);
    CHECK(here[i] == there[i]);
    CHECK(uses_each_leaf_once(here[i], ours[i].n));
  }
}
