// What every `float` shares, whatever its rounding: values are the machine's floats or bit patterns of the format,
// and a NaN is shown, compared and saved as the canonical one. A semantics derives from FloatValues<Itself> and adds its
// algebra, its laws, and how it rounds literals and integers.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "interp/algebra/array_semantics.h"
#include "interp/algebra/float_algebra.h"
#include "ir/words.h"
#include "numerics/exact_sum.h"
#include "numerics/float_mode.h"
#include "numerics/nan_words.h"

namespace reckon::interp {

using numerics::FloatMode;

/// A subnormal pattern becomes the zero of its sign.
constexpr std::uint64_t flushed(std::uint64_t bits, numerics::Format format) {
  return numerics::is_subnormal(bits, format) ? bits & numerics::sign_bit(format) : bits;
}

/// Long sums. (Bins round their leaves to nearest in every mode, and tensor cores know no modes.)
template <class Algebra>
class FloatSums final : public LongSums {
 public:
  using Value = typename Algebra::Value;
  using Format = numerics::Format;
  FloatSums(Format format, std::size_t columns, const LongSumRule& rule, FloatMode mode)
      : format_(format), folds_(rule.folds), mode_(mode), binned_(rule.folds ? columns : 0) {
    if (rule.unit != nullptr) mma_.assign(columns, numerics::MmaSum(*rule.unit));
    else if (!rule.folds) exact_.resize(columns);
  }

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
      for (std::size_t c = 0; c < exact_.size(); ++c) exact_[c].add_product(operand(x[c]), operand(y[c]));
      for (std::size_t c = 0; c < mma_.size(); ++c) mma_[c].add_product(wide(x[c]), wide(y[c]));
    }
  }
  void finish(std::byte* out) override {
    auto* to = reinterpret_cast<Value*>(out);
    for (std::size_t c = 0; c < exact_.size(); ++c) to[c] = result(exact_[c].round(format_, mode_.rounding));
    for (std::size_t c = 0; c < binned_.size(); ++c) to[c] = result(binned_[c].round(format_, mode_.rounding));
    for (std::size_t c = 0; c < mma_.size(); ++c) {
      to[c] = Algebra::from_bits(numerics::round_f64(mma_[c].result(), format_));
    }
  }

 private:
  double operand(Value x) const {
    if (mode_.flush_inputs) x = Algebra::from_bits(flushed(Algebra::to_bits(x), format_));
    return wide(x);
  }
  static double wide(Value x) { return static_cast<double>(Algebra::widened(x)); }
  Value result(std::uint64_t bits) const { return Algebra::from_bits(mode_.flush ? flushed(bits, format_) : bits); }

  template <class Each>
  void each(Rows operands, std::size_t rows, Each&& one, std::size_t columns) const {
    const auto* x = reinterpret_cast<const Value*>(operands.data);
    for (std::size_t r = 0; r < rows; ++r, x += operands.row_stride) {
      for (std::size_t c = 0; c < columns; ++c) one(c, operand(x[c]));
    }
  }

  Format format_;
  std::optional<std::int64_t> folds_;
  FloatMode mode_;
  std::vector<numerics::ExactSum> exact_;
  std::vector<numerics::BinnedSum> binned_;
  std::vector<numerics::MmaSum> mma_;
};

template <class Derived>
class FloatValues : public ArraySemantics<Derived> {
 public:
  using Format = numerics::Format;

  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (scalar == ir::Scalar::number) return this->without_format();
    if (scalar == ir::Scalar::boolean) {
      load_truths(bytes, count, out);
    } else if (count > 0) {
      std::memcpy(out, bytes, count * this->size(scalar));
      if (ir::is_float(scalar) && !numerics::fills_words(ir::format_of(scalar))) cut(scalar, count, out);
    }
    return std::nullopt;
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return render_truth(value);
    if (ir::is_integer(scalar)) return words::render(scalar, value);
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
    if (ir::is_integer(scalar)) return words::enclosure(scalar, value);
    if (!ir::is_float(scalar)) return std::nullopt;
    const auto exact = numerics::exact_value(*bits(scalar, value), ir::format_of(scalar));
    if (!exact) return std::nullopt;
    return Enclosure{*exact, *exact};
  }

  static constexpr bool keeps_patterns = true;
  std::optional<Fault> to_word(ir::Scalar from, const std::byte* value, ir::Scalar to, std::uint64_t& out) const {
    float single = 0;
    if (from == ir::Scalar::f32) std::memcpy(&single, value, sizeof single);
    out = numerics::to_integer(ir::integer_traits(to), from == ir::Scalar::f32
                                                           ? static_cast<double>(single)
                                                           : numerics::widen(*bits(from, value), ir::format_of(from)));
    return std::nullopt;
  }

  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    std::uint64_t pattern = 0;
    std::memcpy(&pattern, value, this->size(scalar));
    if (ir::is_float(scalar) && numerics::is_nan(pattern, ir::format_of(scalar))) {
      return numerics::canonical_nan(ir::format_of(scalar));
    }
    return pattern;
  }

  bool store(ir::Scalar scalar, const std::byte* values, std::size_t count, ir::HostTensor& out) const override {
    if (!ir::is_float(scalar)) return Semantics::store(scalar, values, count, out);
    ir::by_words(out, [&](const auto& words) {
      using Word = decltype(words[0]);
      const ir::Words<Word, const std::byte> patterns{values};
      const numerics::NanWords<Word> nans(ir::format_of(scalar));
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) words.set(i, nans.canonical(patterns[i]));
    });
    return true;
  }

 protected:
  std::optional<Fault> sums_in(FloatMode mode, ir::Scalar scalar, std::size_t columns, const LongSumRule& rule,
                               std::unique_ptr<LongSums>& out) const {
    if (!ir::is_float(scalar)) return this->without_format();
    return this->with_scalar(scalar, [&](auto algebra) -> std::optional<Fault> {
      using Algebra = decltype(algebra);
      if constexpr (!std::is_same_v<Algebra, NoAlgebra>) {
        out = std::make_unique<FloatSums<Algebra>>(ir::format_of(scalar), columns, rule, mode);
      }
      return std::nullopt;
    });
  }

 private:
  /// In patterns from outside, the bits that the format does not have are ignored.
  static void cut(ir::Scalar scalar, std::size_t count, std::byte* values) {
    ir::by_words(scalar, values, [&](const auto& words) {
      using Word = decltype(words[0]);
      const auto mask = static_cast<Word>(numerics::storage_mask(ir::format_of(scalar)));
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) words.set(i, words[i] & mask);
    });
  }
};

}  // namespace reckon::interp
