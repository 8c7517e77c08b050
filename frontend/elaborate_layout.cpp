// Layouts as static values.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/elaborator.h"
#include "ir/layout/coalesce.h"
#include "ir/layout/coordinates.h"

namespace reckon::frontend {

using layout::IntTuple;
using layout::Layout;

std::optional<IntTuple> Elaborator::int_tuple_of(const Value& value, SourceSpan at) {
  if (auto* tuple = value.get_if<TupleValue>()) {
    std::vector<IntTuple> elements;
    for (const Value& part : tuple->parts) {
      auto element = int_tuple_of(part, at);
      if (!element) return element;
      elements.push_back(std::move(*element));
    }
    return IntTuple(std::move(elements));
  }
  auto integer = integer_of(value, at, "a shape, stride or coordinate");
  if (!integer) return std::nullopt;
  return IntTuple(*integer);
}

namespace {

Diagnostic layout_problem(const layout::Problem& problem, SourceSpan at) {
  const bool range = problem.kind == layout::Problem::Kind::out_of_range;
  return Diagnostic(range ? Code::index_out_of_range : Code::bad_layout, at, problem.message);
}

/// Holds no size or index that is not a number yet.
bool is_known(const Value& value) {
  if (auto* tuple = value.get_if<TupleValue>()) return std::all_of(tuple->parts.begin(), tuple->parts.end(), is_known);
  return !value.is<SymbolicInteger>();
}

}  // namespace

Elaborator::Maybe Elaborator::elaborate_colon(const Context& context, const Expr& expression) {
  auto shape_value = elaborate(context, expression.children[0]);
  auto stride_value = elaborate(context, expression.children[1]);
  if (!shape_value || !stride_value) return std::nullopt;
  if (auto* modes = shape_value->get_if<TupleValue>();
      shape_value->is<OpenExtent>() || (modes && !modes->parts.empty() && modes->parts.back().is<OpenExtent>())) {
    return elaborate_open_colon(*shape_value, *stride_value, expression, expr(context, expression.children[1]).span);
  }
  if (!is_known(*shape_value) || !is_known(*stride_value)) {
    auto shape = index_tuple_of(*shape_value, expr(context, expression.children[0]).span);
    auto stride = shape ? index_tuple_of(*stride_value, expr(context, expression.children[1]).span) : std::nullopt;
    if (!stride) return std::nullopt;
    if (!ir::nested_alike(*shape, *stride)) {
      return fail(Code::bad_layout, expression.span, "a layout's shape and stride must be nested alike");
    }
    return Value{ir::IndexLayout{std::move(*shape), std::move(*stride)}};
  }
  auto shape = int_tuple_of(*shape_value, expr(context, expression.children[0]).span);
  auto stride = shape ? int_tuple_of(*stride_value, expr(context, expression.children[1]).span) : std::nullopt;
  if (!stride) return std::nullopt;
  auto made = Layout::make(*shape, *stride);
  if (!made) return report(layout_problem(made.problem(), expression.span));
  return Value{*made};
}

std::optional<Layout> Elaborator::layout_of(const Value& value, SourceSpan at) {
  if (auto* known = value.get_if<Layout>()) return *known;
  // A shape without strides, in a layout position, is compact: `8` is `8:1`.
  if (value.is<mpq_class>() || value.is<TupleValue>()) {
    auto shape = int_tuple_of(value, at);
    if (!shape) return std::nullopt;
    auto made = Layout::compact_left(*shape);
    if (!made) return report(layout_problem(made.problem(), at));
    return *made;
  }
  return fail(Code::bad_layout, at, fmt::format("a layout is needed, and this is {}", kind_text(value)));
}

Elaborator::Maybe Elaborator::apply_layout(const Layout& applied, const std::vector<Value>& arguments,
                                           const std::vector<SourceSpan>& spans, SourceSpan at) {
  if (arguments.empty()) return fail(Code::argument_count, at, "a layout is applied to a coordinate");
  // `L(i, j)` is `L((i, j))`.
  auto coordinate = int_tuple_of(arguments.size() == 1 ? arguments[0] : Value{TupleValue{arguments}},
                                 arguments.size() == 1 ? spans[0] : at);
  if (!coordinate) return std::nullopt;
  auto offset = applied(*coordinate);
  if (!offset) return report(layout_problem(offset.problem(), at));
  return Value{mpq_class(static_cast<long>(*offset))};
}

Elaborator::Maybe Elaborator::call_layout_function(const std::string& name, const std::vector<Value>& arguments,
                                                   const std::vector<SourceSpan>& spans, SourceSpan at) {
  if (wrong_count(name, 1, arguments, at)) return std::nullopt;
  auto of = layout_of(arguments[0], spans[0]);
  if (!of) return std::nullopt;
  auto tuple = [](auto&& self, const IntTuple& from) -> Value {
    if (from.is_int()) return {mpq_class(static_cast<long>(from.value()))};
    TupleValue out;
    for (const IntTuple& element : from.elements()) out.parts.push_back(self(self, element));
    return {std::move(out)};
  };
  if (name == "size") return Value{mpq_class(static_cast<long>(of->size()))};
  if (name == "cosize") return Value{mpq_class(static_cast<long>(of->cosize()))};
  if (name == "rank") return Value{mpq_class(static_cast<long>(of->rank()))};
  if (name == "shape") return tuple(tuple, of->shape());
  if (name == "stride") return tuple(tuple, of->stride());
  return Value{layout::coalesce(*of)};
}

}  // namespace reckon::frontend
