// Quotients of many elements by one number.
#include <algorithm>

#include "codegen/lower/circuits.h"

namespace reckon::codegen {

using ir::Node;
using ir::Op;

/// The quotient by the quick method, where many elements are divided by one number and `quick_` is set; else null.
Value Circuits::divide_by_reciprocal(const Node& node, const Values& operands) {
  if (node.op != Op::div || quick_ == nullptr) return nullptr;
  Scope* inner = w_.scope();
  // Its sizes are read after the element, so it must not stand within a branch, nor in a scope around the element.
  for (const Scope* scope = inner; scope != quick_->element; scope = scope->parent) {
    if (scope == nullptr || scope->guard) return nullptr;
  }
  Scope* outer = w_.owner(module_.free_variables(node.operands[1]));
  if (outer == inner) return nullptr;
  if (!numbers_.divides_quickly(module_.type(node.operands[1]).scalar)) return nullptr;
  auto prepared = outer->divisors.find(node.operands[1]);
  if (prepared == outer->divisors.end()) {
    w_.within(*outer,
              [&] { prepared = outer->divisors.emplace(node.operands[1], b_.prepare_divisor(operands[1])).first; });
  }
  uses_fma_ = true;
  if (quick_->again) return b_.divide_unusual(operands[0], operands[1]);
  const auto one = std::ranges::find(quick_->divisors, prepared->second, &QuickElements::Divisor::prepared);
  QuickElements::Divisor& by = one != quick_->divisors.end()
                                   ? *one
                                   : quick_->divisors.emplace_back(QuickElements::Divisor{prepared->second, {}});
  const auto [quotient, sizes] = b_.divide_quick(operands[0], operands[1], prepared->second, by.sizes);
  by.sizes = sizes;
  return quotient;
}

Value Circuits::may_be_wrong(const QuickElements& quick) {
  Value any = nullptr;
  for (const auto& [prepared, sizes] : quick.divisors) {
    Value one = b_.may_be_wrong(prepared, sizes);
    any = !any ? one : b_.bit_or(any, one);
  }
  return any;
}

Values Circuits::quick_or_exact(FunctionRef<Values()> all, FunctionRef<Values()> again) {
  QuickElements quick;
  look_for_quick(&quick);
  const Values values = all();
  quick.again = true;
  Value wrong = may_be_wrong(quick);
  const Values result = !wrong ? values : w_.branch(wrong, again, [&] { return values; });
  look_for_quick(nullptr);
  return result;
}

}  // namespace reckon::codegen
