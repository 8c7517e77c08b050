// LLVM's pass builder with the analyses that passes ask for. Its headers take long to compile.
#pragma once

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>

namespace reckon::codegen {

struct Passes {
  explicit Passes(llvm::TargetMachine& machine) : builder(&machine) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
};

/// The level of LLVM's at which loops are unrolled, on the host and in PTX.
inline constexpr int unrolling = 2;

/// Moves invariants out of loops. Memory that a loop reads and writes is kept in registers if the loop has at most
/// `accesses` other accesses, with each of which it is compared; 0: none is.
inline llvm::FunctionToLoopPassAdaptor loops_with_invariants(bool rotate, unsigned accesses) {
  llvm::LoopPassManager loops;
  if (rotate) loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(/*MssaOptCap=*/100, /*MssaNoAccForPromotionCap=*/accesses, /*AllowSpeculation=*/true));
  return llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true);
}

}  // namespace reckon::codegen
