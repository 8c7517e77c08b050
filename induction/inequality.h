// Inequalities: sums of facts with factors of 0 or more, by induction over sizes and over the trees of reductions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "induction/polynomial.h"
#include "induction/script.h"

namespace reckon::ir::steps {

class Inequalities {
 public:
  explicit Inequalities(Script& script) : script_(script) {}

  /// left <= right from these steps and what is known of absolute values, maxima and ranges.
  Number prove(const Formula& claim, const std::vector<std::size_t>& given = {});
  /// The same, with sums: by |sum| <= sum |.|, by comparing terms, or by induction over a size.
  Number prove_with_sums(const Formula& claim);
  /// For the states of a recurrence, in whatever order it reduces: by induction over the order, with what is found to
  /// hold of all states.
  Number prove_for_states(const Formula& claim, const proof::Recurrence& of, const std::string& count_name);
  /// For the states of a recurrence that reduces in order: by induction over the number of leaves, which other terms of the
  /// claim may be about.
  Number prove_leaf_by_leaf(const Formula& claim, const proof::Recurrence& of, const std::string& count_name);

 private:
  Number add_up(const Formula& claim, std::vector<std::size_t> given, int degree);
  void facts_of_parts(Expander& expander, const Formula& claim, std::vector<std::size_t>& facts);
  void fact(std::vector<std::size_t>& facts, const Number& step);
  void magnitude_facts(const TermRef& of, std::vector<std::size_t>& facts);
  void range_facts(const TermRef& of, std::vector<std::size_t>& facts);
  void products(const std::vector<std::size_t>& given, std::vector<std::size_t>& facts);
  Number triangle_of_sum(const TermRef& sum);
  Number compared_terms(const TermRef& left, const TermRef& right);
  Number compared_opposites(const TermRef& sum, const TermRef& bound);
  Number by_induction(const Formula& claim, const proof::Variable& size);
  Number order_induction(const Formula& claim, const proof::Recurrence& of, const std::string& count_name,
                         const std::vector<std::size_t>& known);
  std::vector<std::size_t> known_of_states(const proof::Recurrence& of, const std::string& count_name);
  Number opened(const Formula& formula, const TermRef& before, const std::vector<std::size_t>& given);
  bool is_natural(const TermRef& part) const;
  Formula at_most(const TermRef& a, const TermRef& b) const { return {a, proof::Relation::at_most, b}; }

  Script& script_;
};

/// The name of any number of values, which the proof has to declare from 0 on.
inline constexpr char any_count[] = "k0";

}  // namespace reckon::ir::steps
