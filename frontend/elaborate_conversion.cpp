// From one format to another: `f32(x)`, `bits(x)`, `from_bits(T, u)`.
#include <fmt/format.h>

#include "diagnostics/codes/not_callable.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/calls.h"
#include "ir/integer.h"
#include "ir/op.h"

namespace reckon::frontend {

using ir::NodeId;
using ir::Op;
using ir::Scalar;

namespace {

/// Element by element.
Maybe cast(Elaborator& elaborator, Op op, NodeId value, Scalar to, SourceSpan at) {
  ir::Module& module = elaborator.module;
  const ir::Type have = module.type(value);
  if (have.kind == ir::TypeKind::scalar) return Value{DynamicValue{module.cast(op, value, to)}};
  std::vector<ir::VariableId> variables;
  std::vector<ir::IndexId> subscripts;
  for (std::size_t d = 0; d < have.extents.size(); ++d) {
    variables.push_back(module.fresh_variable());
    subscripts.push_back(module.indices().variable(variables.back()));
  }
  const NodeId body = module.cast(op, module.element(value, subscripts), to);
  module.places().put(body, at);
  return Value{DynamicValue{module.map(std::move(variables), have.extents, body)}};
}

}  // namespace

Maybe convert(Elaborator& elaborator, const TypeValue& type, const Value& value, SourceSpan at, SourceSpan value_span) {
  ir::Module& module = elaborator.module;
  if (type.indexed)
    return elaborator.fail(code::not_callable, at, "convert with the format alone: `f32(x)` works element by element");
  const std::string name(ir::scalar_name(type.scalar));
  if (auto* integer = value.get_if<SymbolicInteger>()) {
    if (!ir::has_pattern(type.scalar)) {
      return elaborator.fail(code::type_mismatch, at, fmt::format("`{}` cannot be made of an integer", name));
    }
    return Value{DynamicValue{module.index_value(integer->index, type.scalar)}};
  }
  const auto from = elaborator.scalar_of(value);
  if ((from == Scalar::boolean) != (type.scalar == Scalar::boolean)) {
    return elaborator.report(Diagnostic(code::type_mismatch, value_span,
                                        fmt::format("`{}` cannot be made of {}", name, elaborator.kind_text(value)))
                                 .help("choose numbers by a condition with `select(c, 1, 0)`"));
  }
  const bool has_format = from && from != Scalar::number;
  auto node = elaborator.node_of(value, has_format ? std::nullopt : std::optional(type.scalar), value_span);
  if (!node) return std::nullopt;
  const ir::Type have = module.type(*node);
  if (have.kind == ir::TypeKind::tuple)
    return elaborator.fail(code::type_mismatch, value_span, "a tuple cannot be converted");
  if (have.scalar == type.scalar) return Value{DynamicValue{*node}};
  if (type.scalar == Scalar::number) {
    return elaborator.fail(code::type_mismatch, at,
                           fmt::format("`{}` cannot be made a `number` again", ir::scalar_name(have.scalar)));
  }
  return cast(elaborator, Op::convert, *node, type.scalar, at);
}

Maybe call_bits(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::Module& module = elaborator.module;
  const bool from = name == "from_bits";
  if (wrong_count(elaborator, name, from ? 2 : 1, arguments, at)) return std::nullopt;
  const auto* type = from ? arguments[0].get_if<TypeValue>() : nullptr;
  if (from && (!type || type->indexed || !ir::is_float(type->scalar))) {
    return elaborator.report(
        Diagnostic(code::type_mismatch, spans[0],
                   fmt::format("`from_bits` needs a format first, and this is {}", elaborator.kind_text(arguments[0])))
            .help("for example `from_bits(f32, u)`"));
  }
  const SourceSpan value_at = spans.back();
  const Scalar wanted = from ? ir::pattern_scalar(type->scalar) : Scalar::u32;
  auto node = elaborator.node_of(arguments.back(), from ? std::optional(wanted) : std::nullopt, value_at);
  if (!node) return std::nullopt;
  const ir::Type have = module.type(*node);
  const std::string text = ir::type_text(module, module[*node].type);
  // The pattern of a narrower format may stand in the unsigned integers of its own width, too.
  const auto holds_pattern = [&] {
    return ir::is_integer(have.scalar) && !ir::integer_traits(have.scalar).is_signed &&
           ir::byte_width(have.scalar) >= ir::byte_width(type->scalar);
  };
  if (have.kind == ir::TypeKind::tuple || (from ? !holds_pattern() : !ir::is_float(have.scalar))) {
    Diagnostic diagnostic(code::type_mismatch, value_at,
                          fmt::format("`{}` needs {} here, and this is `{}`", name,
                                      from ? fmt::format("a `{}`", ir::scalar_name(wanted)) : "a float", text));
    if (!from && have.scalar == Scalar::number) diagnostic.helps.push_back("give it a format: `bits(f32(...))`");
    return elaborator.report(std::move(diagnostic));
  }
  const Scalar format = from ? type->scalar : have.scalar;
  if (from && have.scalar != wanted) {
    const Maybe pattern = cast(elaborator, Op::convert, *node, wanted, at);
    node = pattern->get_if<DynamicValue>()->node;
  }
  return cast(elaborator, from ? Op::from_bits : Op::bits, *node, from ? format : ir::pattern_scalar(format), at);
}

}  // namespace reckon::frontend
