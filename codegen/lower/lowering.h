// The lowering of kernels to the kernel IR, the same for every compiled semantics and target. Each part knows those
// above it:
//   Writer      loops, branches, scopes, integers, index expressions    writer.h
//   KeptValues  what the steps of a row leave to later ones             kept_values.h
//   Circuits    nodes, and elements of buffers                          circuits.h; it asks Folds for reductions
//   Joins       leaves and joins of a reduction                         joins.h
//   Folds       reductions along their schedules, by one thread         folds.h, which names the parts that it has
//   Kernels     entry points                                            kernels.h; items.h; strategies/: a GPU's
#pragma once

#include <optional>

#include "codegen/lower/circuits.h"
#include "codegen/lower/folds.h"
#include "codegen/lower/kept_values.h"
#include "codegen/lower/kernels.h"
#include "codegen/lower/writer.h"

namespace reckon::codegen {

class Lowering {
 public:
  /// `chip`: for PTX, the number of the chip.
  Lowering(ir::Module& module, const Planned& planned, const Numbers& numbers, Target target, int chip);
  Lowering(const Lowering&) = delete;

  /// Lowers every kernel; returns the first problem. May fill in the plan's launch figures.
  std::optional<Diagnostic> run(Plan& plan);
  /// Hands over the program: for each kernel a function of the same name, and the functions that these call.
  kernel::Program take_program() { return writer_.take_program(); }
  bool uses_fma() const { return circuits_.uses_fma(); }  ///< the lowering uses fma where the circuit does not say so
  /// Whether items of some kernel are computed side by side, by statements that vectors can carry out.
  bool any_side_by_side() const { return kernels_.any_side_by_side(); }

 private:
  Writer writer_;
  KeptValues kept_;
  Circuits circuits_;
  Joins joins_;
  Folds folds_;
  Kernels kernels_;
};

}  // namespace reckon::codegen
