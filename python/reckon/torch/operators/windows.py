"""Pooling, and windows of images as columns."""

from ..indices import add, clamped, plus, quotient, rest, times
from .elementwise import form_of
from .products import bounds, pairs


def window(writer, node, x, rank, size, stride, padding, dilation):
    """Subscripts of an element of the window, its conditions, and the ranges of the window."""
    indices = writer.indices(node.shape)
    first = len(node.shape) - rank
    own, tests, ranges = indices[:first], [], []
    for d in range(rank):
        r = f"r{len(ranges)}" if size[d] > 1 else "0"
        if size[d] > 1:
            ranges.append((r, size[d]))
        length = x.shape[first + d]
        place = plus(add(times(indices[first + d], stride[d]), times(r, dilation[d])), -padding[d])
        highest = (node.shape[first + d] - 1) * stride[d] + (size[d] - 1) * dilation[d] - padding[d]
        tests += bounds(place, padding[d] > 0, highest >= length, length)
        own.append(clamped(place, length) if padding[d] > 0 or highest >= length else place)
    return own, tests, ranges


def max_pool(rank):
    def rule(writer, node, x, size, stride=(), padding=0, dilation=1, ceil_mode=False):
        if node.output:
            writer.refuse("gives the places of the largest elements, which are integers", "use its first result only")
        size = pairs(size, rank)
        stride = pairs(stride, rank) if stride not in ((), []) else size
        own, tests, ranges = window(writer, node, x, rank, size, stride, pairs(padding, rank), pairs(dilation, rank))
        form = form_of(writer, node)
        text = writer.at(x, own, form)
        return writer.reduction("max", ranges, f"select({' and '.join(tests)}, {text}, -inf)" if tests else text, form)

    return rule


def avg_pool(rank):
    def rule(
        writer, node, x, size, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
    ):
        size, padding = pairs(size, rank), pairs(padding, rank)
        stride = pairs(stride, rank) if stride not in ((), []) else size
        if ceil_mode or (any(padding) and not count_include_pad):
            writer.refuse("is imported with `ceil_mode=False` and, where it pads, `count_include_pad=True`")
        own, tests, ranges = window(writer, node, x, rank, size, stride, padding, [1] * rank)
        form = form_of(writer, node)

        def element(wide):
            text = writer.at(x, own, wide)
            return f"select({' and '.join(tests)}, {text}, {wide}(0))" if tests else text

        count = divisor_override
        if not count:
            count = 1
            for length in size:
                count *= length
        return f"{writer.summed(ranges, [element], form)} / {count}"

    return rule


def columns(writer, node, x, size, dilation, padding, stride):
    """`im2col`, which is `torch.nn.functional.unfold`."""
    n, row, place = writer.indices(node.shape)
    size, dilation, padding, stride = (pairs(v, 2) for v in (size, dilation, padding, stride))
    wide = (x.shape[3] + 2 * padding[1] - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
    channel = quotient(row, size[0] * size[1])
    kernel = [rest(quotient(row, size[1]), size[0]), rest(row, size[1])]
    at = [quotient(place, wide), rest(place, wide)]
    own, tests = [n if x.shape[0] > 1 else "0", channel if x.shape[1] > 1 else "0"], []
    for d in range(2):
        text = plus(add(times(at[d], stride[d]), times(kernel[d], dilation[d])), -padding[d])
        tests += bounds(text, padding[d] > 0, padding[d] > 0, x.shape[2 + d])
        own.append(clamped(text, x.shape[2 + d]) if padding[d] > 0 else text)
    form = form_of(writer, node)
    element = writer.at(x, own, form)
    return f"select({' and '.join(tests)}, {element}, {form}(0))" if tests else element


RULES = {
    "max_pool2d_with_indices": max_pool(2),
    "max_pool3d_with_indices": max_pool(3),
    "max_pool2d": max_pool(2),
    "avg_pool2d": avg_pool(2),
    "avg_pool3d": avg_pool(3),
    "im2col": columns,
}
