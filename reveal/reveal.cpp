#include "reveal/reveal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "numerics/split_mix.h"
#include "reveal/arithmetic.h"
#include "reveal/builder.h"
#include "reveal/calibrate.h"
#include "reveal/prober.h"
#include "reveal/scale.h"
#include "reveal/units.h"

namespace reckon::reveal {
namespace {

constexpr int repetitions = 3;  // of a question that must always have the same answer
constexpr int inputs_repeated = 3;

/// The whole of one investigation. Every step that calls the box returns false where the box failed (`failure`).
class Investigation {
 public:
  /// `models`: what explains one and two elements, the likeliest first; none for a plain sum.
  Investigation(const Box& box, const Question& question, Units units, std::vector<Model> models = {})
      : question_(question),
        models_(std::move(models)),
        prober_(box, question, std::move(units)),
        builder_(prober_),
        random_(question.seed) {}

  std::optional<Diagnostic> failure;
  Outcome outcome;

  /// Checks that the sum of n units is n.
  bool units_add_up() {
    auto count = prober_.all_units();
    if (!count) return fail(count.error());
    if (count->units == question_.n) return true;
    unit_answer_ = count->units < 0 ? count->odd : fmt::format("{} units", count->units);
    return false;
  }
  bool vanished() const { return unit_answer_ == "0 units"; }
  void not_a_sum() {
    outcome.undecided = fmt::format("the box is not a plain sum: {} units came to {}", question_.n, unit_answer_);
    outcome.calls.checks = prober_.calls();
  }

  void run() {
    if (!deterministic()) return finish();
    const std::int64_t before = prober_.calls();
    outcome.tree = builder_.build();
    outcome.calls.probes = prober_.calls() - before;
    if (builder_.failure()) {
      failure = builder_.failure();
      return;
    }
    if (!random_inputs()) return finish();
    if (!outcome.tree) {
      no_tree();
      return finish();
    }
    if (!pairs_agree()) return finish();
    judge();
    finish();
  }

 private:
  struct Sample {
    Input input;
    std::uint64_t bits = 0;
  };

  bool fail(const Diagnostic& diagnostic) {
    failure = diagnostic;
    return false;
  }
  void finish() { outcome.calls.checks = prober_.calls() - outcome.calls.probes; }
  const numerics::FormatTraits result() const { return numerics::traits(question_.formats.result); }
  std::string shown(std::uint64_t bits) const { return numerics::shortest_decimal(bits, question_.formats.result); }

  bool same(std::uint64_t a, std::uint64_t b) const {
    const Format format = question_.formats.result;
    return a == b || (numerics::is_nan(a, format) && numerics::is_nan(b, format));
  }

  bool random_order(std::uint64_t a, std::uint64_t b) {
    outcome.undecided = fmt::format(
        "the box gives {} and {} for the same numbers: its order changes from call to call (as with atomic additions)",
        shown(a), shown(b));
    outcome.tree.reset();
    return false;
  }

  /// Asks the first probe again and again, and with the masks exchanged.
  bool deterministic() {
    if (question_.n < 2) return true;
    std::optional<Count> first;
    for (int k = 0; k < repetitions + 1; ++k) {
      const std::int64_t last = question_.n - 1;
      auto count = k < repetitions ? prober_.survivors(0, last) : prober_.survivors(last, 0);
      if (!count) return fail(count.error());
      if (first && (first->units != count->units || first->odd != count->odd)) {
        const auto text = [](const Count& c) { return c.odd.empty() ? fmt::format("{} units", c.units) : c.odd; };
        outcome.undecided = k < repetitions
                                ? fmt::format(
                                      "the box gives {} and {} for the same numbers: its order changes from call to "
                                      "call (as with atomic additions)",
                                      text(*first), text(*count))
                                : fmt::format(
                                      "the box gives {} for a pair of masks and {} for the same with the signs "
                                      "exchanged: it does not round to nearest, or what it does depends on the values",
                                      text(*first), text(*count));
        return false;
      }
      first = *count;
    }
    return true;
  }

  bool random_inputs() {
    for (std::int64_t k = 0; k < question_.verify; ++k) {
      Input input = random_input(question_, random_);
      auto bits = prober_.ask(input);
      if (!bits) return fail(bits.error());
      for (int again = 1; again < repetitions && k < inputs_repeated; ++again) {
        auto more = prober_.ask(input);
        if (!more) return fail(more.error());
        if (!same(*bits, *more)) return random_order(*bits, *more);
      }
      samples_.push_back({std::move(input), *bits});
    }
    return true;
  }

  /// Whether the arithmetic, and then the scaling, gives the box's bits on every random input.
  bool explains(const Arithmetic& arithmetic, const Scaling& scaling = {}) const {
    const SumTree* tree = outcome.tree ? &*outcome.tree : nullptr;
    return !samples_.empty() && std::all_of(samples_.begin(), samples_.end(), [&](const Sample& sample) {
      const auto bits = evaluate(arithmetic, question_.formats, tree, sample.input, scaling);
      return bits && same(*bits, sample.bits);
    });
  }
  /// The model of which the box's bits are in this tree, and the arithmetic.
  struct Found {
    Arithmetic arithmetic;
    Model model;
  };
  std::optional<Found> found(bool multiway) const {
    for (const Arithmetic& arithmetic : tree_arithmetics(question_.formats, question_.products, multiway)) {
      if (models_.empty() && explains(arithmetic)) return Found{arithmetic, {arithmetic.accumulator, {}}};
      for (const Model& model : models_) {
        if (model.accumulator == arithmetic.accumulator && explains(arithmetic, model.scaling))
          return Found{arithmetic, model};
      }
    }
    return std::nullopt;
  }
  /// Says that other scalings have the box's bits as well, if they are others and not the same in wider formats.
  void note_alternatives(const Found& chosen) {
    std::vector<Scaling> told{chosen.model.scaling};
    for (const Model& model : models_) {
      const bool known = std::any_of(told.begin(), told.end(), [&](const Scaling& each) {
        return each.kind == Scaling::Kind::exact ||
               (each.kind == model.scaling.kind && each.factor == model.scaling.factor);
      });
      if (known || model.accumulator != chosen.model.accumulator || !explains(chosen.arithmetic, model.scaling))
        continue;
      told.push_back(model.scaling);
      outcome.notes.push_back(
          fmt::format("its answers do not tell this from: {}", model.scaling.text(question_.n, model.accumulator)));
    }
  }
  std::string on_inputs() const { return fmt::format("on {} random inputs", samples_.size()); }
  /// Notes which kinds of sums without a tree have the box's bits; false if none has.
  bool note_other() {
    std::string texts;
    for (const Arithmetic& other : other_arithmetics(question_.formats)) {
      const bool scaled = std::any_of(models_.begin(), models_.end(),
                                      [&](const Model& model) { return explains(other, model.scaling); });
      if (models_.empty() ? explains(other) : scaled) texts += (texts.empty() ? "" : ", or of ") + other.text();
    }
    if (texts.empty()) return false;
    outcome.notes.push_back(fmt::format("its bits are those of {}, {}", texts, on_inputs()));
    return true;
  }

  /// Whether 1 and -1 beside zeros have the same answer, which is not zero.
  bool even() {
    Input input;
    input.x.assign(static_cast<std::size_t>(question_.n), 0);
    input.x[0] = numerics::round_f64(1, question_.formats.input);
    const auto one = prober_.ask(input);
    input.x[0] = prober_.negative(input.x[0]);
    const auto negative = prober_.ask(input);
    return one && negative && *one == *negative && numerics::magnitude_bits(*one, question_.formats.result) != 0;
  }

  void no_tree() {
    const auto& problem = builder_.problem();
    if (!problem.odd.empty()) {
      outcome.undecided = fmt::format(
          "masks at elements {} and {} left {}, which is no number of units: the box does not round its sums to "
          "nearest, overflows, or is not a plain sum",
          problem.i, problem.j, problem.odd);
      if (even()) {
        outcome.notes.push_back(
            "its answers to 1 and to -1 beside zeros are equal (a norm or a sum of squares?): squares cannot cancel, "
            "so "
            "reveal the function of two vectors that adds x[i] * y[i] instead");
      }
    } else if (problem.everything_survives) {
      outcome.undecided = "the box adds as if exactly: no order can be seen";
    } else {
      outcome.undecided = fmt::format(
          "no tree explains the box: the answer for elements {} and {} contradicts the others (a node that adds "
          "several terms exactly, a compensated sum, or an order that depends on the values)",
          problem.i, problem.j);
    }
    note_other();
  }

  /// Checks that pairs which were not asked yet meet where the tree says.
  bool pairs_agree() {
    const std::int64_t n = question_.n;
    if (n < 3) return true;
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(numerics::split_mix(random_) % static_cast<std::uint64_t>(bound));
    };
    for (std::int64_t k = 0; k < question_.pairs; ++k) {
      const std::int64_t i = below(n), other = below(n - 1), j = other < i ? other : other + 1;
      if (builder_.asked(i, j)) continue;
      auto count = prober_.survivors(i, j);
      if (!count) return fail(count.error());
      if (count->units == n - outcome.tree->meeting_size(i, j)) continue;
      outcome.undecided =
          fmt::format("no tree explains the box: the answer for elements {} and {} contradicts the others", i, j);
      note_other();
      outcome.tree.reset();
      return false;
    }
    return true;
  }

  void judge() {
    const SumTree& tree = *outcome.tree;
    const bool multiway = tree.multiway_nodes() > 0;
    if (question_.verify == 0) return;
    if (auto chosen = found(multiway)) {
      const Format accumulator = chosen->arithmetic.accumulator;
      const bool wider = accumulator != question_.formats.accumulator;
      const Arithmetic kahan{Arithmetic::Kind::kahan, question_.formats.accumulator};
      if (wider && !multiway && explains(kahan, chosen->model.scaling)) {
        outcome.undecided = fmt::format(
            "the probes see an order, and the box's bits may be those of this order in `{}`, or of Kahan's loop",
            numerics::traits(accumulator).name);
        return;
      }
      outcome.arithmetic = chosen->arithmetic.text();
      outcome.verified = static_cast<std::int64_t>(samples_.size());
      outcome.computed = chosen->arithmetic;
      outcome.scaling = chosen->model.scaling;
      if (!models_.empty()) note_alternatives(*chosen);
      if (tree.flat()) one_node();
      return;
    }
    if (note_other()) {
      outcome.undecided = tree.flat() ? "the box does not add in the order of its elements"
                                      : "the probes see an order, but the box's bits are those of another sum";
      return;
    }
    if (tree.flat()) return one_node();
    if (multiway) {
      outcome.notes.push_back(
          "the bits of its nodes of more than two terms follow no rule that is known here; they were not compared");
      return;
    }
    outcome.undecided =
        "the probes see an order, but no arithmetic known here gives the box's bits in this order (compensated, "
        "truncated or flushed sums, or a result that is printed with too few digits?)";
  }

  /// Examines a sum that is one node of all elements: units vanish beside masks wherever they stand. A node fused in
  /// hardware behaves so, with a limit relative to the largest term; so does a sum in bins (reproducible summation),
  /// whose limits are at fixed places. Demmel and Nguyen, Fast reproducible floating-point summation, ARITH 21, 2013.
  void one_node() {
    std::set<int> limits;
    const Format format = question_.formats.input;
    const int spread = format == Format::f64 ? 41 : 14, most = format == Format::f16 ? 14 : 120;
    for (int shift = 0; shift < spread; ++shift) {
      // The largest ratio of mask and unit beside which the unit stays: it stays up to some ratio, and not beyond.
      int stays = 0, goes = most + 1;
      while (goes - stays > 1) {
        const int ratio = (stays + goes) / 2;
        const int unit = format == Format::f16 ? -14 + shift : shift - 20;
        if (format == Format::f16 && unit + ratio > 15) {
          goes = ratio;
          continue;
        }
        const auto bits = [&](int exponent) { return numerics::round_f64(std::ldexp(1.0, exponent), format); };
        Input input;
        input.x.assign(static_cast<std::size_t>(question_.n), 0);
        const Units& units = prober_.units();
        input.x[0] = units.at(0, bits(unit + ratio));
        input.x[1] = prober_.negative(units.at(1, bits(unit + ratio)));
        input.x[2] = units.at(2, bits(unit));
        auto answer = prober_.ask(input);
        if (!answer) {
          fail(answer.error());
          return;
        }
        const auto value = numerics::exact_value(*answer, question_.formats.result);
        (value && *value != 0 ? stays : goes) = ratio;
      }
      limits.insert(stays);
    }
    if (format != Format::f16 && limits.size() > 1) {
      outcome.undecided =
          "the result does not depend on the order: small terms vanish at fixed places, as in a reproducible sum (in "
          "bins)";
      outcome.notes.push_back(
          fmt::format("beside a larger term a power of two vanishes from a ratio of 2^{} to 2^{} on, by its place",
                      *limits.begin() + 1, *limits.rbegin() + 1));
      outcome.arithmetic.clear();
      outcome.computed.reset();
      outcome.scaling = {};
      outcome.verified = 0;
      return;
    }
    outcome.notes.push_back("all terms go into one node: the result does not depend on their order");
  }

  const Question& question_;
  std::vector<Model> models_;
  Prober prober_;
  TreeBuilder builder_;
  std::uint64_t random_;
  std::string unit_answer_;
  std::vector<Sample> samples_;
};

/// The formats with the model's accumulator.
Question with_accumulator(Question question, Format accumulator) {
  question.formats.accumulator = accumulator;
  return question;
}

constexpr int most_searches = 2;  // with units of different models of one accumulator

/// The order of a box that is no plain sum; `plain` says what n units came to.
Expected<Outcome> scaled(const Box& box, const Question& question, Outcome plain) {
  auto calibrated = calibrate(box, question);
  if (!calibrated) return calibrated.error();
  plain.calls.checks += calibrated->calls;
  if (calibrated->models.empty()) {
    plain.undecided += "; " + calibrated->problem;
    return plain;
  }
  std::optional<Outcome> best;
  std::map<std::pair<Format, bool>, int> searches;
  bool untold = false;  // a model has no units
  // A model tells how answers are read. The tree that is found so must have the box's bits under one of all models.
  for (const Model& model : calibrated->models) {
    const Question asked = with_accumulator(question, model.accumulator);
    auto units = Units::of(asked, model);
    if (!units) {
      untold = true;
      continue;
    }
    if (++searches[{model.accumulator, model.scaling.of_elements()}] > most_searches) continue;
    Investigation investigation(box, asked, std::move(*units), calibrated->models);
    if (investigation.units_add_up()) investigation.run();
    else if (!investigation.failure) investigation.not_a_sum();
    if (investigation.failure) return *investigation.failure;
    plain.calls.checks += investigation.outcome.calls.checks;
    plain.calls.probes += investigation.outcome.calls.probes;
    const bool tree = investigation.outcome.tree.has_value();
    if (tree || !best) best = std::move(investigation.outcome);
    if (tree) break;
  }
  if (!best || (untold && !best->tree)) {
    plain.undecided += fmt::format(
        "; it is scaled ({}), and in the formats of its elements and its result no probe has answers that differ for "
        "every number of units (a smaller n or a wider result may)",
        calibrated->models.front().scaling.text(question.n, calibrated->models.front().accumulator));
    return plain;
  }
  if (!best->undecided.empty() || !best->computed) {
    best->notes.push_back(
        fmt::format("one and two elements are scaled: {}",
                    calibrated->models.front().scaling.text(question.n, calibrated->models.front().accumulator)));
  }
  best->calls = plain.calls;
  return std::move(*best);
}

}  // namespace

Expected<Outcome> reveal(const Box& box, const Question& question) {
  if (auto problem = formats_problem(question.formats)) return unusable(*problem).help("name a wider `--accumulate`");
  if (question.n < 1) return unusable("a sum has at least one element");
  const auto all = scales(question.formats);
  if (question.n > all.front().largest_n) {
    const Formats& formats = question.formats;
    return unusable(fmt::format("with elements in `{}`, sums in `{}` and a result in `{}`, the order of at most {} "
                                "elements can be seen, not of {}",
                                numerics::traits(formats.input).name, numerics::traits(formats.accumulator).name,
                                numerics::traits(formats.result).name, all.front().largest_n, question.n))
        .help("a smaller `--n` shows the same rule");
  }
  std::int64_t spent = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Investigation investigation(box, question, Units(question, all[k]));
    if (investigation.units_add_up()) {
      investigation.run();
    } else if (!investigation.failure) {
      investigation.not_a_sum();
      const bool another = k + 1 < all.size() && question.n <= all[k + 1].largest_n;
      if (investigation.vanished() && another) {
        ++spent;
        continue;
      }
      investigation.outcome.calls.checks += spent;
      return scaled(box, question, std::move(investigation.outcome));
    }
    if (investigation.failure) return *investigation.failure;
    investigation.outcome.calls.checks += spent;
    return std::move(investigation.outcome);
  }
  return unusable("no probe fits these formats");  // never reached: the last scale returns
}

}  // namespace reckon::reveal
