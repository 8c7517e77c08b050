// Reductions along every schedule: the compiled fold against the tree, written out and evaluated node by node.
#include "diagnostics/codes/not_compilable.h"
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

float as_float(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

float evaluate(const ir::TreeStore& trees, ir::TreeId id, const HostTensor& x) {
  // With a stack: a tree may be as deep as it has leaves.
  std::vector<std::pair<ir::TreeId, bool>> pending{{id, false}};
  std::vector<float> values;
  while (!pending.empty()) {
    auto [at, expanded] = pending.back();
    pending.pop_back();
    const ir::TreeNode& node = trees[at];
    if (node.leaf >= 0) {
      values.push_back(as_float(x.bits(node.leaf)));
    } else if (expanded) {
      const float right = values.back();
      values.pop_back();
      values.back() = values.back() + right;
    } else {
      pending.push_back({at, true});
      pending.push_back({node.right, false});
      pending.push_back({node.left, false});
    }
  }
  return values[0];
}

/// sum i: x[i] by a schedule that `make` builds.
struct Sum : Circuit {
  explicit Sum(const std::function<ScheduleId(Circuit&)>& make, bool heavy = false) {
    const IndexId n = dimension("n");
    const NodeId x = parameter("x", Scalar::f32, {n});
    schedule = make(*this);
    result(reduce(Op::add, n, schedule, [&](VariableId i) {
      NodeId value = module.element(x, {at(i)});
      // Too many operations to be emitted more than once; they change nothing.
      for (int k = 0; heavy && k < 16; ++k) value = module.apply(Op::neg, {value});
      return value;
    }));
  }
  ScheduleId schedule;
};

void check_lengths(Sum& sum, const std::vector<std::int64_t>& lengths) {
  const Compiled compiled = must_compile(sum);
  for (std::int64_t n : lengths) {
    const auto expansion = sum.schedules().expand(sum.schedule, n);
    REQUIRE(!expansion.problem);
    const HostTensor x = ordinary(Scalar::f32, {n}, static_cast<std::uint64_t>(n));
    const float expected = evaluate(sum.schedules().trees(), expansion.tree, x);
    const float actual = as_float(run(sum, compiled, {x})[0].bits(0));
    INFO("n = " << n << ", by " << ir::schedule_text(sum.module, sum.schedule));
    CHECK(std::bit_cast<std::uint32_t>(actual) == std::bit_cast<std::uint32_t>(expected));
  }
}

std::vector<std::int64_t> many_lengths() {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 1; n <= 70; ++n) lengths.push_back(n);
  for (std::int64_t n : {100, 127, 128, 129, 255, 256, 257, 1000, 1023, 1024, 1025, 4096, 10'000, 65'537})
    lengths.push_back(n);
  return lengths;
}

ScheduleId numpy(Circuit& c) {
  const ir::SymbolId name = c.module.symbol("numpy");
  const VariableId n = c.module.fresh_variable();
  auto& index = c.index();
  const IndexId length = c.at(n);
  const IndexId half = index.floor_div(length, c.constant(2));
  const IndexId cut = index.subtract(half, index.floor_mod(half, c.constant(8)));
  const ScheduleId self = c.schedules().reference(name);
  const ScheduleId lanes = c.then(c.lanes(8, c.seq()), c.tree());
  const ScheduleId tail = c.schedules().split(index.subtract(length, c.constant(1)), self, c.seq());
  const ScheduleId middle =
      c.schedules().conditional(index.equal(index.floor_mod(length, c.constant(8)), c.constant(0)), lanes, tail);
  const ScheduleId large = c.schedules().split(cut, self, self);
  const ScheduleId body =
      c.schedules().conditional(index.less(length, c.constant(8)), c.seq(),
                                c.schedules().conditional(index.less_equal(length, c.constant(128)), middle, large));
  c.schedules().define(name, c.schedules().length(n, body));
  return self;
}

using Make = std::function<ScheduleId(Circuit&)>;

const std::vector<std::pair<const char*, Make>>& schedules_to_try() {
  static const std::vector<std::pair<const char*, Make>> all = {
      {"seq", [](Circuit& c) { return c.seq(); }},
      {"tree", [](Circuit& c) { return c.tree(); }},
      {"halving", [](Circuit& c) { return c.halving(); }},
      {"default", [](Circuit& c) { return c.schedules().default_order(); }},
      {"lanes seq", [](Circuit& c) { return c.then(c.lanes(16, c.seq()), c.tree()); }},
      {"lanes of 5", [](Circuit& c) { return c.then(c.lanes(5, c.tree()), c.seq()); }},
      {"lanes of 3 seq", [](Circuit& c) { return c.then(c.lanes(3, c.seq()), c.halving()); }},
      {"one lane", [](Circuit& c) { return c.then(c.lanes(1, c.tree()), c.seq()); }},
      {"lanes halving", [](Circuit& c) { return c.then(c.lanes(7, c.halving()), c.tree()); }},
      {"tile", [](Circuit& c) { return c.then(c.tile(8, c.seq()), c.tree()); }},
      {"tile of trees", [](Circuit& c) { return c.then(c.tile(13, c.tree()), c.seq()); }},
      {"tile of one", [](Circuit& c) { return c.then(c.tile(1, c.seq()), c.halving()); }},
      {"tile of lanes",
       [](Circuit& c) { return c.then(c.tile(48, c.then(c.lanes(8, c.tree()), c.tree())), c.tree()); }},
      {"tiles of tiles",
       [](Circuit& c) { return c.then(c.schedules().stage_then(c.tile(4, c.seq()), c.tile(4, c.tree())), c.seq()); }},
      {"lanes of tiles",
       [](Circuit& c) { return c.then(c.tile(4, c.halving()), c.then(c.lanes(4, c.seq()), c.tree())); }},
      {"rows, then lanes",
       [](Circuit& c) { return c.then(c.lanes(32, c.tree()), c.then(c.lanes(4, c.tree()), c.seq())); }},
      {"split", [](Circuit& c) { return c.split(10, c.tree(), c.seq()); }},
      {"splits", [](Circuit& c) { return c.split(3, c.seq(), c.split(20, c.halving(), c.tree())); }},
      {"staged split", [](Circuit& c) { return c.then(c.tile(6, c.split(4, c.seq(), c.tree())), c.tree()); }},
      {"length",
       [](Circuit& c) {
         const VariableId n = c.module.fresh_variable();
         const IndexId half = c.index().maximum(c.index().floor_div(c.at(n), c.constant(2)), c.constant(1));
         return c.schedules().length(n, c.schedules().split(half, c.tree(), c.halving()));
       }},
      {"numpy", numpy},
      {"numpy of tiles", [](Circuit& c) { return c.then(c.tile(4, c.seq()), numpy(c)); }},
      {"tiles of numpy", [](Circuit& c) { return c.then(c.tile(300, numpy(c)), c.tree()); }},
      {"numpy of rows", [](Circuit& c) { return c.then(c.lanes(16, c.tree()), numpy(c)); }},
  };
  return all;
}

}  // namespace

TEST_CASE("a sum follows its schedule's tree, for lengths known at run time") {
  for (const auto& [name, make] : schedules_to_try()) {
    DYNAMIC_SECTION(name) {
      Sum sum(make);
      check_lengths(sum, many_lengths());
    }
  }
}

TEST_CASE("leaves that are emitted only once give the same sums") {
  for (const auto& [name, make] : schedules_to_try()) {
    DYNAMIC_SECTION(name) {
      Sum sum(make, true);
      check_lengths(sum, {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70, 129, 1000});
    }
  }
}

TEST_CASE("lengths known at compile time give the same sums") {
  for (const auto& [name, make] : schedules_to_try()) {
    DYNAMIC_SECTION(name) {
      for (std::int64_t n : {1, 2, 7, 8, 33, 200}) {
        Sum sum(make);
        const ir::Function general = sum.function;
        sum.function = ir::instantiate(sum.module, general, {{sum.module.symbol("n"), n}});
        check_lengths(sum, {n});
      }
    }
  }
}

TEST_CASE("a quoted tree is followed, small and large") {
  for (std::int64_t n : {1, 2, 5, 100}) {
    Sum sum([n](Circuit& c) {
      auto& trees = c.schedules().trees();
      // Leaves in a scrambled order, the pairs at random.
      std::vector<ir::TreeId> parts;
      Random random(static_cast<std::uint64_t>(n));
      for (std::int64_t k = 0; k < n; ++k) parts.push_back(trees.leaf(k));
      while (parts.size() > 1) {
        const std::size_t a = random.below(parts.size()), last = parts.size() - 1;
        const std::size_t b = a == last ? 0 : last;
        parts[a] = trees.pair(parts[a], parts[b]);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(b));
      }
      return c.schedules().quoted(parts[0]);
    });
    check_lengths(sum, {n});
  }
}

TEST_CASE("a schedule that refers to itself behind a stage is compiled for known lengths") {
  auto make = [](Circuit& c) {
    const ir::SymbolId name = c.module.symbol("shrink");
    const VariableId n = c.module.fresh_variable();
    const ScheduleId self = c.schedules().reference(name);
    const ScheduleId body =
        c.schedules().conditional(c.index().less(c.at(n), c.constant(8)), c.seq(), c.then(c.tile(3, c.seq()), self));
    c.schedules().define(name, c.schedules().length(n, body));
    return self;
  };
  for (std::int64_t n : {1, 7, 8, 50, 500}) {
    Sum sum(make);
    const ir::Function general = sum.function;
    sum.function = ir::instantiate(sum.module, general, {{sum.module.symbol("n"), n}});
    check_lengths(sum, {n});
  }
  Sum symbolic(make);
  auto compiled = compile(symbolic.module, symbolic.function, host());
  REQUIRE(!compiled);
  CHECK(compiled.error().code == code::not_compilable);
}

TEST_CASE("an arrangement by a composed layout is the same tree") {
  const auto swizzle = [](int bits, int base, int shift) { return *layout::Swizzle::make(bits, base, shift); };
  using Modes = std::vector<ir::Arrangement::Mode>;
  struct Composed {
    Modes run, runs;
    std::vector<layout::Stage> stages;
  };
  const Composed all[] = {
      {{{8, 1}}, {{8, 8}}, {{swizzle(3, 0, 3)}}},
      {{{4, 16}, {2, 1}}, {{2, 2}, {4, 4}}, {{swizzle(2, 1, -3)}, {swizzle(1, 0, 5)}}},
      // The digits of 64 = 4 (2 8) the other way around.
      {{{16, 1}}, {{4, 16}}, {{*layout::Layout::make(std::vector<layout::IntTuple>{8, 2, 4},
                                                     std::vector<layout::IntTuple>{8, 4, 1})}}},
  };
  for (const Composed& each : all) {
    Sum sum([&](Circuit& c) {
      const ir::Arrangement arrangement{each.run, each.runs, false, each.stages};
      REQUIRE(arrangement.is_bijection());
      return c.then(c.schedules().arrange(arrangement, c.seq()), c.tree());
    });
    check_lengths(sum, {64});
  }
}

TEST_CASE("a large sum is the same tree") {
  Sum sum([](Circuit& c) { return c.schedules().default_order(); });
  check_lengths(sum, {1'000'003});
}

}  // namespace reckon::codegen::testing
