"""Operators that move elements: the subscripts of the operand as expressions of those of the result."""

from .. import constants
from ..indices import add, clamped, plus, quotient, reshaped, rest, times
from ..graph import Node
from .elementwise import form_of


def moved(change):
    """A rule from a function of the result's subscripts that gives the operand's."""

    def rule(writer, node, a, *args, **kwargs):
        indices = writer.indices(node.shape)
        return writer.at(a, change(indices, node, a, *args, **kwargs))

    return rule


def view(indices, node, a, *_, **__):
    return reshaped(indices, node.shape, a.shape)


def permute(indices, node, a, dims):
    found = [None] * len(dims)
    for place, d in enumerate(dims):
        found[d % len(dims)] = indices[place]
    return found


def transpose(indices, node, a, first=0, second=1):
    if len(indices) < 2:
        return indices
    indices = list(indices)
    indices[first], indices[second] = indices[second], indices[first]
    return indices


def expand(indices, node, a, *_, **__):
    offset = len(indices) - len(a.shape)
    return ["0" if size == 1 else indices[offset + d] for d, size in enumerate(a.shape)]


def select(indices, node, a, dim, index):
    dim = dim % len(a.shape)
    return indices[:dim] + [str(index % a.shape[dim])] + indices[dim:]


def cut(indices, node, a, dim=0, start=None, end=None, step=1):
    dim = dim % len(a.shape)
    size = a.shape[dim]
    start = 0 if start is None else max(start + size, 0) if start < 0 else min(start, size)
    indices = list(indices)
    indices[dim] = plus(times(indices[dim], step), start)
    return indices


def split(indices, node, a, sizes, dim=0):
    """Also by a list of sizes; the node says which piece it is."""
    dim = dim % len(a.shape)
    start = node.output * sizes if isinstance(sizes, int) else sum(sizes[: node.output])
    indices = list(indices)
    indices[dim] = plus(indices[dim], start)
    return indices


def unbind(indices, node, a, dim=0):
    return select(indices, node, a, dim, node.output)


def flip(indices, node, a, dims):
    dims = [d % len(a.shape) for d in dims]
    return [f"{a.shape[d] - 1} - {index}" if d in dims else index for d, index in enumerate(indices)]


def repeat(indices, node, a, repeats):
    offset = len(indices) - len(a.shape)
    return [
        rest(indices[offset + d], size) if repeats[offset + d] > 1 else indices[offset + d]
        for d, size in enumerate(a.shape)
    ]


def roll(indices, node, a, shifts, dims=()):
    if not dims:
        linear = "0"
        for index, size in zip(indices, a.shape):
            linear = add(times(linear, size), index)
        total = node.value_count()
        shifted = rest(plus(linear, -shifts[0] % total), total)
        return reshaped([shifted], (total,), a.shape)
    indices = list(indices)
    for shift, d in zip(shifts, dims):
        indices[d] = rest(plus(indices[d], -shift % a.shape[d]), a.shape[d])
    return indices


def windows(indices, node, a, dim, size, step):
    """`Tensor.unfold`: overlapping pieces of one dimension."""
    dim = dim % len(a.shape)
    inner = list(indices[:-1])
    inner[dim] = add(times(inner[dim], step), indices[-1])
    return inner


def diagonal(indices, node, a, offset=0, first=0, second=1):
    first, second = first % len(a.shape), second % len(a.shape)
    rest_of = iter(indices[:-1])
    return [
        plus(indices[-1], max(-offset, 0))
        if d == first
        else plus(indices[-1], max(offset, 0))
        if d == second
        else next(rest_of)
        for d in range(len(a.shape))
    ]


def nearest(indices, node, a, *_, **__):
    """Upsampling by whole factors, without interpolation."""
    return [
        index if out == size else quotient(index, out // size) if out % size == 0 else None
        for index, out, size in zip(indices, node.shape, a.shape)
    ]


def joined(writer, node, parts, dim=0):
    """`cat`: a choice by the index, with subscripts kept in range since both sides are evaluated."""
    parts = [part for part in parts if part.shape != (0,)]
    dim = dim % len(node.shape)
    indices = writer.indices(node.shape)
    form = form_of(writer, node)
    starts = [sum(part.shape[dim] for part in parts[:k]) for k in range(len(parts))]
    text = None
    for part, start in reversed(list(zip(parts, starts))):
        size = part.shape[dim]
        own = list(indices)
        own[dim] = clamped(plus(indices[dim], -start), size)
        element = writer.at(part, own, form)
        text = element if text is None else f"select({indices[dim]} < {start + size}, {element}, {text})"
    return text


def stacked(writer, node, parts, dim=0):
    dim = dim % len(node.shape)
    indices = writer.indices(node.shape)
    own = indices[:dim] + indices[dim + 1 :]
    form = form_of(writer, node)
    text = writer.at(parts[-1], own, form)
    for k in reversed(range(len(parts) - 1)):
        text = f"select({indices[dim]} == {k}, {writer.at(parts[k], own, form)}, {text})"
    return text


def padded(writer, node, a, pad, value=0):
    """Outside of the operand the value; inside its element."""
    form = form_of(writer, node)
    indices = writer.indices(node.shape)
    rank = len(a.shape)
    own, tests = list(indices), []
    for k in range(len(pad) // 2):
        d = rank - 1 - k
        before, after = pad[2 * k], pad[2 * k + 1]
        if before > 0:
            tests.append(f"{indices[d]} >= {before}")
        if after > 0:
            tests.append(f"{indices[d]} < {before + a.shape[d]}")
        shifted = plus(indices[d], -before)
        own[d] = clamped(shifted, a.shape[d]) if before > 0 or after > 0 else shifted
    element = writer.at(a, own, form)
    return f"select({' and '.join(tests)}, {element}, {writer.scalar(value, form)})" if tests else element


def mirrored(writer, node, a, pad):
    indices = writer.indices(node.shape)
    rank = len(a.shape)
    for k in range(len(pad) // 2):
        d = rank - 1 - k
        last = a.shape[d] - 1
        place = plus(indices[d], -pad[2 * k])
        folded = f"max({place}, -({place}))"
        indices[d] = clamped(f"min({folded}, {2 * last} - ({folded}))", a.shape[d])
    return writer.at(a, indices)


def replicated(writer, node, a, pad):
    indices = writer.indices(node.shape)
    for k in range(len(pad) // 2):
        d = len(a.shape) - 1 - k
        indices[d] = clamped(plus(indices[d], -pad[2 * k]), a.shape[d])
    return writer.at(a, indices)


def constant_list(writer, index):
    if not isinstance(index, Node) or index.kind != "constant":
        writer.refuse(
            "takes elements at indices that are computed", "indices have to be known when the module is imported"
        )
    return index.value


def chosen(writer, a, dim, indices, place, values):
    """The element at dimension `dim` that a list of integers names: by a formula if there is one, else by choices."""
    values = [v % a.shape[dim] for v in values]
    line = constants.affine(values)
    own = list(indices)
    if line is not None:
        own[dim] = plus(times(place, line[1]) if line[1] >= 0 else f"{line[1]} * {place}", line[0])
        if line[1] < 0:
            own[dim] = f"{line[0]} - {times(place, -line[1])}"
        return writer.at(a, own)
    if len(values) > 256:
        writer.refuse(f"takes {len(values)} elements at indices without a pattern")
    text = None
    for k in reversed(range(len(values))):
        own[dim] = str(values[k])
        element = writer.at(a, own)
        text = element if text is None else f"select({place} == {k}, {element}, {text})"
    return text


def index_select(writer, node, a, dim, index):
    dim = dim % len(a.shape)
    indices = writer.indices(node.shape)
    return chosen(writer, a, dim, indices, indices[dim], constant_list(writer, index).reshape(-1).tolist())


def embedding(writer, node, table, index, *_, **__):
    """Rows of a table by constant indices."""
    values = constant_list(writer, index).reshape(-1).tolist()
    indices = writer.indices(node.shape)
    place = "0"
    for name, size in zip(indices, node.shape[:-1]):
        place = add(times(place, size), name)
    return chosen(writer, table, 0, ["0", indices[-1]], place, values)


def index(writer, node, a, where, **_):
    """Indexing by tensors of integers, of one dimension."""
    used = [d for d, entry in enumerate(where) if entry is not None]
    indices = writer.indices(node.shape)
    tables = {d: constant_list(writer, where[d]) for d in used}
    if len(used) != 1 or next(iter(tables.values())).dtype not in INTEGERS:
        writer.refuse("indexes by several tensors, or by a mask", "index one dimension, or use `torch.where`")
    d = used[0]
    table = tables[d]
    inner = indices[d : d + table.dim()]
    place = "0"
    for name, size in zip(inner, table.shape):
        place = add(times(place, size), name)
    own = indices[:d] + ["0"] + indices[d + table.dim() :]
    return chosen(writer, a, d, own, place, table.reshape(-1).tolist())


def triangle(sense):
    def rule(writer, node, a, diagonal=0):
        indices = writer.indices(node.shape)
        form = form_of(writer, node)
        return f"select({indices[-1]} {sense} {plus(indices[-2], diagonal)}, {writer.at(a, indices, form)}, {form}(0))"

    return rule


def scattered(kind):
    """`select_scatter` and `slice_scatter`: a tensor with a part replaced."""

    def rule(writer, node, a, part, dim=0, *args, **kwargs):
        indices = writer.indices(node.shape)
        dim = dim % len(node.shape)
        size = node.shape[dim]
        form = form_of(writer, node)
        if kind == "select":
            k = kwargs.get("index", args[0] if args else 0) % size
            return (
                f"select({indices[dim]} == {k}, {writer.at(part, indices[:dim] + indices[dim + 1:], form)}, "
                f"{writer.at(a, indices, form)})"
            )
        start, end, step = (list(args) + [None, None, 1][len(args) :])[:3]
        start = 0 if start is None else start % size if start < 0 else start
        own = list(indices)
        own[dim] = clamped(quotient(plus(indices[dim], -start), step), part.shape[dim])
        tests = [f"{indices[dim]} >= {start}", f"{indices[dim]} < {start + (part.shape[dim] - 1) * step + 1}"]
        if step > 1:
            tests.append(f"({plus(indices[dim], -start)}) % {step} == 0")
        return f"select({' and '.join(tests)}, {writer.at(part, own, form)}, {writer.at(a, indices, form)})"

    return rule


def _integers():
    import torch

    return (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


INTEGERS = _integers()

RULES = {
    **{
        name: moved(view)
        for name in (
            "view",
            "_unsafe_view",
            "reshape",
            "_reshape_alias",
            "unsqueeze",
            "squeeze",
            "flatten",
            "unflatten",
            "view_copy",
            "ravel",
        )
    },
    "permute": moved(permute),
    "transpose": moved(transpose),
    "t": moved(transpose),
    "expand": moved(expand),
    "broadcast_to": moved(expand),
    "select": moved(select),
    "slice": moved(cut),
    "split": moved(split),
    "split_with_sizes": moved(split),
    "unsafe_split": moved(split),
    "unsafe_split_with_sizes": moved(split),
    "unbind": moved(unbind),
    "flip": moved(flip),
    "repeat": moved(repeat),
    "roll": moved(roll),
    "unfold": moved(windows),
    "diagonal": moved(diagonal),
    "upsample_nearest1d": moved(nearest),
    "upsample_nearest2d": moved(nearest),
    "upsample_nearest3d": moved(nearest),
    "cat": joined,
    "stack": stacked,
    "constant_pad_nd": padded,
    "reflection_pad1d": mirrored,
    "reflection_pad2d": mirrored,
    "replication_pad1d": replicated,
    "replication_pad2d": replicated,
    "index_select": index_select,
    "embedding": embedding,
    "index": index,
    "tril": triangle("<="),
    "triu": triangle(">="),
    "select_scatter": scattered("select"),
    "slice_scatter": scattered("slice"),
}
