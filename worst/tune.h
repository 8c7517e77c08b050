// The cheapest formats of a circuit's values that keep its error below a bound: `show tune(f, 1e-6) for ...`.
#pragma once

#include "worst/worst_case.h"

namespace reckon::worst {

/// What the operations at one place give.
struct ChosenFormat {
  SourceSpan place;
  Format format{};
  std::size_t operations = 0;  ///< that stand there, written out
};

struct Tuned {
  /// The bound with these formats; if it is above the tolerance, they are all f64, and no choice keeps it.
  double error = 0;
  std::optional<Hindrance> hindrance;  ///< even with f64 there is no bound
  double as_written = 0;               ///< the bound of the circuit as it stands; infinite if there is none
  std::vector<ChosenFormat> chosen;    ///< in the order of the text
  std::optional<Witness> found;        ///< with these formats
  std::vector<Recorder::Input> inputs;
};

/// Formats among f16, bf16, f32 and f64, found by trying: for each place in turn, those that err least first, the
/// narrowest format with which the proven bound stays below `tolerance`. Inputs and results keep their formats; a
/// literal takes that of the operation that it meets.
Expected<Tuned> tuned(ir::Module& module, const Asked& asked, double tolerance, const interp::EvaluateOptions& options);

}  // namespace reckon::worst
