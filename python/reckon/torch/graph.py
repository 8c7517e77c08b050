"""The graph that an import records: its nodes, and their values in float64."""

import math
from dataclasses import dataclass, field

import torch

from .._formats import FORMATS

RESERVED = frozenset(FORMATS) | frozenset(
    """
    fn let for sum prod min max reduce scan by else if in select pi e ln2 log2e inf nan and or xor not true false
    check show save assert import within kernel profile builtin random normal lcg load view trials seed number add mul seq
    tree any neg abs fma sqrt rsqrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sinpi cospi tanpi asin acos atan sinh cosh
    tanh asinh acosh atanh erf erfc gamma lgamma cbrt pow rootn atan2 hypot sign copysign nextafter floor ceil trunc round clamp ldexp bits from_bits
    rem length tile lanes then fold minnum maxnum
    """.split()
)


RESHAPED = frozenset(
    """
    view _unsafe_view reshape _reshape_alias flatten unsqueeze squeeze
    """.split()
)


@dataclass
class Place:
    """Where an operation stands: the path of its module and a line of the user's source."""

    module: str = ""
    source: str = ""

    def __str__(self):
        return ", ".join(part for part in (f"module `{self.module}`" if self.module else "", self.source) if part)

    def short(self):
        """Without the text of the line."""
        return str(Place(self.module, ":".join(self.source.split(":")[:2])))


@dataclass(eq=False)
class Node:
    """One value of the graph. `kind` is `input`, `parameter`, `constant` or `operation`."""

    name: str
    kind: str
    shape: tuple
    dtype: torch.dtype
    operator: str = ""
    function: object = None
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    output: int = 0
    place: Place = field(default_factory=Place)
    value: object = None
    title: str = ""
    part_of: str = ""

    def value_count(self):
        return math.prod(self.shape)

    def operands(self):
        found = []
        map_nodes((self.args, self.kwargs), lambda node: found.append(node) or node)
        return found

    def __repr__(self):
        return f"{self.name}: {self.operator or self.kind}{list(self.shape)}"


@dataclass
class Graph:
    """The recorded operations, in the order in which they ran."""

    nodes: list
    inputs: list
    outputs: list
    parameters: list

    def evaluate(self, values, replaced=None):
        """The values of all nodes in float64, where `values` has those of inputs and parameters by name. Conversions
        between float formats are left out, so that what rounding does is not seen. `replaced` has values that nodes
        are given in place of their own."""
        found = dict(replaced or {})
        for node in self.parameters + self.inputs:
            found[node] = widened(values[node.name])
        for node in self.nodes:
            if node in found:
                continue
            if node.kind == "constant":
                found[node] = widened(node.value)
                continue
            args, kwargs = map_nodes((node.args, node.kwargs), lambda operand: found[operand])
            with torch.no_grad():
                found[node] = replay(node, args, kwargs)
        return found

    def relevance(self, values):
        """For each node, which of its elements the outputs depend on, at these values: those with a derivative. Nodes
        without one, as conditions, are left out."""
        found = {}
        for node in self.parameters + self.inputs:
            found[node] = widened(values[node.name]).clone().requires_grad_(True)
        with torch.enable_grad():
            for node in self.nodes:
                if node.kind == "constant":
                    found[node] = widened(node.value)
                elif node not in found:
                    args, kwargs = map_nodes((node.args, node.kwargs), lambda operand: found[operand])
                    found[node] = replay(node, args, kwargs)
                if found[node].requires_grad:
                    found[node].retain_grad()
            generator = torch.Generator().manual_seed(0)
            total = sum(
                (found[node] * (torch.rand(node.shape, generator=generator) + 0.5)).sum()
                for node in self.outputs
                if found[node].requires_grad
            )
            if isinstance(total, torch.Tensor) and bool(torch.isfinite(total)):
                total.backward()
        return {
            node: value.grad != 0 for node, value in found.items() if value.requires_grad and value.grad is not None
        }


def replay(node, args, kwargs):
    """One operation in float64."""
    kwargs = {key: torch.float64 if is_float_type(value) else value for key, value in kwargs.items()}
    if node.operator == "_to_copy":
        return args[0].to(torch.float64 if node.dtype.is_floating_point else node.dtype)
    if node.operator in RESHAPED:
        return args[0].reshape(node.shape).clone()
    result = node.function(*args, **kwargs)
    result = result[node.output] if isinstance(result, (tuple, list)) else result
    return result.clone() if isinstance(result, torch.Tensor) else torch.tensor(result)


def is_float_type(value):
    return isinstance(value, torch.dtype) and value.is_floating_point


def widened(tensor):
    tensor = tensor.detach()
    return tensor.to(torch.float64) if tensor.dtype.is_floating_point else tensor.clone()


def map_nodes(structure, change):
    """The same structure of tuples, lists and dictionaries, with every node changed."""
    if isinstance(structure, Node):
        return change(structure)
    if isinstance(structure, (list, tuple)):
        return type(structure)(map_nodes(part, change) for part in structure)
    if isinstance(structure, dict):
        return {key: map_nodes(part, change) for key, part in structure.items()}
    return structure


def map_tensors(structure, change):
    if isinstance(structure, torch.Tensor):
        return change(structure)
    if isinstance(structure, (list, tuple)):
        return type(structure)(map_tensors(part, change) for part in structure)
    if isinstance(structure, dict):
        return {key: map_tensors(part, change) for key, part in structure.items()}
    return structure


class Names:
    """Names that are valid in a circuit, each given once."""

    def __init__(self):
        self.used = {}

    def fresh(self, text, number=False):
        name = "".join(letter if letter.isalnum() else "_" for letter in text).strip("_") or "value"
        name = "v" + name if name[0].isdigit() else name
        clash = name in RESERVED or (name[:1] in "ir" and name[1:].isdigit())
        while number or clash or name in self.used:
            count = self.used.get(name, 0) + 1
            self.used[name] = count
            candidate = f"{name}_{count}"
            if candidate not in self.used:
                name = candidate
                break
        self.used.setdefault(name, 0)
        return name
