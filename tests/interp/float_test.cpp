// float kernels against exact rationals, MPFR and the machine.
#include <mpfr.h>

#include <cmath>

#include "numerics/elementary.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using numerics::Format;

namespace {

std::uint64_t canonical(std::uint64_t bits, Format format) {
  return numerics::is_nan(bits, format) ? numerics::canonical_nan(format) : bits;
}

/// The pattern of an operation on finite operands by exact rationals, or nothing if there is none (x / 0).
std::optional<mpq_class> exactly(Op op, const mpq_class& a, const mpq_class& b, const mpq_class& c) {
  switch (op) {
    case Op::add: return mpq_class(a + b);
    case Op::sub: return mpq_class(a - b);
    case Op::mul: return mpq_class(a * b);
    case Op::div: return sgn(b) == 0 ? std::nullopt : std::optional<mpq_class>(a / b);
    case Op::fma: return mpq_class(a * b + c);
    default: return std::nullopt;
  }
}

template <class V>
void check_against_rationals(Scalar scalar, int trials) {
  auto floating = semantics("float");
  const Format format = ir::format_of(scalar);
  Random random(static_cast<std::uint64_t>(scalar) + 17);
  auto pick = [&] {
    std::uint64_t bits = random.word() & numerics::width_mask(format);
    if (random.below(3) == 0)
      bits = numerics::round_f64(
          std::ldexp(static_cast<double>(random.word() >> 40), static_cast<int>(random.below(40)) - 40), format);
    return static_cast<V>(bits);
  };
  std::vector<V> a, b, c;
  for (int i = 0; i < trials; ++i) {
    a.push_back(pick());
    b.push_back(pick());
    c.push_back(pick());
  }
  for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::fma}) {
    const auto result = op == Op::fma ? apply_all<V, V>(*floating, op, scalar, scalar, {a, b, c})
                                      : apply_all<V, V>(*floating, op, scalar, scalar, {a, b});
    for (int i = 0; i < trials; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const auto x = numerics::exact_value(a[k], format), y = numerics::exact_value(b[k], format),
                 z = numerics::exact_value(c[k], format);
      if (!x || !y || !z) continue;
      const auto exact = exactly(op, *x, *y, *z);
      if (!exact || sgn(*exact) == 0) continue;  // signs of zero: below
      std::uint64_t expected = numerics::round_rational(*exact, format);
      if (expected == 0 && sgn(*exact) < 0) expected = numerics::sign_bit(format);
      if (result[k] != expected) {
        FAIL(ir::traits(op).spelling << " " << std::hex << +a[k] << " " << +b[k] << " " << +c[k] << ": " << +result[k]
                                     << ", expected " << expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("float operations are rounded once") {
  check_against_rationals<std::uint64_t>(Scalar::f64, 4000);
  check_against_rationals<std::uint32_t>(Scalar::f32, 8000);
  check_against_rationals<std::uint16_t>(Scalar::f16, 20'000);
  check_against_rationals<std::uint16_t>(Scalar::bf16, 20'000);
}

TEST_CASE("functions of 16-bit formats are right on every argument") {
  auto floating = semantics("float");
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for (Scalar scalar : {Scalar::f16, Scalar::bf16}) {
    const Format format = ir::format_of(scalar);
    for (auto [op, function] : {std::pair{Op::sqrt, numerics::Function::sqrt},
                                {Op::exp, numerics::Function::exp},
                                {Op::sin, numerics::Function::sin}}) {
      const auto result = apply_all<std::uint16_t, std::uint16_t>(*floating, op, scalar, scalar, {all});
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::uint64_t expected = numerics::mpfr_unary(function, all[i], format);
        if (canonical(result[i], format) != canonical(expected, format)) FAIL(ir::traits(op).spelling << " of " << i);
      }
    }
    for (Op op : {Op::floor, Op::ceil, Op::trunc, Op::round}) {
      const auto result = apply_all<std::uint16_t, std::uint16_t>(*floating, op, scalar, scalar, {all});
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double x = numerics::widen(all[i], format);
        const double expected = op == Op::floor   ? std::floor(x)
                                : op == Op::ceil  ? std::ceil(x)
                                : op == Op::trunc ? std::trunc(x)
                                                  : std::nearbyint(x);
        if (canonical(result[i], format) != numerics::round_f64(expected, format))
          FAIL(ir::traits(op).spelling << " of " << i);
      }
    }
    // There and back through f32 and f64 changes nothing.
    const auto wide = apply_all<float, std::uint16_t>(*floating, Op::convert, scalar, Scalar::f32, {all});
    const auto wider = apply_all<double, std::uint16_t>(*floating, Op::convert, scalar, Scalar::f64, {all});
    const auto back = apply_all<std::uint16_t, float>(*floating, Op::convert, Scalar::f32, scalar, {wide});
    const auto back_too = apply_all<std::uint16_t, double>(*floating, Op::convert, Scalar::f64, scalar, {wider});
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(canonical(back[i], format) == canonical(all[i], format));
      REQUIRE(canonical(back_too[i], format) == canonical(all[i], format));
    }
  }
}

TEST_CASE("elementary functions of f32 and f64 are MPFR's") {
  auto floating = semantics("float");
  Random random(1);
  std::vector<float> x;
  std::vector<double> y;
  for (int i = 0; i < 3000; ++i) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.word())));
    y.push_back(troublesome(random));
  }
  for (auto [op, function] : {std::pair{Op::exp, numerics::Function::exp},
                              {Op::exp2, numerics::Function::exp2},
                              {Op::exp10, numerics::Function::exp10},
                              {Op::log10, numerics::Function::log10},
                              {Op::log, numerics::Function::log},
                              {Op::log2, numerics::Function::log2},
                              {Op::cos, numerics::Function::cos},
                              {Op::rsqrt, numerics::Function::rsqrt},
                              {Op::sqrt, numerics::Function::sqrt}}) {
    const auto fx = apply_all<float, float>(*floating, op, Scalar::f32, Scalar::f32, {x});
    const auto fy = apply_all<double, double>(*floating, op, Scalar::f64, Scalar::f64, {y});
    for (std::size_t i = 0; i < x.size(); ++i) {
      REQUIRE(canonical(std::bit_cast<std::uint32_t>(fx[i]), Format::f32) ==
              numerics::mpfr_unary(function, std::bit_cast<std::uint32_t>(x[i]), Format::f32));
      REQUIRE(canonical(std::bit_cast<std::uint64_t>(fy[i]), Format::f64) ==
              numerics::mpfr_unary(function, std::bit_cast<std::uint64_t>(y[i]), Format::f64));
    }
  }
}

TEST_CASE("signs of zero, infinities and NaN follow IEEE 754-2019") {
  auto floating = semantics("float");
  const float inf = INFINITY, nan = NAN;
  auto two = [&](Op op, float a, float b) {
    return apply_all<float, float>(*floating, op, Scalar::f32, Scalar::f32, {{a}, {b}})[0];
  };
  auto is = [](float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); };
  CHECK(is(two(Op::add, 0.0f, -0.0f), 0.0f));
  CHECK(is(two(Op::add, -0.0f, -0.0f), -0.0f));
  CHECK(is(two(Op::mul, -1.0f, 0.0f), -0.0f));
  CHECK(is(two(Op::div, 1.0f, -0.0f), -inf));
  CHECK(is(two(Op::min, 0.0f, -0.0f), -0.0f));
  CHECK(is(two(Op::max, -0.0f, 0.0f), 0.0f));
  CHECK(std::isnan(two(Op::min, nan, 1)));
  CHECK(std::isnan(two(Op::max, 1, nan)));
  CHECK(std::isnan(two(Op::sub, inf, inf)));
  CHECK(is(two(Op::rem, -7.5f, 2.0f), -1.5f));
  CHECK(is(two(Op::rem, -4.0f, 2.0f), -0.0f));
  CHECK(is(two(Op::rem, 5.0f, inf), 5.0f));
  CHECK(std::isnan(two(Op::rem, 5.0f, 0.0f)));
  CHECK(is(two(Op::copysign, 3.0f, -0.0f), -3.0f));
}

TEST_CASE("float values are shown and compared by their bits") {
  auto floating = semantics("float");
  auto bytes = [](const auto& value) { return reinterpret_cast<const std::byte*>(&value); };
  const float x = 1.5f, zero = 0.0f, minus_zero = -0.0f;
  const std::uint32_t odd_nan = 0xffc12345;
  const Rendering shown = floating->render(Scalar::f32, bytes(x));
  CHECK(shown.text == "1.5");
  CHECK(shown.fields ==
        std::vector<std::pair<std::string, std::string>>{{"value", "1.5"}, {"hex", "0x1.8p+0"}, {"bits", "3fc00000"}});
  CHECK(floating->render(Scalar::f32, bytes(odd_nan)).fields[2].second == "7fc00000");
  const std::uint32_t nan = 0x7fc00000;
  CHECK(floating->equal(Scalar::f32, bytes(odd_nan), bytes(nan)) == Truth::yes);
  CHECK(floating->equal(Scalar::f32, bytes(zero), bytes(minus_zero)) == Truth::no);
  CHECK(!floating->enclosure(Scalar::f32, bytes(nan)));
  CHECK(floating->enclosure(Scalar::f32, bytes(x))->low == mpq_class(3, 2));
}

TEST_CASE("literals and integers are rounded once") {
  Circuit c;
  ir::Literal pi;
  pi.kind = ir::Literal::Kind::real;
  pi.constant = ir::RealConstant::pi;
  pi.value = mpq_class(1, 2);
  ir::Literal inf;
  inf.kind = ir::Literal::Kind::infinity;
  inf.negative = true;
  const auto one_more = (std::int64_t{1} << 60) + 1;  // through f64 it would be a tie
  const NodeId big = c.module.element(
      c.map({c.constant(2)},
            [&](std::vector<VariableId> v) {
              return c.module.index_value(c.index().add(c.constant(one_more + (std::int64_t{1} << 52)), c.at(v[0])),
                                          Scalar::bf16);
            }),
      {c.constant(0)});
  c.result(c.module.tuple({c.module.rational(mpq_class(1, 10), Scalar::f16), c.module.literal(pi, Scalar::f64),
                           c.module.literal(inf, Scalar::f32), big}));
  auto floating = semantics("float");
  auto values = c.run(*floating);
  REQUIRE(values);
  CHECK((*values)[0].host(*floating).bits(0) == 0x2e66);
  CHECK((*values)[1].host(*floating).bits(0) == 0x3ff921fb54442d18u);
  CHECK((*values)[2].host(*floating).bits(0) == 0xff800000u);
  CHECK((*values)[3].host(*floating).bits(0) == 0x5d81);
}
