#include "codegen/lower/lowering.h"

#include <string>

#include "diagnostics/codes/not_compilable.h"

namespace reckon::codegen {

// Circuits and Folds call each other: a node may be a reduction, whose leaves are nodes.
Lowering::Lowering(ir::Module& module, const Planned& planned, const Numbers& numbers, Target target, int chip)
    : writer_(module, planned, numbers, target, chip),
      kept_(writer_),
      circuits_(writer_, kept_, folds_),
      joins_(circuits_),
      folds_(joins_),
      kernels_(folds_, kept_) {}

std::optional<Diagnostic> Lowering::run(Plan& plan) {
  ir::Module& module = writer_.module();
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.scalar != ir::Scalar::number) continue;
    return Diagnostic(code::not_compilable, buffer.source.valid() ? module.span(buffer.source) : SourceSpan{},
                      "a value of type `number` is not available on `" + std::string(writer_.target_name()) +
                          "`; give it a format")
        .help("convert it: `f32(...)`");
  }
  for (std::size_t k = 0; k < plan.kernels.size() && !writer_.failed(); ++k) kernels_.lower(k, plan.kernels[k]);
  plan.faults = circuits_.take_faults();
  if (!plan.buffers.empty() && plan.buffers.back().role == Buffer::Role::faults) {
    const auto words = static_cast<std::int64_t>((plan.faults.size() + 63) / 64);
    plan.buffers.back().extents = {module.indices().constant(words)};
  }
  return writer_.error();
}

}  // namespace reckon::codegen
