// Matrix products, and reductions that read like one: every leaf is made of what depends on the row of an output, and
// of what depends on its column. A block has a tile of the outputs, so that what it reads serves many of them.
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/tile_place.h"
#include "codegen/strategies/tiles/tile_choice.h"
#include "codegen/strategies/tiles/tile_writer.h"

namespace reckon::codegen {
namespace {

/// The most runs of leaves that are folded at the same time, however many results there are; the most nodes that are in
/// memory where there are more runs; and the least length of a run if the number of runs is not known.
constexpr std::int64_t max_runs = 64, max_nodes = std::int64_t{1} << 25, min_run = 512;

constexpr Reason no_chain{
    .text =
        "each result of a tile is one chain: the order would have to be `seq`, `fused(seq)` or runs of them, "
        "`tile(k, seq) then S`",
    .instead = "seq"};

/// `tile(run, seq) then rest`, with `fused` around the runs or around all of it.
struct Split {
  std::int64_t run = 0;
  bool fused = false;
  ir::ScheduleId rest;
};

bool has_many_runs(const ir::Module& module, const KernelBody& body, std::int64_t runs) {
  if (runs <= max_runs) return false;
  const auto results = known_product(module, extents_of(body.space));
  std::int64_t nodes = 0;
  return !results || __builtin_mul_overflow(runs, *results, &nodes) || nodes > max_nodes;
}

std::optional<Split> split_of(const ir::Module& module, const KernelBody& body) {
  const ir::ScheduleStore& schedules = module.schedules();
  const ir::ScheduleNode& node = schedules[body.schedule];
  if (node.op != ir::ScheduleOp::then) return std::nullopt;
  const ir::ScheduleNode& stage = schedules[node.operands[0]];
  if (stage.op != ir::ScheduleOp::tile) return std::nullopt;
  const ir::ScheduleNode* of_run = &schedules[stage.operands[0]];
  const bool fused_run = of_run->op == ir::ScheduleOp::fused;
  if (fused_run) of_run = &schedules[of_run->operands[0]];
  const auto size = module.indices().as_constant(stage.parameter);
  if (of_run->op != ir::ScheduleOp::seq || !size || *size < min_tile_length) return std::nullopt;
  const ir::ScheduleId rest = node.operands[1];
  const bool fused_rest = schedules.operations(rest).contains(ir::ScheduleOp::fused);
  if (schedules.has_arithmetic(rest) && !fused_rest) return std::nullopt;
  const auto length = module.indices().as_constant(module[body.node].indices[0]);
  if (length ? has_many_runs(module, body, *length / *size) : *size < min_run) return std::nullopt;
  // A run of one product would hand it on unrounded if `fused` goes on, so this is not split.
  if ((body.fused || fused_rest) && (!length || *length % *size == 1)) return std::nullopt;
  return Split{*size, body.fused || fused_run, rest};
}

struct Tiled {
  Tile tile;
  std::optional<Split> split;
};

std::optional<Tiled> tiled_as_it_is(ir::Module& module, const KernelBody& body, const TileTarget& target,
                                    bool any_order, bool stated, Decision& decision) {
  std::optional<Split> split;
  if (!any_order && module.schedules()[body.schedule].op != ir::ScheduleOp::seq) {
    split = split_of(module, body);
    if (!split) {
      // The order is given as the reason only if a tile could be chosen otherwise.
      if (choose_tile(module, body, target, 0, stated, decision)) {
        decision.refuse(tiles_name, no_chain);
      }
      return std::nullopt;
    }
  }
  KernelBody fold = body;
  if (split) fold.fused = split->fused;
  const auto tile = choose_tile(module, fold, target, split ? split->run : 0, stated, decision);
  return tile ? std::optional(Tiled{*tile, split}) : std::nullopt;
}

/// Dimensions become one where tiles gain by it and no clause states something about them.
std::optional<Tiled> tiled(ir::Module& module, const KernelBody& body, const TileTarget& target, bool any_order,
                           const ir::KernelClauses& clauses, Decision& decision) {
  const bool stated = clauses.needs_tile();
  std::optional<JoinedSides> joined;
  if (clauses.empty()) joined = join_sides(module, body);
  if (joined) {
    auto by = tiled_as_it_is(module, joined->fold, target, any_order, stated, decision);
    if (by) by->tile.joined = std::move(joined);
    return by;
  }
  return tiled_as_it_is(module, body, target, any_order, stated, decision);
}

/// Has the kernel leave out tiles for whose results nothing asks, unless a fold in them might report an error.
void leave_out(ir::Module& module, const KernelBody& body, const Numbers& numbers, Tile& tile) {
  if (!body.needed || tile.run > 0 || tile.joined) return;
  if (may_fault(module, body.node, numbers)) return;
  tile.box = {module.fresh_variable(), module.fresh_variable(), module.fresh_variable(), module.fresh_variable()};
  BoxConditions conditions(module.indices(), body.space[tile.row_binder].variable, body.space.back().variable,
                           tile.box);
  const ir::IndexId needed = conditions.holds(*body.needed, false);
  if (!module.indices().as_constant(needed)) tile.needed = needed;
}

class TileKernel : public PlacedKernel {
 public:
  explicit TileKernel(Tile tile) : tile_(std::move(tile)) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    TileWriter::lower(parts.folds(), parts.items(), body, tile_, kernel);
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    return fmt::format(
        "A block of {} threads computes a tile of {} x {} results, {} x {} a thread, from {} leaves of each at a time "
        "in shared memory{}{}.{}",
        kernel.threads, tile_.rows, tile_.columns, tile_.thread_rows, tile_.thread_columns, tile_.depth,
        tile_.mma_f64 ? ", on tensor cores" : "",
        tile_.run > 0 ? fmt::format(", for runs of {} leaves", tile_.run) : "",
        tile_.joined   ? " Several dimensions of the results are one side of the tiles."
        : tile_.needed ? " Tiles whose results nothing asks for are left out."
                       : "");
  }

  /// `take` has already applied the clauses to the tile.
  ClauseSet clauses() const override { return ClauseSet::tiles; }
  bool keeps_addresses() const override { return true; }

 private:
  Tile tile_;
};

/// A kernel's items become its tiles.
void spread(ir::Module& module, Kernel& kernel, KernelBody& body, const Tiled& by) {
  const std::vector<Binder>& space = by.tile.joined ? by.tile.joined->fold.space : body.space;
  kernel.items = items_of_tiles(module.indices(), space, {by.tile.row_binder, by.tile.rows, by.tile.columns});
  kernel.threads = static_cast<std::uint32_t>(by.tile.threads());
  body.schedule = module.schedules().simple(ir::ScheduleOp::seq);
  if (by.split) body.fused = by.split->fused;
  Tile tile = by.tile;
  if (tile.joined) {
    tile.joined->fold.schedule = body.schedule;
    tile.joined->fold.fused = body.fused;
  }
  body.placed = std::make_shared<TileKernel>(std::move(tile));
}

/// Kernel k makes the nodes of runs, and one after it joins them as the rest of the schedule says.
void split_in_runs(ir::Module& module, Planned& planned, std::size_t k, const Tiled& by) {
  const ir::IndexId runs = runs_of(module, planned.bodies[k], by.tile);
  add_join_kernel(module, planned, k, runs, by.split->rest);
  Kernel& kernel = planned.plan.kernels[k];
  spread(module, kernel, planned.bodies[k], by);
  kernel.items.insert(kernel.items.begin(), runs);
}

class Tiles : public Strategy {
 public:
  std::string_view name() const override { return tiles_name; }

  /// Takes the fold if it is left to right within every output, or if every order has the same bits, and if it reads
  /// like a matrix product of a worthwhile size. In runs of leaves (`tile(k, seq) then S`) it becomes two kernels. The
  /// tile is as the clauses say; if it cannot be, the plan's `refused` says why.
  bool take(Candidate& fold) const override {
    if (!fold.may_be_shared()) return false;
    if (fold.is_pinned()) return fold.refuse(name(), reason::pinned);
    ir::Module& module = fold.module();
    Planned& planned = fold.planned();
    KernelBody& body = fold.body();
    const ir::KernelClauses& clauses = planned.clauses;
    const TileTarget target{fold.gpu(), fold.words().has_value(), fold.numbers().fuses_on_tensor_cores(),
                            !clauses.empty()};
    auto by = tiled(module, body, target, fold.any_order(), clauses, body.decision);
    if (!by) return false;
    KernelBody whole = by->tile.joined ? by->tile.joined->fold : body;
    if (by->split) whole.fused = by->split->fused;
    if (clauses.empty()) {
      by->tile = tile_of_choices(module, whole, target, by->tile, fold.kernel().name, planned.choices);
    } else {
      auto tile = stated_tile(module, whole, target, by->tile, clauses);
      if (tile) by->tile = std::move(*tile);
      else planned.refused = tile.error();
    }
    leave_out(module, body, fold.numbers(), by->tile);
    if (by->tile.run > 0) split_in_runs(module, planned, fold.number(), *by);
    else spread(module, fold.kernel(), body, *by);
    return true;
  }

  bool wants_kernel(const InnerCandidate& inner, Decision& decision) const override {
    const TileTarget target{*inner.planned.gpu, inner.in_words, inner.numbers.fuses_on_tensor_cores(),
                            !inner.clauses.empty()};
    return tiled(inner.module, inner.fold, target, inner.any_order, inner.clauses, decision).has_value();
  }

  std::optional<Diagnostic> missing(const ir::Module& module, const Planned& planned) const override {
    if (!planned.clauses.needs_tile()) return std::nullopt;
    Diagnostic out = ir::unmet(planned.clauses.span(), "nothing in the circuit is carried out by tiles",
                               "a sum over rows and columns, `for i, j: sum l: a[i, l] * b[l, j] by fused(seq)`, is");
    for (const KernelBody& body : planned.bodies) {
      if (body.kind != KernelBody::Kind::fold || body.space.size() < 2) continue;
      const ir::ScheduleId order = module.reduction_of(body.node).schedule;
      if (module.schedules()[order].op == ir::ScheduleOp::seq) continue;
      out.secondary.push_back(
          {module.span(body.node), fmt::format("is folded by `{}`", ir::schedule_text(module, order))});
      const bool in_runs = module.schedules().operations(order).contains(ir::ScheduleOp::tile);
      out.notes.emplace_back(
          in_runs ? "runs, `tile(k, seq) then S`, are carried out by tiles if they are 64 at most, if "
                    "they have few results, or if their number is not known and k is 512 at least"
                  : "each output of a tile is one chain of one thread: `seq`, `fused(seq)`, or runs of "
                    "them, `tile(k, seq) then S`");
      break;
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_tiles() { return std::make_unique<Tiles>(); }

}  // namespace reckon::codegen
