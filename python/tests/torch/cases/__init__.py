"""Modules with a right rewrite and a subtly wrong one of each. `differs` is the operator of the module at which the
wrong rewrite parts from it, as whoever planted the mistake knows."""

from . import activations, attention, blocks, convolutions, losses, norms, products

CASES = [
    case for group in (activations, norms, products, convolutions, attention, losses, blocks) for case in group.CASES
]
