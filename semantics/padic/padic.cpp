// padic: an element of a ring in which rational constants, division, exp, log and roots keep their meaning
// (docs/algebra.md, numerics/padic/). A float format has no effect: literals keep their rational value, a given float
// is the rational that it represents, and conversions are identities.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/undefined_result.h"
#include "interp/algebra/array_semantics.h"
#include "numerics/format.h"
#include "numerics/padic/padic.h"
#include "semantics/padic/compiled.h"
#include "semantics/registry.h"

namespace reckon::interp {

namespace {

namespace padic = numerics::padic;

struct PadicRing {
  using Value = padic::Value;
  using V = Value;

#define RECKON_RING_NAMED(name, arity, Rule, function) \
  template <class... X>                                \
  requires(sizeof...(X) == arity) static V name(const X&... x) { return padic::function(x...); }
#define RECKON_RING(name, arity, Rule) RECKON_RING_NAMED(name, arity, Rule, name)
#include "numerics/padic/operations.def"

  /// 2^k is an element of the ring only for a known k.
  static const FaultText* ldexp(V& out, const V& a, const V& k) {
    static constexpr FaultText unknown{code::undefined_result,
                                       "`ldexp` has no value under `padic` where its exponent is no known integer",
                                       "an exponent that is a constant has"};
    const auto known = padic::to_rational(k);
    if (!known || known->get_den() != 1 || ::abs(*known) > 4096) return &unknown;
    const long power = known->get_num().get_si();
    const mpz_class two = mpz_class(1) << static_cast<unsigned long>(std::abs(power));
    out = padic::mul(a, padic::from_rational(power < 0 ? mpq_class(1, two) : mpq_class(two)));
    return nullptr;
  }

  static Truth order(const V& a, const V& b, auto holds) {
    const auto known = padic::compare(a, b);
    return !known ? Truth::unknown : holds(*known) ? Truth::yes : Truth::no;
  }
  static Truth less(const V& a, const V& b) { return order(a, b, [](int c) { return c < 0; }); }
  static Truth less_equal(const V& a, const V& b) { return order(a, b, [](int c) { return c <= 0; }); }
  static Truth equal(const V& a, const V& b) { return order(a, b, [](int c) { return c == 0; }); }
  static Truth not_equal(const V& a, const V& b) { return order(a, b, [](int c) { return c != 0; }); }
  /// If a condition is not known, the selected number is not known either.
  static V hull(const V&, const V&) { return padic::undefined(padic::Cause::order); }

  static V convert(const PadicRing&, const V& value) { return value; }
};

class PadicSemantics : public ArraySemantics<PadicSemantics> {
 public:
  std::string_view name() const override { return "padic"; }
  std::unique_ptr<Semantics> another() const override { return std::make_unique<PadicSemantics>(); }

  /// An undefined side is not a counterexample to a law; it is ignored. Compiled code must have the same undefined
  /// results as the evaluator, so it may use none of these laws.
  driver::Traits traits() const override {
    using enum ir::Law;
    return {.laws = {add_commutes, mul_commutes, add_associates, mul_associates, mul_distributes, add_zero, sub_zero,
                     mul_one, div_one, double_negation, sub_self, mul_zero, min_max_idempotent, select_same,
                     literals_exact, conversions_exact, sums_exactly, min_max_commute, min_max_any_order},
            .compiled_laws = {},
            .compiled = &codegen::padic_code(),
            .ring = true,
            .draws_values = true};
  }

  template <ir::Scalar S>
  auto algebra() const {
    return PadicRing{};
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_literal(scalar, literal, out), std::nullopt;
    using Kind = ir::Literal::Kind;
    switch (literal.kind) {
      case Kind::boolean: *out = static_cast<std::byte>(literal.bits != 0); return std::nullopt;
      case Kind::rational: at(out, 0) = padic::from_rational(literal.value); return std::nullopt;
      case Kind::bits: return from_pattern(literal.bits, scalar, at(out, 0));
      case Kind::infinity:
        if (!literal.negative) return no_number("inf");
        at(out, 0) = padic::minus_infinity();
        return std::nullopt;
      case Kind::not_a_number: return no_number("nan");
      case Kind::real: break;
    }
    padic::Value constant = padic::from_integer(1);
    switch (literal.constant) {
      case ir::RealConstant::pi: constant = padic::constant_pi(); break;
      case ir::RealConstant::e: constant = padic::constant_e(); break;
      case ir::RealConstant::ln2: constant = padic::constant_ln2(); break;
      case ir::RealConstant::log2e: constant = padic::constant_log2e(); break;
      case ir::RealConstant::one: break;
    }
    at(out, 0) = padic::mul(padic::from_rational(literal.value), constant);
    return std::nullopt;
  }

  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::load(scalar, bytes, count, out), std::nullopt;
    return this->load_patterns(scalar, bytes, count, out, [&](std::uint64_t pattern, std::size_t i) {
      return from_pattern(pattern, scalar, at(out, i));
    });
  }

  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_indices(scalar, values, count, out), std::nullopt;
    for (std::size_t i = 0; i < count; ++i) at(out, i) = padic::from_integer(values[i]);
    return std::nullopt;
  }

  void draw(ir::Scalar, const Draw& how, std::byte* out) const override {
    at(out, 0) = padic::random_value(how.seed, how.sign == Draw::Sign::positive   ? padic::Sign::positive
                                               : how.sign == Draw::Sign::negative ? padic::Sign::negative
                                                                                  : padic::Sign::any);
  }
  /// Positive and negative elements each have one half of the non-zero residues modulo p.
  double min_choices() const override { return static_cast<double>(padic::q); }
  std::string undefined_by(ir::Scalar scalar, const std::byte* value) const override {
    if (!is_real(scalar) || !padic::is_undefined(at(value, 0))) return {};
    return padic::cause_name(padic::cause(at(value, 0)));
  }
  bool is_degenerate(ir::Scalar scalar, const std::byte* value) const override {
    return is_real(scalar) && padic::is_finite(at(value, 0)) && at(value, 0).a % padic::p == 0;
  }
  void watch(PartialOperations* watcher) override { watcher_ = watcher; }

  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    auto fault = ArraySemantics::apply(op, from, to, operands, out, out_row_stride, rows, columns);
    if (watcher_ == nullptr) return fault;
    const std::size_t call = watcher_->calls++;
    if (fault || !may_have_no_value(op) || std::ranges::binary_search(watcher_->passed_over, call)) return fault;
    for (std::size_t i = 0; i < rows * columns; ++i) {
      const auto place = static_cast<std::ptrdiff_t>(i / columns) * out_row_stride + static_cast<std::ptrdiff_t>(i % columns);
      const padic::Value& x = at(out, static_cast<std::size_t>(place));
      // If the b of a square root is not known, every exp of the root is undefined.
      const bool root = op == ir::Op::sqrt || op == ir::Op::rsqrt || op == ir::Op::hypot;
      if (padic::is_undefined(x) || (root && x.b == padic::unknown_b)) watcher_->elements.push_back(i);
    }
    if (watcher_->elements.empty()) return std::nullopt;
    watcher_->found = true;
    watcher_->call = call;
    return Fault{code::interrupted, "a partial operation has no value", ""};
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return render_truth(value);
    if (ir::is_integer(scalar)) return words::render(scalar, value);
    const padic::Value& x = at(value, 0);
    const std::string text = padic::text(x);
    if (!padic::is_finite(x)) return {text, {{"value", text}}};
    return {text, {{"value", text}, {"digits", std::to_string(x.digits)}}};
  }

  /// Compares the digits that are known of both sides; an undefined value is neither equal nor different.
  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) return equal_truths(a, b);
    if (ir::is_integer(scalar)) return words::equal(scalar, a, b);
    return padic::equal(at(a, 0), at(b, 0)) ? Truth::yes
           : padic::is_undefined(at(a, 0)) || padic::is_undefined(at(b, 0)) ? Truth::unknown
                                                                            : Truth::no;
  }

  std::optional<Enclosure> enclosure(ir::Scalar, const std::byte*) const override { return std::nullopt; }

  /// The bits of the rational, if the value is a small one that the format has.
  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return static_cast<std::uint64_t>(*value);
    if (ir::is_integer(scalar)) return words::at(scalar, value);
    if (!ir::is_float(scalar)) return std::nullopt;
    const auto number = padic::to_rational(at(value, 0));
    if (!number) return std::nullopt;
    const std::uint64_t pattern = numerics::round_rational(*number, ir::format_of(scalar));
    const auto back = numerics::exact_value(pattern, ir::format_of(scalar));
    return back && *back == *number ? std::optional(pattern) : std::nullopt;
  }

 private:
  PartialOperations* watcher_ = nullptr;

  static bool is_real(ir::Scalar scalar) { return scalar != ir::Scalar::boolean && !ir::is_integer(scalar); }
  static padic::Value& at(std::byte* data, std::size_t i) {
    return *reinterpret_cast<padic::Value*>(data + i * sizeof(padic::Value));
  }
  static const padic::Value& at(const std::byte* data, std::size_t i) {
    return *reinterpret_cast<const padic::Value*>(data + i * sizeof(padic::Value));
  }

  static Fault no_number(std::string_view what) {
    return {code::undefined_result, padic::refusal(what), padic::refusal_help(what)};
  }

  static std::optional<Fault> from_pattern(std::uint64_t pattern, ir::Scalar scalar, padic::Value& out) {
    const auto value = padic::from_pattern(pattern, ir::format_of(scalar));
    if (!value) return no_number(numerics::shortest_decimal(pattern, ir::format_of(scalar)));
    out = *value;
    return std::nullopt;
  }
};

}  // namespace

Expected<std::unique_ptr<Semantics>> make_padic(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  if (!arguments.empty()) return no_arguments("padic", arguments[0], place);
  return std::unique_ptr<Semantics>(std::make_unique<PadicSemantics>());
}

}  // namespace reckon::interp
