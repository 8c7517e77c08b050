// Schedules as values: the order in which a reduction is carried out. tests/api compares this list with the table of
// forms (ir/schedule/forms.cpp).
#pragma once

#include <initializer_list>

#include "functions.h"

namespace reckon::circuit {

/// Which part of the machine carries out a stage.
enum class Level : std::uint8_t { thread, warp, block, grid };

/// Something that is known before anything runs, and has a text: Session::show.
class Static : public Expression {
 public:
  using Value = Static;
  using Expression::Expression;
};

/// One binary tree for every number of leaves.
class Schedule : public Expression {
 public:
  using Value = Schedule;
  using Expression::Expression;
  /// `S @ level`.
  Schedule at(Level level, Place place = Place::current()) const { return Schedule(pinned(node(), level, place)); }

  static NodePointer pinned(const NodePointer& node, Level level, Place place) {
    static constexpr const char* names[] = {"thread", "warp", "block", "grid"};
    return detail::make_fixed(NodeKind::pinned, names[static_cast<std::size_t>(level)], place, {node});
  }
};

/// Makes a list of nodes shorter: `lanes(128, tree).then(tree)`.
class Stage : public Expression {
 public:
  using Value = Stage;
  using Expression::Expression;
  Schedule then(const Schedule& rest, Place place = Place::current()) const {
    return Schedule(detail::make_fixed(NodeKind::then, {}, place, {node(), rest.node()}));
  }
  Stage then(const Stage& next, Place place = Place::current()) const {
    return Stage(detail::make_fixed(NodeKind::then, {}, place, {node(), next.node()}));
  }
  Stage at(Level level, Place place = Place::current()) const { return Stage(Schedule::pinned(node(), level, place)); }
};

inline const Schedule seq(detail::name("seq", Place::current())), tree(detail::name("tree", Place::current()));
inline const Schedule halving(detail::name("halving", Place::current()));
inline const Schedule blelloch(detail::name("blelloch", Place::current()));
inline const Schedule kahan(detail::name("kahan", Place::current()));
inline const Schedule rounded_once(detail::name("rounded_once", Place::current()));
inline const Schedule any(detail::name("any", Place::current()));
inline const Schedule any_tree(detail::name("any_tree", Place::current()));
inline const Schedule any_seq(detail::name("any_seq", Place::current()));

inline Schedule fused(const Schedule& order, Place place = Place::current()) {
  return Schedule(detail::fixed_call("fused", place, {order.node()}));
}
inline Schedule neumaier(const Schedule& order, Place place = Place::current()) {
  return Schedule(detail::fixed_call("neumaier", place, {order.node()}));
}
inline Schedule binned(const Integer& bins, Place place = Place::current()) {
  return Schedule(detail::fixed_call("binned", place, {bins.node()}));
}
/// Generations of tensor cores.
enum class TensorCores : std::uint8_t { volta, turing, ampere, ada, hopper, blackwell };
/// Additions of many products, as tensor cores carry them out. The formats of the accumulator and of the factors follow
/// from the sum, unless they are stated: `mma<f32, bf16>(TensorCores::hopper)`.
template <class... Formats>
Schedule mma(TensorCores model, Place place = Place::current()) {
  static_assert(sizeof...(Formats) <= 2, "the formats of the accumulator and of the factors");
  static constexpr const char* names[] = {"volta", "turing", "ampere", "ada", "hopper", "blackwell"};
  return Schedule(detail::fixed_call("mma", place,
                                     {detail::name(names[static_cast<std::size_t>(model)], place),
                                      detail::name(std::string(Formats::name), place)...}));
}
/// The first m by A, the rest by B.
inline Schedule split(const Integer& m, const Schedule& a, const Schedule& b, Place place = Place::current()) {
  return Schedule(detail::fixed_call("split", place, {m.node(), a.node(), b.node()}));
}
inline Stage tile(const Integer& k, const Schedule& order, Place place = Place::current()) {
  return Stage(detail::fixed_call("tile", place, {k.node(), order.node()}));
}
inline Stage lanes(const Integer& k, const Schedule& order, Place place = Place::current()) {
  return Stage(detail::fixed_call("lanes", place, {k.node(), order.node()}));
}
/// All trees of at most this height; all that reduce so many lanes first.
inline Schedule any_of_depth(const Integer& depth, Place place = Place::current()) {
  const auto limit = detail::make_fixed(NodeKind::colon, {}, place, {detail::name("depth", place), depth.node()});
  return Schedule(detail::fixed_call("any", place, {limit}));
}
inline Schedule any_of_lanes(const Integer& lanes, Place place = Place::current()) {
  const auto limit = detail::make_fixed(NodeKind::colon, {}, place, {detail::name("lanes", place), lanes.node()});
  return Schedule(detail::fixed_call("any", place, {limit}));
}

/// A tree over leaves: `Tree{{0, 1}, 2}`.
class Tree {
 public:
  Tree(std::int64_t leaf) : prefix_{leaf} {}
  Tree(const Tree& left, const Tree& right) : prefix_{-1} {
    prefix_.insert(prefix_.end(), left.prefix_.begin(), left.prefix_.end());
    prefix_.insert(prefix_.end(), right.prefix_.begin(), right.prefix_.end());
  }
  const std::vector<std::int64_t>& prefix() const { return prefix_; }

 private:
  std::vector<std::int64_t> prefix_;
};
/// The schedule of one tree, for its number of leaves.
inline Schedule quoted(const Tree& tree, Place place = Place::current()) {
  Node node(NodeKind::quoted, {}, place);
  node.prefix = tree.prefix();
  node.fixed = true;
  return Schedule(std::make_shared<const Node>(std::move(node)));
}

/// The schedule that is `order` for n nodes; `choose` chooses by n.
inline Schedule length(const Index& n, const Schedule& order, Place place = Place::current()) {
  Node node(NodeKind::length, {}, place, {order.node()});
  node.ranges = {n.node()};
  node.fixed = true;
  return Schedule(std::make_shared<const Node>(std::move(node)));
}
inline Schedule choose(const Condition& condition, const Schedule& a, const Schedule& b,
                       Place place = Place::current()) {
  return Schedule(detail::make_fixed(NodeKind::choice, {}, place, {condition.node(), a.node(), b.node()}));
}

namespace detail {
inline NodePointer of_session(std::string text, std::initializer_list<Integer> arguments, Place place) {
  NodePointer callee = name(std::move(text), place);
  if (arguments.size() == 0) return callee;
  std::vector<NodePointer> children{callee};
  for (const Integer& argument : arguments) children.push_back(argument.node());
  return make_fixed(NodeKind::call, {}, place, std::move(children));
}
}  // namespace detail

/// A schedule, or a stage, that the session knows by name, with arguments if it takes some: `schedule("canonical",
/// {8})`.
inline Schedule schedule(std::string name, std::initializer_list<Integer> arguments = {},
                         Place place = Place::current()) {
  return Schedule(detail::of_session(std::move(name), arguments, place));
}
inline Stage stage(std::string name, std::initializer_list<Integer> arguments = {}, Place place = Place::current()) {
  return Stage(detail::of_session(std::move(name), arguments, place));
}

// Questions about schedules, for Session::show.
inline Static parens(const Schedule& order, const Integer& leaves, Place place = Place::current()) {
  return Static(detail::fixed_call("parens", place, {order.node(), leaves.node()}));
}
inline Static depth(const Schedule& order, const Integer& leaves, Place place = Place::current()) {
  return Static(detail::fixed_call("depth", place, {order.node(), leaves.node()}));
}
inline Static hash(const Schedule& order, const Integer& leaves, Place place = Place::current()) {
  return Static(detail::fixed_call("hash", place, {order.node(), leaves.node()}));
}
/// Whether two schedules differ only by swapped operands.
inline Static same(const Schedule& a, const Schedule& b, const Integer& leaves, Place place = Place::current()) {
  return Static(detail::fixed_call("same", place, {a.node(), b.node(), leaves.node()}));
}
/// The largest relative error of a sum of n numbers of one format in this order.
template <FloatFormat T>
Static bound(const Schedule& order, const Integer& leaves, Place place = Place::current()) {
  return Static(
      detail::fixed_call("bound", place, {order.node(), leaves.node(), detail::name(std::string(T::name), place)}));
}

}  // namespace reckon::circuit
