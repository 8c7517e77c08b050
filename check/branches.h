// Which branches of a circuit's selections the inputs of a check entered.
#pragma once

#include <map>

#include "check/check.h"
#include "ir/bind.h"

namespace reckon::check {

/// What the conditions of both circuits' selections came to, by their places in the source.
class Branches {
 public:
  /// The conditions at these sizes, of which there may be none.
  void open(ir::Module& module, const frontend::ElaboratedItem& item, const ir::Dimensions& sizes);
  bool any() const { return !conditions_.empty(); }
  /// The conditions on these inputs under `semantics`, at the sizes of the last `open`.
  void enter(ir::Module& module, const frontend::ElaboratedItem& item, const std::vector<interp::Argument>& arguments,
             const interp::EvaluateOptions& options, interp::Semantics& semantics);
  /// The same as floats.
  void enter(ir::Module& module, const frontend::ElaboratedItem& item, const std::vector<interp::Argument>& arguments,
             const interp::EvaluateOptions& options);

  /// Those that no input entered: the place of a condition, and what it never was.
  struct Missed {
    SourceSpan place;
    bool side;
  };
  std::vector<Missed> missed() const;
  /// The check with both circuits as they are where every missed branch is taken; nothing if none was missed. If their
  /// results differ, what no input entered matters.
  std::optional<frontend::ElaboratedItem> taken(ir::Module& module, const frontend::ElaboratedItem& item) const;
  /// Of a check for which `taken` differs: that nothing is known where the missed branches are entered.
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
