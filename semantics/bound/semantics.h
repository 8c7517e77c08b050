// bound: the float result and a proven bound on its distance from the real one (algebra.h); `bound(any)`: the
// same, and a bound for every order of the circuit's sums (any_order.h).
#pragma once

#include <fmt/format.h>

#include <cstring>

#include "interp/algebra/real_constant.h"
#include "interp/algebra/rounded_literal.h"
#include "numerics/decimal_upward.h"
#include "semantics/bound/any_order.h"
#include "semantics/bound/compensated.h"
#include "semantics/bound/sums.h"
#include "semantics/standard.h"

namespace reckon::interp {

using numerics::Format;

inline mpq_class rational(double value) {
  return *numerics::exact_value(std::bit_cast<std::uint64_t>(value), Format::f64);
}

template <bool any_order>
class BoundSemantics : public ArraySemantics<BoundSemantics<any_order>> {
  using Parent = ArraySemantics<BoundSemantics<any_order>>;

 public:
  std::string_view name() const override { return any_order ? "bound(any)" : "bound"; }
  std::unique_ptr<Semantics> another() const override { return std::make_unique<BoundSemantics>(); }

  driver::Traits traits() const override {
    using enum ir::Law;
    // In any order, accumulators are plain sums: what bounds sums in any order bounds accumulators, too. The same holds
    // for sets of orders: the float is the result of one order, and the bound is for all.
    if (any_order) {
      return {.laws = {add_commutes, mul_commutes, sub_zero, mul_one, div_one, double_negation, min_max_idempotent,
                       select_same, sums_exactly, any_order_encloses},
              .bounds_all_orders = true,
              .closed_numbers = &closed_numbers(),
              .bounds_errors = true};
    }
    return {.laws = {add_commutes, mul_commutes, sub_zero, mul_one, div_one, double_negation, min_max_idempotent,
                     select_same, uses_agree},
            .closed_numbers = &closed_numbers(),
            .rounds_to_nearest = true,
            .bounds_errors = true};
  }

  void limit_orders(ir::Scalar scalar, double factor, std::byte* values, std::size_t count) const override {
    if constexpr (any_order) {
      this->with_scalar(scalar, [&](auto algebra) {
        using Algebra = decltype(algebra);
        if constexpr (has_errors<Algebra>) {
          auto* sums = reinterpret_cast<typename Algebra::Value*>(values);
          for (std::size_t i = 0; i < count; ++i) sums[i] = Algebra::limited(sums[i], factor);
        }
        return true;
      });
    }
  }

  static constexpr bool has_format(ir::Scalar scalar) { return ir::is_float(scalar); }

  template <class Algebra>
  static constexpr bool has_errors = !std::is_same_v<Algebra, NoAlgebra>;

  template <ir::Scalar S>
  auto algebra() const {
    using Float = float_algebra::For<S>;
    if constexpr (!has_format(S)) return NoAlgebra{};
    else if constexpr (any_order) return AnyOrderAlgebra<Float>{};
    else return BoundAlgebra<Float>{};
  }

  /// Truth values have two bits here (algebra.h), so this semantics has its own logic and choices.
  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    const ir::ResultRule rule = ir::traits(op).result;
    if (rule != ir::ResultRule::logic && rule != ir::ResultRule::choose) {
      return Parent::apply(op, from, to, operands, out, out_row_stride, rows, columns);
    }
    const auto truth = [&](int k, std::size_t r, std::size_t c) { return at<Truth>(operands[k], r, c); };
    if (op == ir::Op::select && ir::is_integer(to)) {
      return words::with_word(to, [&](auto word) -> std::optional<Fault> {
        using Word = decltype(word);
        bool undecided = false;
        for_each(rows, columns, [&](std::size_t r, std::size_t c) {
          const Truth which = truth(0, r, c);
          const int chosen = truth_bits::floats(which) ? 1 : 2;
          undecided |= !truth_bits::certain(which);
          at<Word>(out, out_row_stride, r, c) = at<Word>(operands[chosen], r, c);
        });
        if (!undecided) return std::nullopt;
        return Fault{code::unsupported_operation,
                     fmt::format("{} depends on a comparison that rounding may decide, and `{}` has no bound on its "
                                 "error",
                                 ir::with_article(to), name()),
                     ""};
      });
    }
    if (op == ir::Op::select && to != ir::Scalar::boolean) {
      return this->with_scalar(to, [&](auto algebra) -> std::optional<Fault> {
        using Algebra = decltype(algebra);
        if constexpr (std::is_same_v<Algebra, NoAlgebra>) {
          return this->without_format(to);
        } else {
          using Value = typename Algebra::Value;
          for_each(rows, columns, [&](std::size_t r, std::size_t c) {
            const Truth which = truth(0, r, c);
            const Value a = at<Value>(operands[1], r, c), b = at<Value>(operands[2], r, c);
            const bool first = truth_bits::floats(which);
            Value& chosen = at<Value>(out, out_row_stride, r, c);
            if (truth_bits::certain(which)) chosen = first ? a : b;
            else chosen = Algebra::undecided(first ? a : b, first ? b : a);
          });
          return std::nullopt;
        }
      });
    }
    for_each(rows, columns, [&](std::size_t r, std::size_t c) {
      Truth& result = at<Truth>(out, out_row_stride, r, c);
      const Truth a = truth(0, r, c);
      if (op == ir::Op::logical_not) {
        result = truth_bits::negation(a);
        return;
      }
      const Truth b = truth(1, r, c);
      if (op == ir::Op::logical_and) {
        result = truth_bits::conjunction(a, b);
      } else if (op == ir::Op::logical_or) {
        result = truth_bits::negation(truth_bits::conjunction(truth_bits::negation(a), truth_bits::negation(b)));
      } else {
        const Truth otherwise = truth(2, r, c), chosen = truth_bits::floats(a) ? b : otherwise;
        const bool certain = truth_bits::certain(a) || (b == otherwise && truth_bits::certain(b));
        result = certain ? chosen : truth_bits::make(truth_bits::floats(chosen), false);
      }
    });
    return std::nullopt;
  }

  std::optional<Fault> join(ir::Op op, ir::Scalar scalar, const Rows* operands, std::byte* out,
                            std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    if (!any_order || ir::is_integer(scalar) || (op != ir::Op::add && op != ir::Op::mul)) {
      return apply(op, scalar, scalar, operands, out, out_row_stride, rows, columns);
    }
    return joined(op, scalar, rows, columns, [&](auto join_values, auto* values) {
      using Value = std::remove_pointer_t<decltype(values)>;
      for_each(rows, columns, [&](std::size_t r, std::size_t c) {
        at<Value>(out, out_row_stride, r, c) = join_values(at<Value>(operands[0], r, c), at<Value>(operands[1], r, c));
      });
    });
  }

  std::optional<Fault> accumulate(ir::Op op, ir::Scalar scalar, std::byte* accumulator, Rows operand, std::size_t rows,
                                  std::size_t columns) override {
    if (!any_order || ir::is_integer(scalar) || (op != ir::Op::add && op != ir::Op::mul)) {
      return Parent::accumulate(op, scalar, accumulator, operand, rows, columns);
    }
    return joined(op, scalar, rows, columns, [&](auto join_values, auto* values) {
      using Value = std::remove_pointer_t<decltype(values)>;
      for_each(rows, columns, [&](std::size_t r, std::size_t c) {
        Value& total = at<Value>(accumulator, 0, 0, c);
        total = join_values(Value(total), at<Value>(operand, r, c));
      });
    });
  }

  bool join_compensated(bool kahan, ir::Scalar scalar, const Rows* operands, std::byte* sum, std::byte* rest,
                        std::size_t rows, std::size_t columns) override {
    if constexpr (any_order) return false;
    else
      return this->with_scalar(scalar, [&](auto algebra) {
        using Algebra = decltype(algebra);
        if constexpr (!has_errors<Algebra>) {
          return false;
        } else {
          using Value = typename Algebra::Value;
          using Compensated = CompensatedBound<typename Algebra::Representation>;
          const auto stride = static_cast<std::ptrdiff_t>(columns);
          for_each(rows, columns, [&](std::size_t r, std::size_t c) {
            const auto value = [&](int k) { return at<Value>(operands[k], r, c); };
            const typename Compensated::Node a{value(0), value(1)}, b{value(2), value(3)};
            const auto node = kahan ? Compensated::kahan(a, b) : Compensated::neumaier(a, b);
            at<Value>(sum, stride, r, c) = node.sum;
            at<Value>(rest, stride, r, c) = node.rest;
          });
          return true;
        }
      });
  }

  std::optional<Fault> long_sums(ir::Scalar scalar, std::size_t columns, const LongSumRule& rule,
                                 std::unique_ptr<LongSums>& out) override {
    if (any_order || ir::is_integer(scalar)) return std::nullopt;
    return this->with_scalar(scalar, [&](auto algebra) -> std::optional<Fault> {
      if constexpr (!has_errors<decltype(algebra)>) {
        return this->without_format();
      } else {
        using Float = typename decltype(algebra)::Representation;
        out = std::make_unique<BoundSums<Float>>(columns, rule);
        return std::nullopt;
      }
    });
  }

  std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_literal(scalar, literal, out), std::nullopt;
    if (scalar != ir::Scalar::boolean && !has_format(scalar)) return this->without_format(scalar);
    if (scalar == ir::Scalar::boolean) {
      *out = static_cast<std::byte>(literal.bits != 0);
      return std::nullopt;
    }
    using Kind = ir::Literal::Kind;
    const Format format = ir::format_of(scalar);
    const std::uint64_t bits = literal_bits(literal, format);
    ErrorInterval error;
    const auto rounded = numerics::exact_value(bits, format);
    const bool real = literal.kind == Kind::rational || literal.kind == Kind::real;
    if (real && !rounded) {
      error = {-directed::infinity, directed::infinity};  // the literal is beyond the format
    } else if (const auto constant = literal.kind == Kind::real ? real_constant(literal.constant) : std::nullopt) {
      const auto [low, high] = numerics::enclose_real(literal.value, *constant);
      const double value = numerics::widen(bits, format);
      error = intersection({directed::add_down(low, -value), directed::add_up(high, -value)},
                           within_half_ulp(value, format));
    } else if (real) {
      error = enclosing(literal.value - *rounded);
    }
    return put(scalar, bits, error, out);
  }

  std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                            std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::load(scalar, bytes, count, out), std::nullopt;
    if (scalar != ir::Scalar::boolean && !has_format(scalar)) return this->without_format(scalar);
    if (scalar == ir::Scalar::boolean) {
      load_truths(bytes, count, out);
      return std::nullopt;
    }
    const auto width = static_cast<std::size_t>(ir::byte_width(scalar));
    const std::size_t size = this->size(scalar);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t pattern = 0;
      std::memcpy(&pattern, bytes + i * width, width);
      if (auto fault = put(scalar, pattern, {}, out + i * size)) return fault;
    }
    return std::nullopt;
  }

  std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                  std::byte* out) const override {
    if (ir::is_integer(scalar)) return words::put_indices(scalar, values, count, out), std::nullopt;
    if (!has_format(scalar)) return this->without_format(scalar);
    const Format format = ir::format_of(scalar);
    const std::size_t size = this->size(scalar);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = integer_bits(values[i], format);
      const auto rounded = numerics::exact_value(bits, format);
      ErrorInterval error{-directed::infinity, directed::infinity};
      if (rounded) error = enclosing(mpq_class(static_cast<long>(values[i])) - *rounded);
      if (auto fault = put(scalar, bits, error, out + i * size)) return fault;
    }
    return std::nullopt;
  }

  Rendering render(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) {
      const auto truth = static_cast<Truth>(*value);
      const std::byte shown{static_cast<unsigned char>(truth_bits::certain(truth) ? truth : Truth::unknown)};
      return render_truth(&shown);
    }
    if (ir::is_integer(scalar)) return words::render(scalar, value);
    const Parts parts = parts_of(scalar, value);
    const Format format = ir::format_of(scalar);
    Rendering out{numerics::shortest_decimal(parts.bits, format),
                  {{"value", numerics::hexadecimal(parts.bits, format)}}};
    if (parts.doubt != Doubt::none) {
      out.text += fmt::format("  +- unbounded ({})", doubt_text(parts.doubt));
      out.fields.push_back({"unbounded", "true"});
      out.fields.push_back({"reason", doubt_text(parts.doubt)});
      return out;
    }
    out.text += "  +- " + numerics::decimal_upward(rational(parts.bound), 2);
    const auto hex = [](double x) { return numerics::hexadecimal(std::bit_cast<std::uint64_t>(x + 0.0), Format::f64); };
    const double shown = numerics::widen(parts.bits, format);
    out.fields.push_back({"bound", hex(parts.bound)});
    out.fields.push_back({"lo", hex(directed::add_down(shown, parts.error.low))});
    out.fields.push_back({"hi", hex(directed::add_up(shown, parts.error.high))});
    return out;
  }

  /// Compares the reals: yes only for one and the same number, no only if they cannot be equal.
  Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const override {
    if (scalar == ir::Scalar::boolean) {
      const auto x = static_cast<Truth>(*a), y = static_cast<Truth>(*b);
      if (!truth_bits::certain(x) || !truth_bits::certain(y)) return Truth::unknown;
      return x == y ? Truth::yes : Truth::no;
    }
    if (ir::is_integer(scalar)) return words::equal(scalar, a, b);
    const auto x = enclosure(scalar, a), y = enclosure(scalar, b);
    if (!x || !y) return Truth::unknown;
    if (x->high < y->low || y->high < x->low) return Truth::no;
    return x->low == x->high && y->low == y->high ? Truth::yes : Truth::unknown;
  }

  std::optional<Enclosure> enclosure(ir::Scalar scalar, const std::byte* value) const override {
    if (ir::is_integer(scalar)) return words::enclosure(scalar, value);
    if (!ir::is_float(scalar)) return std::nullopt;
    const Parts parts = parts_of(scalar, value);
    const auto exact = numerics::exact_value(parts.bits, ir::format_of(scalar));
    if (!exact || parts.doubt != Doubt::none) return std::nullopt;
    return Enclosure{*exact + rational(parts.error.low), *exact + rational(parts.error.high)};
  }

  std::optional<mpq_class> error_bound(ir::Scalar scalar, const std::byte* value) const override {
    if (!ir::is_float(scalar)) return std::nullopt;
    const Parts parts = parts_of(scalar, value);
    if (parts.doubt != Doubt::none || !std::isfinite(parts.bound)) return std::nullopt;
    return rational(parts.bound);
  }

  /// The bits of the float result.
  std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const override {
    if (scalar == ir::Scalar::boolean) return truth_bits::floats(static_cast<Truth>(*value));
    if (ir::is_integer(scalar)) return words::at(scalar, value);
    const std::uint64_t pattern = parts_of(scalar, value).bits;
    return numerics::is_nan(pattern, ir::format_of(scalar)) ? numerics::canonical_nan(ir::format_of(scalar)) : pattern;
  }

 private:
  template <class Value>
  static const Value& at(const Rows& rows, std::size_t r, std::size_t c) {
    return reinterpret_cast<const Value*>(
        rows.data)[static_cast<std::ptrdiff_t>(r) * rows.row_stride + static_cast<std::ptrdiff_t>(c)];
  }
  template <class Value>
  static Value& at(std::byte* out, std::ptrdiff_t row_stride, std::size_t r, std::size_t c) {
    return reinterpret_cast<Value*>(out)[static_cast<std::ptrdiff_t>(r) * row_stride + static_cast<std::ptrdiff_t>(c)];
  }
  static void for_each(std::size_t rows, std::size_t columns, auto visit) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) visit(r, c);
    }
  }

  /// Calls run(function that joins two values, null pointer of the value type).
  std::optional<Fault> joined(ir::Op op, ir::Scalar scalar, std::size_t, std::size_t, auto run) {
    return this->with_scalar(scalar, [&](auto algebra) -> std::optional<Fault> {
      using Algebra = decltype(algebra);
      if constexpr (!has_errors<Algebra>) {
        return this->without_format();
      } else if constexpr (any_order) {
        using Value = typename Algebra::Value;
        if (op == ir::Op::add)
          run([](const Value& a, const Value& b) { return Algebra::join_add(a, b); }, static_cast<Value*>(nullptr));
        else run([](const Value& a, const Value& b) { return Algebra::join_mul(a, b); }, static_cast<Value*>(nullptr));
        return std::nullopt;
      } else {
        return this->missing(op);
      }
    });
  }

  std::optional<Fault> put(ir::Scalar scalar, std::uint64_t bits, const ErrorInterval& error, std::byte* out) const {
    return this->with_scalar(scalar, [&](auto algebra) -> std::optional<Fault> {
      using Algebra = decltype(algebra);
      if constexpr (!has_errors<Algebra>) {
        return this->without_format();
      } else {
        using Native = typename Algebra::Native;
        Native result{};
        std::memcpy(&result, &bits, sizeof result);
        const auto value = error.is_zero() ? Algebra::exactly(result) : Algebra::make(result, error);
        std::memcpy(out, &value, sizeof value);
        return std::nullopt;
      }
    });
  }

  struct Parts {
    std::uint64_t bits = 0;
    Doubt doubt{};
    ErrorInterval error;  ///< the error of this result
    double bound = 0;     ///< the stated bound: of this result, or of the result in any order
  };
  Parts parts_of(ir::Scalar scalar, const std::byte* bytes) const {
    return this->with_scalar(scalar, [&](auto algebra) -> Parts {
      using Algebra = decltype(algebra);
      if constexpr (!has_errors<Algebra>) {
        return {};
      } else {
        typename Algebra::Value value;
        std::memcpy(&value, bytes, sizeof value);
        Parts out;
        const auto fill = [&](const auto& base) {
          std::memcpy(&out.bits, &base.result, sizeof base.result);
          out.error = base.error;
          out.doubt = base.doubt;
          out.bound = base.error.magnitude();
        };
        if constexpr (any_order) {
          fill(value.base);
          out.doubt = value.doubt;
          out.bound = Algebra::spread(value);
        } else {
          fill(value);
        }
        return out;
      }
    });
  }
};

// These loops are compiled in narrow.cpp and narrow_any.cpp.
#define RECKON_NARROW_BOUNDS(linkage, any_order, Algebra)                                                 \
  RECKON_ARRAY_LOOPS(linkage, BoundSemantics<any_order>, Algebra<float_algebra::For<ir::Scalar::f16>>)    \
  RECKON_ARRAY_LOOPS(linkage, BoundSemantics<any_order>, Algebra<float_algebra::For<ir::Scalar::bf16>>)   \
  RECKON_ARRAY_LOOPS(linkage, BoundSemantics<any_order>, Algebra<float_algebra::For<ir::Scalar::tf32>>)   \
  RECKON_ARRAY_LOOPS(linkage, BoundSemantics<any_order>, Algebra<float_algebra::For<ir::Scalar::f8e4m3>>) \
  RECKON_ARRAY_LOOPS(linkage, BoundSemantics<any_order>, Algebra<float_algebra::For<ir::Scalar::f8e5m2>>) \
  RECKON_ARRAY_LOOPS(linkage, BoundSemantics<any_order>, Algebra<float_algebra::For<ir::Scalar::f6e3m2>>) \
  RECKON_ARRAY_LOOPS(linkage, BoundSemantics<any_order>, Algebra<float_algebra::For<ir::Scalar::f6e2m3>>) \
  RECKON_ARRAY_LOOPS(linkage, BoundSemantics<any_order>, Algebra<float_algebra::For<ir::Scalar::f4e2m1>>)
RECKON_NARROW_BOUNDS(extern, false, BoundAlgebra)
RECKON_NARROW_BOUNDS(extern, true, AnyOrderAlgebra)

/// Each of the two is compiled in its own source, since both take long.
std::unique_ptr<Semantics> make_bound_any();

}  // namespace reckon::interp
