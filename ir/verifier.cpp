#include "ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "diagnostics/codes/ir_invalid.h"
#include "ir/integer.h"
#include "ir/op.h"
#include "numerics/format.h"

namespace reckon::ir {

std::optional<std::string> operand_problem(const Module& module, Op op, const std::vector<TypeId>& operands,
                                           TypeId result) {
  const OpTraits row = traits(op);
  if (static_cast<int>(operands.size()) != row.arity) {
    return fmt::format("`{}` takes {} operands and has {}", row.spelling, row.arity, operands.size());
  }
  auto scalar = [&](TypeId id) -> std::optional<Scalar> {
    const Type& type = module.types()[id];
    if (type.kind != TypeKind::scalar) return std::nullopt;
    return type.scalar;
  };
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const auto type = scalar(operands[k]);
    if (!type) return fmt::format("operand {} of `{}` is no scalar", k + 1, row.spelling);
    const bool boolean = row.result == ResultRule::logic || (row.result == ResultRule::choose && k == 0);
    const bool either = row.result == ResultRule::choose && k > 0;
    if (!either && boolean != (type == Scalar::boolean)) {
      return fmt::format("operand {} of `{}` must be a {}, and is a `{}`", k + 1, row.spelling,
                         boolean ? "`bool`" : "number", scalar_name(*type));
    }
    const std::size_t first = row.result == ResultRule::choose ? 1 : 0;
    if (k > first && operands[k] != operands[first]) {
      return fmt::format("operands of `{}` have types `{}` and `{}`", row.spelling, type_text(module, operands[first]),
                         type_text(module, operands[k]));
    }
  }
  const Scalar of = module.types()[operands.back()].scalar;
  if (is_integer(of) ? !takes_integers(op) : is_integer_operation(op)) {
    return fmt::format("`{}` has no operands of type `{}`", row.spelling, scalar_name(of));
  }
  if (row.result == ResultRule::cast) {
    const auto to = scalar(result);
    if (op == Op::bits && !(is_float(of) && to == pattern_scalar(of))) {
      return "`bits` must give the `u32` of a float, or the `u64` of an `f64`";
    }
    if (op == Op::from_bits && !(to && is_float(*to) && of == pattern_scalar(*to))) {
      return "`from_bits` must make a float of a `u32`, or an `f64` of a `u64`";
    }
    if (!to || !is_numeric(*to)) return "`convert` must give a number";
    if (result == operands[0]) return "`convert` must change the type";
  }
  return std::nullopt;
}

namespace {

constexpr std::size_t max_diagnostics = 16;

class Verifier {
 public:
  Verifier(const Module& module, const Function& function) : module_(module), function_(function) {}

  std::vector<Diagnostic> run() {
    for (const Parameter& parameter : function_.parameters) {
      type(parameter.type, parameter.span, "a parameter's type");
      storage(parameter.storage, parameter.type, parameter.span);
    }
    if (function_.result.valid() && !function_.result_storage.empty()) {
      std::vector<TypeId> results;
      tensors(function_.result, results);
      if (results.size() != function_.result_storage.size()) {
        report(function_.span, fmt::format("the function has {} results and says how {} are stored", results.size(),
                                           function_.result_storage.size()));
      } else {
        for (std::size_t k = 0; k < results.size(); ++k) {
          storage(function_.result_storage[k], results[k], function_.span);
        }
      }
    }
    if (const auto problem = contradiction(function_.kernel)) report(problem->primary.span, problem->message);
    for (const Requirement& requirement : function_.requirements) {
      index(requirement.left, function_.span, "a requirement");
      index(requirement.right, function_.span, "a requirement");
    }
    if (!function_.body.valid() || function_.body.index >= module_.node_count()) {
      report(function_.span, "the function has no body");
      return std::move(out_);
    }
    if (module_[function_.body].type != function_.result) {
      report(function_.span, fmt::format("the body has type `{}`, and the function says `{}`",
                                         type_text(module_, module_[function_.body].type),
                                         function_.result.valid() ? type_text(module_, function_.result) : "nothing"));
    }
    visit(function_.body);
    return std::move(out_);
  }

 private:
  enum class Bound : std::uint8_t { index, operand };

  SourceSpan span(NodeId id) const { return module_.span(id, function_.places); }

  void report(SourceSpan place, std::string message) {
    if (out_.size() >= max_diagnostics) return;
    out_.push_back(Diagnostic(code::ir_invalid, place, std::move(message)));
  }

  void visit(NodeId id) {
    // Nodes without free variables are checked once, all others once in each scope.
    auto& done = module_.free_variables(id).empty() ? closed_ : done_;
    if (out_.size() >= max_diagnostics || !done.insert(id).second) return;
    const Node& node = module_[id];
    type(node.type, span(id), "a type");
    const auto problem = check(node, id);
    if (problem) report(span(id), *problem);
    for (IndexId each : node.indices) index(each, span(id), traits(node.op).spelling);
    if (node.op == Op::map) {
      for (std::size_t k = 0; k < node.variables.size(); ++k) bind(id, node.variables[k], Bound::index);
      inside(node.operands[0]);
      for (VariableId variable : node.variables) unbind(variable);
      return;
    }
    if (node.op == Op::at && !problem) {
      bind(id, node.variables[0], Bound::index);
      inside(node.operands[0]);
      unbind(node.variables[0]);
      visit(node.operands[1]);
      return;
    }
    if (node.op == Op::loop && !problem) {
      bind(id, node.variables[0], Bound::index);
      bind(id, node.variables[1], Bound::operand, node.type);
      inside(node.operands[0]);
      for (VariableId variable : node.variables) unbind(variable);
      visit(node.operands[1]);
      return;
    }
    if ((node.op == Op::reduce || node.op == Op::scan) && !problem) {
      const Reduction& reduction = module_.reduction_of(node);
      bind(id, node.variables[0], Bound::index);
      inside(node.operands[0]);
      unbind(node.variables[0]);
      if (reduction.user) {
        const TypeId body = module_[node.operands[0]].type;
        bind(id, node.variables[1], Bound::operand, body);
        bind(id, node.variables[2], Bound::operand, body);
        inside(node.operands[1]);
        unbind(node.variables[1]);
        unbind(node.variables[2]);
      }
      if (reduction.has_otherwise) visit(node.operands.back());
      return;
    }
    for (NodeId operand : node.operands) visit(operand);
  }

  void inside(NodeId body) {
    std::unordered_set<NodeId> outer;
    outer.swap(done_);
    visit(body);
    done_.swap(outer);
  }

  struct Binding {
    Bound kind;
    TypeId type;
  };
  void bind(NodeId id, VariableId variable, Bound kind, TypeId type = {}) {
    if (variable.temporary()) report(span(id), "a binder has a temporary variable");
    if (!scope_.try_emplace(variable, Binding{kind, type}).second) {
      report(span(id), fmt::format("variable %{} is bound twice", variable.index));
    }
  }
  void unbind(VariableId variable) { scope_.erase(variable); }

  void index(IndexId id, SourceSpan place, std::string_view where) {
    std::vector<SymbolId> dimensions;
    module_.indices().dimensions(id, dimensions);
    for (SymbolId symbol : dimensions) {
      const auto& known = function_.dimensions;
      if (std::find(known.begin(), known.end(), symbol) != known.end()) continue;
      report(place, fmt::format("`{}` mentions `{}`, which is no dimension of `{}`", where, module_.name(symbol),
                                module_.name(function_.name)));
    }
    for (VariableId variable : module_.indices().variables(id)) {
      const auto found = scope_.find(variable);
      if (found != scope_.end() && found->second.kind == Bound::index) continue;
      const std::string number = variable.temporary() ? "a temporary variable" : fmt::format("%{}", variable.index);
      report(place, fmt::format("`{}` mentions {}, which {}", where, number,
                                found == scope_.end() ? "is not bound there" : "is bound to an operand"));
    }
  }

  void type(TypeId id, SourceSpan place, std::string_view where) {
    const Type& type_of = module_.types()[id];
    for (IndexId extent : type_of.extents) index(extent, place, where);
    for (TypeId part : type_of.parts) type(part, place, where);
  }

  /// What the type holds, tuples flattened.
  void tensors(TypeId id, std::vector<TypeId>& out) const {
    const Type& type_of = module_.types()[id];
    if (type_of.kind != TypeKind::tuple) out.push_back(id);
    for (TypeId part : type_of.parts) tensors(part, out);
  }

  void storage(const std::optional<Storage>& stored, TypeId id, SourceSpan place) {
    if (!stored) return;
    const Type& type_of = module_.types()[id];
    const auto& [shape, stride] = stored->layout;
    if (type_of.kind != TypeKind::tensor) return report(place, "only a tensor is stored by a layout");
    if (!nested_alike(shape, stride)) return report(place, "a layout's shape and stride are not nested alike");
    if (stored->layout.rank() != type_of.extents.size()) {
      return report(place, fmt::format("a tensor of {} dimensions is stored by a layout of {} modes",
                                       type_of.extents.size(), stored->layout.rank()));
    }
    std::vector<IndexId> leaves;
    shape.leaves(leaves);
    stride.leaves(leaves);
    for (IndexId leaf : leaves) index(leaf, place, "a layout");
  }

  std::optional<Scalar> scalar(TypeId id) const {
    const Type& type_of = module_.types()[id];
    if (type_of.kind != TypeKind::scalar) return std::nullopt;
    return type_of.scalar;
  }

  static std::optional<std::string> unless(bool holds, std::string_view problem) {
    if (holds) return std::nullopt;
    return std::string(problem);
  }

  /// Which rule the node breaks, if any.
  std::optional<std::string> check(const Node& node, NodeId id) {
    if (is_scalar_operation(node.op)) return check_scalar(node);
    switch (node.op) {
      case Op::parameter:
        return unless(node.attribute < function_.parameters.size() &&
                          function_.parameters[node.attribute].type == node.type,
                      "a parameter is not the one that the function has in its place");
      case Op::literal: return check_literal(node);
      case Op::index_value: {
        const auto type_of = scalar(node.type);
        return unless(node.indices.size() == 1 && type_of && is_numeric(*type_of), "`index_value` must be a number");
      }
      case Op::index_condition:
        return unless(node.indices.size() == 1 && scalar(node.type) == Scalar::boolean,
                      "`index_condition` must be a `bool`");
      case Op::operand: {
        const auto found = node.variables.size() == 1 ? scope_.find(node.variables[0]) : scope_.end();
        return unless(found != scope_.end() && found->second.kind == Bound::operand && found->second.type == node.type,
                      "an operand belongs to no operation around, or has another type there");
      }
      case Op::element: {
        if (node.operands.size() != 1) return "`element` takes one tensor";
        const Type& tensor = module_.type(node.operands[0]);
        return unless(tensor.kind == TypeKind::tensor && tensor.extents.size() == node.indices.size() &&
                          scalar(node.type) == tensor.scalar,
                      "`element` must have a subscript for each dimension of a tensor, and its scalar type");
      }
      case Op::at: return check_at(node);
      case Op::map: return check_map(node);
      case Op::reduce:
      case Op::scan: return check_fold(node);
      case Op::loop: return check_loop(node);
      case Op::tuple: {
        const Type& whole = module_.types()[node.type];
        bool fits = whole.kind == TypeKind::tuple && whole.parts.size() == node.operands.size();
        for (std::size_t k = 0; fits && k < node.operands.size(); ++k) {
          fits = whole.parts[k] == module_[node.operands[k]].type;
        }
        return unless(fits, "a tuple's type is not that of its parts");
      }
      case Op::get: {
        if (node.operands.size() != 1) return "`get` takes one tuple";
        const Type& whole = module_.type(node.operands[0]);
        return unless(whole.kind == TypeKind::tuple && node.attribute < whole.parts.size() &&
                          whole.parts[node.attribute] == node.type,
                      "`get` must name a part of a tuple, and have its type");
      }
      case Op::array: return check_array(node);
      case Op::source: {
        const IndexId seed = module_.source_of(node).seed;
        if (seed.valid()) index(seed, span(id), "a seed");
        return unless(module_.types()[node.type].kind != TypeKind::tuple, "a source must be a tensor or a scalar");
      }
      default: return std::nullopt;
    }
  }

  std::optional<std::string> check_scalar(const Node& node) const {
    std::vector<TypeId> types;
    for (NodeId operand : node.operands) types.push_back(module_[operand].type);
    if (auto problem = operand_problem(module_, node.op, types, node.type)) return problem;
    switch (traits(node.op).result) {
      case ResultRule::same:
      case ResultRule::choose:
        return unless(node.type == types.back(), "the result has another type than the operands");
      case ResultRule::truth:
      case ResultRule::logic: return unless(scalar(node.type) == Scalar::boolean, "the result must be a `bool`");
      default: return std::nullopt;
    }
  }

  std::optional<std::string> check_literal(const Node& node) const {
    const Literal& literal = module_.literal_of(node);
    const auto type_of = scalar(node.type);
    if (!type_of) return "a literal must be a scalar";
    switch (literal.kind) {
      case Literal::Kind::boolean: return unless(type_of == Scalar::boolean && literal.bits <= 1, "no such `bool`");
      case Literal::Kind::rational:
      case Literal::Kind::real: {
        mpq_class canonical = literal.value;
        canonical.canonicalize();
        const bool lowest = canonical.get_den() == literal.value.get_den();
        if (is_integer(*type_of)) {
          return unless(is_word(literal, *type_of),
                        fmt::format("a literal of {} must be {}", with_article(*type_of), integers_text(*type_of)));
        }
        return unless(is_numeric(*type_of) && lowest, "a number literal must be a number, in lowest terms");
      }
      case Literal::Kind::bits:
        return unless(is_float(*type_of) && (literal.bits & ~numerics::storage_mask(format_of(*type_of))) == 0,
                      "a bit pattern must belong to a float format, and fit it");
      case Literal::Kind::infinity:
        if (!is_float(*type_of)) break;
        return unless(numerics::has_infinity(format_of(*type_of)), "this format has no infinity");
      case Literal::Kind::not_a_number:
        if (!is_float(*type_of)) break;
        return unless(numerics::has_nan(format_of(*type_of)), "this format has no NaN");
    }
    return unless(is_float(*type_of), "infinities and NaNs belong to float formats");
  }

  std::optional<std::string> check_at(const Node& node) const {
    if (node.operands.size() != 2 || node.variables.size() != 1 || node.indices.size() != 1) {
      return "`at` takes a body, a value, and an extent for its variable";
    }
    const auto of_value = scalar(module_[node.operands[1]].type);
    if (!of_value || !is_integer(*of_value)) return "the value of an `at` must be an integer";
    if (!scalar(node.type) || node.type != module_[node.operands[0]].type) {
      return "the type of an `at` must be that of its scalar body";
    }
    return check_numbering(node, module_.facts(node.operands[0]).height);
  }

  std::optional<std::string> check_map(const Node& node) const {
    if (node.operands.size() != 1 || node.variables.empty() || node.variables.size() != node.indices.size()) {
      return "`map` takes a body, and an extent for each variable";
    }
    const Type& whole = module_.types()[node.type];
    if (whole.kind != TypeKind::tensor || whole.extents != node.indices ||
        scalar(module_[node.operands[0]].type) != whole.scalar) {
      return "a `map`'s type must be a tensor of its scalar body with its extents";
    }
    return check_numbering(node, module_.facts(node.operands[0]).height);
  }

  std::optional<std::string> check_fold(const Node& node) {
    const Reduction& reduction = module_.reduction_of(node);
    if (node.indices.size() != 1 || node.variables.size() != (reduction.user ? 3u : 1u) ||
        node.operands.size() != 1u + reduction.user + reduction.has_otherwise ||
        (node.op == Op::scan && reduction.has_otherwise)) {
      return "a reduction has too many or too few operands";
    }
    const TypeId body = module_[node.operands[0]].type;
    const Type& of_body = module_.types()[body];
    bool scalars = of_body.kind == TypeKind::scalar;
    if (of_body.kind == TypeKind::tuple) {
      scalars = std::all_of(of_body.parts.begin(), of_body.parts.end(), [&](TypeId part) { return scalar(part); });
    }
    if (!scalars) return "a reduction's body must be a scalar or a tuple of scalars";
    if (!reduction.user) {
      const bool operation = reduction.operation == Op::add || reduction.operation == Op::mul ||
                             reduction.operation == Op::min || reduction.operation == Op::max;
      if (!operation) return "a reduction combines by `add`, `mul`, `min`, `max` or an operation of its own";
      if (of_body.kind != TypeKind::scalar || !is_numeric(of_body.scalar)) {
        return "only numbers can be added, multiplied or compared";
      }
    }
    for (std::size_t k = 1; k < node.operands.size(); ++k) {
      if (module_[node.operands[k]].type != body) return "a reduction's operation and `else` must have its body's type";
    }
    if (node.op == Op::reduce ? node.type != body : !is_scan_type(node.type, body, node.indices[0])) {
      return "a reduction's type must follow from its body's";
    }
    if (auto problem = check_schedule(reduction.schedule, false)) return problem;
    if (module_.schedules().has_arithmetic(reduction.schedule) && (reduction.user || reduction.operation != Op::add)) {
      return "only sums say how they are accumulated";
    }
    if (module_.schedules().operations(reduction.schedule).contains(ScheduleOp::fused) &&
        module_[node.operands[0]].op != Op::mul) {
      return "a fused sum's body must be a product";
    }
    for (ScheduleId term : module_.schedules().terms(reduction.schedule)) {
      const ScheduleNode& schedule = module_.schedules()[term];
      if (schedule.op != ScheduleOp::mma) continue;
      if (module_[node.operands[0]].op != Op::mul) return "the body of a sum on tensor cores must be a product";
      if (schedule.mma->unit() == nullptr) return "tensor cores have no addition of these formats";
    }
    std::uint32_t base = module_.facts(node.operands[0]).height;
    if (reduction.user) base = std::max(base, module_.facts(node.operands[1]).height);
    return check_numbering(node, base);
  }

  std::optional<std::string> check_loop(const Node& node) const {
    if (node.operands.size() != 2 || node.variables.size() != 2 || node.indices.size() != 1) {
      return "`loop` takes the next state, the first one, two variables, and how many rounds there are";
    }
    const bool one_type = module_[node.operands[0]].type == node.type && module_[node.operands[1]].type == node.type;
    if (!one_type) return "the states of a `loop` must be of its type";
    if (!is_loop_state(module_, node.type)) return loop_state_rule;
    return check_numbering(node, module_.facts(node.operands[0]).height);
  }

  bool is_scan_type(TypeId id, TypeId body, IndexId extent) const {
    const Type& whole = module_.types()[id];
    const Type& of_body = module_.types()[body];
    if (of_body.kind == TypeKind::scalar) {
      return whole.kind == TypeKind::tensor && whole.scalar == of_body.scalar && whole.extents == std::vector{extent};
    }
    if (whole.kind != TypeKind::tuple || whole.parts.size() != of_body.parts.size()) return false;
    for (std::size_t k = 0; k < whole.parts.size(); ++k) {
      if (!is_scan_type(whole.parts[k], of_body.parts[k], extent)) return false;
    }
    return true;
  }

  /// A binder's variables are numbered from one above those bound inside, and its extents are outside of its scope.
  std::optional<std::string> check_numbering(const Node& node, std::uint32_t base) const {
    for (std::size_t k = 0; k < node.variables.size(); ++k) {
      if (node.variables[k] != VariableId{base + static_cast<std::uint32_t>(k)}) {
        return fmt::format("a binder's variable is %{}, and should be %{}", node.variables[k].index, base + k);
      }
      for (IndexId extent : node.indices) {
        if (module_.indices().mentions(extent, node.variables[k]))
          return "an extent mentions its own binder's variable";
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> check_array(const Node& node) const {
    const Type& whole = module_.types()[node.type];
    mpz_class size = 1;
    for (IndexId extent : whole.extents) {
      const auto known = module_.indices().as_constant(extent);
      if (!known || *known < 0) return "an array's extents must be constants, not negative";
      size *= mpz_class(static_cast<long>(*known));
    }
    const bool fits = whole.kind == TypeKind::tensor && size == node.operands.size() &&
                      std::all_of(node.operands.begin(), node.operands.end(),
                                  [&](NodeId element) { return scalar(module_[element].type) == whole.scalar; });
    return unless(fits, "an array's type must have as many elements as are written, of their type");
  }

  std::optional<std::string> check_schedule(ScheduleId id, bool stage) {
    const ScheduleStore& store = module_.schedules();
    if (!id.valid()) return "a reduction has no schedule";
    const ScheduleNode& node = store[id];
    if (is_stage(node.op) != stage) {
      return fmt::format("`{}` is {}, where {} is needed", schedule_text(module_, id), stage ? "a schedule" : "a stage",
                         stage ? "a stage" : "a schedule");
    }
    const bool combines = node.op == ScheduleOp::then || node.op == ScheduleOp::stage_then ||
                          node.op == ScheduleOp::length || node.op == ScheduleOp::conditional;
    if (combines && node.level != MachineLevel::none) return "a pin stands on a term that is not carried out itself";
    // Under a `length`, what a term may mention depends on its position, so it is checked each time.
    const bool once = lengths_.empty() || node.op == ScheduleOp::reference;
    if (once && !schedules_.insert(id).second) return std::nullopt;
    if (node.parameter.valid()) {
      std::vector<SymbolId> dimensions;
      module_.indices().dimensions(node.parameter, dimensions);
      for (SymbolId symbol : dimensions) {
        const auto& known = function_.dimensions;
        if (std::find(known.begin(), known.end(), symbol) == known.end()) {
          return fmt::format("a schedule mentions `{}`, which is no dimension of the function", module_.name(symbol));
        }
      }
      for (VariableId variable : module_.indices().variables(node.parameter)) {
        if (!lengths_.contains(variable)) return "a schedule mentions a variable that no `length` around it binds";
      }
    }
    if (node.op == ScheduleOp::reference) {
      const auto definition = store.definition(node.symbol);
      if (!definition) return fmt::format("the schedule `{}` is not defined", module_.name(node.symbol));
      std::set<VariableId> around;
      around.swap(lengths_);
      auto problem = check_schedule(*definition, false);
      lengths_.swap(around);
      return problem;
    }
    const bool binds = node.op == ScheduleOp::length && lengths_.insert(node.variable).second;
    std::optional<std::string> problem;
    for (std::size_t k = 0; k < node.operands.size() && !problem; ++k) {
      const bool wants_stage = node.op == ScheduleOp::stage_then || (node.op == ScheduleOp::then && k == 0);
      problem = check_schedule(node.operands[k], wants_stage);
    }
    if (binds) lengths_.erase(node.variable);
    return problem;
  }

  const Module& module_;
  const Function& function_;
  std::vector<Diagnostic> out_;
  std::map<VariableId, Binding> scope_;
  std::unordered_set<NodeId> done_;
  std::unordered_set<NodeId> closed_;
  std::set<ScheduleId> schedules_;  ///< looked at already
  std::set<VariableId> lengths_;
};

}  // namespace

std::vector<Diagnostic> verify(const Module& module, const Function& function) {
  return Verifier(module, function).run();
}

}  // namespace reckon::ir
