// The laws that a semantics claims hold for its values, bit for bit: rewrites rely on nothing else.
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using ir::Law;

namespace {

using Bytes = std::vector<std::byte>;

/// Values of one format under one semantics, `count` at a time.
struct Sample {
  Semantics& semantics;
  Scalar scalar;
  std::size_t count;

  Bytes room() const { return Bytes(count * semantics.size(scalar)); }
  Bytes apply(Op op, const std::vector<const Bytes*>& operands) const {
    Bytes out = room();
    std::vector<Rows> rows;
    for (const Bytes* operand : operands) rows.push_back({operand->data(), static_cast<std::ptrdiff_t>(count)});
    const auto fault = semantics.apply(op, scalar, scalar, rows.data(), out.data(), static_cast<std::ptrdiff_t>(count), 1, count);
    if (fault) FAIL(fault->message);
    return out;
  }
  Bytes literal(int value) const {
    ir::Literal literal;
    literal.kind = ir::Literal::Kind::rational;
    literal.value = value;
    Bytes out = room();
    for (std::size_t i = 0; i < count; ++i) {
      if (auto fault = semantics.literal(literal, scalar, out.data() + i * semantics.size(scalar))) FAIL(fault->message);
    }
    return out;
  }
  Bytes hostile(Random& random) const {
    const auto traits = numerics::traits(ir::format_of(scalar));
    const auto width = static_cast<std::size_t>(ir::byte_width(scalar));
    std::vector<std::uint8_t> patterns(count * width);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t bits = random.word();
      const std::uint64_t infinity = ((std::uint64_t{1} << (traits.width - traits.precision)) - 1) << (traits.precision - 1);
      const std::uint64_t special[] = {0, numerics::sign_bit(ir::format_of(scalar)), 1, infinity, infinity | 1, infinity - 1};
      if (random.below(3) == 0) bits = special[random.below(6)] ^ (random.below(2) ? numerics::sign_bit(ir::format_of(scalar)) : 0);
      for (std::size_t k = 0; k < width; ++k) patterns[i * width + k] = static_cast<std::uint8_t>(bits >> (8 * k));
    }
    Bytes out = room();
    if (auto fault = semantics.load(scalar, patterns.data(), count, out.data())) FAIL(fault->message);
    return out;
  }
  std::size_t differences(const Bytes& a, const Bytes& b) const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = i * semantics.size(scalar);
      out += semantics.bits(scalar, a.data() + at) != semantics.bits(scalar, b.data() + at);
    }
    return out;
  }
};

}  // namespace

TEST_CASE("claimed laws hold bit for bit") {
  Random random(31);
  for (const char* name : {"float", "fpsan"}) {
    auto made = semantics(name);
    const bool floats = std::string_view(name) == "float";
    // Of f8e5m2, whose infinities saturate, the folding rules know that x * 1 and its kin are not x.
    for (Scalar scalar : {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16, Scalar::f8e4m3,
                          floats ? Scalar::tf32 : Scalar::f8e5m2, floats ? Scalar::f6e3m2 : Scalar::f32}) {
      const Sample v{*made, scalar, 4000};
      const Bytes a = v.hostile(random), b = v.hostile(random), c = v.hostile(random), zero = v.literal(0), one = v.literal(1);
      const auto both = [&](Op op, const Bytes& x, const Bytes& y) { return v.apply(op, {&x, &y}); };
      struct Claim {
        Law law;
        Bytes left, right;
      };
      const Bytes negated = v.apply(Op::neg, {&a});
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
          {Law::double_negation, v.apply(Op::neg, {&negated}), a},
          {Law::sub_self, both(Op::sub, a, a), zero},
          {Law::mul_zero, both(Op::mul, a, zero), zero},
          {Law::min_max_idempotent, both(Op::min, a, a), a},
          {Law::min_max_idempotent, both(Op::max, a, a), a},
          {Law::min_max_commute, both(Op::min, a, b), both(Op::min, b, a)},
          {Law::min_max_any_order, both(Op::max, both(Op::max, a, b), c), both(Op::max, a, both(Op::max, b, c))},
      };
      int held = 0;
      for (const Claim& claim : claims) {
        INFO(name << " " << ir::scalar_name(scalar) << " law " << static_cast<int>(claim.law));
        if (!made->traits().laws.has(claim.law)) continue;
        CHECK(v.differences(claim.left, claim.right) == 0);
        ++held;
      }
      CHECK(held >= 8);
      // The inputs can tell: under float these two are no laws.
      if (std::string_view(name) == "float") {
        CHECK(v.differences(both(Op::add, a, zero), a) > 0);
        if (numerics::has_nan(ir::format_of(scalar))) CHECK(v.differences(both(Op::sub, a, a), zero) > 0);
      }
    }
  }
}
