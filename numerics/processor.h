// What the processor that runs this program has, for those who choose between versions of a loop.
#pragma once

namespace reckon::numerics {

/// Vectors of four f64s, and products that are added with one rounding.
inline bool has_avx2_and_fma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace reckon::numerics
