// Folding the leaves of a reduction along its schedule, with lengths that may be known only at run time: no tree is
// built, loops follow it. Each combinator is one case; what a stage makes is a list whose nodes are folds.
#include "codegen/lower/folds.h"

#include "ir/bind.h"

namespace reckon::codegen {

using ir::ScheduleId;
using ir::ScheduleOp;

namespace {

constexpr std::int64_t max_folds = 4096;
constexpr std::int64_t max_of_short_run = 4;

}  // namespace

Folds::Folds(Joins& joins)
    : LoweringParts(*this, joins),
      numbers_(w_.numbers()),
      trees_(*this, joins),
      rounds_(*this, joins),
      rows_(*this, joins, trees_),
      sums_(*this, joins),
      tensor_cores_(*this, joins),
      calls_(*this, joins) {}

Values Folds::emit_fold(const FoldSite& site, Value length) {
  List leaves;
  return emit_fold(site, site.reduction.schedule, {&leaves, w_.i64(0), w_.i64(1), length});
}

Values Folds::emit_fold(const FoldSite& site, ScheduleId schedule, const Slice& slice) {
  check_pins(site, schedule, {ir::MachineLevel::thread});
  auto all = [&] { return joins_.whole(site, joins_.rounded_product(site, fold(site, schedule, slice, {}))); };
  if (auto fixed = w_.known(slice.length); fixed && *fixed >= 1) return all();
  return w_.branch(b_.greater(slice.length, w_.i64(0)), all, [&] { return joins_.empty_fold(site); });
}

Values Folds::node_at(const FoldSite& site, const Slice& slice, Value position) {
  Value p = w_.add(slice.start, w_.multiply(slice.stride, position));
  const List& list = *slice.list;
  const Slice& parent = list.parent;
  if ((list.kind == List::Kind::tile || list.kind == List::Kind::lanes) && list.arithmetic != site.arithmetic) {
    // In `tile(8, kahan) then fused(seq)`, for example, the runs do not stand within `fused`.
    FoldSite around = site;
    around.arithmetic = list.arithmetic;
    return node_at(around, slice, position);
  }
  switch (list.kind) {
    case List::Kind::leaves: return joins_.leaf(site, p);
    case List::Kind::stored: return w_.load_at(list.pointers, p);
    case List::Kind::buffered: {
      Values values;
      for (std::uint32_t k = 0; k < site.state.size(); ++k) {
        const Value value = circuits_.load_at_offset(list.buffer + k, w_.add(list.base, p));
        values.push_back(site.state[k].kind == kernel::Kind::flag ? b_.to_flag(value) : value);
      }
      return values;
    }
    case List::Kind::arranged:
      return node_at(site, parent, arranged_position(module_.schedules().arrangement(list.arrangement), p));
    case List::Kind::chosen: {
      return node_at(site, parent, b_.load(list.pointers[0], p));
    }
    case List::Kind::compensated: {
      const Values below = joins_.rounded_product(*list.below, node_at(*list.below, parent, p));
      return {below[0], b_.zero(b_.type(below[0]))};
    }
    case List::Kind::tile: return node_of_tile(site, list, p);
    case List::Kind::lanes: {
      const auto whole = w_.divides(list.size, parent.length);
      Value length = whole ? w_.i64(*whole) : w_.divide_up(b_.sub(parent.length, p), list.size);
      return fold(site, list.schedule,
                  {parent.list, w_.add(parent.start, w_.multiply(parent.stride, p)),
                   w_.multiply(parent.stride, list.size), length},
                  list.lengths);
    }
  }
  return joins_.zeros(site);
}

Values Folds::node_of_tile(const FoldSite& site, const List& list, Value position) {
  const Slice& parent = list.parent;
  Value first = w_.multiply(position, list.size);
  Value length = w_.divides(list.size, parent.length) ? list.size : w_.smaller(list.size, b_.sub(parent.length, first));
  const auto run = [&](Value of_run) {
    return fold(site, list.schedule,
                {parent.list, w_.add(parent.start, w_.multiply(parent.stride, first)), parent.stride, of_run},
                list.lengths);
  };
  if (!list.open_runs) return run(length);
  return w_.branch(
      b_.equal(length, list.size), [&] { return run(list.size); }, [&] { return last_run(site, list, first, length); });
}

/// Whether every run has the same few nodes, joined by `seq` or `tree`.
bool Folds::is_short_run(const List& list) const {
  const ScheduleOp op = module_.schedules()[list.schedule].op;
  return (op == ScheduleOp::seq || op == ScheduleOp::tree) && w_.divides(list.size, list.parent.length) &&
         *w_.known(list.size) <= max_of_short_run && list.arithmetic == Arithmetic::plain && !list.open_runs;
}

bool Folds::is_cheap(const FoldSite& site, const Slice& slice) const {
  const List* list = slice.list;
  while (list->kind == List::Kind::compensated || list->kind == List::Kind::arranged) list = list->parent.list;
  if (list->kind == List::Kind::leaves) return site.cheap;
  if (list->kind == List::Kind::tile) return is_cheap(site, list->parent) && is_short_run(*list);
  return (site.cheap || !site.reduction.user) &&
         (list->kind == List::Kind::stored || list->kind == List::Kind::buffered);
}

Values Folds::fold(const FoldSite& site, ScheduleId id, const Slice& slice, const Lengths& lengths) {
  if (w_.failed()) return joins_.zeros(site);
  if (++count_ > max_folds) {
    w_.fail(site.id, "a schedule of this size");
    return joins_.zeros(site);
  }
  const ir::ScheduleNode node = module_.schedules()[id];
  switch (node.op) {
    case ScheduleOp::seq: return fold_seq(site, slice);
    case ScheduleOp::tree: return trees_.fold_tree(site, slice);
    case ScheduleOp::halving: return trees_.fold_halving(site, slice);
    case ScheduleOp::blelloch: return trees_.fold_blelloch(site, slice);
    case ScheduleOp::quoted: return trees_.fold_quoted(site, node.tree, slice);
    case ScheduleOp::fused:
    case ScheduleOp::neumaier:
    case ScheduleOp::kahan:
    case ScheduleOp::rounded_once:
    case ScheduleOp::binned:
    case ScheduleOp::mma: return fold_arithmetic(site, node, slice, lengths);
    case ScheduleOp::split: return fold_split(site, node, slice, lengths);
    case ScheduleOp::then: return fold_then(site, node, slice, lengths);
    case ScheduleOp::length: {
      Lengths inner = lengths;
      inner[node.variable] = slice.length;
      return fold(site, node.operands[0], slice, inner);
    }
    case ScheduleOp::conditional: {
      Value condition = b_.not_equal(w_.parameter(node.parameter, lengths), w_.i64(0));
      return w_.branch(
          condition, [&] { return fold(site, node.operands[0], slice, lengths); },
          [&] { return fold(site, node.operands[1], slice, lengths); });
    }
    case ScheduleOp::reference: return calls_.fold_reference(site, id, slice);
    case ScheduleOp::any:
    case ScheduleOp::any_tree:
    case ScheduleOp::any_seq:
    case ScheduleOp::any_depth:
    case ScheduleOp::any_lanes:
      w_.fail(
          ir::schedule_diagnostic(module_, id, {ir::ScheduleProblem::Kind::no_single_order}, module_.span(site.id)));
      return joins_.zeros(site);
    default: return rounds_.fold(site, id, slice);
  }
}

Values Folds::fold_split(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice,
                         const Lengths& lengths) {
  Value first = w_.parameter(node.parameter, lengths);
  const Values left =
      fold(site, node.operands[0], {slice.list, slice.start, slice.stride, w_.smaller(first, slice.length)}, lengths);
  return w_.branch(
      b_.greater(slice.length, first),
      [&] {
        Value start = w_.add(slice.start, w_.multiply(slice.stride, first));
        const Values right =
            fold(site, node.operands[1], {slice.list, start, slice.stride, b_.sub(slice.length, first)}, lengths);
        return joins_.join(site, left, right);
      },
      [&] { return left; });
}

void Folds::apply_stage(const FoldSite& site, ScheduleId id, Slice& slice, const Lengths& lengths,
                        std::vector<std::unique_ptr<List>>& lists) {
  const ir::ScheduleNode node = module_.schedules()[id];
  if (node.op == ScheduleOp::stage_then) {
    apply_stage(site, node.operands[0], slice, lengths, lists);
    apply_stage(site, node.operands[1], slice, lengths, lists);
    return;
  }
  if (node.op == ScheduleOp::arrange) {
    const ir::Arrangement& arrangement = module_.schedules().arrangement_of(node);
    if (!arrangement.open) {
      if (auto length = w_.known(slice.length); length && *length != arrangement.size()) {
        w_.fail(ir::schedule_diagnostic(module_, id,
                                        {ir::ScheduleProblem::Kind::arranged_length, arrangement.size(), *length},
                                        module_.span(site.id)));
      }
    }
    auto arranged = std::make_unique<List>();
    arranged->kind = List::Kind::arranged;
    arranged->parent = slice;
    arranged->size = w_.i64(arrangement.run_length());
    arranged->arrangement = node.arrangement;
    auto runs = std::make_unique<List>();
    runs->kind = List::Kind::tile;
    runs->parent = {arranged.get(), w_.i64(0), w_.i64(1), slice.length};
    runs->schedule = node.operands[0];
    runs->lengths = lengths;
    runs->size = arranged->size;
    runs->arithmetic = site.arithmetic;
    runs->arrangement = node.arrangement;
    runs->open_runs = arrangement.open && !arrangement.runs_in_order();
    Value count = w_.divide_up(slice.length, runs->size);
    lists.push_back(std::move(arranged));
    lists.push_back(std::move(runs));
    slice = {lists.back().get(), w_.i64(0), w_.i64(1), count};
    return;
  }
  Value size = w_.parameter(node.parameter, lengths);
  const bool lanes = node.op == ScheduleOp::lanes;
  // With no more nodes than lanes, each is a lane.
  const ScheduleOp inner = module_.schedules()[node.operands[0]].op;
  const bool is_plain = inner == ScheduleOp::seq || inner == ScheduleOp::tree || inner == ScheduleOp::halving;
  const auto nodes = w_.known(slice.length), most = w_.known(size);
  if (lanes && is_plain && nodes && most && *nodes <= *most) return;
  if (lanes && rows_.applies(site, node.operands[0], slice, size)) {
    lists.push_back(rows_.fold(site, node.operands[0], slice, *w_.known(size)));
  } else {
    auto list = std::make_unique<List>();
    list->kind = lanes ? List::Kind::lanes : List::Kind::tile;
    list->parent = slice;
    list->schedule = node.operands[0];
    list->lengths = lengths;
    list->size = size;
    list->arithmetic = site.arithmetic;
    lists.push_back(std::move(list));
  }
  Value count = lanes ? w_.smaller(size, slice.length) : w_.divide_up(slice.length, size);
  slice = {lists.back().get(), w_.i64(0), w_.i64(1), count};
}

Values Folds::fold_then(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice,
                        const Lengths& lengths) {
  std::vector<std::unique_ptr<List>> lists;
  Slice staged = slice;
  apply_stage(site, node.operands[0], staged, lengths, lists);
  return fold(site, node.operands[1], staged, lengths);
}

}  // namespace reckon::codegen
