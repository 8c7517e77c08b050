#include "check/algebra.h"

#include <fmt/format.h>

#include "check/proof.h"

namespace reckon::check {

namespace {

using frontend::ElaboratedItem;

constexpr std::int64_t confirmations = 20;
/// Differences that are real show early; equal reals that are no rationals would be refined to the limit, so it is low.
constexpr const char* confirmation_precision = "bits(256)";

Expected<Outcome> run_in(const char* name, const std::vector<interp::SemanticsArgument>& arguments, ir::Module& module,
                         const ElaboratedItem& item, const interp::EvaluateOptions& options) {
  auto semantics = interp::make_semantics(name, arguments, item.span);
  if (!semantics) return semantics.error();
  return run(module, item, **semantics, options);
}

/// What FPSan alone would have said.
void add_fpsan(Outcome& outcome, ir::Module& module, const ElaboratedItem& item, const interp::EvaluateOptions& options) {
  ElaboratedItem few = item;
  if (!few.trials) few.trials = 3;
  for (auto& range : few.ranges) range.sign = 0;
  auto fpsan = run_in("fpsan", {}, module, few, options);
  if (!fpsan) return;
  outcome.evidence.push_back({"fpsan", fpsan->verdict == Verdict::holds ? "agrees" : "differs"});
  if (fpsan->verdict == Verdict::fails) {
    outcome.notes.push_back("FPSan alone sees a difference: it does not know what constants, quotients and roots are worth");
  }
}

/// The ring's difference, looked for on real inputs.
Outcome confirmed(Outcome suspected, ir::Module& module, const ElaboratedItem& item,
                  const interp::EvaluateOptions& options) {
  ElaboratedItem real = item;
  real.trials = confirmations;
  // The sizes at which the ring saw it, and no others.
  if (suspected.counterexample && !suspected.counterexample->dimensions.empty() && item.left) {
    real.sizes.clear();
    for (const ir::SymbolId symbol : item.left->dimensions) {
      for (const auto& [name, value] : suspected.counterexample->dimensions) {
        if (module.name(symbol) == name) real.sizes.push_back({symbol, {value}});
      }
    }
  }
  auto exact = run_in("exact", {{confirmation_precision}}, module, real, options);
  if (exact && exact->verdict == Verdict::fails) {
    exact->notes.push_back("`padic` saw a difference, and these real inputs confirm it");
    return std::move(*exact);
  }
  suspected.verdict = Verdict::undecided;
  suspected.notes.push_back(
      exact ? fmt::format("`padic` sees a difference that {} random real inputs did not confirm under `exact`", confirmations)
            : "`padic` sees a difference, which `exact` could not be asked about: " + exact.error().message);
  return suspected;
}

}  // namespace

Expected<Outcome> run_algebra(ir::Module& module, const ElaboratedItem& item, const interp::EvaluateOptions& options) {
  if (item.relation != frontend::Item::Relation::equal) {
    return Diagnostic(Code::check_failed_to_run, item.span, "`in algebra` asks whether two circuits are equal")
        .help("compare with `==`; distances are questions for `float`, `exact` and `interval`");
  }
  auto outcome = run_in("padic", {}, module, item, options);
  if (!outcome) return outcome;
  if (outcome->verdict == Verdict::holds) strengthen(module, item, *outcome);
  if (outcome->verdict == Verdict::fails) *outcome = confirmed(std::move(*outcome), module, item, options);
  if (outcome->verdict == Verdict::holds) add_fpsan(*outcome, module, item, options);
  outcome->semantics = "algebra";
  return outcome;
}

}  // namespace reckon::check
