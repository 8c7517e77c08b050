// A reduction that is to be placed, and what strategies ask about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "codegen/place/place.h"
#include "codegen/plan.h"

namespace reckon::codegen {

/// A reduction that stands within the elements of a tensor, as the fold that it would be in a kernel of its own. It has
/// no pins.
struct InnerCandidate {
  ir::Module& module;
  const KernelBody& fold;
  bool in_words;   ///< numbers are several words in its buffer
  bool any_order;  ///< every order gives the same bits
  const ir::KernelClauses& clauses;
  const Planned& planned;
  int chip;
  const Numbers& numbers;
  const KernelBody& elements;  ///< within which it stands
};

/// Kernel `number` of a plan, which is a fold. Its body has the order in which the fold is placed; if pins give the
/// fold to one thread, that is the order as stated.
class Candidate {
 public:
  Candidate(const Placing& placing, std::size_t number);

  ir::Module& module() const { return placing_.module; }
  Planned& planned() const { return placing_.planned; }
  const Numbers& numbers() const { return placing_.code; }
  int chip() const { return placing_.chip; }
  const kernel::Gpu& gpu() const { return placing_.gpu(); }
  std::size_t number() const { return number_; }
  /// Adding a kernel to the plan invalidates the references that these two return.
  KernelBody& body() const { return placing_.planned.bodies[number_]; }
  Kernel& kernel() const { return placing_.planned.plan.kernels[number_]; }
  const std::optional<Words>& words() const { return placing_.planned.plan.buffers[kernel().output].words; }

  /// Adds a kernel of elements before this one, whose name is this one's with the suffix.
  void add_before(std::string_view suffix, std::uint32_t output, KernelBody body);

  /// The length of each list, if it is known.
  std::optional<std::int64_t> length() const { return length_; }
  bool length_varies() const { return length_varies_; }
  /// Whether the length depends on the round of a loop: no buffer has an extent of it, since one is made for all
  /// rounds.
  bool length_is_of_round() const;
  /// How many reductions there are, if it is known.
  std::optional<std::int64_t> items() const;
  bool is_alone() const { return body().space.empty(); }
  /// Whether what joins two nodes depends on where the result stands, as in a fold whose state is a tensor.
  bool joins_by_place() const;

  bool is_pinned() const { return is_pinned_; }
  bool is_of_a_thread() const { return is_of_a_thread_; }  ///< pins give each list to one thread
  bool any_order() const { return any_order_; }            ///< every order gives the same bits
  /// Is there anything in the order for the threads of a block to do side by side?
  bool is_parallel() const;
  /// Whether many threads should read the leaves of a lone `seq`, although one thread joins them.
  bool reads_ahead() const;

  /// With fewer leaves, a thread does as well as a block; pins override this limit.
  std::int64_t min_leaves() const { return is_alone() ? warp : min_block_leaves; }
  bool is_short() const { return is_shorter_than(min_leaves()); }
  bool is_shorter_than(std::int64_t leaves) const { return !is_pinned_ && length_ && *length_ < leaves; }
  /// Whether neighbouring leaves are not neighbours in memory. Never so for a list that is alone.
  bool is_across_memory();
  /// Whether neighbouring reductions read neighbours in memory.
  bool is_side_by_side() const;
  /// Whether threads may share a list: then all threads of a block, also those lanes of a warp that have different
  /// columns, reach every barrier together.
  bool may_be_shared() const { return !is_of_a_thread_ && !length_varies_; }

  /// Bytes of a node of the fold, at most: intervals and rings have 16 bytes for a number.
  std::int64_t state_bytes() const;
  /// Whether a node may be a product that is not rounded yet. This goes by the order that the reduction states; the
  /// body's order may be only a part of it.
  bool keeps_factors() const;

  /// Records why a strategy does not take the reduction; returns false.
  bool refuse(std::string_view strategy, const Reason& reason, std::int64_t have = 0, std::int64_t need = 0) const {
    body().decision.refuse(strategy, reason, have, need);
    return false;
  }

 private:
  const ir::Node& node() const { return module()[body().node]; }

  Placing placing_;
  std::size_t number_;
  std::optional<std::int64_t> length_;
  bool length_varies_ = false, is_pinned_ = false, is_of_a_thread_ = false, any_order_ = false;
  std::optional<bool> in_order_;
};

}  // namespace reckon::codegen
