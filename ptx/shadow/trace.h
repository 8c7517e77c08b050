// The circuit of a launch: a node for each number that the kernel computes from its arguments.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "ptx/shadow/values.h"

namespace reckon::ptx {

/// A node of a trace. Operands come before what is made of them. Nodes are shared: two that compute the same of the
/// same operands are one; the operands of sums, products and extremes stand in the order of their numbers.
struct TraceNode {
  enum class Kind : std::uint8_t { input, constant, act };
  Kind kind{};
  Act act{};
  numerics::Format format{}, from{};
  bool plain = true;
  bool atomic = false;
  std::uint8_t operands = 0;
  /// Of an act: its operands, of a dot the sum, the first of its factors in Trace::factors, and their number. Of an
  /// input: the argument, and the element in two words. Of a constant: its bits in two words.
  std::uint32_t a = 0, b = 0, c = 0;

  std::uint64_t wide() const { return std::uint64_t{c} << 32 | b; }
  friend bool operator==(const TraceNode&, const TraceNode&) = default;
};

class Trace final : public Values {
 public:
  /// `most`: nodes, after which the launch fails.
  explicit Trace(std::size_t most = std::size_t{1} << 26);

  std::string_view name() const override { return "a trace"; }
  bool replaces_bits() const override { return false; }
  numerics::Format format(std::uint32_t id) const override { return nodes_[id].format; }
  bool is_opaque(std::uint32_t) const override { return true; }
  std::uint32_t input(std::uint32_t argument, std::uint64_t element, numerics::Format format) override;
  Number apply(const FloatAct& act, std::span<const Number> operands) override;
  Number dot(const DotAct& act, Number sums, std::span<const Number> x, std::span<const Number> y) override;
  std::uint32_t known(std::uint64_t bits, numerics::Format format) override { return constant(bits, format); }
  std::string_view failure() const override;

  std::size_t size() const { return nodes_.size(); }
  const TraceNode& node(std::uint32_t id) const { return nodes_[id]; }
  /// The factors of a dot in pairs.
  std::span<const std::uint32_t> factors(const TraceNode& dot) const {
    return std::span(factors_).subspan(dot.b, dot.c);
  }
  numerics::MmaModel model(const TraceNode&) const { return model_; }
  std::uint32_t constant(std::uint64_t bits, numerics::Format format);

 private:
  struct Hash {
    const Trace* trace;
    std::size_t operator()(std::uint32_t id) const;
  };
  struct Same {
    const Trace* trace;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return trace->nodes_[a] == trace->nodes_[b]; }
  };
  std::uint32_t add(const TraceNode& node);
  std::uint32_t id_of(const Number& number, numerics::Format format);

  std::vector<TraceNode> nodes_;  ///< the first is none
  std::vector<std::uint32_t> factors_;
  std::unordered_set<std::uint32_t, Hash, Same> known_;
  numerics::MmaModel model_{};
  std::size_t most_;
};

}  // namespace reckon::ptx
