// Checks as values, for Session::check.
#pragma once

#include "reductions.h"

namespace reckon::circuit {

/// A check: `equal(f, g).in("fpsan")`, `near(f, g).in("float").within_bound()`, `within(f, 0, 1).in("interval")`.
class Claim {
 public:
  enum class Relation : std::uint8_t { equal, near, within, truth };
  enum class Tolerance : std::uint8_t { none, absolute, ulp, relative, bound, orders, range };
  struct Sizes {
    NodePointer size;
    std::vector<NodePointer> values;
  };
  struct Bounds {
    std::string parameter;
    NodePointer low, high;
  };

  Claim(Relation relation_, std::vector<NodePointer> sides_, Place at)
      : relation(relation_), sides(std::move(sides_)), place(at) {}

  Claim in(std::string semantics_) && {
    return with([&](Claim& out) { out.semantics = std::move(semantics_); });
  }
  Claim within(const Constant& distance) && { return tolerated(Tolerance::absolute, {distance.node()}); }
  Claim within_ulp(const Constant& count) && { return tolerated(Tolerance::ulp, {count.node()}); }
  Claim within_relative(const Constant& distance) && { return tolerated(Tolerance::relative, {distance.node()}); }
  /// Rounding explains the difference; `order` is that of a side that no circuit computes.
  Claim within_bound() && { return tolerated(Tolerance::bound, {}); }
  Claim within_bound(const Schedule& order) && { return tolerated(Tolerance::bound, {order.node()}); }
  Claim within_orders() && { return tolerated(Tolerance::orders, {}); }
  Claim within_orders(const Schedule& order) && { return tolerated(Tolerance::orders, {order.node()}); }
  /// The sizes, or the range of a parameter's numbers, for which the claim is tested.
  Claim with_size(const Size& size, std::initializer_list<Integer> values) && {
    return with([&](Claim& out) {
      out.sizes.push_back({size.node(), {}});
      for (const Integer& value : values) out.sizes.back().values.push_back(value.node());
    });
  }
  Claim with_range(std::string parameter, const Constant& low, const Constant& high) && {
    return with([&](Claim& out) { out.ranges.push_back({std::move(parameter), low.node(), high.node()}); });
  }
  Claim with_trials(std::int64_t count) && {
    return with([&](Claim& out) { out.trials = count; });
  }
  Claim with_seed(std::int64_t value) && {
    return with([&](Claim& out) { out.seed = value; });
  }
  Claim with_budget(double seconds) && {
    return with([&](Claim& out) { out.budget = seconds; });
  }

  Relation relation;
  std::vector<NodePointer> sides;
  Place place;
  std::string semantics;
  Tolerance tolerance = Tolerance::none;
  std::vector<NodePointer> amounts;
  std::vector<Sizes> sizes;
  std::vector<Bounds> ranges;
  std::optional<std::int64_t> trials, seed;
  std::optional<double> budget;

 private:
  template <class Change>
  Claim with(const Change& change) {
    change(*this);
    return std::move(*this);
  }
  Claim tolerated(Tolerance kind, std::vector<NodePointer> given) {
    tolerance = kind;
    amounts = std::move(given);
    return std::move(*this);
  }
};

/// The same bits (`float`), or the same elements of a ring (`fpsan`, `algebra`).
inline Claim equal(const Expression& a, const Expression& b, Place place = Place::current()) {
  return {Claim::Relation::equal, {a.node(), b.node()}, place};
}
/// Nearness, which one of Claim's `within...` makes precise.
inline Claim near(const Expression& a, const Expression& b, Place place = Place::current()) {
  return {Claim::Relation::near, {a.node(), b.node()}, place};
}
inline Claim within(const Expression& a, const Constant& low, const Constant& high, Place place = Place::current()) {
  Claim out(Claim::Relation::within, {a.node()}, place);
  out.tolerance = Claim::Tolerance::range;
  out.amounts = {low.node(), high.node()};
  return out;
}
/// A condition that is known before anything runs: `holds(layout::equal(a, b))`.
inline Claim holds(const Expression& condition, Place place = Place::current()) {
  return {Claim::Relation::truth, {condition.node()}, place};
}
/// Whether some order of the circuit's reduction gives exactly this result.
template <class R, class... A, class... X>
Claim attains(const Circuit<R, A...>& circuit, const std::tuple<X...>& arguments, const Expression& result,
              Place place = Place::current()) {
  std::vector<NodePointer> all{circuit.node()};
  std::apply([&](const X&... x) { (all.push_back(x.node()), ...); }, arguments);
  all.push_back(result.node());
  return {Claim::Relation::truth, {detail::call("attains", place, std::move(all))}, place};
}
/// The smallest and the largest result of the circuit over all its orders, for Session::show.
template <class R, class... A, class... X>
Static spread(const Circuit<R, A...>& circuit, const X&... arguments) {
  return Static(detail::call("spread", circuit.node()->place, {circuit.node(), arguments.node()...}));
}

/// Functions of enclosures, for Session::show under "interval" or "bound": of one value, and of two.
namespace detail {
inline Static of_enclosures(const char* name, std::vector<NodePointer> operands, Place place) {
  return Static(call(name, place, std::move(operands)));
}
}  // namespace detail
inline Static mid(const Expression& x, Place place = Place::current()) {
  return detail::of_enclosures("mid", {x.node()}, place);
}
inline Static rad(const Expression& x, Place place = Place::current()) {
  return detail::of_enclosures("rad", {x.node()}, place);
}
inline Static width(const Expression& x, Place place = Place::current()) {
  return detail::of_enclosures("width", {x.node()}, place);
}
inline Static mag(const Expression& x, Place place = Place::current()) {
  return detail::of_enclosures("mag", {x.node()}, place);
}
inline Static mig(const Expression& x, Place place = Place::current()) {
  return detail::of_enclosures("mig", {x.node()}, place);
}
inline Static intersection(const Expression& x, const Expression& y, Place place = Place::current()) {
  return detail::of_enclosures("intersection", {x.node(), y.node()}, place);
}
inline Static hull(const Expression& x, const Expression& y, Place place = Place::current()) {
  return detail::of_enclosures("hull", {x.node(), y.node()}, place);
}
/// Whether the first enclosure lies in the second one, and whether they have nothing in common.
inline Claim subset(const Expression& x, const Expression& y, Place place = Place::current()) {
  return {Claim::Relation::truth, {detail::call("subset", place, {x.node(), y.node()})}, place};
}
inline Claim disjoint(const Expression& x, const Expression& y, Place place = Place::current()) {
  return {Claim::Relation::truth, {detail::call("disjoint", place, {x.node(), y.node()})}, place};
}

/// Numbers in a circuit: `numbers<f32>({0.1, 0.2})`.
template <Format T>
Vector<T> numbers(std::initializer_list<Constant> values, Place place = Place::current()) {
  std::vector<NodePointer> elements;
  for (const Constant& value : values) {
    elements.push_back(elements.empty() ? cast<T>(value, place).node() : value.node());
  }
  return Vector<T>(detail::make(NodeKind::list, {}, place, std::move(elements)));
}
/// Random numbers, the same for one seed.
template <Format T, std::convertible_to<Integer>... Sizes>
detail::ValueOfRank<T, sizeof...(Sizes)> random(std::int64_t seed, const Sizes&... sizes) {
  const Place place = Place::current();
  const auto type = detail::make_fixed(NodeKind::subscript, {}, place,
                                       {detail::name(std::string(T::name), place), Integer(sizes).node()...});
  return detail::ValueOfRank<T, sizeof...(Sizes)>(detail::call("random", place, {type, detail::literal(seed, place)}));
}

}  // namespace reckon::circuit
