#include "codegen/optimise.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>

namespace reckon::codegen {

void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level, bool vectorise) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  if (!vectorise) tuning.LoopVectorization = tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  if (machine.getTargetTriple().isNVPTX() && level > 0) {
    // Neighbouring elements become one load or store while their addresses still say that they are neighbours: later,
    // InstCombine writes some sums as `or`, and the pass that NVPTX runs at the end no longer sees it.
    builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& start, llvm::OptimizationLevel) {
      llvm::FunctionPassManager early;
      early.addPass(llvm::InferAlignmentPass());
      early.addPass(llvm::LoadStoreVectorizerPass());
      start.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(early)));
    });
  }
  const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                            llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  const llvm::OptimizationLevel chosen = levels[level < 0 ? 0 : level > 3 ? 3 : level];
  llvm::ModulePassManager passes =
      level <= 0 ? builder.buildO0DefaultPipeline(chosen) : builder.buildPerModuleDefaultPipeline(chosen);
  passes.run(module, modules);
}

std::optional<std::string> verify(llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream)) return stream.str();
  return std::nullopt;
}

std::string module_text(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return stream.str();
}

bool emit_file(llvm::Module& module, llvm::TargetMachine& machine, std::string& out) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) return false;
  passes.run(module);
  out = buffer.str().str();
  return true;
}

namespace {

/// Collects errors; remarks and warnings come the same way and are dropped.
class Listener final : public llvm::DiagnosticHandler {
 public:
  explicit Listener(std::string& errors) : errors_(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream stream(errors_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    stream << '\n';
    return true;
  }

 private:
  std::string& errors_;
};

}  // namespace

std::optional<std::string> guarded(llvm::LLVMContext* context, const std::function<void()>& work) {
  std::string errors;
  if (context) context->setDiagnosticHandler(std::make_unique<Listener>(errors));
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  const bool survived = recovery.RunSafely([&] { work(); });
  llvm::CrashRecoveryContext::Disable();
  if (!survived) return errors.empty() ? "LLVM gave up (code " + std::to_string(recovery.RetCode) + ")" : errors;
  // The listener refers to a local string.
  if (context) context->setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
  if (!errors.empty()) return errors;
  return std::nullopt;
}

}  // namespace reckon::codegen
