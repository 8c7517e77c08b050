// Scans, and folds of many lists in order: blocks go through lists chunk by chunk (chains.h, trees.h). A list by
// `tile(k, S) then T`, or a long one by `tree` or `blelloch`, is gone through in tiles side by side. A kernel before it
// folds each whole tile, others scan these totals, and each tile is joined with what comes before it.
#include "codegen/strategies/strategy.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "codegen/place/fold_parts.h"
#include "codegen/strategies/scans/chains.h"
#include "codegen/strategies/scans/runs.h"
#include "codegen/strategies/scans/trees.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::ScheduleOp;

constexpr std::string_view scans_name = "lists in chunks";

/// Bytes of shared memory for a block's chunks.
constexpr std::int64_t chunk_bytes = max_shared_bytes - 4096;  ///< the rest is for where the lists are,
constexpr std::size_t most_dimensions = 8;                     ///< in a space of so many dimensions
constexpr std::int64_t most_leaves = 4096;                     ///< of a chunk
constexpr std::int64_t min_length = 32;     ///< of lists that are worth chunks
constexpr std::int64_t few_chunks = 4;      ///< that a block goes through without tiles
/// Threads of a multiprocessor that take tiles by tickets: each has registers for leaves of three tiles.
constexpr std::uint32_t threads_of_tiles = 768, usual_threads = 1024;
/// For each multiprocessor: lists that give work to all of them, and the tiles that few lists are cut into, about.
constexpr std::int64_t enough_lists = 2, enough_tiles = 8;

/// A kernel of lists or tiles.
class ListKernel : public PlacedKernel {
 public:
  ListKernel(ScanPlacement placement, std::uint32_t parts) : placement_(placement), parts_(parts) {}

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    std::string out = sentence(kernel);
    if (placement_.before.order != TilesBefore::Order::none) out += " Each tile is joined with the tiles before it.";
    return out;
  }

  bool reads(std::uint32_t buffer) const override {
    const auto within = [&](std::uint32_t first) { return buffer >= first && buffer - first < parts_; };
    if (placement_.source && within(*placement_.source)) return true;
    const TilesBefore& before = placement_.before;
    return (before.has_nodes() && within(before.nodes)) ||
           (before.has_runs() && (within(before.totals) || within(before.runs)));
  }

 protected:
  virtual std::string sentence(const Kernel& kernel) const = 0;
  /// Some of the lists, in words.
  std::string lists(std::int64_t count) const {
    const std::string plural = count == 1 ? "" : "s";
    const std::string number = count == 1 ? "a" : std::to_string(count);
    return number + (placement_.tile ? " tile" : " list") + plural + (placement_.source ? " of the tiles' totals" : "");
  }
  ScanPlacement placement_;

 private:
  std::uint32_t parts_;
};

class ChainKernel : public ListKernel {
 public:
  ChainKernel(ScanPlacement placement, ChainShape shape, std::uint32_t parts)
      : ListKernel(placement, parts), shape_(shape) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(body, kernel, [&](BlockReducer& reducer) {
      kernel.block_items = static_cast<std::uint32_t>(shape_.lists);
      ChainWriter(parts, body, placement_, shape_, kernel, reducer).write();
    });
  }

 protected:
  std::string sentence(const Kernel&) const override {
    return fmt::format("A block goes through {} in order{}, while {} threads move chunks of {} leaves.",
                       lists(shape_.lists), shape_.lists == 1 ? ": one thread joins" : ": a thread joins each",
                       ChainShape::movers, shape_.columns);
  }

 private:
  ChainShape shape_;
};

class TreeKernel : public ListKernel {
 public:
  TreeKernel(ScanPlacement placement, bool by_tree, std::uint32_t parts)
      : ListKernel(placement, parts), by_tree_(by_tree) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    const bool looks_back = placement_.before.order == TilesBefore::Order::look_back;
    parts.write_blocks(
        body, kernel,
        [&](BlockReducer& reducer) { TreeScan(parts, body, placement_, by_tree_, kernel, reducer).write(); },
        looks_back ? threads_of_tiles : usual_threads);
  }

 protected:
  std::string sentence(const Kernel& kernel) const override {
    if (placement_.before.order == TilesBefore::Order::look_back) {
      return fmt::format("Blocks of {} threads take tiles of {} leaves in order, and publish their totals.",
                         kernel.threads, *placement_.tile);
    }
    return fmt::format("The {} threads of a block go through {} chunk by chunk.", kernel.threads, lists(1));
  }

 private:
  bool by_tree_;
};

class RunsKernel : public ListKernel {
 public:
  using ListKernel::ListKernel;

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(body, kernel,
                       [&](BlockReducer& reducer) { write_runs(parts, body, placement_, kernel, reducer); });
  }

 protected:
  std::string sentence(const Kernel& kernel) const override {
    return fmt::format("The {} threads of a block join pairs of runs of {}, level by level.", kernel.threads, lists(1));
  }
};

/// A node in registers.
struct NodeSize {
  std::int64_t bytes = 0;
  std::int64_t vector = 1;  ///< nodes that one access to shared memory has, of each part
};

/// Nothing for a value of type `number`, which is refused elsewhere.
std::optional<NodeSize> node_size(const std::vector<ir::Scalar>& scalars, const Numbers& code) {
  NodeSize size;
  std::int64_t widest = 0;
  bool words = true;
  for (const ir::Scalar scalar : scalars) {
    if (scalar == ir::Scalar::number) return std::nullopt;
    const std::int64_t bytes = code.widths().of(scalar, kernel::Form::registers);
    words = words && code.is_word(scalar) && (widest == 0 || widest == bytes);
    widest = std::max(widest, bytes);
    size.bytes += bytes;
  }
  if (words) size.vector = vector_of(widest);
  return size;
}

/// Leaves of a chunk: a power of two, for any number of lists; nothing if nodes are too large for chunks.
std::optional<std::int64_t> chunk_leaves(const NodeSize& node, bool across) {
  const std::int64_t nodes = chunk_bytes / ChainShape::chunks_for(across) / node.bytes;
  const std::int64_t between_lists = warp * node.vector;  // at most (ChainShape::pitch)
  if (nodes - between_lists < ChainShape::movers) return std::nullopt;
  const auto power = std::bit_floor(static_cast<std::uint64_t>(nodes - between_lists));
  return std::min(most_leaves, static_cast<std::int64_t>(power));
}

/// The shape for so many lists of this length, as far as they are known, and for chunks of so many leaves at most.
ChainShape chain_shape(const NodeSize& node, std::int64_t leaves, std::optional<std::int64_t> lists,
                       std::optional<std::int64_t> length, bool across, std::int64_t multiprocessors) {
  const auto power_from = [](std::int64_t x) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(x, 1))));
  };
  ChainShape shape;
  shape.across = across;
  shape.node_bytes = node.bytes;
  shape.vector = node.vector;
  // Two blocks for each multiprocessor, if there are lists enough.
  const std::int64_t blocks = enough_lists * multiprocessors;
  const std::int64_t each = lists ? (*lists + blocks - 1) / blocks : warp / 2;
  shape.lists = std::clamp<std::int64_t>(power_from(each), 1, warp);
  if (across) {
    const std::int64_t least = std::min<std::int64_t>(8, power_from(lists.value_or(8)));
    shape.lists = std::max(shape.lists, least);
  }
  if (length) leaves = std::clamp(shape.lists * power_from(*length), ChainShape::movers, leaves);
  shape.columns = leaves / shape.lists;
  return shape;
}

/// Whether neighbouring lists, and not neighbouring leaves, are neighbours in memory.
bool is_across(ir::Module& module, const KernelBody& body) {
  const ir::Node& node = module[body.node];
  if (body.space.empty() || reads_in_order(module, node.operands[0], node.variables[0])) return false;
  return reads_in_order(module, node.operands[0], body.space.back().variable);
}

/// One scan of a plan, and the kernels that it becomes.
class ScanKernels {
 public:
  ScanKernels(const Placing& placing, std::size_t k)
      : module_(placing.module),
        planned_(placing.planned),
        code_(placing.code),
        k_(k),
        node_(module_[body().node]),
        scalars_(scalars_of(module_, module_[node_.operands[0]].type)) {}

  /// Returns the number of the kernel that was k.
  std::size_t place() {
    const ir::Reduction reduction = module_.reduction_of(body().node);
    const ir::ScheduleStore& schedules = module_.schedules();
    const auto size = node_size(scalars_, code_);
    if (!size || space().size() > most_dimensions || !schedules.levels(reduction.schedule).empty() ||
        schedules.has_arithmetic(reduction.schedule) || keeps_factors(module_, reduction.schedule, code_)) {
      return k_;
    }
    size_ = *size;
    drops_joins_ = !joins_may_fault(module_, node_, code_);
    const ir::ScheduleNode order = schedules[reduction.schedule];
    const bool any = !reduction.user && goes_in_any_order(reduction.operation);
    place(any ? ScheduleOp::tree : order.op);
    if (order.op == ScheduleOp::then && !any) in_tiles(order);
    return k_;
  }

 private:
  /// Whether no order of these nodes changes a bit.
  bool goes_in_any_order(ir::Op operation) const {
    const ir::Scalar scalar = scalars_[0];
    const bool words = ir::is_integer(scalar) && code_.is_word(scalar);
    if (operation == ir::Op::add) return words || code_.adds_words(scalar);
    const bool picks = operation == ir::Op::min || operation == ir::Op::max;
    return picks && (words || code_.picks_in_any_order());
  }

  KernelBody& body() { return planned_.bodies[k_]; }
  Kernel& kernel() { return planned_.plan.kernels[k_]; }
  std::uint32_t parts() const { return static_cast<std::uint32_t>(scalars_.size()); }
  IndexId length() const { return node_.indices[0]; }

  std::vector<IndexId> space() { return extents_of(body().space); }

  /// Whether chains can take the kernel that was k.
  bool has_chains() { return chunk_leaves(size_, is_across(module_, body())).has_value(); }

  /// Gives kernel `number` to chains, if that one has them.
  void chain(std::size_t number, const ScanPlacement& placement, const std::vector<IndexId>& items,
             std::optional<std::int64_t> leaves) {
    const bool across = !placement.source && is_across(module_, planned_.bodies[number]);
    const auto lists = known_product(module_, items);
    const ChainShape shape =
        chain_shape(size_, chunk_leaves(size_, across).value(), lists, leaves, across, planned_.gpu->multiprocessors);
    planned_.bodies[number].placed = std::make_shared<ChainKernel>(placement, shape, parts());
    Kernel& kernel = planned_.plan.kernels[number];
    kernel.items = items;
    kernel.threads = ChainShape::threads;
  }

  /// By one of the orders that have no parts.
  void place(ScheduleOp order) {
    if (order == ScheduleOp::seq) in_order();
    if (order == ScheduleOp::tree || order == ScheduleOp::blelloch) by_runs(order == ScheduleOp::tree);
  }

  void in_order() {
    const auto leaves = module_.indices().as_constant(length());
    if (has_chains() && (!leaves || *leaves >= min_length)) chain(k_, {.length = length()}, space(), leaves);
  }

  /// Gives kernel `number` to trees.
  void tree(std::size_t number, const ScanPlacement& placement, bool by_tree, const std::vector<IndexId>& items,
            std::optional<std::int64_t> leaves) {
    planned_.bodies[number].placed = std::make_shared<TreeKernel>(placement, by_tree, parts());
    Kernel& kernel = planned_.plan.kernels[number];
    kernel.items = items;
    kernel.threads = TreeScan::most_threads;
    while (leaves && kernel.threads > warp && kernel.threads / 2 >= *leaves) kernel.threads /= 2;
  }

  /// `tree` or `blelloch`: long lists, of which there are few, in aligned tiles, which such an order joins as it joins
  /// leaves.
  void by_runs(bool by_tree) {
    ir::IndexStore& indices = module_.indices();
    const auto leaves = indices.as_constant(length());
    const auto lists = known_product(module_, space());
    if (!drops_joins_ || (leaves && *leaves < min_length)) return;
    const bool many = lists ? *lists >= enough_lists * planned_.gpu->multiprocessors : !body().space.empty();
    if (many || (leaves && *leaves <= few_chunks * TreeScan::most_leaves)) {
      tree(k_, {.length = length()}, by_tree, space(), leaves);
      return;
    }
    if (by_tree && look_back()) return;
    std::int64_t tile = few_chunks * TreeScan::most_leaves;
    if (leaves && lists) {
      const double each = static_cast<double>(*leaves) * static_cast<double>(*lists) /
                          static_cast<double>(enough_tiles * planned_.gpu->multiprocessors);
      tile = TreeScan::most_leaves;
      while (static_cast<double>(tile) < each) tile *= 2;
    }
    const ir::ScheduleId by_trees = module_.schedules().simple(ScheduleOp::tree);
    split(tile, by_trees, by_tree ? TilesBefore::Order::tree : TilesBefore::Order::continued,
          by_tree ? ScheduleOp::tree : ScheduleOp::blelloch);
  }

  /// All tiles by one kernel; false if their nodes are not cheap to join, too large, or no words, as intervals.
  bool look_back() {
    const std::int64_t of_thread = LookBack::leaves_of_thread(size_.bytes);
    const bool are_words = std::ranges::all_of(scalars_, [&](ir::Scalar scalar) { return code_.is_word(scalar); });
    if (of_thread == 0 || !are_words || !is_cheap(module_, body().node)) return false;
    ir::IndexStore& indices = module_.indices();
    const std::int64_t tile = of_thread * TreeScan::most_threads;
    const IndexId tiles = indices.floor_div(indices.add(length(), indices.constant(tile - 1)), indices.constant(tile));
    const auto known = indices.as_constant(tiles);
    ScanPlacement placement{.tile = tile, .length = length(), .before = {.order = TilesBefore::Order::look_back}};
    placement.before.levels = known ? LookBack::levels_for(*known) : LookBack::most_levels;
    std::vector<IndexId> extents = space();
    extents.push_back(indices.constant(placement.before.levels));
    extents.push_back(tiles);
    for (std::uint32_t part = 0; part < parts(); ++part) {
      std::vector<IndexId> words = extents;
      words.push_back(indices.constant(code_.widths().words_to_publish(scalars_[part])));
      const std::uint32_t made = add_buffers(planned_, {ir::Scalar::u64}, words, std::nullopt, Buffer::Role::counters);
      if (part == 0) placement.before.totals = made;
    }
    placement.before.counters = add_buffers(planned_, {ir::Scalar::u32}, {indices.constant(LookBack::counters)},
                                            std::nullopt, Buffer::Role::counters);
    std::vector<IndexId> items = space();
    items.push_back(tiles);
    tree(k_, placement, true, items, std::nullopt);
    kernel().resident = threads_of_tiles / kernel().threads;
    return true;
  }

  /// `tile(k, S) then T`.
  void in_tiles(const ir::ScheduleNode& order) {
    const ir::ScheduleStore& schedules = module_.schedules();
    const ir::ScheduleNode stage = schedules[order.operands[0]];
    if (stage.op != ScheduleOp::tile) return;
    const auto tile = module_.indices().as_constant(stage.parameter);
    const auto leaves = module_.indices().as_constant(length());
    const ScheduleOp of_tile = schedules[stage.operands[0]].op, of_tiles = schedules[order.operands[1]].op;
    if (!tile || *tile < min_length) return;
    if (leaves && *leaves <= *tile) {
      place(of_tile);
      return;
    }
    const bool by_runs = of_tile == ScheduleOp::tree || of_tile == ScheduleOp::blelloch;
    if (by_runs ? !drops_joins_ : of_tile != ScheduleOp::seq) return;
    if (!has_chains()) return;
    switch (of_tiles) {
      case ScheduleOp::seq: split(*tile, stage.operands[0], TilesBefore::Order::seq, of_tile); break;
      case ScheduleOp::tree: split(*tile, stage.operands[0], TilesBefore::Order::tree, of_tile); break;
      case ScheduleOp::blelloch:
        if (drops_joins_) split(*tile, stage.operands[0], TilesBefore::Order::blelloch, of_tile);
        break;
      default: break;
    }
  }

  /// Makes tiles the work items, which are scanned by `of_tile`; `order` is that of their totals.
  void split(std::int64_t tile, ir::ScheduleId fold, TilesBefore::Order before, ScheduleOp of_tile) {
    ir::IndexStore& indices = module_.indices();
    const IndexId size = indices.constant(tile);
    const IndexId whole = indices.floor_div(length(), size);
    const IndexId all = indices.floor_div(indices.add(length(), indices.constant(tile - 1)), size);
    ScanPlacement placement{.tile = tile, .length = length(), .before = {.order = before}};
    TilesBefore& made = placement.before;
    made.totals = add_totals(fold, size, whole);
    const ScanPlacement of_totals{.source = made.totals, .length = whole};
    const std::vector<IndexId> points = space();
    const auto tiles = indices.as_constant(whole);
    if (made.has_runs()) {
      made.runs = add_buffers_of(whole);
      const std::size_t number = kernel_before("_runs", made.runs);
      planned_.bodies[number].placed = std::make_shared<RunsKernel>(of_totals, parts());
      planned_.plan.kernels[number].items = points;
      planned_.plan.kernels[number].threads = 2 * TreeScan::most_threads;
    }
    if (made.has_nodes()) {
      made.nodes = add_buffers_of(whole);
      const std::size_t number = kernel_before("_tiles", made.nodes);
      if (before == TilesBefore::Order::seq) chain(number, of_totals, points, tiles);
      else tree(number, of_totals, false, points, tiles);
    }
    std::vector<IndexId> items = points;
    items.push_back(all);
    if (of_tile == ScheduleOp::seq) chain(k_, placement, items, tile);
    else tree(k_, placement, of_tile == ScheduleOp::tree, items, tile);
  }

  std::uint32_t add_buffers_of(IndexId tiles) {
    std::vector<IndexId> extents = space();
    extents.push_back(module_.indices().maximum(tiles, module_.indices().constant(1)));
    return add_buffers(planned_, scalars_, extents, planned_.plan.buffers[kernel().output].words);
  }

  std::size_t kernel_before(std::string_view suffix, std::uint32_t output, KernelBody before) {
    add_kernel_before(planned_, k_, suffix, output, parts(), std::move(before));
    return k_++;
  }
  std::size_t kernel_before(std::string_view suffix, std::uint32_t output) {
    return kernel_before(suffix, output, {KernelBody::Kind::scan, body().node, body().space, true});
  }

  /// A kernel that folds every whole tile; gives its buffers.
  std::uint32_t add_totals(ir::ScheduleId order, IndexId size, IndexId tiles) {
    ir::IndexStore& indices = module_.indices();
    FoldParts parts(module_, planned_, k_);
    const ir::VariableId tile = module_.fresh_variable(), leaf = module_.fresh_variable();
    const IndexId first = indices.multiply(indices.variable(tile), size);
    const ir::NodeId total = parts.part(leaf, indices.add(first, indices.variable(leaf)), size, order);
    const std::uint32_t totals = add_buffers_of(tiles);
    KernelBody fold{KernelBody::Kind::fold, total, body().space, false};
    fold.space.push_back({tile, tiles});
    fold.vector = vector_of(size_.bytes);
    fold.part_of = {body().node, first};
    kernel_before("_totals", totals, std::move(fold));
    return totals;
  }

  ir::Module& module_;
  Planned& planned_;
  const Numbers& code_;
  std::size_t k_;
  ir::Node node_;
  std::vector<ir::Scalar> scalars_;
  NodeSize size_;
  bool drops_joins_ = false;  ///< whether joins may be computed whose result is dropped
};

class Scans : public Strategy {
 public:
  std::string_view name() const override { return scans_name; }

  void before_folds(const Placing& placing) const override {
    for (std::size_t k = 0; k < placing.planned.bodies.size(); ++k) {
      const KernelBody& body = placing.planned.bodies[k];
      if (body.kind == KernelBody::Kind::scan && !body.placed) k = ScanKernels(placing, k).place();
    }
  }

  /// Many lists in order, whose leaves follow each other in memory.
  bool take(Candidate& fold) const override {
    KernelBody& body = fold.body();
    const bool in_order = fold.module().schedules()[body.schedule].op == ScheduleOp::seq && !body.fused;
    if (!in_order || fold.is_alone() || body.space.size() > most_dimensions || fold.length_varies() ||
        fold.is_pinned() || fold.is_of_a_thread() || fold.joins_by_place())
      return false;
    if (fold.keeps_factors() || fold.is_across_memory() || !fold.length() || *fold.length() < min_length) return false;
    const auto scalars = scalars_of(fold.module(), fold.module()[body.node].type);
    const auto size = node_size(scalars, fold.numbers());
    if (!size) return false;
    const auto leaves = chunk_leaves(*size, false);
    if (!leaves) return false;
    const ChainShape shape =
        chain_shape(*size, *leaves, fold.items(), fold.length(), false, fold.gpu().multiprocessors);
    const IndexId length = fold.module()[body.node].indices[0];
    body.placed = std::make_shared<ChainKernel>(ScanPlacement{.length = length, .folds = true}, shape,
                                                static_cast<std::uint32_t>(scalars.size()));
    fold.kernel().threads = ChainShape::threads;
    return true;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_scans() { return std::make_unique<Scans>(); }

}  // namespace reckon::codegen
