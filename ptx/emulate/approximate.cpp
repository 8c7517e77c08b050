// Instructions whose results only the chip knows (PTX ISA 9.0: `.approx`, `.full`): no table of them is published. They
// are refused, unless the launch takes the nearest number of their format for them, which is within the error that the
// ISA states but need not be what a chip gives.
#include <fmt/format.h>

#include <cmath>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

enum class Approximated : std::uint8_t { ex2, lg2, sin, cos, tanh, rsqrt, rcp, sqrt, div };

double value_of(Approximated function, double a, double b) {
  switch (function) {
    case Approximated::ex2: return std::exp2(a);
    case Approximated::lg2: return std::log2(a);
    case Approximated::sin: return std::sin(a);
    case Approximated::cos: return std::cos(a);
    case Approximated::tanh: return std::tanh(a);
    case Approximated::rsqrt: return 1 / std::sqrt(a);
    case Approximated::rcp: return 1 / a;
    case Approximated::sqrt: return std::sqrt(a);
    case Approximated::div: return a / b;
  }
  return 0;
}

float flushed(float x, bool flushes) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return flushes && (bits & 0x7f800000u) == 0 ? std::bit_cast<float>(bits & 0x80000000u) : x;
}

/// Mode: the function, and 0x80 to flush subnormals.
void nearest_f32(const Operation& operation, Warp& warp, Mask on) {
  float* d = warp.at<float>(operation.d);
  const float* a = warp.at<float>(operation.a);
  const float* b = operation.b == no_slot ? a : warp.at<float>(operation.b);
  const auto function = static_cast<Approximated>(operation.mode & 0x7f);
  const bool flushes = (operation.mode & 0x80) != 0;
  for_lanes(on, [&](int lane) {
    const float value =
        flushed(static_cast<float>(value_of(function, flushed(a[lane], flushes), flushed(b[lane], flushes))), flushes);
    d[lane] = value != value ? std::bit_cast<float>(0x7fffffffu) : value;
  });
}
void nearest_f64(const Operation& operation, Warp& warp, Mask on) {
  double* d = warp.at<double>(operation.d);
  const double* a = warp.at<double>(operation.a);
  const auto function = static_cast<Approximated>(operation.mode & 0x7f);
  for_lanes(on, [&](int lane) { d[lane] = value_of(function, a[lane], a[lane]); });
}

std::optional<Approximated> function_of(std::string_view name) {
  static constexpr std::pair<std::string_view, Approximated> names[] = {
      {"ex2", Approximated::ex2}, {"lg2", Approximated::lg2},   {"sin", Approximated::sin},
      {"cos", Approximated::cos}, {"tanh", Approximated::tanh}, {"rsqrt", Approximated::rsqrt},
      {"rcp", Approximated::rcp}, {"sqrt", Approximated::sqrt}, {"div", Approximated::div}};
  for (const auto& [known, function] : names) {
    if (known == name) return function;
  }
  return std::nullopt;
}

}  // namespace

bool decode_approximate(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (!one.has("approx") && !one.has("full")) return false;
  const auto function = function_of(one.name);
  const auto types = decoder.types();
  if (!function || types.size() != 1) return false;
  ++decoder.kernel().approximate;
  if (!decoder.options().approximates_nearest)
    return decoder.fail(
        fmt::format("only the chip knows what `{}` gives: no table of its results is published", one.opcode));
  if (types[0] != Type::f32 && types[0] != Type::f64) return false;
  const std::size_t operands = *function == Approximated::div ? 2 : 1;
  operation.mode = static_cast<std::uint16_t>(static_cast<int>(*function) | (one.has("ftz") ? 0x80 : 0));
  decoder.take(operation, types[0], operands);
  operation.run = types[0] == Type::f32 ? nearest_f32 : nearest_f64;
  return operands == 1 || types[0] == Type::f32;
}

}  // namespace reckon::ptx
