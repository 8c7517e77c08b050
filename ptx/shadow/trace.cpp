#include "ptx/shadow/trace.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace reckon::ptx {

using numerics::Format;

Trace::Trace(std::size_t most) : known_(16, Hash{this}, Same{this}), most_(most) { nodes_.emplace_back(); }

std::size_t Trace::Hash::operator()(std::uint32_t id) const {
  const TraceNode& node = trace->nodes_[id];
  std::uint64_t hash = static_cast<std::uint64_t>(node.kind) | static_cast<std::uint64_t>(node.act) << 8 |
                       static_cast<std::uint64_t>(node.format) << 16 | static_cast<std::uint64_t>(node.from) << 24;
  for (const std::uint32_t word : {node.a, node.b, node.c}) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

std::uint32_t Trace::add(const TraceNode& node) {
  nodes_.push_back(node);
  const auto id = static_cast<std::uint32_t>(nodes_.size() - 1);
  const auto [at, is_new] = known_.insert(id);
  if (!is_new) nodes_.pop_back();
  return *at;
}

std::uint32_t Trace::input(std::uint32_t argument, std::uint64_t element, Format format) {
  TraceNode node;
  node.kind = TraceNode::Kind::input;
  node.format = format;
  node.a = argument;
  node.b = static_cast<std::uint32_t>(element);
  node.c = static_cast<std::uint32_t>(element >> 32);
  // Each element is asked for once.
  nodes_.push_back(node);
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t Trace::constant(std::uint64_t bits, Format format) {
  TraceNode node;
  node.kind = TraceNode::Kind::constant;
  node.format = format;
  node.b = static_cast<std::uint32_t>(bits);
  node.c = static_cast<std::uint32_t>(bits >> 32);
  return add(node);
}

std::uint32_t Trace::id_of(const Number& number, Format format) {
  return number.id != 0 ? number.id : constant(number.bits, format);
}

/// What numbers that are known become; nothing for operations that are seldom carried out on such.
template <class T, class W>
std::optional<std::uint64_t> folded(Act act, std::span<const Number> operands) {
  T x[3]{};
  for (std::size_t k = 0; k < operands.size(); ++k) x[k] = std::bit_cast<T>(static_cast<W>(operands[k].bits));
  T out = 0;
  switch (act) {
    case Act::add: out = x[0] + x[1]; break;
    case Act::sub: out = x[0] - x[1]; break;
    case Act::mul: out = x[0] * x[1]; break;
    case Act::div: out = x[0] / x[1]; break;
    case Act::rcp: out = 1 / x[0]; break;
    case Act::fma: out = std::fma(x[0], x[1], x[2]); break;
    default: return std::nullopt;
  }
  if (out != out) return std::nullopt;
  return std::bit_cast<W>(out);
}

Number Trace::apply(const FloatAct& act, std::span<const Number> operands) {
  if (!failure().empty()) return {};
  const bool known = std::all_of(operands.begin(), operands.end(), [](const Number& one) { return one.id == 0; });
  if (known && act.plain && !act.atomic && (act.format == Format::f32 || act.format == Format::f64)) {
    const auto bits = act.format == Format::f32 ? folded<float, std::uint32_t>(act.act, operands)
                                                : folded<double, std::uint64_t>(act.act, operands);
    // The register holds it, and so it stays a number that is known.
    if (bits) return {*bits, 0};
  }
  TraceNode node;
  node.kind = TraceNode::Kind::act;
  node.act = act.act;
  node.format = act.format == Format::tf32 ? Format::f32 : act.format;
  node.from = act.act == Act::convert ? act.from : act.format;
  node.plain = act.plain && act.format != Format::tf32;
  node.atomic = act.atomic;
  node.operands = static_cast<std::uint8_t>(operands.size());
  std::uint32_t ids[3]{};
  for (std::size_t k = 0; k < operands.size(); ++k) ids[k] = id_of(operands[k], node.from);
  const bool commutes = act.act == Act::add || act.act == Act::mul || act.act == Act::min || act.act == Act::max ||
                        act.act == Act::minnum || act.act == Act::maxnum || act.act == Act::fma;
  // The old number of an atomic stands first.
  if (commutes && !act.atomic && ids[0] > ids[1]) std::swap(ids[0], ids[1]);
  node.a = ids[0];
  node.b = ids[1];
  node.c = ids[2];
  return {0, add(node)};
}

Number Trace::dot(const DotAct& act, Number sums, std::span<const Number> x, std::span<const Number> y) {
  if (!failure().empty()) return {};
  model_ = act.model;
  std::uint32_t sum = id_of(sums, act.sums);
  const auto length = static_cast<std::size_t>(std::max(act.length, 1));
  const auto own = [](Format format) { return format == Format::tf32 ? Format::f32 : format; };
  for (std::size_t first = 0; first < x.size(); first += length) {
    TraceNode node;
    node.kind = TraceNode::Kind::act;
    node.act = Act::dot;
    node.format = act.sums;
    node.from = act.x;
    node.operands = 1;
    node.a = sum;
    node.b = static_cast<std::uint32_t>(factors_.size());
    const std::size_t count = std::min(length, x.size() - first);
    node.c = static_cast<std::uint32_t>(2 * count);
    for (std::size_t k = first; k < first + count; ++k) {
      factors_.push_back(id_of(x[k], own(act.x)));
      factors_.push_back(id_of(y[k], own(act.y)));
    }
    nodes_.push_back(node);
    sum = static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  return {0, sum};
}

std::string_view Trace::failure() const {
  return nodes_.size() + factors_.size() / 2 <= most_ ? std::string_view{}
                                                      : "the kernel computes more numbers than a trace has room for";
}

}  // namespace reckon::ptx
