#include "draw/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "layout/coordinates.h"

namespace reckon::draw {

using layout::DivideForm;
using layout::IntTuple;
using layout::Layout;
using layout::Result;

namespace {

constexpr std::array<std::string_view, 7> choices{"slice", "dice",   "local_tile", "local_partition",
                                                  "get",   "select", "take"};
constexpr std::array<std::string_view, 6> inverses{
    "right_inverse", "right_inverse_whole", "left_inverse", "left_inverse_loose", "inverse", "nullspace"};
/// The offsets of their results count in other units.
constexpr std::array<std::string_view, 6> casts{"upcast", "upcast_loose", "downcast",
                                                "recast", "complement",   "complement_loose"};

std::size_t place(std::int64_t index) { return static_cast<std::size_t>(index); }

Groups none(const Values& values) { return {std::vector<std::int64_t>(place(values.size), -1), ""}; }

/// All that stands in the cells, or nothing if some have no value.
std::optional<std::vector<std::string>> keys(const Values& values) {
  std::vector<std::string> out;
  for (std::int64_t index = 0; index < values.size; ++index) {
    const auto value = values.at(index);
    if (!value) return std::nullopt;
    out.push_back(value->outside ? "" : value->text);
  }
  return out;
}

/// What stands in cells of group g of `from` is in group g of `to`. Nothing if a value has two groups.
bool carry_over(const Values& from, const Groups& groups, const Values& to, Groups& out) {
  const auto theirs = keys(from), ours = keys(to);
  if (!theirs || !ours) return false;
  std::map<std::string, std::int64_t> group_of;
  for (std::size_t k = 0; k < theirs->size(); ++k) {
    const auto [at, fresh] = group_of.emplace((*theirs)[k], groups.of[k]);
    if (!fresh && at->second != groups.of[k]) return false;
  }
  out = none(to);
  for (std::size_t k = 0; k < ours->size(); ++k) {
    const auto found = group_of.find((*ours)[k]);
    if (found != group_of.end()) out.of[k] = found->second;
  }
  return true;
}

/// The columns of a layout; nothing if its rank is 1.
std::optional<Groups> columns(const Values& values) {
  if (values.rank() < 2 || values.size == values.rows()) return std::nullopt;
  Groups out = none(values);
  for (std::int64_t index = 0; index < values.size; ++index) out.of[place(index)] = index / values.rows();
  return out;
}

// ------------------------------------------------------------------------------------------------- divisions

/// Where in the divided layout each coordinate of the division lies, as an index; -1 past its end.
std::optional<std::vector<std::int64_t>> positions(const layout::Division& division, const Layout& whole) {
  std::vector<std::int64_t> out;
  for (std::int64_t index = 0; index < division.layout.size(); ++index) {
    const auto inside = division.bounds.inside(IntTuple(index));
    const auto at = division.bounds.position(IntTuple(index));
    if (!inside || !at) return std::nullopt;
    if (!*inside) {
      out.push_back(-1);
      continue;
    }
    const auto joined = layout::join(*at, whole.shape());
    if (!joined) return std::nullopt;
    out.push_back(*joined);
  }
  return out;
}

void link_division(Linked& picture, const layout::Call& call, DivideForm form) {
  const auto* whole = std::get_if<Layout>(&*call.arguments[0].value);
  const auto& tiler = call.arguments[1].tiler;
  if (!whole || !tiler) return;
  const auto zipped = layout::divide(DivideForm::zipped, *whole, *tiler), asked = layout::divide(form, *whole, *tiler);
  if (!asked) return;
  // `_` has no zipped form, so its tiles are not distinguished.
  const auto places = positions(*asked, *whole);
  if (!places) return;
  LinkedPanel& result = picture.result();
  Groups before = none(picture.panels[0].values), after = none(result.values);
  if (zipped) {
    const auto zipped_places = positions(*zipped, *whole);
    if (!zipped_places) return;
    const std::int64_t tile = *layout::product(zipped->layout.mode(0).shape());
    for (std::size_t k = 0; k < zipped_places->size(); ++k) {
      const std::int64_t at = (*zipped_places)[k];
      if (at >= 0) before.of[place(at)] = static_cast<std::int64_t>(k) / tile;
    }
    for (std::size_t k = 0; k < places->size(); ++k) {
      if ((*places)[k] >= 0) after.of[k] = before.of[place((*places)[k])];
    }
    picture.panels[0].groups = before;
    result.groups = after;
    picture.note = "letters and colours: the tile";
  }
  // Coordinates beyond the end are no elements.
  if (std::find(places->begin(), places->end(), -1) == places->end()) return;
  result.values.at = [inner = result.values.at, places = *places](std::int64_t index) -> Result<Value> {
    auto value = inner(index);
    if (!value) return value;
    Value out = *value;
    out.outside = places[place(index)] < 0;
    return out;
  };
  result.values.caption =
      fmt::format("{} of {} cells have elements",
                  places->size() - static_cast<std::size_t>(std::count(places->begin(), places->end(), -1)),
                  places->size());
  picture.note += picture.note.empty() ? "" : "; ";
  picture.note += "empty (-): past the end of what is divided";
}

// -------------------------------------------------------------------------------------------------- products

/// For each coordinate of the result the number of its copy, an index of B.
std::optional<std::vector<std::int64_t>> copies(const Values& result, const layout::Call& call, std::int64_t size_of_a,
                                                std::int64_t size_of_b) {
  const bool raked = call.function == "raked_product", blocked = raked || call.function == "blocked_product";
  const auto& tiler = call.arguments[1].tiler;
  const bool by_mode = call.function == "logical_product" && tiler && tiler->is_tuple() && !call.arguments[1].is_layout;
  if (result.size != size_of_a * size_of_b) return std::nullopt;
  std::vector<std::int64_t> out;
  for (std::int64_t index = 0; index < result.size; ++index) {
    if (!blocked && !by_mode) {
      out.push_back(index / size_of_a);
      continue;
    }
    // Mode i is (A's, B's), of raked products (B's, A's).
    const auto coordinate = layout::split(index, result.shape);
    if (!coordinate || coordinate->is_int()) return std::nullopt;
    std::int64_t copy = 0, weight = 1;
    for (std::size_t k = 0; k < coordinate->elements().size(); ++k) {
      const IntTuple &mode = coordinate->elements()[k], &shape = result.shape.elements()[k];
      if (mode.is_int() || mode.rank() != 2) return std::nullopt;
      const std::size_t which = raked ? 0 : 1;
      const auto in_mode = layout::join(mode.elements()[which], shape.elements()[which]);
      if (!in_mode) return std::nullopt;
      copy += weight * *in_mode;
      weight *= *layout::product(shape.elements()[which]);
    }
    out.push_back(copy);
  }
  return out;
}

void link_product(Linked& picture, const layout::Call& call) {
  if (picture.panels.size() != 3) return;
  LinkedPanel &a = picture.panels[0], &b = picture.panels[1], &result = picture.result();
  auto of = copies(result.values, call, a.values.size, b.values.size);
  if (!of) return;
  result.groups = Groups{std::move(*of), ""};
  a.groups = Groups{std::vector<std::int64_t>(place(a.values.size), 0), ""};
  b.groups = none(b.values);
  for (std::int64_t k = 0; k < b.values.size; ++k) b.groups->of[place(k)] = k;
  picture.note = "letters and colours: the copy, one for each element of the second";
}

// --------------------------------------------------------------------------------- compositions, inverses, choices

void link_composition(Linked& picture) {
  if (picture.panels.size() != 3) return;
  LinkedPanel &a = picture.panels[0], &b = picture.panels[1], &result = picture.result();
  const auto groups = columns(result.values);
  if (!groups || b.values.size != result.values.size) return;
  Groups before = none(a.values);
  for (std::int64_t k = 0; k < b.values.size; ++k) {
    const auto at = b.values.at(k);
    if (!at || !at->offset || *at->offset < 0) return;
    if (*at->offset >= a.values.size) continue;  // A goes on past its end
    std::int64_t& group = before.of[place(*at->offset)];
    if (group < 0) group = groups->of[place(k)];
  }
  a.groups = before;
  b.groups = groups;
  result.groups = groups;
  picture.note = "letters and colours: the result's column, and where the first takes it from";
}

void link_inverse(Linked& picture) {
  LinkedPanel &whole = picture.panels[0], &result = picture.result();
  const auto groups = columns(whole.values);
  if (!groups) return;
  Groups after = none(result.values);
  for (std::int64_t k = 0; k < whole.values.size; ++k) {
    const auto at = whole.values.at(k);
    if (!at || !at->offset) return;
    if (*at->offset < 0 || *at->offset >= result.values.size) continue;
    after.of[place(*at->offset)] = groups->of[place(k)];
  }
  whole.groups = groups;
  result.groups = after;
  picture.note = "letters and colours: the first's column; the result's cell i is where the first is i";
}

void link_choice(Linked& picture) {
  LinkedPanel &whole = picture.panels[0], &result = picture.result();
  const Groups all{std::vector<std::int64_t>(place(result.values.size), 0), "*"};
  Groups before;
  if (!carry_over(result.values, all, whole.values, before)) return;
  before.mark = "*";
  whole.groups = before;
  result.groups = all;
  picture.note = "*: what the result reaches";
}

/// Links cells by their values: the groups are the columns of the argument, or of the result if it has none.
void link_by_value(Linked& picture) {
  if (picture.panels.size() != 2) return;
  LinkedPanel &whole = picture.panels[0], &result = picture.result();
  const auto before = columns(whole.values), after = before ? std::nullopt : columns(result.values);
  Groups carried;
  if (before && carry_over(whole.values, *before, result.values, carried)) {
    whole.groups = before;
    result.groups = carried;
    picture.note = "letters and colours: the column before";
  } else if (after && carry_over(result.values, *after, whole.values, carried)) {
    whole.groups = carried;
    result.groups = after;
    picture.note = "letters and colours: the column after";
  }
}

}  // namespace

void link(Linked& picture, const layout::Call& call) {
  const std::string& name = call.function;
  for (const LinkedPanel& panel : picture.panels) {
    if (panel.values.size > largest_enumerated || panel.value) return;
  }
  const auto form = layout::division_named(name);
  if (form && picture.panels.size() == 2 && std::holds_alternative<Layout>(*call.arguments[0].value)) {
    return link_division(picture, call, *form);
  }
  if (is_one_of(name, products)) return link_product(picture, call);
  if (name == "compose" && picture.panels.size() == 3) return link_composition(picture);
  if (is_one_of(name, inverses) && name != "nullspace") return link_inverse(picture);
  if (is_one_of(name, choices)) return link_choice(picture);
  if (!is_one_of(name, casts) && name != "nullspace" && name != "with_shape") return link_by_value(picture);
}

}  // namespace reckon::draw
