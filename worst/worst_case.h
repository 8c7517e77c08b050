// The worst case of a circuit over ranges of its inputs: what `show bound(f) for x: -1..1` answers.
#pragma once

#include "interp/evaluate.h"
#include "worst/record.h"
#include "worst/search.h"
#include "worst/witness.h"

namespace reckon::worst {

struct Asked {
  const ir::Function* circuit = nullptr;
  const ir::Function* other =
      nullptr;               ///< how far apart the two circuits' floats are, instead; its parameters are the same
  bool equal_reals = false;  ///< the reals of the two circuits are known to be the same: only floats are apart
  /// Truth values of the same parameters: only inputs for which all of them hold, in reals, are asked about.
  std::vector<const ir::Function*> conditions = {};
  ir::Dimensions sizes;      ///< of all of the circuit's dimensions
  const driver::ClosedNumbers* numbers = nullptr;  ///< what numbers without a format are: `sqrt(2)`
  /// One for each parameter: that of each of its elements.
  std::vector<std::pair<mpq_class, mpq_class>> ranges;
  numerics::FloatMode mode = {};  ///< in which the floats are computed
  const std::atomic<bool>* interrupted = nullptr;
  /// The bound is to hold for all that compilers may make of the circuit: additions of products as fma, and sums in any
  /// order.
  bool contracts = false, reassociates = false;
};

/// The question with its circuits written out.
struct Posed {
  Circuit circuit;
  std::vector<NodeNumber> outputs;        ///< one for each element
  std::vector<std::uint32_t> conditions;  ///< of the circuit
  Box floats, reals;                      ///< the inputs' ranges, rounded inward to floats, and outward
  std::vector<Recorder::Input> inputs;    ///< what the coordinates of boxes and points are
  /// Whether the circuit is short enough, and has few enough inputs, for affine forms and a search.
  bool has_forms() const;
};
/// `as_written`: what constants give is an operation, too. Errors as worst_case has them.
Expected<Posed> pose(ir::Module& module, const Asked& asked, const interp::EvaluateOptions& options, bool as_written);

/// How much of the bound one operation accounts for, where the bound is largest.
struct Share {
  SourceSpan place;
  std::string_view operation;  ///< `mul`, `exp`; `input`, `constant`
  double part = 0;             ///< of the bound, 0 to 1; several operations at one place are added
};

/// Why there is no bound, and for which inputs the reason may occur.
struct Hindrance {
  SourceSpan place;
  Reason reason{};
  Box where;
};

struct WorstCase {
  bool empty = false;                  ///< no input meets the conditions
  std::optional<Hindrance> hindrance;  ///< if there is one, `error` is none
  double error = 0;                    ///< no input's |float - real| is above it; with `other`, |float - other float|
  std::optional<double> relative;      ///< of |float - real| / |real|; nothing if the real may be 0
  double with_inputs = 0;              ///< the same as `error`, where inputs are reals that are rounded first
  std::optional<Hindrance> with_inputs_hindrance;
  Interval range{};              ///< of the real result; with `other`, of the difference of the two
  std::optional<Witness> found;  ///< nothing for long circuits
  std::vector<Share> shares;     ///< the largest first
  std::int64_t element = 0;      ///< the element of the result that is worst
  std::size_t elements = 1;      ///< how many there are
  numerics::Format format{};     ///< of the result
  std::vector<Recorder::Input> inputs;  ///< what the coordinates of boxes and points are
};

Diagnostic nothing_meets(const ir::Function& function);
/// Of a tensor or tuple of results, that of the element with the largest bound. E0501 where an operation has no rule.
Expected<WorstCase> worst_case(ir::Module& module, const Asked& asked, const interp::EvaluateOptions& options);

}  // namespace reckon::worst
