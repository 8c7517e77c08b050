#include "ir/module.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "ir/integer.h"
#include "ir/op.h"
#include "ir/put_in.h"
#include "ir/stated_range.h"
#include "ir/words.h"

namespace reckon::ir {

std::unique_ptr<Module> Module::copy() const { return std::unique_ptr<Module>(new Module(*this)); }
Module::~Module() = default;
Function::Function() = default;
Function::Function(const Function&) = default;
Function::Function(Function&&) noexcept = default;
Function& Function::operator=(const Function&) = default;
Function& Function::operator=(Function&&) noexcept = default;
Function::~Function() = default;

static_assert(Op{} == Op::add, "what a reduction combines with where nothing is said");

HostTensor::HostTensor(Scalar scalar_, std::vector<std::int64_t> shape_) : scalar(scalar_), shape(std::move(shape_)) {
  bytes.resize(static_cast<std::size_t>(size()) * byte_width(scalar));
}

std::int64_t HostTensor::size() const {
  std::int64_t total = 1;
  for (std::int64_t extent : shape) total *= extent;
  return total;
}

std::uint64_t HostTensor::bits(std::int64_t i) const {
  return by_words(*this, [i](const auto& words) { return std::uint64_t{words[i]}; });
}

void HostTensor::set_bits(std::int64_t i, std::uint64_t value) {
  by_words(*this, [&](const auto& words) { words.set(i, static_cast<decltype(words[0])>(value)); });
}

std::size_t Module::Hash::operator()(const Node& node) const {
  std::size_t seed = static_cast<std::size_t>(node.op);
  seed = hash_combine(seed, node.type.index);
  seed = hash_combine(seed, node.attribute);
  for (NodeId operand : node.operands) seed = hash_combine(seed, operand.index);
  for (IndexId index : node.indices) seed = hash_combine(seed, index.index);
  for (VariableId variable : node.variables) seed = hash_combine(seed, variable.index);
  return seed;
}

Module::Module(const Forms& forms) : schedules_(indices_, forms) {}

Module::Module(const Module& other)
    : indices_(other.indices_),
      types_(other.types_),
      schedules_(other.schedules_, indices_),
      names_(other.names_),
      symbols_(other.symbols_),
      literals_(other.literals_),
      reductions_(other.reductions_),
      sources_(other.sources_),
      callees_(other.callees_),
      nodes_(other.nodes_),
      places_(other.places_),
      facts_(other.facts_),
      interned_(other.interned_),
      next_temporary_(other.next_temporary_),
      functions_(other.functions_) {}

SymbolId Module::symbol(std::string_view name) {
  auto [found, inserted] =
      symbols_.try_emplace(std::string(name), SymbolId{static_cast<std::uint32_t>(names_.size())});
  if (inserted) names_.emplace_back(name);
  return found->second;
}

NodeId Module::intern(Node node) {
  auto [found, inserted] = interned_.try_emplace(node, NodeId{static_cast<std::uint32_t>(nodes_.size())});
  if (!inserted) return found->second;
  std::set<VariableId> free;
  std::vector<VariableId> tensor_operands;
  std::uint32_t height = 0;
  for (NodeId operand : node.operands) {
    const NodeFacts& of_operand = facts_[operand.index];
    free.insert(of_operand.free.begin(), of_operand.free.end());
    tensor_operands.insert(tensor_operands.end(), of_operand.tensor_operands.begin(), of_operand.tensor_operands.end());
    height = std::max(height, of_operand.height);
  }
  if (node.op == Op::operand) {
    free.insert(node.variables[0]);
    if (types_.has_tensor(node.type)) tensor_operands.push_back(node.variables[0]);
  } else {
    for (VariableId variable : node.variables) {
      free.erase(variable);
      std::erase(tensor_operands, variable);
      if (!variable.temporary()) height = std::max(height, variable.index + 1);
    }
  }
  // Extents and subscripts are outside of the binder's scope: only now may they add the variables just removed.
  for (IndexId index : node.indices) {
    for (VariableId variable : indices_.variables(index)) free.insert(variable);
  }
  if (node.op == Op::source) {
    auto add = [&](IndexId index) { free.insert(indices_.variables(index).begin(), indices_.variables(index).end()); };
    if (const IndexId seed = sources_[node.attribute].seed; seed.valid()) add(seed);
    for (IndexId extent : types_[node.type].extents) add(extent);
  }
  nodes_.push_back(std::move(node));
  std::ranges::sort(tensor_operands);
  tensor_operands.erase(std::ranges::unique(tensor_operands).begin(), tensor_operands.end());
  facts_.push_back({{free.begin(), free.end()}, std::move(tensor_operands), height});
  return found->second;
}

bool Module::depends_on(NodeId id, VariableId variable) const {
  const auto& all = free_variables(id);
  return std::binary_search(all.begin(), all.end(), variable);
}

NodeId Module::parameter(std::uint32_t position, TypeId type) {
  return intern({.op = Op::parameter, .type = type, .attribute = position});
}

NodeId Module::literal(Literal value, Scalar scalar) {
  auto found = std::find(literals_.begin(), literals_.end(), value);
  const auto position = static_cast<std::uint32_t>(found - literals_.begin());
  if (found == literals_.end()) literals_.push_back(std::move(value));
  return intern({.op = Op::literal, .type = types_.scalar(scalar), .attribute = position});
}

NodeId Module::rational(mpq_class value, Scalar scalar) {
  value.canonicalize();
  Literal literal_value;
  literal_value.kind = Literal::Kind::rational;
  literal_value.value = std::move(value);
  return literal(std::move(literal_value), scalar);
}

bool is_word(const Literal& literal, Scalar type) {
  return literal.kind == Literal::Kind::rational && has_integer(type, literal.value);
}

bool has_known_divisor(const Module& module, NodeId id) {
  const NodeId divisor = module[id].operands[1];
  return module[divisor].op == Op::literal && module.literal_of(divisor).value != 0;
}

NodeId Module::index_value(IndexId index, Scalar scalar) {
  if (auto known = indices_.as_constant(index)) {
    const mpz_class whole(static_cast<long>(*known));
    return rational(is_integer(scalar) ? integer_of(scalar, integer_pattern(scalar, whole)) : whole, scalar);
  }
  return intern({.op = Op::index_value, .type = types_.scalar(scalar), .indices = {index}});
}

NodeId Module::index_condition(IndexId condition) {
  if (auto known = indices_.as_constant(condition)) {
    Literal truth;
    truth.kind = Literal::Kind::boolean;
    truth.bits = *known != 0;
    return literal(truth, Scalar::boolean);
  }
  return intern({.op = Op::index_condition, .type = types_.scalar(Scalar::boolean), .indices = {condition}});
}

NodeId Module::operand(VariableId variable, TypeId type) {
  return intern({.op = Op::operand, .type = type, .variables = {variable}});
}

NodeId Module::apply(Op op, std::vector<NodeId> operands) {
  const OpTraits row = traits(op);
  assert(row.result != ResultRule::structure && row.result != ResultRule::cast);
  assert(static_cast<int>(operands.size()) == row.arity);
  TypeId type = nodes_[operands.back().index].type;
  if (row.result == ResultRule::truth || row.result == ResultRule::logic) type = types_.scalar(Scalar::boolean);
  return intern({.op = op, .type = type, .operands = std::move(operands)});
}

NodeId Module::convert(NodeId value, Scalar to) {
  assert(type(value).kind == TypeKind::scalar);
  return type(value).scalar == to ? value : cast(Op::convert, value, to);
}

NodeId Module::cast(Op op, NodeId value, Scalar to) {
  assert(type(value).kind == TypeKind::scalar && type(value).scalar != to && traits(op).result == ResultRule::cast);
  return intern({.op = op, .type = types_.scalar(to), .operands = {value}});
}

NodeId Module::element(NodeId tensor, std::vector<IndexId> subscripts) {
  assert(type(tensor).kind == TypeKind::tensor && type(tensor).extents.size() == subscripts.size());
  if (nodes_[tensor.index].op == Op::map) {
    const bool is_open = !free_variables(tensor).empty() && facts(tensor).tensor_operands.empty();
    if (is_open || states_range(*this, nodes_[tensor.index].operands[0])) return put_in(*this, tensor, subscripts);
  }
  const TypeId scalar = types_.scalar(type(tensor).scalar);
  return intern({.op = Op::element, .type = scalar, .operands = {tensor}, .indices = std::move(subscripts)});
}

NodeId Module::at(VariableId variable, IndexId extent, NodeId body, NodeId value) {
  assert(type(body).kind == TypeKind::scalar && is_integer(type(value).scalar));
  const VariableId canonical{facts(body).height};
  if (variable != canonical) body = substitute(body, {{{}, {{variable, indices_.variable(canonical)}}}, {}, {}});
  // An integer that is known to be in this range need not be looked at twice.
  if (states_range(*this, value) && (*this)[value].indices[0] == extent) value = (*this)[value].operands[1];
  const TypeId result = nodes_[body.index].type;
  return intern(
      {.op = Op::at, .type = result, .operands = {body, value}, .indices = {extent}, .variables = {canonical}});
}

NodeId Module::map(std::vector<VariableId> variables, std::vector<IndexId> extents, NodeId body) {
  assert(type(body).kind == TypeKind::scalar && !variables.empty() && variables.size() == extents.size());
  const std::uint32_t base = facts(body).height;
  Substitution rename;
  bool renamed = false;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const VariableId canonical{base + static_cast<std::uint32_t>(k)};
    if (variables[k] == canonical) continue;
    renamed = true;
    rename.indices.variables[variables[k]] = indices_.variable(canonical);
    variables[k] = canonical;
  }
  if (renamed) body = substitute(body, rename);
  const TypeId result = types_.tensor(type(body).scalar, extents);
  return intern({.op = Op::map,
                 .type = result,
                 .operands = {body},
                 .indices = std::move(extents),
                 .variables = std::move(variables)});
}

namespace {

TypeId scan_type(TypeStore& types, TypeId body, IndexId extent) {
  const Type type = types[body];
  if (type.kind == TypeKind::scalar) return types.tensor(type.scalar, {extent});
  std::vector<TypeId> parts;
  for (TypeId part : type.parts) parts.push_back(scan_type(types, part, extent));
  return types.tuple(std::move(parts));
}

}  // namespace

NodeId Module::reduce(const Fold& fold) { return make_fold(Op::reduce, fold); }
NodeId Module::scan(const Fold& fold) { return make_fold(Op::scan, fold); }

NodeId Module::make_fold(Op op, const Fold& fold) {
  Reduction reduction;
  reduction.user = fold.user_operation.valid();
  if (!reduction.user) reduction.operation = fold.operation;  // else it means nothing, and must not tell nodes apart
  reduction.has_otherwise = op == Op::reduce && fold.otherwise.valid();
  reduction.schedule = fold.schedule;

  std::uint32_t base = facts(fold.body).height;
  if (reduction.user) base = std::max(base, facts(fold.user_operation).height);
  const TypeId body_type = nodes_[fold.body.index].type;

  Node node{.op = op};
  node.indices = {fold.extent};
  node.variables = {VariableId{base}};
  Substitution rename;
  rename.indices.variables[fold.variable] = indices_.variable({base});
  node.operands = {fold.variable == VariableId{base} ? fold.body : substitute(fold.body, rename)};
  if (reduction.user) {
    const VariableId left{base + 1}, right{base + 2};
    node.variables.push_back(left);
    node.variables.push_back(right);
    NodeId operation = fold.user_operation;
    if (fold.left != left || fold.right != right) {
      Substitution operands;
      operands.operands[fold.left] = operand(left, body_type);
      operands.operands[fold.right] = operand(right, body_type);
      operation = substitute(operation, operands);
    }
    node.operands.push_back(operation);
  }
  if (reduction.has_otherwise) node.operands.push_back(fold.otherwise);
  auto found = std::find(reductions_.begin(), reductions_.end(), reduction);
  node.attribute = static_cast<std::uint32_t>(found - reductions_.begin());
  if (found == reductions_.end()) reductions_.push_back(reduction);
  node.type = op == Op::scan ? scan_type(types_, body_type, fold.extent) : body_type;
  return intern(std::move(node));
}

NodeId Module::loop(const LoopParts& loop) {
  const TypeId type = nodes_[loop.start.index].type;
  assert(type == nodes_[loop.next.index].type && types_.has_tensor(type));
  if (indices_.as_constant(loop.rounds) == 0) return loop.start;
  const std::uint32_t base = facts(loop.next).height;
  const VariableId round{base}, state{base + 1};
  NodeId next = loop.next;
  if (loop.round != round || loop.state != state) {
    Substitution rename;
    rename.indices.variables[loop.round] = indices_.variable(round);
    rename.operands[loop.state] = operand(state, type);
    next = substitute(next, rename);
  }
  return intern({.op = Op::loop,
                 .type = type,
                 .operands = {next, loop.start},
                 .indices = {loop.rounds},
                 .variables = {round, state}});
}

bool is_loop_state(const Module& module, TypeId type) {
  const auto is_tuple = [&](TypeId part) { return module.types()[part].kind == TypeKind::tuple; };
  return module.types().has_tensor(type) && std::ranges::none_of(module.types()[type].parts, is_tuple);
}

NodeId Module::tuple(std::vector<NodeId> parts) {
  std::vector<TypeId> types;
  for (NodeId part : parts) types.push_back(nodes_[part.index].type);
  const TypeId type = types_.tuple(std::move(types));
  return intern({.op = Op::tuple, .type = type, .operands = std::move(parts)});
}

NodeId Module::get(NodeId tuple_id, std::uint32_t part) {
  const Node& node = nodes_[tuple_id.index];
  assert(type(tuple_id).kind == TypeKind::tuple && part < type(tuple_id).parts.size());
  if (node.op == Op::tuple) return node.operands[part];
  const TypeId part_type = type(tuple_id).parts[part];
  return intern({.op = Op::get, .type = part_type, .attribute = part, .operands = {tuple_id}});
}

NodeId Module::array(std::vector<NodeId> elements, std::vector<std::int64_t> shape) {
  std::vector<IndexId> extents;
  for (std::int64_t extent : shape) extents.push_back(indices_.constant(extent));
  const TypeId result = types_.tensor(type(elements.front()).scalar, std::move(extents));
  return intern({.op = Op::array, .type = result, .operands = std::move(elements)});
}

NodeId Module::source(Source source, TypeId type) {
  auto found = std::find(sources_.begin(), sources_.end(), source);
  const auto position = static_cast<std::uint32_t>(found - sources_.begin());
  if (found == sources_.end()) sources_.push_back(std::move(source));
  return intern({.op = Op::source, .type = type, .attribute = position});
}

NodeId Module::call(const Function& callee, std::vector<NodeId> arguments, TypeId result) {
  auto found = std::find_if(callees_.begin(), callees_.end(), [&](const Function& known) {
    return known.name == callee.name && known.body == callee.body && known.dimensions == callee.dimensions &&
           known.approximated == callee.approximated;
  });
  const auto position = static_cast<std::uint32_t>(found - callees_.begin());
  if (found == callees_.end()) callees_.push_back(callee);
  return intern({.op = Op::call, .type = result, .attribute = position, .operands = std::move(arguments)});
}

TypeId Module::substitute(TypeId id, const IndexSubstitution& substitution) {
  const Type type = types_[id];
  if (type.kind == TypeKind::scalar) return id;
  if (type.kind == TypeKind::tuple) {
    std::vector<TypeId> parts;
    for (TypeId part : type.parts) parts.push_back(substitute(part, substitution));
    return types_.tuple(std::move(parts));
  }
  std::vector<IndexId> extents;
  for (IndexId extent : type.extents) extents.push_back(indices_.substitute(extent, substitution));
  return types_.tensor(type.scalar, std::move(extents));
}

const Function* Module::find(std::string_view name) const {
  for (const Function& function : functions_) {
    if (names_[function.name.index] == name) return &function;
  }
  return nullptr;
}

}  // namespace reckon::ir
