// A proof as data: what was proved, what its names stand for, and steps, each of which follows from earlier ones by a
// rule. docs/proofs.md states the rules with their side conditions; verify/ checks them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proof/term.h"

namespace reckon::proof {

enum class Relation : std::uint8_t { equal, at_most };

struct Formula {
  TermRef left;
  Relation relation = Relation::equal;
  TermRef right;
};

/// A name that stands for every integer from `least` on, and below `below` where it is given; or, without `is_integer`,
/// for every real number, which is 0 or more if `is_natural`. Names that are not declared stand for every real number.
struct Variable {
  std::string name;
  bool is_integer = true;
  bool is_natural = false;
  mpz_class least = 0;
  TermRef below = nullptr;
};

/// What a reduction by an operation of the program computes: `leaf` of one leaf, with `index` for its number; and
/// `joined` of two neighbouring groups of leaves, with `left` and `right` for the parts of their states.
struct Recurrence {
  std::string name;
  std::vector<std::string> arguments;  ///< free in the leaves: indices around the reduction
  std::string index;
  std::vector<std::string> left, right;
  std::vector<TermRef> leaf, joined;
  bool in_order = true;  ///< leaf by leaf, from the left; otherwise in any order
  /// If it is in any order: the steps that prove each part of the operation to be associative, so that the order does
  /// not matter. Without them only rules that hold for every order may be used.
  std::vector<std::size_t> associative = {};
};

enum class Rule : std::uint8_t {
  hypothesis,       ///< assumed, until an induction takes it back
  combine,          ///< the difference of the sides is that of the premises', each times its term
  peel,             ///< terms: a sum, product or largest value over c + 1 values, and c. The last value is taken out
  empty,            ///< terms: a sum or product over no values, or a largest value over one
  first,            ///< terms: a state after one leaf
  next,             ///< terms: a state after c + 1 leaves, and c, which is 1 or more
  blocks,           ///< terms: sum(s < a: sum(q < b: f[b s + q])), and the sum over k < a b of f[k]
  rewrite,          ///< the right side is the left one with the premise's right side in the place of its left one
  instance,         ///< terms for `variables` of the premise
  induction,        ///< premises: the first case, the hypothesis for `variables[0]`, and the case after it
  order_induction,  ///< over the tree of a recurrence: premises: that of a leaf, two hypotheses, that of their join
  monotone,         ///< terms: two sums over one range whose terms the premise compares
  axiom,            ///< `axiom` names it; terms: its operands
};

struct Step {
  Rule rule{};
  Formula conclusion;
  std::vector<std::size_t> premises;
  std::vector<TermRef> terms;
  std::vector<std::string> variables;
  std::string axiom = {};
};

/// Every element of an input lies between the two, where they are given.
struct Range {
  std::string input;
  std::optional<mpq_class> low, high;
};

struct Proof {
  std::string claim;               ///< for people
  std::vector<std::string> notes;  ///< how the circuits were read, where that is more than a transcription
  std::vector<Variable> variables;
  std::vector<Recurrence> recurrences;
  std::vector<Range> ranges;     ///< of inputs, on which the claim rests
  std::vector<TermRef> nonzero;  ///< divisors of the circuits: the proof is for inputs for which none is 0
  std::vector<Step> steps;
  Formula statement;  ///< the conclusion of the last step
};

std::string text(const Formula& formula);
std::string_view rule_name(Rule rule);
/// Lines for people, the claim first.
std::vector<std::string> lines(const Proof& proof);
/// One JSON object.
std::string json(const Proof& proof);

}  // namespace reckon::proof
