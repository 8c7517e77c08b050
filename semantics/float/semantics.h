// float: one IEEE 754 value of the expression's format, every operation rounded once to nearest even (the arithmetic is
// float_algebra.h's). modes.cpp has other roundings and flushing.
#pragma once

#include <cstring>
#include <memory>

#include "interp/algebra/rounded_literal.h"
#include "numerics/chips/chip.h"
#include "semantics/float/compiled.h"
#include "semantics/float/values.h"
#include "semantics/standard.h"

namespace reckon::interp {

/// With a chip, `float(h200)`: approximate operations give what its instructions give. Without one, they are missing.
class FloatSemantics : public FloatValues<FloatSemantics> {
 public:
  FloatSemantics() = default;
  FloatSemantics(std::shared_ptr<const numerics::Chip> chip, std::string name)
      : chip_(std::move(chip)), name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<Semantics> another() const override { return std::make_unique<FloatSemantics>(*this); }

  driver::Traits traits() const override {
    using enum ir::Law;
    // Commutativity holds up to the payload of a NaN, which cannot be seen.
    return {.laws = {add_commutes, mul_commutes, sub_zero, mul_one, div_one, double_negation, min_max_idempotent,
                     select_same, literals_round, min_max_any_order},
            .closed_numbers = &closed_numbers(),
            .compiled = chip_ ? nullptr : &codegen::float_code(),
            .floats = true,
            .rounds_to_nearest = true};
  }

  template <ir::Scalar S>
  auto algebra() const {
    return float_algebra::For<S>{};
  }

  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override;

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (scalar == ir::Scalar::number) return without_format();
    if (scalar == ir::Scalar::boolean) {
      *out = static_cast<std::byte>(literal.bits != 0);
      return std::nullopt;
    }
    if (ir::is_integer(scalar)) return words::put_literal(scalar, literal, out), std::nullopt;
    const std::uint64_t bits = literal_bits(literal, ir::format_of(scalar));
    std::memcpy(out, &bits, size(scalar));
    return std::nullopt;
  }

  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_indices(scalar, values, count, out), std::nullopt;
    if (!ir::is_float(scalar)) return without_format();
    const std::size_t width = size(scalar);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = integer_bits(values[i], ir::format_of(scalar));
      std::memcpy(out + i * width, &bits, width);
    }
    return std::nullopt;
  }

  std::optional<Fault> long_sums(ir::Scalar scalar, std::size_t columns, const LongSumRule& rule,
                                 std::unique_ptr<LongSums>& out) override {
    return sums_in({}, scalar, columns, rule, out);
  }

 private:
  std::shared_ptr<const numerics::Chip> chip_;
  std::string name_ = "float";
};

// These loops are compiled in narrow.cpp.
#define RECKON_NARROW_FORMAT(name, ...) \
  RECKON_ARRAY_LOOPS(extern, FloatSemantics, float_algebra::For<ir::Scalar::name>)
#include "numerics/formats.def"

}  // namespace reckon::interp
