// interval(f32) and interval(p): the same rules, other endpoints. Against exact rationals, rounded by definition.
#include <cmath>
#include <cstdlib>
#include <limits>

#include "diagnostics/codes/unknown_semantics.h"
#include "numerics/wide_float.h"
#include "semantics/standard.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using numerics::Format;
using numerics::Rounding;
using numerics::WideFloat;

namespace {

template <class End>
struct Endpoints {
  End low = 0, high = 0;
};

std::unique_ptr<Semantics> with_ends(const char* argument) {
  auto made = make_semantics("interval", {{argument}}, {});
  REQUIRE(made);
  CHECK((*made)->name() == std::string("interval(") + argument + ")");
  return std::move(*made);
}

template <class End>
Endpoints<End> apply(Semantics& semantics, Op op, const Endpoints<End>& a, const Endpoints<End>& b) {
  const Rows rows[3] = {{reinterpret_cast<const std::byte*>(&a), 1}, {reinterpret_cast<const std::byte*>(&b), 1}, {}};
  Endpoints<End> out;
  if (auto fault = semantics.apply(op, Scalar::f64, Scalar::f64, rows, reinterpret_cast<std::byte*>(&out), 1, 1, 1)) FAIL(fault->message);
  return out;
}

/// The least and the largest value of the operation at corners.
std::pair<mpq_class, mpq_class> extremes(Op op, const std::vector<mpq_class>& a, const std::vector<mpq_class>& b) {
  std::vector<mpq_class> values;
  for (const mpq_class& x : a) {
    for (const mpq_class& y : b) {
      values.push_back(op == Op::add   ? mpq_class(x + y)
                       : op == Op::sub ? mpq_class(x - y)
                       : op == Op::mul ? mpq_class(x * y)
                                       : mpq_class(x / y));
    }
  }
  return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
}

mpq_class rational(float x) { return *numerics::exact_value(std::bit_cast<std::uint32_t>(x), Format::f32); }

float rounded(const mpq_class& value, Rounding rounding) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(numerics::round_rational(value, Format::f32, rounding)));
}

/// Finite f32 patterns of every kind.
float any_f32(Random& random) {
  for (;;) {
    auto bits = static_cast<std::uint32_t>(random.word());
    if (random.below(3) == 0) bits = (bits & 0x80ffffffu) | (random.below(2) ? 0u : 0x7e000000u);
    if (random.below(3) == 0) bits = (bits & 0x807fff00u) | 0x3f000000u;
    const float value = std::bit_cast<float>(bits);
    if (std::isfinite(value)) return value;
  }
}

std::string shown(Semantics& semantics, const char* text, Op op) {
  Circuit c;
  c.result(c.module.apply(op, {c.module.rational(*numerics::parse_number(text), Scalar::f64)}));
  auto values = c.run(semantics);
  REQUIRE(values);
  return semantics.render(Scalar::f64, (*values)[0].data()).text;
}

}  // namespace

TEST_CASE("f32 endpoints are the nearest f32s") {
  Random random(7);
  auto interval = with_ends("f32");
  for (const Op op : {Op::add, Op::sub, Op::mul, Op::div}) {
    for (int i = 0; i < 10'000; ++i) {
      const float p = any_f32(random), q = any_f32(random), r = any_f32(random), s = any_f32(random);
      const Endpoints<float> a{std::min(p, q), std::max(p, q)};
      Endpoints<float> b{std::min(r, s), std::max(r, s)};
      if (op == Op::div && b.low <= 0 && b.high >= 0) b = {1, std::max(1.0f, b.high)};
      const auto [low, high] = extremes(op, {rational(a.low), rational(a.high)}, {rational(b.low), rational(b.high)});
      const auto out = apply(*interval, op, a, b);
      INFO(ir::traits(op).spelling << std::hexfloat << " [" << a.low << ", " << a.high << "] [" << b.low << ", " << b.high << "]");
      if (out.low != rounded(low, Rounding::downward) || out.high != rounded(high, Rounding::upward)) FAIL("not the nearest");
    }
  }
  const float most = std::numeric_limits<float>::max();
  const auto huge = apply<float>(*interval, Op::mul, {most, most}, {2, 2});
  CHECK(huge.low == most);
  CHECK(std::isinf(huge.high));
  const auto tiny = apply<float>(*interval, Op::mul, {-0x1p-149f, 0x1p-149f}, {0.5f, 0.5f});
  CHECK(tiny.low == -0x1p-149f);
  CHECK(tiny.high == 0x1p-149f);
  const auto root = apply<float>(*interval, Op::sqrt, {2, 4}, {});
  CHECK(root.low == rounded(mpq_class("14142135623730950488/10000000000000000000"), Rounding::downward));
  CHECK(root.high == 2);
}

TEST_CASE("every function of f32 endpoints equals MPFR's, rounded once to f32") {
  Random random(9);
  auto interval = with_ends("f32");
  using numerics::Function;
  for (auto [op, function] : {std::pair{Op::exp, Function::exp}, {Op::sinh, Function::sinh}, {Op::atan, Function::atan}, {Op::cbrt, Function::cbrt},
                              {Op::erf, Function::erf}, {Op::tanh, Function::tanh}, {Op::expm1, Function::expm1}, {Op::asinh, Function::asinh}}) {
    for (int i = 0; i < 2000; ++i) {
      const float p = any_f32(random), q = any_f32(random);
      const Endpoints<float> a{std::min(p, q), std::max(p, q)};
      const auto out = apply(*interval, op, a, a);
      const auto end = [&, f = function](float x, Rounding way) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(numerics::mpfr_unary(f, std::bit_cast<std::uint32_t>(x), Format::f32, way)));
      };
      if (out.low != end(a.low, Rounding::downward) || out.high != end(a.high, Rounding::upward)) {
        FAIL(ir::traits(op).spelling << std::hexfloat << " [" << a.low << ", " << a.high << "]: [" << out.low << ", " << out.high << "]");
      }
    }
  }
}

TEST_CASE("endpoints of any precision are neighbours around the rational") {
  Random random(8);
  for (const auto& [name, bits] : {std::pair{"200", 200}, {"24", 24}, {"2", 2}}) {
    auto interval = with_ends(name);
    const auto literal = [&](const mpq_class& value) {
      ir::Literal out;
      out.kind = ir::Literal::Kind::rational;
      out.value = value;
      Endpoints<WideFloat> ends;
      REQUIRE(!interval->literal(out, Scalar::f64, reinterpret_cast<std::byte*>(&ends)));
      return ends;
    };
    for (const Op op : {Op::add, Op::sub, Op::mul, Op::div}) {
      for (int i = 0; i < 500; ++i) {
        const auto number = [&] {
          return mpq_class(static_cast<long>(random.word() >> 20) - (1L << 43), 1 + static_cast<long>(random.below(1000)));
        };
        const auto canonical = [&](mpq_class x) { return x.canonicalize(), x; };
        Endpoints<WideFloat> a = literal(canonical(number())), b = literal(canonical(number()));
        if (b.low <= 0 && b.high >= 0) continue;
        const auto [low, high] = extremes(op, {a.low.rational(), a.high.rational()}, {b.low.rational(), b.high.rational()});
        const auto out = apply(*interval, op, a, b);
        const auto check = [&](const WideFloat& end, const mpq_class& exact, bool is_low) {
          mpfr_t inner;
          mpfr_init2(inner, bits);
          CHECK(mpfr_set(inner, end.get(), MPFR_RNDN) == 0);  // no more bits than asked for
          if (is_low) mpfr_nextabove(inner);
          else mpfr_nextbelow(inner);
          const int outside = is_low ? end.rational() > exact : end.rational() < exact;
          const int order = mpfr_cmp_q(inner, exact.get_mpq_t());
          mpfr_clear(inner);
          return !outside && (is_low ? order > 0 : order < 0);
        };
        INFO(name << " " << ir::traits(op).spelling);
        if (!check(out.low, low, true) || !check(out.high, high, false)) FAIL("not the nearest");
      }
    }
  }
}

TEST_CASE("digits of wide endpoints, against tables") {
  // sqrt(2), e: OEIS A002193, A001113.
  auto interval = with_ends("200");
  CHECK(shown(*interval, "2", Op::sqrt).starts_with("[1.4142135623730950488016887242096980785696718753769480731766"));
  CHECK(shown(*interval, "1", Op::exp).starts_with("[2.7182818284590452353602874713526624977572470936999595749669"));
  CHECK(shown(*interval, "4", Op::sqrt) == "[2, 2]");
  CHECK(shown(*interval, "0", Op::cos) == "[1, 1]");
  CHECK(shown(*with_ends("f32"), "4", Op::sqrt) == "[2, 2]");
}

TEST_CASE("what is no endpoint format is refused with a hint") {
  for (const char* text : {"f16", "1", "0", "-3", "2000001", "200bits", "", "split(0)", "split(x)", "split(1000001)", "split"}) {
    auto made = make_semantics("interval", {{text}}, {});
    REQUIRE(!made);
    CHECK(made.error().code == code::unknown_semantics);
    CHECK(!made.error().helps.empty());
  }
  CHECK(!make_semantics("interval", {{"f32"}, {"f64"}}, {}));
  CHECK(!make_semantics("interval", {{"split(2)"}, {"split(2)"}}, {}));
  CHECK(make_semantics("interval", {{"f64"}}, {}));
  CHECK((*make_semantics("interval", {}, {}))->pieces() == 1);
  auto both = make_semantics("interval", {{"split(16)"}, {"100"}}, {});
  REQUIRE(both);
  CHECK((*both)->pieces() == 16);
  CHECK((*both)->name() == "interval(split(16), 100)");
}
