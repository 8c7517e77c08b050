// The lists of leaves that a kernel of a scan goes through: one for each point of a space, or the tiles of these.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

/// What a tile's nodes are joined with: the tiles before it, in the order that the schedule states for tiles. The
/// kernels before have made the buffers; each is the first one of its parts'.
struct TilesBefore {
  enum class Order : std::uint8_t {
    none,
    seq,        ///< one node: that of all tiles before
    tree,       ///< one for each bit of the tile's number, the lowest first: the total of a run of so many tiles
    blelloch,   ///< the same for the bits below the lowest 0, and then one node for all tiles before these
    continued,  ///< by `blelloch` of all leaves: the first leaf is joined with the node of all tiles before
    look_back,  ///< as `tree`; the totals are those that the same kernel has published (look_back.h)
  } order = Order::none;
  std::uint32_t totals = 0;    ///< tree, blelloch: of each whole tile; look_back: the words of all levels' totals
  std::uint32_t counters = 0;  ///< look_back: of tickets, and of blocks that are done
  std::int64_t levels = 0;     ///< look_back: runs of 32^0, 32^1, ... tiles have totals
  std::uint32_t runs = 0;    ///< tree, blelloch: those of longer runs (runs.h)
  std::uint32_t nodes = 0;   ///< seq, blelloch, continued: the nodes of the tiles up to one

  bool has_runs() const { return order == Order::tree || order == Order::blelloch; }
  bool has_nodes() const { return order == Order::seq || order == Order::blelloch || order == Order::continued; }
};

struct ScanPlacement {
  std::optional<std::int64_t> tile;     ///< leaves of a tile, if the work items are tiles
  std::optional<std::uint32_t> source;  ///< the nodes in these buffers are scanned, not the leaves
  ir::IndexId length;                   ///< of the whole list
  bool folds = false;                   ///< nothing but the last node is wanted
  TilesBefore before;
};

/// One of the lists. All its values are those of one thread.
struct ScanList {
  std::vector<Scope::Bound> variables;
  Value row = nullptr;     ///< the number of its point in the space
  Value tile = nullptr;    ///< its number among the tiles of the point; null: the list is whole
  Value first = nullptr;   ///< its first leaf
  Value length = nullptr;  ///< leaves
};

class ScanLists : LoweringParts {
 public:
  ScanLists(KernelParts& parts, const KernelBody& body, const ScanPlacement& placement, const Kernel& kernel);

  const FoldSite& site() const { return site_; }
  /// The number of work items.
  Value count() const { return count_; }
  /// Emits what a block does with each of its groups of so many work items; nothing if lists have no leaves.
  void in_groups(std::int64_t items, FunctionRef<void(Value first)> write);
  /// Leaves of the longest list.
  Value longest() const { return longest_; }
  ScanList at(Value item);
  /// The list as integers, so many of them, and back.
  std::size_t packed_size() const { return body_.space.size() + 4; }
  Values packed(const ScanList& list) const;
  ScanList unpacked(const Values& packed) const;
  Values node(const ScanList& list, Value position);

  /// Several nodes, each joined with `before` on its left.
  std::vector<Values> joined_if(Value condition, const std::vector<Values>& nodes, FunctionRef<Values()> before);
  /// Nodes of a tile joined with what comes before the tile.
  std::vector<Values> after_tiles(const ScanList& list, std::vector<Values> nodes);
  /// The same if what comes before is the one node of the list's first `count` tiles. There may be none of these.
  std::vector<Values> after_first_tiles(const ScanList& list, Value count, const std::vector<Values>& nodes);
  /// The node of the list's first `count` tiles, at least one.
  Values first_tiles(const ScanList& list, Value count);

  void store(const ScanList& list, Value position, const Values& node);
  void store_last(Value item, const Values& node);
  /// The node in the buffers from this one on.
  Values load(std::uint32_t buffer, Value element);

 private:
  Values load_run(const ScanList& list, Value left);
  Value whole_tiles_before(const ScanList& list);

  Items& items_;
  const KernelBody& body_;
  const ScanPlacement& placement_;
  const Kernel& kernel_;
  FoldSite site_;
  Value count_ = nullptr, length_ = nullptr, longest_ = nullptr;
};

}  // namespace reckon::codegen
