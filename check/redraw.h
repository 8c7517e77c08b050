// Random inputs for which a circuit is defined, in a ring.
//
// Half of all elements have no root. 64 rows that are divided by a root each would be defined together once in 2^64
// draws, so what is drawn again is only what the failing roots alone depend on: the evaluation stops at the first
// operation that fails somewhere; a second evaluation, whose values are sets of rows of inputs, tells which rows each
// failing element depends on; those that no earlier root that succeeded depends on are drawn again.
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
