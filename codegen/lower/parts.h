// The parts of one lowering, under the names that all classes use which write folds or kernels.
#pragma once

#include "codegen/lower/joins.h"

namespace reckon::codegen {

/// Folds of up to so many nodes are written out, one join after the other, if a join is cheap.
inline constexpr std::int64_t max_written_out = 32;

class Folds;

class LoweringParts {
 protected:
  LoweringParts(Folds& folds, Joins& joins)
      : folds_(folds),
        joins_(joins),
        circuits_(joins.circuits()),
        w_(circuits_.writer()),
        b_(w_.builder()),
        module_(w_.module()),
        planned_(w_.planned()) {}

  Folds& folds_;
  Joins& joins_;
  Circuits& circuits_;
  Writer& w_;
  kernel::Builder& b_;
  ir::Module& module_;
  const Planned& planned_;
};

}  // namespace reckon::codegen
