// Sums by key of numbers that may be added in any order (integers, the rings of `fpsan`): counts of a histogram, for
// example. Each block has a part of the leaves and adds each of them to its key's sum in shared memory, in one pass for
// all keys. The sums of the blocks' parts go to memory, and another kernel adds them.
#pragma once

#include <cstdint>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"
#include "codegen/place/by_key.h"

namespace reckon::codegen {

/// How the work is shared out.
struct CountsShape {
  static constexpr std::int64_t threads = 1024;

  std::int64_t parts = 1;   ///< of the leaves
  std::int64_t keys = 1;    ///< that a block has sums of at most; where there are more, more blocks share a part
  std::int64_t copies = 1;  ///< of a key's sum, a power of two: lanes whose leaves have one key take different ones
  bool ones = false;        ///< the leaves of each key are counted, as i32s, whatever they are
};

/// The leaves of a part but for the last ones: a multiple of those that a thread reads together.
std::int64_t leaves_of_part(std::int64_t leaves, std::int64_t parts);

class CountsWriter : LoweringParts {
 public:
  CountsWriter(KernelParts& parts, const ByKey& plan, const CountsShape& shape, Kernel& kernel, BlockReducer& reducer);
  CountsWriter(const CountsWriter&) = delete;

  void write();

 private:
  void write_block(Value part, Value range);
  void clear();
  void add_leaves(Value begin, Value end);
  void add_some(Value first, std::int64_t groups);
  struct Leaf {
    Value key, number;
  };
  Leaf leaf_at(Value position);
  void add(const Leaf& leaf);
  void store(Value part);
  Value copy_place(Value key, Value copy);

  KernelParts& parts_;
  const ByKey& plan_;
  const CountsShape& shape_;
  Kernel& kernel_;
  BlockReducer& reducer_;
  const FoldSite site_;
  ir::Scalar scalar_;
  Value sums_ = nullptr;                     ///< in shared memory
  Value all_keys_ = nullptr;                 ///< the number of all keys
  Value first_ = nullptr, count_ = nullptr;  ///< the block's keys
};

}  // namespace reckon::codegen
