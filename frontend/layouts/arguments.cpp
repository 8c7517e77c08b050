#include "frontend/layouts/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/layouts/layouts.h"
#include "layout/structure.h"

namespace reckon::frontend {

using layout::AnyLayout;
using layout::Composed;
using layout::Holed;
using layout::IntTuple;
using layout::Layout;
using layout::Tiler;

namespace {

Value nested_integers(const IntTuple& tuple) {
  if (tuple.is_int()) return {mpq_class(static_cast<long>(tuple.value()))};
  TupleValue out;
  for (const IntTuple& element : tuple.elements()) out.parts.push_back(nested_integers(element));
  return {std::move(out)};
}

/// The first part of a tuple, or the value itself, for which `wanted` holds; null if there is none.
const Value* first_that(const Value& value, bool (*wanted)(const Value&)) {
  auto* tuple = value.get_if<TupleValue>();
  if (!tuple) return wanted(value) ? &value : nullptr;
  for (const Value& part : tuple->parts) {
    if (const Value* found = first_that(part, wanted)) return found;
  }
  return nullptr;
}
bool holds(const Value& value, bool (*wanted)(const Value&)) { return first_that(value, wanted) != nullptr; }
bool is_layout(const Value& value) { return value.is<Layout>(); }
bool is_hole(const Value& value) { return value.is<OpenExtent>(); }
bool is_other(const Value& value) { return !value.is<mpq_class>() && !value.is<Layout>() && !value.is<OpenExtent>(); }

/// Integers and layouts, nested or not.
bool is_plain(const Value& value) { return !holds(value, is_other) && !holds(value, is_hole); }

bool is_no_layout(const Value& value) { return is_other(value) || is_hole(value); }
bool is_no_shape(const Value& value) { return is_no_layout(value) || is_layout(value); }

}  // namespace

// ---------------------------------------------------------------------------------- which arguments a row takes

template <>
bool LayoutArguments::accepts(std::size_t k, const Layout*) const {
  return k < count() && is_plain(values_[k]);
}
template <>
bool LayoutArguments::accepts(std::size_t k, const AnyLayout*) const {
  return k < count() && (is_plain(values_[k]) || layout_object<Composed>(values_[k]));
}
template <>
bool LayoutArguments::accepts(std::size_t k, const IntTuple*) const {
  return k < count() && is_plain(values_[k]) && !holds(values_[k], is_layout);
}
template <>
bool LayoutArguments::accepts(std::size_t k, const std::int64_t*) const {
  return k < count() && values_[k].is<mpq_class>();
}
template <>
bool LayoutArguments::accepts(std::size_t k, const Tiler*) const {
  return k < count() && !holds(values_[k], is_other);
}
template <>
bool LayoutArguments::accepts(std::size_t k, const ModeTiler*) const {
  return k < count() && !holds(values_[k], is_other) && (values_[k].is<TupleValue>() || values_[k].is<OpenExtent>());
}
template <>
bool LayoutArguments::accepts(std::size_t k, const Holed*) const {
  return k < count() && !holds(values_[k], is_other) && !holds(values_[k], is_layout);
}
template <>
bool LayoutArguments::accepts(std::size_t k, const std::string*) const {
  return k < count() && values_[k].is<std::string>();
}
template <>
bool LayoutArguments::accepts(std::size_t k, const FunctionName*) const {
  return k < count() && values_[k].is<BuiltinValue>();
}
template <>
bool LayoutArguments::accepts(std::size_t k, const LocalPartitionName*) const {
  auto* function = k < count() ? values_[k].get_if<BuiltinValue>() : nullptr;
  return function && function->name == "local_partition";
}
template <>
bool LayoutArguments::accepts(std::size_t k, const Projection*) const {
  return accepts<Holed>(k);
}
template <>
bool LayoutArguments::accepts(std::size_t k, const Table*) const {
  return k < count() && values_[k].is<ListValue>();
}
template <>
bool LayoutArguments::accepts(std::size_t k, const Rest<Layout>*) const {
  return k <= count();
}
template <>
bool LayoutArguments::accepts(std::size_t k, const Rest<std::int64_t>*) const {
  return k <= count();
}

// --------------------------------------------------------------------------------------------- reading them

/// "`flatten` needs a layout here, and this is a string", or has one among its parts.
std::nullopt_t LayoutArguments::unfit(const char* what, const Value& value, const Value& part, SourceSpan at) const {
  Diagnostic diagnostic(code::bad_layout, at,
                        fmt::format("`{}` needs {} here, and this {} {}", name_, what,
                                    &value == &part ? "is" : "has among its parts", elaborator_.kind_text(part)));
  if (part.is<Layout>()) diagnostic.helps.push_back("a layout's shape is `shape(L)`");
  return elaborator_.report(std::move(diagnostic));
}

std::optional<Layout> LayoutArguments::layout(const Value& value, SourceSpan at) const {
  if (auto* composed = layout_object<Composed>(value)) {
    Diagnostic diagnostic(code::bad_layout, at,
                          fmt::format("`{}` needs a layout here, and `{}` is none", name_, composed->text()));
    if (composed->reason()) diagnostic.notes.push_back(composed->reason()->message);
    return elaborator_.report(std::move(diagnostic));
  }
  if (const Value* other = first_that(value, is_no_layout)) return unfit("a layout", value, *other, at);
  // Several layouts in a tuple are the modes of one layout.
  if (auto* tuple = value.get_if<TupleValue>(); tuple && holds(value, is_layout)) {
    std::vector<Layout> modes;
    for (const Value& part : tuple->parts) {
      auto mode = layout(part, at);
      if (!mode) return mode;
      modes.push_back(std::move(*mode));
    }
    auto joined = layout::concat(modes);
    if (!joined) return refuse(joined.problem()), std::nullopt;
    return *joined;
  }
  return elaborator_.layout_of(value, at);
}

std::optional<Tiler> LayoutArguments::tiler(const Value& value, SourceSpan at) const {
  if (value.is<OpenExtent>()) return Tiler::keep();
  if (auto* tuple = value.get_if<TupleValue>()) {
    std::vector<Tiler> modes;
    for (const Value& part : tuple->parts) {
      auto mode = tiler(part, at);
      if (!mode) return mode;
      modes.push_back(std::move(*mode));
    }
    return Tiler(std::move(modes));
  }
  auto one = layout(value, at);
  if (!one) return std::nullopt;
  return Tiler(std::move(*one));
}

std::optional<Holed> LayoutArguments::holed(const Value& value, SourceSpan at) const {
  if (value.is<OpenExtent>()) return Holed::hole();
  if (auto* tuple = value.get_if<TupleValue>()) {
    std::vector<Holed> elements;
    for (const Value& part : tuple->parts) {
      auto element = holed(part, at);
      if (!element) return element;
      elements.push_back(std::move(*element));
    }
    return Holed(std::move(elements));
  }
  auto index = elaborator_.integer_of(value, at, "a coordinate");
  if (!index) return std::nullopt;
  return Holed(*index);
}

std::nullopt_t LayoutArguments::wanted(std::size_t k, const char* what) const {
  return elaborator_.fail(code::bad_layout, spans_[k],
                          fmt::format("`{}` needs {} here, and this is {}", name_, what,
                                      elaborator_.kind_text(values_[k])));
}

template <>
std::optional<Layout> LayoutArguments::read(std::size_t k) const {
  return layout(values_[k], spans_[k]);
}
template <>
std::optional<AnyLayout> LayoutArguments::read(std::size_t k) const {
  if (auto* composed = layout_object<Composed>(values_[k])) return AnyLayout(*composed);
  auto known = layout(values_[k], spans_[k]);
  if (!known) return std::nullopt;
  return AnyLayout(std::move(*known));
}
template <>
std::optional<IntTuple> LayoutArguments::read(std::size_t k) const {
  if (const Value* other = first_that(values_[k], is_no_shape)) {
    return unfit("integers (nested or not)", values_[k], *other, spans_[k]);
  }
  return elaborator_.int_tuple_of(values_[k], spans_[k]);
}
template <>
std::optional<std::int64_t> LayoutArguments::read(std::size_t k) const {
  return elaborator_.integer_of(values_[k], spans_[k], "an argument");
}
template <>
std::optional<Tiler> LayoutArguments::read(std::size_t k) const {
  return tiler(values_[k], spans_[k]);
}
template <>
std::optional<ModeTiler> LayoutArguments::read(std::size_t k) const {
  auto out = tiler(values_[k], spans_[k]);
  if (!out) return std::nullopt;
  return ModeTiler{std::move(*out)};
}
template <>
std::optional<Holed> LayoutArguments::read(std::size_t k) const {
  return holed(values_[k], spans_[k]);
}
template <>
std::optional<Projection> LayoutArguments::read(std::size_t k) const {
  auto steps = holed(values_[k], spans_[k]);
  if (!steps) return std::nullopt;
  Projection out;
  for (const Holed& step : steps->is_tuple() ? steps->elements() : std::vector<Holed>{*steps}) {
    if (!step.is_hole() && !(step.is_index() && step.index() == 1)) {
      return elaborator_.fail(code::bad_layout, spans_[k],
                              fmt::format("`{}`: a projection is of `1`, to keep a mode, and `_`, to leave it out, and "
                                          "this has `{}`",
                                          name_, step.text()));
    }
    out.wanted.push_back(step.is_index());
  }
  return out;
}
template <>
std::optional<LocalPartitionName> LayoutArguments::read(std::size_t) const {
  return LocalPartitionName{};
}
template <>
std::optional<std::string> LayoutArguments::read(std::size_t k) const {
  if (auto* text = values_[k].get_if<std::string>()) return *text;
  return elaborator_.fail(code::type_mismatch, spans_[k],
                          fmt::format("`{}` needs a string here, and this is {}", name_,
                                      elaborator_.kind_text(values_[k])));
}
template <>
std::optional<FunctionName> LayoutArguments::read(std::size_t k) const {
  if (auto* function = values_[k].get_if<BuiltinValue>()) return FunctionName{function->name};
  return elaborator_.fail(code::type_mismatch, spans_[k],
                          fmt::format("`{}` needs the name of a function here, and this is {}", name_,
                                      elaborator_.kind_text(values_[k])));
}
template <>
std::optional<Table> LayoutArguments::read(std::size_t k) const {
  auto* list = values_[k].get_if<ListValue>();
  if (!list) {
    return elaborator_.fail(code::type_mismatch, spans_[k],
                            fmt::format("`{}` needs a list of integers here, and this is {}", name_,
                                        elaborator_.kind_text(values_[k])));
  }
  Table out;
  for (std::size_t i = 0; i < list->elements.size(); ++i) {
    auto entry = elaborator_.integer_of(list->elements[i], list->spans[i], "an entry of a table");
    if (!entry) return std::nullopt;
    out.entries.push_back(*entry);
  }
  return out;
}
template <>
std::optional<Rest<Layout>> LayoutArguments::read(std::size_t k) const {
  Rest<Layout> out;
  for (; k < count(); ++k) {
    auto one = read<Layout>(k);
    if (!one) return std::nullopt;
    out.items.push_back(std::move(*one));
  }
  return out;
}
template <>
std::optional<Rest<std::int64_t>> LayoutArguments::read(std::size_t k) const {
  Rest<std::int64_t> out;
  for (; k < count(); ++k) {
    auto one = read<std::int64_t>(k);
    if (!one) return std::nullopt;
    out.items.push_back(*one);
  }
  return out;
}

// ------------------------------------------------------------------------------------------------ their results

Maybe LayoutArguments::give(AnyLayout any) const {
  if (auto* plain = std::get_if<Layout>(&any)) return Value{std::move(*plain)};
  return Value{LayoutObject{std::get<Composed>(std::move(any))}};
}
Maybe LayoutArguments::give(const IntTuple& tuple) const { return nested_integers(tuple); }
Maybe LayoutArguments::give(std::int64_t number) const { return Value{mpq_class(static_cast<long>(number))}; }
Maybe LayoutArguments::at_offset(const AnyLayout& layout, std::int64_t offset) const {
  return Value{TupleValue{{*give(layout), *give(offset)}}};
}

Maybe LayoutArguments::give(const layout::SlicedCoordinates& part) const {
  return Value{TupleValue{{*give(part.layout), *give(part.offset)}}};
}

Maybe LayoutArguments::refuse(const layout::Problem& problem) const {
  return elaborator_.report(layout_problem(problem, at_));
}

}  // namespace reckon::frontend
