#include "codegen/place/columns.h"

#include <algorithm>

#include "codegen/place/place.h"

namespace reckon::codegen {
namespace {

using ir::ScheduleOp;

constexpr std::int64_t max_warps = 32;
/// Columns from which on a thread may have two of them, and the chip is full.
constexpr std::int64_t wide_columns = 4096;
/// Blocks that even out differences between multiprocessors.
constexpr std::int64_t enough_blocks = 512;
/// What is worth a block: warps, and leaves of each of their columns.
constexpr std::int64_t min_warps = 8, min_leaves = 16;

std::int64_t divided_up(std::int64_t x, std::int64_t y) { return (x + y - 1) / y; }

struct Shares {
  std::int64_t parts = 1;   ///< blocks for the same columns
  std::int64_t vector = 1;  ///< columns of a thread
  std::int64_t warps = max_warps;
};

class Sharing {
 public:
  Sharing(ir::Module& module, const KernelBody& body, std::int64_t state_bytes, bool keeps_factors)
      : module_(module),
        body_(body),
        lanes_(*lanes_by_tree(module, body.schedule)),
        state_bytes_(state_bytes),
        keeps_factors_(keeps_factors) {
    columns_ = module.indices().as_constant(body.space.back().extent);
    length_ = module.indices().as_constant(module[body.node].indices[0]);
    items_ = 1;
    for (const Binder& binder : body.space) {
      const auto extent = module.indices().as_constant(binder.extent);
      if (!extent || __builtin_mul_overflow(*items_, *extent, &*items_)) {
        items_.reset();
        return;
      }
    }
  }

  std::optional<Shares> shares(Decision& decision) const {
    if (may_share()) {
      for (std::int64_t vector : {4, 2, 1}) {
        const Shares found = shared_by(vector);
        if (found.parts > 1 && fits(vector) && bytes(found) <= max_shared_bytes) return found;
      }
    }
    Shares alone;
    const bool in_pairs = columns_ && *columns_ % 2 == 0 && *columns_ >= wide_columns;
    alone.vector = in_pairs ? 2 : 1;
    if (bytes(alone) > max_shared_bytes) alone.vector = 1;
    if (bytes(alone) > max_shared_bytes) {
      decision.refuse(columns_name, reason::no_room, bytes(alone), max_shared_bytes);
      return std::nullopt;
    }
    return alone;
  }

 private:
  /// Its nodes are those of `tree` from some level up: an aligned run of them is a node, too. Those of fused sums may
  /// be products still.
  bool may_share() const {
    const ir::ScheduleNode& node = module_.schedules()[body_.schedule];
    const bool ends_in_tree = lanes_ == 1 || module_.schedules()[node.operands[1]].op == ScheduleOp::tree;
    return ends_in_tree && !keeps_factors_ && items_ && *items_ > 0 && length_ &&
           *length_ >= std::max(lanes_, min_block_leaves);
  }

  /// One read of a thread has so many columns.
  bool fits(std::int64_t vector) const {
    return *columns_ % vector == 0 && (vector == 1 || vector * state_bytes_ <= 16);
  }

  Shares shared_by(std::int64_t vector) const {
    const std::int64_t groups = divided_up(*items_, warp * vector);
    const std::int64_t most = lanes_ > 1 ? lanes_ / min_warps : *length_ / (min_warps * min_leaves);
    Shares out{1, vector, 2 * min_warps};
    while (groups * out.parts < enough_blocks && 2 * out.parts <= most) out.parts *= 2;
    if (lanes_ > 1) out.warps = std::min(max_warps, lanes_ / out.parts);
    else out.parts = divided_up(*length_, column_run(*length_, out.parts));  // none is empty
    return out;
  }

  std::int64_t bytes(const Shares& by) const {
    return (lanes_ > 1 ? lanes_ / by.parts : by.warps) * warp * by.vector * state_bytes_;
  }

  const ir::Module& module_;
  const KernelBody& body_;
  std::int64_t lanes_, state_bytes_;
  bool keeps_factors_;
  std::optional<std::int64_t> columns_, length_, items_;
};

}  // namespace

void place_columns(ir::Module& module, Planned& planned, std::size_t k, std::int64_t state_bytes, bool keeps_factors) {
  const Sharing sharing(module, planned.bodies[k], state_bytes, keeps_factors);
  const auto by = sharing.shares(planned.bodies[k].decision);
  if (!by) return;
  if (by->parts > 1) {
    const ir::IndexId nodes = module.indices().constant(by->parts);
    add_join_kernel(module, planned, k, nodes, module.schedules().simple(ScheduleOp::tree));
    planned.plan.kernels[k].items.insert(planned.plan.kernels[k].items.begin(), nodes);
  }
  KernelBody& body = planned.bodies[k];
  body.row_vector = by->vector;
  body.parts = by->parts;
  body.spread = KernelBody::Spread::columns;
  planned.plan.kernels[k].threads = static_cast<std::uint32_t>(warp * by->warps);
}

}  // namespace reckon::codegen
