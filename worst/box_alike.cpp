// Nodes that have the same facts, because they do the same to operands that have the same facts: a sum of a million
// products over one range has some forty different nodes.
#include <array>
#include <bit>

#include "worst/box_bound.h"

namespace reckon::worst {

using ir::Op;

namespace {

/// What the facts of a node follow from: what it does, and to what.
struct Key {
  std::uint64_t does = 0;
  std::array<std::uint64_t, 3> to{};
  friend bool operator==(const Key&, const Key&) = default;
};

std::size_t hash_of(const Key& key) {
  std::uint64_t out = key.does;
  for (const std::uint64_t part : key.to) out = (std::rotl(out, 23) ^ part) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(out >> 40);
}

/// Whether the facts follow from those of the operands, and from how the operands are written down to the inputs, which
/// is the same where they have the same facts. What a `trunc` leaves of its own operand does not: it matters which node
/// that is.
bool follows_from_operands(const Circuit& circuit, const Node& node) {
  if (node.kind == Kind::flushed) return true;
  if (node.kind != Kind::operation && node.kind != Kind::exact) return false;
  switch (node.op) {
    case Op::add:
    case Op::mul:
    case Op::fma:
    case Op::neg:
    case Op::abs:
    case Op::min:
    case Op::max:
    case Op::minnum:
    case Op::maxnum:
    case Op::convert: return true;
    case Op::sub:
      return !is_operation(circuit[node.second], Op::trunc) && !is_operation(circuit[node.second], Op::round);
    default: return false;
  }
}

}  // namespace

void BoxBounds::share_facts(const Box& box) {
  struct Known {
    Key key;
    NodeNumber place = none;
  };
  // Of two keys that fall on one entry the later stays: what is computed twice for it costs time, and nothing else.
  std::vector<Known> known(1024);
  NodeNumber places = 0;
  for (NodeNumber number = 0; number < facts_at_.size(); ++number) {
    const Node& node = circuit_[number];
    Key key{.does = static_cast<std::uint64_t>(node.kind) | static_cast<std::uint64_t>(node.op) << 8 |
                    static_cast<std::uint64_t>(node.format) << 24 | static_cast<std::uint64_t>(node.contracts) << 32};
    if (node.kind == Kind::input) {
      const Interval& range = box[node.first];
      key.to = {std::bit_cast<std::uint64_t>(range.low), std::bit_cast<std::uint64_t>(range.high),
                static_cast<std::uint64_t>(exact_inputs_[node.first] | varies_[number] << 1)};
    } else if (follows_from_operands(circuit_, node)) {
      const int count = arity(node);
      if (count > 1 && node.first == node.second) key.does |= std::uint64_t{1} << 40;
      const NodeNumber operands[] = {node.first, node.second, node.third};
      for (int k = 0; k < count; ++k) key.to[static_cast<std::size_t>(k)] = facts_at_[operands[k]];
    } else {
      facts_at_[number] = places++;
      continue;
    }
    Known& entry = known[hash_of(key) % known.size()];
    if (entry.place == none || !(entry.key == key)) entry = {key, places++};
    facts_at_[number] = entry.place;
  }
  facts_.resize(places);
  if (has_more_) more_.resize(places);
}

}  // namespace reckon::worst
