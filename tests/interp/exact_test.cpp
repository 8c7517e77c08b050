#include <cmath>
#include <cstdlib>
#include <ctime>

#include "diagnostics/codes/unknown_semantics.h"
#include "semantics/standard.h"
#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

/// op on rationals, shown; or the fault's sentence.
std::string shown(Op op, const std::vector<mpq_class>& operands) {
  Circuit c;
  std::vector<NodeId> nodes;
  for (const mpq_class& value : operands) nodes.push_back(c.module.rational(value, Scalar::number));
  c.result(c.module.apply(op, nodes));
  auto exact = semantics("exact");
  auto values = c.run(*exact);
  return values ? exact->render((*values)[0].scalar(), (*values)[0].data()).text : values.error().message;
}

mpq_class q(long a, long b = 1) {
  mpq_class value(a, b);
  value.canonicalize();
  return value;
}

}  // namespace

TEST_CASE("exact arithmetic on rationals") {
  CHECK(shown(Op::add, {q(1, 3), q(1, 6)}) == "1/2");
  CHECK(shown(Op::sub, {q(1, 3), q(1, 3)}) == "0");
  CHECK(shown(Op::mul, {q(2, 3), q(3, 4)}) == "1/2");
  CHECK(shown(Op::div, {q(1), q(-3)}) == "-1/3");
  CHECK(shown(Op::fma, {q(1, 3), q(3), q(1, 7)}) == "8/7");
  CHECK(shown(Op::neg, {q(1, 3)}) == "-1/3");
  CHECK(shown(Op::abs, {q(-5, 3)}) == "5/3");
  CHECK(shown(Op::min, {q(1, 3), q(2, 7)}) == "2/7");
  CHECK(shown(Op::max, {q(1, 3), q(2, 7)}) == "1/3");
  CHECK(shown(Op::sign, {q(-5, 3)}) == "-1");
  CHECK(shown(Op::copysign, {q(5, 3), q(-1)}) == "-5/3");
  CHECK(shown(Op::less, {q(1, 3), q(1, 2)}) == "true");
  CHECK(shown(Op::not_equal, {q(1, 3), q(2, 6)}) == "false");
}

TEST_CASE("exact remainders and roundings") {
  CHECK(shown(Op::rem, {q(7, 2), q(1)}) == "1/2");
  CHECK(shown(Op::rem, {q(-7, 2), q(1)}) == "-1/2");
  CHECK(shown(Op::rem, {q(7, 2), q(-3)}) == "1/2");
  for (auto [value, floor, ceil, trunc, round] : {std::tuple{q(5, 2), "2", "3", "2", "2"},
                                                  {q(7, 2), "3", "4", "3", "4"},
                                                  {q(-5, 2), "-3", "-2", "-2", "-2"},
                                                  {q(-7, 2), "-4", "-3", "-3", "-4"},
                                                  {q(8, 3), "2", "3", "2", "3"},
                                                  {q(4), "4", "4", "4", "4"}}) {
    CHECK(shown(Op::floor, {value}) == floor);
    CHECK(shown(Op::ceil, {value}) == ceil);
    CHECK(shown(Op::trunc, {value}) == trunc);
    CHECK(shown(Op::round, {value}) == round);
  }
}

TEST_CASE("what has no exact value says so") {
  CHECK(shown(Op::div, {q(1), q(0)}) == "division by zero has no value under `exact`");
  CHECK(shown(Op::rem, {q(1), q(0)}) == "the remainder by zero has no value under `exact`");
  CHECK(shown(Op::sqrt, {q(-1)}) == "the square root of a negative number has no value under `exact`");
  CHECK(shown(Op::rsqrt, {q(0)}) == "`rsqrt` of a number that is not positive has no value under `exact`");
  CHECK(shown(Op::log, {q(0)}) == "the logarithm of a number that is not positive has no value under `exact`");
  CHECK(shown(Op::log2, {q(-1)}) == "the logarithm of a number that is not positive has no value under `exact`");
  CHECK(shown(Op::log1p, {q(-1)}) == "`log1p` of a number that is not above -1 has no value under `exact`");
  CHECK(shown(Op::asin, {q(9, 8)}) == "`asin` of a number outside -1..1 has no value under `exact`");
  CHECK(shown(Op::acos, {q(-9, 8)}) == "`acos` of a number outside -1..1 has no value under `exact`");
  CHECK(shown(Op::acosh, {q(1, 2)}) == "`acosh` of a number below 1 has no value under `exact`");
  CHECK(shown(Op::atanh, {q(1)}) == "`atanh` of a number that is not between -1 and 1 has no value under `exact`");
  CHECK(shown(Op::pow, {q(0), q(-1)}) == "this power has no value under `exact`");
  CHECK(shown(Op::pow, {q(-2), q(1, 2)}) == "this power has no value under `exact`");
  CHECK(shown(Op::atan2, {q(0), q(0)}) == "the angle of the origin, `atan2(0, 0)`, has no value under `exact`");
}

TEST_CASE("-inf under exact is what numbers far below give") {
  // Every operation with -inf in some places and small numbers in the others; beside it the same with -500 and -1000.
  auto exact = semantics("exact");
  const auto run = [&](Op op, const std::vector<std::optional<mpq_class>>& operands) {
    Circuit c;
    std::vector<NodeId> nodes;
    for (const auto& value : operands) {
      ir::Literal low;
      low.kind = ir::Literal::Kind::infinity;
      low.negative = true;
      nodes.push_back(value ? c.module.rational(*value, Scalar::f64) : c.module.literal(low, Scalar::f64));
    }
    c.result(c.module.apply(op, nodes));
    auto values = c.run(*exact);
    return values ? std::optional(std::move((*values)[0])) : std::nullopt;
  };
  const mpz_class far = 500, farther = 1000;
  int defined = 0, infinite = 0;
  for (int index = 0; index < static_cast<int>(Op::select); ++index) {
    const Op op = static_cast<Op>(index);
    const auto traits = ir::traits(op);
    if (traits.result != ir::ResultRule::same && traits.result != ir::ResultRule::truth) continue;
    for (int places = 1; places < 1 << traits.arity; ++places) {
      for (long number : {-2, 0, 3}) {
        std::vector<std::optional<mpq_class>> low, limit[2];
        for (int i = 0; i < traits.arity; ++i) {
          const bool here = (places >> i & 1) != 0;
          low.push_back(here ? std::nullopt : std::optional<mpq_class>(number));
          limit[0].push_back(here ? mpq_class(-far) : mpq_class(number));
          limit[1].push_back(here ? mpq_class(-farther) : mpq_class(number));
        }
        const auto value = run(op, low);
        if (!value) continue;
        INFO(traits.spelling << " of " << number << ", places " << places);
        ++defined;
        const auto near = run(op, limit[0]), nearer = run(op, limit[1]);
        REQUIRE((near && nearer));
        if (traits.result == ir::ResultRule::truth) {
          CHECK(*value->data() == *near->data());
        } else if (exact->render(Scalar::f64, value->data()).text == "-inf") {
          ++infinite;
          CHECK(exact->enclosure(Scalar::f64, near->data())->high < -mpq_class(far / 4));
          CHECK(exact->enclosure(Scalar::f64, nearer->data())->high < -mpq_class(farther / 4));
        } else {
          const mpq_class limit_value = exact->enclosure(Scalar::f64, value->data())->low;
          const auto ends = exact->enclosure(Scalar::f64, nearer->data());
          CHECK(ends->high >= limit_value);
          CHECK(ends->high - limit_value < mpq_class(1, mpz_class(1) << 100));
        }
      }
    }
  }
  CHECK(defined > 100);
  CHECK(infinite > 40);
}

TEST_CASE("every operation of two numbers or one has a value under exact") {
  // tests/numerics/reals_test.cpp has the values; here: each operation reaches the function of its name.
  const std::pair<Op, const char*> unary[] = {{Op::sqrt, "0.70710678118654752440..."},
                                              {Op::rsqrt, "1.4142135623730950488..."},
                                              {Op::cbrt, "0.79370052598409973738..."},
                                              {Op::exp, "1.6487212707001281468..."},
                                              {Op::exp2, "1.4142135623730950488..."},
                                              {Op::expm1, "0.64872127070012814685..."},
                                              {Op::log, "-0.69314718055994530942..."},
                                              {Op::log2, "-1"},
                                              {Op::exp10, "3.1622776601683793320..."},
                                              {Op::log10, "-0.30102999566398119521..."},
                                              {Op::log1p, "0.40546510810816438198..."},
                                              {Op::sin, "0.47942553860420300027..."},
                                              {Op::cos, "0.87758256189037271612..."},
                                              {Op::tan, "0.54630248984379051326..."},
                                              {Op::asin, "0.52359877559829887308..."},
                                              {Op::acos, "1.0471975511965977462..."},
                                              {Op::atan, "0.46364760900080611621..."},
                                              {Op::sinh, "0.52109530549374736162..."},
                                              {Op::cosh, "1.1276259652063807852..."},
                                              {Op::tanh, "0.46211715726000975850..."},
                                              {Op::asinh, "0.48121182505960344750..."},
                                              {Op::atanh, "0.54930614433405484570..."},
                                              {Op::erf, "0.52049987781304653768..."},
                                              {Op::neg, "-1/2"},
                                              {Op::sinpi, "1"},
                                              {Op::cospi, "0"},
                                              {Op::erfc, "0.47950012218695346232..."},
                                              {Op::gamma, "1.7724538509055160273..."},
                                              {Op::lgamma, "0.57236494292470008707..."},
                                              {Op::floor, "0"},
                                              {Op::ceil, "1"},
                                              {Op::trunc, "0"},
                                              {Op::round, "0"},
                                              {Op::sign, "1"},
                                              {Op::abs, "1/2"}};
  for (const auto& [op, expected] : unary) CHECK(shown(op, {q(1, 2)}) == expected);  // bc's digits, and tables'
  CHECK(shown(Op::acosh, {q(2)}) == "1.3169578969248167086...");
  CHECK(shown(Op::pow, {q(2), q(1, 2)}) == "1.4142135623730950488...");
  CHECK(shown(Op::pow, {q(-2), q(3)}) == "-8");
  CHECK(shown(Op::hypot, {q(1), q(1)}) == "1.4142135623730950488...");
  CHECK(shown(Op::atan2, {q(-1), q(-1)}) == "-2.3561944901923449288...");
  CHECK(shown(Op::minnum, {q(1), q(2)}) == "1");
  CHECK(shown(Op::maxnum, {q(1), q(2)}) == "2");
  CHECK(shown(Op::clamp, {q(7), q(1), q(2)}) == "2");
  CHECK(shown(Op::clamp, {q(0), q(1), q(2)}) == "1");
}

namespace {

/// op of literals factor * constant.
Expected<std::vector<Values>> of_constants(Semantics& exact, Circuit& c, Op op,
                                           const std::vector<std::pair<mpq_class, ir::RealConstant>>& operands) {
  std::vector<NodeId> nodes;
  for (const auto& [factor, constant] : operands) {
    ir::Literal literal;
    literal.kind = ir::Literal::Kind::real;
    literal.value = factor;
    literal.constant = constant;
    nodes.push_back(c.module.literal(literal, Scalar::number));
  }
  c.result(c.module.apply(op, nodes));
  return c.run(exact);
}

std::string shown_of_constants(Op op, const std::vector<std::pair<mpq_class, ir::RealConstant>>& operands,
                               const std::vector<SemanticsArgument>& arguments = {}) {
  auto exact = make_semantics("exact", arguments, {});
  REQUIRE(exact);
  Circuit c;
  auto values = of_constants(**exact, c, op, operands);
  return values ? (*exact)->render((*values)[0].scalar(), (*values)[0].data()).text : values.error().message;
}

}  // namespace

TEST_CASE("steps of reals are decided by refining") {
  using enum ir::RealConstant;
  CHECK(shown_of_constants(Op::floor, {{-1, pi}}) == "-4");
  CHECK(shown_of_constants(Op::ceil, {{-1, pi}}) == "-3");
  CHECK(shown_of_constants(Op::trunc, {{-1, pi}}) == "-3");
  CHECK(shown_of_constants(Op::trunc, {{q(-1, 4), pi}}) == "0");
  CHECK(shown_of_constants(Op::round, {{1, e}}) == "3");
  CHECK(shown_of_constants(Op::sign, {{-1, ln2}}) == "-1");
  CHECK(shown_of_constants(Op::copysign, {{1, pi}, {-1, e}}) == "-3.1415926535897932385...");
  CHECK(shown_of_constants(Op::rem, {{10, pi}, {-1, e}}) == "1.5148264228484347957...");
  CHECK(shown_of_constants(Op::less, {{1, e}, {1, pi}}) == "true");
  CHECK(shown_of_constants(Op::not_equal, {{1, log2e}, {1, ln2}}) == "true");
  CHECK(shown_of_constants(Op::equal, {{1, pi}, {1, pi}}) == "true");
  CHECK(shown_of_constants(Op::mul, {{1, log2e}, {1, ln2}}) == "1.0000000000000000000...");
  CHECK(shown_of_constants(Op::div, {{3, pi}, {2, pi}}) == "3/2");
  CHECK(shown_of_constants(Op::div, {{3, pi}, {2, one}}, {{"digits(5)"}}) == "4.7124...");
  CHECK(shown_of_constants(Op::abs, {{-1, e}}, {{"bits(64)"}, {"digits( 3 )"}}) == "2.72...");
}

TEST_CASE("arguments of exact are digits and bits within reason") {
  for (const char* wrong : {"digits", "digits()", "digits(0)", "digits(1000001)", "digits(-3)", "digits(x)", "bits(63)",
                            "bits(99999999999)", "bits(1e3)", "30"}) {
    INFO(wrong);
    auto made = make_semantics("exact", {{wrong}}, {});
    REQUIRE(!made);
    CHECK(made.error().code == code::unknown_semantics);
  }
}

TEST_CASE("a real has an enclosure as tight as asked, and no bits") {
  using enum ir::RealConstant;
  auto exact = semantics("exact");
  Circuit c;
  auto values = of_constants(*exact, c, Op::mul, {{1, pi}, {1, e}});
  REQUIRE(values);
  const std::byte* value = (*values)[0].data();
  const auto rough = exact->enclosure(Scalar::number, value), fine = exact->finest_enclosure(Scalar::number, value);
  REQUIRE(rough);
  REQUIRE(fine);
  CHECK(rough->low <= fine->low);
  CHECK(fine->high <= rough->high);
  CHECK(fine->low < fine->high);
  mpq_class width = rough->high - rough->low, finer = fine->high - fine->low;
  CHECK((width << 250) < 1);
  CHECK((finer << 9990) < 1);
  mpq_class about("8539734222673567065463550869546574495034888535765114961879597");  // times 10^60, from bc
  for (int i = 0; i < 60; ++i) about /= 10;
  CHECK(abs(about - rough->low) < mpq_class("1/10000000000000000000000000000000000000000000000000"));
  CHECK(!exact->bits(Scalar::f64, value));
  CHECK(exact->equal(Scalar::number, value, value) == Truth::yes);
}

TEST_CASE("a million floats are summed without error, in any order, within a second") {
  constexpr std::int64_t n = 1'000'000;
  ir::HostTensor uniform(Scalar::f64, {n}), any(Scalar::f64, {n});
  Random random(6);
  mpq_class sum = 0, sum_of_any = 0;
  mpz_class scaled = 0;  // of what is in units of 2^-53
  for (std::int64_t i = 0; i < n; ++i) {
    const auto unit = static_cast<std::int64_t>(random.below(std::uint64_t{1} << 54)) - (std::int64_t{1} << 53);
    uniform.set_bits(i, std::bit_cast<std::uint64_t>(std::ldexp(static_cast<double>(unit), -53)));
    scaled += static_cast<long>(unit);
    std::uint64_t bits = random.word();
    if ((bits >> 52 & 0x7ff) == 0x7ff) bits = 1;
    any.set_bits(i, bits);
  }
  sum = scaled;
  sum >>= 53;
  mpz_class units = 0;  // of 2^-1074
  for (std::int64_t i = 0; i < n; ++i) {
    int exponent = 0;
    const double mantissa = std::frexp(std::bit_cast<double>(any.bits(i)), &exponent);
    const auto whole = static_cast<long>(std::ldexp(mantissa, 53));  // subnormals are multiples of their own quantum
    mpz_class term = std::labs(whole);
    const int shift = exponent - 53 + 1074;
    if (shift >= 0) term <<= static_cast<mp_bitcnt_t>(shift);
    else term >>= static_cast<mp_bitcnt_t>(-shift);
    if (whole < 0) term = -term;
    units += term;
  }
  sum_of_any = units;
  sum_of_any >>= 1074;
  const struct {
    const ir::HostTensor& data;
    const mpq_class& sum;
  } inputs[] = {{uniform, sum}, {any, sum_of_any}};
  for (const auto& input : inputs) {
    for (bool tree : {false, true}) {
      Circuit c;
      const NodeId x = c.parameter("x", Scalar::f64, {c.dimension("n")});
      c.result(c.reduce(Op::add, c.dimension("n"), tree ? c.tree() : c.seq(),
                        [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
      auto exact = semantics("exact");
      const std::clock_t start = std::clock();
      auto values = c.run(*exact, {input.data});
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      REQUIRE(values);
      CHECK(exact->enclosure(Scalar::f64, (*values)[0].data())->low == input.sum);
      CHECK(seconds < 60);  // some 0.2 where this was written; the limit only catches a slip of orders of magnitude
    }
  }
}

TEST_CASE("the laws that exact claims hold for rationals and reals") {
  using enum ir::RealConstant;
  auto exact = semantics("exact");
  Random random(5);
  int irrational = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Circuit c;
    const auto draw = [&] {
      const mpq_class factor = q(static_cast<long>(random.below(41)) - 20, 1 + static_cast<long>(random.below(6)));
      ir::Literal literal;
      literal.kind = ir::Literal::Kind::real;
      literal.value = factor;
      literal.constant = static_cast<ir::RealConstant>(random.below(5));
      if (literal.constant == one) return c.module.rational(factor, Scalar::number);
      ++irrational;
      return c.module.literal(literal, Scalar::number);
    };
    const NodeId a = draw(), b = draw(), d = draw(), zero = c.module.rational(0, Scalar::number),
                 unit = c.module.rational(1, Scalar::number);
    const auto both = [&](Op op, NodeId x, NodeId y) { return c.module.apply(op, {x, y}); };
    const std::pair<NodeId, NodeId> claims[] = {
        {both(Op::add, a, b), both(Op::add, b, a)},
        {both(Op::mul, a, b), both(Op::mul, b, a)},
        {both(Op::add, both(Op::add, a, b), d), both(Op::add, a, both(Op::add, b, d))},
        {both(Op::mul, both(Op::mul, a, b), d), both(Op::mul, a, both(Op::mul, b, d))},
        {both(Op::mul, a, both(Op::add, b, d)), both(Op::add, both(Op::mul, a, b), both(Op::mul, a, d))},
        {both(Op::add, a, zero), a}, {both(Op::sub, a, zero), a}, {both(Op::mul, a, unit), a}, {both(Op::div, a, unit), a},
        {c.module.apply(Op::neg, {c.module.apply(Op::neg, {a})}), a},
        {both(Op::sub, a, a), zero}, {both(Op::mul, a, zero), zero},
        {both(Op::min, a, a), a}, {both(Op::max, both(Op::max, a, b), d), both(Op::max, a, both(Op::max, b, d))}};
    for (const auto& [left, right] : claims) {
      c.result(left);
      auto x = c.run(*exact);
      c.result(right);
      auto y = c.run(*exact);
      REQUIRE((x && y));
      CHECK(exact->equal(Scalar::number, (*x)[0].data(), (*y)[0].data()) != Truth::no);
    }
  }
  CHECK(irrational > 300);
}

TEST_CASE("exact keeps literals and ignores conversions") {
  Circuit c;
  c.result(c.module.convert(c.module.convert(c.module.rational(q(1, 10), Scalar::f32), Scalar::f16), Scalar::f64));
  auto exact = semantics("exact");
  auto values = c.run(*exact);
  REQUIRE(values);
  CHECK(exact->render(Scalar::f64, (*values)[0].data()).text == "1/10");
  CHECK(!exact->bits(Scalar::f64, (*values)[0].data()));
  // 1/10 has no f64: the host's pattern is a canonical NaN.
  CHECK((*values)[0].host(*exact).bits(0) == 0x7ff8000000000000u);
}

TEST_CASE("a long exact sum") {
  Circuit c;
  c.result(c.reduce(Op::add, c.constant(200), c.tree(), [&](VariableId i) {
    return c.module.apply(Op::div, {c.module.rational(1, Scalar::number),
                                    c.module.index_value(c.index().add(c.at(i), c.constant(1)), Scalar::number)});
  }));
  mpq_class harmonic = 0;
  for (long k = 1; k <= 200; ++k) harmonic += q(1, k);
  auto exact = semantics("exact");
  auto values = c.run(*exact);
  REQUIRE(values);
  CHECK(exact->enclosure(Scalar::number, (*values)[0].data())->low == harmonic);
}
