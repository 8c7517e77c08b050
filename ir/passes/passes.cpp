#include "ir/passes/passes.h"

#include <algorithm>

#include "ir/verifier.h"

namespace reckon::ir {

const std::vector<Pass>& pipeline() {
  static const std::vector<Pass> passes{
      {"views", inline_views, "elements of tensors that only re-index another one"},
      {"fold", fold_constants, "operations of literals, and operations that do nothing"},
      {"share", share_subexpressions, "values equal up to the order of commutative operands"},
      {"dead", drop_dead_code, "components of tuple reductions that nothing needs"},
  };
  return passes;
}

Expected<Function> run_passes(Module& module, Function function, Laws laws, const PassOptions& options) {
  auto broken = [&](std::string_view after) -> std::optional<Diagnostic> {
    if (!options.verify) return std::nullopt;
    std::vector<Diagnostic> problems = verify(module, function);
    if (problems.empty()) return std::nullopt;
    problems.front().notes.push_back(std::string(after));
    return problems.front();
  };
  if (auto problem = broken("before any pass")) return *problem;
  for (const Pass& pass : pipeline()) {
    if (options.disabled.contains(pass.name)) continue;
    const PlacesGuard placing(module, function.places);
    function = pass.run(module, function, laws);
    if (options.dump) options.dump(pass.name, function);
    if (auto problem = broken("after the pass `" + std::string(pass.name) + "`")) return *problem;
  }
  return function;
}

std::vector<std::string> unknown_passes(const PassOptions& options) {
  std::vector<std::string> out;
  for (const std::string& name : options.disabled) {
    const bool known =
        std::any_of(pipeline().begin(), pipeline().end(), [&](const Pass& pass) { return pass.name == name; });
    if (!known) out.push_back(name);
  }
  return out;
}

}  // namespace reckon::ir
