// The semantics around the rules: literals, loading, printing, for endpoints of any format.
#pragma once

#include <bit>
#include <new>

#include "diagnostics/codes/unsupported_operation.h"
#include "interp/algebra/interval_rules.h"
#include "interp/algebra/real_constant.h"
#include "semantics/interval/empty.h"
#include "semantics/interval/nan.h"
#include "semantics/standard.h"

namespace reckon::interp {

/// `Algebra` is WithEmpty<IntervalFunctions<Endpoints>>, or a derived class with faster kernels.
template <class Algebra>
class IntervalSemantics : public ArraySemantics<IntervalSemantics<Algebra>> {
 public:
  using Interval = typename Algebra::Value;
  using Base = ArraySemantics<IntervalSemantics<Algebra>>;

  IntervalSemantics(std::string name, std::int64_t pieces, Algebra algebra)
      : name_(std::move(name)), pieces_(pieces), algebra_(std::move(algebra)) {}

  std::string_view name() const override { return name_; }
  std::int64_t pieces() const override { return pieces_; }

  driver::Traits traits() const override {
    const ir::Laws laws = ir::laws_of_intervals();
    // The sum of two literals' enclosures is wider than the enclosure of their sum.
    driver::Traits out{
        .laws = laws, .compiled_laws = laws.without(ir::Law::literals_exact), .compiled = compiled(), .encloses = true};
    // Enclosed by neighbouring floats, as literals are. More bits are more than a literal in a number's place has.
    if constexpr (requires { Algebra::compiled(); }) out.closed_numbers = &closed_numbers();
    return out;
  }

  template <ir::Scalar S>
  auto algebra() const {
    {
      Algebra out = algebra_;
      out.cause = &cause_;
      return out;
    }
  }

  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    return with_empty([&] { return Base::apply(op, from, to, operands, out, out_row_stride, rows, columns); });
  }
  std::optional<Fault> accumulate(ir::Op op, ir::Scalar scalar, std::byte* accumulator, Rows operand, std::size_t rows,
                                  std::size_t columns) override {
    return with_empty([&] { return Base::accumulate(op, scalar, accumulator, operand, rows, columns); });
  }

  bool trivial() const override { return std::is_trivially_copyable_v<Interval>; }
  void construct(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (trivial() || !is_real(scalar)) return;
    for (std::size_t i = 0; i < count; ++i) new (data + i * sizeof(Interval)) Interval();
  }
  void destroy(ir::Scalar scalar, std::byte* data, std::size_t count) const override {
    if (trivial() || !is_real(scalar)) return;
    for (std::size_t i = 0; i < count; ++i) at(data, i).~Interval();
  }
  void gather(ir::Scalar scalar, const std::byte* in, const std::int64_t* index, std::byte* out,
              std::size_t count) const override {
    if (trivial() || !is_real(scalar)) return Semantics::gather(scalar, in, index, out, count);
    for (std::size_t i = 0; i < count; ++i) at(out, i) = at(in, static_cast<std::size_t>(index[i]));
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_literal(scalar, literal, out), std::nullopt;
    using Kind = ir::Literal::Kind;
    switch (literal.kind) {
      case Kind::boolean: *out = static_cast<std::byte>(literal.bits != 0); return std::nullopt;
      case Kind::rational: at(out, 0) = enclosing(literal.value); return std::nullopt;
      case Kind::real:
        if (const auto constant = real_constant(literal.constant)) {
          at(out, 0) = {endpoints().real(Toward::below, literal.value, *constant),
                        endpoints().real(Toward::above, literal.value, *constant)};
        } else {
          at(out, 0) = enclosing(literal.value);
        }
        return std::nullopt;
      case Kind::bits: return from_pattern(literal.bits, scalar, at(out, 0));
      case Kind::infinity: at(out, 0) = beyond(literal.negative); return std::nullopt;
      case Kind::not_a_number: break;
    }
    return nan_has_no_interval();
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
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    for (std::size_t i = 0; i < count; ++i) {
      const bool fits = values[i] >= -exact && values[i] <= exact;
      at(out, i) = fits ? between(static_cast<double>(values[i]), static_cast<double>(values[i]))
                        : enclosing(mpq_class(static_cast<long>(values[i])));
    }
    return std::nullopt;
  }

  std::optional<Fault> range(ir::Scalar scalar, const mpq_class& low, const mpq_class& high,
                             std::byte* out) const override {
    if (ir::is_integer(scalar)) {
      return Fault{code::unsupported_operation,
                   fmt::format("a range of `{}` is no value under `{}`: {} is one integer", ir::scalar_name(scalar),
                               name_, ir::with_article(scalar)),
                   ""};
    }
    at(out, 0) = {endpoints().rational(Toward::below, low), endpoints().rational(Toward::above, high)};
    return std::nullopt;
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return render_truth(value);
    if (ir::is_integer(scalar)) return words::render(scalar, value);
    const Interval& interval = at(value, 0);
    if (Algebra::is_empty(interval)) return {"empty", {{"empty", "true"}}};
    std::string text = "[" + endpoints().decimal(Toward::below, interval.low) + ", " +
                       endpoints().decimal(Toward::above, interval.high) + "]";
    if (interval == algebra_.everything()) return {text, {{"unbounded", "true"}}};
    return {text, {{"lo", endpoints().hexadecimal(interval.low)}, {"hi", endpoints().hexadecimal(interval.high)}}};
  }

  /// Compares the reals that the intervals stand for: yes only for one and the same number, no only if the intervals do
  /// not meet. If neither side has a value, nothing was compared.
  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) return equal_truths(a, b);
    if (ir::is_integer(scalar)) return words::equal(scalar, a, b);
    if (Algebra::is_empty(at(a, 0)) != Algebra::is_empty(at(b, 0))) return Truth::no;
    return algebra_.equal(at(a, 0), at(b, 0));
  }
  std::string undefined_by(ir::Scalar scalar, const std::byte* value) const override {
    return is_real(scalar) && Algebra::is_empty(at(value, 0)) ? "an operation outside of its domain" : "";
  }

  std::optional<Enclosure> enclosure(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return std::nullopt;
    if (ir::is_integer(scalar)) return words::enclosure(scalar, value);
    const Interval& interval = at(value, 0);
    if (!endpoints().is_finite(interval.low) || !endpoints().is_finite(interval.high)) return std::nullopt;
    return Enclosure{endpoints().exact(interval.low), endpoints().exact(interval.high)};
  }

  std::optional<Ends> ends(ir::Scalar scalar, const std::byte* value) const override {
    if (!is_real(scalar)) return std::nullopt;
    const Interval& interval = at(value, 0);
    if (Algebra::is_empty(interval)) return Ends{.empty = true};
    const auto end = [&](const auto& x) {
      return endpoints().is_finite(x) ? std::optional(endpoints().exact(x)) : std::nullopt;
    };
    return Ends{.low = end(interval.low), .high = end(interval.high)};
  }
  EndFormat end_format() const override {
    if constexpr (requires { endpoints().format; })
      return {endpoints().format, numerics::traits(endpoints().format).precision};
    else return {std::nullopt, endpoints().precision};
  }

  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    return ir::is_integer(scalar) ? std::optional<std::uint64_t>(words::at(scalar, value)) : std::nullopt;
  }

 private:
  /// There is code for endpoints of a float format, and for ranges that are not cut into pieces.
  const codegen::CompiledSemantics* compiled() const {
    if constexpr (requires { Algebra::compiled(); }) {
      if (pieces_ == 1) return &Algebra::compiled();
    }
    return nullptr;
  }

  std::optional<Fault> with_empty(auto&& run) {
    cause_ = nullptr;
    auto fault = run();
    if (fault || cause_ == nullptr) return fault;
    Fault found = as_fault(*cause_);
    found.leaves_empty = true;
    return found;
  }
  static bool is_real(ir::Scalar scalar) { return scalar != ir::Scalar::boolean && !ir::is_integer(scalar); }
  const auto& endpoints() const { return algebra_.endpoints; }

  static Interval& at(std::byte* data, std::size_t i) {
    return *reinterpret_cast<Interval*>(data + i * sizeof(Interval));
  }
  static const Interval& at(const std::byte* data, std::size_t i) {
    return *reinterpret_cast<const Interval*>(data + i * sizeof(Interval));
  }
  Interval enclosing(const mpq_class& value) const {
    return {endpoints().rational(Toward::below, value), endpoints().rational(Toward::above, value)};
  }
  Interval between(double low, double high) const {
    return {endpoints().number(Toward::below, low), endpoints().number(Toward::above, high)};
  }
  /// The interval for an infinity of a float format: some real beyond the largest f64.
  Interval beyond(bool negative) const {
    return negative ? between(-directed::infinity, -directed::largest) : between(directed::largest, directed::infinity);
  }
  std::optional<Fault> from_pattern(std::uint64_t pattern, ir::Scalar scalar, Interval& out) const {
    const numerics::Format format = scalar == ir::Scalar::number ? numerics::Format::f64 : ir::format_of(scalar);
    if (numerics::is_nan(pattern, format)) return nan_has_no_interval();
    const double value = numerics::widen(pattern, format) + 0.0;
    out = std::isinf(value) ? beyond(value < 0) : between(value, value);
    return std::nullopt;
  }

  std::string name_;
  std::int64_t pieces_;
  Algebra algebra_;
  mutable const FaultText* cause_ = nullptr;  ///< why the last call left an element empty
};

}  // namespace reckon::interp
