// Evaluates a tree in each arithmetic that a box may use, so that the bits can be compared with those of the box.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reveal/scaling.h"
#include "reveal/sum_tree.h"

namespace reckon::reveal {

struct Question;

struct Arithmetic {
  enum class Kind : std::uint8_t {
    rounded,      ///< every product and every sum rounded to nearest in `accumulator`
    fma,          ///< a node with a product leaf is one fma: the second child's, else the first child's
    fused_nodes,  ///< nodes of three children or more: terms truncated to `fraction` bits below the largest, added
                  ///< exactly
    kahan,        ///< Kahan's loop over the leaves in order
    neumaier,     ///< Neumaier's loop over the leaves in order
    exact,        ///< the exact sum, rounded once
    sorted,       ///< one after the other, in `rounded`, in the order of the values or their magnitudes
  } kind{};
  Format accumulator = Format::f32;
  // fused_nodes
  int fraction = 0;
  bool nearest = false;      ///< a node's result is rounded to nearest, not toward zero
  bool pairs_fused = false;  ///< nodes of two children as well
  // sorted
  bool magnitudes = false, descending = false;

  /// `f32`, `f32 with fma`, ...: for people.
  std::string text() const;
};

/// The arithmetics in which the tree may be evaluated, the likeliest first: the stated accumulator, wider ones, fused
/// products, fused nodes.
std::vector<Arithmetic> tree_arithmetics(const Formats& formats, bool products, bool multiway);
/// The arithmetics whose sums do not depend on a tree.
std::vector<Arithmetic> other_arithmetics(const Formats& formats);

/// The sum of the input, scaled, as a pattern of the result format. `tree` is needed for the first three kinds. Nothing where a
/// value is not finite, or `fused_nodes` meets sums that are not f32's.
std::optional<std::uint64_t> evaluate(const Arithmetic& arithmetic, const Formats& formats, const SumTree* tree,
                                      const Input& input, const Scaling& scaling = {});

/// Numbers whose sums depend on the order: of both signs, with magnitudes over some binades, none subnormal, and no sum
/// of n of them near overflow. In about half of the inputs, large numbers stand with their negatives, so that the sum
/// is small and a compensated sum differs from one in a wider format.
Input random_input(const Question& question, std::uint64_t& state);

}  // namespace reckon::reveal
