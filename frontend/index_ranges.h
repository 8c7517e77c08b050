// What is known of the indices of the binders around an expression: their ranges.
#pragma once

#include <optional>

#include "frontend/elaborator.h"

namespace reckon::frontend {

/// The subscript of a dimension, or of a mode of a layout, as an integer; reports one that is none.
std::optional<ir::IndexId> subscript_of(Elaborator& elaborator, const Value& value, SourceSpan at);

/// Subscripts of an element that are data: each has an index variable in the element, and its value.
class DataSubscripts {
 public:
  explicit DataSubscripts(Elaborator& elaborator) : elaborator_(elaborator) {}

  /// The subscript of a dimension, an index or an integer of data; reports one that is neither.
  std::optional<ir::IndexId> subscript_of(const Value& value, ir::IndexId extent, SourceSpan at);
  /// The element with the values in place of the variables.
  ir::NodeId put_into(ir::NodeId element) const;

 private:
  struct Subscript {
    ir::VariableId variable;
    ir::IndexId extent;
    ir::NodeId value;
  };
  Elaborator& elaborator_;
  std::vector<Subscript> all_;
};

/// The subscript of a dimension, or of a mode of a layout: an index that stands alone takes its range from the extent.
void note_range(Elaborator& elaborator, ir::IndexId subscript, ir::IndexId extent, const Expr& written);
/// Whether an index of the program stays below the extent; reports one that may not. It is asked where nothing checks
/// the index later (unlike the subscript of an element).
bool stays_below(Elaborator& elaborator, ir::IndexId index, ir::IndexId extent, const Expr& written);

}  // namespace reckon::frontend
