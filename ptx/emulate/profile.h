// What each operation of a kernel costs, counted while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace reckon::ptx {

/// The part of a multiprocessor that carries an operation out.
enum class Unit : std::uint8_t { integer, f32, f64, half, special, convert, tensor, memory, exchange, control };
inline constexpr std::size_t unit_count = 10;
std::string_view name_of(Unit unit);
struct Instruction;
Unit unit_of(const Instruction& instruction);

struct OperationCounts {
  std::uint32_t line = 0, place = 0;  ///< of the PTX text, and of the source that `.loc` names
  Unit unit{};
  std::uint64_t warps = 0;      ///< that carried it out
  std::uint64_t threads = 0;    ///< whose guard let them
  std::uint64_t divergent = 0;  ///< of a branch: times that the threads of a warp parted
  // Requests of global memory by warps, the bytes that their threads want, the sectors of 32 bytes that these lie in.
  std::uint64_t global_requests = 0, global_bytes = 0, global_sectors = 0;
  // Requests of shared memory, and the times that banks of 4 bytes need for them: one each without conflicts, two
  // where a thread takes 8 bytes, four where it takes 16.
  std::uint64_t shared_requests = 0, shared_wavefronts = 0, least_wavefronts = 0;
};

}  // namespace reckon::ptx
