// exact: rationals. Everything that maps rationals to rationals is done without error; what leaves them (sqrt, exp, pi)
// is refused. A float format adds nothing: literals keep their rational value, conversions are identities.
// There is one zero: -0 is 0, and copysign takes it as positive.
#include <new>

#include "interp/semantics/array_semantics.h"
#include "interp/semantics/registry.h"

namespace reckon::interp {

namespace {

constexpr FaultText by_zero{Code::undefined_result, "division by zero has no value under `exact`",
                            "keep the divisor from being 0; under `interval` the quotient is unbounded"};
constexpr FaultText remainder_by_zero{Code::undefined_result, "the remainder by zero has no value under `exact`",
                                      "keep the divisor from being 0"};

struct Rationals {
  using Value = mpq_class;
  using V = mpq_class;

  static V add(const V& a, const V& b) { return a + b; }
  static V sub(const V& a, const V& b) { return a - b; }
  static V mul(const V& a, const V& b) { return a * b; }
  static const FaultText* div(V& out, const V& a, const V& b) {
    if (sgn(b) == 0) return &by_zero;
    out = a / b;
    return nullptr;
  }
  static const FaultText* rem(V& out, const V& a, const V& b) {
    if (sgn(b) == 0) return &remainder_by_zero;
    const V quotient = trunc(a / b);
    out = a - quotient * b;
    return nullptr;
  }
  static V neg(const V& a) { return -a; }
  static V abs(const V& a) { return ::abs(a); }
  static V fma(const V& a, const V& b, const V& c) { return a * b + c; }
  static V min(const V& a, const V& b) { return b < a ? b : a; }
  static V max(const V& a, const V& b) { return a < b ? b : a; }
  static V sign(const V& a) { return sgn(a); }
  static V copysign(const V& a, const V& b) { return sgn(b) < 0 ? V(-::abs(a)) : V(::abs(a)); }

  static V floor(const V& a) {
    mpz_class q;
    mpz_fdiv_q(q.get_mpz_t(), a.get_num_mpz_t(), a.get_den_mpz_t());
    return q;
  }
  static V ceil(const V& a) {
    mpz_class q;
    mpz_cdiv_q(q.get_mpz_t(), a.get_num_mpz_t(), a.get_den_mpz_t());
    return q;
  }
  static V trunc(const V& a) { return sgn(a) < 0 ? ceil(a) : floor(a); }
  static V round(const V& a) {
    const V below = floor(a);
    const V twice = 2 * (a - below);  // against 1: nearer to which side, or a tie
    if (twice < 1 || (twice == 1 && mpz_even_p(below.get_num_mpz_t()))) return below;
    return below + 1;
  }

  static bool less(const V& a, const V& b) { return a < b; }
  static bool less_equal(const V& a, const V& b) { return a <= b; }
  static bool equal(const V& a, const V& b) { return a == b; }
  static bool not_equal(const V& a, const V& b) { return a != b; }

  static V convert(Rationals, const V& value) { return value; }
};

class ExactSemantics : public ArraySemantics<ExactSemantics> {
 public:
  std::string_view name() const override { return "exact"; }

  ir::Laws laws() const override {
    using enum ir::Law;
    return {add_commutes,       mul_commutes, add_associates, mul_associates,  mul_distributes, add_zero,
            sub_zero,           mul_one,      div_one,        double_negation, sub_self,        mul_zero,
            min_max_idempotent, select_same,  literals_exact, sums_exactly, min_max_any_order};
  }

  template <ir::Scalar>
  auto algebra() const {
    return Rationals{};
  }

  bool trivial() const override { return false; }
  void construct(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (scalar == ir::Scalar::boolean) return;
    for (std::size_t i = 0; i < count; ++i) new (data + i * sizeof(mpq_class)) mpq_class();
  }
  void destroy(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (scalar == ir::Scalar::boolean) return;
    for (std::size_t i = 0; i < count; ++i) at(data, i).~mpq_class();
  }
  void gather(ir::Scalar scalar, const std::byte* in, const std::int64_t* index, std::byte* out,
              std::size_t count) const override {
    if (scalar == ir::Scalar::boolean) return Semantics::gather(scalar, in, index, out, count);
    for (std::size_t i = 0; i < count; ++i) at(out, i) = at(in, static_cast<std::size_t>(index[i]));
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    using Kind = ir::Literal::Kind;
    switch (literal.kind) {
      case Kind::boolean: *out = static_cast<std::byte>(literal.bits != 0); return std::nullopt;
      case Kind::rational: at(out, 0) = literal.value; return std::nullopt;
      case Kind::bits: return from_pattern(literal.bits, scalar, out);
      case Kind::infinity:
        return Fault{Code::undefined_result, "`inf` is no real number, so it has no value under `exact`", ""};
      case Kind::not_a_number:
        return Fault{Code::undefined_result, "`nan` is no real number, so it has no value under `exact`", ""};
      case Kind::real: break;
    }
    if (literal.constant == ir::RealConstant::one || literal.value == 0) {
      at(out, 0) = literal.value;
      return std::nullopt;
    }
    return Fault{Code::unsupported_operation, "an irrational constant has no value under `exact`", irrational};
  }

  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (scalar == ir::Scalar::boolean) {
      load_truths(bytes, count, out);
      return std::nullopt;
    }
    if (scalar == ir::Scalar::number) return Fault{Code::bad_argument, "a `number` has no bit pattern", ""};
    const auto width = static_cast<std::size_t>(ir::byte_width(scalar));
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t pattern = 0;
      std::memcpy(&pattern, bytes + i * width, width);
      if (auto fault = from_pattern(pattern, scalar, out + i * sizeof(mpq_class))) return fault;
    }
    return std::nullopt;
  }

  std::optional<Fault> from_index(ir::Scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    for (std::size_t i = 0; i < count; ++i) at(out, i) = mpq_class(static_cast<long>(values[i]));
    return std::nullopt;
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return render_truth(value);
    std::string text = numerics::rational_text(at(value, 0));
    return {text, {{"value", text}}};
  }

  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) return equal_truths(a, b);
    return at(a, 0) == at(b, 0) ? Truth::yes : Truth::no;
  }

  std::optional<Enclosure> enclosure(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return std::nullopt;
    return Enclosure{at(value, 0), at(value, 0)};
  }

  /// Only a rational that the format holds has bits; 0 has those of +0.
  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return static_cast<std::uint64_t>(*value);
    if (!ir::is_float(scalar)) return std::nullopt;
    const std::uint64_t pattern = numerics::round_rational(at(value, 0), ir::format_of(scalar));
    const auto back = numerics::exact_value(pattern, ir::format_of(scalar));
    if (!back || *back != at(value, 0)) return std::nullopt;
    return pattern;
  }

 protected:
  std::string help_for(ir::Op) const override { return irrational; }

 private:
  static constexpr const char* irrational = "exact irrational numbers arrive with a later version; use `interval`";

  static mpq_class& at(std::byte* data, std::size_t i) {
    return *reinterpret_cast<mpq_class*>(data + i * sizeof(mpq_class));
  }
  static const mpq_class& at(const std::byte* data, std::size_t i) {
    return *reinterpret_cast<const mpq_class*>(data + i * sizeof(mpq_class));
  }
  static std::optional<Fault> from_pattern(std::uint64_t pattern, ir::Scalar scalar, std::byte* out) {
    const auto value = numerics::exact_value(pattern, ir::format_of(scalar));
    if (!value) {
      return Fault{Code::undefined_result,
                   "the " + std::string(ir::scalar_name(scalar)) + " value " +
                       numerics::shortest_decimal(pattern, ir::format_of(scalar)) +
                       " is no real number, so it has no value under `exact`",
                   ""};
    }
    at(out, 0) = *value;
    return std::nullopt;
  }
};

}  // namespace

Expected<std::unique_ptr<Semantics>> make_exact(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  if (!arguments.empty()) return no_arguments("exact", arguments[0], place);
  return std::unique_ptr<Semantics>(std::make_unique<ExactSemantics>());
}

}  // namespace reckon::interp
