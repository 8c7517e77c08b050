#include "interp/algebra/words.h"

#include <fmt/format.h>

#include "diagnostics/codes/division_by_zero.h"
#include "interp/algebra/array_semantics.h"

namespace reckon::interp {

const FaultText divided_by_zero{code::division_by_zero, "an integer is divided by zero",
                                "take another divisor where it is 0: `x // select(d == 0, 1, d)`; `select` evaluates "
                                "both of its sides"};

namespace {

/// The kernels of all integer types, as a semantics that has no other numbers.
class Words final : public ArraySemantics<Words> {
 public:
  static constexpr bool has_own_words = true;

  explicit Words(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }
  driver::Traits traits() const override { return {}; }

  template <ir::Scalar S>
  auto algebra() const {
#define RECKON_INTEGER(name, word, npy) \
  if constexpr (S == ir::Scalar::name) return WordAlgebra<word>{}; \
  else
#include "numerics/integers.def"
    return NoAlgebra{};
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    return words::put_literal(scalar, literal, out), std::nullopt;
  }
  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    return words::load(scalar, bytes, count, out), std::nullopt;
  }
  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    return words::put_indices(scalar, values, count, out), std::nullopt;
  }
  Rendering render(ir::Scalar scalar, const std::byte* value) const override { return words::render(scalar, value); }
  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    return words::equal(scalar, a, b);
  }
  std::optional<Enclosure> enclosure(ir::Scalar scalar, const std::byte* value) const override {
    return words::enclosure(scalar, value);
  }
  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    return words::at(scalar, value);
  }

 private:
  std::string_view name_;
};

}  // namespace

namespace words {

std::optional<Fault> apply(std::string_view name, ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands,
                           std::byte* out, std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) {
  return Words(name).apply(op, from, to, operands, out, out_row_stride, rows, columns);
}

std::optional<Fault> accumulate(std::string_view name, ir::Op op, ir::Scalar scalar, std::byte* accumulator,
                                Rows operand, std::size_t rows, std::size_t columns) {
  return Words(name).accumulate(op, scalar, accumulator, operand, rows, columns);
}

std::optional<Fault> to_number(const Semantics& semantics, ir::Scalar from, const std::byte* value, ir::Scalar to,
                               std::byte* out) {
  const std::uint64_t pattern = at(from, value);
  const auto index = static_cast<std::int64_t>(numerics::extended(ir::integer_traits(from), pattern));
  if (ir::integer_traits(from).is_signed || index >= 0) return semantics.from_index(to, &index, 1, out);
  ir::Literal beyond;
  beyond.kind = ir::Literal::Kind::rational;
  beyond.value = ir::integer_of(from, pattern);
  return semantics.literal(beyond, to, out);
}

Rendering render(ir::Scalar scalar, const std::byte* value) {
  const std::uint64_t pattern = at(scalar, value);
  const std::string text = ir::integer_text(scalar, pattern);
  return {text, {{"value", text}, {"bits", fmt::format("{:0{}x}", pattern, ir::integer_traits(scalar).width / 4)}}};
}

}  // namespace words

}  // namespace reckon::interp
