// Sums by key: `for k: sum i where key[i] == k: x[i]`. By themselves they are a sum over all leaves for each key, most
// of which take no part in it. Here the leaves are gone through once for all keys.
#include "codegen/strategies/strategy.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "codegen/place/fold_parts.h"
#include "codegen/strategies/by_key/counts.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;

constexpr std::string_view by_key_name = "one pass for all keys";

/// Leaves from which on it is worth several kernels, and leaves of a part that is worth a block.
constexpr std::int64_t min_leaves = 4096, min_part = 2048;
/// Bytes of shared memory for the sums of a block, and the ranges of keys that are worth reading all leaves again.
constexpr std::int64_t sums_bytes = max_shared_bytes - 1024, most_ranges = 16;

constexpr Reason many_keys{"{have} keys take more passes over the leaves than {need}"};

class CountsKernel : public PlacedKernel {
 public:
  CountsKernel(ByKey plan, CountsShape shape) : plan_(std::move(plan)), shape_(shape) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(body, kernel,
                       [&](BlockReducer& reducer) { CountsWriter(parts, plan_, shape_, kernel, reducer).write(); });
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    return fmt::format(
        "A block of {} threads goes through one of {} parts of all leaves, and adds each to the sum of its key, of "
        "which "
        "it has {} in shared memory, {} of each.",
        kernel.threads, shape_.parts, shape_.keys, shape_.copies);
  }

 private:
  ByKey plan_;
  CountsShape shape_;
};

/// What a fold is that this strategy could take: nothing if it is no sum by key, or has one dimension more.
std::optional<ByKey> sums_by_key(ir::Module& module, NodeId reduce, const std::vector<Binder>& space) {
  if (space.size() != 1 || !module.schedules().levels(module.reduction_of(reduce).schedule).empty())
    return std::nullopt;
  auto found = reduction_by_key(module, reduce, space);
  return found && found->keyed.kind == ir::KeyedReduction::Kind::plain ? std::move(found) : std::nullopt;
}

bool is_worth_it(const ir::Module& module, NodeId reduce, const std::vector<Binder>& space) {
  const auto leaves = module.indices().as_constant(module[reduce].indices[0]);
  const auto keys = module.indices().as_constant(space[0].extent);
  return (!leaves || *leaves >= min_leaves) && (!keys || *keys > 1);
}

/// Whether the numbers may be added in any order, by atomic operations.
bool adds_in_any_order(const ir::Module& module, NodeId reduce, const Numbers& code) {
  const ir::Scalar scalar = module.type(reduce).scalar;
  return (ir::is_integer(scalar) || code.adds_words(scalar)) && code.is_word(scalar);
}

std::optional<CountsShape> counts_shape(const ir::Module& module, NodeId reduce, const std::vector<Binder>& space,
                                        const Numbers& code, const kernel::Gpu& gpu, Decision& decision) {
  const auto bytes = code.widths().of(module.type(reduce).scalar, kernel::Form::registers);
  const std::int64_t room = sums_bytes / bytes;
  const auto leaves = module.indices().as_constant(module[reduce].indices[0]);
  const auto keys = module.indices().as_constant(space[0].extent);
  CountsShape out;
  out.keys = std::min(room, keys.value_or(room));
  if (keys && *keys > most_ranges * room) {
    decision.refuse(by_key_name, many_keys, *keys, most_ranges);
    return std::nullopt;
  }
  if (keys)
    out.copies = std::min(warp, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(room / out.keys))));
  out.parts = gpu.multiprocessors;  // a block for each
  if (leaves) out.parts = std::min(out.parts, *leaves / min_part);
  // The sums of all parts are fewer than the leaves.
  if (leaves && keys) out.parts = std::min(out.parts, *leaves / *keys);
  out.parts = std::max<std::int64_t>(out.parts, 1);
  return out;
}

/// Gives the fold two kernels. Returns the number of the one that was k.
std::size_t split(const Placing& placing, std::size_t k, const ByKey& plan, const CountsShape& shape) {
  ir::Module& module = placing.module;
  ir::IndexStore& indices = module.indices();
  const Binder key = placing.planned.bodies[k].space[0];
  FoldParts parts(module, placing.planned, k);
  const IndexId count = indices.constant(shape.parts), length = module[plan.reduce].indices[0];
  // Part p as a sum of its own: the leaves from p * of_part on.
  const ir::VariableId part = module.fresh_variable(), leaf = module.fresh_variable();
  const IndexId of_part = indices.floor_div(indices.add(length, indices.constant(shape.parts - 1)), count);
  const IndexId last = indices.subtract(length, indices.constant(1));
  const IndexId first = indices.add(indices.multiply(indices.variable(part), of_part), indices.variable(leaf));
  const NodeId of_leaves =
      parts.part(leaf, indices.minimum(first, last), of_part, module.schedules().simple(ir::ScheduleOp::tree));
  const NodeId sums = module.map({part, key.variable}, {count, key.extent}, of_leaves);
  KernelBody& body = parts.kernel_before("_parts", sums, of_leaves, {{part, count}, key});
  body.schedule = body.decision.stated = module.reduction_of(plan.reduce).schedule;
  body.placed = std::make_shared<CountsKernel>(plan, shape);
  Kernel& kernel = placing.planned.plan.kernels[parts.number() - 1];
  kernel.threads = CountsShape::threads;
  const IndexId keys = indices.constant(shape.keys);
  const IndexId ranges = indices.floor_div(indices.add(key.extent, indices.constant(shape.keys - 1)), keys);
  kernel.items = {count, ranges};
  ir::Module::Fold fold = parts.like_whole();
  const ir::VariableId joined = module.fresh_variable();
  fold.variable = joined;
  fold.extent = count;
  fold.body = module.element(sums, {indices.variable(joined), indices.variable(key.variable)});
  fold.schedule = module.schedules().simple(ir::ScheduleOp::tree);
  parts.join(fold);
  return parts.number();
}

class SumsByKey : public Strategy {
 public:
  std::string_view name() const override { return by_key_name; }

  void before_folds(const Placing& placing) const override {
    ir::Module& module = placing.module;
    for (std::size_t k = 0; k < placing.planned.bodies.size(); ++k) {
      KernelBody& body = placing.planned.bodies[k];
      if (body.kind != KernelBody::Kind::fold || body.nodes || body.placed || !placing.planned.clauses.empty())
        continue;
      const auto plan = sums_by_key(module, body.node, body.space);
      if (!plan || !is_worth_it(module, body.node, body.space)) continue;
      if (!adds_in_any_order(module, body.node, placing.code)) continue;
      const auto shape = counts_shape(module, body.node, body.space, placing.code, placing.gpu(), body.decision);
      if (shape) k = split(placing, k, *plan, *shape);
    }
  }

  bool wants_kernel(const InnerCandidate& inner, Decision&) const override {
    ir::Module& module = inner.module;
    const NodeId node = inner.fold.node;
    return sums_by_key(module, node, inner.fold.space) && is_worth_it(module, node, inner.fold.space) &&
           adds_in_any_order(module, node, inner.numbers);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_by_key() { return std::make_unique<SumsByKey>(); }

}  // namespace reckon::codegen
