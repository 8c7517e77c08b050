// A model of what a launch of a kernel costs on a GPU. Nothing is executed: the indices of a few blocks are followed
// through the structured control flow, so that it is known how often each thread comes to each operation, and which
// addresses the lanes of a warp have together. Numbers are not computed.
#pragma once

#include <span>

#include "kernel/counts.h"
#include "kernel/gpu.h"

namespace reckon::kernel {

struct CostArgument {
  std::int64_t index = 0;  ///< of a parameter that is an index
  std::int64_t bytes = 0;  ///< of one that is memory: the size of its array
};

/// The number of threads of a launch.
struct LaunchShape {
  std::uint32_t blocks = 0;
  std::uint32_t threads = 0;  ///< of each block
};

struct CostOptions {
  std::int64_t blocks = 8;   ///< that are followed, at most: the first ones, some between, the last one
  std::int64_t rounds = 32;  ///< of a loop that are followed, at most: the others are taken to be like their neighbours
  std::int64_t work = 20'000'000;  ///< operations of threads that are followed; beyond, less is followed
};

/// The longest way from an operand to what depends on it.
struct Chain {
  double joins = 0;   ///< nodes of reductions on it, one of which waits for the other
  double cycles = 0;  ///< latencies on it
};

struct Cost {
  LaunchShape shape;
  Counts counts;  ///< of all threads
  /// Bytes of the sectors of global memory that warps touch, those of one round of the innermost loop once: at most
  /// counts' bytes if neighbouring lanes have neighbouring addresses.
  Counts::Traffic sectors;
  /// The same, but of each array at most its size: what has to come from or go to memory if caches keep everything.
  Counts::Traffic memory;
  double warp_instructions = 0;  ///< number operations, memory accesses, shuffles and barriers
  Chain longest;                 ///< of a thread, including values that other threads give it
  std::int64_t shared_bytes = 0;
  std::int64_t registers = 0;    ///< of a thread, at most, as the kernel is bounded; 0: not bounded
  bool complete = true;  ///< every block and round was followed, and every condition known: the counts are exact
};

/// What a launch costs. Latencies are those of the GPU. Nothing if the kernel cannot be followed: indices of its control
/// depend on what is not known.
std::optional<Cost> cost_of(const Program& program, std::size_t function, LaunchShape shape,
                            std::span<const CostArgument> arguments, const Gpu& gpu, const CostOptions& options = {});

/// What bounds the number of blocks that a multiprocessor has at a time.
enum class Resident : std::uint8_t { threads, blocks, shared_memory };

struct Occupancy {
  std::int64_t blocks = 0;  ///< of a multiprocessor at a time, at most
  double threads = 0;       ///< as a share of those that a multiprocessor can have
  Resident by{};
};
Occupancy occupancy_of(const Cost& cost, const Gpu& gpu);

enum class Limit : std::uint8_t { memory, shared_memory, issue, latency };
std::string_view spelling(Limit limit);

/// The least seconds that a launch takes for one Limit alone: to move its bytes to and from memory, to move its bytes
/// of shared memory, to issue its instructions, or to go along its longest chain as often as blocks follow each other.
/// The largest of these is the binding limit.
struct Bounds {
  std::array<double, 4> seconds{};
  Limit binding{};
  double of(Limit limit) const { return seconds[static_cast<std::size_t>(limit)]; }
};
Bounds bounds_of(const Cost& cost, const Gpu& gpu);

}  // namespace reckon::kernel
