// Prepares circuits for evaluators and code generators: calls are inlined, dimensions are replaced by sizes, sets of
// orders are resolved, numbers that meet a format become literals, everything that depends on sizes is checked, and
// passes run.
//
//   settled_calls  circuit -> circuit without calls of builtin circuits, unless they have rules of their own
//   at_shapes      circuit, shapes of its arguments -> circuit of these sizes
//   prepared       circuit, sizes -> circuit with settled calls and orders, checked
//   for_evaluator  settled_calls, at_shapes, prepared, and the uses of one value related
//   for_code       prepared, the uses of one value related, and all passes
//
// The uses of one value are related as the circuit is written, before its sizes are put in: with sizes, two subscripts
// may be the same number (n - 1 and min(2 n, n - 1)), which code for every size cannot know. So the interpreter, code
// for certain sizes and code for every size have the same endpoints.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/traits.h"
#include "ir/bind.h"
#include "ir/passes/passes.h"

namespace reckon::driver {

/// The circuit with its calls of builtin circuits replaced by what they call, unless the semantics has rules for calls.
ir::Function settled_calls(ir::Module& module, const ir::Function& function, const Traits& traits);

/// One entry for each parameter; a scalar's is empty.
using Shapes = std::vector<std::vector<std::int64_t>>;

/// The circuit for arguments of these shapes; `given` dimensions come first. It has no dimensions left. Errors are
/// those of ir::bind_dimensions.
Expected<ir::Function> at_shapes(ir::Module& module, const ir::Function& function, const Shapes& shapes,
                                 const ir::Dimensions& given = {});

/// The circuit with the given dimensions replaced, and with its calls and its sets of orders resolved by the traits. If
/// it has no dimensions left, everything that depends on the given sizes is checked, and the first problem is the error
/// (ir::size_problem, ir::check_bounds).
Expected<ir::Function> prepared(ir::Module& module, const ir::Function& function, const ir::Dimensions& given,
                                const Traits& traits);

/// The circuit that the evaluator takes, for arguments of these shapes. It has no dimensions left.
Expected<ir::Function> for_evaluator(ir::Module& module, const ir::Function& function, const Shapes& shapes,
                                     const ir::Dimensions& given, const Traits& traits);

/// The circuit that code generators take, with the given dimensions replaced; others may be left.
Expected<ir::Function> for_code(ir::Module& module, const ir::Function& function, const ir::Dimensions& given,
                                const Traits& traits, const ir::PassOptions& options = {});

}  // namespace reckon::driver
