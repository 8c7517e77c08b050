#include "worst/tune.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace reckon::worst {

namespace {

/// Work of one bound while formats are tried, and of the last one (search.h).
constexpr double of_tuning_trial = 1e6, of_tuning_proof = 3e7;
constexpr std::size_t tuned_samples = 2'000;
/// The narrowest first.
constexpr Format candidates[] = {Format::f16, Format::bf16, Format::f32};

class Tuner {
 public:
  Tuner(const Posed& posed, const Asked& asked, double tolerance)
      : posed_(posed), asked_(asked), tolerance_(tolerance), group_of_(posed.circuit.nodes().size(), 0) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> known;
    for (NodeNumber k = 0; k < posed.circuit.nodes().size(); ++k) {
      const Node& node = posed.circuit[k];
      if (node.kind == Kind::residual) group_of_[k] = group_of_[node.first];
      if (node.kind != Kind::operation) continue;
      const SourceSpan place = posed.circuit.place_of(node);
      const auto [at, added] = known.try_emplace({place.file, place.begin, place.end}, groups_.size());
      if (added) groups_.push_back({place, Format::f64, 0});
      ++groups_[at->second].operations;
      group_of_[k] = at->second;
    }
  }

  /// No input meets the conditions.
  bool is_empty() const { return empty_; }

  Tuned run() {
    Tuned out;
    std::vector<Format> written;
    for (const Node& node : posed_.circuit.nodes()) written.push_back(node.format);
    out.as_written = bound(written, of_tuning_trial, nullptr);
    if (!keeps()) {
      out.error = bound(formats(), of_tuning_proof, &out);
      out.chosen = groups_;
      return out;
    }
    // The narrowest format that all may have is where the search begins.
    for (const Format format : candidates) {
      const std::vector<ChosenFormat> before = groups_;
      for (ChosenFormat& group : groups_) group.format = format;
      if (keeps()) break;
      groups_ = before;
    }
    for (const std::size_t k : by_error()) {
      ChosenFormat& group = groups_[k];
      for (const Format format : candidates) {
        const Format before = group.format;
        if (numerics::traits(format).width >= numerics::traits(before).width) continue;
        group.format = format;
        if (keeps()) break;
        group.format = before;
      }
      if (asked_.interrupted != nullptr && *asked_.interrupted) break;
    }
    out.error = bound(formats(), of_tuning_proof, &out);
    out.chosen = groups_;
    return out;
  }

 private:
  std::vector<Format> formats() const {
    std::vector<Format> out;
    for (NodeNumber k = 0; k < posed_.circuit.nodes().size(); ++k) {
      const Node& node = posed_.circuit[k];
      const bool chosen = node.kind == Kind::operation || node.kind == Kind::residual;
      out.push_back(chosen ? groups_[group_of_[k]].format : node.format);
    }
    return out;
  }
  bool keeps() { return bound(formats(), of_tuning_trial, nullptr) <= tolerance_; }

  /// The bound of the worst element. `out` gets why there is none, or a witness.
  double bound(const std::vector<Format>& formats, double operations, Tuned* out) {
    std::vector<NodeNumber> outputs = posed_.outputs;
    Question question{.conditions = posed_.conditions};
    Circuit circuit = posed_.circuit.retyped(formats, outputs, question.conditions);
    circuit.reduce(outputs, question.conditions);
    std::sort(outputs.begin(), outputs.end());
    outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
    double worst = 0;
    errors_.assign(groups_.size(), 0);
    for (const NodeNumber output : outputs) {
      BoxBounds bounds(circuit, output, question, posed_.floats, posed_.has_forms());
      const Extreme found = largest_error(bounds, operations);
      empty_ = empty_ || found.empty;
      if (out != nullptr && found.obstacle && !out->hindrance) {
        out->hindrance =
            Hindrance{circuit.place_of(circuit[found.obstacle->node]), found.obstacle->reason, found.where};
      }
      if (found.bound < worst) continue;
      worst = found.bound;
      if (found.obstacle) continue;
      note_errors(bounds, found.where, circuit, output);
      if (out == nullptr || !posed_.has_forms()) continue;
      Sampler sampler(circuit, output, question);
      Witness witness = find_witness(sampler, posed_.floats, found.where, tuned_samples, false);
      if (witness.sample.valid) out->found = std::move(witness);
    }
    return worst;
  }

  /// Long circuits, and those of many inputs, have no forms, by which boxes are cut: one bound is for all of their
  /// ranges.
  Extreme largest_error(BoxBounds& bounds, double operations) const {
    if (posed_.has_forms()) {
      return extreme(bounds, posed_.floats, Goal::error, {.operations = operations, .interrupted = asked_.interrupted});
    }
    const BoxBound whole = bounds.bound(posed_.floats);
    Extreme out;
    out.bound = whole.obstacle ? HUGE_VAL : whole.error;
    out.obstacle = whole.obstacle;
    out.where = posed_.floats;
    out.empty = whole.excluded;
    return out;
  }

  void note_errors(BoxBounds& bounds, const Box& where, const Circuit& circuit, NodeNumber output) {
    if (bounds.bound(where).obstacle) return;
    for (NodeNumber k = 0; k <= output; ++k) {
      const SourceSpan place = circuit.place_of(circuit[k]);
      const auto group = std::ranges::find(groups_, place, &ChosenFormat::place);
      if (group != groups_.end()) errors_[static_cast<std::size_t>(group - groups_.begin())] += bounds.share(k);
    }
  }
  /// The groups by their part of the error, the least first.
  std::vector<std::size_t> by_error() {
    keeps();
    std::vector<std::size_t> out(groups_.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::ranges::stable_sort(out, {}, [&](std::size_t k) { return errors_[k]; });
    return out;
  }

  const Posed& posed_;
  const Asked& asked_;
  const double tolerance_;
  std::vector<std::size_t> group_of_;  ///< by the nodes' numbers
  std::vector<ChosenFormat> groups_;
  std::vector<double> errors_;  ///< of the groups, in the last bound
  bool empty_ = false;
};

}  // namespace

Expected<Tuned> tuned(ir::Module& module, const Asked& asked, double tolerance,
                      const interp::EvaluateOptions& options) {
  auto posed = pose(module, asked, options, true);
  if (!posed) return posed.error();
  Tuner tuner(*posed, asked, tolerance);
  Tuned out = tuner.run();
  if (tuner.is_empty()) return nothing_meets(*asked.circuit);
  std::ranges::stable_sort(out.chosen, {}, [](const ChosenFormat& each) {
    return std::tuple(each.place.file, each.place.begin, each.place.end);
  });
  out.inputs = posed->inputs;
  return out;
}

}  // namespace reckon::worst
