// What CUDA's math functions answer, where they are farthest from the truth: for tests/gpu/cuda_accuracy.sh, which holds
// it against the profiles of stdlib/profiles/cuda.rk. Functions of one f32 are called for all 2^32 arguments: of every
// 4096 neighbours the worst is kept, and all around powers of two and multiples of pi/4, where rules change. Functions of
// two are called for 2^30 pairs, the worst of every 1024 kept. "Worst" is by f64 reference functions, whose own errors
// (2 ulps of f64) are 2^-28 ulps of f32; whether it is allowed is decided elsewhere, from the exact value.
//   nvcc -arch=sm_90 -o default cuda_accuracy.cu; nvcc -arch=sm_90 -use_fast_math -DFAST -o fast cuda_accuracy.cu
//   ./default FOLDER writes FOLDER/NAME_x.npy, (NAME_y.npy,) NAME_r.npy
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr unsigned buckets = 1u << 20, in_bucket = 1u << 12, pairs_each = 1u << 10;

void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// By integers: conversions may flush subnormal numbers.
__device__ double widened(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 23 & 0xff);
  const double mantissa = static_cast<double>(bits & 0x7fffff);
  double magnitude = exponent == 0 ? ldexp(mantissa, -149) : ldexp(mantissa + 8388608.0, exponent - 150);
  if (exponent == 255) magnitude = mantissa != 0 ? nan("") : __longlong_as_double(0x7ff0000000000000ll);
  return bits >> 31 ? -magnitude : magnitude;
}

/// In ulps of f32 at the true value.
__device__ double error_of(std::uint32_t result, double truth) {
  const double found = widened(result), worst = 1e300;
  if (isnan(found) || isnan(truth)) return isnan(found) && isnan(truth) ? 0 : worst;
  const double overflow = ldexp(1.0, 128), largest = overflow - ldexp(1.0, 104);
  if (isinf(found) || fabs(truth) >= largest) {
    return (found > 0) == (truth > 0) && fabs(truth) >= largest && fabs(found) >= largest ? 0 : worst;
  }
  const int exponent = truth == 0 ? -126 : max(ilogb(truth), -126);
  return fabs(found - truth) / ldexp(1.0, exponent - 23);
}

#define APPROXIMATE(name, instruction)                                          \
  struct name {                                                                 \
    __device__ static float answer(float x) {                                   \
      float r;                                                                  \
      asm(instruction " %0, %1;" : "=f"(r) : "f"(x));                           \
      return r;                                                                 \
    }
#define FUNCTION(name, call) \
  struct name {              \
    __device__ static float answer(float x) { return call; }
#define TRUTH(expression)                                       \
  __device__ static double truth(double x) { return expression; } \
  }
#define FUNCTION_OF_TWO(name, call) \
  struct name {                     \
    __device__ static float answer(float x, float y) { return call; }
#define TRUTH_OF_TWO(expression, weighed)                                 \
  __device__ static double truth(double x, double y) { return expression; } \
  __device__ static double weight(double x, double y) { return weighed; }   \
  }

FUNCTION(Exp, expf(x)) TRUTH(exp(x));
FUNCTION(Exp2, exp2f(x)) TRUTH(exp2(x));
FUNCTION(Log, logf(x)) TRUTH(log(x));
FUNCTION(Log2, log2f(x)) TRUTH(log2(x));
FUNCTION(Sin, sinf(x)) TRUTH(sin(x));
FUNCTION(Cos, cosf(x)) TRUTH(cos(x));
FUNCTION(Tan, tanf(x)) TRUTH(tan(x));
FUNCTION(Sqrt, sqrtf(x)) TRUTH(sqrt(x));
FUNCTION(Tanh, tanhf(x)) TRUTH(tanh(x));
#ifndef FAST
FUNCTION(Rsqrt, rsqrtf(x)) TRUTH(1 / sqrt(x));
FUNCTION(Expm1, expm1f(x)) TRUTH(expm1(x));
FUNCTION(Log1p, log1pf(x)) TRUTH(log1p(x));
FUNCTION(Cbrt, cbrtf(x)) TRUTH(cbrt(x));
FUNCTION(Erf, erff(x)) TRUTH(erf(x));
FUNCTION(Asin, asinf(x)) TRUTH(asin(x));
FUNCTION(Acos, acosf(x)) TRUTH(acos(x));
FUNCTION(Atan, atanf(x)) TRUTH(atan(x));
FUNCTION(Sinh, sinhf(x)) TRUTH(sinh(x));
FUNCTION(Cosh, coshf(x)) TRUTH(cosh(x));
FUNCTION(Asinh, asinhf(x)) TRUTH(asinh(x));
FUNCTION(Acosh, acoshf(x)) TRUTH(acosh(x));
FUNCTION(Atanh, atanhf(x)) TRUTH(atanh(x));
APPROXIMATE(ApproxExp2, "ex2.approx.f32") TRUTH(exp2(x));
APPROXIMATE(ApproxLog2, "lg2.approx.f32") TRUTH(log2(x));
APPROXIMATE(ApproxRsqrt, "rsqrt.approx.f32") TRUTH(1 / sqrt(x));
APPROXIMATE(ApproxSin, "sin.approx.f32") TRUTH(sin(x));
APPROXIMATE(ApproxCos, "cos.approx.f32") TRUTH(cos(x));
APPROXIMATE(ApproxRcp, "rcp.approx.f32") TRUTH(1 / x);
APPROXIMATE(ApproxSqrt, "sqrt.approx.f32") TRUTH(sqrt(x));
APPROXIMATE(ApproxTanh, "tanh.approx.f32") TRUTH(tanh(x));
struct ApproxDiv {
  __device__ static float answer(float x, float y) {
    float r;
    asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
  }
TRUTH_OF_TWO(x / y, 1);
FUNCTION_OF_TWO(Atan2, atan2f(x, y)) TRUTH_OF_TWO(atan2(x, y), 1);
FUNCTION_OF_TWO(Hypot, hypotf(x, y)) TRUTH_OF_TWO(hypot(x, y), 1);
#endif
FUNCTION_OF_TWO(Div, x / y) TRUTH_OF_TWO(x / y, 1);
#ifdef FAST
FUNCTION_OF_TWO(Pow, powf(x, y)) TRUTH_OF_TWO(pow(x, y), 1 + fabs(y * log2(x)));
#else
FUNCTION_OF_TWO(Pow, powf(x, y)) TRUTH_OF_TWO(pow(x, y), 1);
#endif

template <class F>
__device__ std::uint32_t answer_bits(std::uint32_t x) {
  return __float_as_uint(F::answer(__uint_as_float(x)));
}

template <class F>
__global__ void worst_of_all(std::uint32_t* x, std::uint32_t* r) {
  const unsigned bucket = blockIdx.x * blockDim.x + threadIdx.x;
  double worst = -1;
  for (unsigned k = 0; k < in_bucket; ++k) {
    const std::uint32_t bits = bucket * in_bucket + k;
    const double argument = widened(bits);
    if (isnan(argument)) continue;
    const std::uint32_t result = answer_bits<F>(bits);
    const double error = error_of(result, F::truth(argument));
    if (error <= worst) continue;
    worst = error;
    x[bucket] = bits;
    r[bucket] = result;
  }
}

template <class F>
__global__ void all_of_some(const std::uint32_t* x, std::uint32_t* r, unsigned count) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) r[k] = answer_bits<F>(x[k]);
}

__device__ std::uint64_t scrambled(std::uint64_t z) {
  z = (z + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// A quarter each: any patterns; y small; both near 1; x positive.
template <class F>
__global__ void worst_of_pairs(std::uint32_t* x, std::uint32_t* y, std::uint32_t* r) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  double worst = -1;
  for (unsigned k = 0; k < pairs_each; ++k) {
    const std::uint64_t random = scrambled(static_cast<std::uint64_t>(thread) * pairs_each + k);
    std::uint32_t a = static_cast<std::uint32_t>(random), b = static_cast<std::uint32_t>(random >> 32);
    if (k % 4 >= 1) b = (b & 0x80ffffff) | (0x3c000000 + (b >> 24 & 7) * 0x01000000);
    if (k % 4 == 2) a = (a & 0x00ffffff) | 0x3f000000;
    if (k % 4 == 3) a &= 0x7fffffff;
    const double p = widened(a), q = widened(b);
    if (isnan(p) || isnan(q)) continue;
    const std::uint32_t result = __float_as_uint(F::answer(__uint_as_float(a), __uint_as_float(b)));
    const double weight = F::weight(p, q), error = error_of(result, F::truth(p, q)) / (weight > 0 ? weight : 1);
    if (error <= worst) continue;
    worst = error;
    x[thread] = a;
    y[thread] = b;
    r[thread] = result;
  }
}

void write(const std::string& path, const std::vector<std::uint32_t>& values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) std::exit(1);
  const unsigned char start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<unsigned char>(header.size() & 255),
                                 static_cast<unsigned char>(header.size() >> 8)};
  std::fwrite(start, 1, sizeof start, file);
  std::fwrite(header.data(), 1, header.size(), file);
  std::fwrite(values.data(), 4, values.size(), file);
  std::fclose(file);
}

std::vector<std::uint32_t> some_arguments() {
  std::vector<std::uint32_t> out;
  const auto around = [&](float x) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &x, 4);
    for (int k = -4; k <= 4; ++k) {
      const std::uint32_t near = bits + static_cast<std::uint32_t>(k);
      if (near > 0x7f800000u) continue;  // below 0, or a NaN
      for (const std::uint32_t sign : {0u, 0x80000000u}) out.push_back(near | sign);
    }
  };
  for (int e = -148; e <= 127; ++e) around(std::ldexp(1.0f, e));
  for (int k = 1; k <= 800; ++k) around(static_cast<float>(k * 0.78539816339744831));
  return out;
}

std::string folder;
std::uint32_t *device_x, *device_y, *device_r;

std::vector<std::uint32_t> fetched(const std::uint32_t* from, std::size_t count) {
  std::vector<std::uint32_t> out(count);
  must(cudaMemcpy(out.data(), from, count * 4, cudaMemcpyDeviceToHost));
  return out;
}

template <class F>
void one(const char* name) {
  worst_of_all<F><<<buckets / 256, 256>>>(device_x, device_r);
  must(cudaDeviceSynchronize());
  std::vector<std::uint32_t> x, r;
  const std::vector<std::uint32_t> all_x = fetched(device_x, buckets), all_r = fetched(device_r, buckets);
  for (unsigned bucket = 0; bucket < buckets; ++bucket) {  // some hold nothing but NaNs
    if ((all_x[bucket] & 0x7fffffffu) > 0x7f800000u || all_x[bucket] >> 12 != bucket) continue;
    x.push_back(all_x[bucket]);
    r.push_back(all_r[bucket]);
  }
  const std::vector<std::uint32_t> more = some_arguments();
  must(cudaMemcpy(device_x, more.data(), more.size() * 4, cudaMemcpyHostToDevice));
  all_of_some<F><<<(static_cast<unsigned>(more.size()) + 255) / 256, 256>>>(device_x, device_r,
                                                                            static_cast<unsigned>(more.size()));
  must(cudaDeviceSynchronize());
  const std::vector<std::uint32_t> more_r = fetched(device_r, more.size());
  x.insert(x.end(), more.begin(), more.end());
  r.insert(r.end(), more_r.begin(), more_r.end());
  write(folder + "/" + name + "_x.npy", x);
  write(folder + "/" + name + "_r.npy", r);
}

template <class F>
void two(const char* name) {
  must(cudaMemset(device_r, 0, buckets * 4));
  worst_of_pairs<F><<<buckets / 256, 256>>>(device_x, device_y, device_r);
  must(cudaDeviceSynchronize());
  write(folder + "/" + name + "_x.npy", fetched(device_x, buckets));
  write(folder + "/" + name + "_y.npy", fetched(device_y, buckets));
  write(folder + "/" + name + "_r.npy", fetched(device_r, buckets));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  folder = arguments[1];
  must(cudaMalloc(&device_x, buckets * 4));
  must(cudaMalloc(&device_y, buckets * 4));
  must(cudaMalloc(&device_r, buckets * 4));
  one<Exp>("exp");
  one<Exp2>("exp2");
  one<Log>("log");
  one<Log2>("log2");
  one<Sin>("sin");
  one<Cos>("cos");
  one<Tan>("tan");
  one<Sqrt>("sqrt");
  one<Tanh>("tanh");
  two<Div>("div");
  two<Pow>("pow");
#ifndef FAST
  one<Rsqrt>("rsqrt");
  one<Expm1>("expm1");
  one<Log1p>("log1p");
  one<Cbrt>("cbrt");
  one<Erf>("erf");
  one<Asin>("asin");
  one<Acos>("acos");
  one<Atan>("atan");
  one<Sinh>("sinh");
  one<Cosh>("cosh");
  one<Asinh>("asinh");
  one<Acosh>("acosh");
  one<Atanh>("atanh");
  one<ApproxExp2>("approx.exp2");
  one<ApproxLog2>("approx.log2");
  one<ApproxRsqrt>("approx.rsqrt");
  one<ApproxSin>("approx.sin");
  one<ApproxCos>("approx.cos");
  one<ApproxRcp>("approx.rcp");
  one<ApproxSqrt>("approx.sqrt");
  one<ApproxTanh>("approx.tanh");
  two<ApproxDiv>("approx.div");
  two<Atan2>("atan2");
  two<Hypot>("hypot");
#endif
}
