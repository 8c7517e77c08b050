// fpsan: an element of Z/2^w, bit-compatible with the sanitizer of Triton's main branch (generation `now`), or with an
// older one.
//
// Values stay in payload form. Carriers (the bit patterns of the sanitized program) appear at loads, in what is shown,
// and under operations that the original does not replace: comparisons, abs, sign, bits and conversions from and
// to integers act on the carrier as the format's float operations. An integer is itself. The arithmetic is
// numerics/fpsan.h, one source with the compiler. FPSan is by Adam P. Goucher and Pawel Szczerbuk.
#pragma once

#include <cmath>
#include <cstring>

#include "interp/algebra/array_semantics.h"
#include "interp/algebra/rounded_literal.h"
#include "numerics/fpsan_native.h"
#include "numerics/native.h"
#include "semantics/fpsan/compiled.h"
#include "semantics/standard.h"

namespace reckon::interp {

namespace fpsan = numerics::fpsan;
using numerics::Format;

template <Format format_>
struct Ring : fpsan::Rules<fpsan::NativeWords, numerics::traits(format_).width> {
  static constexpr Format format = format_;
  static constexpr int width = numerics::traits(format).width;
  using Value = fpsan::NativeWords::Word<width>;
  using V = Value;

  fpsan::Embedding embedding;

  explicit Ring(const fpsan::Generation& generation)
      : fpsan::Rules<fpsan::NativeWords, width>{generation, {}}, embedding(fpsan::embedding(generation, format)) {}

  V embed(V carrier) const {
    fpsan::NativeWords words;
    return fpsan::embed<format>(words, embedding, carrier);
  }
  V unembed(V payload) const {
    fpsan::NativeWords words;
    return fpsan::unembed<format>(words, embedding, payload);
  }
  /// The value of a carrier, and the reverse.
  auto number(V payload) const {
    const V carrier = unembed(payload);
    if constexpr (format == Format::f64) return std::bit_cast<double>(carrier);
    else if constexpr (format == Format::f32) return std::bit_cast<float>(carrier);
    else return numerics::Pattern<format>::to_f32(carrier);
  }
  V from_number(auto value) const {
    if constexpr (width < 32) return embed(numerics::Pattern<format>::exactly_from_f32(value));
    else return embed(std::bit_cast<V>(value));
  }

  // The following operations act on carriers.
  static constexpr V sign_bit = static_cast<V>(numerics::sign_bit(format));
  V abs(V a) const { return embed(static_cast<V>(unembed(a) & static_cast<V>(~sign_bit))); }
  V sign(V a) const { return from_number(numerics::sign(number(a))); }
  bool less(V a, V b) const { return number(a) < number(b); }
  bool less_equal(V a, V b) const { return number(a) <= number(b); }
  bool equal(V a, V b) const { return number(a) == number(b); }
  bool not_equal(V a, V b) const { return number(a) != number(b); }

  template <class From>
  V convert(From, typename From::Value value) const {
    fpsan::NativeWords words;
    return fpsan::cast<From::width, width>(words, this->generation, value);
  }
};

class FpsanSemantics final : public ArraySemantics<FpsanSemantics> {
 public:
  FpsanSemantics(std::string name, const fpsan::Generation& generation)
      : name_(std::move(name)), generation_(generation) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<Semantics> another() const override { return std::make_unique<FpsanSemantics>(*this); }

  driver::Traits traits() const override {
    using enum ir::Law;
    return {.laws = {add_commutes, mul_commutes, add_associates, mul_associates, mul_distributes, add_zero, sub_zero,
                     mul_one, div_one, double_negation, sub_self, mul_zero, min_max_idempotent, select_same,
                     sums_exactly},
            .closed_numbers = &closed_numbers(),
            .compiled = &codegen::fpsan_code(generation_),
            .ring = true,
            .scrambles_patterns = true};
  }

  static constexpr bool has_format(ir::Scalar scalar) {
    return ir::is_float(scalar) && fpsan::has_payloads(ir::format_of(scalar));
  }
  static constexpr std::string_view why_without_format = fpsan::without_payloads;

  template <ir::Scalar S>
  auto algebra() const {
    if constexpr (has_format(S)) return Ring<ir::format_of(S)>(generation_);
    else return NoAlgebra{};
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_literal(scalar, literal, out), std::nullopt;
    if (scalar != ir::Scalar::boolean && !has_format(scalar)) return without_format(scalar);
    if (scalar == ir::Scalar::boolean) {
      *out = static_cast<std::byte>(literal.bits != 0);
    } else {
      put(scalar, literal_bits(literal, ir::format_of(scalar)), out);
    }
    return std::nullopt;
  }

  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::load(scalar, bytes, count, out), std::nullopt;
    if (scalar != ir::Scalar::boolean && !has_format(scalar)) return without_format(scalar);
    if (scalar == ir::Scalar::boolean) {
      load_truths(bytes, count, out);
      return std::nullopt;
    }
    with_scalar(scalar, [&](auto algebra) {
      if constexpr (requires { algebra.embed(0); }) {
        using V = typename decltype(algebra)::Value;
        auto* to = reinterpret_cast<V*>(out);
        if (count > 0) std::memcpy(out, bytes, count * sizeof(V));
        for (std::size_t i = 0; i < count; ++i) to[i] = algebra.embed(to[i]);
      }
    });
    return std::nullopt;
  }

  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_indices(scalar, values, count, out), std::nullopt;
    if (!has_format(scalar)) return without_format(scalar);
    for (std::size_t i = 0; i < count; ++i)
      put(scalar, integer_bits(values[i], ir::format_of(scalar)), out + i * size(scalar));
    return std::nullopt;
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return render_truth(value);
    if (ir::is_integer(scalar)) return words::render(scalar, value);
    const Format format = ir::format_of(scalar);
    const std::string payload = numerics::bit_digits(word(scalar, value), format);
    return {payload, {{"payload", payload}, {"bits", numerics::bit_digits(*bits(scalar, value), format)}}};
  }

  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) return equal_truths(a, b);
    return word(scalar, a) == word(scalar, b) ? Truth::yes : Truth::no;
  }

  std::optional<Enclosure> enclosure(ir::Scalar, const std::byte*) const override { return std::nullopt; }

  // These members act on the carrier.
  static constexpr bool keeps_patterns = true;
  std::optional<Fault> to_word(ir::Scalar from, const std::byte* value, ir::Scalar to, std::uint64_t& out) const {
    out = numerics::to_integer(ir::integer_traits(to), numerics::widen(*bits(from, value), ir::format_of(from)));
    return std::nullopt;
  }

  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    if (!ir::is_float(scalar)) return word(scalar, value);
    return fpsan::fpsan_unembed(word(scalar, value), ir::format_of(scalar), generation_);
  }

 private:
  std::uint64_t word(ir::Scalar scalar, const std::byte* value) const {
    std::uint64_t out = 0;
    std::memcpy(&out, value, size(scalar));
    return out;
  }
  void put(ir::Scalar scalar, std::uint64_t carrier, std::byte* out) const {
    const std::uint64_t payload = fpsan::fpsan_embed(carrier, ir::format_of(scalar), generation_);
    std::memcpy(out, &payload, size(scalar));
  }

  std::string name_;
  fpsan::Generation generation_;
};

// These loops are compiled in narrow.cpp.
#define RECKON_NARROW_RINGS(linkage)                               \
  RECKON_ARRAY_LOOPS(linkage, FpsanSemantics, Ring<Format::f16>)    \
  RECKON_ARRAY_LOOPS(linkage, FpsanSemantics, Ring<Format::bf16>)   \
  RECKON_ARRAY_LOOPS(linkage, FpsanSemantics, Ring<Format::f8e4m3>) \
  RECKON_ARRAY_LOOPS(linkage, FpsanSemantics, Ring<Format::f8e5m2>)
RECKON_NARROW_RINGS(extern)

}  // namespace reckon::interp
