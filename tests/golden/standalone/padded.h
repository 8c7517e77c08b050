// Compiled by Reckon 0.1.0 for x86-64-v2, under the semantics float:
//
//   fn padded(a: f32[4, 6] @ [4, 6]:[1, 5]) -> f32[6, 4] @ [6, 4]:[1, 8]
//
// `padded` carries this out on the processor that calls it, in the stated order, and returns
//   0  if all results are written,
//   1  if the sizes cannot be used, and nothing was done. They can if:
//        and the bytes of every array fit in 63 bits;
//   2  if there is no memory for intermediate results, and nothing was done.
// Arrays are row-major where no layout is named. Results overlap nothing else. An array without
// elements may be a null pointer. Several threads may call the function at a time, and the rounding
// mode is to nearest.
//
//   a: f32[4, 6], stored by the layout [4, 6]:[1, 5], 29 elements
//   result: f32[6, 4], stored by the layout [6, 4]:[1, 8], 30 elements
#ifndef RECKON_padded_H
#define RECKON_padded_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int padded(const float *a, float *result);

#ifdef __cplusplus
}
#endif
#endif
