// The passes were chosen by leaving out one after the other and comparing PTX, and, where that differed, what ptxas
// makes of it (registers, spills, instructions), over all circuits of tests/gpu, examples and bench/gpu. From its text
// to PTX a softmax of known size takes a third of what it takes with LLVM's own list, one of unknown size 70 %.
#include "codegen/ptx/passes.h"

#include <llvm/Pass.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/IPO/SCCP.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include "codegen/pass_builder.h"
#include "codegen/ptx/high_words.h"
#include "codegen/ptx/stack_arrays.h"
#include "codegen/ptx/streams.h"

namespace reckon::codegen {
namespace {

/// Loops keep no memory in registers: ours carry values, and the search for such memory takes a seventh of the time of
/// a softmax (loops_with_invariants).
constexpr unsigned accesses = 0;

llvm::FunctionPassManager of_each_function() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::ReassociatePass());  // of integers: sums of subscripts
  passes.addPass(loops_with_invariants(true, accesses));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager counted;
  counted.addPass(llvm::IndVarSimplifyPass());
  counted.addPass(llvm::LoopFullUnrollPass(unrolling));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(counted)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));  // arrays whose subscripts unrolling has made known
  passes.addPass(llvm::VectorCombinePass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(loops_with_invariants(false, accesses));
  return passes;
}

llvm::FunctionPassManager of_each_kernel() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SimplifyCFGPass(
      llvm::SimplifyCFGOptions().needCanonicalLoops(false).hoistCommonInsts(true).sinkCommonInsts(true)));
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(unrolling)));
  passes.addPass(llvm::InferAlignmentPass());  // neighbouring accesses become one of a vector by their alignment
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(
      llvm::SimplifyCFGOptions().hoistLoadsStoresWithCondFaulting(true).speculateUnpredictables(true)));
  passes.addPass(HighWordSums());
  passes.addPass(StackArrays());
  return passes;
}

}  // namespace

void optimise_ptx(llvm::Module& module, llvm::TargetMachine& machine) {
  Passes with(machine);
  llvm::ModulePassManager passes;
  // The target's own passes: they add the ranges of thread numbers.
  with.builder.invokePipelineStartEPCallbacks(passes, llvm::OptimizationLevel::O2);
  llvm::FunctionPassManager first, second;
  first.addPass(llvm::SimplifyCFGPass());
  first.addPass(llvm::EarlyCSEPass());
  // Neighbouring elements become one load or store while their addresses still say that they are neighbours: later,
  // InstCombine writes some sums as `or`, and the pass that NVPTX runs at the end no longer sees it.
  first.addPass(llvm::InferAlignmentPass());
  first.addPass(llvm::LoadStoreVectorizerPass());
  first.addPass(Streams());  // before VectorCombine takes some vectors apart
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(first)));
  passes.addPass(llvm::IPSCCPPass());
  second.addPass(llvm::PromotePass());
  second.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(second)));
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/true));
  llvm::CGSCCPassManager called_first;
  called_first.addPass(llvm::InlinerPass());
  called_first.addPass(llvm::createCGSCCToFunctionPassAdaptor(of_each_function()));
  called_first.addPass(llvm::PostOrderFunctionAttrsPass());
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(std::move(called_first)));
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(of_each_kernel()));
  passes.run(module, with.modules);
}

void add_ptx_pass_keeping_addresses(llvm::legacy::PassManagerBase& passes, llvm::Pass* pass) {
  const llvm::StringRef name = pass->getPassName();
  // Pointers that a loop carries instead of subscripts take more registers (4 % over all kernels) and instructions
  // (1.5 %) than what ptxas makes of the subscripts, and a ninth of the time of a softmax.
  if (name == "Loop Strength Reduction" || name == "Canonicalize Freeze Instructions in Loops") {
    delete pass;
    return;
  }
  passes.add(pass);
}

void add_ptx_pass(llvm::legacy::PassManagerBase& passes, llvm::Pass* pass) {
  // This pass compares each address with the others, once for every access. If equal addresses are merged before, it
  // takes a tenth of its time, which was a sixth of a softmax's. Kernels of tiles do without: with merged addresses,
  // the code of ptxas loses a tenth of its speed (4096^3 f32 on an H200: 44.4 TFLOP/s instead of 48.9).
  if (pass->getPassName() == "Straight line strength reduction") passes.add(llvm::createEarlyCSEPass());
  add_ptx_pass_keeping_addresses(passes, pass);
}

}  // namespace reckon::codegen
