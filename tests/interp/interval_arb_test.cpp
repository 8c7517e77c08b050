// Intervals against Arb: the true result at points of the operands lies inside, for every operation and for random
// circuits; and the ends are the nearest f64s. RECKON_TRIALS is the number of points of each kind (up to 10^8), and
// makes the figures appear.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

#include "tests/interp/arb_reference.h"
#include "tests/interp/kernels.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

struct Endpoints {
  double low, high;
};
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr slong precisions[] = {200, 2500};

/// Wide, thin, around zero, huge, subnormal, and ordinary.
Endpoints operand(Random& random) {
  const auto number = [&]() -> double {
    const double unit = static_cast<double>(random.word() >> 11) * 0x1p-52 - 1;
    switch (random.below(5)) {
      case 0: return troublesome(random);
      case 1: return unit;
      case 2: return std::ldexp(unit, static_cast<int>(random.below(80)) - 40);
      case 3: return static_cast<double>(static_cast<int>(random.below(17)) - 8) / (random.below(2) ? 1 : 2);
      default: return unit * 8;
    }
  };
  const double a = number();
  switch (random.below(5)) {
    case 0: return {a, a};
    case 1: return {a, std::min(std::nextafter(a, inf), std::numeric_limits<double>::max())};
    case 2: {
      const double other = a + std::ldexp(std::fabs(a), -static_cast<int>(random.below(50)));
      return {a, std::isfinite(other) ? other : a};
    }
    default: {
      const double b = number();
      return {std::min(a, b), std::max(a, b)};
    }
  }
}

double point_of(Random& random, const Endpoints& x) {
  switch (random.below(5)) {
    case 0: return x.low;
    case 1: return x.high;
    case 2:
      if (x.low <= 0 && x.high >= 0) return 0;
      [[fallthrough]];
    case 3: {  // an integer, for pow and rem
      const double whole = std::ceil(x.low);
      if (whole <= x.high) return whole;
      [[fallthrough]];
    }
    default: {
      const double t = static_cast<double>(random.word() >> 11) * 0x1p-53;
      return std::clamp(x.low * (1 - t) + x.high * t, x.low, x.high);
    }
  }
}

/// One element, or nothing where the operation has no value there.
std::optional<Endpoints> apply_one(Semantics& semantics, Op op, const Endpoints& a, const Endpoints& b,
                                   const Endpoints& c) {
  const Endpoints* operands[3] = {&a, &b, &c};
  Rows rows[3];
  for (int k = 0; k < 3; ++k) rows[k] = {reinterpret_cast<const std::byte*>(operands[k]), 1};
  Endpoints out{};
  if (semantics.apply(op, Scalar::f64, Scalar::f64, rows, reinterpret_cast<std::byte*>(&out), 1, 1, 1)) return std::nullopt;
  return out;
}

struct Tally {
  long points = 0, escapes = 0, undecided = 0, undefined = 0;
  long quick = 0;  ///< of the points, those that `extended` decided
};

/// What glibc's functions of 80 bits give, whose errors its manual states as a few units of 2^-64 ("Known Maximum
/// Errors in Math Functions"); nothing for the functions of which that is not so everywhere, or which it lacks.
std::optional<long double> extended(Op op, long double x, long double y, long double z) {
  switch (op) {
    case Op::add: return x + y;
    case Op::sub: return x - y;
    case Op::mul: return x * y;
    case Op::div: return x / y;
    case Op::neg: return -x;
    case Op::abs: return std::fabs(x);
    case Op::fma: return std::fma(x, y, z);
    case Op::sqrt: return std::sqrt(x);
    case Op::rsqrt: return 1 / std::sqrt(x);
    case Op::exp: return std::exp(x);
    case Op::exp2: return std::exp2(x);
    case Op::exp10: return ::exp10l(x);
    case Op::log: return std::log(x);
    case Op::log2: return std::log2(x);
    case Op::log10: return std::log10(x);
    case Op::sin: return std::sin(x);
    case Op::cos: return std::cos(x);
    case Op::tan: return std::tan(x);
    case Op::asin: return std::asin(x);
    case Op::acos: return std::acos(x);
    case Op::atan: return std::atan(x);
    case Op::sinh: return std::sinh(x);
    case Op::cosh: return std::cosh(x);
    case Op::tanh: return std::tanh(x);
    case Op::asinh: return std::asinh(x);
    case Op::acosh: return std::acosh(x);
    case Op::atanh: return std::atanh(x);
    case Op::erf: return std::erf(x);
    case Op::erfc: return std::erfc(x);
    case Op::min: return std::fmin(x, y);
    case Op::max: return std::fmax(x, y);
    case Op::floor: return std::floor(x);
    case Op::ceil: return std::ceil(x);
    case Op::expm1: return std::expm1(x);
    case Op::log1p: return std::log1p(x);
    case Op::cbrt: return std::cbrt(x);
    case Op::atan2: return std::atan2(x, y);
    case Op::pow: return std::pow(x, y);
    case Op::hypot: return std::hypot(x, y);
    default: return std::nullopt;
  }
}

/// Whether a value that errs by 2^-58 of itself at most lies inside, whatever its error is. An error of the least
/// numbers of 80 bits is absolute: those are left to Arb.
bool surely_inside(const std::optional<Endpoints>& result, long double value) {
  if (!result || !(std::fabs(value) > 0x1p-16000L) || !std::isfinite(value)) return false;
  const long double margin = std::fabs(value) * 0x1p-58L;
  return value - margin >= result->low && value + margin <= result->high;
}

/// `value(precision)` is a ball around the true result.
void judge(Tally& tally, const std::optional<Endpoints>& result, const std::function<Ball(slong)>& value,
           const std::function<std::string()>& story) {
  ++tally.points;
  for (const slong precision : precisions) {
    const Ball ball = value(precision);
    if (!ball.finite()) {
      ++tally.undefined;
      return;
    }
    const bool outside = !result || ball.below(result->low) || ball.above(result->high);
    if (outside) {
      ++tally.escapes;
      FAIL_CHECK(story());
      return;
    }
    if (ball.at_least(result->low) && ball.at_most(result->high)) return;
  }
  ++tally.undecided;
}

void report(const char* what, const Tally& tally) {
  INFO(what << ": " << tally.points << " points, " << tally.undecided << " undecided, " << tally.undefined << " undefined");
  if (test::long_run()) {
    std::printf(
        "%s: %ld points, %ld of them by 80 bits, %ld escapes, %ld undecided (on an end, for all that Arb knows), %ld "
        "without a value\n",
        what, tally.points, tally.quick, tally.escapes, tally.undecided, tally.undefined);
  }
  CHECK(tally.escapes == 0);
  // tanh(100) and 1 differ by less than Arb tells at 2500 bits; both are one end of the answer.
  CHECK(tally.undecided * 5 <= tally.points);
  CHECK(tally.undefined * 10 <= tally.points * 9);
}

std::string story(Op op, const std::vector<Endpoints>& operands, const std::vector<double>& at,
                  const std::optional<Endpoints>& result) {
  std::string out(ir::traits(op).spelling);
  char text[200];
  for (std::size_t k = 0; k < operands.size(); ++k) {
    std::snprintf(text, sizeof text, " [%a, %a] at %a", operands[k].low, operands[k].high, at[k]);
    out += text;
  }
  if (!result) return out + " has no value";
  std::snprintf(text, sizeof text, " gives [%a, %a]", result->low, result->high);
  return out + text;
}

constexpr Op all_operations[] = {Op::add,   Op::sub,   Op::mul,   Op::div,  Op::rem,   Op::neg,    Op::abs,
                                 Op::fma,   Op::sqrt,  Op::rsqrt, Op::exp,  Op::exp2,  Op::exp10,  Op::log,
                                 Op::log2,  Op::log10, Op::sin,   Op::cos,  Op::tan,   Op::asin,   Op::acos,
                                 Op::atan,  Op::sinh,  Op::cosh,  Op::tanh, Op::asinh, Op::acosh,  Op::atanh,
                                 Op::erf,   Op::expm1, Op::log1p, Op::cbrt, Op::atan2, Op::pow,    Op::hypot,
                                 Op::sinpi, Op::cospi, Op::tanpi, Op::erfc, Op::gamma, Op::lgamma, Op::min,
                                 Op::max,   Op::floor, Op::ceil};

}  // namespace

TEST_CASE("no point escapes from an operation's interval") {
  Random random(test::stream(101));
  auto interval = semantics("interval");
  const long each = test::trials(100'000l) / static_cast<long>(std::size(all_operations)) + 1;
  Tally all;
  for (const Op op : all_operations) {
    Tally tally;
    // The gamma function's turning points take most of a long run.
    const bool is_slow = op == Op::gamma || op == Op::lgamma;
    const long share = test::long_run() && is_slow ? each / 20 : each;
    for (long done = 0; done < share;) {
      // Arrays, as the interpreter calls; one by one where some element has no value.
      constexpr std::size_t width = 40;
      std::vector<Endpoints> a(width), b(width), c(width), out(width);
      for (std::size_t i = 0; i < width; ++i) a[i] = operand(random), b[i] = operand(random), c[i] = operand(random);
      Rows rows[3];
      int k = 0;
      for (const auto* column : {&a, &b, &c}) rows[k++] = {reinterpret_cast<const std::byte*>(column->data()), width};
      const bool whole = !interval->apply(op, Scalar::f64, Scalar::f64, rows, reinterpret_cast<std::byte*>(out.data()), width, 1, width);
      for (std::size_t i = 0; i < width; ++i, ++done) {
        const auto result = whole ? std::optional(out[i]) : apply_one(*interval, op, a[i], b[i], c[i]);
        const double x = point_of(random, a[i]), y = point_of(random, b[i]), z = point_of(random, c[i]);
        // In a long run Arb has every 16th point, and those that are near an end or outside.
        if (test::long_run() && i % 16 != 0) {
          const auto near = extended(op, x, y, z);
          if (near && surely_inside(result, *near)) {
            ++tally.points, ++tally.quick;
            continue;
          }
        }
        const auto value = [&](slong precision) {
          if (op == Op::rem && y != 0) return Ball(std::fmod(x, y));  // exact, where Arb cannot decide a quotient
          return at_point(op, Ball(x), Ball(y), Ball(z), precision);
        };
        judge(tally, result, value, [&] { return story(op, {a[i], b[i], c[i]}, {x, y, z}, result); });
      }
    }
    report(std::string(ir::traits(op).spelling).c_str(), tally);
    all.points += tally.points, all.escapes += tally.escapes, all.quick += tally.quick;
  }
  CHECK(all.escapes == 0);
  if (test::long_run())
    std::printf("operations: %ld points, %ld of them by 80 bits, %ld escapes\n", all.points, all.quick, all.escapes);
}

TEST_CASE("no point escapes from a random circuit of depth 8") {
  Random random(test::stream(102));
  auto interval = semantics("interval");
  Tally tally;
  const long count = test::trials(40'000l);
  struct Step {
    Op op;
    std::size_t operands[3];
  };
  while (tally.points < count) {
    std::vector<Step> steps;
    std::vector<Endpoints> values;
    for (int k = 0; k < 3; ++k) values.push_back(operand(random));
    const std::size_t inputs = values.size();
    bool faulted = false;
    for (int depth = 0; depth < 8 && !faulted; ++depth) {
      Step step{all_operations[random.below(std::size(all_operations))], {}};
      if (random.below(2)) step.op = all_operations[random.below(4)];  // half of them field operations
      for (std::size_t& k : step.operands) k = random.below(values.size());
      step.operands[0] = values.size() - 1;  // a chain, so that the depth is real
      steps.push_back(step);
      const auto out = apply_one(*interval, step.op, values[step.operands[0]], values[step.operands[1]], values[step.operands[2]]);
      if (out) values.push_back(*out);
      faulted = !out;
    }
    for (int p = 0; p < 4; ++p) {
      std::vector<double> at;
      for (std::size_t k = 0; k < inputs; ++k) at.push_back(point_of(random, values[k]));
      const auto value = [&](std::size_t step, slong precision) {
        std::vector<Ball> balls(at.begin(), at.end());
        for (std::size_t s = 0; s <= step; ++s) {
          const Step& now = steps[s];
          balls.push_back(at_point(now.op, balls[now.operands[0]], balls[now.operands[1]], balls[now.operands[2]], precision));
          if (!balls.back().finite()) break;
        }
        return balls.back();
      };
      const auto last = steps.size() - 1;
      judge(tally, faulted ? std::nullopt : std::optional(values.back()), [&](slong precision) { return value(last, precision); },
            [&] {
              std::string out;
              for (const Step& step : steps) out += std::string(ir::traits(step.op).spelling) + " ";
              return out + story(steps.back().op, {values[0], values[1], values[2]}, at,
                                 faulted ? std::nullopt : std::optional(values.back()));
            });
    }
  }
  report("circuits", tally);
}

namespace {

/// Whether `end` is the nearest f64 on its side of the true value.
std::optional<bool> nearest(double end, bool is_low, const std::function<Ball(slong)>& value) {
  const double inner = std::nextafter(end, is_low ? inf : -inf);
  for (const slong precision : precisions) {
    const Ball ball = value(precision);
    if (!ball.finite()) return std::nullopt;
    if (is_low ? ball.at_least(end) && ball.below(inner) : ball.at_most(end) && ball.above(inner)) return true;
    if (is_low ? ball.below(end) || ball.at_least(inner) : ball.above(end) || ball.at_most(inner)) return false;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("the ends of functions are correctly rounded neighbours") {
  Random random(test::stream(103));
  auto interval = semantics("interval");
  constexpr Op functions[] = {Op::exp,   Op::exp2,  Op::exp10, Op::log,   Op::log2,  Op::log10, Op::sin,   Op::cos,
                              Op::tan,   Op::asin,  Op::acos,  Op::atan,  Op::sinh,  Op::cosh,  Op::tanh,  Op::asinh,
                              Op::acosh, Op::atanh, Op::erf,   Op::expm1, Op::log1p, Op::cbrt,  Op::rsqrt, Op::sqrt,
                              Op::sinpi, Op::cospi, Op::tanpi, Op::erfc,  Op::atan2, Op::pow,   Op::hypot};
  const long each = test::trials(50'000l) / static_cast<long>(std::size(functions)) + 1;
  long ends = 0, tight = 0, open = 0, on_end = 0;
  for (const Op op : functions) {
    const long open_before = open;
    const bool binary = ir::traits(op).arity == 2,
               is_wave = op == Op::sin || op == Op::cos || op == Op::sinpi || op == Op::cospi;
    for (long i = 0; i < each; ++i) {
      Endpoints a = operand(random), b = operand(random);
      if (binary) {  // boxes on which the function is monotone in each operand
        a = {std::min(std::fabs(a.low), std::fabs(a.high)), std::max(std::fabs(a.low), std::fabs(a.high))};
        if (op != Op::pow) b = {std::min(std::fabs(b.low), std::fabs(b.high)), std::max(std::fabs(b.low), std::fabs(b.high))};
        if ((op == Op::pow && a.low == 0) || b.low == 0) continue;
      }
      const auto result = apply_one(*interval, op, a, b, b);
      if (!result) continue;
      // The corners, inside the domain; the least and the largest of them as balls.
      const double most = std::numeric_limits<double>::max();
      double first = -most, last = most;
      if (op == Op::asin || op == Op::acos) first = -1, last = 1;
      if (op == Op::acosh) first = 1;
      if (op == Op::sqrt) first = 0;
      if (op == Op::log || op == Op::log2 || op == Op::log10 || op == Op::rsqrt) first = std::numeric_limits<double>::denorm_min();
      if (op == Op::log1p || op == Op::atanh) first = -1 + 0x1p-53;
      if (op == Op::atanh) last = 1 - 0x1p-53;
      const std::vector<double> xs{std::clamp(a.low, first, last), std::clamp(a.high, first, last)},
          ys = binary ? std::vector{b.low, b.high} : std::vector{0.0};
      const auto extreme = [&](bool least) {
        return [&, least](slong precision) {
          std::optional<Ball> best;
          const auto meet = [&](const Ball& ball) {
            if (!best) best = ball;
            else if (least) arb_min(best->get(), best->get(), ball.get(), precision);
            else arb_max(best->get(), best->get(), ball.get(), precision);
          };
          for (const double x : xs) {
            for (const double y : ys) meet(at_point(op, Ball(x), Ball(y), Ball(0), precision));
          }
          if (op == Op::cosh && least && a.low < 0 && a.high > 0) meet(Ball(1));
          if (is_wave) {
            // A whole number k with low <= (k + phase) 2 pi <= high: there the wave is at its extreme.
            Ball pi, from(a.low), to(a.high);
            arb_const_pi(pi.get(), precision);
            const bool half_turns = op == Op::sinpi || op == Op::cospi;
            const double phase = op == Op::sin || op == Op::sinpi ? (least ? 0.75 : 0.25) : (least ? 0.5 : 0);
            const auto turns = [&](Ball& x) {
              if (!half_turns) arb_div(x.get(), x.get(), pi.get(), precision);
              arb_mul_2exp_si(x.get(), x.get(), -1);
              arb_sub(x.get(), x.get(), Ball(phase).get(), precision);
            };
            turns(from), turns(to);
            arb_ceil(from.get(), from.get(), precision);
            arb_floor(to.get(), to.get(), precision);
            if (arb_le(from.get(), to.get())) meet(Ball(least ? -1 : 1));
            else if (!arb_gt(from.get(), to.get())) arb_indeterminate(best->get());
          }
          return *best;
        };
      };
      for (const bool is_low : {true, false}) {
        const double end = is_low ? result->low : result->high;
        if ((op == Op::tan || op == Op::tanpi) && std::isinf(end)) continue;  // a pole inside; points are judged above
        // Past a pole at the border of the domain the answer is unbounded; Arb gives no ball there.
        const bool below_pole = (op == Op::log || op == Op::log2 || op == Op::log10 || op == Op::rsqrt) ? a.low <= 0 : (op == Op::log1p || op == Op::atanh) && a.low <= -1;
        const bool pole = op == Op::rsqrt ? below_pole && !is_low : is_low ? below_pole : op == Op::atanh && a.high >= 1;
        if (pole) {
          ++ends, ++tight;
          if (end != (is_low ? -inf : inf)) FAIL_CHECK(story(op, {a}, {a.low}, result) << ": a pole");
          continue;
        }
        const auto is_tight = nearest(end, is_low, extreme(is_low));
        ++ends;
        if (!is_tight) {
          // Equal to all 2500 bits: the true value is this end, or the next number inside (tanh(1000) and 1).
          const Ball ball = extreme(is_low)(precisions[1]);
          ++(ball.finite() && arb_contains(ball.get(), Ball(end).get()) ? on_end : open);
        }
        else if (*is_tight) ++tight;
        else FAIL_CHECK(story(op, {a, b}, {a.low, b.low}, result) << (is_low ? ": low end" : ": high end"));
      }
    }
    if (test::long_run() && open > open_before) std::printf("  %s: %ld undecided\n", ir::traits(op).spelling.data(), open - open_before);
  }
  if (test::long_run()) std::printf("functions: %ld of %ld ends are the nearest f64s, %ld are the value to 2500 bits, %ld undecided\n", tight, ends, on_end, open);
  CHECK(tight + on_end + open == ends);
  CHECK(on_end * 5 <= ends);
  CHECK(open * 20 <= ends);  // tanh and erf close to 1, exp of 1e300, sin close to 1
}
