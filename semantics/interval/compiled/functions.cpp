#include "semantics/interval/compiled/functions.h"

#include "codegen/scalars/shared_function.h"
#include "ir/call_by_name.h"
#include "semantics/interval/compiled/call.h"

namespace reckon::codegen {

using ir::Op;
using llvm::Value;

std::optional<Pair> rule(const Intervals& rules, Op op, llvm::ArrayRef<Pair> x) {
  struct {
    Pair operator()(const Pair& interval) const { return interval; }
    Pair operator()(const numerics::intervals::Answer<Value*>& answer) const { return {answer.yes, answer.no}; }
  } as_pair;
  return ir::call_by_name(op, rules, x.data(), as_pair);
}

namespace {

llvm::SmallVector<Value*, 4> flat(llvm::ArrayRef<Pair> x) {
  llvm::SmallVector<Value*, 4> out;
  for (const Pair& each : x) out.append({each.low, each.high});
  return out;
}

Intervals intervals_of_f64s(Builder& b, Target target, Endpoints endpoints) {
  return Intervals(IntervalEndpoints(b, target, endpoints, b.getDoubleTy()));
}

/// Makes a separate LLVM function, so that its hundreds of operations exist once in the module until LLVM inlines them.
/// LLVM does not inline `pow`.
std::optional<Pair> with_f32_ends(Builder& b, Target target, Op op, llvm::ArrayRef<Pair> x) {
  auto* type = llvm::StructType::get(b.getContext(), {b.getDoubleTy(), b.getDoubleTy()});
  const std::string name = "reckon_interval_" + std::string(ir::traits(op).spelling);
  const auto arity = static_cast<unsigned>(2 * x.size());
  llvm::Function* function = shared_function(b, name, type, arity, [&](Builder& inner, llvm::Function& made) {
    made.addFnAttr(op == Op::pow || op == Op::rootn ? llvm::Attribute::NoInline : llvm::Attribute::AlwaysInline);
    llvm::SmallVector<Pair, 2> operands;
    for (unsigned k = 0; k < x.size(); ++k) operands.push_back({made.getArg(2 * k), made.getArg(2 * k + 1)});
    inner.CreateRet(packed(inner, type, *rule(intervals_of_f64s(inner, target, Endpoints::f32), op, operands)));
  });
  return unpacked(b, b.CreateCall(function, flat(x)));
}

/// Calls this program's own code. The call reads and writes nothing that compiled code can see.
Pair by_call(Builder& b, Op op, llvm::ArrayRef<Pair> x) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::Type* end = b.getDoubleTy();
  auto* type = llvm::StructType::get(b.getContext(), {end, end});
  auto* signature = llvm::FunctionType::get(type, {b.getInt32Ty(), end, end, end, end}, false);
  auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(interval_call_name, signature).getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  llvm::SmallVector<Value*, 5> operands{b.getInt32(static_cast<std::uint32_t>(op))};
  for (const std::size_t k : {0, 1}) operands.append(flat(x[x.size() == 1 ? 0 : k]));
  return unpacked(b, b.CreateCall(function, operands));
}

}  // namespace

bool lacks_code(Op op, Endpoints endpoints) {
  if (op == Op::gamma || op == Op::lgamma) return true;
  return endpoints != Endpoints::f32 && (op == Op::erfc || op == Op::atan2 || op == Op::pow || op == Op::rootn);
}

std::optional<Pair> emit_interval_function(Builder& b, Target target, Endpoints endpoints, Op op,
                                           llvm::ArrayRef<Pair> x) {
  if (lacks_code(op, endpoints)) {
    if (target == Target::ptx) return std::nullopt;
    const Pair out = by_call(b, op, x);
    const Directed of(b, target, endpoints);
    return Pair{of.number(Side::below, out.low), of.number(Side::above, out.high)};
  }
  if (endpoints == Endpoints::f32 && op != Op::rem) return with_f32_ends(b, target, op, x);
  return rule(intervals_of_f64s(b, target, endpoints), op, x);
}

}  // namespace reckon::codegen
