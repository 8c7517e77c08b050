// A proof as it is being written: steps are kept if the checker accepts them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proof/proof.h"
#include "verify/checker.h"

namespace reckon::ir::steps {

using proof::Formula;
using proof::Rule;
using proof::Step;
using proof::TermRef;
using Number = std::optional<std::size_t>;  ///< of a step

class Script {
 public:
  /// The names and recurrences of the proof are there already.
  explicit Script(proof::Proof& proof) : proof_(proof), checker_(proof) {}

  /// The step's number, if the checker accepts it after those before.
  Number add(Step step);
  const Formula& operator[](std::size_t step) const { return proof_.steps[step].conclusion; }
  std::size_t size() const { return proof_.steps.size(); }
  void back_to(std::size_t size) {
    proof_.steps.resize(size);
    checker_.back_to(size);
  }
  proof::Proof& proof() { return proof_; }

  Number hypothesis(Formula claim) { return add({.rule = Rule::hypothesis, .conclusion = std::move(claim)}); }
  /// The formula from the premises, each times a number.
  Number combine(Formula claim, const std::vector<std::pair<std::size_t, TermRef>>& premises);
  /// term = term with the premise's right side in the place of its left one, which is a state or another term.
  Number rewrite(const TermRef& term, std::size_t by);
  Number peel(const TermRef& whole, const TermRef& count);
  Number next(const TermRef& state, const TermRef& count);
  Number first(const TermRef& state);
  Number instance(std::size_t of, const proof::Replacement& by);
  Number induction(Formula claim, const std::string& over, std::size_t first, std::size_t hypothesis, std::size_t next);
  Number axiom(const std::string& name, Formula claim, std::vector<TermRef> terms,
               std::vector<std::size_t> premises = {});

 private:
  proof::Proof& proof_;
  verify::Checker checker_;
};

/// The term with another one in the place of every part that is the same by its text.
TermRef replaced(const TermRef& term, const TermRef& old, const TermRef& by);
/// A term that rewriting changes step by step.
class Chain {
 public:
  Chain(Script& script, TermRef term) : script_(script), first_(term), term_(std::move(term)) {}
  bool rewrite(std::size_t by);
  /// Whether a step was made at all.
  bool changed() const { return !steps_.empty(); }
  const TermRef& term() const { return term_; }
  /// The steps, for `combine`, with this factor.
  void append_to(std::vector<std::pair<std::size_t, TermRef>>& premises, int factor) const;

 private:
  Script& script_;
  TermRef first_, term_;
  std::vector<std::size_t> steps_;
};

}  // namespace reckon::ir::steps
