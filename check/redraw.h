// Random inputs for which a circuit is defined, in a ring.
//
// Half of all elements have no square root. If 64 rows are each divided by a root, all of them are defined only once in
// 2^64 draws. Therefore only the rows that the failing roots depend on are drawn again: the evaluation stops at the
// first operation that fails for some element; a second evaluation, whose values are sets of input rows, tells which
// rows each failing element depends on; of these, the rows that no earlier successful root depends on are drawn again.
#pragma once

#include <bitset>

#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"

namespace reckon::check {

class Redraw {
 public:
  Redraw(ir::Module& module, interp::Semantics& semantics, const interp::EvaluateOptions& options)
      : module_(module), semantics_(semantics), options_(options) {}

  /// Changes the random arguments until the circuit is defined everywhere, or it is given up: then arguments are as the
  /// last attempt left them. False: given up. `changed` becomes true if anything was drawn again.
  bool operator()(const ir::Function& circuit, const ir::Dimensions& sizes, std::vector<interp::Argument>& arguments,
                  bool& changed);

  /// The same for two circuits of the same inputs, whose dimensions may have other names.
  bool both(const ir::Function& left, const ir::Function& right, const ir::Dimensions& sizes,
            std::vector<interp::Argument>& arguments);

  /// Rows with the same remainder share a bit.
  static constexpr std::size_t bits = 512;
  using Rows = std::bitset<bits>;

 private:
  std::optional<Rows> rows_to_redraw(const ir::Function& circuit, const ir::Dimensions& sizes,
                                     const std::vector<interp::Argument>& arguments,
                                     const interp::PartialOperations& failed);

  ir::Module& module_;
  interp::Semantics& semantics_;
  const interp::EvaluateOptions& options_;
};

}  // namespace reckon::check
