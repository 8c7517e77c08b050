"""tl.sum over one block of B f32, one program, in the persistent protocol of `reckon reveal --lines`.

triton_sum.py B [WARPS]: every line has B numbers.
"""
import sys

import numpy
import torch
import triton
import triton.language as tl

block = int(sys.argv[1])
warps = int(sys.argv[2]) if len(sys.argv) > 2 else 4


@triton.jit
def sum_kernel(x, out, B: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, B)), axis=0))


out = torch.zeros(1, dtype=torch.float32, device="cuda")
for line in sys.stdin:
    x = torch.from_numpy(numpy.fromstring(line, sep=" ").astype(numpy.float32)).cuda()
    if x.numel() != block:
        sys.exit(f"triton_sum.py: {x.numel()} numbers for a block of {block}")
    sum_kernel[(1,)](x, out, B=block, num_warps=warps)
    print(repr(float(out.item())), flush=True)
