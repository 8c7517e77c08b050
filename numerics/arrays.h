// Loops over whole arrays of the operations that are slow one at a time without the machine's fma instruction.
// The library is built for the x86-64 baseline; these functions look at the processor and take a version that
// uses AVX2 and FMA where it has them. The bits are the same either way: fma is one rounding in both.
// `count` elements each; an output may be one of the inputs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/elementary.h"

namespace reckon::numerics {

/// Correctly rounded (functions/functions.h); 16-bit patterns are of `format`, f16 or bf16.
/// f of each element, correctly rounded (functions/functions.h), in every format but f64. Word is float for f32, and the
/// type of a pattern (native.h) for the narrower formats.
template <class Word>
void elementary_array(Function function, Format format, const Word* x, Word* result, std::size_t count);
template <class Word>
void elementary_array(BinaryFunction function, Format format, const Word* x, const Word* y, Word* result,
                      std::size_t count);

/// a b + c with one rounding. Word is double for f64 as well.
template <class Word>
void fma_array(Format format, const Word* a, const Word* b, const Word* c, Word* result, std::size_t count);

}  // namespace reckon::numerics
