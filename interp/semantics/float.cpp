// float: one IEEE 754 value of the expression's format, every operation rounded once to nearest even.
//
// f64 and f32 are the machine's own. f16 and bf16 are kept as bit patterns; + - * / sqrt are done in f32 and rounded
// once more, which is harmless since 24 >= 2p + 2 (Figueroa, "When is double rounding innocuous?", SIGNUM 1995), fma by
// rounding to odd (numerics/native.h). exp of f32, f16, bf16 is numerics/exp.h; all other elementary functions are
// MPFR's, correctly rounded. min and max propagate NaN and order -0 below +0; a NaN is shown and compared as the
// canonical one.
#include <cmath>
#include <cstring>

#include "interp/semantics/array_semantics.h"
#include "interp/semantics/registry.h"
#include "interp/semantics/rounded_literal.h"
#include "numerics/exact_sum.h"
#include "numerics/arrays.h"
#include "numerics/elementary.h"
#include "numerics/native.h"

namespace reckon::interp {

namespace {

using numerics::Format;
using numerics::Function;

/// What both kinds of algebra share: functions that go through bit patterns.
template <class Self, Format format_, class V>
struct ThroughBits {
  using Value = V;
  static constexpr Format format = format_;
  static V elementary(Function function, V x) {
    return Self::from_bits(numerics::mpfr_unary(function, Self::to_bits(x), format));
  }
  static V rsqrt(V x) { return elementary(Function::rsqrt, x); }
  static V exp2(V x) { return elementary(Function::exp2, x); }
  static V log(V x) { return elementary(Function::log, x); }
  static V log2(V x) { return elementary(Function::log2, x); }
  static V sin(V x) { return elementary(Function::sin, x); }
  static V cos(V x) { return elementary(Function::cos, x); }
};

template <class Float>
struct Machine : ThroughBits<Machine<Float>, sizeof(Float) == 8 ? Format::f64 : Format::f32, Float> {
  using Bits = std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>;
  static std::uint64_t to_bits(Float x) { return std::bit_cast<Bits>(x); }
  static Float from_bits(std::uint64_t bits) { return std::bit_cast<Float>(static_cast<Bits>(bits)); }
  static Float widened(Float x) { return x; }

  static Float add(Float a, Float b) { return a + b; }
  static Float sub(Float a, Float b) { return a - b; }
  static Float mul(Float a, Float b) { return a * b; }
  static Float div(Float a, Float b) { return a / b; }
  static Float rem(Float a, Float b) { return numerics::truncated_remainder(a, b); }
  static Float neg(Float a) { return -a; }
  static Float abs(Float a) { return std::fabs(a); }
  static Float fma(Float a, Float b, Float c) { return std::fma(a, b, c); }
  static Float sqrt(Float a) { return std::sqrt(a); }
  // numerics::minimum and maximum without branches: equal operands differ at most in the sign of zero, and there the
  // smaller has the union of both patterns' bits, the larger what they share.
  static Float min(Float a, Float b) {
    const Float equal = from_bits(to_bits(a) | to_bits(b));
    const Float ordered = a == b ? equal : (a < b ? a : b);
    return (a != a) | (b != b) ? a + b : ordered;
  }
  static Float max(Float a, Float b) {
    const Float equal = from_bits(to_bits(a) & to_bits(b));
    const Float ordered = a == b ? equal : (a > b ? a : b);
    return (a != a) | (b != b) ? a + b : ordered;
  }
  static Float sign(Float a) { return numerics::sign(a); }
  static Float copysign(Float a, Float b) { return numerics::copysign(a, b); }
  static Float floor(Float a) { return std::floor(a); }
  static Float ceil(Float a) { return std::ceil(a); }
  static Float trunc(Float a) { return std::trunc(a); }
  static Float round(Float a) { return numerics::round_to_even(a); }
  static bool less(Float a, Float b) { return a < b; }
  static bool less_equal(Float a, Float b) { return a <= b; }
  static bool equal(Float a, Float b) { return a == b; }
  static bool not_equal(Float a, Float b) { return a != b; }

  static Float exp(Float x) {
    if constexpr (sizeof(Float) == 4) return numerics::exp_f32(x);
    else return Machine::elementary(Function::exp, x);
  }
  static void array(operations::exp, const float* x, float* out, std::size_t n) requires(sizeof(Float) == 4) {
    numerics::exp_f32(x, out, n);
  }
  static void array(operations::fma, const Float* a, const Float* b, const Float* c, Float* out, std::size_t n) {
    if constexpr (sizeof(Float) == 4) numerics::fma_f32(a, b, c, out, n);
    else numerics::fma_f64(a, b, c, out, n);
  }
  /// f64 to f32 rounds; everything else fits.
  template <class From>
  static Float convert(From, typename From::Value value) {
    return static_cast<Float>(From::widened(value));
  }
};

template <Format format_>
struct Half : ThroughBits<Half<format_>, format_, std::uint16_t> {
  using V = std::uint16_t;
  static constexpr bool is_f16 = format_ == Format::f16;
  static std::uint64_t to_bits(V x) { return x; }
  static V from_bits(std::uint64_t bits) { return static_cast<V>(bits); }
  static float widened(V x) { return is_f16 ? numerics::f16_to_f32(x) : numerics::bf16_to_f32(x); }
  static V narrowed(float x) { return is_f16 ? numerics::f32_to_f16(x) : numerics::f32_to_bf16(x); }
  static V narrowed(double x) { return is_f16 ? numerics::f64_to_f16(x) : numerics::f64_to_bf16(x); }
  using Wide = Machine<float>;
  static constexpr V sign_mask = 0x8000;

  static V add(V a, V b) { return narrowed(widened(a) + widened(b)); }
  static V sub(V a, V b) { return narrowed(widened(a) - widened(b)); }
  static V mul(V a, V b) { return narrowed(widened(a) * widened(b)); }
  static V div(V a, V b) { return narrowed(widened(a) / widened(b)); }
  static V rem(V a, V b) { return narrowed(Wide::rem(widened(a), widened(b))); }
  static V neg(V a) { return a ^ sign_mask; }
  static V abs(V a) { return a & static_cast<V>(~sign_mask); }
  static V fma(V a, V b, V c) { return is_f16 ? numerics::fma_f16(a, b, c) : numerics::fma_bf16(a, b, c); }
  static V sqrt(V a) { return narrowed(std::sqrt(widened(a))); }
  static V min(V a, V b) { return narrowed(Wide::min(widened(a), widened(b))); }
  static V max(V a, V b) { return narrowed(Wide::max(widened(a), widened(b))); }
  static V sign(V a) { return narrowed(Wide::sign(widened(a))); }
  static V copysign(V a, V b) { return narrowed(Wide::copysign(widened(a), widened(b))); }
  static V floor(V a) { return narrowed(std::floor(widened(a))); }
  static V ceil(V a) { return narrowed(std::ceil(widened(a))); }
  static V trunc(V a) { return narrowed(std::trunc(widened(a))); }
  static V round(V a) { return narrowed(Wide::round(widened(a))); }
  static bool less(V a, V b) { return widened(a) < widened(b); }
  static bool less_equal(V a, V b) { return widened(a) <= widened(b); }
  static bool equal(V a, V b) { return widened(a) == widened(b); }
  static bool not_equal(V a, V b) { return widened(a) != widened(b); }

  static V exp(V x) { return is_f16 ? numerics::exp_f16(x) : numerics::exp_bf16(x); }
  static void array(operations::exp, const V* x, V* out, std::size_t n) {
    is_f16 ? numerics::exp_f16(x, out, n) : numerics::exp_bf16(x, out, n);
  }
  static void array(operations::fma, const V* a, const V* b, const V* c, V* out, std::size_t n) {
    is_f16 ? numerics::fma_f16(a, b, c, out, n) : numerics::fma_bf16(a, b, c, out, n);
  }
  template <class From>
  static V convert(From, typename From::Value value) {
    return narrowed(From::widened(value));
  }
};

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
    if constexpr (S == ir::Scalar::f64) return Machine<double>{};
    else if constexpr (S == ir::Scalar::f32) return Machine<float>{};
    else if constexpr (S == ir::Scalar::f16) return Half<Format::f16>{};
    else if constexpr (S == ir::Scalar::bf16) return Half<Format::bf16>{};
    else return NoAlgebra{};
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
