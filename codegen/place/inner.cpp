// Reductions that stand within the elements of a tensor: `(sum j: x[i, j]) / n` for every i. The thread of an element
// would carry out its reduction alone; in an earlier kernel of its own, the reduction is placed like any other. The
// same holds for a matrix product to whose elements more operations are applied.
#include <algorithm>
#include <map>
#include <optional>

#include "codegen/place/place.h"
#include "codegen/strategies/strategy.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;
using ir::Op;

/// What a report calls the kernel that these reductions may get.
constexpr std::string_view own_kernel = "a kernel of its own";

class InnerReductions {
 public:
  explicit InnerReductions(const Placing& placing)
      : module_(placing.module), planned_(placing.planned), code_(placing.code), chip_(placing.chip) {}

  void run() {
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      if (planned_.bodies[k].kind != KernelBody::Kind::elements || planned_.bodies[k].space.empty()) continue;
      const bool in_words = planned_.plan.buffers[planned_.plan.kernels[k].output].words.has_value();
      planned_.bodies[k].inner.clear();
      for (NodeId id : worth_a_kernel(planned_.bodies[k], in_words)) take_out(k++, id);
    }
  }

 private:
  std::vector<NodeId> worth_a_kernel(KernelBody& body, bool in_words) {
    std::vector<NodeId> found;
    if (module_[body.node].op == Op::reduce) return found;
    ir::walk(module_, {body.node}, [&](NodeId id) {
      if (planned_.places.contains(occurrence(id, body))) return ir::Walk::beside;
      const Op op = module_[id].op;
      if (op == Op::reduce) {
        InnerReduction inner{id, {module_.reduction_of(id).schedule, {}}};
        if (is_worth_a_kernel(body, in_words, id, inner.decision)) found.push_back(id);
        else body.inner.push_back(std::move(inner));
      }
      return op == Op::reduce || op == Op::scan ? ir::Walk::beside : ir::Walk::below;
    });
    return found;
  }

  bool is_worth_a_kernel(const KernelBody& body, bool in_words, NodeId id, Decision& decision) {
    // Within an element whose index is read from data it depends on more than the kernel's space.
    const auto is_in_space = [&](ir::VariableId variable) {
      return std::ranges::find(body.space, variable, &Binder::variable) != body.space.end();
    };
    if (!std::ranges::all_of(module_.free_variables(id), is_in_space)) return false;
    const PlacedOrder order = placed_order(module_, id, code_);
    const bool parallel = is_parallel(module_, order.schedule);
    if (is_long(module_[id], decision) && parallel) return true;
    if (!parallel) decision.refuse(own_kernel, reason::not_shared);
    if (!module_.schedules().levels(module_.reduction_of(id).schedule).empty()) return false;
    KernelBody fold{KernelBody::Kind::fold, id, binders_of(id, body), false};
    fold.schedule = order.schedule;
    fold.fused = order.fused;
    const InnerCandidate inner{module_, fold, in_words, order.any, planned_.clauses, planned_, chip_, code_, body};
    return std::ranges::any_of(strategies(),
                               [&](const auto& strategy) { return strategy->wants_kernel(inner, decision); });
  }

  bool is_long(const ir::Node& reduce, Decision& decision) const {
    const auto length = module_.indices().as_constant(reduce.indices[0]);
    if (length ? *length >= min_inner_leaves : module_.indices().variables(reduce.indices[0]).empty()) return true;
    if (length) decision.refuse(own_kernel, reason::few_leaves, *length, min_inner_leaves);
    else decision.refuse(own_kernel, reason::length_varies);
    return false;
  }

  std::vector<Binder> binders_of(NodeId id, const KernelBody& body) const {
    const auto& free = module_.free_variables(id);
    std::vector<Binder> out;
    std::ranges::copy_if(body.space, std::back_inserter(out),
                         [&](const Binder& binder) { return std::ranges::find(free, binder.variable) != free.end(); });
    return out;
  }

  Occurrence occurrence(NodeId id, const KernelBody& body) const {
    Occurrence out{id, {}};
    for (ir::VariableId variable : module_.free_variables(id)) {
      for (const Binder& binder : body.space) {
        if (binder.variable == variable) out.extents.push_back(binder.extent);
      }
    }
    return out;
  }

  /// Adds a kernel for the reduction before kernel k.
  void take_out(std::size_t k, NodeId id) {
    Plan& plan = planned_.plan;
    const Occurrence key = occurrence(id, planned_.bodies[k]);
    KernelBody body{KernelBody::Kind::fold, id, binders_of(id, planned_.bodies[k]), false};
    body.needed = condition_of_use(id, body.space);
    Place place;
    std::vector<ir::IndexId> extents;
    for (const Binder& binder : body.space) {
      extents.push_back(binder.extent);
      place.variables.push_back(binder.variable);
    }
    const std::vector<ir::Scalar> scalars = scalars_of(module_, module_[id].type);
    place.buffer = add_buffers(planned_, scalars, extents, plan.buffers[plan.kernels[k].output].words);
    const std::uint32_t buffer = place.buffer;
    planned_.places[key] = std::move(place);
    add_kernel_before(planned_, k, "_inner" + std::to_string(++taken_), buffer, scalars.size(), std::move(body));
  }

  /// Both branches of a `select` are computed: what may have no value must not meet other numbers in place of sums.
  bool may_fault(Op op, NodeId id) const {
    return code_.has_undefined() || (ir::divides_integers(op) && !ir::has_known_divisor(module_, id));
  }

  /// Where the value stands in the chosen branch of a `select` alone, the condition on indices that chooses it.
  std::optional<ir::IndexId> condition_of_use(NodeId id, const std::vector<Binder>& space) {
    if (uses_.empty()) find_uses();
    NodeId at = id;
    for (auto use = uses_.find(at); use != uses_.end() && use->second; use = uses_.find(at)) {
      const ir::Node& user = module_[*use->second];
      if (!ir::is_scalar_operation(user.op) || may_fault(user.op, *use->second)) return std::nullopt;
      const bool is_chosen = user.op == Op::select && user.operands[1] == at && user.operands[2] != at;
      if (is_chosen && module_[user.operands[0]].op == Op::index_condition) {
        const ir::IndexId condition = module_[user.operands[0]].indices[0];
        const auto is_in_space = [&](ir::VariableId variable) {
          return std::ranges::find(space, variable, &Binder::variable) != space.end();
        };
        if (std::ranges::all_of(module_.indices().variables(condition), is_in_space)) return condition;
      }
      at = *use->second;
    }
    return std::nullopt;
  }

  /// Finds for every node what it is an operand of; nothing if there are several.
  void find_uses() {
    std::vector<NodeId> roots;
    for (const KernelBody& body : planned_.bodies) roots.push_back(body.node);
    for (const NodeId root : roots) uses_[root] = std::nullopt;
    ir::visit_nodes(module_, roots, [&](NodeId user) {
      for (const NodeId operand : module_[user].operands) {
        const auto [use, is_new] = uses_.try_emplace(operand, user);
        if (!is_new && use->second != user) use->second = std::nullopt;
      }
    });
  }

  ir::Module& module_;
  Planned& planned_;
  const Numbers& code_;
  int chip_;
  int taken_ = 0;
  std::map<NodeId, std::optional<NodeId>> uses_;
};

}  // namespace

void hoist_reductions(const Placing& placing) { InnerReductions(placing).run(); }

std::uint32_t add_buffers(Planned& planned, const std::vector<ir::Scalar>& scalars,
                          const std::vector<ir::IndexId>& extents, std::optional<Words> words,
                          Buffer::Role role) {
  std::vector<Buffer>& buffers = planned.plan.buffers;
  auto place = buffers.end();
  if (buffers.back().role == Buffer::Role::faults) --place;
  const auto first = static_cast<std::uint32_t>(place - buffers.begin());
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    buffers.insert(buffers.begin() + first + static_cast<std::ptrdiff_t>(k),
                   {role, scalars[k], extents, 0, {}, words});
  }
  return first;
}

}  // namespace reckon::codegen
