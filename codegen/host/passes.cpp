// The passes were chosen as those of codegen/ptx/passes.cpp were, by leaving out one after the other and comparing the
// times of 60 pairs of a circuit and a semantics. Two of LLVM's standard pipeline do harm: LoopIdiomRecognize writes loops
// that fill a few registers as calls of memset, which keeps the array in memory (a dot product takes 1.7 times as long,
// a product of a matrix and a vector 1.4 times), and its search for loops that compute a CRC takes exponential time in
// chains of `select`. InstCombine stands there eight times, and is half of the pipeline's time.
#include "codegen/host/passes.h"

#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/IPO/SCCP.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include "codegen/pass_builder.h"

namespace reckon::codegen {
namespace {

/// As many accesses as LLVM's own pipeline compares (loops_with_invariants).
constexpr unsigned accesses = 250;

llvm::FunctionPassManager of_each_function() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
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
  counted.addPass(llvm::LoopDeletionPass());
  counted.addPass(llvm::LoopFullUnrollPass(unrolling));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(counted)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));  // arrays whose subscripts unrolling has made known
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(
      llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true).sinkCommonInsts(true)));
  return passes;
}

llvm::FunctionPassManager of_each_kernel(Vectors vectors) {
  llvm::FunctionPassManager passes;
  if (vectors != Vectors::none) {
    passes.addPass(llvm::LoopVectorizePass());
    passes.addPass(llvm::InstCombinePass());
  }
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                           .forwardSwitchCondToPhi(true)
                                           .convertSwitchRangeToICmp(true)
                                           .convertSwitchToArithmetic(true)
                                           .convertSwitchToLookupTable(true)
                                           .needCanonicalLoops(false)
                                           .hoistCommonInsts(true)
                                           .sinkCommonInsts(true)));
  if (vectors == Vectors::of_loops_and_statements) passes.addPass(llvm::SLPVectorizerPass());
  passes.addPass(llvm::VectorCombinePass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(unrolling)));
  passes.addPass(loops_with_invariants(false, accesses));
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                           .convertSwitchRangeToICmp(true)
                                           .hoistLoadsStoresWithCondFaulting(true)
                                           .speculateUnpredictables(true)));
  return passes;
}

}  // namespace

void optimise_host(llvm::Module& module, llvm::TargetMachine& machine, Vectors vectors) {
  Passes with(machine);
  llvm::ModulePassManager passes;
  llvm::FunctionPassManager first;
  first.addPass(llvm::SimplifyCFGPass());
  first.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  first.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(first)));
  passes.addPass(llvm::IPSCCPPass());
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/true));
  llvm::CGSCCPassManager called_first;
  called_first.addPass(llvm::InlinerPass());
  called_first.addPass(llvm::PostOrderFunctionAttrsPass());
  called_first.addPass(llvm::createCGSCCToFunctionPassAdaptor(of_each_function()));
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(std::move(called_first)));
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(of_each_kernel(vectors)));
  passes.run(module, with.modules);
  // LLVM finds functions of vectors by attributes of calls, which keep nothing alive: llvm.compiler.used has kept them.
  llvm::removeFromUsedLists(module, [](llvm::Constant*) { return true; });
  llvm::GlobalDCEPass().run(module, with.modules);
}

void leave_unoptimised(llvm::Module& module, llvm::TargetMachine& machine) {
  Passes with(machine);
  with.builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0).run(module, with.modules);
}

}  // namespace reckon::codegen
