#include "api/circuit/sharing.h"

#include <algorithm>
#include <iterator>

namespace reckon::circuit {
namespace {

// What is shorter than this is written again rather than named: `x[i]`, `i + 1`, `lanes(128, tree) then tree`.
constexpr std::uint64_t short_value = 4;
constexpr std::uint64_t short_static = 12;
// A chain of operations is cut by a name before it is nested so deeply that reading it takes a large stack.
constexpr std::uint32_t highest = 200;
constexpr std::uint64_t very_large = std::uint64_t{1} << 60;

}  // namespace

bool is_leaf(const Node& node) {
  switch (node.kind) {
    case NodeKind::number:
    case NodeKind::bits:
    case NodeKind::boolean:
    case NodeKind::string:
    case NodeKind::name:
    case NodeKind::size:
    case NodeKind::index:
    case NodeKind::parameter:
    case NodeKind::circuit: return true;
    default: return false;
  }
}

Parts parts_of(const Node& node) {
  Parts out;
  // A parameter's type belongs to the head of its circuit.
  if (is_leaf(node)) return out;
  const bool binds = node.kind == NodeKind::binder || node.kind == NodeKind::length;
  for (const NodePointer& child : node.children) (binds ? out.inside : out.around).push_back(child.get());
  for (const NodePointer& range : node.ranges) {
    const bool bounded = range->kind == NodeKind::binary && range->children.size() == 2;
    out.bound.push_back(bounded ? range->children[0].get() : range.get());
    if (bounded) out.inside.push_back(range->children[1].get());
  }
  if (node.guard) out.inside.push_back(node.guard.get());
  for (const NodePointer* other : {&node.schedule, &node.otherwise, &node.operation, &node.start}) {
    if (*other) out.around.push_back(other->get());
  }
  return out;
}

Sharing::Sharing(const Node& root) {
  scopes_.push_back({});
  find_indices(root);
  visit(root);
  choose_names();
}

void Sharing::find_indices(const Node& root) {
  struct Frame {
    const Node* node;
    Parts parts;
    std::size_t next = 0;
  };
  sets_.push_back({});
  set_ids_[{}] = 0;
  std::vector<Frame> stack{{&root, parts_of(root)}};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const std::size_t around = frame.parts.around.size();
    if (frame.next < around + frame.parts.inside.size()) {
      const Node* child =
          frame.next < around ? frame.parts.around[frame.next] : frame.parts.inside[frame.next - around];
      ++frame.next;
      if (!free_.contains(child)) stack.push_back({child, parts_of(*child)});
      continue;
    }
    std::vector<const Node*> indices;
    const auto add = [&](const std::vector<const Node*>& more) {
      std::vector<const Node*> all;
      std::set_union(indices.begin(), indices.end(), more.begin(), more.end(), std::back_inserter(all));
      indices = std::move(all);
    };
    if (frame.node->kind == NodeKind::index) indices.push_back(frame.node);
    for (const Node* child : frame.parts.inside) add(sets_[free_.at(child)]);
    std::erase_if(indices, [&](const Node* index) {
      return std::find(frame.parts.bound.begin(), frame.parts.bound.end(), index) != frame.parts.bound.end();
    });
    for (const Node* child : frame.parts.around) add(sets_[free_.at(child)]);
    const auto [found, inserted] = set_ids_.try_emplace(indices, static_cast<std::uint32_t>(sets_.size()));
    if (inserted) sets_.push_back(indices);
    if (free_.try_emplace(frame.node, found->second).second) nodes_.push_back(frame.node);
    stack.pop_back();
  }
}

Occurrence Sharing::at(const Node& node, std::uint32_t scope) const {
  const std::vector<const Node*>& indices = sets_[free_.at(&node)];
  if (indices.empty()) return {&node, 0};
  for (; scope != 0; scope = scopes_[scope].parent) {
    const std::vector<const Node*>& bound = scopes_[scope].bound;
    if (std::any_of(bound.begin(), bound.end(),
                    [&](const Node* index) { return std::binary_search(indices.begin(), indices.end(), index); })) {
      break;
    }
  }
  return {&node, scope};
}

void Sharing::visit(const Node& root) {
  struct Frame {
    Occurrence at;
    Parts parts;
    std::uint32_t inside = 0;
    std::size_t next = 0;
  };
  std::vector<Frame> stack;
  const auto enter = [&](const Node& node, std::uint32_t scope) {
    const Occurrence here = at(node, scope);
    if (++facts_[here].uses > 1) return;
    Frame frame{here, parts_of(node)};
    if (!frame.parts.bound.empty()) {
      frame.inside = static_cast<std::uint32_t>(scopes_.size());
      scopes_.push_back({here.scope, &node, frame.parts.bound});
      bodies_[here] = frame.inside;
    }
    stack.push_back(std::move(frame));
  };
  enter(root, 0);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const std::size_t around = frame.parts.around.size(), k = frame.next++;
    if (k < around) {
      enter(*frame.parts.around[k], frame.at.scope);
    } else if (k < around + frame.parts.inside.size()) {
      enter(*frame.parts.inside[k - around], frame.inside);
    } else {
      finished_.push_back(frame.at);
      stack.pop_back();
    }
  }
}

void Sharing::choose_names() {
  named_.resize(scopes_.size());
  for (const Occurrence& here : finished_) {
    if (here.node->kind != NodeKind::part) continue;
    Fact& whole = facts_.at(at(*here.node->children[0], here.scope));
    ++whole.parts_taken;
    whole.arity = here.node->arity;
  }
  for (const Occurrence& here : finished_) {
    Fact& fact = facts_.at(here);
    const Node& node = *here.node;
    const Parts parts = parts_of(node);
    fact.size = 1;
    const auto add = [&](const Node* child, std::uint32_t scope) {
      const Fact& below = facts_.at(at(*child, scope));
      if (below.named || below.parts_taken > 0) {
        fact.size += 1;
        return;
      }
      fact.size = std::min(fact.size + below.size, very_large);
      fact.height = std::max(fact.height, below.height + 1);
    };
    for (const Node* child : parts.around) add(child, here.scope);
    for (const Node* child : parts.inside) add(child, bodies_.at(here));
    const bool shared = fact.uses > 1 && fact.size > (node.fixed ? short_static : short_value);
    const bool deep = fact.height >= highest && !node.fixed;
    const bool whole = fact.uses > fact.parts_taken;
    const bool apart = fact.parts_taken > 0;
    // A part of a tuple is a name already.
    const bool nameable = !is_leaf(node) && node.kind != NodeKind::part && node.kind != NodeKind::type;
    fact.named = nameable && whole && (shared || deep || apart || node.kind == NodeKind::let);
    if (fact.named || apart) named_[here.scope].push_back(here);
  }
}

}  // namespace reckon::circuit
