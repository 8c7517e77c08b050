#!/usr/bin/env python3
"""Batch-invariant operators beside PyTorch's own and beside Triton kernels with a fixed order: one script, one GPU.

    PYTHONPATH=python RECKON_LIBRARY=.../libreckon.so bench/gpu/batch_invariant.py [--bits-only]

First the bits: a row alone, in batches of 2 to 512, and by the interpreter; how often PyTorch's own operators differ; and a
transformer of two layers. Then a table of microseconds, medians of device events over CUDA graphs. Exit status 1 if a bit
differs.
"""
import argparse, statistics, sys, time

import torch
import torch.nn.functional as F

import reckon
import reckon.torch
from reckon.torch import invariant as ours

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

failed = False


def say(ok, text):
    global failed
    failed = failed or not ok
    print(("ok      " if ok else "FAILED  ") + text, flush=True)


def bits(x):
    kind = {8: torch.int64, 4: torch.int32, 2: torch.int16}[x.element_size()]
    return x.contiguous().view(kind)


def same(a, b):
    return torch.equal(bits(a), bits(b))


# ---- Peers: a persistent product and norms, each with an order that has to do with the reduced dimension alone.

if triton:

    @triton.jit
    def product_kernel(a, b, c, m, n, k, am, ak, bk, bn, cm, cn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                       GROUP: tl.constexpr, PROGRAMS: tl.constexpr):
        tiles_n = tl.cdiv(n, N)
        tiles = tl.cdiv(m, M) * tiles_n
        for tile in range(tl.program_id(0), tiles, PROGRAMS):
            in_group = GROUP * tiles_n
            first = tile // in_group * GROUP
            rows = min(tl.cdiv(m, M) - first, GROUP)
            i = first + tile % in_group % rows
            j = tile % in_group // rows
            mi = i * M + tl.arange(0, M)
            nj = j * N + tl.arange(0, N)
            total = tl.zeros((M, N), dtype=tl.float32)
            for step in range(tl.cdiv(k, K)):
                kk = step * K + tl.arange(0, K)
                x = tl.load(a + mi[:, None] * am + kk[None, :] * ak, mask=(mi[:, None] < m) & (kk[None, :] < k), other=0)
                y = tl.load(b + kk[:, None] * bk + nj[None, :] * bn, mask=(kk[:, None] < k) & (nj[None, :] < n), other=0)
                total = tl.dot(x, y, total, input_precision="ieee")
            tl.store(c + mi[:, None] * cm + nj[None, :] * cn, total.to(c.dtype.element_ty),
                     mask=(mi[:, None] < m) & (nj[None, :] < n))

    def triton_mm(a, b):
        m, k = a.shape
        n = b.shape[1]
        c = torch.empty((m, n), device=a.device, dtype=a.dtype)
        tile = (128, 128, 16) if a.dtype == torch.float32 else (128, 128, 64)
        programs = torch.cuda.get_device_properties(a.device).multi_processor_count
        product_kernel[(programs,)](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), *tile, 8, programs,
                                    num_warps=8, num_stages=3)
        return c

    @triton.jit
    def softmax_kernel(x, y, n, stride, LOG: tl.constexpr, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64) * stride
        top = -float("inf")
        for at in range(0, n, BLOCK):
            i = at + tl.arange(0, BLOCK)
            top = tl.maximum(top, tl.max(tl.load(x + row + i, mask=i < n, other=-float("inf")).to(tl.float32), 0))
        total = 0.0
        for at in range(0, n, BLOCK):
            i = at + tl.arange(0, BLOCK)
            total += tl.sum(tl.exp(tl.load(x + row + i, mask=i < n, other=-float("inf")).to(tl.float32) - top), 0)
        for at in range(0, n, BLOCK):
            i = at + tl.arange(0, BLOCK)
            v = tl.load(x + row + i, mask=i < n, other=0).to(tl.float32) - top
            tl.store(y + row + i, v - tl.log(total) if LOG else tl.exp(v) / total, mask=i < n)

    def triton_softmax(x, log=False):
        y = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], x.stride(0), log, min(triton.next_power_of_2(x.shape[1]), 4096),
                                      num_warps=8)
        return y

    @triton.jit
    def rms_kernel(x, w, y, n, eps, stride, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64) * stride
        total = 0.0
        for at in range(0, n, BLOCK):
            i = at + tl.arange(0, BLOCK)
            v = tl.load(x + row + i, mask=i < n, other=0).to(tl.float32)
            total += tl.sum(v * v, 0)
        scale = 1 / tl.sqrt(total / n + eps)
        for at in range(0, n, BLOCK):
            i = at + tl.arange(0, BLOCK)
            v = tl.load(x + row + i, mask=i < n, other=0).to(tl.float32) * scale
            tl.store(y + row + i, v * tl.load(w + i, mask=i < n, other=0).to(tl.float32), mask=i < n)

    def triton_rms(x, w, eps=1e-6):
        y = torch.empty_like(x)
        rms_kernel[(x.shape[0],)](x, w, y, x.shape[1], eps, x.stride(0), min(triton.next_power_of_2(x.shape[1]), 4096),
                                  num_warps=8)
        return y

    @triton.jit
    def mean_kernel(x, y, n, stride, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64) * stride
        total = 0.0
        for at in range(0, n, BLOCK):
            i = at + tl.arange(0, BLOCK)
            total += tl.sum(tl.load(x + row + i, mask=i < n, other=0).to(tl.float32), 0)
        tl.store(y + tl.program_id(0), total / n)

    def triton_mean(x):
        y = torch.empty(x.shape[0], device=x.device, dtype=x.dtype)
        mean_kernel[(x.shape[0],)](x, y, x.shape[1], x.stride(0), min(triton.next_power_of_2(x.shape[1]), 4096), num_warps=8)
        return y


# ---- Bits

BATCHES = (1, 2, 3, 4, 7, 8, 16, 17, 31, 32, 33, 64, 100, 128, 200, 256, 333, 512)


def operators(dtype):
    """name: rows -> rows, on inputs of 512 rows."""
    k, n = 1000, 777
    make = lambda *shape: torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)
    weight, turned, bias, w, b = make(k, n), make(n, k), make(n), make(k), make(k)
    keys = make(4, 64, k)
    return k, {
        "mm": lambda x: torch.mm(x, weight),
        "mm, transposed": lambda x: torch.mm(x, turned.t()),
        "addmm (linear)": lambda x: F.linear(x, turned, bias),
        "bmm": lambda x: torch.bmm(x.expand(4, *x.shape), keys.transpose(1, 2)).transpose(0, 1).contiguous(),
        "softmax": lambda x: torch.softmax(x, -1),
        "log_softmax": lambda x: torch.log_softmax(x, -1),
        "sum": lambda x: x.sum(-1),
        "mean": lambda x: x.mean(-1),
        "rms_norm": lambda x: F.rms_norm(x, (k,), w, 1e-6) if hasattr(F, "rms_norm") else ours.rms_norm(x, (k,), w, 1e-6),
        "layer_norm": lambda x: F.layer_norm(x, (k,), w, b, 1e-5),
    }


def check_bits(dtype):
    torch.manual_seed(1)
    k, rows_of = operators(dtype)
    x = torch.randn(512, k, device="cuda", dtype=torch.float32).to(dtype)
    for name, work in rows_of.items():
        default = sum(0 if same(work(x[:size])[:1], work(x[:1])) else 1 for size in BATCHES)
        with reckon.torch.batch_invariant():
            alone = work(x[:1])
            wrong = [size for size in BATCHES if not same(work(x[:size])[:1], alone)]
            last = [size for size in BATCHES if not same(work(x[:size])[-1:], work(x[size - 1:size]))]
        say(not wrong and not last, f"{name} of {str(dtype)[6:]}: the first and the last row in batches of 1 to 512"
            + (f" differ in {wrong} and {last}" if wrong or last else f" as alone; PyTorch's own differs in {default} of {len(BATCHES)}"))


def check_interpreter():
    """The GPU's bits are the interpreter's."""
    torch.manual_seed(2)
    make = lambda *shape: torch.randn(*shape, device="cuda")
    rk = ours.circuits()
    calls = {
        "mm": (make(3, 130), make(130, 5)), "mm_nt": (make(3, 130), make(5, 130)),
        "addmm": (make(5), make(3, 130), make(130, 5), 0.5, 2.0), "bmm": (make(2, 3, 67), make(2, 67, 5)),
        "softmax": (make(3, 1000),), "log_softmax": (make(3, 1000),), "sum_rows": (make(3, 1000),),
        "mean_rows": (make(3, 1000),), "rms_norm": (make(3, 1000), make(1000), 1e-6),
        "layer_norm": (make(3, 1000), make(1000), make(1000), 1e-5),
    }
    for name, arguments in calls.items():
        circuit = getattr(rk, name)
        device = circuit(*arguments, A="f32")
        host = circuit(*[a.cpu().numpy() if isinstance(a, torch.Tensor) else a for a in arguments], A="f32", on="interpreter")
        pairs = zip(device, host) if isinstance(device, tuple) else [(device, host)]
        say(all(same(d.cpu(), torch.as_tensor(h)) for d, h in pairs), f"{name}: the interpreter's bits")


class Layer(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.first(x)).reshape(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q, k.transpose(-1, -2)) / (width // self.heads) ** 0.5
        future = torch.ones(length, length, device=x.device, dtype=torch.bool).triu(1)
        mixed = torch.matmul(torch.softmax(scores.masked_fill(future, float("-inf")), -1), v)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.second(x))))


def check_transformer():
    torch.manual_seed(3)
    model = torch.nn.Sequential(Layer(256, 4), Layer(256, 4)).cuda().eval()
    x = torch.randn(64, 65, 256, device="cuda")
    with torch.no_grad():
        default = sum(0 if same(model(x[:size])[:1], model(x[:1])) else 1 for size in (1, 2, 3, 5, 8, 16, 33, 64))
        with reckon.torch.batch_invariant():
            alone = torch.cat([model(x[i:i + 1]) for i in range(64)])
            wrong = [size for size in (2, 3, 5, 8, 16, 33, 64)
                     if not same(torch.cat([model(part) for part in x.split(size)]), alone)]
    say(not wrong, f"a transformer of two layers: all 64 sequences alone, and in batches of 2 to 64"
        + (f": {wrong} differ" if wrong else f"; PyTorch's own first sequence differs in {default} of 8"))


def check_compile():
    """A circuit as an operator within a compiled graph."""
    if not hasattr(torch.library, "custom_op"):
        return
    rk = reckon.loads("fn shifted_softmax(x: f32[m, n]) -> f32[m, n] {\n  let top = for i: max j: x[i, j];\n"
                      "  let e = for i, j: exp(x[i, j] - top[i]);\n  let s = for i: sum j: e[i, j];\n"
                      "  for i, j: e[i, j] / s[i]\n}\n")
    softmax = reckon.torch.operator(rk.shifted_softmax)
    work = lambda x: softmax(x * 2) + 1
    x = torch.randn(7, 1000, device="cuda")
    compiled = torch.compile(work, fullgraph=True)
    say(same(compiled(x), work(x)), "an operator under torch.compile(fullgraph=True)")


# ---- Speed

def microseconds(work, *arguments):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            work(*arguments)
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(10):
                work(*arguments)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        times, until = [], time.monotonic() + 0.1
        graph.replay()
        while len(times) < 5 or time.monotonic() < until:
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) / 10 * 1e3)
    return statistics.median(times)


def table():
    make = lambda *shape: torch.randn(*shape, device="cuda")
    w = make(4096)
    rows = [
        (f"mm {m} x 4096 x 4096", torch.mm, ours.mm, triton and triton_mm, (make(m, 4096), make(4096, 4096)))
        for m in (1, 16, 128, 1024, 4096)
    ] + [
        (f"softmax {m} x {n}", lambda x: torch.softmax(x, 1), lambda x: ours.softmax(x, 1), triton and triton_softmax,
         (make(m, n),)) for m, n in ((128, 4096), (4096, 4096), (1024, 32000))
    ] + [
        ("log_softmax 1024 x 32000", lambda x: torch.log_softmax(x, 1), lambda x: ours.log_softmax(x, 1),
         triton and (lambda x: triton_softmax(x, True)), (make(1024, 32000),)),
        ("mean 4096 x 4096", lambda x: x.mean(1), lambda x: ours.mean(x, [1]), triton and triton_mean, (make(4096, 4096),)),
        ("rms_norm 4096 x 4096", lambda x: F.rms_norm(x, (4096,), w, 1e-6), lambda x: ours.rms_norm(x, (4096,), w, 1e-6),
         triton and (lambda x: triton_rms(x, w)), (make(4096, 4096),)),
        ("layer_norm 4096 x 4096", lambda x: F.layer_norm(x, (4096,), w, w, 1e-5),
         lambda x: ours.layer_norm(x, (4096,), w, w, 1e-5), None, (make(4096, 4096),)),
    ]
    print(f"{'f32, microseconds':28} {'PyTorch':>9} {'ours':>9} {'Triton':>9}   PyTorch/ours  Triton/ours")
    for name, default, mine, peer, arguments in rows:
        a, b = microseconds(default, *arguments), microseconds(mine, *arguments)
        c = microseconds(peer, *arguments) if peer else None
        print(f"{name:28} {a:9.1f} {b:9.1f} {c or float('nan'):9.1f}   {a / b:12.2f}  {(c or float('nan')) / b:11.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bits-only", action="store_true")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__ if triton else 'none'}")
    check_interpreter()
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        check_bits(dtype)
    check_transformer()
    check_compile()
    if not options.bits_only:
        table()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
