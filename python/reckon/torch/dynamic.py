"""Dimensions as names: one circuit for every batch size.

A module is imported at three sizes of the dimension. If the three texts are the same but for whole numbers, and each of
these is a + b * size at all three, then the text with `a + b * n` in their places is the circuit for every n."""

import re

import torch

from .errors import ArgumentMistake

NUMBER = re.compile(r"(?<![\w.#'])(?<![ep][-+])\d+(?![\w.])")


def sizes_of(example_inputs, names, dynamic):
    """The size of each named dimension in the example, and where it stands: {"n": (4, [(0, 1)])} for input 0, axis
    1."""
    places = {}
    for input_name, axes in dynamic.items():
        if input_name not in names:
            raise ArgumentMistake(f"`dynamic` names the input `{input_name}`, and the inputs are {', '.join(names)}")
        position = names.index(input_name)
        shape = example_inputs[position].shape
        for axis, symbol in axes.items():
            if not -len(shape) <= axis < len(shape):
                raise ArgumentMistake(f"`dynamic` names axis {axis} of `{input_name}`, which has {len(shape)}")
            size, where = places.get(symbol, (shape[axis], []))
            if size != shape[axis]:
                raise ArgumentMistake(f"the dimension `{symbol}` is {size} and {shape[axis]} in the example inputs")
            places[symbol] = (size, where + [(position, axis % len(shape))])
    small = [symbol for symbol, (size, _) in places.items() if size < 2]
    if small:
        raise ArgumentMistake(
            f"the dimension `{small[0]}` is 1 in the example, where broadcasting hides it: give 2 or more"
        )
    return places


def resized(example_inputs, places, sizes):
    """Example inputs with other sizes of the named dimensions."""
    shapes = [list(value.shape) if isinstance(value, torch.Tensor) else None for value in example_inputs]
    for symbol, (_, where) in places.items():
        for position, axis in where:
            shapes[position][axis] = sizes[symbol]
    generator = torch.Generator().manual_seed(0)
    found = []
    for value, shape in zip(example_inputs, shapes):
        if shape is None or list(value.shape) == shape:
            found.append(value)
        elif value.dtype.is_floating_point:
            found.append(torch.rand(shape, generator=generator).to(value.dtype))
        else:
            raise ArgumentMistake("a dimension of an input of integers cannot be a name: its numbers are constants")
    return found


def symbolic(texts, places):
    """One text from texts(sizes), a function that imports at given sizes."""
    base = {symbol: size for symbol, (size, _) in places.items()}
    first = texts(base)
    result = pieces(first)
    slopes = [{} for _ in result[1]]
    for symbol, size in base.items():
        others = [pieces(texts({**base, symbol: factor * size})) for factor in (2, 3)]
        if any(other[0] != result[0] for other in others):
            raise ArgumentMistake(f"the circuit is another one at other sizes of `{symbol}`: import it at fixed sizes")
        for k, number in enumerate(result[1]):
            steps = [others[0][1][k] - number, others[1][1][k] - others[0][1][k]]
            if steps[0] != steps[1] or steps[0] % size:
                raise ArgumentMistake(
                    f"a number of the circuit is no multiple of `{symbol}` and a constant: {number}, "
                    f"{others[0][1][k]} and {others[1][1][k]} at 1, 2 and 3 times {size}"
                )
            if steps[0]:
                slopes[k][symbol] = steps[0] // size
    written = [expression(number, slope, base) for number, slope in zip(result[1], slopes)]
    return result[0][0] + "".join(number + text for number, text in zip(written, result[0][1:]))


def pieces(text):
    """The text between whole numbers, and the numbers."""
    plain = re.sub(r"  # [^\n]*", "", text)
    return NUMBER.split(plain), [int(number) for number in NUMBER.findall(plain)]


def expression(number, slope, base):
    """number = constant + sum of slope * size, as text."""
    if not slope:
        return str(number)
    constant = number - sum(factor * base[symbol] for symbol, factor in slope.items())
    terms = [symbol if factor == 1 else f"{factor} * {symbol}" for symbol, factor in slope.items()]
    text = " + ".join(terms) + (f" + {constant}" if constant > 0 else f" - {-constant}" if constant < 0 else "")
    return text if text.isidentifier() else f"({text})"
