// Carrying out a check: sizes, trials at each, and a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "check/branches.h"
#include "check/conditions.h"
#include "check/distance.h"
#include "check/domain.h"
#include "check/every_input.h"
#include "check/over_ranges.h"
#include "check/proof.h"
#include "check/sample.h"
#include "check/shrink.h"
#include "check/sizes.h"
#include "check/watchdog.h"
#include "check/workers.h"
#include "diagnostics/codes/assertion.h"
#include "diagnostics/codes/bad_stage_size.h"
#include "diagnostics/codes/check_failed_to_run.h"
#include "diagnostics/codes/check_signatures.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/quoted_tree_length.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "diagnostics/codes/undefined_result.h"
#include "ir/visit.h"
#include "numerics/decimal_upward.h"

namespace reckon::check {

using frontend::ElaboratedItem;
using interp::Truth;

std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view names[] = {"holds", "fails", "undecided"};
  return names[static_cast<int>(verdict)];
}
std::string_view strength_name(Strength strength) {
  constexpr std::string_view names[] = {"proved", "agreed", "observed"};
  return names[static_cast<int>(strength)];
}

std::string counted(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Outcome static_outcome(const ElaboratedItem& item) {
  Outcome out;
  out.verdict = *item.static_truth ? Verdict::holds : Verdict::fails;
  out.strength = Strength::proved;
  if (!*item.static_truth && !item.failing_case.empty()) out.evidence.push_back({"at", item.failing_case, ""});
  if (!*item.static_truth && !item.left_text.empty()) {
    out.evidence.push_back({"left", item.left_text, ""});
    out.evidence.push_back({"right", item.right_text, ""});
  }
  if (!item.all_sizes.empty()) {
    out.evidence.push_back({"for_all", item.all_sizes, "for all " + item.all_sizes});
  }
  if (!item.undecided.empty()) {
    out.verdict = Verdict::undecided;
    out.notes.push_back(item.undecided);
  }
  if (item.cases > 0) {
    const auto cases = static_cast<std::int64_t>(item.cases);
    out.evidence.push_back({"cases", cases, counted(cases, "case")});
  }
  return out;
}

Fact sizes_fact(const ir::Module& module, const std::vector<ir::Dimensions>& sizes) {
  std::vector<NamedSizes> named;
  for (const ir::Dimensions& each : sizes) {
    NamedSizes one;
    for (const auto& [symbol, value] : each) one.emplace_back(std::string(module.name(symbol)), value);
    named.push_back(std::move(one));
  }
  return {"sizes", std::move(named), sizes_text(module, sizes)};
}

namespace {

constexpr std::int64_t default_trials = 20;
/// For circuits without dimensions, whose evaluation costs little.
constexpr std::int64_t trials_without_sizes = 480;
/// The inputs of circuits of scalars that are tried at once.
constexpr std::int64_t many_inputs = 1 << 14;
/// A choice of large sizes has fewer trials, so that each choice takes about as long.
constexpr std::int64_t trials_by_index_values = 4096, fewest_trials = 4;
/// If a check names few sizes, each family of inputs has so many turns at each; the turns draw different inputs.
constexpr std::size_t few_sizes = 4;
constexpr std::int64_t rounds_of_few = 3;
/// Every choice of sizes has so many trials before any choice has more.
constexpr std::int64_t trials_at_first = 2;

/// Each of these trials of `within orders` carries out thousands of orders.
constexpr std::int64_t orders_trials = 2;
/// So many of the smallest sizes are tried at points at the circuits' conditions.
constexpr std::size_t condition_sizes = 4, condition_points_each = 288;
constexpr std::int64_t condition_index_values = 64;
/// So many of the smallest sizes are tried with the extreme numbers, which are often forgotten.
constexpr std::size_t special_sizes = 12;
/// At each of these sizes, so many drawn inputs are followed to see which branches of selections they enter.
constexpr std::int64_t branch_trials = 40;

/// In a ring without a proven bound, sizes of more index values than this have few trials.
constexpr std::int64_t ring_index_values = 130, ring_trials_beyond = 8;
constexpr SizeLimits brief_limits{.index_values = 16, .constant_index_values = 16, .each_alone = false};
constexpr std::int64_t brief_trials = 3;

/// A ring's operations take a hundred times as long as those of floats.
constexpr SizeLimits ring_limits{.index_values = 1100, .constant_index_values = 1 << 18, .each_alone = false};

/// Whether an error says that a circuit does not accept a size, which is passed over unless the check asked for it.
bool is_about_sizes(Code code) {
  return code == code::index_out_of_range || code == code::empty_reduction || code == code::shape_mismatch ||
         code == code::quoted_tree_length || code == code::dimension_value || code == code::check_signatures ||
         code == code::bad_stage_size || code == code::assertion;
}

/// If the sizes that a check names have more index values than this, the check compares only some of the results.
std::int64_t affordable_index_values(const ElaboratedItem& item, const interp::Semantics& semantics) {
  const driver::Traits traits = semantics.traits();
  if (item.tolerance == frontend::Tolerance::Kind::bound || traits.bounds_errors || traits.reals) return 1 << 19;
  return traits.draws_values || traits.encloses ? 1 << 22 : std::int64_t{1} << 27;
}

/// The operations of bounds are slow, too, because exact rationals decide.
constexpr SizeLimits bound_limits{.index_values = 1 << 12, .constant_index_values = 1 << 17, .each_alone = false};

class Runner {
 public:
  Runner(ir::Module& module, const ElaboratedItem& item, interp::Semantics& semantics, Watchdog& watch,
         const interp::EvaluateOptions& options, bool brief, sweep::Carrier* carrier, Trial trial)
      : module_(module),
        item_(item),
        semantics_(semantics),
        traits_(semantics.traits()),
        watch_(watch),
        options_(options),
        brief_(brief),
        trial_(std::move(trial)),
        workers_(module_, item_, semantics_, options_, trial_, watch, carrier) {}

  Expected<Outcome> run() {
    out_.semantics = semantics_.name();
    out_.verdict = Verdict::holds;
    out_.strength = strength();
    sizes_are_ours_ = std::ranges::any_of(item_.left->dimensions, [&](ir::SymbolId dimension) {
      return std::ranges::find(item_.sizes, dimension, &frontend::SizeClause::dimension) == item_.sizes.end();
    });
    const SizeLimits limits = brief_                      ? brief_limits
                              : traits_.draws_values      ? ring_limits
                              : bounds() || asks_orders() ? bound_limits
                                                          : SizeLimits{};
    if (const auto every = brief_ ? std::nullopt : try_every_input(module_, item_, semantics_, options_)) {
      auto ended = every_input(*every);
      if (!ended) return ended.error();
      if (*ended) return std::move(out_);
    }
    if (!brief_ && over_ranges()) return std::move(out_);
    for (ir::Dimensions& sizes : choose_sizes(module_, item_, limits)) plan_.push_back({std::move(sizes)});
    auto ended = traits_.draws_values ? all_sizes_in_ring() : all_sizes();
    if (!ended) return ended.error();
    std::vector<ir::Dimensions> tried;
    for (const Planned& each : plan_) {
      if (each.done > 0) tried.push_back(each.sizes);
    }
    if (out_.verdict == Verdict::fails && !judges()) {
      finish(tried);
      return std::move(out_);
    }
    if (max_degenerate_ > 0) {
      out_.notes.push_back(fmt::format(
          "{} 0 or degenerate in every trial: of such values `{}` sees little",
          max_degenerate_ == 1 ? "1 output was" : fmt::format("{} outputs were", max_degenerate_), semantics_.name()));
    }
    if (tried.empty() && !watch_.stopped()) {
      if (skipped_) return *skipped_;
      return Diagnostic(code::check_failed_to_run, item_.span, "this check has no sizes to try");
    }
    if (undecided_ && out_.verdict == Verdict::holds) out_.verdict = Verdict::undecided;
    if (watch_.interrupted()) {
      if (out_.verdict == Verdict::holds) out_.verdict = Verdict::undecided;
    } else if (out_.verdict == Verdict::holds && trials_done_ == 0) {
      out_.verdict = Verdict::undecided;
      out_.notes.push_back(fmt::format("no evaluation ended within {:.3g} s; give it more time: `--budget {:.0f}`",
                                       watch_.budget(), 10 * watch_.budget()));
    } else if (out_.verdict == Verdict::holds && compares_numbers() && !any_finite_) {
      out_.verdict = Verdict::undecided;
      out_.notes.push_back(fmt::format("{}: nothing was compared; give inputs for which the results are numbers: `for x: a..b`",
                                       no_value_ == trials_done_ ? "neither side had a value in any trial"
                                       : compared_ == 1 ? "the only result is NaN or infinite on one side or both"
                                                        : fmt::format("each of {} results is NaN or infinite on one side or both", compared_)));
    }
    if (skipped_ && tried.empty()) out_.notes.push_back("some sizes were passed over: " + skipped_->message);
    if (out_.verdict == Verdict::undecided && out_.notes.empty() && undecided_) {
      out_.notes.emplace_back("what the two sides may be overlaps, which decides nothing: give narrower inputs, or ask in `float` or `exact`");
    }
    finish(tried);
    return std::move(out_);
  }

 private:
  /// One choice of sizes, and the progress of its trials.
  struct Planned {
    ir::Dimensions sizes;
    std::int64_t done = 0;   ///< trials
    bool finished = false;
  };

  /// Takes the result of trying every input; returns whether the verdict is known.
  Expected<bool> every_input(const EveryInput& every) {
    if (every.difference) {
      auto found =
          trial_.compare({}, trial_.inputs().given({}, {every.difference->begin(), every.difference->end()}), false);
      if (!found) return found.error();
      if (found->truth != Truth::no) return false;
      out_.verdict = Verdict::fails;
      out_.notes = std::move(found->notes);
      out_.counterexample = std::move(found->counterexample);
    } else {
      out_.strength = Strength::proved;
    }
    out_.evidence.push_back({"inputs", std::string("all"), fmt::format("all {} inputs", every.inputs)});
    out_.evidence.push_back({"trials", every.inputs, ""});
    return true;
  }

  /// Asks whether the check holds on the whole ranges; returns whether the verdict is known.
  bool over_ranges() {
    const auto whole = try_over_ranges(module_, item_, traits_, options_);
    if (!whole) return false;
    if (whole->within) {
      out_.strength = Strength::proved;
      finish_whole(*whole);
      return true;
    }
    if (!whole->arguments.empty()) {
      auto there = trial_.compare(whole->sizes, trial_.inputs().given(whole->sizes, whole->arguments), false);
      if (there && there->truth == Truth::no) {
        take_witness(whole->sizes, *there);
        out_.verdict = Verdict::fails;
        finish_whole(*whole);
        return true;
      }
    }
    out_.notes.push_back(whole->text);
    return false;
  }

  void finish_whole(const OverRanges& whole) {
    if (!whole.tried.empty()) out_.evidence.push_back(sizes_fact(module_, whole.tried));
    if (out_.verdict != Verdict::holds) return;
    out_.evidence.push_back({"inputs", whole.inputs, whole.inputs});
    out_.evidence.push_back({"largest_bound", whole.bound, whole.text});
  }

  Strength strength() const {
    if (traits_.ring) return Strength::agreed;
    if (judges() || asks_orders()) return Strength::observed;
    // Either no other inputs exist, or an enclosure holds the results for all inputs.
    if (trial_.inputs().fixed() || trial_.inputs().whole_first()) return Strength::proved;  // or undecided
    return Strength::observed;
  }

  std::int64_t trials_of(const ir::Dimensions& sizes) const {
    if (trial_.inputs().fixed()) return 1;
    if (brief_) return brief_trials;
    if (item_.trials) return *item_.trials;
    if (asks_orders()) return orders_trials;
    if (!sizes_are_ours_ && !sizes.empty()) {
      const bool few = plan_.size() <= few_sizes && index_values(sizes) <= trials_by_index_values;
      return std::max(default_trials, (few ? rounds_of_few : 1) * trial_.inputs().round());
    }
    if (sizes.empty()) return traits_.floats ? trials_without_sizes : 3 * default_trials;
    // Twice as many trials as families, so that each family has its turn.
    return std::clamp(trials_by_index_values / index_values(sizes), fewest_trials,
                      std::max(default_trials, trial_.inputs().round()));
  }

  /// Goes in rounds, so that every choice of sizes has its first trials before the budget ends. Failures are in `out_`.
  Expected<bool> all_sizes() {
    std::int64_t planned = 0;
    for (const Planned& each : plan_) planned += trials_of(each.sizes);
    for (const bool first : {true, false}) {
      if (!first && !brief_) {
        for (const auto look : {&Runner::points_at_conditions, &Runner::special_points, &Runner::many}) {
          const auto found = (this->*look)();
          if (!found) return found.error().code == code::interrupted ? Expected<bool>(false) : found.error();
          if (*found != Truth::no) continue;
          out_.verdict = Verdict::fails;
          return true;
        }
      }
      for (Planned& each : plan_) {
        if (each.finished) continue;
        const std::int64_t count = trials_of(each.sizes), to = first ? std::min(count, trials_at_first) : count;
        watch_.at(size_text(module_, each.sizes), trials_done_, planned);
        auto step = size(each, to);
        if (!step) {
          if (step.error().code == code::interrupted) return false;
          if (!sizes_are_ours_ || !is_about_sizes(step.error().code)) return step.error();
          if (!skipped_) skipped_ = step.error();
          each.finished = true;
          each.done = 0;
          continue;
        }
        each.done = std::max(each.done, to);
        if (each.done >= count) each.finished = true;
        // If whole ranges leave the check open, points may refute it, but prove nothing.
        if (*step == Truth::unknown) undecided_ = true;
        if (*step != Truth::no) continue;
        out_.verdict = Verdict::fails;
        if (!judges()) return true;
      }
    }
    return true;
  }

  /// Tries circuits of scalars on many inputs at once.
  Expected<Truth> many() {
    const auto found = try_many_inputs(module_, item_, semantics_, options_, many_inputs);
    if (!found) return Truth::yes;
    if (!found->difference) {
      trials_done_ += found->inputs;
      compared_ += found->inputs;
      any_finite_ |= found->any_finite;
      return Truth::yes;
    }
    auto there = trial_.compare({}, trial_.inputs().given({}, {found->difference->begin(), found->difference->end()}), false);
    if (!there) return there.error();
    if (there->truth == Truth::no) take_witness({}, *there);
    return there->truth == Truth::no ? Truth::no : Truth::yes;
  }

  /// Whether the two sides differ if they take the branches that no input entered. Checks with ranges, or within a
  /// distance, are not asked: their verdict names the inputs that it rests on, and bits are compared on all inputs.
  bool unentered_matters() {
    if (item_.relation != frontend::Item::Relation::equal || !item_.ranges.empty() || watch_.stopped()) return false;
    const auto taken = branches_.taken(module_, item_);
    if (!taken) return false;
    const auto trial = Trial::make(module_, *taken, semantics_, options_);
    std::size_t sizes_done = 0;
    for (const Planned& each : plan_) {
      if (!trial || each.done == 0 || index_values(each.sizes) > condition_index_values) continue;
      if (sizes_done++ == condition_sizes) break;
      for (std::int64_t number = 0; number < branch_trials; ++number) {
        const auto found = trial->run(each.sizes, number, false);
        if (!found) break;
        if (found->truth == Truth::no) return true;
      }
    }
    return false;
  }

  /// Takes the notes of a trial that fails, and its inputs made as simple as possible.
  void take_witness(const ir::Dimensions& sizes, TrialResult& found) {
    out_.notes = std::move(found.notes);
    shrink(item_, trial_, sizes, found);
    out_.counterexample = std::move(found.counterexample);
  }

  /// Tries inputs at and around the circuits' conditions, at a few small sizes.
  Expected<Truth> points_at_conditions() {
    const bool drawn = trial_.inputs().draws_families() && !trial_.inputs().fixed() && !item_.trials;
    if (!drawn || !item_.right || judges()) return Truth::yes;
    std::size_t sizes_done = 0;
    for (Planned& each : plan_) {
      if (each.done == 0 || index_values(each.sizes) > condition_index_values) continue;
      if (sizes_done++ == condition_sizes) break;
      const RationalPoints rational =
          rational_points(module_, *item_.left, *item_.right, each.sizes, item_.ranges, condition_points_each / 2);
      auto points = condition_points(module_, *item_.left, *item_.right, each.sizes, item_.ranges, item_.seed.value_or(0), rational);
      if (points.size() > condition_points_each) points.resize(condition_points_each);
      branches_.open(module_, item_, each.sizes);
      for (std::int64_t trial = 0; branches_.any() && trial < branch_trials; ++trial) {
        auto drawn = trial_.inputs().draw(each.sizes, trial, 0);
        if (drawn && trial < trials_of(each.sizes)) branches_.enter(module_, item_, drawn->arguments, options_);
      }
      for (auto& point : points) {
        std::vector<interp::Argument> arguments;
        for (ir::HostTensor& tensor : point) arguments.emplace_back(std::move(tensor));
        if (branches_.any()) branches_.enter(module_, item_, arguments, options_);
        auto found = trial_.compare(each.sizes, trial_.inputs().given(each.sizes, std::move(arguments)), false);
        if (!found) return found.error();
        ++trials_done_;
        ++points_at_conditions_;
        compared_ += found->compared;
        any_finite_ |= found->any_finite;
        no_value_ += found->no_value;
        if (found->truth != Truth::no) continue;
        take_witness(each.sizes, *found);
        return Truth::no;
      }
    }
    return Truth::yes;
  }

  /// If bits are compared, tries each of the often forgotten numbers in all elements of one input and of every input,
  /// each pair of these numbers in two inputs, and inputs with ascending and descending elements.
  Expected<Truth> special_points() {
    const bool bits = item_.relation == frontend::Item::Relation::equal && traits_.floats;
    if (!bits || !item_.right || !item_.ranges.empty() || trial_.inputs().fixed() || item_.trials) return Truth::yes;
    std::size_t sizes_done = 0;
    for (Planned& each : plan_) {
      if (each.done == 0 || index_values(each.sizes) > condition_index_values) continue;
      if (sizes_done++ == special_sizes) break;
      const auto drawn = trial_.inputs().draw(each.sizes, 0, 0);
      if (!drawn) break;
      std::vector<ir::HostTensor> unit;
      for (const interp::Argument& argument : drawn->arguments) unit.push_back(std::get<ir::HostTensor>(argument));
      if (sizes_done <= condition_sizes) branches_.open(module_, item_, each.sizes);
      for (const std::vector<ir::HostTensor>& point : special_inputs(unit)) {
        if (sizes_done <= condition_sizes && branches_.any())
          branches_.enter(module_, item_, {point.begin(), point.end()}, options_);
        auto found = trial_.compare(each.sizes, trial_.inputs().given(each.sizes, {point.begin(), point.end()}), false);
        if (!found) return found.error();
        ++trials_done_;
        compared_ += found->compared;
        any_finite_ |= found->any_finite;
        if (found->truth != Truth::no) continue;
        take_witness(each.sizes, *found);
        return Truth::no;
      }
    }
    return Truth::yes;
  }

  /// Takes one choice of sizes after the other, each with all its trials: their number decides what agreement is worth.
  Expected<bool> all_sizes_in_ring() {
    for (Planned& each : plan_) {
      watch_.at(size_text(module_, each.sizes), trials_done_, 0);
      const auto step = ring_size(each.sizes);
      if (!step) {
        const Code code = step.error().code;
        if (code == code::interrupted) return false;
        if (!sizes_are_ours_ || !(is_about_sizes(code) || code == code::undefined_result)) return step.error();
        // Where the ring alone has no value, real inputs have the last word; a size that circuits refuse says nothing.
        const bool undefined = code == code::undefined_result;
        if (!skipped_ || (undefined && skipped_->code != code::undefined_result)) skipped_ = step.error();
        if (undefined) out_.undefined_at.push_back(each.sizes);
        continue;
      }
      each.finished = true;
      each.done = 1;
      if (*step == Truth::unknown) undecided_ = true;
      if (*step != Truth::no) continue;
      out_.verdict = Verdict::fails;
      return true;
    }
    return true;
  }

  void finish(const std::vector<ir::Dimensions>& tried) {
    auto& evidence = out_.evidence;
    if (!item_.left->dimensions.empty()) evidence.push_back(sizes_fact(module_, tried));
    if (const std::string inputs = trial_.inputs().text(); !inputs.empty()) evidence.push_back({"inputs", inputs, inputs});
    evidence.push_back({"trials", trials_done_, counted(trials_done_, "trial")});
    if (points_at_conditions_ > 0 && out_.verdict != Verdict::fails) {
      evidence.push_back({"trials_at_conditions", points_at_conditions_,
                          fmt::format("{} of them at the circuits' conditions", points_at_conditions_)});
    }
    if (void_ > 0) {
      evidence.push_back({"trials_without_bound", void_, fmt::format("{} without a bound", void_)});
    }
    if (no_value_ > 0) {
      evidence.push_back({"trials_without_value", no_value_, fmt::format("{} without a value on either side", no_value_)});
    }
    if (trial_.within_bound() && out_.verdict == Verdict::holds) {
      const std::string shown = numerics::decimal_upward(largest_, 2);
      evidence.push_back({"largest_difference", largest_.get_d(), largest_ == 0 ? "no difference" : "largest difference " + shown});
    }
    if (out_.strength == Strength::agreed && out_.verdict == Verdict::holds) {
      if (total_ > 0) {
        evidence.push_back({"outputs", static_cast<std::int64_t>(total_), ""});
        evidence.push_back({"outputs_defined", static_cast<std::int64_t>(defined_),
                            fmt::format("{} of {} outputs defined", defined_, total_)});
      }
      if (bits_) {
        evidence.push_back({"error_probability_log2", -*bits_, fmt::format("probability of error 2^-{}{}", *bits_, tried.size() > 1 ? " each" : "")});
      } else {
        evidence.push_back({"error_probability", std::string("none proven"), "probability of error: none proven"});
      }
    }
    if (out_.verdict != Verdict::fails) {
      for (const Branches::Missed& each : branches_.missed()) out_.branches_missed.emplace_back(each.place, each.side);
      if (out_.verdict == Verdict::holds && unentered_matters()) Branches::doubt(out_);
    }
    if (watch_.interrupted()) {
      out_.interrupted = true;
      if (out_.verdict == Verdict::holds) out_.verdict = Verdict::undecided;
      const std::string so_far = sizes_text(module_, tried);
      if (out_.verdict == Verdict::undecided) {
        out_.notes.insert(out_.notes.begin(),
                          trials_done_ == 0 ? "interrupted before the first trial ended"
                                            : fmt::format("interrupted after {}, no difference",
                                                          so_far.empty() ? counted(trials_done_, "trial") : so_far));
      }
    } else if (watch_.stopped() && out_.verdict != Verdict::fails) {
      evidence.push_back(watch_.ended());
    }
    if (power_.any() && out_.verdict != Verdict::fails) {
      if (power_.lacking() && out_.verdict == Verdict::holds) {
        out_.verdict = Verdict::undecided;
        out_.notes.push_back("so much rounding is allowed that a dropped leaf would hardly have shown: ask `within orders`, or "
                             "name the order of the result from elsewhere, `within bound by S`");
      }
      const auto power = power_.evidence();
      out_.evidence.insert(out_.evidence.end(), power.begin(), power.end());
    }
    if (orders_) {
      const auto seen = orders_->evidence();
      out_.evidence.insert(out_.evidence.end(), seen.begin(), seen.end());
    }
    if (judges()) judge();
    if (traits_.scrambles_patterns) note_what_scrambling_leaves();
  }

  /// Whether the check is `within orders`.
  bool asks_orders() const { return item_.tolerance == frontend::Tolerance::Kind::orders; }
  bool bounds() const { return trial_.within_bound() || traits_.bounds_errors; }

  bool compares_numbers() const {
    // If given results are compared bit for bit, a NaN is a result, too.
    const bool bits_of_given = trial_.inputs().fixed() && item_.relation == frontend::Item::Relation::equal;
    return item_.right && !judges() && traits_.has_distance() && !traits_.counts_applications && !bits_of_given;
  }

  bool judges() const { return item_.relation == frontend::Item::Relation::accepted; }

  void judge() {
    constexpr std::size_t max_reasons = 3;
    out_.judged = accepted_.judged(item_.left_text);
    const Judged& judged = *out_.judged;
    for (std::size_t k = 0; k < std::min(judged.reasons.size(), max_reasons); ++k) {
      const auto& [reason, count] = judged.reasons[k];
      out_.notes.push_back(fmt::format("{} may be anything: {}", count == 1 ? "1 result" : fmt::format("{} results", count),
                                       reason));
    }
    if (judged.reasons.size() > max_reasons) {
      out_.notes.push_back(fmt::format("there are {} more reasons", judged.reasons.size() - max_reasons));
    }
    if (judged.results > 0 && judged.unbounded == judged.results) {
      out_.notes.push_back("the profile allows anything everywhere: this check judged nothing");
    }
  }

  /// Notes the operations on scrambled patterns (docs/semantics.md, "fpsan").
  void note_what_scrambling_leaves() {
    std::set<std::string> names;
    std::vector<ir::NodeId> sides{item_.left->body};
    if (item_.right) sides.push_back(item_.right->body);
    ir::visit_nodes(module_, std::move(sides), [&](ir::NodeId id) {
      const ir::Node& node = module_[id];
      const bool compares = ir::is_scalar_operation(node.op) && ir::traits(node.op).result == ir::ResultRule::truth &&
                            ir::is_float(module_.type(node.operands[0]).scalar);
      const bool casts = node.op == ir::Op::bits || node.op == ir::Op::from_bits ||
                         (node.op == ir::Op::convert && (ir::is_integer(module_.type(id).scalar) !=
                                                         ir::is_integer(module_.type(node.operands[0]).scalar)));
      if (compares || casts || node.op == ir::Op::abs || node.op == ir::Op::sign) {
        names.insert(fmt::format("`{}`", ir::traits(node.op).spelling));
      }
    });
    if (names.empty()) return;
    out_.notes.push_back(
        fmt::format("FPSan does not follow {}: it looks at the scrambled pattern, so that this verdict says less",
                    fmt::join(names, ", ")));
  }

  /// Trials `from` to `to` - 1 of one size; after a `no`, `out_` has the counterexample.
  Expected<Truth> trials(const ir::Dimensions& sizes, std::int64_t from, std::int64_t to, RingTally* tally) {
    const bool redraws = !no_defined_inputs_;
    const Summary found = summary_of(sizes, from, to, redraws);
    trials_done_ += found.trials;
    no_defined_inputs_ |= found.no_defined_inputs;
    if (tally) tally->add(found.ring);
    if (found.largest > largest_) largest_ = found.largest;
    accepted_.add(found.accepted);
    if (found.power) power_.add(sizes, *found.power);
    if (found.farthest && (!orders_ || found.times >= orders_->times)) {
      const auto farthest = workers_.result_of(*found.farthest, sizes, redraws);
      if (farthest) orders_ = farthest->orders;
    }
    compared_ += found.compared;
    any_finite_ |= found.any_finite;
    no_value_ += found.no_value;
    void_ += found.without_bound;
    if (found.noted && out_.notes.empty()) {
      if (auto noted = workers_.result_of(*found.noted, sizes, redraws)) out_.notes = std::move(noted->notes);
    }
    if (found.worst && !(out_.counterexample && found.worst_ulps <= worst_shown_)) {
      auto worst = workers_.result_of(*found.worst, sizes, redraws);
      if (!worst) return worst.error();
      worst_shown_ = found.worst_ulps;
      out_.notes = std::move(worst->notes);
      out_.counterexample = std::move(worst->counterexample);
    }
    if (found.end) {
      auto last = workers_.result_of(*found.end, sizes, redraws);
      if (!last) return last.error();
      out_.notes = std::move(last->notes);  // a failure replaces notes on trials that were left open
      // Floats of the first family are shown by the generator that gives them, which is short already.
      const bool all = traits_.reals || last->family != Family::unit;
      shrink(item_, trial_, sizes, *last, all ? Shrink::everything : Shrink::truths);
      out_.counterexample = std::move(last->counterexample);
      return Truth::no;
    }
    if (found.last < to) return Diagnostic(code::interrupted, item_.span, "interrupted");
    return found.worst ? Truth::no : found.open ? Truth::unknown : Truth::yes;
  }

  Summary summary_of(const ir::Dimensions& sizes, std::int64_t from, std::int64_t to, bool redraws) {
    const auto pieces = trial_.inputs().pieces(from);
    if (to - from != 1 || !pieces || *pieces == 1) return workers_.run(sizes, from, to, redraws);
    Summary out(from);
    auto result = workers_.run_pieces(sizes, from, *pieces, redraws);
    const bool interrupted = !result && result.error().code == code::interrupted;
    if (!interrupted) out.add(std::move(result), Summary::Rules::of(item_));
    return out;
  }

  /// The trials of one choice of sizes that are not done yet, up to `to`.
  Expected<Truth> size(Planned& each, std::int64_t to) {
    Truth all = Truth::yes;
    if (each.done == 0) {
      const auto first = trials(each.sizes, 0, 1, nullptr);
      if (!first || (*first == Truth::no && !judges())) return first;
      each.done = 1;
      if (trial_.inputs().whole_first() && *first == Truth::yes) {
        each.finished = true;
        return first;
      }
      all = *first;
    }
    const auto rest = trials(each.sizes, each.done, to, nullptr);
    return rest && *rest == Truth::yes ? Expected<Truth>(all) : rest;
  }

  /// Carries out every trial of one size in a ring that draws its own elements. If no trial defined some output, the
  /// result is unknown or, if the check asked for no sizes, a diagnostic (the size is passed over).
  Expected<Truth> ring_size(const ir::Dimensions& sizes) {
    RingTally tally;
    no_defined_inputs_ = false;
    const bool fixed = trial_.inputs().fixed();
    std::int64_t done = 0, count = 1;
    std::optional<Trials> proven;
    while (done < count) {
      const auto step = trials(sizes, done, count, &tally);
      if (!step || *step == Truth::no) return step;
      done = count;
      if (fixed) break;
      if (done == 1) {
        proven = proven_trials(sizes);
        count = brief_ ? brief_trials : proven ? proven->count : default_ring_trials(sizes);
      }
      // If no output has had a value yet, real inputs will show more (algebra.cpp).
      const std::int64_t most =
          ring_trials * (tally.defined() > 0 ? ring_redraw_limit : ring_redraw_limit_without_value);
      const bool patient = !item_.trials && !brief_ && done < most;
      if (done >= count && !tally.all_seen() && patient) count = std::min(2 * done, most);
    }
    max_degenerate_ = std::max(max_degenerate_, tally.degenerate());
    total_ += tally.total();
    defined_ += tally.defined();
    any_unproven_ |= !proven;
    if (any_unproven_) bits_.reset();
    else bits_ = std::min(bits_.value_or(proven->bits), proven->bits);
    if (tally.unseen() == 0) return Truth::yes;
    const std::string reason = fmt::format("{} never defined in `{}`: {} has no value",
                                           tally.unseen() == 1 ? "1 output is" : fmt::format("{} outputs are", tally.unseen()),
                                           semantics_.name(), tally.blame());
    if (sizes_are_ours_) {
      return Diagnostic(code::undefined_result, item_.span, reason);
    }
    if (out_.notes.empty()) out_.notes.push_back(reason);
    return Truth::unknown;
  }

  std::int64_t default_ring_trials(const ir::Dimensions& sizes) const {
    if (item_.trials) return *item_.trials;
    return sizes_are_ours_ && index_values(sizes) > ring_index_values ? ring_trials_beyond : ring_trials;
  }

  std::optional<Trials> proven_trials(const ir::Dimensions& sizes) {
    if (!item_.right) return std::nullopt;
    const auto drawn = trial_.inputs().draw(sizes, 0, 0);
    if (!drawn) return std::nullopt;
    const auto degree =
        degree_of_difference(module_, *item_.left, *item_.right, drawn->arguments, sizes, traits_.laws, options_);
    if (!degree) return std::nullopt;
    return trials_for(*degree, semantics_.min_choices(), item_.trials);
  }

  ir::Module& module_;
  const ElaboratedItem& item_;
  interp::Semantics& semantics_;
  const driver::Traits traits_;
  Watchdog& watch_;
  const interp::EvaluateOptions& options_;
  bool brief_;
  Trial trial_;
  Workers workers_;
  Outcome out_;
  std::vector<Planned> plan_;
  bool sizes_are_ours_ = false;
  std::optional<Diagnostic> skipped_;  ///< why sizes were passed over
  bool undecided_ = false;
  std::int64_t compared_ = 0;  ///< results
  bool any_finite_ = false;
  std::int64_t void_ = 0;      ///< trials of our own choice for which there is no bound
  std::int64_t points_at_conditions_ = 0;
  Branches branches_;
  std::int64_t no_value_ = 0;  ///< trials in which neither side has a value
  std::int64_t trials_done_ = 0;
  AcceptedTally accepted_;
  double worst_shown_ = 0;   ///< of the counterexample, in ulps
  PowerTally power_;                  ///< `within bound`
  std::optional<OrdersSeen> orders_;  ///< `within orders`: the farthest
  mpq_class largest_ = 0;    ///< difference that rounding explains
  // In a ring that draws its own elements.
  bool no_defined_inputs_ = false;
  std::uint64_t defined_ = 0, total_ = 0;
  std::optional<std::int64_t> bits_;  ///< the probability of a false acceptance is 2^-bits at most
  bool any_unproven_ = false;
  std::size_t max_degenerate_ = 0;  ///< outputs at one size
};

/// Whether the verdict is that the values lie in a range, wherever there are values.
bool encloses_values(const ElaboratedItem& item, const interp::Semantics& semantics, const Outcome& outcome) {
  return item.relation == frontend::Item::Relation::within && outcome.verdict == Verdict::holds &&
         outcome.strength == Strength::proved && semantics.traits().encloses;
}

/// Notes inputs for which the circuit has no value, of which an enclosure says nothing.
void add_domain(Outcome& outcome, ir::Module& module, const ElaboratedItem& item, const Options& options,
                const Watchdog& watch) {
  ElaboratedItem twice = item;
  twice.right = item.left;
  const Domains domains = search_domains(module, twice, options, watch);
  if (domains.total) return;
  if (domains.neither) {
    outcome.evidence.insert(outcome.evidence.begin(),
                            {"domain", std::string("where it has a value"), "where it has a value"});
    outcome.notes.push_back(
        fmt::format("it has no value at {}: {}", domains.neither->place(), domains.neither->reason));
  } else {
    outcome.evidence.push_back(
        {"domain", std::string("no hole found"), fmt::format("no input without a value among {}", domains.points)});
  }
}

/// A proof needs no trial, so what was left open holds, and inputs that tell the two apart still refute it.
void take_proof(Outcome& outcome, const Proof& proof, const ElaboratedItem& item) {
  if (outcome.verdict == Verdict::undecided) outcome.verdict = Verdict::holds;
  strengthen(proof, item, outcome);
}

/// `run` of a check whose calls are settled.
Expected<Outcome> run_settled(ir::Module& module, const ElaboratedItem& item, interp::Semantics& semantics,
                              const Options& options) {
  if (const driver::Traits traits = semantics.traits(); item.library && !traits.floats && !traits.permits_answers) {
    return Diagnostic(code::check_failed_to_run, item.span,
                      fmt::format("a library's function gives floats, of which `{}` knows nothing", semantics.name()))
        .help("ask `in float`, or `in accept(P)` with an accuracy profile P");
  }
  if (item.relation == frontend::Item::Relation::equal && semantics.traits().no_equality) {
    return Diagnostic(code::check_failed_to_run, item.span,
                      fmt::format("`{}` does not say when two values are the same", semantics.name()))
        .help("give its class a function `bool same(const Value&, const Value&)`");
  }
  if (item.relation == frontend::Item::Relation::ordered && !semantics.traits().has_distance()) {
    return Diagnostic(code::check_failed_to_run, item.span,
                      fmt::format("the values of `{}` have no order", semantics.name()))
        .help("inequalities are questions for `float`, `interval` and `exact`");
  }
  using frontend::Tolerance;
  const bool about_rounding = item.tolerance == Tolerance::Kind::bound || item.tolerance == Tolerance::Kind::orders;
  const bool asks_distance = item.relation == frontend::Item::Relation::within ||
                             (item.relation == frontend::Item::Relation::near && !about_rounding);
  if (asks_distance && semantics.traits().no_distance) return no_distance(item, semantics);
  std::optional<Watchdog> own;
  if (options.watch == nullptr) own.emplace(options);
  Watchdog& watch = own ? *own : *options.watch;
  interp::EvaluateOptions evaluate = options.evaluate;
  evaluate.interrupted = watch.stop();
  const interp::StopFlagGuard stopping(semantics, watch.stop());
  const driver::Traits traits = semantics.traits();
  const Proof proof = traits.floats && !traits.bounds_errors ? proof_of_bits(module, item) : std::nullopt;
  const auto run_item = [&](const ElaboratedItem& which) -> Expected<Outcome> {
    auto trial = Trial::make(module, which, semantics, evaluate);
    if (!trial) return trial.error();
    const bool brief = options.brief || proof;
    return Runner(module, which, semantics, watch, evaluate, brief, options.carrier, std::move(*trial)).run();
  };
  const auto sample = sample_results(module, item, affordable_index_values(item, semantics));
  if (!sample) {
    auto outcome = run_item(item);
    if (outcome && proof) take_proof(*outcome, proof, item);
    if (outcome && encloses_values(item, semantics, *outcome)) add_domain(*outcome, module, item, options, watch);
    return outcome;
  }
  auto outcome = run_item(sample->item);
  if (!outcome) return outcome;
  const auto chosen = static_cast<std::int64_t>(sample->elements.size());
  outcome->evidence.push_back({"results_compared", chosen, fmt::format("{} of {} results", chosen, sample->of)});
  outcome->evidence.push_back({"results", sample->of, ""});
  if (outcome->strength == Strength::proved) outcome->strength = Strength::observed;
  if (auto& found = outcome->counterexample; found && found->element.size() == 1) {
    found->element = sample->elements[static_cast<std::size_t>(found->element.front())];
  }
  if (proof) take_proof(*outcome, proof, item);
  return outcome;
}

}  // namespace

Expected<Outcome> run(ir::Module& module, const ElaboratedItem& given, interp::Semantics& semantics,
                      const Options& options) {
  auto outcome = run_settled(module, with_settled_calls(module, given, semantics.traits()), semantics, options);
  if (outcome) note_approximations(*outcome, module, given, semantics.traits());
  return outcome;
}

}  // namespace reckon::check
