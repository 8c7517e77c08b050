// The interpreter's memory. An array is a number of bytes, in which stores make cells: values of one type at one place.
// A load sees the cell of exactly its bytes; a store of another size kills the cells that it overlaps. So memory that
// is used for several types in turn is checked like any other. A cell knows who touched it, to find races.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <vector>

#include "kernel/interpret/numbers.h"

namespace reckon::kernel {

/// When a thread of a block touched a cell. Step 0: nobody did.
struct Access {
  std::uint64_t step = 0;
  std::uint32_t block = 0, thread = 0;
  bool atomic = false;
};

struct Cell {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  bool alive = false;
  bool is_pattern = false;  ///< the number is in form `given`, and `word` is its bit pattern
  Type type;                ///< number, index or flag
  std::uint64_t word = 0;   ///< an index, a flag, a pattern
  bool has_number = false;
  NumberArray number;  ///< one element, if it is a number in another form
  Access written;
  Access other_written;      ///< if `written` is an atomic operation: the last one of another thread before it
  std::vector<Access> read;  ///< reads since then: the last ones of two threads of a block at most, for the last blocks
};

class Array {
 public:
  Array(Space space, std::int64_t bytes) : space_(space), cell_at_(static_cast<std::size_t>(bytes), 0) {}

  Space space() const { return space_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(cell_at_.size()); }
  /// The living cell of these bytes; null if there is none.
  Cell* find(std::int64_t offset, std::int64_t bytes);
  const Cell* find(std::int64_t offset, std::int64_t bytes) const;
  /// The cells, living and dead, that a byte of these belongs to.
  std::vector<Cell*> overlapping(std::int64_t offset, std::int64_t bytes);
  /// The cell of these bytes, made if it is not there; others that overlap it are dead then.
  Cell& claim(std::int64_t offset, std::int64_t bytes);
  /// Starts another launch: accesses of earlier launches happened before it, and are forgotten.
  void forget_accesses();

 private:
  Space space_;
  std::vector<std::uint32_t> cell_at_;  ///< of each byte: 1 + the cell that was last made there; 0: none
  std::deque<Cell> cells_;
};

/// An array in global memory: an argument of a kernel, which keeps what kernels write. The Numbers must outlive it.
class Buffer {
 public:
  /// A buffer in which nothing is written yet. `memory`: the type of the kernel's parameter; `widths`: the program's.
  Buffer(Numbers& numbers, const Widths& widths, Type memory, std::int64_t count);
  /// Patterns of the format: memory of form `given`.
  static Buffer given(Numbers& numbers, const Widths& widths, ir::Scalar scalar,
                      std::span<const std::uint64_t> patterns);
  /// So many indices.
  static Buffer indices(Numbers& numbers, const Widths& widths, std::span<const std::int64_t> values);

  std::int64_t count() const { return count_; }
  Type memory() const { return memory_; }
  Array& array() { return array_; }
  bool is_written(std::int64_t k) const { return cell(k) != nullptr; }
  /// A number in a form other than `given`; null if it was not written.
  const std::byte* number(std::int64_t k) const;
  /// The pattern of a number that has one, an index or a flag; nothing if it was not written.
  std::optional<std::uint64_t> word(std::int64_t k) const;
  void set_word(std::int64_t k, std::uint64_t word);

 private:
  const Cell* cell(std::int64_t k) const { return array_.find(k * bytes_, bytes_); }

  Numbers* numbers_;
  Type memory_;
  std::int64_t bytes_, count_;
  Array array_;
};

/// Which accesses happen before which, seen from one block. Blocks run one after the other, but only `arrive` orders
/// them: the last thread that reaches a counter sees what came before the arrivals of the others. Threads of one block
/// are ordered by barriers.
class Ordering {
 public:
  /// Of a block that arrived: what its threads did before its last barrier, and what the thread that arrived did
  /// before.
  struct Release {
    std::uint32_t block = 0, thread = 0;
    std::uint64_t barrier = 0, step = 0;
  };
  using Known = std::vector<Release>;

  void begin_block(std::uint32_t block, std::uint64_t step);
  void barrier(std::uint64_t step) { barrier_ = step; }
  void warp_barrier(std::uint32_t warp, std::uint64_t step) { warp_barriers_[warp] = step; }
  bool is_before(const Access& earlier, std::uint32_t thread) const;
  /// Adds what the thread knows to the counter; the last thread takes over all that the counter knows.
  void arrive(Known& counter, std::uint32_t thread, std::uint64_t step, bool is_last);

 private:
  bool sees(const Release& release, const Access& earlier) const;
  struct Acquired {
    std::uint32_t thread = 0;
    std::uint64_t step = 0;
    Known known;
  };
  std::uint32_t block_ = 0;
  std::uint64_t barrier_ = 0;
  std::map<std::uint32_t, std::uint64_t> warp_barriers_;  ///< the last one of a warp
  std::vector<Acquired> acquired_;
};

}  // namespace reckon::kernel
