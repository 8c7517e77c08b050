// The same circuit in other formats.
#include <map>

#include "worst/circuit.h"

namespace reckon::worst {

using ir::Op;

Circuit Circuit::retyped(const std::vector<Format>& formats, std::vector<NodeNumber>& outputs,
                         std::vector<std::uint32_t>& conditions) const {
  constexpr std::uint32_t none = ~0u;
  Circuit out(mode_);
  out.places_ = places_;
  out.inputs_ = inputs_;
  out.folds_ = folds_;
  std::vector<NodeNumber> renamed(nodes_.size(), 0);
  std::vector<std::uint32_t> known(conditions_.size(), none);
  // The sums of a loop share their terms, and each has some more of them than the last one.
  std::map<const void*, std::shared_ptr<std::vector<NodeNumber>>> terms;
  const auto in = [&](NodeNumber node, Format format) {
    const NodeNumber mine = renamed[node];
    if (out.nodes_[mine].format == format && nodes_[node].kind != Kind::exact) return mine;
    if (nodes_[node].kind == Kind::constant && constant_of(nodes_[node]).is_exact) {
      const Constant& constant = constant_of(nodes_[node]);
      return out.number(constant.real, constant.named, format);
    }
    return out.operation(Op::convert, format, mine);
  };
  const auto as_written = [&](NodeNumber node) {
    return nodes_[node].kind == Kind::exact ? renamed[node] : in(node, nodes_[node].format);
  };
  const auto condition = [&](auto&& self, std::uint32_t number) -> std::uint32_t {
    if (known[number] != none) return known[number];
    Condition made = conditions_[number];
    if (made.compares()) {
      made.left = renamed[made.left];
      made.right = renamed[made.right];
    } else {
      made.left = self(self, made.left);
      if (made.op != Op::logical_not) made.right = self(self, made.right);
    }
    return known[number] = out.condition(made);
  };
  for (NodeNumber k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    const std::size_t before = out.nodes_.size();
    const Format format = formats[k];
    switch (node.kind) {
      case Kind::input: renamed[k] = out.make(node); break;
      case Kind::constant: renamed[k] = out.constant(constant_of(node), node.format); break;
      case Kind::difference: renamed[k] = out.difference(renamed[node.first], renamed[node.second]); break;
      // Of a sum that is not rounded, and of a block, the terms keep their formats.
      case Kind::exact: renamed[k] = out.exact(node.op, as_written(node.first), as_written(node.second)); break;
      case Kind::block: {
        Block block = block_of(node);
        auto& mine = terms[block.terms.get()];
        if (!mine) mine = std::make_shared<std::vector<NodeNumber>>();
        while (mine->size() < block.count) mine->push_back(as_written((*block.terms)[mine->size()]));
        block.terms = mine;
        renamed[k] = out.block(block, as_written(node.first), as_written(node.second), node.format);
        break;
      }
      case Kind::flushed: renamed[k] = out.flushed(in(node.first, node.format)); break;
      case Kind::residual: renamed[k] = out.residual(renamed[node.first]); break;
      case Kind::operation:
        if (node.op == Op::convert) {
          renamed[k] = in(node.first, format);
        } else if (node.op == Op::select) {
          renamed[k] = out.operation(node.op, format, in(node.first, format), in(node.second, format),
                                     condition(condition, node.third));
        } else {
          const int count = arity(node);
          renamed[k] = out.operation(node.op, format, in(node.first, format), count > 1 ? in(node.second, format) : 0,
                                     count > 2 ? in(node.third, format) : 0);
        }
        break;
    }
    for (std::size_t made = before; made < out.nodes_.size(); ++made) out.nodes_[made].place = node.place;
  }
  for (NodeNumber& output : outputs) output = in(output, nodes_[output].format);
  for (std::uint32_t& each : conditions) each = condition(condition, each);
  out.placed_ = static_cast<NodeNumber>(out.nodes_.size());
  return out;
}

}  // namespace reckon::worst
