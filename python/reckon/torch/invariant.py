"""Deterministic replacements of PyTorch's products, sums, softmax and norms on CUDA tensors.

    with reckon.torch.batch_invariant():
        y = model(x)          # row i of y has the same bits alone and in any batch

PyTorch chooses the order of a reduction by the shapes of the whole call, so a row's result changes with the number of
rows beside it. The circuits of invariant.rk state their orders, which depend on the reduced dimension alone; their
bits are those of Reckon's interpreter.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import torch

import reckon

_FORMATS = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}

_lock = threading.Lock()
_module: Any = None


def circuits() -> Any:
    """The circuits of invariant.rk, loaded once."""
    global _module
    with _lock:
        if _module is None:
            _module = reckon.load(os.path.join(os.path.dirname(__file__), "invariant.rk"))
        return _module


def _formats(x: torch.Tensor) -> Dict[str, str]:
    """The format of the sums of a tensor's elements. T follows from the tensor."""
    if x.dtype not in _FORMATS:
        raise TypeError(f"the batch-invariant operators have no circuits for {x.dtype}")
    return {"A": "f64" if x.dtype == torch.float64 else "f32"}


def _second(b: torch.Tensor) -> Tuple[str, torch.Tensor]:
    """How the second factor of a product lies in memory: a suffix of the circuit's name, and what it takes."""
    turned = b.transpose(-1, -2)
    if not b.is_contiguous() and turned.is_contiguous():
        return "_nt", turned
    return "", b


def mm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    suffix, b = _second(b)
    return getattr(circuits(), "mm" + suffix)(a, b, **_formats(a))


def addmm(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: float = 1, alpha: float = 1) -> torch.Tensor:
    if c.dim() != 1 or c.shape[0] != b.shape[1]:
        product = mm(a, b)
        return torch.add(torch.mul(c, beta) if beta != 1 else c, product, alpha=alpha)
    suffix, b = _second(b)
    return getattr(circuits(), "addmm" + suffix)(c, a, b, float(alpha), float(beta), **_formats(a))


def bmm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    suffix, b = _second(b)
    return getattr(circuits(), "bmm" + suffix)(a, b, **_formats(a))


def _as_rows(x: torch.Tensor, dims: Sequence[int]) -> Tuple[torch.Tensor, Tuple[int, ...]]:
    """The tensor as rows over these dimensions, and the shape of the others."""
    rest = [d for d in range(x.dim()) if d not in dims]
    turned = x.permute(*rest, *dims) if list(rest) + list(dims) != list(range(x.dim())) else x
    kept = tuple(x.shape[d] for d in rest)
    return turned.reshape(math.prod(kept), math.prod(x.shape[d] for d in dims)), kept


def _over_rows(name: str, x: torch.Tensor, dim: int) -> torch.Tensor:
    """A circuit that gives a row for each row over one dimension."""
    dim = dim % max(x.dim(), 1)
    if x.dim() == 0:
        return _over_rows(name, x.reshape(1), 0).reshape(())
    rows, kept = _as_rows(x, [dim])
    if rows.numel() == 0:
        return torch.empty_like(x)
    out = getattr(circuits(), name)(rows, **_formats(x)).reshape(*kept, x.shape[dim])
    return out if dim == x.dim() - 1 else out.movedim(-1, dim).contiguous()


def softmax(x: torch.Tensor, dim: int, half_to_float: bool = False) -> torch.Tensor:
    return _over_rows("softmax", x.float() if half_to_float else x, dim)


def log_softmax(x: torch.Tensor, dim: int, half_to_float: bool = False) -> torch.Tensor:
    return _over_rows("log_softmax", x.float() if half_to_float else x, dim)


def _reduced(name: str, x: torch.Tensor, dim: Any, keepdim: bool, dtype: Optional[torch.dtype]) -> torch.Tensor:
    if dtype is not None:
        x = x.to(dtype)
    dims: List[int] = list(range(x.dim())) if dim is None or (not isinstance(dim, int) and len(dim) == 0) else (
        [dim % max(x.dim(), 1)] if isinstance(dim, int) else sorted(d % max(x.dim(), 1) for d in dim)
    )
    if x.dim() == 0:
        return x.clone()
    rows, kept = _as_rows(x, dims)
    out = getattr(circuits(), name)(rows, **_formats(x)).reshape(kept)
    if keepdim:
        out = out.reshape([1 if d in dims else x.shape[d] for d in range(x.dim())])
    return out


def sum(x: torch.Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Optional[torch.dtype] = None) -> torch.Tensor:
    if dtype is None and not x.is_floating_point():
        return torch.ops.aten.sum.dim_IntList(x.cpu(), dim, keepdim).to(x.device)
    return _reduced("sum_rows", x, dim, keepdim, dtype)


def mean(x: torch.Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Optional[torch.dtype] = None) -> torch.Tensor:
    return _reduced("mean_rows", x, dim, keepdim, dtype)


def rms_norm(
    x: torch.Tensor, normalized_shape: Sequence[int], weight: Optional[torch.Tensor] = None, eps: Optional[float] = None
) -> torch.Tensor:
    n = math.prod(normalized_shape)
    w = torch.ones(n, dtype=x.dtype, device=x.device) if weight is None else weight.reshape(n)
    eps = torch.finfo(torch.float64 if x.dtype == torch.float64 else torch.float32).eps if eps is None else eps
    return circuits().rms_norm(x.reshape(-1, n), w.to(x.dtype), float(eps), **_formats(x)).reshape(x.shape)


def native_layer_norm(
    x: torch.Tensor,
    normalized_shape: Sequence[int],
    weight: Optional[torch.Tensor],
    bias: Optional[torch.Tensor],
    eps: float,
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    n = math.prod(normalized_shape)
    w = torch.ones(n, dtype=x.dtype, device=x.device) if weight is None else weight.reshape(n).to(x.dtype)
    b = torch.zeros(n, dtype=x.dtype, device=x.device) if bias is None else bias.reshape(n).to(x.dtype)
    out, mean_, scale = circuits().layer_norm(x.reshape(-1, n), w, b, float(eps), **_formats(x))
    kept = [*x.shape[: x.dim() - len(normalized_shape)], *[1] * len(normalized_shape)]
    return out.reshape(x.shape), mean_.reshape(kept), scale.reshape(kept)


def layer_norm(
    x: torch.Tensor,
    normalized_shape: Sequence[int],
    weight: Optional[torch.Tensor] = None,
    bias: Optional[torch.Tensor] = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    return native_layer_norm(x, normalized_shape, weight, bias, eps)[0]


def _fused_rms_norm(
    x: torch.Tensor, normalized_shape: Sequence[int], weight: Optional[torch.Tensor], eps: Optional[float]
) -> Tuple[torch.Tensor, torch.Tensor]:
    n = math.prod(normalized_shape)
    small = torch.finfo(torch.float64 if x.dtype == torch.float64 else torch.float32).eps if eps is None else eps
    squares = mean((x.reshape(-1, n).to(torch.float64 if x.dtype == torch.float64 else torch.float32)).square(), [1])
    kept = [*x.shape[: x.dim() - len(normalized_shape)], *[1] * len(normalized_shape)]
    return rms_norm(x, normalized_shape, weight, eps), torch.rsqrt(squares + small).reshape(kept)


#: The operators of ATen that are replaced on CUDA tensors.
REPLACED: Dict[str, Callable[..., Any]] = {
    "mm": mm,
    "addmm": addmm,
    "bmm": bmm,
    "_softmax": softmax,
    "_log_softmax": log_softmax,
    "sum.dim_IntList": sum,
    "mean.dim": mean,
    "native_layer_norm": native_layer_norm,
    "_fused_rms_norm": _fused_rms_norm,
}


@contextlib.contextmanager
def batch_invariant() -> Iterator[None]:
    """Within it, PyTorch's operators on CUDA tensors are those of this module (REPLACED), in all threads."""
    library = torch.library.Library("aten", "IMPL")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*[Oo]verrid.*")  # it is what is wanted here
            for name, function in REPLACED.items():
                if hasattr(torch.ops.aten, name.split(".")[0]):
                    library.impl(name, function, "CUDA")
        yield
    finally:
        library._destroy()
