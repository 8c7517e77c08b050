"""The rows of the suite: which circuit, at which sizes, in which formats, under which semantics.

A circuit's arguments follow from its parameters and the row's sizes; what is not random normals is said in INTEGERS.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))

#: The file of each circuit, without `.rk`, and whether memory bounds it.
CIRCUITS = {
    "rows": "row_sums row_max row_norms row_moments row_argmax log_sum_exp softmax log_softmax cross_entropy rms_norm "
    "add_rms_norm layer_norm quantise",
    "columns": "column_sums column_max column_moments batch_norm",
    "totals": "total largest dot norm mean_square_error moments",
    "elementwise": "add axpy exponential gelu gelu_tanh silu swiglu bias_gelu dequantise adamw rope",
    "moves": "transpose heads embed take reversed",
    "stencils": "stencil_3 heat_2d heat_3d conv_1d conv_depthwise conv_2d conv_2d_mma average_pool max_pool",
    "scans": "scan_seq scan_tree scan_tiled row_scans row_scans_tiled row_scans_max recurrence segment_sums "
    "segment_sums_seq histogram",
    "products": "product product_split linear linear_split linear_gelu batched product_mma linear_mma linear_mma_split "
    "linear_gelu_mma batched_mma matvec vecmat outer",
    "attention": "attention causal decode attention_mma causal_mma",
}
FILE = {circuit: file for file, circuits in CIRCUITS.items() for circuit in circuits.split()}
NOT_MEMORY = {"product", "product_split", "linear", "linear_split", "linear_gelu", "batched", "conv_2d", "attention", "causal"}

#: The static parameters that a circuit has besides T: A is the format of sums, O that of the result.
WITH_SUMS = set(
    "row_sums row_norms row_moments log_sum_exp softmax log_softmax cross_entropy rms_norm add_rms_norm layer_norm "
    "column_sums column_moments batch_norm total dot norm mean_square_error moments exponential gelu gelu_tanh silu swiglu "
    "bias_gelu rope conv_depthwise conv_2d average_pool product product_split linear linear_split linear_gelu batched matvec "
    "vecmat attention causal decode".split()
)
WITH_RESULT = {"row_sums", "product", "product_split", "linear", "linear_split", "linear_gelu", "batched", "matvec", "vecmat"}
WITHOUT_T = {"histogram"}

#: Parameters of integers, which are drawn below this size.
INTEGERS = {
    "cross_entropy": {"label": "n"},
    "embed": {"token": "v"},
    "take": {"k": "n"},
    "segment_sums": {"key": "s"},
    "segment_sums_seq": {"key": "s"},
    "histogram": {"key": "s"},
}
#: Parameters that are not normal: uniform in 0..1 (a decay, a second moment, a scale).
UNIT = {"recurrence": {"a"}, "adamw": {"v"}, "dequantise": {"scale"}}

BYTES = {"f64": 8, "f32": 4, "bf16": 2, "f16": 2, "f8e4m3": 1, "f8e5m2": 1, "i32": 4, "u32": 4}


@dataclass
class Row:
    group: str
    circuit: str
    sizes: Dict[str, int]
    format: str = "f32"
    semantics: str = "float"
    statics: Dict[str, Any] = field(default_factory=dict)
    memory_bound: bool = False

    @property
    def work(self) -> str:
        """The circuit, whether tensor cores carry it out or not."""
        return self.circuit.replace("_mma", "")

    @property
    def needs_gpu(self) -> bool:
        """Whether the circuit has instructions of GPUs alone."""
        return self.circuit in ("attention_mma", "causal_mma")

    @property
    def name(self) -> str:
        sizes = "x".join(f"{key}{value}" for key, value in self.sizes.items())
        return f"{self.circuit} {sizes} {self.format}" + (f" {self.semantics}" if self.semantics != "float" else "")

    @property
    def path(self) -> str:
        return os.path.join(HERE, FILE[self.circuit] + ".rk")

    def shape(self, sizes: Tuple[str, ...]) -> Tuple[int, ...]:
        """The shape of a parameter or a result, whose sizes are texts of the program: ("n", "2 * m")."""
        return tuple(int(eval(text, {"__builtins__": {}, "max": max, "min": min}, dict(self.sizes))) for text in sizes)

    def format_of(self, type_: str) -> str:
        return str(self.statics.get(type_, type_))

    def definitions(self) -> Dict[str, Any]:
        """The static parameters, with those among the sizes."""
        by_key = self.circuit in ("segment_sums", "segment_sums_seq", "histogram")
        return {**self.statics, **({"s": self.sizes["s"]} if by_key else {})}

    def bytes(self, circuit: Any) -> int:
        """The bytes that must move: arguments and results, each once; of a table only the rows that are taken."""
        taken = {"embed": "table", "take": "x"}.get(self.circuit)
        parts = [each for each in circuit.parameters if each.name != taken] + list(circuit.results) * (2 if taken else 1)
        return sum(math.prod(self.shape(each.shape)) * BYTES[self.format_of(each.type)] for each in parts)

    def held_bytes(self, circuit: Any) -> int:
        """The bytes of arguments and results, and of what lies between."""
        parts = list(circuit.parameters) + list(circuit.results) * 2
        between = {"attention": ("h", "s", "t"), "causal": ("h", "s", "s"), "decode": ("h", "t")}.get(self.work)
        held = sum(math.prod(self.shape(each.shape)) * BYTES[self.format_of(each.type)] for each in parts)
        return held + (8 * math.prod(self.sizes[name] for name in between) if between else 0)

    def operations(self) -> Optional[int]:
        """The operations of products, an fma counted as two."""
        size = self.sizes
        if self.work in ("product", "product_split", "linear", "linear_split", "linear_gelu"):
            return 2 * size["m"] * size["n"] * size["k"]
        if self.work == "batched":
            return 2 * size["g"] * size["m"] * size["n"] * size["k"]
        if self.work == "conv_2d":
            outputs = size["b"] * size["o"] * (size["h"] - size["r"] + 1) * (size["w"] - size["s"] + 1)
            return 2 * outputs * size["c"] * size["r"] * size["s"]
        if self.work in ("attention", "causal"):
            return 4 * size["h"] * size["s"] * size.get("t", size["s"]) * size["d"]
        return None


def row(group: str, circuit: str, format_: str = "f32", semantics: str = "float", **sizes: int) -> Row:
    statics: Dict[str, Any] = {} if circuit in WITHOUT_T else {"T": format_}
    work = circuit.replace("_mma", "")
    if work in WITH_SUMS:
        statics["A"] = "f64" if format_ == "f64" else "f32"
    if work in WITH_RESULT:
        statics["O"] = "bf16" if format_.startswith("f8") else format_
    if circuit in WITHOUT_T:
        format_ = "i32"
    return Row(group, circuit, sizes, format_, semantics, statics, work not in NOT_MEMORY)


def ring(circuit: str, format_: str = "f32", **sizes: int) -> Row:
    return row("fpsan over float", circuit, format_, "fpsan", **sizes)


HIDDEN = (2048, 4096, 5120, 8192)
VOCABULARY = (32000, 50257, 128256)


def gpu_rows() -> Iterator[Row]:
    # Norms and softmax of language models: batch times sequence rows.
    for n in HIDDEN:
        for m in (1, 16, 512, 4096):
            yield row("rows", "rms_norm", "bf16" if m != 512 else "f32", m=m, n=n)
        yield row("rows", "layer_norm", "f32", m=4096, n=n)
        yield row("rows", "layer_norm", "bf16", m=7, n=n)
        yield row("rows", "add_rms_norm", "bf16", m=1000, n=n)
        yield row("rows", "quantise", "bf16", m=1000, n=n)
    for n in VOCABULARY:
        for m in (1, 7, 64, 512):
            yield row("rows", "softmax", "f32", m=m, n=n)
        yield row("rows", "log_softmax", "bf16", m=512, n=n)
        yield row("rows", "log_sum_exp", "f32", m=64, n=n)
        yield row("rows", "row_argmax", "f32", m=16, n=n)
        yield row("rows", "row_argmax", "bf16", m=512, n=n)
        yield row("rows", "cross_entropy", "f32", m=4096 if n < 100000 else 1000, n=n)
        yield row("rows", "cross_entropy", "bf16", m=1000, n=n)
    for n in (128, 1000, 4096, 32768):
        yield row("rows", "softmax", "f32", m=4096, n=n)
        yield row("rows", "softmax", "f16", m=1000, n=n)
    # Statistics of 1 to 10^6 rows.
    for m, n in ((1, 10**7), (7, 1234567), (100, 10**5), (1000, 10**4), (9973, 1009), (10**5, 1000), (10**6, 100), (10**6, 7)):
        yield row("rows", "row_sums", "f32", m=m, n=n)
        yield row("rows", "row_moments", "f32", m=m, n=n)
    for m, n in ((1000, 10**4), (9973, 1009), (10**6, 33)):
        yield row("rows", "row_sums", "f64", m=m, n=n)
        yield row("rows", "row_sums", "bf16", m=m, n=n)
        yield row("rows", "row_max", "f32", m=m, n=n)
        yield row("rows", "row_norms", "f16", m=m, n=n)
        yield row("rows", "row_sums", "f8e4m3", m=m, n=n)
    for m, n in ((10**6, 7), (10**6, 64), (10**5, 1000), (9973, 1009), (1000, 10**4), (100, 10**6)):
        yield row("columns", "column_sums", "f32", m=m, n=n)
        yield row("columns", "column_moments", "f32", m=m, n=n)
    for m, n in ((10**5, 1000), (1000, 9999)):
        yield row("columns", "column_sums", "f64", m=m, n=n)
        yield row("columns", "column_sums", "bf16", m=m, n=n)
        yield row("columns", "column_max", "f32", m=m, n=n)
        yield row("columns", "batch_norm", "f32", m=m, n=n)
    for power in range(2, 9):
        yield row("totals", "total", "f32", n=10**power)
    for n in (10**3, 10**6, 10**8):
        yield row("totals", "total", "f64", n=n)
        yield row("totals", "total", "bf16", n=n)
        yield row("totals", "dot", "f32", n=n)
        yield row("totals", "moments", "f32", n=n)
    for n in (99999, 12345678):
        yield row("totals", "total", "f16", n=n)
        yield row("totals", "norm", "f32", n=n)
        yield row("totals", "largest", "f32", n=n)
        yield row("totals", "mean_square_error", "f32", n=n)
        yield row("totals", "dot", "f64", n=n)
    # Element by element: an activation of 4096 wide layers at 1, 1000 and 16384 positions.
    for n in (4096, 4096 * 1000, 14336 * 16384):
        yield row("elementwise", "swiglu", "bf16", n=n)
        yield row("elementwise", "gelu", "f32", n=n)
        yield row("elementwise", "add", "bf16", n=n)
    for n in (12345677, 10**8):
        for circuit in ("add", "axpy", "exponential", "gelu_tanh", "silu", "adamw"):
            yield row("elementwise", circuit, "f32", n=n)
        yield row("elementwise", "add", "f64", n=n)
        yield row("elementwise", "gelu", "bf16", n=n)
        yield row("elementwise", "gelu_tanh", "f16", n=n)
    yield row("elementwise", "exponential", "f64", n=10**7)
    for m, n in ((512, 8192), (4096, 20480), (1001, 5003)):
        yield row("elementwise", "bias_gelu", "f32", m=m, n=n)
        yield row("elementwise", "dequantise", "bf16", m=m, n=n)
    for s, h, d in ((1, 32, 128), (1000, 32, 128), (4096, 40, 128), (32768, 8, 64)):
        yield row("elementwise", "rope", "bf16", s=s, h=h, d=d)
    for m, n in ((1000, 1001), (4096, 4096), (16384, 8192), (10**6, 33)):
        yield row("moves", "transpose", "f32", m=m, n=n)
    yield row("moves", "transpose", "bf16", m=8192, n=8192)
    yield row("moves", "transpose", "f64", m=4099, n=4093)
    for b, s in ((1, 4096), (16, 1000), (7, 128)):
        yield row("moves", "heads", "bf16", b=b, s=s, h=32, d=128)
    for v, d, n in ((32000, 4096, 512), (50257, 2048, 16384), (128256, 4096, 4096)):
        yield row("moves", "embed", "bf16", v=v, d=d, n=n)
        yield row("moves", "embed", "f32", v=v, d=d, n=n)
    yield row("moves", "take", "f32", n=65536, m=10**7)
    yield row("moves", "take", "f32", n=10**8, m=10**7)
    yield row("moves", "reversed", "f32", m=4096, n=5000)
    # Stencils and convolutions.
    for n in (10**5, 10**8):
        yield row("stencils", "stencil_3", "f32", n=n)
        yield row("stencils", "conv_1d", "f32", n=n, k=31)
    yield row("stencils", "conv_1d", "f64", n=10**7, k=5)
    for m, n in ((1000, 1001), (8192, 8192)):
        yield row("stencils", "heat_2d", "f32", m=m, n=n)
    yield row("stencils", "heat_2d", "f64", m=4096, n=4096)
    for l in (100, 384):
        yield row("stencils", "heat_3d", "f32", l=l, m=l, n=l + 1)
    for b, c, n in ((1, 5120, 4096), (16, 4096, 1003)):
        yield row("stencils", "conv_depthwise", "bf16", b=b, c=c, n=n, k=4)
    for b, c, h, o, r in ((16, 3, 224, 64, 7), (16, 64, 58, 64, 3), (16, 128, 30, 128, 3), (7, 256, 16, 256, 3)):
        yield row("convolutions", "conv_2d", "f32", b=b, c=c, h=h, w=h, o=o, r=r, s=r)
    yield row("convolutions", "conv_2d", "f32", b=64, c=512, h=7, w=7, o=512, r=1, s=1)
    yield row("convolutions", "conv_2d_mma", "f16", b=16, c=64, h=58, w=58, o=64, r=3, s=3)
    for b, m in ((1024, 56), (4096, 28)):
        yield row("stencils", "average_pool", "f32", b=b, m=m, n=m)
        yield row("stencils", "max_pool", "f32", b=b, m=m, n=m)
    # Products: square, of few rows, ragged, of long k, batched.
    for n in (64, 256, 1024, 2048, 4096):
        yield row("products", "product", "f32", m=n, n=n, k=n)
    yield row("products", "product", "f64", m=1024, n=1024, k=1024)
    yield row("products", "product", "f64", m=1000, n=1001, k=999)
    for format_ in ("bf16", "f16"):
        for n in (1024, 4096):
            yield row("products", "product_mma", format_, m=n, n=n, k=n)
    for m, n, k in ((1000, 1001, 999), (33, 4097, 1025), (777, 31, 3000), (129, 129, 129)):
        yield row("products", "product", "f32", m=m, n=n, k=k)
        yield row("products", "product_mma", "bf16", m=m, n=n, k=k)
    for m, n, k in ((128, 128, 65536), (64, 64, 10**6), (512, 512, 32768)):
        yield row("products", "product_split", "f32", m=m, n=n, k=k)
    for k, n in ((4096, 4096), (5120, 13824), (8192, 8192)):
        for m in (1, 7, 16, 64):
            yield row("products of few rows", "linear_mma_split", "bf16", m=m, n=n, k=k)
        yield row("products of few rows", "linear", "f32", m=16, n=n, k=k)
        yield row("products", "linear_mma", "bf16", m=512, n=n, k=k)
        yield row("products", "linear_mma", "f8e4m3", m=512, n=n, k=k)
    yield row("products of few rows", "linear_split", "f32", m=1, n=4096, k=4096)
    yield row("products of few rows", "linear_split", "f32", m=64, n=4096, k=4096)
    yield row("products of few rows", "linear_mma_split", "f8e4m3", m=16, n=4096, k=4096)
    for n in VOCABULARY:
        yield row("products of few rows", "linear_mma_split", "bf16", m=7, n=n, k=2048)
    for m, n in ((512, 8192), (1000, 5120)):
        yield row("products", "linear_gelu", "f32", m=m, n=n, k=2048)
        yield row("products", "linear_gelu_mma", "bf16", m=m, n=n, k=2048)
    for g, n in ((512, 64), (64, 256), (10000, 16), (1000, 33)):
        yield row("products", "batched", "f32", g=g, m=n, n=n, k=n)
    yield row("products", "batched_mma", "bf16", g=512, m=128, n=128, k=64)
    for m, n in ((4096, 4096), (8192, 8192), (32000, 4096), (10**6, 100), (1001, 99999)):
        yield row("products of few rows", "matvec", "f32", m=m, n=n)
        yield row("products of few rows", "vecmat", "f32", m=m, n=n)
    yield row("products of few rows", "matvec", "bf16", m=8192, n=8192)
    yield row("products of few rows", "matvec", "f64", m=5000, n=5001)
    yield row("products of few rows", "outer", "f32", m=8192, n=8191)
    # Attention: heads, positions, width of a head.
    for h, s, d in ((32, 128, 128), (32, 1000, 128), (8, 4096, 64), (32, 4096, 128)):
        yield row("attention", "attention", "f32", h=h, s=s, t=s, d=d)
        yield row("attention", "causal", "f32", h=h, s=s, d=d)
    yield row("attention", "attention_mma", "bf16", h=32, s=1000, t=1000, d=128)
    yield row("attention", "causal_mma", "bf16", h=32, s=4096, d=128)
    yield row("attention", "attention_mma", "bf16", h=64, s=4096, t=4096, d=128)
    yield row("attention", "attention_mma", "f16", h=64, s=1024, t=1024, d=64)
    yield row("attention", "causal_mma", "bf16", h=64, s=1024, d=128)
    yield row("attention", "causal_mma", "f16", h=64, s=4096, d=64)
    for h, t, d in ((32, 128, 128), (32 * 16, 1000, 128), (32 * 7, 4096, 128), (40, 32768, 128)):
        yield row("attention", "decode", "bf16", h=h, t=t, d=d)
    yield row("attention", "decode", "f32", h=32, t=4096, d=128)
    # Scans grow, so that one that is slow already ends the list of its circuit.
    for n in (1000, 10**5, 10**6, 10**7, 10**8):
        yield row("scans", "scan_tiled", "f32", n=n)
        yield row("scans", "scan_seq", "f32", n=n)
        yield row("scans", "scan_tree", "f32", n=n)
    for m, n in ((64, 1000), (4096, 1000), (512, 32768), (10**5, 128)):
        yield row("scans", "row_scans", "f32", m=m, n=n)
        yield row("scans", "row_scans_tiled", "f32", m=m, n=n)
        yield row("scans", "row_scans_max", "f32", m=m, n=n)
        yield row("scans", "recurrence", "f32", m=m, n=n)
    for s, n in ((10, 10**5), (64, 10**6), (1000, 10**6), (256, 10**7)):
        yield row("segments", "segment_sums", "f32", s=s, n=n)
        yield row("segments", "segment_sums_seq", "f32", s=s, n=n)
        yield row("segments", "histogram", s=s, n=n)
    # What the ring costs beside floats: the peer is the same circuit under `float`.
    for each in (
        ring("total", n=10**8),
        ring("total", "f64", n=10**7),
        ring("total", "bf16", n=10**8),
        ring("dot", n=10**7),
        ring("row_sums", m=9973, n=1009),
        ring("softmax", m=1000, n=4096),
        ring("softmax", "bf16", m=512, n=50257),
        ring("rms_norm", m=4096, n=4096),
        ring("layer_norm", m=4096, n=5120),
        ring("column_sums", m=10**5, n=1000),
        ring("silu", n=10**7),
        ring("product", m=1024, n=1024, k=1024),
        ring("product", m=1000, n=1001, k=999),
        ring("linear_split", m=16, n=4096, k=4096),
        ring("matvec", m=8192, n=8192),
        ring("batched", g=512, m=64, n=64, k=64),
        ring("conv_2d", b=16, c=64, h=58, w=58, o=64, r=3, s=3),
    ):
        yield each


def host_rows() -> Iterator[Row]:
    for format_ in ("f32", "f64"):
        for power in range(2, 8):
            yield row("totals", "total", format_, n=10**power)
        for n in (1000, 99999, 10**7):
            for circuit in ("dot", "norm", "largest", "moments", "mean_square_error"):
                yield row("totals", circuit, format_, n=n)
        for m, n in ((1, 128256), (16, 50257), (1000, 1001), (10**5, 33), (10**6, 7)):
            for circuit in ("row_sums", "row_max", "row_moments", "softmax"):
                yield row("rows", circuit, format_, m=m, n=n)
        for m, n in ((1, 4096), (512, 5120), (1000, 2048)):
            for circuit in ("rms_norm", "layer_norm", "log_sum_exp", "row_argmax", "row_norms"):
                yield row("rows", circuit, format_, m=m, n=n)
        for m, n in ((10**6, 7), (10**5, 64), (1000, 1001)):
            for circuit in ("column_sums", "column_max", "column_moments", "batch_norm"):
                yield row("columns", circuit, format_, m=m, n=n)
        for n in (1000, 99999, 4096 * 1000):
            for circuit in ("add", "axpy", "exponential", "gelu_tanh", "silu", "swiglu"):
                yield row("elementwise", circuit, format_, n=n)
        yield row("elementwise", "adamw", format_, n=10**6)
        for m, n in ((100, 101), (1000, 1001), (4096, 4096)):
            yield row("moves", "transpose", format_, m=m, n=n)
        yield row("moves", "embed", format_, v=32000, d=1024, n=512)
        yield row("moves", "take", format_, n=10**6, m=10**6)
        for n in (1000, 10**6):
            yield row("stencils", "stencil_3", format_, n=n)
            yield row("stencils", "conv_1d", format_, n=n, k=31)
        yield row("stencils", "heat_2d", format_, m=1000, n=1001)
        yield row("stencils", "average_pool", format_, b=64, m=56, n=56)
        yield row("stencils", "max_pool", format_, b=64, m=56, n=56)
        yield row("convolutions", "conv_2d", format_, b=1, c=16, h=34, w=34, o=16, r=3, s=3)
        for n in (16, 64, 256, 512):
            yield row("products", "product", format_, m=n, n=n, k=n)
        for m, n, k in ((200, 201, 199), (1, 1024, 1024), (16, 1024, 1024), (64, 64, 10000)):
            yield row("products", "product", format_, m=m, n=n, k=k)
            yield row("products", "linear", format_, m=m, n=n, k=k)
        for m, n in ((1000, 1001), (4096, 4096)):
            yield row("products of few rows", "matvec", format_, m=m, n=n)
            yield row("products of few rows", "vecmat", format_, m=m, n=n)
        yield row("products", "batched", format_, g=1000, m=16, n=16, k=16)
        yield row("attention", "attention", format_, h=4, s=128, t=128, d=64)
        for n in (1000, 10**5, 10**6):
            yield row("scans", "scan_seq", format_, n=n)
            yield row("scans", "scan_tree", format_, n=n)
        for n in (1000, 10**4, 10**5):
            yield row("scans", "scan_tiled", format_, n=n)
        for m, n in ((64, 1000), (1000, 1000)):
            yield row("scans", "row_scans", format_, m=m, n=n)
            yield row("scans", "row_scans_max", format_, m=m, n=n)
        for s, n in ((10, 10**5), (1000, 10**6)):
            yield row("segments", "segment_sums_seq", format_, s=s, n=n)
    for s, n in ((10, 10**5), (1000, 10**6)):
        yield row("segments", "histogram", s=s, n=n)
    for each in (
        ring("total", n=10**6),
        ring("total", "f64", n=10**6),
        ring("dot", n=10**6),
        ring("softmax", m=100, n=1000),
        ring("rms_norm", m=100, n=2048),
        ring("column_sums", m=1000, n=1001),
        ring("silu", n=10**5),
        ring("product", m=128, n=128, k=128),
    ):
        yield each


def rows(machine: str) -> List[Row]:
    found = list(gpu_rows() if machine == "gpu" else host_rows())
    names = [each.name for each in found]
    assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)
    return found
