// Which threads of a GPU carry out which reduction, and how they read. Bits: tests/gpu/agree.sh, and the emulator's
// tests.
#include "tests/codegen/placed.h"

namespace reckon::codegen::testing {
namespace {

NodeId total(Circuit& c, Scalar scalar, IndexId n, ir::ScheduleId schedule) {
  const NodeId x = c.parameter("x", scalar, {n});
  return c.reduce(Op::add, n, schedule, [&](VariableId i) { return c.module.element(x, {c.at(i)}); });
}

/// For each of the first dimension's values the sum over the second, or the other way round.
void sums(Circuit& c, IndexId m, IndexId n, bool of_columns, ir::ScheduleId schedule) {
  const NodeId x = c.parameter("x", Scalar::f32, of_columns ? std::vector{n, m} : std::vector{m, n});
  c.result(c.map({m}, [&](const std::vector<VariableId>& i) {
    return c.reduce(Op::add, n, schedule, [&](VariableId j) {
      return c.module.element(x, of_columns ? std::vector{c.at(j), c.at(i[0])} : std::vector{c.at(i[0]), c.at(j)});
    });
  }));
}

}  // namespace

TEST_CASE("place: a sum that stands alone is spread over the grid, in order") {
  for (const bool by_default : {true, false}) {
    Circuit c;
    c.result(total(c, Scalar::f32, c.dimension("n"), by_default ? c.schedules().default_order() : c.tree()));
    const Compiled compiled = placed(c);
    CHECK(names(compiled) == std::vector<std::string>{"reckon_f_0"});
    CHECK(compiled.plan.kernels[0].one_item);
    CHECK(compiled.plan.kernels[0].block_items == 1);
    // Four elements a load wherever the block row is whole.
    CHECK(Counted(compiled)("ld\\.global\\S*\\.v4\\.b32") >= 16);
    CHECK(Counted(compiled)("shfl\\.sync\\.bfly") > (by_default ? 0 : 32));
    // The last block of a group of runs, and of all groups, is found by a counter. No number is added by an atomic.
    CHECK(Counted(compiled)("atom\\.acq_rel\\.gpu\\.global\\.inc\\.u32") == 2);
    CHECK(Counted(compiled)("\\s(atom|red)\\.") == 2);
    CHECK(Counted(compiled)("bar(rier\\.cta)?\\.red\\.or\\.pred") == 2);
  }
}

TEST_CASE("place: runs of an order by tiles are blocks', and what is left is one's, too") {
  for (const std::int64_t length : {1 << 20, (1 << 20) + 1, 1 << 13}) {
    Circuit c;
    ir::ScheduleStore& s = c.schedules();
    const auto of_run = s.then(s.lanes(c.constant(256), s.simple(ir::ScheduleOp::seq)), c.tree());
    c.result(total(c, Scalar::f32, c.constant(length), s.then(s.tile(c.constant(1024), of_run), c.tree())));
    const Compiled compiled = placed(c);
    if (length == 1 << 13) {
      CHECK(names(compiled) == std::vector<std::string>{"reckon_f_0"});  // too few
    } else if (length == 1 << 20) {
      CHECK(names(compiled) == std::vector<std::string>{"reckon_f_0_runs", "reckon_f_0"});
    } else {
      CHECK(names(compiled) == std::vector<std::string>{"reckon_f_0_runs", "reckon_f_0_rest", "reckon_f_0"});
    }
  }
}

TEST_CASE("place: runs of unknown number are blocks', too, whose threads read ahead") {
  for (const bool in_turns : {false, true}) {
    Circuit c;
    ir::ScheduleStore& s = c.schedules();
    const ir::ScheduleId seq = s.simple(ir::ScheduleOp::seq);
    // Thread t adds four neighbours, and again four; or its four lanes.
    const ir::Arrangement turns{.run = {{4, 1}, {32, 1024}}, .runs = {{256, 4}}};
    const ir::ScheduleId by_threads = in_turns ? s.arrange(turns, seq) : s.lanes(c.constant(1024), seq);
    const ir::ScheduleId by_warps = s.then(s.tile(c.constant(32), c.tree()), seq);
    c.result(total(c, Scalar::f32, c.dimension("n"),
                   s.then(s.tile(c.constant(32768), s.then(by_threads, by_warps)), c.tree())));
    const Compiled compiled = placed(c);
    CHECK(names(compiled) == std::vector<std::string>{"reckon_f_0_runs", "reckon_f_0_rest", "reckon_f_0"});
    CHECK(compiled.plan.kernels[0].threads == 256);
    Compiled runs = compiled;
    runs.assembly.resize(runs.assembly.find(".entry reckon_f_0_rest"));
    CHECK(Counted(runs)("ld\\.global\\S*\\.v4\\.b32") == 8);
  }
}

TEST_CASE("place: known lengths need fewer passes over the grid, whose nodes are in buffers") {
  const auto buffers = [](std::int64_t n) {
    Circuit c;
    c.result(total(c, Scalar::f32, c.constant(n), c.schedules().default_order()));
    const Compiled compiled = placed(c);
    CHECK(compiled.plan.kernels.size() == 1);
    std::map<Buffer::Role, int> count;
    for (const Buffer& buffer : compiled.plan.buffers) ++count[buffer.role];
    return std::pair{count[Buffer::Role::intermediate], count[Buffer::Role::counters]};
  };
  CHECK(buffers(100) == std::pair{0, 0});
  CHECK(buffers(1 << 15) == std::pair{0, 0});
  CHECK(buffers(1 << 20) == std::pair{1, 1});
  CHECK(buffers(1 << 24) == std::pair{2, 1});
}

TEST_CASE("place: an order that is one chain is a block's, or of many a thread's, and under fpsan the grid's") {
  // Across memory the threads of a warp read neighbours; along it, a block moves the leaves of 32 chains.
  for (const bool of_columns : {true, false}) {
    Circuit many;
    sums(many, many.constant(8448), many.constant(4096), of_columns, many.seq());
    CHECK(placed(many).plan.kernels[0].block_items == (of_columns ? 0 : 32));
  }
  Circuit c;
  c.result(total(c, Scalar::f32, c.dimension("n"), c.seq()));
  CHECK(placed(c).plan.kernels[0].block_items == 1);
  CHECK_FALSE(placed(c).plan.kernels[0].one_item);
  const Kernel by_grid = placed(c, "sm_90", &fpsan_code(numerics::fpsan::now)).plan.kernels[0];
  CHECK(by_grid.block_items == 1);
  CHECK(by_grid.one_item);
}

TEST_CASE("place: rows are blocks', columns the lanes of warps") {
  for (const bool of_columns : {false, true}) {
    Circuit c;
    sums(c, c.constant(8192), c.constant(4096), of_columns, c.schedules().default_order());
    const Compiled compiled = placed(c);
    // Blocks share long columns, whose parts a second kernel joins.
    REQUIRE(compiled.plan.kernels.size() == (of_columns ? 2U : 1U));
    // A lane has a column, whose neighbours are those of other lanes; a thread of a row reads four neighbours.
    CHECK(compiled.plan.kernels[0].block_items == (of_columns ? 32U : 1U));
    CHECK(Counted(compiled)(of_columns ? "ld\\.global\\S*\\.b32" : "ld\\.global\\.L2::cache_hint\\.v4\\.b32") >= 4);
    if (!of_columns) CHECK(Counted(compiled)("createpolicy\\S*evict_first") == 1);
    Circuit short_ones;
    sums(short_ones, short_ones.constant(8192), short_ones.constant(64), of_columns,
         short_ones.schedules().default_order());
    const Kernel short_kernel = placed(short_ones).plan.kernels[0];
    // A warp has a short row, and warps share a short column; of more of them each is a thread's.
    CHECK(short_kernel.block_items == (of_columns ? 32U : 1U));
    if (!of_columns) CHECK(short_kernel.threads == 32);
    Circuit many;
    sums(many, many.constant(1 << 16), many.constant(64), of_columns, many.schedules().default_order());
    // Of many short rows each is a thread's, and a block brings them.
    CHECK(placed(many).plan.kernels[0].block_items == (of_columns ? 0U : 64U));
    Circuit shorter;
    sums(shorter, shorter.constant(8192), shorter.constant(31), of_columns, shorter.schedules().default_order());
    CHECK(placed(shorter).plan.kernels[0].block_items == 0);
  }
}

TEST_CASE("place: columns of unknown length are one block's, a column a lane's") {
  Circuit c;
  sums(c, c.constant(8192), c.dimension("m"), true, c.schedules().default_order());
  const Compiled compiled = placed(c);
  REQUIRE(compiled.plan.kernels.size() == 1);
  CHECK(compiled.plan.kernels[0].block_items == 32);
}

TEST_CASE("place: from sm_90 on a kernel waits by itself for the one before, and reads what that wrote after it") {
  for (const char* chip : {"sm_80", "sm_90"}) {
    Circuit c;
    sums(c, c.constant(4096), c.constant(4096), true, c.schedules().default_order());
    const Compiled compiled = placed(c, chip);
    REQUIRE(compiled.plan.kernels.size() == 2);
    const bool able = std::string(chip) == "sm_90";
    CHECK(compiled.plan.kernels[0].overlaps == false);
    CHECK(compiled.plan.kernels[1].overlaps == able);
    const Counted count(compiled);
    CHECK(count("griddepcontrol\\.wait") == (able ? 1 : 0));
    CHECK(count("griddepcontrol\\.launch_dependents") == (able ? 1 : 0));
    if (!able) continue;
    // Nothing is read before the wait; and what other kernels wrote is no constant memory.
    std::istringstream lines(compiled.assembly);
    int loads_before = 0;
    bool entered = false, waited = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.find(".entry") != std::string::npos) {
        entered = line.find("_runs") == std::string::npos;
        waited = false;
      }
      if (line.find("griddepcontrol.wait") != std::string::npos) waited = true;
      if (!entered || line.find("ld.global") == std::string::npos) continue;
      loads_before += waited ? 0 : 1;
      CHECK(line.find(".nc") == std::string::npos);
    }
    CHECK(loads_before == 0);
  }
}

TEST_CASE("place: what follows from a row's reductions is done in the same pass") {
  for (const bool known : {true, false}) {
    // The row's sum, then each element divided by it.
    Circuit c;
    const IndexId m = c.dimension("m"), n = known ? c.constant(4096) : c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {m, n});
    const NodeId s = c.map({m}, [&](const std::vector<VariableId>& i) {
      return c.reduce(Op::add, n, c.schedules().default_order(), [&](VariableId j) {
        return c.module.element(x, {c.at(i[0]), c.at(j)});
      });
    });
    c.result(c.map({m, n}, [&](const std::vector<VariableId>& i) {
      return c.module.apply(Op::div,
                            {c.module.element(x, {c.at(i[0]), c.at(i[1])}), c.module.element(s, {c.at(i[0])})});
    }));
    const Compiled compiled = placed(c);
    REQUIRE(compiled.plan.kernels.size() == 1);
    CHECK(compiled.plan.kernels[0].block_items == 1);
    if (known) {
      // 16 elements for each of 256 threads, read once.
      CHECK(Counted(compiled)("ld\\.global") == 4);
      // Once more, in a loop, where the quick quotients may be wrong.
      CHECK(Counted(compiled)("st\\.global\\.v4\\.b32") == 5);
    }
  }
}

TEST_CASE(
    "place: a thread keeps its part of a row in registers, or in one array of shared memory if there is much code") {
  struct Row {
    Op function;
    std::int64_t length;
    bool in_registers;
    std::uint32_t threads;
    int at_once, stores;  // elements that the code has of the function, and of what is written
  };
  for (const auto& [function, length, in_registers, threads, at_once, stores] :
       {Row{Op::exp, 8192, true, 512, 16, 5}, Row{Op::exp2, 4096, true, 256, 16, 5},
        Row{Op::exp2, 8192, false, 256, 4, 1}}) {
    Circuit c;
    const IndexId m = c.dimension("m"), n = c.constant(length);
    const NodeId x = c.parameter("x", Scalar::f32, {m, n});
    const auto element = [&](NodeId of, VariableId i, VariableId j) {
      return c.module.element(of, {c.at(i), c.at(j)});
    };
    const auto of_rows = [&](Op op, NodeId of) {
      return c.map({m}, [&](const std::vector<VariableId>& i) {
        return c.reduce(op, n, c.schedules().default_order(), [&](VariableId j) { return element(of, i[0], j); });
      });
    };
    const auto with_row = [&](NodeId of, Op op, NodeId row) {
      return c.map({m, n}, [&](const std::vector<VariableId>& i) {
        return c.module.apply(op, {element(of, i[0], i[1]), c.module.element(row, {c.at(i[0])})});
      });
    };
    const NodeId shifted = with_row(x, Op::sub, of_rows(Op::max, x));
    const NodeId e = c.map({m, n}, [&](const std::vector<VariableId>& i) {
      return c.module.apply(function, {element(shifted, i[0], i[1])});
    });
    c.result(with_row(e, Op::div, of_rows(Op::add, e)));
    const Compiled compiled = placed(c);
    REQUIRE(compiled.plan.kernels.size() == 1);
    CHECK(compiled.plan.kernels[0].threads == threads);
    const auto row = static_cast<std::uint32_t>(in_registers ? 0 : length * 4);
    CHECK(compiled.plan.kernels[0].shared_bytes > row);
    CHECK(compiled.plan.kernels[0].shared_bytes <= row + 8192);
    // The row is read once, and written once.
    const Counted count(compiled);
    CHECK(count("ld\\.global\\.L2::cache_hint\\.v4\\.b32") == length / threads / 4);
    CHECK(count("fma\\.rn\\.f64.*0d3FF0000000000000") == at_once);
    CHECK(count("st\\.global\\.v4\\.b32") == stores);
    CHECK(compiled.plan.kernels[0].one_item);
  }
}

TEST_CASE("place: a reduction within elements is spread like any other") {
  // The mean of each row, and what lies above it.
  for (const char* what : {"mean", "rest"}) {
    Circuit c;
    const IndexId m = c.dimension("m"), n = c.constant(4096);
    const NodeId x = c.parameter("x", Scalar::f32, {m, n});
    const NodeId means = c.map({m}, [&](const std::vector<VariableId>& i) {
      const NodeId sum = c.reduce(Op::add, n, c.schedules().default_order(), [&](VariableId j) {
        return c.module.element(x, {c.at(i[0]), c.at(j)});
      });
      return c.module.apply(Op::div, {sum, c.module.apply(Op::sqrt, {sum})});
    });
    c.result(std::string(what) == "mean" ? means : c.map({m, n}, [&](const std::vector<VariableId>& i) {
      return c.module.apply(Op::sub,
                            {c.module.element(x, {c.at(i[0]), c.at(i[1])}), c.module.element(means, {c.at(i[0])})});
    }));
    const Compiled compiled = placed(c);
    REQUIRE(compiled.plan.kernels.size() == 1);
    CHECK(compiled.plan.kernels[0].block_items == 1);
    CHECK(Counted(compiled)("ld\\.global\\.\\S*\\.v4\\.b32") == 4);
  }
}

TEST_CASE("place: rows that need other rows are another kernel") {
  // Sums of rows, then the same again, or else (were they empty) the sum of the row at the other end.
  Circuit c;
  const IndexId m = c.dimension("m"), n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {m, n});
  const auto row = [&](VariableId i) {
    return c.fold(Op::add, n, c.tree(), [&](VariableId j) { return c.module.element(x, {c.at(i), c.at(j)}); });
  };
  const NodeId sums = c.map({m}, [&](const std::vector<VariableId>& i) { return c.module.reduce(row(i[0])); });
  c.result(c.map({m}, [&](const std::vector<VariableId>& i) {
    ir::IndexStore& indices = c.module.indices();
    ir::Module::Fold again = row(i[0]);
    again.body = c.module.apply(Op::mul, {again.body, c.module.element(sums, {c.at(i[0])})});
    again.otherwise = c.module.element(sums, {indices.subtract(indices.subtract(m, indices.constant(1)), c.at(i[0]))});
    return c.module.reduce(again);
  }));
  CHECK(placed(c).plan.kernels.size() == 2);
}

}  // namespace reckon::codegen::testing
