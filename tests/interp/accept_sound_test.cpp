// accept(wgsl) over intervals: it contains the suite's answers where these are right, and whatever an implementation
// does that obeys the profile: the answers of random ones, with the true values by MPFR. RECKON_TRIALS is the number of
// trials, and makes the figures appear.
#include <fmt/format.h>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/interp/conforming.h"
#include "tests/interp/wgsl_cases.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using accept::Interval;
using accept::NumberKind;

namespace {

std::string text(const Interval& x) { return fmt::format("[{:a}, {:a}]", x.low, x.high); }

}  // namespace

TEST_CASE("the sound rule contains the suite's answers") {
  Cases suite(true), sound(false);
  int rows = 0, same = 0, wider = 0, bounded = 0;
  for (const json& row : wgsl_cases()) {
    if (row["op"] == "correctlyRounded" || row["op"] == "absoluteError" || row["op"] == "ulp") continue;
    INFO(row.dump());
    const auto theirs = suite.evaluate_row(row), mine = sound.evaluate_row(row);
    REQUIRE(theirs);
    REQUIRE(mine);
    REQUIRE(theirs->size() == mine->size());
    ++rows;
    bool equal = true, sharper = false;
    for (std::size_t i = 0; i < mine->size(); ++i) {
      const Answers &a = (*theirs)[i], &b = (*mine)[i];
      if (a.unbounded) {
        sharper |= !b.unbounded;
        continue;
      }
      equal &= ends(a) == ends(b);
      INFO("element " << i << ": " << text(ends(a)) << " in " << text(ends(b)));
      if (b.unbounded) continue;
      for (std::size_t p = 0; p < a.count; ++p) {
        // Of an unknown condition the suite has the hull, and accepts only its ends: we have these.
        bool inside = row["op"] == "step" && ends(a) == ends(b);
        for (std::size_t q = 0; q < b.count; ++q) inside |= b.parts[q].contains(a.parts[p]);
        CHECK(inside);
      }
    }
    same += equal && !sharper;
    wider += !equal;
    bounded += sharper;
    if (reckon::test::long_run() && (!equal || sharper)) {
      std::printf("%s %s", sharper ? "bounded" : "wider", row.dump().c_str());
      for (std::size_t i = 0; i < mine->size(); ++i)
        std::printf("  %s in %s", text(ends((*theirs)[i])).c_str(), text(ends((*mine)[i])).c_str());
      std::printf("\n");
    }
  }
  if (reckon::test::long_run())
    std::printf("%d rows: %d the same, %d wider, %d bounded where the suite says anything\n", rows, same, wider,
                bounded);
  CHECK(wider * 4 < rows);
}

namespace {

using Random = std::mt19937_64;

/// Endpoints of all sizes of the format, near 1, near powers of two, in the domains of functions, subnormal, and no
/// numbers of the format.
double some_end(const NumberKind& kind, Random& random) {
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53, sign = random() % 2 ? 1 : -1;
  const int range = kind.precision == 11 ? 15 : 126;
  switch (random() % 8) {
    case 0: return sign * std::ldexp(1 + unit, static_cast<int>(random() % (2 * static_cast<unsigned>(range))) - range);
    case 1: return sign * unit * kind.min_normal;
    case 2: return sign * unit * 4;
    case 3: return sign * std::ldexp(1.0, static_cast<int>(random() % 20) - 10);
    case 4: return sign * static_cast<double>(random() % 9) / 2;
    case 5: return 1 + sign * unit * kind.unit * 8;
    case 6: return sign * unit * (range == 15 ? 20 : 100);
    default: return unit;
  }
}

Interval some_interval(const NumberKind& kind, Random& random) {
  double a = some_end(kind, random), b = a;
  if (random() % 4 != 0) a = kind.round_down(a), b = a;
  switch (random() % 4) {
    case 0: break;
    case 1:
      for (unsigned k = static_cast<unsigned>(random() % 5); k != 0; --k) b = kind.after(kind.round_down(b));
      break;
    case 2: b = a + std::fabs(a) * std::ldexp(1.0, -static_cast<int>(random() % 20)); break;
    default: b = some_end(kind, random); break;
  }
  const double low = std::min(a, b), high = std::max(a, b);
  return {std::max(low, -kind.largest) + 0.0, std::min(high, kind.largest) + 0.0};
}

/// A number of the format inside, ends and their outer neighbours among them.
double some_point(const NumberKind& kind, const Interval& x, Random& random) {
  const double low = kind.round_down(x.low), high = kind.round_up(x.high);
  double point = low;
  switch (random() % 6) {
    case 0: return low + 0.0;
    case 1: return high + 0.0;
    case 2:
      if (low <= 0 && high >= 0) return 0;
      [[fallthrough]];
    case 3: {  // a power of two, or one beside it
      const double size = std::ldexp(1.0, static_cast<int>(random() % 40) - 20);
      point = random() % 2 ? kind.after(size) : size;
      break;
    }
    default: point = low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  }
  return std::clamp(kind.round_down(point), low, high) + 0.0;
}

using Implementation = std::function<Conforming::Result(Conforming&, const double*)>;
struct Subject {
  Op op;
  Implementation run;
};

std::vector<Subject> subjects() {
  const auto whole = [](Op op) {
    return Subject{op, [op](Conforming& c, const double* x) { return c.whole(op, x[0]); }};
  };
  std::vector<Subject> out{
      {Op::add, [](Conforming& c, const double* x) { return c.add(x[0], x[1]); }},
      {Op::sub, [](Conforming& c, const double* x) { return c.sub(x[0], x[1]); }},
      {Op::mul, [](Conforming& c, const double* x) { return c.mul(x[0], x[1]); }},
      {Op::div, [](Conforming& c, const double* x) { return c.div(x[0], x[1]); }},
      {Op::rem, [](Conforming& c, const double* x) { return c.rem(x[0], x[1]); }},
      {Op::fma, [](Conforming& c, const double* x) { return c.fma(x[0], x[1], x[2]); }},
      {Op::min, [](Conforming& c, const double* x) { return c.chosen(x[0], x[1], false); }},
      {Op::max, [](Conforming& c, const double* x) { return c.chosen(x[0], x[1], true); }},
      {Op::clamp, [](Conforming& c, const double* x) { return c.clamp(x[0], x[1], x[2]); }},
      {Op::rsqrt, [](Conforming& c, const double* x) { return c.rsqrt(x[0]); }},
      {Op::sqrt, [](Conforming& c, const double* x) { return c.sqrt(x[0]); }},
      {Op::exp, [](Conforming& c, const double* x) { return c.exp(Op::exp, x[0]); }},
      {Op::exp2, [](Conforming& c, const double* x) { return c.exp(Op::exp2, x[0]); }},
      {Op::log, [](Conforming& c, const double* x) { return c.log(Op::log, x[0]); }},
      {Op::log2, [](Conforming& c, const double* x) { return c.log(Op::log2, x[0]); }},
      {Op::pow, [](Conforming& c, const double* x) { return c.pow(x[0], x[1]); }},
      {Op::sin, [](Conforming& c, const double* x) { return c.wave(Op::sin, x[0]); }},
      {Op::cos, [](Conforming& c, const double* x) { return c.wave(Op::cos, x[0]); }},
      {Op::tan, [](Conforming& c, const double* x) { return c.tan(x[0]); }},
      {Op::atan, [](Conforming& c, const double* x) { return c.atan(x[0]); }},
      {Op::atan2, [](Conforming& c, const double* x) { return c.atan2(x[0], x[1]); }},
      {Op::sinh, [](Conforming& c, const double* x) { return c.halves(false, x[0]); }},
      {Op::cosh, [](Conforming& c, const double* x) { return c.halves(true, x[0]); }},
      {Op::tanh, [](Conforming& c, const double* x) { return c.tanh(x[0]); }},
      {Op::asinh, [](Conforming& c, const double* x) { return c.asinh(x[0]); }},
      {Op::acos, [](Conforming& c, const double* x) { return c.acos(x[0]); }},
  };
  for (const Op op : {Op::floor, Op::ceil, Op::trunc, Op::round, Op::sign, Op::abs, Op::neg}) out.push_back(whole(op));
  return out;
}

}  // namespace

TEST_CASE("no conforming implementation escapes accept(wgsl)") {
  const std::uint64_t wanted = reckon::test::trials<std::uint64_t>(40'000);
  Random random(reckon::test::stream(20261122));
  Cases cases(false);
  const std::vector<Subject> all = subjects();
  constexpr std::size_t batch = 64;
  const int points = reckon::test::long_run() ? 4 : 2;
  std::uint64_t trials = 0, bounded = 0, escapes = 0;
  while (trials < wanted && escapes == 0) {
    const Subject& subject = all[random() % all.size()];
    const Scalar scalar = random() % 2 ? Scalar::f32 : Scalar::f16;
    const NumberKind kind = NumberKind::of(ir::format_of(scalar));
    const auto arity = static_cast<std::size_t>(ir::traits(subject.op).arity);
    std::vector<Answers> arguments[3], results(batch);
    Rows rows[3];
    for (std::size_t k = 0; k < arity; ++k) {
      for (std::size_t i = 0; i < batch; ++i) {
        // Divisors and products of like sizes give bounded answers more often.
        Interval x = some_interval(kind, random);
        if (k == 1 && random() % 2 && kind.is_finite(arguments[0][i].parts[0])) {
          const Interval first = arguments[0][i].parts[0];
          x = {first.low, std::max(first.low, std::min(first.high * 1.5, kind.largest))};
        }
        arguments[k].push_back(Answers::of(x));
      }
      rows[k] = {reinterpret_cast<const std::byte*>(arguments[k].data()), static_cast<std::ptrdiff_t>(batch)};
    }
    REQUIRE(!cases.semantics().apply(subject.op, scalar, scalar, rows, reinterpret_cast<std::byte*>(results.data()),
                                     batch, 1, batch));
    Conforming implementation(ir::format_of(scalar), random);
    for (std::size_t i = 0; i < batch; ++i) {
      ++trials;
      const Answers& answers = results[i];
      if (answers.unbounded) continue;
      ++bounded;
      for (int p = 0; p < points; ++p) {
        double x[3] = {};
        for (std::size_t k = 0; k < arity; ++k) x[k] = some_point(kind, arguments[k][i].parts[0], random);
        const auto answer = subject.run(implementation, x);
        if (answer && answers.contains(*answer)) continue;
        ++escapes;
        INFO(ir::traits(subject.op).spelling << " in " << ir::scalar_name(scalar));
        std::string places;
        for (std::size_t k = 0; k < arity; ++k)
          places += fmt::format("{:a} in {}; ", x[k], text(arguments[k][i].parts[0]));
        INFO(places);
        INFO("answers " << text(answers.hull()));
        INFO("escaped " << (answer ? fmt::format("{:a}", *answer) : std::string("to anything")));
        CHECK(false);
      }
    }
  }
  if (reckon::test::long_run()) {
    std::printf("%llu trials, %llu bounded, %llu escapes\n", static_cast<unsigned long long>(trials),
                static_cast<unsigned long long>(bounded), static_cast<unsigned long long>(escapes));
  }
  CHECK(escapes == 0);
  CHECK(bounded * 4 > trials);
}
