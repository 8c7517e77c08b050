// Layouts inside of a circuit whose sizes are not known numbers: operations that need no numbers (ir/index_algebra.h).
#include "frontend/layouts/symbolic.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/static_needed.h"
#include "frontend/layouts/at_indices.h"
#include "ir/index_algebra.h"
#include "layout/divide.h"

namespace reckon::frontend {

using ir::IndexAlgebra;
using ir::IndexId;
using ir::IndexLayout;
using ir::IndexTiler;
using ir::IndexTuple;
using layout::Problem;

namespace {

bool is_symbolic(const Value& value) {
  if (auto* tuple = value.get_if<TupleValue>()) {
    return std::any_of(tuple->parts.begin(), tuple->parts.end(), is_symbolic);
  }
  return value.is<IndexLayout>() || value.is<SymbolicInteger>();
}

IndexTuple reversed(const IndexTuple& tuple) {
  if (tuple.is_leaf()) return tuple;
  IndexTuple out;
  for (auto element = tuple.elements.rbegin(); element != tuple.elements.rend(); ++element) {
    out.elements.push_back(reversed(*element));
  }
  return out;
}

}  // namespace

Value value_of(const ir::IndexStore& indices, const IndexTuple& tuple) {
  if (tuple.is_leaf()) {
    if (auto known = indices.as_constant(tuple.leaf)) return {mpq_class(static_cast<long>(*known))};
    return {SymbolicInteger{tuple.leaf}};
  }
  TupleValue out;
  for (const IndexTuple& element : tuple.elements) out.parts.push_back(value_of(indices, element));
  return {std::move(out)};
}

Value value_of(const ir::IndexStore& indices, const IndexLayout& layout) {
  if (auto known = ir::known_layout(indices, layout)) return {std::move(*known)};
  return {layout};
}

bool any_symbolic(const std::vector<Value>& values) { return std::any_of(values.begin(), values.end(), is_symbolic); }

Maybe SymbolicLayouts::call(const std::string& name, const std::vector<Value>& values,
                            const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::IndexStore& indices = module_.indices();
  if (values.size() == 1 && (name == "row_major" || name == "column_major")) {
    auto shape = elaborator_.index_tuple_of(values[0], spans[0]);
    if (!shape) return std::nullopt;
    const IndexId one = indices.constant(1);
    if (name == "column_major") return Value{IndexLayout{*shape, ir::compact_strides(indices, *shape, one)}};
    return Value{IndexLayout{*shape, reversed(ir::compact_strides(indices, reversed(*shape), one))}};
  }
  if (values.size() == 1 && (name == "size" || name == "shape" || name == "stride" || name == "rank")) {
    auto layout = elaborator_.index_layout_of(values[0], spans[0]);
    if (!layout) return std::nullopt;
    if (name == "rank") return Value{mpq_class(static_cast<unsigned long>(layout->rank()))};
    if (name == "shape") return value_of(indices, layout->shape);
    if (name == "stride") return value_of(indices, layout->stride);
    return value_of(indices, IndexTuple{ir::size_of(indices, layout->shape), {}});
  }
  if (auto rearranged = rearrange(name, values, spans, at)) return *rearranged;
  for (const char* of_one : {"coalesce", "filter", "filter_zeros", "cosize", "extent", "min", "max"}) {
    if (values.size() == 1 && name == of_one) return measure(name, values[0], spans[0]);
  }
  if (values.size() == 2 && name == "compose") return compose(values, spans, at);
  if (values.size() == 2 && name == "slice") return slice(values[0], values[1], spans[1], at);
  if (layout::division_named(name) && values.size() == 2) return divide(name, values, spans, at);
  if (takes_indices(name, values)) return part_at_indices(elaborator_, name, values, spans, at);
  if (values.size() == 3 && name == "local_tile") return local_tile(values, spans, at);
  if (values.size() == 3 && name == "local_partition") return local_partition(values, spans, at);
  return elaborator_.report(
      Diagnostic(code::static_needed, at, fmt::format("`{}` needs sizes that are known numbers here", name))
          .help("give them to the circuit as static arguments: `fn f[m, k](a: f32[m, k]) = ...`, `f[64, 32]`"));
}

namespace {

Diagnostic needs_numbers(const Problem& problem, SourceSpan at) {
  const bool undecided = problem.kind == Problem::Kind::undecided;
  Diagnostic out(undecided ? code::static_needed : code::bad_layout, at, problem.message);
  if (!problem.hint.empty()) out.helps.push_back(problem.hint);
  return out;
}

}  // namespace

IndexAlgebra SymbolicLayouts::index_algebra(SourceSpan at) {
  return IndexAlgebra(module_, [this, at](IndexId left, IndexId right, const std::string& message) {
    return elaborator_.equal_extents(left, right, Diagnostic(code::bad_layout, at, message));
  });
}

/// A problem that comes from a condition has been reported before.
Maybe SymbolicLayouts::give(const layout::Result<IndexLayout>& result, SourceSpan at) {
  if (result) return value_of(module_.indices(), *result);
  if (result.problem().message.empty()) return std::nullopt;
  return elaborator_.report(needs_numbers(result.problem(), at));
}

Maybe SymbolicLayouts::measure(const std::string& name, const Value& value, SourceSpan at) {
  ir::IndexStore& indices = module_.indices();
  auto layout = elaborator_.index_layout_of(value, at);
  if (!layout) return std::nullopt;
  IndexAlgebra algebra = index_algebra(at);
  if (name == "coalesce") return value_of(indices, algebra.coalesce(*layout));
  if (name == "filter") return value_of(indices, algebra.filter(*layout));
  if (name == "filter_zeros") return value_of(indices, algebra.filter_zeros(*layout));
  const auto span = algebra.span(*layout);
  if (!span) return elaborator_.report(needs_numbers(span.problem(), at));
  if (name == "min") return value_of(indices, IndexTuple{span->min, {}});
  if (name == "max") return value_of(indices, IndexTuple{span->max, {}});
  return value_of(indices, IndexTuple{indices.add(indices.subtract(span->max, span->min), indices.constant(1)), {}});
}

std::optional<IndexTiler> SymbolicLayouts::tiler_of(const Value& value, SourceSpan at) {
  IndexTiler out;
  if (value.is<OpenExtent>()) return out;
  if (auto* tuple = value.get_if<TupleValue>(); tuple && !tuple->parts.empty()) {
    for (const Value& part : tuple->parts) {
      auto mode = tiler_of(part, at);
      if (!mode) return mode;
      out.modes.push_back(std::move(*mode));
    }
    return out;
  }
  out.layout = elaborator_.index_layout_of(value, at);
  return out.layout ? std::optional(std::move(out)) : std::nullopt;
}

Maybe SymbolicLayouts::compose(const std::vector<Value>& values, const std::vector<SourceSpan>& spans, SourceSpan at) {
  auto first = elaborator_.index_layout_of(values[0], spans[0]);
  auto second = first ? tiler_of(values[1], spans[1]) : std::nullopt;
  if (!second) return std::nullopt;
  return give(index_algebra(at).compose(*first, *second), at);
}

}  // namespace reckon::frontend
