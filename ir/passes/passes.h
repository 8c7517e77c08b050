// The passes over a circuit, and running them.
//
// Every pass keeps the circuit's meaning to the bit under each semantics that has the laws it is given: NaNs count as
// one value, the sign of zero counts. A pass is one file of this folder.
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
  std::string_view name;  ///< as `--dump-after=` and `--disable=` know it
  Function (*run)(Module& module, const Function& function, Laws laws);
  std::string_view description;
};

/// All passes in the order in which they run.
const std::vector<Pass>& pipeline();

/// Calls of builtin circuits become what is called. No pass of the pipeline: whoever has no rules for calls, or looks into a
/// circuit, inlines them first (driver::settled_calls).
Function inline_calls(Module& module, const Function& function);
/// Reads elements of tensors that only re-index another one (`view`, a transposition) where they are. Subscripts have
/// been checked before (check_bounds): afterwards, one that left the view's range may lie in the other tensor's.
Function inline_views(Module& module, const Function& function, Laws laws);
/// Rewrites by the rules of folding_rules.h: operations of literals, and operations that do nothing.
Function fold_constants(Module& module, const Function& function, Laws laws);
/// Shares values that are equal up to the order of the operands of commutative operations. (Equal values are one node
/// by construction.)
Function share_subexpressions(Module& module, const Function& function, Laws laws);
/// Drops components of tuple-valued reductions and scans that nothing needs. (What no result depends on at all is not
/// reachable by construction, and is left behind by `compact`.)
Function drop_dead_code(Module& module, const Function& function, Laws laws);

/// Tightens enclosures where a value meets itself: a product in which each factor occurs an even number of times is cut
/// off at 0, factors that occur twice lend no sign to a product (x * y * x), and x - x is 0. No pass of the pipeline,
/// which changes no bit: the interpreter and the code generator both do it, so that their ends are the same. Nothing
/// without Law::uses_agree. Subscripts have been checked before, as for inline_views.
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
