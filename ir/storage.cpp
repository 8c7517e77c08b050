#include "ir/storage.h"

#include <algorithm>

#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/dimension_value.h"
#include "ir/module.h"
#include "layout/collision.h"

namespace reckon::ir {
namespace {

/// `(1, 0)`: the coordinates of an index, one for each mode.
std::string coordinates_text(const layout::AnyLayout& layout, std::int64_t index) {
  const layout::IntTuple& shape = layout::shape(layout);
  if (shape.is_int()) return std::to_string(index);
  std::string out;
  for (const layout::IntTuple& mode : shape.elements()) {
    const std::int64_t extent = *layout::product(mode);
    out += (out.empty() ? "(" : ", ") + std::to_string(index % extent);
    index /= extent;
  }
  return out + ")";
}

}  // namespace

Expected<std::optional<layout::AnyLayout>> stored_layout(const Module& module, const Storage& storage,
                                                         const std::map<SymbolId, std::int64_t>& dimensions) {
  const IndexEnvironment environment{dimensions, {}};
  bool known = true;
  auto tuple = [&](auto&& self, const IndexTuple& of) -> layout::IntTuple {
    if (of.is_leaf()) {
      const auto value = module.indices().evaluate(of.leaf, environment);
      known = known && value;
      return value.value_or(1);
    }
    std::vector<layout::IntTuple> elements;
    for (const IndexTuple& element : of.elements) elements.push_back(self(self, element));
    return elements;
  };
  const layout::IntTuple shape = tuple(tuple, storage.layout.shape), stride = tuple(tuple, storage.layout.stride);
  if (!known) return Diagnostic(code::dimension_value, storage.span, "this layout has no usable value");
  const std::vector<std::int64_t> extents = shape.leaves();
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return std::optional<layout::AnyLayout>();

  const auto refused = [&](const layout::Problem& problem) {
    Diagnostic out(code::bad_layout, storage.span, problem.message);
    if (!problem.hint.empty()) out.helps.push_back(problem.hint);
    return out;
  };
  const auto inner = layout::Layout::make(shape, stride);
  if (!inner) return refused(inner.problem());
  layout::AnyLayout made = *inner;
  if (!storage.stages.empty()) made = layout::Composed(storage.stages, *inner);
  const std::string text = "`" + layout::text(made) + "`";
  const auto range = layout::range(made);
  if (!range) return refused(range.problem());
  if (range->min < 0) {
    return Diagnostic(code::bad_layout, storage.span,
                      text + " puts an element at " + std::to_string(range->min) + ": a buffer begins at 0");
  }
  const auto met = layout::collision(made);
  if (!met) return refused(met.problem());
  if (*met) {
    return Diagnostic(code::bad_layout, storage.span,
                      text + " puts elements " + coordinates_text(made, (*met)->first) + " and " +
                          coordinates_text(made, (*met)->second) + " in one place, " + std::to_string((*met)->offset))
        .help("each element needs a place of its own; `view` reads one element at several coordinates");
  }
  return std::optional(std::move(made));
}

}  // namespace reckon::ir
