// Numbers as f64s, in which those of all other formats are exact, taken apart.
#pragma once

#include "codegen/lower/joins.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

class WideParts : protected LoweringParts {
 protected:
  using LoweringParts::LoweringParts;

  struct F64Parts {  ///< sign (0 or -1) and magnitude * 2^exponent; the latter mean nothing unless it is finite
    Value sign;
    Value magnitude;
    Value exponent;
    Value finite;
  };
  F64Parts parts_of(Value x);
  Value f64_operation(ir::Op op, Value x, Value y);
  Value converted(ir::Scalar from, ir::Scalar to, Value x);
};

}  // namespace reckon::codegen
