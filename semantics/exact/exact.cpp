// exact: reals (numerics/reals/real.h), and -inf (below_all.h). A float format has no effect: literals keep their
// value, and conversions are identities. There is one zero: -0 is 0, and copysign takes it as positive.
// An element without a value is a mark, and so is every result that needs it. `select` takes only the chosen branch, so
// the other one need not have a value. A comparison with such an element is unknown.
#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "diagnostics/codes/undefined_result.h"
#include "interp/algebra/array_semantics.h"
#include "numerics/reals/real.h"
#include "semantics/exact/below_all.h"
#include "semantics/exact/faults.h"
#include "semantics/registry.h"

namespace reckon::interp {

namespace {

using numerics::Format;
using numerics::Outcome;
using numerics::Real;
using numerics::RealFunction;

struct Reals {
  using Value = Real;
  using V = Real;
  using Text = const FaultText*;

  const ExactFaults* faults;

  numerics::Limit limit() const { return faults->limit(); }
  Text outcome(ir::Op op, const V& out, Outcome how) const {
    if (how != Outcome::defined) return faults->of(op, how);
    return out.is_rational() ? nullptr : faults->library();
  }
  Text function(ir::Op op, RealFunction which, V& out, const V& a) const {
    return outcome(op, out, numerics::apply(which, out, a, limit()));
  }

  static V add(const V& a, const V& b) { return numerics::add(a, b); }
  static V sub(const V& a, const V& b) { return numerics::sub(a, b); }
  static V mul(const V& a, const V& b) { return numerics::mul(a, b); }
  static V fma(const V& a, const V& b, const V& c) { return numerics::add(numerics::mul(a, b), c); }
  static V neg(const V& a) { return numerics::neg(a); }
  static V abs(const V& a) { return numerics::abs(a); }
  static V min(const V& a, const V& b) { return numerics::min(a, b); }
  static V max(const V& a, const V& b) { return numerics::max(a, b); }
  static V minnum(const V& a, const V& b) { return numerics::min(a, b); }
  static V maxnum(const V& a, const V& b) { return numerics::max(a, b); }
  static V clamp(const V& a, const V& low, const V& high) { return numerics::min(numerics::max(a, low), high); }

  Text div(V& out, const V& a, const V& b) const { return outcome(ir::Op::div, out, numerics::div(out, a, b, limit())); }
  Text rem(V& out, const V& a, const V& b) const {
    V quotient, whole;
    const Outcome divided = numerics::div(quotient, a, b, limit());
    if (divided != Outcome::defined) return faults->of(divided == Outcome::undefined ? ir::Op::rem : ir::Op::div, divided);
    if (trunc(whole, quotient)) return faults->of(ir::Op::rem, Outcome::undecided);
    out = numerics::sub(a, numerics::mul(whole, b));
    return nullptr;
  }

  Text sqrt(V& out, const V& a) const { return function(ir::Op::sqrt, RealFunction::sqrt, out, a); }
#define RECKON_FUNCTION(name) \
  Text name(V& out, const V& a) const { return function(ir::Op::name, RealFunction::name, out, a); }
#include "numerics/functions.def"
  Text pow(V& out, const V& a, const V& b) const { return outcome(ir::Op::pow, out, numerics::pow(out, a, b, limit())); }
  Text rootn(V& out, const V& a, const V& n) const {
    return outcome(ir::Op::rootn, out, numerics::rootn(out, a, n, limit()));
  }
  Text hypot(V& out, const V& a, const V& b) const {
    return outcome(ir::Op::hypot, out, numerics::hypot(out, a, b, limit()));
  }
  Text atan2(V& out, const V& y, const V& x) const {
    return outcome(ir::Op::atan2, out, numerics::atan2(out, y, x, limit()));
  }

  // Step functions: a ball around a step cannot answer them.
  Text sign(V& out, const V& a) const {
    const auto known = numerics::sign(a, limit());
    if (!known) return faults->of(ir::Op::sign, Outcome::undecided);
    out = V(static_cast<long>(*known));
    return nullptr;
  }
  Text copysign(V& out, const V& a, const V& b) const {
    const auto known = numerics::sign(b, limit());
    if (!known) return faults->of(ir::Op::copysign, Outcome::undecided);
    out = numerics::abs(a);
    if (*known < 0) out = numerics::neg(out);
    return nullptr;
  }
  Text whole(ir::Op op, V& out, std::optional<mpz_class>&& found, bool turned = false) const {
    if (!found) return faults->of(op, Outcome::undecided);
    out = V::dyadic(turned ? mpz_class(-*found) : std::move(*found), 0);
    return nullptr;
  }
  Text floor(V& out, const V& a) const { return whole(ir::Op::floor, out, numerics::floor(a, limit())); }
  Text ceil(V& out, const V& a) const { return whole(ir::Op::ceil, out, numerics::floor(numerics::neg(a), limit()), true); }
  Text round(V& out, const V& a) const { return whole(ir::Op::round, out, numerics::round_to_even(a, limit())); }
  Text trunc(V& out, const V& a) const {
    // Within (-1, 1) the result is 0, so the sign is not needed.
    const auto below = numerics::compare(numerics::abs(a), V(1), limit());
    if (below && *below < 0) return out = V(), nullptr;
    const auto known = numerics::sign(a, limit());
    if (!known) return faults->of(ir::Op::trunc, Outcome::undecided);
    const bool turned = *known < 0;
    return whole(ir::Op::trunc, out, numerics::floor(turned ? numerics::neg(a) : a, limit()), turned);
  }

  Text ldexp(V& out, const V& a, const V& k) const {
    auto below = numerics::floor(k, limit());
    if (!below) return faults->of(ir::Op::ldexp, Outcome::undecided);
    const V integer = V::dyadic(std::move(*below), 0);
    const auto order = numerics::compare(k, integer, limit());
    if (!order || *order != 0) return faults->of(ir::Op::ldexp, order ? Outcome::undefined : Outcome::undecided);
    V power;
    if (Text text = function(ir::Op::exp2, RealFunction::exp2, power, integer)) return text;
    out = numerics::mul(a, power);
    return nullptr;
  }

  Text order(Truth& out, const V& a, const V& b, auto holds) const {
    const auto known = numerics::compare(a, b, limit());
    if (!known) return faults->of(ir::Op::less, Outcome::undecided);
    out = holds(*known) ? Truth::yes : Truth::no;
    return nullptr;
  }
  Text less(Truth& out, const V& a, const V& b) const { return order(out, a, b, [](int c) { return c < 0; }); }
  Text less_equal(Truth& out, const V& a, const V& b) const { return order(out, a, b, [](int c) { return c <= 0; }); }
  Text equal(Truth& out, const V& a, const V& b) const { return order(out, a, b, [](int c) { return c == 0; }); }
  Text not_equal(Truth& out, const V& a, const V& b) const { return order(out, a, b, [](int c) { return c != 0; }); }

  static V convert(const Reals&, const V& value) { return value; }
  /// The result of a selection whose condition has no value.
  static V hull(const V& a, const V& b) { return a.is_below_all() && b.is_below_all() ? a : V::none(0); }
};

class ExactSemantics : public ArraySemantics<ExactSemantics> {
 public:
  ExactSemantics(long digits, long limit) : digits_(digits), faults_(limit) {}

  std::string_view name() const override { return "exact"; }
  std::unique_ptr<Semantics> another() const override {
    auto out = std::make_unique<ExactSemantics>(digits_, faults_.limit().bits);
    out->faults_.stop_when(faults_.limit().stop);
    return out;
  }
  const std::atomic<bool>* stop_when(const std::atomic<bool>* flag) override {
    const std::atomic<bool>* before = faults_.limit().stop;
    faults_.stop_when(flag);
    return before;
  }

  driver::Traits traits() const override {
    using enum ir::Law;
    return {.laws = {add_commutes, mul_commutes, add_associates, mul_associates, mul_distributes, add_zero, sub_zero,
                     mul_one, div_one, double_negation, sub_self, mul_zero, min_max_idempotent, select_same,
                     literals_exact, sums_exactly, min_max_any_order},
            .reals = true};
  }

  template <ir::Scalar S>
  auto algebra() const {
    return Reals{&faults_};
  }

  bool trivial() const override { return false; }
  void construct(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (!is_real(scalar)) return;
    for (std::size_t i = 0; i < count; ++i) new (data + i * sizeof(Real)) Real();
  }
  void destroy(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (!is_real(scalar)) return;
    for (std::size_t i = 0; i < count; ++i) at(data, i).~Real();
  }
  void gather(ir::Scalar scalar, const std::byte* in, const std::int64_t* index, std::byte* out,
              std::size_t count) const override {
    if (!is_real(scalar)) return Semantics::gather(scalar, in, index, out, count);
    for (std::size_t i = 0; i < count; ++i) at(out, i) = at(in, static_cast<std::size_t>(index[i]));
  }

  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    const auto [spelling, arity, result] = ir::traits(op);
    const bool numbers = result == ir::ResultRule::same || result == ir::ResultRule::truth;
    const auto count = static_cast<std::size_t>(numbers && is_real(from) ? arity : 0);
    if (std::none_of(operands, operands + count, [&](const Rows& each) { return marked(each, rows, columns); })) {
      auto fault = ArraySemantics::apply(op, from, to, operands, out, out_row_stride, rows, columns);
      if (!fault || fault->code != code::undefined_result || count == 0 || !is_real(to)) return fault;
    }
    std::optional<Fault> first;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        std::array<Rows, 3> element{};
        for (std::size_t i = 0; i < count; ++i) element[i].data = reinterpret_cast<const std::byte*>(&at(operands[i], r, c));
        const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(r) * out_row_stride + static_cast<std::ptrdiff_t>(c);
        std::byte* result_place = out + place * static_cast<std::ptrdiff_t>(size(to));
        auto fault = apply_to_one(op, from, to, element.data(), count, result_place);
        if (!fault) continue;
        if (fault->code != code::undefined_result || !is_real(to)) return fault;
        if (!first) {
          first = std::move(fault);
          first->leaves_empty = true;
          first->reason = next_reason();
        }
        at(result_place, 0) = Real::none(first->reason);
      }
    }
    return first;
  }

  // A sum grows in place: the running total of a million floats is one number.
  std::optional<Fault> accumulate(ir::Op op, ir::Scalar scalar, std::byte* accumulator, Rows operand, std::size_t rows,
                                  std::size_t columns) override {
    if (ir::is_integer(scalar)) return ArraySemantics::accumulate(op, scalar, accumulator, operand, rows, columns);
    if (marked({accumulator, 0}, 1, columns) || marked(operand, rows, columns)) {
      std::optional<Fault> first;
      for (std::size_t r = 0; r < rows; ++r) {
        const Rows operands[] = {{accumulator, 0}, {reinterpret_cast<const std::byte*>(&at(operand, r, 0)), 0}};
        auto fault = apply(op, scalar, scalar, operands, accumulator, 0, 1, columns);
        if (fault && !fault->leaves_empty) return fault;
        if (!first) first = std::move(fault);
      }
      return first;
    }
    if (op != ir::Op::add) return ArraySemantics::accumulate(op, scalar, accumulator, operand, rows, columns);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) numerics::accumulate(at(accumulator, c), at(operand, r, c));
    }
    return std::nullopt;
  }
  std::optional<Fault> accumulate_products(ir::Scalar scalar, std::byte* accumulator, Rows left, Rows right,
                                           std::size_t rows, std::size_t columns) override {
    if (marked({accumulator, 0}, 1, columns) || marked(left, rows, columns) || marked(right, rows, columns)) {
      return Semantics::accumulate_products(scalar, accumulator, left, right, rows, columns);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        numerics::accumulate(at(accumulator, c), numerics::mul(at(left, r, c), at(right, r, c)));
      }
    }
    return std::nullopt;
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_literal(scalar, literal, out), std::nullopt;
    using Kind = ir::Literal::Kind;
    switch (literal.kind) {
      case Kind::boolean: *out = static_cast<std::byte>(literal.bits != 0); return std::nullopt;
      case Kind::rational: at(out, 0) = Real(literal.value); return std::nullopt;
      case Kind::bits: return from_pattern(literal.bits, scalar, out);
      case Kind::infinity:
        if (literal.negative) return at(out, 0) = Real::below_all(), std::nullopt;
        at(out, 0) = Real::none(reason_of_infinity);
        return without_value("`inf` is no real number, so it has no value under `exact`", reason_of_infinity);
      case Kind::not_a_number:
        at(out, 0) = Real::none(reason_of_nan);
        return without_value("`nan` is no real number, so it has no value under `exact`", reason_of_nan);
      case Kind::real: break;
    }
    switch (literal.constant) {
      case ir::RealConstant::pi: at(out, 0) = Real::constant(RealFunction::pi, literal.value); break;
      case ir::RealConstant::e: at(out, 0) = Real::constant(RealFunction::e, literal.value); break;
      case ir::RealConstant::ln2: at(out, 0) = Real::constant(RealFunction::ln2, literal.value); break;
      case ir::RealConstant::log2e: at(out, 0) = Real::constant(RealFunction::log2e, literal.value); break;
      case ir::RealConstant::one: at(out, 0) = Real(literal.value); break;
    }
    const FaultText* missing = at(out, 0).is_rational() ? nullptr : faults_.library();
    return missing ? std::optional(as_fault(*missing)) : std::nullopt;
  }

  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::load(scalar, bytes, count, out), std::nullopt;
    return this->load_patterns(scalar, bytes, count, out, [&](std::uint64_t pattern, std::size_t i) {
      return from_pattern(pattern, scalar, out + i * sizeof(Real));
    });
  }

  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_indices(scalar, values, count, out), std::nullopt;
    for (std::size_t i = 0; i < count; ++i) at(out, i) = Real(static_cast<long>(values[i]));
    return std::nullopt;
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return render_truth(value);
    if (ir::is_integer(scalar)) return words::render(scalar, value);
    if (at(value, 0).is_below_all()) return {"-inf", {{"value", "-inf"}}};
    if (at(value, 0).is_none()) return {"no value", {{"empty", "true"}}};
    const numerics::RealText shown = numerics::text(at(value, 0), digits_, faults_.limit().bits);
    if (shown.rational) return {shown.text, {{"value", shown.text}}};
    return {shown.text, {{"value", shown.text}, {"exact", "false"}}};
  }

  std::string undefined_by(ir::Scalar scalar, const std::byte* value) const override {
    const bool none = scalar == ir::Scalar::boolean ? static_cast<Truth>(*value) == Truth::unknown
                                                    : is_real(scalar) && at(value, 0).is_none();
    return none ? "an operation outside of its domain" : "";
  }
  std::int32_t reason(ir::Scalar scalar, const std::byte* value) const override {
    return is_real(scalar) && at(value, 0).is_none() ? at(value, 0).reason() : 0;
  }

  /// If neither side has a value, nothing was compared.
  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) return equal_truths(a, b);
    if (ir::is_integer(scalar)) return words::equal(scalar, a, b);
    if (at(a, 0).is_none() || at(b, 0).is_none()) return at(a, 0).is_none() && at(b, 0).is_none() ? Truth::unknown : Truth::no;
    if (at(a, 0).is_below_all() || at(b, 0).is_below_all()) {
      return compares_below_all(ir::Op::equal, at(a, 0), at(b, 0)) ? Truth::yes : Truth::no;
    }
    const auto order = numerics::compare(at(a, 0), at(b, 0), faults_.limit());
    return !order ? Truth::unknown : *order == 0 ? Truth::yes : Truth::no;
  }

  /// A rational is a point. Any other real is enclosed to 256 bits, which is enough for most questions about distances.
  std::optional<Enclosure> enclosure(ir::Scalar scalar, const std::byte* value) const override {
    return enclosed(scalar, value, 256);
  }
  std::optional<mpq_class> rational(ir::Scalar scalar, const std::byte* value) const override {
    if (!is_real(scalar) || at(value, 0).is_mark() || !at(value, 0).is_rational()) return std::nullopt;
    return at(value, 0).rational();
  }
  std::optional<Enclosure> finest_enclosure(ir::Scalar scalar, const std::byte* value) const override {
    return enclosed(scalar, value, faults_.limit().bits);
  }

  /// Truncates toward zero, and to the bounds of the type.
  std::optional<Fault> to_word(ir::Scalar, const std::byte* value, ir::Scalar to, std::uint64_t& out) const {
    Real whole;
    if (at(value, 0).is_below_all()) {
      out = numerics::least_pattern(ir::integer_traits(to));
      return std::nullopt;
    }
    if (at(value, 0).is_none()) {
      Fault fault{code::undefined_result,
                  fmt::format("a number that has no value under `exact` cannot become {}", ir::with_article(to)), ""};
      fault.reason = at(value, 0).reason();
      return fault;
    }
    if (const FaultText* text = Reals{&faults_}.trunc(whole, at(value, 0))) return as_fault(*text);
    const mpz_class number = whole.rational().get_num();
    out = ir::integer_pattern(to, std::clamp(number, ir::least_integer(to), ir::greatest_integer(to)));
    return std::nullopt;
  }

  /// Only a rational that the format can represent has bits; 0 has those of +0.
  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return static_cast<std::uint64_t>(*value);
    if (ir::is_integer(scalar)) return words::at(scalar, value);
    if (!ir::is_float(scalar) || at(value, 0).is_mark() || !at(value, 0).is_rational()) return std::nullopt;
    const mpq_class number = at(value, 0).rational();
    const std::uint64_t pattern = numerics::round_rational(number, ir::format_of(scalar));
    const auto back = numerics::exact_value(pattern, ir::format_of(scalar));
    if (!back || *back != number) return std::nullopt;
    return pattern;
  }

 private:
  static bool is_real(ir::Scalar scalar) { return scalar != ir::Scalar::boolean && !ir::is_integer(scalar); }

  static constexpr std::int32_t reason_of_infinity = 1, reason_of_nan = 2;
  static Fault without_value(const char* message, std::int32_t reason) {
    Fault fault{code::undefined_result, message, ""};
    fault.leaves_empty = true;
    fault.reason = reason;
    return fault;
  }
  std::int32_t next_reason() {
    constexpr std::int32_t most = 1 << 30;
    return reasons_ = std::min(reasons_ + 1, most);
  }

  static bool marked(Rows operand, std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        if (at(operand, r, c).is_mark()) return true;
      }
    }
    return false;
  }
  std::optional<Fault> apply_to_one(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::size_t count,
                                    std::byte* out) {
    std::array<Real, 3> x;
    bool low = false;
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = at(operands[i], 0, 0);
      if (x[i].is_none()) {
        if (to == ir::Scalar::boolean) *out = static_cast<std::byte>(Truth::unknown);
        else at(out, 0) = x[i];
        return std::nullopt;
      }
      low |= x[i].is_below_all();
    }
    if (!low) return ArraySemantics::apply(op, from, to, operands, out, 0, 1, 1);
    if (to == ir::Scalar::boolean) {
      *out = static_cast<std::byte>(compares_below_all(op, x[0], x[1]) ? Truth::yes : Truth::no);
      return std::nullopt;
    }
    auto value = with_below_all(op, x.data(), faults_.limit());
    if (!value) return no_value_of_below_all(op);
    at(out, 0) = std::move(*value);
    return std::nullopt;
  }

  std::optional<Enclosure> enclosed(ir::Scalar scalar, const std::byte* value, long bits) const {
    if (ir::is_integer(scalar)) return words::enclosure(scalar, value);
    if (scalar == ir::Scalar::boolean || at(value, 0).is_mark()) return std::nullopt;
    auto endpoints = numerics::enclose(at(value, 0), bits, faults_.limit());
    if (!endpoints) return std::nullopt;
    return Enclosure{std::move(endpoints->first), std::move(endpoints->second)};
  }

  static Real& at(std::byte* data, std::size_t i) { return *reinterpret_cast<Real*>(data + i * sizeof(Real)); }
  static const Real& at(const std::byte* data, std::size_t i) {
    return *reinterpret_cast<const Real*>(data + i * sizeof(Real));
  }
  static const Real& at(const Rows& rows, std::size_t r, std::size_t c) {
    return reinterpret_cast<const Real*>(rows.data)[static_cast<std::ptrdiff_t>(r) * rows.row_stride +
                                                    static_cast<std::ptrdiff_t>(c)];
  }

  static std::optional<Fault> from_pattern(std::uint64_t pattern, ir::Scalar scalar, std::byte* out) {
    if (scalar == ir::Scalar::f64 && (pattern >> 52 & 0x7ff) != 0x7ff) {
      const auto field = static_cast<std::int64_t>(pattern >> 52 & 0x7ff);
      auto mantissa = static_cast<std::int64_t>(pattern & ((std::uint64_t{1} << 52) - 1));
      if (field != 0) mantissa |= std::int64_t{1} << 52;
      at(out, 0) = Real::dyadic(pattern >> 63 ? -mantissa : mantissa, (field == 0 ? 1 : field) - 1075);
      return std::nullopt;
    }
    const Format format = ir::format_of(scalar);
    if (numerics::has_infinity(format) && pattern == (numerics::infinity_bits(format) | numerics::sign_bit(format))) {
      at(out, 0) = Real::below_all();
      return std::nullopt;
    }
    const auto value = numerics::exact_value(pattern, format);
    if (!value) {
      return Fault{code::undefined_result,
                   "the " + std::string(ir::scalar_name(scalar)) + " value " +
                       numerics::shortest_decimal(pattern, format) +
                       " is no real number, so it has no value under `exact`",
                   ""};
    }
    at(out, 0) = Real(*value);
    return std::nullopt;
  }

  long digits_;
  ExactFaults faults_;
  std::int32_t reasons_ = reason_of_nan;  ///< the number of reasons given so far
};

/// The number in `name(number)`; spaces are ignored.
std::optional<long> number_in(std::string_view text, std::string_view name) {
  std::string plain;
  for (char c : text) {
    if (c != ' ' && c != '_') plain += c;
  }
  if (plain.size() < name.size() + 3 || !plain.starts_with(name) || plain[name.size()] != '(' || plain.back() != ')') {
    return std::nullopt;
  }
  const std::string digits = plain.substr(name.size() + 1, plain.size() - name.size() - 2);
  if (digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stol(digits);
}

}  // namespace

Expected<std::unique_ptr<Semantics>> make_exact(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  long digits = 20, limit = 10'000;
  for (const SemanticsArgument& argument : arguments) {
    const auto shown = number_in(argument.text, "digits"), bits = number_in(argument.text, "bits");
    if (shown && *shown >= 1 && *shown <= 1'000'000) digits = *shown;
    else if (bits && *bits >= 64 && *bits <= 10'000'000) limit = *bits;
    else {
      return no_arguments("exact", argument, place,
                          "write `exact`, `exact(digits(50))` (digits shown, up to 1000000) or `exact(bits(100000))` "
                          "(the precision at which comparisons give up, 64 to 10000000)");
    }
  }
  return std::unique_ptr<Semantics>(std::make_unique<ExactSemantics>(digits, limit));
}

}  // namespace reckon::interp
