// `float` of the Microscaling Formats: conversions of every f16, and + - * / of every two patterns, against the exact result
// rounded to the nearest of all values (tests/numerics/microscaling.h).
#include "semantics/standard.h"
#include "tests/interp/kernels.h"
#include "tests/numerics/microscaling.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using numerics::testing::Microscaling;
using numerics::testing::f16_value;
using numerics::testing::microscaling_formats;

namespace {

/// The exact result, rounded once. Without a value (0/0) it is what a NaN is converted to.
std::uint64_t expected(const Microscaling& mx, Op op, std::uint64_t a, std::uint64_t b) {
  const double x = mx.value(a), y = mx.value(b);
  const bool opposite = std::signbit(x) != std::signbit(y);
  switch (op) {
    case Op::add: return mx.nearest(x + y);  // exact in f64, as are the next two; so is the sign of a zero
    case Op::sub: return mx.nearest(x - y);
    case Op::mul: return mx.nearest(x * y);
    default:
      if (y == 0) return mx.largest() | (x != 0 && opposite ? mx.sign() : 0);
      return mx.nearest(mpq_class(mpq_class(x) / mpq_class(y)), opposite);
  }
}

}  // namespace

TEST_CASE("+ - * / of every two patterns of the Microscaling Formats") {
  const auto meaning = semantics("float");
  for (const Microscaling& mx : microscaling_formats) {
    const Scalar scalar = ir::scalar_of(mx.format);
    std::vector<std::uint8_t> a, b;
    for (std::uint64_t i = 0; i < 2 * mx.sign(); ++i) {
      for (std::uint64_t j = 0; j < 2 * mx.sign(); ++j) {
        a.push_back(static_cast<std::uint8_t>(i));
        b.push_back(static_cast<std::uint8_t>(j));
      }
    }
    for (const Op op : {Op::add, Op::sub, Op::mul, Op::div}) {
      const auto found = apply_all<std::uint8_t, std::uint8_t>(*meaning, op, scalar, scalar, {a, b});
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (found[i] == expected(mx, op, a[i], b[i])) continue;
        FAIL(ir::scalar_name(scalar) << ": " << int{a[i]} << " " << ir::traits(op).spelling << " " << int{b[i]} << " gives "
                                     << int{found[i]} << ", not " << expected(mx, op, a[i], b[i]));
      }
    }
  }
}

TEST_CASE("every f16 becomes the nearest number of the Microscaling Formats, and each of their numbers its f16") {
  const auto meaning = semantics("float");
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for (const Microscaling& mx : microscaling_formats) {
    const Scalar scalar = ir::scalar_of(mx.format);
    INFO(ir::scalar_name(scalar));
    const auto small = apply_all<std::uint8_t, std::uint16_t>(*meaning, Op::convert, Scalar::f16, scalar, {all});
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (small[i] != mx.nearest(f16_value(i))) FAIL(i << " gives " << int{small[i]} << ", not " << mx.nearest(f16_value(i)));
    }
    std::vector<std::uint8_t> patterns;
    for (std::uint64_t i = 0; i < 2 * mx.sign(); ++i) patterns.push_back(static_cast<std::uint8_t>(i));
    const auto wide = apply_all<std::uint16_t, std::uint8_t>(*meaning, Op::convert, scalar, Scalar::f16, {patterns});
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      CHECK(f16_value(wide[i]) == mx.value(i));
      CHECK(std::signbit(f16_value(wide[i])) == std::signbit(mx.value(i)));
    }
  }
}

TEST_CASE("results without a value, in a format without NaNs, are the largest number") {
  const auto meaning = semantics("float");
  for (const Microscaling& mx : microscaling_formats) {
    const Scalar scalar = ir::scalar_of(mx.format);
    const auto largest = static_cast<std::uint8_t>(mx.largest()), one = static_cast<std::uint8_t>(mx.nearest(1.0));
    const auto minus_one = static_cast<std::uint8_t>(one | mx.sign());
    const auto of = [&](Op op, const std::vector<std::vector<std::uint8_t>>& x) {
      return apply_all<std::uint8_t, std::uint8_t>(*meaning, op, scalar, scalar, x)[0];
    };
    CHECK(of(Op::sqrt, {{minus_one}}) == largest);
    CHECK(of(Op::log, {{minus_one}}) == largest);
    CHECK(of(Op::rem, {{one}, {0}}) == largest);
    CHECK(of(Op::pow, {{minus_one}, {static_cast<std::uint8_t>(mx.nearest(0.5))}}) == largest);
    CHECK(of(Op::log, {{0}}) == (largest | mx.sign()));
    CHECK(of(Op::minnum, {{largest}, {one}}) == one);
  }
}
