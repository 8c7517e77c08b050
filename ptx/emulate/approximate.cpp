// Instructions whose results only the chip knows (PTX ISA 9.0: `.approx`, `.full`): no table of them is published. They
// are refused, unless the launch has tables that were measured on a chip (numerics/chips/chip.h), or takes the nearest
// number of their format for them, which is within the error that the ISA states but need not be what a chip gives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numerics/arrays.h"
#include "numerics/chips/chip.h"
#include "ptx/emulate/decode.h"
#include "ptx/emulate/floats.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

using numerics::Format;
using numerics::Function;

enum class Approximated : std::uint8_t { ex2, lg2, sin, cos, tanh, rsqrt, rcp, sqrt, div };

/// Of the elementary functions among them.
std::optional<Function> elementary(Approximated function) {
  switch (function) {
    case Approximated::ex2: return Function::exp2;
    case Approximated::lg2: return Function::log2;
    case Approximated::sin: return Function::sin;
    case Approximated::cos: return Function::cos;
    case Approximated::tanh: return Function::tanh;
    case Approximated::rsqrt: return Function::rsqrt;
    default: return std::nullopt;
  }
}

// Mode: the function, and 0x80 to flush subnormals.

void nearest_f32(const Operation& operation, Warp& warp, Mask on) {
  const auto* a = warp.at<float>(operation.a);
  const auto* b = operation.b == no_slot ? a : warp.at<float>(operation.b);
  const auto function = static_cast<Approximated>(operation.mode & 0x7f);
  const bool flushes = (operation.mode & 0x80) != 0;
  float x[lanes_of_warp] = {}, y[lanes_of_warp] = {}, made[lanes_of_warp];
  for_lanes(on, [&](int lane) {
    x[lane] = flushes ? flushed(a[lane]) : a[lane];
    y[lane] = flushes ? flushed(b[lane]) : b[lane];
  });
  if (const auto known = elementary(function)) numerics::elementary_array(*known, Format::f32, x, made, lanes_of_warp);
  else if (function == Approximated::sqrt) std::transform(x, x + lanes_of_warp, made, [](float v) { return std::sqrt(v); });
  else if (function == Approximated::rcp) std::transform(x, x + lanes_of_warp, made, [](float v) { return 1 / v; });
  else std::transform(x, x + lanes_of_warp, y, made, [](float v, float w) { return v / w; });
  auto* d = warp.at<float>(operation.d);
  for_lanes(on, [&](int lane) { d[lane] = canonical(flushes ? flushed(made[lane]) : made[lane]); });
}

/// The same by the tables of a chip. `extra`: div.full.
void measured_f32(const Operation& operation, Warp& warp, Mask on) {
  const numerics::Chip& chip = *warp.machine().kernel().chip;
  const auto* a = warp.at<float>(operation.a);
  auto* d = warp.at<float>(operation.d);
  const bool flushes = (operation.mode & 0x80) != 0;
  switch (static_cast<Approximated>(operation.mode & 0x7f)) {
    case Approximated::ex2: return chip.ex2(a, d, on, flushes);
    case Approximated::rcp: return chip.rcp(a, d, on, flushes);
    case Approximated::rsqrt: return chip.rsqrt(a, d, on, flushes);
    case Approximated::sqrt: return chip.sqrt(a, d, on, flushes);
    case Approximated::div: return chip.div(a, warp.at<float>(operation.b), d, on, flushes, operation.extra != 0);
    default: return;
  }
}

/// The table that a function is made of.
std::optional<numerics::Tabled> table_of(Approximated function) {
  switch (function) {
    case Approximated::ex2: return numerics::Tabled::ex2;
    case Approximated::div:
    case Approximated::rcp: return numerics::Tabled::rcp;
    case Approximated::rsqrt: return numerics::Tabled::rsqrt;
    case Approximated::sqrt: return numerics::Tabled::sqrt;
    default: return std::nullopt;
  }
}

/// Of f64 there are reciprocals, of numbers and of roots, which flush subnormals.
void nearest_f64(const Operation& operation, Warp& warp, Mask on) {
  const auto* a = warp.at<double>(operation.a);
  auto* d = warp.at<double>(operation.d);
  const bool of_root = static_cast<Approximated>(operation.mode & 0x7f) == Approximated::rsqrt;
  const auto flush = [](double x) { return __builtin_fabs(x) < 0x1p-1022 ? __builtin_copysign(0.0, x) : x; };
  for_lanes(on, [&](int lane) {
    const double x = flush(a[lane]);
    d[lane] = canonical(flush(of_root ? numerics::mpfr_nearest(Function::rsqrt, x) : 1 / x));
  });
}

/// f16 and bf16, `parts` of them in a register.
template <Format format, int parts>
void nearest_halves(const Operation& operation, Warp& warp, Mask on) {
  const auto* a = warp.at<std::uint16_t>(operation.a);
  auto* d = warp.at<std::uint16_t>(operation.d);
  std::uint16_t made[parts * lanes_of_warp];
  const Function function = *elementary(static_cast<Approximated>(operation.mode & 0x7f));
  const bool flushes = (operation.mode & 0x80) != 0;
  std::uint16_t x[parts * lanes_of_warp];
  for (int k = 0; k < parts * lanes_of_warp; ++k) x[k] = flushes ? Half<format>::flush(a[k]) : a[k];
  numerics::elementary_array(function, format, x, made, std::size(made));
  for_lanes(on, [&](int lane) {
    for (int k = lane * parts; k < (lane + 1) * parts; ++k) {
      const std::uint16_t out = flushes ? Half<format>::flush(made[k]) : made[k];
      d[k] = Half<format>::is_nan(out) ? nan_of_half : out;
    }
  });
}

Run run_of(Approximated function, Type type) {
  if (type == Type::f32) return nearest_f32;
  if (type == Type::f64)
    return function == Approximated::rcp || function == Approximated::rsqrt ? nearest_f64 : nullptr;
  if (function != Approximated::ex2 && function != Approximated::tanh) return nullptr;
  switch (type) {
    case Type::f16: return nearest_halves<Format::f16, 1>;
    case Type::f16x2: return nearest_halves<Format::f16, 2>;
    case Type::bf16: return nearest_halves<Format::bf16, 1>;
    case Type::bf16x2: return nearest_halves<Format::bf16, 2>;
    default: return nullptr;
  }
}

std::optional<Approximated> function_of(std::string_view name) {
  static constexpr std::pair<std::string_view, Approximated> names[] = {
      {"ex2", Approximated::ex2}, {"lg2", Approximated::lg2},   {"sin", Approximated::sin},
      {"cos", Approximated::cos}, {"tanh", Approximated::tanh}, {"rsqrt", Approximated::rsqrt},
      {"rcp", Approximated::rcp}, {"sqrt", Approximated::sqrt}, {"div", Approximated::div}};
  const auto* found =
      std::find_if(std::begin(names), std::end(names), [&](const auto& row) { return row.first == name; });
  return found == std::end(names) ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool decode_approximate(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (!one.has("approx") && !one.has("full")) return false;
  const auto function = function_of(one.name);
  const auto types = decoder.types();
  if (!function || types.size() != 1) return false;
  operation.run = run_of(*function, types[0]);
  if (operation.run == nullptr) return false;
  const numerics::Chip* chip = decoder.options().chip;
  const auto table = table_of(*function);
  if (chip != nullptr && types[0] == Type::f32 && table && chip->has(*table)) {
    decoder.kernel().chip = chip;
    operation.run = measured_f32;
    operation.extra = one.has("full") ? 1 : 0;
  } else if (chip != nullptr && !decoder.options().approximates_nearest) {
    return decoder.fail(fmt::format("the tables of {} do not have what `{}` gives", chip->name(), one.opcode));
  } else {
    ++decoder.kernel().approximate;
    if (!decoder.options().approximates_nearest)
      return decoder.fail_approximate(
          fmt::format("only the chip knows what `{}` gives: no table of its results is published", one.opcode));
  }
  operation.mode = static_cast<std::uint16_t>(static_cast<int>(*function) | (one.has("ftz") ? 0x80 : 0));
  decoder.take(operation, types[0], *function == Approximated::div ? 2 : 1);
  return true;
}

}  // namespace reckon::ptx
