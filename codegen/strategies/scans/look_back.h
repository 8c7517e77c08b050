// One kernel scans all tiles of long lists by `tree`: blocks take the tiles in order, by tickets, and a tile's nodes
// are joined with the totals that blocks before have published (D. Merrill and M. Garland, "Single-pass Parallel Prefix
// Scan with Decoupled Look-back", NVIDIA NVR-2016-002). There, prefixes are joined with whatever is there first. Here,
// the schedule says which totals are joined: those of aligned runs of powers of two of tiles. So the block whose tile
// is the last of 32, of 1024, ... publishes their total, too, and of each of these levels a warp reads the totals of up
// to 31 neighbours, of which its shuffles make the runs. No tile waits for more others one after the other than there
// are levels.
#pragma once

#include "codegen/strategies/scans/lists.h"
#include "codegen/strategies/scans/warp_runs.h"

namespace reckon::codegen {

class LookBack : LoweringParts {
 public:
  /// Leaves of a thread in a tile; 0: nodes are too large.
  static std::int64_t leaves_of_thread(std::int64_t node_bytes) {
    return node_bytes <= 4 ? 16 : node_bytes <= 8 ? 8 : node_bytes <= 16 ? 4 : 0;
  }
  /// Levels for so many tiles, and for any number of them: 2^30 tiles.
  static std::int64_t levels_for(std::int64_t tiles);
  static constexpr std::int64_t most_levels = 6;
  /// The counter of tickets, that of blocks that are done, and how many counters there are.
  static constexpr std::int64_t tickets = 0, done = 1, counters = 2;

  LookBack(KernelParts& parts, ScanLists& lists, const ScanPlacement& placement, const Kernel& kernel,
           BlockReducer& reducer);

  /// The number of the next tile, for one thread of the block; at least the number of tiles: there are no more. Each
  /// block takes so many beyond those of the tiles that it scans.
  static constexpr std::int64_t tickets_ahead = 3;
  Value ticket();
  /// Publishes a tile's total, which the first warp has.
  void publish_total(const ScanList& list, const Values& total);
  /// What each thread needs of the tiles before this one, if it is published yet: a total, and a flag. Warp k looks at
  /// level k, if that is one of these.
  Values look_up_first(const ScanList& list) { return look_up(list, 0, 1); }
  Values look_up_others(const ScanList& list) { return look_up(list, 1, before_.levels); }
  /// The first warp reads the first level, and publishes the total of the longer runs that end with this tile. `total`:
  /// of the tile; `round`: 0 and 1 in turn; `found`: what `look_up_first` gave some time before, so that there is
  /// nothing to wait for, most often. A barrier must follow.
  void read_first(const ScanList& list, const Values& total, Value round, const Values& found);
  /// The nodes of the tile, joined with those of the tiles before it; `found`: what `look_up_others` gave.
  std::vector<Values> after_tiles(const ScanList& list, Value round, const Values& found, std::vector<Values> nodes);
  /// When the block has no more tiles. The last block leaves zeros for the next launch.
  void end();

 private:
  Value place(const ScanList& list, Value level, Value number);
  void publish(const ScanList& list, Value level, const Values& total);
  Values found_at(Value place);
  Value mine_of(Value number);
  Values look_up(const ScanList& list, std::int64_t begin, std::int64_t end);
  struct Keep {
    const Values& found;
    Value place;  ///< of the level's runs
  };
  Values read_level(const ScanList& list, Value level, const Values& own, const Keep* keep);
  Value first_place(Value round);
  void clear(std::size_t part, Value first, Value count);
  Value number_at(const ScanList& list, Value level) {
    return b_.lshr(list.tile, w_.multiply(level, w_.i64(WarpRuns::levels)));
  }

  ScanLists& lists_;
  const TilesBefore& before_;
  BlockReducer& reducer_;
  const FoldSite& site_;
  WarpRuns warp_;
  Value rows_, tiles_, counters_;
  Values published_;  ///< the totals, for each part of a node
  Values runs_;       ///< in shared memory: those before the tile, of 2^k tiles at k
};

}  // namespace reckon::codegen
