#!/usr/bin/env python3
"""What the check of indices from data costs on a GPU: a circuit that checks each index, one whose indices are below the
extent by `min`, one that states their range, and a CUDA kernel that checks nothing; and PyTorch's.

    RECKON_LIBRARY=.../libreckon.so PYTHONPATH=python python3 bench/gpu/gather.py
"""

import sys

import cupy
import torch

import reckon

PROGRAM = """
fn checked(x: f32[n], k: i32[m]) -> f32[m] = for i: x[k[i]]
fn stated(x: f32[n], k: i32[m] < n) -> f32[m] = for i: x[k[i]]
fn kept(x: f32[n], k: i32[m]) -> f32[m] = for i: x[max(min(k[i], i32(n - 1)), 0)]
fn rows(x: f32[n, d], k: i32[m]) -> f32[m, d] = for i, j: x[k[i], j]
fn rows_stated(x: f32[n, d], k: i32[m] < n) -> f32[m, d] = for i, j: x[k[i], j]
"""

CUDA = cupy.RawKernel(
    """
extern "C" __global__ void gather(const float* x, const int* k, float* out, long long m) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < m; i += (long long)blockDim.x * gridDim.x)
    out[i] = x[k[i]];
}""",
    "gather",
)


def microseconds(call, rounds=20):
    for _ in range(3):
        call()
    best = []
    for _ in range(7):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(rounds):
            call()
        end.record()
        end.synchronize()
        best.append(start.elapsed_time(end) / rounds * 1000)
    return sorted(best)[len(best) // 2]


def main():
    rk = reckon.loads(PROGRAM, "gather.rk")
    print(f"{torch.cuda.get_device_name()}; microseconds, median of 7 times 20 calls")
    for n, m in ((1 << 16, 1 << 24), (1 << 24, 1 << 24)):
        x = torch.randn(n, device="cuda")
        k = torch.randint(0, n, (m,), device="cuda", dtype=torch.int32)
        out, wide = torch.empty(m, device="cuda"), k.long()
        wanted = torch.take(x, wide)
        stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)

        def plain():
            with stream:
                CUDA((132 * 32,), (256,), (x.data_ptr(), k.data_ptr(), out.data_ptr(), m))

        calls = {name: (lambda call=getattr(rk, name): call(x, k, out=out)) for name in ("checked", "kept", "stated")}
        calls |= {"CUDA, no check": plain, "torch.take": lambda: torch.take(x, wide, out=out)}
        for name, call in calls.items():
            out.zero_()
            call()
            assert torch.equal(out, wanted), name
            print(f"{m} of {n} numbers  {name:16} {microseconds(call):9.1f}")
    n, d, m = 50_000, 1024, 16_384
    x = torch.randn(n, d, device="cuda")
    k = torch.randint(0, n, (m,), device="cuda", dtype=torch.int32)
    out = torch.empty(m, d, device="cuda")
    wanted = torch.index_select(x, 0, k)
    calls = {name: (lambda call=getattr(rk, name): call(x, k, out=out)) for name in ("rows", "rows_stated")}
    calls["torch.index_select"] = lambda: torch.index_select(x, 0, k, out=out)
    for name, call in calls.items():
        out.zero_()
        call()
        assert torch.equal(out, wanted), name
        print(f"{m} rows of {d}  {name:20} {microseconds(call):9.1f}")


if __name__ == "__main__":
    sys.exit(main())
