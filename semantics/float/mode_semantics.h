// `float` in other modes: `float(toward_zero)`, `float(up, flush)`, ... (the arithmetic is mode_algebra.h's).
#pragma once

#include <cstring>

#include "interp/algebra/rounded_literal.h"
#include "semantics/float/mode_algebra.h"
#include "semantics/standard.h"

namespace reckon::interp {

class FloatModeSemantics : public FloatValues<FloatModeSemantics> {
 public:
  FloatModeSemantics(FloatMode mode, std::string name) : mode_(mode), name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<Semantics> another() const override { return std::make_unique<FloatModeSemantics>(*this); }

  // Not even x - 0 = x holds: rounding downward, +0 - 0 is -0; and a subnormal number may be flushed.
  driver::Traits traits() const override {
    using enum ir::Law;
    return {.laws = {add_commutes, mul_commutes, double_negation, select_same},
            .closed_numbers = &closed_numbers(),
            .floats = true,
            .mode = mode_};
  }

  template <ir::Scalar S>
  auto algebra() const {
    using Float = float_algebra::For<S>;
    if constexpr (!ir::is_float(S)) return Float{};
    else return InMode<Float>{mode_};
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (scalar == ir::Scalar::number) return without_format();
    if (scalar == ir::Scalar::boolean) {
      *out = static_cast<std::byte>(literal.bits != 0);
      return std::nullopt;
    }
    if (ir::is_integer(scalar)) return words::put_literal(scalar, literal, out), std::nullopt;
    put(scalar, literal_bits(literal, ir::format_of(scalar), mode_.rounding),
        literal.kind == ir::Literal::Kind::rational || literal.kind == ir::Literal::Kind::real, out);
    return std::nullopt;
  }

  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_indices(scalar, values, count, out), std::nullopt;
    if (!ir::is_float(scalar)) return without_format();
    for (std::size_t i = 0; i < count; ++i) {
      const mpq_class value(static_cast<long>(values[i]));
      put(scalar, numerics::round_rational(value, ir::format_of(scalar), mode_.rounding), false, out + i * size(scalar));
    }
    return std::nullopt;
  }

  std::optional<Fault> long_sums(ir::Scalar scalar, std::size_t columns, const LongSumRule& rule,
                                 std::unique_ptr<LongSums>& out) override {
    return sums_in(mode_, scalar, columns, rule, out);
  }

 private:
  /// A number that becomes 0 loses its sign.
  void put(ir::Scalar scalar, std::uint64_t bits, bool is_number, std::byte* out) const {
    const ir::Format format = ir::format_of(scalar);
    if (is_number && mode_.flush) bits = flushed(bits, format);
    if (is_number && bits == numerics::sign_bit(format)) bits = 0;
    std::memcpy(out, &bits, size(scalar));
  }

  FloatMode mode_;
  std::string name_;
};

// These loops are compiled in narrow_modes.cpp.
#define RECKON_NARROW_FORMAT(name, ...) \
  RECKON_ARRAY_LOOPS(extern, FloatModeSemantics, InMode<float_algebra::For<ir::Scalar::name>>)
#include "numerics/formats.def"

}  // namespace reckon::interp
