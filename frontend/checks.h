// Checks: what is compared, within what, and for which sizes and inputs.
#pragma once

#include <optional>
#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

bool elaborate_check(Elaborator& elaborator, const Context& context, const Item& item, ElaboratedItem& out);

/// `check (a, b):(1, a) == (a * b):1 for a: {2, 3}, b: 1..4`: a static check for each combination of the values.
/// Nothing if the names are no static ones. elaborate_cases.cpp.
std::optional<bool> elaborate_cases(Elaborator& elaborator, const Context& context, const Item& item,
                                    ElaboratedItem& out);
/// `check (a, b):(1, a) == (a * b):1 for a > 0, b > 0`: a static check for all positive integers. Nothing if no name is
/// one of such a check. elaborate_all_sizes.cpp.
std::optional<bool> elaborate_all_sizes(Elaborator& elaborator, const Context& context, const Item& item,
                                        ElaboratedItem& out);
/// `check bound(S, n) <= (n - 1) * u for all n`: a claim about error bounds for all positive integers that the names are.
/// Nothing if it is none. elaborate_bound_claim.cpp.
std::optional<bool> elaborate_bound_claim(Elaborator& elaborator, const Context& context, const Item& item,
                                          const std::vector<std::string>& names, ElaboratedItem& out);
// Of a check that is made for several values of names; `given`: the present ones, `a = 2`. elaborate_cases.cpp.
/// Says in the diagnostics from the `reported`-th on which values they are for.
void note_case(Elaborator& elaborator, std::size_t reported, const std::vector<std::string>& given);
/// Keeps the values for which the check fails, and what its sides are then.
void keep_failing_case(const ElaboratedItem& found, const std::vector<std::string>& given, ElaboratedItem& out);

/// The name of `for a > 0`. elaborate_clauses.cpp.
std::optional<std::string> positive_name(const Program& tree, const ForClause& clause);
// elaborate_clauses.cpp: whether the expression has the name, and whether a call in it has the name as an argument.
bool mentions(const Program& tree, ExprId root, const std::string& name);
bool is_given_to_call(const Program& tree, ExprId root, const std::string& name);
/// The same, of a circuit. What the call's name stands for may be an error, which is reported.
bool is_given_to_circuit(Elaborator& elaborator, const Context& context, ExprId root, const std::string& name);

/// Binds the names of ranges and sign conditions, `for x: -1..1`, which become parameters of the check's sides
/// (elaborate_clauses.cpp).
bool bind_ranges(Elaborator& elaborator, const Context& context, const Item& item, Scope& scope,
                 std::vector<ir::Parameter>& parameters, std::vector<ir::SymbolId>& dimensions);
/// The circuit that a side names, or that its expression is; numbers without a format get `scalar`.
/// elaborate_check.cpp.
std::optional<ir::Function> checked_circuit(Elaborator& elaborator, const Value& value, SourceSpan at,
                                            std::optional<ir::Scalar> scalar = std::nullopt);
/// `show bound(f) for x: -1..1`: nothing if the item has no `for`; else whether there was no mistake.
/// elaborate_worst.cpp.
std::optional<bool> elaborate_worst(Elaborator& elaborator, const Context& context, const Item& item,
                                    ElaboratedItem& out);
/// Needs the sides' circuits. elaborate_clauses.cpp.
bool elaborate_clauses(Elaborator& elaborator, const Context& context, const Item& item, ElaboratedItem& out);
/// A function of a shared library as the right side. Needs `out.left`. elaborate_library.cpp.
bool library_side(Elaborator& elaborator, const LibraryValue& value, const Item& item, SourceSpan at,
                  ElaboratedItem& out);

}  // namespace reckon::frontend
