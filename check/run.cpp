// Carrying out a check: sizes, trials at each, and a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "check/distance.h"
#include "check/shrink.h"
#include "check/sizes.h"
#include "check/workers.h"
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

Outcome static_outcome(const ElaboratedItem& item) {
  Outcome out;
  out.verdict = *item.static_truth ? Verdict::holds : Verdict::fails;
  out.strength = Strength::proved;
  if (!*item.static_truth && !item.left_text.empty()) {
    out.evidence = {{"left", item.left_text}, {"right", item.right_text}};
  }
  return out;
}

namespace {

constexpr std::int64_t usual_trials = 20;

/// A size that a circuit does not take: passed over, unless the check asked for it.
bool is_about_sizes(Code code) {
  return code == Code::index_out_of_range || code == Code::empty_reduction || code == Code::shape_mismatch ||
         code == Code::quoted_tree_length || code == Code::dimension_value || code == Code::check_signatures ||
         code == Code::bad_stage_size;
}

class Runner {
 public:
  Runner(ir::Module& module, const ElaboratedItem& item, interp::Semantics& semantics,
         const interp::EvaluateOptions& options, Trial trial)
      : module_(module),
        item_(item),
        semantics_(semantics),
        options_(options),
        trial_(std::move(trial)),
        workers_(module_, item_, semantics_, options_, trial_) {}

  Expected<Outcome> run() {
    out_.semantics = semantics_.name();
    out_.verdict = Verdict::holds;
    out_.strength = strength();
    const bool sizes_are_ours = item_.sizes.empty() && !item_.left->dimensions.empty();
    std::int64_t sizes_done = 0;
    std::optional<Diagnostic> skipped;
    for (const ir::Dimensions& sizes : choose_sizes(module_, item_)) {
      const auto step = semantics_.draws_values() ? ring_size(sizes) : size(sizes);
      if (!step) {
        const Code code = step.error().code;
        const bool undefined = semantics_.draws_values() && code == Code::undefined_result;
        if (!sizes_are_ours || !(is_about_sizes(code) || undefined)) return step.error();
        if (!skipped) skipped = step.error();
        continue;
      }
      ++sizes_done;
      if (*step == Truth::unknown) undecided_ = true;
      if (*step != Truth::no) continue;
      out_.verdict = Verdict::fails;
      if (judges()) continue;
      finish(sizes_done);
      return std::move(out_);
    }
    if (most_degenerate_ > 0) {
      out_.notes.push_back(fmt::format("{} 0 or degenerate in every trial: of such values `{}` sees little",
                                       most_degenerate_ == 1 ? "1 output was" : fmt::format("{} outputs were", most_degenerate_),
                                       semantics_.name()));
    }
    if (sizes_done == 0) {
      if (skipped) return *skipped;
      return Diagnostic(Code::check_failed_to_run, item_.span, "this check has no sizes to try");
    }
    if (undecided_ && out_.verdict == Verdict::holds) out_.verdict = Verdict::undecided;
    if (skipped) out_.notes.push_back("some sizes were passed over: " + skipped->message);
    finish(sizes_done);
    return std::move(out_);
  }

 private:
  Strength strength() const {
    if (is_ring(semantics_)) return Strength::agreed;
    // An enclosure of every value is a proof, for the sizes that were run.
    if (semantics_.name().starts_with("interval") && item_.left->dimensions.empty()) return Strength::proved;
    if (trial_.inputs().whole_first() && item_.left->dimensions.empty()) return Strength::proved;
    return Strength::observed;
  }

  void finish(std::int64_t sizes) {
    out_.evidence.insert(out_.evidence.begin(),
                         {{"sizes", std::to_string(sizes)}, {"trials", std::to_string(trials_done_)}});
    if (trial_.within_bound() && out_.verdict == Verdict::holds) {
      out_.evidence.push_back({"largest_difference", numerics::decimal_upward(largest_, 2)});
    }
    if (out_.strength == Strength::agreed && out_.verdict == Verdict::holds) {
      if (total_ > 0) out_.evidence.push_back({"defined", fmt::format("{} of {} outputs", defined_, total_)});
      out_.evidence.push_back({"probability_of_error", bits_ ? fmt::format("2^-{}", *bits_) : "none proven"});
    }
    if (judges()) judge();
    if (semantics_.name().starts_with("fpsan")) note_what_fpsan_leaves();
  }

  bool judges() const { return item_.relation == frontend::Item::Relation::accepted; }

  void judge() {
    constexpr std::size_t most_reasons = 3;
    out_.judged = accepted_.judged(item_.left_text);
    const Judged& judged = *out_.judged;
    for (std::size_t k = 0; k < std::min(judged.reasons.size(), most_reasons); ++k) {
      const auto& [reason, count] = judged.reasons[k];
      out_.notes.push_back(fmt::format("{} may be anything: {}", count == 1 ? "1 result" : fmt::format("{} results", count),
                                       reason));
    }
    if (judged.reasons.size() > most_reasons) {
      out_.notes.push_back(fmt::format("there are {} more reasons", judged.reasons.size() - most_reasons));
    }
    if (judged.results > 0 && judged.unbounded == judged.results) {
      out_.notes.push_back("the profile allows anything everywhere: this check judged nothing");
    }
  }

  /// Operations on the scrambled patterns (docs/semantics.md, "fpsan").
  void note_what_fpsan_leaves() {
    std::set<std::string> names;
    std::vector<ir::NodeId> sides{item_.left->body};
    if (item_.right) sides.push_back(item_.right->body);
    ir::visit_nodes(module_, std::move(sides), [&](ir::NodeId id) {
      const ir::Node& node = module_[id];
      const bool compares = ir::is_scalar_operation(node.op) && ir::traits(node.op).result == ir::ResultRule::truth &&
                            ir::is_float(module_.type(node.operands[0]).scalar);
      const bool casts = node.op == ir::Op::bits || node.op == ir::Op::from_bits ||
                         (node.op == ir::Op::convert && (module_.type(id).scalar == ir::Scalar::u32 ||
                                                         module_.type(node.operands[0]).scalar == ir::Scalar::u32));
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
    const auto start = std::chrono::steady_clock::now();
    Truth all = Truth::yes;
    for (auto& found : workers_.run(sizes, from, to, !hopeless_, seconds_each_)) {
      if (!found) return found.error();
      TrialResult& trial = *found;
      ++trials_done_;
      hopeless_ |= trial.hopeless;
      if (tally) tally->count(trial.elements);
      if (trial.largest > largest_) largest_ = trial.largest;
      accepted_.add(trial.accepted);
      if (trial.truth == Truth::unknown) {
        all = Truth::unknown;
        if (out_.notes.empty()) out_.notes = std::move(trial.notes);
      }
      if (trial.truth != Truth::no) continue;
      if (judges()) {  // all results are; the worst is shown
        all = Truth::no;
        if (out_.counterexample && !(trial.accepted.worst_ulps > worst_shown_)) continue;
        worst_shown_ = trial.accepted.worst_ulps;
        out_.notes = std::move(trial.notes);
        out_.counterexample = std::move(trial.counterexample);
        continue;
      }
      out_.notes = std::move(trial.notes);  // why others left it open does not matter now
      if (semantics_.name() == "exact") shrink(item_, trial_, sizes, trial);
      out_.counterexample = std::move(trial.counterexample);
      return Truth::no;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds_each_ = taken.count() / static_cast<double>(std::max<std::int64_t>(to - from, 1));
    return all;
  }

  Expected<Truth> size(const ir::Dimensions& sizes) {
    const std::int64_t count = trial_.inputs().fixed() ? 1 : item_.trials.value_or(usual_trials);
    const auto first = trials(sizes, 0, std::min<std::int64_t>(count, 1), nullptr);
    if (!first || (*first == Truth::no && !judges())) return first;
    if (trial_.inputs().whole_first() && *first == Truth::yes) return first;
    const auto rest = trials(sizes, 1, count, nullptr);
    return rest && *rest == Truth::yes ? first : rest;
  }

  /// Every trial of one size in a ring that draws its own elements. An output that no trial defined: unknown, or where
  /// the check asked for no sizes, a diagnostic (the size is passed over).
  Expected<Truth> ring_size(const ir::Dimensions& sizes) {
    RingTally tally;
    hopeless_ = false;
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
        count = proven ? proven->count : item_.trials.value_or(ring_trials);
      }
      const bool patient = !item_.trials && done < ring_trials * ring_patience;
      if (done >= count && !tally.all_seen() && patient) count = std::min(2 * done, ring_trials * ring_patience);
    }
    most_degenerate_ = std::max(most_degenerate_, tally.degenerate());
    total_ += tally.total();
    defined_ += tally.defined();
    any_unproven_ |= !proven;
    if (any_unproven_) bits_.reset();
    else bits_ = std::min(bits_.value_or(proven->bits), proven->bits);
    if (tally.unseen() == 0) return Truth::yes;
    const std::string reason = fmt::format("{} never defined in `{}`: {} has no value",
                                           tally.unseen() == 1 ? "1 output is" : fmt::format("{} outputs are", tally.unseen()),
                                           semantics_.name(), tally.blame());
    if (item_.sizes.empty() && !item_.left->dimensions.empty()) {
      return Diagnostic(Code::undefined_result, item_.span, reason);
    }
    if (out_.notes.empty()) out_.notes.push_back(reason);
    return Truth::unknown;
  }

  std::optional<Trials> proven_trials(const ir::Dimensions& sizes) {
    if (!item_.right) return std::nullopt;
    const auto drawn = trial_.inputs().draw(sizes, 0, 0);
    if (!drawn) return std::nullopt;
    const auto degree = degree_of_difference(module_, *item_.left, *item_.right, drawn->arguments, sizes,
                                             semantics_.laws(), options_);
    if (!degree) return std::nullopt;
    return trials_for(*degree, semantics_.least_choices(), item_.trials);
  }

  ir::Module& module_;
  const ElaboratedItem& item_;
  interp::Semantics& semantics_;
  const interp::EvaluateOptions& options_;
  Trial trial_;
  Workers workers_;
  Outcome out_;
  bool undecided_ = false;
  std::int64_t trials_done_ = 0;
  double seconds_each_ = 0;  ///< of the last trials
  AcceptedTally accepted_;
  double worst_shown_ = 0;   ///< of the counterexample, in ulps
  mpq_class largest_ = 0;    ///< difference that rounding explains
  // In a ring that draws its own elements.
  bool hopeless_ = false;
  std::uint64_t defined_ = 0, total_ = 0;
  std::optional<std::int64_t> bits_;  ///< the probability of a false acceptance is 2^-bits at most
  bool any_unproven_ = false;
  std::size_t most_degenerate_ = 0;  ///< outputs at one size
};

}  // namespace

Expected<Outcome> run(ir::Module& module, const ElaboratedItem& item, interp::Semantics& semantics,
                      const interp::EvaluateOptions& options) {
  if (item.library && !(semantics.name().starts_with("float") || semantics.name().starts_with("accept"))) {
    return Diagnostic(Code::check_failed_to_run, item.span,
                      fmt::format("a library's function gives floats, of which `{}` knows nothing", semantics.name()))
        .help("ask `in float`, or `in accept(P)` with an accuracy profile P");
  }
  auto trial = Trial::make(module, item, semantics, options);
  if (!trial) return trial.error();
  return Runner(module, item, semantics, options, std::move(*trial)).run();
}

}  // namespace reckon::check
