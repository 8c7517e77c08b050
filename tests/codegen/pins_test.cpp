// Pins in PTX: obeyed, without which nothing would be another, or refused with who carries the stage out.
#include <functional>

#include "diagnostics/codes/not_available.h"
#include "tests/codegen/placed.h"

namespace reckon::codegen::testing {
namespace {

using enum ir::MachineLevel;
using ir::MachineLevel;
using ir::ScheduleId;
using ir::ScheduleOp;

/// An order of which some terms are pinned; `pin` pins one, or leaves it.
using Order = std::function<ScheduleId(Circuit& c, const std::function<ScheduleId(ScheduleId, MachineLevel)>& pin)>;

Expected<Compiled> compiled(const Order& order, bool pins, std::int64_t rows, std::optional<std::int64_t> length,
                            const CompiledSemantics* semantics = &float_code()) {
  Circuit c;
  const auto pin = [&](ScheduleId id, MachineLevel level) { return pins ? c.schedules().pinned(id, level) : id; };
  const ScheduleId schedule = order(c, pin);
  const IndexId n = length ? c.constant(*length) : c.dimension("n");
  if (rows == 0) {
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    c.result(c.reduce(Op::add, n, schedule, [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
  } else {
    const IndexId m = c.constant(rows);
    const NodeId x = c.parameter("x", Scalar::f32, {m, n});
    c.result(c.map({m}, [&](const std::vector<VariableId>& i) {
      return c.reduce(Op::add, n, schedule, [&](VariableId j) { return c.module.element(x, {c.at(i[0]), c.at(j)}); });
    }));
  }
  return compile(c.module, c.function, ptx("sm_90", semantics));
}

ScheduleId by_threads_and_warps(Circuit& c, const std::function<ScheduleId(ScheduleId, MachineLevel)>& pin) {
  ir::ScheduleStore& s = c.schedules();
  const ScheduleId lanes = pin(s.lanes(c.constant(1024), s.simple(ScheduleOp::seq)), thread);
  return s.then(lanes, s.then(pin(s.tile(c.constant(32), c.tree()), warp), pin(c.tree(), block)));
}
ScheduleId lanes_by_tree(Circuit& c, MachineLevel level,
                         const std::function<ScheduleId(ScheduleId, MachineLevel)>& pin) {
  return c.schedules().then(pin(c.schedules().lanes(c.constant(8), c.tree()), level), pin(c.tree(), warp));
}

}  // namespace

TEST_CASE("pins: what the compiler does anyway may be stated, and changes nothing") {
  struct Row {
    Order order;
    std::int64_t rows;
    std::optional<std::int64_t> length;
  };
  const Order by_runs = [](Circuit& c, const auto& pin) {
    ir::ScheduleStore& s = c.schedules();
    return s.then(pin(s.tile(c.constant(4096), by_threads_and_warps(c, pin)), block), pin(c.tree(), block));
  };
  const Order tree_of_grid = [](Circuit& c, const auto& pin) { return pin(c.tree(), grid); };
  const Order tree_of_block = [](Circuit& c, const auto& pin) { return pin(c.tree(), block); };
  const Order lanes_of_grid = [](Circuit& c, const auto& pin) { return lanes_by_tree(c, grid, pin); };
  const Order lanes_of_block = [](Circuit& c, const auto& pin) { return lanes_by_tree(c, block, pin); };
  const Row same[] = {{by_threads_and_warps, 0, {}},
                      {by_threads_and_warps, 100, 9000},
                      {by_runs, 0, {}},
                      {by_runs, 0, 1 << 20},
                      {tree_of_grid, 0, {}},
                      {tree_of_grid, 0, 1 << 22},
                      {lanes_of_grid, 0, {}},
                      {tree_of_block, 0, 2000},
                      {tree_of_block, 1000, {}},
                      {lanes_of_block, 600, 100'000}};
  for (const Row& row : same) {
    INFO(&row - same);
    const auto with = compiled(row.order, true, row.rows, row.length),
               without = compiled(row.order, false, row.rows, row.length);
    REQUIRE(with);
    REQUIRE(without);
    CHECK(with->assembly == without->assembly);
  }
}

TEST_CASE("pins: a block carries out what the grid would") {
  const Order order = [](Circuit& c, const auto& pin) { return pin(c.tree(), block); };
  const auto free = compiled(order, false, 0, 1 << 24), pinned = compiled(order, true, 0, 1 << 24);
  REQUIRE(free);
  REQUIRE(pinned);
  const auto counters = [](const Compiled& code) {
    return std::ranges::count(code.plan.buffers, Buffer::Role::counters, &Buffer::role);
  };
  CHECK(counters(*free) == 1);
  CHECK(counters(*pinned) == 0);
  CHECK(pinned->plan.kernels.size() == 1);
  CHECK(pinned->plan.kernels[0].block_items == 1);
}

TEST_CASE("pins: where there is little to do, they hold all the same") {
  const Order trees[] = {[](Circuit& c, const auto& pin) { return pin(c.tree(), block); },
                         [](Circuit& c, const auto& pin) { return pin(c.tree(), grid); }, by_threads_and_warps};
  for (const std::int64_t length : {1, 6, 33, 300}) {
    for (const Order& order : trees) {
      for (const std::int64_t rows : {0, 1000}) {
        INFO(length << ' ' << &order - trees << ' ' << rows);
        const auto code = compiled(order, true, rows, length);
        REQUIRE(code);
        CHECK(code->plan.kernels[0].block_items == 1);
      }
    }
  }
}

TEST_CASE("pins: only `@thread`, and one thread does it all") {
  const auto code = compiled([](Circuit& c, const auto& pin) { return pin(c.tree(), thread); }, true, 0, 1 << 24);
  REQUIRE(code);
  CHECK(Counted(*code)("bar(rier\\.cta)?\\.sync") == 0);
  CHECK(Counted(*code)("shfl") == 0);
  const Order runs = [](Circuit& c, const auto& pin) {
    ir::ScheduleStore& s = c.schedules();
    const ScheduleId lanes = pin(s.lanes(c.constant(512), s.simple(ScheduleOp::seq)), thread);
    return s.then(s.tile(c.constant(4096), s.then(lanes, c.tree())), c.tree());
  };
  const auto of_runs = compiled(runs, true, 0, 1 << 20);
  REQUIRE(of_runs);
  CHECK(names(*of_runs) == std::vector<std::string>{"reckon_f_0"});
  CHECK(Counted(*of_runs)("bar(rier\\.cta)?\\.sync") == 0);
}

TEST_CASE("pins: others are refused, with who does it") {
  struct Row {
    Order order;
    std::int64_t rows;
    std::optional<std::int64_t> length;
    const char *message, *level;
  };
  const auto staged = [](MachineLevel first, MachineLevel second, MachineLevel last) -> Order {
    return [=](Circuit& c, const auto& pin) {
      ir::ScheduleStore& s = c.schedules();
      const ScheduleId lanes = pin(s.lanes(c.constant(1024), s.simple(ScheduleOp::seq)), first);
      return s.then(lanes, s.then(pin(s.tile(c.constant(32), c.tree()), second), pin(c.tree(), last)));
    };
  };
  const auto tree_of = [](MachineLevel level) -> Order {
    return [=](Circuit& c, const auto& pin) { return pin(c.tree(), level); };
  };
  const Order lanes_of_thread = [](Circuit& c, const auto& pin) { return lanes_by_tree(c, thread, pin); };
  const Order word_order = [](Circuit& c, const auto& pin) {
    return pin(c.schedules().simple(ScheduleOp::seq), block);
  };
  const Row rows[] = {
      {staged(block, warp, block),
       0,
       {},
       "`lanes(1024, seq) @block` is stated, and here one thread carries it out",
       "thread"},
      {staged(thread, block, block),
       0,
       {},
       "`tile(32, tree) @block` is stated, and here lanes of a warp carry it out",
       "warp"},
      {staged(thread, warp, grid), 0, {}, "`tree @grid` is stated, and here lanes of a warp carry it out", "warp"},
      {tree_of(warp), 0, 1 << 20, "`tree @warp` is stated, and here the threads of a block carry it out together",
       "block"},
      {tree_of(warp), 1000, 100, "`tree @warp` is stated, and here the threads of a block carry it out together",
       "block"},
      {lanes_of_thread,
       0,
       {},
       "`lanes(8, tree) @thread` is stated, and here the threads of a block carry it out together",
       "block"},
      {word_order, 0, 1 << 20, "`seq @block` is stated, and here one thread carries it out", "thread"},
  };
  for (const Row& row : rows) {
    INFO(row.message);
    const auto refused = compiled(row.order, true, row.rows, row.length);
    REQUIRE(!refused);
    CHECK(refused.error().code == code::not_available);
    CHECK(refused.error().message == row.message);
    REQUIRE(refused.error().helps.size() == 1);
    CHECK(refused.error().helps[0].find(std::string("pin it to `@") + row.level + "`") == 0);
  }
  // Under fpsan, where another order would do, pins are looked at, too.
  CHECK_FALSE(compiled(tree_of(warp), true, 0, 1 << 20, &fpsan_code(numerics::fpsan::now)));
  CHECK(compiled(tree_of(grid), true, 0, 1 << 20, &fpsan_code(numerics::fpsan::now)));
}

}  // namespace reckon::codegen::testing
