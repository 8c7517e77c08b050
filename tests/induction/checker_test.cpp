// The side conditions of the checker's rules, by proofs that are written by hand: each is refused without its
// condition.
#include <catch2/catch.hpp>

#include "proof/proof.h"
#include "verify/check.h"

using namespace reckon;
using proof::Formula;
using proof::Proof;
using proof::Relation;
using proof::Rule;
using proof::TermKind;
using proof::TermRef;

namespace {

const TermRef x = proof::variable("x"), y = proof::variable("y"), n = proof::variable("n"), i = proof::variable("i");
TermRef number(int value) { return proof::number(value); }
TermRef at(const TermRef& place) { return proof::element("x", {place}); }
TermRef sum(const TermRef& count, const TermRef& body) { return proof::over_range(TermKind::sum, "i", count, body); }

Proof of(std::vector<proof::Step> steps) {
  Proof out;
  out.variables = {{.name = "n"}, {.name = "i", .below = n}};
  out.steps = std::move(steps);
  out.statement = out.steps.back().conclusion;
  return out;
}
proof::Step combine(Formula claim) { return {.rule = Rule::combine, .conclusion = std::move(claim)}; }
bool accepts(const Proof& proof) { return !verify::check(proof); }
Formula equal(const TermRef& a, const TermRef& b) { return {a, Relation::equal, b}; }
Formula at_most(const TermRef& a, const TermRef& b) { return {a, Relation::at_most, b}; }

}  // namespace

TEST_CASE("a divisor is known not to be 0, or the proof names it") {
  Proof proof = of({combine(equal(proof::divide(proof::multiply({x, y}), y), x))});
  CHECK_FALSE(accepts(proof));
  proof.nonzero = {y};
  CHECK(accepts(proof));
  CHECK(accepts(of({combine(
      equal(proof::divide(proof::multiply({x, proof::add({n, number(1)})}), proof::add({n, number(1)})), x))})));
  CHECK_FALSE(accepts(of({combine(equal(proof::divide(proof::multiply({x, n}), n), x))})));
}

TEST_CASE("exponents and numbers of values are not below 0") {
  const auto power = [](const TermRef& exponent) { return proof::power(x, exponent); };
  CHECK(accepts(of({combine(equal(proof::multiply({power(n), x}), power(proof::add({n, number(1)}))))})));
  CHECK_FALSE(accepts(of({combine(equal(proof::multiply({power(proof::subtract(n, number(1))), x}), power(n)))})));
  CHECK_FALSE(
      accepts(of({combine(equal(sum(proof::subtract(n, number(1)), number(1)), proof::subtract(n, number(1))))})));
}

TEST_CASE("inequalities are added with factors of 0 or more") {
  const auto magnitude = [](const TermRef& of) {
    return proof::Step{
        .rule = Rule::axiom, .conclusion = at_most(of, proof::call("abs", {of})), .terms = {of}, .axiom = "magnitude"};
  };
  const auto scaled = [&](const TermRef& factor) {
    return of({magnitude(x),
               {.rule = Rule::combine,
                .conclusion = at_most(proof::multiply({factor, x}), proof::multiply({factor, proof::call("abs", {x})})),
                .premises = {0},
                .terms = {factor}}});
  };
  CHECK(accepts(scaled(number(2))));
  CHECK(accepts(scaled(n)));
  CHECK_FALSE(accepts(scaled(number(-1))));
  CHECK_FALSE(accepts(scaled(y)));
  CHECK_FALSE(accepts(of({combine(at_most(number(0), y))})));
  CHECK(accepts(of({combine(at_most(number(0), n))})));
}

TEST_CASE("a last value is taken out of a sum that has one") {
  const auto peeled = [&](const TermRef& count, const TermRef& before) {
    return of({{.rule = Rule::peel,
                .conclusion = equal(sum(count, at(i)), proof::add({sum(before, at(i)), at(before)})),
                .terms = {sum(count, at(i)), before}}});
  };
  CHECK(accepts(peeled(proof::add({n, number(1)}), n)));
  CHECK_FALSE(accepts(peeled(n, proof::subtract(n, number(1)))));  // n may be 0
  CHECK_FALSE(accepts(peeled(proof::add({n, number(2)}), n)));
}

TEST_CASE("instances lie in the ranges of names, and inputs with ranges have none") {
  const proof::Step claim = combine(equal(proof::multiply({i, x}), proof::multiply({x, i})));
  const auto instance = [&](const std::string& name, const TermRef& term) {
    Proof out = of({claim,
                    {.rule = Rule::instance,
                     .conclusion = equal(proof::substitute(claim.conclusion.left, {{name, term}}),
                                         proof::substitute(claim.conclusion.right, {{name, term}})),
                     .premises = {0},
                     .terms = {term},
                     .variables = {name}}});
    return out;
  };
  CHECK(accepts(instance("x", y)));
  CHECK_FALSE(accepts(instance("i", n)));  // i < n
  CHECK_FALSE(accepts(instance("i", number(-1))));
  CHECK_FALSE(accepts(instance("n", proof::add({n, number(1)}))));  // the range of i would change
  Proof ranged = instance("x", y);
  ranged.ranges = {{"x", mpq_class(0), mpq_class(1)}};
  CHECK_FALSE(accepts(ranged));
}

TEST_CASE("an end of a range is one that the proof names") {
  Proof proof =
      of({{.rule = Rule::axiom, .conclusion = at_most(at(i), number(1)), .terms = {at(i)}, .axiom = "upper end"}});
  CHECK_FALSE(accepts(proof));
  proof.ranges = {{"x", mpq_class(0), mpq_class(1)}};
  CHECK(accepts(proof));
  proof.steps[0].conclusion.right = proof.statement.right = proof::number(mpq_class(1, 2));
  CHECK_FALSE(accepts(proof));
}

TEST_CASE("what a hypothesis says of one index is not put in under a sum") {
  // x[i] = 0 for one i does not make the sum 0.
  const Formula zero = equal(at(i), number(0));
  CHECK_FALSE(
      accepts(of({{.rule = Rule::hypothesis, .conclusion = zero},
                  {.rule = Rule::rewrite, .conclusion = equal(sum(n, at(i)), sum(n, number(0))), .premises = {0}}})));
  CHECK_FALSE(accepts(of({{.rule = Rule::hypothesis, .conclusion = zero}})));
}
