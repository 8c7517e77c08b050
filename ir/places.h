// Where nodes stand in the source. Equal expressions are one node, so a place belongs to a use of a node and not to the
// node: each function, definition or item that was elaborated has a set of places, in which a node has at most one.
#pragma once

#include <unordered_map>
#include <vector>

#include "diagnostics/source.h"
#include "ir/ids.h"

namespace reckon::ir {

class PlaceStore {
 public:
  PlaceStore() : sets_(1) {}

  /// An empty set. The set `PlacesId{0}` is there from the start: it is that of circuits which no source text has.
  PlacesId make();

  /// The set that places are put into and looked up in; see Placing.
  PlacesId current() const { return current_; }
  void select(PlacesId set) { current_ = set; }

  /// From now on the current set has the places of `other` as well, after its own: of a definition that is used as it
  /// is. `other` is complete.
  void use(PlacesId other);

  /// Puts a node's place into the current set, unless the set has one.
  void put(NodeId node, SourceSpan place);

  /// The node's place in that set; if the set has none, the first place that the node was given in any.
  SourceSpan find(NodeId node, PlacesId set) const;

 private:
  /// A node's first place, and the set that it was put into.
  struct First {
    SourceSpan place;
    PlacesId set;
  };
  /// What the first places leave out: few nodes belong to more than one set.
  struct Set {
    std::unordered_map<NodeId, SourceSpan> more;
    std::vector<PlacesId> used;  ///< with those that they use; ascending
  };
  const SourceSpan* known(NodeId node, PlacesId set) const;
  const SourceSpan* known_here(NodeId node, PlacesId set) const;

  std::vector<First> first_;  ///< by node
  std::vector<Set> sets_;
  PlacesId current_{0};
};

}  // namespace reckon::ir
