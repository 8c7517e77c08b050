#include "check/algebra.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>

#include "check/branches.h"
#include "check/conditions.h"
#include "check/domain.h"
#include "check/inputs.h"
#include "check/proof.h"
#include "check/rational_points.h"
#include "check/shrink.h"
#include "check/sizes.h"
#include "diagnostics/codes/check_failed_to_run.h"
#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/too_large.h"
#include "diagnostics/codes/undefined_result.h"
#include "ir/visit.h"
#include "semantics/standard.h"

namespace reckon::check {

namespace {

using frontend::ElaboratedItem;

/// The number of random real inputs that are tried to confirm a difference.
constexpr std::int64_t confirmations = 24;
/// If the ring agrees, real points are tried at each of so many small sizes. There are more points if an order decides,
/// since a rare condition hides what follows it.
constexpr std::size_t sizes_of_agreement = 6;
constexpr std::int64_t points_without_ring = 3;
/// The number of small sizes at which the circuits are compared with the branches taken that no input entered.
constexpr std::size_t sizes_of_taken = 3;
constexpr std::int64_t max_index_values = 256;
std::int64_t points_of_agreement(std::int64_t index_values, bool ordered) {
  return std::clamp<std::int64_t>((ordered ? 1600 : 400) / index_values, 12, ordered ? 400 : 96);
}
constexpr std::size_t max_rational = 128;
/// For each real point, floats screen so many more points.
constexpr std::int64_t floats_for_each = 4;
constexpr double seconds_after_proof = 1;
/// Real differences show early. Equal irrational reals would be refined up to this limit, so it is low.
constexpr std::int64_t confirmation_precision = 256;  // bits

/// The index values of the largest sizes that the clauses give; a dimension without elements counts as 1.
std::int64_t index_values_of(const std::vector<frontend::SizeClause>& clauses) {
  ir::Dimensions largest;
  for (const auto& clause : clauses) {
    if (!clause.values.empty()) largest[clause.dimension] = std::max<std::int64_t>(1, std::ranges::max(clause.values));
  }
  return index_values(largest);
}

/// Adds what `fpsan` alone would have said.
void add_fpsan(Outcome& outcome, ir::Module& module, const ElaboratedItem& item, const Options& options) {
  ElaboratedItem few = item;
  if (!few.trials) few.trials = 3;
  for (auto& range : few.ranges) range.sign = 0;
  const auto sanitizer = interp::sanitizer();
  auto fpsan = run(module, few, *sanitizer, options);
  if (!fpsan) return;
  outcome.evidence.push_back(
      {std::string(sanitizer->name()), std::string(fpsan->verdict == Verdict::holds ? "agrees" : "differs"), ""});
  if (fpsan->verdict == Verdict::fails) {
    outcome.remarks.push_back("FPSan alone sees a difference: it does not know what constants, quotients and roots are worth");
  }
}

/// Adds to the outcome where the two sides have values, beside what was established where both have one.
void add_domains(Outcome& outcome, const Domains& domains, const ElaboratedItem& item) {
  const auto note = [&](const std::optional<Domains::Hole>& hole, const char* side) {
    if (!hole) return;
    outcome.notes.push_back(fmt::format("the {} side has no value at {}: {}", side, hole->place(), hole->reason));
    outcome.evidence.push_back({fmt::format("no_value_{}", side), hole->place(), ""});
  };
  note(domains.left, "left");
  note(domains.right, "right");
  const bool hole = domains.left || domains.right;
  if (item.everywhere && hole) {
    outcome.verdict = Verdict::fails;
    const Domains::Hole& found = domains.left ? *domains.left : *domains.right;
    Counterexample witness;
    witness.dimensions = found.dimensions;
    witness.inputs = found.inputs;
    witness.left = domains.left ? interp::Rendering{"no value", {{"defined", "false"}}} : interp::Rendering{"a value", {{"defined", "true"}}};
    witness.right = domains.left ? interp::Rendering{"a value", {{"defined", "true"}}} : interp::Rendering{"no value", {{"defined", "false"}}};
    outcome.counterexample = std::move(witness);
    return;
  }
  if (!domains.total && domains.points > 0 && domains.both == 0) {
    outcome.verdict = Verdict::undecided;
    outcome.notes.push_back(fmt::format("of {} inputs, none was found for which both sides are defined: there was nothing to compare",
                                        domains.points));
    return;
  }
  // If no hole was found, that does not prove that there is none.
  if (item.everywhere && !domains.total) {
    if (outcome.strength == Strength::proved) outcome.notes.emplace_back("that the two sides are equal where both are defined is proved");
    outcome.strength = Strength::observed;
  }
  outcome.evidence.insert(outcome.evidence.begin(),
                          domains.total ? Fact{"domain", std::string("everywhere"), ""}
                          : hole        ? Fact{"domain", std::string("where both are defined"), "where both are defined"}
                                        : Fact{"domain", std::string("no hole found"),
                                               item.everywhere ? fmt::format("no input without a value among {}", domains.points) : ""});
}

/// The landmarks of two circuits: the numbers that they compare with or that a selection may turn on, the midpoints of
/// neighbouring landmarks, and one number beyond the largest.
std::vector<mpq_class> landmarks_of(const ir::Module& module, const ElaboratedItem& item) {
  std::vector<mpq_class> out{0};
  ir::visit_nodes(module, {item.left->body, item.right->body}, [&](ir::NodeId id) {
    if (module[id].op != ir::Op::literal || module.literal_of(id).kind != ir::Literal::Kind::rational) return;
    out.push_back(module.literal_of(id).value);
  });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  for (std::size_t k = out.size() - 1; k > 0; --k) out.push_back((out[k - 1] + out[k]) / 2);
  const mpq_class largest = std::ranges::max(out);
  if (largest > 0) out.push_back(largest * mpq_class(5, 4));
  return out;
}

/// How far from 0 the inputs near landmarks may lie: farther than all landmarks up to 1000.
mpq_class reach_of(const std::vector<mpq_class>& landmarks) {
  constexpr long usual = 64, largest = 1000;
  mpq_class out = usual;
  for (const mpq_class& landmark : landmarks) {
    if (abs(landmark) <= largest) out = std::max<mpq_class>(out, 2 * abs(landmark));
  }
  return out;
}

/// The check on one random real input. Inputs without a range are drawn from several ranges, because what happens only
/// to numbers above 6 does not show on those below 1. Every other input lies near the circuits' own constants, because
/// only between 2 and 3 `x < 3` differs from `x < 2`. A quarter of them are positive, where logarithms and roots have
/// values, and a quarter are negative.
ElaboratedItem at_point(const ir::Module& module, const ElaboratedItem& item, std::int64_t point,
                        const std::vector<mpq_class>& landmarks) {
  constexpr std::array<long, 4> scales{1, 8, 1, 64};
  const std::int64_t turn = point / 2;
  const bool near = point % 2 == 1 && landmarks.size() > 1;
  const int sign = std::array{0, 1, 0, -1}[static_cast<std::size_t>(turn / 4 % 4)];
  const mpq_class reach = near ? reach_of(landmarks) : mpq_class(0);
  const auto scale_of = [&](std::uint32_t parameter) -> mpq_class {
    return near ? reach : mpq_class(scales[static_cast<std::size_t>(turn + parameter * (turn / 4)) % scales.size()]);
  };
  ElaboratedItem out = item;
  out.trials = 1;
  out.where_both_defined = true;
  out.seed = item.seed.value_or(0) + point;
  for (auto& range : out.ranges) {
    if (range.sign != 0) range.low *= scale_of(range.parameter), range.high *= scale_of(range.parameter);
    if (near) range.landmarks = landmarks;
  }
  for (std::uint32_t k = 0; k < item.left->parameters.size(); ++k) {
    if (range_of(item, k) || (scale_of(k) == 1 && sign == 0)) continue;
    if (module.types()[item.left->parameters[k].type].scalar == ir::Scalar::boolean) continue;
    const std::vector<mpq_class> marks = near ? landmarks : std::vector<mpq_class>{};
    out.ranges.push_back({k, sign > 0 ? mpq_class(0) : mpq_class(-scale_of(k)), sign < 0 ? mpq_class(0) : scale_of(k), sign, marks});
  }
  return out;
}

/// The points at which floats tell the two sides far apart. Floats are cheap, so many more points are tried, and what
/// shows only under a rare condition is found. Cancellation may cause false alarms, so `exact` decides at each point.
std::vector<std::int64_t> suspicious_points(ir::Module& module, const ElaboratedItem& item, std::int64_t points,
                                            const std::vector<mpq_class>& landmarks,
                                            const Options& options) {
  constexpr std::size_t most = 12;
  std::vector<std::int64_t> out;
  const auto floats = interp::floats();
  for (std::int64_t point = 0; point < points && out.size() < most; ++point) {
    ElaboratedItem there = at_point(module, item, point, landmarks);
    there.relation = frontend::Item::Relation::near;
    there.tolerance = frontend::Tolerance::Kind::relative;
    there.low = mpq_class(1, 64);
    auto found = run(module, there, *floats, options);
    if (!found) break;
    const auto finite = [](const interp::Rendering& shown) {
      return shown.text.find("nan") == std::string::npos && shown.text.find("inf") == std::string::npos;
    };
    const auto& shown = found->counterexample;
    if (found->verdict == Verdict::fails && shown && finite(shown->left) && finite(shown->right)) out.push_back(point);
  }
  return out;
}

/// Whether a node is a comparison, a selection, a maximum or minimum, or a step function.
bool depends_on_order(const ir::Module& module, ir::NodeId id) {
  ir::Op op = module[id].op;
  if (op == ir::Op::reduce || op == ir::Op::scan) op = module.reduction_of(id).operation;
  return (ir::is_scalar_operation(op) && ir::traits(op).result == ir::ResultRule::truth) || op == ir::Op::select ||
         (op >= ir::Op::min && op <= ir::Op::round) || op == ir::Op::abs;
}
bool depends_on_order(const ir::Module& module, const ElaboratedItem& item) {
  return ir::find_node(module, {item.left->body, item.right->body},
                       [&](ir::NodeId id) { return depends_on_order(module, id); })
      .has_value();
}

struct OnReals {
  std::optional<Outcome> difference;  ///< with a witness
  std::int64_t points = 0;            ///< where both had a value
  std::optional<Diagnostic> error;    ///< of one where they had none
};
/// The number of random inputs for which the entered branches are recorded.
constexpr std::int64_t branch_points = 24;
/// At least so many float points at and beside the boundaries of conditions are tried.
constexpr std::int64_t min_beside_conditions = 48;

/// Tries up to `most` of the points at and around the circuits' conditions, which random inputs do not meet.
void look_at_conditions(OnReals& out, ir::Module& module, const ElaboratedItem& item, const ir::Dimensions& sizes,
                        std::int64_t most, const std::vector<mpq_class>& landmarks, interp::Semantics& exact,
                        const Options& options, Branches& branches) {
  interp::EvaluateOptions evaluate = options.evaluate;
  evaluate.interrupted = options.watch->stop();
  ElaboratedItem real = item;
  real.where_both_defined = true;
  const auto trial = Trial::make(module, real, exact, evaluate);
  if (!trial) return;
  std::vector<Drawn> points;
  const RationalPoints rational = rational_points(module, *item.left, *item.right, sizes, item.ranges, max_rational);
  for (const RationalPoint& point : rational.points) {
    Drawn inputs;
    inputs.shown = shown_inputs(module, *item.left, rational, point);
    // Floats are preferred, since they have simpler witnesses (shrink.h).
    if (auto floats = floats_of(module, *item.left, rational, point)) inputs.arguments.assign(floats->begin(), floats->end());
    else inputs.arguments = exact_arguments(module, *item.left, exact, rational, point);
    points.push_back(std::move(inputs));
  }
  const std::size_t beside = points.size() + static_cast<std::size_t>(std::max(most, min_beside_conditions));
  // The points of `rational` are in the list already.
  for (auto& point : condition_points(module, *item.left, *item.right, sizes, item.ranges, item.seed.value_or(0), {})) {
    if (points.size() == beside) break;
    points.push_back(trial->inputs().given(sizes, {point.begin(), point.end()}));
  }
  branches.open(module, item, sizes);
  for (std::int64_t point = 0; branches.any() && point < branch_points; ++point) {
    const ElaboratedItem there = at_point(module, item, point, landmarks);
    const auto drawing = Trial::make(module, there, exact, evaluate);
    const auto drawn = drawing ? drawing->inputs().draw(sizes, 0, 0) : drawing.error();
    if (drawn) branches.enter(module, item, drawn->arguments, evaluate, exact);
  }
  std::int64_t looked_at = 0;
  for (Drawn& inputs : points) {
    ++looked_at;
    if (branches.any()) branches.enter(module, item, inputs.arguments, evaluate, exact);
    try {
      auto found = trial->compare(sizes, std::move(inputs), false);
      if (!found) {
        out.error = found.error();
        if (out.error->code == code::interrupted) return;
        continue;
      }
      out.points += !found->no_value;
      if (found->truth != interp::Truth::no) continue;
      shrink(real, *trial, sizes, *found);
      out.difference = Outcome{.verdict = Verdict::fails, .strength = Strength::observed};
      out.difference->evidence = {{"trials", looked_at, counted(looked_at, "trial")}};
      out.difference->notes = std::move(found->notes);
      out.difference->counterexample = std::move(found->counterexample);
      return;
    } catch (const std::bad_alloc&) {  // as below
      out.error = Diagnostic(code::too_large, item.span, "a number takes more memory than there is");
    }
  }
}

/// Searches real inputs for a difference, and records in `branches` the branches that the inputs enter.
OnReals search_reals(ir::Module& module, const ElaboratedItem& item, std::int64_t points, std::int64_t screened,
                     const Options& options, Branches& branches) {
  OnReals out;
  const auto exact = interp::reals(confirmation_precision);
  const std::vector<mpq_class> landmarks = landmarks_of(module, item);
  // Returns false when there is nothing more to look for.
  const auto look = [&](std::int64_t point) {
    const ElaboratedItem there = at_point(module, item, point, landmarks);
    try {
      auto found = run(module, there, *exact, options);
      if (!found) {
        out.error = found.error();
        return out.error->code != code::interrupted;
      }
      if (std::ranges::find(found->evidence, "trials_without_value", &Fact::name) != found->evidence.end()) {
        out.error =
            Diagnostic(code::undefined_result, item.span, "no input was found for which both sides are defined");
        return true;
      }
      if (found->verdict == Verdict::fails) {
        out.difference = std::move(*found);
        return false;
      }
      // At a point where the time was over, the sides were perhaps not compared.
      if (options.watch->stopped()) return false;
      ++out.points;
      return true;
    } catch (const std::bad_alloc&) {  // a number too long for the memory is an error of this point alone
      out.error = Diagnostic(code::too_large, item.span, "a number takes more memory than there is");
      return true;
    }
  };
  const std::vector<std::int64_t> suspicious = suspicious_points(module, item, screened, landmarks, options);
  for (const std::int64_t point : suspicious) {
    if (!look(point)) return out;
  }
  for (const ir::Dimensions& sizes : choose_sizes(module, item)) {
    if (index_values(sizes) > max_index_values) continue;
    look_at_conditions(out, module, item, sizes, points, landmarks, *exact, options, branches);
    if (out.difference || (out.error && out.error->code == code::interrupted)) return out;
    break;
  }
  // Points where something is undefined cost little and show nothing, so up to three times as many points are tried.
  for (std::int64_t point = 0; point < 3 * points && out.points < points; ++point) {
    if (std::ranges::binary_search(suspicious, point)) continue;
    if (!look(point)) break;
  }
  return out;
}

/// The outcome for a difference in the ring: it is confirmed if some real inputs also show a difference.
Outcome confirmed(Outcome suspected, const Proof& proof, ir::Module& module, const ElaboratedItem& item,
                  const Options& options) {
  ElaboratedItem real = item;
  // Only the sizes at which the ring showed the difference are tried.
  if (suspected.counterexample && !suspected.counterexample->dimensions.empty()) {
    real.sizes.clear();
    for (const ir::SymbolId symbol : item.left->dimensions) {
      for (const auto& [name, value] : suspected.counterexample->dimensions) {
        if (module.name(symbol) == name) real.sizes.push_back({symbol, {value}});
      }
    }
  }
  const std::int64_t values = index_values_of(real.sizes);
  const bool screens = values <= max_index_values && depends_on_order(module, item);
  Branches branches;
  OnReals found = search_reals(module, real, item.trials ? *item.trials : confirmations,
                               screens ? points_of_agreement(values, true) : 0, options, branches);
  if (found.difference) {
    found.difference->notes.push_back("`padic` saw a difference, and these real inputs confirm it");
    return std::move(*found.difference);
  }
  // The order of the ring is not compatible with sums, so a statement that fails in the ring may be a theorem.
  Outcome proven = suspected;
  proven.verdict = Verdict::holds;
  if (strengthen(proof, item, proven)) {
    proven.counterexample.reset();
    proven.remarks.push_back("`padic` sees a difference, which is one of the ring: this is proved for all reals");
    return proven;
  }
  suspected.verdict = Verdict::undecided;
  // A person cannot try an element of a ring as an input.
  if (suspected.counterexample) {
    suspected.remarks.push_back(fmt::format("in the ring, the left side is {} and the right side is {}",
                                            suspected.counterexample->left.text, suspected.counterexample->right.text));
    suspected.counterexample.reset();
  }
  suspected.notes.push_back(
      found.points > 0
          ? fmt::format("the ring `padic` tells the two apart, and {} real inputs under `exact` do not; look where they may "
                        "differ, with a range (`for x: a..b`) or more `trials`",
                        found.points)
          : fmt::format("the ring `padic` tells the two apart, and `exact` could not be asked: {}",
                        found.error ? found.error->message : "the time was over"));
  return suspected;
}

ElaboratedItem at_sizes(const ElaboratedItem& item, const ir::Dimensions& sizes) {
  ElaboratedItem out = item;
  out.sizes.clear();
  for (const auto& [symbol, value] : sizes) out.sizes.push_back({symbol, {value}});
  return out;
}

/// Tries a few real inputs if the ring agrees without a proof or leaves the check open: the ring may see only one side
/// of a condition, or have no values.
void doubt(Outcome& agreed, ir::Module& module, const ElaboratedItem& item, const Options& options) {
  const bool ordered = depends_on_order(module, item);
  std::int64_t points = 0;
  Branches branches;
  // The sizes at which the ring had nothing to compare come first.
  for (const ir::Dimensions& sizes : agreed.undefined_at) {
    OnReals found = search_reals(module, at_sizes(item, sizes), points_without_ring, 0, options, branches);
    points += found.points;
    if (found.difference) {
      agreed = std::move(*found.difference);
      return;
    }
    if (!options.watch->stopped()) continue;
    agreed.verdict = Verdict::undecided;
    agreed.notes.push_back(fmt::format("at {}, nothing has a value in `padic`, and the time was over before real inputs "
                                       "could be compared",
                                       size_text(module, sizes)));
    break;
  }
  std::vector<ir::Dimensions> candidates = choose_sizes(module, item);
  // If the check names sizes and all of them are large, only the smallest is tried.
  const bool all_large = !candidates.empty() && index_values(candidates.front()) > max_index_values;
  if (all_large) candidates.resize(1);
  else std::erase_if(candidates, [](const ir::Dimensions& sizes) { return index_values(sizes) > max_index_values; });
  for (std::size_t k = 0; k < std::min(candidates.size(), sizes_of_agreement); ++k) {
    // The smallest sizes, and others up to the largest.
    const bool all = k < 3 || candidates.size() <= sizes_of_agreement;
    const std::size_t at = all ? k : k * (candidates.size() - 1) / (sizes_of_agreement - 1);
    const ir::Dimensions& sizes = candidates[at];
    const ElaboratedItem real = at_sizes(item, sizes);
    const std::int64_t few = all_large ? points_without_ring : points_of_agreement(index_values(sizes), ordered);
    OnReals found = search_reals(module, real, few, ordered ? floats_for_each * few : 0, options, branches);
    points += found.points;
    if (!found.difference) continue;
    if (agreed.verdict == Verdict::holds)
      found.difference->notes.push_back("`padic` agreed, and these real inputs tell the two apart");
    agreed = std::move(*found.difference);
    return;
  }
  agreed.evidence.push_back({"real_points", points, counted(points, "real point")});
  const bool says_so = std::ranges::find(agreed.evidence, "budget_seconds", &Fact::name) != agreed.evidence.end();
  if (options.watch->stopped() && !options.watch->interrupted() && !says_so) agreed.evidence.push_back(options.watch->ended());
  const auto taken = agreed.verdict == Verdict::holds ? branches.taken(module, item) : std::nullopt;
  if (!taken || proof_of_algebra(module, *taken)) return;
  for (const Branches::Missed& each : branches.missed()) agreed.branches_missed.emplace_back(each.place, each.side);
  Branches of_taken;
  for (std::size_t k = 0; k < std::min<std::size_t>(candidates.size(), sizes_of_taken); ++k) {
    const ElaboratedItem real = at_sizes(*taken, candidates[k]);
    if (search_reals(module, real, points_without_ring, 0, options, of_taken).difference)
      return Branches::doubt(agreed);
  }
}

}  // namespace

namespace {

/// An inequality: a ring has no order that sums follow, so that there is a proof, or there are real inputs.
Expected<Outcome> run_inequality(ir::Module& module, const ElaboratedItem& item, const Options& given) {
  const Proof proof = proof_of_inequality(module, item);
  Options options = given;
  options.brief = proof.has_value();
  if (proof) options.budget = std::min(options.budget, seconds_after_proof);
  const auto exact = interp::reals(confirmation_precision);
  auto outcome = run(module, item, *exact, options);
  if (!outcome) return outcome;
  // The trials have to agree with a proof; what they could not evaluate they do not refute.
  if (proof && outcome->verdict == Verdict::undecided) outcome->verdict = Verdict::holds;
  strengthen(proof, item, *outcome);
  if (options.explain) explain(module, item, *outcome);
  outcome->semantics = interp::algebra_question;
  return outcome;
}

}  // namespace

Expected<Outcome> run_algebra(ir::Module& module, const ElaboratedItem& asked, const Options& given) {
  // None of the semantics that are used here has rules for calls.
  const ElaboratedItem item = with_settled_calls(module, asked, {});
  const bool has_order = item.relation == frontend::Item::Relation::ordered && !item.everywhere && !item.library;
  if (has_order && (item.comparison == "<=" || item.comparison == ">=")) return run_inequality(module, item, given);
  if (item.relation != frontend::Item::Relation::equal) {
    return Diagnostic(code::check_failed_to_run, item.span, "`in algebra` asks whether two circuits are equal, or one is at most the other")
        .help("compare with `==`, `<=` or `>=`; distances are questions for `float`, `exact` and `interval`");
  }
  const Proof proof = proof_of_algebra(module, item);
  Options options = given;
  // What is proved needs no trials. They only look for inputs for which a side has no value.
  if (proof && !item.everywhere) options.budget = std::min(options.budget, seconds_after_proof);
  Watchdog watch(options);
  options.watch = &watch;
  options.brief = proof.has_value();
  auto outcome = run(module, item, *interp::algebraic_ring(), options);  // refuses a library's function, too
  options.brief = false;
  if (!outcome) {
    // If the ring has no values, a proof is enough without it, and real inputs may still show a difference.
    if (outcome.error().code != code::undefined_result) return outcome;
    const std::string why = outcome.error().message;
    outcome = Outcome{.verdict = proof ? Verdict::holds : Verdict::undecided, .strength = Strength::agreed};
    if (!proof) outcome->notes.push_back(why);
  }
  if (proof && outcome->verdict == Verdict::undecided) outcome->verdict = Verdict::holds;
  // What holds so far holds only at the sizes that were reached. A proof holds at all sizes.
  const bool ended = watch.stopped();
  if (ended && outcome->verdict == Verdict::undecided) outcome->verdict = Verdict::holds;
  if (outcome->verdict == Verdict::holds && !strengthen(proof, item, *outcome) && ended) outcome->verdict = Verdict::undecided;
  const bool found_in_ring = outcome->verdict == Verdict::fails;
  if (found_in_ring) *outcome = confirmed(std::move(*outcome), proof, module, item, options);
  const bool open = outcome->verdict == Verdict::undecided && !found_in_ring && !watch.stopped();
  if (open || (outcome->verdict == Verdict::holds && outcome->strength == Strength::agreed))
    doubt(*outcome, module, item, options);
  if (outcome->verdict == Verdict::holds) {
    add_domains(*outcome, search_domains(module, item, options, watch), item);
    add_fpsan(*outcome, module, item, options);
  }
  if (given.explain) explain(module, item, *outcome);
  outcome->semantics = interp::algebra_question;
  note_approximations(*outcome, module, asked, {});
  return outcome;
}

}  // namespace reckon::check
