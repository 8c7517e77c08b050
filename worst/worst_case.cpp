#include "worst/worst_case.h"

#include <fmt/format.h>

#include <future>
#include <map>
#include <set>

#include "diagnostics/codes/check_signatures.h"
#include "diagnostics/codes/too_large.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "ir/bind.h"
#include "worst/rounding.h"

namespace reckon::worst {

namespace {

/// Work, in operations on one symbol of one node: a tenth of a second, about, for the bound, and less for the rest.
constexpr double of_error = 3e7, of_rest = 6e6;
/// Circuits with more operations are evaluated over the whole box alone, and no witness is looked for.
constexpr std::size_t long_circuit = 20'000;
/// With more inputs, forms would cost more than they give.
constexpr std::size_t most_symbols = 48;
constexpr std::size_t samples = 4'000, sampled_operations = 400'000;
/// Elements of the result.
constexpr std::size_t searched_elements = 16;

double rounded(const mpq_class& value, Format format, numerics::Rounding way) {
  return numerics::widen(numerics::round_rational(value, format, way), format);
}

class Analysis {
 public:
  Analysis(const Asked& asked, const Posed& posed)
      : asked_(asked),
        circuit_(posed.circuit),
        conditions_(posed.conditions),
        floats_(posed.floats),
        reals_(posed.reals),
        forms_(posed.has_forms()) {}

  WorstCase of(NodeNumber output) const {
    if (!forms_) return of_whole_box(output);
    WorstCase out;
    const Question question{.inputs = Inputs::floats,
                            .with_value = asked_.other != nullptr && !asked_.equal_reals,
                            .conditions = conditions_};
    BoxBounds bounds(circuit_, output, question, floats_, true);
    const Extreme error = extreme(bounds, floats_, Goal::error, effort(of_error));
    out.error = error.bound;
    out.empty = error.empty;
    if (error.obstacle) out.hindrance = hindrance(*error.obstacle, error.where);
    if (out.empty || out.hindrance) return out;
    const BoxBound worst = bounds.bound(error.where);
    if (!worst.obstacle) out.shares = shares(bounds, output);
    if (!asked_.equal_reals) {
      // With less work than for the error, a box may be left of which nothing is known.
      out.range = intersection(error.values, {extreme(bounds, floats_, Goal::least, effort(of_rest)).bound,
                                              extreme(bounds, floats_, Goal::greatest, effort(of_rest)).bound});
    }
    if (!asked_.other && !holds_zero(out.range)) {
      const double over_all = div_up(out.error, mignitude(out.range));
      const double relative = std::min(over_all, extreme(bounds, floats_, Goal::relative, effort(of_rest)).bound);
      if (std::isfinite(relative)) out.relative = relative;
    }
    with_inputs(output, question, out);
    sample(output, question, error.where, out);
    return out;
  }

 private:
  /// The same without branch and bound: one evaluation each for inputs that are floats and reals.
  WorstCase of_whole_box(NodeNumber output) const {
    WorstCase out;
    const Question question{.inputs = Inputs::floats,
                            .with_value = asked_.other != nullptr && !asked_.equal_reals,
                            .conditions = conditions_};
    // With many operations each evaluation takes long, and the two have nothing in common.
    const bool beside = circuit_.nodes().size() > long_circuit;
    Question rounded_first = question;
    rounded_first.inputs = Inputs::reals;
    std::future<BoxBound> of_reals =
        std::async(beside ? std::launch::async | std::launch::deferred : std::launch::deferred,
                   [&] { return BoxBounds(circuit_, output, rounded_first, reals_, false).bound(reals_); });
    BoxBounds bounds(circuit_, output, question, floats_, false);
    const BoxBound found = bounds.bound(floats_);
    out.empty = found.excluded;
    if (out.empty) return out;
    if (found.obstacle) {
      out.hindrance = hindrance(*found.obstacle, floats_);
      return out;
    }
    out.error = found.error;
    out.range = asked_.equal_reals ? Interval{0, 0} : found.value;
    if (!asked_.other && !holds_zero(out.range)) out.relative = div_up(out.error, mignitude(out.range));
    out.shares = shares(bounds, output);
    sample(output, question, floats_, out);
    const BoxBound rounded = of_reals.get();
    out.with_inputs = rounded.error;
    if (rounded.obstacle) out.with_inputs_hindrance = hindrance(*rounded.obstacle, reals_);
    return out;
  }

  void sample(NodeNumber output, const Question& question, const Box& where, WorstCase& out) const {
    if (circuit_.nodes().size() > long_circuit) return;
    Sampler sampler(circuit_, output, question);
    const std::size_t evaluations = std::min(samples, sampled_operations / circuit_.nodes().size() + 1);
    Witness found = find_witness(sampler, floats_, where, evaluations, false);
    if (found.sample.valid) out.found = std::move(found);
  }

  Effort effort(double operations) const { return {.operations = operations, .interrupted = asked_.interrupted}; }

  void with_inputs(NodeNumber output, Question question, WorstCase& out) const {
    question.inputs = Inputs::reals;
    BoxBounds bounds(circuit_, output, question, reals_, true);
    const Extreme error = extreme(bounds, reals_, Goal::error, effort(of_rest));
    out.with_inputs = error.bound;
    if (error.obstacle) out.with_inputs_hindrance = hindrance(*error.obstacle, error.where);
  }

  Hindrance hindrance(const Obstacle& obstacle, const Box& where) const {
    return {circuit_.place_of(circuit_[obstacle.node]), obstacle.reason, where};
  }

  static std::string_view operation(const Node& node) {
    switch (node.kind) {
      case Kind::input: return "input";
      case Kind::constant: return "constant";
      case Kind::exact: return "exact";
      case Kind::flushed: return "flush";
      case Kind::block: return "sum";
      case Kind::difference: return "difference";
      case Kind::residual: return "residual";
      case Kind::operation: return ir::traits(node.op).spelling;
    }
    return {};
  }

  std::vector<Share> shares(const BoxBounds& bounds, NodeNumber output) const {
    std::vector<Share> out;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string_view>, std::size_t> known;
    double total = 0;
    for (NodeNumber k = 0; k <= output; ++k) {
      const double share = bounds.share(k);
      if (!(share > 0)) continue;
      total += share;
      const SourceSpan place = circuit_.place_of(circuit_[k]);
      const std::string_view name = operation(circuit_[k]);
      const auto [at, added] = known.try_emplace({place.file, place.begin, place.end, name}, out.size());
      if (added) out.push_back({place, name, share});
      else out[at->second].part += share;
    }
    if (!std::isfinite(total)) return {};  // a derivative is not known where the bound is
    for (Share& each : out) each.part /= total;
    std::stable_sort(out.begin(), out.end(), [](const Share& a, const Share& b) { return a.part > b.part; });
    return out;
  }

  const Asked& asked_;
  const Circuit& circuit_;
  const std::vector<std::uint32_t>& conditions_;
  const Box &floats_, &reals_;
  const bool forms_;
};

}  // namespace

bool Posed::has_forms() const { return circuit.nodes().size() <= long_circuit && floats.size() <= most_symbols; }

Expected<Posed> pose(ir::Module& module, const Asked& asked, const interp::EvaluateOptions& options, bool as_written) {
  const ir::Function& function = *asked.circuit;
  auto shapes = shapes_of(module, function, asked.sizes);
  if (!shapes) return shapes.error();
  auto recorder = Recorder::make(module, function, *shapes, asked.numbers, asked.mode);
  if (!recorder) return recorder.error();
  // A compiler may contract a product of constants, too.
  if (as_written || asked.contracts || asked.reassociates) recorder->circuit().keep_constants();
  Box float_ranges, real_ranges;
  for (std::size_t p = 0; p < function.parameters.size(); ++p) {
    const ir::Parameter& parameter = function.parameters[p];
    const auto& [low, high] = asked.ranges[p];
    const Format format = ir::format_of(module.types()[parameter.type].scalar);
    using numerics::Rounding;
    float_ranges.push_back(
        {rounded(low, format, Rounding::upward) + 0.0, rounded(high, format, Rounding::downward) + 0.0});
    real_ranges.push_back(
        {rounded(low, Format::f64, Rounding::downward) + 0.0, rounded(high, Format::f64, Rounding::upward) + 0.0});
    if (!(float_ranges.back().low <= float_ranges.back().high) || !is_bounded(float_ranges.back())) {
      return Diagnostic(code::check_signatures, parameter.span,
                        fmt::format("no `{}` lies in the range of `{}`", ir::scalar_name(ir::scalar_of(format)),
                                    module.name(parameter.name)));
    }
  }
  Box floats, reals;
  floats.reserve(recorder->inputs().size());
  reals.reserve(recorder->inputs().size());
  for (const Recorder::Input& input : recorder->inputs()) {
    floats.push_back(float_ranges[input.parameter]);
    reals.push_back(real_ranges[input.parameter]);
  }
  auto outputs = recorder->add(module, function, asked.sizes, options);
  if (!outputs) return outputs.error();
  if (asked.other != nullptr) {
    const auto others = recorder->add(module, *asked.other, asked.sizes, options);
    if (!others) return others.error();
    if (others->size() != outputs->size()) {
      return Diagnostic(code::check_signatures, function.span, "the two circuits give results of different shapes");
    }
    for (std::size_t k = 0; k < outputs->size(); ++k)
      (*outputs)[k] = recorder->circuit().difference((*outputs)[k], (*others)[k]);
  }
  std::vector<std::uint32_t> conditions;
  for (const ir::Function* condition : asked.conditions) {
    const auto number = recorder->add_condition(module, *condition, asked.sizes, options);
    if (!number) return number.error();
    if (*number) conditions.push_back(**number);
  }
  Circuit circuit = std::move(recorder->circuit());
  circuit.reduce(*outputs, conditions);
  const std::size_t distinct = std::set<NodeNumber>(outputs->begin(), outputs->end()).size();
  if (distinct > searched_elements) {
    return Diagnostic(code::too_large, function.span,
                      fmt::format("the result has {} elements, and bounds over ranges are for at most {}", distinct,
                                  searched_elements))
        .help("ask about a circuit that gives one element");
  }
  if (distinct == 0) return Diagnostic(code::check_signatures, function.span, "the result has no elements");
  if (asked.contracts || asked.reassociates) {
    if (const auto node = circuit.not_compiled(asked.contracts, asked.reassociates)) {
      return Diagnostic(code::unsupported_operation, circuit.place_of(circuit[*node]),
                        "over a range, `bound` does not follow what compilers may make of this")
          .help("ask about one input: `show spread(f, x) in accept(P)`");
    }
    circuit = circuit.compiled(asked.contracts, asked.reassociates, *outputs, conditions);
  }
  return Posed{std::move(circuit), std::move(*outputs), std::move(conditions),
               std::move(floats),  std::move(reals),    recorder->inputs()};
}

Diagnostic nothing_meets(const ir::Function& function) {
  return {code::check_signatures, function.span, "no input in these ranges meets the conditions"};
}

Expected<WorstCase> worst_case(ir::Module& module, const Asked& asked, const interp::EvaluateOptions& options) {
  const auto posed = pose(module, asked, options, false);
  if (!posed) return posed.error();
  const Circuit& circuit = posed->circuit;
  const Analysis analysis(asked, *posed);
  std::optional<WorstCase> out;
  // Elements that are one node are one case.
  std::map<NodeNumber, std::int64_t> distinct;
  for (std::size_t k = 0; k < posed->outputs.size(); ++k) {
    distinct.try_emplace(posed->outputs[k], static_cast<std::int64_t>(k));
  }
  for (const auto& [node, element] : distinct) {
    WorstCase found = analysis.of(node);
    if (found.empty) return nothing_meets(*asked.circuit);
    found.element = element;
    found.elements = posed->outputs.size();
    found.format = circuit[node].kind == Kind::difference ? circuit[circuit[node].first].format : circuit[node].format;
    const bool worse = !out || (!out->hindrance && (found.hindrance || found.error > out->error));
    if (worse) out = std::move(found);
  }
  out->inputs = posed->inputs;
  return std::move(*out);
}

}  // namespace reckon::worst
