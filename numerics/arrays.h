// Loops over whole arrays of the operations that are slow one at a time without the machine's fma instruction.
// The library is built for the x86-64 baseline. These functions examine the processor and take a version that uses
// AVX2 and FMA if it has them. The bits are the same either way, because fma is one rounding in both.
// Every array has `count` elements; an output may be one of the inputs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/elementary.h"

namespace reckon::numerics {

/// Computes f of each element, correctly rounded (functions/functions.h), in every format but f64. Word is float for
/// f32; for the narrower formats it is the type of a pattern (native.h), which may belong to several formats,
/// so `format` says which one.
template <class Word>
void elementary_array(Function function, Format format, const Word* x, Word* result, std::size_t count);
template <class Word>
void elementary_array(BinaryFunction function, Format format, const Word* x, const Word* y, Word* result,
                      std::size_t count);

/// a b + c with one rounding; here the format may also be f64, whose Word is double.
template <class Word>
void fma_array(Format format, const Word* a, const Word* b, const Word* c, Word* result, std::size_t count);

}  // namespace reckon::numerics
