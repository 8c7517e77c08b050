// Data and orders to try `within orders` on (numerics/orders/scatter.h): bugs that it must see, and orders that it must
// not call bugs. The orders are drawn here, in other ways than the sampler draws its own, and carried out tree by tree.
#pragma once

#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "numerics/orders/scatter.h"

namespace reckon::tests {

using namespace reckon::numerics;

enum class Data { normal, constant, sorted, alternating, exponential, cancelling };
constexpr const char* data_names[] = {"normal", "constant", "sorted", "alternating", "exponential", "cancelling"};

inline OrderQuestion sum_of(Data data, std::int64_t n, Format format, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values;
  const double constant = 0.1 + std::fabs(uniform(random));
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = normal(random);
    switch (data) {
      case Data::normal:
      case Data::sorted: values.push_back(x); break;
      case Data::constant: values.push_back(constant); break;
      case Data::alternating: values.push_back((i % 2 == 0 ? 1 : -1) * (1000 + uniform(random))); break;
      case Data::exponential:
        values.push_back(x * std::exp2(format == Format::f16 ? 4 * uniform(random) : 30 * uniform(random)));
        break;
      case Data::cancelling:
        values.push_back(i < (n + 1) / 2 ? 1000 * x : -values[static_cast<std::size_t>(n - 1 - i)] + 0.001 * x);
        break;
    }
  }
  if (data == Data::sorted) std::sort(values.begin(), values.end());
  OrderQuestion out{OrderSet::any, FoldOperation::add, format, {}};
  for (double value : values) out.leaves.push_back(round_f64(value, format));
  return out;
}

/// A left fold of a random permutation; random pairs joined until one node is left; a random tree of the leaves as they
/// lie; runs of random lengths, each folded from the left, joined in random order; lanes of a random number.
inline OrderTree random_order(std::int64_t n, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t k) { return static_cast<std::uint32_t>(random() % k); };
  std::vector<std::uint32_t> nodes(static_cast<std::size_t>(n));
  std::iota(nodes.begin(), nodes.end(), 0u);
  OrderTree tree;
  tree.leaf_count = static_cast<std::uint32_t>(n);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    tree.pairs.emplace_back(a, b);
    return tree.leaf_count + static_cast<std::uint32_t>(tree.pairs.size()) - 1;
  };
  const auto shuffle = [&](std::vector<std::uint32_t>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  };
  const auto fold = [&](const std::vector<std::uint32_t>& list) {
    std::uint32_t out = list[0];
    for (std::size_t i = 1; i < list.size(); ++i) out = join(out, list[i]);
    return out;
  };
  switch (below(5)) {
    case 0:
      shuffle(nodes);
      fold(nodes);
      return tree;
    case 1:
      while (nodes.size() > 1) {
        for (int side = 0; side < 2; ++side)
          std::swap(nodes[below(nodes.size() - side)], nodes[nodes.size() - 1 - static_cast<std::size_t>(side)]);
        const std::uint32_t joined = join(nodes[nodes.size() - 1], nodes[nodes.size() - 2]);
        nodes.pop_back();
        nodes.back() = joined;
      }
      return tree;
    case 2: {  // neighbours joined in passes, each pair with a probability
      while (nodes.size() > 1) {
        std::vector<std::uint32_t> next;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          if (i + 1 < nodes.size() && below(3) != 0) {
            next.push_back(join(nodes[i], nodes[i + 1]));
            ++i;
          } else {
            next.push_back(nodes[i]);
          }
        }
        nodes = std::move(next);
      }
      return tree;
    }
    case 3: {
      const std::uint64_t longest = 1 + below(static_cast<std::uint64_t>(n));
      std::vector<std::uint32_t> sums;
      for (std::size_t at = 0; at < nodes.size();) {
        const std::size_t end = std::min(nodes.size(), at + 1 + below(longest));
        sums.push_back(
            fold({nodes.begin() + static_cast<std::ptrdiff_t>(at), nodes.begin() + static_cast<std::ptrdiff_t>(end)}));
        at = end;
      }
      shuffle(sums);
      fold(sums);
      return tree;
    }
    default: {
      const std::size_t lanes = 1 + below(below(2) == 0 ? 64 : static_cast<std::uint64_t>(n));
      std::vector<std::uint32_t> sums;
      for (std::size_t lane = 0; lane < std::min(lanes, nodes.size()); ++lane) {
        std::vector<std::uint32_t> list;
        for (std::size_t at = lane; at < nodes.size(); at += lanes) list.push_back(nodes[at]);
        sums.push_back(fold(list));
      }
      if (below(2) == 0) shuffle(sums);
      fold(sums);
      return tree;
    }
  }
}

/// The sum with every partial sum rounded to f16, in order: each step in f64, where f16 sums are exact, and rounded
/// once.
inline std::uint64_t sum_in_f16(const OrderQuestion& question) {
  double sum = 0;
  for (std::uint64_t leaf : question.leaves) {
    const double value = widen(round_f64(widen(leaf, question.format), Format::f16), Format::f16);
    sum = widen(round_f64(sum + value, Format::f16), Format::f16);
  }
  return round_f64(sum, question.format);
}

/// A leaf that is at least a tenth of the mean magnitude.
inline std::size_t typical_leaf(const OrderQuestion& question, std::mt19937_64& random) {
  double mean = 0;
  for (std::uint64_t leaf : question.leaves)
    mean += std::fabs(widen(leaf, question.format)) / static_cast<double>(question.leaves.size());
  for (;;) {
    const std::size_t at = random() % question.leaves.size();
    if (std::fabs(widen(question.leaves[at], question.format)) >= mean / 10) return at;
  }
}

/// How often each of the planted bugs is seen (beyond 8 times the spread) in sums of n normals of f32.
struct Seen {
  int trials = 0, dropped = 0, doubled = 0, narrow = 0;
  double least = 1e300;  ///< of the times that dropped ones are away
};
inline Seen bugs_seen(int seeds, std::int64_t n) {
  Seen out;
  for (int seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 random(static_cast<unsigned>(seed) + 1000);
    const OrderQuestion question = sum_of(Data::normal, n, Format::f32, static_cast<unsigned>(seed));
    const auto families = *sample_orders(question);
    const OrderTree order = random_order(n - 1, random), longer = random_order(n, random);
    OrderQuestion without = question, twice = question;
    const std::size_t at = typical_leaf(question, random);
    without.leaves.erase(without.leaves.begin() + static_cast<std::ptrdiff_t>(at));
    const std::size_t other = typical_leaf(question, random);
    twice.leaves[other] = round_f64(2 * widen(twice.leaves[other], Format::f32), Format::f32);
    const auto times = [&](std::uint64_t target) { return scatter(families, Format::f32, target, false).times; };
    const double away = times(evaluate(order, without));
    ++out.trials;
    out.dropped += away > 8;
    out.least = std::min(out.least, away);
    out.doubled += times(evaluate(longer, twice)) > 8;
    out.narrow += times(sum_in_f16(question)) > 8;
  }
  return out;
}

/// How many orders' results are called bugs, and how many are left open.
struct Called {
  int orders = 0, failed = 0, open = 0;
  double most = 0;  ///< times the spread
};
inline Called orders_called(Data data, std::int64_t n, Format format, unsigned seed, int orders) {
  Called out;
  const OrderQuestion question = sum_of(data, n, format, seed);
  const auto families = *sample_orders(question);
  const bool agree = is_one_result(families, format) && all_orders_agree(question);
  const auto judge = [&](std::uint64_t target) {
    const double times = scatter(families, format, target, agree).times;
    ++out.orders;
    out.failed += times > 8;
    out.open += times >= 4 && times <= 8;
    out.most = std::max(out.most, times);
  };
  std::mt19937_64 random(seed + 77);
  for (int k = 0; k < orders; ++k) judge(evaluate(random_order(n, random), question));
  for (const MachineOrder& order : library_orders(n)) judge(carry_out(order, question));
  return out;
}

}  // namespace reckon::tests
