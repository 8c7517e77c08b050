// Checks: what is compared, within what, and for which sizes and inputs.
#pragma once

#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

bool elaborate_check(Elaborator& elaborator, const Context& context, const Item& item, ElaboratedItem& out);

/// Binds the names of ranges and sign conditions, `for x: -1..1`, which become parameters of the check's sides
/// (elaborate_clauses.cpp).
bool bind_ranges(Elaborator& elaborator, const Context& context, const Item& item, Scope& scope,
                 std::vector<ir::Parameter>& parameters, std::vector<ir::SymbolId>& dimensions);
/// Needs the sides' circuits. elaborate_clauses.cpp.
bool elaborate_clauses(Elaborator& elaborator, const Context& context, const Item& item, ElaboratedItem& out);
/// A function of a shared library as the right side. Needs `out.left`. elaborate_library.cpp.
bool library_side(Elaborator& elaborator, const LibraryValue& value, const Item& item, SourceSpan at,
                  ElaboratedItem& out);

}  // namespace reckon::frontend
