// The evaluator: one loop for all semantics.
//
// Index spaces are walked in batches of about a thousand elements; each operation of the circuit is one kernel call on
// a batch. What depends on outer indices alone is computed once per outer element and repeated. A schedule is followed
// by folding batches along it: no tree is built, and memory grows with the schedule's depth, not with its leaves.
#pragma once

#include <atomic>
#include <memory>
#include <variant>
#include <vector>

#include "driver/prepare.h"
#include "interp/semantics.h"
#include "ir/module.h"

namespace reckon::interp {

/// Values of one semantics: a scalar or a tensor of one scalar type. Those of a semantics that is not trivial (exact)
/// must not outlive it.
class Values {
 public:
  Values() = default;
  Values(const Semantics& semantics, ir::Scalar scalar, std::vector<std::int64_t> shape);
  Values(Values&&) noexcept;
  Values& operator=(Values&&) noexcept;
  ~Values();

  ir::Scalar scalar() const { return scalar_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t count() const { return count_; }
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  const std::byte* at(std::int64_t i) const { return data_ + static_cast<std::size_t>(i) * element_size_; }
  /// The elements as bit patterns, where the semantics has them (an element without bits is a canonical NaN).
  ir::HostTensor host(const Semantics& semantics) const;
  /// The same, if every element has bits.
  std::optional<ir::HostTensor> host_if_all(const Semantics& semantics) const;

 private:
  const Semantics* semantics_ = nullptr;  ///< only if values need destruction: then it must outlive them
  ir::Scalar scalar_{};
  std::vector<std::int64_t> shape_;
  std::int64_t count_ = 0;
  std::size_t element_size_ = 0;
  std::byte* data_ = nullptr;
};

/// A circuit's argument: bit patterns, or the same range of reals for every element. (Its special members are defined
/// in a source, so that the compiler does not inline them into the many functions that handle arguments.)
struct RangeTensor {
  ir::Scalar scalar{};
  std::vector<std::int64_t> shape;
  mpq_class low, high;

  RangeTensor(ir::Scalar scalar, std::vector<std::int64_t> shape, mpq_class low, mpq_class high);
  RangeTensor(const RangeTensor&);
  RangeTensor(RangeTensor&&) noexcept;
  RangeTensor& operator=(const RangeTensor&);
  RangeTensor& operator=(RangeTensor&&) noexcept;
  ~RangeTensor();
};
/// Random elements of the semantics itself (Traits::draws_values). A row is `row_length` contiguous elements; each row
/// can be drawn again without the others.
struct RandomTensor {
  ir::Scalar scalar{};
  std::vector<std::int64_t> shape;
  Draw::Sign sign{};
  std::uint64_t seed = 0;
  std::size_t row_length = 1;
  std::uint64_t first_row = 0;         ///< the number of its first row among those of all arguments
  std::vector<std::uint64_t> redrawn;  ///< how often each row was drawn again; missing ones never

  RandomTensor();
  RandomTensor(const RandomTensor&);
  RandomTensor(RandomTensor&&) noexcept;
  RandomTensor& operator=(const RandomTensor&);
  RandomTensor& operator=(RandomTensor&&) noexcept;
  ~RandomTensor();
};
/// Values of the semantics, already made; they are not copied.
struct MadeTensor {
  ir::Scalar scalar{};
  std::vector<std::int64_t> shape;
  std::shared_ptr<const Values> values;
};
using Argument = std::variant<ir::HostTensor, RangeTensor, RandomTensor, MadeTensor>;

driver::Shapes shapes_of(const std::vector<Argument>& arguments);

class CircuitCache;

struct EvaluateOptions {
  std::size_t batch = 1024;
  /// A cache of the module, or null: what earlier evaluations prepared is taken from it. Only one thread may use it.
  CircuitCache* circuits = nullptr;
  /// The uses of one value have been related already (driver::for_evaluator), when the circuit had no sizes yet: equal
  /// values that the sizes made are left as they are.
  bool uses_are_related = false;
  /// If it is not null, it receives the reason why the first element without a value has none, if there is such an
  /// element.
  std::optional<Diagnostic>* why_empty = nullptr;
  /// If it is not null, it is read once for each batch; if it is true, the evaluation ends with code::interrupted.
  const std::atomic<bool>* interrupted = nullptr;
};

/// Runs a function on arguments, one for each parameter. The function may have dimensions: they are bound to the sizes
/// of the arguments (and to `given`), and everything is checked first as ir/bind.h says. The result has one entry for
/// each scalar or tensor of the result type, tuples flattened in order. The required stack grows with the nesting of
/// binders and schedules, not with the number of operations.
/// Under semantics that allow it, elements without a value are empty (interval) or absent (exact). A result that is a
/// single number without a value is an error at the operation that has no value.
Expected<std::vector<Values>> evaluate(ir::Module& module, const ir::Function& function, Semantics& semantics,
                                       const std::vector<Argument>& arguments,
                                       const std::map<ir::SymbolId, std::int64_t>& given = {},
                                       const EvaluateOptions& options = {});

/// The elements of a generated sequence (random, normal, lcg), as bit patterns, rounded once to the format. Which bits
/// they are is stated in generate.cpp.
ir::HostTensor generate(ir::Source::Kind kind, ir::Scalar scalar, std::vector<std::int64_t> shape, std::int64_t seed);

}  // namespace reckon::interp
