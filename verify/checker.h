// One proof under examination.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proof/proof.h"
#include "verify/ring.h"

namespace reckon::verify {

class Checker {
 public:
  explicit Checker(const proof::Proof& proof) : proof_(proof), ring_(proof) {}

  /// Why the step does not follow; empty if it does. Steps are given in order.
  std::string step(std::size_t number);
  /// As before the steps from this one on.
  void back_to(std::size_t size) { open_.resize(size); }
  /// What is wrong with the names and recurrences; empty if nothing is.
  std::string header();
  /// Hypotheses on which a step rests.
  const std::set<std::size_t>& open(std::size_t number) const { return open_[number]; }
  bool matches(const proof::Formula& a, const proof::Formula& b);

 private:
  using Step = proof::Step;
  using TermRef = proof::TermRef;
  std::string refusal(const std::string& fallback);
  std::string shape(const Step& step) const;
  std::string derived(const Step& step, const proof::Formula& formula);
  std::string combine(const Step& step);
  std::string peel(const Step& step);
  std::string empty(const Step& step);
  std::string state(const Step& step);
  std::string blocks(const Step& step);
  std::string rewrite(const Step& step);
  std::string instance(const Step& step);
  std::string induction(const Step& step);
  std::string order_induction(const Step& step);
  std::string monotone(const Step& step);
  std::string axiom(const Step& step);
  std::string rearranged(const Step& step);
  std::string range(const Step& step);
  std::string member(const Step& step);
  std::string hypothesis_of(const Step& step, std::size_t hypothesis, const proof::Recurrence& of,
                            const std::vector<TermRef>& left, const std::vector<TermRef>& right);

  TermRef replaced(const TermRef& term, const TermRef& old, const TermRef& by, const std::set<std::string>& captured,
                   std::string& problem);
  const proof::Formula& premise(const Step& step, std::size_t k) const {
    return proof_.steps[step.premises[k]].conclusion;
  }
  bool is_count(const TermRef& a, const TermRef& b) { return ring_.equal(a, b); }
  bool nonnegative(const TermRef& term);
  bool known_nonnegative(const TermRef& term, const std::vector<std::size_t>& premises);
  const proof::Recurrence* recurrence(const std::string& name) const;
  const proof::Variable* declared(const std::string& name) const;
  /// Whether a recurrence, or the range of another name in the formula, depends on the name.
  bool is_fixed(const std::string& name, const proof::Formula& formula) const;
  bool rests_on(const std::set<std::size_t>& hypotheses, const std::string& name) const;
  bool is_associative(const proof::Recurrence& recurrence, std::size_t before);

  const proof::Proof& proof_;
  Ring ring_;
  std::vector<std::set<std::size_t>> open_;
};

proof::Formula substitute(const proof::Formula& formula, const proof::Replacement& by);
std::set<std::string> free_variables(const proof::Formula& formula);

}  // namespace reckon::verify
