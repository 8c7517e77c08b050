#include "frontend/foreign_names.h"

#include <algorithm>
#include <iterator>

namespace reckon::frontend {

namespace {

struct Foreign {
  std::string_view name, help;
};

constexpr std::string_view size = "the size of a parameter `x: f32[n]` is `n`, and `f32(n)` is it as a number";
constexpr std::string_view mean = "a mean is `(sum i: x[i]) / f32(n)` where `x: f32[n]` is a parameter; of three numbers, `(sum i: x[i]) / 3`";
constexpr std::string_view conversion = "a conversion is named after its format: `f32(x)`, `f64(x)`, `u32(x)`";
constexpr std::string_view threads =
    "a program names no threads: schedules do, `sum i: x[i] by lanes(32, tree) @warp`";
constexpr std::string_view literal_tensor = "a tensor of equal elements is `for i < n: 0`";

constexpr Foreign names[] = {
    {"True", "write `true`"},
    {"False", "write `false`"},
    {"None", "there is no such value; `nan` and `inf` are numbers"},
    {"null", "there is no such value; `nan` and `inf` are numbers"},
    {"NULL", "there is no such value; `nan` and `inf` are numbers"},
    {"len", size},
    {"size", size},
    {"shape", size},
    {"float", conversion},
    {"float32", conversion},
    {"double", conversion},
    {"int", conversion},
    {"half", conversion},
    {"dot", "a dot product is `sum i: x[i] * y[i]`"},
    {"matmul", "a matrix product is `for i, j: sum k: a[i, k] * b[k, j]`"},
    {"gemm", "a matrix product is `for i, j: sum k: a[i, k] * b[k, j]`"},
    {"mm", "a matrix product is `for i, j: sum k: a[i, k] * b[k, j]`"},
    {"mean", mean},
    {"average", mean},
    {"norm", "a norm is `sqrt(sum i: x[i] * x[i])`"},
    {"transpose", "a transposed matrix is `for j, i: x[i, j]`"},
    {"relu", "`max(x, 0)` does this"},
    {"softplus", "`log1p(exp(x))` does this"},
    {"softmax", "with `let m = max i: x[i]` and `let e = for i: exp(x[i] - m)`, it is `for i: e[i] / (sum j: e[j])`"},
    {"argmax", "`argmax` is a reduction of pairs by a function that keeps the larger: `reduce(f) i: (x[i], f32(i))`"},
    {"argmin", "`argmin` is a reduction of pairs by a function that keeps the smaller: `reduce(f) i: (x[i], f32(i))`"},
    {"cumsum", "the prefixes of a sum are `scan(add) i: x[i]`"},
    {"range",
     "an index takes the range of what it subscripts, `for i: x[i]`; `for i < n: ...` states it; the values of a "
     "static "
     "name are `0..2`, as in `for k in 0..2: show k`"},
    {"isNaN", "the function is `isnan(x)`"},
    {"isFinite", "the function is `isfinite(x)`"},
    {"isInf", "the function is `isinf(x)`"},
    {"print", "a value is printed by `show`: `show f(2)`"},
    {"map", "functions apply to tensors element by element: `exp(x)`, or `for i: exp(x[i])`"},
    {"fold", "the index stands behind the parentheses: `fold(f, start) i: x[i]`"},
    {"zip", "two tensors are read by one index: `for i: x[i] + y[i]`"},
    {"enumerate", "the index itself is a number by a conversion: `for i: f32(i) * x[i]`"},
    {"where", "a choice by a condition is `select(c, a, b)`"},
    {"zeros", literal_tensor},
    {"ones", literal_tensor},
    {"full", literal_tensor},
    {"arange", "the integers from 0 on are `for i < n: f32(i)`"},
    {"maximum", "the larger of two numbers is `max(x, y)`"},
    {"minimum", "the smaller of two numbers is `min(x, y)`"},
    {"fmaxf", "`maxnum(x, y)` does this, and `max(x, y)` gives NaN for a NaN"},
    {"fminf", "`minnum(x, y)` does this, and `min(x, y)` gives NaN for a NaN"},
    {"fmax", "`maxnum(x, y)` does this, and `max(x, y)` gives NaN for a NaN"},
    {"fmin", "`minnum(x, y)` does this, and `min(x, y)` gives NaN for a NaN"},
    {"fabs", "the absolute value is `abs(x)`"},
    {"fabsf", "the absolute value is `abs(x)`"},
    {"fmod", "the remainder is `x % y`"},
    {"fmodf", "the remainder is `x % y`"},
    {"mod", "the remainder is `x % y`"},
    {"power", "a power is `pow(x, y)`"},
    {"square", "a square is `x * x`"},
    {"reciprocal", "a reciprocal is `1 / x`"},
    {"clip", "a number is kept in a range by `clamp(x, low, high)`"},
    {"ln", "the natural logarithm is `log(x)`"},
    {"lg", "logarithms are `log(x)`, `log2(x)` and `log10(x)`"},
    {"tgamma", "the Gamma function is `gamma(x)`"},
    {"gammaln", "the logarithm of the Gamma function's size is `lgamma(x)`"},
    {"arcsin", "the function is `asin(x)`"},
    {"arccos", "the function is `acos(x)`"},
    {"arctan", "the function is `atan(x)`"},
    {"arctan2", "the function is `atan2(y, x)`"},
    {"arcsinh", "the function is `asinh(x)`"},
    {"arccosh", "the function is `acosh(x)`"},
    {"arctanh", "the function is `atanh(x)`"},
    {"cdiv", "a quotient of sizes that is rounded up is `(n + 63) // 64`"},
    {"ceil_div", "a quotient of sizes that is rounded up is `(n + 63) // 64`"},
    {"threadIdx", threads},
    {"blockIdx", threads},
    {"program_id", threads},
    {"pairwise", "the order that adds neighbours in pairs is `tree`; NumPy's is `numpy`, after `import \"schedules\"`"},
    {"warp", "a stage is pinned to a level of the machine by `@`: `lanes(32, tree) @warp`"},
    {"block", "a stage is pinned to a level of the machine by `@`: `lanes(128, tree) @block`"},
};

constexpr std::string_view tensor = "a tensor is a format with its sizes: `f32[n]`, `f32[m, n]`";

constexpr Foreign types[] = {
    {"float", "write `f32`"},
    {"float32", "write `f32`"},
    {"fp32", "write `f32`"},
    {"single", "write `f32`"},
    {"double", "write `f64`"},
    {"float64", "write `f64`"},
    {"fp64", "write `f64`"},
    {"half", "write `f16`"},
    {"float16", "write `f16`"},
    {"fp16", "write `f16`"},
    {"__half", "write `f16`"},
    {"bfloat16", "write `bf16`"},
    {"__nv_bfloat16", "write `bf16`"},
    {"float8_e4m3fn", "write `f8e4m3`"},
    {"float8_e5m2", "write `f8e5m2`"},
    {"float6_e3m2fn", "write `f6e3m2`"},
    {"float6_e2m3fn", "write `f6e2m3`"},
    {"fp6", "write `f6e3m2` or `f6e2m3`"},
    {"f6", "write `f6e3m2` or `f6e2m3`"},
    {"float4_e2m1fn", "write `f4e2m1`"},
    {"fp4", "write `f4e2m1`"},
    {"f4", "write `f4e2m1`"},
    {"fp8", "write `f8e4m3` or `f8e5m2`"},
    {"f8", "write `f8e4m3` or `f8e5m2`"},
    {"int", "write `i32`"},
    {"int8", "write `i8`"},
    {"int16", "write `i16`"},
    {"int32", "write `i32`"},
    {"int64", "write `i64`"},
    {"int8_t", "write `i8`"},
    {"int16_t", "write `i16`"},
    {"int32_t", "write `i32`"},
    {"int64_t", "write `i64`"},
    {"char", "write `i8` or `u8`"},
    {"byte", "write `u8`"},
    {"short", "write `i16`"},
    {"long", "write `i64`"},
    {"size_t", "write `u64`"},
    {"uint", "write `u32`"},
    {"uint8", "write `u8`"},
    {"uint16", "write `u16`"},
    {"uint32", "write `u32`"},
    {"uint64", "write `u64`"},
    {"uint8_t", "write `u8`"},
    {"uint16_t", "write `u16`"},
    {"uint32_t", "write `u32`"},
    {"uint64_t", "write `u64`"},
    {"unsigned", "write `u32`"},
    {"boolean", "write `bool`"},
    {"Tensor", tensor},
    {"tensor", tensor},
    {"array", tensor},
    {"ndarray", tensor},
    {"vector", tensor},
    {"list", tensor},
};

template <std::size_t n>
std::string_view help_for(std::string_view name, const Foreign (&rows)[n]) {
  const auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Foreign& each) { return each.name == name; });
  return row == std::end(rows) ? std::string_view() : row->help;
}

}  // namespace

std::string_view foreign_name_help(std::string_view name) {
  if (const std::string_view help = help_for(name, names); !help.empty()) return help;
  // The usual names of indices.
  if (name == "i" || name == "j" || name == "k") return "an index is bound by `for i: x[i]` or `sum i: x[i]`";
  return {};
}

std::string_view foreign_type_help(std::string_view name) { return help_for(name, types); }

}  // namespace reckon::frontend
