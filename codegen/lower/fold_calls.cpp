// References of schedules to definitions. Each definition becomes a function that takes the list's run-time values as
// arguments and calls itself where the definition refers to itself. If a definition refers to itself behind a stage, it
// folds another list at each level; it is then followed at compile time, which needs a known length.
#include "codegen/lower/fold_calls.h"

#include <memory>
#include <set>

#include "codegen/lower/folds.h"
#include "diagnostics/codes/not_compilable.h"
#include "ir/bind.h"

namespace reckon::codegen {

using ir::ScheduleId;
using ir::ScheduleOp;
using ir::SymbolId;

namespace {

/// The list's shape, without its run-time values.
void list_shape(const List& list, std::string& out) {
  out += static_cast<char>('0' + static_cast<int>(list.kind));
  if (list.kind == List::Kind::leaves || list.kind == List::Kind::stored) return;
  out += std::to_string(list.schedule.index) + "@" + std::to_string(list.arrangement);
  out += static_cast<char>('0' + static_cast<int>(list.arithmetic));
  for (const auto& length : list.lengths) out += "," + std::to_string(length.first.index);
  out += ";";
  list_shape(*list.parent.list, out);
}

void list_values(const List& list, Values& out) {
  if (list.kind == List::Kind::leaves) return;
  if (list.kind == List::Kind::stored) {
    out.insert(out.end(), list.pointers.begin(), list.pointers.end());
    return;
  }
  for (const auto& length : list.lengths) out.push_back(length.second);
  out.insert(out.end(), list.pointers.begin(), list.pointers.end());
  out.insert(out.end(), {list.size, list.parent.start, list.parent.stride, list.parent.length});
  list_values(*list.parent.list, out);
}

/// The same list with its values replaced by the next arguments.
template <class Next>
const List* rebuild_list(const List& list, Next&& next, std::vector<std::unique_ptr<List>>& keep) {
  auto copy = std::make_unique<List>(list);
  List* made = copy.get();
  keep.push_back(std::move(copy));
  if (list.kind == List::Kind::leaves) return made;
  if (list.kind == List::Kind::stored) {
    for (Value& pointer : made->pointers) pointer = next();
    return made;
  }
  for (auto& length : made->lengths) length.second = next();
  for (Value& pointer : made->pointers) pointer = next();
  made->size = next();
  made->parent.start = next();
  made->parent.stride = next();
  made->parent.length = next();
  made->parent.list = rebuild_list(*list.parent.list, next, keep);
  return made;
}

}  // namespace

FoldCalls::FoldCalls(Folds& folds, Joins& joins) : LoweringParts(folds, joins) {}

bool FoldCalls::recurs_through_stage(SymbolId symbol) const {
  std::set<std::pair<ScheduleId, bool>> seen;
  std::vector<std::pair<ScheduleId, bool>> pending;
  auto define = [&](SymbolId name, bool staged) {
    if (auto definition = module_.schedules().definition(name)) pending.push_back({*definition, staged});
  };
  define(symbol, false);
  while (!pending.empty()) {
    const auto [id, staged] = pending.back();
    pending.pop_back();
    if (!seen.insert({id, staged}).second) continue;
    const ir::ScheduleNode& node = module_.schedules()[id];
    if (node.op == ScheduleOp::reference) {
      if (node.symbol == symbol && staged) return true;
      define(node.symbol, staged);
    }
    const bool below = staged || ir::is_stage(node.op) || node.op == ScheduleOp::then;
    for (ScheduleId operand : node.operands) pending.push_back({operand, below});
  }
  return false;
}

void FoldCalls::begin_kernel() {
  functions_.clear();
  any_ = false;
}

/// The definition, followed at compile time for the list's length, up to the stages that refer to it again.
Values FoldCalls::fold_head(const FoldSite& site, ScheduleId id, const Slice& slice) {
  const auto length = w_.known(slice.length);
  if (!length) {
    w_.fail(Diagnostic(code::not_compilable, module_.span(site.id),
                       "the schedule `" + std::string(module_.name(module_.schedules()[id].symbol)) +
                           "` refers to itself behind a stage; compiling it needs a known length")
                .help("give the sizes, or let the interpreter run it"));
    return joins_.zeros(site);
  }
  auto [head, problem] = module_.schedules().head(id, *length);
  if (problem) {
    w_.fail(ir::schedule_diagnostic(module_, id, *problem, module_.span(site.id)));
    return joins_.zeros(site);
  }
  return folds_.fold(site, head, slice, {});
}

Values FoldCalls::fold_reference(const FoldSite& site, ScheduleId id, const Slice& slice) {
  const SymbolId symbol = module_.schedules()[id].symbol;
  if (!module_.schedules().definition(symbol)) {
    w_.fail(ir::schedule_diagnostic(module_, id, {ir::ScheduleProblem::Kind::no_value}, module_.span(site.id)));
    return joins_.zeros(site);
  }
  if (recurs_through_stage(symbol)) return fold_head(site, id, slice);

  Values arguments = w_.buffers();
  for (SymbolId dimension : w_.planned().plan.sizes()) arguments.push_back(w_.context().dimensions.at(dimension));
  for (ir::VariableId variable : module_.free_variables(site.id)) {
    const Scope* scope = w_.binder(variable);
    if (!scope) continue;
    for (const Scope::Bound& bound : scope->variables) {
      if (bound.variable == variable) arguments.push_back(bound.value);
    }
    for (const auto& operand : scope->operands) {
      if (operand.first == variable) arguments.insert(arguments.end(), operand.second.begin(), operand.second.end());
    }
  }
  list_values(*slice.list, arguments);
  arguments.insert(arguments.end(), {slice.start, slice.stride, slice.length});

  Called called{symbol, site.id, {}, site.arithmetic};
  list_shape(*slice.list, called.list);
  any_ = true;
  const auto found = functions_.find(called);
  const std::size_t function =
      found != functions_.end() ? found->second : make_fold_function(site, called, slice, arguments);
  return b_.call(static_cast<std::int64_t>(function), arguments, site.state);
}

std::size_t FoldCalls::make_fold_function(const FoldSite& site, const Called& called, const Slice& slice,
                                          const Values& arguments) {
  const std::size_t number = b_.program().functions.size();
  kernel::Function& made = b_.program().functions.emplace_back();
  made.name = "reckon_fold";
  made.is_kernel = false;
  const auto which = static_cast<std::uint32_t>(number);
  for (const Value argument : arguments) {
    made.parameters.push_back(
        {{}, b_.program().fresh(b_.type(argument), {kernel::Program::Definition::Kind::parameter, which})});
  }
  functions_[called] = number;

  Writer::Context context = w_.context();
  context.function = number;
  std::size_t position = 0;
  auto next = [&]() -> Value { return made.parameters[position++].value; };
  for (Value& buffer : context.buffers) buffer = next();
  for (SymbolId dimension : w_.planned().plan.sizes()) context.dimensions[dimension] = next();
  Scope root;
  for (ir::VariableId variable : module_.free_variables(site.id)) {
    const Scope* scope = w_.binder(variable);
    if (!scope) continue;
    for (const Scope::Bound& bound : scope->variables) {
      if (bound.variable == variable) root.variables.push_back({variable, bound.extent, next()});
    }
    for (const auto& operand : scope->operands) {
      if (operand.first != variable) continue;
      Values values;
      for (std::size_t k = 0; k < operand.second.size(); ++k) values.push_back(next());
      root.operands.push_back({variable, values});
    }
  }
  std::vector<std::unique_ptr<List>> keep;
  Slice inner;
  inner.list = rebuild_list(*slice.list, next, keep);
  inner.start = next();
  inner.stride = next();
  inner.length = next();

  w_.fill_apart(context, root, [&] {
    made.body.yields = folds_.fold(site, *module_.schedules().definition(called.symbol), inner, {});
  });
  return number;
}

}  // namespace reckon::codegen
