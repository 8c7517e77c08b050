#include "codegen/host/jit.h"

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>

#include <cmath>

#include "diagnostics/codes/internal.h"

namespace reckon::codegen {

namespace {

Diagnostic internal(llvm::Error error) {
  return Diagnostic(code::internal, {}, "the compiled code cannot be loaded: " + llvm::toString(std::move(error)));
}

}  // namespace

HostProgram::HostProgram(std::unique_ptr<llvm::orc::LLJIT> jit) : jit_(std::move(jit)) {}
HostProgram::~HostProgram() = default;

HostKernel HostProgram::kernel(const std::string& name) const {
  auto symbol = jit_->lookup(name);
  if (!symbol) {
    llvm::consumeError(symbol.takeError());
    return nullptr;
  }
  return symbol->toPtr<HostKernel>();
}

std::unique_ptr<llvm::TargetMachine> make_host_machine(bool optimise, const std::string& cpu, bool linked) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) {
    llvm::consumeError(builder.takeError());
    return nullptr;
  }
  if (cpu != "native") {
    const llvm::Triple triple = builder->getTargetTriple();
    std::string problem;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
    const std::unique_ptr<llvm::MCSubtargetInfo> known(target ? target->createMCSubtargetInfo(triple, "", "")
                                                              : nullptr);
    if (!known || !known->isCPUStringValid(cpu)) return nullptr;
    builder->setCPU(cpu);
    builder->getFeatures() = llvm::SubtargetFeatures();
  }
  if (linked) builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  builder->setCodeGenOptLevel(optimise ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None);
  auto machine = builder->createTargetMachine();
  if (!machine) {
    llvm::consumeError(machine.takeError());
    return nullptr;
  }
  return std::move(*machine);
}

Abilities host_abilities(const llvm::TargetMachine& machine) {
  Abilities abilities;
  const bool x86 = machine.getTargetTriple().isX86();
  const auto has = [&](const char* feature) { return x86 && machine.getMCSubtargetInfo()->checkFeatures(feature); };
  abilities.half_conversions = has("+f16c");
  abilities.f64_lanes = has("+avx512f") && !has("+prefer-256-bit") ? 8 : has("+avx2") ? 4 : 2;
  abilities.vector_bytes = has("+avx512f") ? 64 : has("+avx") ? 32 : 16;
  abilities.vectors = has("+avx512f") || !x86 ? 32 : 16;
  return abilities;
}

Expected<std::shared_ptr<HostProgram>> load_host_program(std::unique_ptr<llvm::LLVMContext> context,
                                                         std::unique_ptr<llvm::Module> module,
                                                         std::unique_ptr<llvm::TargetMachine> machine,
                                                         const CompiledSemantics& semantics) {
  // The module is already optimised; it only has to be emitted, by the target machine that it was optimised for.
  llvm::orc::LLJITBuilder builder;
  std::shared_ptr<llvm::TargetMachine> shared = std::move(machine);
  builder.setDataLayout(shared->createDataLayout());
  builder.setCompileFunctionCreator([shared](llvm::orc::JITTargetMachineBuilder)
                                        -> llvm::Expected<std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>> {
    class Compiler final : public llvm::orc::SimpleCompiler {
     public:
      explicit Compiler(std::shared_ptr<llvm::TargetMachine> owned)
          : SimpleCompiler(*owned), owned_(std::move(owned)) {}

     private:
      std::shared_ptr<llvm::TargetMachine> owned_;
    };
    return std::make_unique<Compiler>(shared);
  });
  auto jit = builder.create();
  if (!jit) return internal(jit.takeError());

  // What the code may refer to, by address: a statically linked program exports no symbols.
  auto& session = (*jit)->getExecutionSession();
  llvm::orc::MangleAndInterner mangle(session, (*jit)->getDataLayout());
  llvm::orc::SymbolMap symbols;
  auto offer = [&](const char* name, auto* function) {
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function), llvm::JITSymbolFlags::Exported};
  };
  offer("fma", static_cast<double (*)(double, double, double)>(&::fma));
  offer("fmaf", static_cast<float (*)(float, float, float)>(&::fmaf));
  offer("floor", static_cast<double (*)(double)>(&::floor));
  offer("floorf", static_cast<float (*)(float)>(&::floorf));
  offer("ceil", static_cast<double (*)(double)>(&::ceil));
  offer("ceilf", static_cast<float (*)(float)>(&::ceilf));
  offer("trunc", static_cast<double (*)(double)>(&::trunc));
  offer("truncf", static_cast<float (*)(float)>(&::truncf));
  offer("roundeven", static_cast<double (*)(double)>(&::nearbyint));
  offer("roundevenf", static_cast<float (*)(float)>(&::nearbyintf));
  for (const llvm::GlobalValue& global : module->global_values()) {
    if (const void* ours = global.isDeclaration() ? semantics.symbol(global.getName()) : nullptr) {
      symbols[mangle(global.getName())] = {llvm::orc::ExecutorAddr::fromPtr(ours), llvm::JITSymbolFlags::Exported};
    }
  }
  offer("memset", &::memset);
  offer("memcpy", &::memcpy);
  offer("memmove", &::memmove);
  if (auto error = (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)))) {
    return internal(std::move(error));
  }
  module->setDataLayout((*jit)->getDataLayout());
  if (auto error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context)))) {
    return internal(std::move(error));
  }
  return std::make_shared<HostProgram>(std::move(*jit));
}

}  // namespace reckon::codegen
