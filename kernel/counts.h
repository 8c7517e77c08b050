// What threads of a kernel do, counted: by the interpreter while it runs, and by the model of costs without running.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "kernel/program.h"

namespace reckon::kernel {

/// Classes of arithmetic, by the units of a machine that carry them out.
enum class Unit : std::uint8_t {
  index,     ///< indices and flags
  f32,       ///< sums, products and fma of formats of at most 32 bits
  f64,       ///< the same of f64
  simple,    ///< selections, comparisons, changes of signs or bits
  division,  ///< quotients, remainders and roots: several instructions
  function,  ///< elementary functions: many instructions
  convert,   ///< between formats, indices, flags and bit patterns
  mma_f64,   ///< fma of f64 on tensor cores
};
constexpr std::size_t units = static_cast<std::size_t>(Unit::mma_f64) + 1;
std::string_view spelling(Unit unit);

/// Nothing if the operation is no arithmetic.
std::optional<Unit> unit_of(const Program& program, const Operation& operation);

struct Counts {
  struct Traffic {
    double read = 0, written = 0;
    friend bool operator==(const Traffic&, const Traffic&) = default;
  };
  static constexpr std::size_t spaces = static_cast<std::size_t>(Space::local) + 1;
  std::array<Traffic, spaces> bytes{};     ///< by Space, as threads ask for them
  std::array<double, units> operations{};  ///< by Unit, of threads
  double shuffles = 0;                     ///< counted for each thread, as are the next two
  double barriers = 0;
  double arrivals = 0;

  const Traffic& of(Space space) const { return bytes[static_cast<std::size_t>(space)]; }
  double of(Unit unit) const { return operations[static_cast<std::size_t>(unit)]; }
  friend bool operator==(const Counts&, const Counts&) = default;
};

/// Adds what so many threads do in one operation; not what its regions or the function it calls do.
void add(Counts& counts, const Program& program, const Operation& operation, double threads);

}  // namespace reckon::kernel
