// How a class of reckon/semantics.h becomes array kernels: the evaluator calls one function for a batch of about a
// thousand elements, and the loop over them is compiled here, in the program that has the class. No exception leaves a
// kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace reckon::semantics {

/// What is known of a comparison. The byte is that of a bool of the evaluator.
enum class Truth : std::uint8_t { no = 0, yes = 1, unknown = 2 };

/// A format of the language. The numbers are those of IEEE 754.
struct Format {
  std::string_view name;  ///< `f32`
  int width = 0;          ///< bits of a pattern
  int precision = 0;      ///< bits of the significand, the hidden one included
  int emin = 0, emax = 0;
  double largest = 0;      ///< finite number
  bool saturates = false;  ///< a number beyond the largest one becomes the largest one, and no infinity
  bool has_nan = true;     ///< false: a NaN becomes the largest number
};

/// The number of the format that is nearest to x, ties to even.
inline double rounded(double x, const Format& format) {
  constexpr int f64_precision = 53;
  if (std::isnan(x) && !format.has_nan) return format.largest;
  if (format.precision >= f64_precision || x == 0 || std::isnan(x)) return x;
  if (!std::isinf(x)) {
    const int exponent = std::max(std::ilogb(x), format.emin) - format.precision + 1;  // of the last place
    x = std::ldexp(std::nearbyint(std::ldexp(x, -exponent)), exponent);
  }
  if (std::fabs(x) <= format.largest) return x;
  return std::copysign(format.saturates ? format.largest : std::numeric_limits<double>::infinity(), x);
}

/// A number that stands in the program's text, or follows from it.
struct Literal {
  double nearest = 0;                  ///< rounded once to the format, as `float` has it; may be an infinity or a NaN
  double low = 0, high = 0;            ///< the number lies between them; they are equal if it is an f64
  std::string numerator, denominator;  ///< of a rational number, in decimal; empty for others (`pi`)
};

/// Reals between which a value lies, for `within`.
struct Enclosure {
  double low = 0, high = 0;
};

/// What a class states about itself (`static constexpr Properties properties`). Checks and sets of orders rely on it.
struct Properties {
  /// A value contains the real result for every input of a range. Checks take whole ranges, and `holds` is a proof;
  /// every order of a sum encloses the same real, so that `by any` has a meaning.
  bool encloses = false;
  /// A value is a set of reals (its `enclosure`): one that lies partly outside of a range may do so by its width alone.
  bool sets = false;
  /// A value is one real number, and + - * are those of the reals.
  bool exact = false;
  /// A value is an element of a ring, and + - * are the ring's: equality says that the algebra agrees.
  bool ring = false;
  /// Checks may use several objects at the same time, each of them on one thread.
  bool parallel = true;
};

/// Thrown by an operation that has no value for these operands.
class NoValue : public std::exception {
 public:
  explicit NoValue(std::string why, std::string help = {}) : why_(std::move(why)), help_(std::move(help)) {}
  const char* what() const noexcept override { return why_.c_str(); }
  const std::string& help() const { return help_; }

 private:
  std::string why_, help_;
};

enum class Operation : std::uint8_t {
#define RECKON_OPERATION(name, operands) name,
#include "operations.def"
};

/// Why a kernel gave nothing.
struct Failure {
  enum class Kind : std::uint8_t { missing, no_value, thrown, no_memory } kind{};
  std::string message, help;
};
using Outcome = std::optional<Failure>;

/// Element (row, column) is the one at row * row_stride + column.
struct Operand {
  const std::byte* data = nullptr;
  std::ptrdiff_t row_stride = 0;
};
/// `out` may be one of the operands.
struct Block {
  std::array<Operand, 3> operands;
  std::byte* out = nullptr;
  std::ptrdiff_t out_row_stride = 0;
  std::size_t rows = 0, columns = 0;
};

/// A class and its object, as the evaluator sees them.
class Kernels {
 public:
  virtual ~Kernels() = default;
  struct Values {
    const std::type_info* type = nullptr;  ///< of the class
    std::size_t size = 0;
    bool trivial = true;  ///< values are copied as bytes
    bool has_equality = false, has_enclosures = false;
  };
  virtual Values values() const noexcept = 0;
  virtual Properties properties() const noexcept = 0;

  /// For values that are not trivial.
  virtual void construct(std::byte* out, std::size_t count) noexcept = 0;
  virtual void destroy(std::byte* values, std::size_t count) noexcept = 0;
  virtual Outcome gather(const std::byte* in, const std::int64_t* index, std::byte* out,
                         std::size_t count) noexcept = 0;

  virtual Outcome numbers(const Format& format, const double* in, std::size_t count, std::byte* out) noexcept = 0;
  virtual Outcome literal(const Format& format, const Literal& literal, std::byte* out) noexcept = 0;
  virtual Outcome ranges(const Format& format, double low, double high, std::size_t count, std::byte* out) noexcept = 0;

  virtual Outcome apply(Operation operation, const Format& format, const Block& block) noexcept = 0;
  virtual Outcome select(const Block& block) noexcept = 0;
  virtual Outcome convert(const Format& from, const Format& to, const Block& block) noexcept = 0;
  /// total(c) = operation(total(c), in(r, c)) for r = 0, 1, ...
  virtual Outcome accumulate(Operation operation, const Format& format, std::byte* total, Operand in, std::size_t rows,
                             std::size_t columns) noexcept = 0;
  /// total(c) = fma(left(r, c), right(r, c), total(c)) for r = 0, 1, ...
  virtual Outcome accumulate_products(const Format& format, std::byte* total, Operand left, Operand right,
                                      std::size_t rows, std::size_t columns) noexcept = 0;

  using Named = std::vector<std::pair<std::string, std::string>>;
  virtual Outcome text(const std::byte* value, std::string& text, Named& forms) noexcept = 0;
  virtual Outcome same(const std::byte* a, const std::byte* b, Truth& out) noexcept = 0;
  virtual Outcome enclosure(const std::byte* value, std::optional<Enclosure>& out) noexcept = 0;
  /// The float that is nearest to the value, if the class gives it.
  virtual Outcome as_float(const std::byte* value, std::optional<double>& out) noexcept = 0;
  virtual Outcome summary(Named& out) noexcept = 0;
};

namespace detail {

/// Member functions as types, so that one template calls them all.
struct Members {
#define RECKON_SEMANTICS_MEMBER(name)                                           \
  struct name {                                                                 \
    template <class S, class... A>                                              \
    static constexpr auto call(S& s, const A&... a) -> decltype(s.name(a...)) { \
      return s.name(a...);                                                      \
    }                                                                           \
  };
#define RECKON_OPERATION(name, operands) RECKON_SEMANTICS_MEMBER(name)
#include "operations.def"
  RECKON_SEMANTICS_MEMBER(number)
  RECKON_SEMANTICS_MEMBER(literal)
  RECKON_SEMANTICS_MEMBER(range)
#undef RECKON_SEMANTICS_MEMBER
};

/// Whether a class has this function of such arguments, with or without a format after them.
template <class Member, class S, class... A>
concept Has = requires(S& s, const Format& format, const A&... a) {
  Member::call(s, a..., format);
}
|| requires(S& s, const A&... a) { Member::call(s, a...); };

template <class Member, class S, class... A>
constexpr decltype(auto) invoke(S& s, const Format& format, const A&... a) {
  if constexpr (requires { Member::call(s, a..., format); }) return Member::call(s, a..., format);
  else return Member::call(s, a...);
}

template <class Result>
constexpr Result as_result(const auto& value) {
  if constexpr (std::is_same_v<Result, Truth> && std::is_same_v<std::decay_t<decltype(value)>, bool>) {
    return value ? Truth::yes : Truth::no;
  } else {
    return Result(value);
  }
}

/// What `select` gives: for an unknown condition, the hull of both sides.
template <class S, class V>
V chosen(S& s, Truth first, const V& a, const V& b) {
  if (first != Truth::unknown) return first == Truth::yes ? a : b;
  if constexpr (requires { V(s.hull(a, b)); }) return V(s.hull(a, b));
  else throw NoValue("the condition is unknown, and the class has no function `hull` for that");
}

/// Up to so many columns, each column is folded by itself.
inline constexpr std::size_t narrow = 4;

/// out(r, c) = f(operands(r, c)...)
template <class Result, class... In, class F, std::size_t... k>
void for_each(const Block& block, F& f, std::index_sequence<k...>) {
  auto* out = reinterpret_cast<Result*>(block.out);
  const auto columns = static_cast<std::ptrdiff_t>(block.columns);
  const auto rows = static_cast<std::ptrdiff_t>(block.rows);
  const auto run = [&f](Result* to, std::ptrdiff_t count, const In*... in) {
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = f(in[i]...);
  };
  const auto strided = [&f](Result* to, std::ptrdiff_t step, std::ptrdiff_t count,
                            const std::array<std::ptrdiff_t, 3>& steps, const In*... in) {
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i * step] = f(in[i * steps[k]]...);
  };
  if (rows == 1 || (block.out_row_stride == columns && ((block.operands[k].row_stride == columns) && ...))) {
    return run(out, rows * columns, reinterpret_cast<const In*>(block.operands[k].data)...);
  }
  if (block.columns <= narrow && rows > columns) {
    std::array<std::ptrdiff_t, 3> steps{};
    ((steps[k] = block.operands[k].row_stride), ...);
    for (std::ptrdiff_t c = 0; c < columns; ++c) {
      strided(out + c, block.out_row_stride, rows, steps, (reinterpret_cast<const In*>(block.operands[k].data) + c)...);
    }
    return;
  }
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    run(out + r * block.out_row_stride, columns,
        (reinterpret_cast<const In*>(block.operands[k].data) + r * block.operands[k].row_stride)...);
  }
}
template <class Result, class... In, class F>
void for_each(const Block& block, F&& f) {
  for_each<Result, In...>(block, f, std::index_sequence_for<In...>{});
}

template <class S>
class Adapter final : public Kernels {
 public:
  using Value = typename S::Value;
  static_assert(std::is_nothrow_default_constructible_v<Value> && std::is_nothrow_destructible_v<Value> &&
                    std::is_copy_assignable_v<Value>,
                "a semantics' Value is made without arguments and without an exception, and can be copied");
  static_assert(alignof(Value) <= 64, "a semantics' Value is aligned to 64 bytes at most");
  static_assert(Has<Members::number, S, double>, "a semantics has a function `Value number(double)`");
  static_assert(
      requires(S & s, const Value& v) { std::string(s.text(v)); },
      "a semantics has a function `std::string text(const Value&)`");
  static constexpr Properties stated = [] {
    if constexpr (requires { Properties(S::properties); }) return Properties(S::properties);
    else return Properties{};
  }();
  static constexpr bool has_enclosures = requires(S & s, const Value& v) { s.enclosure(v); };
  static_assert(!stated.encloses || (Has<Members::range, S, double, double> && has_enclosures),
                "a semantics that encloses has functions `Value range(double low, double high)` and `enclosure`");
  static_assert(!(stated.sets || stated.exact) || has_enclosures, "values that are reals have a function `enclosure`");

  explicit Adapter(S s) : s_(std::move(s)) {}

  Values values() const noexcept override {
    return {&typeid(S), sizeof(Value), std::is_trivially_copyable_v<Value>,
            requires(S & s, const Value& v){s.same(v, v);
  }
  , has_enclosures
};
}  // namespace detail
Properties properties() const noexcept override { return stated; }

void construct(std::byte* out, std::size_t count) noexcept override {
  for (std::size_t i = 0; i < count; ++i) new (out + i * sizeof(Value)) Value();
}
void destroy(std::byte* values, std::size_t count) noexcept override { std::destroy_n(at(values), count); }
Outcome gather(const std::byte* in, const std::int64_t* index, std::byte* out, std::size_t count) noexcept override {
  return guarded([&] {
    for (std::size_t i = 0; i < count; ++i) at(out)[i] = at(in)[index[i]];
  });
}

Outcome numbers(const Format& format, const double* in, std::size_t count, std::byte* out) noexcept override {
  return guarded([&] {
    for (std::size_t i = 0; i < count; ++i) at(out)[i] = Value(invoke<Members::number>(s_, format, in[i]));
  });
}
Outcome literal(const Format& format, const Literal& literal, std::byte* out) noexcept override {
  return guarded([&] {
    if constexpr (Has<Members::literal, S, Literal>) *at(out) = Value(invoke<Members::literal>(s_, format, literal));
    else *at(out) = Value(invoke<Members::number>(s_, format, literal.nearest));
  });
}
Outcome ranges(const Format& format, double low, double high, std::size_t count, std::byte* out) noexcept override {
  if constexpr (Has<Members::range, S, double, double>) {
    return guarded([&] {
      for (std::size_t i = 0; i < count; ++i) at(out)[i] = Value(invoke<Members::range>(s_, format, low, high));
    });
  } else {
    return missing("range");
  }
}

Outcome apply(Operation operation, const Format& format, const Block& block) noexcept override {
  switch (operation) {
#define RECKON_VALUES_1 Value
#define RECKON_VALUES_2 Value, Value
#define RECKON_VALUES_3 Value, Value, Value
#define RECKON_OPERATION(name, operands) \
  case Operation::name:                  \
    return applied<Members::name, Value, RECKON_VALUES_##operands>(#name, format, block);
#define RECKON_COMPARISON(name) \
  case Operation::name: return applied<Members::name, Truth, Value, Value>(#name, format, block);
#include "operations.def"
#undef RECKON_VALUES_1
#undef RECKON_VALUES_2
#undef RECKON_VALUES_3
  }
  return missing("operation");
}

Outcome select(const Block& block) noexcept override {
  return guarded([&] {
    for_each<Value, Truth, Value, Value>(block, [&](Truth which, const Value& a, const Value& b) -> Value {
      return chosen(s_, which, a, b);
    });
  });
}

Outcome convert(const Format& from, const Format& to, const Block& block) noexcept override {
  if constexpr (requires(S & s, const Value& v, const Format& f) { Value(s.convert(v, f, f)); }) {
    return guarded([&] {
      for_each<Value, Value>(block, [&](const Value& v) -> Value { return Value(s_.convert(v, from, to)); });
    });
  } else if constexpr (requires(S & s, const Value& v) { Value(s.convert(v)); }) {
    return guarded(
        [&] { for_each<Value, Value>(block, [&](const Value& v) -> Value { return Value(s_.convert(v)); }); });
  } else {
    return missing("convert");
  }
}

Outcome accumulate(Operation operation, const Format& format, std::byte* total, Operand in, std::size_t rows,
                   std::size_t columns) noexcept override {
  switch (operation) {
#define RECKON_OPERATION(name, operands)                                                                       \
  case Operation::name:                                                                                        \
    if constexpr (operands == 2) return accumulated<Members::name>(#name, format, total, in, rows, columns);   \
    else return missing("operation");
#define RECKON_COMPARISON(name)
#include "operations.def"
    default: return missing("operation");
  }
}

Outcome accumulate_products(const Format& format, std::byte* total, Operand left, Operand right, std::size_t rows,
                            std::size_t columns) noexcept override {
  if constexpr (Has<Members::fma, S, Value, Value, Value>) {
    const auto add = [&](std::size_t r, std::size_t c) {
      const auto row = static_cast<std::ptrdiff_t>(r);
      at(total)[c] =
          Value(invoke<Members::fma>(s_, format, at(left.data)[row * left.row_stride + index(c)],
                                     at(right.data)[row * right.row_stride + index(c)], std::as_const(at(total)[c])));
    };
    return guarded([&] { by_columns(rows, columns, add); });
  } else {
    return missing("fma");
  }
}

Outcome text(const std::byte* value, std::string& text, Named& forms) noexcept override {
  return guarded([&] {
    text = s_.text(*at(value));
    if constexpr (requires(S & s, const Value& v) { Named(s.forms(v)); }) forms = s_.forms(*at(value));
  });
}
Outcome same(const std::byte* a, const std::byte* b, Truth& out) noexcept override {
  if constexpr (requires(S & s, const Value& v) { s.same(v, v); }) {
    return guarded([&] { out = as_result<Truth>(s_.same(*at(a), *at(b))); });
  } else {
    return missing("same");
  }
}
Outcome enclosure(const std::byte* value, std::optional<Enclosure>& out) noexcept override {
  if constexpr (has_enclosures) return guarded([&] { out = s_.enclosure(*at(value)); });
  else return missing("enclosure");
}
Outcome as_float(const std::byte* value, std::optional<double>& out) noexcept override {
  if constexpr (requires(S & s, const Value& v) { s.as_float(v); })
    return guarded([&] { out = s_.as_float(*at(value)); });
  else return std::nullopt;
}
Outcome summary(Named& out) noexcept override {
  if constexpr (requires(S & s) { Named(s.summary()); }) return guarded([&] { out = s_.summary(); });
  else return std::nullopt;
}

private:
static Value* at(std::byte* data) { return reinterpret_cast<Value*>(data); }
static const Value* at(const std::byte* data) { return reinterpret_cast<const Value*>(data); }
static std::ptrdiff_t index(std::size_t c) { return static_cast<std::ptrdiff_t>(c); }
static Failure missing(const char* function) { return {Failure::Kind::missing, function, {}}; }

/// Runs `work`; an exception becomes a failure.
template <class Work>
static Outcome guarded(Work&& work) noexcept {
  using Kind = Failure::Kind;
  try {
    work();
    return std::nullopt;
  } catch (const NoValue& none) {
    return Failure{Kind::no_value, none.what(), none.help()};
  } catch (const std::bad_alloc&) {
    return Failure{Kind::no_memory, {}, {}};
  } catch (const std::exception& thrown) {
    return Failure{Kind::thrown, thrown.what(), {}};
  } catch (...) {
    return Failure{Kind::thrown, "an exception that is no std::exception", {}};
  }
}

template <class Member, class Result, class... In>
Outcome applied(const char* name, const Format& format, const Block& block) noexcept {
  if constexpr (Has<Member, S, In...>) {
    return guarded([&] {
      for_each<Result, In...>(block, [&](const In&... in) -> Result {
        return as_result<Result>(invoke<Member>(s_, format, in...));
      });
    });
  } else {
    return missing(name);
  }
}

/// Walks few long columns one after the other, and other blocks row by row.
template <class Each>
static void by_columns(std::size_t rows, std::size_t columns, Each&& each) {
  if (columns <= narrow) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t r = 0; r < rows; ++r) each(r, c);
    }
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) each(r, c);
  }
}

template <class Member>
Outcome accumulated(const char* name, const Format& format, std::byte* total, Operand in, std::size_t rows,
                    std::size_t columns) noexcept {
  if constexpr (Has<Member, S, Value, Value>) {
    return guarded([&] {
      by_columns(rows, columns, [&](std::size_t r, std::size_t c) {
        const Value& next = at(in.data)[static_cast<std::ptrdiff_t>(r) * in.row_stride + index(c)];
        at(total)[c] = Value(invoke<Member>(s_, format, std::as_const(at(total)[c]), next));
      });
    });
  } else {
    return missing(name);
  }
}

S s_;
};  // namespace reckon::semantics

}  // namespace detail

/// Makes the objects of a semantics: one for each evaluation, and one for each thread of a check. A function that gives
/// an object converts to it. If the function takes a `const std::vector<std::string>&`, it gets the arguments in the
/// parentheses: `in mine(3, x)`.
class Maker {
 public:
  struct Made {
    std::unique_ptr<Kernels> kernels;  ///< null: there is none
    std::string why;
  };
  using Arguments = std::vector<std::string>;

  template <class Factory>
  requires(!std::is_same_v<std::decay_t<Factory>, Maker> &&
           (std::is_invocable_v<Factory&> || std::is_invocable_v<Factory&, const Arguments&>)) Maker(Factory factory)
      : takes_arguments_(std::is_invocable_v<Factory&, const Arguments&>) {
    make_ = [factory = std::move(factory)](const Arguments& arguments) mutable {
      Made out;
      try {
        if constexpr (std::is_invocable_v<Factory&, const Arguments&>) out.kernels = adapted(factory(arguments));
        else out.kernels = adapted(factory());
      } catch (const std::exception& thrown) {
        out.why = thrown.what();
      } catch (...) {
        out.why = "an exception that is no std::exception";
      }
      return out;
    };
  }
  bool takes_arguments() const { return takes_arguments_; }
  Made make(const Arguments& arguments) const { return make_(arguments); }

 private:
  template <class S>
  static std::unique_ptr<Kernels> adapted(S s) {
    return std::make_unique<detail::Adapter<S>>(std::move(s));
  }

  bool takes_arguments_ = false;
  std::function<Made(const Arguments&)> make_;
};

}  // namespace reckon::semantics
