// Functions of intervals with f64 ends, whose code is ours, beside MPFR rounded down and up.
// RECKON_TRIALS is how many arguments each case gets.
#include "tests/codegen/intervals.h"
#include "tests/support/long_run.h"

namespace reckon::codegen::testing {
namespace {

struct Checked {
  Op op;
  numerics::Function function;
};

/// Both ends of functions at every value.
void check_against_mpfr(const std::vector<double>& values, const std::vector<Checked>& functions) {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f64, {n});
  const auto map = [&](Op op) {
    return c.map({n}, [&](const std::vector<VariableId>& i) {
      return c.module.apply(op, {c.module.element(x, {c.at(i[0])})});
    });
  };
  std::vector<NodeId> results;
  for (const Checked& each : functions) results.push_back(map(each.op));
  c.result(c.module.tuple(results));
  const auto count = static_cast<std::int64_t>(values.size());
  HostTensor data(Scalar::f64, {count});
  for (std::int64_t i = 0; i < count; ++i)
    data.set_bits(i, std::bit_cast<std::uint64_t>(values[static_cast<std::size_t>(i)]));
  const Outcome outcome = compiled_for_host(c, must_compile(c, interval_host()), {data});
  REQUIRE(outcome);
  int wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = values[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < functions.size(); ++k) {
      for (const bool up : {false, true}) {
        // e^0 is exact, and no rounding moves it.
        const bool one = value == 0 && (functions[k].op == Op::exp || functions[k].op == Op::exp2 ||
                                        functions[k].op == Op::cos || functions[k].op == Op::cospi);
        const double wanted = one ? 1 : numerics::mpfr_unary_directed(functions[k].function, value, up);
        if (std::bit_cast<double>((*outcome)[k].bits(2 * i + up)) == wanted) continue;
        UNSCOPED_INFO(ir::traits(functions[k].op).spelling << "(" << value << ")"
                                                           << (up ? " rounded up" : " rounded down"));
        ++wrong;
      }
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("intervals: exp and exp2 are MPFR's, rounded down and up") {
  const auto trials = test::trials<std::int64_t>(40'000);
  // Hardest to round (Lefevre and Muller, ARITH 2001): 2^-60, 2^-58 and 2^-105 of an ulp from a double. And where the
  // evaluation changes: the ends of its range, beside 1, overflow, the least results.
  std::vector<double> values = {-0x1.ed318efb627eap-27,
                                0x1.7ffe7ffee0024p-32,
                                0x1.fffffffffffffp-53,
                                0x1p-52 - 0x1p-105,
                                -0x1p-53,
                                0x1p-54,
                                -0x1p-54,
                                0x1.fffffffffffffp-55,
                                -0x1p-60,
                                700,
                                std::nextafter(700, 701),
                                -700,
                                0x1.62e42fefa39efp+9,
                                0x1.62e42fefa39fp+9,
                                -0x1.74910d52d3051p+9,
                                -0x1.74910d52d3052p+9,
                                -708.3964185322641,
                                -0x1.74385446d71c3p+9,
                                745.5,
                                -745.5,
                                -745.13,
                                800.5,
                                -800.5,
                                largest,
                                -largest,
                                tiniest,
                                -tiniest};
  for (int k = -1080; k <= 1026; ++k) values.push_back(k % 3 == 0 ? k : k % 3 == 1 ? k + 0.5 : std::nextafter(k, 0));
  Random random(6);
  while (static_cast<std::int64_t>(values.size()) < trials) {
    const auto kind = random.below(4);
    const double unit = static_cast<double>(random.word() >> 11) * 0x1p-52 - 1;  // in [-1, 1)
    double value = unit * (kind == 0 ? 1080 : kind == 1 ? 2 : std::ldexp(1, -static_cast<int>(random.below(70))));
    if (kind == 3) value = (700 + 50 * std::fabs(unit)) * (random.below(2) ? 1 : -1);
    values.push_back(value);
  }
  check_against_mpfr(values, {{Op::exp, numerics::Function::exp},
                              {Op::exp2, numerics::Function::exp2},
                              {Op::exp10, numerics::Function::exp10}});
}

TEST_CASE("intervals: log, log2 and log10 are MPFR's, rounded down and up") {
  const auto trials = test::trials<std::int64_t>(20'000);
  std::vector<double> values = {
      1,         std::nextafter(1, 0),   std::nextafter(1, 2), 2, 0.5, 0x1p-1022, tiniest, 3 * tiniest, largest,
      0x1p-1074, 0x1.fffffffffffffp-1023};
  for (int k = -1074; k < 1024; k += 7) values.push_back(std::ldexp(1, k));
  for (int k = -323; k <= 308; ++k) values.push_back(std::strtod(("1e" + std::to_string(k)).c_str(), nullptr));
  Random random(9);
  while (static_cast<std::int64_t>(values.size()) < trials) {
    double value = std::fabs(hostile(random));
    if (random.below(3) == 0)
      value =
          1 + std::ldexp(static_cast<double>(random.below(1 << 20)) - 0x1p19, -static_cast<int>(20 + random.below(33)));
    if (random.below(3) == 0)
      value = 1 + static_cast<double>(random.word() >> 12) * 0x1p-52;  // every piece of the table
    if (value > 0 && std::isfinite(value)) values.push_back(value);
  }
  check_against_mpfr(values, {{Op::log, numerics::Function::log},
                              {Op::log2, numerics::Function::log2},
                              {Op::log10, numerics::Function::log10}});
}

TEST_CASE("intervals: sinpi, cospi and tanpi are MPFR's, rounded down and up") {
  const auto trials = test::trials<std::int64_t>(10'000);
  // Where the evaluation changes, and multiples of an eighth and their neighbours; no poles, which are no values.
  std::vector<double> values = {0,        0x1p-27,   0x1.fffffffffffffp-28,
                                -0x1p-27, 0x1p-60,   0x1.fffffffffffffp-61,
                                largest,  -largest,  tiniest,
                                -tiniest, 0x1p-1022, 0x1p-1023,
                                0x1p+52,  0x1p+53,   0x1.ffffffffffffep+51,
                                0x1p+51,  0x1p-29,   0x1.fffffffffffffp-30};
  Random random(13);
  while (static_cast<std::int64_t>(values.size()) < trials) {
    double value = hostile(random);
    const auto kind = random.below(5);
    if (kind == 0) value = std::fmod(value, 100);
    if (kind == 1) value = static_cast<double>(random.word() >> (12 + random.below(52))) / 8;
    if (kind == 2) value = std::nextafter(static_cast<double>(random.word() >> (12 + random.below(52))) / 4, 0);
    if (kind == 3)
      value = std::ldexp(static_cast<double>(random.word() >> 11), -static_cast<int>(40 + random.below(50)));
    if (std::isfinite(value) && std::fabs(std::fmod(value, 1)) != 0.5)
      values.push_back(random.below(2) ? value : -value);
  }
  check_against_mpfr(values, {{Op::sinpi, numerics::Function::sinpi},
                              {Op::cospi, numerics::Function::cospi},
                              {Op::tanpi, numerics::Function::tanpi}});
}

TEST_CASE("intervals: sin, cos and tan are MPFR's, rounded down and up") {
  const auto trials = test::trials<std::int64_t>(10'000);
  // Nearest to a multiple of pi/2 of all f64s (Muller et al., Handbook of Floating-Point Arithmetic, 10.4), where the
  // evaluation changes, and beside multiples of pi/2.
  std::vector<double> values = {0x1.6ac5b262ca1ffp+849,
                                0,
                                0x1p-27,
                                0x1.fffffffffffffp-28,
                                -0x1p-27,
                                0x1p+54,
                                0x1.fffffffffffffp+53,
                                0x1p+55,
                                largest,
                                -largest,
                                tiniest,
                                -tiniest,
                                1e22,
                                0x1p-1022,
                                0x1.921fb54442d18p+0,
                                -0x1.921fb54442d19p+0};
  Random random(12);
  while (static_cast<std::int64_t>(values.size()) < trials) {
    double value = hostile(random);
    const auto kind = random.below(4);
    if (kind == 0) value = std::fmod(value, 100);
    if (kind == 1) value = static_cast<double>(random.word() >> (12 + random.below(52))) * 1.5707963267948966;
    if (kind == 2)
      value = std::ldexp(static_cast<double>(random.word() >> 11), -static_cast<int>(40 + random.below(50)));
    if (std::isfinite(value)) values.push_back(random.below(2) ? value : -value);
  }
  check_against_mpfr(values, {{Op::sin, numerics::Function::sin},
                              {Op::cos, numerics::Function::cos},
                              {Op::tan, numerics::Function::tan}});
}

TEST_CASE("intervals: functions in fixed point and roots are MPFR's, rounded down and up") {
  const auto trials = test::trials<std::int64_t>(6'000);
  // Where the evaluations change, cubes, powers of 4, and what is next to them.
  std::vector<double> values;
  for (double each : {0x1p-54,
                      0x1p-27,
                      1.,
                      19.5,
                      20.,
                      37.,
                      38.,
                      3.,
                      5.5,
                      5.9,
                      6.,
                      709.5,
                      0x1.633ce8fb9f87dp+9,
                      711.,
                      745.2,
                      750.,
                      751.,
                      8.,
                      27.,
                      1e15,
                      0x1p-1022,
                      0x1p-1074,
                      0x1p+300,
                      0x1.8p+1023,
                      64.,
                      4e300,
                      0x1p-1073,
                      0x1.62e42fefa39efp-1,
                      1. / 64,
                      1. / 128,
                      3. / 128}) {
    for (double value : {each, std::nextafter(each, 0), std::nextafter(each, infinity)})
      values.insert(values.end(), {value, -value});
  }
  Random random(13);
  while (static_cast<std::int64_t>(values.size()) < trials) {
    double value = hostile(random);
    const auto kind = random.below(5);
    if (kind == 0) value = std::fmod(value, 800);
    if (kind == 1) value = std::fmod(value, 40);
    if (kind == 2)
      value = std::ldexp(static_cast<double>(random.word() >> 11), -static_cast<int>(50 + random.below(62)));
    if (kind == 3) {
      const auto n = static_cast<double>(random.below(1 << 17));
      value = std::ldexp(random.below(2) ? n * n * n : 1, 6 * static_cast<int>(random.below(300)) - 900);
    }
    if (std::isfinite(value) && value != 0) values.push_back(random.below(2) ? value : -value);
  }
  using numerics::Function;
  check_against_mpfr(values, {{Op::expm1, Function::expm1},
                              {Op::sinh, Function::sinh},
                              {Op::cosh, Function::cosh},
                              {Op::tanh, Function::tanh},
                              {Op::atan, Function::atan},
                              {Op::asinh, Function::asinh},
                              {Op::cbrt, Function::cbrt},
                              {Op::erf, Function::erf}});
  const auto within = [&](double low, double high) {
    std::vector<double> out = {low, high};
    for (double value : values) {
      const double folded = std::fmod(value, 1);
      for (double each : {value, folded, std::copysign(1 - std::fabs(folded), folded), 1 + 1 / value}) {
        if (each > low && each < high && each != 0) out.push_back(each);
      }
    }
    return out;
  };
  check_against_mpfr(within(-1, 1), {{Op::asin, Function::asin}, {Op::acos, Function::acos}});
  check_against_mpfr(within(1, largest), {{Op::acosh, Function::acosh}});
  std::vector<double> open = within(-1, 1);
  open.erase(open.begin(), open.begin() + 2);
  check_against_mpfr(open, {{Op::atanh, Function::atanh}, {Op::log1p, Function::log1p}});
  std::erase_if(values, [](double value) { return value <= 0; });
  check_against_mpfr(values, {{Op::rsqrt, Function::rsqrt}, {Op::log1p, Function::log1p}});
}

TEST_CASE("intervals: hypot is MPFR's, rounded down and up") {
  const auto trials = test::trials<std::int64_t>(20'000);
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f64, {n}), y = c.parameter("y", Scalar::f64, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    return c.module.apply(Op::hypot, {c.module.element(x, {c.at(i[0])}), c.module.element(y, {c.at(i[0])})});
  }));
  HostTensor left(Scalar::f64, {trials}), right(Scalar::f64, {trials});
  Random random(14);
  for (std::int64_t i = 0; i < trials; ++i) {
    double u = hostile(random), v = hostile(random);
    const auto kind = random.below(4);
    if (kind == 0) v = u * std::ldexp(static_cast<double>(random.word() >> 11), -static_cast<int>(random.below(120)));
    if (kind == 1) {  // Pythagorean: an f64, or half-way between two
      const auto m = static_cast<double>(1 + random.below(1 << 26)), k = static_cast<double>(1 + random.below(1 << 26));
      const int scale = static_cast<int>(random.below(2000)) - 1074;
      u = std::ldexp(m * m - k * k, scale), v = std::ldexp(2 * m * k, scale);
    }
    if (kind == 2 && random.below(2)) u = std::fmod(u, 0x1p-1000), v = std::fmod(v, 0x1p-1010);
    if (!std::isfinite(u)) u = 3;
    if (!std::isfinite(v)) v = -4;
    left.set_bits(i, std::bit_cast<std::uint64_t>(u));
    right.set_bits(i, std::bit_cast<std::uint64_t>(v));
  }
  const Outcome outcome = compiled_for_host(c, must_compile(c, interval_host()), {left, right});
  REQUIRE(outcome);
  int wrong = 0;
  for (std::int64_t i = 0; i < trials; ++i) {
    for (const bool up : {false, true}) {
      const auto rounding = up ? numerics::Rounding::upward : numerics::Rounding::downward;
      const auto wanted = numerics::mpfr_binary(numerics::BinaryFunction::hypot, left.bits(i), right.bits(i),
                                                numerics::Format::f64, rounding);
      if ((*outcome)[0].bits(2 * i + up) == wanted) continue;
      UNSCOPED_INFO(std::hex << left.bits(i) << " and " << right.bits(i) << (up ? " rounded up" : " rounded down"));
      ++wrong;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace reckon::codegen::testing
