// Sums by key in the order of the leaves. The leaves that have a key make up a list, in which a sum goes from left to
// right; leaves of other keys change no bit of it, since they are 0 (codegen/lower/by_key.cpp). The lists are made by a
// stable sort by key, of three kernels:
//   counts  how many leaves of each part of all leaves have each key (counts.h)
//   places  for each key, the counts of the parts before a part, and of all parts
//   sort    each part's leaves go to the lists
// In a fourth one, blocks go through the lists: one thread adds, and the others bring the leaves.
#pragma once

#include <cstdint>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"
#include "codegen/place/by_key.h"

namespace reckon::codegen {

/// How the work is shared out, and the buffers in which kernels hand on what they have made.
struct OrderedShape {
  std::int64_t leaves = 0, keys = 0;  ///< of the whole reduction
  std::int64_t parts = 1;             ///< of the leaves: a block sorts each
  std::int64_t warps = 1;             ///< of such a block: each has counters of its own for all keys
  std::uint32_t counts = 0;           ///< [parts, keys]
  std::uint32_t before = 0;           ///< [parts, keys]: those of the parts before
  std::uint32_t totals = 0;           ///< [keys]: those of all parts
  std::uint32_t sorted = 0;           ///< [leaves]: the lists of all keys, one after the other
};

/// What the kernels have in common: numbers in memory as indices and back.
class OrderedWriter : protected LoweringParts {
 public:
  OrderedWriter(KernelParts& parts, const OrderedShape& shape, Kernel& kernel, BlockReducer& reducer);
  OrderedWriter(const OrderedWriter&) = delete;

 protected:
  Value as_index(Value number);
  Value as_number(Value index) { return b_.from_index(ir::Scalar::i32, index); }
  Value count_at(std::uint32_t buffer, Value place) { return as_index(circuits_.load_at_offset(buffer, place)); }
  /// The sum of this thread's value and of those of all threads before it.
  Value sum_before(Value value);

  KernelParts& parts_;
  const OrderedShape& shape_;
  Kernel& kernel_;
  BlockReducer& reducer_;
};

/// A block has 32 keys, a lane each; its warps share the parts.
class PlacesWriter : OrderedWriter {
 public:
  static constexpr std::int64_t threads = 1024;
  using OrderedWriter::OrderedWriter;
  void write();
};

class SortWriter : OrderedWriter {
 public:
  SortWriter(KernelParts& parts, const ByKey& plan, const OrderedShape& shape, Kernel& kernel, BlockReducer& reducer);
  void write();

 private:
  struct Leaf {
    Value key, is_there, position;
  };
  Leaf leaf_at(Value position);
  Value number_at(Value position);
  void count_leaves();
  void set_places(Value part);
  void each_group(FunctionRef<void(Value first)> write);
  std::vector<Leaf> group_at(Value first);
  void sort_group(Value first);
  Value counter_of(Value key) { return w_.add(first_counter_, key); }
  /// Leaves of a warp: whole groups.
  std::int64_t of_warp() const;

  const ByKey& plan_;
  const FoldSite site_;
  Value counters_ = nullptr, first_counter_ = nullptr;  ///< in shared memory; the first one of this warp
  Value begin_ = nullptr, end_ = nullptr;               ///< the leaves of this warp
};

class ChainsWriter : OrderedWriter {
 public:
  static constexpr std::int64_t movers = 256, threads = movers + 32;

  ChainsWriter(KernelParts& parts, const FoldKernel& placed, const KernelBody& body, const ByKey& plan,
               const OrderedShape& shape, Kernel& kernel, BlockReducer& reducer);
  void write();

 private:
  void write_list(Value key);
  void bring(Value chunk);
  Value chain(Value chunk, Value sum);
  Values some_leaves(Value place);

  const FoldKernel& placed_;
  const ByKey& plan_;
  const FoldSite site_;
  std::int64_t vector_ = 1;                   ///< leaves that one access to shared memory has
  Value leaves_ = nullptr;                    ///< in shared memory: two chunks
  Value first_ = nullptr, length_ = nullptr;  ///< of the list, in the buffer of all
};

}  // namespace reckon::codegen
