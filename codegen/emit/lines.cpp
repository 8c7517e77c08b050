#include "codegen/emit/lines.h"

#include <filesystem>

namespace reckon::codegen {

Lines::Lines(const ir::Module& circuit, const ir::Function& function, const CompileOptions& options,
             llvm::Module& output)
    : circuit_(circuit), options_(options), context_(output.getContext()), builder_(output) {
  start_ = options.lines(function.span).value_or(SourceLine{"circuit", 0, 0});
  // Directives alone: no sections of DWARF in PTX, as nvcc's -lineinfo has it.
  const bool gpu = options.target == Target::ptx;
  const auto kind = gpu ? llvm::DICompileUnit::DebugDirectivesOnly : llvm::DICompileUnit::LineTablesOnly;
  builder_.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C99), file(start_.file), "reckon",
                             /*isOptimized=*/true, /*Flags=*/"", /*RV=*/0, /*SplitName=*/"", kind);
  output.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  if (!gpu) output.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
}

Lines::~Lines() = default;

llvm::DIFile* Lines::file(const std::string& name) {
  llvm::DIFile*& known = files_[name];
  if (known == nullptr) {
    const std::filesystem::path path(name);
    known = builder_.createFile(path.filename().string(), path.parent_path().string());
  }
  return known;
}

llvm::DebugLoc Lines::begin(llvm::Function& function) {
  auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  function_ = builder_.createFunction(file(start_.file), function.getName(), function.getName(), file(start_.file),
                                      start_.line, type, start_.line, llvm::DINode::FlagZero,
                                      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(function_);
  scopes_.clear();
  last_ = location(start_);
  return last_;
}

llvm::DILocation* Lines::location(const SourceLine& line) {
  llvm::DIFile* where = file(line.file);
  llvm::DIScope*& scope = scopes_[where];
  if (scope == nullptr) {
    scope = where == file(start_.file) ? static_cast<llvm::DIScope*>(function_)
                                       : builder_.createLexicalBlockFile(function_, where);
  }
  return llvm::DILocation::get(context_, line.line, line.column, scope);
}

llvm::DebugLoc Lines::at(ir::NodeId node) {
  if (!node.valid()) return last_;
  const SourceSpan span = circuit_.span(node);
  if (!span.known()) return last_;
  if (const auto line = options_.lines(span)) last_ = location(*line);
  return last_;
}

void Lines::finish() { builder_.finalize(); }

}  // namespace reckon::codegen
