// Layouts inside of a circuit whose sizes are not known numbers: operations that need no numbers (ir/index_algebra.h).
#include "frontend/layouts/symbolic.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/static_needed.h"
#include "frontend/layouts/functions.h"
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

bool Elaborator::any_symbolic(const std::vector<Value>& values) {
  return std::any_of(values.begin(), values.end(), is_symbolic);
}

Maybe Elaborator::call_symbolic_layout_function(const std::string& name, const std::vector<Value>& values,
                                                const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::IndexStore& indices = module.indices();
  if (values.size() == 1 && (name == "row_major" || name == "column_major")) {
    auto shape = index_tuple_of(values[0], spans[0]);
    if (!shape) return std::nullopt;
    const IndexId one = indices.constant(1);
    if (name == "column_major") return Value{IndexLayout{*shape, ir::compact_strides(indices, *shape, one)}};
    return Value{IndexLayout{*shape, reversed(ir::compact_strides(indices, reversed(*shape), one))}};
  }
  if (values.size() == 1 && (name == "size" || name == "shape" || name == "stride" || name == "rank")) {
    auto layout = index_layout_of(values[0], spans[0]);
    if (!layout) return std::nullopt;
    if (name == "rank") return Value{mpq_class(static_cast<unsigned long>(layout->rank()))};
    if (name == "shape") return value_of(indices, layout->shape);
    if (name == "stride") return value_of(indices, layout->stride);
    return value_of(indices, IndexTuple{ir::size_of(indices, layout->shape), {}});
  }
  if (auto rearranged = rearrange_symbolic(name, values, spans, at)) return *rearranged;
  for (const char* of_one : {"coalesce", "filter", "filter_zeros", "cosize", "extent", "min", "max"}) {
    if (values.size() == 1 && name == of_one) return measure_symbolic(name, values[0], spans[0]);
  }
  if (values.size() == 2 && name == "compose") return compose_symbolic(values, spans, at);
  if (values.size() == 2 && name == "slice") return slice_symbolic(values[0], values[1], spans[1], at);
  if (layout::division_named(name) && values.size() == 2) return divide_symbolic(name, values, spans, at);
  if (takes_indices(name, values)) return part_at_indices(name, values, spans, at);
  if (values.size() == 3 && name == "local_tile") return local_tile_symbolic(values, spans, at);
  if (values.size() == 3 && name == "local_partition") return local_partition_symbolic(values, spans, at);
  return report(
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

/// Conditions become requirements of the circuit, which are checked when sizes are given.
IndexAlgebra Elaborator::index_algebra(SourceSpan at) {
  return IndexAlgebra(module, [this, at](IndexId left, IndexId right, const std::string& message) {
    return equal_extents(left, right, Diagnostic(code::bad_layout, at, message));
  });
}

/// A problem that comes from a condition has been reported before.
Maybe Elaborator::give_symbolic(const layout::Result<IndexLayout>& result, SourceSpan at) {
  if (result) return value_of(module.indices(), *result);
  if (result.problem().message.empty()) return std::nullopt;
  return report(needs_numbers(result.problem(), at));
}

Maybe Elaborator::measure_symbolic(const std::string& name, const Value& value, SourceSpan at) {
  ir::IndexStore& indices = module.indices();
  auto layout = index_layout_of(value, at);
  if (!layout) return std::nullopt;
  IndexAlgebra algebra = index_algebra(at);
  if (name == "coalesce") return value_of(indices, algebra.coalesce(*layout));
  if (name == "filter") return value_of(indices, algebra.filter(*layout));
  if (name == "filter_zeros") return value_of(indices, algebra.filter_zeros(*layout));
  const auto span = algebra.span(*layout);
  if (!span) return report(needs_numbers(span.problem(), at));
  if (name == "min") return value_of(indices, IndexTuple{span->min, {}});
  if (name == "max") return value_of(indices, IndexTuple{span->max, {}});
  return value_of(indices, IndexTuple{indices.add(indices.subtract(span->max, span->min), indices.constant(1)), {}});
}

std::optional<IndexTiler> Elaborator::index_tiler_of(const Value& value, SourceSpan at) {
  IndexTiler out;
  if (value.is<OpenExtent>()) return out;
  if (auto* tuple = value.get_if<TupleValue>(); tuple && !tuple->parts.empty()) {
    for (const Value& part : tuple->parts) {
      auto mode = index_tiler_of(part, at);
      if (!mode) return mode;
      out.modes.push_back(std::move(*mode));
    }
    return out;
  }
  out.layout = index_layout_of(value, at);
  return out.layout ? std::optional(std::move(out)) : std::nullopt;
}

Maybe Elaborator::compose_symbolic(const std::vector<Value>& values, const std::vector<SourceSpan>& spans,
                                   SourceSpan at) {
  auto first = index_layout_of(values[0], spans[0]);
  auto second = first ? index_tiler_of(values[1], spans[1]) : std::nullopt;
  if (!second) return std::nullopt;
  return give_symbolic(index_algebra(at).compose(*first, *second), at);
}

}  // namespace reckon::frontend
