// Sums that make trouble, their exact values, and random orders; for the tests and the benchmark of bounds.
#pragma once

#include <cstdlib>

#include "tests/interp/circuits.h"
#include "tests/interp/powers.h"
#include "tests/support/long_run.h"

namespace reckon::interp::testing {

enum class Kind { uniform, positive, cancelling, mixed, subnormal };
constexpr Kind all_kinds[] = {Kind::uniform, Kind::positive, Kind::cancelling, Kind::mixed, Kind::subnormal};
constexpr const char* kind_names[] = {"uniform", "positive", "cancelling", "mixed", "subnormal"};
constexpr Scalar bound_scalars[] = {Scalar::f64, Scalar::f32, Scalar::f16, Scalar::bf16, Scalar::tf32};
constexpr Scalar saturating_formats[] = {Scalar::f8e4m3, Scalar::f8e5m2, Scalar::f6e3m2, Scalar::f6e2m3,
                                         Scalar::f4e2m1};

/// n values of a kind; no sum of a few hundred of them overflows.
inline ir::HostTensor hostile(Random& random, Kind kind, Scalar scalar, std::int64_t n) {
  const auto format = ir::format_of(scalar);
  const auto traits = numerics::traits(format);
  ir::HostTensor out(scalar, {n});
  const auto unit = [&] { return std::ldexp(static_cast<double>(random.word() >> 11), -53); };
  for (std::int64_t i = 0; i < n; ++i) {
    double value = kind == Kind::positive ? unit() : 2 * unit() - 1;
    const int reach = format == ir::Format::f16 ? 6 : 40;
    if (kind == Kind::mixed) value = std::ldexp(value, static_cast<int>(random.below(2 * static_cast<std::uint64_t>(reach))) - reach);
    if (kind == Kind::subnormal) value = std::ldexp(value, traits.emin + 2 - static_cast<int>(random.below(5)));
    if (kind == Kind::cancelling && i % 2 != 0 && random.below(8) != 0) {
      const std::uint64_t before = out.bits(i - 1) ^ numerics::sign_bit(format);
      out.set_bits(i, before ^ random.below(4) << traits.unused);
      continue;
    }
    out.set_bits(i, numerics::round_f64(value, format));
  }
  // Neighbours in value should not be neighbours in place.
  for (std::int64_t i = n - 1; i > 0; --i) {
    const auto k = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(i) + 1));
    const std::uint64_t swapped = out.bits(i);
    out.set_bits(i, out.bits(k));
    out.set_bits(k, swapped);
  }
  return out;
}

inline mpq_class value_at(const ir::HostTensor& tensor, std::int64_t i) {
  return *numerics::exact_value(tensor.bits(i), ir::format_of(tensor.scalar));
}

inline ScheduleId random_schedule(Circuit& circuit, Random& random, int depth = 2) {
  const auto size = static_cast<std::int64_t>(1 + random.below(9));
  switch (random.below(depth > 0 ? 6 : 3)) {
    case 0: return circuit.seq();
    case 1: return circuit.tree();
    case 2: return circuit.halving();
    case 3: return circuit.split(size, random_schedule(circuit, random, depth - 1), random_schedule(circuit, random, depth - 1));
    case 4: return circuit.then(circuit.tile(size, random_schedule(circuit, random, depth - 1)), random_schedule(circuit, random, depth - 1));
    default: return circuit.then(circuit.lanes(size, random_schedule(circuit, random, depth - 1)), random_schedule(circuit, random, depth - 1));
  }
}

}  // namespace reckon::interp::testing
