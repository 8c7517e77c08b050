// The integer types in the interpreter, against GMP: all pairs of 8 bits, and random ones of the wider types. Conversions
// to and from floats against MPFR and exact rationals.
#include "diagnostics/codes/division_by_zero.h"
#include "ir/integer.h"
#include "semantics/standard.h"
#include "tests/interp/kernels.h"
#include "tests/numerics/reference.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using numerics::Format;
using numerics::Rounding;

namespace {

std::unique_ptr<Semantics> make(const char* name, std::vector<SemanticsArgument> arguments = {}) {
  auto made = make_semantics(name, arguments, {});
  REQUIRE(made);
  return std::move(*made);
}

/// The number of a pattern, by its definition alone.
mpz_class number(std::uint64_t pattern, int width, bool is_signed) {
  const mpz_class natural(static_cast<unsigned long>(pattern));
  const bool negative = is_signed && (pattern >> (width - 1) & 1) != 0;
  return negative ? mpz_class(natural - (mpz_class(1) << width)) : natural;
}
std::uint64_t pattern(const mpz_class& number, int width) {
  mpz_class out;
  const mpz_class modulus = mpz_class(1) << width;
  mpz_fdiv_r(out.get_mpz_t(), number.get_mpz_t(), modulus.get_mpz_t());
  return out.get_ui();
}

/// Borders, small numbers and random ones.
template <class Word>
std::vector<Word> some(std::uint64_t seed, std::size_t count) {
  constexpr int width = 8 * sizeof(Word);
  Random random(test::stream(seed));
  std::vector<Word> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t near = random.below(4) - 2, border = std::uint64_t{1} << (width - 1);
    std::uint64_t word = random.word() >> random.below(64);
    if (random.below(4) == 0) word = near;
    if (random.below(8) == 0) word = border + near;
    out.push_back(static_cast<Word>(word));
  }
  return out;
}

mpz_class by_integers(Op op, const mpz_class& a, const mpz_class& b, int width) {
  mpz_class out;
  const auto distance = static_cast<mp_bitcnt_t>(pattern(b, width) % static_cast<unsigned>(width));
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::neg: return -a;
    case Op::abs: return abs(a);
    case Op::sign: return sgn(a);
    case Op::min: return a < b ? a : b;
    case Op::max: return a < b ? b : a;
    case Op::bit_and: return a & b;
    case Op::bit_or: return a | b;
    case Op::bit_xor: return a ^ b;
    case Op::shift_left: return a << distance;
    case Op::shift_right: mpz_fdiv_q_2exp(out.get_mpz_t(), a.get_mpz_t(), distance); return out;
    case Op::floor_div: mpz_fdiv_q(out.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t()); return out;
    default: mpz_fdiv_r(out.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t()); return out;
  }
}

template <class Word>
void check_operations(Semantics& meaning, Scalar type, std::vector<Word> x, std::vector<Word> y) {
  constexpr int width = 8 * sizeof(Word);
  constexpr bool is_signed = std::is_signed_v<Word>;
  const auto of = [](Word word) {
    return number(static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<Word>>(word)), width, is_signed);
  };
  for (Op op : {Op::add, Op::sub, Op::mul, Op::neg, Op::abs, Op::sign, Op::min, Op::max, Op::bit_and, Op::bit_or, Op::bit_xor,
                Op::shift_left, Op::shift_right, Op::floor_div, Op::floor_mod}) {
    std::vector<Word> divisors = y;
    if (ir::divides_integers(op)) std::replace(divisors.begin(), divisors.end(), Word{0}, Word{7});
    std::vector<std::vector<Word>> operands{x, divisors};
    operands.resize(static_cast<std::size_t>(ir::traits(op).arity));
    const auto result = apply_all<Word, Word>(meaning, op, type, type, operands);
    INFO(ir::traits(op).spelling << " of " << ir::scalar_name(type) << " under " << meaning.name());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint64_t expected = pattern(by_integers(op, of(x[i]), of(divisors[i]), width), width);
      if (static_cast<std::make_unsigned_t<Word>>(result[i]) != expected) FAIL(+x[i] << " and " << +divisors[i]);
    }
    if (op == Op::add || op == Op::mul || op == Op::min || op == Op::max) {  // a fold of rows
      Word total = x[0], wanted = x[0];
      for (std::size_t i = 0; i < 100; ++i) {
        wanted = static_cast<Word>(pattern(by_integers(op, of(wanted), of(y[i]), width), width));
      }
      REQUIRE_FALSE(meaning.accumulate(op, type, reinterpret_cast<std::byte*>(&total),
                                       {reinterpret_cast<const std::byte*>(y.data()), 1}, 100, 1));
      CHECK(total == wanted);
    }
  }
  const auto below = apply_all<Truth, Word>(meaning, Op::less, type, Scalar::boolean, {x, y});
  const auto most = apply_all<Truth, Word>(meaning, Op::less_equal, type, Scalar::boolean, {x, y});
  const auto equal = apply_all<Truth, Word>(meaning, Op::equal, type, Scalar::boolean, {x, y});
  bool all = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    all = all && (below[i] == Truth::yes) == (of(x[i]) < of(y[i])) && (most[i] == Truth::yes) == (of(x[i]) <= of(y[i])) &&
          (equal[i] == Truth::yes) == (of(x[i]) == of(y[i]));
  }
  CHECK(all);
}

template <class Out, class In>
std::vector<Out> cast_all(Semantics& meaning, Op op, Scalar from, Scalar to, const std::vector<In>& in) {
  const Rows rows{reinterpret_cast<const std::byte*>(in.data()), 0};
  std::vector<Out> out(in.size());
  const auto fault = meaning.apply(op, from, to, &rows, reinterpret_cast<std::byte*>(out.data()), 0, 1, in.size());
  if (fault) FAIL(fault->message);
  return out;
}

/// Calls the function with the type and a number of its C++ type.
template <class Function>
void for_all_types(Function&& function) {
#define RECKON_INTEGER(name, word, npy) function(Scalar::name, word{});
#include "numerics/integers.def"
}

}  // namespace

TEST_CASE("operations on integers are those of GMP modulo 2^width, under every semantics") {
  for (const char* name : {"float", "exact", "interval", "fpsan", "bound", "padic"}) {
    auto meaning = make(name);
    for_all_types([&](Scalar type, auto word) {
      using Word = decltype(word);
      check_operations<Word>(*meaning, type, some<Word>(1, 2000), some<Word>(2, 2000));
    });
  }
}

TEST_CASE("all pairs of integers of 8 bits") {
  auto meaning = make("float");
  for_all_types([&](Scalar type, auto word) {
    using Word = decltype(word);
    if constexpr (sizeof(Word) == 1) {
      std::vector<Word> x, y;
      for (int a = 0; a < 256; ++a) {
        for (int b = 0; b < 256; ++b) {
          x.push_back(static_cast<Word>(a));
          y.push_back(static_cast<Word>(b));
        }
      }
      check_operations<Word>(*meaning, type, x, y);
    }
  });
}

TEST_CASE("an integer that is divided by 0 is an error under every semantics") {
  for (const char* name : {"float", "exact", "interval", "fpsan", "bound", "padic"}) {
    auto meaning = make(name);
    for_all_types([&](Scalar type, auto word) {
      using Word = decltype(word);
      const Word x[] = {7, 7}, y[] = {1, 0};
      Word out[2];
      const Rows rows[] = {{reinterpret_cast<const std::byte*>(x), 2}, {reinterpret_cast<const std::byte*>(y), 2}};
      for (Op op : {Op::floor_div, Op::floor_mod}) {
        const auto fault = meaning->apply(op, type, type, rows, reinterpret_cast<std::byte*>(out), 2, 1, 2);
        REQUIRE(fault);
        CHECK(fault->code == code::division_by_zero);
        CHECK_FALSE(fault->leaves_empty);
      }
    });
  }
}

TEST_CASE("an integer of another type is the number modulo 2^width") {
  auto meaning = make("float");
  for_all_types([&](Scalar from, auto source) {
    using In = decltype(source);
    const auto x = some<In>(3, 3000);
    for_all_types([&](Scalar to, auto target) {
      using Out = decltype(target);
      if (from == to) return;
      const auto out = cast_all<Out>(*meaning, Op::convert, from, to, x);
      bool all = true;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const mpz_class value =
            number(static_cast<std::make_unsigned_t<In>>(x[i]), 8 * sizeof(In), std::is_signed_v<In>);
        all = all && static_cast<std::make_unsigned_t<Out>>(out[i]) == pattern(value, 8 * sizeof(Out));
      }
      INFO(ir::scalar_name(from) << " to " << ir::scalar_name(to));
      CHECK(all);
    });
  });
}

TEST_CASE("a float of an integer is rounded once, in the mode's direction") {
  const std::pair<Rounding, std::vector<SemanticsArgument>> modes[] = {
      {Rounding::nearest_even, {}}, {Rounding::upward, {{"up"}}}, {Rounding::toward_zero, {{"toward_zero"}}}};
  for (const auto& [rounding, arguments] : modes) {
    auto meaning = make("float", arguments);
    for_all_types([&](Scalar type, auto word) {
      using Word = decltype(word);
      const auto x = some<Word>(4, 1500);
      const auto check = [&](Scalar to, auto out) {
        using Out = decltype(out);
        const auto made = cast_all<Out>(*meaning, Op::convert, type, to, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const mpz_class value =
              number(static_cast<std::make_unsigned_t<Word>>(x[i]), 8 * sizeof(Word), std::is_signed_v<Word>);
          INFO(value.get_str() << " to " << ir::scalar_name(to));
          REQUIRE(made[i] == numerics::testing::rational_by_mpfr(value, ir::format_of(to), rounding));
        }
      };
      check(Scalar::f64, std::uint64_t{});
      check(Scalar::f32, std::uint32_t{});
      check(Scalar::bf16, std::uint16_t{});
      check(Scalar::f16, std::uint16_t{});
    });
  }
}

TEST_CASE("an integer of a float is truncated, with the ends of the type for what lies outside and 0 for NaN") {
  auto meaning = make("float");
  std::vector<double> x{0.0, -0.0, 0.99, -0.99, -1.0, 1.0, INFINITY, -INFINITY, NAN, 1e300, -1e300};
  for (int width : {7, 8, 15, 16, 31, 32, 63, 64}) {
    const double border = std::ldexp(1.0, width);
    for (double near : {border, std::nextafter(border, 0), std::nextafter(border, 1e300), border - 1, border - 0.5, border + 1}) {
      x.push_back(near);
      x.push_back(-near);
    }
  }
  Random random(test::stream(5));
  for (int i = 0; i < 3000; ++i) {
    const double unit = static_cast<double>(random.word() >> 11) * 0x1p-53;
    x.push_back(std::ldexp(random.below(2) ? unit : -unit, static_cast<int>(random.below(68))));
  }
  for_all_types([&](Scalar type, auto word) {
    using Word = decltype(word);
    const auto out = cast_all<Word>(*meaning, Op::convert, Scalar::f64, type, x);
    constexpr int width = 8 * sizeof(Word);
    const mpz_class least = std::is_signed_v<Word> ? mpz_class(-(mpz_class(1) << (width - 1))) : mpz_class(0);
    const mpz_class most = least + (mpz_class(1) << width) - 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      mpz_class whole = 0;
      if (std::isinf(x[i])) whole = x[i] > 0 ? most : least;
      else if (!std::isnan(x[i])) whole = mpz_class(x[i]);  // GMP truncates toward zero
      whole = std::clamp(whole, least, most);
      INFO(x[i] << " to " << ir::scalar_name(type));
      REQUIRE(static_cast<std::make_unsigned_t<Word>>(out[i]) == pattern(whole, width));
    }
  });
}

TEST_CASE("the bits of an f64 are a u64") {
  auto meaning = make("float");
  const auto x = some<std::uint64_t>(6, 3000);
  const auto floats = cast_all<double>(*meaning, Op::from_bits, Scalar::u64, Scalar::f64, x);
  const auto bits = cast_all<std::uint64_t>(*meaning, Op::bits, Scalar::f64, Scalar::u64, floats);
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(bits[i] == (std::isnan(floats[i]) ? 0x7ff8000000000000 : x[i]));
    REQUIRE((std::isnan(floats[i]) || std::bit_cast<std::uint64_t>(floats[i]) == x[i]));
  }
}
