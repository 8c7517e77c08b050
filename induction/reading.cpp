#include "induction/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "ir/visit.h"
#include "numerics/format.h"
#include "verify/check.h"

namespace reckon::ir::steps {

using proof::TermKind;
using proof::TermRef;

namespace {

constexpr int deepest = 200;
constexpr std::int64_t most_written = 64;         ///< terms of a sum, where sums are written out
constexpr std::int64_t far = std::int64_t{1} << 62;  ///< no index is larger

/// Whether the checker's arithmetic alone shows that two terms are equal.
bool plainly_equal(const proof::Proof& context, const TermRef& a, const TermRef& b) {
  proof::Proof all = context;
  all.steps = {{.rule = proof::Rule::combine, .conclusion = {a, proof::Relation::equal, b}}};
  all.statement = all.steps[0].conclusion;
  return !verify::check(all);
}

}  // namespace

std::set<SymbolId> not_empty(Module& module, const std::vector<NodeId>& bodies,
                             const std::vector<SymbolId>& dimensions) {
  std::set<SymbolId> out;
  visit_nodes(module, bodies, [&](NodeId id) {
    const Node& node = module[id];
    if (node.op != Op::reduce || module.reduction_of(node).has_otherwise) return;
    for (const SymbolId each : dimensions) {
      IndexEnvironment sizes;
      for (const SymbolId other : dimensions) sizes.dimensions[other] = other == each ? 0 : 1;
      const auto extent = module.indices().evaluate(node.indices[0], sizes);
      if (extent && *extent <= 0) out.insert(each);
    }
  });
  return out;
}

Reading::Reading(Module& module, const Function& like, const std::set<SymbolId>& least, proof::Proof& proof,
                 bool writes_out)
    : module_(module), like_(like), proof_(proof), writes_out_(writes_out) {
  for (const SymbolId symbol : like.dimensions) {
    const std::string name = fresh(std::string(module.name(symbol)));
    proof_.variables.push_back({.name = name, .least = least.contains(symbol) ? 1 : 0});
  }
  for (const Parameter& each : like.parameters) inputs_.push_back(fresh(std::string(module.name(each.name))));
}

std::string Reading::fresh(const std::string& like) {
  std::string clean;
  for (const char c : like) clean += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  if (clean.empty() || !std::isalpha(static_cast<unsigned char>(clean[0]))) clean = "v" + clean;
  std::string out = clean;
  for (int k = 1; !taken_.insert(out).second; ++k) out = fmt::format("{}{}", clean, k);
  return out;
}

void Reading::name(VariableId variable, IndexId count, bool is_bound) {
  const std::string name = fresh("i");
  names_[variable] = name;
  const TermRef below = index(count);
  proof_.variables.push_back({.name = name, .below = below});
  ranges_[variable] = {0, far};
  if (is_bound) ++inside_;
}

std::optional<VariableId> Reading::place(IndexId extent) {
  if (!index(extent)) return {};
  const VariableId out = module_.fresh_variable();
  name(out, extent, false);
  return out;
}

TermRef Reading::index(IndexId id) {
  const IndexNode node = module_.indices()[id];
  const auto operand = [&](std::size_t k) { return index(node.operands[k]); };
  switch (node.op) {
    case IndexOp::constant: return proof::number(static_cast<long>(node.value));
    case IndexOp::dimension: {
      for (std::size_t k = 0; k < like_.dimensions.size(); ++k) {
        if (like_.dimensions[k] == node.symbol) return proof::variable(proof_.variables[k].name);
      }
      return nullptr;
    }
    case IndexOp::variable: {
      const auto found = names_.find(node.variable);
      return found == names_.end() ? nullptr : proof::variable(found->second);
    }
    case IndexOp::sum: {
      std::vector<TermRef> parts;
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        const TermRef part = operand(k);
        if (!part) return nullptr;
        const long coefficient = static_cast<long>(node.coefficients[k]);
        parts.push_back(coefficient == 1 ? part : proof::multiply({proof::number(coefficient), part}));
      }
      if (node.value != 0) parts.push_back(proof::number(static_cast<long>(node.value)));
      return parts.size() == 1 ? parts[0] : proof::add(parts);
    }
    case IndexOp::product: {
      std::vector<TermRef> parts;
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        parts.push_back(operand(k));
        if (!parts.back()) return nullptr;
      }
      return proof::multiply(parts);
    }
    case IndexOp::minimum:
    case IndexOp::maximum: {
      // Where the ranges decide which one it is.
      const IndexId difference = module_.indices().subtract(node.operands[0], node.operands[1]);
      std::map<SymbolId, std::int64_t> none;
      const auto range = module_.indices().range(difference, ranges_, none);
      if (!range || (range->low < 0 && range->high > 0)) return nullptr;
      return operand((range->low >= 0) == (node.op == IndexOp::maximum) ? 0 : 1);
    }
    default: return nullptr;
  }
}

TermRef Reading::scalar(NodeId id) {
  if (depth_ > deepest) return nullptr;
  ++depth_;
  TermRef out = read(id, Node(module_[id]));
  --depth_;
  return out;
}

TermRef Reading::read(NodeId id, const Node& node) {
  const Type type = module_.types()[node.type];
  if (type.kind != TypeKind::scalar || !is_float(type.scalar)) return nullptr;
  switch (node.op) {
    case Op::literal: return literal(node);
    case Op::parameter: return element(id, {});
    case Op::index_value: return index(node.indices[0]);
    case Op::element: return element(node.operands[0], node.indices);
    case Op::operand: {
      const auto found = operands_.find(node.variables[0]);
      return found == operands_.end() || found->second.size() != 1 ? nullptr : proof::variable(found->second[0]);
    }
    case Op::reduce: return fold(id, node.indices[0], 0);
    case Op::get: {
      const Node of = module_[node.operands[0]];
      if (of.op == Op::reduce) return fold(node.operands[0], of.indices[0], node.attribute);
      if (of.op != Op::operand) return nullptr;
      const auto found = operands_.find(of.variables[0]);
      return found == operands_.end() ? nullptr : proof::variable(found->second[node.attribute]);
    }
    default: return operation(node);
  }
}

TermRef Reading::element(NodeId tensor, const std::vector<IndexId>& subscripts) {
  const Node node = module_[tensor];
  if (node.op == Op::scan) return fold(tensor, module_.indices().add(subscripts[0], module_.indices().constant(1)), 0);
  if (node.op == Op::get && module_[node.operands[0]].op == Op::scan) {
    return fold(node.operands[0], module_.indices().add(subscripts[0], module_.indices().constant(1)), node.attribute);
  }
  if (node.op == Op::map) {
    Node opened = node;
    module_.open(opened);
    Module::Substitution put_in;
    for (std::size_t k = 0; k < subscripts.size(); ++k) put_in.indices.variables[opened.variables[k]] = subscripts[k];
    return scalar(module_.substitute(opened.operands[0], put_in));
  }
  if (node.op != Op::parameter) return nullptr;
  std::vector<TermRef> places;
  for (const IndexId each : subscripts) {
    places.push_back(index(each));
    if (!places.back()) return nullptr;
  }
  const std::string name = input(node.attribute);
  return places.empty() ? proof::variable(name) : proof::element(name, places);
}

std::string Reading::input(std::uint32_t position) const { return inputs_[position]; }

TermRef Reading::literal(const Node& node) {
  const Literal value = module_.literal_of(node);
  switch (value.kind) {
    case Literal::Kind::rational: return proof::number(value.value);
    case Literal::Kind::bits: {
      const double widened = numerics::widen(value.bits, format_of(module_.types()[node.type].scalar));
      return std::isfinite(widened) ? proof::number(mpq_class(widened)) : nullptr;
    }
    case Literal::Kind::infinity: return value.negative ? proof::call(proof::minus_infinity, {}) : nullptr;
    case Literal::Kind::real: {
      const TermRef ln2 = proof::call("ln2", {});
      TermRef of = proof::number(1);
      switch (value.constant) {
        case RealConstant::one: break;
        case RealConstant::pi: of = proof::call("pi", {}); break;
        case RealConstant::e: of = proof::call("exp", {of}); break;
        case RealConstant::ln2: of = ln2; break;
        case RealConstant::log2e: of = proof::divide(of, ln2); break;
      }
      return proof::multiply({proof::number(value.value), of});
    }
    default: return nullptr;
  }
}

TermRef Reading::divided(const TermRef& a, const TermRef& b) {
  // Indices that are bound have no one value for which a divisor could be excluded.
  if (inside_ == 0 && operands_.empty() && b->kind != TermKind::number) proof_.nonzero.push_back(b);
  return proof::divide(a, b);
}

std::optional<bool> Reading::known(NodeId condition) const {
  const Node& node = module_[condition];
  if (node.op == Op::literal) return module_.literal_of(node).bits != 0;
  if (node.op != Op::index_condition) return {};
  const auto range = module_.indices().range(node.indices[0], ranges_, {});
  if (range && range->low == range->high) return range->low != 0;
  // a == b for a range of a - b without 0.
  const IndexNode& test = module_.indices()[node.indices[0]];
  if (test.op != IndexOp::equal) return {};
  auto& indices = module_.indices();
  const auto apart = indices.range(indices.subtract(test.operands[0], test.operands[1]), ranges_, {});
  if (apart && (apart->low > 0 || apart->high < 0)) return false;
  return {};
}

TermRef Reading::choice(const Node& node) {
  const auto which = known(node.operands[0]);
  return which ? scalar(node.operands[*which ? 1 : 2]) : nullptr;
}

TermRef Reading::operation(const Node& node) {
  if (!is_scalar_operation(node.op)) return nullptr;
  if (node.op == Op::select) return choice(node);
  std::vector<TermRef> of;
  for (const NodeId each : node.operands) {
    of.push_back(scalar(each));
    if (!of.back()) return nullptr;
  }
  switch (node.op) {
    case Op::add: return proof::add({of[0], of[1]});
    case Op::sub: return proof::subtract(of[0], of[1]);
    case Op::mul: return proof::multiply({of[0], of[1]});
    case Op::div: return divided(of[0], of[1]);
    case Op::neg: return proof::negate(of[0]);
    case Op::fma: return proof::add({proof::multiply({of[0], of[1]}), of[2]});
    case Op::convert: return of[0];
    case Op::abs: return proof::call("abs", of);
    case Op::max: return proof::call("max", of);
    case Op::min: return proof::call("min", of);
    case Op::exp: return proof::call("exp", of);
    case Op::exp2: return proof::call("exp", {proof::multiply({of[0], proof::call("ln2", {})})});
    case Op::sqrt: return proof::call("sqrt", of);
    case Op::log: return proof::call("log", of);
    case Op::sin: return proof::call("sin", of);
    case Op::cos: return proof::call("cos", of);
    case Op::tanh: return proof::call("tanh", of);
    default: return nullptr;
  }
}

TermRef Reading::fold(NodeId id, IndexId count, std::uint32_t part) {
  const Node node = module_[id];
  const Reduction reduction = module_.reduction_of(node);
  if (reduction.user) return user_fold(id, node, count, part);
  if (reduction.has_otherwise) {
    // Only what the sum over no values is, as it is in a proof.
    const Node other = module_[node.operands.back()];
    const bool neutral = other.op == Op::literal && module_.literal_of(other).kind == Literal::Kind::rational &&
                         ((reduction.operation == Op::add && module_.literal_of(other).value == 0) ||
                          (reduction.operation == Op::mul && module_.literal_of(other).value == 1));
    if (!neutral) return nullptr;
  }
  const bool adds = reduction.operation == Op::add;
  const auto terms = module_.indices().as_constant(count);
  if (writes_out_ && terms && *terms > 0 && *terms <= most_written && (adds || reduction.operation == Op::mul)) {
    return written_out(node, *terms, adds);
  }
  const TermRef values = index(count);
  if (!values) return nullptr;
  Node opened = node;
  module_.open(opened);
  name(opened.variables[0], count, true);
  const std::string variable = names_.at(opened.variables[0]);
  const TermRef body = scalar(opened.operands[0]);
  --inside_;
  if (!body) return nullptr;
  switch (reduction.operation) {
    case Op::add: return proof::over_range(TermKind::sum, variable, values, body);
    case Op::mul: return proof::over_range(TermKind::product, variable, values, body);
    case Op::max: return proof::over_range(TermKind::largest, variable, values, body);
    case Op::min: return proof::negate(proof::over_range(TermKind::largest, variable, values, proof::negate(body)));
    default: return nullptr;
  }
}

TermRef Reading::written_out(const Node& node, std::int64_t count, bool is_sum) {
  Node opened = node;
  module_.open(opened);
  std::vector<TermRef> terms;
  for (std::int64_t k = 0; k < count; ++k) {
    Module::Substitution put_in;
    put_in.indices.variables[opened.variables[0]] = module_.indices().constant(k);
    terms.push_back(scalar(module_.substitute(opened.operands[0], put_in)));
    if (!terms.back()) return nullptr;
  }
  return is_sum ? proof::add(terms) : proof::multiply(terms);
}

std::optional<std::vector<TermRef>> Reading::parts_of(NodeId id, std::size_t count) {
  std::vector<TermRef> out;
  for (std::size_t k = 0; k < count; ++k) {
    const bool tuple = module_.type(id).kind == TypeKind::tuple;
    out.push_back(scalar(tuple ? module_.get(id, static_cast<std::uint32_t>(k)) : id));
    if (!out.back()) return {};
  }
  return out;
}

TermRef Reading::user_fold(NodeId id, const Node& node, IndexId count, std::uint32_t part) {
  const Reduction reduction = module_.reduction_of(node);
  const TermRef values = index(count);
  if (!values || reduction.has_otherwise) return nullptr;
  if (const auto found = recurrences_.find(id); found == recurrences_.end()) {
    Node opened = node;
    module_.open(opened);
    const std::size_t parts = std::max<std::size_t>(module_.types()[node.type].parts.size(), 1);
    const bool is_tuple = module_.types()[module_[opened.operands[0]].type].kind == TypeKind::tuple;
    const std::size_t width = is_tuple ? module_.types()[module_[opened.operands[0]].type].parts.size() : 1;
    if (node.op == Op::reduce && is_tuple && parts != width) return nullptr;
    proof::Recurrence out;
    out.name = fresh("R");
    out.in_order = module_.schedules()[reduction.schedule].op == ScheduleOp::seq;
    for (const VariableId each : module_.free_variables(id)) {
      const auto found_name = names_.find(each);
      if (found_name == names_.end()) return nullptr;
      out.arguments.push_back(found_name->second);
    }
    const VariableId variable = opened.variables[0];
    out.index = fresh("j");
    proof_.variables.push_back({.name = out.index});
    names_[variable] = out.index;
    ++inside_;
    // Where the first leaf is nothing (-inf), a leaf joins to itself with it: the reduction begins with the next one.
    ranges_[variable] = {0, 0};
    const IndexId zero = module_.indices().constant(0), one = module_.indices().constant(1);
    const auto leaf_at = [&](IndexId at) {
      Module::Substitution put_in;
      put_in.indices.variables[variable] = at;
      return parts_of(module_.substitute(opened.operands[0], put_in), width);
    };
    for (std::size_t k = 0; k < width; ++k) {
      out.left.push_back(fresh(fmt::format("a{}", k)));
      out.right.push_back(fresh(fmt::format("b{}", k)));
    }
    operands_[opened.variables[1]] = out.left;
    operands_[opened.variables[2]] = out.right;
    const auto joined = parts_of(opened.operands[1], width);
    operands_.erase(opened.variables[1]);
    operands_.erase(opened.variables[2]);
    ranges_[variable] = {0, far};
    auto leaf = parts_of(opened.operands[0], width);
    bool skips = false;
    if (joined && !leaf) {
      const auto first = leaf_at(zero), second = leaf_at(one);
      leaf = leaf_at(module_.indices().add(module_.indices().variable(variable), one));
      if (!first || !second || !leaf) leaf.reset();
      for (std::size_t k = 0; leaf && k < width; ++k) {
        proof::Replacement start;
        for (std::size_t l = 0; l < width; ++l) start[out.left[l]] = (*first)[l], start[out.right[l]] = (*second)[l];
        const TermRef value = without_infinities(proof::substitute((*joined)[k], start));
        if (!value || !out.in_order || !plainly_equal(proof_, value, (*second)[k])) leaf.reset();
      }
      skips = leaf.has_value();
      if (skips) {
        proof_.notes.push_back(
            fmt::format("{} begins with the second leaf: the first one, with -inf, leaves it as it is", out.name));
      }
    }
    --inside_;
    if (!joined || !leaf) return nullptr;
    out.leaf = *leaf;
    out.joined = *joined;
    recurrences_[id] = out.name;
    skips_first_[id] = skips;
    proof_.recurrences.push_back(out);
  }
  std::vector<TermRef> arguments;
  for (const VariableId each : module_.free_variables(id)) arguments.push_back(proof::variable(names_.at(each)));
  arguments.push_back(skips_first_.at(id) ? proof::subtract(values, proof::number(1)) : values);
  return proof::state(recurrences_.at(id), part, arguments);
}

namespace {

bool is_infinite(const TermRef& term) { return term->kind == TermKind::call && term->name == proof::minus_infinity; }
bool is_zero(const TermRef& term) { return term->kind == TermKind::number && term->value == 0; }

}  // namespace

TermRef without_infinities(const TermRef& term) {
  // What may be -inf is followed as such; everything else has to be finite.
  const auto follow = [](const auto& self, const TermRef& of) -> TermRef {
    std::vector<TermRef> parts;
    for (const TermRef& each : of->parts) {
      parts.push_back(proof::is_binder(of->kind) ? each : self(self, each));
      if (!parts.back()) return nullptr;
    }
    const bool any = std::ranges::any_of(parts, is_infinite);
    if (of->kind == TermKind::multiply && std::ranges::any_of(parts, is_zero)) return any ? nullptr : proof::number(0);
    if (any) {
      if (of->kind == TermKind::add) {
        return proof::call(proof::minus_infinity, {});
      } else if (of->kind == TermKind::multiply) {
        // A positive multiple; -(-inf) is no number here.
        for (const TermRef& each : parts) {
          const bool positive =
              is_infinite(each) || (each->kind == TermKind::number && each->value > 0) ||
              (each->kind == TermKind::call && each->name == "ln2") ||
              (each->kind == TermKind::divide && each->parts[0]->kind == TermKind::number &&
               each->parts[0]->value > 0 && each->parts[1]->kind == TermKind::call && each->parts[1]->name == "ln2");
          if (!positive) return nullptr;
        }
        return proof::call(proof::minus_infinity, {});
      } else if (of->kind == TermKind::call && of->name == "exp") {
        return proof::number(0);
      } else if (of->kind == TermKind::call && of->name == "max") {
        std::vector<TermRef> finite;
        for (const TermRef& each : parts) {
          if (!is_infinite(each)) finite.push_back(each);
        }
        if (finite.empty()) return proof::call(proof::minus_infinity, {});
        return finite.size() == 1 ? finite[0] : proof::call("max", finite);
      }
      return nullptr;
    }
    return proof::with_parts(of, parts);
  };
  const TermRef out = follow(follow, term);
  if (!out || is_infinite(out)) return nullptr;
  return out;
}

}  // namespace reckon::ir::steps
