#include "numerics/arrays.h"

#include <cmath>
#include <utility>

#include "numerics/functions/functions.h"
#include "numerics/native.h"

namespace reckon::numerics {

namespace {

/// Each operation is a functor; `apply` runs it over arrays and is inlined into both versions of `dispatch`.
template <Function function>
struct Elementary {
  static double wide(double x) {
    NativeBuilder builder;
    return elementary<function>(builder, x);
  }
  float operator()(float x) const { return static_cast<float>(wide(static_cast<double>(x))); }
};
template <Function function>
struct ElementaryF16 {
  std::uint16_t operator()(std::uint16_t x) const {
    return f64_to_f16(Elementary<function>::wide(static_cast<double>(f16_to_f32(x))));
  }
};
template <Function function>
struct ElementaryBf16 {
  std::uint16_t operator()(std::uint16_t x) const {
    return f64_to_bf16(Elementary<function>::wide(static_cast<double>(bf16_to_f32(x))));
  }
};
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

/// Calls `run` with the function as a template argument.
template <class Run>
void with_function(Function function, Run&& run) {
  [&]<std::size_t... index>(std::index_sequence<index...>) {
    ((static_cast<std::size_t>(function) == index ? run.template operator()<static_cast<Function>(index)>() : void()), ...);
  }(std::make_index_sequence<function_count>());
}

}  // namespace

void elementary_f32(Function function, const float* x, float* result, std::size_t count) {
  with_function(function, [&]<Function f>() { dispatch<Elementary<f>>(result, count, x); });
}
void elementary_16(Function function, Format format, const std::uint16_t* x, std::uint16_t* result,
                   std::size_t count) {
  with_function(function, [&]<Function f>() {
    if (format == Format::f16) dispatch<ElementaryF16<f>>(result, count, x);
    else dispatch<ElementaryBf16<f>>(result, count, x);
  });
}

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
