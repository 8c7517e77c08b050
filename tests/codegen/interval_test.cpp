// Intervals compiled for the host against the interpreter's, whose ends are tested against Arb and rationals
// (tests/interp/interval_*): the same ends, to the bit but for the sign of zero, on hostile operands and along every
// schedule; the same faults. RECKON_TRIALS is how many operands each operation gets.
#include <cstdlib>
#include <cstring>
#include <limits>

#include "tests/codegen/program.h"
#include "tests/support/golden.h"

namespace reckon::codegen::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
constexpr double tiniest = std::numeric_limits<double>::denorm_min();

struct Flavour {
  const char* name;
  CompiledSemantics semantics;
  Ends ends;
};
constexpr Flavour flavours[] = {{"interval", CompiledSemantics::interval, Ends::f64},
                                {"interval(f32)", CompiledSemantics::interval_f32, Ends::f32}};
const Flavour& wide = flavours[0];

CompileOptions interval_host(const Flavour& flavour = wide) { return host(flavour.semantics); }

/// -0 becomes 0: there is one zero.
void unsign_zeros(std::vector<HostTensor>& tensors) {
  for (HostTensor& tensor : tensors) {
    if (tensor.scalar == Scalar::boolean) continue;
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      if (tensor.bits(i) == numerics::sign_bit(ir::format_of(tensor.scalar))) tensor.set_bits(i, 0);
    }
  }
}

using Outcome = Expected<std::vector<HostTensor>>;

Outcome interpreted(Circuit& circuit, const std::vector<HostTensor>& arguments, const Flavour& flavour = wide) {
  auto meaning = interp::make_semantics("interval", flavour.ends == Ends::f32 ? std::vector<interp::SemanticsArgument>{{"f32"}}
                                                                              : std::vector<interp::SemanticsArgument>{}, {});
  REQUIRE(meaning);
  auto results = circuit.run(**meaning, {arguments.begin(), arguments.end()});
  if (!results) return results.error();
  std::vector<HostTensor> out;
  for (const interp::Values& value : *results) {
    Buffer like;
    like.scalar = value.scalar();
    like.ends = flavour.ends;
    out.push_back(tensor_of(like, value.shape()));
    std::memcpy(out.back().bytes.data(), value.data(), out.back().bytes.size());
  }
  unsign_zeros(out);
  return out;
}

Outcome compiled_for_host(Circuit& circuit, const Compiled& compiled, const std::vector<HostTensor>& arguments) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const HostTensor& argument : arguments) shapes.push_back(argument.shape);
  auto sizes = ir::bind_dimensions(circuit.module, circuit.function, shapes);
  REQUIRE(sizes);
  auto results = run_host(circuit.module, circuit.function, compiled, arguments, *sizes, interp::generate);
  if (results) unsign_zeros(*results);
  return results;
}

/// In words, what is different; empty if nothing is.
std::string difference(const Outcome& actual, const Outcome& expected) {
  if (actual && expected) return testing::difference(*actual, *expected);
  if (actual) return "a result instead of: " + expected.error().message;
  if (expected) return "a fault instead of a result: " + actual.error().message;
  const Diagnostic &a = actual.error(), &b = expected.error();
  const bool same = a.code == b.code && a.message == b.message && a.primary.span == b.primary.span && a.helps == b.helps;
  return same ? "" : "`" + a.message + "` instead of `" + b.message + "`, or at another place";
}

std::string difference(Circuit& circuit, const Compiled& compiled, const std::vector<HostTensor>& arguments,
                       const Flavour& flavour = wide) {
  return difference(compiled_for_host(circuit, compiled, arguments), interpreted(circuit, arguments, flavour));
}

/// Ends of every size and sign: zeros, subnormal, next to overflow, infinite, few bits and many.
double hostile(Random& random) {
  static constexpr double edges[] = {0,         -0.0,           tiniest,   -tiniest, 0x1p-1022, -0x1p-1022, largest, -largest,
                                     infinity,  -infinity,      1,         -1,       0.5,       3,          0x1p-538, 0x1.8p-537,
                                     0x1p+511,  -0x1.4p+512,    0x1p+1023, 0x1p+52,  1.5,       -2.5,       1. / 3,   0x1.fffffp-969};
  const std::uint64_t kind = random.below(8);
  if (kind == 0) return edges[random.below(std::size(edges))];
  std::uint64_t mantissa = random.word() >> 12;
  if (kind < 4) mantissa &= ~std::uint64_t{0} << (20 + random.below(33));
  const std::uint64_t narrow = 1023 - 150 + random.below(300);  // about f32's range
  const std::uint64_t exponent = kind == 6 ? narrow : kind % 2 == 0 ? random.below(2047) : 1023 - 30 + random.below(61);
  return std::bit_cast<double>((random.word() & (std::uint64_t{1} << 63)) | exponent << 52 | mantissa);
}

/// `op` on three intervals, each the hull of two parameters' elements, for every element.
struct Operation : Circuit {
  explicit Operation(Op op) : op(op) {
    const IndexId n = dimension("n");
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) ends.push_back(parameter(name, Scalar::f64, {n}));
    const NodeId third = module.apply(Op::div, {module.rational(1, Scalar::f64), parameter("three", Scalar::f64)});
    const NodeId around_zero = module.apply(Op::sub, {third, third});
    const NodeId unknown = module.apply(Op::less, {around_zero, module.rational(0, Scalar::f64)});
    result(map({n}, [&](const std::vector<VariableId>& i) {
      std::vector<NodeId> operands;
      for (int k = 0; k < ir::traits(op).arity; ++k) {
        const auto end = [&](int which) { return module.element(ends[static_cast<std::size_t>(2 * k + which)], {at(i[0])}); };
        operands.push_back(module.apply(Op::select, {unknown, end(0), end(1)}));
      }
      return module.apply(op, operands);
    }));
  }
  std::vector<HostTensor> arguments(Random& random, std::int64_t n) {
    std::vector<HostTensor> out(6, HostTensor(Scalar::f64, {n}));
    const auto set = [&](int k, std::int64_t i, double value) {
      out[static_cast<std::size_t>(k)].set_bits(i, std::bit_cast<std::uint64_t>(value));
    };
    for (std::int64_t i = 0; i < n; ++i) {
      for (int k = 0; k < 6; k += 2) {
        double low = hostile(random), high = random.below(3) ? hostile(random) : low;
        if (std::isfinite(low) && random.below(6) == 0) high = std::nextafter(low, infinity);
        if (op == Op::exp && random.below(8)) low = std::fmod(low, 760), high = std::fmod(high, 760);
        // Faults have a test of their own.
        if (k == 0 && op == Op::sqrt && low < 0 && high < 0) high = -low;
        if (k == 2 && (op == Op::div || op == Op::rem) && low == 0 && high == 0) high = random.below(2) ? 7 : -tiniest;
        set(k, i, low);
        set(k + 1, i, high);
      }
      if (op == Op::fma && random.below(2)) {  // an addend that cancels the product of two ends, or nearly
        const double product = std::bit_cast<double>(out[0].bits(i)) * std::bit_cast<double>(out[2].bits(i));
        if (std::isfinite(product)) set(4 + static_cast<int>(random.below(2)), i, -product);
      }
    }
    HostTensor three(Scalar::f64, {});
    three.set_bits(0, std::bit_cast<std::uint64_t>(3.0));
    out.push_back(three);
    return out;
  }
  Op op;
  std::vector<NodeId> ends;
};

constexpr Op all_operations[] = {Op::add,  Op::sub,    Op::mul,      Op::div,   Op::rem,  Op::neg,        Op::abs,   Op::fma,      Op::sqrt, Op::exp,
                                 Op::min,  Op::max,    Op::minnum,   Op::maxnum, Op::clamp, Op::sign,      Op::copysign, Op::floor, Op::ceil,
                                 Op::trunc, Op::round, Op::less,     Op::less_equal, Op::equal, Op::not_equal};

}  // namespace

TEST_CASE("intervals: every operation has the interpreter's ends") {
  const char* text = std::getenv("RECKON_TRIALS");
  const std::int64_t trials = text ? std::strtoll(text, nullptr, 10) : 20'000, chunk = 10'000;
  Random random(4);
  for (const Flavour& flavour : flavours) {
    for (Op op : all_operations) {
      INFO(ir::traits(op).spelling << " in " << flavour.name);
      Operation circuit(op);
      const Compiled compiled = must_compile(circuit, interval_host(flavour));
      for (std::int64_t done = 0; done < trials; done += chunk) {
        CHECK(difference(circuit, compiled, circuit.arguments(random, chunk), flavour) == "");
      }
    }
  }
}

TEST_CASE("intervals: without optimisation the ends are the same") {
  Random random(5);
  for (Op op : {Op::mul, Op::div, Op::fma, Op::rem, Op::sqrt}) {
    Operation circuit(op);
    CompileOptions options = interval_host();
    options.optimization = 0;
    CHECK(difference(circuit, must_compile(circuit, options), circuit.arguments(random, 2000)) == "");
  }
}

TEST_CASE("intervals: parameters of every format, indices, literals and bools") {
  for (Scalar scalar : {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16, Scalar::tf32, Scalar::f8e4m3, Scalar::f8e5m2}) {
    INFO(ir::scalar_name(scalar));
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", scalar, {n}), flags = c.parameter("flags", Scalar::boolean, {n});
    // 1/3 of the format is kept as a rational, and an index may be larger than 2^53.
    const NodeId list = m.array({m.rational(mpq_class(1, 3), scalar), m.rational(mpq_class("1" + std::string(400, '0')), scalar)}, {2});
    const auto body = [&](const std::vector<VariableId>& i) {
      const NodeId value = m.element(x, {c.at(i[0])});
      const NodeId big = m.index_value(c.index().multiply(c.at(i[0]), c.constant(0x123456789abcdef)), scalar);
      const NodeId moved = m.apply(Op::add, {value, m.element(list, {c.index().floor_mod(c.at(i[0]), c.constant(2))})});
      return m.apply(Op::select, {m.element(flags, {c.at(i[0])}), m.apply(Op::sub, {moved, big}), m.rational(mpq_class(1, 10), scalar)});
    };
    const auto truths = [&](const std::vector<VariableId>& i) {
      const NodeId value = m.element(x, {c.at(i[0])}), flag = m.element(flags, {c.at(i[0])});
      const NodeId third = m.rational(mpq_class(1, 3), scalar);
      const NodeId unknown = m.apply(Op::less_equal, {third, third});
      const NodeId small = m.apply(Op::less, {value, third});
      const NodeId either = m.apply(Op::logical_or, {m.apply(Op::logical_and, {unknown, small}), m.apply(Op::logical_not, {flag})});
      return m.apply(Op::select, {unknown, either, m.apply(Op::select, {flag, small, either})});
    };
    c.result(m.tuple({c.map({n}, body), c.map({n}, truths), x, flags}));
    HostTensor values = edgy(scalar, {80}, 3);
    for (std::int64_t i = 0; i < values.size(); ++i) {
      if (numerics::is_nan(values.bits(i), ir::format_of(scalar))) values.set_bits(i, 0);
    }
    for (const Flavour& flavour : flavours) {
      const Compiled compiled = must_compile(c, interval_host(flavour));
      CHECK(difference(c, compiled, {values, ordinary(Scalar::boolean, {80}, 7)}, flavour) == "");
    }
  }
}

TEST_CASE("intervals: exp is MPFR's, rounded down and up") {
  const char* text = std::getenv("RECKON_TRIALS");
  const std::int64_t trials = text ? std::strtoll(text, nullptr, 10) : 40'000;
  // Hardest to round (Lefevre and Muller, ARITH 2001): 2^-60, 2^-58 and 2^-105 of an ulp from a double. And where the
  // evaluation changes: the ends of its range, beside 1, overflow, the least results.
  std::vector<double> values = {-0x1.ed318efb627eap-27, 0x1.7ffe7ffee0024p-32, 0x1.fffffffffffffp-53,
                                0x1p-52 - 0x1p-105, -0x1p-53, 0x1p-54, -0x1p-54, 0x1.fffffffffffffp-55, -0x1p-60, 700,
                                std::nextafter(700, 701), -700, 0x1.62e42fefa39efp+9, 0x1.62e42fefa39fp+9, -0x1.74910d52d3051p+9, -0x1.74910d52d3052p+9,
                                -708.3964185322641, -0x1.74385446d71c3p+9, 745.5, -745.5, -745.13, 800.5, -800.5, largest, -largest, tiniest, -tiniest};
  Random random(6);
  while (static_cast<std::int64_t>(values.size()) < trials) {
    const auto kind = random.below(4);
    const double unit = static_cast<double>(random.word() >> 11) * 0x1p-52 - 1;  // in [-1, 1)
    double value = unit * (kind == 0 ? 745.2 : kind == 1 ? 2 : std::ldexp(1, -static_cast<int>(random.below(70))));
    if (kind == 3) value = (700 + 50 * std::fabs(unit)) * (random.below(2) ? 1 : -1);
    values.push_back(value);
  }
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f64, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) { return c.module.apply(Op::exp, {c.module.element(x, {c.at(i[0])})}); }));
  const auto count = static_cast<std::int64_t>(values.size());
  HostTensor data(Scalar::f64, {count});
  for (std::int64_t i = 0; i < count; ++i) data.set_bits(i, std::bit_cast<std::uint64_t>(values[static_cast<std::size_t>(i)]));
  const Outcome outcome = compiled_for_host(c, must_compile(c, interval_host()), {data});
  REQUIRE(outcome);
  int wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = values[static_cast<std::size_t>(i)];
    for (const bool up : {false, true}) {
      const double wanted = value == 0 ? 1 : numerics::mpfr_unary_directed(numerics::Function::exp, value, up);
      if (std::bit_cast<double>((*outcome)[0].bits(2 * i + up)) == wanted) continue;
      UNSCOPED_INFO("exp(" << value << ")" << (up ? " rounded up" : " rounded down"));
      ++wrong;
    }
  }
  CHECK(wrong == 0);
}

namespace {

using Make = std::function<ScheduleId(Circuit&)>;

ScheduleId halves(Circuit& c) {
  const ir::SymbolId name = c.module.symbol("halves");
  const VariableId n = c.module.fresh_variable();
  const ScheduleId self = c.schedules().reference(name);
  c.schedules().define(name, c.schedules().length(
                                 n, c.schedules().conditional(
                                        c.index().less(c.at(n), c.constant(5)), c.seq(),
                                        c.schedules().split(c.index().floor_div(c.at(n), c.constant(2)), self, self))));
  return self;
}

const std::vector<std::pair<const char*, Make>>& every_schedule() {
  static const std::vector<std::pair<const char*, Make>> all = {
      {"seq", [](Circuit& c) { return c.seq(); }},
      {"tree", [](Circuit& c) { return c.tree(); }},
      {"halving", [](Circuit& c) { return c.halving(); }},
      {"blelloch", [](Circuit& c) { return c.schedules().simple(ir::ScheduleOp::blelloch); }},
      {"tile(8, tree) then seq", [](Circuit& c) { return c.then(c.tile(8, c.tree()), c.seq()); }},
      {"tile(4, lanes(2, seq) then seq) then halving",
       [](Circuit& c) { return c.then(c.tile(4, c.then(c.lanes(2, c.seq()), c.seq())), c.halving()); }},
      {"lanes(8, seq) then tree", [](Circuit& c) { return c.then(c.lanes(8, c.seq()), c.tree()); }},
      {"lanes(64, tree) then tree", [](Circuit& c) { return c.then(c.lanes(64, c.tree()), c.tree()); }},
      {"lanes(5, halving) then seq", [](Circuit& c) { return c.then(c.lanes(5, c.halving()), c.seq()); }},
      {"split(10, tree, seq)", [](Circuit& c) { return c.split(10, c.tree(), c.seq()); }},
      {"halves", halves},
      {"default", [](Circuit& c) { return c.schedules().default_order(); }},
  };
  return all;
}

constexpr std::int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 257, 1000};

}  // namespace

TEST_CASE("intervals: reductions and scans along every schedule") {
  for (const auto& [name, make] : every_schedule()) {
    INFO(name);
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n}), y = c.parameter("y", Scalar::f32, {n});
    const auto product = [&](VariableId i) {
      return c.module.apply(Op::mul, {c.module.element(x, {c.at(i)}), c.module.element(y, {c.at(i)})});
    };
    const NodeId sum = c.reduce(Op::add, n, make(c), product);
    const NodeId running = c.module.scan(c.fold(Op::mul, n, make(c), [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
    c.result(c.module.tuple({sum, running}));
    for (const Flavour& flavour : flavours) {
      const Compiled compiled = must_compile(c, interval_host(flavour));
      for (std::int64_t length : lengths) {
        INFO("n = " << length << " in " << flavour.name);
        const auto seed = static_cast<std::uint64_t>(length);
        CHECK(difference(c, compiled, {ordinary(Scalar::f32, {length}, seed), ordinary(Scalar::f32, {length}, seed + 1)}, flavour) == "");
      }
    }
  }
}

TEST_CASE("intervals: accumulators are plain sums") {
  const std::vector<std::pair<const char*, Make>> all = {
      {"kahan", [](Circuit& c) { return c.schedules().simple(ir::ScheduleOp::kahan); }},
      {"rounded_once", [](Circuit& c) { return c.schedules().simple(ir::ScheduleOp::rounded_once); }},
      {"neumaier(tree)", [](Circuit& c) { return c.schedules().neumaier(c.tree()); }},
      {"fused(seq)", [](Circuit& c) { return c.schedules().fused(c.seq()); }},
      {"binned(3)", [](Circuit& c) { return c.schedules().binned(c.constant(3)); }},
  };
  for (const auto& [name, make] : all) {
    INFO(name);
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    c.result(c.reduce(Op::add, n, make(c), [&](VariableId i) {
      return c.module.apply(Op::mul, {c.module.element(x, {c.at(i)}), c.module.element(x, {c.at(i)})});
    }));
    const Compiled compiled = must_compile(c, interval_host());
    for (std::int64_t length : {1, 2, 9, 100}) CHECK(difference(c, compiled, {ordinary(Scalar::f32, {length}, 1)}) == "");
  }
}

namespace {

/// Small integers, so that differences are often 0.
HostTensor small_integers(std::int64_t n, std::uint64_t seed) {
  HostTensor out(Scalar::f64, {n});
  Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    out.set_bits(i, std::bit_cast<std::uint64_t>(static_cast<double>(random.below(40)) - 3));
  }
  return out;
}

}  // namespace

TEST_CASE("intervals: a fold by an operation has a fault where the interpreter has one, and nowhere else") {
  // Nothing that no node is may be joined: 0 / 0 would be a fault. `a / (b - 5)`: faults come from leaves, and from nodes.
  for (const auto& [name, make] : every_schedule()) {
    INFO(name);
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f64, {n});
    const auto leaf = [&](VariableId i) { return m.element(x, {c.at(i)}); };
    const auto quotient = [&](NodeId a, NodeId b) {
      const NodeId made = m.apply(Op::div, {a, m.apply(Op::sub, {b, m.rational(5, Scalar::f64)})});
      m.set_span(made, {0, 10, 17});
      return made;
    };
    c.result(m.tuple({m.reduce(c.user_fold(n, make(c), leaf, quotient)), m.scan(c.user_fold(n, make(c), leaf, quotient))}));
    const Compiled compiled = must_compile(c, interval_host());
    int faults = 0, results = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const auto length = static_cast<std::int64_t>(1 + seed % 20);
      const HostTensor data = small_integers(length, seed);
      const Outcome expected = interpreted(c, {data});
      INFO("n = " << length << ", seed " << seed);
      CHECK(difference(compiled_for_host(c, compiled, {data}), expected) == "");
      ++(expected ? results : faults);
    }
    CHECK(faults > 5);
    CHECK(results > 5);
  }
}

TEST_CASE("intervals: the first of several faults is told, of any number of operations") {
  // 70 quotients, of which one, or two, have no value.
  for (int bad : {0, 1, 63, 64, 69}) {
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f64, {n});
    NodeId total = m.rational(0, Scalar::f64);
    for (int k = 0; k < 70; ++k) {
      const NodeId quotient = m.apply(Op::div, {m.rational(k + 1, Scalar::f64), m.element(x, {c.constant(k)})});
      m.set_span(quotient, {0, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k + 1)});
      total = m.apply(Op::add, {total, quotient});
    }
    c.result(total);
    HostTensor data(Scalar::f64, {70});
    for (int k = 0; k < 70; ++k) data.set_bits(k, std::bit_cast<std::uint64_t>(k == bad || k == bad + 2 ? 0.0 : 3.0));
    const Outcome outcome = compiled_for_host(c, must_compile(c, interval_host()), {data});
    REQUIRE(!outcome);
    CHECK(outcome.error().code == Code::undefined_result);
    CHECK(outcome.error().primary.span == SourceSpan{0, static_cast<std::uint32_t>(bad), static_cast<std::uint32_t>(bad + 1)});
    CHECK(difference(outcome, interpreted(c, {data})) == "");
  }
}

TEST_CASE("intervals: NaN has none, in an argument, a list or a literal") {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f16, {n}), y = c.parameter("y", Scalar::f16, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    return c.module.apply(Op::add, {c.module.element(x, {c.at(i[0])}), c.module.element(y, {c.at(i[0])})});
  }));
  const Compiled compiled = must_compile(c, interval_host());
  HostTensor fine = ordinary(Scalar::f16, {9}, 1), bad = fine;
  bad.set_bits(8, numerics::canonical_nan(numerics::Format::f16));
  CHECK(compiled_for_host(c, compiled, {fine, fine}));
  const Outcome outcome = compiled_for_host(c, compiled, {fine, bad});
  REQUIRE(!outcome);
  CHECK(outcome.error().message == "argument `y`: `nan` is no real number, so it has no value under `interval`");
  CHECK(difference(outcome, interpreted(c, {fine, bad})) == "");

  ir::Literal nan;
  nan.kind = ir::Literal::Kind::not_a_number;
  Circuit literal;
  literal.result(literal.module.apply(Op::add, {literal.module.literal(nan, Scalar::f32), literal.module.rational(1, Scalar::f32)}));
  const auto refused = compile(literal.module, literal.function, interval_host());
  REQUIRE(!refused);
  CHECK(refused.error().code == Code::undefined_result);
}

TEST_CASE("intervals: functions that are not compiled are named, with what there is instead") {
  for (Op op : {Op::log, Op::sin, Op::atan}) {
    for (CompileOptions options : {interval_host(), ptx("sm_90", CompiledSemantics::interval)}) {
      Circuit c;
      const NodeId x = c.parameter("x", Scalar::f32);
      const NodeId made = c.module.apply(op, {x});
      c.module.set_span(made, {0, 3, 9});
      c.result(made);
      const auto refused = compile(c.module, c.function, options);
      REQUIRE(!refused);
      CHECK(refused.error().code == Code::not_compilable);
      CHECK(refused.error().primary.span == SourceSpan{0, 3, 9});
      REQUIRE(refused.error().helps.size() == 1);
      CHECK(refused.error().helps[0].find("compiled under `interval`: ") == 0);
    }
  }
}

TEST_CASE("intervals in PTX: directed instructions, as they have always been") {
  Circuit c;
  auto& m = c.module;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n}), y = c.parameter("y", Scalar::f64, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    const NodeId a = m.element(x, {c.at(i[0])}), b = m.element(y, {c.at(i[0])}), wide = m.convert(a, Scalar::f64);
    const NodeId third = m.rational(mpq_class(1, 3), Scalar::f64);
    return m.apply(Op::fma, {wide, third, m.apply(Op::div, {m.apply(Op::sqrt, {m.apply(Op::abs, {b})}), m.apply(Op::add, {b, third})})});
  }));
  const std::string assembly = must_compile(c, ptx("sm_90", CompiledSemantics::interval)).assembly;
  for (const char* name : {"add", "div", "sqrt", "fma"}) {
    for (const char* way : {".rm.f64", ".rp.f64"}) CHECK(assembly.find(std::string(name) + way) != std::string::npos);
  }
  CHECK(assembly.find(".rn.") == std::string::npos);
  test::check_golden("codegen/interval.ptx", assembly);
}

TEST_CASE("intervals in PTX: every operation and schedule passes the audit and assembles") {
  const auto assembles = [](const Compiled& compiled, const char* arch) {
    const PtxasResult result = check_with_ptxas(compiled.assembly, arch);
    INFO(result.message);
    CHECK(result.status != PtxasResult::Status::rejected);
  };
  for (Op op : all_operations) {
    INFO(ir::traits(op).spelling);
    Operation circuit(op);
    must_compile(circuit, ptx("sm_100", CompiledSemantics::interval_f32));
    assembles(must_compile(circuit, ptx("sm_80", CompiledSemantics::interval)), "sm_80");
  }
  for (const auto& [name, make] : every_schedule()) {
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    c.result(c.reduce(Op::mul, n, make(c), [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
    const Compiled compiled = must_compile(c, ptx("sm_90", CompiledSemantics::interval));
    assembles(compiled, "sm_90");
    if (std::string(name) == "default") {
      CHECK(compiled.plan.kernels[0].one_block);
      CHECK(compiled.plan.kernels[0].shared_bytes % 16 == 0);
    }
  }
}

}  // namespace reckon::codegen::testing
