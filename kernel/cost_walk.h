// Follows the indices of one block after the other through a kernel (cost.h).
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "kernel/cost.h"

namespace reckon::kernel {

/// The greater number of joins and of cycles, which may be those of different chains.
inline Chain later(const Chain& a, const Chain& b) {
  return {std::max(a.joins, b.joins), std::max(a.cycles, b.cycles)};
}

class CostWalk {
 public:
  CostWalk(const Program& program, std::size_t function, LaunchShape shape, std::span<const CostArgument> arguments,
           const Gpu& gpu, const CostOptions& options);
  std::optional<Cost> run();
  /// After a run without result: fewer blocks and rounds might give one.
  bool is_too_long() const { return too_long_; }

 private:
  /// The threads of the block that execute an operation, ascending.
  struct Lanes {
    std::vector<std::uint32_t> lanes;
    double warps = 0;  ///< warps of which at least one thread does
    explicit Lanes(std::vector<std::uint32_t> of);
  };
  /// An array, with the chains that end in its elements.
  struct Array {
    Space space{};
    // By place: the offset, and of a thread's own array the thread.
    std::unordered_map<std::uint64_t, Chain> chains;
    std::unordered_map<std::uint64_t, std::int64_t> words;  ///< indices and flags
    Chain anywhere;                                         ///< stored at an offset that is not known
    Counts::Traffic sectors;                         ///< global
  };
  /// What is known of a value.
  struct Known {
    bool is_known = false;            ///< an index or a flag; of memory: the offset
    std::vector<std::int64_t> words;  ///< in each thread: the value; of memory: bytes from the start of the array
    std::int64_t array = -1;
    std::vector<Chain> chains;  ///< a number: in each thread; empty: nothing comes before it
    Chain chain(std::uint32_t lane) const { return chains.empty() ? Chain{} : chains[lane]; }
  };
  /// What is known of the values of one function, from its first one on.
  struct Frame {
    std::uint32_t first = 0;
    std::vector<Known> values;
    Known& operator[](std::uint32_t id) { return values[id - first]; }
  };
  using Sectors = std::unordered_set<std::uint64_t>;

  // cost_walk.cpp: control
  Frame frame_of(std::size_t function);
  void block(std::int64_t number);
  void region(const Region& region, const Lanes& lanes);
  void execute(std::uint32_t number, const Lanes& lanes);
  void loop(const Operation& operation, const Lanes& lanes);
  void while_loop(const Operation& operation, const Lanes& lanes);
  void branch(const Operation& operation, const Lanes& lanes);
  void call(const Operation& operation, const Lanes& lanes);
  void give_up() { failed_ = true; }
  /// Which rounds are followed, and how many rounds each of them stands for.
  std::vector<std::pair<std::int64_t, std::int64_t>> followed(std::int64_t count, std::int64_t most);
  void assign(std::span<const Value> targets, std::span<const Value> sources, const Lanes& lanes, bool fresh);
  /// Adds `rounds` more rounds that are like the last one; `before` is what was known of carried values before that.
  void go_on(std::span<const Value> carried, const std::vector<Known>& before, std::int64_t rounds, const Lanes& lanes);
  /// The chains in shared arrays and in threads' own arrays.
  using ArrayChains = std::map<std::int64_t, std::unordered_map<std::uint64_t, Chain>>;
  ArrayChains array_chains() const;
  /// Adds `rounds` more rounds like the last two; the arguments are the chains in arrays before and between these.
  void go_on(const ArrayChains& at_first, const ArrayChains& between, std::int64_t rounds);

  // cost_values.cpp: values and memory
  Known& known(Value value);
  Known& result(const Operation& operation, std::uint32_t k = 0);
  /// Gives the lanes the value `from`; `fresh`: what the value was before does not matter.
  static void merge(Known& to, const Known& from, const Lanes& lanes, bool fresh);
  void compute(const Operation& operation, const Lanes& lanes);
  void integer(const Operation& operation, const Lanes& lanes);
  void node(const Operation& operation, const Lanes& lanes);
  void mma_f64(const Operation& operation, const Lanes& lanes);
  void select(const Operation& operation, const Lanes& lanes);
  void shuffle(const Operation& operation, const Lanes& lanes);
  void arrive(const Operation& operation, const Lanes& lanes);
  void ticket(const Operation& operation, const Lanes& lanes);
  void any_flag(const Operation& operation, const Lanes& lanes);
  void make_memory(const Operation& operation, std::uint32_t number, const Lanes& lanes);
  void access(const Operation& operation, const Lanes& lanes);
  void touch(Array& array, std::int64_t which, std::span<const std::int64_t> offsets, std::int64_t bytes, bool writes,
             const Lanes& lanes);
  void load(const Operation& operation, const Array& array, std::span<const std::int64_t> offsets, const Lanes& lanes);
  void store(const Operation& operation, Array& array, std::span<const std::int64_t> offsets, const Lanes& lanes);
  /// In each lane the longest chain of the operands, and `cycles` more.
  std::vector<Chain> chains_of(std::span<const Value> operands, double cycles, bool joins, const Lanes& lanes);
  void note(const std::vector<Chain>& chains, const Lanes& lanes);
  void set_all(Known& to, std::int64_t word) const;

  const Program& program_;
  std::size_t function_;
  LaunchShape shape_;
  std::span<const CostArgument> arguments_;
  const Gpu& gpu_;
  CostOptions options_;

  Cost cost_;
  double weight_ = 1;  ///< how many executions each followed execution stands for
  std::int64_t work_ = 0;
  bool failed_ = false, too_long_ = false;
  bool all_blocks_ = true;  ///< all blocks are followed
  std::int64_t block_ = 0;
  int depth_ = 0;
  Frame* frame_ = nullptr;
  std::vector<Known> constants_;
  std::map<std::size_t, std::pair<std::uint32_t, std::uint32_t>>
      extents_;                 ///< of functions: their first and last value
  Sectors* touched_ = nullptr;  ///< those of this round of the innermost loop
  std::map<std::int64_t, Array> arrays_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> counters_;
  std::map<std::int64_t, std::int64_t> tickets_;  ///< that this block has taken from the counters of an array
};

}  // namespace reckon::kernel
