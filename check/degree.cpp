#include "check/degree.h"

#include <cmath>
#include <limits>

#include "interp/semantics/array_semantics.h"

namespace reckon::check {

namespace {

using namespace interp;

constexpr double unknown = std::numeric_limits<double>::infinity();

/// Of a numerator and a denominator; unknown, unknown: no rational function.
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

/// Every other operation gives no rational function.
class DegreeSemantics : public ArraySemantics<DegreeSemantics> {
 public:
  explicit DegreeSemantics(ir::Laws laws) : laws_(laws) {}
  std::string_view name() const override { return "degree"; }
  ir::Laws laws() const override { return laws_; }
  template <ir::Scalar>
  auto algebra() const {
    return Degrees{};
  }
  bool draws_values() const override { return true; }
  void draw(ir::Scalar, const Draw&, std::byte* out) const override { put(out, {1, 0}); }
  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar, std::byte* out) const override {
    using Kind = ir::Literal::Kind;
    if (literal.kind == Kind::boolean) *out = static_cast<std::byte>(literal.bits != 0);
    else if (literal.kind == Kind::infinity || literal.kind == Kind::not_a_number) return missing(ir::Op::add);
    else put(out, {});
    return std::nullopt;
  }
  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count, std::byte* out) const override {
    if (scalar == ir::Scalar::boolean) load_truths(bytes, count, out);
    else fill(count, out);
    return std::nullopt;
  }
  std::optional<Fault> from_index(ir::Scalar, const std::int64_t*, std::size_t count, std::byte* out) const override {
    fill(count, out);
    return std::nullopt;
  }
  Rendering render(ir::Scalar, const std::byte*) const override { return {}; }
  Truth equal(ir::Scalar, const std::byte*, const std::byte*) const override { return Truth::unknown; }
  std::optional<Enclosure> enclosure(ir::Scalar, const std::byte*) const override { return std::nullopt; }
  std::optional<std::uint64_t> bits(ir::Scalar, const std::byte*) const override { return std::nullopt; }

  static Degree get(const std::byte* value) {
    Degree out;
    std::memcpy(&out, value, sizeof(out));
    return out;
  }

 private:
  static void put(std::byte* out, Degree value) { std::memcpy(out, &value, sizeof(value)); }
  static void fill(std::size_t count, std::byte* out) {
    for (std::size_t i = 0; i < count; ++i) put(out + i * sizeof(Degree), {});
  }
  ir::Laws laws_;
};

}  // namespace

std::optional<double> degree_of_difference(ir::Module& module, const ir::Function& left, const ir::Function& right,
                                           const std::vector<interp::Argument>& arguments, const ir::Dimensions& sizes,
                                           ir::Laws laws, const interp::EvaluateOptions& options) {
  DegreeSemantics semantics(laws);
  const auto a = interp::evaluate(module, left, semantics, arguments, sizes, options);
  const auto b = interp::evaluate(module, right, semantics, arguments, {}, options);
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  double most = 0;
  for (std::size_t part = 0; part < a->size(); ++part) {
    const Values &x = (*a)[part], &y = (*b)[part];
    if (x.count() != y.count() || x.scalar() == ir::Scalar::boolean) return std::nullopt;
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
  // A constant difference that is not 0 is seen at once.
  const double each = degree < 1 ? 60 : std::log2(residues / degree);
  const std::int64_t count = given.value_or(static_cast<std::int64_t>(std::ceil(60 / each)));
  return Trials{count, static_cast<std::int64_t>(std::floor(each * static_cast<double>(count) + 1e-9))};
}

}  // namespace reckon::check
