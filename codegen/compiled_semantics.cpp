#include "codegen/compiled_semantics.h"

#include "ir/op.h"

namespace reckon::codegen {

/// As for the float formats: the algorithms of elementary functions use fma.
bool CompiledSemantics::has_fma(ir::Op op) const { return op == ir::Op::fma || op == ir::Op::rsqrt || ir::is_elementary(op); }

std::optional<CompiledSemantics::Refusal> CompiledSemantics::refuses_words(ir::Scalar scalar) const {
  if (!ir::is_integer(scalar)) return std::nullopt;
  return {{"`" + std::string(ir::scalar_name(scalar)) + "` cannot be compiled under `" + std::string(name()) + "`",
           "`float` and `fpsan` have code for it; the interpreter has it under `exact` and `interval`, too"}};
}

Diagnostic at_place(const interp::Fault& fault, SourceSpan place) {
  Diagnostic out(fault.code, place, fault.message);
  if (!fault.help.empty()) out.helps.push_back(fault.help);
  return out;
}

}  // namespace reckon::codegen
