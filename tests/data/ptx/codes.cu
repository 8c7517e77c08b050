// Ciphers, sums of checks, long integers and words of bits, as users write them, for tests/ptx/cuda_codes_test.cpp.

__constant__ unsigned rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned turned(unsigned x, int n) { return __funnelshift_r(x, x, n); }

extern "C" {

// SHA-256 of a number of four bytes for each thread (FIPS 180-4).
__global__ void sha256(unsigned* digests, unsigned first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned w[64] = {first + i, 0x80000000};
  w[15] = 32;
#pragma unroll 1
  for (int t = 16; t < 64; ++t) {
    const unsigned a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[t - 7] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
  }
  const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned h[8];
  for (int k = 0; k < 8; ++k) h[k] = start[k];
#pragma unroll 1
  for (int t = 0; t < 64; ++t) {
    const unsigned choice = (h[4] & h[5]) ^ (~h[4] & h[6]), most = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]);
    const unsigned one = h[7] + (turned(h[4], 6) ^ turned(h[4], 11) ^ turned(h[4], 25)) + choice + rounds[t] + w[t];
    const unsigned two = (turned(h[0], 2) ^ turned(h[0], 13) ^ turned(h[0], 22)) + most;
    h[7] = h[6], h[6] = h[5], h[5] = h[4], h[4] = h[3] + one, h[3] = h[2], h[2] = h[1], h[1] = h[0], h[0] = one + two;
  }
  for (int k = 0; k < 8; ++k) digests[i * 8 + k] = h[k] + start[k];
}

// The stream of ChaCha20 (RFC 8439): a block of 64 bytes for each thread.
__global__ void chacha(const unsigned* key, const unsigned* nonce, unsigned counter, uint4* out) {
  unsigned s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
  for (int k = 0; k < 8; ++k) s[4 + k] = key[k];
  s[12] = counter + threadIdx.x;
  for (int k = 0; k < 3; ++k) s[13 + k] = nonce[k];
  for (int k = 0; k < 16; ++k) x[k] = s[k];
  const auto quarter = [&](int a, int b, int c, int d) {
    x[a] += x[b], x[d] = __funnelshift_l(x[d] ^ x[a], x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = __funnelshift_l(x[b] ^ x[c], x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = __funnelshift_l(x[d] ^ x[a], x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = __funnelshift_l(x[b] ^ x[c], x[b] ^ x[c], 7);
  };
#pragma unroll 1
  for (int round = 0; round < 10; ++round) {
    quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14);
  }
  for (int k = 0; k < 4; ++k)
    out[threadIdx.x * 4 + k] = make_uint4(x[4 * k] + s[4 * k], x[4 * k + 1] + s[4 * k + 1], x[4 * k + 2] + s[4 * k + 2],
                                          x[4 * k + 3] + s[4 * k + 3]);
}

// Powers modulo 2^255 - 19, in four words of 64 bits: products of 128 bits, with carries.
__global__ void powers_of_long(const ulonglong4* base, unsigned exponent, ulonglong4* out) {
  const auto times = [](const unsigned long long (&a)[4], const unsigned long long (&b)[4], unsigned long long (&r)[4]) {
    unsigned long long p[8] = {};
    for (int i = 0; i < 4; ++i) {
      unsigned long long carry = 0;
      for (int j = 0; j < 4; ++j) {
        const unsigned __int128 sum = static_cast<unsigned __int128>(a[i]) * b[j] + p[i + j] + carry;
        p[i + j] = static_cast<unsigned long long>(sum), carry = static_cast<unsigned long long>(sum >> 64);
      }
      p[i + 4] = carry;
    }
    unsigned __int128 sum = 0;
    for (int k = 0; k < 4; ++k) {
      sum += static_cast<unsigned __int128>(p[k + 4]) * 38 + p[k];
      r[k] = static_cast<unsigned long long>(sum), sum >>= 64;
    }
    unsigned __int128 rest = static_cast<unsigned __int128>(static_cast<unsigned long long>(sum) * 2 + (r[3] >> 63)) * 19;
    r[3] &= 0x7fffffffffffffffull;
    for (int k = 0; k < 4; ++k) rest += r[k], r[k] = static_cast<unsigned long long>(rest), rest >>= 64;
  };
  unsigned long long x[4] = {base[threadIdx.x].x, base[threadIdx.x].y, base[threadIdx.x].z, base[threadIdx.x].w};
  unsigned long long y[4] = {1, 0, 0, 0}, held[4];
  for (; exponent > 0; exponent /= 2) {
    if (exponent & 1) {
      times(x, y, held);
      for (int k = 0; k < 4; ++k) y[k] = held[k];
    }
    times(x, x, held);
    for (int k = 0; k < 4; ++k) x[k] = held[k];
  }
  out[threadIdx.x] = make_ulonglong4(y[0], y[1], y[2], y[3]);
}

// Sums of 96 bits with the carries of instructions of PTX.
__global__ void carried(const unsigned* x, const unsigned* y, unsigned* out) {
  const unsigned *a = x + 3 * threadIdx.x, *b = y + 3 * threadIdx.x;
  unsigned r[6];
  asm("add.cc.u32 %0, %3, %6;\n\taddc.cc.u32 %1, %4, %7;\n\taddc.u32 %2, %5, %8;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(b[0]), "r"(b[1]), "r"(b[2]));
  asm("sub.cc.u32 %0, %3, %6;\n\tsubc.cc.u32 %1, %4, %7;\n\tsubc.u32 %2, %5, %8;"
      : "=r"(r[3]), "=r"(r[4]), "=r"(r[5]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(b[0]), "r"(b[1]), "r"(b[2]));
  for (int k = 0; k < 6; ++k) out[6 * threadIdx.x + k] = r[k];
}

// Texts as base64, three bytes for each thread.
__global__ void base64(const unsigned char* in, int n, char* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (3 * i >= n) return;
  const unsigned a = in[3 * i], b = 3 * i + 1 < n ? in[3 * i + 1] : 0, c = 3 * i + 2 < n ? in[3 * i + 2] : 0;
  const unsigned bits = a << 16 | b << 8 | c;
  for (int k = 0; k < 4; ++k) {
    const unsigned d = bits >> (18 - 6 * k) & 63;
    char letter = d < 26 ? 'A' + d : d < 52 ? 'a' + d - 26 : d < 62 ? '0' + d - 52 : d == 62 ? '+' : '/';
    if (3 * i + k > n) letter = '=';
    out[4 * i + k] = letter;
  }
}

// Where runs of equal bytes begin, and how long they are: a warp for 32 bytes, by votes.
__global__ void run_lengths(const unsigned char* x, int* begins, int* lengths, int* count) {
  const int lane = threadIdx.x;
  const unsigned char before = __shfl_up_sync(0xffffffff, x[lane], 1);
  const unsigned heads = __ballot_sync(0xffffffff, lane == 0 || before != x[lane]);
  if (heads >> lane & 1) {
    const unsigned later = lane == 31 ? 0 : heads >> (lane + 1);
    const int at = __popc(heads & ((1u << lane) - 1));
    begins[at] = lane;
    lengths[at] = later == 0 ? 32 - lane : __ffs(later);
  }
  if (lane == 0) *count = __popc(heads);
}

// What there is for bits, on words of 32 and 64.
__global__ void bits(const unsigned long long* x, unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long v = x[i];
  const unsigned low = static_cast<unsigned>(v), high = static_cast<unsigned>(v >> 32);
  unsigned long long morton = 0;
  for (int k = 0; k < 16; ++k) morton |= static_cast<unsigned long long>(low >> k & 1) << (2 * k) | static_cast<unsigned long long>(high >> k & 1) << (2 * k + 1);
  unsigned long long* to = out + 12 * i;
  to[0] = __brevll(v), to[1] = __popcll(v), to[2] = __clzll(v), to[3] = __ffsll(v);
  to[4] = __byte_perm(low, high, 0x3715), to[5] = __funnelshift_lc(low, high, high & 63), to[6] = morton;
  to[7] = __mul64hi(static_cast<long long>(v), 0x123456789abcdefll), to[8] = __umulhi(low, high);
  to[9] = static_cast<unsigned long long>(static_cast<long long>(__mulhi(static_cast<int>(low), static_cast<int>(high))));
  to[10] = __uhadd(low, high) + (static_cast<unsigned long long>(__urhadd(low, high)) << 32);
  to[11] = __sad(static_cast<int>(low), static_cast<int>(high), 7u) + (static_cast<unsigned long long>(__usad(low, high, 9u)) << 32);
}

// Four bytes or two halves in a word.
__global__ void parts_of_words(const unsigned* x, const unsigned* y, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned a = x[i], b = y[i];
  unsigned* to = out + 16 * i;
  to[0] = __vadd4(a, b), to[1] = __vsub4(a, b), to[2] = __vabsdiffu4(a, b), to[3] = __vmaxs2(a, b);
  to[4] = __vminu4(a, b), to[5] = __vcmpgtu4(a, b), to[6] = __vsadu4(a, b), to[7] = __vavgu4(a, b);
  to[8] = __vaddss2(a, b), to[9] = __vsubus4(a, b), to[10] = __vseteq4(a, b), to[11] = __vabs2(a);
  to[12] = __vnegss2(a), to[13] = __vhaddu4(a, b), to[14] = __vsads2(a, b), to[15] = __vabsdiffs2(a, b);
}

}  // extern "C"
