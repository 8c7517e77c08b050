// The inputs of a check's trials.
#pragma once

#include "check/check.h"
#include "check/families.h"
#include "check/index_limits.h"
#include "ir/bind.h"

namespace reckon::check {

struct Drawn {
  std::vector<interp::Argument> arguments;  ///< one per parameter of the circuits
  std::vector<WitnessInput> shown;
  Family family = Family::unit;
};

/// The clause about a parameter, if the check has one.
const frontend::RangeClause* range_of(const frontend::ElaboratedItem& item, std::size_t parameter);
/// Whether the clauses, if any is about it, let the parameter have this value.
bool is_allowed(const std::vector<frontend::RangeClause>& ranges, std::size_t parameter, const mpq_class& value);
/// `[[1, 0], [0, 2]]`, of a tensor's elements in row-major order.
std::string nested_text(const std::vector<std::string>& elements, const std::vector<std::int64_t>& shape);

/// Draws the inputs of a check under one semantics: floats of several families within the check's ranges, elements of a
/// ring, or under `interval` whole ranges.
class Inputs {
 public:
  Inputs(const ir::Module& module, const frontend::ElaboratedItem& item, const interp::Semantics& semantics);

  /// Whether there is only one choice of inputs: no inputs, or an enclosure that takes each input's whole range.
  bool fixed() const;
  /// Whether numbers of several families are drawn.
  bool draws_families() const { return families_.size() > 1; }
  /// Whether the first trial takes the whole ranges of all inputs, and points follow only if that leaves the check
  /// open: under `interval` if every input that is no truth value has a range, and for `within lo..hi` in `accept(P)`,
  /// which is about all answers, with a sound profile.
  bool whole_first() const;
  const std::vector<Family>& families() const { return families_; }
  /// The constants of the circuits, ascending: for draw_family.
  const std::vector<mpq_class>& constants() const { return constants_; }
  /// Trials after which every family has had its turn.
  std::int64_t round() const { return 2 * static_cast<std::int64_t>(families_.size() - 1); }
  /// The number of pieces into which the ranges of scalar inputs are cut, over all choices; an error beyond 2^24.
  Expected<std::int64_t> pieces(std::int64_t trial) const;
  /// The first trial draws the family `unit`, and so does every second one that follows; the others take the families in
  /// turn, starting with a different one for each choice of sizes.
  Expected<Drawn> draw(const ir::Dimensions& sizes, std::int64_t trial, std::int64_t piece) const;
  /// Inputs that were found elsewhere, with their description; those that are subscripts are kept in range.
  Drawn given(const ir::Dimensions& sizes, std::vector<interp::Argument> arguments) const;
  /// A description of the inputs: `x in -1..1, of magnitudes ...`; `all of x: -8..8` if an enclosure takes whole
  /// ranges, and `points of x: -8..8` if it does not.
  std::string text() const;

 private:
  bool is_truth(std::size_t parameter) const;
  /// Into how many pieces a trial of whole ranges cuts a parameter: more than 1 only for numbers and truth values.
  std::int64_t pieces_of(std::size_t parameter) const;
  /// Whether an input that has a range is taken as the whole range.
  bool takes_ranges(std::int64_t trial) const { return whole_first() ? trial == 0 : takes_whole_ranges(); }
  bool takes_whole_ranges() const { return semantics_.traits().encloses; }
  interp::RangeTensor piece_of(interp::RangeTensor range, std::size_t parameter, std::int64_t& rest) const;
  std::int64_t seed_of(std::int64_t trial, std::size_t parameter) const;
  Expected<std::vector<std::int64_t>> shape_of(const ir::Parameter& parameter, const ir::Dimensions& sizes) const;

  Family family_of(const ir::Dimensions& sizes, std::int64_t trial) const;

  const ir::Module& module_;
  const frontend::ElaboratedItem& item_;
  const interp::Semantics& semantics_;
  std::vector<Family> families_;
  std::vector<mpq_class> constants_;
  const IndexLimits index_limits_;
  /// Whether an integer is chosen by a condition: an enclosure does not do that for truth values that are not known.
  bool chooses_integers_ = false;
};

/// Scales numbers of [-1, 1) to the range, rounded once and kept inside it; an integer is made from its random bits.
void scale_to(ir::HostTensor& tensor, const frontend::RangeClause& range);

/// The subscripts of an element, by its number in row-major order.
std::vector<std::int64_t> subscripts_of(std::int64_t element, const std::vector<std::int64_t>& shape);

/// An element as the language writes it, without its format.
std::string element_text(const ir::HostTensor& tensor, std::int64_t i);
/// The tensor as an expression of the language if it is short, and otherwise as in `0, but [3, 1] = 1, [5, 2] = -2`; a
/// scalar as its one element.
void describe(const ir::HostTensor& tensor, WitnessInput& input);
/// Gives the input the first eight elements, as decimals, and says how many follow.
void show_elements(const ir::HostTensor& tensor, WitnessInput& input);

}  // namespace reckon::check
