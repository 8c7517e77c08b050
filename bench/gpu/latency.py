#!/usr/bin/env python3
"""From a softmax kernel's source to a kernel that is loaded, by NVRTC and by Triton: the peers of bench/latency.cpp.

    bench/gpu/latency.py

Rows of 8192 f32, kept in registers, as in Reckon's kernel. Medians in milliseconds, nothing cached: each source is new.
"""
import ctypes
import importlib.util
import os
import statistics
import sys
import tempfile
import time

os.environ["CUDA_CACHE_DISABLE"] = "1"  # the driver's
import torch  # noqa: E402

CUDA = r"""
extern "C" __global__ void __launch_bounds__(256) softmax_%d(const float4* __restrict__ x, float4* __restrict__ out) {
  __shared__ float shared[2][8];
  float4 row[8];
  const int thread = threadIdx.x, lane = thread %% 32, warp = thread / 32;
  x += blockIdx.x * 2048;
  out += blockIdx.x * 2048;
  float top = __int_as_float(0xff800000), sum = 0;
  for (int k = 0; k < 8; ++k) row[k] = x[256 * k + thread];
  #pragma unroll
  for (int k = 0; k < 8; ++k) top = fmaxf(top, fmaxf(fmaxf(row[k].x, row[k].y), fmaxf(row[k].z, row[k].w)));
  for (int bit = 1; bit < 32; bit *= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, bit));
  if (lane == 0) shared[0][warp] = top;
  __syncthreads();
  for (int k = 0; k < 8; ++k) top = fmaxf(top, shared[0][k]);
  #pragma unroll
  for (int k = 0; k < 8; ++k) {
    row[k] = make_float4(expf(row[k].x - top), expf(row[k].y - top), expf(row[k].z - top), expf(row[k].w - top));
    sum += row[k].x + row[k].y + row[k].z + row[k].w;
  }
  for (int bit = 1; bit < 32; bit *= 2) sum += __shfl_xor_sync(~0u, sum, bit);
  if (lane == 0) shared[1][warp] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; ++k) sum += shared[1][k];
  #pragma unroll
  for (int k = 0; k < 8; ++k)
    out[256 * k + thread] = make_float4(row[k].x / sum, row[k].y / sum, row[k].z / sum, row[k].w / sum);
}
"""
TRITON = """
import triton
import triton.language as tl

@triton.jit
def softmax(out, x, columns: tl.constexpr):
    at = tl.program_id(0) * columns + tl.arange(0, columns)
    row = tl.load(x + at)
    e = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + at, e / tl.sum(e, axis=0) + %d.0)
"""


def must(status):
    if status:
        sys.exit(f"error {status}")


def nvrtc(number):
    library, driver = ctypes.CDLL("libnvrtc.so.13"), ctypes.CDLL("libcuda.so.1")
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    must(library.nvrtcCreateProgram(ctypes.byref(program), (CUDA % number).encode(), None, 0, None, None))
    must(library.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"--gpu-architecture=sm_90")))
    must(library.nvrtcGetCUBINSize(program, ctypes.byref(size)))
    image, module = ctypes.create_string_buffer(size.value), ctypes.c_void_p()
    must(library.nvrtcGetCUBIN(program, image))
    must(driver.cuModuleLoadData(ctypes.byref(module), image))


def triton(number):
    path = os.path.join(tempfile.mkdtemp(), f"softmax_{number}.py")
    with open(path, "w") as file:
        file.write(TRITON % number)
    start = time.perf_counter()
    spec = importlib.util.spec_from_file_location(f"softmax_{number}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = torch.zeros(1, 8192, device="cuda")
    kernel = module.softmax.warmup(x, x, 8192, grid=(1,), num_warps=16)
    kernel._init_handles()
    return time.perf_counter() - start


def main():
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    torch.zeros(1, device="cuda")
    for name, work in (("NVRTC", nvrtc), ("Triton", triton)):
        times = []
        for number in range(8):
            start = time.perf_counter()
            own = work(number)
            times.append(own or time.perf_counter() - start)
        print(f"{name:8} the first {times[0] * 1e3:.1f} ms, later ones {statistics.median(times[1:]) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
