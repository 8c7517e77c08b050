// Which nodes of a graph become names of the circuit's text: a value that is used twice is one `let`, in the innermost
// block that its indices allow.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "api/reckon/circuit/node.h"

namespace reckon::circuit {

/// Whether a node has no children, so that it is written anew wherever it is used.
bool is_leaf(const Node& node);

/// The body of a binder, or of the whole circuit (0). A node that is reached through several binders with the same
/// indices may stand in several of them.
struct BodyScope {
  std::uint32_t parent = 0;
  const Node* binder = nullptr;
  std::vector<const Node*> bound;  ///< the indices
};

/// A node in the outermost scope that binds its free indices.
struct Occurrence {
  const Node* node = nullptr;
  std::uint32_t scope = 0;
  friend bool operator==(const Occurrence&, const Occurrence&) = default;
  friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};

class Sharing {
 public:
  /// Visits everything that the body of a circuit, or an expression, is made of. Takes time in proportion to it,
  /// however many paths lead to a node, and no recursion.
  explicit Sharing(const Node& root);

  const std::vector<BodyScope>& scopes() const { return scopes_; }
  /// The outermost scope, at or around `scope`, where the node means the same.
  Occurrence at(const Node& node, std::uint32_t scope) const;
  /// The scope of a binder's body.
  std::uint32_t body(const Occurrence& binder) const { return bodies_.at(binder); }
  /// Whether it becomes a `let`.
  bool is_named(const Occurrence& occurrence) const { return facts_.at(occurrence).named; }
  /// Whether it is a tuple that a `let (a, b) = ...` takes apart; then it may be used as a whole as well.
  bool is_apart(const Occurrence& occurrence) const { return facts_.at(occurrence).parts_taken > 0; }
  /// Into how many parts.
  std::size_t parts(const Occurrence& occurrence) const { return facts_.at(occurrence).arity; }
  /// Those of a scope that are named or taken apart, each after those that it needs.
  const std::vector<Occurrence>& named(std::uint32_t scope) const { return named_[scope]; }
  /// Every node once, children first.
  const std::vector<const Node*>& nodes() const { return nodes_; }

 private:
  struct Fact {
    std::uint32_t uses = 0;
    std::uint32_t parts_taken = 0;  ///< how many of the uses take a part of a tuple
    std::size_t arity = 0;
    std::uint32_t height = 0;  ///< of what is written in its place, without what is named
    std::uint64_t size = 0;
    bool named = false;
  };
  void find_indices(const Node& root);
  void visit(const Node& root);
  void choose_names();

  std::vector<const Node*> nodes_;
  std::unordered_map<const Node*, std::uint32_t> free_;  ///< the set of its free indices
  std::vector<std::vector<const Node*>> sets_;
  std::map<std::vector<const Node*>, std::uint32_t> set_ids_;
  std::vector<BodyScope> scopes_;
  std::map<Occurrence, std::uint32_t> bodies_;
  std::map<Occurrence, Fact> facts_;
  std::vector<Occurrence> finished_;  ///< children first
  std::vector<std::vector<Occurrence>> named_;
};

/// What a node is made of, with what is evaluated in the body of a binder apart from the rest.
struct Parts {
  std::vector<const Node*> around;  ///< in the node's own scope
  std::vector<const Node*> inside;  ///< in the scope of its body
  std::vector<const Node*> bound;   ///< its indices
};
Parts parts_of(const Node& node);

}  // namespace reckon::circuit
