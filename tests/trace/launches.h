// Arguments of launches of kernels of PTX.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "api/reckon/ptx.h"

namespace reckon::test {

/// Normal numbers of f32 or f64.
inline Tensor numbers(std::vector<std::int64_t> shape, unsigned seed, const std::string& type = "f32") {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  Tensor out{type, std::move(shape), {}};
  for (std::int64_t k = 0; k < count; ++k) {
    const double wide = normal(random);
    const auto narrow = static_cast<float>(wide);
    const auto* bytes =
        type == "f64" ? reinterpret_cast<const std::uint8_t*>(&wide) : reinterpret_cast<const std::uint8_t*>(&narrow);
    out.bytes.insert(out.bytes.end(), bytes, bytes + (type == "f64" ? 8 : 4));
  }
  return out;
}

inline Tensor room(std::vector<std::int64_t> shape, const std::string& type = "f32") {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  const std::size_t bytes = type == "f64" ? 8 : type == "f16" || type == "bf16" ? 2 : 4;
  return {type, std::move(shape), std::vector<std::uint8_t>(static_cast<std::size_t>(count) * bytes)};
}

/// A kernel that takes the lesser of two numbers by comparing them, in its line 8.
inline constexpr const char* comparing_kernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .f32 %f<4>; .reg .b64 %rd<3>; .reg .pred %p;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];
  setp.lt.f32 %p, %f1, %f2;
  selp.f32 %f3, %f1, %f2, %p;
  st.global.f32 [%rd2], %f3;
  ret;
}
)";

inline PtxArgument given(Tensor tensor) { return {"", std::move(tensor), false}; }
inline PtxArgument unwritten(Tensor tensor) { return {"", std::move(tensor), true}; }
inline PtxArgument number(const std::string& text) { return {text, std::nullopt, false}; }

}  // namespace reckon::test
