// The circuit of which a bound holds for all that compilers may make of the circuit.
//
// Contraction replaces the rounding of a product and that of the addition by one rounding. A product has as many
// roundings of its own as there are additions that take it, since each may be contracted or not: so each addition gets a
// copy of the product. Its error lies between 0, if it is contracted, and the error of the rounded product. The addition
// is marked, and errs by no more than the worse of both (BoxBounds::round).
//
// A chain of more than two terms that may be added in any order is one block.
#include <algorithm>

#include "worst/circuit.h"

namespace reckon::worst {

using ir::Op;

NodeNumber Circuit::without_sign(NodeNumber node, bool& negative) const {
  while (is_operation(nodes_[node], Op::neg)) {
    node = nodes_[node].first;
    negative = !negative;
  }
  return node;
}

class Circuit::Compiler {
 public:
  Compiler(const Circuit& from, bool contracts, bool reassociates)
      : from_(from), contracts_(contracts), reassociates_(reassociates), renamed_(from.nodes_.size(), 0) {
    out_.places_ = from.places_;
    out_.constants_ = from.constants_;
    out_.inputs_ = from.inputs_;
    out_.folds_ = false;
  }

  Circuit run(std::vector<NodeNumber>& outputs, std::vector<std::uint32_t>& conditions) {
    const std::vector<std::uint8_t> read = reads(outputs, conditions);
    for (NodeNumber k = 0; k < from_.nodes_.size(); ++k) {
      if (read[k] == 0) continue;
      const auto before = static_cast<NodeNumber>(out_.nodes_.size());
      renamed_[k] = made(k);
      // Copies of products keep their own places.
      for (NodeNumber each = before; each < out_.nodes_.size(); ++each) {
        if (out_.nodes_[each].place == 0) out_.nodes_[each].place = from_.nodes_[k].place;
      }
    }
    for (NodeNumber& output : outputs) output = renamed_[output];
    for (std::uint32_t& each : conditions) each = condition(each);
    out_.placed_ = static_cast<NodeNumber>(out_.nodes_.size());
    return std::move(out_);
  }

 private:
  struct Term {
    NodeNumber node = 0;
    bool negative = false;
  };

  /// The nodes whose own values are needed: not those that only stand inside of chains.
  std::vector<std::uint8_t> reads(const std::vector<NodeNumber>& outputs,
                                  const std::vector<std::uint32_t>& conditions) const {
    std::vector<std::uint8_t> read(from_.nodes_.size(), 0), inside(read);
    for (const NodeNumber output : outputs) read[output] = 1;
    for (const std::uint32_t each : conditions) from_.visit_compared(each, [&](NodeNumber node) { read[node] = 1; });
    for (auto k = static_cast<NodeNumber>(from_.nodes_.size()); k-- > 0;) {
      if (read[k] == 0 && inside[k] == 0) continue;
      const Node& node = from_.nodes_[k];
      const NodeNumber operands[] = {node.first, node.second, node.third};
      for (int i = 0; i < arity(node); ++i) {
        bool negative = false;
        const NodeNumber base = from_.without_sign(operands[i], negative);
        if (reassociates_ && is_sum(node) && is_sum(from_.nodes_[base])) inside[base] = 1;
        else read[operands[i]] = 1;
      }
      if (is_operation(node, Op::select))
        from_.visit_compared(node.third, [&](NodeNumber compared) { read[compared] = 1; });
    }
    return read;
  }

  NodeNumber made(NodeNumber k) {
    Node node = from_.nodes_[k];
    if (is_sum(node)) return sum(k);
    const int count = arity(node);
    if (node.kind != Kind::input && node.kind != Kind::constant) {
      if (count > 0) node.first = renamed_[node.first];
      if (count > 1) node.second = renamed_[node.second];
      if (count > 2) node.third = renamed_[node.third];
    }
    if (is_operation(node, Op::select)) node.third = condition(node.third);
    if (node.kind == Kind::block) {
      Block block = from_.block_of(node);
      auto terms = std::make_shared<std::vector<NodeNumber>>();
      for (std::size_t t = 0; t < block.count; ++t) terms->push_back(renamed_[(*block.terms)[t]]);
      block.terms = std::move(terms);
      return out_.block(block, node.first, node.second, node.format);
    }
    return add(node);
  }

  NodeNumber add(const Node& node) {
    out_.nodes_.push_back(node);
    return static_cast<NodeNumber>(out_.nodes_.size() - 1);
  }

  /// The value as an operand of a sum: of a product a copy of its own, which may be contracted. `contracted` says
  /// whether it is one.
  NodeNumber operand(NodeNumber node, bool& contracted) {
    bool negative = false;
    const NodeNumber base = from_.without_sign(node, negative);
    contracted = contracts_ && is_operation(from_.nodes_[base], Op::mul);
    if (!contracted) return renamed_[node];
    Node product = from_.nodes_[base];
    product.first = renamed_[product.first];
    product.second = renamed_[product.second];
    const NodeNumber copy = add(product);
    return negative ? negated(copy) : copy;
  }
  NodeNumber negated(NodeNumber node) {
    return add({.kind = Kind::operation, .op = Op::neg, .format = out_.nodes_[node].format, .first = node});
  }

  void terms(NodeNumber root, bool minus, std::vector<Term>& out) const {
    const Node& node = from_.nodes_[root];
    for (const bool second : {false, true}) {
      bool negative = minus != (second && node.op == Op::sub);
      const NodeNumber base = from_.without_sign(second ? node.second : node.first, negative);
      if (is_sum(from_.nodes_[base])) terms(base, negative, out);
      else out.push_back({base, negative});
    }
  }

  NodeNumber sum(NodeNumber k) {
    Node node = from_.nodes_[k];
    if (reassociates_) {
      std::vector<Term> all;
      terms(k, false, all);
      if (all.size() > 2) return in_any_order(all, node.format);
    }
    bool first = false, second = false;
    node.first = operand(node.first, first);
    node.second = operand(node.second, second);
    node.contracts = static_cast<std::uint8_t>((first ? 1 : 0) | (second ? 2 : 0));
    return add(node);
  }

  NodeNumber in_any_order(const std::vector<Term>& all, Format format) {
    auto operands = std::make_shared<std::vector<NodeNumber>>();
    for (const Term& term : all) {
      bool contracted = false;
      const NodeNumber made = operand(term.node, contracted);
      operands->push_back(term.negative ? negated(made) : made);
    }
    NodeNumber total = operands->front(), scale = out_.exact(Op::abs, total, total);
    for (std::size_t k = 1; k < operands->size(); ++k) {
      const NodeNumber one = (*operands)[k];
      total = out_.exact(Op::add, total, one);
      scale = out_.exact(Op::add, scale, out_.exact(Op::abs, one, one));
    }
    const std::size_t count = operands->size();
    return out_.block({.rule = Block::Rule::any_order, .terms = std::move(operands), .count = count}, total, scale,
                      format);
  }

  std::uint32_t condition(std::uint32_t number) {
    Condition made = from_.conditions_[number];
    if (made.compares()) {
      made.left = renamed_[made.left];
      made.right = renamed_[made.right];
    } else {
      made.left = condition(made.left);
      if (made.op != Op::logical_not) made.right = condition(made.right);
    }
    return out_.condition(made);
  }

  const Circuit& from_;
  const bool contracts_, reassociates_;
  std::vector<NodeNumber> renamed_;
  Circuit out_;
};

Circuit Circuit::compiled(bool contracts, bool reassociates, std::vector<NodeNumber>& outputs,
                          std::vector<std::uint32_t>& conditions) const {
  return Compiler(*this, contracts, reassociates).run(outputs, conditions);
}

std::optional<NodeNumber> Circuit::not_compiled(bool contracts, bool reassociates) const {
  const auto is_product = [&](NodeNumber node) {
    bool negative = false;
    return is_operation(nodes_[without_sign(node, negative)], Op::mul);
  };
  for (NodeNumber k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    // The additions of a compensated sum are no operations here.
    const bool sum_of_products = node.kind == Kind::residual &&
                                 (is_product(nodes_[node.first].first) || is_product(nodes_[node.first].second));
    const bool kahan = node.kind == Kind::block && block_of(node).rule == Block::Rule::kahan;
    const bool kahan_of_products =
        kahan && std::any_of(block_of(node).terms->begin(), block_of(node).terms->end(), is_product);
    if (contracts && (sum_of_products || kahan_of_products)) return k;
    if (reassociates && (node.kind == Kind::residual || kahan)) return k;
    // A product of three factors may underflow or overflow in one order and not in another.
    if (reassociates && is_operation(node, Op::mul) && (is_product(node.first) || is_product(node.second))) return k;
  }
  return std::nullopt;
}

}  // namespace reckon::worst
