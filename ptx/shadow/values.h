// What the floats of a launch are besides what their bits say: elements of a ring, nodes of a circuit.
//
// A number is the pattern that a register or memory holds, and an id that tells what it is. The id 0 is a number that
// nothing is known of: a constant of the kernel, an integer, a pattern made of bytes. It is then what its pattern says
// in the format of the instruction that takes it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "numerics/format.h"
#include "numerics/mma.h"

namespace reckon::ptx {

enum class Act : std::uint8_t {
  add,
  sub,
  mul,
  div,
  fma,
  neg,
  abs,
  min,
  max,
  minnum,  ///< of a number and a NaN, the number
  maxnum,
  rcp,
  sqrt,
  rsqrt,
  exp2,
  log,
  log2,
  sin,
  cos,
  tanh,
  erf,
  erfc,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  exp10,
  expm1,
  log10,
  log1p,
  pow,
  floor,
  ceil,
  trunc,
  round,     ///< to a whole number, ties to even
  copysign,  ///< the first operand's magnitude, the second one's sign
  clamp,     ///< to [0, 1]
  relu,      ///< the maximum of it and 0
  convert,   ///< from `from`
  dot        ///< a node of a tensor core: Values::dot
};
std::string_view name_of(Act act);

struct Number {
  std::uint64_t bits = 0;
  std::uint32_t id = 0;
};

/// A float operation with what its instruction says of rounding.
struct FloatAct {
  Act act{};
  numerics::Format format{};  ///< of the result, and of the operands of all but `convert`
  numerics::Format from{};    ///< of the operand of `convert`
  bool plain = true;          ///< rounded to nearest, subnormals kept, exact: what IEEE 754 says
  bool atomic = false;        ///< by threads in whatever order they come
};

/// A sum of products by a tensor core.
struct DotAct {
  numerics::Format x{}, y{}, sums{};
  numerics::MmaModel model{};
  int length = 1;  ///< products that are added at once
};

class Values {
 public:
  virtual ~Values() = default;
  virtual std::string_view name() const = 0;
  /// What the bits of results are: the values' own, or those that the instruction computes.
  virtual bool replaces_bits() const = 0;
  virtual numerics::Format format(std::uint32_t id) const = 0;
  /// Its pattern means nothing to integer instructions: it was computed.
  virtual bool is_opaque(std::uint32_t id) const = 0;
  /// An element of an argument.
  virtual std::uint32_t input(std::uint32_t argument, std::uint64_t element, numerics::Format format) = 0;
  virtual Number apply(const FloatAct& act, std::span<const Number> operands) = 0;
  /// sums + x[0] y[0] + x[1] y[1] + ...
  virtual Number dot(const DotAct& act, Number sums, std::span<const Number> x, std::span<const Number> y) = 0;
  /// What a number that stands for another pattern than its own is; 0 where bits are replaced.
  virtual std::uint32_t known(std::uint64_t, numerics::Format) { return 0; }
  /// More values than there is room for: why.
  virtual std::string_view failure() const { return {}; }
};

}  // namespace reckon::ptx
