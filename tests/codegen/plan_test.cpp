// Which buffers and kernels a circuit becomes, and whole circuits against the interpreter.
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

std::vector<std::string> roles(const Plan& plan) {
  std::vector<std::string> out;
  for (const Buffer& buffer : plan.buffers) {
    const char* names[] = {"parameter", "constant", "intermediate", "result"};
    out.push_back(names[static_cast<int>(buffer.role)]);
  }
  return out;
}

NodeId maximum(Circuit& c, IndexId n, const std::function<NodeId(VariableId)>& body) {
  return c.reduce(Op::max, n, c.schedules().default_order(), body);
}

/// softmax over rows of x[m, n].
void row_softmax(Circuit& c) {
  const IndexId m = c.dimension("m"), n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {m, n});
  c.result(c.map({m, n}, [&](const std::vector<VariableId>& v) {
    auto at = [&](VariableId j) { return c.module.element(x, {c.at(v[0]), c.at(j)}); };
    auto shifted = [&](VariableId j) {
      return c.module.apply(Op::exp,
                            {c.module.apply(Op::sub, {at(j), maximum(c, n, [&](VariableId k) { return at(k); })})});
    };
    const NodeId sum = c.reduce(Op::add, n, c.schedules().default_order(), shifted);
    return c.module.apply(Op::div, {shifted(v[1]), sum});
  }));
}

void softmax(Circuit& c) {
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  const NodeId most = maximum(c, n, [&](VariableId i) { return c.module.element(x, {c.at(i)}); });
  const NodeId e = c.map({n}, [&](const std::vector<VariableId>& i) {
    return c.module.apply(Op::exp, {c.module.apply(Op::sub, {c.module.element(x, {c.at(i[0])}), most})});
  });
  const NodeId sum =
      c.reduce(Op::add, n, c.schedules().default_order(), [&](VariableId i) { return c.module.element(e, {c.at(i)}); });
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    return c.module.apply(Op::div, {c.module.element(e, {c.at(i[0])}), sum});
  }));
}

}  // namespace

TEST_CASE("softmax keeps its maximum, its exponentials and their sum") {
  Circuit c;
  softmax(c);
  const Compiled compiled = must_compile(c);
  CHECK(roles(compiled.plan) ==
        std::vector<std::string>{"parameter", "intermediate", "intermediate", "intermediate", "result"});
  CHECK(compiled.plan.kernels.size() == 4);
  for (std::int64_t n : {1, 7, 128, 1000}) agree(c, {ordinary(Scalar::f32, {n}, 5)});
  agree(c, {edgy(Scalar::f32, {300}, 6)});
  agree(c, {edgy(Scalar::f32, {300}, 6)}, "fpsan");
}

TEST_CASE("row reductions become tensors over the rows") {
  Circuit c;
  row_softmax(c);
  const Compiled compiled = must_compile(c);
  CHECK(roles(compiled.plan) == std::vector<std::string>{"parameter", "intermediate", "intermediate", "result"});
  CHECK(compiled.plan.buffers[1].extents.size() == 1);
  agree(c, {ordinary(Scalar::f32, {5, 200}, 5)});
  agree(c, {ordinary(Scalar::f32, {33, 7}, 6)});
  agree(c, {ordinary(Scalar::f32, {33, 7}, 6)}, "fpsan");
  agree(c, {HostTensor(Scalar::f32, {0, 7})});
}

TEST_CASE("what one kernel computes by itself and a later one keeps is written before both read it") {
  // For the maximum, the sum of a row is needed once; for the elements beside it, once for each of three columns.
  for (const bool within_loop : {false, true}) {
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    const auto once = [&](NodeId y) {
      return c.map({n, c.constant(3)}, [&](const std::vector<VariableId>& v) {
        const auto at = [&](VariableId k) { return c.module.element(y, {c.at(k)}); };
        const NodeId sum = c.reduce(Op::add, n, c.seq(), [&](VariableId k) {
          return c.module.apply(Op::mul, {at(k), at(v[0])});
        });
        const NodeId most = maximum(c, n, [&](VariableId k) { return c.module.apply(Op::sub, {sum, at(k)}); });
        return c.module.apply(Op::add, {most, sum});
      });
    };
    if (!within_loop) {
      c.result(once(x));
    } else {
      const ir::TypeId type = c.module.types().tensor(Scalar::f32, {n});
      const VariableId round = c.module.fresh_variable(), state = c.module.fresh_variable();
      const NodeId rows = once(c.module.operand(state, type));
      const NodeId next = c.map({n}, [&](const std::vector<VariableId>& v) {
        return c.module.element(rows, {c.at(v[0]), c.constant(1)});
      });
      c.result(c.module.loop({round, c.constant(3), state, next, x}));
    }
    const Compiled compiled = must_compile(c);
    // The sum, the maximum of what it leaves, and the rest; for the loop also the start, the next state and the result.
    CHECK(compiled.plan.kernels.size() == (within_loop ? 6 : 3));
    agree(c, {ordinary(Scalar::f32, {7}, 3)});
    agree(c, {ordinary(Scalar::f32, {7}, 3)}, "fpsan");
  }
}

TEST_CASE("a matrix product is one kernel") {
  Circuit c;
  const IndexId m = c.dimension("m"), k = c.dimension("k"), n = c.dimension("n");
  const NodeId a = c.parameter("a", Scalar::f32, {m, k}), b = c.parameter("b", Scalar::f32, {k, n});
  c.result(c.map({m, n}, [&](const std::vector<VariableId>& v) {
    return c.reduce(Op::add, k, c.seq(), [&](VariableId p) {
      return c.module.apply(Op::mul,
                            {c.module.element(a, {c.at(v[0]), c.at(p)}), c.module.element(b, {c.at(p), c.at(v[1])})});
    });
  }));
  const Compiled compiled = must_compile(c);
  CHECK(compiled.plan.kernels.size() == 1);
  agree(c, {ordinary(Scalar::f32, {17, 50}, 1), ordinary(Scalar::f32, {50, 9}, 2)});
}

TEST_CASE("triangular sums stay where they are") {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  c.result(c.map({n, n}, [&](const std::vector<VariableId>& v) {
    const IndexId length = c.index().minimum(c.at(v[0]), c.constant(40));
    ir::Module::Fold fold = c.fold(Op::add, length, c.schedules().default_order(),
                                   [&](VariableId k) { return c.module.element(x, {c.at(k)}); });
    fold.otherwise = c.module.element(x, {c.at(v[1])});
    return c.module.apply(Op::add, {c.module.reduce(fold), c.module.element(x, {c.at(v[1])})});
  }));
  agree(c, {ordinary(Scalar::f32, {60}, 1)});
}

TEST_CASE("ragged loops with a reduction inside that depends on the outer index alone") {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n, n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& v) {
    const NodeId most = maximum(c, n, [&](VariableId k) { return c.module.element(x, {c.at(v[0]), c.at(k)}); });
    return c.reduce(Op::add, c.index().add(c.at(v[0]), c.constant(1)), c.tree(), [&](VariableId j) {
      const NodeId column = maximum(c, n, [&](VariableId k) { return c.module.element(x, {c.at(k), c.at(j)}); });
      return c.module.apply(Op::mul, {most, column});
    });
  }));
  agree(c, {ordinary(Scalar::f32, {23, 23}, 1)});
}

TEST_CASE("reductions of tuples by a function fill several buffers at once") {
  Circuit c;
  auto& m = c.module;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  const NodeId one = m.rational(1, Scalar::f32);
  for (const ScheduleId schedule :
       {c.seq(), c.tree(), c.halving(), c.schedules().default_order(), c.then(c.tile(9, c.tree()), c.seq())}) {
    const auto fold = c.user_fold(
        n, schedule,
        [&](VariableId i) {
          return m.tuple({m.element(x, {c.at(i)}), one});
        },
        [&](NodeId a, NodeId b) {
          const NodeId most = m.apply(Op::max, {m.get(a, 0), m.get(b, 0)});
          auto part = [&](NodeId v) {
            return m.apply(Op::mul, {m.get(v, 1), m.apply(Op::exp, {m.apply(Op::sub, {m.get(v, 0), most})})});
          };
          return m.tuple({most, m.apply(Op::add, {part(a), part(b)})});
        });
    const NodeId both = m.reduce(fold);
    c.result(both);
    const Compiled compiled = must_compile(c);
    REQUIRE(compiled.plan.kernels.size() == 1);
    CHECK(compiled.plan.kernels[0].outputs == 2);
    for (std::int64_t size : {1, 2, 5, 64, 200, 999}) agree(c, {ordinary(Scalar::f32, {size}, 9)});
    // Used inside a map, it is kept in two buffers.
    c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
      const NodeId shifted = m.apply(Op::sub, {m.element(x, {c.at(i[0])}), m.get(both, 0)});
      return m.apply(Op::div, {m.apply(Op::exp, {shifted}), m.get(both, 1)});
    }));
    agree(c, {ordinary(Scalar::f32, {200}, 10)});
    agree(c, {ordinary(Scalar::f32, {77}, 10)}, "fpsan");
  }
}

TEST_CASE("scans agree with the interpreter, alone, over rows and inside other circuits") {
  for (int which = 0; which < 5; ++which) {
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    const ScheduleId schedule = which == 0   ? c.seq()
                                : which == 1 ? c.tree()
                                : which == 2 ? c.halving()
                                : which == 3 ? c.schedules().default_order()
                                             : c.then(c.tile(4, c.seq()), c.tree());
    const NodeId scan = m.scan(c.fold(Op::add, n, schedule, [&](VariableId i) { return m.element(x, {c.at(i)}); }));
    c.result(scan);
    for (std::int64_t size : {1, 2, 7, 64, 300}) agree(c, {ordinary(Scalar::f32, {size}, 3)});
    // Backwards, and with a part of its own for each element.
    c.result(c.map({n, c.constant(3)}, [&](const std::vector<VariableId>& v) {
      const IndexId back = c.index().subtract(c.index().subtract(n, c.constant(1)), c.at(v[0]));
      const NodeId own = m.scan(c.fold(Op::max, n, schedule, [&](VariableId i) {
        return m.apply(Op::mul, {m.element(x, {c.at(i)}), m.element(x, {c.at(v[0])})});
      }));
      return m.apply(Op::add, {m.element(scan, {back}), m.element(own, {c.at(v[0])})});
    }));
    agree(c, {ordinary(Scalar::f32, {40}, 4)});
    // Over a ragged extent it is computed in place.
    c.result(c.map({n}, [&](const std::vector<VariableId>& v) {
      const NodeId own = m.scan(c.fold(Op::add, c.index().add(c.at(v[0]), c.constant(1)), schedule,
                                       [&](VariableId i) { return m.element(x, {c.at(i)}); }));
      return m.element(own, {c.index().floor_div(c.at(v[0]), c.constant(2))});
    }));
    agree(c, {ordinary(Scalar::f32, {40}, 4)});
  }
}

TEST_CASE("a scan of tuples fills several buffers") {
  Circuit c;
  auto& m = c.module;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  for (const ScheduleId schedule : {c.seq(), c.tree(), c.schedules().default_order()}) {
    const NodeId scan = m.scan(c.user_fold(
        n, schedule,
        [&](VariableId i) {
          return m.tuple({m.element(x, {c.at(i)}), m.index_value(c.at(i), Scalar::f32)});
        },
        [&](NodeId a, NodeId b) {
          const NodeId less = m.apply(Op::less, {m.get(a, 0), m.get(b, 0)});
          return m.tuple({m.apply(Op::select, {less, m.get(b, 0), m.get(a, 0)}),
                          m.apply(Op::select, {less, m.get(b, 1), m.get(a, 1)})});
        }));
    c.result(scan);
    agree(c, {ordinary(Scalar::f32, {100}, 8)});
    c.result(c.map({n}, [&](const std::vector<VariableId>& i) { return m.element(m.get(scan, 1), {c.at(i[0])}); }));
    agree(c, {ordinary(Scalar::f32, {100}, 8)});
  }
}

TEST_CASE("arrays, sources, parameters and scalars as results") {
  Circuit c;
  auto& m = c.module;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  const NodeId s = c.parameter("s", Scalar::f32);
  ir::Source source;
  source.kind = ir::Source::Kind::uniform;
  source.seed = c.constant(42);
  const NodeId random = m.source(source, m.types().tensor(Scalar::f32, {n}));
  const NodeId total = c.reduce(Op::add, n, c.seq(), [&](VariableId i) {
    return m.apply(Op::mul, {m.element(x, {c.at(i)}), m.element(random, {c.at(i)})});
  });
  const NodeId array = m.array({total, s, m.rational(mpq_class(1, 3), Scalar::f32)}, {3});
  const NodeId literals = m.array({m.rational(1, Scalar::f32), m.rational(mpq_class(1, 3), Scalar::f32)}, {2});
  const NodeId varying = c.map({n}, [&](const std::vector<VariableId>& i) {
    const NodeId here = m.array({m.element(x, {c.at(i[0])}), m.index_value(c.at(i[0]), Scalar::f32)}, {2});
    return m.element(here, {c.index().floor_mod(c.at(i[0]), c.constant(2))});
  });
  c.result(m.tuple({array, random, x, s, total, total, literals, varying,
                    m.apply(Op::sqrt, {m.element(array, {c.constant(1)})}), m.apply(Op::less, {s, total})}));
  HostTensor scalar(Scalar::f32, {});
  scalar.set_bits(0, 0x40000000);
  agree(c, {ordinary(Scalar::f32, {50}, 1), scalar});
  agree(c, {ordinary(Scalar::f32, {50}, 1), scalar}, "fpsan");
}

TEST_CASE("an empty reduction gives its `else` and reads nothing") {
  Circuit c;
  auto& m = c.module;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  ir::Module::Fold fold = c.fold(Op::add, n, c.schedules().default_order(), [&](VariableId i) {
    return m.apply(Op::mul, {m.element(x, {c.at(i)}), m.element(x, {c.at(i)})});
  });
  fold.otherwise = m.rational(7, Scalar::f32);
  c.result(m.reduce(fold));
  for (std::int64_t size : {0, 1, 9}) agree(c, {ordinary(Scalar::f32, {size}, 2)});
}

TEST_CASE("long chains of operations need no deep recursion") {
  Circuit c;
  auto& m = c.module;
  const NodeId s = c.parameter("s", Scalar::f32);
  NodeId value = s;
  for (int k = 0; k < 4000; ++k) value = m.apply(k % 2 ? Op::mul : Op::add, {value, s});
  c.result(value);
  HostTensor scalar(Scalar::f32, {});
  scalar.set_bits(0, 0x3f000001);
  agree(c, {scalar});
}

}  // namespace reckon::codegen::testing
