#include "compilations/results.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "compilations/expressions.h"
#include "numerics/split_mix.h"

namespace reckon::compilations {

using ir::Op;
using worst::Kind;
using worst::Node;

namespace {

struct Valued {
  double value = 0;
  ExpressionId expression = 0;
};

/// Values, each once.
class ValueSet {
 public:
  bool add(const Valued& one) {
    const double value = one.value;
    if (!known_.insert({std::bit_cast<std::uint64_t>(value), list_.size()}).second) return false;
    list_.push_back(one);
    return true;
  }
  const std::vector<Valued>& list() const { return list_; }
  std::size_t size() const { return list_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::size_t> known_;
  std::vector<Valued> list_;
};

/// Of a chain of which only the extremes are looked for.
constexpr std::size_t most_pruned_terms = 16;
/// Of a chain of too many terms.
constexpr std::size_t sampled_orders = 32;

/// Which operations of a circuit a compiler may write anew, and together with which others.
class Structure {
 public:
  Structure(const Circuit& circuit, const Rewrites& rewrites) : circuit_(circuit), rewrites_(rewrites) {}

  /// The product that a value is, or is the negative of.
  std::optional<NodeNumber> product(NodeNumber node, bool& negative) const {
    node = circuit_.without_sign(node, negative);
    return is_operation(circuit_[node], Op::mul) ? std::optional(node) : std::nullopt;
  }
  bool is_contracted(const Node& node) const {
    if (!rewrites_.contract || !is_sum(node)) return false;
    bool negative = false;
    return product(node.first, negative) || product(node.second, negative);
  }
  /// Whether the value is written anew from the terms of its operands.
  bool is_chain(NodeNumber node) const {
    const Node& n = circuit_[node];
    if (is_sum(n)) return rewrites_.reassociate || is_free(n);
    return is_operation(n, Op::neg) && is_chain(n.first);
  }
  bool is_free(const Node& sum) const {
    return std::ranges::find(rewrites_.any_order, circuit_.place_of(sum)) != rewrites_.any_order.end();
  }
  /// Whether the operand is a part of the chain.
  bool continues(NodeNumber chain, NodeNumber operand) const {
    if (!is_chain(operand)) return false;
    return rewrites_.reassociate || circuit_.place_of(circuit_[chain]) == circuit_.place_of(circuit_[operand]);
  }
  bool is_product_chain(const Node& node) const { return rewrites_.reassociate && is_operation(node, Op::mul); }

  struct Term {
    NodeNumber node = 0;
    bool negative = false;
  };
  void terms(NodeNumber chain, bool negative, std::vector<Term>& out) const {
    const Node& node = circuit_[chain];
    const auto each = [&](NodeNumber operand, bool sign) {
      if (continues(chain, operand)) terms(operand, sign, out);
      else out.push_back({operand, sign});
    };
    each(node.first, negative != (node.op == Op::neg));
    if (node.op != Op::neg) each(node.second, negative != (node.op == Op::sub));
  }
  void factors(NodeNumber node, std::vector<NodeNumber>& out) const {
    for (const NodeNumber operand : {circuit_[node].first, circuit_[node].second}) {
      if (is_operation(circuit_[operand], Op::mul)) factors(operand, out);
      else out.push_back(operand);
    }
  }

 private:
  const Circuit& circuit_;
  const Rewrites& rewrites_;
};

/// The nodes that a result depends on, in their order.
std::vector<NodeNumber> cone(const Circuit& circuit, NodeNumber output) {
  std::vector<std::uint8_t> needed(output + 1, 0);
  needed[output] = 1;
  std::vector<NodeNumber> out;
  for (NodeNumber k = output + 1; k-- > 0;) {
    if (needed[k] == 0) continue;
    out.push_back(k);
    const Node& node = circuit[k];
    const NodeNumber operands[] = {node.first, node.second, node.third};
    for (int i = 0; i < worst::arity(node); ++i) needed[operands[i]] = 1;
    if (is_operation(node, Op::select))
      circuit.visit_compared(node.third, [&](NodeNumber compared) { needed[compared] = 1; });
  }
  std::ranges::reverse(out);
  return out;
}

class Enumeration {
 public:
  Enumeration(const Circuit& circuit, NodeNumber output, const std::vector<double>& inputs,
              const std::vector<std::string>& names, const Rewrites& rewrites, const Limits& limits)
      : circuit_(circuit),
        structure_(circuit, rewrites),
        rewrites_(rewrites),
        inputs_(inputs),
        names_(names),
        limits_(limits),
        output_(output),
        cone_(cone(circuit, output)),
        values_(output + 1),
        reads_(output + 1) {
    find_reads();
  }

  Results run() {
    from(0);
    Results out;
    out.unknown = unknown_;
    if (unknown_) return out;
    out.complete = complete_;
    out.extremes = pruned_;
    out.joins = joins_;
    for (const Valued& each : found_.list()) out.results.push_back({each.value, expressions_.text(each.expression)});
    std::ranges::sort(out.results, [](const Result& a, const Result& b) { return is_less(a.value, b.value); });
    return out;
  }

 private:
  /// How a node's value is read: not at all, since it stands inside of chains that are written anew; once; or in several
  /// ways that meet again.
  enum class Reads : std::uint8_t { inside, one, several };
  void find_reads() {
    std::vector<std::uint8_t> paths(output_ + 1, 0), opaque(output_ + 1, 0);
    paths[output_] = 1;
    const auto more = [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(std::min(2, a + b)); };
    for (auto k = cone_.rbegin(); k != cone_.rend(); ++k) {
      const Node& node = circuit_[*k];
      const NodeNumber operands[] = {node.first, node.second, node.third};
      for (int i = 0; i < worst::arity(node); ++i) {
        const NodeNumber operand = operands[i];
        paths[operand] = more(paths[operand], paths[*k]);
        const bool inside = (structure_.is_chain(*k) && structure_.continues(*k, operand)) ||
                            (structure_.is_product_chain(node) && is_operation(circuit_[operand], Op::mul));
        if (!inside) opaque[operand] = more(opaque[operand], paths[*k]);
      }
      if (is_operation(node, Op::select))
        circuit_.visit_compared(node.third, [&](NodeNumber compared) { paths[compared] = opaque[compared] = 2; });
    }
    opaque[output_] = std::max<std::uint8_t>(opaque[output_], 1);
    for (const NodeNumber k : cone_)
      reads_[k] = opaque[k] > 1 ? Reads::several : opaque[k] == 1 ? Reads::one : Reads::inside;
  }

  void from(std::size_t index) {
    for (; index < cone_.size(); ++index) {
      const NodeNumber k = cone_[index];
      if (stopped()) return;
      if (reads_[k] == Reads::inside) continue;
      ValueSet set;
      if (!make(k, set)) {
        unknown_ = k;
        return;
      }
      if (set.size() > 1 && reads_[k] == Reads::several && k != output_) {
        for (const Valued& each : set.list()) {
          values_[k] = {each};
          from(index + 1);
        }
        return;
      }
      values_[k] = set.list();
    }
    if (stopped()) return;
    for (const Valued& each : values_[output_]) found_.add(each);
  }

  bool stopped() {
    if (joins_ <= limits_.joins && (limits_.interrupted == nullptr || !*limits_.interrupted)) return unknown_.has_value();
    complete_ = false;
    return true;
  }

  bool make(NodeNumber k, ValueSet& out) {
    const Node& node = circuit_[k];
    switch (node.kind) {
      case Kind::input:
        out.add({inputs_[node.first], leaf(names_[node.first])});
        return true;
      case Kind::constant: {
        const double value = circuit_.constant_of(node).rounded;
        out.add({value, leaf(numerics::shortest_decimal(numerics::round_f64(value, node.format), node.format))});
        return true;
      }
      case Kind::operation: break;
      default: return false;
    }
    if (structure_.is_chain(k)) return chain(k, out);
    if (structure_.is_product_chain(node)) return products(k, out);
    if (node.op == Op::select) {
      for (const Valued& each : values_[holds(node.third) ? node.first : node.second]) out.add(each);
      return true;
    }
    const int count = ir::traits(node.op).arity;
    static const std::vector<Valued> none{Valued{}};
    const auto& a = values_[node.first];
    const auto& b = count > 1 ? values_[node.second] : none;
    const auto& c = count > 2 ? values_[node.third] : none;
    for (const Valued& x : a) {
      for (const Valued& y : b) {
        for (const Valued& z : c) {
          if (node.first == node.second && count > 1 && x.expression != y.expression) continue;
          if (!join(node.op, node.format, count, x, y, z, out)) return false;
        }
      }
    }
    if (structure_.is_contracted(node)) {
      const bool minus = node.op == Op::sub;
      contract(node.format, factors(node.first, false), negated(values_[node.second], minus), out);
      contract(node.format, factors(node.second, minus), values_[node.first], out);
    }
    return true;
  }

  ExpressionId leaf(std::string text) { return expressions_.leaf(std::move(text)); }

  bool join(Op op, Format format, int count, const Valued& x, const Valued& y, const Valued& z, ValueSet& out) {
    ++joins_;
    const auto value = rounded(op, format, x.value, y.value, z.value);
    if (!value) return false;
    out.add({*value, expressions_.operation(op, count, x.expression, y.expression, z.expression)});
    return true;
  }

  Valued negative(const Valued& value) {
    return {-value.value, expressions_.operation(Op::neg, 1, value.expression)};
  }
  std::vector<Valued> negated(const std::vector<Valued>& values, bool negate) {
    std::vector<Valued> out = values;
    if (negate) std::ranges::transform(out, out.begin(), [&](const Valued& each) { return negative(each); });
    return out;
  }

  using Factors = std::vector<std::pair<Valued, Valued>>;

  /// The ways to write a value as a product of two factors, which an fma multiplies exactly.
  Factors factors(NodeNumber node, bool minus) {
    Factors out;
    const auto product = rewrites_.contract ? structure_.product(node, minus) : std::nullopt;
    if (!product) return out;
    const auto pairs = [&](const std::vector<Valued>& left, const std::vector<Valued>& right, bool same) {
      for (const Valued& x : left) {
        for (const Valued& y : right) {
          if (same && x.expression != y.expression) continue;
          out.emplace_back(minus ? negative(x) : x, y);
        }
      }
    };
    const Node& mul = circuit_[*product];
    std::vector<NodeNumber> parts;
    if (rewrites_.reassociate) structure_.factors(*product, parts);
    // Of longer products not all ways are looked at (products).
    if (!rewrites_.reassociate || parts.size() > limits_.terms) {
      pairs(values_[mul.first], values_[mul.second], mul.first == mul.second);
      return out;
    }
    const std::vector<ValueSet> of = product_subsets(*product);
    for (std::size_t set = 1; set + 1 < of.size(); set += 2)
      pairs(of[set].list(), of[of.size() - 1 - set].list(), false);
    return out;
  }

  void contract(Format format, const Factors& factors, const std::vector<Valued>& addends, ValueSet& out) {
    for (const auto& [x, y] : factors) {
      for (const Valued& addend : addends) join(Op::fma, format, 3, x, y, addend, out);
    }
  }

  /// The values of all trees over each subset of the leaves.
  template <class Join>
  std::vector<ValueSet> subsets(std::vector<std::vector<Valued>> leaves, Join&& joined) {
    std::vector<ValueSet> of(std::size_t{1} << leaves.size());
    for (std::size_t set = 1; set < of.size() && !stopped(); ++set) {
      if (std::has_single_bit(set)) {
        for (const Valued& each : leaves[static_cast<std::size_t>(std::countr_zero(set))]) of[set].add(each);
        continue;
      }
      for (std::size_t left = (set - 1) & set; left > (set ^ left); left = (left - 1) & set)
        joined(left, set ^ left, of, of[set]);
      if (prunes_) prune(of[set]);
    }
    return of;
  }

  /// Leaves the least and the greatest value. Where one of them is no finite number, the others may count, too.
  void prune(ValueSet& set) {
    const auto& list = set.list();
    if (list.empty()) return;
    const auto less = [](const Valued& a, const Valued& b) { return is_less(a.value, b.value); };
    const auto [least, greatest] = std::ranges::minmax_element(list, less);
    if (!std::isfinite(least->value) || !std::isfinite(greatest->value)) {
      complete_ = false;
      joins_ = limits_.joins + 1;
      return;
    }
    ValueSet both;
    both.add(*least);
    both.add(*greatest);
    set = std::move(both);
  }

  std::vector<ValueSet> product_subsets(NodeNumber product) {
    std::vector<NodeNumber> parts;
    structure_.factors(product, parts);
    std::vector<std::vector<Valued>> leaves;
    leaves.reserve(parts.size());
    for (const NodeNumber part : parts) leaves.push_back(values_[part]);
    const Format format = circuit_[product].format;
    return subsets(std::move(leaves), [&](std::size_t left, std::size_t right, auto& of, ValueSet& to) {
      for (const Valued& x : of[left].list()) {
        for (const Valued& y : of[right].list()) join(Op::mul, format, 2, x, y, {}, to);
      }
    });
  }

  bool products(NodeNumber product, ValueSet& out) {
    std::vector<NodeNumber> parts;
    structure_.factors(product, parts);
    if (parts.size() > limits_.terms) {
      std::vector<std::vector<Valued>> leaves;
      for (const NodeNumber part : parts) leaves.push_back(values_[part]);
      sample(Op::mul, circuit_[product].format, leaves, std::vector<Factors>(leaves.size()), out);
      return true;
    }
    const std::vector<ValueSet> of = product_subsets(product);
    if (!of.empty()) out = of.back();
    return true;
  }

  /// Some of the orders of a chain that has too many.
  void sample(Op op, Format format, const std::vector<std::vector<Valued>>& leaves, const std::vector<Factors>& products,
              ValueSet& out) {
    complete_ = false;
    struct Item {
      Valued value;
      const std::pair<Valued, Valued>* factors = nullptr;
    };
    const auto one_of = [&](const auto& list) { return numerics::split_mix(random_) % list.size(); };
    for (std::size_t k = 0; k < sampled_orders; ++k) {
      std::vector<Item> items;
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        const Factors& ways = products[i];
        items.push_back({leaves[i][one_of(leaves[i])], ways.empty() ? nullptr : &ways[one_of(ways)]});
      }
      while (items.size() > 1) {
        std::swap(items[one_of(items)], items.back());
        const Item a = items.back();
        items.pop_back();
        Item& b = items[one_of(items)];
        ValueSet joined;
        if (a.factors != nullptr && numerics::split_mix(random_) % 2 == 0)
          join(Op::fma, format, 3, a.factors->first, a.factors->second, b.value, joined);
        else join(op, format, 2, b.value, a.value, {}, joined);
        b = {joined.list().front(), nullptr};
      }
      out.add(items.front().value);
    }
  }

  bool chain(NodeNumber root, ValueSet& out) {
    std::vector<Structure::Term> terms;
    structure_.terms(root, false, terms);
    const Format format = circuit_[root].format;
    std::vector<std::vector<Valued>> leaves;
    std::vector<Factors> products;
    for (const Structure::Term& term : terms) {
      leaves.push_back(negated(values_[term.node], term.negative));
      products.push_back(factors(term.node, term.negative));
    }
    prunes_ = limits_.extremes && root == output_ &&
              std::ranges::all_of(leaves, [](const std::vector<Valued>& each) { return each.size() == 1; });
    if (leaves.size() > (prunes_ ? most_pruned_terms : limits_.terms)) {
      prunes_ = false;
      sample(Op::add, format, leaves, products, out);
      return true;
    }
    const auto of = subsets(leaves, [&](std::size_t left, std::size_t right, auto& sets, ValueSet& to) {
      for (const Valued& x : sets[left].list()) {
        for (const Valued& y : sets[right].list()) join(Op::add, format, 2, x, y, {}, to);
      }
      for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
        if (std::has_single_bit(one))
          contract(format, products[static_cast<std::size_t>(std::countr_zero(one))], sets[other].list(), to);
      }
    });
    if (!of.empty()) out = of.back();
    pruned_ |= prunes_;
    prunes_ = false;
    return true;
  }

  bool holds(std::uint32_t number) const {
    const worst::Condition& condition = circuit_.condition_of(number);
    if (!condition.compares()) {
      const bool left = holds(condition.left);
      if (condition.op == Op::logical_not) return !left;
      const bool right = holds(condition.right);
      return condition.op == Op::logical_and ? left && right : left || right;
    }
    const double a = values_[condition.left].front().value, b = values_[condition.right].front().value;
    switch (condition.op) {
      case Op::less: return a < b;
      case Op::less_equal: return a <= b;
      case Op::equal: return a == b;
      default: return a != b;
    }
  }

  const Circuit& circuit_;
  const Structure structure_;
  const Rewrites& rewrites_;
  const std::vector<double>& inputs_;
  const std::vector<std::string>& names_;
  const Limits limits_;
  const NodeNumber output_;
  const std::vector<NodeNumber> cone_;
  std::vector<std::vector<Valued>> values_;
  std::vector<Reads> reads_;
  Expressions expressions_;
  ValueSet found_;
  std::optional<NodeNumber> unknown_;
  std::uint64_t joins_ = 0, random_ = 1;
  bool complete_ = true;
  bool prunes_ = false, pruned_ = false;  ///< subsets of a chain's terms keep two values each
};

}  // namespace

Results results(const Circuit& circuit, NodeNumber output, const std::vector<double>& inputs,
                const std::vector<std::string>& names, const Rewrites& rewrites, const Limits& limits) {
  return Enumeration(circuit, output, inputs, names, rewrites, limits).run();
}

std::optional<double> as_written(const Circuit& circuit, NodeNumber output, const std::vector<double>& inputs) {
  const std::vector<std::string> names(inputs.size(), "x");
  const Results found = results(circuit, output, inputs, names, {});
  return found.unknown || found.results.empty() ? std::nullopt : std::optional(found.results.front().value);
}

bool may_be_rewritten(const Circuit& circuit, NodeNumber output, const Rewrites& rewrites) {
  const Structure structure(circuit, rewrites);
  return std::ranges::any_of(cone(circuit, output), [&](NodeNumber k) {
    const Node& node = circuit[k];
    if (structure.is_contracted(node)) return true;
    std::vector<Structure::Term> terms;
    if (is_sum(node) && structure.is_chain(k)) structure.terms(k, false, terms);
    std::vector<NodeNumber> factors;
    if (structure.is_product_chain(node)) structure.factors(k, factors);
    return terms.size() > 2 || factors.size() > 2;
  });
}

}  // namespace reckon::compilations
