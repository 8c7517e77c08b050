"""What NumPy computes for each circuit: the peers on the host, and the reference of `--check`, there in f64."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Callable, Dict

import numpy as np

from rows import Row


def erf(x: Any) -> Any:
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_sum_exp(x: Any) -> Any:
    top = x.max(-1)
    return np.log(np.exp(x - top[..., None]).sum(-1)) + top


def moments(x: Any, axis: Any = None) -> Any:
    return x.mean(axis), x.var(axis)


def rms_norm(x: Any, w: Any) -> Any:
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * w


def layer_norm(x: Any, w: Any, b: Any, axis: int = 1) -> Any:
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-5) * w + b


def quantise(x: Any) -> Any:
    scale = np.maximum(np.abs(x).max(1), 1e-12) / 448
    return x / scale[:, None], scale


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))


def silu(x: Any) -> Any:
    return x / (1 + np.exp(-x))


def adamw(w: Any, g: Any, m: Any, v: Any) -> Any:
    m1, v1 = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 0.001 * (m1 / (np.sqrt(v1) + 1e-8) + 0.01 * w), m1, v1


def rope(x: Any, c: Any, t: Any) -> Any:
    half = x.shape[2] // 2
    turned = np.concatenate([-x[..., half:], x[..., :half]], -1)
    return x * np.concatenate([c, c], -1)[:, None] + turned * np.concatenate([t, t], -1)[:, None]


def stencil_3(u: Any) -> Any:
    p = np.pad(u, 1, mode="edge")
    return 0.25 * p[:-2] + 0.5 * u + 0.25 * p[2:]


def heat(u: Any) -> Any:
    out, inner = u.copy(), (slice(1, -1),) * u.ndim
    near = -2 * u.ndim * u[inner]
    for axis in range(u.ndim):
        for side in (slice(None, -2), slice(2, None)):
            near = near + u[tuple(side if k == axis else slice(1, -1) for k in range(u.ndim))]
    out[inner] += u.dtype.type(0.1) * near
    return out


def conv_depthwise(x: Any, w: Any) -> Any:
    length = x.shape[2] - w.shape[1] + 1
    return sum(x[:, :, r : r + length] * w[:, r, None] for r in range(w.shape[1]))


def conv_2d(x: Any, f: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, f.shape[2:], axis=(2, 3))
    return np.moveaxis(np.tensordot(windows, f, ((1, 4, 5), (1, 2, 3))), 3, 1)


def squares(x: Any) -> Any:
    return x.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2] // 2, 2)


def recurrence(a: Any, x: Any) -> Any:
    out, y = np.empty_like(x), np.zeros_like(x[:, 0])
    for j in range(x.shape[1]):
        y = out[:, j] = a[:, j] * y + x[:, j]
    return out


def attention(q: Any, k: Any, v: Any, causal: bool = False) -> Any:
    score = q @ np.swapaxes(k, 1, 2) / q.dtype.type(math.sqrt(q.shape[2]))
    if causal:
        score = np.where(np.tri(q.shape[1], dtype=bool), score, -np.inf)
    return softmax(score) @ v


def decode(q: Any, k: Any, v: Any) -> Any:
    return attention(q[:, None], k, v)[:, 0]


#: Of each circuit: what its arguments, and the row, give.
NUMPY: Dict[str, Callable[..., Any]] = {
    "row_sums": lambda x, row: x.sum(1),
    "row_max": lambda x, row: x.max(1),
    "row_norms": lambda x, row: np.linalg.norm(x, axis=1),
    "row_moments": lambda x, row: moments(x, 1),
    "row_argmax": lambda x, row: x.argmax(1),
    "log_sum_exp": lambda x, row: log_sum_exp(x),
    "softmax": lambda x, row: softmax(x),
    "log_softmax": lambda x, row: x - log_sum_exp(x)[:, None],
    "cross_entropy": lambda x, label, row: log_sum_exp(x) - x[np.arange(len(x)), label],
    "rms_norm": lambda x, w, row: rms_norm(x, w),
    "add_rms_norm": lambda x, r, w, row: (x + r, rms_norm(x + r, w)),
    "layer_norm": lambda x, w, b, row: layer_norm(x, w, b),
    "quantise": lambda x, row: quantise(x),
    "column_sums": lambda x, row: x.sum(0),
    "column_max": lambda x, row: x.max(0),
    "column_moments": lambda x, row: moments(x, 0),
    "batch_norm": lambda x, w, b, row: layer_norm(x, w, b, 0),
    "total": lambda x, row: x.sum(),
    "largest": lambda x, row: x.max(),
    "dot": lambda x, y, row: np.dot(x, y),
    "norm": lambda x, row: np.linalg.norm(x),
    "mean_square_error": lambda x, y, row: ((x - y) ** 2).mean(),
    "moments": lambda x, row: moments(x),
    "add": lambda x, y, row: x + y,
    "axpy": lambda a, x, y, row: a * x + y,
    "exponential": lambda x, row: np.exp(x),
    "gelu": lambda x, row: gelu(x),
    "gelu_tanh": lambda x, row: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))),
    "silu": lambda x, row: silu(x),
    "swiglu": lambda x, y, row: silu(x) * y,
    "bias_gelu": lambda x, b, row: gelu(x + b),
    "dequantise": lambda x, scale, row: x * scale[:, None],
    "adamw": lambda w, g, m, v, row: adamw(w, g, m, v),
    "rope": lambda x, c, t, row: rope(x, c, t),
    "transpose": lambda x, row: np.ascontiguousarray(x.T),
    "heads": lambda x, row: np.ascontiguousarray(x.transpose(0, 2, 1, 3)),
    "embed": lambda table, token, row: table[token],
    "take": lambda x, k, row: x.take(k),
    "reversed": lambda x, row: np.ascontiguousarray(x[:, ::-1]),
    "stencil_3": lambda u, row: stencil_3(u),
    "heat_2d": lambda u, row: heat(u),
    "heat_3d": lambda u, row: heat(u),
    "conv_1d": lambda x, w, row: np.correlate(x, w),
    "conv_depthwise": lambda x, w, row: conv_depthwise(x, w),
    "conv_2d": lambda x, f, row: conv_2d(x, f),
    "average_pool": lambda x, row: squares(x).mean((2, 4)),
    "max_pool": lambda x, row: squares(x).max((2, 4)),
    "scan_seq": lambda x, row: x.cumsum(),
    "scan_tree": lambda x, row: x.cumsum(),
    "scan_tiled": lambda x, row: x.cumsum(),
    "row_scans": lambda x, row: x.cumsum(1),
    "row_scans_tiled": lambda x, row: x.cumsum(1),
    "row_scans_max": lambda x, row: np.maximum.accumulate(x, 1),
    "recurrence": lambda a, x, row: recurrence(a, x),
    "segment_sums": lambda key, x, row: np.bincount(key, x, row.sizes["s"]),
    "segment_sums_seq": lambda key, x, row: np.bincount(key, x, row.sizes["s"]),
    "histogram": lambda key, row: np.bincount(key, minlength=row.sizes["s"]),
    "product": lambda a, b, row: a @ b,
    "product_split": lambda a, b, row: a @ b,
    "linear": lambda a, b, row: a @ b.T,
    "linear_split": lambda a, b, row: a @ b.T,
    "linear_gelu": lambda a, b, c, row: gelu(a @ b.T + c),
    "batched": lambda a, b, row: a @ b,
    "matvec": lambda a, x, row: a @ x,
    "vecmat": lambda x, a, row: x @ a,
    "outer": lambda x, y, row: np.outer(x, y),
    "attention": lambda q, k, v, row: attention(q, k, v),
    "causal": lambda q, k, v, row: attention(q, k, v, True),
    "decode": lambda q, k, v, row: decode(q, k, v),
}


def peers(row: Row) -> Dict[str, Callable[..., Any]]:
    """The peers of a row on the host, each a function of the row's arguments."""
    compute = NUMPY[row.circuit]
    return {blas() if row.circuit in BLAS else "NumPy": lambda *arguments: compute(*arguments, row)}


BLAS = set("dot product product_split linear linear_split batched matvec vecmat attention conv_2d norm".split())


def _maps() -> str:
    """What is mapped into this process's memory; empty where the system does not say."""
    try:
        with open("/proc/self/maps") as maps:
            return maps.read()
    except OSError:
        return ""


def blas() -> str:
    """The library that multiplies matrices for NumPy in this process."""
    np.ones((2, 2)) @ np.ones((2, 2))
    text = _maps().lower()
    for name in ("MKL", "OpenBLAS", "BLIS", "ATLAS"):
        if f"lib{name.lower()}" in text or f"_{name.lower()}" in text:
            return name
    return "reference BLAS" if "libblas" in text else "BLAS"


def blas_core() -> str:
    """The processor whose code OpenBLAS has chosen, which may be an older one than it runs on; nothing for other libraries."""
    path = next((line.split()[-1] for line in _maps().splitlines() if "openblas" in line.lower()), "")
    if not path:
        return ""
    try:
        name = ctypes.CDLL(path).openblas_get_corename
    except (OSError, AttributeError):
        return ""
    name.restype = ctypes.c_char_p
    return name().decode()
