"""Inputs on which two circuits differ, as tensors."""

import re

import torch

from . import _session
from .circuit import parsed, tensor_of
from .differs import same
from .writer import FORMATS

MOST = 512  # evaluations that simplifying may take


def tensors(parameters, inputs):
    """The inputs of a counterexample, from what Reckon writes of them; None if it does not write them in full."""
    program, calls = [], []
    found = {}
    for node in parameters:
        given = inputs[node.name]
        text = given.get("expression", "")
        if not node.shape:
            found[node.name] = torch.tensor(parsed({"value": text or given["elements"][0]}), dtype=torch.float64)
        elif "everywhere" in text or ", but " in text:
            if "..." in text:
                return None
            found[node.name] = spread(text, node.shape)
        elif text:
            form, loop = FORMATS[node.dtype], ", ".join(f"i{d}" for d in range(len(node.shape)))
            sizes = ", ".join(str(size) for size in node.shape)
            program.append(f"fn {node.name}__given(x: {form}[{sizes}]) -> {form}[{sizes}] = for {loop}: x[{loop}]")
            calls.append((node, f"{node.name}__given({text})"))
        elif len(given["elements"]) == node.value_count():
            numbers = [parsed({"value": element}) for element in given["elements"]]
            found[node.name] = torch.tensor(numbers, dtype=torch.float64).reshape(node.shape)
        else:
            return None
    results = _session.evaluate("\n".join(program), [call for _, call in calls], "exact") if calls else []
    for (node, _), result in zip(calls, results):
        found[node.name] = tensor_of(result).reshape(node.shape)
    return {node.name: found[node.name] for node in parameters}


def spread(text, shape):
    """`0, but [0, 1] = 2, [1, 1] = 3` and `0 everywhere`."""
    usual = text.split(" everywhere")[0].split(", but ")[0]
    tensor = torch.full(shape, parsed({"value": usual}), dtype=torch.float64)
    for place, value in re.findall(r"\[([\d, ]*)\] = ([^,\s]+)", text):
        tensor[tuple(int(index) for index in place.split(","))] = parsed({"value": value})
    return tensor


def simplify(verdict, sides, inputs):
    """Inputs of our own on which the two differ in float64, with what is not needed set to 0 and the rest made
    short."""
    attempts = [0]

    def apart(candidate):
        attempts[0] += 1
        left = sides.graph.evaluate(candidate)
        right = sides.other.evaluate(candidate)
        for a, b in zip(sides.graph.outputs, sides.other.outputs):
            if bool(torch.isfinite(left[a]).all()) and not same(left[a], right[b]):
                return left[a], right[b]
        return None

    if apart(inputs) is None:
        return

    def attempt(name, change):
        """Keeps a change of one input if the two still differ."""
        nonlocal inputs
        trial = {**inputs, name: change(inputs[name].clone())}
        kept = attempts[0] < MOST and apart(trial) is not None
        if kept:
            inputs = trial
        return kept

    def clear(name, low, high):
        """Sets a block of elements to 0, or what can be of its halves."""

        def cleared(tensor):
            tensor.view(-1)[low:high] = 0
            return tensor

        if not attempt(name, cleared) and high - low > 1 and attempts[0] < MOST:
            clear(name, low, (low + high) // 2)
            clear(name, (low + high) // 2, high)

    for name in list(inputs):
        clear(name, 0, inputs[name].numel())
    for name in list(inputs):
        for step in (1, 4):
            attempt(name, lambda tensor: tensor.mul(step).round().div(step) + 0.0)
    left, right = apart(inputs)
    place = int((left.reshape(right.shape) - right).abs().argmax())
    verdict.inputs = inputs
    verdict.element = subscripts(place, left.shape)
    verdict.expected, verdict.found = float(left.reshape(-1)[place]), float(right.reshape(-1)[place])
    verdict.notes.append("these inputs were drawn and evaluated in float64")


def subscripts(place, shape):
    found = []
    for size in reversed(shape):
        found.append(place % size)
        place //= size
    return tuple(reversed(found))
