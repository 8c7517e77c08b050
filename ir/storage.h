// Where the elements of a parameter or of a result lie in its buffer: the one rule that every evaluator follows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "ir/index_layout.h"
#include "layout/composed.h"

namespace reckon::ir {

class Module;

/// The element with these coordinates lies at stages(layout(coordinates)), counted in elements. The layout has as many
/// modes as the tensor has dimensions, each of a dimension's size.
struct Storage {
  IndexLayout layout;
  std::vector<layout::Stage> stages = {};  ///< as a composed layout's: swizzles, mostly
  SourceSpan span = {};                    ///< of the layout as written
};

/// The layout for these sizes, which has no offset below 0 and gives no two elements one place; otherwise E0406, which
/// names both by their coordinates. Nothing for a tensor without elements. E0313 where a size has no value.
///
/// Overlap is refused for parameters, too: a stride of 0 would say that elements are equal which the caller may give
/// different values. (`view` reads one element at several coordinates.)
Expected<std::optional<layout::AnyLayout>> stored_layout(const Module& module, const Storage& storage,
                                                         const std::map<SymbolId, std::int64_t>& dimensions);

/// The same tensor's storage with other leaves: sizes put in, or of another module.
template <class Change>
Storage with_leaves(const Storage& storage, Change&& change) {
  return {with_leaves(storage.layout, change), storage.stages, storage.span};
}

}  // namespace reckon::ir
