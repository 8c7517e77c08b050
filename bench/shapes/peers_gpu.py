"""The peers on a GPU: PyTorch eager and compiled, cuBLAS, cuDNN and flash attention through it, CUB, Triton.

`peers(row, ...)` has of each the name and a function that takes the row's tensors and gives what is timed. The first one
is PyTorch's own operators, with which results are compared.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from typing import Any, Callable, Dict, Optional

import torch
import torch.nn.functional as F

from rows import HERE, Row

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


def rms_norm(x: Any, w: Any) -> Any:
    return F.rms_norm(x, (x.shape[1],), w, 1e-5)


def add_rms_norm(x: Any, r: Any, w: Any) -> Any:
    y = x + r
    return y, rms_norm(y, w)


def moments(x: Any, axis: Any = None) -> Any:
    variance, mean = torch.var_mean(x, dim=axis, correction=0)
    return mean, variance


def quantise(x: Any) -> Any:
    scale = x.float().abs().amax(1).clamp_min(1e-12) / 448
    return (x.float() / scale[:, None]).to(torch.float8_e4m3fn), scale


def adamw(w: Any, g: Any, m: Any, v: Any) -> Any:
    m1, v1 = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 0.001 * (m1 / (v1.sqrt() + 1e-8) + 0.01 * w), m1, v1


def rope(x: Any, c: Any, t: Any) -> Any:
    near, far = x.chunk(2, -1)
    turned = torch.cat([-far, near], -1)
    return (x * torch.cat([c, c], -1)[:, None] + turned * torch.cat([t, t], -1)[:, None]).to(x.dtype)


def stencil_3(u: Any) -> Any:
    p = F.pad(u[None], (1, 1), mode="replicate")[0]
    return 0.25 * p[:-2] + 0.5 * u + 0.25 * p[2:]


def heat(u: Any) -> Any:
    out, inner = u.clone(), (slice(1, -1),) * u.ndim
    near = -2 * u.ndim * u[inner]
    for axis in range(u.ndim):
        for side in (slice(None, -2), slice(2, None)):
            near = near + u[tuple(side if k == axis else slice(1, -1) for k in range(u.ndim))]
    out[inner] += 0.1 * near
    return out


def wide(x: Any) -> Any:
    return x.float() if x.element_size() == 1 else x


def segment_sums(key: Any, x: Any, row: Row) -> Any:
    return torch.zeros(row.sizes["s"], device=x.device, dtype=x.dtype).index_add_(0, key, x)


@functools.lru_cache(None)
def one() -> Any:
    return torch.ones((), device="cuda")


def scaled_mm(a: Any, b: Any) -> Any:
    """Both of f8e4m3, the elements of a column of the second next to each other."""
    return torch._scaled_mm(a, b, scale_a=one(), scale_b=one(), out_dtype=torch.bfloat16)


def attention(q: Any, k: Any, v: Any, causal: bool = False) -> Any:
    score = torch.bmm(q, k.transpose(1, 2)) / q.shape[2] ** 0.5
    if causal:
        hidden = torch.ones(q.shape[1], k.shape[1], device=q.device, dtype=torch.bool).triu(1)
        score = score.masked_fill(hidden, float("-inf"))
    return torch.bmm(torch.softmax(score, -1), v)


def flash(q: Any, k: Any, v: Any, causal: bool = False) -> Any:
    return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal)[0]


#: PyTorch's operators for each circuit: what the row's tensors, and the row, give.
EAGER: Dict[str, Callable[..., Any]] = {
    "row_sums": lambda x, row: wide(x).sum(1),
    "row_max": lambda x, row: x.amax(1),
    "row_norms": lambda x, row: torch.linalg.vector_norm(x, dim=1),
    "row_moments": lambda x, row: moments(x, 1),
    "row_argmax": lambda x, row: x.argmax(1),
    "log_sum_exp": lambda x, row: x.logsumexp(1),
    "softmax": lambda x, row: torch.softmax(x, 1),
    "log_softmax": lambda x, row: torch.log_softmax(x, 1),
    "cross_entropy": lambda x, label, row: F.cross_entropy(x, label.long(), reduction="none"),
    "rms_norm": lambda x, w, row: rms_norm(x, w),
    "add_rms_norm": lambda x, r, w, row: add_rms_norm(x, r, w),
    "layer_norm": lambda x, w, b, row: F.layer_norm(x, (x.shape[1],), w, b),
    "quantise": lambda x, row: quantise(x),
    "column_sums": lambda x, row: x.sum(0),
    "column_max": lambda x, row: x.amax(0),
    "column_moments": lambda x, row: moments(x, 0),
    "batch_norm": lambda x, w, b, row: F.batch_norm(x, None, None, w, b, True),
    "total": lambda x, row: x.sum(dtype=None if x.dtype == torch.float64 else torch.float32),
    "largest": lambda x, row: x.max(),
    "dot": lambda x, y, row: torch.dot(x, y),
    "norm": lambda x, row: torch.linalg.vector_norm(x),
    "mean_square_error": lambda x, y, row: F.mse_loss(x, y),
    "moments": lambda x, row: moments(x),
    "add": lambda x, y, row: x + y,
    "axpy": lambda a, x, y, row: torch.add(y, x, alpha=a),
    "exponential": lambda x, row: x.exp(),
    "gelu": lambda x, row: F.gelu(x),
    "gelu_tanh": lambda x, row: F.gelu(x, approximate="tanh"),
    "silu": lambda x, row: F.silu(x),
    "swiglu": lambda x, y, row: F.silu(x) * y,
    "bias_gelu": lambda x, b, row: F.gelu(x + b),
    "dequantise": lambda x, scale, row: (x.float() * scale[:, None]).to(torch.bfloat16),
    "adamw": lambda w, g, m, v, row: adamw(w, g, m, v),
    "rope": lambda x, c, t, row: rope(x, c, t),
    "transpose": lambda x, row: x.t().contiguous(),
    "heads": lambda x, row: x.transpose(1, 2).contiguous(),
    "embed": lambda table, token, row: F.embedding(token, table),
    "take": lambda x, k, row: x.index_select(0, k),
    "reversed": lambda x, row: x.flip(1),
    "stencil_3": lambda u, row: stencil_3(u),
    "heat_2d": lambda u, row: heat(u),
    "heat_3d": lambda u, row: heat(u),
    "conv_1d": lambda x, w, row: F.conv1d(x[None, None], w[None, None])[0, 0],
    "conv_depthwise": lambda x, w, row: F.conv1d(x, w[:, None], groups=len(w)),
    "conv_2d": lambda x, f, row: F.conv2d(x, f),
    "average_pool": lambda x, row: F.avg_pool2d(x[None], 2)[0],
    "max_pool": lambda x, row: F.max_pool2d(x[None], 2)[0],
    "scan_seq": lambda x, row: x.cumsum(0),
    "scan_tree": lambda x, row: x.cumsum(0),
    "scan_tiled": lambda x, row: x.cumsum(0),
    "row_scans": lambda x, row: x.cumsum(1),
    "row_scans_tiled": lambda x, row: x.cumsum(1),
    "row_scans_max": lambda x, row: x.cummax(1).values,
    "segment_sums": segment_sums,
    "segment_sums_seq": segment_sums,
    "histogram": lambda key, row: torch.bincount(key, minlength=row.sizes["s"]),
    "product": lambda a, b, row: a @ b,
    "product_split": lambda a, b, row: a @ b,
    "linear": lambda a, b, row: scaled_mm(a, b.t()) if a.element_size() == 1 else a @ b.t(),
    "linear_split": lambda a, b, row: scaled_mm(a, b.t()) if a.element_size() == 1 else a @ b.t(),
    "linear_gelu": lambda a, b, c, row: F.gelu(F.linear(a, b, c)),
    "batched": lambda a, b, row: torch.bmm(a, b),
    "matvec": lambda a, x, row: torch.mv(a, x),
    "vecmat": lambda x, a, row: torch.mv(a.t(), x),
    "outer": lambda x, y, row: torch.outer(x, y),
    "attention": lambda q, k, v, row: attention(q, k, v),
    "causal": lambda q, k, v, row: attention(q, k, v, True),
    "decode": lambda q, k, v, row: attention(q[:, None], k, v)[:, 0],
}
#: Whose kernels PyTorch calls for these.
LIBRARY = {
    **dict.fromkeys("product product_split linear linear_split linear_gelu batched matvec vecmat dot".split(), "cuBLAS"),
    **dict.fromkeys(("conv_1d", "conv_2d", "conv_depthwise"), "cuDNN"),
    **dict.fromkeys(("scan_seq", "scan_tree", "scan_tiled"), "torch (CUB)"),
}
OTHERS: Dict[str, Dict[str, Callable[..., Any]]] = {
    "attention": {"flash or fused attention": lambda q, k, v, row: flash(q, k, v)},
    "causal": {"flash or fused attention": lambda q, k, v, row: flash(q, k, v, True)},
    "decode": {"flash or fused attention": lambda q, k, v, row: flash(q[:, None], k, v)[:, 0]},
}
#: Operators that wait for the device, which no graph can record.
WAITING = {"histogram"}
#: The kinds that CUB's functions are called with (cub.cu), and the functions.
CUB_KIND = {torch.float32: 0, torch.float64: 1, torch.float16: 2, torch.bfloat16: 3}
CUB = {
    "total": "cub_sum",
    "row_sums": "cub_row_sums",
    **dict.fromkeys(("scan_seq", "scan_tree", "scan_tiled"), "cub_scan"),
    "histogram": "cub_histogram",
}


class Cub:
    """cub.cu, which nvcc compiles in the background while other rows run."""

    def __init__(self, library: Optional[str]) -> None:
        self.path, self.compiler, self.loaded = library, None, None
        self.problem = None if library is not None or shutil.which("nvcc") else "there is no nvcc"
        if library is None and shutil.which("nvcc"):
            self.path = os.path.join(tempfile.mkdtemp(), "libcub.so")
            self.compiler = subprocess.Popen(
                ["nvcc", "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC", "-Xcompiler", "-static-libstdc++", "-o", self.path]
                + [os.path.join(HERE, "cub.cu")],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )

    def library(self) -> Any:
        if self.loaded is None:
            if self.compiler is not None and self.compiler.returncode is None:
                text, _ = self.compiler.communicate()
                if self.compiler.returncode:
                    self.problem = f"nvcc does not compile cub.cu: {text[-300:]}"
            if self.problem is not None:
                raise RuntimeError(self.problem)
            self.loaded = ctypes.CDLL(self.path)
        return self.loaded

    def work(self, row: Row, x: Any) -> Callable[[], Any]:
        function = getattr(self.library(), CUB[row.circuit])
        rows = {"row_sums": row.sizes.get("m", 1), "histogram": row.sizes.get("s", 1)}.get(row.circuit, 1)
        columns = x.numel() if row.circuit != "row_sums" else x.shape[1]
        wide_type = x.dtype if x.dtype in (torch.float64, torch.int32) else torch.float32
        out = torch.empty(x.numel() if row.circuit.startswith("scan") else rows, device="cuda", dtype=wide_type)
        size = ctypes.c_size_t(0)

        def call(temporary: Any) -> Any:
            failed = function(temporary, ctypes.byref(size), ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()),
                              ctypes.c_long(rows), ctypes.c_long(columns), CUB_KIND.get(x.dtype, 0),
                              ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
            if failed:
                raise RuntimeError(f"CUDA error {failed}")
            return out

        call(None)
        room = torch.empty(max(size.value, 1), device="cuda", dtype=torch.uint8)
        return lambda: call(ctypes.c_void_p(room.data_ptr()))


def triton_softmax(x: Any) -> Callable[[], Any]:
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(out, x, columns, block: tl.constexpr):
        at = tl.arange(0, block)
        first = tl.program_id(0).to(tl.int64) * columns
        row = tl.load(x + first + at, mask=at < columns, other=-float("inf")).to(tl.float32)
        e = tl.exp(row - tl.max(row, axis=0))
        tl.store(out + first + at, e / tl.sum(e, axis=0), mask=at < columns)

    globals().update(tl=tl)
    out, block = torch.empty_like(x), triton.next_power_of_2(x.shape[1])
    return lambda: (kernel[(x.shape[0],)](out, x, x.shape[1], block, num_warps=min(16, max(1, block // 512))), out)[1]


def triton_rms_norm(x: Any, w: Any) -> Callable[[], Any]:
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(out, x, w, columns, block: tl.constexpr):
        at = tl.arange(0, block)
        first = tl.program_id(0).to(tl.int64) * columns
        row = tl.load(x + first + at, mask=at < columns, other=0).to(tl.float32)
        scale = tl.rsqrt(tl.sum(row * row, axis=0) / columns + 1e-5)
        y = row * scale * tl.load(w + at, mask=at < columns, other=0).to(tl.float32)
        tl.store(out + first + at, y, mask=at < columns)

    globals().update(tl=tl)
    out, block = torch.empty_like(x), triton.next_power_of_2(x.shape[1])
    return lambda: (kernel[(x.shape[0],)](out, x, w, x.shape[1], block, num_warps=min(16, max(1, block // 512))), out)[1]


TRITON = {"softmax": triton_softmax, "rms_norm": triton_rms_norm}


def peers(row: Row, cub: Cub, compiled: bool) -> Dict[str, Callable[..., Callable[[], Any]]]:
    """By name, what makes of a row's tensors the work that is timed."""
    found: Dict[str, Callable[..., Callable[[], Any]]] = {}

    def plain(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
        return lambda *tensors: lambda: function(*tensors, row)

    def by_compiler(*tensors: Any) -> Callable[[], Any]:
        torch._dynamo.reset()
        function = torch.compile(lambda *each: EAGER[row.work](*each, row), dynamic=False)
        return lambda: function(*tensors)

    if row.work in EAGER:
        found[LIBRARY.get(row.work, "torch")] = plain(EAGER[row.work])
        if compiled:
            found["torch.compile"] = by_compiler
    for name, function in OTHERS.get(row.work, {}).items():
        found[name] = plain(function)
    if row.circuit in CUB and (row.circuit != "row_sums" or row.format in ("f32", "f64")):
        found["CUB"] = lambda *tensors: cub.work(row, tensors[0])
    if row.circuit in TRITON and row.sizes["n"] <= 65536:
        found["Triton"] = lambda *tensors: TRITON[row.circuit](*tensors)
    if row.circuit == "recurrence":
        found["torch, a loop over columns"] = lambda a, x: lambda: recurrence(a, x)
    return found


def recurrence(a: Any, x: Any) -> Any:
    y, columns = torch.zeros_like(x[:, 0]), []
    for j in range(x.shape[1]):
        y = torch.addcmul(x[:, j], a[:, j], y)
        columns.append(y)
    return torch.stack(columns, 1)
