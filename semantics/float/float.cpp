#include "semantics/float/modes.h"
#include "semantics/float/semantics.h"
#include "semantics/registry.h"

namespace reckon::interp {

Expected<std::unique_ptr<Semantics>> make_float(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  if (!arguments.empty()) return make_float_mode(arguments, place);
  return std::unique_ptr<Semantics>(std::make_unique<FloatSemantics>());
}

}  // namespace reckon::interp
