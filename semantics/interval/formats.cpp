#include "semantics/interval/formats.h"

#include "semantics/interval/kernels.h"
#include "semantics/interval/semantics.h"
#include "semantics/interval/wide_endpoints.h"

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
