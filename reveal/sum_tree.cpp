#include "reveal/sum_tree.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace reckon::reveal {

SumTree::Node SumTree::leaf(std::int64_t number) {
  const auto node = static_cast<Node>(nodes_.size());
  nodes_.push_back({{}, number, 1, none});
  const auto index = static_cast<std::size_t>(number);
  if (leaf_nodes_.size() <= index) leaf_nodes_.resize(index + 1, none);
  leaf_nodes_[index] = node;
  return node;
}

SumTree::Node SumTree::join(std::vector<Node> children) {
  assert(children.size() >= 2);
  std::sort(children.begin(), children.end(), [&](Node a, Node b) { return nodes_[a].smallest < nodes_[b].smallest; });
  const auto node = static_cast<Node>(nodes_.size());
  NodeData data{{}, nodes_[children[0]].smallest, 0, none};
  for (const Node child : children) {
    data.leaves += nodes_[child].leaves;
    nodes_[child].parent = node;
  }
  data.children = std::move(children);
  nodes_.push_back(std::move(data));
  return node;
}

std::int64_t SumTree::meeting_size(std::int64_t a, std::int64_t b) const {
  // Parents have larger numbers than children, so the smaller of two nodes is never above the other.
  Node first = leaf_nodes_[static_cast<std::size_t>(a)], second = leaf_nodes_[static_cast<std::size_t>(b)];
  while (first != second) {
    if (first < second) first = nodes_[first].parent;
    else second = nodes_[second].parent;
  }
  return nodes_[first].leaves;
}

std::int64_t SumTree::multiway_nodes() const {
  return std::count_if(nodes_.begin(), nodes_.end(), [](const NodeData& node) { return node.children.size() > 2; });
}

bool SumTree::flat() const {
  const auto& children = nodes_[root_].children;
  return children.size() > 2 && static_cast<std::int64_t>(children.size()) == nodes_[root_].leaves;
}

std::string SumTree::text() const {
  // An explicit stack: a sequential sum is as deep as it has leaves.
  std::string out;
  std::vector<std::pair<Node, std::size_t>> stack{{root_, 0}};
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const auto& children = nodes_[node].children;
    if (children.empty()) {
      out += std::to_string(nodes_[node].smallest);
      stack.pop_back();
    } else if (next == children.size()) {
      out += ')';
      stack.pop_back();
    } else {
      out += next == 0 ? '(' : ' ';
      const Node child = children[next++];
      stack.emplace_back(child, 0);
    }
  }
  return out;
}

std::optional<ir::TreeId> SumTree::binary(ir::TreeStore& store) const {
  std::vector<ir::TreeId> made(nodes_.size());
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const auto& children = nodes_[node].children;
    if (children.size() > 2) return std::nullopt;
    made[node] =
        children.empty() ? store.leaf(nodes_[node].smallest) : store.pair(made[children[0]], made[children[1]]);
  }
  return made[root_];
}

SumTree SumTree::of(const ir::TreeStore& store, ir::TreeId tree) {
  SumTree out;
  std::map<ir::TreeId, Node> made;
  std::vector<ir::TreeId> stack{tree};
  while (!stack.empty()) {
    const ir::TreeId id = stack.back();
    const ir::TreeNode& node = store[id];
    if (node.leaf >= 0) {
      made[id] = out.leaf(node.leaf);
      stack.pop_back();
      continue;
    }
    const auto left = made.find(node.left), right = made.find(node.right);
    if (left != made.end() && right != made.end()) {
      made[id] = out.join({left->second, right->second});
      stack.pop_back();
      continue;
    }
    if (right == made.end()) stack.push_back(node.right);
    if (left == made.end()) stack.push_back(node.left);
  }
  out.set_root(made[tree]);
  return out;
}

std::optional<SumTree> SumTree::parse(std::string_view text) {
  SumTree out;
  std::vector<std::vector<Node>> open{{}};
  std::vector<bool> seen;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ') {
      ++at;
    } else if (c == '(') {
      open.emplace_back();
      ++at;
    } else if (c == ')') {
      if (open.size() < 2 || open.back().size() < 2) return std::nullopt;
      const Node node = out.join(std::move(open.back()));
      open.pop_back();
      open.back().push_back(node);
      ++at;
    } else if (c >= '0' && c <= '9') {
      std::size_t number = 0;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
        number = number * 10 + static_cast<std::size_t>(text[at] - '0');
        if (number > text.size()) return std::nullopt;  // n leaves take more than n characters
      }
      if (seen.size() <= number) seen.resize(number + 1);
      if (seen[number]) return std::nullopt;
      seen[number] = true;
      open.back().push_back(out.leaf(static_cast<std::int64_t>(number)));
    } else {
      return std::nullopt;
    }
  }
  if (open.size() != 1 || open[0].size() != 1) return std::nullopt;
  if (std::find(seen.begin(), seen.end(), false) != seen.end()) return std::nullopt;
  out.set_root(open[0][0]);
  return out;
}

}  // namespace reckon::reveal
