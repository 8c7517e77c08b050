// What a launch is told, and what it tells.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/emulate/profile.h"

namespace reckon::ptx {

class Values;

struct LaunchOptions {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t seed = 0;                                    ///< of the order of blocks and warps; 0: they go in order
  std::uint64_t most_instructions = std::uint64_t{1} << 40;  ///< of all threads, before the launch is ended
  bool finds_races = true;
  bool profiles = false;  ///< LaunchReport::operations
  /// What floats are besides their bits (ptx/shadow/values.h), for a kernel that was decoded to be followed.
  Values* values = nullptr;
};

/// Something that a kernel should not do. `line` is of the PTX text, `place` of the source that `.loc` names.
struct Finding {
  std::string message;
  std::uint32_t line = 0, place = 0;
  std::uint64_t count = 1;
};

struct LaunchReport {
  std::optional<Finding> fault;   ///< it ended the launch
  bool over_budget = false;       ///< the fault is that there were LaunchOptions::most_instructions
  std::vector<Finding> findings;  ///< of each kind and place once, a hundred at most
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::uint64_t blocks = 0;
  std::uint64_t static_shared_bytes = 0;
  // Of global memory: requests of warps, sectors of 32 bytes that they touch.
  std::uint64_t global_requests = 0, global_sectors = 0;
  // Of shared memory: requests of warps, and the times that banks of 4 bytes need for them.
  std::uint64_t shared_requests = 0, shared_wavefronts = 0;
  std::uint64_t divergent_branches = 0;
  std::string printed;                      ///< by `printf`: a megabyte at most
  std::vector<OperationCounts> operations;  ///< if the launch profiles: each that was carried out, in their order
  bool clean() const { return !fault && findings.empty(); }
};

}  // namespace reckon::ptx
