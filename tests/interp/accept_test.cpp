// accept(P) by itself: verdicts of constant expressions, sums in all orders, what is refused, and how values are shown.
#include <random>

#include "diagnostics/codes/format_without_profile.h"
#include "diagnostics/codes/not_a_number_in.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "semantics/accept/answers.h"
#include "semantics/accept/primitives.h"
#include "semantics/standard.h"
#include "tests/interp/circuits.h"
#include "tests/interp/wgsl_profile.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using accept::Answers;
using accept::Interval;

namespace {

std::unique_ptr<Semantics> make(const std::shared_ptr<const ir::Profile>& profile, bool constant = false) {
  std::vector<SemanticsArgument> arguments{{profile->name, profile}};
  if (constant) arguments.push_back({"const"});
  auto made = make_semantics("accept", arguments, {});
  REQUIRE(made);
  return std::move(*made);
}

/// Of a number given as text, rounded to the format as a literal is.
Answers literal(Semantics& semantics, const mpq_class& value, Scalar scalar) {
  Answers out;
  REQUIRE(!semantics.literal(number(value), scalar, reinterpret_cast<std::byte*>(&out)));
  return out;
}
Answers apply(Semantics& semantics, Op op, Scalar scalar, std::vector<Answers> arguments) {
  Rows rows[3];
  for (std::size_t k = 0; k < arguments.size(); ++k) rows[k] = {reinterpret_cast<const std::byte*>(&arguments[k]), 0};
  Answers out;
  REQUIRE(!semantics.apply(op, scalar, scalar, rows, reinterpret_cast<std::byte*>(&out), 0, 1, 1));
  return out;
}
std::string shown(const Semantics& semantics, const Answers& answers, Scalar scalar = Scalar::f32) {
  return semantics.render(scalar, reinterpret_cast<const std::byte*>(&answers)).text;
}

}  // namespace

TEST_CASE("constant expressions are valid, invalid, or either, by exact arithmetic") {
  const auto semantics = make(wgsl_profile(false), true);
  const mpq_class two_128 = power_of_two(128), largest = two_128 - power_of_two(104);
  const auto verdict = [&](Op op, const mpq_class& a, const mpq_class& b, Scalar scalar = Scalar::f32) {
    const Answers out = apply(*semantics, op, scalar, {literal(*semantics, a, scalar), literal(*semantics, b, scalar)});
    if (out.verdict != accept::Verdict::valid)
      CHECK(accept::operation_name(out.verdict_operation) == ir::traits(op).spelling);
    return out.verdict;
  };
  using enum accept::Verdict;
  // Beyond the largest number by less than any f64 shows: the suite cannot tell.
  CHECK(verdict(Op::add, power_of_two(-11), largest) == either);
  CHECK(verdict(Op::add, 0, largest) == valid);
  CHECK(verdict(Op::sub, largest, power_of_two(-149)) == valid);
  CHECK(verdict(Op::add, power_of_two(104), largest) == invalid);  // 2^128
  CHECK(verdict(Op::add, power_of_two(104) - power_of_two(80), largest) == either);
  CHECK(verdict(Op::sub, -largest, power_of_two(104)) == invalid);
  CHECK(verdict(Op::mul, power_of_two(64), power_of_two(64)) == invalid);
  CHECK(verdict(Op::mul, power_of_two(64) - power_of_two(40), power_of_two(64)) == valid);  // the largest number
  CHECK(verdict(Op::mul, power_of_two(64) - power_of_two(40), power_of_two(64) + power_of_two(41)) == invalid);
  CHECK(verdict(Op::div, 1, 0) == invalid);
  CHECK(verdict(Op::div, 1, power_of_two(-149)) == either);  // may be flushed; beyond the stated divisors anyway
  CHECK(verdict(Op::div, 6, 3) == valid);
  // f64 stands for abstract numbers.
  const mpq_class top = power_of_two(1024) - power_of_two(971);
  CHECK(verdict(Op::add, top, power_of_two(971), Scalar::f64) == invalid);
  CHECK(verdict(Op::add, top, power_of_two(970), Scalar::f64) == either);
  CHECK(verdict(Op::add, top, power_of_two(-1074), Scalar::f64) == either);
  CHECK(verdict(Op::mul, power_of_two(512), power_of_two(512), Scalar::f64) == invalid);
  CHECK(verdict(Op::sub, top, top, Scalar::f64) == valid);

  const auto of = [&](Op op, const mpq_class& x) {
    return apply(*semantics, op, Scalar::f32, {literal(*semantics, x, Scalar::f32)});
  };
  CHECK(of(Op::exp, 88).verdict == valid);
  CHECK(of(Op::exp, 89).verdict == invalid);  // e^89 = 4.5e38
  CHECK(of(Op::log, -1).verdict == invalid);
  CHECK(of(Op::log, 0).verdict == invalid);
  CHECK(of(Op::sqrt, -1).verdict == invalid);
  CHECK(of(Op::sin, 1000).verdict == either);  // no accuracy is stated
  CHECK(literal(*semantics, two_128, Scalar::f32).verdict == invalid);
  CHECK(literal(*semantics, largest + 1, Scalar::f32).verdict == either);
  // What is decided stays decided.
  const Answers bad = of(Op::exp, 89);
  CHECK(shown(*semantics, apply(*semantics, Op::min, Scalar::f32, {bad, literal(*semantics, 1, Scalar::f32)})) ==
        "invalid (`exp`)");
  CHECK(shown(*semantics, of(Op::neg, 1)) == "-1  valid");

  CHECK(!make_semantics("accept", {{"wgsl_suite", wgsl_profile(true)}, {"const"}}, {}));
}

TEST_CASE("a sum by any_seq has the answers of all left folds, and longer ones stay inside") {
  std::mt19937_64 random(7);
  const auto profile = wgsl_profile(false);
  const auto semantics = make(profile);
  const auto as_floats = [&](int n) {
    std::vector<float> x;
    for (int i = 0; i < n; ++i)
      x.push_back(std::ldexp(static_cast<float>(static_cast<double>(random() % 2001) - 1000),
                             static_cast<int>(random() % 30) - 25));
    return x;
  };
  for (int trial = 0; trial < 300; ++trial) {
    const int n = trial % 3 == 0 ? 3 : (trial % 3 == 1 ? 4 : 5 + static_cast<int>(random() % 30));
    std::vector<float> x = as_floats(n);
    std::vector<Answers> leaves;
    for (const float each : x) leaves.push_back(Answers::of({each, each}));
    Answers out;
    const auto orders = n <= 10 ? ir::ScheduleOp::any_seq : ir::ScheduleOp::any;
    REQUIRE(semantics->traits().folds_all_orders);
    REQUIRE(!semantics->fold_all_orders(Op::add, orders, Scalar::f32,
                                        {reinterpret_cast<const std::byte*>(leaves.data()), 1},
                                        reinterpret_cast<std::byte*>(&out), leaves.size(), 1));
    REQUIRE(out.count == 1);
    // Random permutations, each addition rounded to one of its neighbours.
    Interval seen{accept::infinity, -accept::infinity};
    std::sort(x.begin(), x.end());
    do {
      if (n > 4) std::shuffle(x.begin(), x.end(), random);
      for (const auto way : {numerics::Rounding::downward, numerics::Rounding::upward}) {
        double sum = x[0];
        for (int i = 1; i < n; ++i) {
          const mpq_class exact = mpq_class(sum) + mpq_class(x[static_cast<std::size_t>(i)]);
          sum =
              numerics::widen(numerics::round_rational(exact, numerics::Format::f32, way), numerics::Format::f32) + 0.0;
        }
        CHECK(out.contains(sum));
        seen = hull(seen, {sum, sum});
      }
    } while (n > 4 ? random() % 20 != 0 : std::next_permutation(x.begin(), x.end()));
    // Of few leaves, the ends are those of some order (there is nothing subnormal here).
    if (n <= 4) CHECK(seen == out.hull());
  }
}

TEST_CASE("any_seq is followed in circuits, and other sets of orders too") {
  const auto semantics = make(wgsl_profile(false));
  for (const auto op : {ir::ScheduleOp::any_seq, ir::ScheduleOp::any_tree, ir::ScheduleOp::any}) {
    Circuit circuit;
    const auto x = circuit.parameter("x", Scalar::f32, {circuit.constant(3)});
    auto fold = circuit.fold(Op::add, circuit.constant(3), circuit.schedules().simple(op),
                             [&](VariableId i) { return circuit.module.element(x, {circuit.at(i)}); });
    circuit.function.body = circuit.module.reduce(fold);
    circuit.function.result = circuit.module[circuit.function.body].type;
    ir::HostTensor tensor(Scalar::f32, {3});
    tensor.set_bits(0, std::bit_cast<std::uint32_t>(1e8f));
    tensor.set_bits(1, std::bit_cast<std::uint32_t>(1.0f));
    tensor.set_bits(2, std::bit_cast<std::uint32_t>(-1e8f));
    auto results = evaluate(circuit.module, circuit.function, *semantics, {tensor});
    REQUIRE(results);
    // In this order 1e8 + 1 is 1e8 or 1e8 + 8, 1 - 1e8 is -1e8 or its neighbour 8 below.

    CHECK(shown(*semantics, *reinterpret_cast<const Answers*>(results->front().at(0))) == "0..8");
  }
}

TEST_CASE("errors in units where infinities are values, and nothing is flushed") {
  // As vendors' tables have it: expf within 2 units, the result of an overflow an infinity.
  ProfileBuilder builder;
  builder.profile->name = "vendor";
  builder.profile->formats = {Scalar::f32};
  builder.rule(Op::exp, Scalar::f32, {piece(Accuracy::Kind::ulps, constant(2))});
  builder.rule(Op::div, Scalar::f32, {piece(Accuracy::Kind::exact)});
  const auto semantics = make(builder.done());
  std::mt19937_64 random(5);
  const numerics::Format f32 = numerics::Format::f32;
  for (int trial = 0; trial < 3000; ++trial) {
    const auto x = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-53 * 194 - 105);
    const Answers out = apply(*semantics, Op::exp, Scalar::f32, {Answers::of({x, x})});
    const std::uint64_t near = numerics::mpfr_unary(numerics::Function::exp, std::bit_cast<std::uint32_t>(x), f32);
    // The correctly rounded result is within half a unit, its neighbours within one and a half.
    for (std::uint64_t bits = near - (near > 0); bits <= near + 1; ++bits) {
      if (bits > numerics::infinity_bits(f32)) break;
      CHECK(out.contains(numerics::widen(bits, f32)));
    }
    CHECK(!out.nan);
    if (near > 3 && near + 4 < numerics::largest_finite(f32)) {
      CHECK(!out.contains(numerics::widen(near + 4, f32)));
      CHECK(!out.contains(numerics::widen(near - 4, f32)));
    }
  }
  CHECK(apply(*semantics, Op::exp, Scalar::f32, {Answers::of({1000, 1000})}).contains(accept::infinity));
  // One answer, IEEE's: either infinity where a zero may have either sign.
  const auto quotient = [&](double a, double b) {
    return shown(*semantics, apply(*semantics, Op::div, Scalar::f32, {Answers::of({a, a}), Answers::of({b, b})}));
  };
  CHECK(quotient(1, 3) == "0.33333334");
  CHECK(quotient(2, 3) == "0.6666667");
  CHECK(quotient(1, 0) == "-inf or inf");
  CHECK(quotient(0, 0) == "nan");
  CHECK(shown(*semantics, apply(*semantics, Op::div, Scalar::f32, {Answers::of({1, 2}), Answers::of({-4, 2})})) ==
        "-inf..-0.25 or 0.5..inf");
}

TEST_CASE("what accept refuses is told at its place") {
  const auto semantics = make(wgsl_profile(false));
  Answers out;
  auto* to = reinterpret_cast<std::byte*>(&out);
  ir::Literal nan;
  nan.kind = ir::Literal::Kind::not_a_number;
  CHECK(semantics->literal(nan, Scalar::f32, to)->code == code::not_a_number_in);
  const std::uint32_t bits = 0x7fc00000;
  CHECK(semantics->load(Scalar::f32, reinterpret_cast<const std::uint8_t*>(&bits), 1, to)->code ==
        code::not_a_number_in);
  CHECK(semantics->literal(number(1), Scalar::bf16, to)->code == code::format_without_profile);
  Rows rows[1] = {{to, 0}};
  CHECK(semantics->apply(Op::erf, Scalar::f32, Scalar::f32, rows, to, 0, 1, 1)->code == code::unsupported_operation);
  // A circuit that needs itself.
  ProfileBuilder builder;
  builder.profile->name = "round";
  builder.profile->formats = {Scalar::f32};
  builder.inherit(Op::exp, Scalar::f32, [](const Build& b) { return b.of(Op::exp, b[0]); });
  const auto circular = make(builder.done());
  out = Answers::of({1, 1});
  const auto fault = circular->apply(Op::exp, Scalar::f32, Scalar::f32, rows, to, 0, 1, 1);
  REQUIRE(fault);
  CHECK(fault->message.find("needs its own accuracy") != std::string::npos);
}

TEST_CASE("answers are shown shortly, with the reason where anything goes") {
  const auto semantics = make(wgsl_profile(false));
  const auto of = [&](Op op, std::vector<Answers> x) {
    return shown(*semantics, apply(*semantics, op, Scalar::f32, std::move(x)));
  };
  const Answers one = Answers::of({1, 1}), zero = Answers::of({0, 0});
  CHECK(shown(*semantics, literal(*semantics, mpq_class(1, 10), Scalar::f32)) == "0.099999994..0.1");
  CHECK(of(Op::add, {one, one}) == "2");
  CHECK(of(Op::div, {one, zero}) == "unbounded: the divisor of `div` may be 0");
  CHECK(of(Op::exp, {Answers::of({100, 100})}) == "unbounded: `exp` may overflow");
  CHECK(of(Op::sin, {Answers::of({100, 100})}) ==
        "unbounded: the first argument of `sin` may be outside of what the profile states");
  CHECK(of(Op::clamp, {Answers::of({5, 5}), Answers::of({3, 3}), Answers::of({2, 2})}) == "2 or 3");
  const Answers clamped =
      apply(*semantics, Op::clamp, Scalar::f32, {Answers::of({5, 5}), Answers::of({3, 3}), Answers::of({2, 2})});
  const Rendering rendering = semantics->render(Scalar::f32, reinterpret_cast<const std::byte*>(&clamped));
  REQUIRE(rendering.fields.size() == 3);
  CHECK(rendering.fields[2].first == "alternatives");
  CHECK(rendering.fields[2].second == R"([{"lo":"0x1p+1","hi":"0x1p+1"},{"lo":"0x1.8p+1","hi":"0x1.8p+1"}])");
}
