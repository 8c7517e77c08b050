// Kernels run by the interpreter: their values against the evaluator's, their trees against the schedule's, and planted
// faults, each of which must be found.
#include "kernel/interpret/interpret.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "kernel/builder.h"
#include "kernel/interpret/trees.h"
#include "numerics/arrays.h"
#include "numerics/native.h"
#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::kernel;
using interp::testing::Circuit;
using ir::Scalar;

namespace {

constexpr ir::NodeId site{7};
constexpr Type number = Type::number(Scalar::f32);
const Type given = Type::memory(Space::global, number, Form::given);
const Type kept = Type::memory(Space::global, number, Form::kept);
const Type counters = Type::memory(Space::global, Type::number(Scalar::u32), Form::given);

/// A program of one kernel, and short ways to fill it.
struct Writer {
  Program program;
  Builder b{program};

  Writer() {
    std::fill(std::begin(program.widths.given), std::end(program.widths.given), std::uint8_t{4});
    std::fill(std::begin(program.widths.kept), std::end(program.widths.kept), std::uint8_t{4});
    std::fill(std::begin(program.widths.registers), std::end(program.widths.registers), std::uint8_t{4});
    program.functions.emplace_back().name = "k";
    b.set_region(&program.functions[0].body);
  }
  Value parameter(const char* name, Type type) {
    const Value value = program.fresh(type, {Program::Definition::Kind::parameter, 0});
    program.functions[0].parameters.push_back({name, value});
    return value;
  }
  Values branch(Value flag, const std::function<Values()>& yes, const std::function<Values()>& no = {}) {
    Region& around = *b.region();
    const Builder::Open open = b.open(Op::branch, {flag}, 2);
    std::vector<Type> types;
    for (std::size_t k = 0; k < 2; ++k) {
      b.set_region(&b.region_of(open, k));
      if (k == 0 || no) b.region_of(open, k).yields = k == 0 ? yes() : no();
    }
    for (const Value value : b.region_of(open, 0).yields) types.push_back(b.type(value));
    b.set_region(&around);
    return b.close(open, types, around);
  }
  void loop(Value first, Value limit, Value step, const std::function<void(Value)>& body) {
    Region& around = *b.region();
    const Builder::Open open = b.open(Op::loop, {first, limit, step}, 1);
    const Value index = b.region_parameter(open, 0, Type::index());
    b.set_region(&b.region_of(open, 0));
    body(index);
    b.set_region(&around);
    b.close(open, {}, around);
  }
  Value add(Value x, Value y) {
    const Value operands[] = {x, y};
    return b.apply(ir::Op::add, Scalar::f32, Scalar::f32, operands, site);
  }
  Value join(Value left, Value right) { return b.node(site, add(left, right), left, right); }
};

enum class Planted {
  nothing,
  shuffle_distance,
  missing_barrier,
  mask_off_by_one,
  swapped_operands,
  lost_tail,
  leaf_read_twice,
  write_outside,
  uninitialised_read,
  divergent_barrier,
  wrong_stride,
};

constexpr std::uint32_t block_threads = 64;

/// out[block] = the sum of a block's 64 leaves of x by `tree`; the last block may have fewer.
struct BlockSum : Writer {
  Value x = parameter("x", given), out = parameter("out", kept), n = parameter("n", Type::index());
  Planted planted;

  explicit BlockSum(Planted fault = Planted::nothing) : planted(fault) {
    const Value sum = block_sum();
    branch(b.equal(b.thread(), 0), [&] {
      b.store(out, is(Planted::write_outside) ? b.add(b.block(), b.blocks()) : b.block(), sum);
      return Values{};
    });
  }
  bool is(Planted fault) const { return planted == fault; }

  /// In every thread of the first warp.
  Value block_sum() {
    const Value thread = b.thread();
    const Value start = b.mul(b.block(), b.index(block_threads));
    Value limit = b.minimum(b.index(block_threads), b.sub(n, start));
    Value there = is(Planted::lost_tail) ? b.sub(limit, b.index(1)) : limit;
    const Value place = is(Planted::wrong_stride) ? b.mul(thread, b.index(2)) : thread;
    Value value = branch(
        b.less(thread, there),
        [&] {
          // Which leaf it is follows from where it is read.
          Value at = b.add(start, place);
          if (is(Planted::leaf_read_twice)) at = b.select(b.equal(thread, 5), b.add(start, b.index(4)), at);
          return Values{b.leaf(site, b.load(x, at), at)};
        },
        [&] { return Values{b.zero(number)}; })[0];
    for (std::int64_t d = 1; d < 32; d *= 2) {
      const std::int64_t distance = is(Planted::shuffle_distance) && d == 4 ? 8 : d;
      const Value other = b.shuffle_xor(value, distance);
      const Value is_left = b.equal(b.bit_and(thread, static_cast<std::uint64_t>(d)), 0);
      Value left = b.select(is_left, value, other), right = b.select(is_left, other, value);
      if (is(Planted::swapped_operands) && d == 2) std::swap(left, right);
      const Value second =
          b.bit_or(b.bit_and(thread, static_cast<std::uint64_t>(-2 * d)), static_cast<std::uint64_t>(d));
      const Value has_right = is(Planted::mask_off_by_one) ? b.less_equal(second, limit) : b.less(second, limit);
      value = b.select(has_right, join(left, right), left);
    }
    const Value shared = b.shared(0, 16, number);
    branch(b.equal(b.bit_and(thread, 31), 0), [&] {
      b.store(shared, b.lshr(thread, 5), value);
      return Values{};
    });
    if (is(Planted::divergent_barrier)) {
      branch(b.less(thread, 32), [&] {
        b.barrier();
        return Values{};
      });
    } else if (!is(Planted::missing_barrier)) {
      b.barrier();
    }
    const Value left = b.load(shared, b.index(0));
    const Value right = b.load(shared, b.index(is(Planted::uninitialised_read) ? 2 : 1));
    return b.select(b.less(b.index(32), limit), join(left, right), left);
  }
};

/// The sum of all of x by `tree` of 2 or 4 blocks: the last block to be done joins what the blocks have written.
struct GridSum : BlockSum {
  Value nodes = parameter("nodes", kept), counter = parameter("counters", counters);

  GridSum(std::int64_t blocks, bool waits_for_the_last) {
    program.functions[0].body = {};
    const Value sum = block_sum();
    branch(b.equal(b.thread(), 0), [&] {
      b.store(nodes, b.block(), sum);
      return Values{};
    });
    b.barrier();
    const Value last = b.index(blocks - 1);
    const Value arrived = branch(
        b.equal(b.thread(), 0),
        [&] { return Values{waits_for_the_last ? b.arrive(counter, b.index(0), last) : b.equal(b.block(), last)}; },
        [&] { return Values{b.flag(false)}; })[0];
    branch(b.barrier_or(arrived), [&] {
      return branch(b.equal(b.thread(), 0), [&] {
        Values values;
        for (std::int64_t k = 0; k < blocks; ++k) values.push_back(b.load(nodes, b.index(k)));
        while (values.size() > 1) {
          Values next;
          for (std::size_t k = 0; k < values.size(); k += 2) next.push_back(join(values[k], values[k + 1]));
          values = next;
        }
        b.store(out, b.index(0), b.root(site, values[0]));
        return Values{};
      });
    });
  }
};

std::vector<float> some_floats(std::int64_t n) {
  std::vector<float> out;
  for (std::int64_t k = 0; k < n; ++k) out.push_back(static_cast<float>((k * 37 + 11) % 101) / 7.0F - 3.0F);
  return out;
}

std::vector<std::uint64_t> patterns(const std::vector<float>& values) {
  std::vector<std::uint64_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

/// The sum of a run of the values by `tree`, as the evaluator has it.
std::string evaluated(const char* name, const std::vector<float>& values, std::int64_t first, std::int64_t count) {
  Circuit c;
  const std::vector<float> run(values.begin() + first, values.begin() + first + count);
  const auto x = c.parameter("x", Scalar::f32, {c.constant(count)});
  c.result(c.reduce(ir::Op::add, c.constant(count), c.tree(),
                    [&](ir::VariableId k) { return c.module.element(x, {c.at(k)}); }));
  const auto semantics = interp::testing::semantics(name);
  const auto out = c.run(*semantics, {interp::testing::tensor({count}, run)});
  REQUIRE(out);
  return semantics->render(Scalar::f32, (*out)[0].data()).text;
}

struct Ran {
  std::string report;
  std::optional<Report::Kind> kind;
  std::optional<std::string> difference;  ///< of the first block whose sum is another tree
};

/// Runs a block sum of n leaves under `float` and trees.
Ran run_block_sum(const BlockSum& kernel, std::int64_t n, std::uint64_t seed = 1) {
  const auto semantics = interp::testing::semantics("float");
  const auto values = numbers_of(*semantics);
  TreeNumbers numbers(*values);
  const auto blocks = static_cast<std::uint32_t>((n + block_threads - 1) / block_threads);
  Buffer x = Buffer::given(numbers, kernel.program.widths, Scalar::f32, patterns(some_floats(n)));
  Buffer out(numbers, kernel.program.widths, kept, blocks);
  const Launch launch{
      0, {Argument::memory(x), Argument::result(out), Argument::number(n)}, blocks, block_threads, seed};
  const Outcome outcome = interpret(kernel.program, launch, numbers);
  Ran ran;
  if (outcome.report) {
    ran.report = text(*outcome.report, kernel.program);
    ran.kind = outcome.report->kind;
    return ran;
  }
  for (std::uint32_t block = 0; block < blocks && !ran.difference; ++block) {
    // The tree of the run's leaves, whose numbers begin anew.
    const std::int64_t first = std::int64_t{block} * block_threads;
    const std::int64_t count = std::min<std::int64_t>(block_threads, n - first);
    ir::TreeStore trees;
    std::vector<ir::TreeId> level;
    for (std::int64_t k = 0; k < count; ++k) level.push_back(trees.leaf(first + k));
    while (level.size() > 1) {
      std::vector<ir::TreeId> next;
      for (std::size_t k = 0; k + 1 < level.size(); k += 2) next.push_back(trees.pair(level[k], level[k + 1]));
      if (level.size() % 2) next.push_back(level.back());
      level = next;
    }
    kernel::TreeComparison comparison(numbers.trees(), trees);
    ran.difference = comparison.difference(numbers.term(Scalar::f32, out.number(block)), site, level[0]);
  }
  return ran;
}

}  // namespace

TEST_CASE("a kernel of elements does what it says under every seed", "[kernel]") {
  Writer k;
  Builder& b = k.b;
  const Value x = k.parameter("x", given), out = k.parameter("out", kept), n = k.parameter("n", Type::index());
  const Value first = b.add(b.mul(b.block(), b.threads()), b.thread());
  k.branch(b.less(first, n), [&] {
    k.loop(first, n, b.mul(b.blocks(), b.threads()), [&](Value i) {
      const Value value = b.load(x, i);
      b.store(out, i, k.add(value, value));
    });
    return Values{};
  });
  for (const char* name : {"float", "interval", "fpsan", "exact", "bound", "padic", "count"}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      const auto semantics = interp::testing::semantics(name);
      const auto numbers = numbers_of(*semantics);
      Buffer in = Buffer::given(*numbers, k.program.widths, Scalar::f32, patterns(some_floats(77)));
      Buffer result(*numbers, k.program.widths, kept, 77);
      const Launch launch{0, {Argument::memory(in), Argument::result(result), Argument::number(77)}, 3, 8, seed};
      const Outcome outcome = interpret(k.program, launch, *numbers);
      INFO(name << (outcome.report ? text(*outcome.report, k.program) : ""));
      REQUIRE(!outcome.report);
      if (std::string_view(name) != "float") continue;
      for (std::int64_t i = 0; i < 77; ++i) {
        const float value = some_floats(77)[static_cast<std::size_t>(i)];
        CHECK(result.word(i) == std::bit_cast<std::uint32_t>(value + value));
      }
    }
  }
}

TEST_CASE("functions that are rounded once more have the bits of two operations", "[kernel]") {
  std::vector<float> arguments = some_floats(50);
  for (const float x : {0.0F, -INFINITY, INFINITY, NAN, -9.7F, -17.4F, -87.5F, -92.8F, 11.5F, 88.8F})
    arguments.push_back(x);
  const auto count = static_cast<std::int64_t>(arguments.size());
  for (const Scalar to : {Scalar::bf16, Scalar::f16}) {
    for (const auto& [op, function] :
         {std::pair{ir::Op::exp, numerics::Function::exp}, std::pair{ir::Op::exp2, numerics::Function::exp2}}) {
      Writer k;
      const Value x = k.parameter("x", given), out = k.parameter("out", kept);
      const Value first = k.b.thread(), second = k.b.add(first, k.b.index(count / 2));
      const Value operands[] = {k.b.load(x, second), k.b.load(x, first)};
      const Values made = k.b.apply_rounded(op, to, operands, site);
      k.b.store(out, second, k.b.apply(ir::Op::convert, to, Scalar::f32, {&made[0], 1}, site));
      k.b.store(out, first, k.b.apply(ir::Op::convert, to, Scalar::f32, {&made[1], 1}, site));
      const auto semantics = interp::testing::semantics("float");
      const auto numbers = numbers_of(*semantics);
      Buffer in = Buffer::given(*numbers, k.program.widths, Scalar::f32, patterns(arguments));
      Buffer result(*numbers, k.program.widths, kept, count);
      const Launch launch{
          0, {Argument::memory(in), Argument::result(result)}, 1, static_cast<std::uint32_t>(count / 2)};
      const Outcome outcome = interpret(k.program, launch, *numbers);
      INFO((outcome.report ? text(*outcome.report, k.program) : ""));
      REQUIRE(!outcome.report);
      std::vector<float> expected(arguments.size());
      numerics::elementary_array(function, numerics::Format::f32, arguments.data(), expected.data(), expected.size());
      for (std::int64_t i = 0; i < count; ++i) {
        const float value = expected[static_cast<std::size_t>(i)];
        const float rounded = to == Scalar::bf16 ? numerics::bf16_to_f32(numerics::f32_to_bf16(value))
                                                 : numerics::f16_to_f32(numerics::f32_to_f16(value));
        CHECK(result.word(i) == std::bit_cast<std::uint32_t>(rounded));
      }
    }
  }
}

namespace {

/// Thread t of 64 adds 1 to sum t % 5 of seven in shared memory; the first seven threads write the sums.
std::optional<Report> run_atomic_sums(std::uint64_t seed, bool clears, bool waits, std::vector<std::uint64_t>& sums) {
  constexpr Type integer = Type::number(Scalar::i32);
  Writer k;
  Builder& b = k.b;
  const Value out = k.parameter("out", Type::memory(Space::global, integer, Form::kept));
  const Value shared = b.shared(0, 28, integer), thread = b.thread(), few = b.less(thread, b.index(7));
  if (clears) k.branch(few, [&] { return b.store(shared, thread, b.zero(integer)), Values{}; });
  b.barrier();
  b.atomic_add(shared, b.urem(thread, b.index(5)), b.rounded(Scalar::i32, 1));
  if (waits) b.barrier();
  k.branch(few, [&] { return b.store(out, thread, b.load(shared, thread)), Values{}; });
  const auto semantics = interp::testing::semantics("float");
  const auto numbers = numbers_of(*semantics);
  Buffer result(*numbers, k.program.widths, Type::memory(Space::global, integer, Form::kept), 7);
  const Outcome outcome = interpret(k.program, {0, {Argument::memory(result)}, 1, 64, seed}, *numbers);
  for (std::int64_t i = 0; i < 7; ++i) sums.push_back(result.word(i).value_or(99));
  return outcome.report;
}

}  // namespace

TEST_CASE("threads add to one place of shared memory, and others see it after a barrier", "[kernel]") {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    std::vector<std::uint64_t> sums;
    CHECK(!run_atomic_sums(seed, true, true, sums));
    CHECK(sums == std::vector<std::uint64_t>{13, 13, 13, 13, 12, 0, 0});
    const auto early = run_atomic_sums(seed, true, false, sums), uncleared = run_atomic_sums(seed, false, true, sums);
    CHECK((early && early->kind == Report::Kind::race));
    CHECK((uncleared && uncleared->kind == Report::Kind::not_written));
  }
}

TEST_CASE("threads of a warp learn who has the same index, and meet at a barrier of their own", "[kernel]") {
  // Each thread reads what the thread has written whose number differs from its own in the bits of `partner`.
  const auto run = [](bool meets, std::uint32_t threads, std::vector<std::uint64_t>& words, std::int64_t partner = 1) {
    Writer k;
    Builder& b = k.b;
    const Value out = k.parameter("out", Type::memory(Space::global, Type::index()));
    const Value shared = b.shared(0, 64 * 8, Type::index()), thread = b.thread();
    const auto [before, all] = b.peers(b.mul(b.urem(thread, b.index(5)), b.index(1000)));
    b.store(shared, thread, b.add(b.mul(before, b.index(100)), all));
    if (meets) b.warp_barrier();
    b.store(out, thread, b.load(shared, b.bit_xor(thread, b.index(partner))));
    const auto semantics = interp::testing::semantics("float");
    const auto numbers = numbers_of(*semantics);
    Buffer result(*numbers, k.program.widths, Type::memory(Space::global, Type::index()), 64);
    const Outcome outcome = interpret(k.program, {0, {Argument::memory(result)}, 1, threads, 1}, *numbers);
    for (std::int64_t i = 0; i < threads; ++i) words.push_back(result.word(i).value_or(9999));
    return outcome.report;
  };
  std::vector<std::uint64_t> words;
  CHECK(!run(true, 64, words));
  for (std::uint64_t i = 0; i < 64; ++i) {
    std::uint64_t before = 0, all = 0;
    const std::uint64_t other = i ^ 1, first = other / 32 * 32;
    for (std::uint64_t j = first; j < first + 32; ++j) {
      if (j % 5 == other % 5) ++all, before += j < other ? 1 : 0;
    }
    CHECK(words[i] == 100 * before + all);
  }
  const auto alone = run(false, 64, words);
  CHECK((alone && alone->kind == Report::Kind::race));
  // The barrier of a warp orders nothing that another warp did.
  const auto other_warp = run(true, 64, words, 32);
  CHECK((other_warp && other_warp->kind == Report::Kind::race));
}

TEST_CASE("a warp joins four products of f64 to each of 16 x 8 sums, one after the other", "[kernel]") {
  constexpr Type given_f64 = Type::memory(Space::global, Type::number(Scalar::f64), Form::given);
  constexpr Type kept_f64 = Type::memory(Space::global, Type::number(Scalar::f64), Form::kept);
  // x has 16 rows of 8 leaves, y has 8 columns of 8 leaves; two operations join all of them, one after the other.
  const auto run = [&](std::uint32_t threads, bool all_come, bool same_leaf, std::vector<std::uint64_t>& words,
                       const std::vector<std::uint64_t>& x_patterns, const std::vector<std::uint64_t>& y_patterns) {
    Writer k;
    Builder& b = k.b;
    const auto f64 = static_cast<std::size_t>(Scalar::f64);
    k.program.widths.given[f64] = k.program.widths.kept[f64] = k.program.widths.registers[f64] = 8;
    const Value x = k.parameter("x", given_f64), y = k.parameter("y", given_f64), out = k.parameter("out", kept_f64);
    const Value lane = b.thread(), side = b.lshr(lane, std::uint64_t{2}), leaf = b.urem(lane, b.index(4));
    const auto joined = [&] {
      Values sums(4, b.neutral(Scalar::f64));
      for (std::int64_t first = 0; first < 8; first += 4) {
        const Value from = b.add(leaf, b.index(first));
        const auto of = [&](Value memory, std::int64_t further) {
          return b.load(memory, b.add(b.mul(b.add(side, b.index(further)), b.index(8)), from));
        };
        Values elements{of(x, 0), of(x, 8), of(y, 0)};
        elements.append(sums);
        sums = b.mma_f64(site, same_leaf ? b.index(first) : lane, elements);
      }
      for (std::int64_t s = 0; s < 4; ++s) {
        const Value row = b.add(side, b.index(s / 2 * 8)), column = b.add(b.mul(leaf, b.index(2)), b.index(s % 2));
        b.store(out, b.add(b.mul(row, b.index(8)), column), sums[static_cast<std::size_t>(s)]);
      }
      return Values{};
    };
    if (all_come) joined();
    else k.branch(b.less(lane, b.index(31)), joined);
    const auto semantics = interp::testing::semantics("float");
    const auto values = numbers_of(*semantics);
    TreeNumbers numbers(*values);
    Buffer in_x = Buffer::given(numbers, k.program.widths, Scalar::f64, x_patterns);
    Buffer in_y = Buffer::given(numbers, k.program.widths, Scalar::f64, y_patterns);
    Buffer result(numbers, k.program.widths, kept_f64, 128);
    const Outcome outcome =
        interpret(k.program,
                  {0, {Argument::memory(in_x), Argument::memory(in_y), Argument::result(result)}, 1, threads}, numbers);
    if (outcome.report) return outcome.report;
    for (std::int64_t i = 0; i < 128; ++i) {
      words.push_back(result.word(i).value_or(0));
      const TermId term = numbers.term(Scalar::f64, result.number(static_cast<std::size_t>(i)));
      CHECK(numbers.trees().text(term) == "(((((((0 1) 2) 3) 4) 5) 6) 7)");
    }
    return outcome.report;
  };
  std::mt19937_64 random(11);
  const auto some = [&](std::size_t count) {
    std::vector<std::uint64_t> out;
    for (std::size_t k = 0; k < count; ++k) {
      const auto whole = static_cast<double>(static_cast<std::int64_t>(random()));
      out.push_back(std::bit_cast<std::uint64_t>(std::ldexp(whole, static_cast<int>(random() % 9) - 67)));
    }
    return out;
  };
  const auto x = some(128), y = some(64);
  std::vector<std::uint64_t> words;
  REQUIRE(!run(32, true, true, words, x, y));
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      double sum = -0.0;
      for (std::size_t l = 0; l < 8; ++l) {
        sum = std::fma(std::bit_cast<double>(x[row * 8 + l]), std::bit_cast<double>(y[column * 8 + l]), sum);
      }
      CHECK(words[row * 8 + column] == std::bit_cast<std::uint64_t>(sum));
    }
  }
  const auto alone = run(32, false, true, words, x, y), few = run(16, true, true, words, x, y);
  CHECK((alone && alone->kind == Report::Kind::divergent));
  CHECK((few && few->kind == Report::Kind::no_partner));
  const auto apart = run(32, true, false, words, x, y);
  CHECK((apart && apart->kind == Report::Kind::malformed));
}

TEST_CASE("a block's sum has the evaluator's values and the schedule's tree", "[kernel]") {
  const BlockSum kernel;
  for (const std::int64_t n : {1, 2, 31, 32, 33, 50, 63, 64, 128, 150}) {
    const Ran ran = run_block_sum(kernel, n);
    INFO(n << ": " << ran.report << ran.difference.value_or(""));
    CHECK((!ran.kind && !ran.difference));
    for (const char* name : {"float", "interval", "fpsan"}) {
      const auto semantics = interp::testing::semantics(name);
      const auto numbers = numbers_of(*semantics);
      const auto blocks = static_cast<std::uint32_t>((n + block_threads - 1) / block_threads);
      Buffer x = Buffer::given(*numbers, kernel.program.widths, Scalar::f32, patterns(some_floats(n)));
      Buffer out(*numbers, kernel.program.widths, kept, blocks);
      const Launch launch{0, {Argument::memory(x), Argument::result(out), Argument::number(n)}, blocks, block_threads};
      REQUIRE(!interpret(kernel.program, launch, *numbers).report);
      for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t first = block * block_threads;
        CHECK(semantics->render(Scalar::f32, out.number(block)).text ==
              evaluated(name, some_floats(n), first, std::min<std::int64_t>(block_threads, n - first)));
      }
    }
  }
}

TEST_CASE("the last block joins what the others have written", "[kernel]") {
  Circuit c;
  for (const std::int64_t blocks : {2, 4}) {
    for (std::uint64_t seed = 1; seed < 8; ++seed) {
      for (const bool waits : {true, false}) {
        const GridSum kernel(blocks, waits);
        const auto semantics = interp::testing::semantics("float");
        const auto values = numbers_of(*semantics);
        TreeNumbers numbers(*values);
        const std::int64_t n = blocks * block_threads;
        Buffer x = Buffer::given(numbers, kernel.program.widths, Scalar::f32, patterns(some_floats(n)));
        Buffer out(numbers, kernel.program.widths, kept, 1), nodes(numbers, kernel.program.widths, kept, blocks);
        const std::uint64_t zero = 0;
        Buffer counter = Buffer::given(numbers, kernel.program.widths, Scalar::u32, {&zero, 1});
        const Launch launch{0,
                            {Argument::memory(x), Argument::result(out), Argument::number(n), Argument::memory(nodes),
                             Argument::memory(counter)},
                            static_cast<std::uint32_t>(blocks),
                            block_threads,
                            seed};
        const Outcome outcome = interpret(kernel.program, launch, numbers);
        INFO(seed << (outcome.report ? text(*outcome.report, kernel.program) : ""));
        if (!waits) {
          REQUIRE(outcome.report);
          CHECK((outcome.report->kind == Report::Kind::race || outcome.report->kind == Report::Kind::not_written));
          continue;
        }
        REQUIRE(!outcome.report);
        CHECK(counter.word(0) == 0);
        const auto stated = c.schedules().expand(c.tree(), n);
        const TermId sum = numbers.term(Scalar::f32, out.number(0));
        CHECK(kernel::TreeComparison(numbers.trees(), c.schedules().trees()).difference(sum, site, stated.tree) ==
              std::nullopt);
        REQUIRE(numbers.roots().size() == 1);
        CHECK(numbers.roots()[0].term == sum);
        CHECK(semantics->render(Scalar::f32, out.number(0)).text == evaluated("float", some_floats(n), 0, n));
      }
    }
  }
}

TEST_CASE("planted faults of kernels are found", "[kernel]") {
  const auto run = [](Planted fault, std::int64_t n) { return run_block_sum(BlockSum(fault), n); };
  const auto is = [](const Ran& ran, Report::Kind kind) {
    INFO(ran.report << ran.difference.value_or(""));
    CHECK(ran.kind == kind);
  };
  const auto differs = [](const Ran& ran, const std::string& part) {
    INFO(ran.report << ran.difference.value_or("no difference"));
    CHECK(!ran.kind);
    CHECK((ran.difference && ran.difference->find(part) != std::string::npos));
  };
  differs(run(Planted::shuffle_distance, 64), "has `8` where the schedule has `4`");
  is(run(Planted::missing_barrier, 64), Report::Kind::race);
  differs(run(Planted::mask_off_by_one, 16), "no node");
  differs(run(Planted::swapped_operands, 64), "has `2` where the schedule has `0`");
  differs(run(Planted::lost_tail, 64), "no node");
  differs(run(Planted::leaf_read_twice, 64), "has `4` where the schedule has `5`");
  is(run(Planted::write_outside, 64), Report::Kind::outside);
  is(run(Planted::uninitialised_read, 64), Report::Kind::not_written);
  is(run(Planted::divergent_barrier, 64), Report::Kind::divergent);
  is(run(Planted::wrong_stride, 64), Report::Kind::outside);
}

TEST_CASE("memory is checked by bytes", "[kernel]") {
  const auto kind_of = [](const std::function<void(Writer&)>& fill, std::uint32_t threads) {
    Writer k;
    fill(k);
    const auto semantics = interp::testing::semantics("float");
    const auto numbers = numbers_of(*semantics);
    const Launch launch{0, {}, 1, threads, 0, 10000};
    const Outcome outcome = interpret(k.program, launch, *numbers);
    return outcome.report ? std::optional(outcome.report->kind) : std::nullopt;
  };
  const auto both = [](bool reads_new, bool waits) {
    // Thread 0 writes an index where thread 1 read a number.
    return [=](Writer& k) {
      Builder& b = k.b;
      const Value numbers = b.shared(0, 8, number), indices = b.shared(0, 8, Type::index());
      k.branch(b.equal(b.thread(), 1), [&] {
        b.store(numbers, b.index(1), b.zero(number));
        b.load(numbers, b.index(1));
        return Values{};
      });
      if (waits) b.barrier();
      k.branch(b.equal(b.thread(), 0), [&] {
        b.store(indices, b.index(0), b.index(3));
        if (reads_new) b.load(indices, b.index(0));
        else b.load(numbers, b.index(1));
        return Values{};
      });
    };
  };
  CHECK(kind_of(both(true, true), 2) == std::nullopt);
  CHECK(kind_of(both(true, false), 2) == Report::Kind::race);
  CHECK(kind_of(both(false, true), 2) == Report::Kind::not_written);
  CHECK(kind_of([](Writer& k) { k.b.load(k.b.stack(number, 3), k.b.index(2)); }, 1) == Report::Kind::not_written);
  CHECK(kind_of(
            [](Writer& k) {
              const Value stack = k.b.stack(number, 3);
              k.b.clear(stack, 3);
              k.b.load(stack, k.b.index(2));
            },
            1) == std::nullopt);
  CHECK(kind_of(
            [](Writer& k) {
              const Value stack = k.b.stack(number, 3);
              k.b.clear(stack, 3);
              k.b.load_vector(stack, k.b.index(1), 2);
            },
            1) == Report::Kind::misaligned);
  CHECK(kind_of([](Writer& k) { k.b.shuffle_xor(k.b.thread(), 4); }, 4) == Report::Kind::no_partner);
  CHECK(kind_of(
            [](Writer& k) {
              const std::uint64_t most = ~std::uint64_t{0} >> 1;
              k.b.add(k.b.thread(), k.b.index(static_cast<std::int64_t>(most)), Fits::as_signed);
            },
            2) == Report::Kind::integer);
  CHECK(kind_of([](Writer& k) { k.loop(k.b.thread(), k.b.index(1), k.b.index(1), [](Value) {}); }, 2) ==
        Report::Kind::empty_loop);
  CHECK(kind_of([](Writer& k) { k.loop(k.b.index(0), k.b.index(1 << 20), k.b.index(1), [](Value) {}); }, 1) ==
        Report::Kind::budget);
}
