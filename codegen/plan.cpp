#include "codegen/plan.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <set>

#include "diagnostics/codes/not_compilable.h"
#include "ir/op.h"

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
    return std::move(planned_);
  }

 private:
  /// The binders around a node: first those of the kernel's index space, then its loops.
  struct Nest {
    std::vector<Binder> binders;
    std::size_t kernel = 0;
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
    add_kernel(std::move(body), add_buffer(result_buffer(position, type.scalar, type.extents)), 1);
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
    return "reckon_" + name + "_" + std::to_string(plan().kernels.size());
  }

  void add_kernel(KernelBody body, std::uint32_t output, std::uint32_t outputs) {
    Kernel kernel;
    kernel.name = kernel_name();
    kernel.output = output;
    kernel.outputs = outputs;
    const bool whole_scans = body.kind == KernelBody::Kind::scan && body.running;
    if (whole_scans) {
      for (const Binder& binder : body.space) kernel.items.push_back(binder.extent);
    } else {
      kernel.items = plan().buffers[output].extents;
    }
    plan().kernels.push_back(std::move(kernel));
    planned_.bodies.push_back(std::move(body));
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
        const auto schedule = module_.schedules()[module_.reduction_of(id).schedule].op;
        body.running = node.op == Op::scan && (schedule == ir::ScheduleOp::seq || schedule == ir::ScheduleOp::tree);
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
    add_kernel(std::move(body), place.buffer, static_cast<std::uint32_t>(scalars.size()));
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

  bool rectangular(IndexId extent) const { return module_.indices().variables(extent).empty(); }

  /// The binders of a node's free variables in the order of the nest, if the node is worth a buffer of its own.
  std::optional<std::vector<Binder>> worth_placing(NodeId id, const Nest& nest) const {
    const auto& free = module_.free_variables(id);
    std::vector<bool> used(nest.binders.size(), false);
    for (VariableId variable : free) {
      std::size_t k = nest.binders.size();
      while (k > 0 && nest.binders[k - 1].variable != variable) --k;
      if (k == 0) return std::nullopt;  // an operand of a user's operation
      used[k - 1] = true;
    }
    std::vector<Binder> space;
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (!used[k]) continue;
      if (!rectangular(nest.binders[k].extent)) return std::nullopt;
      space.push_back(nest.binders[k]);
    }
    if (space.empty()) return space;
    if (module_[id].op == Op::scan) {
      return rectangular(module_[id].indices[0]) ? std::optional(space) : std::nullopt;
    }
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
            place(id, *space);
          } else {
            walk_inside(id, nest);
          }
          break;
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
