#include "kernel/interpret/numbers.h"

#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "numerics/format.h"

namespace reckon::kernel {
namespace {

/// More than any value's type asks for.
constexpr std::align_val_t alignment{64};

class SemanticsNumbers final : public Numbers {
 public:
  explicit SemanticsNumbers(interp::Semantics& semantics) : semantics_(semantics) {}

  std::size_t size(ir::Scalar scalar) const override { return semantics_.size(scalar); }
  void construct(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (!semantics_.trivial()) semantics_.construct(scalar, data, count);
  }
  void destroy(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (!semantics_.trivial()) semantics_.destroy(scalar, data, count);
  }
  void copy(ir::Scalar scalar, const std::byte* from, std::byte* to) const override {
    if (from == to) return;
    constexpr std::int64_t first = 0;
    semantics_.gather(scalar, from, &first, to, 1);
  }

  std::optional<NoValue> constant(const Program& program, const Constant& constant, std::byte* out) override {
    const ir::Scalar scalar = constant.type.scalar;
    switch (constant.kind) {
      case Constant::Kind::literal: return said(semantics_.literal(program.literals[constant.value], scalar, out));
      case Constant::Kind::neutral: {
        // -0 changes no float, and 0 would make +0 of -0. Where a + 0 is a, 0 changes nothing.
        const bool plain = !ir::is_float(scalar) || semantics_.traits().laws.has(ir::Law::add_zero);
        return from_pattern(scalar, plain ? 0 : numerics::sign_bit(ir::format_of(scalar)), out);
      }
      default: return from_pattern(scalar, constant.value, out);
    }
  }

  std::optional<NoValue> from_pattern(ir::Scalar scalar, std::uint64_t pattern, std::byte* out) override {
    if (scalar == ir::Scalar::number) {
      return pattern == 0 ? said(semantics_.literal({}, scalar, out)) : NoValue{"a `number` has no bit pattern"};
    }
    std::uint8_t bytes[8];
    std::memcpy(bytes, &pattern, sizeof bytes);
    return said(semantics_.load(scalar, bytes, 1, out));
  }

  std::optional<std::uint64_t> pattern(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return to_flag(value);
    return semantics_.bits(scalar, value);
  }

  std::optional<NoValue> from_index(ir::Scalar scalar, std::int64_t index, std::byte* out) override {
    return said(semantics_.from_index(scalar, &index, 1, out));
  }
  void from_flag(bool flag, std::byte* out) override {
    *out = static_cast<std::byte>(flag ? interp::Truth::yes : interp::Truth::no);
  }
  std::optional<bool> to_flag(const std::byte* boolean) const override {
    const auto truth = static_cast<interp::Truth>(*boolean);
    return truth == interp::Truth::unknown ? std::nullopt : std::optional(truth == interp::Truth::yes);
  }

  std::optional<NoValue> apply(const Calculation& calculation, Operands operands, std::byte* out,
                               std::size_t count) override {
    std::array<interp::Rows, 4> rows{};
    for (std::size_t k = 0; k < operands.size(); ++k) rows[k].data = operands[k];
    if (calculation.joins) {
      return said(semantics_.join(calculation.op, calculation.from, rows.data(), out, 0, 1, count));
    }
    return said(semantics_.apply(calculation.op, calculation.from, calculation.to, rows.data(), out, 0, 1, count));
  }

  std::optional<NoValue> mma_sum(const Products& products, ir::NodeId, std::byte* out) override {
    const ir::Scalar narrow = ir::scalar_of(products.unit.operand), wide = ir::scalar_of(products.unit.accumulator);
    std::unique_ptr<interp::LongSums> sums;
    interp::LongSumRule rule;
    rule.unit = &products.unit;
    if (const auto fault = semantics_.long_sums(wide, 1, rule, sums)) return said(fault);
    if (sums == nullptr) return NoValue{"only floats are added on tensor cores"};
    NumberArray x(*this, wide, 1), y(*this, wide, 1);
    for (std::size_t k = 0; k < products.x.size(); ++k) {
      for (const auto& [to, from] : {std::pair(&x, products.x[k]), std::pair(&y, products.y[k])}) {
        const interp::Rows row{from};
        const auto fault = semantics_.apply(ir::Op::convert, narrow, wide, &row, to->at(0), 0, 1, 1);
        if (fault) return said(fault);
      }
      sums->add_products({x.at(0)}, {y.at(0)}, 1);
    }
    sums->finish(out);
    return std::nullopt;
  }

 private:
  static std::optional<NoValue> said(const std::optional<interp::Fault>& fault) {
    return fault ? std::optional(NoValue{fault->message, fault->leaves_empty}) : std::nullopt;
  }

  interp::Semantics& semantics_;
};

}  // namespace

std::unique_ptr<Numbers> numbers_of(interp::Semantics& semantics) {
  return std::make_unique<SemanticsNumbers>(semantics);
}

NumberArray::NumberArray(const Numbers& numbers, ir::Scalar scalar, std::size_t count)
    : numbers_(&numbers), scalar_(scalar), count_(count), size_(numbers.size(scalar)) {
  const std::size_t bytes = count_ * size_ + 1;
  data_ = static_cast<std::byte*>(::operator new(bytes, alignment));
  // Lanes that take no part are computed along where that is harmless; they must not be indeterminate.
  std::memset(data_, 0, bytes);
  numbers_->construct(scalar_, data_, count_);
}

NumberArray::NumberArray(NumberArray&& other) noexcept
    : numbers_(other.numbers_),
      scalar_(other.scalar_),
      count_(std::exchange(other.count_, 0)),
      size_(other.size_),
      data_(std::exchange(other.data_, nullptr)) {}

NumberArray& NumberArray::operator=(NumberArray&& other) noexcept {
  std::swap(numbers_, other.numbers_);
  std::swap(scalar_, other.scalar_);
  std::swap(count_, other.count_);
  std::swap(size_, other.size_);
  std::swap(data_, other.data_);
  return *this;
}

NumberArray::~NumberArray() {
  if (data_ == nullptr) return;
  numbers_->destroy(scalar_, data_, count_);
  ::operator delete(data_, alignment);
}

}  // namespace reckon::kernel
