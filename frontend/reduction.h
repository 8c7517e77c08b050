// The elaboration of one reduction or scan (elaborate_reduction.cpp; states of the user's own, reduction_states.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/binders.h"
#include "ir/parts.h"

namespace reckon::frontend {

using ir::parts_of;
std::vector<ir::VariableId> fresh_variables(ir::Module& module, std::size_t count);
std::vector<ir::IndexId> subscripts_of(ir::Module& module, const std::vector<ir::VariableId>& variables);
/// The node's element at the subscripts, or the node itself where there are none.
ir::NodeId number_at(ir::Module& module, ir::NodeId node, const std::vector<ir::IndexId>& subscripts);
/// The value of a tuple's parts, or of the only part.
Value joined(ir::Module& module, const std::vector<ir::NodeId>& parts, bool is_tuple);
/// Zeros (of bools: `false`) in the place of a number or a tensor.
ir::NodeId zeros_like(ir::Module& module, ir::NodeId node);
/// The number, or the tensor of numbers, of what `number` gives for the subscripts of each element of `like`.
template <class Number>
ir::NodeId for_each_element(ir::Module& module, ir::NodeId like, const Number& number) {
  const std::vector<ir::IndexId> extents = module.type(like).extents;
  const std::vector<ir::VariableId> variables = fresh_variables(module, extents.size());
  const ir::NodeId element = number(subscripts_of(module, variables));
  return variables.empty() ? element : module.map(variables, extents, element);
}
/// The tensor whose element at `variables` is the node: a number, or of a scan the tensor of the prefixes, whose index
/// then comes first.
ir::NodeId tensor_of(ir::Module& module, const std::vector<ir::VariableId>& variables,
                     const std::vector<ir::IndexId>& extents, ir::NodeId node);

/// The walk over one binder: its leaves, its order, and the reductions that they become.
class ReductionElaboration {
 public:
  ReductionElaboration(Elaborator& elaborator, const Context& context, const Expr& binder, const Leaves& leaves)
      : elaborator_(elaborator),
        module_(elaborator.module),
        context_(context),
        binder_(binder),
        leaves_(leaves),
        prefix_(binder.binder == BinderKind::scan) {}
  ReductionElaboration(const ReductionElaboration&) = delete;

  Maybe elaborate();
  /// The names of the parts of what it makes: those of the operation's result, or else of the leaves.
  std::shared_ptr<const Record> record() const;
  /// The state after the operation was carried out once for each leaf but the first, which is the start. Where `done` of a
  /// state is true, the operation leaves the state as it is.
  Maybe iterate(const Value& operation, const Maybe& done, SourceSpan at_done);

 private:
  static constexpr std::size_t condition = ~std::size_t{0};

  /// One number of a state: a part, an element of a part that is a tensor, or whether any leaf takes part.
  struct Slot {
    std::size_t part = 0;                   ///< or `condition`
    std::vector<ir::IndexId> subscripts;    ///< of a part that is a tensor
    std::vector<ir::VariableId> variables;  ///< the subscripts, of a slot that stands for every element
    ir::NodeId leaf;
    ir::NodeId left, right;                 ///< operands
    ir::NodeId combined = {};               ///< what the operation makes of them
  };

  /// The parts of the operands of an operation, and of its result.
  struct Operands {
    std::vector<ir::NodeId> left, right, results;
  };

  bool find_operation();
  bool combines_numbers();
  bool elaborate_schedule();
  bool elaborate_otherwise();
  bool fits(ir::Module::Fold& fold);
  ir::NodeId inlined(ir::NodeId node);

  // `sum` and its like
  Maybe numbers_one_by_one();
  std::optional<ir::NodeId> plain(ir::NodeId body, std::optional<ir::NodeId> otherwise);
  ir::NodeId any_takes_part();

  // An operation of the user
  std::optional<ir::NodeId> combine(const Value& left, const Value& right, ir::NodeId like);
  Operands operands_of_parts();
  Maybe state_of_numbers();
  Maybe state_of_parts();
  Maybe folded();
  ir::NodeId at_leaf(ir::NodeId node, ir::IndexId index);
  template <class Number>
  ir::NodeId of_prefixes(ir::NodeId like, const Number& number);
  ir::NodeId first_leaf(ir::NodeId part, std::optional<ir::NodeId> otherwise);
  std::optional<std::vector<ir::NodeId>> round_by_round(const Operands& operands, std::size_t count);
  std::optional<std::vector<ir::NodeId>> results_of(const Operands& operands, std::size_t count);
  bool element_by_element(const Operands& operands);
  bool all_elements(const Operands& operands);
  void add_slot(std::size_t part, std::vector<ir::IndexId> subscripts, std::vector<ir::VariableId> variables = {});
  void add_condition();
  std::vector<std::size_t> needed_by(std::size_t slot) const;
  std::optional<ir::NodeId> fold_slots(const std::vector<std::size_t>& slots);
  std::optional<ir::NodeId> number_of(std::size_t slot);
  std::optional<ir::NodeId> result_of(std::size_t part);

  ir::NodeId make(const ir::Module::Fold& fold) {
    const ir::NodeId node = prefix_ ? module_.scan(fold) : module_.reduce(fold);
    module_.places().put(node, binder_.span);
    return node;
  }
  ir::Module::Fold empty_fold() const {
    ir::Module::Fold fold;
    fold.variable = leaves_.variable;
    fold.extent = leaves_.extent;
    fold.schedule = schedule_;
    return fold;
  }
  const Expr& expr(ExprId id) const { return elaborator_.expr(context_, id); }
  bool refuse(Diagnostic diagnostic) {
    elaborator_.report(std::move(diagnostic));
    return false;
  }

  Elaborator& elaborator_;
  ir::Module& module_;
  const Context& context_;
  const Expr& binder_;
  const Leaves& leaves_;
  const bool prefix_;
  std::string spelled_;              ///< `sum`, for messages
  std::optional<ir::Op> operation_;  ///< add, mul, min or max; nothing: the user's
  Maybe user_operation_;
  ir::ScheduleId schedule_;
  std::optional<ir::NodeId> otherwise_;
  std::vector<ir::NodeId> parts_, others_;  ///< of the leaves, and of what an empty reduction gives

  std::vector<Slot> slots_;  ///< of a state with tensors or with a condition
};

}  // namespace reckon::frontend
