// u32 in the interpreter, against GMP; conversions and patterns against MPFR and the machine's own.
#include "diagnostics/codes/unsupported_operation.h"
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

using Word = std::uint32_t;

std::vector<Word> random_words(std::uint64_t seed, std::size_t count) {
  static constexpr Word edges[] = {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  Random random(test::stream(seed));
  std::vector<Word> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = static_cast<Word>(random.word());
    out.push_back(random.below(3) == 0 ? edges[random.below(std::size(edges))] : word >> random.below(32));
  }
  return out;
}

mpz_class number(Word word) { return mpz_class(static_cast<unsigned long>(word)); }

/// By the integers, modulo 2^32.
Word expected(Op op, Word x, Word y) {
  const mpz_class a = number(x), b = number(y), two = mpz_class(1) << (y % 32), modulus = mpz_class(1) << 32;
  mpz_class out;
  switch (op) {
    case Op::add: out = a + b; break;
    case Op::sub: out = a - b; break;
    case Op::mul: out = a * b; break;
    case Op::neg: out = -a; break;
    case Op::min: out = a < b ? a : b; break;
    case Op::max: out = a < b ? b : a; break;
    case Op::bit_and: out = a & b; break;
    case Op::bit_or: out = a | b; break;
    case Op::bit_xor: out = a ^ b; break;
    case Op::shift_left: out = a * two; break;
    default: mpz_fdiv_q(out.get_mpz_t(), a.get_mpz_t(), two.get_mpz_t()); break;
  }
  mpz_fdiv_r(out.get_mpz_t(), out.get_mpz_t(), modulus.get_mpz_t());
  return static_cast<Word>(out.get_ui());
}

std::unique_ptr<Semantics> make(const char* name, std::vector<SemanticsArgument> arguments = {}) {
  auto made = make_semantics(name, arguments, {});
  REQUIRE(made);
  return std::move(*made);
}

/// One operation on one row of bytes.
template <class Out, class In>
std::vector<Out> cast_all(Semantics& meaning, Op op, Scalar from, Scalar to, const std::vector<In>& in) {
  const Rows rows{reinterpret_cast<const std::byte*>(in.data()), 0};
  std::vector<Out> out(in.size());
  const auto fault = meaning.apply(op, from, to, &rows, reinterpret_cast<std::byte*>(out.data()), 0, 1, in.size());
  if (fault) FAIL(fault->message);
  return out;
}

}  // namespace

TEST_CASE("operations on u32 are those of integers modulo 2^32, under every semantics that has them") {
  const auto x = random_words(1, 4000), y = random_words(2, 4000);
  for (const char* name : {"float", "exact", "interval", "fpsan", "bound", "padic"}) {
    auto meaning = make(name);
    for (Op op : {Op::add, Op::sub, Op::mul, Op::min, Op::max, Op::bit_and, Op::bit_or, Op::bit_xor, Op::shift_left,
                  Op::shift_right}) {
      const auto result = apply_all<Word, Word>(*meaning, op, Scalar::u32, Scalar::u32, {x, y});
      INFO(ir::traits(op).spelling << " under " << name);
      for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(result[i] == expected(op, x[i], y[i]));
    }
    const auto negated = apply_all<Word, Word>(*meaning, Op::neg, Scalar::u32, Scalar::u32, {x});
    const auto below = apply_all<Truth, Word>(*meaning, Op::less, Scalar::u32, Scalar::boolean, {x, y});
    const auto equal = apply_all<Truth, Word>(*meaning, Op::equal, Scalar::u32, Scalar::boolean, {x, y});
    for (std::size_t i = 0; i < x.size(); ++i) {
      REQUIRE(negated[i] == expected(Op::neg, x[i], 0));
      REQUIRE((below[i] == Truth::yes) == (number(x[i]) < number(y[i])));
      REQUIRE((equal[i] == Truth::yes) == (number(x[i]) == number(y[i])));
    }
  }
}

TEST_CASE("f32 and f16 of a u32 are rounded once, in the mode's direction") {
  const auto x = random_words(3, 4000);
  const std::pair<Rounding, std::vector<SemanticsArgument>> modes[] = {
      {Rounding::nearest_even, {}}, {Rounding::upward, {{"up"}}}, {Rounding::toward_zero, {{"toward_zero"}}}};
  for (const auto& [rounding, arguments] : modes) {
    auto meaning = make("float", arguments);
    const auto singles = cast_all<Word>(*meaning, Op::convert, Scalar::u32, Scalar::f32, x);
    const auto halves = cast_all<std::uint16_t>(*meaning, Op::convert, Scalar::u32, Scalar::f16, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      REQUIRE(singles[i] == numerics::testing::rational_by_mpfr(number(x[i]), Format::f32, rounding));
      REQUIRE(halves[i] == numerics::testing::rational_by_mpfr(number(x[i]), Format::f16, rounding));
    }
  }
}

TEST_CASE("u32 of a float is truncated, with the ends of u32 for what lies outside and 0 for NaN") {
  auto meaning = make("float");
  auto exact = make("exact");
  std::vector<float> x{0.0f, -0.0f, 0.99999994f, -0.99999994f, -1.0f, -3e9f, 1.0f, 4294967040.0f, 4294967296.0f, 1e30f,
                       INFINITY, -INFINITY, NAN, 2147483648.0f, 16777217.0f, 1e-45f};
  Random random(test::stream(4));
  for (int i = 0; i < 5000; ++i) x.push_back(std::bit_cast<float>(static_cast<Word>(random.word())));
  for (int i = 0; i < 5000; ++i) x.push_back(static_cast<float>(static_cast<Word>(random.word())) / 7);
  const auto result = cast_all<Word>(*meaning, Op::convert, Scalar::f32, Scalar::u32, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    mpz_class whole = 0;
    if (std::isinf(x[i])) whole = x[i] > 0 ? 0xffffffff : 0;
    else if (!std::isnan(x[i])) whole = mpz_class(mpf_class(x[i], 200));
    whole = std::clamp(whole, mpz_class(0), mpz_class(0xffffffff));
    INFO(x[i]);
    REQUIRE(number(result[i]) == whole);
  }
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId parameter = c.parameter("x", Scalar::f32, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    return c.module.convert(c.module.element(parameter, {c.at(i[0])}), Scalar::u32);
  }));
  std::erase_if(x, [](float each) { return std::isnan(each) || each == INFINITY; });
  ir::HostTensor tensor(Scalar::f32, {static_cast<std::int64_t>(x.size())});
  for (std::size_t i = 0; i < x.size(); ++i) tensor.set_bits(static_cast<std::int64_t>(i), std::bit_cast<Word>(x[i]));
  auto a = c.run(*meaning, {tensor}), b = c.run(*exact, {tensor});
  REQUIRE(a);
  REQUIRE(b);
  CHECK((*a)[0].host(*meaning).bytes == (*b)[0].host(*exact).bytes);
}

TEST_CASE("bits and from_bits are inverse, but for the patterns of NaN, which bits joins") {
  auto meaning = make("float");
  std::vector<Word> halves;
  for (Word bits = 0; bits < 65536; ++bits) halves.push_back(bits | 0xabcd0000);
  for (const auto& [scalar, nan, infinity] : {std::tuple{Scalar::f16, 0x7e00u, 0x7c00u}, {Scalar::bf16, 0x7fc0u, 0x7f80u}}) {
    const auto back = cast_all<std::uint16_t>(*meaning, Op::from_bits, Scalar::u32, scalar, halves);
    const auto bits = cast_all<Word>(*meaning, Op::bits, scalar, Scalar::u32, back);
    for (Word i = 0; i < 65536; ++i) REQUIRE(bits[i] == ((i & 0x7fff) > infinity ? nan : i));
  }
  const auto words = random_words(6, 5000);
  const auto floats = cast_all<float>(*meaning, Op::from_bits, Scalar::u32, Scalar::f32, words);
  const auto bits = cast_all<Word>(*meaning, Op::bits, Scalar::f32, Scalar::u32, floats);
  for (std::size_t i = 0; i < words.size(); ++i) REQUIRE(bits[i] == (std::isnan(floats[i]) ? 0x7fc00000 : words[i]));
  // fpsan's are the carrier's, which keeps every pattern.
  auto ring = make("fpsan");
  const auto payloads = cast_all<Word>(*ring, Op::from_bits, Scalar::u32, Scalar::f32, words);
  CHECK(cast_all<Word>(*ring, Op::bits, Scalar::f32, Scalar::u32, payloads) == words);
  CHECK(cast_all<Word>(*ring, Op::from_bits, Scalar::u32, Scalar::f32, std::vector<Word>{0x3f800000})[0] == 1);
}

TEST_CASE("what a semantics does not know of u32 it refuses at the operation") {
  const auto refused = [](const char* name, Op op, Scalar from, Scalar to) {
    std::array<std::byte, 64> in{}, out{};
    const Rows rows{in.data(), 0};
    const auto fault = make(name)->apply(op, from, to, &rows, out.data(), 0, 1, 1);
    return fault && fault->code == code::unsupported_operation;
  };
  for (const char* name : {"interval", "bound", "padic"}) {
    CHECK(refused(name, Op::convert, Scalar::f32, Scalar::u32));
    CHECK(refused(name, Op::bits, Scalar::f32, Scalar::u32));
  }
  CHECK_FALSE(refused("padic", Op::convert, Scalar::u32, Scalar::f32));
  CHECK(refused("bound", Op::from_bits, Scalar::u32, Scalar::f32));
  CHECK_FALSE(refused("interval", Op::convert, Scalar::u32, Scalar::f32));
  CHECK_FALSE(refused("count", Op::bits, Scalar::f32, Scalar::u32));
}
