// Sums in known orders, written without the code under test.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "reveal/reveal.h"
#include "tests/support/long_run.h"

namespace reckon::reveal::test {

/// SplitMix64, as in the tests of random programs.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t word() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t limit) { return word() % limit; }

 private:
  std::uint64_t state_;
};

using reckon::test::trials;

/// A leaf, or a node of two children or more.
struct Tree {
  std::size_t leaf = 0;
  std::vector<Tree> children;

  std::size_t smallest() const {
    std::size_t out = children.empty() ? leaf : SIZE_MAX;
    for (const Tree& child : children) out = std::min(out, child.smallest());
    return out;
  }
  /// The child with the smallest leaf first.
  std::string text() const {
    if (children.empty()) return std::to_string(leaf);
    std::vector<const Tree*> order;
    for (const Tree& child : children) order.push_back(&child);
    std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->smallest() < b->smallest(); });
    std::string out;
    for (const Tree* child : order) out += (out.empty() ? "(" : " ") + child->text();
    return out + ")";
  }
  bool multiway() const {
    return children.size() > 2 ||
           std::any_of(children.begin(), children.end(), [](const Tree& c) { return c.multiway(); });
  }
};

/// Joins random nodes, 2 to `most` at once, over a random permutation of n leaves.
inline Tree random_tree(Random& random, std::size_t n, std::size_t most) {
  std::vector<Tree> nodes(n);
  for (std::size_t k = 0; k < n; ++k) nodes[k].leaf = k;
  while (nodes.size() > 1) {
    const std::size_t count = std::min(nodes.size(), 2 + random.below(most - 1));
    Tree joined;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = random.below(nodes.size());
      joined.children.push_back(std::move(nodes[at]));
      nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(at));
    }
    nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(random.below(nodes.size() + 1)), std::move(joined));
  }
  return nodes[0];
}

__extension__ typedef __int128 Wide;

/// A node of several terms as tensor cores have it (data/tensorcore_models.json): each cut toward zero to a multiple of
/// 2^(E - fraction), E the largest exponent, added as integers, the sum cut to 24 bits.
inline float fused_node(const std::vector<float>& terms, int fraction) {
  int largest = -133;
  for (const float term : terms) {
    if (term != 0) largest = std::max(largest, std::ilogb(term));
  }
  Wide sum = 0;
  for (const float term : terms) {
    if (term == 0) continue;
    const int exponent = std::ilogb(term) - 23;  // of the last of 24 bits
    const auto digits = static_cast<std::int64_t>(std::scalbn(std::fabs(term), -exponent));
    const int shift = exponent - (largest - fraction);
    const Wide cut = shift >= 0 ? static_cast<Wide>(digits) << shift : shift > -63 ? digits >> -shift : 0;
    sum += term < 0 ? -cut : cut;
  }
  const bool negative = sum < 0;
  if (negative) sum = -sum;
  int scale = largest - fraction;
  while (sum >= (Wide{1} << 24)) sum >>= 1, ++scale;
  const float out = std::scalbn(static_cast<float>(static_cast<std::int64_t>(sum)), scale);
  return negative ? -out : out;
}

/// The tree's sum in f32, nodes of more than two children fused (fraction > 0), or added exactly and rounded once.
inline float sum_along(const Tree& tree, const std::vector<float>& x, int fraction = 24) {
  if (tree.children.empty()) return x[tree.leaf];
  std::vector<float> terms;
  for (const Tree& child : tree.children) terms.push_back(sum_along(child, x, fraction));
  if (terms.size() == 2) return terms[0] + terms[1];
  if (fraction > 0) return fused_node(terms, fraction);
  mpq_class sum = 0;
  for (const float term : terms) sum += mpq_class(term);
  return std::bit_cast<float>(static_cast<std::uint32_t>(numerics::round_rational(sum, Format::f32)));
}

inline std::vector<float> floats(const std::vector<std::uint64_t>& bits) {
  std::vector<float> out;
  for (const std::uint64_t b : bits) out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(b)));
  return out;
}

/// A box from a function of floats.
template <class Sum>
Box float_box(Sum sum) {
  return [sum](const Input& input) -> Expected<std::uint64_t> {
    return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(sum(floats(input.x))))};
  };
}

inline Outcome revealed(const Box& box, std::int64_t n, Question question = {}) {
  question.n = n;
  auto outcome = reveal(box, question);
  if (!outcome) throw std::runtime_error(outcome.error().message);
  return std::move(*outcome);
}

}  // namespace reckon::reveal::test
