// float: one IEEE 754 value of the expression's format, every operation rounded once to nearest even (the arithmetic is
// float_algebra.h's). A NaN is shown and compared as the canonical one.
#include <cstring>

#include "interp/semantics/float_algebra.h"
#include "interp/semantics/registry.h"
#include "interp/semantics/rounded_literal.h"
#include "numerics/exact_sum.h"

namespace reckon::interp {

namespace {

using numerics::Format;

/// Sums in which nothing is rounded before the end.
template <class Algebra>
class FloatSums final : public ExactSums {
 public:
  using Value = typename Algebra::Value;
  FloatSums(Format format, std::size_t columns, std::optional<std::int64_t> folds)
      : format_(format), folds_(folds), exact_(folds ? 0 : columns), binned_(folds ? columns : 0) {}

  bool measures() const override { return folds_.has_value(); }
  void measure(Rows operand, std::size_t rows) override {
    each(operand, rows, [&](std::size_t c, double x) { binned_[c].measure(x); }, binned_.size());
  }
  void add(Rows operand, std::size_t rows) override {
    if (folds_) {
      const int width = numerics::bin_width(format_);
      each(operand, rows, [&](std::size_t c, double x) { binned_[c].add(x, width, *folds_); }, binned_.size());
    } else {
      each(operand, rows, [&](std::size_t c, double x) { exact_[c].add(x); }, exact_.size());
    }
  }
  void add_products(Rows left, Rows right, std::size_t rows) override {
    const auto* x = reinterpret_cast<const Value*>(left.data);
    const auto* y = reinterpret_cast<const Value*>(right.data);
    for (std::size_t r = 0; r < rows; ++r, x += left.row_stride, y += right.row_stride) {
      for (std::size_t c = 0; c < exact_.size(); ++c) {
        exact_[c].add_product(static_cast<double>(Algebra::widened(x[c])), static_cast<double>(Algebra::widened(y[c])));
      }
    }
  }
  void finish(std::byte* out) override {
    auto* to = reinterpret_cast<Value*>(out);
    for (std::size_t c = 0; c < exact_.size(); ++c) to[c] = Algebra::from_bits(exact_[c].round(format_));
    for (std::size_t c = 0; c < binned_.size(); ++c) to[c] = Algebra::from_bits(binned_[c].round(format_));
  }

 private:
  template <class Each>
  static void each(Rows operand, std::size_t rows, Each&& one, std::size_t columns) {
    const auto* x = reinterpret_cast<const Value*>(operand.data);
    for (std::size_t r = 0; r < rows; ++r, x += operand.row_stride) {
      for (std::size_t c = 0; c < columns; ++c) one(c, static_cast<double>(Algebra::widened(x[c])));
    }
  }

  Format format_;
  std::optional<std::int64_t> folds_;
  std::vector<numerics::ExactSum> exact_;
  std::vector<numerics::BinnedSum> binned_;
};

/// Patterns of tf32 from outside: the bits that it does not have are not looked at.
void cut(std::byte* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, values + i * sizeof bits, sizeof bits);
    bits &= static_cast<std::uint32_t>(numerics::storage_mask(Format::tf32));
    std::memcpy(values + i * sizeof bits, &bits, sizeof bits);
  }
}

class FloatSemantics : public ArraySemantics<FloatSemantics> {
 public:
  std::string_view name() const override { return "float"; }

  ir::Laws laws() const override {
    using enum ir::Law;
    // Commutativity up to the payload of a NaN, which is nothing that can be seen.
    return {add_commutes,    mul_commutes,       sub_zero,    mul_one,       div_one,
            double_negation, min_max_idempotent, select_same, literals_round, min_max_any_order};
  }

  template <ir::Scalar S>
  auto algebra() const {
    return float_algebra::For<S>{};
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (scalar == ir::Scalar::number) return without_format();
    if (scalar == ir::Scalar::boolean) {
      *out = static_cast<std::byte>(literal.bits != 0);
      return std::nullopt;
    }
    const std::uint64_t bits = literal_bits(literal, ir::format_of(scalar));
    std::memcpy(out, &bits, size(scalar));
    return std::nullopt;
  }

  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (scalar == ir::Scalar::number) return without_format();
    if (scalar == ir::Scalar::boolean) {
      load_truths(bytes, count, out);
    } else if (count > 0) {
      std::memcpy(out, bytes, count * size(scalar));
      if (scalar == ir::Scalar::tf32) cut(out, count);
    }
    return std::nullopt;
  }

  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (!ir::is_float(scalar)) return without_format();
    const std::size_t width = size(scalar);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = integer_bits(values[i], ir::format_of(scalar));
      std::memcpy(out + i * width, &bits, width);
    }
    return std::nullopt;
  }

  std::optional<Fault> exact_sums(ir::Scalar scalar, std::size_t columns, std::optional<std::int64_t> folds,
                                  std::unique_ptr<ExactSums>& out) const override {
    if (!ir::is_float(scalar)) return without_format();
    return with_scalar(scalar, [&](auto algebra) -> std::optional<Fault> {
      using Algebra = decltype(algebra);
      if constexpr (!std::is_same_v<Algebra, NoAlgebra>) {
        out = std::make_unique<FloatSums<Algebra>>(ir::format_of(scalar), columns, folds);
      }
      return std::nullopt;
    });
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return render_truth(value);
    const Format format = ir::format_of(scalar);
    const std::uint64_t pattern = *bits(scalar, value);
    std::string text = numerics::shortest_decimal(pattern, format);
    return {text,
            {{"value", text},
             {"hex", numerics::hexadecimal(pattern, format)},
             {"bits", numerics::bit_digits(pattern, format)}}};
  }

  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) return equal_truths(a, b);
    return bits(scalar, a) == bits(scalar, b) ? Truth::yes : Truth::no;
  }

  std::optional<Enclosure> enclosure(ir::Scalar scalar, const std::byte* value) const override {
    if (!ir::is_float(scalar)) return std::nullopt;
    const auto exact = numerics::exact_value(*bits(scalar, value), ir::format_of(scalar));
    if (!exact) return std::nullopt;
    return Enclosure{*exact, *exact};
  }

  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    std::uint64_t pattern = 0;
    std::memcpy(&pattern, value, size(scalar));
    if (ir::is_float(scalar) && numerics::is_nan(pattern, ir::format_of(scalar))) {
      return numerics::canonical_nan(ir::format_of(scalar));
    }
    return pattern;
  }
};

}  // namespace

Expected<std::unique_ptr<Semantics>> make_float(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  if (!arguments.empty()) {
    return no_arguments("float", arguments[0], place,
                        "`float` rounds to nearest even; other roundings and flushing arrive with a later version");
  }
  return std::unique_ptr<Semantics>(std::make_unique<FloatSemantics>());
}

}  // namespace reckon::interp
