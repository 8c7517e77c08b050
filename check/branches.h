// Coverage: which branches of a circuit's selections the inputs of a check have entered.
#pragma once

#include <map>

#include "check/check.h"
#include "ir/bind.h"

namespace reckon::check {

/// The values that the conditions of both circuits' selections have had, by their places in the source.
class Branches {
 public:
  /// Collects the conditions at these sizes. There may be none.
  void open(ir::Module& module, const frontend::ElaboratedItem& item, const ir::Dimensions& sizes);
  bool any() const { return !conditions_.empty(); }
  /// Evaluates the conditions on these inputs under `semantics`, at the sizes of the last `open`, and records their
  /// values.
  void enter(ir::Module& module, const frontend::ElaboratedItem& item, const std::vector<interp::Argument>& arguments,
             const interp::EvaluateOptions& options, interp::Semantics& semantics);
  /// The same under `float`.
  void enter(ir::Module& module, const frontend::ElaboratedItem& item, const std::vector<interp::Argument>& arguments,
             const interp::EvaluateOptions& options);

  /// A branch that no input entered: the place of its condition, and the value that the condition never had.
  struct Missed {
    SourceSpan place;
    bool side;
  };
  std::vector<Missed> missed() const;
  /// The check of both circuits with every missed branch taken; nothing if none was missed. If their results differ,
  /// the missed branches matter to the verdict.
  std::optional<frontend::ElaboratedItem> taken(ir::Module& module, const frontend::ElaboratedItem& item) const;
  /// Makes an outcome undecided because `taken` differs: nothing is known of inputs that enter the missed branches.
  static void doubt(Outcome& outcome);

 private:
  struct Seen {
    bool yes = false, no = false;
    SourceSpan place;
  };
  std::vector<std::pair<ir::NodeId, std::size_t>> conditions_;  ///< and which of `seen_` it is
  std::vector<Seen> seen_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> by_place_;
  std::unique_ptr<interp::Semantics> floats_;
};

}  // namespace reckon::check
