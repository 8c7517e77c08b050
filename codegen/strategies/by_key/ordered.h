// Sums by key of floats, in the order of the leaves or by `lanes(L, tree) then tree`. The leaves that have a key make
// up a list, in which a sum goes from left to right, or along the tree; leaves of other keys change no bit of it, since
// they are 0 (codegen/lower/by_key.cpp). The lists are made by a stable sort by key, of three kernels:
//   counts  how many leaves of each part of all leaves have each key (counts.h)
//   places  for each key, the counts of the parts before a part, and of all parts
//   sort    each part's leaves go to the lists
// In a fourth one, blocks go through the lists: one thread adds, and the others bring the leaves (chains.cpp), or each
// thread has a lane (lane_trees.cpp).
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
  std::int64_t lanes = 0;             ///< 0: the order is from left to right
  std::uint32_t counts = 0;           ///< [parts, keys]
  std::uint32_t before = 0;           ///< [parts, keys]: those of the parts before
  std::uint32_t totals = 0;           ///< [keys]: those of all parts
  std::uint32_t sorted = 0;           ///< [leaves]: the lists of all keys, one after the other
  std::uint32_t places = 0;           ///< [leaves], with lanes: the numbers of these leaves
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
  /// Where the list of a key begins among the sorted leaves; every thread gets it.
  Value first_of_list(Value key);
  /// Stores the sum of a list of so many leaves. A leaf that has another key is 0, which changes a sum that is -0.
  void store(Value key, Value length, Value sum, const FoldKernel& placed, const ByKey& plan, const FoldSite& site);
  /// Where a leaf goes that lies in the lists of a warp before those of higher lanes: the counter in shared memory has
  /// the place of the list's next leaf, and goes on by as many leaves as the warp has of this number, a key or a lane.
  Value next_place(Value counters, Value counter, Value number, Value is_there);
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

class LaneTreesWriter : OrderedWriter {
 public:
  LaneTreesWriter(KernelParts& parts, const FoldKernel& placed, const KernelBody& body, const ByKey& plan,
                  const OrderedShape& shape, Kernel& kernel, BlockReducer& reducer);
  void write();
  /// Of shared memory, for numbers of so many bytes.
  static std::int64_t shared_bytes(const OrderedShape& shape, std::int64_t number_bytes);

 private:
  static constexpr std::int64_t rounds = 8;  ///< of a warp, whose leaves are sorted together
  static std::int64_t chunk_leaves(const OrderedShape& shape);
  static std::int64_t levels(const OrderedShape& shape);  ///< of the tree of a lane

  /// The leaves of this thread's lane, in shared memory.
  struct Lane {
    Value begin, end;
  };
  void write_list(Value key);
  Lane sort_chunk(Value begin);
  Values add_lane(const Lane& lane, const Values& before);
  Values joined_below(Value node, Value waiting, Value mask);
  Value waiting_at(Value level);
  Value of_all_lanes(Value node);

  const FoldKernel& placed_;
  const ByKey& plan_;
  const FoldSite site_;
  Value leaves_ = nullptr, rows_ = nullptr, counters_ = nullptr, waiting_ = nullptr;  ///< in shared memory
  Value first_ = nullptr, length_ = nullptr;                                          ///< of the list
};

}  // namespace reckon::codegen
