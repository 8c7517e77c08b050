#include "api/compilations.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "api/told.h"
#include "compilations/changes.h"
#include "diagnostics/codes/interrupted.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "diagnostics/codes/unknown_semantics.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "driver/prepare.h"
#include "ir/bind.h"
#include "ir/passes/bottom_up.h"
#include "numerics/orders/orders.h"
#include "semantics/standard.h"

namespace reckon {

namespace {

using compilations::Rewrites;
using numerics::Format;
using told::decimal, told::Told;

std::string as_shown(double value, Format format) {
  return numerics::shortest_decimal(numerics::round_f64(value, format), format);
}

/// A circuit written out as scalars, and what compilers may do to it.
struct Written {
  worst::Circuit circuit;
  std::vector<worst::NodeNumber> outputs;
  std::vector<worst::Recorder::Input> inputs;
  std::vector<std::int64_t> shape;
  Rewrites rewrites;
};

Diagnostic without_profile(SourceSpan place, std::string_view question) {
  return Diagnostic(code::unknown_semantics, place,
                    fmt::format("`{}` asks what compilers may do, and no profile is named that says so", question))
      .help("name one that has `contract may` or `reassociate may`: `import \"profiles/compilers\"` and "
            "`in accept(compilers)`");
}

/// The places of the sums whose order is open; a problem if the set is smaller than all orders.
std::optional<Diagnostic> open_orders(ir::Module& module, const ir::Function& function, std::vector<SourceSpan>& out) {
  std::optional<Diagnostic> problem;
  ir::BottomUp(module, [&](ir::NodeId id, const ir::Node& node, std::vector<ir::NodeId> operands) {
    if (node.op == ir::Op::reduce || node.op == ir::Op::scan) {
      const ir::ScheduleId schedule = module.reduction_of(node).schedule;
      const ir::ScheduleOp set = module.schedules()[schedule].op;
      if (set == ir::ScheduleOp::any && node.op == ir::Op::reduce) {
        out.push_back(module.span(id));
      } else if (ir::is_set_of_orders(set)) {
        problem = Diagnostic(code::not_available, module.span(id),
                             fmt::format("compilations of a sum by `{}` are not followed", ir::schedule_text(module, schedule)))
                      .help("write `by any`, which holds these orders");
      }
    }
    return operands == node.operands ? id : module.rebuild(node, std::move(operands));
  }).run(function.body);
  return problem;
}

Expected<Written> written_out(Session::Implementation& self, const ir::Function& given, const ir::Dimensions& sizes,
                              const ir::Profile& profile) {
  ir::Module& module = self.session.module();
  const ir::Function settled = driver::settled_calls(module, given, interp::bounds()->traits());
  const ir::PlacesGuard placing(module, settled.places);
  Written out;
  out.rewrites = {.contract = profile.contracts(), .reassociate = profile.reassociates()};
  if (!profile.reassociates()) {
    if (auto problem = open_orders(module, settled, out.rewrites.any_order)) return *problem;
  }
  const ir::Function function = ir::resolve_orders(module, settled, ir::Laws{ir::Law::any_order_encloses});
  auto shapes = worst::shapes_of(module, function, sizes);
  if (!shapes) return shapes.error();
  auto recorder = worst::Recorder::make(module, function, *shapes, interp::bounds()->traits().closed_numbers);
  if (!recorder) return recorder.error();
  recorder->follow_steps(true);
  auto outputs = recorder->add(module, function, sizes, self.evaluate_options());
  if (!outputs) return outputs.error();
  out.circuit = std::move(recorder->circuit());
  out.circuit.reduce(*outputs);
  out.outputs = std::move(*outputs);
  out.inputs = recorder->inputs();
  const ir::Type& type = module.types()[function.result];
  if (type.kind != ir::TypeKind::tuple) {
    for (const ir::IndexId extent : type.extents)
      out.shape.push_back(module.indices().evaluate(extent, {sizes, {}}).value_or(0));
  }
  for (const worst::Node& node : out.circuit.nodes()) {
    if (numerics::has_orders(node.format)) continue;
    return Diagnostic(code::not_available, out.circuit.place_of(node),
                      fmt::format("compilations are followed in f64, f32, f16 and bf16, and this is `{}`",
                                  numerics::traits(node.format).name));
  }
  return out;
}

Diagnostic not_followed(const worst::Circuit& circuit, worst::NodeNumber node) {
  const worst::Node& unknown = circuit[node];
  const bool operation = unknown.kind == worst::Kind::operation;
  return Diagnostic(code::unsupported_operation, circuit.place_of(unknown),
                    operation ? fmt::format("compilations of `{}` are not followed", ir::traits(unknown.op).spelling)
                              : std::string("compilations of this accumulator are not followed"))
      .help("`show f(x) in accept(P)` encloses what they give");
}

/// All results of each element.
struct Answers {
  Written written;
  std::vector<compilations::Results> elements;
  std::vector<double> targets;  ///< of `attains`
};

Expected<Answers> answers(Session::Implementation& self, const frontend::ElaboratedItem& item,
                          const ir::Profile& profile) {
  const auto& question = std::get<frontend::Question>(*item.value);
  auto written = written_out(self, question.function, {}, profile);
  if (!written) return written.error();
  Answers out{std::move(*written), {}, {}};
  for (const worst::NodeNumber node : out.written.outputs) {
    out.elements.push_back(compilations::results(out.written.circuit, node, {}, {}, out.written.rewrites,
                                                 {.interrupted = &self.interrupted}));
    if (!out.elements.back().complete && !question.target) {
      constexpr std::uint64_t joins_of_extremes = 300'000'000;
      auto ends = compilations::results(out.written.circuit, node, {}, {}, out.written.rewrites,
                                        {.joins = joins_of_extremes, .extremes = true, .interrupted = &self.interrupted});
      if (ends.complete) out.elements.back() = std::move(ends);
    }
    if (const auto unknown = out.elements.back().unknown) return not_followed(out.written.circuit, *unknown);
    if (self.interrupted) return Diagnostic(code::interrupted, item.span, "interrupted");
  }
  if (!question.target) return out;
  const auto floats = self.semantics(std::string(interp::usual_semantics), item.span);
  if (!floats) return floats.error();
  auto values = self.evaluated(*question.target, **floats, {}, {});
  if (!values) return values.error();
  const ir::HostTensor targets = values->front().host(**floats);
  if (!targets.shape.empty() && targets.shape != out.written.shape) {
    return Diagnostic(code::shape_mismatch, question.span,
                      fmt::format("the values asked for have the shape [{}], and the circuit's result has [{}]",
                                  fmt::join(targets.shape, ", "), fmt::join(out.written.shape, ", ")))
        .help("give one number for all elements, or a tensor of the result's shape");
  }
  for (std::size_t k = 0; k < out.elements.size(); ++k) {
    const std::int64_t at = targets.shape.empty() ? 0 : static_cast<std::int64_t>(k);
    out.targets.push_back(numerics::widen(targets.bits(at), ir::format_of(targets.scalar)));
  }
  return out;
}

std::string counted_results(const compilations::Results& found) {
  const std::size_t count = found.results.size();
  return fmt::format("{} result{}", count, count == 1 ? "" : "s");
}

Number spread_number(const compilations::Results& found, Format format, const ir::Profile& profile, bool alone) {
  std::vector<const compilations::Result*> numbers;
  const compilations::Result* nan = nullptr;
  for (const compilations::Result& each : found.results) {
    if (std::isnan(each.value)) nan = &each;
    else numbers.push_back(&each);
  }
  const auto text = [&](double value) { return as_shown(value, format); };
  const auto bits = [&](double value) {
    return numerics::bit_digits(numerics::round_f64(value, format), format);
  };
  Number out;
  out.forms = {{"profile", profile.name},
               {"exact", found.complete ? "true" : "false"},
               {"results", std::to_string(found.results.size())},
               {"nan", nan == nullptr ? "no" : numbers.empty() ? "always" : "yes"}};
  for (const auto& [name, each] : {std::pair("lo", numbers.empty() ? nullptr : numbers.front()),
                                   std::pair("hi", numbers.empty() ? nullptr : numbers.back())}) {
    if (each == nullptr) continue;
    out.forms.emplace_back(name, numerics::hexadecimal(numerics::round_f64(each->value, format), format));
    out.forms.emplace_back(fmt::format("{}_bits", name), bits(each->value));
    out.forms.emplace_back(fmt::format("{}_witness", name), each->expression);
  }
  if (numbers.empty()) out.text = found.results.empty() ? "nothing was found" : "nan";
  else out.text = text(numbers.front()->value);
  if (numbers.size() > 1) out.text += " .. " + text(numbers.back()->value);
  if (!alone) {
    if (nan != nullptr && !numbers.empty()) out.text += " or nan";
    return out;
  }
  const std::string type(numerics::traits(format).name);
  if (!numbers.empty()) {
    out.text += fmt::format("  {}#{}", type, bits(numbers.front()->value));
    if (numbers.size() > 1) out.text += fmt::format(" .. {}#{}", type, bits(numbers.back()->value));
  }
  if (found.extremes && numbers.size() > 1) {
    out.text += fmt::format("  (exact, all compilations by `{}`)", profile.name);
  } else if (!found.complete) {
    out.text += fmt::format("  (found, {}; there may be more: `in accept({})` encloses them)", counted_results(found), profile.name);
  } else if (found.results.size() == 1) {
    out.text += fmt::format("  (exact, the same in all compilations by `{}`)", profile.name);
  } else {
    out.text += fmt::format("  (exact, {} of all compilations by `{}`{})", counted_results(found), profile.name,
                            nan != nullptr ? ", nan in some" : "");
  }
  if (found.results.size() < 2) return out;
  for (const compilations::Result* each : {numbers.empty() ? nullptr : numbers.front(),
                                           numbers.size() < 2 ? nullptr : numbers.back(), nan}) {
    if (each != nullptr) out.text += fmt::format("\n  {} by {}", text(each->value), each->expression);
  }
  return out;
}

const compilations::Result* attained(const compilations::Results& found, double target) {
  for (const compilations::Result& each : found.results) {
    if (compilations::is_same(each.value, target)) return &each;
  }
  return nullptr;
}
std::string_view possibility(const compilations::Results& found, double target) {
  return attained(found, target) != nullptr ? "yes" : found.complete ? "no" : "unknown";
}
std::string reason(const compilations::Results& found, double target, const ir::Profile& profile) {
  if (const auto* result = attained(found, target)) return "by " + result->expression;
  return found.complete ? fmt::format("none of the {} of all compilations by `{}`", counted_results(found), profile.name)
                        : fmt::format("neither found nor excluded among the compilations by `{}`", profile.name);
}

}  // namespace

std::shared_ptr<const ir::Profile> rewriting_profile(Session::Implementation& self,
                                                     const frontend::ElaboratedItem& item) {
  std::shared_ptr<const ir::Profile> profile;
  if (item.semantics) {
    profile = item.semantics->profile;
  } else if (const auto name = split_semantics(self.options.semantics); interp::takes_profile(name.name)) {
    if (auto found = self.session.profile(name.arguments.empty() ? "" : name.arguments.front(), item.span))
      profile = *found;
  }
  return profile != nullptr && profile->rewrites() ? profile : nullptr;
}

Expected<std::vector<Shown>> shown_results(Session::Implementation& self, const frontend::ElaboratedItem& item,
                                           const ir::Profile& profile) {
  const auto found = answers(self, item, profile);
  if (!found) return found.error();
  const bool spread = found->targets.empty() && !std::get<frontend::Question>(*item.value).target;
  Shown out;
  out.semantics = fmt::format("accept({})", profile.name);
  out.shape = found->written.shape;
  out.is_scalar = out.shape.empty();
  std::vector<Number> numbers;
  for (std::size_t k = 0; k < found->elements.size(); ++k) {
    const compilations::Results& element = found->elements[k];
    const Format format = found->written.circuit[found->written.outputs[k]].format;
    if (spread) {
      out.type = numerics::traits(format).name;
      numbers.push_back(spread_number(element, format, profile, out.is_scalar));
      continue;
    }
    out.type = "answer";
    const double target = found->targets[k];
    Number number;
    number.text = possibility(element, target);
    number.forms = {{"value", number.text}, {"profile", profile.name}};
    if (const auto* result = attained(element, target)) number.forms.emplace_back("witness", result->expression);
    const bool yes = attained(element, target) != nullptr;
    const std::string why = reason(element, target, profile);
    if (out.is_scalar) number.text += yes ? ", " + why : "  (" + why + ")";
    numbers.push_back(std::move(number));
  }
  out.numbers = std::move(numbers);
  return std::vector<Shown>{std::move(out)};
}

Event checked_results(Session::Implementation& self, const frontend::ElaboratedItem& item, const ir::Profile& profile) {
  const auto found = answers(self, item, profile);
  if (!found) return self.messages(found.error());
  Checked out;
  out.text = item.text;
  out.given = {item.given, item.label};
  out.semantics = fmt::format("accept({})", profile.name);
  out.strength = "proved";
  bool all = !found->elements.empty(), none = false;
  for (std::size_t k = 0; k < found->elements.size(); ++k) {
    const std::string_view answer = possibility(found->elements[k], found->targets[k]);
    all = all && answer == "yes";
    none = none || answer == "no";
    if (found->elements.size() == 1 || answer != "yes") {
      const std::string element = found->elements.size() == 1 ? "" : fmt::format("the element numbered {}: ", k);
      if (out.notes.size() < 4) out.notes.push_back(element + reason(found->elements[k], found->targets[k], profile));
    }
  }
  out.verdict = all ? "holds" : none ? "fails" : "undecided";
  return out;
}

namespace {

/// What compilers change in one element of a circuit, over ranges.
struct Looked {
  Written written;
  std::vector<compilations::Changes> elements;
  ir::Dimensions sizes;
  std::vector<std::string> ranges;  ///< `x: -1..1`, of the parameters
};

Expected<Looked> looked_at(Session::Implementation& self, const frontend::ElaboratedItem& item,
                           const ir::Function& function, const ir::Profile& profile) {
  ir::Dimensions sizes;
  for (const frontend::SizeClause& each : item.sizes) sizes[each.dimension] = each.values.front();
  constexpr std::int64_t usual_size = 4;
  for (const ir::SymbolId each : function.dimensions) sizes.try_emplace(each, usual_size);
  auto written = written_out(self, function, sizes, profile);
  if (!written) return written.error();
  compilations::Draw draw;
  if (item.seed) draw.seed = static_cast<std::uint64_t>(*item.seed);
  if (item.trials) draw.count = static_cast<std::size_t>(*item.trials);
  std::vector<std::string> names;
  const Told told(self.sources, self.session.module(), function, written->inputs);
  for (std::size_t j = 0; j < written->inputs.size(); ++j) {
    std::pair<double, double> range{-1, 1};
    for (const frontend::RangeClause& each : item.ranges) {
      if (each.parameter != written->inputs[j].parameter) continue;
      range = {each.low.get_d(), each.high.get_d()};
    }
    draw.ranges.push_back(range);
    draw.formats.push_back(told.format(j));
    names.push_back(told.name(j));
  }
  Looked out{std::move(*written), {}, sizes, {}};
  for (std::size_t p = 0; p < function.parameters.size(); ++p) {
    const auto found = std::ranges::find(item.ranges, p, &frontend::RangeClause::parameter);
    const std::string name(self.session.module().name(function.parameters[p].name));
    out.ranges.push_back(found == item.ranges.end()
                             ? name + ": -1..1"
                             : fmt::format("{}: {}..{}", name, found->low.get_str(), found->high.get_str()));
  }
  for (const worst::NodeNumber node : out.written.outputs) {
    out.elements.push_back(
        compilations::changes(out.written.circuit, node, names, out.written.rewrites, draw, &self.interrupted));
    if (const auto unknown = out.elements.back().unknown) return not_followed(out.written.circuit, *unknown);
    if (self.interrupted) return Diagnostic(code::interrupted, item.span, "interrupted");
  }
  return out;
}

/// `0 as written, 1.2e-17 by fma(x, y, -(x * y)), at x = 0.3, y = 0.7`.
std::string difference(const Told& told, const compilations::Change& change, Format format) {
  worst::Point point;
  point.floats = change.inputs;
  return fmt::format("{} as written, {} by {}, at {}", as_shown(change.written, format),
                     as_shown(change.other.value, format), change.other.expression, told.point(point));
}

/// The element whose results change most.
std::size_t worst_element(const std::vector<compilations::Changes>& elements) {
  std::size_t out = 0;
  for (std::size_t k = 1; k < elements.size(); ++k) {
    if (elements[k].output.distance > elements[out].output.distance) out = k;
  }
  return out;
}

std::string where_changed(const compilations::Change& change) {
  return fmt::format("at {} of {} inputs", change.changed, change.tried);
}
/// Of a value that did not change.
std::string where_kept(const compilations::Change& change) {
  const std::string inputs = check::counted(static_cast<std::int64_t>(change.tried), "input");
  if (change.complete == change.tried) return fmt::format("in all compilations, at {}", inputs);
  return fmt::format("in the compilations that were looked at, at {}: there are too many to look at all of them", inputs);
}

}  // namespace

Expected<std::vector<Shown>> shown_rewrites(Session::Implementation& self, const frontend::ElaboratedItem& item) {
  const auto& question = std::get<frontend::Question>(*item.value);
  const auto profile = rewriting_profile(self, item);
  if (profile == nullptr) return without_profile(question.span, "rewrites");
  const auto found = looked_at(self, item, question.function, *profile);
  if (!found) return found.error();
  const Told told(self.sources, self.session.module(), question.function, found->written.inputs);
  const worst::Circuit& circuit = found->written.circuit;
  Shown out;
  out.semantics = fmt::format("accept({})", profile->name);
  out.type = "rewrites";
  Number number;
  told::Json terms = told::Json::array();
  if (found->elements.empty()) return without_profile(question.span, "rewrites");
  const std::size_t worst = worst_element(found->elements);
  const compilations::Changes& changes = found->elements[worst];
  const compilations::Change& output = changes.output;
  if (!changes.may_change) {
    number.text = fmt::format("nothing to rewrite by `{}`: the result has the same bits in all compilations", profile->name);
  } else if (output.changed == 0) {
    number.text = fmt::format("the same bits {}", where_kept(output));
  } else {
    number.text = fmt::format("other bits {}: {}", where_changed(output), difference(told, output, circuit[output.node].format));
  }
  for (const compilations::Change& term : changes.error_terms) {
    const Format format = circuit[term.node].format;
    const std::string place = told.quoted(circuit.place_of(circuit[term.node]));
    told::Json one = told.place_json(circuit.place_of(circuit[term.node]));
    one["destroyed"] = term.changed > 0;
    if (term.changed > 0 && term.node == output.node) {
      number.text += fmt::format("\n    destroyed  the result is an error term, {}", place);
    } else if (term.changed > 0) {
      one["witness"] = term.other.expression;
      number.text += fmt::format("\n    destroyed  the error term {}, {}: {}", place, where_changed(term), difference(told, term, format));
    } else {
      number.text += fmt::format("\n    kept       the error term {}, {}", place, where_kept(term));
    }
    terms.push_back(std::move(one));
  }
  number.forms = {{"profile", profile->name},
                  {"changed", std::to_string(output.changed)},
                  {"tried", std::to_string(output.tried)},
                  {"error_terms", terms.dump()}};
  if (output.changed > 0) number.forms.emplace_back("witness", output.other.expression);
  out.numbers = std::vector{std::move(number)};
  return std::vector<Shown>{std::move(out)};
}

Expected<check::Outcome> unchanged(Session::Implementation& self, const frontend::ElaboratedItem& item) {
  const auto profile = rewriting_profile(self, item);
  if (profile == nullptr) return without_profile(item.span, "unchanged");
  const auto found = looked_at(self, item, *item.left, *profile);
  if (!found) return found.error();
  const Told told(self.sources, self.session.module(), *item.left, found->written.inputs);
  check::Outcome out{.verdict = check::Verdict::holds, .strength = check::Strength::proved};
  out.semantics = fmt::format("accept({})", profile->name);
  if (found->elements.empty()) return out;
  if (!found->sizes.empty()) out.evidence.push_back(check::sizes_fact(self.session.module(), {found->sizes}));
  const std::size_t worst = worst_element(found->elements);
  const compilations::Change& output = found->elements[worst].output;
  bool anything = false;
  std::size_t fewest = output.complete;
  for (const compilations::Changes& each : found->elements) {
    anything |= each.may_change;
    if (each.may_change) fewest = std::min(fewest, each.output.complete);
  }
  if (!anything) {
    const std::string why = "nothing to rewrite";
    out.evidence.push_back({"nothing_to_rewrite", true, why});
    return out;
  }
  const Format format = found->written.circuit[output.node].format;
  if (output.changed > 0) {
    out.verdict = check::Verdict::fails;
    check::Counterexample example;
    for (std::size_t j = 0; j < output.inputs.size() && j < told::shown_inputs; ++j) {
      const std::string value = decimal(output.inputs[j], told.format(j));
      example.inputs.push_back({told.name(j), value, {}, 0});
    }
    if (found->elements.size() > 1) example.element = {static_cast<std::int64_t>(worst)};
    const auto side = [&](double value) -> interp::Rendering {
      const std::string text = as_shown(value, format);
      return {text, {{"value", text}, {"hex", numerics::hexadecimal(numerics::round_f64(value, format), format)}}};
    };
    example.left = side(output.written);
    example.right = side(output.other.value);
    out.counterexample = std::move(example);
    out.notes.push_back(fmt::format("the left side is as written, and the right one is {}", output.other.expression));
    return out;
  }
  out.strength = check::Strength::observed;
  if (fewest == 0) out.verdict = check::Verdict::undecided;
  const auto tried = static_cast<std::int64_t>(fewest);
  out.evidence.push_back({"ranges", found->ranges, fmt::format("points of {}", fmt::join(found->ranges, ", "))});
  out.evidence.push_back({"inputs", tried, fmt::format("all compilations at {}", check::counted(tried, "input"))});
  if (fewest == 0) out.notes.emplace_back("there are too many compilations to look at: ask at smaller sizes");
  return out;
}

}  // namespace reckon
