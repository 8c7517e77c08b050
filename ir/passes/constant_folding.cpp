#include <algorithm>
#include <iterator>

#include "ir/passes/bottom_up.h"
#include "ir/passes/folding_rules.h"
#include "ir/passes/fused_leaves.h"
#include "ir/passes/literal_arithmetic.h"
#include "ir/passes/passes.h"
#include "numerics/format.h"

namespace reckon::ir {
namespace {

using Operands = const std::vector<NodeId>&;
using Result = std::optional<NodeId>;

/// Whether the node is this number, written as a rational. (0 and 1 are in every format, and 0 is +0.)
bool is(const Module& module, NodeId id, long number) {
  const auto value = rational_literal(module, id);
  return value && *value == number;
}

std::optional<bool> truth_of(const Module& module, NodeId id) {
  if (module[id].op != Op::literal) return std::nullopt;
  const Literal& literal = module.literal_of(id);
  if (literal.kind != Literal::Kind::boolean) return std::nullopt;
  return literal.bits != 0;
}

Result truth(Module& module, std::optional<bool> value) {
  if (!value) return std::nullopt;
  Literal literal;
  literal.kind = Literal::Kind::boolean;
  literal.bits = *value;
  return module.literal(literal, Scalar::boolean);
}

Result number(Module& module, const std::optional<mpq_class>& value, TypeId type) {
  if (!value) return std::nullopt;
  return module.rational(*value, module.types()[type].scalar);
}

/// Whether x * 1 and similar operations give x: not in a saturating format with an infinity, which would saturate.
bool keeps_operands(const Module& m, const Node& n) {
  const Scalar scalar = m.types()[n.type].scalar;
  return !is_float(scalar) || !numerics::saturates(format_of(scalar)) || !numerics::has_infinity(format_of(scalar));
}

/// Operand k, which there is where the rule matches.
Result when(bool matches, Operands x, std::size_t k) { return matches ? Result(x[k]) : std::nullopt; }

/// The other operand, if operand `place` of `op` is the number that changes nothing.
Result neutral(const Module& m, const Node& n, Operands x, Op op, std::size_t place, long number) {
  return when(n.op == op && is(m, x[place], number) && keeps_operands(m, n), x, 1 - place);
}

/// Where constant subscripts point in a written-out tensor.
std::optional<std::size_t> offset(const Module& module, NodeId array, const std::vector<IndexId>& subscripts) {
  const auto& extents = module.type(array).extents;
  std::size_t out = 0;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const auto subscript = module.indices().as_constant(subscripts[d]),
               extent = module.indices().as_constant(extents[d]);
    if (!subscript || !extent || *subscript < 0 || *subscript >= *extent) return std::nullopt;
    out = out * static_cast<std::size_t>(*extent) + static_cast<std::size_t>(*subscript);
  }
  return out;
}

using Rules = std::vector<FoldingRule>;

/// Operations whose result one operand decides, or in which both operands are equal.
Rules identities() {
  return {
      // x + 0
      // x
      {"add_zero",
       {Law::add_zero},
       [](Module& m, const Node& n, Operands x) { return neutral(m, n, x, Op::add, 1, 0); }},
      // 0 + x
      // x
      {"zero_add",
       {Law::add_zero, Law::add_commutes},
       [](Module& m, const Node& n, Operands x) { return neutral(m, n, x, Op::add, 0, 0); }},
      // x - 0
      // x
      {"sub_zero",
       {Law::sub_zero},
       [](Module& m, const Node& n, Operands x) { return neutral(m, n, x, Op::sub, 1, 0); }},
      // x - x
      // 0
      {"sub_self",
       {Law::sub_self},
       [](Module& m, const Node& n, Operands x) -> Result {
         if (n.op != Op::sub || x[0] != x[1]) return std::nullopt;
         return number(m, mpq_class(0), n.type);
       }},
      // x * 1
      // x
      {"mul_one",
       {Law::mul_one},
       [](Module& m, const Node& n, Operands x) { return neutral(m, n, x, Op::mul, 1, 1); }},
      // 1 * x
      // x
      {"one_mul",
       {Law::mul_one, Law::mul_commutes},
       [](Module& m, const Node& n, Operands x) { return neutral(m, n, x, Op::mul, 0, 1); }},
      // x * 0
      // 0
      {"mul_zero",
       {Law::mul_zero},
       [](Module& m, const Node& n, Operands x) { return when(n.op == Op::mul && is(m, x[1], 0), x, 1); }},
      // 0 * x
      // 0
      {"zero_mul",
       {Law::mul_zero, Law::mul_commutes},
       [](Module& m, const Node& n, Operands x) { return when(n.op == Op::mul && is(m, x[0], 0), x, 0); }},
      // x / 1
      // x
      {"div_one",
       {Law::div_one},
       [](Module& m, const Node& n, Operands x) { return neutral(m, n, x, Op::div, 1, 1); }},
      // -(-x)
      // x
      {"double_negation",
       {Law::double_negation},
       [](Module& m, const Node& n, Operands x) -> Result {
         if (n.op != Op::neg || m[x[0]].op != Op::neg) return std::nullopt;
         return m[x[0]].operands[0];
       }},
  };
}

/// Minima, maxima and selections.
Rules choices() {
  return {
      // min(x, x), max(x, x)
      // x
      {"min_max_same",
       {Law::min_max_idempotent},
       [](Module&, const Node& n, Operands x) {
         return when((n.op == Op::min || n.op == Op::max) && x[0] == x[1], x, 0);
       }},
      // select(c, x, x)
      // x
      {"select_same",
       {Law::select_same},
       [](Module&, const Node& n, Operands x) { return when(n.op == Op::select && x[1] == x[2], x, 1); }},
      // select(true, x, y), select(false, x, y)
      // x, y
      {"select_known",
       {},
       [](Module& m, const Node& n, Operands x) -> Result {
         const auto condition = n.op == Op::select ? truth_of(m, x[0]) : std::nullopt;
         if (!condition) return std::nullopt;
         return *condition ? x[1] : x[2];
       }},
  };
}

Rules logic() {
  return {
      // not true, not false
      // false, true
      {"not_known",
       {},
       [](Module& m, const Node& n, Operands x) -> Result {
         const auto known = n.op == Op::logical_not ? truth_of(m, x[0]) : std::nullopt;
         return known ? truth(m, !*known) : std::nullopt;
       }},
      // not not x
      // x                              (three-valued too)
      {"not_not",
       {},
       [](Module& m, const Node& n, Operands x) -> Result {
         if (n.op != Op::logical_not || m[x[0]].op != Op::logical_not) return std::nullopt;
         return m[x[0]].operands[0];
       }},
      // x and true, x and false, x or false, x or true, either way round
      // x, false, x, true              (three-valued too: Kleene's tables)
      {"logic_known",
       {},
       [](Module& m, const Node& n, Operands x) -> Result {
         if (n.op != Op::logical_and && n.op != Op::logical_or) return std::nullopt;
         for (int k : {0, 1}) {
           const auto known = truth_of(m, x[k]);
           if (known) return *known == (n.op == Op::logical_and) ? x[1 - k] : x[k];
         }
         return std::nullopt;
       }},
      // x and x, x or x
      // x                              (three-valued too)
      {"logic_same",
       {},
       [](Module&, const Node& n, Operands x) {
         return when((n.op == Op::logical_and || n.op == Op::logical_or) && x[0] == x[1], x, 0);
       }},
  };
}

/// Minima, maxima and absolute values included.
Rules arithmetic_of_literals() {
  return {
      // 1/3 + 1/6
      // 1/2                            (+ - * / neg, fma)
      {"arithmetic_exact",
       {Law::literals_exact},
       [](Module& m, const Node& n, Operands x) -> Result {
         if (n.op == Op::min || n.op == Op::max || n.op == Op::abs) return std::nullopt;
         return number(m, exact_arithmetic(m, n.op, x), n.type);
       }},
      // min(1/3, 1/2), max(1/3, 1/2), abs(-1/2)
      // 1/3, 1/2, 1/2
      {"order_exact",
       {Law::literals_ordered},
       [](Module& m, const Node& n, Operands x) -> Result {
         if (n.op != Op::min && n.op != Op::max && n.op != Op::abs) return std::nullopt;
         return number(m, exact_arithmetic(m, n.op, x), n.type);
       }},
      // f32: 1/3 + 1/6
      // f32: 1/2, rounded once, of the rounded operands; only if finite and not zero
      {"arithmetic_rounded",
       {Law::literals_round},
       [](Module& m, const Node& n, Operands x) -> Result {
         return number(m, rounded_arithmetic(m, n.op, x), n.type);
       }},
  };
}

Rules comparisons_of_literals() {
  return {
      // 1/3 < 1/2
      // true                           (< <= == !=)
      {"comparison_exact",
       {Law::literals_ordered},
       [](Module& m, const Node& n, Operands x) -> Result { return truth(m, exact_comparison(m, n.op, x)); }},
      // f16: 1/3 < 1/3 + 2^-40
      // false: both round to one value
      {"comparison_rounded",
       {Law::literals_round},
       [](Module& m, const Node& n, Operands x) -> Result { return truth(m, rounded_comparison(m, n.op, x)); }},
  };
}

Rules conversions_of_literals() {
  return {
      // f16(f32: 1/3)
      // f16: 1/3
      {"conversion_exact",
       {Law::conversions_exact},
       [](Module& m, const Node& n, Operands x) -> Result {
         if (n.op != Op::convert || is_integer(m.types()[n.type].scalar)) return std::nullopt;
         return number(m, rational_literal(m, x[0]), n.type);
       }},
      // f16(f32: 1/3)
      // f16: 1/3 rounded to f32, then to f16; only if finite and not zero, and from a format (a `number` has none)
      {"conversion_rounded",
       {Law::literals_round},
       [](Module& m, const Node& n, Operands x) -> Result {
         const Scalar to = m.types()[n.type].scalar;
         const auto value = n.op == Op::convert && is_float(to) ? rounded_literal(m, x[0]) : std::nullopt;
         if (!value) return std::nullopt;
         const auto rounded = numerics::exact_value(numerics::round_rational(*value, format_of(to)), format_of(to));
         return rounded && *rounded != 0 ? number(m, rounded, n.type) : std::nullopt;
       }},
  };
}

Rules elements() {
  return {
      // [a, b, c][1]
      // b
      {"element_of_array",
       {},
       [](Module& m, const Node& n, Operands x) -> Result {
         if (n.op != Op::element || m[x[0]].op != Op::array) return std::nullopt;
         const auto place = offset(m, x[0], n.indices);
         return place ? Result(m[x[0]].operands[*place]) : std::nullopt;
       }},
  };
}

}  // namespace

const std::vector<FoldingRule>& folding_rules() {
  static const Rules rules = [] {
    Rules all;
    for (const auto& theme : {identities, choices, logic, arithmetic_of_literals, comparisons_of_literals,
                              conversions_of_literals, elements}) {
      std::ranges::move(theme(), std::back_inserter(all));
    }
    return all;
  }();
  return rules;
}

Function fold_constants(Module& module, const Function& function, Laws laws) {
  std::vector<const FoldingRule*> usable;
  for (const FoldingRule& rule : folding_rules()) {
    if (laws.has_all(rule.needs)) usable.push_back(&rule);
  }
  const std::set<NodeId> leaves = fused_leaves(module, function.body);
  BottomUp rewriter(module, [&](NodeId id, const Node& node, std::vector<NodeId> operands) {
    if (leaves.contains(id)) return module.rebuild(node, std::move(operands));
    for (const FoldingRule* rule : usable) {
      if (auto replacement = rule->apply(module, node, operands)) return *replacement;
    }
    return module.rebuild(node, std::move(operands));
  });
  Function out = function;
  out.body = rewriter.run(function.body);
  return out;
}

}  // namespace reckon::ir
