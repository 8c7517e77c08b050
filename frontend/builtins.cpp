// Names that need no definition, and how calls of them are elaborated.
#include <fmt/format.h>

#include <iterator>

#include "diagnostics/codes/type_mismatch.h"
#include "frontend/calls.h"
#include "frontend/derived.h"
#include "frontend/layouts/functions.h"
#include "frontend/layouts/layouts.h"
#include "frontend/operators.h"
#include "frontend/schedules.h"
#include "frontend/views.h"
#include "ir/op.h"
#include "numerics/format.h"

namespace reckon::frontend {

using ir::Op;

std::map<std::string, Value> builtin_names(ir::Module& module) {
  std::map<std::string, Value> predefined;
  for (const std::string_view name : ir::scalar_names()) {
    predefined[std::string(name)] = {TypeValue{*ir::scalar_named(name), {}, false}};
  }
  for (const ir::Form& form : module.schedules().forms().all()) {
    const std::string name(form.name);
    if (form.takes == ir::FormTakes::nothing) predefined[name] = {ScheduleValue{module.schedules().make(form)}};
    else predefined[name] = {BuiltinValue{name}};
  }
  const std::pair<const char*, ir::RealConstant> reals[] = {{"pi", ir::RealConstant::pi},
                                                            {"e", ir::RealConstant::e},
                                                            {"ln2", ir::RealConstant::ln2},
                                                            {"log2e", ir::RealConstant::log2e}};
  for (const auto& [name, constant] : reals) predefined[name] = {RealMultiple{1, constant}};
  predefined["_"] = {OpenExtent{}};
  predefined["inf"] = {SpecialNumber{false, false}};
  predefined["nan"] = {SpecialNumber{true, false}};
  for (std::size_t k = 0; k < std::size(ir::op_traits); ++k) {
    // Comparisons and `and`, `or`, `not` are written as signs, conversions as the format's name.
    const auto& [spelling, arity, result] = ir::op_traits[k];
    const bool called = result == ir::ResultRule::same || result == ir::ResultRule::choose ||
                        (result == ir::ResultRule::cast && static_cast<Op>(k) != Op::convert);
    if (called) predefined[std::string(spelling)] = {BuiltinValue{std::string(spelling)}};
  }
  for (const std::string_view name : derived_functions()) predefined[std::string(name)] = {BuiltinValue{std::string(name)}};
  for (const char* name : {"parens", "depth",     "same",    "leaves", "leaf_order", "error_growth", "hash",
                           "view",   "random",    "normal",  "lcg",    "load",       "spread",       "attains",
                           "bound",  "bound_dot", "iterate", "until",  "at_most",    "tune",         "ptx",
                           "rewrites"}) {
    predefined[name] = {BuiltinValue{name}};
  }
  for (const std::string_view name : enclosure_functions())
    predefined[std::string(name)] = {BuiltinValue{std::string(name)}};
  for (const LayoutFunction& function : all_layout_functions()) {
    const std::string name(function.name);
    predefined.try_emplace(name, Value{BuiltinValue{name}});
  }
  return predefined;
}

namespace {

/// `rootn(x, n)`: n is known before anything runs, and a value of x's format. The cube root is cbrt, which has
/// algorithms and rules of its own.
Maybe call_rootn(Elaborator& elaborator, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
                 SourceSpan at) {
  const std::optional<ir::Scalar> scalar = elaborator.scalar_of(arguments[0]);
  if (scalar && !ir::is_float(*scalar) && *scalar != ir::Scalar::number)
    return apply(elaborator, Op::rootn, arguments, spans, at, "rootn");
  const auto* n = arguments[1].get_if<mpq_class>();
  const mpz_class limit = mpz_class(1) << 53;
  if (!n || n->get_den() != 1 || *n == 0 || abs(n->get_num()) >= limit) {
    const std::string seen = n ? fmt::format("`{}`", n->get_str()) : elaborator.kind_text(arguments[1]);
    return elaborator.report(
        Diagnostic(code::type_mismatch, spans[1],
                   fmt::format("the degree of `rootn` is an integer other than 0, below 2^53 in size and known before "
                               "anything runs, and this is {}",
                               seen))
            .help("write the integer, as in `rootn(x, 5)`; by a computed exponent there is `pow(x, y)`"));
  }
  if (*n == 3) return apply(elaborator, Op::cbrt, {arguments[0]}, {spans[0]}, at, "rootn");
  if (scalar && ir::is_float(*scalar)) {
    const numerics::Format format = ir::format_of(*scalar);
    if (numerics::exact_value(numerics::round_rational(*n, format), format) != *n) {
      return elaborator.report(
          Diagnostic(code::type_mismatch, spans[1],
                     fmt::format("the degree {} is no value of `{}`, in which this root is taken", n->get_str(),
                                 ir::scalar_name(*scalar)))
              .help(fmt::format("take the root in a wider format and round it: `{}(rootn(f64(x), {}))`",
                                ir::scalar_name(*scalar), n->get_str())));
    }
  }
  return apply(elaborator, Op::rootn, arguments, spans, at, "rootn");
}

}  // namespace

Maybe call_builtin(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                   const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::Module& module = elaborator.module;
  // Some names are operations' names, too. Layouts are meant if the first argument is one, or for a shape alone.
  const bool of_layout = !arguments.empty() && (arguments[0].is<layout::Layout>() || arguments[0].is<LayoutObject>() ||
                                                arguments[0].is<ir::IndexLayout>() ||
                                                (arguments.size() == 1 && arguments[0].is<TupleValue>()));
  if (of_layout && is_layout_function(name)) return call_layout_function(elaborator, name, arguments, spans, at);
  if (name == "bits" || name == "from_bits") return call_bits(elaborator, name, arguments, spans, at);
  if (auto op = ir::op_named(name); op && is_scalar_operation(*op)) {
    if (wrong_count(elaborator, name, traits(*op).arity, arguments, at)) return std::nullopt;
    const auto* a = arguments[0].get_if<mpq_class>();
    const auto* b = arguments.size() > 1 ? arguments[1].get_if<mpq_class>() : nullptr;
    auto integer = [](const Value& value) { return value.is<SymbolicInteger>() || value.is<mpq_class>(); };
    switch (*op) {
      // Static numbers and sizes stay static where the result is exact.
      case Op::min:
      case Op::max:
        if (a && b) return Value{(*op == Op::min) == (*a <= *b) ? *a : *b};
        if (integer(arguments[0]) && integer(arguments[1])) {
          auto x = elaborator.index_of(arguments[0], spans[0], "an integer operand");
          if (!x) return std::nullopt;
          auto y = elaborator.index_of(arguments[1], spans[1], "an integer operand");
          if (!y) return std::nullopt;
          return Value{SymbolicInteger{*op == Op::min ? module.indices().minimum(*x, *y)
                                                      : module.indices().maximum(*x, *y)}};
        }
        break;
      case Op::abs:
        if (a) return Value{mpq_class(abs(*a))};
        break;
      case Op::neg:
        if (a) return Value{mpq_class(-*a)};
        break;
      case Op::select:
        if (auto* known = arguments[0].get_if<bool>(); known && !arguments[1].is<DynamicValue>() && !arguments[2].is<DynamicValue>()) {
          return arguments[*known ? 1 : 2];
        }
        break;
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
        if (a && b) {
          Expr here;
          here.span = here.operator_span = at;
          const char* sign = *op == Op::add ? "+" : *op == Op::sub ? "-" : *op == Op::mul ? "*" : "/";
          return static_arithmetic(elaborator, sign, *a, *b, here, spans[1]);
        }
        break;
      case Op::rootn: return call_rootn(elaborator, arguments, spans, at);
      default: break;
    }
    return apply(elaborator, *op, arguments, spans, at, name);
  }
  if (auto derived = call_derived(elaborator, name, arguments, at)) return *std::move(derived);
  const ir::Form* form = module.schedules().forms().named(name);
  // The schedule `mma` is elaborated before its arguments; of a text, it is a layout's.
  if (form != nullptr && form->takes != ir::FormTakes::tensor_cores)
    return make_schedule(elaborator, *form, arguments, spans, at);
  const bool of_tree = !arguments.empty() && (arguments[0].is<ScheduleValue>() || arguments[0].is<TreeValue>());
  for (const char* question : {"parens", "depth", "same", "leaves", "leaf_order", "error_growth", "hash", "shape"}) {
    if (name == question && (name != "shape" || of_tree)) return ask_schedule(elaborator, name, arguments, spans, at);
  }
  if (name == "random" || name == "normal" || name == "lcg" || name == "load") {
    return call_source(elaborator, name, arguments, spans, at);
  }
  if (name == "spread" || name == "attains") return call_question(elaborator, name, arguments, spans, at);
  if (const auto* function = enclosure_function(name))
    return call_enclosure_function(elaborator, *function, arguments, spans, at);
  if (name == "view") return call_view(elaborator, arguments, spans, at);
  if (!arguments.empty() && name == "bound" && arguments[0].is<CircuitValue>()) {
    return elaborator.report(
        Diagnostic(code::type_mismatch, spans[0], "the bound of a circuit needs the ranges of its inputs")
            .help("write `show bound(f) for x: -1..1`; for one input, `show f(0.5) in bound`"));
  }
  if (name == "tune") {
    return elaborator.report(Diagnostic(code::type_mismatch, at, "`tune` needs the ranges of the circuit's inputs")
                                 .help("write `show tune(f, 1e-6) for x: -1..1`"));
  }
  if (name == "rewrites") {
    return elaborator.report(Diagnostic(code::type_mismatch, at, "`rewrites` needs the ranges of the circuit's inputs")
                                 .help("write `show rewrites(f) in accept(compilers) for x: -1..1`"));
  }
  if (name == "bound" || name == "bound_dot") return call_bound(elaborator, name, arguments, spans, at);
  return call_layout_function(elaborator, name, arguments, spans, at);
}

}  // namespace reckon::frontend
