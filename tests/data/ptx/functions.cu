// Functions of CUDA's library, as nvcc writes them out.
extern "C" {

// Rows of n: logf, log2f, tanhf, logf of a sum of expf, and erff.
__global__ void functions(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = logf(v);
  y[n + i] = log2f(v + v);
  y[2 * n + i] = tanhf(v * v);
  y[3 * n + i] = logf(1 + expf(v));
  y[4 * n + i] = erff(v - 3) * (v - 3);
}

}  // extern "C"
