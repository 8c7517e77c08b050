// Sines and cosines of forms.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "prove/form.h"

namespace reckon::ir::normal {

class Terms;

struct Angle {
  PolynomialId sine, cosine;
};

/// The angle of so many half turns, if it can be written in square roots.
std::optional<Angle> angle_of_pi(Terms& t, const mpq_class& turns);

/// Angles by the addition theorems. Multiples of one form are written in those of its largest unit fraction, or, once
/// they are refined, in those of a part that all multiples which have occurred have in common.
class Angles {
 public:
  explicit Angles(Terms& terms) : t_(terms) {}
  Angles(const Angles&) = delete;

  Angle of(PolynomialId a);
  /// Sines and cosines of whole and of half angles, by those of the half. Returns whether forms that have been made may
  /// be others now.
  bool refine();

 private:
  Angle of_term(MonomialId monomial, const mpq_class& coefficient);

  Terms& t_;
  std::map<std::size_t, int> parts_;  ///< by an angle's shape: the parts that its multiples are written in
  bool refined_ = false, differ_ = false;
};

}  // namespace reckon::ir::normal
