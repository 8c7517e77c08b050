// The model of costs: against counts that were made by hand, against what the interpreter counts while it runs the same
// kernels, and against itself where it follows only a part.
#include "tests/kernel/placed.h"

#include "kernel/parser.h"

namespace {

using namespace reckon;
using namespace reckon::test;
using kernel::Limit;
using kernel::Space;
using kernel::Unit;

constexpr kernel::CostOptions everything{.blocks = 1 << 20, .rounds = 1 << 20, .work = std::int64_t{1} << 32};

/// The example of docs/kernel_ir.md.
constexpr const char* dot = R"(
widths f32 4
kernel dot_0(x: global f32 given, y: global f32 given, out: global f32 kept) threads 64 {
  %0 = thread
  %1 = shared 8 at 0 : f32
  %2 = for %3 = %0 to 128 step 64 carry %4 = neutral(f32) {
    %5 = load x[%3] [once]
    %6 = load y[%3] [once]
    %7 = mul.f32 %5, %6 @3
    %8 = add.f32 %4, %7 @5 [joins]
    yield %8
  }
  %9 = shuffle_xor %2, 1
  %10 = add.f32 %2, %9 @5 [joins]
  %11 = shuffle_xor %10, 2
  %12 = add.f32 %10, %11 @5 [joins]
  %13 = shuffle_xor %12, 4
  %14 = add.f32 %12, %13 @5 [joins]
  %15 = shuffle_xor %14, 8
  %16 = add.f32 %14, %15 @5 [joins]
  %17 = shuffle_xor %16, 16
  %18 = add.f32 %16, %17 @5 [joins]
  %19 = lshr %0, 5
  if true {
    store %1[%19] = %18
  }
  barrier
  %20 = eq %0, 0
  if %20 {
    %21 = load %1[0]
    %22 = load %1[1]
    %23 = add.f32 %21, %22 @5 [joins]
    store out[0] = %23
  }
}
)";

kernel::Cost cost_of(const std::string& text, kernel::LaunchShape shape, std::vector<kernel::CostArgument> arguments,
                     const kernel::CostOptions& options = everything) {
  const auto program = kernel::parse_kernels(text);
  if (!program) FAIL(program.error().message << " in " << text);
  const auto cost = kernel::cost_of(*program, 0, shape, arguments, kernel::h100, options);
  REQUIRE(cost);
  return *cost;
}

}  // namespace

TEST_CASE("cost: a block's dot product, counted by hand") {
  const kernel::Cost cost = cost_of(dot, {1, 64}, {{0, 512}, {0, 512}, {0, 4}});
  CHECK(cost.complete);
  // 64 threads read two elements of each array in two rounds; every thread writes its warp's number, one reads both.
  CHECK(cost.counts.of(Space::global) == kernel::Counts::Traffic{1024, 4});
  CHECK(cost.counts.of(Space::shared) == kernel::Counts::Traffic{8, 256});
  // 128 products; 128 additions in the loop, 5 * 64 between lanes, one at the end.
  CHECK(cost.counts.of(Unit::f32) == 128 + 128 + 5 * 64 + 1);
  CHECK(cost.counts.of(Unit::index) == 64 + 64);
  CHECK(cost.counts.of(Unit::f64) + cost.counts.of(Unit::division) + cost.counts.of(Unit::function) == 0);
  CHECK(cost.counts.shuffles == 5 * 64);
  CHECK(cost.counts.barriers == 64);
  // Neighbouring lanes read neighbours: no sector is moved for nothing, but the one result takes one.
  CHECK(cost.sectors == kernel::Counts::Traffic{1024, 32});
  CHECK(cost.memory == kernel::Counts::Traffic{1024, 4});
  // Two warps: in each of two rounds two loads, a product, a sum; five shuffles and sums; a store and a barrier. One warp:
  // two loads, a sum, a store.
  CHECK(cost.warp_instructions == 2 * (2 * 4 + 5 * 2 + 2) + 4);
  CHECK(cost.shared_bytes == 8);
  // Two leaves of a thread, five steps between lanes, and the two warps: the tree over 128 leaves has that height.
  CHECK(cost.longest.joins == 7);
  const auto& latency = kernel::h100.latency;
  CHECK(cost.longest.cycles == latency.global + latency.shared + 5 * latency.shuffle + (1 + 2 + 5 + 1) * latency.arithmetic);
}

TEST_CASE("cost: sectors show how far apart lanes read") {
  const auto sectors = [](int stride) {
    const std::string text = "widths f32 4 kernel k(x: global f32 given, y: global f32 kept) { %0 = thread %1 = mul %0, " +
                             std::to_string(stride) + " %2 = load x[%1] store y[%0] = %2 }";
    return cost_of(text, {1, 64}, {{0, 1 << 20}, {0, 256}}).sectors.read;
  };
  CHECK(sectors(0) == 2 * 32);
  CHECK(sectors(1) == 8 * 32);
  CHECK(sectors(2) == 16 * 32);
  CHECK(sectors(8) == 64 * 32);
  CHECK(sectors(1000) == 64 * 32);
}

TEST_CASE("cost: what is counted is what the interpreter counts") {
  const std::vector<std::pair<std::string, Sizes>> circuits = {
      {"fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by tree", {{"m", 67}, {"n", 90}}},
      {"fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by seq", {{"m", 400}, {"n", 45}}},
      {"fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by tree", {{"m", 3}, {"n", 1777}}},
      {"fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by lanes(96, seq) then tree", {{"m", 3}, {"n", 1777}}},
      {"fn f(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(128, tree) then tree", {{"n", 40'001}}},
      {"fn f(x: f32[m, n]) -> f32[n] = for c: sum r: x[r, c] by tree", {{"m", 700}, {"n", 37}}},
      {"fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by fused(seq)",
       {{"k", 37}, {"m", 67}, {"n", 45}}},
      {"fn f(x: f32[m, n]) -> f32[m, n] { let s = for i: sum j: x[i, j] by tree; for i, j: x[i, j] / s[i] }",
       {{"m", 3}, {"n", 512}}},
      {"fn f(x: f64[n]) -> f64 = sum i: x[i] by tile(1024, tree) then tree", {{"n", 18'000}}},
      {"fn f(x: f32[n]) -> f32[n] = scan(add) i: x[i] by tree", {{"n", 77}}},
  };
  for (const auto& [text, sizes] : circuits) {
    INFO(text);
    Placed placed(text, sizes);
    CHECK(placed.wrong(0) == "");
    const auto costs = placed.costs(everything);
    REQUIRE(costs.size() == placed.counts().size());
    for (std::size_t k = 0; k < costs.size(); ++k) {
      REQUIRE(costs[k]);
      CHECK(costs[k]->complete);
      for (const Space space : {Space::global, Space::shared, Space::local}) {
        INFO("space " << static_cast<int>(space));
        CHECK(costs[k]->counts.of(space).read == placed.counts()[k].of(space).read);
        CHECK(costs[k]->counts.of(space).written == placed.counts()[k].of(space).written);
      }
      CHECK(costs[k]->counts.operations == placed.counts()[k].operations);
      CHECK(costs[k]->counts == placed.counts()[k]);
    }
  }
}

TEST_CASE("cost: what is followed in part is near the whole") {
  const std::vector<std::pair<std::string, Sizes>> circuits = {
      {"fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by tree", {{"m", 5000}, {"n", 255}}},
      {"fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by seq", {{"m", 64}, {"n", 4001}}},
      {"fn f(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree", {{"n", 1'000'001}}},
      {"fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by fused(seq)",
       {{"k", 1000}, {"m", 300}, {"n", 300}}},
  };
  for (const auto& [text, sizes] : circuits) {
    INFO(text);
    Placed placed(text, sizes);
    const auto whole = placed.costs(everything), part = placed.costs({});
    for (std::size_t k = 0; k < whole.size(); ++k) {
      REQUIRE(whole[k]);
      REQUIRE(part[k]);
      CHECK(whole[k]->complete);
      const auto near = [](double x) { return Approx(x).epsilon(0.05); };
      CHECK(part[k]->counts.of(Space::global).read == near(whole[k]->counts.of(Space::global).read));
      CHECK(part[k]->counts.of(Unit::f32) == near(whole[k]->counts.of(Unit::f32)));
      CHECK(part[k]->sectors.read == near(whole[k]->sectors.read));
      CHECK(part[k]->warp_instructions == near(whole[k]->warp_instructions));
      CHECK(part[k]->longest.joins == near(whole[k]->longest.joins));
    }
  }
}

TEST_CASE("cost: a long chain is told whole, though it goes through memory") {
  // A block reads ahead for one thread, whose sum is in shared memory from one stretch of leaves to the next.
  Placed placed("fn f(x: f32[n]) -> f32 = sum i: x[i] by seq", {{"n", 1 << 20}});
  const auto part = placed.costs({});
  REQUIRE(part[0]);
  CHECK(part[0]->longest.joins == Approx((1 << 20) - 1).epsilon(0.01));
}

TEST_CASE("cost: numbers of a state that take over each other's chains") {
  // In each step the longest chain goes on through one operation on a and through two on b: of a to b and back, three
  // operations in two steps.
  const auto chain = [](int steps, const kernel::CostOptions& options) {
    const std::string text =
        "widths f32 4 kernel k(x: global f32 given, y: global f32 kept) { %0 = load x[0] %1 = load x[1] %2, %3 = for %4 = 0 to " +
        std::to_string(steps) +
        " step 1 carry %5 = %0, %6 = %1 { %7 = mul.f32 %6, %6 %8 = mul.f32 %5, %5 %9 = add.f32 %8, %8 yield %7, %9 } "
        "store y[0] = %2 store y[1] = %3 }";
    return cost_of(text, {1, 32}, {{0, 8}, {0, 8}}, options).longest.cycles;
  };
  const auto& latency = kernel::h100.latency;
  CHECK(chain(400, everything) == latency.global + 600 * latency.arithmetic);
  for (const int steps : {400, 1000, 100'000}) {
    const double followed = chain(steps, {.blocks = 3, .rounds = 8, .work = 1 << 20});
    CHECK(followed >= latency.global + 1.5 * steps * latency.arithmetic * 0.6);
    CHECK(followed <= latency.global + 1.5 * steps * latency.arithmetic * 1.4);
  }
}

TEST_CASE("cost: the longest chain is the height of the stated tree") {
  const auto joins = [](const std::string& order, std::int64_t m, std::int64_t n) {
    Placed placed("fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by " + order, {{"m", m}, {"n", n}});
    const auto costs = placed.costs(everything);
    REQUIRE(costs.size() == 1);
    REQUIRE(costs[0]);
    return costs[0]->longest.joins;
  };
  CHECK(joins("seq", 67, 200) == 199);
  CHECK(joins("seq", 2, 4096) == 4095);
  CHECK(joins("tree", 67, 128) == 7);
  CHECK(joins("tree", 2, 4096) == 12);
  CHECK(joins("lanes(128, seq) then tree", 2, 4096) == 31 + 7);
  CHECK(joins("halving", 67, 200) == 8);
  CHECK(joins("tree", 2, 3000) == 12);
  CHECK(joins("tile(64, seq) then tree", 2, 3000) == 63 + 6);
}

TEST_CASE("cost: what binds") {
  const auto limit = [](const std::string& text, const Sizes& sizes) {
    Placed placed(text, sizes);
    const auto costs = placed.costs({});
    REQUIRE(costs[0]);
    return kernel::spelling(kernel::bounds_of(*costs[0], kernel::h100).binding);
  };
  // 256 MiB are moved for a join each.
  CHECK(limit("fn f(x: f32[n]) -> f32 = sum i: x[i] by tree", {{"n", 1 << 26}}) == "memory");
  // 32 threads, each with its chain.
  CHECK(limit("fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by seq", {{"m", 32}, {"n", 1 << 16}}) == "latency");
  // 2^36 fma for 50 MB.
  CHECK(limit("fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by fused(seq)",
              {{"k", 4096}, {"m", 4096}, {"n", 4096}}) != "memory");
}

TEST_CASE("cost: how many blocks have room") {
  const auto room = [](std::uint32_t threads, std::int64_t shared) {
    kernel::Cost cost;
    cost.shape = {1, threads};
    cost.shared_bytes = shared;
    return kernel::occupancy_of(cost, kernel::h100);
  };
  CHECK(room(1024, 0).blocks == 2);
  CHECK(room(1024, 0).threads == 1);
  CHECK(room(32, 0).blocks == 32);
  CHECK(room(32, 0).threads == 0.5);
  // 228 KiB, of which each block takes 1 KiB besides.
  CHECK(room(256, 48 * 1024).blocks == 4);
  CHECK(room(256, 48 * 1024).by == kernel::Resident::shared_memory);
}
