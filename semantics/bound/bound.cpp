#include "semantics/bound/semantics.h"
#include "semantics/registry.h"

namespace reckon::interp {

Expected<std::unique_ptr<Semantics>> make_bound(const std::vector<SemanticsArgument>& arguments, SourceSpan place) {
  if (arguments.empty()) return std::unique_ptr<Semantics>(std::make_unique<BoundSemantics<false>>());
  if (arguments.size() == 1 && arguments[0].text == "any") {
    return make_bound_any();
  }
  return no_arguments("bound", arguments[0], place,
                      "write `bound` (the stated orders) or `bound(any)` (any order of each sum); over ranges, "
                      "`show bound(f) for x: 0..1 in float(toward_zero)` is about another mode");
}

}  // namespace reckon::interp
