"""Reckon: arithmetic circuits, the order of their reductions, and what can be proven of them.

    import reckon
    rk = reckon.loads("fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree")
    rk.dot([1, 2, 3], [4, 5, 6])                          # 32.0, with the bits of the stated order
    rk.dot([1, 2, 3], [4, 5, 6], semantics="interval")    # a proven enclosure
    reckon.check("halving == halving for n: {8}")         # a verdict
    reckon.reveal(numpy.sum, n=100)                       # in which order does NumPy add?

docs/python.md explains all of it.
"""

from __future__ import annotations

from typing import Any

from ._checked import CheckedKernel, checked
from ._circuit import Circuit, Parameter
from ._errors import (
    ArgumentError,
    CheckFailed,
    Error,
    ForkError,
    InternalError,
    Interrupted,
    Message,
    MissingError,
    SourceError,
    UsageError,
)
from ._formats import convert
from ._module import Module, bound, check, eval, load, loads, spread
from ._ptx import Launch, Trace, TracedFold, TracedOutput, ptx, trace
from ._ranks import ranks
from ._reveal import Revealed, RevealedGroup, RevealedOutputs, Scaling, reveal
from ._statics import Layout, Schedule, Tree, tree
from ._values import Values
from ._verdict import Counterexample, Verdict

__all__ = [
    "ArgumentError",
    "CheckFailed",
    "CheckedKernel",
    "Circuit",
    "Counterexample",
    "Error",
    "ForkError",
    "InternalError",
    "Interrupted",
    "Launch",
    "Layout",
    "Message",
    "MissingError",
    "Module",
    "Parameter",
    "Revealed",
    "RevealedGroup",
    "RevealedOutputs",
    "Scaling",
    "Schedule",
    "SourceError",
    "Trace",
    "TracedFold",
    "TracedOutput",
    "Tree",
    "UsageError",
    "Values",
    "Verdict",
    "bound",
    "check",
    "checked",
    "convert",
    "eval",
    "load",
    "loads",
    "ptx",
    "ranks",
    "reveal",
    "spread",
    "trace",
    "tree",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._library import decoded, library

        return decoded(library().version())
    raise AttributeError(f"module `reckon` has no attribute `{name}`")


for _name in __all__:
    # Messages and documentation name what users import: `reckon.SourceError`.
    globals()[_name].__module__ = "reckon"
del _name
