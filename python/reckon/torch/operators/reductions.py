"""Reductions over dimensions."""

import torch

from ..writer import WIDE
from .elementwise import form_of, truth


def dimensions(rank, dim):
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return list(range(rank))
    return sorted(d % max(rank, 1) for d in (dim if isinstance(dim, (list, tuple)) else [dim])) if rank else []


def placed(node, operand, dims, keepdim):
    """The operand's subscripts, and the ranges of those that are reduced."""
    free = iter(f"i{d}" for d in range(len(node.shape)))
    indices, ranges = [], []
    for d, size in enumerate(operand.shape):
        if d in dims:
            name = f"r{len(ranges)}"
            ranges.append((name, size))
            indices.append(name)
            if keepdim:
                next(free)
        else:
            indices.append(next(free))
    return ["0" if operand.shape[d] == 1 and indices[d][0] == "i" else indices[d] for d in range(len(indices))], ranges


def folded(kind):
    def rule(writer, node, a, dim=None, keepdim=False, dtype=None, **_):
        if node.output:
            writer.refuse("gives the places of the extremes, which are integers", "use its first result only")
        form = form_of(writer, node)
        indices, ranges = placed(node, a, dimensions(len(a.shape), dim), keepdim)
        if kind == "sum":
            return writer.summed(ranges, [lambda wide: numbered(writer, a, indices, wide)], form)
        return writer.reduction(kind, ranges, numbered(writer, a, indices, form), form)

    return rule


def numbered(writer, operand, indices, form):
    writer.wants_number = True
    text = writer.at(operand, indices, form)
    writer.wants_number = False
    return text


def quantified(kind):
    """`any` and `all`, by the extremes of 0 and 1."""

    def rule(writer, node, a, dim=None, keepdim=False, **_):
        indices, ranges = placed(node, a, dimensions(len(a.shape), dim), keepdim)
        text = writer.at(a, indices, None)
        text = text if a.dtype == torch.bool else f"{text} != 0"
        extreme = "max" if kind == "any" else "min"
        return f"{writer.reduction(extreme, ranges, f'select({text}, f32(1), f32(0))', 'f32')} == 1"

    return rule


def cumulative(kind):
    def rule(writer, node, a, dim, dtype=None, **_):
        form = form_of(writer, node)
        wide = WIDE.get(form, form) if kind == "sum" else form
        dim = dim % max(len(a.shape), 1)
        indices = writer.indices(node.shape)
        inner = [f"r0" if d == dim else index for d, index in enumerate(indices)]
        total = f"({kind} r0 < {indices[dim]} + 1: {numbered(writer, a, inner, wide)} by {writer.order})"
        return total if wide == form else f"{form}{total}"

    return rule


RULES = {
    "sum": folded("sum"),
    "prod": folded("prod"),
    "amax": folded("max"),
    "amin": folded("min"),
    "max": folded("max"),
    "min": folded("min"),
    "any": quantified("any"),
    "all": quantified("all"),
    "cumsum": cumulative("sum"),
    "cumprod": cumulative("prod"),
}
