// The search for the choices of placement (codegen/choices.h) with which a circuit is fastest. It knows no GPU: what
// placement chooses from, and how long something takes, are functions of its caller.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/reckon/reckon.h"
#include "codegen/compile.h"

namespace reckon {

class Tuner {
 public:
  /// The choices that placement makes if these are stated.
  using Model = std::function<Expected<codegen::ModelledChoices>(const codegen::StatedChoices&)>;
  /// How long it takes then, in seconds.
  using Measure = std::function<Expected<double>(const codegen::StatedChoices&)>;

  /// At most `most` ways are measured; without a `measure`, none.
  Tuner(Model model, Measure measure, std::size_t most)
      : model_(std::move(model)), measure_(std::move(measure)), most_(most) {}

  /// What is usual is tried first. Then one choice at a time is changed, by the model the fastest first; the best
  /// change stays, and the others are tried beside it, until nothing is faster by `least_gain`. An error if what is
  /// usual cannot be compiled or measured.
  Expected<std::size_t> run();

  /// Tuned::Way 0 is what is usual.
  const std::vector<Tuned::Way>& trials() const { return trials_; }
  /// Distinct ways that were not tried because `most` had been.
  std::size_t left_out() const { return left_out_; }

  /// What takes this many times as long as what is usual, by the model, is not measured.
  static constexpr double slow = 4;
  /// The share of the time that a change has to save.
  static constexpr double least_gain = 0.01;

 private:
  /// The changes of one choice that give kernels that have not been tried.
  std::vector<Tuned::Way> changes(const codegen::StatedChoices& from, const std::vector<codegen::Choice>& choices);
  /// False if `most` ways have been measured.
  bool try_out(Tuned::Way& trial);

  Model model_;
  Measure measure_;
  std::size_t most_, measured_ = 0, left_out_ = 0;
  std::vector<Tuned::Way> trials_;
  std::set<std::string> seen_;  ///< choices, and kernels
};

}  // namespace reckon
