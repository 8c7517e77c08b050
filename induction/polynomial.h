// Terms multiplied out, to find the factors with which inequalities are added.
#pragma once

#include <map>
#include <string>

#include "proof/proof.h"

namespace reckon::ir::steps {

/// Of products of parts that are not taken apart, by their texts in ascending order: the coefficient.
using Expansion = std::map<std::map<std::string, int>, mpq_class>;

/// Collects the parts that it does not take apart.
class Expander {
 public:
  Expansion of(const proof::TermRef& term);
  const std::map<std::string, proof::TermRef>& parts() const { return parts_; }
  static Expansion multiply(const Expansion& a, const Expansion& b);
  static void add(Expansion& into, const Expansion& other, const mpq_class& factor);

 private:
  Expansion part(const proof::TermRef& term);
  Expansion magnitude(const proof::TermRef& term);
  std::map<std::string, proof::TermRef> parts_;
};

/// Numbers of 0 or more with which the columns add up to the target, if there are some. `columns[k]` and `target` are
/// sparse vectors by row. The simplex method in rationals, with Bland's rule.
std::optional<std::vector<mpq_class>> nonnegative_solution(const std::vector<std::map<std::size_t, mpq_class>>& columns,
                                                           const std::vector<mpq_class>& target);

}  // namespace reckon::ir::steps
