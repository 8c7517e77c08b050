#include "codegen/semantics/interval_functions.h"

#include <limits>

#include "codegen/host/interval_call.h"
#include "codegen/semantics/functions_of_f64.h"
#include "codegen/semantics/interval_power.h"
#include "codegen/semantics/interval_trig.h"
#include "codegen/semantics/shared_function.h"
#include "ir/function_of.h"
#include "numerics/functions/sided.h"

namespace reckon::codegen {

using ir::Op;
using llvm::Value;
using numerics::BinaryFunction;
using numerics::Function;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The points where a function that is not a sinusoid is least and greatest: the ends of x, as far as they lie in the
/// domain.
Pair in_domain(Rules& rules, Function function, Pair x) {
  const numerics::Domain& domain = numerics::traits(function).domain;
  if (domain.low > -infinity) x.low = rules.max_of(x.low, rules.number(domain.low));
  if (domain.high < infinity) x.high = rules.min_of(x.high, rules.number(domain.high));
  if (numerics::traits(function).shape == numerics::Shape::valley) x = rules.abs(x);
  if (numerics::traits(function).shape == numerics::Shape::decreasing) std::swap(x.low, x.high);
  return {rules.plain(x.low), rules.plain(x.high)};
}

/// Functions of intervals with f32 ends.
class Functions {
 public:
  Functions(Builder& b, Target target)
      : b_(b), numbers_{b}, directed_(b, target, Endpoints::f32), rules_(b, target, Endpoints::f32) {}

  Pair of(Function function, Pair x) {
    const Pair inside = in_domain(rules_, function, x);
    return rounded(numerics::sided(numbers_, function, inside.low), numerics::sided(numbers_, function, inside.high));
  }

  Pair hypot(Pair x, Pair y) {
    const Pair a = rules_.abs(x), b = rules_.abs(y);
    return rounded(numerics::sided<BinaryFunction::hypot>(numbers_, a.low, b.low),
                   numerics::sided<BinaryFunction::hypot>(numbers_, a.high, b.high));
  }

  /// The points at which the angle is least and greatest are chosen first. Where y <= 0, off the cut, it is the
  /// opposite of the angle of -y.
  Pair atan2(Pair y, Pair x) {
    Value* starts_below = rules_.below(y.low, 0);
    Value* flips = b_.CreateAnd(starts_below, rules_.at_most(y.high, 0));
    Value* both_sides = b_.CreateAnd(starts_below, rules_.above(y.high, 0));
    const Pair v = rules_.choose(flips, rules_.neg(y), y);
    // The angle falls with x; it grows with y where x > 0, and falls where x < 0.
    Value* only_axis = b_.CreateAnd(rules_.equals(v.high, 0), rules_.at_most(x.high, 0));  // the angle is pi
    Pair least{b_.CreateSelect(rules_.above(x.high, 0), v.low, v.high), x.high};
    least = rules_.choose(only_axis, {rules_.number(0), x.low}, least);
    least = rules_.choose(both_sides, {y.low, x.low}, least);
    Pair most{b_.CreateSelect(rules_.below(x.low, 0), v.low, v.high), x.low};
    most = rules_.choose(both_sides, {y.high, x.low}, most);
    const auto angle = [&](Pair at) {
      return numerics::sided<BinaryFunction::atan2>(numbers_, rules_.plain(at.low), rules_.plain(at.high));
    };
    const Pair upward = rounded(angle(least), angle(most));
    const Pair angles = rules_.choose(flips, rules_.neg(upward), upward);
    // The cut: pi on it, close to -pi below it.
    Value* cut = b_.CreateAnd(b_.CreateAnd(starts_below, rules_.at_least(y.high, 0)), rules_.below(x.low, 0));
    constexpr double beyond_pi = 0x1.921fb54442d19p+1;  // the next f64; no f32 lies between
    return rules_.choose(cut, rounded(rules_.number(-beyond_pi), rules_.number(beyond_pi)), angles);
  }

 private:
  Pair rounded(Value* low, Value* high) {
    return {directed_.number(Side::below, low), directed_.number(Side::above, high)};
  }

  Builder& b_;
  NumberBuilder numbers_;
  Directed directed_;
  Rules rules_;
};

llvm::SmallVector<Value*, 4> flat(llvm::ArrayRef<Pair> x) {
  llvm::SmallVector<Value*, 4> out;
  for (const Pair& each : x) out.append({each.low, each.high});
  return out;
}

/// An LLVM function of its own, so that its hundreds of operations stand in the module once until LLVM inlines them.
Pair with_f32_ends(Builder& b, Target target, Op op, llvm::ArrayRef<Pair> x) {
  auto* type = llvm::StructType::get(b.getContext(), {b.getDoubleTy(), b.getDoubleTy()});
  const std::string name = "reckon_interval_" + std::string(ir::traits(op).spelling);
  const auto arity = static_cast<unsigned>(2 * x.size());
  llvm::Function* function = shared_function(b, name, type, arity, [&](Builder& inner, llvm::Function& made) {
    made.addFnAttr(llvm::Attribute::AlwaysInline);
    Functions functions(inner, target);
    const auto operand = [&](unsigned k) { return Pair{made.getArg(2 * k), made.getArg(2 * k + 1)}; };
    const auto unary = ir::function_of(op);
    const bool is_trigonometric = unary && numerics::is_periodic(*unary);
    const Pair result = is_trigonometric  ? emit_interval_trig(inner, target, Endpoints::f32, op, operand(0))
                        : unary           ? functions.of(*unary, operand(0))
                        : op == Op::hypot ? functions.hypot(operand(0), operand(1))
                                          : functions.atan2(operand(0), operand(1));
    inner.CreateRet(packed(inner, type, result));
  });
  return unpacked(b, b.CreateCall(function, flat(x)));
}

/// With f64 ends, where there is code for it.
std::optional<Pair> in_line(Builder& b, Rules& rules, Target target, Op op, Pair x) {
  const auto function = ir::function_of(op);
  if (!function) return std::nullopt;
  const Pair inside = in_domain(rules, *function, x);
  Value* low = emit_function_of_f64(b, op, Side::below, inside.low, target);
  if (!low) return std::nullopt;
  return Pair{low, emit_function_of_f64(b, op, Side::above, inside.high, target)};
}

/// The code of this program that does it: nothing is read or written that compiled code sees.
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
  operands.append(flat(x));
  while (operands.size() < 5) operands.push_back(llvm::ConstantFP::get(end, 0.0));
  return unpacked(b, b.CreateCall(function, operands));
}

Value* outside(Rules& rules, Builder& b, Function function, Pair x) {
  const numerics::Domain& domain = numerics::traits(function).domain;
  Value* out = nullptr;
  const auto either = [&](Value* more) { out = out ? b.CreateOr(out, more) : more; };
  if (domain.low > -infinity)
    either(domain.low_open ? rules.at_most(x.high, domain.low) : rules.below(x.high, domain.low));
  if (domain.high < infinity)
    either(domain.high_open ? rules.at_least(x.low, domain.high) : rules.above(x.low, domain.high));
  return out;
}

}  // namespace

std::optional<Pair> emit_interval_function(Builder& b, Target target, Endpoints endpoints, Op op,
                                           llvm::ArrayRef<Pair> x) {
  if (!ir::function_of(op) && !ir::binary_function_of(op)) return std::nullopt;
  if (endpoints == Endpoints::f32)
    return op == Op::pow ? emit_interval_power(b, target, x[0], x[1]) : with_f32_ends(b, target, op, x);
  Rules rules(b, target, endpoints);
  switch (op) {
    case Op::exp: return rules.exp(x[0]);
    case Op::exp2: return rules.exp2(x[0]);
    case Op::log: return rules.log(false, x[0]);
    case Op::log2: return rules.log(true, x[0]);
    case Op::sin:
    case Op::cos:
    case Op::tan: return emit_interval_trig(b, target, endpoints, op, x[0]);
    default: break;
  }
  if (op == Op::hypot) {
    const Pair u = rules.abs(x[0]), v = rules.abs(x[1]);
    return Pair{emit_hypot_of_f64(b, Side::below, u.low, v.low), emit_hypot_of_f64(b, Side::above, u.high, v.high)};
  }
  if (const auto result = in_line(b, rules, target, op, x[0])) return result;
  if (target == Target::ptx) return std::nullopt;
  return by_call(b, op, x);
}

Value* emit_outside_domain(Builder& b, Target target, Endpoints endpoints, Op op, llvm::ArrayRef<Pair> x) {
  Rules rules(b, target, endpoints);
  if (const auto function = ir::function_of(op)) return outside(rules, b, *function, x[0]);
  const auto is_zero = [&](Pair each) { return b.CreateAnd(rules.equals(each.low, 0), rules.equals(each.high, 0)); };
  if (op == Op::atan2) return b.CreateAnd(is_zero(x[0]), is_zero(x[1]));
  if (op == Op::pow) return emit_outside_power(rules, b, x[0], x[1]);
  return nullptr;
}

}  // namespace reckon::codegen
