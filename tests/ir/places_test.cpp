// Sets of places: a node that several functions share has a place in each.
#include <catch2/catch.hpp>

#include "ir/bind.h"
#include "ir/module.h"
#include "ir/op.h"
#include "ir/passes/compaction.h"

using namespace reckon;
using namespace reckon::ir;

namespace {

constexpr NodeId shared{3}, other{7};

SourceSpan place(std::uint32_t begin) { return {0, begin, begin + 1}; }

struct Two {
  PlaceStore places;
  PlacesId first = places.make(), second = places.make();
  void put(PlacesId set, NodeId node, std::uint32_t begin) {
    places.select(set);
    places.put(node, place(begin));
  }
  std::uint32_t at(PlacesId set, NodeId node) const { return places.find(node, set).begin; }
};

}  // namespace

TEST_CASE("a node has one place in each set: the first that it was given there") {
  Two two;
  two.put(two.first, shared, 10);
  two.put(two.first, shared, 11);
  two.put(two.second, shared, 20);
  two.put(two.second, shared, 21);
  CHECK(two.at(two.first, shared) == 10);
  CHECK(two.at(two.second, shared) == 20);
  // Where a set says nothing, the first place of all; no place is none.
  two.put(two.first, other, 30);
  CHECK(two.at(two.second, other) == 30);
  CHECK_FALSE(two.places.find(NodeId{99}, two.first).known());
  two.places.put(NodeId{98}, {});
  CHECK_FALSE(two.places.find(NodeId{98}, two.first).known());
}

TEST_CASE("a set that uses another one has its places, and those that it uses") {
  Two two;
  const PlacesId third = two.places.make();
  two.put(two.second, other, 1);
  two.put(two.first, shared, 10);
  two.put(two.second, shared, 20);
  two.places.select(third);
  two.places.use(two.second);
  two.places.put(shared, place(30));  // it stands where the second set says
  CHECK(two.at(third, shared) == 20);
  const PlacesId fourth = two.places.make();
  two.places.select(fourth);
  two.places.use(third);
  CHECK(two.at(fourth, shared) == 20);
  // Its own come first.
  const PlacesId fifth = two.places.make();
  two.put(fifth, shared, 50);
  two.places.use(third);
  CHECK(two.at(fifth, shared) == 50);
}

TEST_CASE("substitution, copies of a function and of a module carry places along") {
  Module m;
  const SymbolId n = m.symbol("n");
  const TypeId vector = m.types().tensor(Scalar::f32, {m.indices().dimension(n)});
  const auto function = [&](std::uint32_t begin) {
    Function out;
    out.name = m.symbol("f");
    out.dimensions = {n};
    out.parameters = {{m.symbol("x"), vector, {}}};
    out.places = m.places().make();
    const PlacesGuard placing(m, out.places);
    out.body = m.apply(Op::sqrt, {m.element(m.parameter(0, vector), {m.indices().constant(0)})});
    m.places().put(out.body, place(begin));
    out.result = m[out.body].type;
    return out;
  };
  const Function first = function(10), second = function(20);
  REQUIRE(first.body == second.body);
  CHECK(m.span(first.body, first.places).begin == 10);
  CHECK(m.span(second.body, second.places).begin == 20);
  const Function small = instantiate(m, second, {{n, 4}});
  instantiate(m, first, {{n, 4}});
  CHECK(m.span(small.body, small.places).begin == 20);
  // A caller's nodes stand where the callee's do.
  const PlacesId caller = m.places().make();
  {
    const PlacesGuard placing(m, caller);
    Module::Substitution arguments;
    arguments.parameters = {m.parameter(1, vector)};
    arguments.places = second.places;
    const NodeId inlined = m.substitute(second.body, arguments);
    CHECK(inlined != second.body);
    CHECK(m.span(inlined).begin == 20);
  }
  CHECK(m.copy()->span(second.body, second.places).begin == 20);
  const auto copies = compact(m, {first, second});
  CHECK(copies->span(copies->functions()[0].body, copies->functions()[0].places).begin == 10);
  CHECK(copies->span(copies->functions()[1].body, copies->functions()[1].places).begin == 20);
}
