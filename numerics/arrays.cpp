#include "numerics/arrays.h"

#include <cmath>
#include <type_traits>

#include "numerics/native.h"
#include "numerics/processor.h"
#include "numerics/wide_functions.h"

namespace reckon::numerics {

namespace {

/// Each operation is a functor; `apply` runs it over arrays and is inlined into both versions of `dispatch`.
struct Fma {
  template <class Float>
  Float operator()(Float a, Float b, Float c) const {
    return std::fma(a, b, c);
  }
};
template <Format format>
struct FmaNarrow {
  using Word = typename Pattern<format>::Word;
  Word operator()(Word a, Word b, Word c) const { return fma_narrow<format>(a, b, c); }
};

template <class Operation, class T, class... Inputs>
[[gnu::always_inline]] inline void apply(T* result, std::size_t count, const Inputs*... inputs) {
  for (std::size_t i = 0; i < count; ++i) result[i] = Operation{}(inputs[i]...);
}

#if defined(__x86_64__)
template <class Operation, class T, class... Inputs>
[[gnu::target("avx2,fma")]] void with_fma(T* result, std::size_t count, const Inputs*... inputs) {
  apply<Operation>(result, count, inputs...);
}
#endif

template <class Operation, class T, class... Inputs>
void dispatch(T* result, std::size_t count, const Inputs*... inputs) {
#if defined(__x86_64__)
  if (has_avx2_and_fma()) return with_fma<Operation>(result, count, inputs...);
#endif
  apply<Operation>(result, count, inputs...);
}

/// A format's values as they are kept in arrays: f32 by itself, the narrower formats by their patterns.
template <Format format>
struct Kept : Pattern<format> {
  static typename Pattern<format>::Word narrowed(double value) { return narrow_f64<format>(value); }
};
template <>
struct Kept<Format::f32> {
  using Word = float;
  static float to_f32(float value) { return value; }
  static float narrowed(double value) { return static_cast<float>(value); }
};

template <>
struct Kept<Format::f64> {
  using Word = double;
};

/// Works in blocks: widens the inputs, computes the function, and rounds to the format.
template <Format format, class Chosen, class... Inputs>
void in_blocks(Chosen function, typename Kept<format>::Word* result, std::size_t count, const Inputs*... inputs) {
  constexpr std::size_t block = 256;
  for (std::size_t start = 0; start < count; start += block) {
    const std::size_t size = count - start < block ? count - start : block;
    double wide[sizeof...(Inputs)][block], odd[block];
    std::size_t operand = 0;
    const auto widen = [&](const auto* input) {
      for (std::size_t i = 0; i < size; ++i) {
        wide[operand][i] = static_cast<double>(Kept<format>::to_f32(input[start + i]));
      }
      return wide[operand++];
    };
    [&](const auto*... widened) { wide_function(function, widened..., odd, size); }(widen(inputs)...);
    for (std::size_t i = 0; i < size; ++i) result[start + i] = Kept<format>::narrowed(odd[i]);
  }
}

/// Whether arrays hold values of the format as Word.
template <class Word>
constexpr bool is_kept_as(Format format) {
  return with_format(format, []<Format f>() { return std::is_same_v<Word, typename Kept<f>::Word>; });
}

}  // namespace

template <class Word>
void elementary_array(Function function, Format format, const Word* x, Word* result, std::size_t count) {
  with_format<is_kept_as<Word>>(format, [&]<Format f>() { in_blocks<f>(function, result, count, x); });
}
template <class Word>
void elementary_array(BinaryFunction function, Format format, const Word* x, const Word* y, Word* result,
                      std::size_t count) {
  with_format<is_kept_as<Word>>(format, [&]<Format f>() { in_blocks<f>(function, result, count, x, y); });
}
template <class Word>
void fma_array(Format format, const Word* a, const Word* b, const Word* c, Word* result, std::size_t count) {
  with_format<is_kept_as<Word>>(format, [&]<Format f>() {
    using Operation = std::conditional_t<std::is_floating_point_v<Word>, Fma, FmaNarrow<f>>;
    dispatch<Operation>(result, count, a, b, c);
  });
}

#define RECKON_WORD(Word)                                                                                \
  template void elementary_array(Function, Format, const Word*, Word*, std::size_t);                     \
  template void elementary_array(BinaryFunction, Format, const Word*, const Word*, Word*, std::size_t);  \
  template void fma_array(Format, const Word*, const Word*, const Word*, Word*, std::size_t);
RECKON_WORD(float)
RECKON_WORD(std::uint32_t)
RECKON_WORD(std::uint16_t)
RECKON_WORD(std::uint8_t)
template void fma_array(Format, const double*, const double*, const double*, double*, std::size_t);

}  // namespace reckon::numerics
