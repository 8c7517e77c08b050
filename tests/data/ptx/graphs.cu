// Graphs, searches and tables, whose control flow goes by their data, as users write them, for
// tests/ptx/cuda_graphs_test.cpp.

extern "C" {

// Levels of a breadth-first search by one block, with a queue in global memory.
__global__ void breadth_first(const int* begins, const int* edges, int* level, int* queue, int nodes, int from) {
  __shared__ int first, last, next;
  for (int i = threadIdx.x; i < nodes; i += blockDim.x) level[i] = i == from ? 0 : -1;
  if (threadIdx.x == 0) queue[0] = from, first = 0, last = next = 1;
  __syncthreads();
  for (int depth = 1; first < last; ++depth) {
    for (int k = first + threadIdx.x; k < last; k += blockDim.x) {
      const int node = queue[k];
      for (int e = begins[node]; e < begins[node + 1]; ++e)
        if (atomicCAS(&level[edges[e]], -1, depth) == -1) queue[atomicAdd(&next, 1)] = edges[e];
    }
    __syncthreads();
    if (threadIdx.x == 0) first = last, last = next;
    __syncthreads();
  }
}

__device__ int root(volatile int* parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}

// Components of a graph by unions: the larger root points to the smaller one.
__global__ void unions(int* parent, const int2* edges, int count) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < count; e += gridDim.x * blockDim.x) {
    int a = edges[e].x, b = edges[e].y;
    for (;;) {
      a = root(parent, a), b = root(parent, b);
      if (a == b) break;
      if (a < b) { const int held = a; a = b, b = held; }
      if (atomicCAS(&parent[a], a, b) == a) break;
    }
  }
}

// A table of keys with open addresses, filled by all threads at once.
__global__ void count_keys(const unsigned long long* keys, int n, unsigned long long* table, unsigned* counts,
                           unsigned size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long key = keys[i];
  unsigned long long hash = key * 0x9e3779b97f4a7c15ull;
  for (unsigned at = static_cast<unsigned>(hash >> 40) % size;; at = at + 1 == size ? 0 : at + 1) {
    const unsigned long long before = atomicCAS(&table[at], ~0ull, key);
    if (before == ~0ull || before == key) {
      atomicAdd(&counts[at], 1u);
      return;
    }
  }
}

// The distance of two words, a diagonal at a time.
__global__ void edit_distance(const char* a, int of_a, const char* b, int of_b, int* out) {
  __shared__ int lines[3][65];
  const int i = threadIdx.x;
  for (int diagonal = 0; diagonal <= of_a + of_b; ++diagonal) {
    const int j = diagonal - i;
    int *now = lines[diagonal % 3], *before = lines[(diagonal + 2) % 3], *twice = lines[(diagonal + 1) % 3];
    if (i <= of_a && j >= 0 && j <= of_b) {
      if (i == 0) now[i] = j;
      else if (j == 0) now[i] = i;
      else now[i] = min(min(before[i - 1], before[i]) + 1, twice[i - 1] + (a[i - 1] != b[j - 1]));
      if (i == of_a && j == of_b) *out = now[i];
    }
    __syncthreads();
  }
}

// Queens that do not beat each other: a thread has the first two rows, and looks further with a stack of its own.
__global__ void queens(int n, unsigned long long* solutions) {
  const int first = blockIdx.x, second = threadIdx.x;
  if (first >= n || second >= n) return;
  int place[16], row = 2;
  const auto beats = [&](int r, int c) {
    for (int k = 0; k < r; ++k)
      if (place[k] == c || abs(place[k] - c) == r - k) return true;
    return false;
  };
  unsigned long long found = 0;
  place[0] = first;
  if (!beats(1, second)) {
    place[1] = second, place[2] = -1;
    while (row >= 2) {
      ++place[row];
      while (place[row] < n && beats(row, place[row])) ++place[row];
      if (place[row] == n) --row;
      else if (row == n - 1) ++found;
      else place[++row] = -1;
    }
  }
  if (found > 0) atomicAdd(solutions, found);
}

// Shortest ways by Bellman and Ford: f32 that are not negative are in the order of their bits.
__global__ void shorten(const int2* edges, const float* lengths, int count, int* distance, int* changed) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) return;
  const int from = *(volatile int*)&distance[edges[e].x];
  if (from == 0x7f800000) return;
  const int found = __float_as_int(__int_as_float(from) + lengths[e]);
  if (atomicMin(&distance[edges[e].y], found) > found) *changed = 1;
}

// Means of k clusters: the nearest centre of each point, and sums by double atomics in shared memory.
__global__ void cluster(const float2* points, int n, const float2* centres, int k, int* nearest, double* sums,
                        int* counts) {
  __shared__ double held[3 * 8];
  for (int i = threadIdx.x; i < 3 * k; i += blockDim.x) held[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float2 p = __ldg(&points[i]);
    int best = 0;
    float least = __int_as_float(0x7f800000);
    for (int c = 0; c < k; ++c) {
      const float dx = p.x - centres[c].x, dy = p.y - centres[c].y, far = dx * dx + dy * dy;
      if (far < least) least = far, best = c;
    }
    nearest[i] = best;
    atomicAdd(&held[3 * best], static_cast<double>(p.x));
    atomicAdd(&held[3 * best + 1], static_cast<double>(p.y));
    atomicAdd(&held[3 * best + 2], 1.0);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < k; c += blockDim.x) {
    atomicAdd(&sums[2 * c], held[3 * c]);
    atomicAdd(&sums[2 * c + 1], held[3 * c + 1]);
    atomicAdd(&counts[c], static_cast<int>(held[3 * c + 2]));
  }
}

// Tokens that an automaton accepts: its table is chosen by a switch with many cases.
__global__ void tokens(const char* text, int n, int* kinds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int state = 0, k = i;
  for (; k < n && state != 9; ++k) {
    const char c = text[k];
    switch (state) {
      case 0: state = c >= '0' && c <= '9' ? 1 : c == '-' ? 2 : c == '"' ? 3 : c == '{' ? 7 : 9; break;
      case 1: state = c >= '0' && c <= '9' ? 1 : c == '.' ? 4 : c == 'e' ? 5 : 9; break;
      case 2: state = c >= '0' && c <= '9' ? 1 : 9; break;
      case 3: state = c == '"' ? 6 : c == '\\' ? 8 : 3; break;
      case 4: state = c >= '0' && c <= '9' ? 4 : c == 'e' ? 5 : 9; break;
      case 5: state = (c >= '0' && c <= '9') || c == '-' ? 1 : 9; break;
      case 6: state = 9; break;
      case 7: state = c == '}' ? 6 : 7; break;
      case 8: state = 3; break;
      default: state = 9; break;
    }
  }
  kinds[i] = state * 1000 + (k - i);
}

}  // extern "C"
