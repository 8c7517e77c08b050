"""Subscripts as text, with the arithmetic that can be done beforehand done."""

import math


def is_number(text):
    return text.lstrip("-").isdigit()


def plus(a, k):
    """a + k for an integer k."""
    if k == 0:
        return a
    if is_number(a):
        return str(int(a) + k)
    return f"{a} + {k}" if k > 0 else f"{a} - {-k}"


def times(a, k):
    if k == 1 or a == "0":
        return a
    if k == 0:
        return "0"
    if is_number(a):
        return str(int(a) * k)
    return f"{k} * ({a})" if " " in a else f"{k} * {a}"


def add(a, b):
    if a == "0":
        return b
    if b == "0":
        return a
    return plus(a, int(b)) if is_number(b) else f"{a} + {b}"


def quotient(a, k):
    if k == 1:
        return a
    if is_number(a):
        return str(int(a) // k)
    return f"({a}) // {k}" if " " in a else f"{a} // {k}"


def rest(a, k):
    if k == 1:
        return "0"
    if is_number(a):
        return str(int(a) % k)
    return f"({a}) % {k}" if " " in a else f"{a} % {k}"


def clamped(a, size):
    """a, kept within 0 .. size - 1."""
    if size == 1:
        return "0"
    if is_number(a):
        return str(min(max(int(a), 0), size - 1))
    return f"min(max({a}, 0), {size - 1})"


def reshaped(out_indices, out_shape, in_shape):
    """The subscripts of a tensor whose elements, in order, were given another shape. Dimensions that stay, or are
    merged or split among neighbours, are found first, so that the subscripts stay simple."""
    result = []
    i = j = 0
    while i < len(in_shape) or j < len(out_shape):
        taken_in, taken_out = [], []
        size_in = size_out = 1
        if i < len(in_shape):
            taken_in.append(i)
            size_in *= in_shape[i]
            i += 1
        if j < len(out_shape):
            taken_out.append(j)
            size_out *= out_shape[j]
            j += 1
        while size_in != size_out:
            if size_in < size_out:
                taken_in.append(i)
                size_in *= in_shape[i]
                i += 1
            else:
                taken_out.append(j)
                size_out *= out_shape[j]
                j += 1
        result += group(
            [out_indices[k] for k in taken_out], [out_shape[k] for k in taken_out], [in_shape[k] for k in taken_in]
        )
    return result


def group(indices, out_sizes, in_sizes):
    linear = "0"
    for index, size in zip(indices, out_sizes):
        linear = add(times(linear, size), "0" if size == 1 else index)
    found = []
    below = math.prod(in_sizes)
    for position, size in enumerate(in_sizes):
        below //= size
        first = all(s == 1 for s in in_sizes[:position])
        text = quotient(linear, below)
        found.append("0" if size == 1 else text if first else rest(text, size))
    return found
