// Inputs near the worst case: floats are computed as the circuit computes them, reals by MPFR.
#pragma once

#include <memory>

#include "worst/box_bound.h"

namespace reckon::worst {

/// One input each: the float, and how much larger the real is that was rounded to it (0 where inputs are floats).
struct Point {
  std::vector<double> floats, offsets;
};

struct Sample {
  bool valid = false;  ///< the float is finite, and the real result was found
  double result = 0;   ///< the circuit's float
  double real = 0;     ///< the real result, rounded to nearest
  double error = 0;    ///< |result - real|, rounded to nearest; `with_value`: the size of the result itself
};

class Sampler {
 public:
  Sampler(const Circuit& circuit, NodeNumber output, const Question& question);
  Sampler(const Sampler&) = delete;
  ~Sampler();

  Sample at(const Point& point);
  /// Random floats of the inputs' formats in the box, and reals that are rounded to them. An input whose range has no
  /// float in it keeps an end of it.
  Point draw(const Box& box, std::uint64_t& random) const;

 private:
  struct Reals;
  bool float_value(const Node& node, double& out) const;
  bool rounded_value(const Node& node, double& out) const;
  bool exact_value(const Node& node, double& out) const;
  double block_value(const Node& node) const;
  bool holds(std::uint32_t condition, bool of_reals) const;

  const Circuit& circuit_;
  const NodeNumber output_;
  const Question question_;
  std::vector<Format> formats_;  ///< of the inputs
  std::vector<double> floats_;   ///< of the nodes
  std::unique_ptr<Reals> reals_;
};

struct Witness {
  Point point;
  Sample sample;
};

/// The largest error found by so many evaluations, half of them near the best ones so far. `where`: a part of the box
/// that is likely to hold the worst case. Equal seeds give equal points. With `relative`, the error over the real
/// result.
Witness find_witness(Sampler& sampler, const Box& inputs, const Box& where, std::size_t evaluations, bool relative,
                     std::uint64_t seed = 1);

}  // namespace reckon::worst
