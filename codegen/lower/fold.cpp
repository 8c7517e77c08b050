// Folding the leaves of a reduction along its schedule, with lengths that may be known only at run time: no tree is
// built, loops follow it. Each combinator is one case; what a stage makes is a list whose nodes are folds.
#include <fmt/format.h>

#include "codegen/lower/lowering.h"
#include "codegen/place/place.h"
#include "ir/bind.h"

namespace reckon::codegen {

using ir::NodeId;
using ir::Op;
using ir::ScheduleId;
using ir::ScheduleOp;

namespace {

constexpr std::int64_t most_folds = 4096;
constexpr int cheap_operations = 12;
constexpr std::int64_t most_of_short_run = 4;

/// Operations that emitting a circuit takes, up to a limit; anything with a loop inside is over the limit.
int operation_count(const ir::Module& module, NodeId id, int limit) {
  const ir::Node& node = module[id];
  if (node.op == Op::reduce || node.op == Op::scan || ir::is_elementary(node.op) || node.op == Op::rem)
    return limit + 1;
  int count = 1;
  for (NodeId operand : node.operands) {
    if (node.op == Op::element) break;
    if (count > limit) return count;
    count += operation_count(module, operand, limit - count);
  }
  return count;
}

}  // namespace

FoldSite Lowering::site_of(NodeId id) {
  FoldSite site;
  site.id = id;
  site.node = module_[id];
  site.reduction = module_.reduction_of(id);
  site.scalars = scalars_of(module_, module_[site.node.operands[0]].type);
  for (ir::Scalar scalar : site.scalars) {
    site.state.push_back(Type::number(scalar));
  }
  site.fuses = keeps_factors(module_, site.reduction.schedule, code_);
  if (site.fuses) site.state = {site.state[0], site.state[0], Type::flag()};
  int count = operation_count(module_, site.node.operands[0], cheap_operations);
  if (site.reduction.user && count <= cheap_operations) {
    count += operation_count(module_, site.node.operands[1], cheap_operations);
  }
  site.cheap = count <= cheap_operations;
  return site;
}

Values Lowering::zeros(const FoldSite& site) {
  Values values;
  for (Type type : site.state) values.push_back(b_.zero(type));
  return values;
}

Values Lowering::empty_fold(const FoldSite& site) {
  if (site.reduction.has_otherwise) return emit(site.node.operands.back());
  Values values = zeros(site);
  values.resize(site.scalars.size());
  return values;
}

Values Lowering::emit_fold(const FoldSite& site, Value length) {
  List leaves;
  return emit_fold(site, site.reduction.schedule, {&leaves, i64(0), i64(1), length});
}

Values Lowering::emit_fold(const FoldSite& site, ScheduleId schedule, const Slice& slice) {
  carried_out(site, schedule, {ir::MachineLevel::thread});
  auto all = [&] { return whole(site, settled(site, fold(site, schedule, slice, {}))); };
  if (auto fixed = known(slice.length); fixed && *fixed >= 1) return all();
  return branch(b_.greater(slice.length, i64(0)), all, [&] { return empty_fold(site); });
}

Values Lowering::leaf(const FoldSite& site, Value position) {
  Scope scope;
  scope.variables.push_back({site.node.variables[0], site.node.indices[0], position});
  return in_scope(scope, [&] { return leaf_here(site, position); });
}

Values Lowering::leaf_here(const FoldSite& site, Value position) {
  Values out;
  if (!site.fuses) {
    out = emit(site.node.operands[0]);
  } else {
    const std::vector<NodeId> factors = module_[site.node.operands[0]].operands;
    const Value x = scalar(factors[0]);
    out = {x, scalar(factors[1]), b_.flag(true)};
  }
  settle();
  out[0] = b_.leaf(site.id, out[0], position);
  return out;
}

Values Lowering::whole(const FoldSite& site, Values values) {
  values.resize(site.scalars.size());
  values[0] = b_.root(site.id, values[0]);
  return values;
}

Values Lowering::join(const FoldSite& site, const Values& left, const Values& right) {
  if (error_) return left;
  Values out = joined(site, left, right);
  settle();
  out[0] = b_.node(site.id, out[0], left[0], right[0]);
  return out;
}

Values Lowering::joined(const FoldSite& site, const Values& left, const Values& right) {
  if (!site.reduction.user) {
    if (site.arithmetic == Arithmetic::neumaier || site.arithmetic == Arithmetic::kahan) {
      return joined_compensated(site, left, right);
    }
    if (site.fuses) return joined_products(site, left, right);
    return {operation(site, site.reduction.operation, {left[0], right[0]})};
  }
  Scope scope;
  scope.operands.push_back({site.node.variables[1], left});
  scope.operands.push_back({site.node.variables[2], right});
  return in_scope(scope, [&] { return emit(site.node.operands[1]); });
}

Values Lowering::node_at(const FoldSite& site, const Slice& slice, Value position) {
  Value p = add(slice.start, multiply(slice.stride, position));
  const List& list = *slice.list;
  const Slice& parent = list.parent;
  if ((list.kind == List::Kind::tile || list.kind == List::Kind::lanes) && list.arithmetic != site.arithmetic) {
    // `tile(8, kahan) then fused(seq)`: the runs are not within `fused`.
    FoldSite around = site;
    around.arithmetic = list.arithmetic;
    return node_at(around, slice, position);
  }
  switch (list.kind) {
    case List::Kind::leaves: return leaf(site, p);
    case List::Kind::stored: return load_at(list.pointers, p);
    case List::Kind::buffered: {
      Values values;
      for (std::uint32_t k = 0; k < site.state.size(); ++k) {
        values.push_back(load_at_offset(list.buffer + k, add(list.base, p)));
      }
      return values;
    }
    case List::Kind::arranged:
      return node_at(site, parent, arranged_position(module_.schedules().arrangement(list.arrangement), p));
    case List::Kind::chosen: {
      return node_at(site, parent, b_.load(list.pointers[0], p));
    }
    case List::Kind::compensated: {
      const Values below = settled(*list.below, node_at(*list.below, parent, p));
      return {below[0], b_.zero(b_.type(below[0]))};
    }
    case List::Kind::tile: {
      Value first = multiply(p, list.size);
      Value length =
          divides(list.size, parent.length) ? list.size : smaller(list.size, b_.sub(parent.length, first));
      if (list.open_runs) {
        return branch(
            b_.equal(length, list.size),
            [&] {
              return fold(site, list.schedule,
                          {parent.list, add(parent.start, multiply(parent.stride, first)), parent.stride, list.size},
                          list.lengths);
            },
            [&] { return last_run(site, list, first, length); });
      }
      return fold(site, list.schedule,
                  {parent.list, add(parent.start, multiply(parent.stride, first)), parent.stride, length},
                  list.lengths);
    }
    case List::Kind::lanes: {
      const auto whole = divides(list.size, parent.length);
      Value length = whole ? i64(*whole) : divide_up(b_.sub(parent.length, p), list.size);
      return fold(site, list.schedule,
                  {parent.list, add(parent.start, multiply(parent.stride, p)), multiply(parent.stride, list.size),
                   length},
                  list.lengths);
    }
  }
  return zeros(site);
}

/// Is a run the same few nodes everywhere, joined by `seq` or `tree`?
bool Lowering::is_short_run(const List& list) const {
  const ScheduleOp op = module_.schedules()[list.schedule].op;
  return (op == ScheduleOp::seq || op == ScheduleOp::tree) && divides(list.size, list.parent.length) &&
         *known(list.size) <= most_of_short_run && list.arithmetic == Arithmetic::plain && !list.open_runs;
}

/// May a node of the list be emitted several times in a row?
bool Lowering::is_cheap(const FoldSite& site, const Slice& slice) const {
  const List* list = slice.list;
  while (list->kind == List::Kind::compensated || list->kind == List::Kind::arranged) list = list->parent.list;
  if (list->kind == List::Kind::leaves) return site.cheap;
  if (list->kind == List::Kind::tile) return is_cheap(site, list->parent) && is_short_run(*list);
  return (site.cheap || !site.reduction.user) &&
         (list->kind == List::Kind::stored || list->kind == List::Kind::buffered);
}

Values Lowering::fold(const FoldSite& site, ScheduleId id, const Slice& slice, const Lengths& lengths) {
  if (error_) return zeros(site);
  if (++folds_ > most_folds) {
    fail(site.id, "a schedule of this size");
    return zeros(site);
  }
  const ir::ScheduleNode node = module_.schedules()[id];
  switch (node.op) {
    case ScheduleOp::seq: return fold_seq(site, slice);
    case ScheduleOp::tree: return fold_tree(site, slice);
    case ScheduleOp::halving: return fold_halving(site, slice);
    case ScheduleOp::blelloch: return fold_blelloch(site, slice);
    case ScheduleOp::quoted: return fold_quoted(site, node.tree, slice);
    case ScheduleOp::fused:
    case ScheduleOp::neumaier:
    case ScheduleOp::kahan:
    case ScheduleOp::rounded_once:
    case ScheduleOp::binned: return fold_arithmetic(site, node, slice, lengths);
    case ScheduleOp::split: return fold_split(site, node, slice, lengths);
    case ScheduleOp::then: return fold_then(site, node, slice, lengths);
    case ScheduleOp::length: {
      Lengths inner = lengths;
      inner[node.variable] = slice.length;
      return fold(site, node.operands[0], slice, inner);
    }
    case ScheduleOp::conditional: {
      Value condition = b_.not_equal(parameter(node.parameter, lengths), i64(0));
      return branch(
          condition, [&] { return fold(site, node.operands[0], slice, lengths); },
          [&] { return fold(site, node.operands[1], slice, lengths); });
    }
    case ScheduleOp::reference: return fold_reference(site, id, slice, lengths);
    case ScheduleOp::any:
    case ScheduleOp::any_tree:
    case ScheduleOp::any_seq:
    case ScheduleOp::any_depth:
    case ScheduleOp::any_lanes:
      fail(ir::schedule_diagnostic(module_, id, {ir::ScheduleProblem::Kind::no_single_order}, module_.span(site.id)));
      return zeros(site);
    default:
      fail(Diagnostic(Code::internal, module_.span(site.id), "a stage stands where a schedule is needed"));
      return zeros(site);
  }
}

Values Lowering::fold_split(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice,
                            const Lengths& lengths) {
  Value first = parameter(node.parameter, lengths);
  const Values left =
      fold(site, node.operands[0], {slice.list, slice.start, slice.stride, smaller(first, slice.length)}, lengths);
  return branch(
      b_.greater(slice.length, first),
      [&] {
        Value start = add(slice.start, multiply(slice.stride, first));
        const Values right =
            fold(site, node.operands[1], {slice.list, start, slice.stride, b_.sub(slice.length, first)}, lengths);
        return join(site, left, right);
      },
      [&] { return left; });
}

void Lowering::apply_stage(const FoldSite& site, ScheduleId id, Slice& slice, const Lengths& lengths,
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
      if (auto length = known(slice.length); length && *length != arrangement.size()) {
        fail(ir::schedule_diagnostic(module_, id,
                                     {ir::ScheduleProblem::Kind::arranged_length, arrangement.size(), *length},
                                     module_.span(site.id)));
      }
    }
    auto arranged = std::make_unique<List>();
    arranged->kind = List::Kind::arranged;
    arranged->parent = slice;
    arranged->size = i64(arrangement.run_length());
    arranged->arrangement = node.arrangement;
    auto runs = std::make_unique<List>();
    runs->kind = List::Kind::tile;
    runs->parent = {arranged.get(), i64(0), i64(1), slice.length};
    runs->schedule = node.operands[0];
    runs->lengths = lengths;
    runs->size = arranged->size;
    runs->arithmetic = site.arithmetic;
    runs->arrangement = node.arrangement;
    runs->open_runs = arrangement.open && !arrangement.runs_in_order();
    Value count = divide_up(slice.length, runs->size);
    lists.push_back(std::move(arranged));
    lists.push_back(std::move(runs));
    slice = {lists.back().get(), i64(0), i64(1), count};
    return;
  }
  Value size = parameter(node.parameter, lengths);
  const bool lanes = node.op == ScheduleOp::lanes;
  if (lanes && rows_apply(site, node.operands[0], slice, size)) {
    lists.push_back(fold_rows(site, node.operands[0], slice, *known(size)));
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
  Value count = lanes ? smaller(size, slice.length) : divide_up(slice.length, size);
  slice = {lists.back().get(), i64(0), i64(1), count};
}

Values Lowering::fold_then(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice,
                           const Lengths& lengths) {
  std::vector<std::unique_ptr<List>> lists;
  Slice staged = slice;
  apply_stage(site, node.operands[0], staged, lengths, lists);
  return fold(site, node.operands[1], staged, lengths);
}

}  // namespace reckon::codegen
