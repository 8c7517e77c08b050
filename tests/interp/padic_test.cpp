// The semantics `padic`: values in and out, its declared laws on random elements, circuits whose algebra is known.
#include "numerics/padic/padic.h"
#include "diagnostics/codes/undefined_result.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using ir::Law;
namespace padic = reckon::numerics::padic;
using padic::Value;

namespace {

Value loaded(Semantics& ring, double number, Scalar scalar = Scalar::f64) {
  const std::uint64_t bits = numerics::round_f64(number, ir::format_of(scalar));
  Value out;
  const auto fault = ring.load(scalar, reinterpret_cast<const std::uint8_t*>(&bits), 1, reinterpret_cast<std::byte*>(&out));
  if (fault) FAIL(fault->message);
  return out;
}
std::string shown(Semantics& ring, const Value& value) {
  return ring.render(Scalar::f32, reinterpret_cast<const std::byte*>(&value)).text;
}

}  // namespace

TEST_CASE("padic: a float is the rational that it is") {
  auto ring = semantics("padic");
  CHECK(shown(*ring, loaded(*ring, 0.1f, Scalar::f32)) == "13421773/134217728");
  CHECK(shown(*ring, loaded(*ring, -2.5, Scalar::f64)) == "-5/2");
  CHECK(shown(*ring, loaded(*ring, 448, Scalar::f8e4m3)) == "448");
  CHECK(shown(*ring, loaded(*ring, -0.0, Scalar::f32)) == "0");
  CHECK(shown(*ring, loaded(*ring, -std::numeric_limits<double>::infinity())) == "-inf");
  // Subnormal and largest, against the rational's own residues.
  for (double number : {0x1p-1074, 0x1.fffffffffffffp+1023, -0x1.23456789abcdep-300}) {
    const Value expected = padic::from_rational(mpq_class(number)), found = loaded(*ring, number);
    CHECK(found.a == expected.a);
    CHECK(found.b == expected.b);
    CHECK(found.c == expected.c);
  }
  const std::uint32_t none[] = {0x7f800000, 0x7fc00000};
  for (const std::uint32_t& pattern : none) {
    Value out;
    const auto fault = ring->load(Scalar::f32, reinterpret_cast<const std::uint8_t*>(&pattern), 1, reinterpret_cast<std::byte*>(&out));
    REQUIRE(fault);
    CHECK(fault->code == code::undefined_result);
  }
}

TEST_CASE("padic: its declared laws hold wherever both sides are defined") {
  auto ring = semantics("padic");
  // Of all kinds: random, small, with unknown parts, -inf, undefined.
  Random random(11);
  constexpr std::size_t count = 3000;
  const auto inputs = [&] {
    std::vector<Value> out;
    for (std::size_t i = 0; i < count; ++i) {
      Value x = padic::random_value(random.word(), random.below(2) ? padic::Sign::positive : padic::Sign::any);
      switch (random.below(10)) {
        case 0: x = padic::from_integer(static_cast<std::int64_t>(random.below(7)) - 3); break;
        case 1: x = padic::log(padic::abs(x)); break;
        case 2: x = padic::sqrt(padic::from_integer(static_cast<std::int64_t>(random.below(30)))); break;
        case 3: x = padic::minus_infinity(); break;
        case 4: x = padic::constant_log2e(); break;
        case 5: x.b = padic::unknown_b; break;
        default: break;
      }
      out.push_back(x);
    }
    return out;
  };
  using Vector = std::vector<Value>;
  const Vector a = inputs(), b = inputs(), c = inputs(), zero(count, padic::from_integer(0)), one(count, padic::from_integer(1));
  const auto both = [&](Op op, const Vector& x, const Vector& y) { return apply_all<Value, Value>(*ring, op, Scalar::f32, Scalar::f32, {x, y}); };
  const auto minus = [&](const Vector& x) { return apply_all<Value, Value>(*ring, Op::neg, Scalar::f32, Scalar::f32, {x}); };
  struct Claim {
    Law law;
    Vector left, right;
  };
  const std::vector<Claim> claims{
      {Law::add_commutes, both(Op::add, a, b), both(Op::add, b, a)},
      {Law::mul_commutes, both(Op::mul, a, b), both(Op::mul, b, a)},
      {Law::add_associates, both(Op::add, both(Op::add, a, b), c), both(Op::add, a, both(Op::add, b, c))},
      {Law::mul_associates, both(Op::mul, both(Op::mul, a, b), c), both(Op::mul, a, both(Op::mul, b, c))},
      {Law::mul_distributes, both(Op::mul, a, both(Op::add, b, c)), both(Op::add, both(Op::mul, a, b), both(Op::mul, a, c))},
      {Law::add_zero, both(Op::add, a, zero), a},
      {Law::sub_zero, both(Op::sub, a, zero), a},
      {Law::mul_one, both(Op::mul, a, one), a},
      {Law::div_one, both(Op::div, a, one), a},
      {Law::double_negation, minus(minus(a)), a},
      {Law::sub_self, both(Op::sub, a, a), zero},
      {Law::mul_zero, both(Op::mul, a, zero), zero},
      {Law::min_max_idempotent, both(Op::min, a, a), a},
      {Law::min_max_idempotent, both(Op::max, a, a), a},
      {Law::min_max_commute, both(Op::min, a, b), both(Op::min, b, a)},
      {Law::min_max_commute, both(Op::max, a, b), both(Op::max, b, a)},
      {Law::min_max_any_order, both(Op::max, both(Op::max, a, b), c), both(Op::max, a, both(Op::max, b, c))},
      {Law::min_max_any_order, both(Op::min, both(Op::min, a, b), c), both(Op::min, a, both(Op::min, b, c))},
  };
  for (const Claim& claim : claims) {
    INFO("law " << static_cast<int>(claim.law));
    CHECK(ring->traits().laws.has(claim.law));
    std::size_t defined = 0, different = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (padic::is_undefined(claim.left[i]) || padic::is_undefined(claim.right[i])) continue;
      ++defined;
      different += !padic::equal(claim.left[i], claim.right[i]);
    }
    CHECK(different == 0);
    CHECK(defined > count / 3);
  }
  CHECK_FALSE(ring->traits().laws.has(Law::literals_ordered));
}

TEST_CASE("padic: every order and every accumulator of a sum is one sum") {
  auto ring = semantics("padic");
  Value first;
  for (int which = 0; which < 6; ++which) {
    Circuit c;
    const NodeId x = c.parameter("x", Scalar::f32, {c.constant(1000)});
    const ScheduleId orders[] = {c.seq(), c.tree(), c.halving(), c.lanes(7, c.tree()), c.tile(64, c.seq()), c.split(10, c.tree(), c.seq())};
    const ScheduleId order = which == 3 || which == 4 ? c.then(orders[which], c.tree()) : orders[which];
    c.result(c.reduce(Op::add, c.constant(1000), order, [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
    RandomTensor random;
    random.scalar = Scalar::f32;
    random.shape = {1000};
    random.sign = Draw::Sign::any;
    random.seed = 5;
    auto out = c.run(*ring, {random});
    REQUIRE(out);
    Value sum;
    std::memcpy(&sum, (*out)[0].at(0), sizeof(sum));
    if (which == 0) first = sum;
    CHECK(sum.a == first.a);
    CHECK(sum.b == first.b);
    CHECK(sum.c == first.c);
  }
}
