// Matrix products by tiles: which reductions are carried out so, and what their PTX is like. Bits: tests/gpu/tiles.sh.
#include "tests/codegen/placed.h"

namespace reckon::codegen::testing {
namespace {

/// What a leaf is of a[i, l] and b[l, j].
using Leaf = std::function<NodeId(Circuit&, NodeId, NodeId)>;

struct Product {
  Scalar scalar = Scalar::f32;
  ir::ScheduleId schedule{};
  bool column_major = false;  ///< how both are stored
  Leaf leaf = [](Circuit& c, NodeId x, NodeId y) { return c.module.apply(Op::mul, {x, y}); };
  std::function<NodeId(Circuit&)> otherwise;
};

ir::ScheduleId fused(Circuit& c) { return c.schedules().fused(c.seq()); }

/// for i, j: sum l: leaf(a[i, l], b[l, j])
void product(Circuit& c, IndexId m, IndexId k, IndexId n, Product of) {
  const NodeId a = c.parameter("a", of.scalar, {m, k}), b = c.parameter("b", of.scalar, {k, n});
  if (of.column_major) {
    const auto leaf = [](IndexId id) { return ir::IndexTuple{id, {}}; };
    const auto stored = [&](IndexId rows, IndexId columns) {
      return ir::IndexLayout{{{}, {leaf(rows), leaf(columns)}}, {{}, {leaf(c.constant(1)), leaf(rows)}}};
    };
    c.function.parameters[0].storage = ir::Storage{stored(m, k), {}, {}};
    c.function.parameters[1].storage = ir::Storage{stored(k, n), {}, {}};
  }
  c.result(c.map({m, n}, [&](const std::vector<VariableId>& at) {
    auto fold = c.fold(Op::add, k, of.schedule, [&](VariableId l) {
      return of.leaf(c, c.module.element(a, {c.at(at[0]), c.at(l)}), c.module.element(b, {c.at(l), c.at(at[1])}));
    });
    if (of.otherwise) fold.otherwise = of.otherwise(c);
    return c.module.reduce(fold);
  }));
}

/// Accepted, and without a register in memory.
Compiled in_registers(Circuit& c, const CompiledSemantics* semantics = &float_code()) {
  Compiled compiled = placed(c, "sm_90", semantics);
  CHECK(check_with_ptxas(compiled.assembly, "sm_90").message.find("spill") == std::string::npos);
  return compiled;
}

bool is_tiled(const Compiled& compiled) {
  return compiled.plan.kernels[0].block_items == 1 && Counted(compiled)("bar\\.sync") > 0;
}

/// The loop over whole stages: it has the last barrier.
std::string loop_over_stages(const std::string& ptx) {
  const std::size_t last_barrier = ptx.rfind("bar.sync");
  REQUIRE(last_barrier != std::string::npos);
  const std::size_t label = ptx.rfind("\n$L__BB", last_barrier);
  const std::size_t branch = ptx.find("bra", last_barrier);
  return ptx.substr(label, branch - label);
}

}  // namespace

TEST_CASE("tiles: a large matrix product") {
  Circuit c;
  product(c, c.constant(4096), c.constant(4096), c.constant(4096), {.schedule = fused(c)});
  const Compiled compiled = in_registers(c);
  REQUIRE(compiled.plan.kernels.size() == 1);
  const Kernel& kernel = compiled.plan.kernels[0];
  CHECK(kernel.threads == 128);
  CHECK(kernel.block_items == 1);
  CHECK(extent_values(c.module, kernel.items, {}) == std::vector<std::int64_t>{32, 32});
  CHECK(kernel.shared_bytes <= 48 * 1024);
  CHECK(Counted(compiled)("\\.local") == 0);
  // 16 x 8 outputs of a thread, 16 leaves of a stage; 8 loads of 16 bytes bring the next one.
  const std::string loop = loop_over_stages(compiled.assembly);
  const auto in_loop = [&](const char* pattern) {
    const std::regex expression(pattern);
    return std::distance(std::sregex_iterator(loop.begin(), loop.end(), expression), std::sregex_iterator());
  };
  CHECK(in_loop("fma\\.rn\\.f32") == 16 * 8 * 16);
  CHECK(in_loop("bar\\.sync") == 1);
  CHECK(in_loop("ld\\.global\\.nc\\.v4") == 8);
  CHECK(in_loop("ld\\.global") == 8);
  CHECK(in_loop("ld\\.shared\\.v4") == 6 * 16);
  CHECK(in_loop("ld\\.shared") == 6 * 16);
  CHECK(Counted(compiled)("st\\.global\\.v4") == 16 * 8 / 4);
}

TEST_CASE("tiles: smaller ones where large ones would leave most of the chip idle") {
  Circuit c;
  product(c, c.constant(1024), c.constant(1024), c.constant(1024), {.schedule = fused(c)});
  const Compiled compiled = in_registers(c);
  CHECK(extent_values(c.module, compiled.plan.kernels[0].items, {}) == std::vector<std::int64_t>{16, 16});
}

TEST_CASE("tiles: fewer rows where large tiles would have few of them that are results") {
  const auto items = [](std::int64_t rows, std::int64_t columns) {
    Circuit c;
    product(c, c.constant(rows), c.constant(1025), c.constant(columns), {.schedule = fused(c)});
    const Compiled compiled = in_registers(c);
    return extent_values(c.module, compiled.plan.kernels[0].items, {});
  };
  CHECK(items(33, 4097) == std::vector<std::int64_t>{3, 129});  // 16 x 32
  CHECK(items(64, 4097) == std::vector<std::int64_t>{2, 129});  // 32 x 32
}

TEST_CASE("tiles: sizes that are known at run time only") {
  Circuit c;
  const IndexId m = c.dimension("m"), k = c.dimension("k"), n = c.dimension("n");
  const auto seven = [](Circuit& of) { return of.module.rational(7, Scalar::f32); };
  product(c, m, k, n, {.schedule = fused(c), .otherwise = seven});
  const Compiled compiled = in_registers(c);
  CHECK(is_tiled(compiled));
  std::map<ir::SymbolId, std::int64_t> sizes{
      {c.module.symbol("m"), 129}, {c.module.symbol("k"), 5}, {c.module.symbol("n"), 1}};
  CHECK(extent_values(c.module, compiled.plan.kernels[0].items, sizes) == std::vector<std::int64_t>{2, 1});
}

TEST_CASE("tiles: in every semantics, and every format") {
  const auto compiles = [](Scalar scalar, const CompiledSemantics* semantics) {
    INFO(ir::scalar_name(scalar) << " " << semantics->name());
    Circuit c;
    product(c, c.constant(300), c.dimension("k"), c.constant(500), {.scalar = scalar, .schedule = fused(c)});
    const Compiled compiled = placed(c, "sm_90", semantics);
    CHECK(is_tiled(compiled));
    CHECK(compiled.plan.kernels[0].shared_bytes <= 48 * 1024);
  };
  for (const Scalar scalar : {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16, Scalar::f8e4m3}) {
    compiles(scalar, &float_code());
  }
  for (const auto semantics : {&fpsan_code(numerics::fpsan::now), &interval_code(), &interval_f32_code(),
                               &padic_code()}) {
    compiles(Scalar::f32, semantics);
  }
}

TEST_CASE("tiles: chains of fma of f64 are joined by tensor cores that have the same bits") {
  const auto counted = [](const char* chip, Scalar scalar, const CompiledSemantics* semantics, bool fuses,
                          std::int64_t k = 4096) {
    Circuit c;
    product(c, c.constant(4096), c.constant(k), c.constant(4096),
            {.scalar = scalar, .schedule = fuses ? fused(c) : c.seq()});
    const Compiled compiled = placed(c, chip, semantics);
    const auto count = Counted(compiled)("mma\\.sync\\.aligned\\.m16n8k4\\.row\\.col\\.f64");
    const std::string remarks = check_with_ptxas(compiled.assembly, chip).message;
    CHECK((count == 0 || remarks.find("spill") == std::string::npos));
    return count;
  };
  // Tiles of 64 x 64 results in 4 warps, each of which has 2 x 4 instructions for four of the 8 leaves of a stage.
  CHECK(counted("sm_90", Scalar::f64, &float_code(), true) == 2 * 4 * 2);
  CHECK(counted("sm_90", Scalar::f64, &float_code(), true, 4097) == 2 * 4 * 2);
  CHECK(counted("sm_90", Scalar::f64, &float_code(), false) == 0);
  CHECK(counted("sm_90", Scalar::f32, &float_code(), true) == 0);
  CHECK(counted("sm_90", Scalar::f64, &fpsan_code(numerics::fpsan::now), true) == 0);
  for (const char* chip : {"sm_80", "sm_86", "sm_100", "sm_120"}) {
    CHECK(counted(chip, Scalar::f64, &float_code(), true) == 0);
  }
}

TEST_CASE("tiles: f16 operands are converted once for a block") {
  Circuit c;
  product(c, c.constant(4096), c.constant(4096), c.constant(4096),
          {.scalar = Scalar::f16, .schedule = fused(c), .leaf = [](Circuit& c, NodeId x, NodeId y) {
             return c.module.apply(Op::mul, {c.module.convert(x, Scalar::f32), c.module.convert(y, Scalar::f32)});
           }});
  const Compiled compiled = in_registers(c);
  CHECK(Counted(compiled)("cvt\\.f32\\.f16") == 2 * 32);
  CHECK(Counted(compiled)("ld\\.global\\.nc\\.v2|ld\\.global\\.nc\\.v4") >= 8);
}

TEST_CASE("tiles: operands stored by columns are read by columns") {
  Circuit c;
  product(c, c.constant(4096), c.constant(4096), c.constant(4096), {.schedule = fused(c), .column_major = true});
  const Compiled compiled = in_registers(c);
  CHECK(is_tiled(compiled));
  CHECK(Counted(compiled)("ld\\.global\\.nc\\.v4") == 16);
}

TEST_CASE("tiles: leaves that are no products") {
  const Leaf distance = [](Circuit& c, NodeId x, NodeId y) {
    return c.module.apply(Op::abs, {c.module.apply(Op::sub, {x, y})});
  };
  const Leaf root = [](Circuit& c, NodeId x, NodeId y) {
    return c.module.apply(Op::mul, {c.module.apply(Op::sqrt, {x}), y});
  };
  for (const Leaf& leaf : {distance, root}) {
    Circuit c;
    product(c, c.constant(512), c.constant(512), c.constant(4096), {.schedule = c.seq(), .leaf = leaf});
    const Compiled compiled = in_registers(c);
    CHECK(is_tiled(compiled));
    // A root is taken when a row is read, not for every output.
    CHECK(Counted(compiled)("sqrt\\.rn") <= 2 * 16);
  }
}

TEST_CASE("tiles: batches, and rows that are not the last dimension but one") {
  for (const bool heads_last : {false, true}) {
    Circuit c;
    const IndexId h = c.constant(8), m = c.dimension("m"), k = c.dimension("k"), n = c.dimension("n");
    const NodeId a = c.parameter("a", Scalar::f32, {h, m, k}), b = c.parameter("b", Scalar::f32, {h, k, n});
    const std::vector<IndexId> extents = heads_last ? std::vector{m, h, n} : std::vector{h, m, n};
    c.result(c.map(extents, [&](const std::vector<VariableId>& at) {
      const IndexId head = c.at(at[heads_last ? 1 : 0]), row = c.at(at[heads_last ? 0 : 1]);
      return c.reduce(Op::add, k, fused(c), [&](VariableId l) {
        return c.module.apply(Op::mul, {c.module.element(a, {head, row, c.at(l)}),
                                        c.module.element(b, {head, c.at(l), c.at(at[2])})});
      });
    }));
    const Compiled compiled = in_registers(c);
    REQUIRE(is_tiled(compiled));
    std::map<ir::SymbolId, std::int64_t> sizes{
        {c.module.symbol("m"), 300}, {c.module.symbol("k"), 5}, {c.module.symbol("n"), 130}};
    CHECK(extent_values(c.module, compiled.plan.kernels[0].items, sizes) == std::vector<std::int64_t>{8, 3, 2});
  }
}

TEST_CASE("tiles: runs of leaves are folded at the same time, and joined by another kernel") {
  const auto split = [](Circuit& c) { return c.then(c.tile(512, fused(c)), c.tree()); };
  const auto all_fused = [](Circuit& c) { return c.schedules().fused(c.then(c.tile(512, c.seq()), c.tree())); };
  const auto compiled = [](auto&& schedule, std::int64_t k) {
    Circuit c;
    product(c, c.constant(256), c.constant(k), c.constant(256), {.schedule = schedule(c)});
    return in_registers(c);
  };
  for (const std::int64_t k : {8192, 8000}) {
    const Compiled parts = compiled(split, k);
    CHECK(names(parts) == std::vector<std::string>{"reckon_f_0_runs", "reckon_f_0"});
    CHECK(is_tiled(parts));
    CHECK(Counted(parts)("add\\.rn\\.f32") >= 1);
    CHECK(names(compiled(all_fused, k)).size() == 2);
  }
  // One run is all; too many would fill memory.
  CHECK(names(compiled(split, 512)) == std::vector<std::string>{"reckon_f_0"});
  CHECK(is_tiled(compiled(split, 512)));
  CHECK_FALSE(is_tiled(compiled(split, 1 << 20)));
  // The last product is absorbed by the tree of runs.
  CHECK_FALSE(is_tiled(compiled(all_fused, 8193)));
  CHECK(is_tiled(compiled(split, 8193)));
}

TEST_CASE("tiles: what is done with a product is a kernel after it") {
  Circuit c;
  const IndexId n = c.constant(512);
  const NodeId a = c.parameter("a", Scalar::f32, {n, n}), b = c.parameter("b", Scalar::f32, {n, n});
  const NodeId bias = c.parameter("bias", Scalar::f32, {n});
  c.result(c.map({n, n}, [&](const std::vector<VariableId>& at) {
    const NodeId sum = c.reduce(Op::add, n, fused(c), [&](VariableId l) {
      return c.module.apply(Op::mul,
                            {c.module.element(a, {c.at(at[0]), c.at(l)}), c.module.element(b, {c.at(l), c.at(at[1])})});
    });
    return c.module.apply(Op::add, {sum, c.module.element(bias, {c.at(at[1])})});
  }));
  const Compiled compiled = in_registers(c);
  CHECK(names(compiled) == std::vector<std::string>{"reckon_f_0_inner1", "reckon_f_0"});
  CHECK(is_tiled(compiled));
}

TEST_CASE("tiles: not where they would change the order, or read no less") {
  const auto tiled = [](auto&& make, const CompiledSemantics* semantics = &float_code()) {
    Circuit c;
    make(c);
    return is_tiled(placed(c, "sm_90", semantics));
  };
  const auto of_size = [](std::int64_t m, std::int64_t k, std::int64_t n) {
    return [=](Circuit& c) { product(c, c.constant(m), c.constant(k), c.constant(n), {.schedule = c.seq()}); };
  };
  CHECK(tiled(of_size(64, 64, 64)));
  CHECK_FALSE(tiled(of_size(8, 64, 64)));
  CHECK_FALSE(tiled(of_size(64, 8, 64)));
  CHECK_FALSE(tiled(of_size(64, 64, 8)));
  const auto ordered = [](auto&& schedule) {
    return [=](Circuit& c) { product(c, c.constant(64), c.constant(64), c.constant(64), {.schedule = schedule(c)}); };
  };
  const auto by_tree = ordered([](Circuit& c) { return c.tree(); });
  CHECK_FALSE(tiled(by_tree));
  CHECK(tiled(by_tree, &fpsan_code(numerics::fpsan::now)));
  CHECK_FALSE(tiled(ordered([](Circuit& c) { return c.schedules().pinned(c.seq(), ir::MachineLevel::thread); })));
  // c[i, j, l] is read once only.
  CHECK_FALSE(tiled([](Circuit& c) {
    const IndexId n = c.constant(64);
    const NodeId x = c.parameter("x", Scalar::f32, {n, n, n});
    c.result(c.map({n, n}, [&](const std::vector<VariableId>& at) {
      return c.reduce(Op::add, n, c.seq(), [&](VariableId l) {
        return c.module.element(x, {c.at(at[0]), c.at(at[1]), c.at(l)});
      });
    }));
  }));
}

}  // namespace reckon::codegen::testing
