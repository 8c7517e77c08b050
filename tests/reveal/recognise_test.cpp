// Trees of schedules are recognised as schedules.
#include "reveal/recognise.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/reveal/sums.h"

using namespace reckon;
using namespace reckon::reveal;
using namespace reckon::reveal::test;

namespace {

/// Trees from the definitions of docs/schedules.md, on lists of nodes.
using Nodes = std::vector<Tree>;
using Fold = std::function<Tree(Nodes)>;

Tree join(Tree a, Tree b) { return {0, {std::move(a), std::move(b)}}; }
Tree seq(Nodes nodes) {
  Tree out = nodes[0];
  for (std::size_t k = 1; k < nodes.size(); ++k) out = join(out, nodes[k]);
  return out;
}
Tree from_right(Nodes nodes) {
  Tree out = nodes.back();
  for (std::size_t k = nodes.size() - 1; k-- > 0;) out = join(nodes[k], out);
  return out;
}
Tree tree(Nodes nodes) {
  while (nodes.size() > 1) {
    Nodes next;
    for (std::size_t k = 0; k < nodes.size(); k += 2) {
      next.push_back(k + 1 < nodes.size() ? join(nodes[k], nodes[k + 1]) : nodes[k]);
    }
    nodes = next;
  }
  return nodes[0];
}
Tree halving(Nodes nodes) {
  std::size_t width = 1;
  while (width < nodes.size()) width *= 2;
  while (width > 1) {
    width /= 2;
    for (std::size_t k = 0; k < width && k + width < nodes.size(); ++k) nodes[k] = join(nodes[k], nodes[k + width]);
    nodes.resize(std::min(nodes.size(), width));
  }
  return nodes[0];
}
Fold lanes(std::size_t k, Fold inner, Fold outer) {
  return [=](Nodes nodes) {
    std::vector<Nodes> groups(std::min(k, nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i) groups[i % k].push_back(nodes[i]);
    Nodes out;
    for (const Nodes& group : groups) out.push_back(inner(group));
    return outer(out);
  };
}
Fold tile(std::size_t k, Fold inner, Fold outer) {
  return [=](Nodes nodes) {
    Nodes out;
    for (std::size_t i = 0; i < nodes.size(); i += k) {
      out.push_back(inner(Nodes(nodes.begin() + static_cast<std::ptrdiff_t>(i),
                                nodes.begin() + static_cast<std::ptrdiff_t>(std::min(nodes.size(), i + k)))));
    }
    return outer(out);
  };
}
Fold split(std::size_t m, Fold a, Fold b) {
  return [=](Nodes nodes) {
    if (nodes.size() <= m) return a(nodes);
    const auto middle = nodes.begin() + static_cast<std::ptrdiff_t>(m);
    return join(a(Nodes(nodes.begin(), middle)), b(Nodes(middle, nodes.end())));
  };
}

Tree of(const Fold& fold, std::size_t n) {
  Nodes leaves(n);
  for (std::size_t k = 0; k < n; ++k) leaves[k].leaf = k;
  return fold(leaves);
}
std::string name_of(const Tree& known) {
  const auto tree = SumTree::parse(known.text());
  REQUIRE(tree);
  const auto found = recognise(*tree);
  return found ? found->schedule : "none";
}
std::string name_of(const Fold& fold, std::size_t n) { return name_of(of(fold, n)); }

}  // namespace

TEST_CASE("schedules are recognised by their trees") {
  for (const std::size_t n : {4u, 7u, 8u, 100u, 1000u}) {
    INFO(n);
    CHECK(name_of(seq, n) == "seq");
    CHECK(name_of(from_right, n) == "from_right");
    CHECK(name_of(tree, n) == "tree");
    CHECK(name_of(halving, n) == "halving");
  }
  CHECK(name_of(seq, 1) == "seq");
  CHECK(name_of(tree, 2) == "seq");
  CHECK(name_of(lanes(8, seq, tree), 96) == "lanes(8, seq) then tree");
  CHECK(name_of(lanes(16, tree, tree), 1000) == "lanes(16, tree) then tree");
  CHECK(name_of(lanes(3, seq, seq), 50) == "lanes(3, seq) then seq");
  CHECK(name_of(lanes(60, seq, seq), 100) == "lanes(60, seq) then seq");
  CHECK(name_of(tile(64, halving, seq), 1000) == "tile(64, halving) then seq");
  CHECK(name_of(tile(100, seq, from_right), 1050) == "tile(100, seq) then from_right");
  CHECK(name_of(tile(256, seq, tree), 4096) == "tile(256, seq) then tree");
  CHECK(name_of(tile(5, tree, tree), 64) == "tile(5, tree) then tree");
  CHECK(name_of(tile(512, lanes(32, seq, halving), seq), 4000) == "tile(512, lanes(32, seq) then halving) then seq");
  CHECK(name_of(lanes(128, seq, tile(32, halving, seq)), 4096) == "lanes(128, seq) then tile(32, halving) then seq");
  CHECK(name_of(split(37, tree, seq), 100) == "split(37, tree, seq)");
  CHECK(name_of(split(64, lanes(8, seq, tree), halving), 100) == "split(64, lanes(8, seq) then tree, halving)");
}

TEST_CASE("groups of many thousand leaves are recognised, in time that is linear") {
  // Four lanes, and four tiles, of 50,000 leaves each.
  constexpr int groups = 4, length = 50'000;
  for (const bool by_lanes : {true, false}) {
    std::string text;
    for (int g = 0; g < groups; ++g) {
      std::string group(length - 1, '(');
      for (int k = 0; k < length; ++k) {
        group += std::to_string(by_lanes ? g + k * groups : g * length + k);
        group += k == 0 ? " " : k + 1 < length ? ") " : ")";
      }
      text = g == 0 ? group : "(" + text + " " + group + ")";
    }
    const auto tree = SumTree::parse(text);
    REQUIRE(tree);
    const auto start = std::chrono::steady_clock::now();
    const auto found = recognise(*tree);
    REQUIRE(found);
    CHECK(found->schedule == (by_lanes ? "lanes(4, seq) then seq" : "tile(50000, seq) then seq"));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  }
}

TEST_CASE("what no small schedule gives is not called one") {
  Random random(11);
  for (int k = 0; k < 20; ++k) CHECK(name_of(random_tree(random, 40, 2)) == "none");
  CHECK(name_of(random_tree(random, 40, 6)) == "none");
  CHECK(name_of(Tree{0, {Tree{0, {}}, Tree{1, {}}, Tree{2, {}}}}) == "none");
}

TEST_CASE("random schedules of the catalogue are recognised: by themselves, or by something no longer") {
  // The text says what the tree is by the definitions above: it is read back here.
  const std::vector<std::pair<std::string, Fold>> folds = {{"seq", seq}, {"tree", tree}, {"halving", halving}};
  Random random(12);
  for (std::int64_t trial = 0; trial < trials(60); ++trial) {
    const std::size_t n = 16 + random.below(300);
    const auto& inner = folds[random.below(3)];
    const auto& outer = folds[random.below(3)];
    const std::size_t k = 2 + random.below(n / 2 - 2);
    const bool by_lanes = random.below(2) == 0;
    const std::string text =
        (by_lanes ? "lanes(" : "tile(") + std::to_string(k) + ", " + inner.first + ") then " + outer.first;
    const Tree known = of(by_lanes ? lanes(k, inner.second, outer.second) : tile(k, inner.second, outer.second), n);
    const std::string found = name_of(known);
    INFO(n << " " << text << " " << found);
    CHECK(found != "none");
    // Another name is right if its tree is: seq, tree or halving, or the same stage with another inner order that is
    // the same for so few nodes.
    bool same = found == text;
    for (const auto& a : folds) {
      same = same || (found == a.first && of(a.second, n).text() == known.text());
      for (const auto& b : folds) {
        for (std::size_t size = 2; size < n && !same; ++size) {
          for (const bool l : {true, false}) {
            if (found != (l ? "lanes(" : "tile(") + std::to_string(size) + ", " + a.first + ") then " + b.first)
              continue;
            same = of(l ? lanes(size, a.second, b.second) : tile(size, a.second, b.second), n).text() == known.text();
          }
        }
      }
    }
    CHECK(same);
  }
}
