#include "check/parting.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "check/inputs.h"
#include "ir/op.h"

namespace reckon::check {
namespace {

constexpr std::int64_t max_parted_leaves = 4096;
constexpr std::size_t longest_text = 60;

struct Side {
  interp::Values leaves;
  ir::TreeId tree;
  ir::Op operation{};
  ir::Scalar scalar{};
};

/// A key for a set of leaves is the sum of its members' numbers, which are mixed by SplitMix64's finalizer.
std::uint64_t leaf_key(std::int64_t leaf) {
  std::uint64_t x = static_cast<std::uint64_t>(leaf) + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::optional<Side> prepare(ir::Module& module, const ir::Function& function, interp::Semantics& semantics,
                            const std::vector<interp::Argument>& arguments, const ir::Dimensions& given,
                            const std::vector<std::int64_t>& shape, std::int64_t element) {
  const auto sized = driver::at_shapes(module, function, interp::shapes_of(arguments), given);
  if (!sized) return std::nullopt;
  ir::Function concrete = *sized;
  ir::NodeId body = concrete.body;
  if (module[body].op == ir::Op::map) {
    const ir::Node map = module[body];
    if (map.variables.size() != shape.size()) return std::nullopt;
    const std::vector<std::int64_t> subscripts = subscripts_of(element, shape);
    ir::Module::Substitution place;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      place.indices.variables[map.variables[d]] = module.indices().constant(subscripts[d]);
    }
    body = module.substitute(map.operands[0], place);
  }
  const ir::Node reduce = module[body];
  if (reduce.op != ir::Op::reduce || module.reduction_of(reduce).user) return std::nullopt;
  const auto extent = module.indices().as_constant(reduce.indices[0]);
  if (!extent || *extent < 1 || *extent > max_parted_leaves) return std::nullopt;
  auto [tree, problem] = module.schedules().expand(module.reduction_of(reduce).schedule, *extent);
  if (problem) return std::nullopt;
  concrete.body = module.map({reduce.variables[0]}, {reduce.indices[0]}, reduce.operands[0]);
  concrete.result = module[concrete.body].type;
  auto leaves = interp::evaluate(module, concrete, semantics, arguments);
  if (!leaves) return std::nullopt;
  Side side;
  side.scalar = (*leaves)[0].scalar();
  side.leaves = std::move((*leaves)[0]);
  side.tree = tree;
  side.operation = module.reduction_of(reduce).operation;
  return side;
}

class Folder {
 public:
  Folder(ir::Module& module, interp::Semantics& semantics, Side& side)
      : trees_(module.schedules().trees()), semantics_(semantics), side_(side) {}

  struct Node {
    ir::TreeId tree;
    std::uint64_t leaves;
    const std::byte* value;
  };

  /// Returns every inner node in the order of evaluation.
  std::vector<Node> run() {
    inner_ = interp::Values(semantics_, side_.scalar, {std::max<std::int64_t>(trees_.leaf_count(side_.tree) - 1, 1)});
    std::vector<Node> out;
    // An explicit stack: a sequential tree is as deep as it has leaves.
    std::vector<std::pair<ir::TreeId, bool>> stack{{side_.tree, false}};
    std::vector<Node> done;
    while (!stack.empty()) {
      auto [id, joined] = stack.back();
      stack.pop_back();
      const ir::TreeNode node = trees_[id];
      if (node.leaf >= 0) {
        done.push_back({id, leaf_key(node.leaf), side_.leaves.at(node.leaf)});
        continue;
      }
      if (!joined) {
        stack.push_back({id, true});
        stack.push_back({node.right, false});
        stack.push_back({node.left, false});
        continue;
      }
      const Node right = done.back();
      done.pop_back();
      const Node left = done.back();
      done.pop_back();
      std::byte* value = inner_.data() + (inner_.at(static_cast<std::int64_t>(out.size())) - inner_.data());
      const interp::Rows operands[] = {{left.value, 0}, {right.value, 0}};
      if (semantics_.apply(side_.operation, side_.scalar, side_.scalar, operands, value, 0, 1, 1)) return {};
      out.push_back({id, left.leaves + right.leaves, value});
      done.push_back(out.back());
    }
    return out;
  }

 private:
  const ir::TreeStore& trees_;
  interp::Semantics& semantics_;
  Side& side_;
  interp::Values inner_;
};

std::string node_text(const ir::TreeStore& trees, ir::TreeId id) {
  const std::string text = trees.text(id);
  if (text.size() <= longest_text) return "`" + text + "`";
  return fmt::format("`{}...` ({} leaves)", text.substr(0, longest_text), trees.leaf_count(id));
}

}  // namespace

std::string find_parting(ir::Module& module, const ir::Function& left, const ir::Function& right,
                         interp::Semantics& semantics, const std::vector<interp::Argument>& arguments,
                         const ir::Dimensions& sizes, const interp::Values& result, std::int64_t element) {
  auto a = prepare(module, left, semantics, arguments, sizes, result.shape(), element);
  auto b = prepare(module, right, semantics, arguments, {}, result.shape(), element);
  if (!a || !b || a->leaves.count() != b->leaves.count() || a->scalar != b->scalar) return {};
  auto shown = [&](const std::byte* value) { return semantics.render(a->scalar, value).text; };
  for (std::int64_t i = 0; i < a->leaves.count(); ++i) {
    if (semantics.equal(a->scalar, a->leaves.at(i), b->leaves.at(i)) == interp::Truth::yes) continue;
    return fmt::format("leaf {} is {} on the left and {} on the right", i, shown(a->leaves.at(i)),
                       shown(b->leaves.at(i)));
  }
  if (a->operation != b->operation) return {};
  Folder left_folder(module, semantics, *a), right_folder(module, semantics, *b);
  const auto first = left_folder.run();
  const auto second = right_folder.run();
  std::map<std::uint64_t, const Folder::Node*> by_leaves;
  for (const Folder::Node& node : first) by_leaves[node.leaves] = &node;
  const ir::TreeStore& trees = module.schedules().trees();
  for (const Folder::Node& node : second) {
    auto found = by_leaves.find(node.leaves);
    if (found == by_leaves.end()) continue;
    if (semantics.equal(a->scalar, found->second->value, node.value) == interp::Truth::yes) continue;
    return fmt::format("over the same leaves, {} on the left is {}, and {} on the right is {}",
                       node_text(trees, found->second->tree), shown(found->second->value), node_text(trees, node.tree),
                       shown(node.value));
  }
  return {};
}

}  // namespace reckon::check
