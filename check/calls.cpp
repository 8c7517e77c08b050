// Calls of builtin circuits in the two sides of a check.
#include <fmt/format.h>

#include <map>

#include "check/check.h"
#include "driver/prepare.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::check {

frontend::ElaboratedItem with_settled_calls(ir::Module& module, const frontend::ElaboratedItem& item,
                                            const driver::Traits& traits) {
  frontend::ElaboratedItem out = item;
  const bool judged = item.relation == frontend::Item::Relation::accepted;
  if (out.left) out.left = driver::settled_calls(module, *out.left, traits);
  if (out.right)
    out.right = judged ? ir::inline_calls(module, *out.right) : driver::settled_calls(module, *out.right, traits);
  return out;
}

void note_approximations(Outcome& outcome, const ir::Module& module, const frontend::ElaboratedItem& item,
                         const driver::Traits& traits) {
  if (outcome.verdict != Verdict::holds || traits.keeps_bodies()) return;
  std::map<std::string, std::string> taken;
  const auto add = [&](const ir::Function& function) {
    if (function.approximated) taken[function.builtin] = ir::traits(*function.approximated).spelling;
  };
  for (const auto* side : {&item.left, &item.right}) {
    if (!*side) continue;
    add(**side);
    std::vector<ir::NodeId> bodies{(*side)->body};
    while (!bodies.empty()) {
      const ir::NodeId body = bodies.back();
      bodies.pop_back();
      ir::visit_nodes(module, {body}, [&](ir::NodeId id) {
        if (module[id].op != ir::Op::call) return;
        const ir::Function& callee = module.callee_of(module[id]);
        add(callee);
        if (!callee.approximated) bodies.push_back(callee.body);
      });
    }
  }
  for (const auto& [circuit, operation] : taken) {
    outcome.notes.push_back(fmt::format("`{}` counts as `{}`, which it approximates", circuit, operation));
  }
}

}  // namespace reckon::check
