"""Reckon for PyTorch: modules and functions as circuits, checks of rewrites against them, and tolerances.

`circuit` imports, `check` compares a candidate with a module and names the first operation that differs, and
`tolerance` gives what a test of a kernel may allow. `operator` makes a circuit an operator of PyTorch, and
`batch_invariant` replaces PyTorch's own products, sums and norms. docs/pytorch.md has the whole."""

from .check import Verdict, check
from .circuit import Circuit, circuit
from .custom_op import operator
from .errors import ArgumentMistake, Unsupported
from .invariant import batch_invariant
from .tolerance import Tolerance, Tolerances, tolerance

__all__ = [
    "ArgumentMistake",
    "Circuit",
    "Tolerance",
    "Tolerances",
    "Unsupported",
    "Verdict",
    "batch_invariant",
    "check",
    "circuit",
    "operator",
    "tolerance",
]
