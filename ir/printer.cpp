#include "ir/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/op.h"
#include "numerics/format.h"

namespace reckon::ir {
namespace {

struct Region;

struct Statement {
  NodeId node;
  std::vector<Region> regions;  ///< of a binder: what it makes, and the operation that it combines with
};

struct Region {
  std::vector<VariableId> variables;
  std::vector<Statement> statements;
  std::unordered_map<NodeId, int> names;  ///< the nodes that are named here; they are numbered when the text is written
  NodeId result;
};

bool is_binder(Op op) { return op == Op::map || op == Op::reduce || op == Op::scan || op == Op::at || op == Op::loop; }
bool is_fold(Op op) { return op == Op::reduce || op == Op::scan; }

/// Whether a node is written where it is used, instead of getting a name.
bool is_inline(Op op) {
  switch (op) {
    case Op::parameter:
    case Op::literal:
    case Op::index_value:
    case Op::index_condition:
    case Op::operand:
    case Op::element:
    case Op::get: return true;
    default: return false;
  }
}

/// Finds the place of each statement: the outermost region in which its variables are bound.
class Placement {
 public:
  explicit Placement(const Module& module) : module_(module) {}

  Region whole(NodeId body) { return region({}, body); }

 private:
  Region region(std::vector<VariableId> variables, NodeId result) {
    Region out{std::move(variables), {}, {}, result};
    stack_.push_back(&out);
    place(result);
    stack_.pop_back();
    return out;
  }

  void place(NodeId id) {
    const Node& node = module_[id];
    if (is_inline(node.op)) {
      for (NodeId operand : node.operands) place(operand);
      return;
    }
    Region& home = home_of(id);
    if (home.names.contains(id)) return;
    Statement statement{id, {}};
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      const bool second = k == 1 && is_fold(node.op) && module_.reduction_of(id).user;
      if (!is_binder(node.op) || (k > 0 && !second)) {
        place(node.operands[k]);
      } else {
        std::vector<VariableId> variables = node.variables;
        if (is_fold(node.op)) {
          variables = second ? std::vector{node.variables[1], node.variables[2]} : std::vector{node.variables[0]};
        }
        statement.regions.push_back(region(std::move(variables), node.operands[k]));
      }
    }
    home.names[id] = -1;
    home.statements.push_back(std::move(statement));
  }

  Region& home_of(NodeId id) const {
    for (std::size_t depth = stack_.size(); depth-- > 1;) {
      for (VariableId variable : stack_[depth]->variables) {
        if (module_.depends_on(id, variable)) return *stack_[depth];
      }
    }
    return *stack_[0];
  }

  const Module& module_;
  std::vector<Region*> stack_;
};

class FunctionPrinter {
 public:
  FunctionPrinter(const Module& module, const Function& function) : module_(module), function_(function) {}

  std::string text() {
    std::string dimensions, parameters;
    for (SymbolId symbol : function_.dimensions) append(dimensions, name_text(module_.name(symbol)));
    for (const Parameter& parameter : function_.parameters) {
      append(parameters, name_text(module_.name(parameter.name)) + ": " + type_text(module_, parameter.type) +
                             stored(parameter.storage));
    }
    const std::string clauses = function_.kernel.empty() ? "" : " with " + clauses_text(function_.kernel);
    out_ = fmt::format("fn {}{}({}) -> {}{} {{\n", name_text(module_.name(function_.name)),
                       dimensions.empty() ? "" : "[" + dimensions + "]", parameters, result(function_.result), clauses);
    for (const Requirement& requirement : function_.requirements) {
      out_ += fmt::format("  require {} == {} else {} {}\n", index(requirement.left), index(requirement.right),
                          code_text(requirement.diagnostic.code), quoted_text(requirement.diagnostic.message));
    }
    Region body = Placement(module_).whole(function_.body);
    write(body, "  ");
    return out_ + "}\n";
  }

 private:
  std::string stored(const std::optional<Storage>& storage) const {
    return storage ? " @ " + storage_text(module_, *storage) : "";
  }

  /// The type, with the storage of each of its tensors.
  std::string result(TypeId id) {
    const Type& type = module_.types()[id];
    if (function_.result_storage.empty()) return type_text(module_, id);
    if (type.kind != TypeKind::tuple) return type_text(module_, id) + stored(function_.result_storage[results_++]);
    std::string parts;
    for (TypeId part : type.parts) append(parts, result(part));
    return "(" + parts + (type.parts.size() == 1 ? ",)" : ")");
  }

  static void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

  void write(Region& region, const std::string& indent) {
    stack_.push_back(&region);
    for (Statement& statement : region.statements) {
      const int name = next_++;
      const Node& node = module_[statement.node];
      out_ += fmt::format("{}%v{}: {} = ", indent, name, type_text(module_, node.type));
      write(statement, node, indent);
      out_ += '\n';
      region.names[statement.node] = name;
    }
    out_ += indent + "yield " + operand(region.result) + "\n";
    stack_.pop_back();
  }

  void write_braces(Region& region, const std::string& indent) {
    if (region.statements.empty()) {
      out_ += " { yield " + operand(region.result) + " }";
      return;
    }
    out_ += " {\n";
    write(region, indent + "  ");
    out_ += indent + "}";
  }

  void write(Statement& statement, const Node& node, const std::string& indent) {
    if (node.op == Op::source) {
      out_ += source(module_.source_of(node));
      return;
    }
    out_ += traits(node.op).spelling;
    if (node.op == Op::call) out_ += " " + name_text(module_.name(module_.callee_of(node).name));
    if (!is_binder(node.op)) {
      std::string operands;
      for (NodeId each : node.operands) append(operands, operand(each));
      out_ += " " + operands;
      return;
    }
    if (node.op == Op::map) {
      std::string bindings;
      for (std::size_t k = 0; k < node.variables.size(); ++k) append(bindings, binding(node, k));
      out_ += " " + bindings;
      write_braces(statement.regions[0], indent);
      return;
    }
    if (node.op == Op::at) {
      out_ += fmt::format(" {} = {}", binding(node, 0), operand(node.operands[1]));
      write_braces(statement.regions[0], indent);
      return;
    }
    if (node.op == Op::loop) {
      out_ += fmt::format(" {} with {} = {}", binding(node, 0), variable(node.variables[1]), operand(node.operands[1]));
      write_braces(statement.regions[0], indent);
      return;
    }
    const Reduction& reduction = module_.reduction_of(node);
    if (!reduction.user) out_ += fmt::format(" {}", traits(reduction.operation).spelling);
    out_ += fmt::format(" {} by {}", binding(node, 0), schedule_text(module_, reduction.schedule));
    write_braces(statement.regions[0], indent);
    if (reduction.user) {
      out_ += fmt::format(" with {}, {}", variable(node.variables[1]), variable(node.variables[2]));
      write_braces(statement.regions[1], indent);
    }
    if (reduction.has_otherwise) out_ += " else " + operand(node.operands.back());
  }

  std::string binding(const Node& node, std::size_t k) const {
    return variable(node.variables[k]) + " < " + index(node.indices[k]);
  }

  static std::string variable(VariableId variable) {
    if (variable.temporary()) return fmt::format("%t{}", variable.index - VariableId::first_temporary);
    return fmt::format("%{}", variable.index);
  }

  /// An index expression where a comparison may follow.
  std::string index(IndexId id) const {
    const std::string text = index_text(module_, id);
    return module_.indices()[id].op >= IndexOp::less ? "(" + text + ")" : text;
  }

  std::string source(const Source& source) const {
    const std::string seed = source.seed.valid() ? index_text(module_, source.seed) : "";
    switch (source.kind) {
      case Source::Kind::uniform: return "random(" + seed + ")";
      case Source::Kind::normal: return "normal(" + seed + ")";
      case Source::Kind::lcg: return "lcg(" + seed + ")";
      case Source::Kind::file: break;
    }
    return "load(" + quoted_text(source.path) + ")";
  }

  std::string operand(NodeId id) const {
    const Node& node = module_[id];
    const Scalar scalar = module_.type(id).scalar;
    switch (node.op) {
      case Op::parameter: return parameter(node.attribute);
      case Op::literal: return literal_text(module_.literal_of(node), scalar);
      case Op::index_value:
      case Op::index_condition:
        return fmt::format("{}{{{}}}", scalar_name(scalar), index_text(module_, node.indices[0]));
      case Op::operand: return variable(node.variables[0]);
      case Op::element: {
        std::string subscripts;
        for (IndexId each : node.indices) append(subscripts, index_text(module_, each));
        return operand(node.operands[0]) + "[" + subscripts + "]";
      }
      case Op::get: return fmt::format("{}.{}", operand(node.operands[0]), node.attribute);
      default: break;
    }
    for (std::size_t depth = stack_.size(); depth-- > 0;) {
      if (auto found = stack_[depth]->names.find(id); found != stack_[depth]->names.end()) {
        return fmt::format("%v{}", found->second);
      }
    }
    return "%v?";
  }

  std::string parameter(std::uint32_t position) const {
    if (position >= function_.parameters.size()) return fmt::format("@{}", position);
    const SymbolId name = function_.parameters[position].name;
    const auto same = std::count_if(function_.parameters.begin(), function_.parameters.end(),
                                    [&](const Parameter& parameter) { return parameter.name == name; });
    return same == 1 ? name_text(module_.name(name)) : fmt::format("@{}", position);
  }

  const Module& module_;
  const Function& function_;
  std::string out_;
  int next_ = 0;
  std::size_t results_ = 0;  ///< results that have been written
  std::vector<Region*> stack_;
};

/// Names of schedule definitions, and callees, in the order in which the functions come to use them.
class Definitions {
 public:
  explicit Definitions(const Module& module) : module_(module) {}

  void visit(NodeId id) {
    if (!nodes_.insert(id).second) return;
    const Node& node = module_[id];
    for (NodeId operand : node.operands) visit(operand);
    if (node.op == Op::call) {
      const Function& callee = module_.callee_of(node);
      visit(callee.body);
      const auto known = [&](const Function* each) { return each == &callee; };
      if (std::none_of(callees_.begin(), callees_.end(), known)) callees_.push_back(&callee);
    }
    if (node.op == Op::reduce || node.op == Op::scan) visit(module_.reduction_of(node).schedule);
  }

  std::string text() const {
    std::string out;
    for (SymbolId symbol : order_) {
      out += fmt::format("schedule {} = {}\n", name_text(module_.name(symbol)),
                         schedule_text(module_, *module_.schedules().definition(symbol)));
    }
    if (!out.empty()) out += "\n";
    for (const Function* callee : callees_) {
      const std::string stands_for =
          callee->approximated ? fmt::format(" approximates {}", traits(*callee->approximated).spelling) : "";
      out += fmt::format("callee {}{} {}\n", name_text(callee->builtin), stands_for,
                         FunctionPrinter(module_, *callee).text());
    }
    return out;
  }

 private:
  void visit(ScheduleId id) {
    if (!schedules_.insert(id).second) return;
    const ScheduleNode& node = module_.schedules()[id];
    for (ScheduleId operand : node.operands) visit(operand);
    if (node.op != ScheduleOp::reference) return;
    const auto definition = module_.schedules().definition(node.symbol);
    if (!definition || std::find(order_.begin(), order_.end(), node.symbol) != order_.end()) return;
    order_.push_back(node.symbol);
    visit(*definition);
  }

  const Module& module_;
  std::set<NodeId> nodes_;
  std::set<ScheduleId> schedules_;
  std::vector<SymbolId> order_;
  std::vector<const Function*> callees_;
};

}  // namespace

std::string literal_text(const Literal& literal, Scalar scalar) {
  const std::string_view format = scalar_name(scalar);
  switch (literal.kind) {
    case Literal::Kind::rational: return fmt::format("{}({})", format, literal.value.get_str());
    case Literal::Kind::real:
      return fmt::format("{}({}*{})", format, real_constant_names[static_cast<std::size_t>(literal.constant)],
                         literal.value.get_str());
    case Literal::Kind::bits:
      return fmt::format("{}#{}", format, numerics::bit_digits(literal.bits, format_of(scalar)));
    case Literal::Kind::infinity: return fmt::format("{}({}inf)", format, literal.negative ? "-" : "");
    case Literal::Kind::not_a_number: return fmt::format("{}(nan)", format);
    case Literal::Kind::boolean: break;
  }
  return literal.bits ? "true" : "false";
}

std::string print(const Module& module, const Function& function) {
  Definitions definitions(module);
  definitions.visit(function.body);
  return definitions.text() + FunctionPrinter(module, function).text();
}

std::string print(const Module& module) {
  Definitions definitions(module);
  for (const Function& function : module.functions()) definitions.visit(function.body);
  std::string out = definitions.text();
  for (const Function& function : module.functions()) {
    if (&function != &module.functions().front()) out += "\n";
    out += FunctionPrinter(module, function).text();
  }
  return out;
}

}  // namespace reckon::ir
