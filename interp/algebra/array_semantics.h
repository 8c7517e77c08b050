// Array kernels made from an algebra.
//
// A semantics derives from ArraySemantics<Itself> and gives an algebra for each scalar type, `algebra<S>()`. An algebra
// defines `Value` and, by the names of ops.def, the operations that it has and no others:
//   Value add(const Value&, const Value&)                      an operation; comparisons give bool or Truth
//   const FaultText* div(Value& out, const Value&, const Value&)   one that may have no value: null is success
//   void array(operations::fma, const Value* a, ..., Value* out, std::size_t count)   over whole arrays, where faster;
//                                                              it may return a const FaultText* instead of void
//   Value hull(const Value&, const Value&)                     what `select` gives for an unknown condition
//   Value convert(const FromAlgebra&, const FromAlgebra::Value&)   from another scalar type
// Integers are the same under every semantics (words.h), unless it has algebras of its own for them and says so:
// `has_own_words`. `from_index` makes a float from an integer. A semantics itself defines the way back, and bit
// patterns: `std::optional<Fault> to_word(Scalar from, const std::byte*, Scalar to, std::uint64_t& pattern)`, and
// `keeps_patterns`, which says that `bits` and `load` convert between values and patterns. An operation that is missing
// becomes E0501 at its place. NoAlgebra is for a scalar type without values (E0500). ops.def is the only list of
// operations: adding one needs no edit here. The requires-expressions below name their own parameters: g++ 12 finds
// nothing through captured variables.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/number_without_format.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "interp/algebra/words.h"
#include "interp/kleene.h"
#include "ir/call_by_name.h"
#include "numerics/format.h"

namespace reckon::interp {

namespace operations = ir::operations;

struct NoAlgebra {
  using Value = std::uint8_t;
};

/// How a bool is shown: the same under every semantics.
inline Rendering render_truth(const std::byte* value) {
  const auto truth = static_cast<Truth>(*value);
  std::string text = truth == Truth::yes ? "true" : truth == Truth::no ? "false" : "unknown";
  return {text, {{"value", text}}};
}

/// Compares bools; the answer is unknown if one of them is.
inline Truth equal_truths(const std::byte* a, const std::byte* b) {
  const auto x = static_cast<Truth>(*a), y = static_cast<Truth>(*b);
  if (x == Truth::unknown || y == Truth::unknown) return Truth::unknown;
  return x == y ? Truth::yes : Truth::no;
}

/// Loads bools; any byte but 0 is true.
inline void load_truths(const std::uint8_t* bytes, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(bytes[i] != 0 ? Truth::yes : Truth::no);
}

/// Declares (with `extern`) or defines (with an empty argument) the loops of a semantics over values of an algebra.
/// A semantics that has one algebra for each format spreads its loops over several sources: in a single one they would
/// compile for half a minute.
#define RECKON_ARRAY_LOOPS(linkage, Derived, Algebra)                                                            \
  linkage template std::optional<Fault> ArraySemantics<Derived>::apply_scalar(Algebra&, ir::Op, ir::Scalar,      \
                                                                              const ArraySemantics<Derived>::Space&) const;

template <class Derived>
class ArraySemantics : public Semantics {
 public:
  std::size_t size(ir::Scalar scalar) const override {
    if (scalar == ir::Scalar::boolean) return 1;
    if (is_word(scalar)) return static_cast<std::size_t>(ir::byte_width(scalar));
    return with_scalar(scalar, [](auto algebra) { return sizeof(typename decltype(algebra)::Value); });
  }

  std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                             std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) override {
    const Space space{operands, out, out_row_stride, rows, columns};
    switch (ir::traits(op).result) {
      case ir::ResultRule::logic: return logic(op, space);
      case ir::ResultRule::choose:
        if (is_word(to)) return words::apply(this->name(), op, from, to, operands, out, out_row_stride, rows, columns);
        return select(to, space);
      case ir::ResultRule::cast: return convert(op, from, to, space);
      default:
        if (from == ir::Scalar::boolean) return missing(op);
        if (is_word(from))
          return words::apply(this->name(), op, from, to, operands, out, out_row_stride, rows, columns);
        return with_scalar(from, [&](auto algebra) { return apply_scalar(algebra, op, from, space); });
    }
  }

  std::optional<Fault> accumulate(ir::Op op, ir::Scalar scalar, std::byte* accumulator, Rows operand, std::size_t rows,
                                  std::size_t columns) override {
    if (is_word(scalar)) return words::accumulate(this->name(), op, scalar, accumulator, operand, rows, columns);
    return with_scalar(scalar, [&](auto algebra) -> std::optional<Fault> {
      if constexpr (std::is_same_v<decltype(algebra), NoAlgebra>) return without_format(scalar);
      switch (op) {
#define RECKON_SCALAR(name, arity, spelling, result)                                              \
  case ir::Op::name:                                                                              \
    if constexpr (arity == 2 && ir::ResultRule::result == ir::ResultRule::same) {                 \
      return accumulate_rows<operations::name>(algebra, op, accumulator, operand, rows, columns); \
    }                                                                                             \
    break;
#include "ir/ops.def"
        default: break;
      }
      return missing(op);
    });
  }

  std::optional<Fault> accumulate_products(ir::Scalar scalar, std::byte* accumulator, Rows left, Rows right,
                                           std::size_t rows, std::size_t columns) override {
    if (is_word(scalar)) return Semantics::accumulate_products(scalar, accumulator, left, right, rows, columns);
    return with_scalar(scalar, [&](auto algebra) -> std::optional<Fault> {
      using Algebra = decltype(algebra);
      if constexpr (requires(Algebra & a, const typename Algebra::Value& v) { operations::fma::call(a, v, v, v); }) {
        using Value = typename Algebra::Value;
        auto* total = reinterpret_cast<Value*>(accumulator);
        const auto* x = reinterpret_cast<const Value*>(left.data);
        const auto* y = reinterpret_cast<const Value*>(right.data);
        if (columns == 1) {
          Value sum = total[0];
          for (std::size_t r = 0; r < rows; ++r, x += left.row_stride, y += right.row_stride)
            sum = operations::fma::call(algebra, *x, *y, std::as_const(sum));
          total[0] = sum;
          return std::nullopt;
        }
        if constexpr (!requires(Algebra & a, const Value* p, Value* r) {
                        a.array(operations::fma{}, p, p, p, r, std::size_t{});
                      }) {
          for (std::size_t r = 0; r < rows; ++r, x += left.row_stride, y += right.row_stride) {
#pragma GCC ivdep
            for (std::size_t c = 0; c < columns; ++c)
              total[c] = operations::fma::call(algebra, x[c], y[c], std::as_const(total[c]));
          }
          return std::nullopt;
        }
      }
      return Semantics::accumulate_products(scalar, accumulator, left, right, rows, columns);
    });
  }

 protected:
  /// `load` for a semantics that makes a value from one pattern at a time: `make(pattern, i)`, which may give a fault.
  template <class Make>
  static std::optional<Fault> load_patterns(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                                            std::byte* out, Make&& make) {
    if (scalar == ir::Scalar::boolean) {
      load_truths(bytes, count, out);
      return std::nullopt;
    }
    if (scalar == ir::Scalar::number) return Fault{code::bad_argument, "a `number` has no bit pattern", ""};
    const auto width = static_cast<std::size_t>(ir::byte_width(scalar));
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t pattern = 0;
      std::memcpy(&pattern, bytes + i * width, width);
      if (auto fault = make(pattern, i)) return fault;
    }
    return std::nullopt;
  }

  Fault missing(ir::Op op) const {
    if (ir::is_approximate(op)) {
      return {code::unsupported_operation,
              fmt::format("the interpreter has no `{}`: only a GPU has that instruction", ir::traits(op).spelling),
              fmt::format("write `{}`, which has the same bits everywhere, or run the circuit with "
                          "`reckon call --on=gpu`",
                          ir::exact_spelling(op))};
    }
    return {code::unsupported_operation,
            fmt::format("`{}` has no meaning under `{}`", ir::traits(op).spelling, this->name()),
            {}};
  }

  /// The fault for `number`, and for formats that the semantics does not have.
  Fault without_format(ir::Scalar scalar = ir::Scalar::number) const {
    if (ir::is_float(scalar)) {
      std::string why;
      if constexpr (requires { Derived::why_without_format; }) why = fmt::format(": {}", Derived::why_without_format);
      return {code::unsupported_operation,
              fmt::format("`{}` has no meaning under `{}`{}", ir::scalar_name(scalar), this->name(), why),
              "write the circuit in a wider format, such as f32, for this question"};
    }
    return {code::number_without_format, fmt::format("a `number` has no format under `{}`", this->name()),
            "give it a format, for example `f64(...)`"};
  }

  /// Whether values of the type are integers as words.h has them.
  static constexpr bool is_word(ir::Scalar scalar) {
    if constexpr (requires { Derived::has_own_words; }) return false;
    else return ir::is_integer(scalar);
  }

  /// Not for integers, unless the semantics has algebras of its own for them.
  template <class Function>
  auto with_scalar(ir::Scalar scalar, Function&& function) const {
    const auto& self = static_cast<const Derived&>(*this);
    switch (scalar) {
#define RECKON_FORMAT(name, ...) \
  case ir::Scalar::name: return function(self.template algebra<ir::Scalar::name>());
#include "numerics/formats.def"
      default: break;
    }
    if constexpr (requires { Derived::has_own_words; }) {
#define RECKON_INTEGER(name, ...) \
  if (scalar == ir::Scalar::name) return function(self.template algebra<ir::Scalar::name>());
#include "numerics/integers.def"
    }
    return function(self.template algebra<ir::Scalar::number>());
  }

 private:
  struct Space {
    const Rows* operands;
    std::byte* out;
    std::ptrdiff_t out_row_stride;
    std::size_t rows, columns;
  };

  /// Not inline, see RECKON_ARRAY_LOOPS.
  template <class Algebra>
  std::optional<Fault> apply_scalar(Algebra& algebra, ir::Op op, ir::Scalar from, const Space& space) const;

  template <class Result>
  static Result as_result(const auto& value) {
    if constexpr (std::is_same_v<Result, Truth> && std::is_same_v<std::decay_t<decltype(value)>, bool>) {
      return value ? Truth::yes : Truth::no;
    } else {
      return Result(value);
    }
  }

  /// Runs an array form and returns its fault, if it has one.
  static std::optional<Fault> whole(auto&& run) {
    if constexpr (std::is_void_v<decltype(run())>) {
      run();
    } else if (const FaultText* text = run()) {
      return as_fault(*text);
    }
    return std::nullopt;
  }

  template <class Operation, int arity, class Result, class Algebra>
  std::optional<Fault> operation(Algebra& algebra, ir::Op op, const Space& space) const {
    using Value = typename Algebra::Value;
    if constexpr (arity == 1) {
      return each<1, Result, Value>(space, [&](Result* out, auto a, std::size_t n, auto step) -> std::optional<Fault> {
        if constexpr (requires(Algebra & a, const Value* p, Result* r) { a.array(Operation{}, p, r, std::size_t{}); }) {
          if (step.unit()) return whole([&] { return algebra.array(Operation{}, a, out, n); });
        }
        if constexpr (requires(Algebra & a, const Value& v) { Operation::call(a, v); }) {
#pragma GCC ivdep
          for (std::size_t i = 0; i < n; ++i)
            out[step.out(i)] = as_result<Result>(Operation::call(algebra, a[step.a(i)]));
          return std::nullopt;
        } else if constexpr (requires(Algebra & a, Result & r, const Value& v) { Operation::call(a, r, v); }) {
          for (std::size_t i = 0; i < n; ++i) {
            if (const FaultText* text = Operation::call(algebra, out[step.out(i)], a[step.a(i)]))
              return as_fault(*text);
          }
          return std::nullopt;
        } else {
          return missing(op);
        }
      });
    } else if constexpr (arity == 2) {
      return each<2, Result, Value, Value>(
          space, [&](Result* out, auto a, auto b, std::size_t n, auto step) -> std::optional<Fault> {
            if constexpr (requires(Algebra & a, const Value* p, Result* r) {
                            a.array(Operation{}, p, p, r, std::size_t{});
                          }) {
              if (step.unit()) return whole([&] { return algebra.array(Operation{}, a, b, out, n); });
            }
            if constexpr (requires(Algebra & a, const Value& v) { Operation::call(a, v, v); }) {
#pragma GCC ivdep
              for (std::size_t i = 0; i < n; ++i) {
                out[step.out(i)] = as_result<Result>(Operation::call(algebra, a[step.a(i)], b[step.b(i)]));
              }
              return std::nullopt;
            } else if constexpr (requires(Algebra & a, Result & r, const Value& v) { Operation::call(a, r, v, v); }) {
              for (std::size_t i = 0; i < n; ++i) {
                const FaultText* text = Operation::call(algebra, out[step.out(i)], a[step.a(i)], b[step.b(i)]);
                if (text) return as_fault(*text);
              }
              return std::nullopt;
            } else {
              return missing(op);
            }
          });
    } else {
      return each<3, Result, Value, Value, Value>(
          space, [&](Result* out, auto a, auto b, auto c, std::size_t n, auto step) -> std::optional<Fault> {
            if constexpr (requires(Algebra & a, const Value* p, Result* r) {
                            a.array(Operation{}, p, p, p, r, std::size_t{});
                          }) {
              if (step.unit()) return whole([&] { return algebra.array(Operation{}, a, b, c, out, n); });
            }
            if constexpr (requires(Algebra & a, const Value& v) { Operation::call(a, v, v, v); }) {
#pragma GCC ivdep
              for (std::size_t i = 0; i < n; ++i) {
                out[step.out(i)] =
                    as_result<Result>(Operation::call(algebra, a[step.a(i)], b[step.b(i)], c[step.c(i)]));
              }
              return std::nullopt;
            } else {
              return missing(op);
            }
          });
    }
  }

  // Unit: the elements are contiguous. Strided: they are a column of a block of rows.
  struct Unit {
    static constexpr bool unit() { return true; }
    static constexpr std::size_t out(std::size_t i) { return i; }
    static constexpr std::size_t a(std::size_t i) { return i; }
    static constexpr std::size_t b(std::size_t i) { return i; }
    static constexpr std::size_t c(std::size_t i) { return i; }
  };
  struct Strided {
    std::size_t strides[4];
    static constexpr bool unit() { return false; }
    std::size_t out(std::size_t i) const { return i * strides[0]; }
    std::size_t a(std::size_t i) const { return i * strides[1]; }
    std::size_t b(std::size_t i) const { return i * strides[2]; }
    std::size_t c(std::size_t i) const { return i * strides[3]; }
  };

  /// Calls run(out, operands..., count, step) for pieces that cover the space and are as long as possible.
  template <int arity, class Result, class... V, class Run>
  static std::optional<Fault> each(const Space& space, Run&& run) {
    return each_indexed<Result, V...>(space, run, std::make_index_sequence<arity>{});
  }

  template <class Result, class... V, class Run, std::size_t... k>
  static std::optional<Fault> each_indexed(const Space& space, Run& run, std::index_sequence<k...>) {
    auto* out = reinterpret_cast<Result*>(space.out);
    const auto columns = static_cast<std::ptrdiff_t>(space.columns);
    const bool flat =
        space.rows == 1 || (space.out_row_stride == columns && ((space.operands[k].row_stride == columns) && ...));
    if (flat) {
      return run(out, reinterpret_cast<const V*>(space.operands[k].data)..., space.rows * space.columns, Unit{});
    }
    if (space.columns <= narrow && space.rows > space.columns) {
      Strided step{{static_cast<std::size_t>(space.out_row_stride)}};
      ((step.strides[k + 1] = static_cast<std::size_t>(space.operands[k].row_stride)), ...);
      for (std::ptrdiff_t c = 0; c < columns; ++c) {
        if (auto fault = run(out + c, (reinterpret_cast<const V*>(space.operands[k].data) + c)..., space.rows, step))
          return fault;
      }
      return std::nullopt;
    }
    for (std::size_t r = 0; r < space.rows; ++r) {
      const auto row = static_cast<std::ptrdiff_t>(r);
      if (auto fault = run(out + row * space.out_row_stride,
                           (reinterpret_cast<const V*>(space.operands[k].data) + row * space.operands[k].row_stride)...,
                           space.columns, Unit{})) {
        return fault;
      }
    }
    return std::nullopt;
  }
  static constexpr std::size_t narrow = 4;  ///< up to so many columns, each column is folded by itself

  template <class Operation, class Algebra>
  std::optional<Fault> accumulate_rows(Algebra& algebra, ir::Op op, std::byte* accumulator, Rows operand,
                                       std::size_t rows, std::size_t columns) const {
    using Value = typename Algebra::Value;
    auto* total = reinterpret_cast<Value*>(accumulator);
    const auto* in = reinterpret_cast<const Value*>(operand.data);
    if constexpr (std::is_same_v<Algebra, NoAlgebra>) {
      return without_format();
    } else if constexpr (requires(Algebra & a, const Value& v) { Operation::call(a, v, v); }) {
      if (columns <= narrow) {
        for (std::size_t c = 0; c < columns; ++c) {
          Value sum = total[c];
          for (std::size_t r = 0; r < rows; ++r) {
            sum = Operation::call(
                algebra, std::as_const(sum),
                in[static_cast<std::ptrdiff_t>(r) * operand.row_stride + static_cast<std::ptrdiff_t>(c)]);
          }
          total[c] = sum;
        }
        return std::nullopt;
      }
      for (std::size_t r = 0; r < rows; ++r, in += operand.row_stride) {
        if constexpr (requires(Algebra & a, const Value* p, Value* q) { a.array(Operation{}, p, p, q, std::size_t{}); }) {
          if (auto fault = whole([&] { return algebra.array(Operation{}, total, in, total, columns); })) return fault;
          continue;
        }
#pragma GCC ivdep
        for (std::size_t c = 0; c < columns; ++c) total[c] = Operation::call(algebra, std::as_const(total[c]), in[c]);
      }
      return std::nullopt;
    } else if constexpr (requires(Algebra & a, Value & out, const Value& v) { Operation::call(a, out, v, v); }) {
      for (std::size_t r = 0; r < rows; ++r, in += operand.row_stride) {
        for (std::size_t c = 0; c < columns; ++c) {
          const Value before = total[c];
          if (const FaultText* text = Operation::call(algebra, total[c], before, in[c])) return as_fault(*text);
        }
      }
      return std::nullopt;
    } else {
      return missing(op);
    }
  }

  std::optional<Fault> logic(ir::Op op, const Space& space) const {
    if (op == ir::Op::logical_not) {
      return each<1, Truth, Truth>(space, [](Truth* out, auto a, std::size_t n, auto step) -> std::optional<Fault> {
        for (std::size_t i = 0; i < n; ++i) out[step.out(i)] = kleene::negation(a[step.a(i)]);
        return std::nullopt;
      });
    }
    const bool both = op == ir::Op::logical_and;
    return each<2, Truth, Truth, Truth>(
        space, [&](Truth* out, auto a, auto b, std::size_t n, auto step) -> std::optional<Fault> {
          for (std::size_t i = 0; i < n; ++i) {
            const Truth x = a[step.a(i)], y = b[step.b(i)];
            out[step.out(i)] = both ? kleene::conjunction(x, y) : kleene::disjunction(x, y);
          }
          return std::nullopt;
        });
  }

  std::optional<Fault> select(ir::Scalar scalar, const Space& space) const {
    if (scalar == ir::Scalar::boolean) {
      return each<3, Truth, Truth, Truth, Truth>(
          space, [](Truth* out, auto c, auto a, auto b, std::size_t n, auto step) -> std::optional<Fault> {
            for (std::size_t i = 0; i < n; ++i) {
              const Truth which = c[step.a(i)], x = a[step.b(i)], y = b[step.c(i)];
              out[step.out(i)] = which == Truth::yes || x == y ? x : (which == Truth::no ? y : Truth::unknown);
            }
            return std::nullopt;
          });
    }
    return with_scalar(scalar, [&](auto algebra) -> std::optional<Fault> {
      using Algebra = decltype(algebra);
      using Value = typename Algebra::Value;
      if constexpr (std::is_same_v<Algebra, NoAlgebra>) return without_format(scalar);
      return each<3, Value, Truth, Value, Value>(
          space, [&](Value* out, auto c, auto a, auto b, std::size_t n, auto step) -> std::optional<Fault> {
            if constexpr (requires(Algebra & x, const Value& v) { x.hull(v, v); }) {
              for (std::size_t i = 0; i < n; ++i) {
                const Truth which = c[step.a(i)];
                out[step.out(i)] = which == Truth::unknown ? algebra.hull(a[step.b(i)], b[step.c(i)])
                                                           : (which == Truth::yes ? a[step.b(i)] : b[step.c(i)]);
              }
              return std::nullopt;
            } else {
              bool undecided = false;
#pragma GCC ivdep
              for (std::size_t i = 0; i < n; ++i) {
                undecided |= c[step.a(i)] == Truth::unknown;
                out[step.out(i)] = c[step.a(i)] == Truth::yes ? a[step.b(i)] : b[step.c(i)];
              }
              return undecided ? std::optional(this->undecided(scalar)) : std::nullopt;
            }
          });
    });
  }

  /// A value that stands for one number alone cannot stand for either of two.
  Fault undecided(ir::Scalar scalar) const {
    return {code::unsupported_operation,
            fmt::format("`select` between values of type `{}` depends on a comparison that `{}` does not decide here",
                        ir::scalar_name(scalar), this->name()),
            ""};
  }

  /// Converts one value from integers to a format or back, or takes or makes its bit pattern.
  std::optional<Fault> cast_word(ir::Op op, ir::Scalar from, ir::Scalar to, const std::byte* in, std::byte* out) const {
    const auto& self = static_cast<const Derived&>(*this);
    if (op != ir::Op::convert) {
      if constexpr (requires { Derived::keeps_patterns; }) {
        if (op == ir::Op::bits) return words::put(to, *self.bits(from, in), out), std::nullopt;
        const std::uint64_t pattern = words::at(from, in) & numerics::storage_mask(ir::format_of(to));
        std::uint8_t bytes[sizeof pattern];
        std::memcpy(bytes, &pattern, sizeof pattern);
        return self.load(to, bytes, 1, out);
      } else {
        return Fault{code::unsupported_operation,
                     fmt::format("`{}` has no meaning under `{}`: its values are no bit patterns",
                                 ir::traits(op).spelling, this->name()),
                     "`float` and `fpsan` have patterns"};
      }
    }
    if (ir::is_integer(from)) return words::to_number(self, from, in, to, out);
    std::uint64_t word = 0;
    if constexpr (requires { self.to_word(from, in, to, word); }) {
      if (auto fault = self.to_word(from, in, to, word)) return fault;
      words::put(to, word, out);
      return std::nullopt;
    } else {
      return Fault{code::unsupported_operation,
                   fmt::format("`{}` of a float has no meaning under `{}`: {} is one integer", ir::scalar_name(to),
                               this->name(), ir::with_article(to)),
                   ""};
    }
  }

  std::optional<Fault> cast_words(ir::Op op, ir::Scalar from, ir::Scalar to, const Space& space) const {
    const auto in_size = static_cast<std::ptrdiff_t>(size(from)), out_size = static_cast<std::ptrdiff_t>(size(to));
    for (std::size_t r = 0; r < space.rows; ++r) {
      const auto row = static_cast<std::ptrdiff_t>(r);
      const std::byte* in = space.operands[0].data + row * space.operands[0].row_stride * in_size;
      std::byte* out = space.out + row * space.out_row_stride * out_size;
      for (std::size_t c = 0; c < space.columns; ++c, in += in_size, out += out_size) {
        if (auto fault = cast_word(op, from, to, in, out)) return fault;
      }
    }
    return std::nullopt;
  }

  std::optional<Fault> convert(ir::Op op, ir::Scalar from, ir::Scalar to, const Space& space) const {
    if (from == ir::Scalar::boolean || to == ir::Scalar::boolean) return missing(ir::Op::convert);
    if (is_word(from) && is_word(to)) {
      return words::apply(this->name(), op, from, to, space.operands, space.out, space.out_row_stride, space.rows,
                          space.columns);
    }
    if (is_word(from) || is_word(to)) {
      const ir::Scalar number = is_word(from) ? to : from;
      const bool exists =
          with_scalar(number, [](auto algebra) { return !std::is_same_v<decltype(algebra), NoAlgebra>; });
      return exists ? cast_words(op, from, to, space) : without_format(number);
    }
    return with_scalar(from, [&](auto source) {
      return with_scalar(to, [&](auto target) -> std::optional<Fault> {
        using Source = decltype(source);
        using Target = decltype(target);
        using In = typename Source::Value;
        using Out = typename Target::Value;
        if constexpr (std::is_same_v<Source, NoAlgebra> || std::is_same_v<Target, NoAlgebra>) {
          return without_format(std::is_same_v<Source, NoAlgebra> ? from : to);
        } else {
          return each<1, Out, In>(space, [&](Out* out, auto a, std::size_t n, auto step) -> std::optional<Fault> {
            if constexpr (requires(Target & t, const Source& s, const In& v) { t.convert(s, v); }) {
#pragma GCC ivdep
              for (std::size_t i = 0; i < n; ++i) out[step.out(i)] = target.convert(source, a[step.a(i)]);
              return std::nullopt;
            } else {
              return missing(ir::Op::convert);
            }
          });
        }
      });
    });
  }
};

template <class Derived>
template <class Algebra>
std::optional<Fault> ArraySemantics<Derived>::apply_scalar(Algebra& algebra, ir::Op op, ir::Scalar from,
                                                           const Space& space) const {
  if constexpr (std::is_same_v<Algebra, NoAlgebra>) return without_format(from);
  switch (op) {
#define RECKON_SCALAR(name, arity, spelling, result)                                        \
  case ir::Op::name:                                                                        \
    if constexpr (ir::ResultRule::result == ir::ResultRule::same)                           \
      return operation<operations::name, arity, typename Algebra::Value>(algebra, op, space); \
    else if constexpr (ir::ResultRule::result == ir::ResultRule::truth)                     \
      return operation<operations::name, arity, Truth>(algebra, op, space);                 \
    break;
#include "ir/ops.def"
    default: break;
  }
  return missing(op);
}

}  // namespace reckon::interp
