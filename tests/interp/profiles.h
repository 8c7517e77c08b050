// Accuracy profiles made by hand, until the language has them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/op.h"
#include "ir/profile.h"
#include "tests/interp/powers.h"

namespace reckon::interp::testing {

using ir::Accuracy;
using ir::NodeId;
using ir::Op;
using ir::Scalar;

inline ir::Literal number(const mpq_class& value) {
  ir::Literal literal;
  literal.value = value;
  return literal;
}

inline ir::Amount constant(const mpq_class& value) { return {{{ir::Amount::Kind::constant, value, 0}}}; }
/// a + b |x|, x the first argument.
inline ir::Amount linear(int a, int b) {
  using Kind = ir::Amount::Kind;
  return {{{Kind::constant, a, 0},
           {Kind::constant, b, 0},
           {Kind::argument, 0, 0},
           {Kind::abs, 0, 0},
           {Kind::mul, 0, 0},
           {Kind::add, 0, 0}}};
}

inline ir::Domain domain(std::uint32_t argument, ir::Literal low, ir::Literal high, bool magnitude = false) {
  ir::Domain out;
  out.argument = argument;
  out.magnitude = magnitude;
  out.ranges.push_back({std::move(low), std::move(high), false, false});
  return out;
}

inline ir::Piece piece(Accuracy::Kind kind, ir::Amount amount = {}, std::vector<ir::Domain> domains = {}) {
  return {std::move(domains), {kind, std::move(amount), {}, {}}};
}
inline ir::Piece named(Accuracy::Kind kind, std::string name, std::vector<ir::Domain> domains = {}) {
  return {std::move(domains), {kind, {}, std::move(name), {}}};
}

/// Nodes of a circuit in one format.
struct Build {
  ir::Module& module;
  Scalar scalar;
  std::vector<NodeId> parameters;

  NodeId operator()(Op op, std::vector<NodeId> operands) const { return module.apply(op, std::move(operands)); }
  NodeId literal(const mpq_class& value) const { return module.rational(value, scalar); }
  NodeId add(NodeId a, NodeId b) const { return module.apply(Op::add, {a, b}); }
  NodeId sub(NodeId a, NodeId b) const { return module.apply(Op::sub, {a, b}); }
  NodeId mul(NodeId a, NodeId b) const { return module.apply(Op::mul, {a, b}); }
  NodeId div(NodeId a, NodeId b) const { return module.apply(Op::div, {a, b}); }
  NodeId of(Op op, NodeId a) const { return module.apply(op, {a}); }
  NodeId operator[](std::size_t k) const { return parameters[k]; }
};

struct ProfileBuilder {
  std::shared_ptr<ir::Profile> profile = std::make_shared<ir::Profile>();
  std::shared_ptr<ir::Module> module = std::make_shared<ir::Module>();

  void rule(std::string_view operation, Scalar scalar, std::vector<ir::Choice> choices, bool hull = false) {
    profile->rules[{std::string(operation), scalar}] = ir::Rule{std::move(choices), hull, {}};
  }
  void rule(Op op, Scalar scalar, std::vector<ir::Piece> pieces) {
    rule(ir::traits(op).spelling, scalar, {{std::move(pieces)}});
  }
  /// Named `name.format`.
  std::string circuit(std::string_view name, Scalar scalar, std::size_t arity,
                      const std::function<NodeId(const Build&)>& body) {
    ir::Function function;
    const std::string full = std::string(name) + "." + std::string(ir::scalar_name(scalar));
    function.name = module->symbol(full);
    Build build{*module, scalar, {}};
    for (std::size_t k = 0; k < arity; ++k) {
      const ir::TypeId type = module->types().scalar(scalar);
      function.parameters.push_back({module->symbol("x" + std::to_string(k)), type, {}});
      build.parameters.push_back(module->parameter(static_cast<std::uint32_t>(k), type));
    }
    function.body = body(build);
    function.result = (*module)[function.body].type;
    module->functions().push_back(function);
    return full;
  }
  /// The accuracy of an operation inherited from a circuit.
  void inherit(Op op, Scalar scalar, const std::function<NodeId(const Build&)>& body) {
    const std::string name =
        circuit(ir::traits(op).spelling, scalar, static_cast<std::size_t>(ir::traits(op).arity), body);
    rule(op, scalar, {named(Accuracy::Kind::circuit, name)});
  }
  std::shared_ptr<const ir::Profile> done() {
    profile->circuits = module;
    return profile;
  }
};

}  // namespace reckon::interp::testing
