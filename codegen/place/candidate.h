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
};

/// Kernel `number` of a plan, which is a fold. Its body has the order in which it is placed; for one that is a thread's
/// by its pins, the order as stated.
class Candidate {
 public:
  Candidate(const Placing& placing, std::size_t number);

  ir::Module& module() const { return placing_.module; }
  Planned& planned() const { return placing_.planned; }
  std::size_t number() const { return number_; }
  /// These two are others when a kernel has been added to the plan.
  KernelBody& body() const { return placing_.planned.bodies[number_]; }
  Kernel& kernel() const { return placing_.planned.plan.kernels[number_]; }
  const std::optional<Words>& words() const { return placing_.planned.plan.buffers[kernel().output].words; }

  /// Of each list, if it is known.
  std::optional<std::int64_t> length() const { return length_; }
  bool length_varies() const { return length_varies_; }
  /// How many reductions there are, if it is known.
  std::optional<std::int64_t> items() const;
  bool is_alone() const { return body().space.empty(); }

  bool is_pinned() const { return is_pinned_; }
  bool is_of_a_thread() const { return is_of_a_thread_; }  ///< by its pins
  bool any_order() const { return any_order_; }            ///< every order gives the same bits
  /// Is there anything in the order for the threads of a block to do side by side?
  bool is_parallel() const;
  /// Where there is nothing else to do, even the leaves of `seq` are better read by many threads.
  bool reads_ahead() const;

  /// Below so many leaves, a thread does as well as a block; pins have the last word.
  std::int64_t min_leaves() const { return is_alone() ? warp : min_block_leaves; }
  bool is_short() const { return !is_pinned_ && length_ && *length_ < min_leaves(); }
  /// Are neighbouring leaves no neighbours in memory? A list that is alone has nothing beside it.
  bool is_across_memory();
  /// Are neighbouring reductions neighbours in memory?
  bool is_side_by_side() const;
  /// Whether threads may share a list: all threads of a block, and of a warp those of different columns, come to every
  /// barrier together.
  bool may_be_shared() const { return !is_of_a_thread_ && !length_varies_; }

  /// Of a node of the fold, at most: intervals and rings have 16 bytes for a number.
  std::int64_t state_bytes() const;
  /// Whether a node may be a product that is not rounded yet. As the reduction states its order: the body's is what is
  /// left of it.
  bool keeps_factors() const;

  /// Records why a strategy does not take it; gives false.
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
