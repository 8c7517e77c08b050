// Compiled by Reckon 0.1.0 for x86-64-v2, under the semantics float:
//
//   fn choose[n](first: bool, x: f16[n], y: f16[n]) -> f16[n]
//
// Size: n, a 64-bit integer.
//
// `choose` carries this out on the processor that calls it, in the stated order, and returns
//   0  if all results are written,
//   1  if the sizes cannot be used, and nothing was done. They can if:
//        0 <= n
//        and the bytes of every array fit in 63 bits;
//   2  if there is no memory for intermediate results, and nothing was done.
// Arrays are row-major where no layout is named. Results overlap nothing else. An array without
// elements may be a null pointer. Several threads may call the function at a time, and the rounding
// mode is to nearest.
//
//   first: bool, each 0 or 1
//   x: f16[n], as bit patterns
//   y: f16[n], as bit patterns
//   result: f16[n], as bit patterns
#ifndef RECKON_choose_H
#define RECKON_choose_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int choose(int64_t n, uint8_t first, const uint16_t *x, const uint16_t *y, uint16_t *result);

#ifdef __cplusplus
}
#endif
#endif
