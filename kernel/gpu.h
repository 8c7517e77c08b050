// Facts of GPUs, as published. Placement, the interpreter, the verifier, the model of costs and the limits that `reckon
// bench` prints read them here.
#pragma once

#include <cstdint>
#include <string_view>

namespace reckon::kernel {

// True of every GPU. Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::int64_t threads_of_a_warp = 32;
constexpr std::int64_t max_block_threads = 1024;
constexpr std::int64_t max_resident_threads = 2048;  ///< of a multiprocessor
constexpr std::int64_t max_resident_blocks = 32;
constexpr std::int64_t max_registers = 255;  ///< of a thread, of 32 bits
/// Shared memory that a block may have without an opt-in at the launch. Source: CUDA C++ Programming Guide, "Shared
/// Memory".
constexpr std::int64_t max_static_shared_bytes = 48 * 1024;
/// Shared memory that a block may have with an opt-in, for a chip as a number, 90 for sm_90; that without one for chips
/// that are not listed. Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::int64_t max_shared_bytes(int chip) {
  struct Row {
    int chip;
    std::int64_t kibibytes;
  };
  constexpr Row rows[] = {{70, 96}, {72, 96},  {75, 64},   {80, 163},  {86, 99},   {87, 163}, {88, 163},
                          {89, 99}, {90, 227}, {100, 227}, {103, 227}, {110, 227}, {120, 99}, {121, 99}};
  for (const Row& row : rows) {
    if (row.chip == chip) return row.kibibytes * 1024;
  }
  return max_static_shared_bytes;
}
/// The least that one access to global memory moves. Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global
/// Memory".
constexpr std::int64_t sector_bytes = 32;

/// Arithmetic of a multiprocessor in each clock cycle, in fma instructions of threads. Source: CUDA C++ Programming
/// Guide, "Arithmetic Instructions", the table of throughputs. 0: not known.
struct FmaRates {
  double f32 = 0, f64 = 0;
};
constexpr FmaRates fma_rates(int major, int minor) {
  struct Row {
    int major, minor;
    FmaRates rates;
  };
  constexpr Row rows[] = {{7, 0, {64, 32}}, {7, 5, {64, 2}},  {8, 0, {64, 32}},
                          {8, 6, {128, 2}}, {8, 9, {128, 2}}, {9, 0, {128, 64}}};
  for (const Row& row : rows) {
    if (row.major == major && row.minor == minor) return row.rates;
  }
  return {};
}

struct Gpu {
  std::string_view name;
  int multiprocessors = 0;
  double clock_hertz = 0;
  double memory_bytes_per_second = 0;
  FmaRates fma;                             ///< of a multiprocessor in a cycle
  double warp_instructions_per_cycle = 0;   ///< that the schedulers of a multiprocessor issue
  double shared_bytes_per_cycle = 0;        ///< of a multiprocessor
  /// Operations of its tensor cores in a second on factors of two bytes, a product and a sum being two: twice as many of
  /// one byte, half as many of four.
  double tensor_operations_per_second = 0;
  // Of a multiprocessor at a time:
  std::int64_t threads = 0, blocks = 0, registers = 0, shared_bytes = 0;
  std::int64_t shared_bytes_of_system = 0;  ///< of each block, taken by the system
  /// Cycles from an instruction to one that needs its result.
  struct Latencies {
    double arithmetic = 0, shuffle = 0, shared = 0;
    double cache = 0, global = 0;  ///< of global memory that the second-level cache has, and that it has not
  } latency;
};

/// NVIDIA H100 SXM5. Multiprocessors, the memory's rate and that of tensor cores (without sparsity): NVIDIA H100 Tensor
/// Core GPU Architecture (white paper) and data sheet; the clock is the one at which the data sheet's 67 Tflop/s of f32 are reached. Residency and issue: CUDA
/// C++ Programming Guide, "Technical Specifications per Compute Capability" and "Compute Capability 9.0". Latencies:
/// Table 3 of the article doi:10.1016/j.ultsonch.2023.106546. The table has none for shuffles, so they get the latency
/// of arithmetic, the shortest of all.
constexpr Gpu h100{.name = "H100",
                   .multiprocessors = 132,
                   .clock_hertz = 1.98e9,
                   .memory_bytes_per_second = 3.35e12,
                   .fma = fma_rates(9, 0),
                   .warp_instructions_per_cycle = 4,
                   .shared_bytes_per_cycle = 128,
                   .tensor_operations_per_second = 989.4e12,
                   .threads = max_resident_threads,
                   .blocks = max_resident_blocks,
                   .registers = 65536,
                   .shared_bytes = 228 * 1024,
                   .shared_bytes_of_system = 1024,
                   .latency = {.arithmetic = 4, .shuffle = 4, .shared = 20, .cache = 200, .global = 400}};

/// NVIDIA H200 SXM: the same chip with other memory. Source: NVIDIA H200 data sheet.
constexpr Gpu h200 = [] {
  Gpu out = h100;
  out.name = "H200";
  out.memory_bytes_per_second = 4.8e12;
  return out;
}();

}  // namespace reckon::kernel
