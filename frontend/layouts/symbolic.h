// Layouts inside of a circuit whose sizes need not be known numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborator.h"
#include "ir/index_algebra.h"

namespace reckon::frontend {

/// A tuple of integers; known ones become numbers.
Value value_of(const ir::IndexStore& indices, const ir::IndexTuple& tuple);
/// A layout; one of known numbers becomes a plain layout.
Value value_of(const ir::IndexStore& indices, const ir::IndexLayout& layout);

/// Whether one of the values is, or has among its parts, a size, an index or a layout of such.
bool any_symbolic(const std::vector<Value>& values);

/// The layout algebra's functions on layouts with unknown sizes. Conditions become requirements of the circuit, which
/// are checked when sizes are given.
class SymbolicLayouts {
 public:
  explicit SymbolicLayouts(Elaborator& elaborator) : elaborator_(elaborator), module_(elaborator.module) {}

  Maybe call(const std::string& name, const std::vector<Value>& values, const std::vector<SourceSpan>& spans,
             SourceSpan at);

 private:
  // Whole layouts (symbolic.cpp)
  ir::IndexAlgebra index_algebra(SourceSpan at);
  Maybe give(const layout::Result<ir::IndexLayout>& result, SourceSpan at);
  Maybe measure(const std::string& name, const Value& value, SourceSpan at);
  std::optional<ir::IndexTiler> tiler_of(const Value& value, SourceSpan at);
  Maybe compose(const std::vector<Value>& values, const std::vector<SourceSpan>& spans, SourceSpan at);

  // Rearranged, divided, and their parts (symbolic_parts.cpp)
  /// The result of a function that depends only on how layouts are nested, not on their numbers; nothing for other
  /// functions.
  std::optional<Maybe> rearrange(const std::string& name, const std::vector<Value>& values,
                                 const std::vector<SourceSpan>& spans, SourceSpan at);
  std::optional<ir::IndexLayout> divided(const std::string& name, const Value& value, const ir::IndexTiler& tiler,
                                         SourceSpan value_at, SourceSpan at);
  Maybe divide(const std::string& name, const std::vector<Value>& values, const std::vector<SourceSpan>& spans,
               SourceSpan at);
  Maybe slice(const Value& coordinate, const Value& value, SourceSpan value_at, SourceSpan at);
  Maybe local_tile(const std::vector<Value>& values, const std::vector<SourceSpan>& spans, SourceSpan at);
  Maybe local_partition(const std::vector<Value>& values, const std::vector<SourceSpan>& spans, SourceSpan at);

  Elaborator& elaborator_;
  ir::Module& module_;
};

}  // namespace reckon::frontend
