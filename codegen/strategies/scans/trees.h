// Scans by `tree` and `blelloch`: a block goes through a list chunk by chunk, and the threads have neighbouring leaves
// of a chunk. Both orders join aligned runs of powers of two of leaves, in which the bits of a leaf's number are
// distributed, from the lowest up, over a thread's leaves, the lanes of a warp, the warps, and the chunks. Element i by
// `tree` joins the runs of i + 1 from the shortest, the last one, to the longest; by `blelloch` from the longest down.
#pragma once

#include "codegen/strategies/scans/look_back.h"

namespace reckon::codegen {

class TreeScan : LoweringParts {
 public:
  static constexpr std::int64_t most_threads = 256;
  /// Leaves of a chunk, at most; a power of two, as all chunks.
  static constexpr std::int64_t most_leaves = 8 * most_threads;

  /// Leaves of a thread in a chunk, at most, if a leaf and a join are cheap.
  static std::int64_t leaves_of_thread(std::int64_t node_bytes) {
    return node_bytes <= 8 ? 8 : node_bytes <= 16 ? 4 : 1;
  }

  /// `by_tree`: by `tree`, else by `blelloch`.
  TreeScan(KernelParts& parts, const KernelBody& body, const ScanPlacement& placement, bool by_tree,
           const Kernel& kernel, BlockReducer& reducer);

  void write();

 private:
  using Levels = std::vector<Values>;
  struct Exclusive;

  void write_list(const ScanList& list);
  void write_tiles();
  Values read_chunk(const ScanList& list, Value begin);
  void deal_out(const Values& nodes);
  Value number(std::int64_t v);
  void write_chunk(const ScanList& list, Value begin);
  Values read_whole(const ScanList& list);
  Values read_part(const ScanList& list);
  void write_whole(const ScanList& list);
  Value own_place();
  Value read_place();
  static constexpr std::int64_t read_pitch() { return warp + 1; }
  Values load(Value place, std::int64_t offset);
  void store(Value place, std::int64_t offset, std::span<const Value> node);
  Values total_of_warps(std::int64_t level, Value first);

  Value run_before(Value number, std::int64_t k);

  Values own_leaves();
  void keep(const std::vector<Values>& nodes);
  std::vector<Values> within_chunk(std::vector<Values> nodes);
  std::vector<Values> by_tree(std::vector<Values> nodes, const ScanList& list, Value chunk);
  std::vector<Values> by_blelloch(const std::vector<Values>& nodes, const ScanList& list, Value chunk,
                                  const Values& carried);
  Exclusive after(const Exclusive& before, const Values& run);
  Exclusive descend(std::vector<Values>& out, const std::vector<Levels>& runs, std::int64_t level, std::int64_t first,
                    Exclusive before);
  Values next_chunk(const ScanList& list, Value chunk, const Values& total);
  std::int64_t leaves() const { return threads_ * vector_; }

  ScanLists lists_;
  const ScanPlacement& placement_;
  bool by_tree_;
  BlockReducer& reducer_;
  const FoldSite& site_;
  WarpRuns lanes_;
  std::unique_ptr<LookBack> look_back_;            ///< if tiles are joined with what the kernel itself has published
  bool continues_;                                 ///< the first leaf is joined with what comes before the tile
  std::int64_t threads_, warp_bits_, vector_ = 1;  ///< of a block; its warps; leaves of a thread in a chunk
  Values shared_, warps_;
  Counter counter_, prefixes_;
};

}  // namespace reckon::codegen
