// Random circuits of additions, subtractions, multiplications and signs in f32, and what compilers may make of them,
// carried out by C++'s own floats: independent of compilations/ and of semantics/accept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace reckon::test {

enum class Sign : std::uint8_t { input, add, sub, mul, neg };

struct SmallNode {
  Sign op{};
  int first = 0, second = 0;
  friend bool operator==(const SmallNode&, const SmallNode&) = default;
};

/// -0 and 0 are told apart, and all NaN are one.
struct ByPattern {
  bool operator()(float a, float b) const {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  }
};
using FloatSet = std::set<float, ByPattern>;

class SmallCircuit {
 public:
  static constexpr int inputs = 4;

  SmallCircuit(std::mt19937_64& random, int operations) {
    for (int k = 0; k < inputs; ++k) nodes.push_back({Sign::input, k, 0});
    while (static_cast<int>(nodes.size()) < inputs + operations) {
      const int kind = static_cast<int>(random() % 9);
      SmallNode node{kind < 3 ? Sign::add : kind < 5 ? Sign::sub : kind < 8 ? Sign::mul : Sign::neg, 0, 0};
      // A product comes first, and a sum last.
      const int made = static_cast<int>(nodes.size()) - inputs;
      if (made == 0) node.op = Sign::mul;
      if (made + 1 == operations) node.op = random() % 2 == 0 ? Sign::add : Sign::sub;
      const auto operand = [&] {
        const int count = static_cast<int>(nodes.size());
        // Mostly what was made last, so that little is left over.
        return random() % 2 == 0 ? count - 1 - static_cast<int>(random() % 2) : static_cast<int>(random() % count);
      };
      node.first = made + 1 == operations ? static_cast<int>(nodes.size()) - 1 : operand();
      if (node.op != Sign::neg) node.second = operand();
      if (random() % 2 == 0 && node.op != Sign::neg) std::swap(node.first, node.second);
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
    needed.assign(nodes.size(), 0);
    needed.back() = 1;
    for (int k = static_cast<int>(nodes.size()) - 1; k >= 0; --k) {
      if (needed[k] == 0 || nodes[k].op == Sign::input) continue;
      needed[nodes[k].first] = 1;
      if (nodes[k].op != Sign::neg) needed[nodes[k].second] = 1;
    }
  }

  bool is_sum(int k) const { return nodes[k].op == Sign::add || nodes[k].op == Sign::sub; }
  /// The product that a node is, or is the negative of.
  std::optional<int> product(int k, bool& negative) const {
    for (; nodes[k].op == Sign::neg; k = nodes[k].first) negative = !negative;
    return nodes[k].op == Sign::mul ? std::optional(k) : std::nullopt;
  }

  std::string text(const std::string& name) const {
    std::string out = "fn " + name + "(x0: f32, x1: f32, x2: f32, x3: f32) -> f32 {\n";
    for (std::size_t k = inputs; k < nodes.size(); ++k) {
      const SmallNode& node = nodes[k];
      const std::string a = "x" + std::to_string(node.first), b = "x" + std::to_string(node.second);
      const std::string value = node.op == Sign::add   ? a + " + " + b
                                : node.op == Sign::sub ? a + " - " + b
                                : node.op == Sign::mul ? a + " * " + b
                                                       : "-" + a;
      out += "  let x" + std::to_string(k) + " = " + value + ";\n";
    }
    return out + "  x" + std::to_string(nodes.size() - 1) + "\n}\n";
  }

  /// Every choice of which additions are contracted, and into which of their products; nothing if there are too many.
  std::optional<FloatSet> contracted(const std::vector<float>& x) const {
    std::vector<int> sites;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (needed[k] != 0 && is_sum(static_cast<int>(k))) sites.push_back(static_cast<int>(k));
    }
    if (sites.size() > 7) return std::nullopt;
    FloatSet out;
    std::vector<int> choice(nodes.size(), 0);
    const std::function<void(std::size_t)> choose = [&](std::size_t site) {
      if (site == sites.size()) {
        if (const auto value = by(choice, x)) out.insert(*value);
        return;
      }
      for (int way = 0; way < 3; ++way) {
        choice[sites[site]] = way;
        choose(site + 1);
      }
    };
    choose(0);
    return out;
  }

  /// Chains of sums and of products joined at random, additions of products fused at random.
  float reassociated(const std::vector<float>& x, std::mt19937_64& random) const {
    std::vector<std::optional<float>> known(nodes.size());
    return value_of(static_cast<int>(nodes.size()) - 1, x, known, random);
  }

  std::vector<SmallNode> nodes;
  std::vector<std::uint8_t> needed;

 private:
  std::optional<float> by(const std::vector<int>& choice, const std::vector<float>& x) const {
    std::vector<float> v(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const SmallNode& node = nodes[k];
      const float a = node.op == Sign::input ? 0 : v[node.first], b = node.op == Sign::input ? 0 : v[node.second];
      switch (node.op) {
        case Sign::input: v[k] = x[k]; break;
        case Sign::neg: v[k] = -a; break;
        case Sign::mul: v[k] = a * b; break;
        default: {
          const bool minus = node.op == Sign::sub;
          if (choice[k] == 0) {
            v[k] = minus ? a - b : a + b;
            break;
          }
          bool negative = choice[k] == 2 && minus;
          const auto mul = product(choice[k] == 1 ? node.first : node.second, negative);
          if (!mul) return std::nullopt;
          const float factor = v[nodes[*mul].first];
          const float addend = choice[k] == 2 ? a : minus ? -b : b;
          v[k] = std::fma(negative ? -factor : factor, v[nodes[*mul].second], addend);
        }
      }
    }
    return v.back();
  }

  struct Item {
    float value = 0;
    std::optional<std::pair<float, float>> factors;
  };
  using Known = std::vector<std::optional<float>>;

  float value_of(int k, const std::vector<float>& x, Known& known, std::mt19937_64& random) const {
    if (!known[k]) {
      const SmallNode& node = nodes[k];
      if (node.op == Sign::input) known[k] = x[k];
      else if (node.op == Sign::mul) known[k] = product_of(k, x, known, random).value;
      else if (node.op == Sign::neg && !is_chain(k)) known[k] = -value_of(node.first, x, known, random);
      else known[k] = sum_of(k, x, known, random);
    }
    return *known[k];
  }
  bool is_chain(int k) const { return is_sum(k) || (nodes[k].op == Sign::neg && is_chain(nodes[k].first)); }

  void terms(int k, bool negative, std::vector<std::pair<int, bool>>& out) const {
    if (!is_chain(k)) {
      out.emplace_back(k, negative);
      return;
    }
    terms(nodes[k].first, negative != (nodes[k].op == Sign::neg), out);
    if (nodes[k].op != Sign::neg) terms(nodes[k].second, negative != (nodes[k].op == Sign::sub), out);
  }
  void factors(int k, std::vector<int>& out) const {
    if (nodes[k].op != Sign::mul) {
      out.push_back(k);
      return;
    }
    factors(nodes[k].first, out);
    factors(nodes[k].second, out);
  }

  static Item take(std::vector<Item>& items, std::mt19937_64& random) {
    std::swap(items[random() % items.size()], items.back());
    const Item out = items.back();
    items.pop_back();
    return out;
  }
  Item product_of(int k, const std::vector<float>& x, Known& known, std::mt19937_64& random) const {
    std::vector<int> parts;
    factors(k, parts);
    std::vector<Item> items;
    for (const int part : parts) items.push_back({value_of(part, x, known, random), {}});
    while (items.size() > 1) {
      const Item a = take(items, random), b = take(items, random);
      items.push_back({a.value * b.value, std::pair(a.value, b.value)});
    }
    return items.front();
  }
  float sum_of(int k, const std::vector<float>& x, Known& known, std::mt19937_64& random) const {
    std::vector<std::pair<int, bool>> parts;
    terms(k, false, parts);
    std::vector<Item> items;
    for (const auto& [part, minus] : parts) {
      bool negative = minus;
      const auto mul = product(part, negative);
      Item item{value_of(part, x, known, random), {}};
      if (minus) item.value = -item.value;
      if (mul) {
        item.factors = product_of(*mul, x, known, random).factors;
        if (negative) item.factors->first = -item.factors->first;
      }
      items.push_back(item);
    }
    while (items.size() > 1) {
      const Item a = take(items, random), b = take(items, random);
      const auto way = random() % 3;
      if (way == 1 && a.factors) items.push_back({std::fma(a.factors->first, a.factors->second, b.value), {}});
      else if (way == 2 && b.factors) items.push_back({std::fma(b.factors->first, b.factors->second, a.value), {}});
      else items.push_back({a.value + b.value, {}});
    }
    return items.front().value;
  }
};

/// Numbers whose sums round, and cancel now and then.
inline std::vector<float> small_inputs(std::mt19937_64& random) {
  std::vector<float> out;
  for (int k = 0; k < SmallCircuit::inputs; ++k) {
    const float value = std::ldexp(static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-53 * 2 - 1),
                                   static_cast<int>(random() % 5) - 2);
    out.push_back(k > 0 && random() % 6 == 0 ? out[random() % k] : value);
  }
  return out;
}

}  // namespace reckon::test
