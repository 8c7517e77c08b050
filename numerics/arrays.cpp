#include "numerics/arrays.h"

#include <cmath>
#include <type_traits>

#include "numerics/native.h"
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
struct FmaF16 {
  std::uint16_t operator()(std::uint16_t a, std::uint16_t b, std::uint16_t c) const { return fma_f16(a, b, c); }
};
struct FmaBf16 {
  std::uint16_t operator()(std::uint16_t a, std::uint16_t b, std::uint16_t c) const { return fma_bf16(a, b, c); }
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

bool has_fma() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

template <class Operation, class T, class... Inputs>
void dispatch(T* result, std::size_t count, const Inputs*... inputs) {
#if defined(__x86_64__)
  if (has_fma()) return with_fma<Operation>(result, count, inputs...);
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

/// In blocks: widened, computed, rounded to the format.
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

template <class Chosen, class Word, class... Inputs>
void elementary(Chosen function, Format format, Word* result, std::size_t count, const Inputs*... inputs) {
  const auto run = [&]<Format f>() {
    if constexpr (std::is_same_v<Word, typename Kept<f>::Word>) in_blocks<f>(function, result, count, inputs...);
  };
  switch (format) {
    case Format::f32: return run.template operator()<Format::f32>();
    case Format::tf32: return run.template operator()<Format::tf32>();
    case Format::f16: return run.template operator()<Format::f16>();
    case Format::bf16: return run.template operator()<Format::bf16>();
    case Format::f8e4m3: return run.template operator()<Format::f8e4m3>();
    case Format::f8e5m2: return run.template operator()<Format::f8e5m2>();
    case Format::f64: return;
  }
}

}  // namespace

template <class Word>
void elementary_array(Function function, Format format, const Word* x, Word* result, std::size_t count) {
  elementary(function, format, result, count, x);
}
template <class Word>
void elementary_array(BinaryFunction function, Format format, const Word* x, const Word* y, Word* result,
                      std::size_t count) {
  elementary(function, format, result, count, x, y);
}
#define RECKON_WORD(Word)                                                                         \
  template void elementary_array(Function, Format, const Word*, Word*, std::size_t);              \
  template void elementary_array(BinaryFunction, Format, const Word*, const Word*, Word*, std::size_t);
RECKON_WORD(float)
RECKON_WORD(std::uint32_t)
RECKON_WORD(std::uint16_t)
RECKON_WORD(std::uint8_t)

void fma_f64(const double* a, const double* b, const double* c, double* result, std::size_t count) {
  dispatch<Fma>(result, count, a, b, c);
}
void fma_f32(const float* a, const float* b, const float* c, float* result, std::size_t count) {
  dispatch<Fma>(result, count, a, b, c);
}
void fma_f16(const std::uint16_t* a, const std::uint16_t* b, const std::uint16_t* c, std::uint16_t* result,
             std::size_t count) {
  dispatch<FmaF16>(result, count, a, b, c);
}
void fma_bf16(const std::uint16_t* a, const std::uint16_t* b, const std::uint16_t* c, std::uint16_t* result,
              std::size_t count) {
  dispatch<FmaBf16>(result, count, a, b, c);
}

}  // namespace reckon::numerics
