#include "codegen/place/tiles.h"

#include "codegen/place/place.h"
#include "codegen/place/tile_choice.h"

namespace reckon::codegen {
namespace {

/// Runs of leaves that are folded at the same time, at most; and how long they are at least if their number is not
/// known.
constexpr std::int64_t max_runs = 64, min_run = 512;

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
  if (length ? *length > *size * max_runs : *size < min_run) return std::nullopt;
  // A run of one product hands it on as it is, if `fused` goes on.
  if ((body.fused || fused_rest) && (!length || *length % *size == 1)) return std::nullopt;
  return Split{*size, body.fused || fused_run, rest};
}

struct Tiled {
  Tile tile;
  std::optional<Split> split;
};

std::optional<Tiled> tiled(ir::Module& module, const KernelBody& body, Endpoints endpoints, bool any_order, bool stated,
                           Decision& decision) {
  std::optional<Split> split;
  if (!any_order && module.schedules()[body.schedule].op != ir::ScheduleOp::seq) {
    split = split_of(module, body);
    if (!split) {
      // It is said to be the order only if nothing else is in the way.
      if (choose_tile(module, body, endpoints, 0, stated, decision)) {
        decision.refuse(tiles_name, no_chain);
      }
      return std::nullopt;
    }
  }
  KernelBody fold = body;
  if (split) fold.fused = split->fused;
  const auto tile = choose_tile(module, fold, endpoints, split ? split->run : 0, stated, decision);
  return tile ? std::optional(Tiled{*tile, split}) : std::nullopt;
}

/// A kernel's items become its tiles.
void spread(ir::Module& module, Kernel& kernel, KernelBody& body, const Tiled& by) {
  ir::IndexStore& indices = module.indices();
  auto tiles = [&](std::size_t binder, std::int64_t side) {
    const ir::IndexId rounded = indices.add(body.space[binder].extent, indices.constant(side - 1));
    return indices.floor_div(rounded, indices.constant(side));
  };
  kernel.items.clear();
  for (std::size_t d = 0; d + 1 < body.space.size(); ++d) {
    if (d != by.tile.row_binder) kernel.items.push_back(body.space[d].extent);
  }
  kernel.items.push_back(tiles(by.tile.row_binder, by.tile.rows));
  kernel.items.push_back(tiles(body.space.size() - 1, by.tile.columns));
  kernel.threads = static_cast<std::uint32_t>(by.tile.threads());
  body.spread = KernelBody::Spread::tiles;
  body.schedule = module.schedules().simple(ir::ScheduleOp::seq);
  if (by.split) body.fused = by.split->fused;
  body.tile = by.tile;
}

/// Kernel k makes the nodes of runs, and one after it joins them as the rest of the schedule says.
void split_in_runs(ir::Module& module, Planned& planned, std::size_t k, const Tiled& by) {
  const ir::IndexId runs = runs_of(module, planned.bodies[k], by.tile);
  add_join_kernel(module, planned, k, runs, by.split->rest);
  Kernel& kernel = planned.plan.kernels[k];
  spread(module, kernel, planned.bodies[k], by);
  kernel.items.insert(kernel.items.begin(), runs);
}

}  // namespace

bool place_tiles(ir::Module& module, Planned& planned, std::size_t k, bool any_order) {
  KernelBody& body = planned.bodies[k];
  Kernel& kernel = planned.plan.kernels[k];
  const ir::KernelClauses& clauses = planned.clauses;
  const Endpoints endpoints = planned.plan.buffers[kernel.output].endpoints;
  auto by = tiled(module, body, endpoints, any_order, clauses.needs_tile(), body.decision);
  if (!by) return false;
  if (!clauses.empty()) {
    KernelBody fold = body;
    if (by->split) fold.fused = by->split->fused;
    auto tile = stated_tile(module, fold, endpoints, by->tile, clauses);
    if (tile) by->tile = std::move(*tile);
    else planned.refused = tile.error();
  }
  if (by->tile.run > 0) split_in_runs(module, planned, k, *by);
  else spread(module, kernel, body, *by);
  return true;
}

bool has_tiles(ir::Module& module, const KernelBody& fold, Endpoints endpoints, bool any_order, bool stated,
               Decision& decision) {
  return tiled(module, fold, endpoints, any_order, stated, decision).has_value();
}

}  // namespace reckon::codegen
