#include "semantics/interval/mean_value.h"

#include "semantics/interval/formats.h"
#include "semantics/interval/semantics.h"
#include "semantics/interval/wide_endpoints.h"

namespace reckon::interp {
namespace {

/// A value has a slope for each input that it depends on, so the cost of a sum grows with the square of their number. The
/// elements of longer tensors are ranges without derivatives.
constexpr std::size_t max_variables = 256;

template <class Endpoints>
class MeanValueSemantics : public IntervalSemantics<WithEmpty<MeanValue<IntervalFunctions<Endpoints>, Endpoints>>> {
 public:
  using Forms = MeanValue<IntervalFunctions<Endpoints>, Endpoints>;
  using Algebra = WithEmpty<Forms>;
  using Base = IntervalSemantics<Algebra>;
  using Value = typename Algebra::Value;

  MeanValueSemantics(std::string name, std::int64_t pieces, const Endpoints& endpoints)
      : Base(std::move(name), pieces, Algebra(forms(endpoints))), algebra_(forms(endpoints)) {}

  /// Each element is a variable of its own.
  std::optional<Fault> ranges(ir::Scalar, const mpq_class& low, const mpq_class& high, std::size_t count,
                              std::byte* out) const override {
    const IntervalOf<typename Endpoints::End> range{algebra_.endpoints.rational(Toward::below, low),
                                                    algebra_.endpoints.rational(Toward::above, high)};
    auto* values = reinterpret_cast<Value*>(out);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = count > max_variables ? Value(range) : algebra_.variable(range, variables_++);
    }
    return std::nullopt;
  }

 private:
  static Forms forms(const Endpoints& endpoints) { return {{endpoints, IntervalFunctions<Endpoints>(endpoints)}}; }

  Algebra algebra_;
  mutable std::uint64_t variables_ = 0;
};

}  // namespace

std::unique_ptr<Semantics> make_interval_mean_value(std::string name, std::int64_t pieces, const std::string& format,
                                                    std::int64_t bits) {
  if (format == "f32")
    return std::make_unique<MeanValueSemantics<F32Endpoints>>(std::move(name), pieces, F32Endpoints{});
  if (format == "f64")
    return std::make_unique<MeanValueSemantics<F64Endpoints>>(std::move(name), pieces, F64Endpoints{});
  return std::make_unique<MeanValueSemantics<WideEndpoints>>(std::move(name), pieces,
                                                             WideEndpoints(static_cast<mpfr_prec_t>(bits)));
}

}  // namespace reckon::interp
