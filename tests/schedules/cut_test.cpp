// Cuts of schedules: the subtrees and the order that joins them make up the schedule's own tree, which the expansion of
// the definitions (ir/schedule/tree.cpp) gives independently.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "ir/schedule/cut.h"
#include "ir/schedule/order.h"

using namespace reckon;
using ir::ScheduleId;
using ir::ScheduleOp;

namespace {

/// The tree with other trees in place of its leaves.
ir::TreeId with_leaves(ir::TreeStore& trees, ir::TreeId tree, const std::vector<ir::TreeId>& leaves) {
  const ir::TreeNode node = trees[tree];
  if (node.leaf >= 0) return leaves[static_cast<std::size_t>(node.leaf)];
  const ir::TreeId left = with_leaves(trees, node.left, leaves);
  return trees.pair(left, with_leaves(trees, node.right, leaves));
}

/// The tree that the cut's parts make up.
ir::TreeId put_together(ir::ScheduleStore& schedules, const ir::Cut& cut) {
  ir::TreeStore& trees = schedules.trees();
  std::vector<ir::TreeId> nodes;
  for (const ir::Cut::Group& group : cut.groups) {
    for (std::int64_t j = 0; j < group.count; ++j) {
      std::vector<ir::TreeId> leaves;
      for (std::int64_t t = 0; t < group.leaves; ++t) {
        leaves.push_back(trees.leaf(group.leaf<std::int64_t>(j, t)));
        // Code computes the same number.
        ir::IndexStore& indices = schedules.indices();
        const auto constant = [&](std::int64_t value) { return ir::IndexTerm(indices, indices.constant(value)); };
        CHECK(indices.as_constant(group.leaf(constant(j), constant(t)).id()) == group.leaf<std::int64_t>(j, t));
      }
      const auto tree = schedules.expand(group.order, group.leaves);
      REQUIRE_FALSE(tree.problem);
      nodes.push_back(with_leaves(trees, tree.tree, leaves));
    }
  }
  const auto join = schedules.expand(cut.join, static_cast<std::int64_t>(nodes.size()));
  REQUIRE_FALSE(join.problem);
  return with_leaves(trees, join.tree, nodes);
}

struct Named {
  std::string text;
  ScheduleId schedule;
};

std::vector<Named> schedules_of(ir::Module& module) {
  ir::ScheduleStore& s = module.schedules();
  const auto k = [&](std::int64_t value) { return module.indices().constant(value); };
  const ScheduleId seq = s.plain(ScheduleOp::seq), tree = s.plain(ScheduleOp::tree);
  const ScheduleId halving = s.simple(ScheduleOp::halving), blelloch = s.simple(ScheduleOp::blelloch);
  // length n: if n < 8 { seq } else { split(n // 2, self, self) }
  const ir::SymbolId self = module.symbol("pairwise");
  const ir::VariableId n{ir::VariableId::first_temporary + 7};
  ir::IndexStore& indices = module.indices();
  const ir::IndexId length = indices.variable(n);
  const ScheduleId pairwise = s.reference(self);
  const ScheduleId halves = s.split(indices.floor_div(length, k(2)), pairwise, pairwise);
  s.define(self, s.length(n, s.conditional(indices.less(length, k(8)), seq, halves)));
  std::vector<Named> out;
  const auto add = [&](ScheduleId schedule) { out.push_back({ir::schedule_text(module, schedule), schedule}); };
  for (ScheduleId each : {seq, tree, halving, blelloch, pairwise, s.default_order()}) add(each);
  for (ScheduleId inner : {seq, tree, halving}) {
    for (ScheduleId outer : {seq, tree, halving, blelloch, pairwise}) {
      add(s.then(s.tile(k(4), inner), outer));
      add(s.then(s.lanes(k(5), inner), outer));
      add(s.then(s.tile(k(3), inner), s.then(s.lanes(k(4), seq), outer)));
      add(s.then(s.lanes(k(6), inner), s.then(s.tile(k(4), tree), outer)));
      add(s.then(s.tile(k(2), inner), s.then(s.lanes(k(8), tree), s.then(s.tile(k(3), seq), outer))));
    }
  }
  add(s.then(s.tile(k(50), s.then(s.lanes(k(4), seq), tree)), seq));
  add(s.split(k(7), tree, s.split(k(20), seq, halving)));
  add(s.fused(tree));
  add(s.then(s.tile(k(2), s.fused(seq)), s.fused(tree)));
  add(s.fused(s.then(s.lanes(k(3), seq), halving)));
  return out;
}

}  // namespace

TEST_CASE("the parts of a cut make up the schedule's tree") {
  ir::Module module;
  for (const auto& [text, schedule] : schedules_of(module)) {
    for (const std::int64_t n : {1, 2, 3, 5, 7, 8, 13, 16, 31, 33, 100, 257}) {
      for (const std::int64_t wanted : {1, 2, 3, 8, 24, 56, 400}) {
        INFO(text << ", " << n << " leaves, " << wanted << " nodes");
        const bool fused = module.schedules().operations(schedule).contains(ScheduleOp::fused);
        const auto cut = ir::cut(module.schedules(), schedule, n, wanted, fused);
        REQUIRE(cut);
        const auto whole = module.schedules().expand(schedule, n);
        REQUIRE_FALSE(whole.problem);
        REQUIRE(put_together(module.schedules(), *cut) == whole.tree);
      }
    }
  }
}

TEST_CASE("a cut has nodes for every rank wherever the tree has subtrees") {
  ir::Module module;
  ir::ScheduleStore& s = module.schedules();
  const std::int64_t n = 100'000'000, wanted = 32;
  const auto size = [&](std::int64_t value) { return module.indices().constant(value); };
  for (const ScheduleId schedule :
       {s.plain(ScheduleOp::tree), s.simple(ScheduleOp::halving), s.simple(ScheduleOp::blelloch), s.default_order(),
        s.then(s.tile(size(1000), s.plain(ScheduleOp::seq)), s.plain(ScheduleOp::tree))}) {
    INFO(ir::schedule_text(module, schedule));
    const auto cut = ir::cut(s, schedule, n, wanted, false);
    REQUIRE(cut);
    CHECK(cut->nodes() >= wanted);
    CHECK_FALSE(cut->of_leaves());
    CHECK(cut->groups.size() <= 2 * wanted);
    std::int64_t leaves = 0;
    for (const ir::Cut::Group& group : cut->groups) leaves += group.count * group.leaves;
    CHECK(leaves == n);
  }
  // A chain has none.
  const auto chain = ir::cut(s, s.plain(ScheduleOp::seq), n, wanted, false);
  REQUIRE(chain);
  CHECK(chain->of_leaves());
  CHECK(chain->nodes() == n);
}

TEST_CASE("no single product is the left sibling of a larger node, where products are absorbed") {
  ir::Module module;
  ir::ScheduleStore& s = module.schedules();
  const ScheduleId split =
      s.fused(s.split(module.indices().constant(1), s.plain(ScheduleOp::seq), s.plain(ScheduleOp::tree)));
  // ((0) (1 2 3 4)): the addition absorbs leaf 0, so that the rest must not be handed over as a number.
  const auto cut = ir::cut(s, split, 5, 2, true);
  REQUIRE(cut);
  CHECK(cut->of_leaves());
}
