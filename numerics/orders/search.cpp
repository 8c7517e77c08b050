#include "numerics/orders/search.h"

#include <algorithm>
#include <numeric>

#include "numerics/orders/dispatch.h"
#include "numerics/orders/extremes.h"

namespace reckon::numerics {
namespace {

class Random {
 public:
  /// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }

 private:
  std::uint64_t state_ = 1;
};

/// For products it uses magnitudes, as arithmetic.h does: `up` is towards the larger ones.
template <class Arithmetic>
class Search {
 public:
  using Float = typename Arithmetic::Float;

  Search(const OrderQuestion& question, const OrderLimits& limits)
      : question_(question), limits_(limits), n_(static_cast<std::uint32_t>(question.leaves.size())) {
    for (std::uint64_t bits : question.leaves) leaves_.push_back(Arithmetic::from_bits(bits));
  }

  /// The best orders in both directions, if any order gives a number.
  struct Best {
    std::optional<OrderTree> tree;
    Float value{};
  };
  Best low, high;
  std::optional<OrderTree> nan;

  bool run() {
    for (const auto& order : permutations()) {
      if (interrupted()) return false;
      offer(left_fold(order));
      if (question_.orders == OrderSet::any_seq) continue;
      offer(adjacent_pairs(order));
      if (n_ > 200'000) continue;
      for (bool up : {false, true}) offer(blocks(order, up));
    }
    for (bool up : {false, true}) {
      if (interrupted()) return false;
      Best& best = up ? high : low;
      if (best.tree) question_.orders == OrderSet::any_seq ? climb_leaves(best, up) : climb_parts(best, up);
    }
    return !interrupted();
  }

  /// Tries random orders until `stop(value)` holds.
  template <class Stop>
  std::optional<OrderTree> wander(Stop&& stop) {
    std::vector<std::uint32_t> order(n_);
    std::iota(order.begin(), order.end(), 0u);
    for (std::uint64_t joins = 0; joins < limits_.search && !interrupted(); joins += 2 * n_) {
      if (question_.orders != OrderSet::any_tree) {
        for (std::uint32_t i = n_; i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
      }
      OrderTree tree = question_.orders == OrderSet::any_seq ? left_fold(order) : random_tree(order);
      if (stop(value_of(tree))) return tree;
    }
    return std::nullopt;
  }

 private:
  bool interrupted() const { return limits_.interrupted != nullptr && *limits_.interrupted; }

  Float value_of(const OrderTree& tree) {
    values_ = leaves_;
    for (const auto& [left, right] : tree.pairs) values_.push_back(Arithmetic::join(values_[left], values_[right]));
    return values_.back();
  }

  void offer(OrderTree tree) {
    const Float value = value_of(tree);
    if (value != value) {
      if (!nan) nan = std::move(tree);
      return;
    }
    if (!low.tree || value < low.value) low = {tree, value};
    if (!high.tree || value > high.value) high = {std::move(tree), value};
  }

  std::vector<std::vector<std::uint32_t>> permutations() const {
    std::vector<std::uint32_t> order(n_);
    std::iota(order.begin(), order.end(), 0u);
    std::vector<std::vector<std::uint32_t>> out{order};
    if (question_.orders == OrderSet::any_tree) return out;
    auto sorted = [&](auto&& key) {
      out.push_back(order);
      std::stable_sort(out.back().begin(), out.back().end(),
                       [&](std::uint32_t a, std::uint32_t b) { return key(leaves_[a]) < key(leaves_[b]); });
    };
    sorted([](Float x) { return x; });
    sorted([](Float x) { return -x; });
    sorted([](Float x) { return std::fabs(x); });
    sorted([](Float x) { return -std::fabs(x); });
    return out;
  }

  OrderTree adjacent_pairs(const std::vector<std::uint32_t>& order) const {
    OrderTree out;
    out.leaf_count = n_;
    std::vector<std::uint32_t> nodes = order;
    while (nodes.size() > 1) {
      std::vector<std::uint32_t> next;
      for (std::size_t k = 0; k < nodes.size(); k += 2) {
        if (k + 1 == nodes.size()) {
          next.push_back(nodes[k]);
          continue;
        }
        out.pairs.emplace_back(nodes[k], nodes[k + 1]);
        next.push_back(out.root());
      }
      nodes = std::move(next);
    }
    return out;
  }

  /// Joins blocks of nodes, each in the order of its own extreme, which is the best for it by monotonicity, and
  /// repeats this.
  OrderTree blocks(const std::vector<std::uint32_t>& order, bool up) const {
    const bool in_place = question_.orders == OrderSet::any_tree;
    const std::size_t size = in_place ? (n_ > 10'000 ? 32 : 200) : (n_ > 2'000 ? 6 : 9);
    OrderTree out;
    out.leaf_count = n_;
    std::vector<std::uint32_t> nodes = order;
    std::vector<Float> values = leaves_;
    while (nodes.size() > 1) {
      std::vector<std::uint32_t> next;
      for (std::size_t first = 0; first < nodes.size(); first += size) {
        const std::size_t count = std::min(size, nodes.size() - first);
        if (count == 1) {
          next.push_back(nodes[first]);
          continue;
        }
        OrderQuestion part{question_.orders, question_.operation, question_.format, {}};
        for (std::size_t k = 0; k < count; ++k) {
          part.leaves.push_back(Arithmetic::to_bits(values[nodes[first + k]]));
        }
        const OrderTree tree =
            in_place ? extreme(part, IntervalSpace(part), up) : extreme(part, MultisetSpace(part, false), up);
        const std::uint32_t base = out.root() + 1;
        for (auto [left, right] : tree.pairs) {
          for (std::uint32_t* node : {&left, &right}) {
            *node = *node < count ? nodes[first + *node] : *node - static_cast<std::uint32_t>(count) + base;
          }
          out.pairs.emplace_back(left, right);
          values.push_back(Arithmetic::join(values[left], values[right]));
        }
        next.push_back(out.root());
      }
      nodes = std::move(next);
    }
    return out;
  }

  template <class Space>
  static OrderTree extreme(const OrderQuestion& part, const Space& space, bool up) {
    using Of = Extremes<Arithmetic, Space>;
    const bool has_nan = std::any_of(part.leaves.begin(), part.leaves.end(),
                                     [&](std::uint64_t bits) { return is_nan(bits, part.format); });
    Of extremes(space);
    if (!has_nan && extremes.fill(nullptr) && extremes.has_number(space.full())) {
      return extremes.tree(up ? Of::Want::high : Of::Want::low);
    }
    std::vector<std::uint32_t> order(part.leaves.size());
    std::iota(order.begin(), order.end(), 0u);
    return left_fold(order);
  }

  /// Joins random nodes, or adjacent ones if the leaves keep their places.
  OrderTree random_tree(const std::vector<std::uint32_t>& order) {
    OrderTree out;
    out.leaf_count = n_;
    std::vector<std::uint32_t> nodes = order;
    const bool in_place = question_.orders == OrderSet::any_tree;
    while (nodes.size() > 1) {
      const auto size = static_cast<std::uint32_t>(nodes.size());
      const std::uint32_t a = random_.below(size - 1);
      const std::uint32_t b = in_place ? a + 1 : size - 1;
      out.pairs.emplace_back(nodes[a], nodes[b]);
      nodes[a] = out.root();
      if (in_place) nodes.erase(nodes.begin() + b);
      else nodes.pop_back();
    }
    return out;
  }

  /// Swaps two parts (any), or rotates a pair (any_tree), and keeps the change if the result is not worse.
  void climb_parts(Best& best, bool up) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    if (n_ < 3) return;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs = best.tree->pairs;
    std::vector<std::uint32_t> parent(2 * n_ - 1, none);
    for (std::uint32_t k = 0; k < pairs.size(); ++k) parent[pairs[k].first] = parent[pairs[k].second] = n_ + k;
    const std::uint32_t root = 2 * n_ - 2;
    value_of(*best.tree);
    std::vector<Float> values = values_;
    std::uint64_t joins = 0;
    auto recompute = [&](std::uint32_t node) {
      for (; node != none; node = parent[node], ++joins) {
        const auto& [left, right] = pairs[node - n_];
        values[node] = Arithmetic::join(values[left], values[right]);
      }
    };
    auto exchange = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t above_a = parent[a], above_b = parent[b];
      auto& place_a = pairs[above_a - n_].first == a ? pairs[above_a - n_].first : pairs[above_a - n_].second;
      auto& place_b = pairs[above_b - n_].first == b ? pairs[above_b - n_].first : pairs[above_b - n_].second;
      std::swap(place_a, place_b);
      std::swap(parent[a], parent[b]);
      recompute(above_a);
      recompute(above_b);
    };
    auto is_above = [&](std::uint32_t node, std::uint32_t other) {
      for (; other != none; other = parent[other], ++joins) {
        if (other == node) return true;
      }
      return false;
    };
    // Turns the pair `node` = ((a b) c) into (a (b c)), or back.
    auto rotate = [&](std::uint32_t node, bool to_right) {
      auto& [left, right] = pairs[node - n_];
      const std::uint32_t inner = to_right ? left : right;
      auto& [first, second] = pairs[inner - n_];
      if (to_right) {
        const std::uint32_t a = first, b = second, c = right;
        left = a, right = inner, first = b, second = c;
        parent[a] = node, parent[c] = inner;
      } else {
        const std::uint32_t a = left, b = first, c = second;
        left = inner, right = c, first = a, second = b;
        parent[a] = inner, parent[c] = node;
      }
      recompute(inner);
    };
    while (joins < limits_.search / 4 && !interrupted()) {
      ++joins;
      const Float before = values[root];
      auto worse = [&] {
        const Float after = values[root];
        return !(up ? after >= before : after <= before);
      };
      if (question_.orders == OrderSet::any_tree) {
        const std::uint32_t node = n_ + random_.below(n_ - 1);
        const bool to_right = (random_.next() & 1) != 0;
        const auto& [left, right] = pairs[node - n_];
        if ((to_right ? left : right) < n_) continue;
        rotate(node, to_right);
        if (worse()) rotate(node, !to_right);
      } else {
        const std::uint32_t a = random_.below(root), b = random_.below(root);
        if (parent[a] == parent[b] || is_above(a, b) || is_above(b, a)) continue;
        exchange(a, b);
        if (worse()) exchange(a, b);
      }
    }
    // Renumbers the pairs so that parts come first.
    OrderTree tree;
    tree.leaf_count = n_;
    std::vector<std::uint32_t> name(2 * n_ - 1);
    std::iota(name.begin(), name.end(), 0u);
    std::vector<std::pair<std::uint32_t, bool>> stack{{root, false}};
    while (!stack.empty()) {
      const auto [node, finished] = stack.back();
      stack.pop_back();
      if (node < n_) continue;
      const auto& [left, right] = pairs[node - n_];
      if (finished) {
        tree.pairs.emplace_back(name[left], name[right]);
        name[node] = tree.root();
      } else {
        stack.insert(stack.end(), {{node, true}, {right, false}, {left, false}});
      }
    }
    best = {std::move(tree), values[root]};
  }

  /// Swaps two leaves of a left fold.
  void climb_leaves(Best& best, bool up) {
    std::vector<std::uint32_t> order{best.tree->pairs.empty() ? 0 : best.tree->pairs[0].first};
    for (const auto& pair : best.tree->pairs) order.push_back(pair.second);
    std::vector<Float> prefix(n_);
    auto recompute = [&](std::uint32_t from) {
      for (std::uint32_t k = from; k < n_; ++k) {
        prefix[k] = k == 0 ? leaves_[order[0]] : Arithmetic::join(prefix[k - 1], leaves_[order[k]]);
      }
      return n_ - from;
    };
    recompute(0);
    for (std::uint64_t joins = 0; joins < limits_.search / 4 && !interrupted(); ++joins) {
      const std::uint32_t a = random_.below(n_), b = random_.below(n_);
      if (a == b) continue;
      const Float before = prefix[n_ - 1];
      std::swap(order[a], order[b]);
      joins += recompute(std::min(a, b));
      const Float after = prefix[n_ - 1];
      if (up ? after >= before : after <= before) continue;
      std::swap(order[a], order[b]);
      joins += recompute(std::min(a, b));
    }
    best = {left_fold(order), prefix[n_ - 1]};
  }

  const OrderQuestion& question_;
  const OrderLimits& limits_;
  std::uint32_t n_;
  std::vector<Float> leaves_, values_;
  Random random_;
};

}  // namespace

bool search_extremes(const OrderQuestion& question, const OrderLimits& limits, Spread& found) {
  return with_arithmetic(question, [&](auto arithmetic) {
    Search<decltype(arithmetic)> search(question, limits);
    if (!search.run()) return false;
    if (product_is_negative(question)) std::swap(search.low, search.high);
    for (auto [from, to] : {std::pair(&search.low.tree, &found.lowest), std::pair(&search.high.tree, &found.highest)}) {
      if (*from) *to = OrderWitness{evaluate(**from, question), **from};
    }
    if (search.nan) {
      found.nan = Possibility::yes;
      found.nan_tree = std::move(search.nan);
    }
    return true;
  });
}

std::optional<OrderTree> search_target(const OrderQuestion& question, std::uint64_t target, const OrderLimits& limits) {
  return with_arithmetic(question, [&](auto arithmetic) {
    using Arithmetic = decltype(arithmetic);
    const auto value = Arithmetic::from_bits(target);
    const bool nan = is_nan(target, question.format);
    auto tree = Search<Arithmetic>(question, limits).wander([&](auto result) {
      return nan ? result != result : result == value;
    });
    // The order may give the other one of two zeros, or a product of the other sign.
    if (tree && !nan && evaluate(*tree, question) != target) tree.reset();
    return tree;
  });
}

}  // namespace reckon::numerics
