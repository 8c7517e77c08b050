// A launch while it runs: the machine, its blocks, and their warps.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ptx/emulate/cluster.h"
#include "ptx/emulate/kernel.h"
#include "ptx/emulate/local_memory.h"
#include "ptx/emulate/report.h"

namespace reckon::ptx {

class Block;
class Machine;
class Shadow;

/// A piece of memory that an address of a lane leads to.
struct Reached {
  std::uint8_t* data = nullptr;      ///< null: a fault was reported
  Allocation* allocation = nullptr;  ///< of global memory
  std::uint64_t offset = 0;          ///< in the allocation, or in the shared memory of `owner`
  bool is_shared = false;
  Block* owner = nullptr;  ///< of shared memory: the warp's block, or another one of its cluster
};

/// Lanes that have an undefined value in a register.
struct Poison {
  Mask lanes = 0;
  const Operation* division = nullptr;  ///< by 0, which gave it; null: it came from memory that nobody wrote
};

class Warp {
 public:
  Warp(Machine& machine, Block& block, std::uint32_t number, Mask lanes);

  template <class T>
  T* at(Slot slot) {
    return reinterpret_cast<T*>((slot & constant_slot) != 0 ? constants_ + (slot & ~constant_slot)
                                                            : registers_.data() + slot);
  }
  Mask& mask(Slot slot) { return *at<Mask>(slot); }
  /// The predicate of an operand, which bit `number` of `negates` may negate.
  Mask predicate(const Operation& operation, Slot slot, int number) {
    const Mask value = mask(slot);
    return (operation.negates >> number & 1) != 0 ? ~value : value;
  }
  void put(Slot slot, Mask value, Mask on) {
    if (slot == no_slot) return;
    Mask& word = mask(slot);
    word = (word & ~on) | (value & on);
  }

  /// Runs until all lanes wait or have ended, something failed, or so many operations were carried out.
  void go(std::uint64_t most);
  bool is_ready() { return ready_ != 0 || lanes_that_meet() != 0; }
  bool is_done() const { return (lanes_ & ~exited_) == 0; }
  void pass_barrier(Mask on) { at_barrier_ &= ~on, ready_ |= on; }
  /// Ends this turn: other warps must do something first.
  void yield() { yields_ = true; }
  bool has_yielded() const { return yields_; }

  Machine& machine() { return machine_; }
  Block& block() { return block_; }
  std::uint32_t number() const { return number_; }
  Mask lanes() const { return lanes_; }
  Mask live() const { return lanes_ & ~exited_; }
  std::uint32_t place() const { return pc_; }
  /// Where lanes wait that neither go on nor have ended; an operation, or no_slot.
  std::uint32_t waits_at() const;
  Mask& carry() { return carry_; }

  /// The address of a lane, checked: aligned, within memory that may be reached so. Reports a fault and gives null data
  /// otherwise.
  Reached reach(const Operation& operation, const Access& access, std::uint64_t address, int lane, bool stores);
  LocalMemory& local() { return local_; }
  /// Where a lane's local variables begin.
  std::uint64_t frame(int lane) const { return local_.frame(static_cast<std::size_t>(lane)).begin; }
  std::size_t register_bytes() const { return registers_.size(); }

  /// The value of a lane in this register came from memory that nobody wrote.
  void poison(Slot slot, int lane) { poison_[slot].lanes |= Mask{1} << lane; }
  void clear_poison(Slot slot, Mask on) {
    if (!poison_.empty()) set_poison(slot, {}, on);
  }
  Poison poison_of(Slot slot) const;
  /// What the operation that is carried out now gives these lanes is undefined: they divide by 0.
  void divide_by_zero(const Operation& operation, Mask on) {
    divided_ = on;
    poison_.try_emplace(operation.d);
  }

  /// The function that a lane returned from last.
  std::uint32_t returned_from(int lane) const { return returned_from_[static_cast<std::size_t>(lane)]; }

  // pending.cpp: sums of wgmma, in registers, that are not waited for, and factors in registers. `commit_sums`: those
  // so far are a group.
  void begin_sums(const Operation& operation, std::span<const Slot> sums, std::span<const Slot> factors);
  void commit_sums() { ++sum_group_; }
  void wait_for_sums(std::uint32_t groups_left);

  /// After a turn in which nothing happened that another warp could see: whether this one is in a state in which it was
  /// before, since when nothing has. It will then never do anything else (endless.cpp).
  bool comes_back();

  std::uint32_t fenced_at = 0;      ///< the block's time at the last fence
  std::uint32_t cluster_phase = 0;  ///< in which it arrived at the cluster's barrier
  /// Copies by cp.async that nothing waited for yet.
  struct PendingCopy {
    const Operation* operation;
    int lane;
    std::uint64_t to, from;
    std::uint32_t bytes, given;  ///< the bytes after `given` become 0
    std::uint32_t group;
  };
  std::vector<PendingCopy> copies;
  std::uint32_t copy_group = 0;
  // Of registers and of the local variables of each lane (ptx/shadow/shadow.h).
  std::vector<std::uint32_t> tags;
  std::array<std::vector<std::uint32_t>, lanes_of_warp> local_tags;

 private:
  void carry_out(const Operation& operation, Mask on);

  /// The registers of a part, and what their values are (`tags`).
  struct Saved {
    std::vector<std::uint8_t> registers;
    std::vector<std::uint32_t> tags;
    friend bool operator==(const Saved&, const Saved&) = default;
  };
  struct Return {
    std::uint32_t operation = 0;
    std::uint32_t part = 0;  ///< that goes on
    std::uint32_t left = 0;  ///< the part that ends
    LocalMemory::Frame frame;            ///< of the part that goes on
    std::shared_ptr<const Saved> saved;  ///< of the part that ends, before it began anew
  };

  struct SumOnWay {
    const Operation* operation = nullptr;
    std::uint32_t group = 0;
  };
  void check_sums(const Operation& operation);

  // endless.cpp
  struct State {
    std::vector<std::uint8_t> registers;
    LocalMemory local{0};
    std::array<std::uint32_t, lanes_of_warp> lane_pc{};
    std::array<std::vector<Return>, lanes_of_warp> returns;
    std::array<Mask, 5> masks{};
    std::size_t copies = 0;
  };
  std::array<Mask, 5> masks() const { return {ready_, exited_, waiting_, at_barrier_, carry_}; }
  State state() const;
  bool is_in(const State& state) const;

  // unwritten.cpp
  /// The register's value is undefined in those of the lanes `on`, and defined in the others of them.
  void set_poison(Slot slot, const Poison& poison, Mask on);
  void follow_poison(const Operation& operation, Mask on);
  void check_decision(const Operation& operation, Slot slot, Mask on);
  std::uint64_t special_value(Special special, int lane);
  bool pick();
  bool meet();
  /// Those of the mask that are at an operation.
  Mask lanes_at(std::uint32_t pc, Mask among) const {
    Mask out = 0;
    for (Mask rest = among; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (lane_pc_[static_cast<std::size_t>(lane)] == pc) out |= Mask{1} << lane;
    }
    return out;
  }
  void leave(Mask on, std::uint32_t pc) {
    for (Mask rest = on; rest != 0; rest &= rest - 1) lane_pc_[static_cast<std::size_t>(std::countr_zero(rest))] = pc;
  }
  bool step(const Operation& operation, Mask on);
  bool branch(const Operation& operation, Mask on);
  void switch_to(const Operation& operation, Mask on);
  void call(const Operation& operation, Mask on);
  bool enter(const Operation& operation, const Call& made, std::uint32_t number, std::size_t lane,
             const std::shared_ptr<const Saved>& saved);
  std::optional<std::uint32_t> part_at(const Operation& operation, std::size_t lane);
  void come_to_barrier(const Operation& operation, Mask on);
  void back(Mask on);
  void end_lanes(Mask on);
  bool converge(const Operation& operation, Mask on);
  Mask meeting(const Operation& operation, Mask here);
  Mask lanes_that_meet();
  void run_groups(const Operation& operation, Mask on);
  Reached reach_shared(const Operation& operation, std::uint64_t offset, std::uint32_t bytes, bool of_cluster);
  Reached reach_global(const Operation& operation, std::uint64_t address, std::uint32_t bytes,
                       bool stores);

  Machine& machine_;
  Block& block_;
  std::vector<std::uint8_t> registers_;
  std::uint8_t* constants_;
  std::uint32_t number_;
  Mask lanes_;  ///< that exist
  Mask ready_, exited_ = 0, waiting_ = 0, at_barrier_ = 0;
  Mask active_ = 0;
  Mask carry_ = 0;
  std::uint32_t pc_ = 0, limit_ = 0;
  bool yields_ = false, rotates_ = false;
  std::array<std::uint32_t, lanes_of_warp> lane_pc_{};
  std::array<std::vector<Return>, lanes_of_warp> returns_;
  std::array<std::uint32_t, lanes_of_warp> part_{}, returned_from_{};
  LocalMemory local_;
  Allocation* last_ = nullptr;     ///< that was reached
  std::unordered_map<Slot, Poison> poison_;
  Mask divided_ = 0;  ///< lanes that divide by 0 in the operation that is carried out
  std::unordered_map<Slot, SumOnWay> sums_on_way_, factors_on_way_;
  std::uint32_t sum_group_ = 0;
  State kept_;
  std::uint64_t kept_at_ = 0, turns_ = 0, most_turns_ = 0;
  bool comes_back_ = false;
};

/// The word of 64 (`wide`) or 32 bits that a lane has in a slot.
inline std::uint64_t word_of(Warp& warp, Slot slot, bool wide, int lane) {
  return wide ? warp.at<std::uint64_t>(slot)[lane] : warp.at<std::uint32_t>(slot)[lane];
}

/// Of blocks, by number: what each did before this time of its clock is over.
using Heard = std::unordered_map<std::uint32_t, std::uint32_t>;
void join(Heard& into, const Heard& from);

/// A barrier in shared memory (PTX ISA, "mbarrier").
struct PhasedBarrier {
  const Block* owner = nullptr;
  std::uint32_t expected = 0, pending = 0;
  std::int64_t bytes = 0;  ///< that copies have still to bring
  std::uint32_t phase = 0;
  // What those did who came in the present phase, and in phases that have ended.
  std::vector<std::uint32_t> gathering, clock;
  Heard gathering_of_others, of_others;
};

class Block {
 public:
  /// `rank`: in its cluster.
  Block(Machine& machine, std::uint32_t number, std::uint32_t rank, std::shared_ptr<Cluster> cluster);
  /// Its warps run, each so long; whether any of them could.
  bool go(std::uint64_t most);
  bool is_done() const { return live_ == 0; }
  std::uint32_t live() const { return live_; }
  std::uint32_t number() const { return number_; }
  std::array<std::uint32_t, 3> index() const { return index_; }
  std::uint32_t rank() const { return rank_; }
  Cluster& cluster() { return *cluster_; }
  std::vector<std::uint8_t>& shared() { return shared_; }
  std::vector<std::unique_ptr<Warp>>& warps() { return warps_; }

  /// These lanes come to a barrier. `waits`: they wait there.
  void arrive(Warp& warp, const Operation& operation, Mask on, bool waits);
  void thread_ended(std::uint32_t count);

  // checks.cpp. Times are of this block's clock.
  /// True if something there was never written, or, in a block before, by nobody of this one.
  bool read_shared(Warp& warp, const Operation& operation, std::uint64_t offset, std::uint32_t bytes);
  bool is_untouched(std::uint64_t offset, std::uint32_t bytes) const;  ///< nobody wrote any of these bytes
  void forget_shared(std::uint64_t offset, std::uint32_t bytes);       ///< as if nobody had written there
  /// `keeps`: the bytes are there already, so that no other write is a race with this one.
  void write_shared(Warp& warp, const Operation& operation, std::uint64_t offset, std::uint32_t bytes, bool keeps);
  bool touch_global(Warp& warp, const Operation& operation, Allocation& allocation, std::uint64_t offset,
                    std::uint32_t bytes, bool writes, bool keeps = false);
  /// Shared memory that a copy which nobody carries out (TMA) writes, begun by the warp. It is ordered after what the
  /// warp knows, and before what waits for the barrier.
  void copied_shared(Warp& warp, const Operation& operation, std::uint64_t offset, std::uint32_t bytes);
  /// Another block of the cluster has written there.
  void written_from_outside(std::uint64_t offset, std::uint32_t bytes);
  /// A warp of another block of the cluster reads or writes there.
  void touched_from_outside(Warp& warp, const Operation& operation, std::uint64_t offset, std::uint32_t bytes,
                            bool writes, bool keeps = false);
  bool is_unwritten(std::uint64_t offset, std::uint32_t bytes) const;
  /// Everyone knows what everyone has done.
  void meet_all();
  /// What this block has done and heard so far, for others to hear.
  void tell(Heard& others);
  void hear(const Heard& others) { join(heard_, others); }
  void fence(Warp& warp) { warp.fenced_at = time_++; }
  void release(Warp& warp, std::uint64_t key, bool itself, bool is_global);
  void acquire(Warp& warp, std::uint64_t key, bool is_global);
  void join_into(std::vector<std::uint32_t>& clock, std::uint32_t warp);
  void join_from(const std::vector<std::uint32_t>& clock, std::uint32_t warp);
  std::uint32_t agent() const { return static_cast<std::uint32_t>(warps_.size()); }  ///< of copies, in clocks

  std::map<std::uint32_t, PhasedBarrier> phased;  ///< by address
  std::vector<std::uint32_t> tags;                ///< of shared memory (ptx/shadow/shadow.h)

 private:
  struct Barrier {
    std::uint32_t arrived = 0, expected = 0;  ///< expected: 0: all threads that have not ended
    const Operation* first = nullptr;
    Mask warps = 0;
    std::uint32_t count_true = 0;
    std::vector<std::pair<Warp*, Mask>> waiting;
    std::vector<const Operation*> operations;  ///< of those
  };
  struct SharedTouch {
    std::uint32_t time = 0, operation = 0;
  };

  void pass(Barrier& barrier);
  bool is_ordered(std::uint32_t earlier, std::uint32_t time, std::uint32_t later) const {
    return earlier == later || clocks_[later * width_ + earlier] > time;
  }
  bool is_ordered(const Touch& earlier, const Warp& later) const;
  /// What an access conflicts with.
  struct Earlier {
    std::uint32_t operation = 0, warp = 0, block = 0;
    bool writes = false;
  };
  /// `allocation`: null for shared memory, this block's or that of `owner`.
  void race(const Operation& operation, const Warp& warp, const Earlier& earlier, bool writes,
            const Allocation* allocation, std::uint64_t offset, const Block* owner = nullptr);
  /// A granule of shared memory is reached by this block after others have reached it.
  void check_outside(const Operation& operation, const Warp& warp, std::uint64_t granule, bool writes, bool keeps);
  void write_shared(std::uint32_t who, Warp& warp, const Operation& operation, std::uint64_t offset,
                    std::uint32_t bytes, bool keeps);

  Machine& machine_;
  std::uint32_t number_, rank_;
  std::shared_ptr<Cluster> cluster_;
  std::array<std::uint32_t, 3> index_{};
  std::vector<std::uint8_t> shared_;
  std::vector<std::uint8_t> shared_written_;  ///< for each byte
  std::vector<std::unique_ptr<Warp>> warps_;
  std::uint32_t live_ = 0;
  std::array<Barrier, 16> barriers_;
  std::vector<std::uint32_t> order_;  ///< of the warps
  // Clocks: width_ is the number of warps and one more, for copies.
  std::uint32_t width_ = 0, time_ = 1;
  std::vector<std::uint32_t> clocks_;
  std::vector<SharedTouch> writes_, reads_;  ///< of each granule; reads by each warp
  std::vector<std::uint8_t> writers_;
  std::unordered_map<std::uint64_t, Cell> outside_;  ///< what other blocks did with granules
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> released_;
  /// What this block has acquired of what others have released at a key: so many of the first.
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
  Heard heard_;  ///< by barriers of the cluster
};

/// What blocks have released by atomics on one address of global memory, in order.
struct Releases {
  struct By {
    std::uint32_t position = 0, time = 0;
  };
  std::unordered_map<std::uint32_t, std::vector<By>> by;  ///< of each block: both grow
  std::uint32_t count = 0;
};

/// What is reported once for each operation.
enum class FindingKind : std::uint8_t {
  divergent_barrier,
  race,
  unwritten_read,
  unwritten_store,
  undecided,  ///< a value that nobody wrote decides
  division,
  lanes_disagree,  ///< two lanes store different values to one place
  absent_lane,     ///< takes the value of a lane that does not take part
  sums_on_way,
  meaningless_use,     ///< of a value whose bits have no meaning there (ptx/shadow/)
  meaningless_operand  ///< bytes that are no number of the format, or of several
};

/// As many as chips since sm_80 reserve in each block.
inline constexpr std::uint32_t reserved_shared_bytes = 1024;

class Machine {
 public:
  Machine(const Kernel& kernel, Memory& memory, const LaunchOptions& options, std::vector<std::uint8_t> parameters);
  ~Machine();
  LaunchReport run();

  const Kernel& kernel() const { return kernel_; }
  Memory& memory() { return memory_; }
  const LaunchOptions& options() const { return options_; }
  std::vector<std::uint8_t>& parameters() { return parameters_; }
  std::uint8_t* constants() { return constants_.data(); }
  Shadow* shadow() { return shadow_.get(); }  ///< null: values are not followed
  LaunchReport& report() { return report_; }
  bool stopped() const { return report_.fault.has_value(); }
  std::uint32_t shared_bytes() const { return shared_bytes_; }  ///< of the kernel and the launch, and the reserved ones
  std::uint32_t reserved_begin() const { return reserved_begin_; }
  std::uint32_t threads_of_block() const;
  std::uint32_t granule() const { return kernel_.granule; }

  void fault(const Operation& operation, const Warp& warp, std::string message);
  /// Once for each operation and kind, and what is `other` (of a race, the earlier operation): then `text` is called.
  template <class Text>
  void finding(const Operation& operation, FindingKind kind, Text&& text, std::uint32_t other = 0) {
    const Found found{number_of(operation), kind, other};
    if (!was_found(found)) add_finding(found, operation, text());
  }
  std::uint32_t number_of(const Operation& operation) const {
    return static_cast<std::uint32_t>(&operation - kernel_.operations.data());
  }
  std::string line_text(std::uint32_t operation) const;
  std::uint64_t random();

  std::uint64_t progress = 0;  ///< grows with everything that another warp may wait for
  std::uint64_t busy = 0;      ///< turns of warps that did not end because they wait for something to happen
  std::uint64_t clock = 0;
  std::uint64_t grid_room = 0;           ///< the address of what the blocks of a cooperative launch share
  std::vector<OperationCounts> profile;  ///< of each operation; empty if the launch does not profile
  std::unordered_map<std::uint64_t, Releases> releases;
  std::vector<std::uint32_t> parameter_tags;

 private:
  using Found = std::tuple<std::uint32_t, FindingKind, std::uint32_t>;
  bool was_found(const Found& found);
  void add_finding(const Found& found, const Operation& operation, std::string message);
  void run_blocks();
  /// The blocks of cluster `at`.
  void begin_cluster(std::uint64_t at, std::vector<std::unique_ptr<Block>>& running);
  bool is_endless(const std::vector<std::unique_ptr<Block>>& blocks) const;
  void endless(const std::vector<std::unique_ptr<Block>>& blocks);
  void deadlock(std::vector<std::unique_ptr<Block>>& blocks);

  const Kernel& kernel_;
  Memory& memory_;
  LaunchOptions options_;
  std::vector<std::uint8_t> parameters_;
  std::vector<std::uint8_t> constants_;
  LaunchReport report_;
  std::unique_ptr<Shadow> shadow_;
  std::uint32_t shared_bytes_ = 0, reserved_begin_ = 0;
  std::uint64_t random_ = 0;
  std::map<Found, std::size_t> found_;  ///< their numbers among the report's findings
};

/// Reports that an integer was divided by 0 there, once.
void report_division(Machine& machine, const Operation& division);

}  // namespace reckon::ptx
