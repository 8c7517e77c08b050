"""Constant tensors as expressions of their indices, where they are: masks, ranges, one number everywhere."""

import torch

from .numbers import literal

LONGEST = 4096


def expression(tensor, indices, form, real):
    """Text for the element at `indices` of a constant tensor, or None if it is no known pattern. Booleans give a
    condition, numbers a number of the format `form`."""
    if tensor.dtype == torch.bool:
        return condition(tensor, indices)
    values = torch.unique(tensor)
    if values.numel() == 1:
        return f"{form}({literal(values[0].item(), form, real)})"
    if values.numel() == 2:
        low, high = values.tolist()
        found = condition(tensor == high, indices)
        if found is not None:
            return f"select({found}, {form}({literal(high, form, real)}), {form}({literal(low, form, real)}))"
    return ramp(tensor, indices, form)


def condition(mask, indices):
    if bool(mask.all()):
        return "true"
    if not bool(mask.any()):
        return "false"
    grid = torch.meshgrid(*[torch.arange(size) for size in mask.shape], indexing="ij")
    axes = [d for d in range(mask.dim()) if mask.shape[d] > 1]
    for a in axes:
        for sense, test in (
            ("<", lambda x, c: x < c),
            (">=", lambda x, c: x >= c),
            ("==", lambda x, c: x == c),
            ("!=", lambda x, c: x != c),
        ):
            for c in range(mask.shape[a] + 1):
                if torch.equal(mask, test(grid[a], c)):
                    return f"{indices[a]} {sense} {c}"
    for a in axes:
        for b in axes:
            if a >= b:
                continue
            difference = grid[b] - grid[a]
            for c in range(-mask.shape[a], mask.shape[b] + 1):
                right = indices[a] if c == 0 else f"{indices[a]} + {c}" if c > 0 else f"{indices[a]} - {-c}"
                for sense, found in (
                    ("<=", difference <= c),
                    (">", difference > c),
                    ("==", difference == c),
                    ("!=", difference != c),
                ):
                    if torch.equal(mask, found):
                        return f"{indices[b]} {sense} {right}"
    return None


def ramp(tensor, indices, form):
    """c0 + c1 * i along one dimension, in integers."""
    for axis in range(tensor.dim()):
        if tensor.shape[axis] < 2:
            continue
        line = tensor.select(axis, 1) - tensor.select(axis, 0)
        step = line.flatten()[0].item()
        start = tensor.flatten()[0].item()
        if step != int(step) or start != int(start):
            continue
        shape = [-1 if d == axis else 1 for d in range(tensor.dim())]
        wanted = (start + step * torch.arange(tensor.shape[axis])).reshape(shape).to(tensor.dtype)
        if torch.equal(tensor, wanted.expand(tensor.shape)):
            step, start = int(step), int(start)
            text = indices[axis] if step == 1 else f"{step} * {indices[axis]}"
            return f"{form}({text})" if start == 0 else f"{form}({start} + {text})"
    return None


def listed(tensor, form, real):
    """The tensor as a list of numbers, whose first one carries the format."""
    first = [True]

    def write(part):
        if part.dim() == 0:
            text = literal(part.item(), form, real)
            if first[0] and not text.startswith(form):
                text = f"{form}({text})"
            first[0] = False
            return text
        return "[" + ", ".join(write(piece) for piece in part) + "]"

    return write(tensor)


def affine(values):
    """(start, step) if a list of integers is start + step * i, else None."""
    step = values[1] - values[0] if len(values) > 1 else 0
    return (values[0], step) if all(v == values[0] + step * i for i, v in enumerate(values)) else None
