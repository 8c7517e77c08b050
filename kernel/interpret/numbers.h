// What numbers are to the interpreter of kernels: values of one size for each scalar type, with operations. A semantics
// of the evaluator provides them (`numbers_of`); the trees that values stand for come on top of these (trees.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interp/semantics.h"
#include "kernel/program.h"

namespace reckon::kernel {

/// Why there is no value.
struct NoValue {
  std::string text;
  bool goes_on = false;  ///< an empty value takes its place, and the computation goes on with it
};

/// An operation on numbers. `from` and `to` are as in interp::Semantics::apply.
struct Calculation {
  ir::Op op{};
  ir::Scalar from{}, to{};
  bool joins = false;  ///< whether it joins nodes of a reduction
};

class Numbers {
 public:
  virtual ~Numbers() = default;

  virtual std::size_t size(ir::Scalar scalar) const = 0;
  virtual void construct(ir::Scalar, std::byte*, std::size_t /*count*/) const {}
  virtual void destroy(ir::Scalar, std::byte*, std::size_t /*count*/) const {}
  virtual void copy(ir::Scalar scalar, const std::byte* from, std::byte* to) const = 0;

  /// The value of a constant of a number type, of any kind but `integer`.
  virtual std::optional<NoValue> constant(const Program& program, const Constant& constant, std::byte* out) = 0;
  /// Converts from and to the bit patterns of the format, as memory of form `given` has them.
  virtual std::optional<NoValue> from_pattern(ir::Scalar scalar, std::uint64_t pattern, std::byte* out) = 0;
  virtual std::optional<std::uint64_t> pattern(ir::Scalar scalar, const std::byte* value) const = 0;
  virtual std::optional<NoValue> from_index(ir::Scalar scalar, std::int64_t index, std::byte* out) = 0;
  virtual void from_flag(bool flag, std::byte* out) = 0;
  /// The flag of a boolean; nothing if it is unknown.
  virtual std::optional<bool> to_flag(const std::byte* boolean) const = 0;

  using Operands = std::span<const std::byte* const>;
  /// Applies an operation to arrays of `count` elements.
  virtual std::optional<NoValue> apply(const Calculation& calculation, Operands operands, std::byte* out,
                                       std::size_t count) = 0;

  /// A sum of products x[k] y[k] of the unit's operands, in order, as its tensor cores add them; of `accumulator`.
  struct Products {
    const numerics::MmaUnit& unit;
    std::vector<const std::byte*> x, y;
    std::int64_t first_leaf = 0;  ///< the number of the first product's leaf
  };
  virtual std::optional<NoValue> mma_sum(const Products& products, ir::NodeId site, std::byte* out) = 0;

  // Which nodes of a tree values are; `out` gets the value itself. Numbers without trees copy the value.
  virtual void leaf(ir::NodeId, ir::Scalar scalar, const std::byte* value, std::int64_t /*position*/, std::byte* out) {
    copy(scalar, value, out);
  }
  virtual void node(ir::NodeId, ir::Scalar scalar, const std::byte* value, const std::byte* /*left*/,
                    const std::byte* /*right*/, std::byte* out) {
    copy(scalar, value, out);
  }
  virtual void root(ir::NodeId, ir::Scalar scalar, const std::byte* value, std::uint32_t /*block*/,
                    std::uint32_t /*thread*/, std::byte* out) {
    copy(scalar, value, out);
  }
};

/// The numbers of a semantics of the evaluator, which must outlive them.
std::unique_ptr<Numbers> numbers_of(interp::Semantics& semantics);

/// `count` numbers, which are destroyed with it. The Numbers must outlive it.
class NumberArray {
 public:
  NumberArray() = default;
  NumberArray(const Numbers& numbers, ir::Scalar scalar, std::size_t count);
  NumberArray(NumberArray&& other) noexcept;
  NumberArray& operator=(NumberArray&& other) noexcept;
  ~NumberArray();

  std::byte* at(std::size_t k) { return data_ + k * size_; }
  const std::byte* at(std::size_t k) const { return data_ + k * size_; }

 private:
  const Numbers* numbers_ = nullptr;
  ir::Scalar scalar_{};
  std::size_t count_ = 0, size_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace reckon::kernel
