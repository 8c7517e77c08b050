#include "codegen/plan.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <set>

#include "codegen/kernel_order.h"
#include "diagnostics/codes/not_compilable.h"
#include "ir/op.h"
#include "ir/parts.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::Node;
using ir::NodeId;
using ir::Op;
using ir::TypeKind;
using ir::VariableId;

class Planner {
 public:
  Planner(ir::Module& module, const ir::Function& function) : module_(module), function_(function) {}

  Expected<Planned> run() {
    plan().dimensions = function_.dimensions;
    planned_.clauses = function_.kernel;
    for (std::size_t k = 0; k < function_.parameters.size(); ++k) {
      const ir::Type type = module_.types()[function_.parameters[k].type];
      if (type.kind == TypeKind::tuple) {
        return Diagnostic(code::not_compilable, function_.parameters[k].span,
                          "a parameter that is a tuple cannot be compiled yet; the interpreter has it");
      }
      add_buffer({Buffer::Role::parameter, type.scalar, type.extents, static_cast<std::uint32_t>(k), {}});
      plan().buffers.back().storage = function_.parameters[k].storage;
    }
    collect_results(function_.body);
    for (std::uint32_t k = 0; k < results_.size(); ++k) wanted_.try_emplace(results_[k], k);
    for (std::uint32_t k = 0; k < results_.size(); ++k) plan_result(k);
    if (error_) return *error_;
    for (Entry& entry : levels_[0]) {
      plan().kernels.push_back(std::move(entry.kernel));
      planned_.bodies.push_back(std::move(entry.body));
    }
    if (reads_later_) order_kernels(module_, planned_);
    return std::move(planned_);
  }

 private:
  /// The binders around a node: first those of the kernel's index space, then its loops.
  struct Nest {
    std::vector<Binder> binders;
    std::size_t kernel = 0;
  };

  struct Entry {
    Kernel kernel;
    KernelBody body;
  };
  /// A loop that is being planned.
  struct Active {
    std::uint32_t number = 0;                   ///< in the plan
    std::uint32_t first_state = 0, states = 0;  ///< buffers that its rounds read as parameters
  };

  Plan& plan() { return planned_.plan; }

  std::uint32_t add_buffer(Buffer buffer) {
    plan().buffers.push_back(std::move(buffer));
    return static_cast<std::uint32_t>(plan().buffers.size() - 1);
  }

  Buffer result_buffer(std::uint32_t position, ir::Scalar scalar, const std::vector<IndexId>& extents) const {
    Buffer buffer{Buffer::Role::result, scalar, extents, position, {}};
    if (position < function_.result_storage.size()) buffer.storage = function_.result_storage[position];
    return buffer;
  }

  void collect_results(NodeId id) {
    const ir::Type& type = module_.type(id);
    if (type.kind != TypeKind::tuple) {
      results_.push_back(id);
      return;
    }
    const std::size_t parts = type.parts.size();
    for (std::uint32_t part = 0; part < parts; ++part) collect_results(module_.get(id, part));
  }

  void plan_result(std::uint32_t position) {
    const NodeId id = results_[position];
    if (is_placeable(id) && !planned_.places.contains({id, {}})) place(id, {});
    if (is_placeable(id) && filled_.contains(position)) return;
    if (const NodeId whole = whole_of(id); whole != id && is_placeable(whole)) {
      if (!planned_.places.contains({whole, {}})) place(whole, {});
      if (filled_.contains(position)) return;
    }
    // A scalar expression, or a copy of something that has a buffer of another role.
    const ir::Type type = module_.type(id);
    KernelBody body{KernelBody::Kind::elements, id, {}, false};
    if (type.kind == TypeKind::tensor) {
      std::vector<IndexId> subscripts;
      for (IndexId extent : type.extents) {
        const VariableId variable = module_.fresh_variable();
        body.space.push_back({variable, extent});
        subscripts.push_back(module_.indices().variable(variable));
      }
      body.node = module_.element(id, std::move(subscripts));
    }
    walk(body.node, {body.space, body.space.size()});
    add_kernel(0, std::move(body), add_buffer(result_buffer(position, type.scalar, type.extents)), 1);
    filled_.insert(position);
  }

  /// The reduction or scan that a `get` takes a part of; any other node itself.
  NodeId whole_of(NodeId id) const { return module_[id].op == Op::get ? module_[id].operands[0] : id; }

  bool is_placeable(NodeId id) const {
    const Op op = module_[id].op;
    return op == Op::map || op == Op::reduce || op == Op::scan || op == Op::array;
  }

  bool is_literal_array(NodeId id) const {
    const Node& node = module_[id];
    return std::all_of(node.operands.begin(), node.operands.end(),
                       [&](NodeId element) { return module_[element].op == Op::literal; });
  }

  /// The function's name and a number, in letters that PTX and assemblers take.
  std::string kernel_name() {
    std::string name(module_.name(function_.name));
    for (char& letter : name) {
      const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                         (letter >= '0' && letter <= '9') || letter == '_';
      if (!plain) letter = '_';
    }
    return "reckon_" + name + "_" + std::to_string(kernel_count_++);
  }

  /// Adds a kernel to the loop of this depth, or to the kernels before all loops.
  void add_kernel(std::size_t depth, KernelBody body, std::uint32_t output, std::uint32_t outputs) {
    Kernel kernel;
    kernel.name = kernel_name();
    kernel.output = output;
    kernel.outputs = outputs;
    if (depth > 0) kernel.loop = active_[depth - 1].number;
    const bool whole_scans = body.kind == KernelBody::Kind::scan && body.running;
    if (whole_scans) {
      kernel.items = extents_of(body.space);
    } else {
      kernel.items = plan().buffers[output].extents;
    }
    levels_[depth].push_back({std::move(kernel), std::move(body)});
  }

  /// How many of the active loops are around whatever depends on the node: the depth of the innermost one whose state
  /// or round it depends on.
  std::size_t depth_of(NodeId root) {
    if (active_.empty()) return 0;
    std::size_t depth = 0;
    ir::visit_nodes(module_, {root}, [&](NodeId id) {
      const Node& node = module_[id];
      if (node.op == Op::parameter) depth = std::max(depth, depth_of_state(node.attribute));
      for (const IndexId index : node.indices) depth = std::max(depth, depth_of_index(index));
    });
    return depth;
  }
  std::size_t depth_of_state(std::uint32_t buffer) const {
    for (std::size_t depth = active_.size(); depth > 0; --depth) {
      const Active& loop = active_[depth - 1];
      if (buffer >= loop.first_state && buffer - loop.first_state < loop.states) return depth;
    }
    return 0;
  }
  std::size_t depth_of_index(IndexId index) const {
    std::vector<ir::SymbolId> dimensions;
    module_.indices().dimensions(index, dimensions);
    for (std::size_t depth = active_.size(); depth > 0; --depth) {
      const ir::SymbolId round = planned_.plan.loops[active_[depth - 1].number].round;
      if (std::ranges::find(dimensions, round) != dimensions.end()) return depth;
    }
    return 0;
  }

  /// The numbers of a part of a state at the binders around the loop, as a kernel's own space.
  struct Elements {
    std::vector<Binder> space;
    std::vector<IndexId> subscripts;  ///< of the part alone
  };
  Elements elements_of(const std::vector<Binder>& around, const std::vector<IndexId>& extents) {
    Elements out{around, {}};
    for (const IndexId extent : extents) {
      const VariableId variable = module_.fresh_variable();
      out.space.push_back({variable, extent});
      out.subscripts.push_back(module_.indices().variable(variable));
    }
    return out;
  }

  /// A name for the number of the next loop's round that no dimension has.
  ir::SymbolId name_of_round() {
    std::string name = "round_" + std::to_string(plan().loops.size()) + "_of_loop";
    while (std::ranges::find(function_.dimensions, module_.symbol(name)) != function_.dimensions.end()) name += "_";
    return module_.symbol(name);
  }

  /// A kernel of the loop at this depth that writes a part of a state.
  void add_state_kernel(std::size_t depth, const std::vector<Binder>& around, NodeId part, std::uint32_t output) {
    if (const auto found = next_states_.find(part); found != next_states_.end() && found->second == output) {
      place(part, {});
      if (planned_.places.at({part, {}}).buffer == output) return;
    }
    Elements elements = elements_of(around, module_.type(part).extents);
    KernelBody body{KernelBody::Kind::elements, part, std::move(elements.space), false};
    if (!elements.subscripts.empty()) body.node = module_.element(part, std::move(elements.subscripts));
    walk(body.node, {body.space, body.space.size()});
    add_kernel(depth, std::move(body), output, 1);
  }

  /// Two buffers for each part of the state, kernels that write the start into the first one, and a loop of kernels
  /// that write the next state into the second one. A loop that depends on the binders `around` has a state for each of
  /// their points, and goes on with all of them at once.
  void place_loop(NodeId id, const std::vector<Binder>& around) {
    const Occurrence occurrence = occurrence_of(id, around);
    if (error_ || planned_.places.contains(occurrence)) return;
    const Node node = module_[id];
    if (!rectangular(node.indices[0])) return fail(id, "a loop whose number of rounds depends on an index");
    const std::size_t depth = depth_of(id);
    // The loops within which it stands, but on which it does not depend, wait until it is done.
    std::vector<Active> waiting(active_.begin() + static_cast<std::ptrdiff_t>(depth), active_.end());
    active_.resize(depth);
    std::vector<std::vector<Entry>> waiting_levels;
    std::ranges::move(levels_.begin() + static_cast<std::ptrdiff_t>(depth) + 1, levels_.end(),
                      std::back_inserter(waiting_levels));
    levels_.resize(depth + 1);

    const std::vector<NodeId> start = ir::parts_of(module_, node.operands[1]);
    std::vector<VariableId> around_variables;
    std::vector<IndexId> around_extents, around_subscripts;
    for (const Binder& binder : around) {
      around_variables.push_back(binder.variable);
      around_extents.push_back(binder.extent);
      around_subscripts.push_back(module_.indices().variable(binder.variable));
    }
    const auto first = static_cast<std::uint32_t>(plan().buffers.size());
    const auto count = static_cast<std::uint32_t>(start.size());
    for (std::uint32_t k = 0; k < 2 * count; ++k) {
      const ir::Type type = module_.type(start[k % count]);
      std::vector<IndexId> extents = around_extents;
      extents.insert(extents.end(), type.extents.begin(), type.extents.end());
      add_buffer({Buffer::Role::state, type.scalar, std::move(extents), 0, {}});
    }
    for (std::uint32_t k = 0; k < count; ++k) add_state_kernel(depth, around, start[k], first + k);

    Loop loop;
    if (depth > 0) loop.around = active_[depth - 1].number;
    loop.rounds = node.indices[0];
    loop.round = name_of_round();
    ir::Module::Substitution of_round;
    of_round.indices.variables[node.variables[0]] = module_.indices().dimension(loop.round);
    std::vector<NodeId> state;
    for (std::uint32_t k = 0; k < count; ++k) {
      const Buffer& buffer = plan().buffers[first + k];
      const NodeId whole = module_.parameter(first + k, module_.types().tensor(buffer.scalar, buffer.extents));
      Elements elements = elements_of({}, module_.type(start[k]).extents);
      std::vector<IndexId> subscripts = around_subscripts;
      subscripts.insert(subscripts.end(), elements.subscripts.begin(), elements.subscripts.end());
      if (around.empty() || elements.subscripts.empty()) {
        state.push_back(around.empty() ? whole : module_.element(whole, std::move(subscripts)));
        continue;
      }
      std::vector<VariableId> variables;
      std::vector<IndexId> extents;
      for (const Binder& binder : elements.space) {
        variables.push_back(binder.variable);
        extents.push_back(binder.extent);
      }
      state.push_back(module_.map(std::move(variables), std::move(extents), module_.element(whole, subscripts)));
    }
    of_round.operands[node.variables[1]] =
        module_.type(id).kind == TypeKind::tuple ? module_.tuple(std::move(state)) : state[0];
    for (std::uint32_t k = 0; k < count; ++k) loop.exchanged.emplace_back(first + k, first + count + k);
    active_.push_back({static_cast<std::uint32_t>(plan().loops.size()), first, count});
    plan().loops.push_back(std::move(loop));
    levels_.emplace_back();
    const std::vector<NodeId> next = ir::parts_of(module_, module_.substitute(node.operands[0], of_round));
    for (std::uint32_t k = 0; k < count; ++k) {
      // What is only a start, or only the state of another loop, is not computed here.
      if (around.empty() && is_placeable(next[k]) && depth_of(next[k]) == depth + 1) {
        next_states_.try_emplace(next[k], first + count + k);
      }
    }
    for (std::uint32_t k = 0; k < count; ++k) add_state_kernel(depth + 1, around, next[k], first + count + k);
    std::ranges::move(levels_.back(), std::back_inserter(levels_[depth]));
    levels_.pop_back();
    active_.pop_back();

    active_.insert(active_.end(), waiting.begin(), waiting.end());
    std::ranges::move(waiting_levels, std::back_inserter(levels_));
    planned_.places[occurrence] = {first, around_variables};
    if (module_.type(id).kind != TypeKind::tuple) return;
    for (std::uint32_t k = 0; k < count; ++k) {
      planned_.places[occurrence_of(module_.get(id, k), around)] = {first + k, around_variables};
    }
  }

  /// Gives a node buffers and a kernel of its own, over the binders of its free variables.
  void place(NodeId id, const std::vector<Binder>& space) {
    const Occurrence occurrence = occurrence_of(id, space);
    if (planned_.places.contains(occurrence)) return;
    const Node node = module_[id];
    if (node.op == Op::source || (node.op == Op::array && is_literal_array(id))) {
      const ir::Type type = module_.type(id);
      if (node.op == Op::source && module_.source_of(id).seed.valid() && !rectangular(module_.source_of(id).seed)) {
        fail(id, "a source whose seed depends on an index");
        return;
      }
      planned_.places[occurrence] = {add_buffer({Buffer::Role::constant, type.scalar, type.extents, 0, id}), {}};
      return;
    }

    KernelBody body{KernelBody::Kind::elements, id, space, false};
    switch (node.op) {
      case Op::map: {
        body.node = node.operands[0];
        for (std::size_t k = 0; k < node.variables.size(); ++k) {
          body.space.push_back({node.variables[k], node.indices[k]});
        }
        walk(body.node, {body.space, body.space.size()});
        break;
      }
      case Op::reduce:
      case Op::scan: {
        body.kind = node.op == Op::reduce ? KernelBody::Kind::fold : KernelBody::Kind::scan;
        body.running = node.op == Op::scan && is_running_order(module_, module_.reduction_of(id).schedule);
        walk_inside(id, {space, space.size()});
        break;
      }
      default:
        body.kind = KernelBody::Kind::array;
        for (NodeId element : node.operands) walk(element, {space, space.size()});
        break;
    }
    allocate(id, occurrence, std::move(body));
  }

  void allocate(NodeId id, const Occurrence& occurrence, KernelBody body) {
    const std::vector<ir::Scalar> scalars = scalars_of(module_, module_[id].type);
    std::vector<IndexId> extents;
    Place place;
    const bool own_space = body.kind == KernelBody::Kind::elements;  // a map's: no free variables
    if (!own_space) {
      for (const Binder& binder : body.space) {
        extents.push_back(binder.extent);
        place.variables.push_back(binder.variable);
      }
    }
    ir::Type type = module_.type(id);
    if (type.kind == TypeKind::tuple) type = module_.types()[type.parts[0]];
    extents.insert(extents.end(), type.extents.begin(), type.extents.end());

    // A result that is this node, or whose parts in order are this node's, is written directly.
    std::optional<std::uint32_t> position;
    if (occurrence.extents.empty()) {
      if (module_.type(id).kind != TypeKind::tuple) {
        if (auto found = wanted_.find(id); found != wanted_.end()) position = found->second;
      } else if (auto found = wanted_.find(module_.get(id, 0)); found != wanted_.end()) {
        position = found->second;
        for (std::uint32_t part = 0; part < scalars.size(); ++part) {
          if (*position + part >= results_.size() || part >= module_.type(id).parts.size() ||
              results_[*position + part] != module_.get(id, part)) {
            position.reset();
            break;
          }
        }
      }
    }
    if (const auto next = next_states_.find(id); next != next_states_.end() && occurrence.extents.empty()) {
      place.buffer = next->second;
      add_kernel(depth_of(id), std::move(body), place.buffer, 1);
      planned_.places[occurrence] = std::move(place);
      return;
    }
    const bool is_result = position.has_value();
    const std::uint32_t first = position.value_or(0);
    for (std::uint32_t part = 0; part < scalars.size(); ++part) {
      Buffer buffer{Buffer::Role::intermediate, scalars[part], extents, 0, {}};
      if (is_result) {
        buffer = result_buffer(first + part, scalars[part], extents);
        filled_.insert(buffer.position);
      }
      const std::uint32_t added = add_buffer(std::move(buffer));
      if (part == 0) place.buffer = added;
    }
    add_kernel(depth_of(id), std::move(body), place.buffer, static_cast<std::uint32_t>(scalars.size()));
    planned_.places[occurrence] = std::move(place);
  }

  Occurrence occurrence_of(NodeId id, const std::vector<Binder>& binders) const {
    Occurrence out{id, {}};
    for (VariableId variable : module_.free_variables(id)) {
      auto found = std::find_if(binders.rbegin(), binders.rend(),
                                [&](const Binder& binder) { return binder.variable == variable; });
      if (found != binders.rend()) out.extents.push_back(found->extent);
    }
    return out;
  }

  bool rectangular(IndexId extent) const {
    return module_.indices().variables(extent).empty() && depth_of_index(extent) == 0;
  }

  /// Which binders of the nest bind the node's free variables; nothing if one of these is an operand of a user's
  /// operation.
  std::optional<std::vector<bool>> binders_of(NodeId id, const Nest& nest) const {
    std::vector<bool> used(nest.binders.size(), false);
    for (VariableId variable : module_.free_variables(id)) {
      std::size_t k = nest.binders.size();
      while (k > 0 && nest.binders[k - 1].variable != variable) --k;
      if (k == 0) return std::nullopt;
      used[k - 1] = true;
    }
    return used;
  }

  /// These binders as the space of a buffer; nothing if the extent of one of them depends on an index.
  std::optional<std::vector<Binder>> space_of(const std::vector<bool>& used, const Nest& nest) const {
    std::vector<Binder> space;
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (!used[k]) continue;
      if (!rectangular(nest.binders[k].extent)) return std::nullopt;
      space.push_back(nest.binders[k]);
    }
    return space;
  }

  /// The binders of a node's free variables in the order of the nest, if the node is worth a buffer of its own.
  std::optional<std::vector<Binder>> worth_placing(NodeId id, const Nest& nest) const {
    const auto binders = binders_of(id, nest);
    auto space = binders ? space_of(*binders, nest) : std::nullopt;
    // A scan whose length depends on an index, or on the round of a loop, has no buffer.
    if (space && module_[id].op == Op::scan) return rectangular(module_[id].indices[0]) ? space : std::nullopt;
    if (!space || space->empty()) return space;
    const std::vector<bool>& used = *binders;
    const auto in_kernel = static_cast<std::size_t>(
        std::count(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(nest.kernel), true));
    if (in_kernel != nest.kernel) return space;
    // If the loops that it does not depend on are the inner ones, it is computed once before them, and needs no buffer.
    const auto loops = used.begin() + static_cast<std::ptrdiff_t>(nest.kernel);
    if (std::is_partitioned(loops, used.end(), [](bool value) { return value; })) return std::nullopt;
    return space;
  }

  void walk_inside(NodeId id, const Nest& nest) {
    const Node node = module_[id];
    Nest inner = nest;
    inner.binders.push_back({node.variables[0], node.indices[0]});
    walk(node.operands[0], inner);
    for (std::size_t k = 1; k < node.operands.size(); ++k) walk(node.operands[k], nest);
  }

  /// Plans what the circuit `root`, which stands inside `nest`, needs.
  void walk(NodeId root, const Nest& nest) {
    std::set<NodeId> seen;
    std::vector<NodeId> pending{root};
    while (!pending.empty() && !error_) {
      const NodeId id = pending.back();
      pending.pop_back();
      if (!seen.insert(id).second) continue;
      const Node node = module_[id];
      switch (node.op) {
        case Op::map:
        case Op::source:
          if (module_.free_variables(id).empty()) place(id, {});
          else fail(id, "a tensor that depends on an index");
          break;
        case Op::array:
          if (module_.free_variables(id).empty()) {
            place(id, {});
          } else {
            pending.insert(pending.end(), node.operands.begin(), node.operands.end());
          }
          break;
        case Op::reduce:
        case Op::scan:
          if (auto space = worth_placing(id, nest)) {
            reads_later_ |= inside_.contains(id) && !planned_.places.contains(occurrence_of(id, *space));
            place(id, *space);
          } else {
            inside_.insert(id);
            walk_inside(id, nest);
          }
          break;
        case Op::loop: {
          const auto binders = binders_of(id, nest);
          const auto space = binders ? space_of(*binders, nest) : std::nullopt;
          if (space) place_loop(id, *space);
          else if (binders) fail(id, "a loop under an index whose range depends on another index");
          else fail(id, "a loop within an operation that combines numbers");
          break;
        }
        default: pending.insert(pending.end(), node.operands.rbegin(), node.operands.rend()); break;
      }
    }
  }

  void fail(NodeId id, const std::string& what) {
    if (error_) return;
    error_ =
        Diagnostic(code::not_compilable, module_.span(id), what + " cannot be compiled yet; the interpreter has it");
  }

  ir::Module& module_;
  const ir::Function& function_;
  Planned planned_;
  std::vector<NodeId> results_;
  std::map<NodeId, std::uint32_t> wanted_;  ///< results by node, the first position of each
  std::set<std::uint32_t> filled_;          ///< result positions that have a buffer
  std::optional<Diagnostic> error_;
  std::vector<Active> active_;                 ///< outermost first
  std::vector<std::vector<Entry>> levels_{1};  ///< the kernels of each active loop so far, after those before all loops
  std::map<NodeId, std::uint32_t> next_states_;  ///< buffers of parts of next states that have a kernel of their own
  std::size_t kernel_count_ = 0;
  std::set<NodeId> inside_;   ///< what a kernel computes by itself, unless it gets a buffer later
  bool reads_later_ = false;  ///< and some of it did
};

void add_scalars(const ir::Module& module, ir::TypeId id, std::vector<ir::Scalar>& out) {
  const ir::Type& type = module.types()[id];
  if (type.kind != TypeKind::tuple) {
    out.push_back(type.scalar);
    return;
  }
  for (ir::TypeId part : type.parts) add_scalars(module, part, out);
}

}  // namespace

bool is_running_order(const ir::Module& module, ir::ScheduleId schedule) {
  using ir::ScheduleOp;
  const ir::ScheduleStore& schedules = module.schedules();
  const auto is_simple = [&](ir::ScheduleId id) {
    const ScheduleOp op = schedules[id].op;
    return op == ScheduleOp::seq || op == ScheduleOp::tree || op == ScheduleOp::blelloch;
  };
  const ir::ScheduleNode& node = schedules[schedule];
  if (node.op != ScheduleOp::then) return is_simple(schedule);
  const ir::ScheduleNode& stage = schedules[node.operands[0]];
  return stage.op == ScheduleOp::tile && module.indices().as_constant(stage.parameter).value_or(0) > 0 &&
         is_simple(stage.operands[0]) && is_simple(node.operands[1]);
}

std::vector<IndexId> extents_of(const std::vector<Binder>& space) {
  std::vector<IndexId> extents;
  for (const Binder& binder : space) extents.push_back(binder.extent);
  return extents;
}

std::vector<ir::Scalar> scalars_of(const ir::Module& module, ir::TypeId type) {
  std::vector<ir::Scalar> out;
  add_scalars(module, type, out);
  return out;
}

PartRange part_range(const ir::Module& module, ir::TypeId tuple, std::uint32_t part) {
  const ir::Type& type = module.types()[tuple];
  PartRange range;
  for (std::uint32_t k = 0; k < part; ++k) range.first += scalars_of(module, type.parts[k]).size();
  range.count = scalars_of(module, type.parts[part]).size();
  return range;
}

Expected<Planned> make_plan(ir::Module& module, const ir::Function& function) {
  return Planner(module, function).run();
}

}  // namespace reckon::codegen
