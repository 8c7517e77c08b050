// `interval(mean_value)`: intervals with slopes (mean_value.h).
#pragma once

#include "semantics/interval/mean_value.h"
#include "semantics/interval/semantics.h"
#include "semantics/interval/wide_endpoints.h"

namespace reckon::interp {

/// A value has a slope for each input that it depends on, so the cost of a sum grows with the square of their number.
/// Therefore the elements of longer tensors are ranges without derivatives.
inline constexpr std::size_t max_variables = 256;

template <class Endpoints>
class MeanValueSemantics : public IntervalSemantics<WithEmpty<MeanValue<IntervalFunctions<Endpoints>, Endpoints>>> {
 public:
  using Forms = MeanValue<IntervalFunctions<Endpoints>, Endpoints>;
  using Algebra = WithEmpty<Forms>;
  using Base = IntervalSemantics<Algebra>;
  using Value = typename Algebra::Value;

  MeanValueSemantics(std::string name, std::int64_t pieces, const Endpoints& endpoints)
      : Base(std::move(name), pieces, Algebra(forms(endpoints))), algebra_(forms(endpoints)) {}

  /// Each element becomes a separate variable.
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

/// Each instance is compiled in its own source, because all of them take long.
template <class Endpoints>
std::unique_ptr<Semantics> mean_value_with(std::string name, std::int64_t pieces, const Endpoints& endpoints) {
  return std::make_unique<MeanValueSemantics<Endpoints>>(std::move(name), pieces, endpoints);
}
extern template std::unique_ptr<Semantics> mean_value_with(std::string name, std::int64_t pieces, const F32Endpoints&);
extern template std::unique_ptr<Semantics> mean_value_with(std::string name, std::int64_t pieces, const F64Endpoints&);
extern template std::unique_ptr<Semantics> mean_value_with(std::string name, std::int64_t pieces, const WideEndpoints&);

}  // namespace reckon::interp
