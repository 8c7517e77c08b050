#include "prove/reader.h"

#include <cmath>

#include "ir/integer.h"
#include "ir/op.h"
#include "ir/stated_range.h"
#include "ir/word_range.h"
#include "numerics/format.h"
#include "prove/binders.h"
#include "prove/conditions.h"
#include "prove/functions.h"
#include "prove/indices.h"

namespace reckon::ir::normal {
namespace {

constexpr int deepest_operation = 1500;  ///< limit for operations within operations
constexpr std::int64_t most_rounds = 8;  ///< of a loop that is written out
constexpr std::uint32_t source_mark = std::uint32_t{1} << 31;

}  // namespace

PolynomialId Reader::scalar(NodeId id) {
  if (terms_.failed()) return terms_.zero();
  if (auto found = done_.find(id); found != done_.end()) return found->second;
  if (depth_ > deepest_operation) return terms_.fail();
  ++depth_;
  const PolynomialId out = read(id, Node(module_[id]));
  --depth_;
  return done_[id] = out;
}

NodeId Reader::part_of(NodeId id, std::uint32_t part) {
  return module_.type(id).kind == TypeKind::tuple ? module_.get(id, part) : id;
}

PolynomialId Reader::read(NodeId id, const Node& node) {
  const Type& type = module_.types()[node.type];
  if (type.kind == TypeKind::scalar && is_integer(type.scalar)) return word(id, node);
  switch (node.op) {
    case Op::literal: return literal(node);
    case Op::parameter:
    case Op::source: return element(id, {});
    case Op::index_value: return number(terms_, simplified(terms_, node.indices[0]));
    case Op::index_condition: return condition(terms_, simplified(terms_, node.indices[0]));
    case Op::operand: return operand(node.variables[0], 0);
    case Op::element: return element(node.operands[0], node.indices);
    case Op::reduce: return fold(id, node.indices[0], 0);
    case Op::at: return opaque(id);
    case Op::get: {
      const Node of = module_[node.operands[0]];
      if (of.op == Op::operand) return operand(of.variables[0], node.attribute);
      if (of.op == Op::reduce) return fold(node.operands[0], of.indices[0], node.attribute);
      if (of.op == Op::loop) {
        if (const auto last = written_out(node.operands[0])) return scalar(part_of(*last, node.attribute));
      }
      return opaque(id);
    }
    default: break;
  }
  if (!is_scalar_operation(node.op)) return terms_.fail();
  if (node.op == Op::add || node.op == Op::sub) return chain(node);
  if (node.op == Op::select) {
    // A choice that may be NaN has the other value wherever it has one.
    for (const std::size_t side : {1u, 2u}) {
      if (is_nan(node.operands[side])) return scalar(node.operands[3 - side]);
    }
  }
  return of_operands(node);
}

bool Reader::is_nan(NodeId id) const {
  const Node& node = module_[id];
  if (node.op != Op::literal) return false;
  const Literal value = module_.literal_of(node);
  if (value.kind != Literal::Kind::bits) return value.kind == Literal::Kind::not_a_number;
  const Scalar scalar = module_.types()[node.type].scalar;
  return is_float(scalar) && numerics::is_nan(value.bits, format_of(scalar));
}

PolynomialId Reader::of_operands(const Node& node) {
  std::vector<PolynomialId> operands;
  for (NodeId each : node.operands) operands.push_back(scalar(each));
  return apply(terms_, node.op, operands);
}

PolynomialId Reader::word(NodeId id, const Node& node) {
  const Scalar type = module_.types()[node.type].scalar;
  switch (node.op) {
    case Op::literal: {
      const Literal value = module_.literal_of(node);
      return is_word(value, type) ? terms_.constant(value.value) : terms_.fail();
    }
    case Op::parameter:
    case Op::source: return element(id, {});
    case Op::element: {
      // The prefixes of sums of words wrap.
      const Op of = module_[node.operands[0]].op;
      return of == Op::scan || of == Op::get ? opaque(id) : element(node.operands[0], node.indices);
    }
    case Op::index_value:
      return is_word(module_, node.indices[0], type) ? number(terms_, simplified(terms_, node.indices[0])) : opaque(id);
    case Op::at: return ir::states_range(module_, id) ? scalar(node.operands[1]) : opaque(id);
    case Op::min:
    case Op::max:
    case Op::clamp:
    case Op::select: return of_operands(node);
    case Op::convert: {  // a type that has every number of the other one
      const Scalar from = module_.type(node.operands[0]).scalar;
      const bool widens =
          is_integer(from) && has_integer(type, least_integer(from)) && has_integer(type, greatest_integer(from));
      return widens ? scalar(node.operands[0]) : opaque(id);
    }
    default: return opaque(id);
  }
}

PolynomialId Reader::chain(Node node) {
  std::vector<std::pair<PolynomialId, int>> parts;
  for (;;) {
    parts.emplace_back(scalar(node.operands[1]), node.op == Op::add ? 1 : -1);
    const NodeId next = node.operands[0];
    const Op op = module_[next].op;
    if ((op != Op::add && op != Op::sub) || done_.contains(next)) {
      parts.emplace_back(scalar(next), 1);
      return terms_.add(parts);
    }
    node = module_[next];
  }
}

PolynomialId Reader::literal(const Node& node) {
  const Literal value = module_.literal_of(node);
  switch (value.kind) {
    case Literal::Kind::rational: return terms_.constant(value.value);
    case Literal::Kind::boolean: return value.bits ? terms_.one() : terms_.zero();
    case Literal::Kind::bits: {
      const double widened = numerics::widen(value.bits, format_of(module_.types()[node.type].scalar));
      return std::isfinite(widened) ? terms_.constant(mpq_class(widened)) : terms_.fail();
    }
    case Literal::Kind::real: {
      const PolynomialId two = terms_.constant(2);
      PolynomialId of = terms_.one();
      switch (value.constant) {
        case RealConstant::one: break;
        case RealConstant::pi: of = terms_.atom({.kind = AtomKind::pi}); break;
        case RealConstant::e: of = terms_.exp(terms_.one()); break;
        case RealConstant::ln2: of = log(terms_, two); break;
        case RealConstant::log2e: of = terms_.inverse(log(terms_, two)); break;
      }
      return terms_.scale(of, value.value);
    }
    default: return terms_.fail();  // infinities and NaN are no reals
  }
}

PolynomialId Reader::operand(VariableId variable, std::uint32_t part) {
  return terms_.atom({.kind = AtomKind::operand,
                      .attribute = variable.index,
                      .indices = {terms_.indices().constant(static_cast<std::int64_t>(part))}});
}

PolynomialId Reader::opaque(NodeId id) {
  Module::Substitution put_in;
  std::vector<IndexId> values;
  for (VariableId variable : std::vector<VariableId>(module_.free_variables(id))) {
    if (operands_.contains(variable)) return terms_.fail();
    if (values.size() == places_.size()) places_.push_back(module_.fresh_variable());
    put_in.indices.variables[variable] = terms_.indices().variable(places_[values.size()]);
    values.push_back(terms_.indices().variable(variable));
  }
  const NodeId renamed = module_.substitute(id, put_in);
  return of_type(module_.type(id).scalar,
                 {.kind = AtomKind::opaque, .attribute = renamed.index, .indices = std::move(values)});
}

/// A truth value is any number's being above 0, so that all that is known of conditions holds of it, and it has cases.
PolynomialId Reader::of_type(Scalar type, Atom atom) {
  const PolynomialId number = terms_.atom(std::move(atom));
  return type == Scalar::boolean ? positive(terms_, number) : number;
}

PolynomialId Reader::element(NodeId tensor, const std::vector<IndexId>& subscripts) {
  if (terms_.failed()) return terms_.zero();
  const Node node = module_[tensor];
  std::vector<IndexId> tidied;
  for (IndexId each : subscripts) tidied.push_back(simplified(terms_, each));
  switch (node.op) {
    case Op::parameter:
      if (module_.types()[node.type].kind == TypeKind::tuple) return terms_.fail();
      return of_type(module_.types()[node.type].scalar,
                     {.kind = AtomKind::element, .attribute = node.attribute, .indices = std::move(tidied)});
    case Op::source:
      if (!module_.free_variables(tensor).empty()) return terms_.fail();
      return of_type(module_.types()[node.type].scalar, {.kind = AtomKind::element,
                                                         .attribute = source_mark | tensor.index,
                                                         .indices = std::move(tidied)});
    case Op::map: {
      Module::Substitution put_in;
      for (std::size_t k = 0; k < tidied.size(); ++k) put_in.indices.variables[node.variables[k]] = tidied[k];
      return scalar(module_.substitute(node.operands[0], put_in));
    }
    case Op::scan: return fold(tensor, terms_.indices().add(tidied[0], terms_.indices().constant(1)), 0);
    case Op::loop:
      if (const auto last = written_out(tensor)) return element(*last, tidied);
      return opaque(module_.element(tensor, std::move(tidied)));
    case Op::get: {
      const Op of = module_[node.operands[0]].op;
      if (of == Op::loop) {
        if (const auto last = written_out(node.operands[0])) return element(part_of(*last, node.attribute), tidied);
        return opaque(module_.element(tensor, std::move(tidied)));
      }
      if (of != Op::scan) return terms_.fail();
      return fold(node.operands[0], terms_.indices().add(tidied[0], terms_.indices().constant(1)), node.attribute);
    }
    case Op::array: {
      Atom atom{.kind = AtomKind::lookup};
      for (NodeId each : node.operands) atom.parts.push_back(scalar(each));
      atom.indices = std::move(tidied);
      for (IndexId extent : std::vector<IndexId>(module_.type(tensor).extents)) atom.indices.push_back(extent);
      return lookup(terms_, std::move(atom));
    }
    default: return terms_.fail();
  }
}

std::optional<NodeId> Reader::written_out(NodeId loop) {
  const Node node = module_[loop];
  const auto rounds = module_.indices().as_constant(simplified(terms_, node.indices[0]));
  if (!rounds || *rounds > most_rounds) return std::nullopt;
  NodeId state = node.operands[1];
  for (std::int64_t round = 0; round < *rounds; ++round) {
    state = module_.substitute(node.operands[0], {{{}, {{node.variables[0], module_.indices().constant(round)}}},
                                                  {{node.variables[1], state}},
                                                  {}});
  }
  return state;
}

PolynomialId Reader::fold(NodeId id, IndexId leaves, std::uint32_t part) {
  Node node = module_[id];
  module_.open(node);
  const Reduction reduction = module_.reduction_of(node);
  leaves = simplified(terms_, leaves);
  const Binder binder{node.variables[0], leaves, true};
  terms_.set_range(binder.variable, leaves);
  if (reduction.user) {
    const auto found = user_fold(node, leaves, part);
    if (terms_.failed()) return terms_.zero();
    if (found) return otherwise(node, leaves, part, *found);
    // The number of leaves of a scan's element follows from its subscript.
    if (node.op == Op::reduce) return opaque(part_of(id, part));
    return opaque(
        module_.element(part_of(id, part), {terms_.indices().subtract(leaves, terms_.indices().constant(1))}));
  }
  const PolynomialId body = scalar(node.operands[0]);
  const std::size_t rest = operands_inside(module_, node);
  const auto neutral = [&](PolynomialId value) {
    return reduction.has_otherwise && scalar(node.operands[rest]) == value;
  };
  switch (reduction.operation) {
    case Op::add:
      if (neutral(terms_.zero())) return sum(terms_, {{binder.variable, leaves, false}}, body);
      return otherwise(node, leaves, part, sum(terms_, {binder}, body));
    case Op::mul:
      if (neutral(terms_.one())) return product(terms_, {binder}, body);
      return otherwise(node, leaves, part, product(terms_, {binder}, body));
    case Op::max: return otherwise(node, leaves, part, supremum(terms_, {binder}, body));
    case Op::min: {
      const PolynomialId least = terms_.negate(supremum(terms_, {binder}, terms_.negate(body)));
      return otherwise(node, leaves, part, least);
    }
    default: return terms_.fail();
  }
}

PolynomialId Reader::otherwise(const Node& node, IndexId leaves, std::uint32_t part, PolynomialId folded) {
  const Reduction reduction = module_.reduction_of(node);
  const auto known = terms_.indices().as_constant(leaves);
  if (!reduction.has_otherwise || (known && *known > 0)) return folded;
  const PolynomialId empty = positive(terms_, terms_.subtract(terms_.one(), number(terms_, leaves)));
  return select(terms_, empty, scalar(part_of(node.operands.back(), part)), folded);
}

}  // namespace reckon::ir::normal
