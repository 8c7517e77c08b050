#include "semantics/float/compiled/functions_of_f64.h"

#include <llvm/IR/Module.h>

#include "numerics/functions64/functions64.h"

namespace reckon::codegen {

double called_function_of_f64(std::int32_t function, double x) {
  return numerics::mpfr_nearest(static_cast<numerics::Function>(function), x);
}

llvm::Value* function_of_f64(Builder& b, numerics::Function which, llvm::Function& caller, bool on_host) {
  if (!numerics::has_f64_algorithm(which)) {
    if (!on_host) return nullptr;
    auto* signature = llvm::FunctionType::get(b.getDoubleTy(), {b.getInt32Ty(), b.getDoubleTy()}, false);
    auto* called =
        llvm::cast<llvm::Function>(caller.getParent()->getOrInsertFunction(f64_call_name, signature).getCallee());
    called->setDoesNotThrow();
    called->setDoesNotAccessMemory();
    called->setWillReturn();
    return b.CreateCall(called, {b.getInt32(static_cast<std::uint32_t>(which)), caller.getArg(0)});
  }
  NumberBuilder numbers{b};
  return numerics::elementary_f64<NumberBuilder>(numbers, which, caller.getArg(0));
}

llvm::Value* function_of_f64(Builder& b, numerics::BinaryFunction which, llvm::Function& caller) {
  NumberBuilder numbers{b};
  return numerics::elementary_f64<NumberBuilder>(numbers, which, caller.getArg(0), caller.getArg(1));
}

}  // namespace reckon::codegen
