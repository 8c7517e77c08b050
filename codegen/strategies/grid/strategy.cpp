// A few long lists, each shared by the blocks of the grid.
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/lower/kernel_parts.h"
#include "codegen/strategies/grid/grid_reduction.h"

namespace reckon::codegen {
namespace {

/// Leaves up to which one block does as well as a grid.
constexpr std::int64_t one_block_leaves = 1 << 15;
/// Leaves up to which one pass over the grid is enough.
constexpr std::int64_t one_pass_leaves = 1 << 20;
/// Threads of a block for one list: a multiprocessor then has two blocks, and the end of one overlaps with the work of
/// the other. The blocks of several lists do that anyway, and the fewer threads join their nodes the better (an H200:
/// sums of 7 rows of 1,234,567 take 13.5 us with 256 threads and 18.8 with 512; one list of 10^7 10.9 and 9.5).
constexpr std::uint32_t threads_for_one_list = 512, threads_for_lists = 256;
/// The most block rows of a run of `many`: 512 KiB for 512 threads, whatever the format; a multiprocessor has two such
/// blocks at a time. (Measured on an H200: with one block of 1024 threads nothing overlaps with its end; smaller
/// blocks, or shorter runs, start and end too often.)
constexpr std::int64_t max_block_rows(std::int64_t vector) { return 256 * vector; }

constexpr Reason length_of_round{"the number of leaves depends on the round of a loop, which no buffer's size may"};
constexpr Reason items_unknown{"it is not known how many results there are"};
constexpr Reason many_items{"{have} results keep the chip busy, as {need} would"};

/// Threads of a multiprocessor for which registers are provided: as many as keep the memory busy. Two arrays at once
/// need twice the registers for loads in flight, so there are half the threads (a dot product of 2 GiB on an H200:
/// 471.5 us instead of 476.2).
std::uint32_t resident_threads(std::size_t arrays) { return arrays < 2 ? 1024 : 512; }

class GridKernel : public PlacedKernel {
 public:
  explicit GridKernel(GridPasses grid) : grid_(std::move(grid)) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    const auto write = [&](BlockReducer& reducer) {
      GridReduction(parts.folds(), parts.items(), body, grid_, kernel, reducer).lower();
    };
    parts.write_blocks(body, kernel, write, resident_threads(parts.read_once(body).size()));
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    return fmt::format(
        "Blocks of {} threads take runs of the leaves, and the last one to come joins what they become{}.",
        kernel.threads, grid_.passes.size() > 1 ? ", in two passes" : "");
  }

  ClauseSet clauses() const override { return ClauseSet::blocks; }

 private:
  GridPasses grid_;
};

/// Plans one or two passes over the list, after which one block does the rest.
class GridPlan {
 public:
  explicit GridPlan(Candidate& fold)
      : fold_(fold), module_(fold.module()), lanes_(*lanes_by_tree(module_, fold.body().schedule)) {}

  GridPasses run() {
    const auto length = fold_.length();
    grid_.max_block_rows = max_block_rows(fold_.body().vector);
    const bool one_pass = length && *length > one_block_leaves && *length <= one_pass_leaves;
    Kernel& kernel = fold_.kernel();
    const bool one = fold_.is_alone() || fold_.items() == 1;
    kernel.threads = one ? threads_for_one_list : threads_for_lists;
    if (!fold_.is_pinned()) {
      kernel.threads = threads_of_choices(fold_.planned().choices, kernel.name, kernel.threads);
    }
    std::vector<ir::IndexId> counters = kernel.items;  // the reduction's space
    kernel.items = add_pass(counters, one_pass ? GridRuns::balanced : GridRuns::many);
    std::int64_t groups = 0;
    if (!one_pass) {
      add_pass(counters, GridRuns::few);
      groups = default_blocks(GridRuns::few);
    }
    counters.push_back(module_.indices().constant(groups + 1));
    grid_.counters = add_buffers(fold_.planned(), {ir::Scalar::u32}, counters, std::nullopt, Buffer::Role::counters);
    return std::move(grid_);
  }

 private:
  /// Cuts the list of each point of a space, or the nodes of the pass before, into runs; returns the runs' extents.
  std::vector<ir::IndexId> add_pass(std::vector<ir::IndexId> extents, GridRuns runs) {
    const KernelBody& body = fold_.body();
    ir::IndexStore& indices = module_.indices();
    std::vector<ir::Scalar> parts = scalars_of(module_, module_[module_[body.node].operands[0]].type);
    if (fold_.keeps_factors()) parts = {parts[0], parts[0], ir::Scalar::boolean};
    ir::IndexId blocks = indices.constant(default_blocks(runs));
    if (runs == GridRuns::many) {
      const std::int64_t block_row = std::max(lanes_, warp * body.vector);
      const ir::IndexId run = indices.constant(grid_.max_block_rows * block_row);
      blocks = indices.maximum(blocks,
                               indices.add(indices.floor_div(module_[body.node].indices[0], run), indices.constant(1)));
    }
    extents.push_back(blocks);
    std::vector<ir::IndexId> kept = extents;
    kept.push_back(indices.constant(lanes_));
    grid_.passes.push_back({runs, add_buffers(fold_.planned(), parts, kept, fold_.words())});
    return extents;
  }

  Candidate& fold_;
  ir::Module& module_;
  std::int64_t lanes_;
  GridPasses grid_;
};

class Grid : public Strategy {
 public:
  std::string_view name() const override { return "the grid"; }

  bool take(Candidate& fold) const override {
    // If threads cannot share the list at all, the strategy for blocks gives the reason.
    if (!fold.may_be_shared() || fold.is_short() || fold.is_across_memory()) return false;
    if (!fold.is_parallel()) return fold.reads_ahead() && fold.refuse(name(), reason::not_shared);
    if (fold.length_is_of_round()) return fold.refuse(name(), length_of_round);
    const auto length = fold.length(), items = fold.items();
    const bool few = fold.is_alone() || (items && *items < enough_blocks(fold.gpu()));
    const bool long_enough = length ? *length > one_block_leaves : !fold.body().follows;
    const ir::MachineLevel pinned = pinned_first(fold.module(), fold.body().schedule);
    const bool wanted = pinned == ir::MachineLevel::none ? few && long_enough : pinned == ir::MachineLevel::grid;
    if (wanted && lanes_by_tree(fold.module(), fold.body().schedule)) {
      fold.body().placed = std::make_shared<GridKernel>(GridPlan(fold).run());
      return true;
    }
    if (pinned != ir::MachineLevel::none && pinned != ir::MachineLevel::grid) {
      return fold.refuse(name(), reason::pinned_elsewhere);
    }
    if (!few && items) return fold.refuse(name(), many_items, *items, enough_blocks(fold.gpu()));
    if (!few) return fold.refuse(name(), items_unknown);
    if (!long_enough && length) return fold.refuse(name(), reason::few_leaves, *length, one_block_leaves + 1);
    return long_enough && fold.refuse(name(), reason::not_by_tree);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_grid() { return std::make_unique<Grid>(); }

}  // namespace reckon::codegen
