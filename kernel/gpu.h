// Facts of GPUs, as published. Placement, the interpreter, the verifier, the model of costs and the limits that `reckon
// bench` prints read them here.
#pragma once

#include <cstdint>
#include <string_view>

namespace reckon::kernel {

// True of every GPU. Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::int64_t threads_of_a_warp = 32;
constexpr std::int64_t max_block_threads = 1024;
constexpr std::int64_t max_registers = 255;  ///< of a thread, of 32 bits
/// Shared memory that a block may have without an opt-in at the launch. Source: CUDA C++ Programming Guide, "Shared
/// Memory".
constexpr std::int64_t max_static_shared_bytes = 48 * 1024;
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

/// Cycles from an instruction to one that needs its result.
struct Latencies {
  double arithmetic = 0, shuffle = 0, shared = 0;
  double cache = 0, global = 0;  ///< of global memory that the second-level cache has, and that it has not
};

/// A kind of GPU. Where something is not known, it is 0. What most kinds have alike stands here.
struct Gpu {
  std::string_view name;
  int chip = 0;  ///< 90 for sm_90
  int multiprocessors = 0;
  double clock_hertz = 0;
  double memory_bytes_per_second = 0;
  FmaRates fma = {};                       ///< of a multiprocessor in a cycle
  double warp_instructions_per_cycle = 4;  ///< that the schedulers of a multiprocessor issue
  double shared_bytes_per_cycle = 128;     ///< of a multiprocessor
  /// Operations of its tensor cores in a second on factors of two bytes, a product and a sum being two: twice as many of
  /// one byte, half as many of four.
  double tensor_operations_per_second = 0;
  /// The same of factors and sums of f64, where these have the bits of a chain of fma and are faster than that.
  double f64_tensor_operations_per_second = 0;
  // Of a multiprocessor at a time:
  std::int64_t threads = 0, blocks = 0, registers = 65536, shared_bytes = 0;
  std::int64_t shared_bytes_of_system = 1024;  ///< of each block, taken by the system
  Latencies latency = {};

  /// Of a block, with an opt-in at the launch.
  constexpr std::int64_t max_shared_bytes() const { return shared_bytes - shared_bytes_of_system; }
  bool has_latencies() const { return latency.arithmetic > 0; }
};

/// A row for each compute capability that differs from the ones before it, ascending. Multiprocessors, the memory's
/// rate and that of tensor cores (without sparsity, sums in f32) are those of NVIDIA's data sheets and architecture
/// white papers for the named product; the clock is the one at which the f32 rate of the data sheet is reached.
/// Residency, shared memory and issue: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
/// and the sections of each compute capability. Latencies: of the T4, arXiv:1903.07486, table 3.1; of the A100,
/// arXiv:2208.11174, tables II and IV; of the H100, doi:10.1016/j.ultsonch.2023.106546, table 3. These have none for
/// shuffles, which get the latency of arithmetic, the shortest of all.
inline constexpr Gpu gpus[] = {
    {.name = "T4",
     .chip = 75,
     .multiprocessors = 40,
     .clock_hertz = 1.59e9,
     .memory_bytes_per_second = 320e9,
     .fma = fma_rates(7, 5),
     .tensor_operations_per_second = 65e12,
     .threads = 1024,
     .blocks = 16,
     .shared_bytes = 64 * 1024,
     .shared_bytes_of_system = 0,
     .latency = {.arithmetic = 4, .shuffle = 4, .shared = 19, .cache = 188, .global = 296}},
    {.name = "A100",
     .chip = 80,
     .multiprocessors = 108,
     .clock_hertz = 1.41e9,
     .memory_bytes_per_second = 2.039e12,
     .fma = fma_rates(8, 0),
     .tensor_operations_per_second = 312e12,
     .threads = 2048,
     .blocks = 32,
     .shared_bytes = 164 * 1024,
     .latency = {.arithmetic = 4, .shuffle = 4, .shared = 23, .cache = 200, .global = 290}},
    {.name = "A10",
     .chip = 86,
     .multiprocessors = 72,
     .clock_hertz = 1.695e9,
     .memory_bytes_per_second = 600e9,
     .fma = fma_rates(8, 6),
     .tensor_operations_per_second = 125e12,
     .threads = 1536,
     .blocks = 16,
     .shared_bytes = 100 * 1024},
    {.name = "Jetson AGX Orin",
     .chip = 87,
     .multiprocessors = 16,
     .clock_hertz = 1.3e9,
     .memory_bytes_per_second = 204.8e9,
     .fma = fma_rates(8, 6),
     .threads = 1536,
     .blocks = 16,
     .shared_bytes = 164 * 1024},
    {.name = "L40S",
     .chip = 89,
     .multiprocessors = 142,
     .clock_hertz = 2.52e9,
     .memory_bytes_per_second = 864e9,
     .fma = fma_rates(8, 9),
     .tensor_operations_per_second = 362e12,
     .threads = 1536,
     .blocks = 24,
     .shared_bytes = 100 * 1024},
    {.name = "H100",
     .chip = 90,
     .multiprocessors = 132,
     .clock_hertz = 1.98e9,
     .memory_bytes_per_second = 3.35e12,
     .fma = fma_rates(9, 0),
     .tensor_operations_per_second = 989.4e12,
     .f64_tensor_operations_per_second = 66.9e12,
     .threads = 2048,
     .blocks = 32,
     .shared_bytes = 228 * 1024,
     .latency = {.arithmetic = 4, .shuffle = 4, .shared = 20, .cache = 200, .global = 400}},
    {.name = "B200",
     .chip = 100,
     .multiprocessors = 148,
     .clock_hertz = 1.98e9,
     .memory_bytes_per_second = 8e12,
     .tensor_operations_per_second = 2250e12,
     .threads = 2048,
     .blocks = 32,
     .shared_bytes = 228 * 1024},
    {.name = "RTX 5090",
     .chip = 120,
     .multiprocessors = 170,
     .clock_hertz = 2.41e9,
     .memory_bytes_per_second = 1.792e12,
     .threads = 1536,
     .blocks = 24,
     .shared_bytes = 100 * 1024},
};

/// The row of a chip: the last one that is no newer, or the first.
constexpr const Gpu& gpu_of(int chip) {
  const Gpu* out = gpus;
  for (const Gpu& gpu : gpus) {
    if (gpu.chip <= chip) out = &gpu;
  }
  return *out;
}

inline constexpr const Gpu& h100 = gpu_of(90);

/// Threads and blocks that a multiprocessor has at a time on no GPU more.
constexpr std::int64_t max_resident_threads = 2048, max_resident_blocks = 32;

}  // namespace reckon::kernel
