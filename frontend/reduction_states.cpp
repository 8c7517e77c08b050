// Reductions by an operation of the user.
//
// The IR reduces numbers and tuples of numbers. If parts of a state are tensors, either
//  - each element of a combined tensor depends on the same element of the operands' tensors and on the state's numbers.
//    Then there is a reduction for each element, of that element and of the numbers that it depends on, or
//  - all extents are known and there are at most 64 numbers in all. Then the state is the tuple of these numbers, or
//  - the order is `seq`. Then it is a loop over the whole state.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/ragged_tensor.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/calls.h"
#include "frontend/reduction.h"
#include "ir/fold_operation.h"
#include "ir/op.h"
#include "ir/put_in.h"
#include "ir/rewrite.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::TypeId;
using ir::TypeKind;
using ir::VariableId;

namespace {

constexpr std::size_t most_numbers = 64;  ///< of a state whose tensors are taken apart

/// The operation on two numbers, or on each two of two tensors.
NodeId each_of(ir::Module& module, Op operation, NodeId left, NodeId right) {
  return for_each_element(module, left, [&](const std::vector<IndexId>& subscripts) {
    return module.apply(operation, {number_at(module, left, subscripts), number_at(module, right, subscripts)});
  });
}

}  // namespace

/// The user's operation on two operands, of the type of `like`.
std::optional<NodeId> ReductionElaboration::combine(const Value& left, const Value& right, NodeId like) {
  const SourceSpan at = expr(binder_.operation).span;
  const Maybe value = call(elaborator_, *user_operation_, {left, right}, {leaves_.span, leaves_.span}, binder_, at);
  if (!value) return std::nullopt;
  ir::IndexSubstitution none;
  return elaborator_.fit(*value, module_[like].type, none, false, at, "the result of the operation");
}

/// An operand of the type of each part, on either side.
ReductionElaboration::Operands ReductionElaboration::operands_of_parts() {
  Operands out;
  for (const NodeId part : parts_) {
    out.left.push_back(module_.operand(module_.fresh_variable(), module_[part].type));
    out.right.push_back(module_.operand(module_.fresh_variable(), module_[part].type));
  }
  return out;
}

Maybe ReductionElaboration::state_of_numbers() {
  ir::Module::Fold fold = empty_fold();
  fold.body = leaves_.body;
  if (otherwise_) fold.otherwise = *otherwise_;
  fold.left = module_.fresh_variable();
  fold.right = module_.fresh_variable();
  const TypeId type = module_[leaves_.body].type;
  const auto result = combine({DynamicValue{module_.operand(fold.left, type)}},
                              {DynamicValue{module_.operand(fold.right, type)}}, leaves_.body);
  if (!result) return std::nullopt;
  // A function that only adds its operands becomes the addition, so that whatever holds for sums applies to it.
  if (const auto op = ir::plain_operation(module_, *result, fold.left, fold.right)) {
    fold.operation = *op;
  } else {
    fold.user_operation = *result;
  }
  if (!fits(fold)) return std::nullopt;
  return Value{DynamicValue{make(fold)}};
}

/// A state of which a part is a tensor, or whose leaves take part under a condition.
Maybe ReductionElaboration::state_of_parts() {
  const bool is_tuple = module_.type(leaves_.body).kind == TypeKind::tuple;
  Operands operands = operands_of_parts();
  if (operation_) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      operands.results.push_back(each_of(module_, *operation_, operands.left[part], operands.right[part]));
    }
  } else {
    const auto whole =
        combine(joined(module_, operands.left, is_tuple), joined(module_, operands.right, is_tuple), leaves_.body);
    if (!whole) return std::nullopt;
    operands.results = parts_of(module_, inlined(*whole));
  }
  const auto results = results_of(operands, parts_.size());
  if (!results) return std::nullopt;
  return joined(module_, *results, is_tuple);
}

/// What the first `count` parts of the state become.
std::optional<std::vector<NodeId>> ReductionElaboration::results_of(const Operands& operands, std::size_t count) {
  if (!element_by_element(operands) && !all_elements(operands)) {
    const bool in_order = schedule_ == elaborator_.predefined.at("seq").get_if<ScheduleValue>()->schedule;
    if (in_order) return round_by_round(operands, count);
    elaborator_.report(
        Diagnostic(code::type_mismatch, expr(binder_.operation).span,
                   "this operation combines elements of tensors at different places",
                   "it is carried out in the order `seq` alone")
            .with(leaves_.span,
                  fmt::format("what it combines is `{}`", ir::type_text(module_, module_[leaves_.body].type)))
            .help(fmt::format("say the order: `{}(f) i: e by seq`", spelled_))
            .help(
                fmt::format("tensors of known extents, with at most {} numbers in all, may be combined in any way and "
                            "order",
                            most_numbers)));
    return std::nullopt;
  }
  if (leaves_.guard) add_condition();
  std::vector<NodeId> results;
  for (std::size_t part = 0; part < count; ++part) {
    const auto result = result_of(part);
    if (!result) return std::nullopt;
    results.push_back(*result);
  }
  return results;
}

/// The node, which depends on the index of the leaves, for another index.
NodeId ReductionElaboration::at_leaf(NodeId node, IndexId index) {
  return module_.substitute(node, {{{}, {{leaves_.variable, index}}}, {}, {}});
}

/// A part of the first leaf. If there is no leaf, it is `otherwise`; without one, that is an error of the sizes.
NodeId ReductionElaboration::first_leaf(NodeId part, std::optional<NodeId> otherwise) {
  if (module_.indices().as_constant(leaves_.extent).value_or(0) > 0) {
    return at_leaf(part, module_.indices().constant(0));
  }
  return for_each_element(module_, part, [&](const std::vector<IndexId>& subscripts) {
    ir::Module::Fold fold = empty_fold();
    fold.extent = module_.indices().minimum(fold.extent, module_.indices().constant(1));
    fold.body = number_at(module_, part, subscripts);
    fold.left = module_.fresh_variable();
    fold.right = module_.fresh_variable();
    fold.user_operation = module_.operand(fold.left, module_[fold.body].type);
    if (otherwise) fold.otherwise = number_at(module_, *otherwise, subscripts);
    const NodeId first = module_.reduce(fold);
    module_.places().put(first, binder_.span);
    return first;
  });
}

/// A tensor of an element of `like` for each prefix: `number` of the prefix and the subscripts.
template <class Number>
NodeId ReductionElaboration::of_prefixes(NodeId like, const Number& number) {
  std::vector<IndexId> extents = module_.type(like).extents;
  extents.insert(extents.begin(), leaves_.extent);
  const std::vector<VariableId> variables = fresh_variables(module_, extents.size());
  std::vector<IndexId> subscripts = subscripts_of(module_, variables);
  const IndexId prefix = subscripts.front();
  subscripts.erase(subscripts.begin());
  return module_.map(variables, std::move(extents), number(prefix, subscripts));
}

/// A loop over the first `count` parts: of a fold with a round for each leaf, of a reduction or scan with one for each
/// leaf but the first, which is the start. Under a condition the state of a reduction has one more part: whether a leaf
/// has taken part. Of a scan it has, behind each part, the tensor of what that part has been.
std::optional<std::vector<NodeId>> ReductionElaboration::round_by_round(const Operands& operands, std::size_t count) {
  ir::IndexStore& indices = module_.indices();
  const bool folds = binder_.start.valid() && !prefix_;
  const bool flagged = leaves_.guard.has_value() && !folds;
  ir::LoopParts loop{.round = module_.fresh_variable(), .rounds = leaves_.extent, .state = module_.fresh_variable()};
  IndexId leaf = indices.variable(loop.round);
  if (!folds) {
    loop.rounds = indices.subtract(leaves_.extent, indices.minimum(leaves_.extent, indices.constant(1)));
    leaf = indices.add(leaf, indices.constant(1));
  }
  const auto whole = [&](std::vector<NodeId> parts) {
    return parts.size() == 1 ? parts[0] : module_.tuple(std::move(parts));
  };
  std::vector<NodeId> start, next;
  for (std::size_t part = 0; part < count; ++part) {
    const auto otherwise = prefix_           ? std::optional(zeros_like(module_, parts_[part]))
                           : others_.empty() ? std::nullopt
                                             : std::optional(others_[part]);
    start.push_back(folds ? *otherwise : first_leaf(parts_[part], otherwise));
  }
  for (const NodeId part : start) {
    for (const IndexId extent : module_.type(part).extents) {
      if (indices.variables(extent).empty()) continue;
      refuse(Diagnostic(code::ragged_tensor, binder_.span, "the extent of what is carried from round to round depends on an index",
                        fmt::format("it is `{}`", elaborator_.index_text(extent)))
                 .help("a state has one shape; pad it, with `select` for what lies beyond"));
      return std::nullopt;
    }
  }
  if (prefix_) {
    for (std::size_t part = 0; part < count; ++part) {
      start.push_back(of_prefixes(start[part], [&](IndexId, const std::vector<IndexId>& subscripts) {
        return number_at(module_, start[part], subscripts);
      }));
    }
  }
  if (flagged) start.push_back(first_leaf(*leaves_.guard, zeros_like(module_, *leaves_.guard)));
  loop.start = whole(start);
  const NodeId state = module_.operand(loop.state, module_[loop.start].type);
  const auto now = [&](std::size_t part) {
    return start.size() == 1 ? state : module_.get(state, static_cast<std::uint32_t>(part));
  };
  ir::Module::Substitution of_round;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (part < count) of_round.operands[module_[operands.left[part]].variables[0]] = now(part);
    of_round.operands[module_[operands.right[part]].variables[0]] = at_leaf(parts_[part], leaf);
  }
  for (std::size_t part = 0; part < count; ++part) next.push_back(module_.substitute(operands.results[part], of_round));
  if (leaves_.guard) {
    const NodeId takes_part = at_leaf(*leaves_.guard, leaf);
    for (std::size_t part = 0; part < count; ++part) {
      next[part] = for_each_element(module_, next[part], [&](const std::vector<IndexId>& subscripts) {
        const NodeId same = number_at(module_, now(part), subscripts);
        const NodeId changed =
            module_.apply(Op::select, {takes_part, number_at(module_, next[part], subscripts), same});
        if (!flagged) return changed;
        const NodeId first = number_at(module_, at_leaf(parts_[part], leaf), subscripts);
        return module_.apply(Op::select, {now(count), changed, first});
      });
    }
    if (flagged) next.push_back(module_.apply(Op::logical_or, {now(count), takes_part}));
  }
  if (prefix_) {
    for (std::size_t part = 0; part < count; ++part) {
      next.push_back(of_prefixes(next[part], [&](IndexId prefix, const std::vector<IndexId>& subscripts) {
        std::vector<IndexId> before{prefix};
        before.insert(before.end(), subscripts.begin(), subscripts.end());
        return module_.apply(Op::select, {module_.index_condition(indices.equal(prefix, leaf)),
                                          number_at(module_, next[part], subscripts),
                                          number_at(module_, now(count + part), before)});
      }));
    }
  }
  loop.next = whole(next);
  const NodeId last = module_.loop(loop);
  module_.places().put(last, binder_.span);
  std::vector<NodeId> results = parts_of(module_, last);
  if (prefix_) results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(count));
  if (!flagged) return results;
  const NodeId any = results.back();
  results.pop_back();
  for (std::size_t part = 0; part < count; ++part) {
    results[part] = for_each_element(module_, results[part], [&](const std::vector<IndexId>& subscripts) {
      return module_.apply(Op::select, {any, number_at(module_, results[part], subscripts),
                                        number_at(module_, others_[part], subscripts)});
    });
  }
  return results;
}

/// `fold(f, start) i: e` and `scan(f, start) i: e` are the reduction and the scan in order of the pairs (s1, e) by
/// ((s, _), (_, e)) -> (f(s, e), _): a state on the left, and a leaf on the right. s1 is the state after the first leaf, so
/// f is carried out once for each leaf; under a condition any leaf may be the first, and each has its own s1.
Maybe ReductionElaboration::folded() {
  if (!combines_numbers()) return std::nullopt;
  schedule_ = elaborator_.predefined.at("seq").get_if<ScheduleValue>()->schedule;
  const SourceSpan at = expr(binder_.operation).span, at_start = expr(binder_.start).span;
  const Maybe start = elaborator_.elaborate(context_, binder_.start);
  if (!start) return std::nullopt;
  const bool leaf_is_tuple = module_.type(leaves_.body).kind == TypeKind::tuple;
  std::vector<NodeId> leaf = parts_;
  if (!leaves_.guard) {
    std::ranges::transform(leaf, leaf.begin(), [&](NodeId part) {
      return module_.depends_on(part, leaves_.variable) ? first_leaf(part, zeros_like(module_, part)) : part;
    });
  }
  const Maybe first = call(elaborator_, *user_operation_, {*start, joined(module_, leaf, leaf_is_tuple)},
                           {at_start, leaves_.span}, binder_, at);
  if (!first) return std::nullopt;
  const auto state = elaborator_.node_of(*first, std::nullopt, at);
  if (!state) return std::nullopt;
  ir::IndexSubstitution none;
  otherwise_ = elaborator_.fit(*start, module_[*state].type, none, false, at_start, "the start of the fold");
  if (!otherwise_) return std::nullopt;
  if (prefix_) otherwise_.reset();  // a scan of nothing is an empty tensor
  const bool is_tuple = module_.type(*state).kind == TypeKind::tuple;
  leaf = parts_;
  parts_ = parts_of(module_, *state);
  if (otherwise_) others_ = parts_of(module_, *otherwise_);
  const std::size_t count = parts_.size();
  for (const NodeId part : leaf) {
    parts_.push_back(part);
    others_.push_back(zeros_like(module_, part));
  }
  if (!combines_numbers()) return std::nullopt;
  Operands operands = operands_of_parts();
  const auto split = [&](std::vector<NodeId>& all) { return all.begin() + static_cast<std::ptrdiff_t>(count); };
  const auto next = combine(joined(module_, {operands.left.begin(), split(operands.left)}, is_tuple),
                            joined(module_, {split(operands.right), operands.right.end()}, leaf_is_tuple), *state);
  if (!next) return std::nullopt;
  operands.results = parts_of(module_, inlined(*next));
  operands.results.insert(operands.results.end(), split(operands.left), operands.left.end());
  const auto results = results_of(operands, count);
  if (!results) return std::nullopt;
  return joined(module_, *results, is_tuple);
}

void ReductionElaboration::add_slot(std::size_t part, std::vector<IndexId> subscripts,
                                    std::vector<VariableId> variables) {
  const NodeId leaf = number_at(module_, parts_[part], subscripts);
  const TypeId type = module_[leaf].type;
  slots_.push_back({part, std::move(subscripts), std::move(variables), leaf, module_.operand(module_.fresh_variable(), type),
                    module_.operand(module_.fresh_variable(), type)});
}

/// A slot for each part: for one element of those that are tensors. False if an element depends on other elements.
bool ReductionElaboration::element_by_element(const Operands& operands) {
  // Tensors of the same extents have the same index variables.
  std::map<std::vector<IndexId>, std::vector<VariableId>> variables;
  ir::Module::Substitution numbers;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const std::vector<IndexId> extents = module_.type(parts_[part]).extents;
    std::vector<VariableId>& own = variables[extents];
    while (own.size() < extents.size()) own.push_back(module_.fresh_variable());
    add_slot(part, subscripts_of(module_, own), own);
    if (!extents.empty()) continue;
    numbers.operands[module_[operands.left[part]].variables[0]] = slots_[part].left;
    numbers.operands[module_[operands.right[part]].variables[0]] = slots_[part].right;
  }
  for (Slot& slot : slots_) {
    const NodeId element =
        ir::with_maps_put_in(module_, number_at(module_, operands.results[slot.part], slot.subscripts));
    const NodeId replaced = module_.rewrite(element, [&](const ir::Node& node, std::vector<NodeId> rebuilt) {
      if (node.op == Op::element && node.indices == slot.subscripts) {
        for (const Slot& each : slots_) {
          if (each.subscripts != slot.subscripts) continue;
          if (rebuilt[0] == operands.left[each.part]) return each.left;
          if (rebuilt[0] == operands.right[each.part]) return each.right;
        }
      }
      return module_.rebuild(node, std::move(rebuilt));
    });
    slot.combined = module_.substitute(replaced, numbers);
    for (const std::vector<NodeId>* side : {&operands.left, &operands.right}) {
      for (const NodeId operand : *side) {
        if (module_.depends_on(slot.combined, module_[operand].variables[0])) return false;
      }
    }
  }
  return true;
}

/// A slot for each element of each part. False if there are too many, or not a known number.
bool ReductionElaboration::all_elements(const Operands& operands) {
  slots_.clear();
  ir::Module::Substitution numbers;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    std::vector<std::int64_t> shape;
    std::size_t count = 1;
    for (const IndexId extent : std::vector(module_.type(parts_[part]).extents)) {
      const auto known = module_.indices().as_constant(extent);
      if (!known || *known < 1 || *known > static_cast<std::int64_t>(most_numbers)) return false;
      shape.push_back(*known);
      count *= static_cast<std::size_t>(*known);
      if (slots_.size() + count > most_numbers) return false;
    }
    std::vector<NodeId> left, right;
    for (std::size_t flat = 0; flat < count; ++flat) {
      std::vector<IndexId> subscripts(shape.size());
      auto rest = static_cast<std::int64_t>(flat);
      for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
        subscripts[d] = module_.indices().constant(rest % shape[d]);
      }
      add_slot(part, std::move(subscripts));
      left.push_back(slots_.back().left);
      right.push_back(slots_.back().right);
    }
    numbers.operands[module_[operands.left[part]].variables[0]] = shape.empty() ? left[0] : module_.array(left, shape);
    numbers.operands[module_[operands.right[part]].variables[0]] =
        shape.empty() ? right[0] : module_.array(right, shape);
  }
  for (Slot& slot : slots_) {
    slot.combined = number_at(module_, module_.substitute(operands.results[slot.part], numbers), slot.subscripts);
  }
  return true;
}

/// A leaf that does not take part leaves the other operand as it is.
void ReductionElaboration::add_condition() {
  const TypeId truth = module_[*leaves_.guard].type;
  const NodeId left = module_.operand(module_.fresh_variable(), truth);
  const NodeId right = module_.operand(module_.fresh_variable(), truth);
  const NodeId both = module_.apply(Op::logical_and, {left, right});
  for (Slot& slot : slots_) {
    const NodeId one = module_.apply(Op::select, {left, slot.left, slot.right});
    slot.combined = module_.apply(Op::select, {both, slot.combined, one});
  }
  slots_.push_back({condition, {}, {}, *leaves_.guard, left, right, module_.apply(Op::logical_or, {left, right})});
}

/// The slots that the slot's number depends on, itself among them, ascending. All slots that stand for one number are
/// one reduction.
std::vector<std::size_t> ReductionElaboration::needed_by(std::size_t slot) const {
  std::set<std::size_t> needed{slot};
  for (std::size_t k = 0; slots_[slot].variables.empty() && k < slots_.size(); ++k) {
    if (slots_[k].variables.empty()) needed.insert(k);
  }
  std::vector<std::size_t> open(needed.begin(), needed.end());
  while (!open.empty()) {
    const NodeId combined = slots_[open.back()].combined;
    open.pop_back();
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      const bool depends = module_.depends_on(combined, module_[slots_[k].left].variables[0]) ||
                           module_.depends_on(combined, module_[slots_[k].right].variables[0]);
      if (depends && needed.insert(k).second) open.push_back(k);
    }
  }
  return {needed.begin(), needed.end()};
}

/// The reduction of these slots: a number, or a tuple of numbers.
std::optional<NodeId> ReductionElaboration::fold_slots(const std::vector<std::size_t>& slots) {
  ir::Module::Fold fold = empty_fold();
  const auto one = [&](const std::vector<NodeId>& numbers) {
    return numbers.size() == 1 ? numbers[0] : module_.tuple(numbers);
  };
  std::vector<NodeId> leaves, combined, others;
  for (const std::size_t each : slots) leaves.push_back(slots_[each].leaf);
  fold.body = one(leaves);
  fold.left = module_.fresh_variable();
  fold.right = module_.fresh_variable();
  const NodeId left = module_.operand(fold.left, module_[fold.body].type);
  const NodeId right = module_.operand(fold.right, module_[fold.body].type);
  ir::Module::Substitution operands;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const Slot& slot = slots_[slots[k]];
    const auto part = static_cast<std::uint32_t>(k);
    operands.operands[module_[slot.left].variables[0]] = slots.size() == 1 ? left : module_.get(left, part);
    operands.operands[module_[slot.right].variables[0]] = slots.size() == 1 ? right : module_.get(right, part);
  }
  for (const std::size_t each : slots) {
    const Slot& slot = slots_[each];
    combined.push_back(module_.substitute(slot.combined, operands));
    if (!otherwise_) continue;
    others.push_back(slot.part == condition ? zeros_like(module_, slot.leaf)
                                            : number_at(module_, others_[slot.part], slot.subscripts));
  }
  if (otherwise_) fold.otherwise = one(others);
  const NodeId operation = one(combined);
  if (const auto op = ir::plain_operation(module_, operation, fold.left, fold.right)) {
    fold.operation = *op;
  } else {
    fold.user_operation = operation;
  }
  return fits(fold) ? std::optional(make(fold)) : std::nullopt;
}

/// The number of a slot, or of a scan the tensor of its prefixes.
std::optional<NodeId> ReductionElaboration::number_of(std::size_t slot) {
  const std::vector<std::size_t> slots = needed_by(slot);
  const auto reduced = fold_slots(slots);
  if (!reduced || slots.size() == 1) return reduced;
  const auto number = [&](std::size_t each) {
    const auto at = std::find(slots.begin(), slots.end(), each) - slots.begin();
    return module_.get(*reduced, static_cast<std::uint32_t>(at));
  };
  if (!leaves_.guard) return number(slot);
  const NodeId other = number_at(module_, others_[slots_[slot].part], slots_[slot].subscripts);
  return module_.apply(Op::select, {number(slots_.size() - 1), number(slot), other});
}

std::optional<NodeId> ReductionElaboration::result_of(std::size_t part) {
  const ir::Type type = module_.type(parts_[part]);
  std::vector<NodeId> numbers;
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].part != part) continue;
    const auto number = number_of(slot);
    if (!number) return std::nullopt;
    if (!slots_[slot].variables.empty()) return tensor_of(module_, slots_[slot].variables, type.extents, *number);
    numbers.push_back(*number);
  }
  if (type.extents.empty()) return numbers[0];
  std::vector<std::int64_t> shape;
  for (const IndexId extent : type.extents) shape.push_back(*module_.indices().as_constant(extent));
  if (!prefix_) return module_.array(std::move(numbers), std::move(shape));
  std::vector<VariableId> variables = fresh_variables(module_, 1 + shape.size());
  std::vector<IndexId> subscripts = subscripts_of(module_, variables), extents = module_.type(numbers[0]).extents;
  extents.insert(extents.end(), type.extents.begin(), type.extents.end());
  for (NodeId& number : numbers) number = module_.element(number, {subscripts[0]});
  subscripts.erase(subscripts.begin());
  return module_.map(std::move(variables), std::move(extents),
                     module_.element(module_.array(std::move(numbers), std::move(shape)), std::move(subscripts)));
}

}  // namespace reckon::frontend
