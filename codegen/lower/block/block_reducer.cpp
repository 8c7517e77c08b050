#include "codegen/lower/block/block_reducer.h"

#include <bit>

#include "codegen/place/place.h"

namespace reckon::codegen {

using ir::MachineLevel;
using ir::ScheduleOp;

namespace {

/// With at most so many stored nodes, every thread joins them itself, which is faster than sharing one thread's result.
constexpr std::int64_t few_nodes = 16;
/// The longest run of `tile(k, S)` that a thread folds as one node.
constexpr std::int64_t short_run = 64;
constexpr std::int64_t max_stored_tree = 2048;
/// The most stored nodes whose whole tree each warp computes itself; of more it computes the last levels.
constexpr std::int64_t few_trees = 128;

}  // namespace

BlockReducer::BlockReducer(Folds& folds, std::int64_t threads)
    : LoweringParts(folds, folds.joins()), numbers_(w_.numbers()), partial_(folds), threads_(threads) {
  thread_ = b_.thread();
  lane_ = b_.bit_and(thread_, w_.i64(warp - 1));
  warp_number_ = b_.lshr(thread_, 5);
}

void BlockReducer::barrier() {
  w_.resume();
  b_.barrier();
  needs_barrier_ = false;
}

void BlockReducer::before_writing() {
  if (needs_barrier_) barrier();
}

bool BlockReducer::fits_in_shared_memory(const FoldSite& site, std::int64_t count) const {
  std::int64_t bytes = 0;
  for (const Type type : site.state) bytes += (count * w_.bytes_of(type) + 15) / 16 * 16;
  return used_ - beside_ + bytes <= max_shared_bytes;
}

Value BlockReducer::shared_array(Type element, std::int64_t count) {
  const std::int64_t bytes = count * b_.bytes_of(element);
  return b_.shared(shared_bytes(bytes), bytes, element);
}

std::int64_t BlockReducer::shared_bytes(std::int64_t count) {
  const std::int64_t start = used_;
  used_ += (count + 15) / 16 * 16;
  peak_used_ = std::max(peak_used_, used_);
  return start;
}

std::int64_t BlockReducer::shared_bytes_beside(std::int64_t count) {
  const std::int64_t start = shared_bytes(count);
  beside_ += used_ - start;
  return start;
}

Values BlockReducer::shared_arrays(const FoldSite& site, std::int64_t count) {
  Values arrays;
  for (const Type type : site.state) arrays.push_back(shared_array(type, count));
  return arrays;
}

Nodes BlockReducer::stored(const Values& pointers, Value length, std::int64_t most) {
  auto list = std::make_unique<List>();
  list->kind = List::Kind::stored;
  list->pointers = pointers;
  lists_.push_back(std::move(list));
  return {{lists_.back().get(), w_.i64(0), w_.i64(1), length}, most};
}

Value BlockReducer::least(Value x, Value y) {
  const auto a = w_.known(x), b = w_.known(y);
  if (a && b) return *a < *b ? x : y;
  return w_.smaller(x, y);
}

Value BlockReducer::power_of_two_from(Value x) { return b_.shl(w_.i64(1), w_.log2_up(x)); }

void BlockReducer::each(Value length, std::int64_t most, FunctionRef<void(Value)> body) {
  w_.if_then(b_.less(thread_, length), [&] {
    if (most <= threads_) {
      body(thread_);
      return;
    }
    w_.loop(thread_, length, w_.i64(threads_), {}, [&](Value k, const Values&) {
      body(k);
      return Values{};
    });
  });
}

std::int64_t BlockReducer::vector_width(const FoldSite& site, const Slice& slice) const {
  const bool in_order = w_.known(slice.stride) == 1 && slice.list->kind != List::Kind::tile &&
                        slice.list->kind != List::Kind::lanes && slice.list->kind != List::Kind::chosen;
  if (!in_order) return 1;
  std::int64_t bytes = 0;
  for (Type type : site.state) bytes = std::max(bytes, w_.bytes_of(type));
  return vector_of(bytes);
}

Values BlockReducer::fold(const FoldSite& site, ir::ScheduleId schedule, const Nodes& nodes, const Lengths& lengths) {
  if (w_.failed()) return joins_.zeros(site);
  const ir::ScheduleNode node = module_.schedules()[schedule];
  const bool is_stored = nodes.slice.list->kind == List::Kind::stored;
  if (is_stored && nodes.most && *nodes.most == 1) return folds_.node_at(site, nodes.slice, w_.i64(0));
  switch (node.op) {
    case ScheduleOp::then: return fold_then(site, node, nodes, lengths);
    case ScheduleOp::tree:
      if (is_stored && nodes.most && *nodes.most <= max_stored_tree) {
        // With few nodes, every warp of the block computes the tree itself.
        if (*nodes.most <= few_trees) folds_.check_pins(site, schedule, {MachineLevel::warp, MachineLevel::block});
        else folds_.check_pins(site, schedule, {MachineLevel::block});
        // The tree over the trees of aligned runs is the same tree.
        const bool by_runs = *nodes.most > few_trees && are_of_lanes(site, nodes, ScheduleOp::tree, warp, 2 * warp);
        return tree_of_stored(site, by_runs ? runs_of_lanes(site, nodes, ScheduleOp::tree, warp) : nodes);
      }
      folds_.check_pins(site, schedule, {site.over_grid ? MachineLevel::grid : MachineLevel::block});
      return tree_of_stored(site, lanes_by_tree(site, nodes, 1));
    case ScheduleOp::halving:
      if (nodes.most && fits_in_shared_memory(site, *nodes.most)) {
        folds_.check_pins(site, schedule, {MachineLevel::block});
        return halving_of_stored(site, is_stored ? nodes : each_by_a_thread(site, nodes));
      }
      return by_one_thread(site, schedule, nodes, lengths);
    case ScheduleOp::seq:
      folds_.check_pins(site, schedule, {MachineLevel::thread});
      if (is_stored && nodes.most && *nodes.most <= few_nodes) return folds_.fold(site, schedule, nodes.slice, lengths);
      return seq(site, nodes);
    case ScheduleOp::length: {
      Lengths inner = lengths;
      inner[node.variable] = nodes.slice.length;
      return fold(site, node.operands[0], nodes, inner);
    }
    case ScheduleOp::conditional: {
      Value condition = b_.not_equal(w_.parameter(node.parameter, lengths), w_.i64(0));
      const std::int64_t used = used_;
      const Values result = w_.branch(
          condition, [&] { return fold(site, node.operands[0], nodes, lengths); },
          [&] {
            used_ = used;
            return fold(site, node.operands[1], nodes, lengths);
          });
      needs_barrier_ = true;
      return result;
    }
    case ScheduleOp::fused:
      if (node.level != MachineLevel::none) folds_.check_pins(site, schedule, {MachineLevel::block});
      if (!numbers_.sums_exactly() && module_.schedules()[node.operands[0]].op != ScheduleOp::rounded_once &&
          site.arithmetic == Arithmetic::plain) {
        FoldSite within = site;
        within.arithmetic = Arithmetic::fused;
        return fold(within, node.operands[0], nodes, lengths);
      }
      return by_one_thread(site, schedule, nodes, lengths);
    default: return by_one_thread(site, schedule, nodes, lengths);
  }
}

Values BlockReducer::fold_then(const FoldSite& site, const ir::ScheduleNode& node, const Nodes& nodes,
                               const Lengths& lengths) {
  const std::int64_t used = used_;
  const Nodes staged = stage(site, node.operands[0], nodes, lengths);
  const Values result = fold(site, node.operands[1], staged, lengths);
  used_ = used;
  return result;
}

Nodes BlockReducer::stage(const FoldSite& site, ir::ScheduleId id, const Nodes& nodes, const Lengths& lengths) {
  const ir::ScheduleNode node = module_.schedules()[id];
  if (node.op == ScheduleOp::stage_then) {
    return stage(site, node.operands[1], stage(site, node.operands[0], nodes, lengths), lengths);
  }
  const ScheduleOp inner = node.op == ScheduleOp::arrange ? node.op : module_.schedules()[node.operands[0]].op;
  std::optional<std::int64_t> size;
  if (node.op != ScheduleOp::arrange) size = w_.known(w_.parameter(node.parameter, lengths));
  const bool are_lanes = node.op == ScheduleOp::lanes && inner == ScheduleOp::tree && size &&
                         *size <= max_lanes_by_tree && std::has_single_bit(static_cast<std::uint64_t>(*size));
  if (are_lanes && fits_in_shared_memory(site, lanes_room(site, nodes.slice, *size))) {
    folds_.check_pins(site, id, {site.over_grid ? MachineLevel::grid : MachineLevel::block});
    return lanes_by_tree(site, nodes, *size);
  }
  if (node.op == ScheduleOp::lanes && inner == ScheduleOp::seq && size && reads_vectors_of(site, nodes.slice, *size) &&
      fits_in_shared_memory(site, *size)) {
    folds_.check_pins(site, id, {MachineLevel::thread});
    return lanes_in_order(site, nodes.slice, *size);
  }
  const std::int64_t least = node.level == MachineLevel::warp ? 1 : 2 * warp;
  if (node.op == ScheduleOp::tile && size && are_of_lanes(site, nodes, inner, *size, least)) {
    folds_.check_pins(site, id, {MachineLevel::warp});
    return runs_of_lanes(site, nodes, inner, *size);
  }
  folds_.check_pins(site, id, {MachineLevel::thread});
  // A list that computes the nodes where they are read.
  Nodes staged = nodes;
  folds_.apply_stage(site, id, staged.slice, lengths, lists_);
  staged.most.reset();
  if (node.op == ScheduleOp::lanes && size) {
    staged.most = nodes.most ? std::min(*size, *nodes.most) : *size;
  } else if (node.op == ScheduleOp::arrange) {
    const ir::Arrangement& arrangement = module_.schedules().arrangement_of(node);
    if (!arrangement.open) staged.most = arrangement.size() / arrangement.run_length();
  } else if (size && nodes.most) {
    staged.most = (*nodes.most + *size - 1) / *size;
  } else if (const auto length = w_.known(staged.slice.length)) {
    staged.most = length;
  }
  const bool short_tiles = node.op == ScheduleOp::tile && size && *size <= short_run;
  if (short_tiles && nodes.slice.list->kind != List::Kind::stored) return staged;
  if (staged.most && fits_in_shared_memory(site, *staged.most)) return each_by_a_thread(site, staged);
  return staged;
}

/// What the first thread computes, made known to every thread.
Values BlockReducer::shared_by_all(const FoldSite& site, FunctionRef<Values()> of_first_thread) {
  before_writing();
  const std::int64_t used = used_;
  const Values slot = shared_arrays(site, 1);
  w_.if_then(b_.equal(thread_, w_.i64(0)), [&] { w_.store_at(slot, w_.i64(0), of_first_thread()); });
  barrier();
  const Values values = w_.load_at(slot, w_.i64(0));
  used_ = used;
  needs_barrier_ = true;
  return values;
}

Values BlockReducer::by_one_thread(const FoldSite& site, ir::ScheduleId schedule, const Nodes& nodes,
                                   const Lengths& lengths) {
  folds_.check_pins(site, schedule, {MachineLevel::thread});
  // Under `neumaier`, for example, the result need not have all parts of the state: zeros stand for the others.
  return shared_by_all(site, [&] {
    Values values = folds_.fold(site, schedule, nodes.slice, lengths);
    while (values.size() < site.state.size()) {
      values.push_back(b_.zero(site.state[values.size()]));
    }
    return values;
  });
}

/// In each round the threads compute one node each, and the first thread then joins these nodes in order.
Values BlockReducer::seq(const FoldSite& site, const Nodes& nodes) {
  const bool is_stored = nodes.slice.list->kind == List::Kind::stored;
  if (is_stored || !fits_in_shared_memory(site, threads_)) {
    return by_one_thread(site, module_.schedules().simple(ScheduleOp::seq), nodes, {});
  }
  const std::int64_t used = used_;
  const Values sum_slot = shared_arrays(site, 1);
  const Values chunk = shared_arrays(site, threads_);
  Value length = nodes.slice.length;
  before_writing();
  w_.loop(w_.i64(0), length, w_.i64(threads_), {}, [&](Value first, const Values&) {
    Value position = b_.add(first, thread_);
    w_.if_then(b_.less(position, length),
               [&] { w_.store_at(chunk, thread_, folds_.node_at(site, nodes.slice, position)); });
    barrier();
    w_.if_then(b_.equal(thread_, w_.i64(0)), [&] {
      Value count = w_.smaller(w_.i64(threads_), b_.sub(length, first));
      const Values before = w_.branch(
          b_.equal(first, w_.i64(0)), [&] { return w_.load_at(chunk, w_.i64(0)); },
          [&] { return joins_.join(site, w_.load_at(sum_slot, w_.i64(0)), w_.load_at(chunk, w_.i64(0))); });
      const Values sum = w_.branch(
          b_.greater(count, w_.i64(1)),
          [&] {
            return w_.loop(w_.i64(1), count, w_.i64(1), before,
                           [&](Value k, const Values& now) { return joins_.join(site, now, w_.load_at(chunk, k)); });
          },
          [&] { return before; });
      w_.store_at(sum_slot, w_.i64(0), sum);
    });
    barrier();
    return Values{};
  });
  const Values sum = w_.load_at(sum_slot, w_.i64(0));
  used_ = used;
  needs_barrier_ = true;
  return sum;
}

/// Joins node i with node i + P/2, in place. A node is read and written by the thread of its number alone, except for
/// the partner that it is joined with, which no thread writes in that round.
Values BlockReducer::halving_of_stored(const FoldSite& site, const Nodes& nodes) {
  const Values& arrays = nodes.slice.list->pointers;
  std::int64_t half = 1;
  while (half < *nodes.most) half *= 2;
  for (half /= 2; half >= 1; half /= 2) {
    each(w_.i64(half), half, [&](Value position) {
      Value partner = b_.add(position, w_.i64(half));
      w_.if_then(b_.less(partner, nodes.slice.length), [&] {
        const Values left = w_.load_at(arrays, position);
        w_.store_at(arrays, position, joins_.join(site, left, w_.load_at(arrays, partner)));
      });
    });
    barrier();
  }
  needs_barrier_ = true;
  return w_.load_at(arrays, w_.i64(0));
}

Values BlockReducer::whole_fold(const FoldSite& site, ir::ScheduleId schedule, const Nodes& nodes) {
  return joins_.whole(site, joins_.rounded_product(site, fold(site, schedule, nodes, {})));
}

Values BlockReducer::fold_of_leaves(const FoldSite& site, ir::ScheduleId schedule) {
  Value length = w_.index(site.node.indices[0]);
  List list;
  auto whole = [&] { return whole_fold(site, schedule, {{&list, w_.i64(0), w_.i64(1), length}, w_.known(length)}); };
  Values values;
  if (w_.known(length) && *w_.known(length) > 0) {
    values = whole();
  } else {
    values = w_.branch(b_.greater(length, w_.i64(0)), whole, [&] { return joins_.empty_fold(site); });
  }
  release();
  reads_shared();
  return values;
}

void BlockReducer::store_by_first(std::uint32_t output, Value offset, const Values& values) {
  w_.if_then(b_.equal(thread_, w_.i64(0)), [&] {
    for (std::uint32_t k = 0; k < values.size(); ++k) joins_.circuits().store(output + k, offset, values[k]);
  });
}

}  // namespace reckon::codegen
