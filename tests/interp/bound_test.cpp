// Bounds hold. Real values are computed here: sums and products with GMP's rationals, functions with MPFR at 400 bits.
#include <mpfr.h>

#include <cmath>

#include "interp/algebra/directed.h"
#include "ir/schedule/bounds.h"
#include "ir/schedule/shared_shape.h"
#include "semantics/standard.h"
#include "tests/interp/bound_inputs.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

std::unique_ptr<Semantics> bound_semantics(bool any_order) {
  std::vector<SemanticsArgument> arguments;
  if (any_order) arguments.push_back({"any"});
  auto made = make_semantics("bound", arguments, {});
  REQUIRE(made);
  return std::move(*made);
}

/// (1 + u)^k - 1, exactly.
mpq_class growth(int precision, std::int64_t rounds) {
  mpq_class base = 1 + power_of_two(-precision), all = 1;
  for (std::int64_t k = 0; k < rounds; ++k) all *= base;
  return all - 1;
}

std::vector<int> leaf_depths(const ir::TreeStore& trees, ir::TreeId root, std::int64_t n) {
  std::vector<int> out(static_cast<std::size_t>(n));
  std::vector<std::pair<ir::TreeId, int>> work{{root, 0}};
  while (!work.empty()) {
    const auto [id, depth] = work.back();
    work.pop_back();
    const ir::TreeNode node = trees[id];
    if (node.leaf >= 0) {
      out[static_cast<std::size_t>(node.leaf)] = depth;
    } else {
      work.push_back({node.left, depth + 1});
      work.push_back({node.right, depth + 1});
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the bounds of a sum hold in every order, format and kind of input") {
  const auto floats = semantics("float");
  const auto bound = bound_semantics(false), any = bound_semantics(true);
  const int rounds = test::trials(2000);
  Random random(7);
  int tight = 0, inexact = 0;
  Circuit circuit;
  for (int trial = 0; trial < rounds; ++trial) {
    if (trial % 500 == 0) circuit.~Circuit(), new (&circuit) Circuit();
    circuit.function = {};
    const Scalar scalar = bound_scalars[random.below(std::size(bound_scalars))];
    const Kind kind = all_kinds[random.below(5)];
    const auto n = static_cast<std::int64_t>(1 + random.below(random.below(4) == 0 ? 100 : 12));
    const ScheduleId schedule = random_schedule(circuit, random);
    const NodeId x = circuit.parameter("x", scalar, {circuit.dimension("n")});
    circuit.result(circuit.reduce(Op::add, circuit.dimension("n"), schedule, [&](VariableId i) { return circuit.module.element(x, {circuit.at(i)}); }));
    const ir::HostTensor input = hostile(random, kind, scalar, n);
    INFO("trial " << trial << " " << kind_names[static_cast<int>(kind)] << " " << ir::scalar_name(scalar) << " n " << n
                  << " " << ir::schedule_text(circuit.module, schedule));
    auto plain = circuit.run(*floats, {input});
    auto stated = circuit.run(*bound, {input});
    auto loose = circuit.run(*any, {input});
    REQUIRE(plain);
    REQUIRE(stated);
    REQUIRE(loose);
    const std::uint64_t bits = *floats->bits(scalar, (*plain)[0].at(0));
    REQUIRE(*bound->bits(scalar, (*stated)[0].at(0)) == bits);
    REQUIRE(*any->bits(scalar, (*loose)[0].at(0)) == bits);

    mpq_class exact = 0, magnitudes = 0, by_leaf = 0;
    auto [tree, problem] = circuit.schedules().expand(schedule, n);
    REQUIRE(!problem);
    const int precision = numerics::traits(ir::format_of(scalar)).precision;
    const std::vector<int> depths = leaf_depths(circuit.schedules().trees(), tree, n);
    for (std::int64_t i = 0; i < n; ++i) {
      const mpq_class leaf = value_at(input, i);
      exact += leaf;
      magnitudes += abs(leaf);
      by_leaf += growth(precision, depths[static_cast<std::size_t>(i)]) * abs(leaf);
    }
    const mpq_class error = abs(*numerics::exact_value(bits, ir::format_of(scalar)) - exact);
    const auto stated_bound = bound->error_bound(scalar, (*stated)[0].at(0));
    const auto loose_bound = any->error_bound(scalar, (*loose)[0].at(0));
    REQUIRE(stated_bound);
    REQUIRE(loose_bound);
    REQUIRE(error <= *stated_bound);
    REQUIRE(error <= *loose_bound);
    const auto enclosure = bound->enclosure(scalar, (*stated)[0].at(0));
    REQUIRE(enclosure->low <= exact);
    REQUIRE(exact <= enclosure->high);
    // A priori: TorchLean's and Higham's; Jeannerod and Rump's; by the depths of the leaves; by the tree's height.
    ir::Accumulation how;
    how.format = ir::format_of(scalar);
    REQUIRE(error <= growth(precision, n - 1) * magnitudes);
    REQUIRE(error <= mpq_class(static_cast<long>(n - 1)) * power_of_two(-precision) * magnitudes);
    REQUIRE(error <= by_leaf);
    REQUIRE(by_leaf <= ir::tree_factor(circuit.schedules().trees().depth(tree), how) * magnitudes);
    REQUIRE(ir::any_order_factor(n, how) == mpq_class(static_cast<long>(n - 1)) * power_of_two(-precision));
    // The range form, with the leaves' own range.
    mpq_class low = value_at(input, 0), high = low;
    for (std::int64_t i = 1; i < n; ++i) {
      low = std::min(low, value_at(input, i));
      high = std::max(high, value_at(input, i));
    }
    const auto shape = ir::shape_of(circuit.schedules(), schedule, n);
    REQUIRE(!shape.problem);
    const auto range = ir::range_bound(circuit.schedules().trees(), shape.tree, {low, high, 0, 0}, how);
    REQUIRE(range);
    REQUIRE(error <= *range);
    inexact += error != 0;
    tight += error != 0 && *stated_bound <= error * mpq_class(1001, 1000);
  }
  CHECK(inexact > rounds / 4);
  CHECK(tight > inexact * 9 / 10);  // node errors are computed, so the bound is the error, but for its own roundings
}

TEST_CASE("the shape of a schedule is its tree without the leaves' numbers") {
  Random random(11);
  for (int trial = 0; trial < test::trials(300); ++trial) {
    Circuit circuit;
    ir::TreeStore& trees = circuit.schedules().trees();
    const ScheduleId schedule = random_schedule(circuit, random, 3);
    const auto n = static_cast<std::int64_t>(1 + random.below(60));
    auto [tree, problem] = circuit.schedules().expand(schedule, n);
    REQUIRE(!problem);
    std::string text = trees.text(tree), plain;
    for (char c : text) {
      if (c < '0' || c > '9') plain += c;
      else if (plain.empty() || plain.back() != '0') plain += '0';
    }
    auto [shape, trouble] = ir::shape_of(circuit.schedules(), schedule, n);
    REQUIRE(!trouble);
    INFO(ir::schedule_text(circuit.module, schedule) << " " << n);
    REQUIRE(trees.text(shape) == plain);
  }
}

TEST_CASE("known a-priori bounds") {
  Circuit circuit;
  ir::Accumulation f64, f32;
  f32.format = ir::Format::f32;
  const auto shape = ir::shape_of(circuit.schedules(), circuit.tree(), 1024).tree;
  // 10 levels of 2^(10-k) nodes, half an ulp of 2^k each: 10 * 2^-44. (Satire: 1.25e-12 in 30 s; TorchLean: 1.16e-10.)
  CHECK(*ir::range_bound(circuit.schedules().trees(), shape, {-1, 1, 0, 0}, f64) == 10 * power_of_two(-44));
  f64.truncating = true;
  CHECK(*ir::range_bound(circuit.schedules().trees(), shape, {-1, 1, 0, 0}, f64) == 10 * power_of_two(-43));
  CHECK(ir::any_order_factor(3, f64) == power_of_two(-51) + power_of_two(-104));
  CHECK(ir::tree_factor(2, f32) == power_of_two(-23) + power_of_two(-48));
  f32.products = true;
  CHECK(ir::any_order_factor(5, f32) == 5 * power_of_two(-24));
  CHECK(ir::absolute_term(1, f32) >= power_of_two(-150));
  CHECK(ir::absolute_term(1, f32) <= power_of_two(-149));
  f32 = {ir::Format::f32, false, true, false, false};
  CHECK(ir::absolute_term(3, f32) >= 2 * power_of_two(-126));
  f32.flush_inputs = true;
  CHECK(ir::absolute_term(3, f32) >= 6 * power_of_two(-126));
  ir::Accumulation f16;
  f16.format = ir::Format::f16;
  CHECK(!ir::range_bound(circuit.schedules().trees(), shape, {0, 64, 0, 0}, f16));  // 65536 overflows
  CHECK(ir::range_bound(circuit.schedules().trees(), shape, {0, 63, 0, 0}, f16));
  CHECK(ir::shape_of(circuit.schedules(), circuit.seq(), 1'000'000).tree.valid());
}

TEST_CASE("truncated and flushed sums stay within their terms") {
  Random random(13);
  for (int trial = 0; trial < test::trials(300); ++trial) {
    Circuit circuit;
    const Scalar scalar = bound_scalars[random.below(std::size(bound_scalars))];
    const auto format = ir::format_of(scalar);
    const ScheduleId schedule = random_schedule(circuit, random);
    const auto n = static_cast<std::int64_t>(1 + random.below(40));
    const ir::HostTensor input = hostile(random, all_kinds[random.below(5)], scalar, n);
    ir::Accumulation how{format, random.below(2) == 0, random.below(2) == 0, random.below(2) == 0, false};
    const auto flush = [&](const mpq_class& x, bool doing) {
      return doing && abs(x) < power_of_two(numerics::traits(format).emin) ? mpq_class(0) : x;
    };
    // A reference adder on rationals.
    auto [tree, problem] = circuit.schedules().expand(schedule, n);
    const ir::TreeStore& trees = circuit.schedules().trees();
    const auto sum = [&](auto&& self, ir::TreeId id) -> mpq_class {
      const ir::TreeNode node = trees[id];
      if (node.leaf >= 0) return value_at(input, node.leaf);
      const mpq_class total = flush(self(self, node.left), how.flush_inputs) + flush(self(self, node.right), how.flush_inputs);
      const auto bits = numerics::round_rational(
          total, format, how.truncating ? numerics::Rounding::toward_zero : numerics::Rounding::nearest_even);
      return flush(*numerics::exact_value(bits, format), how.flush_outputs);
    };
    mpq_class exact = 0, magnitudes = 0, low = value_at(input, 0), high = low;
    for (std::int64_t i = 0; i < n; ++i) {
      exact += value_at(input, i);
      magnitudes += abs(value_at(input, i));
      low = std::min(low, value_at(input, i));
      high = std::max(high, value_at(input, i));
    }
    const mpq_class error = abs(sum(sum, tree) - exact), flushed = ir::absolute_term(n, how);
    REQUIRE(error <= ir::tree_factor(trees.depth(tree), how) * magnitudes + flushed);
    REQUIRE(error <= ir::any_order_factor(n, how) * magnitudes + flushed);
    const auto shape = ir::shape_of(circuit.schedules(), schedule, n).tree;
    REQUIRE(error <= *ir::range_bound(trees, shape, {low, high, 0, 0}, how));
  }
}

namespace {

/// function(x, y) to 400 bits.
mpq_class real(Op op, const mpq_class& x, const mpq_class& y) {
  mpfr_t first, second;
  mpfr_inits2(400, first, second, nullptr);
  mpfr_set_q(first, x.get_mpq_t(), MPFR_RNDN);
  mpfr_set_q(second, y.get_mpq_t(), MPFR_RNDN);
  if (op == Op::atan2) mpfr_atan2(first, first, second, MPFR_RNDN);
  else if (op == Op::pow) mpfr_pow(first, first, second, MPFR_RNDN);
  else mpfr_hypot(first, first, second, MPFR_RNDN);
  mpq_class out;
  mpfr_get_q(out.get_mpq_t(), first);
  mpfr_clears(first, second, nullptr);
  return out;
}

/// real(function, p / q) to 400 bits.
mpq_class real(Op op, const mpq_class& x) {
  mpfr_t value;
  mpfr_init2(value, 400);
  mpfr_set_q(value, x.get_mpq_t(), MPFR_RNDN);
  switch (op) {
    case Op::sqrt: mpfr_sqrt(value, value, MPFR_RNDN); break;
    case Op::rsqrt: mpfr_rec_sqrt(value, value, MPFR_RNDN); break;
    case Op::exp: mpfr_exp(value, value, MPFR_RNDN); break;
    case Op::exp2: mpfr_exp2(value, value, MPFR_RNDN); break;
    case Op::exp10: mpfr_exp10(value, value, MPFR_RNDN); break;
    case Op::log10: mpfr_log10(value, value, MPFR_RNDN); break;
    case Op::log: mpfr_log(value, value, MPFR_RNDN); break;
    case Op::log2: mpfr_log2(value, value, MPFR_RNDN); break;
    case Op::sin: mpfr_sin(value, value, MPFR_RNDN); break;
    case Op::cos: mpfr_cos(value, value, MPFR_RNDN); break;
    case Op::tan: mpfr_tan(value, value, MPFR_RNDN); break;
    case Op::asin: mpfr_asin(value, value, MPFR_RNDN); break;
    case Op::acos: mpfr_acos(value, value, MPFR_RNDN); break;
    case Op::atan: mpfr_atan(value, value, MPFR_RNDN); break;
    case Op::sinh: mpfr_sinh(value, value, MPFR_RNDN); break;
    case Op::cosh: mpfr_cosh(value, value, MPFR_RNDN); break;
    case Op::tanh: mpfr_tanh(value, value, MPFR_RNDN); break;
    case Op::asinh: mpfr_asinh(value, value, MPFR_RNDN); break;
    case Op::acosh: mpfr_acosh(value, value, MPFR_RNDN); break;
    case Op::atanh: mpfr_atanh(value, value, MPFR_RNDN); break;
    case Op::erf: mpfr_erf(value, value, MPFR_RNDN); break;
    case Op::expm1: mpfr_expm1(value, value, MPFR_RNDN); break;
    case Op::log1p: mpfr_log1p(value, value, MPFR_RNDN); break;
    case Op::cbrt: mpfr_cbrt(value, value, MPFR_RNDN); break;
    case Op::sinpi: mpfr_sinpi(value, value, MPFR_RNDN); break;
    case Op::cospi: mpfr_cospi(value, value, MPFR_RNDN); break;
    case Op::tanpi: mpfr_tanpi(value, value, MPFR_RNDN); break;
    case Op::erfc: mpfr_erfc(value, value, MPFR_RNDN); break;
    case Op::gamma: mpfr_gamma(value, value, MPFR_RNDN); break;
    case Op::lgamma: {
      int sign = 0;
      mpfr_lgamma(value, &sign, value, MPFR_RNDN);
      break;
    }
    default: break;
  }
  mpq_class out;
  mpfr_get_q(out.get_mpq_t(), value);
  mpfr_clear(value);
  return out;
}

mpz_class floor_of(const mpq_class& x) {
  mpz_class out;
  mpz_fdiv_q(out.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
  return out;
}

}  // namespace

TEST_CASE("the bound of every pair holds in the formats that saturate") {
  const auto bound = bound_semantics(false), any = bound_semantics(true), floats = semantics("float");
  for (const Scalar scalar : saturating_formats) {
    const auto format = ir::format_of(scalar);
    const std::int64_t patterns = std::int64_t{1} << numerics::traits(format).width;
    // Of the formats of 8 bits every seventh pattern, which is every pattern beside some other.
    const std::int64_t step = patterns > 64 ? 7 : 1, n = (patterns + step - 1) / step;
    ir::HostTensor input(scalar, {n});
    for (std::int64_t i = 0; i < n; ++i) input.set_bits(i, static_cast<std::uint64_t>(i * step));
    for (const Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::rem, Op::max, Op::hypot}) {
      Circuit circuit;
      const NodeId x = circuit.parameter("x", scalar, {circuit.constant(n)});
      circuit.result(circuit.map({circuit.constant(n), circuit.constant(n)}, [&](const std::vector<VariableId>& at) {
        return circuit.module.apply(op, {circuit.module.element(x, {circuit.at(at[0])}),
                                         circuit.module.element(x, {circuit.at(at[1])})});
      }));
      auto stated = circuit.run(*bound, {input}), loose = circuit.run(*any, {input}),
           plain = circuit.run(*floats, {input});
      REQUIRE(stated);
      REQUIRE(loose);
      REQUIRE(plain);
      int known = 0;
      for (std::int64_t i = 0; i < n * n; ++i) {
        const std::uint64_t bits = *floats->bits(scalar, (*plain)[0].at(i));
        REQUIRE(*bound->bits(scalar, (*stated)[0].at(i)) == bits);
        const auto distance = bound->error_bound(scalar, (*stated)[0].at(i));
        const auto any_distance = any->error_bound(scalar, (*loose)[0].at(i));
        const auto a = numerics::exact_value(input.bits(i / n), format),
                   b = numerics::exact_value(input.bits(i % n), format);
        if (!distance) continue;
        if (!a || !b) continue;  // arithmetic on a given infinity
        ++known;
        INFO(ir::scalar_name(scalar) << " " << ir::traits(op).spelling << " " << a->get_d() << " " << b->get_d());
        mpq_class exact;
        switch (op) {
          case Op::add: exact = *a + *b; break;
          case Op::sub: exact = *a - *b; break;
          case Op::mul: exact = *a * *b; break;
          case Op::max: exact = std::max(*a, *b); break;
          case Op::hypot: exact = real(op, *a, *b); break;
          default:
            REQUIRE(*b != 0);
            exact = *a / *b;
            if (op == Op::rem) exact = (abs(*a) - floor_of(abs(exact)) * abs(*b)) * sgn(*a);
        }
        const mpq_class slack = op == Op::hypot ? mpq_class(abs(exact) * power_of_two(-380)) : mpq_class(0);
        const mpq_class error = abs(*numerics::exact_value(bits, format) - exact);
        REQUIRE(error <= *distance + slack);
        if (any_distance) REQUIRE(error <= *any_distance + slack);
      }
      CHECK(known > n * n / 2);
    }
  }
}

TEST_CASE("sums in formats that saturate stay within their bounds, or have none") {
  const auto floats = semantics("float"), bound = bound_semantics(false), any = bound_semantics(true);
  Random random(23);
  int bounded = 0, loosely = 0;
  for (int trial = 0; trial < test::trials(2000); ++trial) {
    Circuit circuit;
    const Scalar scalar = saturating_formats[random.below(std::size(saturating_formats))];
    const auto format = ir::format_of(scalar);
    const auto n = static_cast<std::int64_t>(1 + random.below(12));
    const ScheduleId schedule = random_schedule(circuit, random);
    const NodeId x = circuit.parameter("x", scalar, {circuit.dimension("n")});
    circuit.result(circuit.reduce(Op::add, circuit.dimension("n"), schedule,
                                  [&](VariableId i) { return circuit.module.element(x, {circuit.at(i)}); }));
    ir::HostTensor input(scalar, {n});
    mpq_class exact = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      do input.set_bits(i, random.below(std::uint64_t{1} << numerics::traits(format).width));
      while (!numerics::is_finite(input.bits(i), format) ||
             (random.below(3) != 0 && abs(value_at(input, i)) > power_of_two(numerics::traits(format).emax - 3)));
      exact += value_at(input, i);
    }
    auto stated = circuit.run(*bound, {input}), loose = circuit.run(*any, {input}),
         plain = circuit.run(*floats, {input});
    REQUIRE((stated && loose && plain));
    const std::uint64_t bits = *floats->bits(scalar, (*plain)[0].at(0));
    REQUIRE(*bound->bits(scalar, (*stated)[0].at(0)) == bits);
    const mpq_class error = abs(*numerics::exact_value(bits, format) - exact);
    INFO(trial << " " << ir::scalar_name(scalar) << " " << exact.get_d());
    if (const auto distance = bound->error_bound(scalar, (*stated)[0].at(0))) {
      ++bounded;
      REQUIRE(error <= *distance);
    }
    // Another order's bound is that of every order.
    const ScheduleId other = random_schedule(circuit, random);
    if (const auto distance = any->error_bound(scalar, (*loose)[0].at(0))) {
      ++loosely;
      REQUIRE(error <= *distance);
      circuit.result(circuit.reduce(Op::add, circuit.dimension("n"), other,
                                    [&](VariableId i) { return circuit.module.element(x, {circuit.at(i)}); }));
      const auto again = circuit.run(*floats, {input});
      REQUIRE(again);
      REQUIRE(abs(*numerics::exact_value(*floats->bits(scalar, (*again)[0].at(0)), format) - exact) <= *distance);
    }
  }
  CHECK(bounded > test::trials(2000) / 2);
  CHECK(loosely > test::trials(2000) / 4);
}

TEST_CASE("every operation's bound holds on operands that have errors") {
  // Operands are a / 3 and b * c: rounded, so that their own errors are propagated.
  const auto bound = bound_semantics(false), any = bound_semantics(true);
  Random random(17);
  const Op ops[] = {Op::add,   Op::sub,      Op::mul,    Op::div,   Op::fma,   Op::neg,   Op::abs,   Op::min,
                    Op::max,   Op::copysign, Op::rem,    Op::floor, Op::ceil,  Op::trunc, Op::sign,  Op::sqrt,
                    Op::rsqrt, Op::exp,      Op::exp2,   Op::exp10, Op::log,   Op::log2,  Op::log10, Op::sin,
                    Op::cos,   Op::minnum,   Op::maxnum, Op::clamp, Op::atan2, Op::pow,   Op::hypot, Op::tan,
                    Op::asin,  Op::acos,     Op::atan,   Op::sinh,  Op::cosh,  Op::tanh,  Op::asinh, Op::acosh,
                    Op::atanh, Op::erf,      Op::expm1,  Op::log1p, Op::cbrt,  Op::sinpi, Op::cospi, Op::tanpi,
                    Op::erfc,  Op::gamma,    Op::lgamma};
  int bounded = 0, total = 0;
  for (int trial = 0; trial < test::trials(12000); ++trial) {
    const Scalar scalar = random.below(4) == 0 ? saturating_formats[random.below(std::size(saturating_formats))]
                                               : bound_scalars[random.below(std::size(bound_scalars))];
    const auto format = ir::format_of(scalar);
    const Op op = ops[random.below(std::size(ops))];
    const bool wild = random.below(4) == 0;
    ir::HostTensor input(scalar, {3});
    for (int k = 0; k < 3; ++k) {
      if (wild) {
        input.set_bits(k, numerics::round_f64(std::ldexp(2 * std::ldexp(static_cast<double>(random.word() >> 11), -53) - 1, static_cast<int>(random.below(60)) - 30 + (random.below(3) == 0 ? numerics::traits(format).emin + 20 : 0)), format));
      } else {
        input.set_bits(k, numerics::round_f64(16 * std::ldexp(static_cast<double>(random.word() >> 11), -53) - (random.below(2) == 0 ? 8 : 0), format));
      }
    }
    const bool finite = numerics::is_finite(input.bits(0), format) && numerics::is_finite(input.bits(1), format) &&
                        numerics::is_finite(input.bits(2), format);
    if (!finite) continue;
    Circuit circuit;
    const NodeId t = circuit.parameter("x", scalar, {circuit.constant(3)});
    const auto at = [&](int k) { return circuit.module.element(t, {circuit.constant(k)}); };
    const NodeId a = circuit.module.apply(Op::div, {at(0), circuit.module.rational(3, scalar)});
    const NodeId b = circuit.module.apply(Op::mul, {at(1), at(2)});
    std::vector<NodeId> operands{a, b, at(2)};
    operands.resize(static_cast<std::size_t>(ir::traits(op).arity));
    circuit.result(circuit.module.apply(op, operands));
    const mpq_class x = value_at(input, 0) / 3, y = value_at(input, 1) * value_at(input, 2), z = value_at(input, 2);
    INFO("trial " << trial << " " << ir::traits(op).spelling << " " << ir::scalar_name(scalar) << " " << x.get_d() << " " << y.get_d());
    auto values = circuit.run(*bound, {input});
    auto loose = circuit.run(*any, {input});
    auto plain = circuit.run(*semantics("float"), {input});
    REQUIRE(values);
    REQUIRE(loose);
    REQUIRE(plain);
    REQUIRE(bound->bits(scalar, (*values)[0].at(0)) == semantics("float")->bits(scalar, (*plain)[0].at(0)));
    ++total;
    const auto enclosure = bound->enclosure(scalar, (*values)[0].at(0));
    const auto distance = bound->error_bound(scalar, (*values)[0].at(0));
    if (!enclosure) continue;
    std::optional<mpq_class> exact;
    mpz_class whole;
    switch (op) {
      case Op::add: exact = x + y; break;
      case Op::sub: exact = x - y; break;
      case Op::mul: exact = x * y; break;
      case Op::div: REQUIRE(y != 0); exact = x / y; break;
      case Op::fma: exact = x * y + z; break;
      case Op::neg: exact = -x; break;
      case Op::abs: exact = abs(x); break;
      case Op::min:
      case Op::minnum: exact = std::min(x, y); break;
      case Op::max:
      case Op::maxnum: exact = std::max(x, y); break;
      case Op::clamp: exact = std::min(std::max(x, y), z); break;
      case Op::atan2:
      case Op::pow:
      case Op::hypot: exact = real(op, x, y); break;
      case Op::copysign:
        if (y != 0) exact = y < 0 ? mpq_class(-abs(x)) : mpq_class(abs(x));
        break;
      case Op::rem:
        whole = floor_of(abs(x) / abs(y));
        exact = mpq_class(abs(x) - whole * abs(y)) * sgn(x);
        break;
      case Op::floor: exact = floor_of(x); break;
      case Op::ceil: exact = -floor_of(-x); break;
      case Op::trunc: exact = sgn(x) * floor_of(abs(x)); break;
      case Op::sign: exact = sgn(x); break;
      default: exact = real(op, x);
    }
    if (!exact) continue;
    ++bounded;
    // A function's 400 bits are not the real number; 2^-380 of it covers what they lose.
    const mpq_class slack = op >= Op::sqrt && op <= Op::hypot ? mpq_class(abs(*exact) * power_of_two(-380)) : mpq_class(0);
    REQUIRE(enclosure->low <= *exact + slack);
    REQUIRE(*exact - slack <= enclosure->high);
    const auto result = numerics::exact_value(*bound->bits(scalar, (*values)[0].at(0)), format);
    REQUIRE(abs(*result - *exact) <= *distance + slack);
    const auto any_distance = any->error_bound(scalar, (*loose)[0].at(0));
    if (any_distance) REQUIRE(abs(*result - *exact) <= *any_distance + slack);
  }
  CHECK(bounded > total / 2);
}

TEST_CASE("what has no bound says why, and branches are never guessed") {
  const auto bound = bound_semantics(false);
  const auto shown = [&](const std::function<NodeId(Circuit&)>& build) {
    Circuit circuit;
    circuit.result(build(circuit));
    auto values = circuit.run(*bound);
    REQUIRE(values);
    return bound->render((*values)[0].scalar(), (*values)[0].at(0)).text;
  };
  const auto number = [](Circuit& c, const mpq_class& value) { return c.module.rational(value, Scalar::f32); };
  CHECK(shown([&](Circuit& c) { return c.module.apply(Op::mul, {number(c, 1000000), c.module.apply(Op::exp, {number(c, 80)})}); }) == "inf  +- unbounded (overflow)");
  CHECK(shown([&](Circuit& c) { return c.module.apply(Op::div, {number(c, 1), c.module.apply(Op::sub, {number(c, {1, 10}), number(c, {1, 10})})}); }) ==
        "inf  +- unbounded (a divisor may be 0)");
  CHECK(shown([&](Circuit& c) { return c.module.apply(Op::log, {number(c, -1)}); }).ends_with("domain)"));
  // 0.1 + 0.2 < 0.3 in f64: the floats say no; the reals are equal, so the comparison is in doubt, and the choice's bound
  // covers both branches.
  const auto branch = [&](Circuit& c) {
    const auto d = [&](const mpq_class& v) { return c.module.rational(v, Scalar::f64); };
    const NodeId less = c.module.apply(Op::less, {c.module.apply(Op::add, {d({1, 10}), d({2, 10})}), d({3, 10})});
    return c.module.apply(Op::select, {less, d(5), d(7)});
  };
  CHECK(shown(branch) == "7  +- 2");
  CHECK(shown([&](Circuit& c) {
          const NodeId inf = c.module.literal({.kind = ir::Literal::Kind::infinity, .negative = true}, Scalar::f32);
          return c.module.apply(Op::exp, {c.module.apply(Op::sub, {inf, number(c, 3)})});
        }) == "0  +- 0");
}

TEST_CASE("directed arithmetic of a NaN knows nothing, and ends") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double x : {0.0, -0.0, 1.0, -3.5, 0x1p-1074, directed::largest, directed::infinity, -directed::infinity, nan}) {
    for (const auto& [a, b] : {std::pair{nan, x}, {x, nan}}) {
      CHECK(directed::add_down(a, b) == -directed::infinity);
      CHECK(directed::add_up(a, b) == directed::infinity);
      CHECK(directed::mul_down(a, b) == -directed::infinity);
      CHECK(directed::mul_up(a, b) == directed::infinity);
      CHECK(directed::div_down(a, b) == -directed::infinity);
      CHECK(directed::div_up(a, b) == directed::infinity);
    }
  }
}
