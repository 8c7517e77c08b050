// The rules that every circuit obeys. The front end and the passes make only circuits that obey them. A diagnostic of
// the verifier therefore means a bug there, or a mistake in a text that was read as IR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// Every broken rule, as E0711 at the source places of its nodes. The rules are:
///   operand counts and types are those of ops.def and of the table in module.h; variables are bound, and used as what
///   they are bound as; there are no temporary variables; the extents of a binder do not use its own variables; binders
///   are numbered canonically (ids.h); stages and schedules occur only where they are allowed, and references are
///   defined; dimensions and parameters are those of the function; the result has the function's result type.
std::vector<Diagnostic> verify(const Module& module, const Function& function);

/// Why a scalar operation does not take operands of these types (result: what `convert` makes), if it does not.
std::optional<std::string> operand_problem(const Module& module, Op op, const std::vector<TypeId>& operands,
                                           TypeId result);

}  // namespace reckon::ir
