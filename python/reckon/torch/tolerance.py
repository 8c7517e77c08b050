"""`tolerance(...)`: what a test of a kernel may allow, proven and probable, with the reasons."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import torch

from . import errors_of as bounds
from .errors import ArgumentMistake, Unsupported
from .operators import RULES
from .tolerance_rules import RULES_OF_ERRORS, Analysis
from .trace import Pool, add_parameters, trace
from .writer import FORMATS

TYPES = {form: dtype for dtype, form in FORMATS.items()}


@dataclass
class Tolerance:
    """Of one output: |computed - true| <= atol + rtol * |true| for all inputs within the ranges. `statement` says what
    was established and for which roundings; `reasons` how much each step adds."""

    atol: float
    rtol: float
    statement: str
    reasons: list = field(default_factory=list)
    result: tuple = ()

    def __str__(self):
        lines = [f"atol={self.atol:.4g}, rtol={self.rtol:.4g}  # {self.statement}"]
        return "\n".join(lines + [f"    {reason}" for reason in self.reasons])

    def allows(self, computed, true):
        """Whether every element lies within, decided in float64."""
        true = true.to(torch.float64)
        return bool(((computed.to(torch.float64) - true).abs() <= self.atol + self.rtol * true.abs()).all())


@dataclass
class Tolerances:
    """For each output of the function, the proven tolerance and the probable one."""

    proven: list
    probable: list
    ranges: str

    def __str__(self):
        lines = [f"for {self.ranges}"]
        for index, (proven, probable) in enumerate(zip(self.proven, self.probable)):
            lines += [
                f"output {index}, true values {proven.result[0]:.6g} to {proven.result[1]:.6g}",
                f"  proven:   {proven}",
                f"  probable: {probable}",
            ]
        return "\n".join(lines)


def ceiling(value):
    """The least double that is not below, as a test's number."""
    return float(bounds.up(value))


def tolerance(function, shapes, formats="f32", ranges=(-1, 1), *, order="any", function_ulps=1, chance=1e-6, accumulate="f32"):
    """Bounds on the difference of a kernel that carries out `function` in its formats from `function` in real numbers.

    `shapes` are those of the inputs, `formats` one format for all or a list; `ranges` one pair, or a dictionary from
    an input's or a parameter's name to a pair. Parameters of a module without a range lie within their own values.
    `order` is the schedule of every sum: `any` allows every order, a schedule's text that one alone. Sums of formats
    narrower than f32 are kept in f32, or in the format itself with `accumulate="own"`. Functions like
    exp are taken to err by at most `function_ulps` units in the last place. The probable tolerance is exceeded with a
    chance of at most `chance` if rounding errors are independent and of mean zero."""
    forms = [formats] * len(shapes) if isinstance(formats, str) else list(formats)
    if len(forms) != len(shapes):
        raise ArgumentMistake(f"{len(shapes)} shapes and {len(forms)} formats were given")
    unknown = [form for form in forms if form not in bounds.FORMATS]
    if unknown:
        raise ArgumentMistake(f"`{unknown[0]}` has no rounding unit here; the formats are {', '.join(bounds.FORMATS)}")
    if accumulate not in ("f32", "own"):
        raise ArgumentMistake(f'`accumulate` is "f32" or "own", not "{accumulate}"')
    inputs = [torch.zeros(shape, dtype=TYPES[form]) for shape, form in zip(shapes, forms)]
    pool = Pool()
    if isinstance(function, torch.nn.Module):
        add_parameters(pool, function)
    graph = trace(function, inputs, RULES, pool)
    stated = ranges_of(graph, ranges)
    found = []
    for likely in (None, chance):
        analysis = Analysis(order, function_ulps, likely, graph, accumulate)
        values = {}
        for node in graph.inputs + graph.parameters:
            low, high = stated[node.name]
            values[node] = bounds.Value(low, high, bits=bounds.FORMATS[FORMATS[node.dtype]][0], positive=low >= 0)
        analyse(graph, analysis, values)
        found.append([summary(analysis, values[node]) for node in graph.outputs])
    shown = ", ".join(f"{name} in {float(low):.6g}..{float(high):.6g}" for name, (low, high) in stated.items())
    return Tolerances(found[0], found[1], shown)


def ranges_of(graph, ranges):
    """A range for each input and parameter, by name."""
    nodes = graph.inputs + graph.parameters
    if isinstance(ranges, dict):
        unknown = [name for name in ranges if name not in {n.name for n in nodes} | {n.title for n in nodes}]
        if unknown:
            raise ArgumentMistake(f"`ranges` names `{unknown[0]}`, and there are {', '.join(n.title for n in nodes)}")
    stated = {}
    for node in nodes:
        pair = ranges.get(node.title, ranges.get(node.name)) if isinstance(ranges, dict) else ranges
        if pair is None or (node.kind == "parameter" and not isinstance(ranges, dict)):
            if node.kind != "parameter":
                raise ArgumentMistake(f"`ranges` has none for `{node.title}`")
            pair = (node.value.min().item(), node.value.max().item())
        stated[node.name] = (Fraction(pair[0]), Fraction(pair[1]))
        if stated[node.name][0] > stated[node.name][1]:
            raise ArgumentMistake(f"the range of `{node.title}` is empty: {pair[0]} to {pair[1]}")
    return stated


def analyse(graph, analysis, values):
    for node in graph.nodes:
        if node in values:
            continue
        if node.kind == "constant":
            values[node] = analysis.constant(node)
            continue
        rule = RULES_OF_ERRORS.get(node.operator)
        if rule is None:
            raise Unsupported(
                node.operator,
                node.place,
                "no bound on its rounding error is known here",
                "what is bounded: " + ", ".join(sorted(RULES_OF_ERRORS)),
            )
        try:
            values[node] = analysis.apply(rule, node, values)
        except ValueError as refused:
            raise Unsupported(node.operator, node.place, str(refused), "give narrower ranges") from None


def summary(analysis, value):
    statement = analysis.statement()
    return Tolerance(
        ceiling(value.absolute),
        ceiling(value.relative),
        statement,
        list(analysis.reasons),
        (float(value.low), float(value.high)),
    )
