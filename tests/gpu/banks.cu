// Shared memory by the clock, against the model of bank conflicts (layout/memory): for each
// pattern of tests/golden/layout/gpu_banks.h, cycles of a load and of a store next to the model's wavefronts. Sixteen
// warps keep the one unit busy that serves a wavefront a cycle, so that cycles a request are wavefronts; and one lane's
// chain of dependent loads shows the same as latency.
//   nvcc -O2 -arch=sm_90 -I tests/golden/layout -o banks banks.cu && ./banks; status 1 if the model is off
// `banks --once` is for a profiler: each pattern's load, then its store, a kernel each with one warp's `counted` requests;
// it prints what the hardware's counter should say.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "gpu_banks.h"

namespace {

constexpr int warps = 16, requests = 4096, unrolled = 16, shared_bytes = 32768;

void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

struct Lanes {
  int address[32];
};

enum class Kind { load, store, load_matrix, store_matrix };

/// One request. Results are mixed into `sink`, or the assembler would leave the load out.
template <Kind kind, int width>
__device__ void access(unsigned at, unsigned& sink) {
  unsigned a = sink, b = sink, c = sink, d = sink;
  if constexpr (kind == Kind::load_matrix) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at)
                 : "memory");
  } else if constexpr (kind == Kind::store_matrix) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(a), "r"(b), "r"(c),
                 "r"(d)
                 : "memory");
  } else if constexpr (kind == Kind::load && width == 4) {
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(a) : "r"(at) : "memory");
  } else if constexpr (kind == Kind::load && width == 8) {
    asm volatile("ld.shared.v2.b32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(at) : "memory");
  } else if constexpr (kind == Kind::load) {
    asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory");
  } else if constexpr (width == 4) {
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(a) : "memory");
  } else if constexpr (width == 8) {
    asm volatile("st.shared.v2.b32 [%0], {%1,%2};" ::"r"(at), "r"(a), "r"(b) : "memory");
  } else {
    asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
  }
  if constexpr (kind == Kind::load && width == 4) sink ^= a;
  else if constexpr (kind == Kind::load || kind == Kind::load_matrix) sink ^= a ^ b ^ c ^ d;
}

/// `step` is 0, which the compiler does not know: no two addresses are the same to it. All is 0 in memory and stays so.
template <Kind kind, int width>
__global__ void time_requests(Lanes lanes, unsigned step, bool chained, long long* cycles, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char memory[];
  for (int k = threadIdx.x; k < shared_bytes / 4; k += blockDim.x) reinterpret_cast<unsigned*>(memory)[k] = 0;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + lanes.address[threadIdx.x % 32];
  unsigned sink = 0;
  __syncthreads();
  const long long start = clock64();
  for (int k = 0; k < requests; k += unrolled) {
#pragma unroll
    for (int j = 0; j < unrolled; ++j) {
      access<kind, width>(at, sink);
      at += chained ? sink : step;
    }
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - start;
  if (sink != 0) *out = sink;
}

/// Lanes with one address may be served in fewer phases than the model's, which is an upper bound there.
bool upper_bound(const Pattern& pattern) {
  return std::set<int>(pattern.addresses, pattern.addresses + 32).size() < 32;
}

constexpr int counted = 64;  ///< requests that a profiler sees

template <Kind kind, int width>
__global__ void count_requests(Lanes lanes, unsigned step, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char memory[];
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + lanes.address[threadIdx.x];
  unsigned sink = step;
#pragma unroll
  for (int k = 0; k < counted; ++k) {
    access<kind, width>(at, sink);
    at += step;
  }
  if (sink == 0x5eed) *out = sink;
}

struct Figures {
  double throughput, latency;  // cycles a request
};

template <Kind kind, int width>
Figures measure(const Pattern& pattern) {
  Lanes lanes;
  std::memcpy(lanes.address, pattern.addresses, sizeof lanes.address);
  long long* cycles;
  unsigned* out;
  must(cudaMallocManaged(&cycles, sizeof *cycles));
  must(cudaMallocManaged(&out, sizeof *out));
  Figures best{1e30, 1e30};
  for (int trial = 0; trial < 5; ++trial) {
    time_requests<kind, width><<<1, 32 * warps, shared_bytes>>>(lanes, 0, false, cycles, out);
    must(cudaDeviceSynchronize());
    best.throughput = std::min(best.throughput, static_cast<double>(*cycles) / (warps * requests));
    time_requests<kind, width><<<1, 32, shared_bytes>>>(lanes, 0, true, cycles, out);
    must(cudaDeviceSynchronize());
    best.latency = std::min(best.latency, static_cast<double>(*cycles) / requests);
  }
  must(cudaFree(cycles));
  must(cudaFree(out));
  return best;
}

template <Kind kind, int width>
void count(const Pattern& pattern) {
  Lanes lanes;
  std::memcpy(lanes.address, pattern.addresses, sizeof lanes.address);
  count_requests<kind, width><<<1, 32, shared_bytes>>>(lanes, 0, nullptr);
  must(cudaDeviceSynchronize());
}

template <Kind kind_, int width_>
struct Access {
  static constexpr Kind kind = kind_;
  static constexpr int width = width_;
};

/// Calls `visit` with the pattern's kind of access and its width as a type.
template <class Visit>
auto with_access(const Pattern& pattern, bool store, Visit&& visit) {
  if (pattern.matrix) return store ? visit(Access<Kind::store_matrix, 16>()) : visit(Access<Kind::load_matrix, 16>());
  if (pattern.width == 4) return store ? visit(Access<Kind::store, 4>()) : visit(Access<Kind::load, 4>());
  if (pattern.width == 8) return store ? visit(Access<Kind::store, 8>()) : visit(Access<Kind::load, 8>());
  return store ? visit(Access<Kind::store, 16>()) : visit(Access<Kind::load, 16>());
}

Figures measure(const Pattern& pattern, bool store) {
  return with_access(pattern, store, [&](auto access) { return measure<access.kind, access.width>(pattern); });
}

void count_all() {
  for (const Pattern& pattern : patterns) {
    for (const bool store : {false, true}) {
      with_access(pattern, store, [&](auto access) { count<access.kind, access.width>(pattern); });
      std::printf("expect,%s,%s,%d,%d\n", pattern.name, store ? "store" : "load", counted * pattern.wavefronts,
                  upper_bound(pattern) ? 1 : 0);
    }
  }
}

/// A store takes a cycle for each wavefront; half a cycle for what is not the memory's.
bool store_agrees(const Pattern& pattern, double cycles) {
  const double least = upper_bound(pattern) ? 0 : 0.85 * pattern.wavefronts;
  return cycles > least && cycles < 1.15 * pattern.wavefronts + 0.5;
}

/// A load waits two cycles longer for each wavefront, after what an access of its width takes. (One after the other, loads
/// take no less than 2 to 2.7 cycles each on an H200, however few their wavefronts.)
bool load_agrees(const Pattern& pattern, double latency, double base) {
  const double off = latency - (base + 2 * pattern.wavefronts);
  return off < 1 && (upper_bound(pattern) || off > -1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--once") == 0) {
    count_all();
    return 0;
  }
  std::printf("%-40s %5s  %18s %18s %18s\n", "pattern", "model", "load, cycles", "load latency", "store, cycles");
  int off = 0;
  std::map<std::pair<int, bool>, double> bases;  // by width and kind, from the first pattern of each
  for (const Pattern& pattern : patterns) {
    const Figures load = measure(pattern, false), store = measure(pattern, true);
    const double base =
        bases.try_emplace({pattern.width, pattern.matrix}, load.latency - 2 * pattern.wavefronts).first->second;
    const bool near = load_agrees(pattern, load.latency, base), stored = store_agrees(pattern, store.throughput);
    off += !near + !stored;
    std::printf("%-40s %5d  %10.2f %18.1f %-7s %10.2f %-7s\n", pattern.name, pattern.wavefronts, load.throughput,
                load.latency, near ? "" : "OFF", store.throughput, stored ? "" : "OFF");
  }
  std::printf(off == 0 ? "the model holds\n" : "the model is off in %d figures\n", off);
  return off != 0;
}
