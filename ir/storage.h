// How the elements of a parameter or of a result are stored in its buffer. All evaluators follow this one rule.
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

/// The layout for these sizes; nothing for a tensor without elements. The layout has no offset below 0 and no two
/// elements at one offset; otherwise the result is E0406, which names both elements by their coordinates. E0313 if a
/// size has no value.
///
/// Overlap is an error for parameters as well: with a stride of 0, elements to which the caller gives different values
/// would share memory. (`view` reads one element at several coordinates.)
Expected<std::optional<layout::AnyLayout>> stored_layout(const Module& module, const Storage& storage,
                                                         const std::map<SymbolId, std::int64_t>& dimensions);

/// The storage with every leaf of its layout changed, for example to replace dimensions by sizes or to move it to
/// another module.
template <class Change>
Storage with_leaves(const Storage& storage, Change&& change) {
  return {with_leaves(storage.layout, change), storage.stages, storage.span};
}

}  // namespace reckon::ir
