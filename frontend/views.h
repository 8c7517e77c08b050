// Where layouts meet circuits: `view(a, L)`, nested subscripts, and how parameters and results are stored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

Maybe call_view(Elaborator& elaborator, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
                SourceSpan at);
Maybe view_element(Elaborator& elaborator, const View& view, const std::vector<Value>& subscripts,
                   const std::vector<const Expr*>& written, const Context& context, const Expr& at);
/// Adds the leaves of a mode's coordinate. `proves`: its range must be proved here, since nothing checks it later.
bool nested_coordinate(Elaborator& elaborator, const Context& context, const Value& coordinate, const Expr& written,
                       const ir::IndexTuple& shape, bool proves, std::vector<ir::IndexId>& leaves);
/// How the scalars and tensors of a type are stored, tuples flattened. `what` is a parameter, or a result.
bool storages_of(Elaborator& elaborator, const Context& context, const TypeExpr& written, ir::TypeId type,
                 const std::string& what, std::vector<std::optional<ir::Storage>>& out);

}  // namespace reckon::frontend
