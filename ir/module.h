// A module: the stores of index expressions, types, schedules, literals and circuit nodes, and the functions.
//
// A circuit is a DAG of hash-consed nodes. What each structure holds:
//   parameter        attribute: its position among the function's parameters
//   literal          attribute: a LiteralId; of a number type or bool
//   index_value      indices[0]: an index expression, as a number of the node's type
//   index_condition  indices[0]: a condition, as a bool
//   operand          variables[0]: the left or right operand of the operation of an enclosing reduce or scan
//   element          operands[0]: a tensor; indices: one per dimension. The scalar at that place
//   at               operands: [body, value]; variables[0]: an index variable that has the integer's value in the body,
//                    a scalar; indices[0]: its extent. A value that is not below the extent is an error
//   map              operands[0]: a scalar body; variables, indices: its index variables and their extents. A tensor
//   reduce           operands: [body, (operation), (otherwise)]; variables: [index, (left, right)]; indices: [extent];
//                    attribute: a ReductionId. The body's type, a scalar or a tuple of scalars
//   scan             as reduce, without otherwise: element i is the reduction of leaves 0..i. A tensor, or a tuple of
//                    tensors if the body is a tuple
//   loop             operands: [next, start]; variables: [round, state]; indices: [how many rounds]. The state is
//   `start`
//                    at first and becomes `next` in each round, a value over the number of the round (an index) and the
//                    state (an operand). The last state. Its type is a tensor, or a tuple with at least one tensor
//                    among its parts, which are scalars and tensors
//   tuple, get       get: attribute: which part
//   array            operands: the scalars of a written-out tensor, in row-major order
//   source           attribute: a SourceId; a tensor (or scalar) of generated or loaded values
//   call             operands: arguments; attribute: the number of a callee. A library's builtin circuit, whole for
//                    semantics with rules for it (accept); everywhere else calls are their bodies
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "ir/index.h"
#include "ir/kernel_clauses.h"
#include "ir/places.h"
#include "ir/schedule/schedule.h"
#include "ir/storage.h"
#include "ir/type.h"

namespace reckon::ir {

enum class Op : std::uint8_t;  // ir/op.h, for those who look at one

/// The elements of a tensor (or of a scalar, with no extents) as bit patterns of a format, in row-major order;
/// a bool is one byte, 0 or 1. Little-endian, tightly packed.
struct HostTensor {
  Scalar scalar{};
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;

  HostTensor() = default;
  HostTensor(Scalar scalar_, std::vector<std::int64_t> shape_);
  std::int64_t size() const;         ///< number of elements
  std::uint64_t bits(std::int64_t i) const;
  void set_bits(std::int64_t i, std::uint64_t bits);
};

enum class RealConstant : std::uint8_t { one, pi, e, ln2, log2e };

/// A literal: an exact rational, a rational multiple of a named real, a bit pattern, or a special value.
struct Literal {
  enum class Kind : std::uint8_t { rational, real, bits, infinity, not_a_number, boolean } kind{};
  mpq_class value;                              ///< rational; real: the factor
  RealConstant constant = RealConstant::one;    ///< real
  std::uint64_t bits = 0;                       ///< bits: of the node's format; boolean: 0 or 1
  bool negative = false;                        ///< infinity
  friend bool operator==(const Literal&, const Literal&) = default;
};

/// A literal that the integer type has.
bool is_word(const Literal& literal, Scalar type);

/// What a reduce or scan combines with, and in which order.
struct Reduction {
  Op operation{};           ///< add, mul, min, max
  bool user = false;        ///< the operation is operands[1] over variables[1], variables[2]
  bool has_otherwise = false;
  ScheduleId schedule;
  friend bool operator==(const Reduction&, const Reduction&) = default;
};

/// Generated sequences (docs/language.md, "Circuits") and loaded files.
struct Source {
  enum class Kind : std::uint8_t { uniform, normal, lcg, file } kind{};
  IndexId seed;
  std::string path;                              ///< file
  std::shared_ptr<const HostTensor> data;        ///< file: its contents
  friend bool operator==(const Source&, const Source&) = default;
};

struct Node {
  Op op{};
  TypeId type;
  std::uint32_t attribute = 0;
  std::vector<NodeId> operands;
  std::vector<IndexId> indices;
  std::vector<VariableId> variables;
  friend bool operator==(const Node&, const Node&) = default;
};

struct Parameter {
  SymbolId name;
  TypeId type;
  SourceSpan span;
  /// How the elements are stored in the parameter's buffer; nothing: row-major. The storage does not affect values:
  /// only the buffers of compiled code (codegen::Buffer) follow it.
  std::optional<Storage> storage = std::nullopt;
};

/// A condition on sizes that must hold when they are known.
struct Requirement {
  IndexId left, right;  ///< must be equal
  Diagnostic diagnostic;
};

struct Function {
  SymbolId name;
  std::string builtin = {};           ///< of a `builtin fn`, its name without static arguments; otherwise empty
  /// Of a `fn ... approximates`, the operation that it stands for under semantics that do not round (inline_calls).
  std::optional<Op> approximated = {};
  std::vector<SymbolId> dimensions;   ///< in order of first appearance
  std::vector<Parameter> parameters;
  TypeId result;
  NodeId body;
  std::vector<Requirement> requirements;
  /// As Parameter::storage, of the scalars and tensors of the result, tuples flattened. Empty: all are row-major.
  std::vector<std::optional<Storage>> result_storage = {};
  KernelClauses kernel = {};  ///< of a `kernel` item; otherwise empty
  SourceSpan span;
  PlacesId places{0};  ///< the set of source places of the nodes of its body

  Function();
  Function(const Function&);
  Function(Function&&) noexcept;
  Function& operator=(const Function&);
  Function& operator=(Function&&) noexcept;
  ~Function();
};

/// What is known of each node.
struct NodeFacts {
  std::vector<VariableId> free;             ///< those that occur in it and are not bound inside it, ascending
  std::vector<VariableId> tensor_operands;  ///< those of them that are operands with tensors: states of loops
  std::uint32_t height =
      0;  ///< one above every canonical variable bound inside: where the numbers of a binder around it begin
};

/// A loop whose state is `start` at first, and `next` after each of the rounds.
struct LoopParts {
  VariableId round;  ///< of `next`: the number of the round
  IndexId rounds;
  VariableId state;  ///< of `next`: an operand of the type of `start`
  NodeId next, start;
};

class Module {
 public:
  /// `forms`: of schedules, as a text may name them.
  explicit Module(const Forms& forms = Forms::standard());
  Module& operator=(const Module&) = delete;
  ~Module();
  /// A copy with the same ids. A thread needs a copy of its own, because evaluating a circuit adds nodes.
  std::unique_ptr<Module> copy() const;

  IndexStore& indices() { return indices_; }
  const IndexStore& indices() const { return indices_; }
  TypeStore& types() { return types_; }
  const TypeStore& types() const { return types_; }
  ScheduleStore& schedules() { return schedules_; }
  const ScheduleStore& schedules() const { return schedules_; }

  SymbolId symbol(std::string_view name);
  std::string_view name(SymbolId symbol) const { return names_[symbol.index]; }

  // Functions that build nodes. Each asserts that its operands have the right types; the front end has reported wrong
  // ones.
  NodeId parameter(std::uint32_t position, TypeId type);
  NodeId literal(Literal literal, Scalar scalar);
  NodeId rational(mpq_class value, Scalar scalar);
  NodeId index_value(IndexId index, Scalar scalar);
  NodeId index_condition(IndexId condition);
  NodeId operand(VariableId variable, TypeId type);
  NodeId apply(Op op, std::vector<NodeId> operands);
  NodeId convert(NodeId value, Scalar to);
  /// Any operation that gives another number type: `convert`, `bits`, `from_bits`.
  NodeId cast(Op op, NodeId value, Scalar to);
  /// The element of a tensor node. An element of a map is the map's body with the subscripts put in, if the map
  /// depends on variables. A closed map stays, and is computed once; so does a map that depends on the state of a loop,
  /// once in each round. One that only states the range of its numbers (ir/stated_range.h) never stays.
  NodeId element(NodeId tensor, std::vector<IndexId> subscripts);
  /// `body` with the integer `value` in place of the index variable, which is free in the body: `x[i[k]]` is
  /// at(v, n, x[v], i[k]).
  NodeId at(VariableId variable, IndexId extent, NodeId body, NodeId value);
  /// Variables are any that are free in the body; the binder is renumbered canonically.
  NodeId map(std::vector<VariableId> variables, std::vector<IndexId> extents, NodeId body);
  struct Fold {
    VariableId variable;
    IndexId extent;
    NodeId body;
    Op operation{};                        ///< add, mul, min, max
    NodeId user_operation;                 ///< valid: over `left` and `right`
    VariableId left, right;
    ScheduleId schedule;
    NodeId otherwise;                      ///< reduce only; may be invalid
  };
  NodeId reduce(const Fold& fold);
  NodeId scan(const Fold& fold);
  NodeId loop(const LoopParts& loop);
  NodeId tuple(std::vector<NodeId> parts);
  NodeId get(NodeId tuple, std::uint32_t part);
  NodeId array(std::vector<NodeId> elements, std::vector<std::int64_t> shape);
  NodeId source(Source source, TypeId type);
  /// Of a circuit of this module; its dimensions are bound by the arguments' shapes.
  NodeId call(const Function& callee, std::vector<NodeId> arguments, TypeId result);

  /// The source places of nodes. If several places of a function make the same node, the first place is kept.
  PlaceStore& places() { return places_; }
  SourceSpan span(NodeId id) const { return places_.find(id, places_.current()); }
  SourceSpan span(NodeId id, PlacesId places) const { return places_.find(id, places); }

  const Node& operator[](NodeId id) const { return nodes_[id.index]; }
  const Type& type(NodeId id) const { return types_[nodes_[id.index].type]; }
  const Literal& literal_of(NodeId id) const { return literals_[nodes_[id.index].attribute]; }
  const Reduction& reduction_of(NodeId id) const { return reductions_[nodes_[id.index].attribute]; }
  const Source& source_of(NodeId id) const { return sources_[nodes_[id.index].attribute]; }
  // The same for a node that the caller holds and may have changed.
  const Literal& literal_of(const Node& node) const { return literals_[node.attribute]; }
  const Reduction& reduction_of(const Node& node) const { return reductions_[node.attribute]; }
  const Source& source_of(const Node& node) const { return sources_[node.attribute]; }
  const Function& callee_of(const Node& node) const { return callees_[node.attribute]; }
  std::size_t node_count() const { return nodes_.size(); }

  /// Variables that occur in the node and are not bound inside it, ascending.
  const std::vector<VariableId>& free_variables(NodeId id) const { return facts_[id.index].free; }
  bool depends_on(NodeId id, VariableId variable) const;
  const NodeFacts& facts(NodeId id) const { return facts_[id.index]; }

  /// A variable that occurs nowhere yet.
  VariableId fresh_variable() { return {next_temporary_++}; }

  /// Replaces dimensions, variables (by index expressions), operand variables and parameters (by nodes), all at once.
  struct Substitution {
    IndexSubstitution indices;
    std::map<VariableId, NodeId> operands;
    std::vector<NodeId> parameters;  ///< empty: parameters stay
    std::optional<PlacesId> places = std::nullopt;  ///< of the nodes that are replaced; without it, the current ones
  };
  NodeId substitute(NodeId id, const Substitution& substitution);
  TypeId substitute(TypeId id, const IndexSubstitution& substitution);

  /// Opens a binder that the caller holds: replaces its variables by fresh ones, in the node and in the operands that
  /// they bind.
  void open(Node& binder);

  /// Rebuilds a circuit from its leaves up: `visit(node, operands)` gets a node and its rebuilt operands, and gives
  /// its replacement. Binders are opened (their variables replaced by fresh ones) before their bodies are visited, so
  /// that a visitor may put any expression anywhere.
  template <class Visit>
  NodeId rewrite(NodeId id, Visit&& visit);

  /// `node` with other operands; its indices and variables as they stand in `node`. Types are derived anew, and binders
  /// numbered canonically.
  NodeId rebuild(const Node& node, std::vector<NodeId> operands);
  /// The same with another schedule for a reduce or scan.
  NodeId rebuild(const Node& node, std::vector<NodeId> operands, ScheduleId schedule);

  std::vector<Function>& functions() { return functions_; }
  const std::vector<Function>& functions() const { return functions_; }
  const Function* find(std::string_view name) const;

 private:
  Module(const Module& other);
  NodeId intern(Node node);
  NodeId make_fold(Op op, const Fold& fold);

  IndexStore indices_;
  TypeStore types_;
  ScheduleStore schedules_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, SymbolId> symbols_;
  std::vector<Literal> literals_;
  std::vector<Reduction> reductions_;
  std::vector<Source> sources_;
  std::vector<Function> callees_;
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  std::vector<Node> nodes_;
  PlaceStore places_;
  std::vector<NodeFacts> facts_;  ///< of each node
  std::unordered_map<Node, NodeId, Hash> interned_;
  std::uint32_t next_temporary_ = VariableId::first_temporary;
  std::vector<Function> functions_;
};

/// How many of a node's operands are inside its binder. These come first.
std::size_t operands_inside(const Module& module, const Node& node);

/// Whether the operation divides integers (Op::floor_div, Op::floor_mod) by a literal that is not 0.
bool has_known_divisor(const Module& module, NodeId id);

/// Selects, for its lifetime, the set of places of one function (Function::places), definition or item. Code that
/// rebuilds or evaluates a function creates one. Nodes that are made meanwhile get their places in that set.
class PlacesGuard {
 public:
  PlacesGuard(Module& module, PlacesId places) : module_(module), before_(module.places().current()) {
    module_.places().select(places);
  }
  PlacesGuard(const PlacesGuard&) = delete;
  PlacesGuard& operator=(const PlacesGuard&) = delete;
  ~PlacesGuard() { module_.places().select(before_); }

 private:
  Module& module_;
  PlacesId before_;
};

/// Whether a loop may have a state of this type: a tensor, or a tuple of scalars and at least one tensor.
bool is_loop_state(const Module& module, TypeId type);
inline constexpr char loop_state_rule[] = "the state of a `loop` must be a tensor, or a tuple of scalars and tensors";

/// `f32[n, 3]`, `(f32, f32)`.
std::string type_text(const Module& module, TypeId type);
std::string index_text(const Module& module, IndexId index);
/// As written: `(4, m):(m, 1)`.
std::string layout_text(const Module& module, const IndexLayout& layout);
std::string schedule_text(const Module& module, ScheduleId schedule);
/// A name as these texts write it: unchanged, or in quotes if it would otherwise be read as something else.
std::string name_text(std::string_view name);
/// `"..."` with `\"`, `\\` and `\xNN`.
std::string quoted_text(std::string_view text);

}  // namespace reckon::ir
