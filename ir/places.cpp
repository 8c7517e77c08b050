#include "ir/places.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace reckon::ir {

PlacesId PlaceStore::make() {
  sets_.emplace_back();
  return {static_cast<std::uint32_t>(sets_.size() - 1)};
}

void PlaceStore::use(PlacesId other) {
  const PlacesId none{0};
  std::vector<PlacesId>& used = sets_[current_.index].used;
  if (other == current_ || other == none || current_ == none || std::binary_search(used.begin(), used.end(), other)) {
    return;
  }
  std::vector<PlacesId> added = sets_[other.index].used, all;
  added.insert(std::lower_bound(added.begin(), added.end(), other), other);
  std::set_union(used.begin(), used.end(), added.begin(), added.end(), std::back_inserter(all));
  used = std::move(all);
}

void PlaceStore::put(NodeId node, SourceSpan place) {
  if (!place.known()) return;
  if (node.index >= first_.size()) first_.resize(node.index + 1);
  First& first = first_[node.index];
  if (!first.place.known()) {
    first = {place, current_};
  } else if (known(node, current_) == nullptr) {
    sets_[current_.index].more.emplace(node, place);
  }
}

SourceSpan PlaceStore::find(NodeId node, PlacesId set) const {
  if (const SourceSpan* place = known(node, set)) return *place;
  return node.index < first_.size() ? first_[node.index].place : SourceSpan{};
}

const SourceSpan* PlaceStore::known(NodeId node, PlacesId set) const {
  if (node.index >= first_.size()) return nullptr;
  if (const SourceSpan* place = known_here(node, set)) return place;
  for (PlacesId used : sets_[set.index].used) {
    if (const SourceSpan* place = known_here(node, used)) return place;
  }
  return nullptr;
}

const SourceSpan* PlaceStore::known_here(NodeId node, PlacesId set) const {
  const First& first = first_[node.index];
  if (first.place.known() && first.set == set) return &first.place;
  const auto& more = sets_[set.index].more;
  const auto found = more.find(node);
  return found == more.end() ? nullptr : &found->second;
}

}  // namespace reckon::ir
