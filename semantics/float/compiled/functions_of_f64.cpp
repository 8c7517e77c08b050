#include "semantics/float/compiled/functions_of_f64.h"

#include "numerics/functions64/functions64.h"

namespace reckon::codegen {

llvm::Value* function_of_f64(Builder& b, numerics::Function which, llvm::Function& caller) {
  NumberBuilder numbers{b};
  return numerics::elementary_f64<NumberBuilder>(numbers, which, caller.getArg(0));
}

llvm::Value* function_of_f64(Builder& b, numerics::BinaryFunction which, llvm::Function& caller) {
  NumberBuilder numbers{b};
  return numerics::elementary_f64<NumberBuilder>(numbers, which, caller.getArg(0), caller.getArg(1));
}

}  // namespace reckon::codegen
