"""Products of matrices and convolutions: sums of products."""

from ..indices import add, clamped, plus, quotient, rest, times
from .elementwise import form_of


def contraction(left, right):
    """A rule from the subscripts of both factors, written with the result's indices and the summed `r0`."""

    def rule(writer, node, a, b, *_, **__):
        indices = writer.indices(node.shape)
        form = form_of(writer, node)
        size = a.shape[-1]
        return writer.summed(
            [("r0", size)],
            [lambda wide: writer.at(a, left(indices), wide), lambda wide: writer.at(b, right(indices), wide)],
            form,
        )

    return rule


def pairs(value, rank):
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    return value * rank if len(value) == 1 else value


def bounds(text, low_possible, high_possible, size):
    tests = []
    if low_possible:
        tests.append(f"{text} >= 0")
    if high_possible:
        tests.append(f"{text} < {size}")
    return tests


def convolution(writer, node, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    rank = len(node.shape) - 2
    stride, padding, dilation = pairs(stride, rank), pairs(padding, rank), pairs(dilation, rank)
    indices = writer.indices(node.shape)
    form = form_of(writer, node)
    n, c, places = indices[0], indices[1], indices[2:]
    outputs = node.shape[1] // groups
    inputs = x.shape[1] // groups
    group = quotient(c, outputs) if groups > 1 else "0"
    channel = add(times(group, inputs), "r0") if inputs > 1 else (group if groups > 1 else "0")
    ranges = [("r0", inputs)] if inputs > 1 else []
    own, tests, kernel = [n if x.shape[0] > 1 else "0", channel], [], []
    for d in range(rank):
        size, length = x.shape[2 + d], weight.shape[2 + d]
        r = f"r{d + 1}" if length > 1 else "0"
        kernel.append(r)
        if length > 1:
            ranges.append((r, length))
        if transposed:
            place = plus(add(places[d], times(r, -dilation[d]) if False else "0"), padding[d])
            place = f"{place} - {times(r, dilation[d])}" if r != "0" else place
            if stride[d] > 1:
                tests.append(f"({place}) % {stride[d]} == 0")
            place = quotient(place, stride[d])
            tests += bounds(place, True, True, size)
            own.append(clamped(place, size))
            continue
        place = plus(add(times(places[d], stride[d]), times(r, dilation[d])), -padding[d])
        highest = (node.shape[2 + d] - 1) * stride[d] + (length - 1) * dilation[d] - padding[d]
        tests += bounds(place, padding[d] > 0, highest >= size, size)
        own.append(clamped(place, size) if padding[d] > 0 or highest >= size else place)
    if transposed:
        local = rest(c, outputs) if groups > 1 else c
        filters = [add(times(group, inputs), "r0") if inputs > 1 else (group if groups > 1 else "0"), local] + kernel
    else:
        filters = [c, "r0" if inputs > 1 else "0"] + kernel

    def element(wide):
        text = writer.at(x, own, wide)
        return f"select({' and '.join(tests)}, {text}, {wide}(0))" if tests else text

    total = writer.summed(ranges, [element, lambda wide: writer.at(weight, filters, wide)], form)
    return total if bias is None else f"{total} + {writer.at(bias, [c], form)}"


RULES = {
    "mm": contraction(lambda i: [i[0], "r0"], lambda i: ["r0", i[1]]),
    "bmm": contraction(lambda i: [i[0], i[1], "r0"], lambda i: [i[0], "r0", i[2]]),
    "mv": contraction(lambda i: [i[0], "r0"], lambda i: ["r0"]),
    "dot": contraction(lambda i: ["r0"], lambda i: ["r0"]),
    "vdot": contraction(lambda i: ["r0"], lambda i: ["r0"]),
    "convolution": convolution,
}
