// The places of nodes in the source text. Equal expressions are one node, so a place belongs to a use of a node and not
// to the node. Each function, definition or item that was elaborated has a set of places, in which a node has at most
// one place.
#pragma once

#include <unordered_map>
#include <vector>

#include "diagnostics/source.h"
#include "ir/ids.h"

namespace reckon::ir {

class PlaceStore {
 public:
  PlaceStore() : sets_(1) {}

  /// Makes an empty set. The set `PlacesId{0}` always exists; it belongs to circuits that have no source text.
  PlacesId make();

  /// The set that places are put into and looked up in; see PlacesGuard.
  PlacesId current() const { return current_; }
  void select(PlacesId set) { current_ = set; }

  /// Adds the places of `other` to the current set, after its own. The elaborator does this for a definition that is
  /// used unchanged. `other` must be complete.
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
  /// The places that are not first places. There are few, because few nodes belong to more than one set.
  struct Set {
    std::unordered_map<NodeId, SourceSpan> more;
    std::vector<PlacesId> used;  ///< sets that this one uses, and those that they use; ascending
  };
  const SourceSpan* known(NodeId node, PlacesId set) const;
  const SourceSpan* known_here(NodeId node, PlacesId set) const;

  std::vector<First> first_;  ///< by node
  std::vector<Set> sets_;
  PlacesId current_{0};
};

}  // namespace reckon::ir
