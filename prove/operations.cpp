// A reduction in stages is written as nested reductions wherever the lengths of the runs are known to divide, so that
// `by tile(m, A) then B` and two nested sums `by A` and `by B` become one circuit. Where both are `tree`, and the inner
// length is a power of two, the two are one `tree` over all leaves. Names of variables make no difference, since a module
// has one node for circuits that differ in nothing else.
#include "prove/operations.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <string_view>
#include <unordered_map>

#include "ir/op.h"
#include "prove/dimensions.h"
#include "prove/indices.h"
#include "prove/terms.h"

namespace reckon::ir {
namespace {

constexpr int max_rounds = 12;                  ///< of rewriting, each of which may make way for another
constexpr std::size_t max_new_nodes = 1 << 15;  ///< more than so many, and there is no proof
constexpr int max_depth = 1500;                 ///< of a circuit, since each level takes a frame of the stack
constexpr std::int64_t max_leaves = 64;         ///< of a reduction that is written out
constexpr std::int64_t max_tree = 1024;         ///< leaves of a schedule whose tree is compared with those of others

/// Whether the order of the first two operands makes no difference.
bool commutes(Op op) {
  return op == Op::add || op == Op::mul || op == Op::min || op == Op::max || op == Op::fma;
}

class OrderedForm {
 public:
  /// With `writes_out`, short reductions become operations.
  OrderedForm(Module& module, bool writes_out)
      : module_(module), terms_(module, {}), writes_out_(writes_out), max_nodes_(module.node_count() + max_new_nodes) {}

  /// Nothing if it would take too long.
  std::optional<NodeId> of(NodeId id) {
    for (int round = 0; round < max_rounds; ++round) {
      done_.clear();
      const NodeId next = rewritten(id);
      if (gave_up()) return std::nullopt;
      if (next == id) break;
      id = next;
    }
    done_.clear();
    const NodeId ordered = with_ordered_operands(id);
    return gave_up() ? std::nullopt : std::optional(ordered);
  }

 private:
  IndexStore& indices() { return module_.indices(); }
  ScheduleStore& schedules() { return module_.schedules(); }
  bool gave_up() const { return too_deep_ || module_.node_count() > max_nodes_; }

  /// Counts the levels of recursion that are open.
  struct Level {
    explicit Level(OrderedForm& of) : depth(of.depth_) { of.too_deep_ |= ++depth > max_depth; }
    ~Level() { --depth; }
    int& depth;
  };

  NodeId rewritten(NodeId id) {
    if (const auto found = done_.find(id); found != done_.end()) return found->second;
    const Level level(*this);
    if (gave_up()) return id;
    Node node = module_[id];
    // Compensated and exact sums, and those with fma, depend on what their leaves look like.
    const bool folds = node.op == Op::reduce || node.op == Op::scan;
    if (folds && schedules().has_arithmetic(module_.reduction_of(node).schedule)) return done_[id] = id;
    module_.open(node);
    for (IndexId& each : node.indices) each = normal::simplified(terms_, each);
    if (operands_inside(module_, node) > 0) {
      for (std::size_t k = 0; k < node.indices.size(); ++k) terms_.set_range(node.variables[k], node.indices[k]);
    }
    std::vector<NodeId> operands;
    for (const NodeId operand : node.operands) operands.push_back(rewritten(operand));
    return done_[id] = of_operands(node, std::move(operands));
  }

  NodeId of_operands(const Node& node, std::vector<NodeId> operands) {
    switch (node.op) {
      case Op::element: return element(node, operands[0]);
      case Op::get: {
        const Node& tuple = module_[operands[0]];
        return tuple.op == Op::tuple ? tuple.operands[node.attribute] : module_.get(operands[0], node.attribute);
      }
      case Op::map: {
        // A tensor, element by element, is the tensor.
        const Node& body = module_[operands[0]];
        if (body.op == Op::element && is_identity(node, body)) return body.operands[0];
        return module_.rebuild(node, std::move(operands));
      }
      case Op::reduce: return reduction(node, operands);
      case Op::scan: {
        // The prefixes have all lengths up to the extent.
        const ScheduleId any_length = schedules().unpinned(module_.reduction_of(node).schedule);
        return module_.rebuild(node, std::move(operands), without_stages_of_trees(any_length));
      }
      default: return module_.rebuild(node, std::move(operands));
    }
  }

  NodeId element(const Node& node, NodeId tensor) {
    const Node of = module_[tensor];
    if (of.op != Op::map) return module_.element(tensor, node.indices);
    Module::Substitution put_in;
    for (std::size_t k = 0; k < node.indices.size(); ++k) put_in.indices.variables[of.variables[k]] = node.indices[k];
    return module_.substitute(of.operands[0], put_in);
  }

  bool is_identity(const Node& map, const Node& element) {
    const Type& type = module_.type(element.operands[0]);
    if (element.indices.size() != map.variables.size()) return false;
    for (std::size_t k = 0; k < element.indices.size(); ++k) {
      if (element.indices[k] != indices().variable(map.variables[k])) return false;
      if (module_.depends_on(element.operands[0], map.variables[k])) return false;
      if (normal::simplified(terms_, type.extents[k]) != map.indices[k]) return false;
    }
    return true;
  }

  /// The schedule of a reduction (of `reduce`), as far as its length is known: without names, conditions and machine levels.
  ScheduleId resolved(const Node& fold) {
    ScheduleId id = schedules().unpinned(module_.reduction_of(fold).schedule);
    const IndexId extent = fold.indices[0];
    for (std::size_t steps = 0; steps < max_steps_to_head; ++steps) {
      const ScheduleNode node = schedules()[id];
      if (node.op == ScheduleOp::length) {
        IndexSubstitution bind;
        bind.variables[node.variable] = extent;
        id = schedules().substitute(node.operands[0], bind);
      } else if (node.op == ScheduleOp::reference) {
        const auto definition = schedules().definition(node.symbol);
        if (!definition) return id;
        id = schedules().unpinned(*definition);
      } else if (node.op == ScheduleOp::conditional) {
        const auto truth = indices().as_constant(normal::simplified(terms_, node.parameter));
        if (!truth) return id;
        id = node.operands[*truth != 0 ? 0 : 1];
      } else {
        break;
      }
    }
    const auto length = indices().as_constant(extent);
    id = without_stages_of_trees(id);
    return length ? by_tree(id, *length) : id;
  }

  /// Schedules with one tree for a length become one schedule.
  ScheduleId by_tree(ScheduleId id, std::int64_t length) {
    if (length < 1 || length > max_tree) return id;
    const auto own = schedules().expand(id, length);
    if (own.problem) return id;
    for (const ScheduleOp plain : {ScheduleOp::tree, ScheduleOp::seq}) {
      if (schedules().expand(schedules().plain(plain), length).tree == own.tree) return schedules().plain(plain);
    }
    return id;
  }

  /// `tile(2^k, tree) then tree` is `tree` for all lengths, the last run being short or not: both join neighbours, again
  /// and again. As `tile(2^k, tree) then (tile(m, tree) then S)` is `tile(2^k m, tree) then S`.
  ScheduleId without_stages_of_trees(ScheduleId id) {
    for (;;) {
      const ScheduleNode node = schedules()[id];
      const auto first = node.op == ScheduleOp::then ? run_of_tree(node.operands[0]) : std::nullopt;
      const auto length = first ? indices().as_constant(*first) : std::nullopt;
      if (!length || *length < 1 || !std::has_single_bit(static_cast<std::uint64_t>(*length))) return id;
      const ScheduleNode rest = schedules()[node.operands[1]];
      if (rest.op == ScheduleOp::tree) return node.operands[1];
      const auto second = rest.op == ScheduleOp::then ? run_of_tree(rest.operands[0]) : std::nullopt;
      if (!second) return id;
      const ScheduleId runs = schedules().tile(indices().multiply(*first, *second), schedules().plain(ScheduleOp::tree));
      id = schedules().then(runs, rest.operands[1]);
    }
  }
  std::optional<IndexId> run_of_tree(ScheduleId stage) {
    const ScheduleNode node = schedules()[stage];
    if (node.op != ScheduleOp::tile || schedules()[node.operands[0]].op != ScheduleOp::tree) return std::nullopt;
    return node.parameter;
  }

  NodeId reduction(const Node& node, std::vector<NodeId>& operands) {
    const ScheduleId schedule = resolved(node);
    Module::Fold fold = fold_of(node, operands, schedule);
    const auto length = indices().as_constant(fold.extent);
    if (length == 1) return leaf(fold, indices().constant(0));
    if (const auto out = length ? written_out(fold, *length) : std::nullopt) return *out;
    if (const auto out = nested(fold)) return *out;
    if (const auto out = joined(fold)) return *out;
    return module_.reduce(fold);
  }

  Module::Fold fold_of(const Node& node, const std::vector<NodeId>& operands, ScheduleId schedule) {
    const Reduction of = module_.reduction_of(node);
    Module::Fold fold;
    fold.variable = node.variables[0];
    fold.extent = node.indices[0];
    fold.body = operands[0];
    fold.operation = of.operation;
    fold.schedule = schedule;
    if (of.user) {
      fold.user_operation = operands[1];
      fold.left = node.variables[1];
      fold.right = node.variables[2];
    }
    if (of.has_otherwise) fold.otherwise = operands.back();
    return fold;
  }

  NodeId leaf(const Module::Fold& fold, IndexId place) {
    Module::Substitution put_in;
    put_in.indices.variables[fold.variable] = place;
    return module_.substitute(fold.body, put_in);
  }

  std::optional<NodeId> written_out(const Module::Fold& fold, std::int64_t length) {
    const bool applies = fold.user_operation.valid() || module_.type(fold.body).kind == TypeKind::scalar;
    if (!writes_out_ || !applies || length < 1 || length > max_leaves) return std::nullopt;
    const auto order = schedules().expand(fold.schedule, length);
    if (order.problem) return std::nullopt;
    return joined_by(fold, order.tree);
  }
  NodeId joined_by(const Module::Fold& fold, TreeId tree) {
    if (gave_up()) return fold.body;
    const TreeNode node = schedules().trees()[tree];
    if (node.leaf >= 0) return leaf(fold, indices().constant(node.leaf));
    const NodeId left = joined_by(fold, node.left), right = joined_by(fold, node.right);
    if (!fold.user_operation.valid()) return module_.apply(fold.operation, {left, right});
    Module::Substitution put_in;
    put_in.operands[fold.left] = left;
    put_in.operands[fold.right] = right;
    return module_.substitute(fold.user_operation, put_in);
  }

  /// a / b, if b divides a for all sizes.
  std::optional<IndexId> quotient(IndexId a, IndexId b) {
    if (indices().as_constant(b) == 0) return std::nullopt;
    const IndexId out = normal::simplified(terms_, indices().floor_div(a, b));
    return indices().multiply(out, b) == normal::simplified(terms_, a) ? std::optional(out) : std::nullopt;
  }

  /// The first stage as the inner one of two reductions, if all of its runs, or lanes, have one length.
  std::optional<NodeId> nested(const Module::Fold& fold) {
    const ScheduleNode order = schedules()[fold.schedule];
    if (order.op != ScheduleOp::then) return std::nullopt;
    const ScheduleNode stage = schedules()[order.operands[0]];
    const bool tiles = stage.op == ScheduleOp::tile;
    // Without leaves, there are no runs, and yet all lanes.
    if (!tiles && (stage.op != ScheduleOp::lanes || fold.otherwise.valid())) return std::nullopt;
    const IndexId size = normal::simplified(terms_, stage.parameter);
    const auto other = quotient(fold.extent, size);
    if (!other) return std::nullopt;
    Module::Fold inner = fold, outer = fold;
    inner.variable = module_.fresh_variable();
    outer.variable = module_.fresh_variable();
    inner.extent = tiles ? size : *other;
    outer.extent = tiles ? *other : size;
    inner.schedule = stage.operands[0];
    outer.schedule = order.operands[1];
    inner.otherwise = {};
    terms_.set_range(inner.variable, inner.extent);
    terms_.set_range(outer.variable, outer.extent);
    const IndexId within = indices().variable(inner.variable), which = indices().variable(outer.variable);
    inner.body = leaf(fold, tiles ? indices().add(indices().multiply(which, size), within)
                                  : indices().add(indices().multiply(within, size), which));
    outer.body = module_.reduce(inner);
    return module_.reduce(outer);
  }

  /// A `tree` of runs by `tree`, each of a power of two leaves, as one.
  std::optional<NodeId> joined(const Module::Fold& outer) {
    Node node = module_[outer.body];
    if (node.op != Op::reduce || schedules()[outer.schedule].op != ScheduleOp::tree) return std::nullopt;
    const Reduction of = module_.reduction_of(node);
    const auto length = indices().as_constant(node.indices[0]);
    const bool fits = length && *length > 1 && std::has_single_bit(static_cast<std::uint64_t>(*length));
    if (!fits || schedules()[of.schedule].op != ScheduleOp::tree || !same_operation(outer, node)) return std::nullopt;
    module_.open(node);
    Module::Fold all = outer;
    all.variable = module_.fresh_variable();
    all.extent = indices().multiply(outer.extent, node.indices[0]);
    terms_.set_range(all.variable, all.extent);
    const IndexId place = indices().variable(all.variable);
    Module::Substitution put_in;
    put_in.indices.variables[outer.variable] = indices().floor_div(place, node.indices[0]);
    put_in.indices.variables[node.variables[0]] = indices().floor_mod(place, node.indices[0]);
    all.body = module_.substitute(node.operands[0], put_in);
    return module_.reduce(all);
  }

  bool same_operation(const Module::Fold& outer, const Node& inner) {
    const Reduction of = module_.reduction_of(inner);
    if (of.user != outer.user_operation.valid()) return false;
    if (!of.user) return of.operation == outer.operation;
    Module::Substitution rename;
    const TypeId type = module_[inner.operands[0]].type;
    rename.operands[inner.variables[1]] = module_.operand(outer.left, type);
    rename.operands[inner.variables[2]] = module_.operand(outer.right, type);
    return module_.substitute(inner.operands[1], rename) == outer.user_operation;
  }

  /// Equal circuits have equal nodes also inside binders, which stay closed here, so the order of nodes orders operands.
  NodeId with_ordered_operands(NodeId id) {
    if (const auto found = done_.find(id); found != done_.end()) return found->second;
    const Level level(*this);
    if (gave_up()) return id;
    const Node node = module_[id];
    const bool folds = node.op == Op::reduce || node.op == Op::scan;
    if (folds && schedules().has_arithmetic(module_.reduction_of(node).schedule)) return done_[id] = id;
    std::vector<NodeId> operands;
    for (const NodeId operand : node.operands) operands.push_back(with_ordered_operands(operand));
    if (commutes(node.op)) std::sort(operands.begin(), operands.begin() + 2, [](NodeId a, NodeId b) { return a.index < b.index; });
    const NodeId out = operands == node.operands ? id : module_.rebuild(node, std::move(operands));
    return done_[id] = out;
  }

  Module& module_;
  normal::Terms terms_;
  bool writes_out_;
  std::size_t max_nodes_;
  int depth_ = 0;
  bool too_deep_ = false;
  std::unordered_map<NodeId, NodeId> done_;
};

constexpr std::size_t longest_text = 1 << 16;  ///< of operations

class OperationsText {
 public:
  OperationsText(const Module& module, const std::vector<std::string>& parameters)
      : module_(module), parameters_(parameters) {}

  std::optional<std::string> of(NodeId id) {
    if (const auto found = done_.find(id); found != done_.end()) return found->second;
    const Node& node = module_[id];
    std::vector<std::string> operands;
    const bool is_element = node.op == Op::element && module_[node.operands[0]].op == Op::parameter;
    if (!is_element && node.op != Op::element && !is_leaf(node.op) && !is_scalar_operation(node.op)) return {};
    if (node.op == Op::element && !is_element) return {};
    for (const NodeId each : is_element ? std::vector<NodeId>{} : node.operands) {
      auto text = of(each);
      if (!text) return {};
      operands.push_back(std::move(*text));
    }
    if (commutes(node.op)) std::sort(operands.begin(), operands.begin() + 2);
    std::string out = text(node, operands);
    if (out.size() > longest_text) return {};
    return done_[id] = out;
  }

 private:
  static bool is_leaf(Op op) {
    return op == Op::literal || op == Op::parameter || op == Op::index_value || op == Op::index_condition;
  }
  std::string text(const Node& node, const std::vector<std::string>& operands) const {
    switch (node.op) {
      case Op::parameter: return parameters_[node.attribute];
      case Op::literal: return "literal " + std::to_string(node.attribute);
      case Op::index_value:
      case Op::index_condition: return index_text(module_, node.indices[0]);
      case Op::element: return parameters_[module_[node.operands[0]].attribute] + "[" + list(node.indices) + "]";
      case Op::add: return "(" + operands[0] + " + " + operands[1] + ")";
      case Op::mul: return "(" + operands[0] + " * " + operands[1] + ")";
      case Op::sub: return "(" + operands[0] + " - " + operands[1] + ")";
      default: break;
    }
    std::string out = node.op == Op::convert ? type_text(module_, node.type) : std::string(traits(node.op).spelling);
    for (std::size_t k = 0; k < operands.size(); ++k) out += (k == 0 ? "(" : ", ") + operands[k];
    return out + ")";
  }
  std::string list(const std::vector<IndexId>& indices) const {
    std::string out;
    for (const IndexId each : indices) out += (out.empty() ? "" : ", ") + index_text(module_, each);
    return out;
  }

  const Module& module_;
  const std::vector<std::string>& parameters_;
  std::unordered_map<NodeId, std::string> done_;
};

bool has_word(std::string_view text, std::string_view word) {
  const auto continues = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    if (!continues(at + word.size()) && (at == 0 || !continues(at - 1))) return true;
  }
  return false;
}

/// Whether an index expression or a schedule of the circuit mentions the dimension; the types of its tensors may.
bool mentions_dimension(const Module& module, NodeId body, SymbolId dimension) {
  std::vector<NodeId> left{body};
  std::unordered_map<NodeId, bool> seen;
  while (!left.empty()) {
    const NodeId id = left.back();
    left.pop_back();
    if (!seen.try_emplace(id, true).second) continue;
    const Node& node = module[id];
    std::vector<SymbolId> dimensions;
    for (const IndexId each : node.indices) module.indices().dimensions(each, dimensions);
    if (std::ranges::find(dimensions, dimension) != dimensions.end()) return true;
    const bool folds = node.op == Op::reduce || node.op == Op::scan;
    // A name in a schedule's text is enough to doubt it.
    if (folds && has_word(schedule_text(module, module.reduction_of(node).schedule), module.name(dimension)))
      return true;
    left.insert(left.end(), node.operands.begin(), node.operands.end());
  }
  return false;
}

}  // namespace

std::optional<std::string> operations_text(Module& module, NodeId scalar, const std::vector<std::string>& parameters) {
  OrderedForm form(module, true);
  const auto ordered = form.of(scalar);
  return ordered ? OperationsText(module, parameters).of(*ordered) : std::nullopt;
}

bool operations_without(Module& module, const Function& function, SymbolId dimension) {
  const Type type = module.types()[function.result];
  if (type.kind == TypeKind::tuple) return false;
  NodeId element = function.body;
  if (type.kind != TypeKind::scalar) {
    std::vector<IndexId> place;
    for (std::size_t k = 0; k < type.extents.size(); ++k)
      place.push_back(module.indices().variable(module.fresh_variable()));
    const Node node = module[function.body];
    if (node.op != Op::map) return false;
    Node opened = node;
    module.open(opened);
    Module::Substitution put_in;
    for (std::size_t k = 0; k < place.size(); ++k) put_in.indices.variables[opened.variables[k]] = place[k];
    element = module.substitute(opened.operands[0], put_in);
  }
  OrderedForm form(module, false);
  const auto ordered = form.of(element);
  return ordered && !mentions_dimension(module, *ordered, dimension);
}

bool same_operations(Module& module, const Function& left, const Function& right) {
  const auto renamed = normal::in_dimensions_of(module, left, right);
  if (!renamed) return false;
  if (left.body == renamed->body) return true;
  for (const bool writes_out : {false, true}) {
    OrderedForm form(module, writes_out);
    const auto a = form.of(left.body);
    const auto b = a ? form.of(renamed->body) : std::nullopt;
    if (a && b && *a == *b) return true;
  }
  return false;
}

}  // namespace reckon::ir
