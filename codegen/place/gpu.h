// What placement takes to be true of every GPU.
#pragma once

#include <cstdint>

namespace reckon::codegen {

constexpr std::int64_t warp = 32;  ///< threads that take each step together
constexpr std::int64_t max_block_threads = 1024;
constexpr std::int64_t max_resident_threads = 2048;  ///< of a multiprocessor
constexpr std::int64_t max_resident_blocks = 32;
constexpr std::int64_t max_registers = 255;  ///< of a thread, of 32 bits
/// Of shared memory, that a block may have without asking for more at the launch.
constexpr std::int64_t max_shared_bytes = 48 * 1024;

}  // namespace reckon::codegen
