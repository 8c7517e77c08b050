// The patterns of a probe, and how its answer is read as a number of units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "reveal/reveal.h"
#include "reveal/scale.h"
#include "reveal/scaling.h"

namespace reckon::reveal {

/// The number of units that an answer stands for, or `odd`, another result.
struct Count {
  std::int64_t units = -1;
  std::string odd;
};

/// M at one leaf, -M at another, and units at all others, each divided by the leaf's weight.
class Units {
 public:
  /// Units and masks of a plain sum: the answer is a multiple of the unit.
  Units(const Question& question, const Scale& scale);
  /// Those of a scaled sum. The unit is such that what is added for it has few digits, so that partial sums of n units
  /// are exact; and all n + 1 answers differ, so that each is read in one way. Nothing if there is no such unit.
  static std::optional<Units> of(const Question& question, const Model& model);

  /// The pattern for leaf i.
  std::uint64_t unit(std::size_t i) const { return at(i, unit_); }
  std::uint64_t mask(std::size_t i) const { return at(i, mask_); }
  /// The pattern that makes leaf i add what `bits` would without weights.
  std::uint64_t at(std::size_t i, std::uint64_t bits) const;
  Count count(std::uint64_t answer, std::int64_t most) const;

 private:
  Units() = default;
  /// Whether the masks and a unit that adds `added` serve; fills the table of answers.
  bool serves(const Question& question, const Model& model, double mask, double unit);

  Format input_ = Format::f32, result_ = Format::f32;
  int exponent_ = 0;  ///< of a plain sum's unit
  std::uint64_t mask_ = 0, unit_ = 0;
  std::vector<double> weights_;
  bool tabled_ = false;
  std::unordered_map<std::uint64_t, std::int64_t> counts_;  ///< of a scaled sum, by answer
};

}  // namespace reckon::reveal
