// `rounded_once` and `binned(k)` against rationals and MPFR: docs/schedules.md's words carried out exactly, then one
// rounding. RECKON_TRIALS is the number of sums (100000 for the long run).
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tests/interp/circuits.h"
#include "tests/numerics/reference.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using ir::HostTensor;
using numerics::Format;

namespace {

/// A leaf taken apart: an exact value, or what it is instead.
struct Leaf {
  mpq_class value;
  bool nan = false, infinite = false, negative = false;
};

Leaf leaf_of(std::uint64_t bits, Format format) {
  const numerics::FormatTraits traits = numerics::traits(format);
  const int mantissa = traits.precision - 1;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << mantissa) - 1);
  const std::uint64_t exponents = (std::uint64_t{1} << (traits.width - traits.precision)) - 1;
  const std::uint64_t field = (bits >> mantissa) & exponents;
  Leaf out;
  out.negative = (bits >> (traits.width - 1) & 1) != 0;
  out.nan = field == exponents && fraction != 0;
  out.infinite = field == exponents && fraction == 0;
  if (field == exponents) return out;
  mpz_class whole;
  mpz_set_ui(whole.get_mpz_t(), field == 0 ? fraction : fraction | std::uint64_t{1} << mantissa);
  const long quantum = static_cast<long>(std::max<std::uint64_t>(field, 1)) - 1 + traits.emin - mantissa;
  out.value = whole;
  if (quantum >= 0) mpq_mul_2exp(out.value.get_mpq_t(), out.value.get_mpq_t(), static_cast<mp_bitcnt_t>(quantum));
  else mpq_div_2exp(out.value.get_mpq_t(), out.value.get_mpq_t(), static_cast<mp_bitcnt_t>(-quantum));
  if (out.negative) out.value = -out.value;
  return out;
}

Leaf product(const Leaf& a, const Leaf& b) {
  Leaf out;
  out.negative = a.negative != b.negative;
  out.nan =
      a.nan || b.nan || (a.infinite && !b.infinite && b.value == 0) || (b.infinite && !a.infinite && a.value == 0);
  out.infinite = !out.nan && (a.infinite || b.infinite);
  if (!out.nan && !out.infinite) out.value = a.value * b.value;
  return out;
}

std::uint64_t pattern(double special, Format format) { return numerics::testing::pattern_of(special, format); }

/// The sum of the leaves rounded once, by MPFR.
std::uint64_t rounded_sum(const std::vector<Leaf>& leaves, Format format) {
  bool nan = false, up = false, down = false, negative_zeros = true;
  mpq_class sum;
  for (const Leaf& leaf : leaves) {
    nan |= leaf.nan;
    if (leaf.infinite) (leaf.negative ? down : up) = true;
    if (leaf.nan || leaf.infinite) continue;
    negative_zeros = negative_zeros && leaf.value == 0 && leaf.negative;
    sum += leaf.value;
  }
  if (nan || (up && down)) return pattern(std::nan(""), format);
  if (up || down) return pattern(up ? HUGE_VAL : -HUGE_VAL, format);
  if (sum == 0) return pattern(negative_zeros ? -0.0 : 0.0, format);
  return numerics::testing::rational_by_mpfr(sum, format, numerics::Rounding::nearest_even);
}

mpq_class power(long exponent) {
  mpq_class out(1);
  if (exponent >= 0) mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  else mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return out;
}

long floor_divided(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// The largest finite magnitude's exponent: 2^e <= magnitude < 2^(e + 1).
long exponent_of(const mpq_class& magnitude) {
  long exponent = static_cast<long>(mpz_sizeinbase(magnitude.get_num_mpz_t(), 2)) -
                  static_cast<long>(mpz_sizeinbase(magnitude.get_den_mpz_t(), 2));
  while (power(exponent) > magnitude) --exponent;
  while (power(exponent + 1) <= magnitude) ++exponent;
  return exponent;
}

/// The definition of numerics/exact_sum.h: leaves to the nearest multiples of 2^grid, ties to even; then the exact sum.
std::vector<Leaf> to_grid(std::vector<Leaf> leaves, int bin_width, long folds) {
  mpq_class largest;
  for (const Leaf& leaf : leaves) largest = std::max(largest, mpq_class(abs(leaf.value)));
  if (largest == 0) return leaves;
  const mpq_class step = power(bin_width * (floor_divided(exponent_of(largest), bin_width) - folds + 1));
  for (Leaf& leaf : leaves) {
    if (leaf.nan || leaf.infinite || leaf.value == 0) continue;
    const mpq_class scaled = abs(leaf.value) / step;
    mpz_class whole = scaled.get_num() / scaled.get_den();
    const mpq_class rest = scaled - whole;
    if (rest > mpq_class(1, 2) || (rest == mpq_class(1, 2) && mpz_odd_p(whole.get_mpz_t()))) ++whole;
    leaf.value = (leaf.negative ? -step : step) * whole;
    leaf.negative = leaf.negative && leaf.value != 0;  // what is rounded away is no -0
  }
  return leaves;
}

/// Inputs that sums go wrong on: cancellation, subnormals, sums that overflow in one order only, halfway cases, special
/// values, zeros of both signs.
std::vector<std::uint64_t> hostile(Format format, std::size_t count, Random& random) {
  const numerics::FormatTraits traits = numerics::traits(format);
  const int mantissa = traits.precision - 1;
  const std::uint64_t sign = std::uint64_t{1} << (traits.width - 1);
  const std::uint64_t infinity = pattern(HUGE_VAL, format), hidden = std::uint64_t{1} << mantissa;
  const std::uint64_t kind = random.below(9);
  auto finite = [&] { return (random.word() % infinity) | (random.below(2) ? sign : 0); };
  std::vector<std::uint64_t> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (kind) {
      case 0:  // any pattern at all
        out[i] = random.below(40) ? random.word() & (sign | (sign - 1)) : infinity | random.below(hidden);
        break;
      case 1: out[i] = finite(); break;                                                 // any finite one
      case 2: out[i] = random.below(2 * hidden) | (random.below(2) ? sign : 0); break;  // subnormal or just above
      case 3: out[i] = (infinity - 1 - random.below(3)) | (random.below(2) ? sign : 0); break;  // the largest
      case 4: out[i] = random.below(8) == 0 ? infinity | (random.below(3) ? 0 : sign) : finite(); break;
      case 5: out[i] = random.below(16) ? sign : random.below(3) == 0 ? 0 : sign; break;  // zeros
      case 6:                                                                             // what cancels
        out[i] = i % 2 == 1 && random.below(8) ? out[i - 1] ^ sign : finite();
        break;
      case 7: {  // powers of two: halfway
        const std::uint64_t exponent = infinity / hidden / 2 - random.below(2 * static_cast<std::uint64_t>(mantissa));
        out[i] = exponent * hidden | (random.below(2) ? sign : 0);
        if (exponent == 0 || exponent * hidden >= infinity) out[i] = 1;
        break;
      }
      default:  // of ordinary size
        out[i] = pattern(0, format) | ((infinity / hidden / 2 - 2 + random.below(4)) * hidden + random.below(hidden)) |
                 (random.below(2) ? sign : 0);
    }
  }
  for (std::size_t i = count; i > 1; --i) std::swap(out[i - 1], out[random.below(i)]);
  return out;
}

/// The pattern, and one for all NaNs.
std::uint64_t one_nan(std::uint64_t bits, Format format) {
  return leaf_of(bits, format).nan ? pattern(std::nan(""), format) : bits;
}

/// A scalar sum, the sums of many rows, and the scan of a row, all by one schedule.
struct Sums {
  Circuit circuit;
  Sums(Scalar scalar, bool products, const std::function<ScheduleId(Circuit&)>& order) {
    const IndexId m = circuit.dimension("m"), n = circuit.dimension("n");
    const NodeId x = circuit.parameter("x", scalar, {m, n}), y = circuit.parameter("y", scalar, {m, n});
    const ScheduleId schedule = order(circuit);
    auto leaf = [&](IndexId row, VariableId i) {
      const NodeId a = circuit.module.element(x, {row, circuit.at(i)}),
                   b = circuit.module.element(y, {row, circuit.at(i)});
      return products ? circuit.module.apply(Op::mul, {a, b}) : a;
    };
    auto row_of = [&](IndexId row) { return [&, row](VariableId i) { return leaf(row, i); }; };
    const NodeId rows = circuit.map({m}, [&](std::vector<VariableId> r) {
      return circuit.reduce(Op::add, n, schedule, row_of(circuit.at(r[0])));
    });
    const NodeId first = circuit.reduce(Op::add, n, schedule, row_of(circuit.constant(0)));
    const NodeId scan = circuit.module.scan(circuit.fold(Op::add, n, schedule, row_of(circuit.constant(0))));
    circuit.result(circuit.module.tuple({rows, first, scan}));
  }
  std::vector<HostTensor> run(const HostTensor& x, const HostTensor& y, std::size_t batch) {
    auto meaning = semantics("float");
    auto values = circuit.run(*meaning, {x, y}, {}, batch);
    if (!values) FAIL(values.error().message);
    std::vector<HostTensor> out;
    for (const Values& value : *values) out.push_back(value.host(*meaning));
    return out;
  }
};

constexpr std::int64_t rows_of_a_run = 50;

struct Inputs {
  HostTensor x, y;
  std::int64_t n;
  std::vector<Leaf> row(std::int64_t r, bool products, std::int64_t count) const {
    const Format format = ir::format_of(x.scalar);
    std::vector<Leaf> out;
    for (std::int64_t i = 0; i < count; ++i) {
      const Leaf a = leaf_of(x.bits(r * n + i), format);
      out.push_back(products ? product(a, leaf_of(y.bits(r * n + i), format)) : a);
    }
    return out;
  }
};

Inputs make_inputs(Scalar scalar, std::int64_t n, Random& random) {
  Inputs out{HostTensor(scalar, {rows_of_a_run, n}), HostTensor(scalar, {rows_of_a_run, n}), n};
  for (std::int64_t r = 0; r < rows_of_a_run; ++r) {
    const auto x = hostile(ir::format_of(scalar), static_cast<std::size_t>(n), random);
    const auto y = hostile(ir::format_of(scalar), static_cast<std::size_t>(n), random);
    for (std::int64_t i = 0; i < n; ++i) {
      out.x.set_bits(r * n + i, x[static_cast<std::size_t>(i)]);
      out.y.set_bits(r * n + i, y[static_cast<std::size_t>(i)]);
    }
  }
  return out;
}

/// Every sum of `count` compared with `expected(row)`.
void check_sums(int count, std::uint64_t seed, std::initializer_list<Scalar> of, bool products,
                const std::function<ScheduleId(Circuit&)>& order,
                const std::function<std::uint64_t(const std::vector<Leaf>&, Format)>& expected) {
  Random random(seed);
  for (const Scalar scalar : of) {
    const Format format = ir::format_of(scalar);
    Sums sums(scalar, products, order);
    int nans = 0, infinities = 0, zeros = 0, done = 0;
    const int wanted = count / static_cast<int>(of.size());
    while (done < wanted) {
      static constexpr std::int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 13, 17, 33, 64, 130};
      const Inputs in = make_inputs(scalar, lengths[random.below(std::size(lengths))], random);
      static constexpr std::size_t batches[] = {1024, 1024, 7, 64};
      const auto got = sums.run(in.x, in.y, batches[random.below(std::size(batches))]);
      for (std::int64_t r = 0; r < rows_of_a_run; ++r, ++done) {
        const std::uint64_t right = expected(in.row(r, products, in.n), format);
        const std::uint64_t here = one_nan(got[0].bits(r), format);
        if (here != right) {
          FAIL_CHECK(ir::scalar_name(scalar) << ", n = " << in.n << ", row " << r << " after " << done
                                             << " sums: " << std::hex << here << " instead of " << right);
        }
        const Leaf leaf = leaf_of(right, format);
        nans += leaf.nan;
        infinities += leaf.infinite;
        zeros += !leaf.nan && !leaf.infinite && leaf.value == 0;
      }
      CHECK(one_nan(got[1].bits(0), format) == one_nan(got[0].bits(0), format));
      for (std::int64_t i = 0; i < in.n; i += 1 + in.n / 8) {
        if (one_nan(got[2].bits(i), format) != expected(in.row(0, products, i + 1), format)) {
          FAIL_CHECK(ir::scalar_name(scalar) << ": element " << i << " of a scan of " << in.n);
        }
      }
    }
    // The inputs are worth something.
    CHECK(nans > done / 50);
    CHECK(infinities > done / 50);
    CHECK(zeros > done / 50);
    CHECK(nans + infinities + zeros < done * 3 / 4);
  }
}

}  // namespace

TEST_CASE("rounded_once is the correctly rounded sum") {
  check_sums(
      test::trials(4000), 1, {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16}, false,
      [](Circuit& c) { return c.schedules().simple(ir::ScheduleOp::rounded_once); }, rounded_sum);
}

TEST_CASE("fused(rounded_once) is the correctly rounded sum of exact products") {
  check_sums(
      test::trials(4000), 2, {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16}, true,
      [](Circuit& c) { return c.schedules().fused(c.schedules().simple(ir::ScheduleOp::rounded_once)); }, rounded_sum);
}

TEST_CASE("binned(k) is the rounded sum of leaves on a grid") {
  for (const long folds : {1, 2, 3, 8, 1000}) {
    for (const Scalar scalar : {Scalar::f64, Scalar::f32}) {
      const int bin = scalar == Scalar::f64 ? 40 : 13;
      check_sums(
          test::trials(4000) / 10, static_cast<std::uint64_t>(folds), {scalar}, false,
          [&](Circuit& c) { return c.schedules().binned(c.constant(folds)); },
          [&](const std::vector<Leaf>& leaves, Format format) {
            return rounded_sum(to_grid(leaves, bin, folds), format);
          });
    }
  }
}

TEST_CASE("binned(k) loses no more than its bound") {
  Random random(5);
  for (const Scalar scalar : {Scalar::f64, Scalar::f32}) {
    const Format format = ir::format_of(scalar);
    const int bin = scalar == Scalar::f64 ? 40 : 13;
    for (const long folds : {1, 2, 3}) {
      Sums sums(scalar, false, [&](Circuit& c) { return c.schedules().binned(c.constant(folds)); });
      int compared = 0, inexact = 0;
      for (int t = 0; t < std::max(test::trials(4000) / 1000, 4); ++t) {
        const Inputs in = make_inputs(scalar, 30, random);
        const auto got = sums.run(in.x, in.y, 1024);
        for (std::int64_t r = 0; r < rows_of_a_run; ++r) {
          const Leaf result = leaf_of(got[0].bits(r), format);
          if (result.nan || result.infinite) continue;
          mpq_class sum, largest;
          for (const Leaf& leaf : in.row(r, false, in.n)) {
            sum += leaf.value;
            largest = std::max(largest, mpq_class(abs(leaf.value)));
          }
          // Every leaf loses 2^(-bin (folds - 1) - 1) of the largest; the result half an ulp, of at most itself times
          // 2^(1 - p), or of the least subnormal.
          const numerics::FormatTraits traits = numerics::traits(format);
          const mpq_class bound = in.n * power(-bin * (folds - 1) - 1) * largest +
                                  abs(result.value) * power(-traits.precision) + power(traits.emin - traits.precision);
          if (abs(result.value - sum) > bound) FAIL_CHECK(ir::scalar_name(scalar) << ", row " << r);
          ++compared;
          inexact += result.value != sum;
        }
      }
      CHECK(compared > 50);
      CHECK(inexact > 5);
    }
  }
}

TEST_CASE("binned(k) gives the same bits for every permutation") {
  constexpr std::int64_t n = 57, permutations = 1000;
  Random random(7);
  for (const Scalar scalar : {Scalar::f64, Scalar::f32}) {
    const Format format = ir::format_of(scalar);
    for (const long folds : {1, 2, 3}) {
      Sums sums(scalar, false, [&](Circuit& c) { return c.schedules().binned(c.constant(folds)); });
      Sums plain(scalar, false, [](Circuit& c) { return c.seq(); });
      int depends_on_order = 0;
      for (int t = 0; t < 4; ++t) {
        std::vector<std::uint64_t> leaves;
        do leaves = hostile(format, n, random);
        while (leaf_of(rounded_sum(
                           [&] {
                             std::vector<Leaf> all;
                             for (std::uint64_t bits : leaves) all.push_back(leaf_of(bits, format));
                             return all;
                           }(),
                           format),
                       format)
                   .nan);
        HostTensor x(scalar, {permutations, n});
        for (std::int64_t r = 0; r < permutations; ++r) {
          for (std::int64_t i = 0; i < n; ++i) x.set_bits(r * n + i, leaves[static_cast<std::size_t>(i)]);
          for (std::size_t i = leaves.size(); i > 1; --i) std::swap(leaves[i - 1], leaves[random.below(i)]);
        }
        const auto got = sums.run(x, x, 1024), in_order = plain.run(x, x, 1024);
        int different = 0;
        for (std::int64_t r = 0; r < permutations; ++r) {
          different += got[0].bits(r) != got[0].bits(0);
          depends_on_order += in_order[0].bits(r) != in_order[0].bits(0);
        }
        CHECK(different == 0);
      }
      CHECK(depends_on_order > 100);
    }
  }
}
