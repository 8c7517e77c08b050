// Folding schedules against their written-out trees: the parenthesisation that the evaluator carried out, recorded by a
// symbolic semantics, must be ScheduleStore::expand's, for every combinator, length, batch and place in a map.
#include "diagnostics/codes/no_order.h"
#include "tests/interp/circuits.h"
#include "tests/interp/symbolic.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

/// NumPy's pairwise sum (docs/schedules.md, "Orders of libraries"), by `length` and a name that refers to itself.
ScheduleId numpy_order(Circuit& c) {
  auto& index = c.index();
  const ir::SymbolId name = c.module.symbol("numpy");
  const VariableId n = c.module.fresh_variable();
  const IndexId length = index.variable(n);
  const ScheduleId self = c.schedules().reference(name);
  const IndexId half = index.floor_div(length, c.constant(2));
  const IndexId at = index.subtract(half, index.floor_mod(half, c.constant(8)));
  const ScheduleId eight =
      c.schedules().conditional(index.equal(index.floor_mod(length, c.constant(8)), c.constant(0)),
                                c.then(c.lanes(8, c.seq()), c.tree()),
                                c.schedules().split(index.subtract(length, c.constant(1)), self, c.seq()));
  const ScheduleId body = c.schedules().conditional(
      index.less(length, c.constant(8)), c.seq(),
      c.schedules().conditional(index.less_equal(length, c.constant(128)), eight, c.schedules().split(at, self, self)));
  c.schedules().define(name, c.schedules().length(n, body));
  return self;
}

std::vector<ScheduleId> plain_schedules(Circuit& c) {
  auto stage = [&](ScheduleId a, ScheduleId b) { return c.schedules().stage_then(a, b); };
  return {
      c.seq(),
      c.tree(),
      c.halving(),
      c.split(5, c.tree(), c.seq()),
      c.split(1, c.seq(), c.halving()),
      c.split(13, c.halving(), c.split(4, c.seq(), c.tree())),
      c.then(c.tile(4, c.seq()), c.tree()),
      c.then(c.tile(1, c.seq()), c.halving()),
      c.then(c.tile(7, c.tree()), c.seq()),
      c.then(c.lanes(8, c.seq()), c.tree()),
      c.then(c.lanes(3, c.tree()), c.seq()),
      c.then(c.lanes(16, c.halving()), c.halving()),
      c.then(c.tile(9, c.then(c.lanes(4, c.seq()), c.tree())), c.seq()),
      c.then(c.lanes(4, c.then(c.tile(3, c.tree()), c.halving())), c.tree()),
      c.then(c.tile(6, c.split(2, c.seq(), c.tree())), c.halving()),
      c.then(stage(c.tile(3, c.seq()), c.lanes(4, c.tree())), c.seq()),
      c.then(stage(c.lanes(5, c.tree()), c.tile(2, c.seq())), c.halving()),
      c.then(stage(stage(c.tile(2, c.seq()), c.tile(2, c.tree())), c.tile(2, c.seq())), c.seq()),
      c.then(c.tile(20, c.halving()), c.then(c.lanes(2, c.seq()), c.seq())),
      c.then(c.tile(16, c.then(c.tile(5, c.halving()), c.tree())), c.split(2, c.seq(), c.seq())),
      c.schedules().default_order(),
  };
}

void check_order(Circuit& c, ScheduleId schedule, std::int64_t n, std::size_t batch, std::int64_t outer) {
  // for o < outer: sum i < n: (1000 * o + i)
  const NodeId body = c.map({c.constant(outer)}, [&](std::vector<VariableId> o) {
    return c.reduce(Op::add, c.constant(n), schedule, [&](VariableId i) {
      return c.module.index_value(c.index().add(c.index().multiply(c.constant(1000), c.at(o[0])), c.at(i)),
                                  Scalar::f32);
    });
  });
  c.result(body);
  SymbolicSemantics symbolic;
  auto values = c.run(symbolic, {}, {}, batch);
  REQUIRE(values);
  const auto expansion = c.schedules().expand(schedule, n);
  REQUIRE(!expansion.problem);
  for (std::int64_t o = 0; o < outer; ++o) {
    const ir::TreeId expected = symbolic.import(c.schedules().trees(), expansion.tree, 1000 * o);
    const ir::TreeId actual = symbolic.get((*values)[0].at(o));
    if (actual != expected) {
      FAIL(ir::schedule_text(c.module, schedule)
           << " for n = " << n << ", batch " << batch << ", outer " << o << "\n  expected "
           << symbolic.trees.text(expected) << "\n  actual   " << symbolic.trees.text(actual));
    }
  }
}

}  // namespace

TEST_CASE("every schedule is carried out as its tree says") {
  for (std::size_t batch : {1, 7, 64, 1024}) {
    for (std::int64_t n = 1; n <= 70; ++n) {
      Circuit c;
      auto schedules = plain_schedules(c);
      schedules.push_back(numpy_order(c));
      for (ScheduleId schedule : schedules) {
        check_order(c, schedule, n, batch, 1);
        if (n % 6 == 1 || n > 66) check_order(c, schedule, n, batch, 5);
      }
    }
  }
}

TEST_CASE("longer reductions keep their order over many batches") {
  for (std::int64_t n : {1000, 4096, 5001}) {
    Circuit c;
    auto schedules = plain_schedules(c);
    schedules.push_back(numpy_order(c));
    for (std::size_t s = 1; s < schedules.size(); ++s) check_order(c, schedules[s], n, 64, 2);
  }
}

TEST_CASE("a quoted tree is followed as written") {
  Circuit c;
  auto& trees = c.schedules().trees();
  auto leaf = [&](std::int64_t i) { return trees.leaf(i); };
  const ir::TreeId tree = trees.pair(trees.pair(leaf(3), trees.pair(leaf(0), leaf(4))), trees.pair(leaf(2), leaf(1)));
  const ScheduleId quoted = c.schedules().quoted(tree);
  for (std::size_t batch : {1, 1024}) {
    check_order(c, quoted, 5, batch, 3);
    check_order(c, c.then(c.tile(5, quoted), c.tree()), 25, batch, 2);
    check_order(c, c.then(c.lanes(5, c.seq()), quoted), 33, batch, 2);
  }
}

TEST_CASE("a user operation follows the same trees, left operand first") {
  for (std::size_t batch : {1, 7, 1024}) {
    for (std::int64_t n : {1, 2, 3, 5, 8, 13, 31, 64, 70}) {
      Circuit c;
      for (ScheduleId schedule : plain_schedules(c)) {
        const NodeId body = c.map({c.constant(3)}, [&](std::vector<VariableId> o) {
          return c.module.reduce(c.user_fold(
              c.constant(n), schedule,
              [&](VariableId i) {
                return c.module.index_value(c.index().add(c.index().multiply(c.constant(1000), c.at(o[0])), c.at(i)),
                                            Scalar::f32);
              },
              [&](NodeId left, NodeId right) {
                return c.module.apply(Op::add, {left, right});
              }));
        });
        c.result(body);
        SymbolicSemantics symbolic;
        auto values = c.run(symbolic, {}, {}, batch);
        REQUIRE(values);
        const auto expansion = c.schedules().expand(schedule, n);
        for (std::int64_t o = 0; o < 3; ++o) {
          REQUIRE(symbolic.get((*values)[0].at(o)) == symbolic.import(c.schedules().trees(), expansion.tree, 1000 * o));
        }
      }
    }
  }
}

TEST_CASE("a scan's elements are the reductions of its prefixes") {
  for (std::size_t batch : {1, 7, 1024}) {
    Circuit c;
    for (ScheduleId schedule : plain_schedules(c)) {
      const std::int64_t n = 37;
      // Closed, and inside a map where it depends on the outer index.
      const NodeId closed = c.module.scan(c.fold(Op::add, c.constant(n), schedule, [&](VariableId i) {
        return c.module.index_value(c.at(i), Scalar::f32);
      }));
      const NodeId nested = c.map({c.constant(3), c.constant(n)}, [&](std::vector<VariableId> v) {
        const NodeId scan = c.module.scan(c.fold(Op::add, c.constant(n), schedule, [&](VariableId i) {
          return c.module.index_value(c.index().add(c.index().multiply(c.constant(1000), c.at(v[0])), c.at(i)),
                                      Scalar::f32);
        }));
        return c.module.element(scan, {c.at(v[1])});
      });
      c.result(c.module.tuple({closed, nested}));
      SymbolicSemantics symbolic;
      auto values = c.run(symbolic, {}, {}, batch);
      REQUIRE(values);
      for (std::int64_t i = 0; i < n; ++i) {
        const ir::TreeId tree = c.schedules().expand(schedule, i + 1).tree;
        REQUIRE(symbolic.get((*values)[0].at(i)) == symbolic.import(c.schedules().trees(), tree, 0));
        for (std::int64_t o = 0; o < 3; ++o) {
          REQUIRE(symbolic.get((*values)[1].at(o * n + i)) == symbolic.import(c.schedules().trees(), tree, 1000 * o));
        }
      }
    }
  }
}

TEST_CASE("the known answers of WG21 P4016") {
  Circuit c;
  const IndexId n = c.constant(1'000'000);
  ir::Source source;
  source.kind = ir::Source::Kind::lcg;
  source.seed = c.constant(0x243F6A8885A308D3);
  const NodeId x = c.module.source(source, c.module.types().tensor(Scalar::f64, {n}));
  std::vector<NodeId> sums;
  for (std::int64_t lanes : {16, 128}) {
    sums.push_back(c.reduce(Op::add, n, c.then(c.lanes(lanes, c.tree()), c.tree()),
                            [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
  }
  c.result(c.module.tuple(sums));
  auto floating = semantics("float");
  auto values = c.run(*floating);
  REQUIRE(values);
  CHECK(floating->render(Scalar::f64, (*values)[0].data()).fields[2].second == "40618f71f6379380");
  CHECK(floating->render(Scalar::f64, (*values)[1].data()).fields[2].second == "40618f71f6379397");
}

TEST_CASE("an order that is none is an error") {
  Circuit c;
  c.result(c.reduce(Op::add, c.constant(4), c.schedules().simple(ir::ScheduleOp::any),
                    [&](VariableId i) { return c.module.index_value(c.at(i), Scalar::f32); }));
  auto values = c.run(*semantics("float"));
  REQUIRE(!values);
  CHECK(values.error().code == code::no_order);
}

TEST_CASE("splits may follow each other as often as there are leaves") {
  for (bool left : {true, false}) {
    Circuit c;
    const ir::SymbolId name = c.module.symbol("chain");
    const VariableId n = c.module.fresh_variable();
    const IndexId length = c.index().variable(n);
    const ScheduleId self = c.schedules().reference(name);
    const ScheduleId split = left ? c.schedules().split(c.index().subtract(length, c.constant(1)), self, c.seq())
                                  : c.schedules().split(c.constant(1), c.seq(), self);
    c.schedules().define(name, c.schedules().length(n, c.schedules().conditional(c.index().less(length, c.constant(2)),
                                                                                 c.seq(), split)));
    c.result(c.reduce(Op::add, c.constant(9000), self,
                      [&](VariableId i) { return c.module.index_value(c.at(i), Scalar::f64); }));
    auto floating = semantics("float");
    auto values = c.run(*floating);
    REQUIRE(values);
    CHECK(floating->render(Scalar::f64, (*values)[0].data()).text == "40495500");
  }
}
