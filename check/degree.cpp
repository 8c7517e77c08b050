#include "check/degree.h"

#include <cmath>
#include <limits>

#include "check/trace.h"

namespace reckon::check {

namespace {

using namespace interp;

constexpr double unknown = std::numeric_limits<double>::infinity();

/// The degrees of a numerator and a denominator; both unknown: the value is not a rational function.
struct Degree {
  double top = 0, bottom = 0;
};
constexpr Degree no_degree{unknown, unknown};

struct Degrees {
  using Value = Degree;
  using V = Degree;
  static V add(const V& a, const V& b) {
    return {std::max(a.top + b.bottom, b.top + a.bottom), a.bottom + b.bottom};
  }
  static V sub(const V& a, const V& b) { return add(a, b); }
  static V mul(const V& a, const V& b) { return {a.top + b.top, a.bottom + b.bottom}; }
  static V div(const V& a, const V& b) { return {a.top + b.bottom, a.bottom + b.top}; }
  static V neg(const V& a) { return a; }
  static V fma(const V& a, const V& b, const V& c) { return add(mul(a, b), c); }
  static V convert(const Degrees&, const V& a) { return a; }
  static V hull(const V&, const V&) { return no_degree; }
  static Truth less(const V&, const V&) { return Truth::unknown; }
  static Truth less_equal(const V&, const V&) { return Truth::unknown; }
  static Truth equal(const V&, const V&) { return Truth::unknown; }
  static Truth not_equal(const V&, const V&) { return Truth::unknown; }
};

/// An operation that Degrees does not define gives a value that is not a rational function.
class DegreeSemantics : public TraceSemantics<DegreeSemantics, Degrees> {
 public:
  using TraceSemantics::TraceSemantics;
  std::string_view name() const override { return "degree"; }
  void draw(ir::Scalar, const Draw&, std::byte* out) const override { put(out, {1, 0}); }
  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    using Kind = ir::Literal::Kind;
    if (literal.kind == Kind::infinity || literal.kind == Kind::not_a_number) return missing(ir::Op::add);
    return TraceSemantics::literal(literal, scalar, out);
  }

  static Degree get(const std::byte* value) {
    Degree out;
    std::memcpy(&out, value, sizeof(out));
    return out;
  }
};

}  // namespace

std::optional<double> degree_of_difference(ir::Module& module, const ir::Function& left, const ir::Function& right,
                                           const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                                           ir::Laws laws, const interp::EvaluateOptions& options) {
  // Integers and truth values are no random elements of the ring.
  const bool others = std::ranges::any_of(left.parameters, [&](const ir::Parameter& parameter) {
    return !ir::is_float(module.types()[parameter.type].scalar);
  });
  if (others) return std::nullopt;
  DegreeSemantics semantics(laws);
  const auto a = interp::evaluate(module, left, semantics, arguments, sizes, options);
  const auto b = interp::evaluate(module, right, semantics, arguments, {}, options);
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  double most = 0;
  for (std::size_t part = 0; part < a->size(); ++part) {
    const Values &x = (*a)[part], &y = (*b)[part];
    if (x.count() != y.count() || x.scalar() == ir::Scalar::boolean) return std::nullopt;
    // An integer that does not depend on a comparison is the same for all inputs: its degree is 0.
    if (ir::is_integer(x.scalar())) continue;
    for (std::int64_t i = 0; i < x.count(); ++i) {
      const Degree difference = Degrees::sub(DegreeSemantics::get(x.at(i)), DegreeSemantics::get(y.at(i)));
      most = std::max(most, difference.top + difference.bottom);
    }
  }
  if (!(most < unknown)) return std::nullopt;
  return most;
}

std::optional<Trials> trials_for(double degree, double residues, std::optional<std::int64_t> given) {
  if (2 * degree >= residues) return std::nullopt;
  // A constant difference that is not 0 shows in the first trial.
  const double each = degree < 1 ? 60 : std::log2(residues / degree);
  const std::int64_t count = given.value_or(static_cast<std::int64_t>(std::ceil(60 / each)));
  return Trials{count, static_cast<std::int64_t>(std::floor(each * static_cast<double>(count) + 1e-9))};
}

}  // namespace reckon::check
