// Deals the cells of one sweep in blocks to takers, the threads of this process (number 0) and other ranks. Nobody
// depends on a taker: what one does not deliver, taker 0 does in the end.
#pragma once

#include <mutex>
#include <vector>

#include "sweep/cells.h"

namespace reckon::sweep {

class Dealer {
 public:
  struct Block {
    std::int64_t first = 0, last = 0;
  };
  /// `mutex` guards `cells` and `done`, which has an element for each taker: how many cells it did.
  Dealer(Cells& cells, Sweep& sweep, std::mutex& mutex, std::vector<std::int64_t>& done)
      : cells_(cells), sweep_(sweep), mutex_(mutex), done_(done), dealt_(done.size()), told_(done.size(), false) {}
  const Sweep& sweep() const { return sweep_; }

  /// The next block that nobody has; for taker 0, if there is none, one that another has not delivered yet.
  std::optional<Block> take(std::size_t taker);
  /// What a taker did of its block, and how long it took.
  void give(std::size_t taker, Part part, double seconds);
  bool finished() const;
  Part front() const;
  /// The cell from which on the taker's block is not needed any more, if it is one of the block's and the taker has not
  /// been told.
  std::optional<std::int64_t> unneeded(std::size_t taker);

 private:
  std::optional<Block> undealt() const;
  std::int64_t block_size(std::int64_t left) const;

  Cells& cells_;
  Sweep& sweep_;
  std::mutex& mutex_;
  std::vector<std::int64_t>& done_;
  std::vector<std::optional<Block>> dealt_;  ///< by taker
  std::vector<bool> told_;
  double seconds_each_ = 0;  ///< of a cell, by a taker with all its threads; 0: not known
};

}  // namespace reckon::sweep
