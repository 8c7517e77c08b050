// Sums by key: `for k: sum i where key[i] == k: x[i]`. By themselves they are a sum over all leaves for each key, most
// of which take no part in it. Here the leaves are gone through once for all keys.
#include "codegen/strategies/strategy.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "codegen/place/fold_parts.h"
#include "codegen/strategies/by_key/counts.h"
#include "codegen/strategies/by_key/ordered.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;

constexpr std::string_view by_key_name = "one pass for all keys";

/// Leaves from which on it is worth several kernels, and leaves of a part that is worth a block.
constexpr std::int64_t least_by_key = 4096, min_part = 2048;
/// Lanes in which the sums of parts are added.
constexpr std::int64_t lanes_of_parts = 8;
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
        "A block of {} threads goes through one of {} parts of all leaves and {}, of which it has {} in shared memory, "
        "{} "
        "of each.",
        kernel.threads, shape_.parts,
        shape_.ones ? "counts those of each key by its counter" : "adds each to the sum of its key", shape_.keys,
        shape_.copies);
  }

 private:
  ByKey plan_;
  CountsShape shape_;
};

/// Leaves from which on their sort is worth its kernels, and those of a part that is worth a block; the most of both.
constexpr std::int64_t min_sorted = 16384, min_sorted_part = 1024, most_sorted = std::int64_t{1} << 30;
constexpr std::int64_t sorted_parts_of_multiprocessor = 4;
/// Seconds that sums in lanes take of a leaf and a key where a block goes through all leaves for each key; and those of
/// a sort, and of a leaf of a key's list after it (an H200: 64 keys of 10^6 leaves take 61 us without a sort and 250
/// with one, 1000 keys 871 and 74, 256 keys of 10^7 leaves 4691 and 1130).
constexpr double of_leaf_and_key = 1e-12, of_sort = 5e-5, of_sorted_leaf = 2e-8;
/// Lanes that a block has threads for.
constexpr std::int64_t most_lanes = 256;
/// Warps of a block that sorts; there are fewer where counters of many keys take the room.
constexpr std::int64_t most_sorting_warps = 8, least_sorting_warps = 2;

constexpr Reason sizes_unknown{"the numbers of leaves and keys are not known"};
constexpr Reason no_room_to_sort{"a sort by {have} keys has no room for counters in shared memory, {need} would have"};

/// A kernel of those that sort.
class SortingKernel : public PlacedKernel {
 public:
  SortingKernel(ByKey plan, OrderedShape shape, bool sorts) : plan_(std::move(plan)), shape_(shape), sorts_(sorts) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(body, kernel, [&](BlockReducer& reducer) {
      if (sorts_) SortWriter(parts, plan_, shape_, kernel, reducer).write();
      else PlacesWriter(parts, shape_, kernel, reducer).write();
    });
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    if (sorts_) {
      return fmt::format("A block of {} threads sorts one of {} parts of all leaves by key, in order.", kernel.threads,
                         shape_.parts);
    }
    return "They say where the leaves of each part and key go; a block has 32 keys.";
  }

  bool reads(std::uint32_t buffer) const override {
    return buffer == shape_.counts || (sorts_ && (buffer == shape_.before || buffer == shape_.totals));
  }

 private:
  ByKey plan_;
  OrderedShape shape_;
  bool sorts_;
};

class ChainsKernel : public FoldKernel {
 public:
  ChainsKernel(ByKey plan, OrderedShape shape) : plan_(std::move(plan)), shape_(shape) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    parts.write_blocks(fold_of(body), kernel, [&](BlockReducer& reducer) {
      if (shape_.lanes > 0) LaneTreesWriter(parts, *this, fold_of(body), plan_, shape_, kernel, reducer).write();
      else ChainsWriter(parts, *this, fold_of(body), plan_, shape_, kernel, reducer).write();
    });
  }

  std::string who(const KernelBody&, const Kernel&) const override {
    if (shape_.lanes > 0) {
      return fmt::format(
          "The leaves are sorted by key before, and a block goes through those of each key, a thread for each of {} "
          "lanes.",
          shape_.lanes);
    }
    return fmt::format(
        "The leaves are sorted by key before, and a block goes through those of each key in order: one thread adds "
        "them, "
        "and {} threads bring the next ones.",
        ChainsWriter::movers);
  }

  bool reads(std::uint32_t buffer) const override {
    return buffer == shape_.sorted || buffer == shape_.totals || (shape_.lanes > 0 && buffer == shape_.places);
  }

 private:
  std::shared_ptr<FoldKernel> copy() const override { return std::make_shared<ChainsKernel>(*this); }

  ByKey plan_;
  OrderedShape shape_;
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
  return (!leaves || *leaves >= least_by_key) && (!keys || *keys > 1);
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
  // Any order will do: with lanes, several warps share a list, and columns of this length are not cut once more.
  const ir::ScheduleId tree = module.schedules().simple(ir::ScheduleOp::tree);
  fold.schedule = module.schedules().then(module.schedules().lanes(indices.constant(lanes_of_parts), tree), tree);
  parts.join(fold);
  return parts.number();
}

/// L, if the order is `lanes(L, tree) then tree` and a block may have a thread for each lane; 0 if it is `seq`.
std::optional<std::int64_t> lanes_of(const ir::Module& module, ir::ScheduleId schedule) {
  const ir::ScheduleNode& order = module.schedules()[schedule];
  if (order.op == ir::ScheduleOp::seq) return 0;
  if (order.op != ir::ScheduleOp::then || module.schedules()[order.operands[1]].op != ir::ScheduleOp::tree)
    return std::nullopt;
  const auto lanes = lanes_by_tree(module, schedule);
  return lanes && *lanes >= warp && *lanes <= most_lanes ? lanes : std::nullopt;
}

/// The shape for sums of floats, without its buffers.
std::optional<OrderedShape> ordered_shape(ir::Module& module, NodeId reduce, const std::vector<Binder>& space,
                                          const Numbers& code, const kernel::Gpu& gpu, Decision& decision) {
  const ir::Scalar scalar = module.type(reduce).scalar;
  const ir::ScheduleId order = module.reduction_of(reduce).schedule;
  if (code.has_undefined() || !code.has_neutral_summand(scalar) || !code.is_word(ir::Scalar::i32)) return std::nullopt;
  const auto lanes = lanes_of(module, order);
  if (!lanes) return std::nullopt;
  const auto leaves = module.indices().as_constant(module[reduce].indices[0]);
  const auto keys = module.indices().as_constant(space[0].extent);
  const auto refuse = [&](const Reason& reason, std::int64_t have = 0, std::int64_t need = 0) {
    decision.refuse(by_key_name, reason, have, need);
    return std::nullopt;
  };
  if (!leaves || !keys) return refuse(sizes_unknown);
  if (*leaves > most_sorted) return std::nullopt;
  if (*leaves < min_sorted) return refuse(reason::few_leaves, *leaves, min_sorted);
  OrderedShape out;
  out.leaves = *leaves;
  out.keys = *keys;
  out.lanes = *lanes;
  if (out.lanes > 0) {
    const auto bytes = code.widths().of(scalar, kernel::Form::registers);
    const std::int64_t need = LaneTreesWriter::shared_bytes(out, bytes);
    if (need > max_shared_bytes) return refuse(reason::no_room, need, max_shared_bytes);
    const auto leaves_in_all = static_cast<double>(out.leaves), of_keys = static_cast<double>(out.keys);
    const double sorted = of_sort + of_sorted_leaf * leaves_in_all / of_keys;
    if (of_leaf_and_key * leaves_in_all * of_keys < sorted) return std::nullopt;
  }
  out.parts =
      std::clamp<std::int64_t>(*leaves / min_sorted_part, 1, sorted_parts_of_multiprocessor * gpu.multiprocessors);
  out.warps = most_sorting_warps;
  constexpr std::int64_t counter_bytes = 4;
  while (out.warps > least_sorting_warps && out.warps * out.keys * counter_bytes > sums_bytes) out.warps /= 2;
  if (out.warps * out.keys * counter_bytes > sums_bytes)
    return refuse(no_room_to_sort, out.keys, sums_bytes / counter_bytes / least_sorting_warps);
  return out;
}

/// Gives the fold its four kernels. Returns the number of the one that was k.
std::size_t sort_first(const Placing& placing, std::size_t k, const ByKey& plan, OrderedShape shape) {
  ir::Module& module = placing.module;
  ir::IndexStore& indices = module.indices();
  Planned& planned = placing.planned;
  const Binder key = planned.bodies[k].space[0];
  const IndexId parts = indices.constant(shape.parts), leaves = indices.constant(shape.leaves);
  const auto buffer = [&](ir::Scalar scalar, std::vector<IndexId> extents) {
    return add_buffers(planned, {scalar}, extents, std::nullopt);
  };
  shape.counts = buffer(ir::Scalar::i32, {parts, key.extent});
  shape.before = buffer(ir::Scalar::i32, {parts, key.extent});
  shape.totals = buffer(ir::Scalar::i32, {key.extent});
  shape.sorted = buffer(module.type(plan.reduce).scalar, {leaves});
  if (shape.lanes > 0) shape.places = buffer(ir::Scalar::i32, {leaves});
  const auto add = [&](std::string_view suffix, std::uint32_t output, std::size_t outputs, std::vector<Binder> space,
                       std::vector<IndexId> items, std::int64_t threads, std::shared_ptr<const PlacedKernel> placed) {
    // What it computes is no part of the circuit; the node stands for the scalars that it makes.
    KernelBody body{KernelBody::Kind::elements, plan.keyed.absent, std::move(space), false};
    body.placed = std::move(placed);
    add_kernel_before(planned, k, suffix, output, outputs, std::move(body));
    planned.plan.kernels[k].items = std::move(items);
    planned.plan.kernels[k].threads = static_cast<std::uint32_t>(threads);
    ++k;
  };
  const Binder part{module.fresh_variable(), parts}, leaf{module.fresh_variable(), leaves};
  CountsShape counts =
      counts_shape(module, plan.reduce, {key}, placing.code, placing.gpu(), planned.bodies[k].decision).value();
  counts.parts = shape.parts;
  counts.ones = true;
  // Copies take longer to clear and to add than few leaves of a part gain by them.
  while (counts.copies > 1 && counts.copies * counts.keys > leaves_of_part(shape.leaves, shape.parts))
    counts.copies /= 2;
  const IndexId ranges = indices.constant((shape.keys + counts.keys - 1) / counts.keys);
  const IndexId groups = indices.constant((shape.keys + warp - 1) / warp);
  add("_counts", shape.counts, 1, {part, key}, {parts, ranges}, CountsShape::threads,
      std::make_shared<CountsKernel>(plan, counts));
  add("_places", shape.before, 2, {part, key}, {groups}, PlacesWriter::threads,
      std::make_shared<SortingKernel>(plan, shape, false));
  add("_sorted", shape.sorted, shape.lanes > 0 ? 2 : 1, {leaf}, {parts}, shape.warps * warp,
      std::make_shared<SortingKernel>(plan, shape, true));
  KernelBody& body = planned.bodies[k];
  body.schedule = body.decision.stated = module.reduction_of(plan.reduce).schedule;
  body.placed = std::make_shared<ChainsKernel>(plan, shape);
  planned.plan.kernels[k].threads = static_cast<std::uint32_t>(shape.lanes > 0 ? shape.lanes : ChainsWriter::threads);
  return k;
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
      if (adds_in_any_order(module, body.node, placing.code)) {
        const auto shape = counts_shape(module, body.node, body.space, placing.code, placing.gpu(), body.decision);
        if (shape) k = split(placing, k, *plan, *shape);
        continue;
      }
      const auto shape = ordered_shape(module, body.node, body.space, placing.code, placing.gpu(), body.decision);
      if (shape) k = sort_first(placing, k, *plan, *shape);
    }
  }

  bool wants_kernel(const InnerCandidate& inner, Decision& decision) const override {
    ir::Module& module = inner.module;
    const NodeId node = inner.fold.node;
    if (!sums_by_key(module, node, inner.fold.space) || !is_worth_it(module, node, inner.fold.space)) return false;
    return adds_in_any_order(module, node, inner.numbers) ||
           ordered_shape(module, node, inner.fold.space, inner.numbers, *inner.planned.gpu, decision);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_by_key() { return std::make_unique<SumsByKey>(); }

}  // namespace reckon::codegen
