// A function of a shared library as one side of a check: `check f ~ load("libmine.so", "my_exp") in accept(wgsl)`. A
// symbol has no signature, so it is taken from the other side.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/check_signatures.h"
#include "frontend/checks.h"

namespace reckon::frontend {

namespace {

/// `float my_exp(float)`.
std::string declaration(const ir::LibraryFunction& function, ir::Scalar scalar, std::size_t arguments) {
  const char* type = ir::c_type(scalar);
  return fmt::format("{} {}({})", type, function.symbol, fmt::join(std::vector<std::string>(arguments, type), ", "));
}

}  // namespace

bool library_side(Elaborator& elaborator, const LibraryValue& value, const Item& item, SourceSpan at,
                  ElaboratedItem& out) {
  ir::Module& module = elaborator.module;
  const ir::LibraryFunction& function = *value.function;
  const ir::Function& circuit = *out.left;
  const bool bound = item.tolerance.kind == Tolerance::Kind::bound;
  if (bound || item.tolerance.kind == Tolerance::Kind::orders) {
    elaborator.report(Diagnostic(code::check_signatures, item.tolerance.span,
                                 fmt::format("`within {}` is about circuits, and `{}` is a library's function",
                                             bound ? "bound" : "orders", function.symbol))
                          .help("ask `in accept(P)`, for `==`, or `within N ulp`"));
    return false;
  }
  const auto unfit = [&](const std::string& why) {
    elaborator.report(
        Diagnostic(code::check_signatures, at,
                   fmt::format("`{}` of `{}` cannot be called in this circuit's place: {}", function.symbol,
                               function.path, why))
            .with(circuit.span, "the circuit, whose signature the function must have")
            .help("a library's function takes one to three `float`s, `double`s or `_Float16`s, gives one, and is "
                  "called for each element"));
    return false;
  };
  const std::size_t count = circuit.parameters.size();
  if (count == 0) return unfit("the circuit has no parameters that it could be called with");
  if (count > ir::LibraryFunction::max_arguments) return unfit(fmt::format("the circuit takes {} arguments", count));
  const ir::Type& result = module.types()[circuit.result];
  if (result.kind == ir::TypeKind::tuple) return unfit("the circuit has several results");
  if (ir::c_type(result.scalar) == nullptr) {
    return unfit(fmt::format("no function of C gives a `{}`", ir::scalar_name(result.scalar)));
  }
  for (std::size_t k = 0; k < count; ++k) {
    const ir::Type& type = module.types()[circuit.parameters[k].type];
    const std::string text = ir::type_text(module, circuit.parameters[k].type);
    if (type.kind == ir::TypeKind::tuple || type.scalar != result.scalar) {
      return unfit(fmt::format("parameter {} is `{}`, and `{}` takes another format", k + 1, text,
                               declaration(function, result.scalar, count)));
    }
    if (!type.extents.empty() && type.extents != result.extents) {
      return unfit(fmt::format("parameter {} is `{}` and the result `{}`, which is no function of each element", k + 1,
                               text, ir::type_text(module, circuit.result)));
    }
  }
  out.library = value.function;
  out.right_text = std::string(elaborator.sources.text(at));
  return true;
}

}  // namespace reckon::frontend
