// The expressions of circuits that are written in C++: a graph of nodes, which a session translates to the syntax tree
// of the language. Users meet these types only as the base of the typed ones (values.h).
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace reckon::circuit {

/// Where in a C++ file something is written.
using Place = std::source_location;

class Definition;

enum class NodeKind : std::uint8_t {
  number,     ///< text: its digits; a sign is a unary node
  bits,       ///< text: the format; number: the pattern
  boolean,    ///< number: 0 or 1
  string,     ///< text: the contents
  name,       ///< text: a name of the language, or of the session
  size,       ///< text: the name of a dimension or a static parameter
  index,      ///< text: its name in messages; two indices are the same if they are one node
  parameter,  ///< text: its name; children: its type, and how it is stored, if that is stated
  type,       ///< text: the format; children: the sizes. Without text: a tuple of types
  unary,      ///< text: `-` or `not`; one child
  binary,     ///< text: the operator; two children
  call,       ///< children: what is called, the arguments
  subscript,  ///< children: the tensor (or what takes static arguments), the subscripts
  tuple,      ///< children: the parts
  part,       ///< one child, a tuple of `arity` parts; number: which of them
  list,       ///< children: the elements
  colon,      ///< children: a shape, a stride
  binder,   ///< text: `sum`, `for`, ...; ranges; children: the body. Then schedule, otherwise, operation, start, guard
  then,     ///< children: a stage, and what follows it
  pinned,   ///< text: the level; one child
  quoted,   ///< prefix
  length,   ///< ranges: an index; children: the schedule
  choice,   ///< children: a condition, two schedules
  circuit,  ///< definition
  let,      ///< text: the name that the one child is to have
};

struct Node;
using NodePointer = std::shared_ptr<const Node>;

struct Node {
  NodeKind kind{};
  std::string text;
  Place place;
  std::vector<NodePointer> children;
  std::vector<NodePointer> ranges;             ///< of a binder: an index, or `<` of an index and its bound
  NodePointer schedule, otherwise, operation, start;  ///< of a binder; null: none is stated
  NodePointer guard;                                  ///< of a binder: which leaves take part; it may use the indices
  std::shared_ptr<const Definition> definition;
  std::vector<std::int64_t> prefix;  ///< a quoted tree: a leaf, or -1 for a pair whose two trees follow
  std::uint64_t number = 0;
  std::size_t arity = 0;
  bool fixed = false;  ///< known before anything runs: a size, an index, a schedule, a layout

  Node(NodeKind kind_, std::string text_, Place place_, std::vector<NodePointer> children_ = {})
      : kind(kind_), text(std::move(text_)), place(place_), children(std::move(children_)) {}
  Node(const Node&) = default;
  Node& operator=(const Node&) = delete;
  /// Frees a chain of a million operations without recursion.
  ~Node();
};

inline Node::~Node() {
  std::vector<NodePointer> doomed = std::move(children);
  while (!doomed.empty()) {
    const NodePointer last = std::move(doomed.back());
    doomed.pop_back();
    if (last.use_count() != 1) continue;
    std::vector<NodePointer>& below = const_cast<Node&>(*last).children;
    doomed.insert(doomed.end(), std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
    below.clear();
  }
}

/// Anything that can be written in a circuit.
class Expression {
 public:
  explicit Expression(NodePointer node) : node_(std::move(node)) {}
  const NodePointer& node() const { return node_; }

 private:
  NodePointer node_;
};

namespace detail {

inline NodePointer make(NodeKind kind, std::string text, Place place, std::vector<NodePointer> children = {}) {
  return std::make_shared<const Node>(kind, std::move(text), place, std::move(children));
}

/// The same for what is known before anything runs.
inline NodePointer make_fixed(NodeKind kind, std::string text, Place place, std::vector<NodePointer> children = {}) {
  Node node(kind, std::move(text), place, std::move(children));
  node.fixed = true;
  return std::make_shared<const Node>(std::move(node));
}

inline NodePointer name(std::string text, Place place) { return make_fixed(NodeKind::name, std::move(text), place); }

/// A name with the place of its use, in the place of that of its declaration.
inline NodePointer used_at(const NodePointer& node, Place place) {
  return node->kind == NodeKind::name ? name(node->text, place) : node;
}

/// `f(a, b)`.
inline NodePointer call(const std::string& function, Place place, std::vector<NodePointer> arguments) {
  arguments.insert(arguments.begin(), name(function, place));
  return make(NodeKind::call, {}, place, std::move(arguments));
}
inline NodePointer fixed_call(const std::string& function, Place place, std::vector<NodePointer> arguments) {
  arguments.insert(arguments.begin(), name(function, place));
  return make_fixed(NodeKind::call, {}, place, std::move(arguments));
}

}  // namespace detail
}  // namespace reckon::circuit
