#include "interp/semantics/interval_formats.h"

#include "interp/semantics/interval_kernels.h"
#include "interp/semantics/interval_semantics.h"
#include "interp/semantics/interval_wide_ends.h"

namespace reckon::interp {

std::unique_ptr<Semantics> make_interval_f32() {
  return std::make_unique<IntervalSemantics<F32Intervals>>("interval(f32)", F32Intervals{});
}

std::unique_ptr<Semantics> make_interval_wide(std::int64_t bits) {
  using Algebra = IntervalFunctions<WideEnds>;
  return std::make_unique<IntervalSemantics<Algebra>>("interval(" + std::to_string(bits) + ")",
                                                      Algebra{{WideEnds{static_cast<mpfr_prec_t>(bits)}}});
}

}  // namespace reckon::interp
