// The inputs of a check's trials.
#pragma once

#include "check/check.h"
#include "ir/bind.h"

namespace reckon::check {

struct Drawn {
  std::vector<interp::Argument> arguments;  ///< one per parameter of the circuits
  std::vector<WitnessInput> shown;
};

/// The clause about a parameter, if the check has one.
const frontend::RangeClause* range_of(const frontend::ElaboratedItem& item, std::size_t parameter);

/// Draws the inputs of a check under one semantics: floats from [-1, 1) or the check's range, rings' own elements, or
/// under `interval` whole ranges.
class Inputs {
 public:
  Inputs(const ir::Module& module, const frontend::ElaboratedItem& item, const interp::Semantics& semantics)
      : module_(module), item_(item), semantics_(semantics) {}

  /// Whether there is one choice of inputs only: no inputs, or an enclosure that takes each input's whole range at once.
  bool fixed() const;
  /// Whether the first trial is of all inputs' whole ranges, and points follow only if that leaves the check open: `within
  /// lo..hi` in `accept(P)`, which is about all answers, with a sound profile.
  bool whole_first() const;
  /// Into how many pieces the ranges of scalar inputs are cut, all choices together; an error beyond 2^24.
  Expected<std::int64_t> pieces() const;
  Expected<Drawn> draw(const ir::Dimensions& sizes, std::int64_t trial, std::int64_t piece) const;

 private:
  bool is_cut(std::size_t parameter) const;
  /// Whether inputs are their whole ranges: under `interval` always.
  bool takes_ranges(std::int64_t trial) const { return is_interval() || (trial == 0 && whole_first()); }
  bool is_interval() const { return semantics_.name().starts_with("interval"); }
  interp::RangeTensor piece_of(interp::RangeTensor range, std::size_t parameter, std::int64_t& rest) const;
  std::int64_t seed_of(std::int64_t trial, std::size_t parameter) const;
  Expected<std::vector<std::int64_t>> shape_of(const ir::Parameter& parameter, const ir::Dimensions& sizes) const;

  const ir::Module& module_;
  const frontend::ElaboratedItem& item_;
  const interp::Semantics& semantics_;
};

/// From [-1, 1) to the range, rounded once and kept inside; of u32, from 32 random bits.
void scale_to(ir::HostTensor& tensor, const frontend::RangeClause& range);

/// The subscripts of an element, by its number in row-major order.
std::vector<std::int64_t> subscripts_of(std::int64_t element, const std::vector<std::int64_t>& shape);

/// Up to eight elements as decimals.
/// An element as the language writes it, without its format.
std::string element_text(const ir::HostTensor& tensor, std::int64_t i);
std::vector<std::string> first_elements(const ir::HostTensor& tensor);

}  // namespace reckon::check
