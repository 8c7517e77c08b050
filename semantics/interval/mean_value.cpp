#include "semantics/interval/formats.h"
#include "semantics/interval/mean_value_semantics.h"

namespace reckon::interp {

std::unique_ptr<Semantics> make_interval_mean_value(std::string name, std::int64_t pieces, const std::string& format,
                                                    std::int64_t bits) {
  if (format == "f32") return mean_value_with(std::move(name), pieces, F32Endpoints{});
  if (format == "f64") return mean_value_with(std::move(name), pieces, F64Endpoints{});
  return mean_value_with(std::move(name), pieces, WideEndpoints(static_cast<mpfr_prec_t>(bits)));
}

}  // namespace reckon::interp
