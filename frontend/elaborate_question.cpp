// Questions about a circuit that no evaluation answers: which results the orders of its reduction may give, and what
// the enclosures are that its values have under `interval`.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/mixed_formats.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/not_one_reduction.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/calls.h"

namespace reckon::frontend {

namespace {

constexpr bool number = false, enclosure = false, truth = true;
constexpr EnclosureFunction of_enclosures[] = {
#define RECKON_ENCLOSURE_FUNCTION(name, operands, result) {#name, operands, result},
#include "ir/enclosure_functions.def"
};

}  // namespace

const EnclosureFunction* enclosure_function(std::string_view name) {
  const auto* found = std::ranges::find(of_enclosures, name, &EnclosureFunction::name);
  return found == std::end(of_enclosures) ? nullptr : found;
}

std::vector<std::string_view> enclosure_functions() {
  std::vector<std::string_view> names;
  for (const EnclosureFunction& row : of_enclosures) names.push_back(row.name);
  return names;
}

Maybe call_enclosure_function(Elaborator& elaborator, const EnclosureFunction& function,
                              const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
                              SourceSpan at) {
  const std::string name(function.name);
  if (wrong_count(elaborator, name, function.operands, arguments, at)) return std::nullopt;
  // A number without a format takes that of the other operand.
  std::optional<ir::Scalar> scalar;
  for (const Value& each : arguments) {
    if (!scalar && each.is<DynamicValue>()) scalar = elaborator.scalar_of(each);
  }
  QuestionValue out{name, {}, {}};
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto node = elaborator.node_of(arguments[k], scalar, spans[k]);
    if (!node) return std::nullopt;
    const ir::Type type = elaborator.module.type(*node);
    if (type.kind == ir::TypeKind::tuple || !(ir::is_float(type.scalar) || type.scalar == ir::Scalar::number)) {
      return elaborator.report(Diagnostic(code::type_mismatch, spans[k],
                                          fmt::format("`{}` asks about enclosures of numbers, and this is `{}`", name,
                                                      ir::type_text(elaborator.module, elaborator.module[*node].type)))
                                   .help(fmt::format("give it the value of a circuit: `{}(f(x){})`", name,
                                                     function.operands == 2 ? ", g(x)" : "")));
    }
    (k == 0 ? out.result : out.target) = *node;
  }
  return Value{std::move(out)};
}

Maybe call_question(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                    const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::Module& module = elaborator.module;
  const bool attains = name == "attains";
  const char* usage = attains ? "write `attains(f, x, r)`: the circuit, its arguments, and the value"
                              : "write `spread(f, x)`: the circuit and its arguments";
  if (arguments.size() < (attains ? 2u : 1u)) {
    return elaborator.report(Diagnostic(code::argument_count, at,
                                        fmt::format("`{}` was given {} argument{}", name, arguments.size(),
                                                    arguments.size() == 1 ? "" : "s"))
                                 .help(usage));
  }
  const auto* circuit = arguments[0].get_if<CircuitValue>();
  if (!circuit) {
    return elaborator.report(
        Diagnostic(code::type_mismatch, spans[0],
                   fmt::format("`{}` asks about a circuit, and this is {}", name, elaborator.kind_text(arguments[0])))
            .help(usage));
  }
  const auto last = static_cast<std::ptrdiff_t>(arguments.size()) - (attains ? 1 : 0);
  auto result = call_circuit(elaborator, *circuit, {arguments.begin() + 1, arguments.begin() + last},
                             {spans.begin() + 1, spans.begin() + last}, at);
  if (!result) return std::nullopt;
  QuestionValue out{name, result->get_if<DynamicValue>()->node, {}};
  const ir::Type type = module.type(out.result);
  if (type.kind == ir::TypeKind::tuple || !ir::is_float(type.scalar)) {
    return elaborator.report(
        Diagnostic(code::not_one_reduction, spans[0],
                   fmt::format("`{}` asks about results in a float format, and this circuit gives `{}`", name,
                               ir::type_text(module, module[out.result].type)))
            .help("ask about a circuit that ends in one reduction: `sum i: x[i] by any`"));
  }
  if (type.scalar > ir::Scalar::bf16) {
    return elaborator.report(
        Diagnostic(code::not_available, spans[0],
                   fmt::format("`{}` knows the sums of f64, f32, f16 and bf16, and this circuit gives `{}`", name,
                               ir::scalar_name(type.scalar)))
            .help("sum in one of these formats"));
  }
  if (attains) {
    auto target = elaborator.node_of(arguments.back(), type.scalar, spans.back());
    if (!target) return std::nullopt;
    const ir::Type given = module.type(*target);
    if (given.kind == ir::TypeKind::tuple || given.scalar != type.scalar) {
      return elaborator.report(Diagnostic(given.kind == ir::TypeKind::tuple ? code::type_mismatch : code::mixed_formats,
                                          spans.back(),
                                          fmt::format("the circuit gives `{}`, and this value is `{}`",
                                                      ir::type_text(module, module[out.result].type),
                                                      ir::type_text(module, module[*target].type)))
                                   .help(fmt::format("convert it: `{}(...)`", ir::scalar_name(type.scalar))));
    }
    out.target = *target;
  }
  return Value{std::move(out)};
}

std::optional<Question> question_of(Elaborator& elaborator, const QuestionValue& value, SourceSpan at) {
  Question out;
  out.kind = value.name == "attains"          ? Question::Kind::attains
             : enclosure_function(value.name) ? Question::Kind::enclosures
                                              : Question::Kind::spread;
  out.name = value.name;
  out.span = at;
  auto function = elaborator.closed_function({DynamicValue{value.result}}, at, value.name);
  if (!function) return std::nullopt;
  out.function = std::move(*function);
  if (value.target.valid()) out.target = elaborator.closed_function({DynamicValue{value.target}}, at, value.name);
  return out;
}

}  // namespace reckon::frontend
