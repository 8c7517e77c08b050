// Layouts as static values.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/not_callable.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/layouts/arguments.h"
#include "frontend/layouts/layouts.h"
#include "frontend/schedules.h"
#include "layout/coordinates.h"

namespace reckon::frontend {

using ir::IndexLayout;
using ir::IndexTuple;
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

std::optional<IndexTuple> Elaborator::index_tuple_of(const Value& value, SourceSpan at) {
  if (auto* tuple = value.get_if<TupleValue>()) {
    if (tuple->parts.empty()) return fail(code::bad_layout, at, "a shape has at least one mode, and this has none");
    IndexTuple out;
    for (const Value& part : tuple->parts) {
      auto element = index_tuple_of(part, at);
      if (!element) return element;
      out.elements.push_back(std::move(*element));
    }
    return out;
  }
  auto index = index_of(value, at, "a shape, stride or coordinate");
  if (!index) return std::nullopt;
  return IndexTuple{*index, {}};
}

std::optional<IndexLayout> Elaborator::index_layout_of(const Value& value, SourceSpan at) {
  if (auto* symbolic = value.get_if<IndexLayout>()) return *symbolic;
  if (auto* known = value.get_if<layout::Layout>()) return ir::index_layout(module.indices(), *known);
  if (!value.is<mpq_class>() && !value.is<TupleValue>() && !value.is<SymbolicInteger>()) {
    return fail(code::bad_layout, at, fmt::format("a layout is needed, and this is {}", kind_text(value)));
  }
  auto shape = index_tuple_of(value, at);
  if (!shape) return std::nullopt;
  IndexTuple stride = ir::compact_strides(module.indices(), *shape, module.indices().constant(1));
  return IndexLayout{std::move(*shape), std::move(stride)};
}

namespace {

/// Whether the value holds no size or index that is not a known number.
bool is_known(const Value& value) {
  if (auto* tuple = value.get_if<TupleValue>()) return std::all_of(tuple->parts.begin(), tuple->parts.end(), is_known);
  return !value.is<SymbolicInteger>();
}

}  // namespace

Diagnostic layout_problem(const layout::Problem& problem, SourceSpan at) {
  const bool range = problem.kind == layout::Problem::Kind::out_of_range;
  Diagnostic out(range ? code::index_out_of_range : code::bad_layout, at, problem.message);
  if (!problem.hint.empty()) out.helps.push_back(problem.hint);
  return out;
}

Maybe elaborate_colon(Elaborator& elaborator, const Context& context, const Expr& expression) {
  auto shape_value = elaborator.elaborate(context, expression.children[0]);
  auto stride_value = elaborator.elaborate(context, expression.children[1]);
  if (!shape_value || !stride_value) return std::nullopt;
  if (auto* modes = shape_value->get_if<TupleValue>();
      shape_value->is<OpenExtent>() || (modes && !modes->parts.empty() && modes->parts.back().is<OpenExtent>())) {
    return elaborate_open_colon(elaborator, *shape_value, *stride_value, expression,
                                elaborator.expr(context, expression.children[1]).span);
  }
  if (!is_known(*shape_value) || !is_known(*stride_value)) {
    auto shape = elaborator.index_tuple_of(*shape_value, elaborator.expr(context, expression.children[0]).span);
    auto stride = shape
                      ? elaborator.index_tuple_of(*stride_value, elaborator.expr(context, expression.children[1]).span)
                      : std::nullopt;
    if (!stride) return std::nullopt;
    if (!ir::nested_alike(*shape, *stride)) {
      return elaborator.fail(code::bad_layout, expression.span, "a layout's shape and stride must be nested alike");
    }
    return Value{ir::IndexLayout{std::move(*shape), std::move(*stride)}};
  }
  auto shape = elaborator.int_tuple_of(*shape_value, elaborator.expr(context, expression.children[0]).span);
  auto stride = shape ? elaborator.int_tuple_of(*stride_value, elaborator.expr(context, expression.children[1]).span)
                      : std::nullopt;
  if (!stride) return std::nullopt;
  auto made = Layout::make(*shape, *stride);
  if (!made) return elaborator.report(layout_problem(made.problem(), expression.span));
  return Value{*made};
}

std::optional<Layout> Elaborator::layout_of(const Value& value, SourceSpan at) {
  if (auto* known = value.get_if<Layout>()) return *known;
  // A shape without strides, where a layout is wanted, is compact: `8` is `8:1`.
  if (value.is<mpq_class>() || value.is<TupleValue>()) {
    auto shape = int_tuple_of(value, at);
    if (!shape) return std::nullopt;
    auto made = Layout::compact_left(*shape);
    if (!made) return report(layout_problem(made.problem(), at));
    return *made;
  }
  return fail(code::bad_layout, at, fmt::format("a layout is needed, and this is {}", kind_text(value)));
}

Maybe apply_layout(Elaborator& elaborator, const Layout& applied, const std::vector<Value>& arguments,
                   const std::vector<SourceSpan>& spans, SourceSpan at) {
  if (arguments.empty()) return elaborator.fail(code::argument_count, at, "a layout is applied to a coordinate");
  // `L(i, j)` is `L((i, j))`.
  auto coordinate = elaborator.int_tuple_of(arguments.size() == 1 ? arguments[0] : Value{TupleValue{arguments}},
                                            arguments.size() == 1 ? spans[0] : at);
  if (!coordinate) return std::nullopt;
  auto offset = applied(*coordinate);
  if (!offset) return elaborator.report(layout_problem(offset.problem(), at));
  return Value{mpq_class(static_cast<long>(*offset))};
}

Maybe apply_layout_object(Elaborator& elaborator, const LayoutObject& object, const std::vector<Value>& arguments,
                          const std::vector<SourceSpan>& spans, SourceSpan at) {
  if (object.get_if<layout::TiledMma>() || object.get_if<layout::TiledCopy>()) {
    return elaborator.report(Diagnostic(code::not_callable, at, fmt::format("a {} cannot be called", object.kind()))
                                 .help("its threads' parts are `partition_C(mma, L, thread)`, "
                                       "`partition_S(copy, L, thread)`, ..."));
  }
  if (arguments.empty())
    return elaborator.fail(code::argument_count, at, fmt::format("a {} is applied to a coordinate", object.kind()));
  auto coordinate = elaborator.int_tuple_of(arguments.size() == 1 ? arguments[0] : Value{TupleValue{arguments}},
                                            arguments.size() == 1 ? spans[0] : at);
  if (!coordinate) return std::nullopt;
  const LayoutArguments results(elaborator, "", arguments, spans, at);
  if (auto* composed = object.get_if<layout::Composed>()) return results.give((*composed)(*coordinate));
  if (auto* coordinates = object.get_if<layout::CoordinateLayout>()) return results.give((*coordinates)(*coordinate));
  if (auto* bounds = object.get_if<layout::Bounds>()) return results.give(bounds->inside(*coordinate));
  if (!coordinate->is_int()) {
    return elaborator.fail(code::bad_layout, spans[0], fmt::format("a {} is applied to an integer", object.kind()));
  }
  const std::int64_t index = coordinate->value();
  if (auto* swizzle = object.get_if<layout::Swizzle>()) return results.give((*swizzle)(index));
  const auto& matrix = *object.get_if<layout::BitMatrix>();
  if (index < 0 || index >= matrix.size()) {
    return elaborator.fail(code::index_out_of_range, spans[0],
                           fmt::format("index `{}` is outside of `0..{}`", index, matrix.size() - 1));
  }
  return results.give(matrix(index));
}

Maybe compare_objects(Elaborator& elaborator, const std::string& sign, const Value& left, const Value& right,
                      const Expr& at) {
  if (sign == "===") {
    return elaborator.fail(code::type_mismatch, at.operator_span,
                           "`===` compares how two layouts are written, not their kin");
  }
  auto any_of = [](const Value& value) -> std::optional<layout::AnyLayout> {
    if (auto* plain = value.get_if<Layout>()) return *plain;
    if (auto* composed = layout_object<layout::Composed>(value)) return *composed;
    return std::nullopt;
  };
  const auto x = any_of(left), y = any_of(right);
  layout::Result<bool> equal = false;
  if (x && y) {
    equal = equal_functions(*x, *y);
  } else if (left.is<LayoutObject>() && right.is<LayoutObject>()) {
    equal = equal_functions(*left.get_if<LayoutObject>(), *right.get_if<LayoutObject>());
  } else {
    return elaborator.fail(code::type_mismatch, at.span,
                           fmt::format("{} and {} are not compared", elaborator.kind_text(left),
                                       elaborator.kind_text(right)));
  }
  if (!equal) return elaborator.report(layout_problem(equal.problem(), at.span));
  return Value{*equal != (sign == "!=")};
}

}  // namespace reckon::frontend
