// Fills the functions of a program: what strategies write kernels with. Each operation is a member of its name: those
// on indices and flags in integer_builder.h, loops and branches, which are opened and closed, in cursor.h, all others
// here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/op.h"
#include "kernel/integer_builder.h"

namespace reckon::kernel {

class Builder : public IntegerBuilder {
 public:
  using IntegerBuilder::IntegerBuilder;

  // Constants of any type.
  Value zero(Type type) const;
  Value rounded(ir::Scalar scalar, std::uint64_t bits) const;
  Value literal(const ir::Literal& literal, ir::Scalar scalar) const;
  Value neutral(ir::Scalar scalar) const;

  // Numbers.
  /// `site`: the circuit's node for it; `joins`: it joins nodes of the reduction at that site
  Value apply(ir::Op op, ir::Scalar from, ir::Scalar to, std::span<const Value> operands, ir::NodeId site,
              bool joins = false);
  /// `to(op(value))` of each f32, where `op` is exp or exp2 and rounds to f32, and `to` is bf16 or f16. For a GPU this
  /// is much cheaper than the two operations one after the other; four to eight values at once are best.
  Values apply_rounded(ir::Op op, ir::Scalar to, std::span<const Value> values, ir::NodeId site);
  Value from_index(ir::Scalar scalar, Value index);
  /// An integer as an index. Where it is negative or not below the limit, the fault of this number is kept in mind, and
  /// the index is 0.
  Value bounded_index(Value integer, Value limit, std::int64_t fault);
  Value clamped_index(Value integer, Value limit);
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
  Value shared(std::int64_t offset, std::int64_t bytes, Type element, Form form = Form::registers);
  Value advance(Value memory, Value bytes);
  void clear(Value memory, std::int64_t count);
  /// Loads the element `offset` elements further than the index; so do the functions below.
  Value load(Value memory, Value index, Stream stream = Stream::none, std::int64_t offset = 0);
  void store(Value memory, Value index, Value value, std::int64_t offset = 0);
  Values load_vector(Value memory, Value index, std::uint32_t count, std::int64_t offset = 0);
  void store_vector(Value memory, Value index, std::span<const Value> values, std::int64_t offset = 0);
  /// Adds to the element as one step: threads may add to the same one, in any order.
  void atomic_add(Value memory, Value index, Value value);

  // The numbers of threads and blocks.
  Value thread() { return simple(Op::thread, Type::index()); }
  Value threads() { return simple(Op::threads, Type::index()); }
  Value block() { return simple(Op::block, Type::index()); }
  Value blocks() { return simple(Op::blocks, Type::index()); }

  // What threads do together.
  void barrier();
  Value barrier_or(Value flag);
  void warp_barrier();
  Value shuffle_xor(Value value, std::int64_t bits);
  struct Peers {
    Value before, all;
  };
  /// How many threads of the warp, before this one and in all, have the same index, which has 32 bits.
  Peers peers(Value index);
  /// The thread's four sums after they are joined with four leaves, the first of which is `leaf`: x, x, y and the sums
  /// before (program.h).
  Values mma_f64(ir::NodeId site, Value leaf, const Values& elements);
  Value arrive(Value counters, Value index, Value last);
  Value ticket(Value counters, Value index, Value last);
  void publish(Value words, Value index, Value value);
  struct Found {
    Value value, is_there;
  };
  Found look_up(Value words, Value index, Type type);
  void launch_next();
  Values await_previous(std::span<const Value> memory);

  /// Gives the results of the function of this number.
  Values call(std::int64_t function, const Values& arguments, std::span<const Type> results);
};

}  // namespace reckon::kernel
