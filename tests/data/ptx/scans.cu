// Scans, sorts, searches and what is made of them. tests/ptx/cuda_scans_test.cpp computes the same in the same order.
extern "C" {

// Up the tree and down again (Blelloch), two elements a thread; exclusive.
__global__ void scan_by_tree(const float* x, float* y) {
  extern __shared__ float part[];
  int t = threadIdx.x, n = 2 * blockDim.x;
  const float* from = x + blockIdx.x * n;
  part[2 * t] = from[2 * t];
  part[2 * t + 1] = from[2 * t + 1];
  int distance = 1;
  for (int d = n / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) part[distance * (2 * t + 2) - 1] += part[distance * (2 * t + 1) - 1];
    distance *= 2;
  }
  if (t == 0) part[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    distance /= 2;
    __syncthreads();
    if (t < d) {
      int a = distance * (2 * t + 1) - 1, b = distance * (2 * t + 2) - 1;
      float left = part[a];
      part[a] = part[b];
      part[b] += left;
    }
  }
  __syncthreads();
  y[blockIdx.x * n + 2 * t] = part[2 * t];
  y[blockIdx.x * n + 2 * t + 1] = part[2 * t + 1];
}

// Warps by shuffles, then the warps' sums. With products instead of sums, too.
__global__ void scan_by_warps(const float* x, float* y, int n) {
  __shared__ float of_warps[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    float other = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v = other + v;
  }
  if (lane == 31) of_warps[warp] = v;
  __syncthreads();
  if (warp == 0) {
    float w = lane < blockDim.x / 32 ? of_warps[lane] : 0.0f;
    for (int d = 1; d < 32; d *= 2) {
      float other = __shfl_up_sync(0xffffffff, w, d);
      if (lane >= d) w = other + w;
    }
    of_warps[lane] = w;
  }
  __syncthreads();
  if (warp > 0) v = of_warps[warp - 1] + v;
  if (i < n) y[i] = v;
}
__global__ void cumulative_product(const double* x, double* y, int n) {
  double before = 1;
  for (int base = 0; base < n; base += 32) {
    int i = base + threadIdx.x;
    double v = i < n ? x[i] : 1.0;
    for (int d = 1; d < 32; d *= 2) {
      double other = __shfl_up_sync(0xffffffff, v, d);
      if (threadIdx.x >= d) v = other * v;
    }
    v = before * v;
    if (i < n) y[i] = v;
    before = __shfl_sync(0xffffffff, v, 31);
  }
}

// One pass over all blocks: each looks back until it finds a block whose prefix is known (Merrill and Garland). The
// state of a block: 0 nothing, 1 its sum, 2 its prefix, with the number in the upper half. Sums of integers.
__global__ void scan_by_looking_back(const unsigned* x, unsigned* y, unsigned long long* state, unsigned* ticket,
                                     int n) {
  __shared__ unsigned of_warps[8], block, before;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1u);
  __syncthreads();
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = block * blockDim.x + threadIdx.x;
  unsigned v = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    unsigned other = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) of_warps[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; ++w) v += of_warps[w];
  if (threadIdx.x == blockDim.x - 1) {
    volatile unsigned long long* at = state;
    if (block == 0) {
      at[0] = (unsigned long long)v << 32 | 2;
      before = 0;
    } else {
      at[block] = (unsigned long long)v << 32 | 1;
      unsigned sum = 0;
      for (int k = block - 1;; --k) {
        unsigned long long s;
        do s = at[k];
        while ((unsigned)s == 0);
        sum += s >> 32;
        if ((unsigned)s == 2) break;
      }
      at[block] = (unsigned long long)(sum + v) << 32 | 2;
      before = sum;
    }
  }
  __syncthreads();
  if (i < n) y[i] = before + v;
}

// A power of two of elements in shared memory.
__global__ void bitonic_sort(float* x, int n) {
  extern __shared__ float part[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) part[i] = x[blockIdx.x * n + i];
  for (int size = 2; size <= n; size *= 2)
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
        int i = 2 * t - (t & (distance - 1)), j = i + distance;
        bool up = (i & size) == 0;
        if ((part[i] > part[j]) == up) {
          float s = part[i];
          part[i] = part[j];
          part[j] = s;
        }
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[blockIdx.x * n + i] = part[i];
}

// A block's keys by one bit after the other, each with a count of zeros; stable.
__global__ void radix_sort(unsigned* x, int bits) {
  __shared__ unsigned of_warps[8], key[256];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned k = x[blockIdx.x * 256 + t];
  for (int bit = 0; bit < bits; ++bit) {
    unsigned one = k >> bit & 1, ballot = __ballot_sync(0xffffffff, !one);
    unsigned zeros = __popc(ballot & ((1u << lane) - 1));
    if (lane == 0) of_warps[warp] = __popc(ballot);
    __syncthreads();
    unsigned all = 0;
    for (int w = 0; w < 8; ++w) {
      if (w < warp) zeros += of_warps[w];
      all += of_warps[w];
    }
    key[one ? all + t - zeros : zeros] = k;
    __syncthreads();
    k = key[t];
    __syncthreads();
  }
  x[blockIdx.x * 256 + t] = k;
}

// Keeps the elements of a block that are not 0, in order; blocks take their room by an atomic.
__global__ void compact_blocks(const int* x, int* y, int* begins, int* counts, int* end) {
  __shared__ int of_warps[8], base;
  int t = threadIdx.x, lane = t % 32, warp = t / 32, v = x[blockIdx.x * blockDim.x + t];
  unsigned ballot = __ballot_sync(0xffffffff, v != 0);
  if (lane == 0) of_warps[warp] = __popc(ballot);
  __syncthreads();
  int at = __popc(ballot & ((1u << lane) - 1)), all = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) {
    if (w < warp) at += of_warps[w];
    all += of_warps[w];
  }
  if (t == 0) {
    base = atomicAdd(end, all);
    begins[blockIdx.x] = base;
    counts[blockIdx.x] = all;
  }
  __syncthreads();
  if (v != 0) y[base + at] = v;
}

// How many of a sorted array are less.
__global__ void lower_bounds(const float* sorted, int n, const float* x, int* places, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < x[i]) low = middle + 1;
    else high = middle;
  }
  places[i] = low;
}

// Two sorted arrays to one: each thread finds where its elements begin on the diagonal.
__global__ void merge_by_path(const int* a, int of_a, const int* b, int of_b, int* out, int each) {
  int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * each, all = of_a + of_b;
  if (diagonal >= all) return;
  int low = max(0, diagonal - of_b), high = min(diagonal, of_a);
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
    else high = middle;
  }
  int i = low, j = diagonal - low;
  for (int k = diagonal; k < min(diagonal + each, all); ++k)
    out[k] = j >= of_b || (i < of_a && a[i] <= b[j]) ? a[i++] : b[j++];
}

// Lanes that hit the same bin count once, with the whole warp's help.
__global__ void histogram_by_warps(const unsigned char* x, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned active = __activemask(), peers = __match_any_sync(active, (unsigned)x[i]);
    if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(&bins[x[i]], __popc(peers));
  }
}
__global__ void histogram_global(const unsigned char* x, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i] >> 3], 1u);
}

// The bytes of a text: capitals, and the places where words begin.
__global__ void capitals(const char* in, char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] >= 'a' && in[i] <= 'z' ? in[i] - 'a' + 'A' : in[i];
}
__global__ void count_words(const char* text, int n, int* words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool begins = i < n && text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
  int of_block = __syncthreads_count(begins);
  if (threadIdx.x == 0) atomicAdd(words, of_block);
}
// A hash of each record of 16 bytes (32-bit FNV-1a), read as words.
__global__ void hashes(const uint4* records, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 r = records[i];
  unsigned words[4] = {r.x, r.y, r.z, r.w}, hash = 2166136261u;
  for (int w = 0; w < 4; ++w)
    for (int b = 0; b < 4; ++b) hash = (hash ^ (words[w] >> (8 * b) & 0xff)) * 16777619u;
  out[i] = hash;
}

}  // extern "C"
