// Fills the functions of a program. Code is added at a cursor: at the end of a region so far, or, while an operation
// with regions is open, before that operation. So code that does not depend on a loop can be put before the loop from
// inside it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "ir/op.h"
#include "kernel/program.h"

namespace reckon::kernel {

class Builder {
 public:
  explicit Builder(Program& program) : program_(program) {}

  Program& program() const { return program_; }
  /// New operations go to the end of this region. Null: nowhere.
  void set_region(Region* region) { region_ = region; }
  Region* region() const { return region_; }

  Type type(Value value) const { return program_.type(value); }
  std::int64_t bytes_of(Type type) const { return program_.widths.of(type); }

  // Constants.
  Value index(std::int64_t value) const;
  Value flag(bool value) const;
  Value zero(Type type) const;
  Value rounded(ir::Scalar scalar, std::uint64_t bits) const;
  Value literal(const ir::Literal& literal, ir::Scalar scalar) const;
  Value neutral(ir::Scalar scalar) const;
  /// The number of a constant index or flag.
  std::optional<std::int64_t> known(Value value) const;
  /// Trailing zero bits that the index has at least.
  int known_trailing_zeros(Value value) const;

  // Integers; constants are folded.
  Value integer(Op op, std::span<const Value> operands, Fits fits = Fits::unknown);
  Value integer(Op op, std::initializer_list<Value> operands, Fits fits = Fits::unknown) {
    return integer(op, std::span(operands.begin(), operands.size()), fits);
  }
#define RECKON_KERNEL_UNARY(name) \
  Value name(Value x) { return integer(Op::name, {x}); }
#define RECKON_KERNEL_BINARY(name)                                   \
  Value name(Value x, Value y) { return integer(Op::name, {x, y}); } \
  Value name(Value x, std::uint64_t y) { return integer(Op::name, {x, index(static_cast<std::int64_t>(y))}); }
#define RECKON_KERNEL_FITTING(name) \
  Value name(Value x, Value y, Fits fits = Fits::unknown) { return integer(Op::name, {x, y}, fits); }
  RECKON_KERNEL_FITTING(add)
  RECKON_KERNEL_FITTING(sub)
  RECKON_KERNEL_FITTING(mul)
  Value shl(Value x, Value y, Fits fits = Fits::unknown) { return integer(Op::shl, {x, y}, fits); }
  Value shl(Value x, std::uint64_t y, Fits fits = Fits::unknown) {
    return integer(Op::shl, {x, index(static_cast<std::int64_t>(y))}, fits);
  }
  RECKON_KERNEL_BINARY(mul_high)
  RECKON_KERNEL_BINARY(udiv)
  RECKON_KERNEL_BINARY(urem)
  RECKON_KERNEL_BINARY(sdiv)
  RECKON_KERNEL_BINARY(srem)
  RECKON_KERNEL_BINARY(bit_and)
  RECKON_KERNEL_BINARY(bit_or)
  RECKON_KERNEL_BINARY(bit_xor)
  RECKON_KERNEL_BINARY(lshr)
  RECKON_KERNEL_BINARY(ashr)
  RECKON_KERNEL_BINARY(minimum)
  RECKON_KERNEL_BINARY(maximum)
  RECKON_KERNEL_BINARY(equal)
  RECKON_KERNEL_BINARY(not_equal)
  RECKON_KERNEL_BINARY(less)
  RECKON_KERNEL_BINARY(less_equal)
  RECKON_KERNEL_BINARY(greater)
  RECKON_KERNEL_BINARY(greater_equal)
  RECKON_KERNEL_BINARY(below)
  RECKON_KERNEL_BINARY(above)
  RECKON_KERNEL_UNARY(leading_zeros)
  RECKON_KERNEL_UNARY(trailing_zeros)
  RECKON_KERNEL_UNARY(reversed_bits)
  RECKON_KERNEL_UNARY(odd)
  RECKON_KERNEL_UNARY(extend)
#undef RECKON_KERNEL_UNARY
#undef RECKON_KERNEL_BINARY
#undef RECKON_KERNEL_FITTING
  Value negative(Value x) { return sub(index(0), x); }
  Value complement(Value flag_or_index);
  Value select(Value condition, Value yes, Value no);

  // Numbers.
  /// `site`: the circuit's node for it; `joins`: it joins nodes of the reduction at that site
  Value apply(ir::Op op, ir::Scalar from, ir::Scalar to, std::span<const Value> operands, ir::NodeId site,
              bool joins = false);
  Value from_index(ir::Scalar scalar, Value index);
  /// A u32 as an index. Where it is not below the limit, the fault of this number is kept in mind, and the index is 0.
  Value bounded_index(Value u32, Value limit, std::int64_t fault);
  Value from_flag(Value flag);
  Value to_flag(Value boolean);
  Value bits(Value f64);
  Value from_bits(Value index);
  Value prepare_divisor(Value divisor);
  struct Quotient {
    Value value, sizes;
  };
  Quotient divide_quick(Value dividend, Value divisor, Value prepared, Value sizes);
  Value divide_unusual(Value dividend, Value divisor);
  Value may_be_wrong(Value prepared, Value sizes);
  void fault(std::int64_t number, ir::Op op, ir::Scalar from, std::span<const Value> operands);

  // These operations state which node of a reduction's tree a value is; their result is the value.
  Value leaf(ir::NodeId site, Value value, Value position);
  Value node(ir::NodeId site, Value value, Value left, Value right);
  Value root(ir::NodeId site, Value value);

  // Memory.
  Value table(std::vector<std::int64_t> elements);
  Value stack(Type element, std::int64_t count);
  Value shared(std::int64_t offset, std::int64_t bytes, Type element);
  Value advance(Value memory, Value bytes);
  void clear(Value memory, std::int64_t count);
  /// Loads the element `offset` elements further than the index; so do the functions below.
  Value load(Value memory, Value index, Stream stream = Stream::none, std::int64_t offset = 0);
  void store(Value memory, Value index, Value value, std::int64_t offset = 0);
  Values load_vector(Value memory, Value index, std::uint32_t count, std::int64_t offset = 0);
  void store_vector(Value memory, Value index, std::span<const Value> values, std::int64_t offset = 0);

  // The numbers of threads and blocks.
  Value thread() { return simple(Op::thread, Type::index()); }
  Value threads() { return simple(Op::threads, Type::index()); }
  Value block() { return simple(Op::block, Type::index()); }
  Value blocks() { return simple(Op::blocks, Type::index()); }

  // What threads do together.
  void barrier();
  Value barrier_or(Value flag);
  Value shuffle_xor(Value value, std::int64_t bits);
  Value arrive(Value counters, Value index, Value last);
  void launch_next();
  Values await_previous(std::span<const Value> memory);

  // Control. An operation is opened, its regions are filled, and it is closed, which puts it where the cursor of the
  // region around is then.
  struct Open {
    std::uint32_t operation;
  };
  Open open(Op op, const Values& operands, std::size_t regions);
  Region& region_of(Open open, std::size_t k) { return program_.operations[open.operation].regions[k]; }
  Operation& operation(Open open) { return program_.operations[open.operation]; }
  Value region_parameter(Open open, std::size_t region, Type type);
  /// Closes an operation with results of these types. `around`: the region that the operation is put into.
  Values close(Open open, std::span<const Type> results, Region& around);
  Values call(std::int64_t function, const Values& arguments, std::span<const Type> results);

 private:
  Operation& append(Op op, std::span<const Value> operands, std::span<const Type> results);
  Value simple(Op op, Type result, std::initializer_list<Value> operands = {});

  Program& program_;
  Region* region_ = nullptr;
};

/// Operations that are made while it lives are for this node.
class OriginGuard {
 public:
  OriginGuard(Builder& builder, ir::NodeId node)
      : origin_(builder.program().origin), before_(std::exchange(origin_, node)) {}
  OriginGuard(const OriginGuard&) = delete;
  OriginGuard& operator=(const OriginGuard&) = delete;
  ~OriginGuard() { origin_ = before_; }

 private:
  ir::NodeId& origin_;
  ir::NodeId before_;
};

}  // namespace reckon::kernel
