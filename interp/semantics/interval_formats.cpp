#include "interp/semantics/interval_formats.h"

#include "interp/semantics/interval_kernels.h"
#include "interp/semantics/interval_semantics.h"
#include "interp/semantics/interval_wide_endpoints.h"

namespace reckon::interp {

std::unique_ptr<Semantics> make_interval_f32(std::string name, std::int64_t pieces) {
  return std::make_unique<IntervalSemantics<F32Intervals>>(std::move(name), pieces, F32Intervals{});
}

std::unique_ptr<Semantics> make_interval_wide(std::string name, std::int64_t pieces, std::int64_t bits) {
  using Functions = IntervalFunctions<WideEndpoints>;
  using Algebra = WithEmpty<Functions>;
  return std::make_unique<IntervalSemantics<Algebra>>(
      std::move(name), pieces, Algebra(Functions(WideEndpoints(static_cast<mpfr_prec_t>(bits)))));
}

}  // namespace reckon::interp
