#include "ir/schedule/schedule.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "layout/collision.h"

namespace reckon::ir {

ScheduleStore::~ScheduleStore() = default;

namespace {

std::int64_t product(const std::vector<Arrangement::Mode>& modes) {
  std::int64_t out = 1;
  for (const Arrangement::Mode& mode : modes) out *= mode.extent;
  return out;
}

}  // namespace

std::int64_t Arrangement::run_length() const { return product(run); }
std::int64_t Arrangement::size() const { return product(run) * product(runs); }

std::int64_t Arrangement::offset(const std::vector<Mode>& modes, std::int64_t index) {
  std::int64_t out = 0;
  for (const Mode& mode : modes) {
    out += index % mode.extent * mode.stride;
    index /= mode.extent;
  }
  return out;
}

bool Arrangement::repeats_every(std::int64_t count) const {
  if (count == 1) return true;
  if (!stages.empty()) return false;
  for (const Mode& mode : run) {
    if (count <= mode.extent) return mode.extent % count == 0;
    if (count % mode.extent != 0) return false;
    count /= mode.extent;
  }
  return false;
}

std::vector<Arrangement::Mode> Arrangement::every(std::int64_t count) const {
  std::vector<Mode> out;
  for (const Mode& mode : run) {
    const std::int64_t taken = std::min(count, mode.extent);
    out.push_back({mode.extent / taken, mode.stride * taken});
    count /= taken;
  }
  return out;
}

layout::AnyLayout Arrangement::layout() const {
  const auto tuple = [](const std::vector<Mode>& modes, std::int64_t Mode::*part) -> layout::IntTuple {
    if (modes.size() == 1) return modes[0].*part;
    std::vector<layout::IntTuple> out;
    for (const Mode& mode : modes) out.push_back(mode.*part);
    return out;
  };
  auto inner = layout::Layout::make(
      std::vector{tuple(run, &Mode::extent), tuple(runs, &Mode::extent)},
      std::vector{tuple(run, &Mode::stride), tuple(runs, &Mode::stride)});
  assert(inner && "an arrangement is made of a layout");
  if (stages.empty()) return *inner;
  return layout::Composed(stages, *inner);
}

std::int64_t Arrangement::node(std::int64_t o, std::int64_t c) const {
  const std::int64_t plain = offset(runs, o) + offset(run, c);
  if (stages.empty()) return plain;
  const auto out = layout::after(stages, plain);
  assert(out && "a bijection gives a node for every place");
  return out ? *out : 0;
}

bool Arrangement::is_bijection() const {
  if (!stages.empty()) return !open && !layout::no_permutation(layout());
  // The modes must be compact in some order: the strides, ascending, are the products of the extents before.
  std::vector<Mode> modes = run;
  if (!open) modes.insert(modes.end(), runs.begin(), runs.end());
  std::erase_if(modes, [](const Mode& mode) { return mode.extent == 1; });
  std::sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) { return a.stride < b.stride; });
  std::int64_t next = 1;
  for (const Mode& mode : modes) {
    if (mode.stride != next) return false;
    next *= mode.extent;
  }
  // If the unbounded mode had a smaller stride than another mode, the two would reach some node twice.
  return !open || runs[0].stride == next;
}

bool Arrangement::runs_in_order() const {
  std::int64_t next = 1;
  for (const Mode& mode : run) {
    if (mode.extent > 1 && mode.stride != next) return false;
    next *= mode.extent;
  }
  return true;
}

int min_height(std::int64_t n) {
  return n <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

std::size_t ScheduleStore::Hash::operator()(const ScheduleNode& node) const {
  std::size_t seed = static_cast<std::size_t>(node.op);
  seed = hash_combine(seed, node.parameter.index);
  seed = hash_combine(seed, node.variable.index);
  seed = hash_combine(seed, node.symbol.index);
  seed = hash_combine(seed, node.tree.index);
  seed = hash_combine(seed, std::hash<const Form*>()(node.form));
  seed = hash_combine(seed, node.arrangement);
  seed = hash_combine(seed, static_cast<std::size_t>(node.level));
  if (node.mma) {
    seed = hash_combine(seed, static_cast<std::size_t>(node.mma->model));
    for (const auto& format : {node.mma->accumulator, node.mma->operand}) {
      seed = hash_combine(seed, format ? static_cast<std::size_t>(*format) + 1 : 0);
    }
  }
  for (ScheduleId operand : node.operands) seed = hash_combine(seed, operand.index);
  return seed;
}

std::string_view machine_level_name(MachineLevel level) {
  constexpr std::string_view names[] = {"", "thread", "warp", "block", "grid"};
  return names[static_cast<std::size_t>(level)];
}

std::optional<MachineLevel> machine_level_named(std::string_view name) {
  for (auto level : {MachineLevel::thread, MachineLevel::warp, MachineLevel::block, MachineLevel::grid}) {
    if (machine_level_name(level) == name) return level;
  }
  return std::nullopt;
}

ScheduleId ScheduleStore::intern(ScheduleNode node) {
  auto [found, inserted] = interned_.try_emplace(node, ScheduleId{static_cast<std::uint32_t>(nodes_.size())});
  if (!inserted) return found->second;
  std::uint32_t height = node.op == ScheduleOp::length ? node.variable.index + 1 : 0;
  for (ScheduleId operand : node.operands) height = std::max(height, heights_[operand.index]);
  nodes_.push_back(std::move(node));
  heights_.push_back(height);
  return found->second;
}

ScheduleStore::ScheduleStore(IndexStore& indices, const Forms& forms)
    : indices_(indices), forms_(&forms), seq_(simple(ScheduleOp::seq)), tree_(simple(ScheduleOp::tree)) {}

ScheduleStore::ScheduleStore(const ScheduleStore& other, IndexStore& indices)
    : indices_(indices),
      forms_(other.forms_),
      trees_(other.trees_),
      nodes_(other.nodes_),
      arrangements_(other.arrangements_),
      heights_(other.heights_),
      interned_(other.interned_),
      definitions_(other.definitions_),
      heads_(other.heads_),
      seq_(other.seq_),
      tree_(other.tree_) {}

ScheduleId ScheduleStore::simple(ScheduleOp op) { return intern({.op = op}); }
ScheduleId ScheduleStore::make(const Form& form, IndexId size, std::vector<ScheduleId> schedules) {
  assert(form.op != ScheduleOp::arrange && form.op != ScheduleOp::mma && takes_size(form.takes) == size.valid() &&
         schedules_taken(form.takes) == schedules.size());
  return intern({.op = form.op,
                 .parameter = size,
                 .form = form.op == ScheduleOp::rounds ? &form : nullptr,
                 .operands = std::move(schedules)});
}
ScheduleId ScheduleStore::quoted(TreeId tree) { return intern({.op = ScheduleOp::quoted, .tree = tree}); }
ScheduleId ScheduleStore::split(IndexId first, ScheduleId a, ScheduleId b) {
  return intern({.op = ScheduleOp::split, .parameter = first, .operands = {a, b}});
}

ScheduleId ScheduleStore::then(ScheduleId stage, ScheduleId schedule) {
  assert(is_stage(nodes_[stage.index].op) && !is_stage(nodes_[schedule.index].op));
  if (nodes_[stage.index].op == ScheduleOp::stage_then) {
    const std::vector<ScheduleId> parts = nodes_[stage.index].operands;
    return then(parts[0], then(parts[1], schedule));
  }
  return intern({.op = ScheduleOp::then, .operands = {stage, schedule}});
}

ScheduleId ScheduleStore::tile(IndexId size, ScheduleId schedule) {
  return intern({.op = ScheduleOp::tile, .parameter = size, .operands = {schedule}});
}
ScheduleId ScheduleStore::lanes(IndexId count, ScheduleId schedule) {
  return intern({.op = ScheduleOp::lanes, .parameter = count, .operands = {schedule}});
}

ScheduleId ScheduleStore::arrange(const Arrangement& arrangement, ScheduleId schedule) {
  const auto found = std::find(arrangements_.begin(), arrangements_.end(), arrangement);
  const auto which = static_cast<std::uint32_t>(found - arrangements_.begin());
  if (found == arrangements_.end()) arrangements_.push_back(arrangement);
  return intern({.op = ScheduleOp::arrange, .arrangement = which, .operands = {schedule}});
}

ScheduleId ScheduleStore::stage_then(ScheduleId first, ScheduleId second) {
  assert(is_stage(nodes_[first.index].op) && is_stage(nodes_[second.index].op));
  if (nodes_[first.index].op == ScheduleOp::stage_then) {
    const std::vector<ScheduleId> parts = nodes_[first.index].operands;
    return stage_then(parts[0], stage_then(parts[1], second));
  }
  return intern({.op = ScheduleOp::stage_then, .operands = {first, second}});
}

ScheduleId ScheduleStore::length(VariableId variable, ScheduleId body) {
  const VariableId canonical{heights_[body.index]};
  if (variable != canonical) {
    IndexSubstitution rename;
    rename.variables[variable] = indices_.variable(canonical);
    body = substitute(body, rename);
  }
  return intern({.op = ScheduleOp::length, .variable = canonical, .operands = {body}});
}

ScheduleId ScheduleStore::conditional(IndexId condition, ScheduleId if_true, ScheduleId if_false) {
  if (auto known = indices_.as_constant(condition)) return *known ? if_true : if_false;
  return intern({.op = ScheduleOp::conditional, .parameter = condition, .operands = {if_true, if_false}});
}

ScheduleId ScheduleStore::reference(SymbolId symbol) {
  return intern({.op = ScheduleOp::reference, .symbol = symbol});
}

ScheduleId ScheduleStore::default_order() {
  const ScheduleId tree = simple(ScheduleOp::tree);
  return then(lanes(indices_.constant(128), tree), tree);
}

ScheduleId ScheduleStore::pinned(ScheduleId id, MachineLevel level) {
  ScheduleNode node = nodes_[id.index];
  switch (node.op) {
    case ScheduleOp::then:
    case ScheduleOp::stage_then:
    case ScheduleOp::length:
    case ScheduleOp::conditional:
      for (ScheduleId& part : node.operands) part = pinned(part, level);
      return intern(std::move(node));
    default: break;
  }
  if (node.level != MachineLevel::none) return id;
  node.level = level;
  return intern(std::move(node));
}

ScheduleId ScheduleStore::unpinned(ScheduleId id) {
  ScheduleNode node = nodes_[id.index];
  node.level = MachineLevel::none;
  for (ScheduleId& part : node.operands) part = unpinned(part);
  return intern(std::move(node));
}

const numerics::MmaUnit* TensorCores::unit() const {
  return operand && accumulator ? numerics::mma_unit(model, *operand, *accumulator) : nullptr;
}

ScheduleId ScheduleStore::with_tensor_cores(ScheduleId id, const std::function<TensorCores(TensorCores)>& other) {
  ScheduleNode node = nodes_[id.index];
  if (node.mma) node.mma = other(*node.mma);
  for (ScheduleId& part : node.operands) part = with_tensor_cores(part, other);
  return intern(std::move(node));
}

std::vector<ScheduleId> ScheduleStore::terms(ScheduleId id) const {
  std::set<ScheduleId> seen;
  std::vector<ScheduleId> out, pending{id};
  while (!pending.empty()) {
    const ScheduleId at = pending.back();
    pending.pop_back();
    if (!seen.insert(at).second) continue;
    out.push_back(at);
    const ScheduleNode& node = nodes_[at.index];
    pending.insert(pending.end(), node.operands.begin(), node.operands.end());
    if (node.op != ScheduleOp::reference) continue;
    if (auto defined = definition(node.symbol)) pending.push_back(*defined);
  }
  return out;
}

std::set<ScheduleOp> ScheduleStore::operations(ScheduleId id) const {
  std::set<ScheduleOp> out;
  for (ScheduleId term : terms(id)) out.insert(nodes_[term.index].op);
  return out;
}

std::set<MachineLevel> ScheduleStore::levels(ScheduleId id) const {
  std::set<MachineLevel> out;
  for (ScheduleId term : terms(id)) out.insert(nodes_[term.index].level);
  out.erase(MachineLevel::none);
  return out;
}

bool ScheduleStore::has_arithmetic(ScheduleId id) const {
  const std::set<ScheduleOp> all = operations(id);
  return std::any_of(all.begin(), all.end(), is_arithmetic);
}

bool ScheduleStore::absorbs_products(ScheduleId id) const {
  const std::set<ScheduleOp> all = operations(id);
  return all.contains(ScheduleOp::fused) || all.contains(ScheduleOp::mma);
}

std::optional<ScheduleId> ScheduleStore::definition(SymbolId symbol) const {
  auto found = definitions_.find(symbol);
  if (found == definitions_.end()) return std::nullopt;
  return found->second;
}

ScheduleId ScheduleStore::substitute(ScheduleId id, const IndexSubstitution& substitution) {
  if (substitution.empty()) return id;
  ScheduleNode node = nodes_[id.index];
  if (node.op == ScheduleOp::length && substitution.variables.contains(node.variable)) return id;  // bound here
  const IndexId parameter = node.parameter;
  if (node.parameter.valid()) node.parameter = indices_.substitute(parameter, substitution);
  for (ScheduleId& operand : node.operands) operand = substitute(operand, substitution);
  if (node.op == ScheduleOp::conditional) return conditional(node.parameter, node.operands[0], node.operands[1]);
  return intern(std::move(node));
}

ScheduleStore::Head ScheduleStore::head(ScheduleId id, std::int64_t n) {
  const std::uint64_t key = (static_cast<std::uint64_t>(id.index) << 40) ^ static_cast<std::uint64_t>(n);
  const bool cacheable = n >= 0 && n < (std::int64_t{1} << 40) && id.index < (1u << 24);
  if (cacheable) {
    if (auto found = heads_.find(key); found != heads_.end()) return {found->second, {}};
  }
  ScheduleId at = id;
  for (std::size_t steps = 0; steps <= max_steps_to_head; ++steps) {
    const ScheduleNode node = nodes_[at.index];
    if (node.op == ScheduleOp::length) {
      IndexSubstitution bind;
      bind.variables[node.variable] = indices_.constant(n);
      at = substitute(node.operands[0], bind);
      continue;
    }
    if (node.op == ScheduleOp::reference) {
      const auto definition_id = definition(node.symbol);
      if (!definition_id) return {at, ScheduleProblem{ScheduleProblem::Kind::no_value}};
      at = node.level == MachineLevel::none ? *definition_id : pinned(*definition_id, node.level);
      continue;
    }
    auto problem = head_problem(node, node.parameter.valid() ? indices_.as_constant(node.parameter) : std::nullopt, n);
    // The stage's own parameter is checked here, so that those who follow a `then` may rely on it.
    if (!problem && node.op == ScheduleOp::then) problem = head(node.operands[0], n).problem;
    if (!problem && cacheable) heads_[key] = at;
    return {at, problem};
  }
  return {at, ScheduleProblem{ScheduleProblem::Kind::endless}};
}

std::optional<ScheduleProblem> ScheduleStore::head_problem(const ScheduleNode& node,
                                                           std::optional<std::int64_t> parameter,
                                                           std::int64_t n) const {
  using Kind = ScheduleProblem::Kind;
  switch (node.op) {
    case ScheduleOp::conditional: return ScheduleProblem{Kind::no_value};  // it does not depend on the length alone
    case ScheduleOp::any:
    case ScheduleOp::any_tree:
    case ScheduleOp::any_seq: return ScheduleProblem{Kind::no_single_order};
    case ScheduleOp::quoted: {
      const std::int64_t leaves = trees_.leaf_count(node.tree);
      return leaves == n ? std::nullopt : std::optional(ScheduleProblem{Kind::quoted_length, leaves, n});
    }
    case ScheduleOp::arrange: {
      const Arrangement& arrangement = arrangement_of(node);
      if (arrangement.open || arrangement.size() == n) return std::nullopt;
      return ScheduleProblem{Kind::arranged_length, arrangement.size(), n};
    }
    case ScheduleOp::any_depth:
    case ScheduleOp::any_lanes:
    case ScheduleOp::split:
    case ScheduleOp::tile:
    case ScheduleOp::binned:
    case ScheduleOp::lanes: break;
    default: return std::nullopt;
  }
  if (!parameter) return ScheduleProblem{Kind::no_value};
  if (*parameter < 1) return ScheduleProblem{Kind::bad_size, *parameter};
  if (node.op == ScheduleOp::any_depth && *parameter < min_height(n)) {
    return ScheduleProblem{Kind::too_shallow, *parameter, n};
  }
  return is_limited_set(node.op) ? std::optional(ScheduleProblem{Kind::no_single_order}) : std::nullopt;
}

}  // namespace reckon::ir
