#include "worst/box_bound.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "ir/function_of.h"
#include "worst/rounding.h"

namespace reckon::worst {

using ir::Op;

std::string_view reason_text(Reason reason) {
  constexpr std::string_view texts[] = {"the divisor may be 0", "the operand may lie outside of the function's domain",
                                        "the result may overflow", "the derivative is not bounded",
                                        "the analysis has no rule for this operation"};
  return texts[static_cast<int>(reason)];
}

BoxBounds::BoxBounds(const Circuit& circuit, NodeNumber output, const Question& question, const Box& inputs, bool forms)
    : circuit_(circuit),
      output_(output),
      question_(question),
      with_forms_(forms),
      forms_(forms ? circuit.input_count() : 0),
      facts_at_(circuit.nodes().size()),
      adjoints_(circuit.nodes().size()),
      reached_(circuit.nodes().size()),
      total_(forms_.stride()),
      scratch_(3 * forms_.stride()),
      scores_(forms ? circuit.input_count() : 0),
      parts_(forms ? circuit.input_count() : 0),
      exact_inputs_(circuit.input_count()),
      varies_(circuit.nodes().size()) {
  if (circuit.has_conditions()) reasons_.resize(circuit.nodes().size());
  look_at(inputs);
  const auto is_plain = [](const Node& node) {
    if (node.kind != Kind::operation) return true;
    const Op op = node.op;
    return op == Op::add || op == Op::sub || op == Op::mul || op == Op::fma || op == Op::neg || op == Op::convert;
  };
  has_more_ = forms || !std::ranges::all_of(circuit.nodes(), is_plain);
  // Forms and causes are each node's own, and short circuits have many boxes.
  if (forms || circuit.has_conditions()) {
    std::iota(facts_at_.begin(), facts_at_.end(), NodeNumber{0});
    facts_.resize(facts_at_.size());
    if (has_more_) more_.resize(facts_at_.size());
  }
  // An elementary function has its value and two derivatives enclosed.
  constexpr double of_function = 500;
  cost_ = static_cast<double>(circuit.nodes().size()) * static_cast<double>(8 + 2 * forms_.stride());
  for (const Node& node : circuit.nodes()) {
    if (node.kind == Kind::operation && (ir::function_of(node.op) || ir::binary_function_of(node.op)))
      cost_ += of_function;
  }
  if (!with_forms_) return;
  assert(circuit.input_count() <= 64);
  for (NodeNumber number = 0; number < circuit.nodes().size(); ++number) {
    const Node& node = circuit[number];
    const NodeNumber operands[] = {node.first, node.second, node.third};
    std::uint64_t mask = node.kind == Kind::input ? std::uint64_t{1} << node.first : 0;
    for (int k = 0; k < arity(node); ++k) mask |= depends_on_[operands[k]];
    if (node.kind == Kind::operation && node.op == Op::select) {
      circuit.visit_compared(node.third, [&](NodeNumber compared) { mask |= depends_on_[compared]; });
    }
    depends_on_.push_back(mask);
  }
  const std::size_t all = circuit.nodes().size() * forms_.stride();
  values_.resize(all);
  slopes_.resize(all);
  adjoint_forms_.resize(all);
}

void BoxBounds::look_at(const Box& inputs) {
  if (with_forms_) inputs_ = inputs;
  for (NodeNumber number = 0; number < circuit_.nodes().size(); ++number) {
    const Node& node = circuit_[number];
    const NodeNumber operands[] = {node.first, node.second, node.third};
    varies_[number] = 0;
    for (int k = 0; k < arity(node); ++k) varies_[number] |= varies_[operands[k]];
    if (node.kind == Kind::operation && node.op == Op::select) {
      circuit_.visit_compared(node.third, [&](NodeNumber compared) { varies_[number] |= varies_[compared]; });
    }
    if (node.kind != Kind::input) continue;
    const Interval& range = inputs[node.first];
    varies_[number] = is_point(range) ? 0 : 1;
    exact_inputs_[node.first] =
        is_point(range) && numerics::widen(numerics::round_f64(range.low, node.format), node.format) == range.low;
  }
}

BoxBound BoxBounds::bound(const Box& box) {
  has_error_form_ = false;
  const auto count = static_cast<NodeNumber>(circuit_.nodes().size());
  const bool selects = circuit_.has_conditions();
  if (!with_forms_ && !selects) share_facts(box);
  NodeNumber computed = 0;  // so many places, and those of a node are taken in order
  for (NodeNumber number = 0; number < count; ++number) {
    if (facts_at_[number] < computed) continue;
    ++computed;
    if (selects && inherits_cause(number)) continue;
    const auto problem = node(number, box);
    if (!problem) continue;
    if (!selects) return {.obstacle = Obstacle{number, *problem}};
    facts_of(number).cause = number + 1;
    reasons_[number] = *problem;
  }
  for (const std::uint32_t condition : question_.conditions) {
    bool known = true;
    circuit_.visit_compared(condition, [&](NodeNumber compared) { known = known && facts_of(compared).cause == 0; });
    if (known && decided(condition).reals == interp::Truth::no) return {.excluded = true};
  }
  if (const NodeNumber cause = facts_of(output_).cause; cause != 0) {
    return {.obstacle = Obstacle{cause - 1, reasons_[cause - 1]}};
  }
  differentiate();
  return total();
}

std::optional<Reason> BoxBounds::node(NodeNumber number, const Box& box) {
  switch (circuit_[number].kind) {
    case Kind::input: return input(number, box);
    case Kind::constant: constant(number); return std::nullopt;
    case Kind::residual: {
      const double left_out = facts_of(circuit_[number].first).made;
      facts_of(number) = {.floats = {-left_out, left_out}, .drift = left_out};
      facts_of(number).place = last_place(0, circuit_[number].format);
      if (with_forms_) forms_.set(form(number), 0, 0);
      return std::nullopt;
    }
    case Kind::flushed: flush(number); return std::nullopt;
    case Kind::block: return block(number);
    case Kind::exact:
    case Kind::difference:
    case Kind::operation: return operation(number);
  }
  return std::nullopt;
}

/// The sum of |a| (e + r) over all nodes, and the errors of constants, whose signs are known.
BoxBound BoxBounds::total() {
  BoxBound out{.value = facts_of(output_).value, .drift = facts_of(output_).drift};
  std::fill(total_.begin(), total_.end(), 0.0);
  double sum = 0;
  Interval known{0, 0};
  double* known_form = scratch_.data();
  if (with_forms_) std::fill_n(known_form, forms_.stride(), 0.0);
  if (question_.with_value) {
    known = out.value;
    if (with_forms_) forms_.copy(known_form, form(output_));
  }
  for (NodeNumber number = 0; number <= output_; ++number) {
    if (reached_[number] == 0) continue;
    const Facts& facts = facts_of(number);
    if (circuit_[number].kind == Kind::constant) {
      const Ends& error = circuit_.constant_of(circuit_[number]).error;
      if (error.low == 0 && error.high == 0) continue;
      const Interval product = rules_.mul({error.low, error.high}, adjoints_[number]);
      known = rules_.add(known, product);
      if (!with_forms_) continue;
      const double* range = form_of({error.low, error.high});
      double* scaled = scratch_.data() + 2 * forms_.stride();
      forms_.mul(scaled, range, adjoint_form(number));
      forms_.add(known_form, known_form, scaled);
    } else if (facts.made > 0) {
      add_magnitude(adjoints_[number], with_forms_ ? adjoint_form(number) : nullptr, facts.made, sum);
    }
  }
  if (known.low != 0 || known.high != 0) {
    known = narrowed(known, known_form);
    add_magnitude(known, with_forms_ ? known_form : nullptr, 1, sum);
  }
  out.error = std::min(sum, question_.with_value ? add_up(magnitude(out.value), out.drift) : out.drift);
  if (with_forms_ && forms_.known(total_.data())) {
    has_error_form_ = true;
    out.error = std::min(out.error, std::max(forms_.upper(total_.data()), 0.0));
  }
  if (!std::isfinite(out.error)) out.obstacle = Obstacle{output_, Reason::unbounded};
  return out;
}

/// |a| for a in [low, high] is at most the chord from (low, |low|) to (high, |high|), which keeps what a has in common
/// with the other terms.
void BoxBounds::add_magnitude(const Interval& range, const double* form, double weight, double& sum) {
  sum = add_up(sum, mul_up(weight, magnitude(range)));
  if (!with_forms_ || !forms_.known(total_.data())) return;
  if (!forms_.known(form)) {
    if (!is_bounded(range)) return forms_.set_unknown(total_.data());
    return forms_.shift(total_.data(), mul_up(weight, magnitude(range)), 0);
  }
  double slope = 1, above = 0;
  if (range.high <= 0) {
    slope = -1;
  } else if (range.low < 0) {
    slope = (range.high + range.low) / (range.high - range.low);
    above = std::max(add_up(-range.low, mul_up(-slope, range.low)), add_up(range.high, mul_up(-slope, range.high)));
    above = std::max(above, 0.0);
  }
  const double factor = slope * weight;
  forms_.accumulate(total_.data(), form, factor);
  // The factor is off by its rounding.
  const double reach = std::fabs(form[0]) + forms_.radius(form);
  const double error = 2 * Forms::unit * std::fabs(factor) * reach;
  forms_.shift(total_.data(), mul_up(weight, above), error);
}

double BoxBounds::share(NodeNumber node) const {
  if (reached_[node] == 0) return 0;
  double made = facts_of(node).made;
  if (circuit_[node].kind == Kind::constant) {
    const Ends& error = circuit_.constant_of(circuit_[node]).error;
    made = std::max(std::fabs(error.low), std::fabs(error.high));
  }
  return mul_up(made, magnitude(adjoints_[node]));
}

/// A cut pays where derivatives change over the box, and where a rounding is coarser in one part than in another. What
/// no symbol accounts for is shared among the inputs on which the node depends, by how much of their ranges is left.
const std::vector<double>& BoxBounds::cut_scores(const Box& box) {
  std::fill(scores_.begin(), scores_.end(), 0.0);
  for (std::size_t j = 0; j < box.size(); ++j) {
    const double whole = inputs_[j].high - inputs_[j].low;
    parts_[j] = whole > 0 ? (box[j].high - box[j].low) / whole : 0;
  }
  const auto share = [&](NodeNumber number, const double* form, double amount, double of) {
    if (!(amount > 0) || !std::isfinite(amount)) return;
    double parts = 0, rest = of;
    for (std::size_t j = 0; j < box.size(); ++j) {
      if ((depends_on_[number] >> j & 1) != 0) parts += parts_[j];
    }
    if (forms_.known(form)) {
      rest = std::min(forms_.rest(form), of);
      for (std::size_t j = 0; j < box.size(); ++j) scores_[j] += amount * (std::fabs(form[j + 1]) / of);
    }
    if (!(parts > 0)) return;
    for (std::size_t j = 0; j < box.size(); ++j) {
      if ((depends_on_[number] >> j & 1) != 0) scores_[j] += amount * (rest / of) * (parts_[j] / parts);
    }
  };
  for (NodeNumber number = 0; number <= output_; ++number) {
    const Facts& facts = facts_of(number);
    if (reached_[number] == 0 || facts.made == 0) continue;
    const double width = adjoints_[number].high - adjoints_[number].low;
    if (width > 0) share(number, adjoint_form(number), facts.made * width, width);
    const double range = facts.value.high - facts.value.low;
    if (range > 0) share(number, form(number), more_of(number).cut_by * magnitude(adjoints_[number]), range);
  }
  const double range = facts_of(output_).value.high - facts_of(output_).value.low;
  if (question_.with_value && range > 0) share(output_, form(output_), range, range);
  return scores_;
}

}  // namespace reckon::worst
