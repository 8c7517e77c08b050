// Compiled by Reckon 0.1.0 for x86-64-v2, under the semantics float:
//
//   fn mean_and_largest[m, n](x: f32[m, n]) -> (f32[m], f32[m], f32)
//
// The order of each reduction:
//   reduction by add of n leaves, line 9: lanes(128, tree) then tree
//   reduction by max of n leaves, line 10: lanes(128, tree) then tree
//   reduction by add of m leaves, line 11: seq
//
// Sizes: m, n, each a 64-bit integer.
//
// `mean_and_largest` carries this out on the processor that calls it, in the stated order, and returns
//   0  if all results are written,
//   1  if the sizes cannot be used, and nothing was done. They can if:
//        1 <= n
//        1 <= m
//        and the bytes of every array fit in 63 bits;
//   2  if there is no memory for intermediate results, and nothing was done.
// Arrays are row-major where no layout is named. Results overlap nothing else. An array without
// elements may be a null pointer. Several threads may call the function at a time, and the rounding
// mode is to nearest.
//
//   x: f32[m, n]
//   result_0: f32[m]
//   result_1: f32[m]
//   result_2: f32
#ifndef RECKON_mean_and_largest_H
#define RECKON_mean_and_largest_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int mean_and_largest(int64_t m, int64_t n, const float *x, float *result_0, float *result_1, float *result_2);

#ifdef __cplusplus
}
#endif
#endif
