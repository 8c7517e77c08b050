// The interface of a semantics: a set of kernels over arrays of its own value type (docs/architecture/semantics.md).
//
// A semantics is a folder semantics/NAME/ and one row in semantics/semantics.def.
// It defines an algebra (array_semantics.h): a value type and the operations that it has; the adaptor makes array
// kernels of them, and an operation that is not defined becomes an error at its place in the source.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnostics/codes/unsupported_operation.h"
#include "diagnostics/diagnostic.h"
#include "driver/traits.h"
#include "ir/laws.h"
#include "ir/module.h"
#include "ir/op.h"
#include "ir/profile.h"
#include "numerics/format.h"
#include "numerics/mma.h"

namespace reckon::interp {

/// Truth values of comparisons: three-valued under `interval` and others. One byte each, under every semantics.
enum class Truth : std::uint8_t { no = 0, yes = 1, unknown = 2 };

/// How one value is shown: its text, and the members of its JSON object in order
/// (docs/command_line.md, "JSON": value, hex, bits; lo, hi; payload, bits).
struct Rendering {
  std::string text;
  std::vector<std::pair<std::string, std::string>> fields;
};

/// Why an operation has no result: a code, a sentence, and possibly what to do.
struct Fault {
  Code code = code::unsupported_operation;
  std::string message;
  std::string help;
  /// The evaluation goes on: every other element has its value, and the elements without a value are empty (interval)
  /// or absent (exact).
  bool leaves_empty = false;
  /// exact: the number of the reason, which those elements carry; 0 if it has none. For another fault, the number that
  /// an operand carried.
  std::int32_t reason = 0;
};

/// An enclosure of the real number that a value stands for, for distances; both ends are equal if it is one number.
struct Enclosure {
  mpq_class low, high;
};

/// The ends of the set of reals that a value stands for; without a number, the set is unbounded on that side. An empty
/// set has none.
struct Ends {
  bool empty = false;
  std::optional<mpq_class> low = std::nullopt, high = std::nullopt;
};
/// What the ends are rounded to: a float format, or so many bits with any exponent.
struct EndFormat {
  std::optional<numerics::Format> format = numerics::Format::f64;
  long bits = 53;
};

/// Whether a set of permitted answers contains one float, and how near it is otherwise.
struct Acceptance {
  bool accepted = true;
  bool anything = false;    ///< every float would be accepted
  double ulps = 0;          ///< not accepted: the distance from the nearest accepted one, in ulps of that one
  std::uint64_t nearest = 0;  ///< not accepted: the pattern of the nearest accepted float
  double used = 0;        ///< accepted: 0 in the middle of what is allowed, 1 at an end; 0 if only one number is
};

/// One operand of a two-dimensional kernel: element (row, column) is at data + (row * row_stride + column) * size.
struct Rows {
  const std::byte* data = nullptr;
  std::ptrdiff_t row_stride = 0;
};

/// How a sum is accumulated that is no tree of additions of two: exactly, and rounded once (`rounded_once`), in bins
/// (`binned`), or by the additions of tensor cores (`mma`).
struct LongSumRule {
  std::optional<std::int64_t> folds = std::nullopt;
  const numerics::MmaUnit* unit = nullptr;
  std::string_view name() const { return unit != nullptr ? "mma" : folds ? "binned" : "rounded_once"; }
};

/// Such sums of many columns at once.
class LongSums {
 public:
  virtual ~LongSums() = default;
  /// Examines rows before any row is added; only if `measures()`.
  virtual void measure(Rows, std::size_t) {}
  virtual bool measures() const { return false; }
  virtual void add(Rows operand, std::size_t rows) = 0;
  virtual void add_products(Rows left, Rows right, std::size_t rows) = 0;
  /// The sums of what was added so far; more may follow.
  virtual void finish(std::byte* out) = 0;
};

/// The parameters of a random element of a ring that a check draws. The element does not depend on the check's other
/// inputs.
struct Draw {
  enum class Sign : std::uint8_t { any, positive, negative } sign = Sign::any;
  std::uint64_t seed = 0;
  std::uint64_t row = 0;  ///< the row of an input that the element belongs to, of all the inputs' rows
};

/// Where a partial operation (a root, a logarithm, a division) has no value, or only a partly known one: the number of
/// the call of `apply`, counted from 0, and the elements of its result. The evaluation ends there with a fault.
struct PartialOperations {
  std::vector<std::size_t> passed_over;  ///< calls that are not examined, ascending
  std::size_t calls = 0;
  bool found = false;
  std::size_t call = 0;
  std::vector<std::size_t> elements;
};
/// The operations that PartialOperations is about: quotients, roots and elementary functions.
constexpr bool is_partial(ir::Op op) {
  return op == ir::Op::div || op == ir::Op::rem || op == ir::Op::sqrt || op == ir::Op::rsqrt || ir::is_elementary(op);
}

class Values;
class PlaceListener;

class Semantics {
 public:
  virtual ~Semantics() = default;

  virtual std::string_view name() const = 0;
  /// A new semantics of the same kind and parameters, for another thread; null if evaluations cannot run in parallel.
  virtual std::unique_ptr<Semantics> another() const { return nullptr; }
  /// The number of pieces into which a check cuts the range of each scalar input, so that enclosures are tighter.
  virtual std::int64_t pieces() const { return 1; }
  /// Sets the flag that ends long operations and questions (exact) without an answer once it is true. Null: nothing
  /// ends them. Returns the previous flag.
  virtual const std::atomic<bool>* stop_when(const std::atomic<bool>* /*flag*/) { return nullptr; }
  /// What other folders must know of the semantics.
  virtual driver::Traits traits() const = 0;

  /// Bytes of one value of a scalar type (a bool is one byte, a Truth). Values are trivially copyable unless
  /// `trivial()` says otherwise.
  virtual std::size_t size(ir::Scalar scalar) const = 0;
  virtual bool trivial() const { return true; }
  virtual void construct(ir::Scalar, std::byte*, std::size_t) const {}
  virtual void destroy(ir::Scalar, std::byte*, std::size_t) const {}
  /// out[i] = in[index[i]]; the default copies `size` bytes.
  virtual void gather(ir::Scalar scalar, const std::byte* in, const std::int64_t* index, std::byte* out,
                      std::size_t count) const;

  // Making values. Each gives a fault instead where the semantics has no such value.
  virtual std::optional<Fault> literal(const ir::Literal& literal, ir::Scalar scalar, std::byte* out) const = 0;
  /// From bit patterns of the format (a bool: bytes 0 or 1).
  virtual std::optional<Fault> load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count,
                                    std::byte* out) const = 0;
  virtual std::optional<Fault> from_index(ir::Scalar scalar, const std::int64_t* values, std::size_t count,
                                          std::byte* out) const = 0;
  /// Every value of a closed range of reals, if values of the semantics are sets.
  virtual std::optional<Fault> range(ir::Scalar scalar, const mpq_class& low, const mpq_class& high,
                                     std::byte* out) const;

  /// `count` reals, each anywhere in the range.
  virtual std::optional<Fault> ranges(ir::Scalar scalar, const mpq_class& low, const mpq_class& high, std::size_t count,
                                      std::byte* out) const;

  // Rings whose checks draw elements of the ring (Traits::draws_values), and pass over elements that are undefined.
  virtual void draw(ir::Scalar, const Draw&, std::byte*) const {}
  /// The number of residues that a drawn element is chosen from, in the field that the Schwartz-Zippel lemma is about.
  virtual double min_choices() const { return 1; }
  /// The operation that made a value undefined, in words (`a square root`); empty for a defined value. For an interval
  /// that contains no number, a text that says so.
  virtual std::string undefined_by(ir::Scalar, const std::byte*) const { return {}; }
  /// The number of the reason that such a value carries (Fault::reason); 0 if it has none.
  virtual std::int32_t reason(ir::Scalar, const std::byte*) const { return 0; }
  /// Whether the ring shows little of what went into a value, so that agreement says less (padic: a multiple of p).
  virtual bool is_degenerate(ir::Scalar, const std::byte*) const { return false; }
  /// Starts recording partial operations without a value; null ends it.
  virtual void watch(PartialOperations*) {}

  /// out(r, c) = op(operands(r, c)...) for r < rows, c < columns; `out` may be one of the operands.
  /// `from` is the operands' number type; `to` the result's (they differ for convert and comparisons only).
  virtual std::optional<Fault> apply(ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands, std::byte* out,
                                     std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) = 0;
  /// accumulator(c) = op(accumulator(c), operand(r, c)) for r = 0, 1, ...: a left fold of rows.
  virtual std::optional<Fault> accumulate(ir::Op op, ir::Scalar scalar, std::byte* accumulator, Rows operand,
                                          std::size_t rows, std::size_t columns) = 0;

  /// accumulator(c) = fma(left(r, c), right(r, c), accumulator(c)) for r = 0, 1, ...
  virtual std::optional<Fault> accumulate_products(ir::Scalar scalar, std::byte* accumulator, Rows left, Rows right,
                                                   std::size_t rows, std::size_t columns);
  /// Makes the sums of `columns` columns. `out` stays empty if plain sums give the same result. By default it stays
  /// empty if addition is exact, and the result is a fault otherwise.
  virtual std::optional<Fault> long_sums(ir::Scalar scalar, std::size_t columns, const LongSumRule& rule,
                                         std::unique_ptr<LongSums>& out);
  /// What is told the places of operations; null: nothing is.
  virtual PlaceListener* place_listener() { return nullptr; }
  /// As `apply`, at the nodes of a fold, for semantics that distinguish the additions of a sum from others.
  virtual std::optional<Fault> join(ir::Op op, ir::Scalar scalar, const Rows* operands, std::byte* out,
                                    std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns) {
    return apply(op, scalar, scalar, operands, out, out_row_stride, rows, columns);
  }
  /// A node of a compensated sum, `kahan` or `neumaier`: operands are the left sum, its compensation, the right sum, its
  /// compensation; results lie `columns` apart. False: the node is joined by single operations, one after the other.
  virtual bool join_compensated(bool /*kahan*/, ir::Scalar, const Rows* /*operands*/, std::byte* /*sum*/,
                                std::byte* /*rest*/, std::size_t /*rows*/, std::size_t /*columns*/) {
    return false;
  }

  /// Traits::folds_all_orders: out(c) = all answers that leaves(r, c), r < rows, have in some order of the set.
  virtual std::optional<Fault> fold_all_orders(ir::Op /*op*/, ir::ScheduleOp /*orders*/, ir::Scalar, Rows /*leaves*/,
                                               std::byte* /*out*/, std::size_t /*rows*/, std::size_t /*columns*/) {
    return std::nullopt;
  }

  /// A builtin circuit of a library (`normalize`) and its arguments.
  struct Call {
    /// Evaluates the circuit on other arguments, under this semantics or another one; the arguments are its values.
    using Body =
        std::function<std::optional<Fault>(Semantics&, const std::vector<const Values*>&, std::vector<Values>&)>;
    struct Result {
      ir::Scalar scalar{};
      std::vector<std::int64_t> shape;
    };
    std::string_view name;
    SourceSpan definition;
    const std::vector<const Values*>& arguments;
    std::vector<Result> results;  ///< tuples flattened
    Body body;
  };
  /// Traits::calls_have_rules. If there is a rule for this circuit, returns true, and `out` has the results; otherwise
  /// returns false, and the body is used.
  virtual Expected<bool> call(const Call& /*call*/, std::vector<Values>& /*out*/) { return false; }

  /// Traits::bounds_all_orders, under which a reduction by a user's function is refused. `values` are sums by a set of
  /// orders that is smaller than `any`: results of such orders differ from the exact sum of the computed leaves by at
  /// most `factor` times the sum of |leaf|.
  virtual void limit_orders(ir::Scalar, double /*factor*/, std::byte* /*values*/, std::size_t /*count*/) const {}

  // Examining values.
  virtual Rendering render(ir::Scalar scalar, const std::byte* value) const = 0;
  virtual Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) const = 0;
  /// Nothing if the value is no real number (infinite, NaN, unbounded), or the semantics is a ring.
  virtual std::optional<Enclosure> enclosure(ir::Scalar scalar, const std::byte* value) const = 0;
  /// The value, if it is one rational number that is known without computing digits.
  virtual std::optional<mpq_class> rational(ir::Scalar, const std::byte*) const { return std::nullopt; }
  /// The tightest enclosure that the semantics can give, for questions that `enclosure` leaves open (exact).
  virtual std::optional<Enclosure> finest_enclosure(ir::Scalar scalar, const std::byte* value) const {
    return enclosure(scalar, value);
  }
  /// The set of reals that an element stands for, under a semantics whose values enclose reals (Traits::encloses,
  /// bounds_errors); nothing if nothing is known of it.
  virtual std::optional<Ends> ends(ir::Scalar scalar, const std::byte* value) const {
    const auto known = enclosure(scalar, value);
    return known ? std::optional(Ends{.low = known->low, .high = known->high}) : std::nullopt;
  }
  virtual EndFormat end_format() const { return {}; }
  /// How far a float result may lie from the real value, if the semantics bounds that (bound).
  virtual std::optional<mpq_class> error_bound(ir::Scalar, const std::byte*) const { return std::nullopt; }
  /// Whether the value allows a float as an answer (accept); nothing under other semantics, or for an empty value.
  virtual std::optional<Acceptance> acceptance(ir::Scalar, const std::byte* /*value*/, std::uint64_t /*bits*/) const {
    return std::nullopt;
  }
  /// The bit pattern that the value has in the format, where it has one (float; fpsan: the carrier).
  virtual std::optional<std::uint64_t> bits(ir::Scalar scalar, const std::byte* value) const = 0;
  /// Writes the elements as bit patterns into a tensor of `count` elements; an element without bits becomes a canonical
  /// NaN. Returns whether all of them have bits.
  virtual bool store(ir::Scalar scalar, const std::byte* values, std::size_t count, ir::HostTensor& out) const;
  /// A summary of the whole evaluation, for semantics that measure (count).
  virtual std::vector<std::pair<std::string, std::string>> summary() const { return {}; }
};

/// An argument in the parentheses that follow the name of a semantics.
struct SemanticsArgument {
  std::string text;
  std::shared_ptr<const ir::Profile> profile = nullptr;  ///< if the text names one (`accept(wgsl)`)
};

/// Sets a stop flag for its lifetime (Semantics::stop_when). Null: the flag stays as it was.
class StopFlagGuard {
 public:
  StopFlagGuard(Semantics& semantics, const std::atomic<bool>* flag)
      : semantics_(semantics), before_(semantics.stop_when(flag)) {
    if (flag == nullptr) semantics_.stop_when(before_);
  }
  ~StopFlagGuard() { semantics_.stop_when(before_); }
  StopFlagGuard(const StopFlagGuard&) = delete;
  StopFlagGuard& operator=(const StopFlagGuard&) = delete;

 private:
  Semantics& semantics_;
  const std::atomic<bool>* before_;
};

}  // namespace reckon::interp
