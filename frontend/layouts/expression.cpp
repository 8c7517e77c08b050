// What a lone expression is as a layout, for pictures: its value, and the arguments of the call that made it.
#include "layout/expression.h"

#include "frontend/layouts/arguments.h"
#include "frontend/layouts/layouts.h"

namespace reckon::frontend {

using layout::AnyValue;
using layout::Layout;

namespace {

std::optional<AnyValue> any_value(const Value& value) {
  if (auto* plain = value.get_if<Layout>()) return AnyValue(*plain);
  if (auto* object = value.get_if<LayoutObject>()) {
    return std::visit(
        []<class T>(const T& each) -> std::optional<AnyValue> {
          if constexpr (std::is_constructible_v<AnyValue, const T&>) return AnyValue(each);
          return std::nullopt;
        },
        object->data);
  }
  return std::nullopt;
}

}  // namespace

std::optional<layout::Expression> layout_expression(Elaborator& elaborator, const Session::Lone& lone) {
  const Value& whole = lone.result.value;
  std::optional<layout::Expression> out;
  if (auto value = any_value(whole)) out = layout::Expression{std::move(*value)};
  // The rest of a sliced layout, and the offset at which it starts.
  auto* pair = whole.get_if<TupleValue>();
  if (pair && pair->parts.size() == 2 && pair->parts[1].is<mpq_class>()) {
    auto value = any_value(pair->parts[0]);
    const mpq_class& offset = *pair->parts[1].get_if<mpq_class>();
    if (value && offset.get_den() == 1 && offset.get_num().fits_slong_p()) {
      out = layout::Expression{std::move(*value), offset.get_num().get_si()};
    }
  }
  if (!out) return out;
  Scope empty;
  const Context context{lone.program, &empty};
  const Expr& written = elaborator.expr(context, elaborator.programs[lone.program].tree.result);
  if (written.kind != ExprKind::call) return out;
  // All of this has been evaluated without a mistake before; only other readings of arguments may report mistakes.
  const std::size_t reported = elaborator.diagnostics.size();
  const auto callee = elaborator.elaborate(context, written.children[0]);
  const auto* builtin = callee ? callee->get_if<BuiltinValue>() : nullptr;
  if (builtin && is_layout_function(builtin->name)) {
    std::vector<Value> values;
    std::vector<SourceSpan> spans;
    for (std::size_t k = 1; k < written.children.size(); ++k) {
      auto value = elaborator.elaborate(context, written.children[k]);
      if (!value) break;
      values.push_back(std::move(*value));
      spans.push_back(elaborator.expr(context, written.children[k]).span);
    }
    const LayoutArguments arguments(elaborator, builtin->name, values, spans, written.span);
    layout::Call call{builtin->name, {}};
    for (std::size_t k = 0; k < values.size(); ++k) {
      layout::Argument argument;
      argument.text = std::string(elaborator.sources.text(spans[k]));
      argument.value = any_value(values[k]);
      argument.is_layout = argument.value.has_value();
      if (!argument.value && arguments.accepts<Layout>(k)) {
        if (auto compact = arguments.read<Layout>(k)) argument.value = std::move(*compact);
      }
      if (arguments.accepts<layout::Tiler>(k)) argument.tiler = arguments.read<layout::Tiler>(k);
      call.arguments.push_back(std::move(argument));
    }
    if (values.size() + 1 == written.children.size()) out->call = std::move(call);
  }
  elaborator.diagnostics.resize(reported);
  return out;
}

}  // namespace reckon::frontend
