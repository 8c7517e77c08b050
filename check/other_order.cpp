#include "check/other_order.h"

#include <fmt/format.h>

#include "diagnostics/codes/bad_accumulator.h"
#include "diagnostics/codes/check_signatures.h"
#include "ir/op.h"
#include "ir/passes/bottom_up.h"

namespace reckon::check {

Expected<ir::Function> in_order(ir::Module& module, const ir::Function& function, ir::ScheduleId schedule,
                                SourceSpan at, const std::string& written) {
  const bool for_sums = module.schedules().has_arithmetic(schedule);
  const bool for_products = module.schedules().absorbs_products(schedule);
  int changed = 0;
  std::optional<ir::NodeId> unfit;
  ir::Function out = function;
  out.body = ir::BottomUp(module, [&](ir::NodeId id, const ir::Node& node, std::vector<ir::NodeId> operands) {
               if (node.op == ir::Op::reduce) {
                 const ir::Reduction reduction = module.reduction_of(node);
                 const bool sums = !reduction.user && reduction.operation == ir::Op::add;
                 const bool reorders = reduction.user || sums || reduction.operation == ir::Op::mul;
                 if (reorders && (sums || !for_sums)) {
                   if (for_products && module[node.operands[0]].op != ir::Op::mul) unfit = id;
                   ++changed;
                   return module.rebuild(node, std::move(operands), schedule);
                 }
               }
               return operands == node.operands ? id : module.rebuild(node, std::move(operands));
             }).run(function.body);
  if (unfit) {
    return Diagnostic(code::bad_accumulator, at,
                      fmt::format("`{}` fuses products into sums, and the leaf of this sum is no product", written))
        .with(module.span(*unfit), "the sum");
  }
  if (changed == 0) {
    return Diagnostic(code::check_signatures, at, fmt::format("the circuit has no sum that could be by `{}`", written))
        .with(function.span, "the circuit")
        .help("leave the order out: `within bound`");
  }
  return out;
}

}  // namespace reckon::check
