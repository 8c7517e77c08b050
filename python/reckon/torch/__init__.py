"""Reckon for PyTorch: circuits as operators, and batch-invariant replacements of PyTorch's own."""

from .custom_op import operator
from .invariant import batch_invariant

__all__ = ["batch_invariant", "operator"]
