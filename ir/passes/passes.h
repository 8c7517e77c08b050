// The passes over a circuit, and running them.
//
// Under each semantics that has the given laws, a pass keeps every bit of the circuit's results. All NaNs count as one
// value, and the sign of zero matters. Each pass is one file of this folder.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/laws.h"
#include "ir/module.h"

namespace reckon::ir {

struct Pass {
  std::string_view name;  ///< as `--dump-after=` and `--without=` know it
  Function (*run)(Module& module, const Function& function, Laws laws);
  std::string_view description;
};

/// All passes in the order in which they run.
const std::vector<Pass>& pipeline();

/// What a call of a circuit that approximates an operation becomes: its body, or that operation of the arguments.
enum class Approximations { bodies, operations };
/// Calls become what is called. No pass of the pipeline: whoever has no rules for calls, or looks into a circuit,
/// inlines them first (driver::settled_calls).
Function inline_calls(Module& module, const Function& function, Approximations approximations = Approximations::bodies);
/// Replaces an element of a tensor that only re-indexes another one (a `view`, a transposition) by the element of the
/// other tensor. Subscripts must have been checked before (check_bounds): after this pass, a subscript outside of the
/// view's range may be inside of the other tensor's.
Function inline_views(Module& module, const Function& function, Laws laws);
/// Applies the rules of folding_rules.h, which evaluate operations of literals and remove operations that change
/// nothing.
Function fold_constants(Module& module, const Function& function, Laws laws);
/// Shares values that are equal up to the order of the operands of commutative operations. (Equal values are one node
/// by construction.)
Function share_subexpressions(Module& module, const Function& function, Laws laws);
/// Removes components of tuple-valued reductions and scans that nothing uses. (A node that no result depends on is
/// unreachable by construction, and `compact` does not copy it.)
Function drop_dead_code(Module& module, const Function& function, Laws laws);

/// Tightens enclosures where an expression uses one value several times: a product in which each factor occurs an even
/// number of times is at least 0, factors that occur twice do not affect the sign of a product (x * y * x), and x - x
/// is 0. This is not a pass of the pipeline, whose passes change no bit: driver::for_evaluator and driver::for_code
/// both call it, before sizes are put in, so that their endpoints are the same. Without Law::uses_agree it does
/// nothing. Subscripts must have been checked before, as for inline_views.
Function relate_uses(Module& module, const Function& function, Laws laws);

struct PassOptions {
  std::set<std::string, std::less<>> disabled;                                ///< names of passes
  std::function<void(std::string_view pass, const Function& function)> dump;  ///< after each, if given
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;  ///< before the first pass and after each
#endif
};

/// The function after all passes; E0711 with the pass's name in a note if the verifier rejects what one made.
Expected<Function> run_passes(Module& module, Function function, Laws laws, const PassOptions& options = {});

/// Names of `options.disabled` that no pass has, for diagnostics.
std::vector<std::string> unknown_passes(const PassOptions& options);

}  // namespace reckon::ir
