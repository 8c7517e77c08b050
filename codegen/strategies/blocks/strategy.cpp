// A block for each list: its threads share the leaves along the schedule (codegen/lower/block/block_reducer.h).
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include "codegen/lower/kernel_parts.h"

namespace reckon::codegen {
namespace {

constexpr std::int64_t leaves_of_a_thread = 32;
/// The most threads of a block: a multiprocessor then has two blocks, and the end of one overlaps with the work of the
/// other.
constexpr std::int64_t max_threads = 512;

constexpr Reason across_memory{"neighbouring leaves are no neighbours in memory"};

class BlockKernel : public PlacedKernel {
 public:
  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(body, kernel, [&](BlockReducer& reducer) {
      parts.items().of_ptx(body, kernel, [&](Value item, Value) {
        const FoldSite site = parts.folds().joins().site_of(body);
        reducer.store_by_first(kernel.output, item, reducer.fold_of_leaves(site, body.schedule));
        reducer.before_writing();
      });
    });
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    return fmt::format("Each list of leaves is shared by the {} threads of a block.", kernel.threads);
  }

  ClauseSet clauses() const override { return ClauseSet::blocks; }

  bool has_rows() const override { return true; }
};

class Blocks : public Strategy {
 public:
  std::string_view name() const override { return "a block"; }

  bool take(Candidate& fold) const override {
    if (fold.is_of_a_thread()) return fold.refuse(name(), reason::pinned_to_thread);
    if (fold.length_varies()) return fold.refuse(name(), reason::length_varies);
    if (fold.is_short()) return fold.refuse(name(), reason::few_leaves, *fold.length(), fold.min_leaves());
    if (fold.is_across_memory()) return fold.refuse(name(), across_memory);
    if (!fold.reads_ahead() && !fold.is_parallel()) return fold.refuse(name(), reason::not_shared);
    fold.body().placed = std::make_shared<BlockKernel>();
    const std::uint32_t usual = threads_for(fold);
    fold.kernel().threads =
        fold.is_pinned() ? usual : threads_of_choices(fold.planned().choices, fold.kernel().name, usual);
    return true;
  }

 private:
  static std::uint32_t threads_for(const Candidate& fold) {
    const KernelBody& body = fold.body();
    if (const auto threads = threads_of_first_stage(fold.module(), body.schedule, body.vector)) {
      return static_cast<std::uint32_t>(*threads);
    }
    if (!fold.length()) return 256;
    // A warp does alone what it reads at once, or, of many lists, what its threads read in a few rounds.
    const auto items = fold.items();
    const bool many = items && *items >= enough_blocks(fold.gpu());
    const bool alone = *fold.length() <= warp * (many ? leaves_of_a_thread : body.vector);
    std::int64_t threads = alone ? warp : 2 * warp;
    while (threads < max_threads && threads * leaves_of_a_thread < *fold.length()) threads *= 2;
    return static_cast<std::uint32_t>(threads);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_blocks() { return std::make_unique<Blocks>(); }

}  // namespace reckon::codegen
