#include "codegen/llvm_module.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/raw_ostream.h>

namespace reckon::codegen {

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

namespace {

/// Stands between the target and the pass manager.
class Passes final : public llvm::legacy::PassManagerBase {
 public:
  explicit Passes(AddPass add) : add_(add) {}
  void add(llvm::Pass* pass) override { add_(passes, pass); }
  llvm::legacy::PassManager passes;

 private:
  AddPass add_;
};

}  // namespace

bool emit_file(llvm::Module& module, llvm::TargetMachine& machine, AddPass add, llvm::CodeGenFileType type,
               std::string& out) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  Passes passes(add);
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) return false;
  passes.passes.run(module);
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
  // The listener refers to a local string, so the context gets another handler.
  if (context) context->setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
  if (!errors.empty()) return errors;
  return std::nullopt;
}

}  // namespace reckon::codegen
