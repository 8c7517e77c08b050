#include "ir/parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/op.h"
#include "ir/parser_terms.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "numerics/format.h"

namespace reckon::ir {
namespace {

using detail::Token;

class CircuitParser : public detail::TermParser {
 public:
  using TermParser::TermParser;

  std::vector<Function> text() {
    std::vector<Function> out;
    while (!error && accept("schedule")) definition();
    while (!error && token().kind != Kind::end) {
      if (at("callee")) {
        callee();
        continue;
      }
      if (auto each = function()) out.push_back(std::move(*each));
    }
    return out;
  }

 private:
  void definition() {
    const Token place = token();
    auto symbol = name();
    if (!symbol || !expect("=")) return;
    auto value = schedule();
    if (!value) return;
    const SymbolId id = module_.symbol(*symbol);
    const auto known = module_.schedules().definition(id);
    if (known && *known != *value) {
      mistake(place, fmt::format("the schedule `{}` is defined already, as another one", *symbol));
    } else {
      module_.schedules().define(id, *value);
    }
  }

  void callee() {
    take();
    auto builtin = name();
    if (!builtin) return;
    std::optional<Op> approximated;
    if (accept("approximates")) {
      const Token stated = token();
      take();
      approximated = op_named(stated.text);
      if (!approximated) {
        mistake(stated, fmt::format("`{}` is not an operation of printed IR", stated.text));
        return;
      }
    }
    const Token place = token();
    auto circuit = function();
    if (!circuit) return;
    circuit->builtin = *builtin;
    circuit->approximated = approximated;
    const std::string name(module_.name(circuit->name));
    if (!callees_.try_emplace(name, std::move(*circuit)).second) {
      mistake(place, fmt::format("there is a callee `{}` already", name));
    }
  }

  std::optional<NodeId> call(TypeId type) {
    const Token place = token();
    auto wanted = name();
    if (!wanted) return std::nullopt;
    const auto found = callees_.find(*wanted);
    if (found == callees_.end()) return mistake(place, fmt::format("there is no callee `{}` here", *wanted));
    std::vector<NodeId> arguments;
    do {
      auto each = operand();
      if (!each) return each;
      arguments.push_back(*each);
    } while (accept(","));
    const Function& circuit = found->second;
    if (arguments.size() != circuit.parameters.size()) {
      return mistake(place, fmt::format("`{}` takes {} arguments and is given {}", *wanted, circuit.parameters.size(),
                                        arguments.size()));
    }
    // Extents are in the callee's own dimensions, so only the kind, the scalar and the rank can be compared here.
    const auto alike = [&](TypeId a, TypeId b) {
      const Type &x = module_.types()[a], &y = module_.types()[b];
      return x.kind == y.kind && x.scalar == y.scalar && x.extents.size() == y.extents.size() &&
             x.parts.size() == y.parts.size();
    };
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (alike(module_[arguments[k]].type, circuit.parameters[k].type)) continue;
      return mistake(place, fmt::format("argument {} of `{}` is a `{}` and should be a `{}`", k + 1, *wanted,
                                        type_text(module_, module_[arguments[k]].type),
                                        type_text(module_, circuit.parameters[k].type)));
    }
    if (!alike(type, circuit.result)) {
      return mistake(place, fmt::format("`{}` gives a `{}`", *wanted, type_text(module_, circuit.result)));
    }
    return module_.call(circuit, std::move(arguments), type);
  }

  std::optional<Function> function() {
    const Token place = token();
    if (!expect("fn")) return std::nullopt;
    Function out;
    out.span = place.span;
    out.places = module_.places().make();
    const PlacesGuard placing(module_, out.places);
    auto function_name = name();
    if (!function_name) return std::nullopt;
    out.name = module_.symbol(*function_name);
    if (accept("[")) {
      do {
        auto dimension = name();
        if (!dimension) return std::nullopt;
        out.dimensions.push_back(module_.symbol(*dimension));
      } while (accept(","));
      if (!expect("]")) return std::nullopt;
    }
    if (!expect("(")) return std::nullopt;
    while (!at(")")) {
      if (!out.parameters.empty() && !expect(",")) return std::nullopt;
      Parameter parameter;
      parameter.span = token().span;
      auto parameter_name = name();
      if (!parameter_name || !expect(":")) return std::nullopt;
      auto parameter_type = type();
      if (!parameter_type) return std::nullopt;
      parameter.name = module_.symbol(*parameter_name);
      parameter.type = *parameter_type;
      if (accept("@")) {
        parameter.storage = storage();
        if (!parameter.storage) return std::nullopt;
      }
      out.parameters.push_back(parameter);
    }
    if (!expect(")") || !expect("->")) return std::nullopt;
    auto result_type = result(out.result_storage);
    if (!result_type || (accept("with") && !clauses(out.kernel)) || !expect("{")) return std::nullopt;
    out.result = *result_type;
    const auto stored = [](const std::optional<Storage>& each) { return each.has_value(); };
    if (std::none_of(out.result_storage.begin(), out.result_storage.end(), stored)) out.result_storage.clear();
    while (accept("require")) {
      auto condition = requirement();
      if (!condition) return std::nullopt;
      out.requirements.push_back(std::move(*condition));
    }
    function_ = &out;
    auto body = statements();
    function_ = nullptr;
    if (!body || !expect("}")) return std::nullopt;
    out.body = *body;
    return out;
  }

  /// A type whose tensors may say how they are stored.
  std::optional<TypeId> result(std::vector<std::optional<Storage>>& storages) {
    if (!accept("(")) {
      auto one = type();
      if (!one) return std::nullopt;
      storages.emplace_back();
      if (!accept("@")) return one;
      storages.back() = storage();
      return storages.back() ? one : std::nullopt;
    }
    Nesting nesting(*this);
    if (!nesting) return std::nullopt;
    std::vector<TypeId> parts;
    do {
      if (!parts.empty() && at(")")) break;
      auto part = result(storages);
      if (!part) return std::nullopt;
      parts.push_back(*part);
    } while (accept(","));
    if (!expect(")")) return std::nullopt;
    return module_.types().tuple(std::move(parts));
  }

  bool clauses(KernelClauses& out) {
    do {
      const Token place = token();
      const auto clause = name();
      if (!clause || !expect("(")) return false;
      std::vector<KernelClauses::Side> parts;
      do {
        auto each = part();
        if (!each) return false;
        parts.push_back(std::move(*each));
      } while (accept(","));
      if (!expect(")")) return false;
      if (auto problem = add_clause(out, *clause, parts, place.span)) {
        mistake(place, *problem);
        return false;
      }
    } while (accept(","));
    if (const auto problem = contradiction(out)) {
      mistake(token(), problem->message);
      return false;
    }
    return true;
  }

  /// A number, or a layout.
  std::optional<KernelClauses::Side> part() {
    const Token place = token();
    auto shape = int_tuple();
    if (!shape) return std::nullopt;
    if (!accept(":")) {
      if (shape->is_int()) return KernelClauses::Side{shape->value()};
      return mistake(place, "a layout has strides");
    }
    auto stride = int_tuple();
    if (!stride) return std::nullopt;
    auto made = layout::Layout::make(*shape, *stride);
    if (!made) return mistake(place, made.problem().message);
    return KernelClauses::Side{made->size(), *made};
  }

  std::optional<Storage> storage() {
    Storage out;
    out.span = token().span;
    if (!stages_before(out.stages)) return std::nullopt;
    auto shape = index_tuple();
    if (!shape || !expect(":")) return std::nullopt;
    auto stride = index_tuple();
    if (!stride || !close_stages(out.stages)) return std::nullopt;
    out.layout = {std::move(*shape), std::move(*stride)};
    return out;
  }

  /// `[m, [4, k]]`, or a lone index expression.
  std::optional<IndexTuple> index_tuple() {
    if (!accept("[")) {
      auto leaf = index_operand();
      if (!leaf) return std::nullopt;
      return IndexTuple{*leaf, {}};
    }
    Nesting nesting(*this);
    if (!nesting) return std::nullopt;
    IndexTuple out;
    do {
      auto element = index_tuple();
      if (!element) return std::nullopt;
      out.elements.push_back(std::move(*element));
    } while (accept(","));
    if (!expect("]")) return std::nullopt;
    return out;
  }

  std::optional<Requirement> requirement() {
    Requirement out;
    const Token place = token();
    auto left = index_operand();
    if (!left || !expect("==")) return std::nullopt;
    auto right = index_operand();
    if (!right || !expect("else")) return std::nullopt;
    const auto code = token().kind == Kind::name ? code_named(token().text) : std::nullopt;
    if (!code) return fail("the code of a diagnostic");
    take();
    if (token().kind != Kind::string) return fail("a message in quotes");
    out.left = *left;
    out.right = *right;
    out.diagnostic = Diagnostic(*code, place.span, detail::unquote(take().text));
    return out;
  }

  // ------------------------------------------------------------------------------------------------ statements

  /// Up to and with `yield`.
  std::optional<NodeId> statements() {
    Nesting nesting(*this);
    if (!nesting) return std::nullopt;
    std::vector<std::string> here;
    while (token().kind == Kind::value) {
      const Token value_name = take();
      if (!expect(":")) return std::nullopt;
      auto value_type = type();
      if (!value_type || !expect("=")) return std::nullopt;
      auto made = value(*value_type);
      if (!made) return std::nullopt;
      if (module_[*made].type != *value_type) {
        return mistake(value_name,
                       fmt::format("`{}` is said to be `{}` and is `{}`", value_name.text,
                                   type_text(module_, *value_type), type_text(module_, module_[*made].type)));
      }
      if (!values_.try_emplace(std::string(value_name.text), *made).second) {
        return mistake(value_name, fmt::format("`{}` has a value already", value_name.text));
      }
      here.emplace_back(value_name.text);
      module_.places().put(*made, value_name.span);
    }
    if (!expect("yield")) return std::nullopt;
    auto out = operand();
    for (const std::string& each : here) values_.erase(each);
    return out;
  }

  std::optional<NodeId> region() {
    if (!expect("{")) return std::nullopt;
    auto out = statements();
    if (!out || !expect("}")) return std::nullopt;
    return out;
  }

  std::optional<NodeId> value(TypeId type) {
    const Token head = token();
    if (head.kind != Kind::name) return fail("an operation");
    take();
    if (head.text == "random") return source(Source::Kind::uniform, type);
    if (head.text == "normal") return source(Source::Kind::normal, type);
    if (head.text == "lcg") return source(Source::Kind::lcg, type);
    if (head.text == "load") return source(Source::Kind::file, type);
    if (head.text == traits(Op::call).spelling) return call(type);
    const auto op = op_named(head.text);
    if (op == Op::map) return map();
    if (op == Op::at) return element_at();
    if (op == Op::reduce || op == Op::scan) return fold(*op);
    if (op == Op::loop) return loop();
    if (!op || !(is_scalar_operation(*op) || op == Op::tuple || op == Op::array)) {
      return mistake(head, fmt::format("`{}` is not an operation of printed IR", head.text));
    }
    std::vector<NodeId> operands;
    do {
      auto each = operand();
      if (!each) return each;
      operands.push_back(*each);
    } while (accept(","));
    if (op == Op::tuple) return module_.tuple(std::move(operands));
    if (op == Op::array) return array(head, type, std::move(operands));
    std::vector<TypeId> types;
    for (NodeId each : operands) types.push_back(module_[each].type);
    if (auto problem = operand_problem(module_, *op, types, type)) return mistake(head, *problem);
    if (traits(*op).result == ResultRule::cast) return module_.cast(*op, operands[0], module_.types()[type].scalar);
    return module_.apply(*op, std::move(operands));
  }

  std::optional<NodeId> array(const Token& head, TypeId type, std::vector<NodeId> elements) {
    std::vector<std::int64_t> shape;
    mpz_class size = 1;
    for (IndexId extent : module_.types()[type].extents) {
      const auto known = module_.indices().as_constant(extent);
      if (!known || *known < 0) return mistake(head, "an array's extents must be constants, not negative");
      shape.push_back(*known);
      size *= mpz_class(static_cast<long>(*known));
    }
    const Type first = module_.type(elements[0]);
    const bool alike = std::all_of(elements.begin(), elements.end(),
                                   [&](NodeId each) { return module_[each].type == module_[elements[0]].type; });
    if (shape.empty() || size != elements.size() || first.kind != TypeKind::scalar || !alike) {
      return mistake(head,
                     fmt::format("these {} elements do not make a `{}`", elements.size(), type_text(module_, type)));
    }
    return module_.array(std::move(elements), std::move(shape));
  }

  std::optional<NodeId> source(Source::Kind kind, TypeId type) {
    Source out;
    out.kind = kind;
    if (!expect("(")) return std::nullopt;
    if (kind == Source::Kind::file) {
      if (token().kind != Kind::string) return fail("a path in quotes");
      out.path = detail::unquote(take().text);
    } else if (!at(")")) {
      auto seed = index();
      if (!seed) return std::nullopt;
      out.seed = *seed;
    }
    if (!expect(")")) return std::nullopt;
    return module_.source(std::move(out), type);
  }

  struct Binding {
    std::string name;
    VariableId variable;
    IndexId extent;
  };

  /// `%0 < n`. The variable is in scope only after `bind`, because a binder's extents are outside of its scope.
  std::optional<Binding> binding() {
    if (token().kind != Kind::variable) return fail("a variable");
    Binding out{std::string(take().text), module_.fresh_variable(), {}};
    if (!expect("<")) return std::nullopt;
    auto extent = index_operand();
    if (!extent) return std::nullopt;
    out.extent = *extent;
    return out;
  }

  bool bind(const Token& place, const Binding& binding) {
    if (!operands_.contains(binding.name) && variables_.try_emplace(binding.name, binding.variable).second) return true;
    mistake(place, fmt::format("`{}` is bound already", binding.name));
    return false;
  }

  std::optional<NodeId> map() {
    const Token place = token();
    std::vector<Binding> bindings;
    do {
      auto each = binding();
      if (!each) return std::nullopt;
      bindings.push_back(*each);
    } while (accept(","));
    std::vector<VariableId> variables;
    std::vector<IndexId> extents;
    for (const Binding& each : bindings) {
      if (!bind(place, each)) return std::nullopt;
      variables.push_back(each.variable);
      extents.push_back(each.extent);
    }
    auto body = region();
    for (const Binding& each : bindings) unbind(each.name);
    if (!body) return body;
    if (module_.type(*body).kind != TypeKind::scalar) return mistake(place, "the body of a `map` must be a scalar");
    return module_.map(std::move(variables), std::move(extents), *body);
  }

  /// `at %0 < n = %v1 { yield x[%0] }`
  std::optional<NodeId> element_at() {
    const Token place = token();
    auto index = binding();
    if (!index || !expect("=")) return std::nullopt;
    auto value = operand();
    if (!value || !bind(place, *index)) return std::nullopt;
    auto body = region();
    unbind(index->name);
    if (!body) return body;
    const Type of_value = module_.type(*value);
    if (of_value.kind != TypeKind::scalar || !is_integer(of_value.scalar)) {
      return mistake(place, "the value of an `at` must be an integer");
    }
    if (module_.type(*body).kind != TypeKind::scalar) return mistake(place, "the body of an `at` must be a scalar");
    return module_.at(index->variable, index->extent, *body, *value);
  }

  /// `loop %0 < n with %1 = x { yield %v0 }`
  std::optional<NodeId> loop() {
    const Token place = token();
    auto index = binding();
    if (!index || !expect("with")) return std::nullopt;
    if (token().kind != Kind::variable) return fail("a variable");
    const std::string state_name(take().text);
    if (!expect("=")) return std::nullopt;
    auto start = operand();
    if (!start) return start;
    const TypeId type = module_[*start].type;
    if (!is_loop_state(module_, type)) return mistake(place, loop_state_rule);
    const VariableId state = module_.fresh_variable();
    if (variables_.contains(state_name) || !operands_.try_emplace(state_name, module_.operand(state, type)).second) {
      return mistake(place, fmt::format("`{}` is bound already", state_name));
    }
    if (!bind(place, *index)) return std::nullopt;
    auto next = region();
    unbind(index->name);
    operands_.erase(state_name);
    if (!next) return next;
    if (module_[*next].type != type) return mistake(place, "the states of a `loop` must be of one type");
    return module_.loop({index->variable, index->extent, state, *next, *start});
  }

  std::optional<NodeId> fold(Op op) {
    Module::Fold out;
    const bool user = token().kind == Kind::variable;
    if (!user) {
      const auto operation = token().kind == Kind::name ? op_named(token().text) : std::nullopt;
      const bool usable = operation == Op::add || operation == Op::mul || operation == Op::min || operation == Op::max;
      if (!usable) return fail("`add`, `mul`, `min`, `max` or a variable");
      out.operation = *operation;
      take();
    }
    const Token place = token();
    auto index = binding();
    if (!index || !expect("by")) return std::nullopt;
    auto order = whole_schedule();
    if (!order || !bind(place, *index)) return std::nullopt;
    auto body = region();
    unbind(index->name);
    if (!body) return body;
    out.variable = index->variable;
    out.extent = index->extent;
    out.schedule = *order;
    out.body = *body;
    const TypeId body_type = module_[*body].type;
    if (!foldable(body_type)) return mistake(place, "the body of a reduction must be a scalar or a tuple of scalars");
    if (!user && !is_number(body_type)) return mistake(place, "only numbers can be added, multiplied or compared");
    if (user) {
      auto operation = user_operation(out, body_type);
      if (!operation) return operation;
      if (module_[*operation].type != body_type) {
        return mistake(place, "the operation of a reduction must give what it takes");
      }
      out.user_operation = *operation;
    }
    if (op == Op::reduce && accept("else")) {
      auto otherwise = operand();
      if (!otherwise) return otherwise;
      if (module_[*otherwise].type != body_type) return mistake(place, "what `else` gives has another type");
      out.otherwise = *otherwise;
    }
    return op == Op::reduce ? module_.reduce(out) : module_.scan(out);
  }

  std::optional<NodeId> user_operation(Module::Fold& fold, TypeId type) {
    if (!expect("with")) return std::nullopt;
    std::vector<std::string> names;
    for (VariableId* variable : {&fold.left, &fold.right}) {
      if (!names.empty() && !expect(",")) return std::nullopt;
      if (token().kind != Kind::variable) return fail("a variable");
      const Token place = take();
      *variable = module_.fresh_variable();
      const NodeId node = module_.operand(*variable, type);
      if (variables_.contains(place.text) || !operands_.try_emplace(std::string(place.text), node).second) {
        return mistake(place, fmt::format("`{}` is bound already", place.text));
      }
      names.emplace_back(place.text);
    }
    auto out = region();
    for (const std::string& each : names) operands_.erase(each);
    return out;
  }

  bool is_number(TypeId id) const {
    const Type& type = module_.types()[id];
    return type.kind == TypeKind::scalar && is_numeric(type.scalar);
  }

  bool foldable(TypeId id) const {
    const Type& type = module_.types()[id];
    return type.kind == TypeKind::scalar ||
           (type.kind == TypeKind::tuple && std::all_of(type.parts.begin(), type.parts.end(), [&](TypeId part) {
              return module_.types()[part].kind == TypeKind::scalar;
            }));
  }

  // -------------------------------------------------------------------------------------------------- operands

  std::optional<NodeId> operand() {
    auto out = base();
    while (out && (at("[") || at("."))) {
      const Token sign = take();
      const Type type = module_.type(*out);
      if (sign.text == ".") {
        auto part = integer();
        if (!part) return std::nullopt;
        if (type.kind != TypeKind::tuple || *part >= static_cast<std::int64_t>(type.parts.size())) {
          return mistake(sign, fmt::format("a value of type `{}` has no part {}",
                                           type_text(module_, module_[*out].type), *part));
        }
        out = module_.get(*out, static_cast<std::uint32_t>(*part));
        continue;
      }
      std::vector<IndexId> subscripts;
      do {
        auto each = index();
        if (!each) return std::nullopt;
        subscripts.push_back(*each);
      } while (accept(","));
      if (!expect("]")) return std::nullopt;
      if (type.kind != TypeKind::tensor || type.extents.size() != subscripts.size()) {
        return mistake(sign, fmt::format("a value of type `{}` has no elements with {} subscripts",
                                         type_text(module_, module_[*out].type), subscripts.size()));
      }
      out = module_.element(*out, std::move(subscripts));
      module_.places().put(*out, sign.span);
    }
    return out;
  }

  std::optional<NodeId> base() {
    const Token first = token();
    switch (first.kind) {
      case Kind::value: {
        take();
        auto found = values_.find(first.text);
        if (found == values_.end()) return mistake(first, fmt::format("`{}` has no value here", first.text));
        return found->second;
      }
      case Kind::variable: {
        take();
        auto found = operands_.find(first.text);
        if (found == operands_.end()) {
          return mistake(first, fmt::format("`{}` is not an operand of an operation around", first.text));
        }
        return found->second;
      }
      case Kind::bits: return bits();
      case Kind::name:
        if (first.text == "true" || first.text == "false") {
          take();
          Literal truth;
          truth.kind = Literal::Kind::boolean;
          truth.bits = first.text == "true";
          return module_.literal(truth, Scalar::boolean);
        }
        if (auto scalar = scalar_named(first.text)) {
          take();
          if (accept("(")) return literal(*scalar);
          return expect("{") ? index_leaf(*scalar) : std::nullopt;
        }
        [[fallthrough]];
      case Kind::string: return parameter(first, *name());
      default: break;
    }
    if (!accept("@")) return fail("a value");
    const Token place = token();
    auto position = integer();
    if (!position) return std::nullopt;
    if (*position >= static_cast<std::int64_t>(function_->parameters.size())) {
      return mistake(place, fmt::format("there is no parameter {}", *position));
    }
    return module_.parameter(static_cast<std::uint32_t>(*position), function_->parameters[*position].type);
  }

  std::optional<NodeId> parameter(const Token& place, const std::string& wanted) {
    const auto& all = function_->parameters;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Parameter& each) { return module_.name(each.name) == wanted; });
    if (found == all.end()) return mistake(place, fmt::format("there is no parameter `{}`", wanted));
    return module_.parameter(static_cast<std::uint32_t>(found - all.begin()), found->type);
  }

  std::optional<NodeId> index_leaf(Scalar scalar) {
    auto value = index();
    if (!value || !expect("}")) return std::nullopt;
    return scalar == Scalar::boolean ? module_.index_condition(*value) : module_.index_value(*value, scalar);
  }

  std::optional<NodeId> bits() {
    auto out = bit_pattern();
    if (!out) return std::nullopt;
    return module_.literal(std::move(out->first), out->second);
  }

  std::optional<NodeId> literal(Scalar scalar) {
    auto out = literal_of(scalar);
    if (!out) return std::nullopt;
    return module_.literal(std::move(*out), scalar);
  }

  const Function* function_ = nullptr;
  std::map<std::string, Function, std::less<>> callees_;  ///< by name
  std::map<std::string, NodeId, std::less<>> values_;    ///< named values in scope
  std::map<std::string, NodeId, std::less<>> operands_;  ///< operands of the enclosing operations
};

}  // namespace

Expected<std::vector<Function>> parse_ir(Module& module, std::string_view text, std::uint32_t file) {
  CircuitParser parser(module, text, file);
  std::vector<Function> functions = parser.text();
  if (parser.error) return *parser.error;
  return functions;
}

}  // namespace reckon::ir
