#include "compilations/changes.h"

#include <algorithm>
#include <cmath>

#include "compilations/residues.h"
#include "numerics/split_mix.h"

namespace reckon::compilations {

using worst::Kind;
using worst::Node;

namespace {

/// Operations at one input of one node, and in all: some seconds.
constexpr std::uint64_t joins_of_one = 100'000, joins_of_all = 20'000'000;
/// Error terms that are looked at.
constexpr std::size_t most_terms = 64;

double unit(std::uint64_t& random) { return static_cast<double>(numerics::split_mix(random) >> 11) * 0x1p-53; }

/// Floats of the ranges: anywhere, of few bits, of smaller magnitudes, or near each other, so that sums cancel.
std::vector<double> inputs_of(const Draw& draw, std::uint64_t& random) {
  const std::uint64_t kind = numerics::split_mix(random) % 8;
  std::vector<double> out;
  for (std::size_t j = 0; j < draw.ranges.size(); ++j) {
    const auto [low, high] = draw.ranges[j];
    double value = low + (high - low) * unit(random);
    if (kind == 1) value = std::nearbyint(value * 8) / 8;
    if (kind == 2 && low <= 0 && high >= 0) value = std::ldexp(value, -static_cast<int>(numerics::split_mix(random) % 20));
    if (kind >= 5 && j > 0 && numerics::split_mix(random) % 2 == 0) {
      const double other = out[numerics::split_mix(random) % j];
      const double apart = std::ldexp(unit(random) - 0.5, -static_cast<int>(numerics::split_mix(random) % 24));
      value = kind == 5 ? other : other * (1 + apart);
    }
    value = *rounded(ir::Op::convert, draw.formats[j], std::clamp(value, low, high));
    if (value < low || value > high) value = *rounded(ir::Op::convert, draw.formats[j], low + (high - low) / 2);
    out.push_back(value);
  }
  return out;
}

/// How far a value is from what is written, over the larger of the two; NaN in the place of a number is furthest.
double distance(double written, double other) {
  if (is_same(written, other) || written == other) return 0;
  if (!std::isfinite(written) || !std::isfinite(other)) return 4;
  return std::fabs(written - other) / std::max(std::fabs(written), std::fabs(other));
}

bool adds(const Node& node) { return worst::is_sum(node) || worst::is_operation(node, ir::Op::fma); }

/// The sums that are 0 in real numbers, and do not only go into other sums that are.
std::vector<NodeNumber> error_terms(const Circuit& circuit, NodeNumber output) {
  const std::vector<std::uint8_t> zero = zeros_in_reals(circuit);
  std::vector<std::uint8_t> needed(output + 1, 0), outermost(output + 1, 0);
  needed[output] = outermost[output] = 1;
  for (NodeNumber k = output + 1; k-- > 0;) {
    if (needed[k] == 0) continue;
    const Node& node = circuit[k];
    const NodeNumber operands[] = {node.first, node.second, node.third};
    for (int i = 0; i < worst::arity(node); ++i) {
      needed[operands[i]] = 1;
      const bool part_of_sum = adds(node) || worst::is_operation(node, ir::Op::neg);
      if (zero[k] == 0 || !part_of_sum) outermost[operands[i]] = 1;
    }
  }
  std::vector<NodeNumber> out;
  for (NodeNumber k = 0; k <= output && out.size() < most_terms; ++k) {
    if (adds(circuit[k]) && needed[k] != 0 && outermost[k] != 0 && zero[k] != 0) out.push_back(k);
  }
  return out;
}

}  // namespace

Changes changes(const Circuit& circuit, NodeNumber output, const std::vector<std::string>& names,
                const Rewrites& rewrites, const Draw& draw, const std::atomic<bool>* interrupted) {
  Changes out;
  out.output.node = output;
  out.may_change = may_be_rewritten(circuit, output, rewrites);
  if (!out.may_change) return out;
  for (const NodeNumber term : error_terms(circuit, output)) out.error_terms.push_back({.node = term});
  std::vector<std::uint8_t> is_error(out.error_terms.size(), 0);
  std::uint64_t random = draw.seed;
  std::uint64_t joins = 0;
  // Whether the node is not 0 at these inputs, as it is written or otherwise.
  const auto look = [&](Change& change, const std::vector<double>& inputs) {
    const Results all = results(circuit, change.node, inputs, names, rewrites,
                                {.joins = joins_of_one, .interrupted = interrupted});
    joins += all.joins;
    const auto written = all.unknown ? std::nullopt : as_written(circuit, change.node, inputs);
    if (!written) {
      out.unknown = all.unknown ? all.unknown : std::optional(change.node);
      return false;
    }
    ++change.tried;
    if (all.complete) ++change.complete;
    bool differs = false;
    for (const Result& each : all.results) {
      const double now = distance(*written, each.value);
      differs |= now > 0;
      if (now <= change.distance) continue;
      change.distance = now;
      change.inputs = inputs;
      change.written = *written;
      change.other = each;
    }
    change.changed += differs ? 1 : 0;
    return *written != 0 || differs;
  };
  for (std::size_t k = 0; k < draw.count && !out.unknown; ++k) {
    if (joins > joins_of_all || (interrupted != nullptr && *interrupted)) break;
    const std::vector<double> inputs = inputs_of(draw, random);
    look(out.output, inputs);
    for (std::size_t t = 0; t < out.error_terms.size() && !out.unknown; ++t)
      is_error[t] |= look(out.error_terms[t], inputs) ? 1 : 0;
  }
  // What is 0 as a float, too, and stays so, holds no error.
  std::size_t t = 0;
  std::erase_if(out.error_terms, [&](const Change&) { return is_error[t++] == 0; });
  return out;
}

}  // namespace reckon::compilations
