"""Reckon for PyTorch: modules and functions as circuits, checks of rewrites against them, and tolerances.

`circuit` imports, `check` compares a candidate with a module and names the first operation that differs, and
`tolerance` gives what a test of a kernel may allow. docs/pytorch.md has the whole."""

from .check import Verdict, check
from .circuit import Circuit, circuit
from .errors import ArgumentMistake, Unsupported
from .tolerance import Tolerance, Tolerances, tolerance

__all__ = [
    "ArgumentMistake",
    "Circuit",
    "Tolerance",
    "Tolerances",
    "Unsupported",
    "Verdict",
    "check",
    "circuit",
    "tolerance",
]
