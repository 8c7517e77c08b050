#include "numerics/arrays.h"

#include <cmath>
#include <utility>

#include "numerics/functions/functions.h"
#include "numerics/native.h"

namespace reckon::numerics {

namespace {

/// Each operation is a functor; `apply` runs it over arrays and is inlined into both versions of `dispatch`.
/// f, of one operand or two, through f64.
template <auto function>
struct Elementary {
  template <class... Operands>
  static double wide(Operands... operands) {
    NativeBuilder builder;
    return elementary<function>(builder, static_cast<double>(operands)...);
  }
  template <class... Operands>
  float operator()(Operands... operands) const {
    return static_cast<float>(wide(operands...));
  }
};
template <auto function>
struct ElementaryF16 {
  template <class... Operands>
  std::uint16_t operator()(Operands... operands) const {
    return f64_to_f16(Elementary<function>::wide(f16_to_f32(operands)...));
  }
};
template <auto function>
struct ElementaryBf16 {
  template <class... Operands>
  std::uint16_t operator()(Operands... operands) const {
    return f64_to_bf16(Elementary<function>::wide(bf16_to_f32(operands)...));
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
template <int count, class Chosen, class Run>
void with_function(Chosen function, Run&& run) {
  [&]<int... index>(std::integer_sequence<int, index...>) {
    ((static_cast<int>(function) == index ? run.template operator()<static_cast<Chosen>(index)>() : void()), ...);
  }(std::make_integer_sequence<int, count>());
}

template <int functions, class Chosen, class... Inputs>
void narrow(Chosen function, Format format, std::uint16_t* result, std::size_t count, const Inputs*... inputs) {
  with_function<functions>(function, [&]<Chosen f>() {
    if (format == Format::f16) dispatch<ElementaryF16<f>>(result, count, inputs...);
    else dispatch<ElementaryBf16<f>>(result, count, inputs...);
  });
}

}  // namespace

void elementary_f32(Function function, const float* x, float* result, std::size_t count) {
  with_function<function_count>(function, [&]<Function f>() { dispatch<Elementary<f>>(result, count, x); });
}
void elementary_f32(BinaryFunction function, const float* x, const float* y, float* result, std::size_t count) {
  with_function<binary_function_count>(function,
                                       [&]<BinaryFunction f>() { dispatch<Elementary<f>>(result, count, x, y); });
}
void elementary_16(Function function, Format format, const std::uint16_t* x, std::uint16_t* result,
                   std::size_t count) {
  narrow<function_count>(function, format, result, count, x);
}
void elementary_16(BinaryFunction function, Format format, const std::uint16_t* x, const std::uint16_t* y,
                   std::uint16_t* result, std::size_t count) {
  narrow<binary_function_count>(function, format, result, count, x, y);
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
