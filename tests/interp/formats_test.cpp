// Every format under every mode of `float`, against MPFR: mpfr_subnormalize for the ends of the exponent range, OFP8's
// largest numbers for saturation. RECKON_TRIALS is the number of triples for each format and mode
// (1,200,000 for the long run: 10^7 for each format).
#include <cstdlib>
#include <random>

#include "numerics/elementary.h"

#include "diagnostics/codes/unknown_semantics.h"
#include "semantics/standard.h"
#include "tests/interp/kernels.h"
#include "tests/numerics/reference.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using numerics::Format;
using numerics::Rounding;
using numerics::testing::all_formats;

namespace {

struct Mode {
  Rounding rounding;
  bool flush, flush_inputs;
  std::vector<SemanticsArgument> arguments;
};

const std::vector<Mode>& modes() {
  static const std::vector<Mode> all{
      {Rounding::nearest_even, false, false, {}},
      {Rounding::toward_zero, false, false, {{"toward_zero"}}},
      {Rounding::upward, false, false, {{"up"}}},
      {Rounding::downward, false, false, {{"down"}}},
      {Rounding::nearest_even, true, false, {{"flush"}}},
      {Rounding::nearest_even, false, true, {{"flush_inputs"}}},
      {Rounding::toward_zero, true, true, {{"flush_inputs"}, {"toward_zero"}, {"flush"}}},
      {Rounding::downward, true, false, {{"down"}, {"flush"}}},
      {Rounding::upward, false, true, {{"up"}, {"flush_inputs"}}},
  };
  return all;
}

std::unique_ptr<Semantics> make(const Mode& mode) {
  auto made = make_semantics("float", mode.arguments, {});
  REQUIRE(made);
  return std::move(*made);
}

/// By the table of numbers of the format alone.
bool lies_below_normal(std::uint64_t bits, Format format) {
  const double value = std::fabs(numerics::widen(bits, format));
  return value != 0 && value < std::ldexp(1.0, numerics::traits(format).emin);
}
std::uint64_t flushed(std::uint64_t bits, Format format) {
  return lies_below_normal(bits, format) ? bits & numerics::sign_bit(format) : bits;
}

/// Patterns at every kind of boundary, and any pattern.
std::uint64_t biased(Random& random, Format format) {
  const std::uint64_t end = numerics::finite_end(format), step = numerics::testing::least(format);
  const std::uint64_t normal = numerics::min_normal(format), one = numerics::round_f64(1.0, format);
  std::uint64_t bits = random.word();
  switch (random.below(9)) {
    case 0: bits = random.below(8) * step; break;                    // least subnormals, 0
    case 1: bits = normal + (random.below(9) - 4) * step; break;     // around the least normal
    case 2: bits = end - random.below(8) * step; break;              // largest, infinity or NaN
    case 3: bits = one + (random.below(9) - 4) * step; break;
    case 4: bits %= normal; break;                                   // subnormal
    case 5: bits = (bits % (end / normal + 1)) * normal; break;      // powers of two, infinity
    case 6: bits = one + bits % (4 * normal) - 2 * normal; break;    // of ordinary size
    case 7: bits = (bits & ~(normal - 1)) | (random.word() & (normal / 4 - 1)); break;
    default: break;
  }
  bits &= numerics::storage_mask(format) & ~numerics::sign_bit(format);
  return bits | (random.below(2) ? numerics::sign_bit(format) : 0);
}

class Numbers {
 public:
  Numbers() { mpfr_inits2(53, x_, y_, z_, nullptr); }
  ~Numbers() { mpfr_clears(x_, y_, z_, nullptr); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  std::uint64_t expected(Op op, const std::array<std::uint64_t, 3>& operands, Format format, const Mode& mode) {
    double values[3];
    for (int k = 0; k < 3; ++k) {
      values[k] = numerics::widen(mode.flush_inputs ? flushed(operands[k], format) : operands[k], format);
    }
    mpfr_set_d(x_, values[0], MPFR_RNDN);
    mpfr_set_d(y_, values[1], MPFR_RNDN);
    mpfr_set_d(z_, values[2], MPFR_RNDN);
    const std::uint64_t bits = numerics::testing::rounded_by_mpfr(format, mode.rounding, [&](mpfr_ptr out, mpfr_rnd_t where) {
      switch (op) {
        case Op::add: return mpfr_add(out, x_, y_, where);
        case Op::sub: return mpfr_sub(out, x_, y_, where);
        case Op::mul: return mpfr_mul(out, x_, y_, where);
        case Op::div: return mpfr_div(out, x_, y_, where);
        case Op::sqrt: return mpfr_sqrt(out, x_, where);
        default: return mpfr_fma(out, x_, y_, z_, where);
      }
    });
    return mode.flush ? flushed(bits, format) : bits;
  }

 private:
  mpfr_t x_, y_, z_;
};

template <class V>
void check_triples(Scalar scalar, const Mode& mode, long count) {
  const Format format = ir::format_of(scalar);
  const auto meaning = make(mode);
  const bool exhaustive = sizeof(V) == 1 && (test::long_run() || mode.arguments.empty());  // of the first two operands
  Random random(test::stream(static_cast<std::uint64_t>(scalar) * 100 + static_cast<std::uint64_t>(&mode - modes().data())));
  constexpr long block = 4096;
  Numbers numbers;
  if (exhaustive) count = std::max(count, 65536l);
  for (long done = 0; done < count; done += block) {
    std::vector<std::vector<V>> operands(3);
    for (auto& column : operands) {
      for (long i = 0; i < block; ++i) column.push_back(static_cast<V>(biased(random, format)));
    }
    for (long i = 0; exhaustive && done < 65536 && i < block; ++i) {
      const auto mask = static_cast<V>(numerics::storage_mask(format));
      operands[0][static_cast<std::size_t>(i)] = static_cast<V>((done + i) / 256) & mask;
      operands[1][static_cast<std::size_t>(i)] = static_cast<V>((done + i) % 256) & mask;
    }
    for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::sqrt, Op::fma}) {
      const int arity = ir::traits(op).arity;
      const auto result = apply_all<V, V>(*meaning, op, scalar, scalar,
                                          {operands.begin(), operands.begin() + arity});
      for (std::size_t i = 0; i < static_cast<std::size_t>(block); ++i) {
        const std::array<std::uint64_t, 3> x{operands[0][i], operands[1][i], operands[2][i]};
        const std::uint64_t expected = numbers.expected(op, x, format, mode);
        const std::uint64_t actual = *meaning->bits(scalar, reinterpret_cast<const std::byte*>(&result[i]));
        if (actual == expected) continue;
        FAIL(ir::traits(op).spelling << " of " << ir::scalar_name(scalar) << " in " << meaning->name() << ": "
                                     << numerics::bit_digits(x[0], format) << " " << numerics::bit_digits(x[1], format)
                                     << " " << numerics::bit_digits(x[2], format) << " gives "
                                     << numerics::bit_digits(actual, format) << " instead of "
                                     << numerics::bit_digits(expected, format));
      }
    }
  }
}

/// Calls f with the type that holds the format's patterns in the interpreter.
template <class F>
void with_word(Scalar scalar, F f) {
  switch (ir::byte_width(scalar)) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

template <class From, class To>
void check_conversions(Scalar from, Scalar to, const Mode& mode) {
  const Format source = ir::format_of(from), target = ir::format_of(to);
  const auto meaning = make(mode);
  std::vector<From> patterns;
  Random random(test::stream(7));
  if (sizeof(From) <= 2) {
    // All of them to nearest; in the other modes every 31st of 2^16 unless the run may be long.
    const bool all = sizeof(From) == 1 || mode.arguments.empty() || test::long_run();
    const std::uint64_t stride = all ? 1 : 31;
    for (std::uint64_t bits = 0; bits <= numerics::width_mask(source); bits += stride)
      patterns.push_back(static_cast<From>(bits));
  } else {
    for (int i = 0; i < 3000; ++i) patterns.push_back(static_cast<From>(biased(random, source)));
    // Where the target's roundings are decided: its values, their midpoints, and one step of the source away.
    for (int i = 0; i < 300; ++i) {
      const double value = numerics::widen(biased(random, target), target);
      const double next = numerics::widen(biased(random, target), target);
      for (const double x : {value, value + numerics::widen(numerics::testing::least(target), target) / 2, (value + next) / 2}) {
        const std::uint64_t near = numerics::round_f64(x, source);
        for (const std::uint64_t step : {std::uint64_t{0}, numerics::testing::least(source)}) {
          patterns.push_back(static_cast<From>(near + step));
          patterns.push_back(static_cast<From>(near - step));
        }
      }
    }
  }
  std::vector<To> out(patterns.size());
  const Rows rows{reinterpret_cast<const std::byte*>(patterns.data()), 0};
  const auto fault = meaning->apply(Op::convert, from, to, &rows, reinterpret_cast<std::byte*>(out.data()), 0, 1, patterns.size());
  REQUIRE_FALSE(fault);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::uint64_t bits = mode.flush_inputs ? flushed(patterns[i], source) : patterns[i];
    const double value = numerics::widen(bits, source);
    std::uint64_t expected = numerics::testing::rounded_by_mpfr(
        target, mode.rounding, [&](mpfr_ptr result, mpfr_rnd_t where) { return mpfr_set_d(result, value, where); });
    if (mode.flush) expected = flushed(expected, target);
    const std::uint64_t actual = *meaning->bits(to, reinterpret_cast<const std::byte*>(&out[i]));
    if (actual == expected) continue;
    FAIL(numerics::bit_digits(patterns[i], source) << " of " << ir::scalar_name(from) << " to " << ir::scalar_name(to)
         << " in " << meaning->name() << " gives " << numerics::bit_digits(actual, target) << " instead of "
         << numerics::bit_digits(expected, target));
  }
}

}  // namespace

TEST_CASE("+ - * / sqrt fma of every format in every mode are MPFR's") {
  for (const Format format : all_formats) {
    for (const Mode& mode : modes()) {
      with_word(ir::scalar_of(format), [&](auto word) {
        check_triples<decltype(word)>(ir::scalar_of(format), mode, test::trials(4096l));
      });
    }
  }
}

TEST_CASE("conversions between all pairs of formats in every mode are MPFR's") {
  for (const Format from : all_formats) {
    for (const Format to : all_formats) {
      if (from == to) continue;
      for (const Mode& mode : modes()) {
        with_word(ir::scalar_of(from), [&](auto source) {
          with_word(ir::scalar_of(to), [&](auto target) {
            check_conversions<decltype(source), decltype(target)>(ir::scalar_of(from), ir::scalar_of(to), mode);
          });
        });
      }
    }
  }
}

TEST_CASE("a product of tf32 is not rounded to f32 first") {
  // 987 * 83 = 5 * 2^14 + 1: times 2^-151 it lies above 2.5 least spacings of tf32 by a quarter of f32's, which f32 would
  // take for the tie.
  auto meaning = make(modes()[0]);
  const auto number = [](double x) { return static_cast<std::uint32_t>(numerics::round_f64(x, Format::tf32)); };
  const std::vector<std::uint32_t> a{number(std::ldexp(987, -75))}, b{number(std::ldexp(83, -76))};
  REQUIRE(numerics::widen(a[0], Format::tf32) == std::ldexp(987, -75));
  const auto product = apply_all<std::uint32_t, std::uint32_t>(*meaning, Op::mul, Scalar::tf32, Scalar::tf32, {a, b});
  CHECK(product[0] == 3 << 13);
}

TEST_CASE("conversions of infinities and NaN: OFP8's saturating mode") {
  const Mode& nearest = modes()[0];
  const auto meaning = make(nearest);
  auto convert = [&](std::uint32_t bits, Scalar to) {
    const Rows rows{reinterpret_cast<const std::byte*>(&bits), 0};
    std::uint8_t out = 0;
    REQUIRE_FALSE(meaning->apply(Op::convert, Scalar::f32, to, &rows, reinterpret_cast<std::byte*>(&out), 0, 1, 1));
    return static_cast<int>(out);
  };
  CHECK(convert(0x7f800000, Scalar::f8e4m3) == 0x7e);
  CHECK(convert(0xff800000, Scalar::f8e4m3) == 0xfe);
  CHECK(convert(0x7fc00000, Scalar::f8e4m3) == 0x7f);
  CHECK(convert(0x7f7fffff, Scalar::f8e4m3) == 0x7e);
  CHECK(convert(0x7f800000, Scalar::f8e5m2) == 0x7b);
  CHECK(convert(0xff800000, Scalar::f8e5m2) == 0xfb);
  CHECK((convert(0x7fc00000, Scalar::f8e5m2) & 0x7f) > 0x7c);
  CHECK(convert(0x43e80000, Scalar::f8e4m3) == 0x7e);  // 464, beyond which IEEE would overflow
  CHECK(convert(0x43e80001, Scalar::f8e4m3) == 0x7e);
  CHECK(convert(0x3f800000, Scalar::f8e4m3) == 0x38);
}

TEST_CASE("an infinity of f8e5m2 stays where it is only chosen or moved, and saturates where something is rounded") {
  auto meaning = make(modes()[0]);
  constexpr std::uint8_t infinity = 0x7c, one = 0x3c, largest = 0x7b, nan = 0x7e;
  using V = std::uint8_t;
  const auto f8 = Scalar::f8e5m2;
  auto of = [&](Op op, const std::vector<std::vector<V>>& x) { return apply_all<V, V>(*meaning, op, f8, f8, x)[0]; };
  for (Op op : {Op::floor, Op::ceil, Op::trunc, Op::round, Op::abs}) CHECK(of(op, {{infinity}}) == infinity);
  for (Op op : {Op::max, Op::maxnum, Op::copysign}) CHECK(of(op, {{infinity}, {one}}) == infinity);
  CHECK(of(Op::neg, {{infinity}}) == (infinity | 0x80));
  CHECK(of(Op::min, {{infinity}, {infinity}}) == infinity);
  for (Op op : {Op::add, Op::sub, Op::mul, Op::div}) CHECK(of(op, {{infinity}, {one}}) == largest);
  CHECK(of(Op::sqrt, {{infinity}}) == largest);
  CHECK(of(Op::exp, {{infinity}}) == largest);
  CHECK(of(Op::div, {{one}, {0x80}}) == (largest | 0x80));
  CHECK(of(Op::log, {{0}}) == (largest | 0x80));
  CHECK((of(Op::sub, {{infinity}, {infinity}}) & 0x7f) == nan);
}

TEST_CASE("elementary functions and literals and exact sums follow the mode") {
  for (const Mode& mode : modes()) {
    auto meaning = make(mode);
    INFO(meaning->name());
    for (const Format format : all_formats) {
      const Scalar scalar = ir::scalar_of(format);
      with_word(scalar, [&](auto word) {
        using V = decltype(word);
        Random random(test::stream(3));
        std::vector<V> x;
        for (int i = 0; i < 300; ++i) x.push_back(static_cast<V>(biased(random, format)));
        // The functions themselves are tested in tests/numerics; here, that direction and flushing arrive.
        for (const auto& [op, function] : {std::pair{Op::exp, numerics::Function::exp}, {Op::log1p, numerics::Function::log1p},
                                           {Op::sin, numerics::Function::sin}, {Op::rsqrt, numerics::Function::rsqrt}}) {
          const auto result = apply_all<V, V>(*meaning, op, scalar, scalar, {x});
          for (std::size_t i = 0; i < x.size(); ++i) {
            const std::uint64_t operand = mode.flush_inputs ? flushed(x[i], format) : x[i];
            std::uint64_t expected = numerics::mpfr_unary(function, operand, format, mode.rounding);
            if (mode.flush) expected = flushed(expected, format);
            REQUIRE(*meaning->bits(scalar, reinterpret_cast<const std::byte*>(&result[i])) == expected);
          }
        }
        V out{};
        auto* bytes = reinterpret_cast<std::byte*>(&out);
        for (const char* text : {"1/3", "-1/3", "1/1000000000", "-1/1000000000000", "100000000000000000001/7", "0", "-5000000"}) {
          ir::Literal literal;
          literal.kind = ir::Literal::Kind::rational;
          literal.value = mpq_class(text);
          REQUIRE_FALSE(meaning->literal(literal, scalar, bytes));
          std::uint64_t expected = numerics::testing::rational_by_mpfr(literal.value, format, mode.rounding);
          if (mode.flush) expected = flushed(expected, format);
          if (expected == numerics::sign_bit(format)) expected = 0;
          CHECK(*meaning->bits(scalar, bytes) == expected);
        }
        for (const std::int64_t index : {std::int64_t{7}, std::int64_t{-12345}, (std::int64_t{1} << 62) + 1, std::int64_t{0}}) {
          REQUIRE_FALSE(meaning->from_index(scalar, &index, 1, bytes));
          CHECK(*meaning->bits(scalar, bytes) ==
                numerics::testing::rational_by_mpfr(mpq_class(static_cast<long>(index)), format, mode.rounding));
        }
        // Sums rounded once: of what is left of the operands, as rationals.
        for (std::size_t first = 0; first + 5 <= x.size(); first += 5) {
          std::unique_ptr<LongSums> sums;
          REQUIRE_FALSE(meaning->long_sums(scalar, 1, {}, sums));
          mpq_class total;
          bool finite = true, zeros = true;
          for (std::size_t i = first; i < first + 5; ++i) {
            sums->add({reinterpret_cast<const std::byte*>(&x[i]), 1}, 1);
            const auto value = numerics::exact_value(mode.flush_inputs ? flushed(x[i], format) : x[i], format);
            finite = finite && value;
            if (value) total += *value;
            zeros = zeros && value && *value == 0;
          }
          sums->finish(bytes);
          if (!finite || zeros) continue;
          std::uint64_t expected = numerics::testing::rational_by_mpfr(total, format, mode.rounding);
          if (total == 0 && mode.rounding == Rounding::downward) expected = numerics::sign_bit(format);
          if (mode.flush) expected = flushed(expected, format);
          REQUIRE(*meaning->bits(scalar, bytes) == expected);
        }
      });
    }
  }
}

TEST_CASE("modes of float: names, and what is refused") {
  auto named = make_semantics("float", {{"flush"}, {"down"}}, {});
  REQUIRE(named);
  CHECK((*named)->name() == "float(down, flush)");
  const std::pair<std::vector<SemanticsArgument>, const char*> refused[] = {
      {{{"up"}, {"down"}}, "`up` and `down` are two directions"},
      {{{"flush"}, {"flush"}}, "`flush` is given twice"},
      {{{"up"}, {"up"}}, "`up` is given twice"},
      {{{"flushh"}}, "`float` has no mode `flushh`"},
      {{{"nearest"}}, "`float` has no mode `nearest`"}};
  for (const auto& [arguments, message] : refused) {
    auto made = make_semantics("float", arguments, {});
    REQUIRE_FALSE(made);
    CHECK(made.error().code == code::unknown_semantics);
    CHECK(made.error().message == message);
    CHECK(!made.error().helps.empty());
  }
}

TEST_CASE("values are stored as their bits, NaNs as the canonical one") {
  const auto made = make_semantics("float", {}, {});
  REQUIRE(made);
  std::mt19937_64 random(1);
  for (const Format format : all_formats) {
    const ir::Scalar scalar = ir::scalar_of(format);
    CAPTURE(ir::scalar_name(scalar));
    ir::HostTensor in(scalar, {1 << 16});
    for (std::int64_t i = 0; i < in.size(); ++i) {
      // All patterns of 16 bits; of longer ones as many around an infinity, with either sign.
      std::uint64_t pattern = static_cast<std::uint64_t>(i);
      if (ir::byte_width(scalar) > 2) {
        pattern = numerics::infinity_bits(format) + random() % 5 - 2;
        if (i % 2 == 0) pattern |= random() & (numerics::sign_bit(format) | numerics::infinity_bits(format) / 3);
      }
      in.set_bits(i, pattern);
    }
    Values values(**made, scalar, in.shape);
    REQUIRE_FALSE((*made)->load(scalar, in.bytes.data(), static_cast<std::size_t>(in.size()), values.data()));
    const ir::HostTensor out = values.host(**made);
    std::int64_t nans = 0;
    for (std::int64_t i = 0; i < out.size(); ++i) {
      const std::uint64_t expected = *(*made)->bits(scalar, values.at(i));
      nans += expected == numerics::canonical_nan(format) ? 1 : 0;
      CHECK_FALSE((out.bits(i) & ~numerics::storage_mask(format)) != 0);
      if (out.bits(i) != expected) FAIL_CHECK(i << ": " << out.bits(i) << ", not " << expected);
    }
    CHECK(nans > 0);
    REQUIRE(values.host_if_all(**made));
    CHECK(values.host_if_all(**made)->bytes == out.bytes);
  }
}
