"""The values that a module and a candidate compute on the way, on given inputs."""

from dataclasses import dataclass, field

import torch

from . import _session, constants, rewritten
from .circuit import tensor_of, tensor_text
from .graph import Node, map_nodes
from .writer import FORMATS


@dataclass(eq=False)
class Step:
    """A value of one side. `title` says what computes it; `given`: an input, a parameter or a constant, or the shift
    of a softmax, which changes nothing. `unshifted` is the value without such shifts; `relevant` says on which
    elements the outputs depend, where that is known."""

    name: str
    title: str
    value: torch.Tensor
    operands: list = field(default_factory=list)
    given: bool = False
    source: object = None
    operator: str = ""
    unshifted: object = None
    relevant: object = None

    def values(self):
        return [self.value] if self.unshifted is None else [self.value, self.unshifted]


@dataclass
class Side:
    """All steps in the order of evaluation, and the outputs among them. `repaired(step, values)` gives, for each
    value, the outputs if the step had it."""

    steps: list
    outputs: list
    repaired: object


SHIFTED = frozenset(
    """
    softmax log_softmax logsumexp safe_softmax
    """.split()
)


def is_shift(node):
    """The largest element that a softmax subtracts."""
    return (
        node.operator == "amax"
        and node.part_of.startswith(tuple(SHIFTED))
        or (node.operator == "amax" and "attention" in node.part_of)
    )


def of_graph(graph, inputs):
    values = graph.evaluate(inputs)
    shifts = {node: torch.zeros_like(values[node]) for node in graph.nodes if is_shift(node)}
    unshifted = graph.evaluate(inputs, shifts) if shifts else values
    relevant = graph.relevance(inputs)
    steps = {}
    for node in graph.parameters + [n for n in graph.inputs if n not in graph.parameters] + graph.nodes:
        if node in steps:
            continue
        operands = [steps[operand] for operand in node.operands()]
        other = unshifted[node] if unshifted is not values and not torch.equal(unshifted[node], values[node]) else None
        steps[node] = Step(
            node.name,
            title_of(node),
            values[node],
            operands,
            node.kind != "operation" or node in shifts,
            node,
            node.operator,
            other,
            relevant.get(node),
        )

    def repaired(step, candidates):
        found = []
        for value in candidates:
            again = graph.evaluate(inputs, {step.source: value.reshape(step.value.shape)})
            found.append([again[node] for node in graph.outputs])
        return found

    return Side(list(steps.values()), [steps[node] for node in graph.outputs], repaired)


def title_of(node):
    """`add_1` = add(div_2, 1e-05), part of `layer_norm`, in module `norm`, block.py:12."""
    if node.kind != "operation":
        return f"the {node.kind} `{node.title or node.name}`"
    arguments = [argument_text(argument) for argument in node.args]
    arguments += [f"{key}={argument_text(value)}" for key, value in node.kwargs.items() if value is not None]
    part = f", part of `{node.part_of}`" if node.part_of else ""
    place = f", in {node.place}" if str(node.place) else ""
    return f"`{node.name}` = {node.operator}({', '.join(arguments)}){part}{place}"


def argument_text(argument):
    if isinstance(argument, Node):
        if argument.kind != "constant":
            return argument.name
        pattern = constants.expression(argument.value, [f"i{d}" for d in range(len(argument.shape))], "f32", True)
        return f"[{pattern}]" if pattern else argument.name
    if isinstance(argument, (list, tuple)):
        return str(map_nodes(list(argument), lambda node: node.name)).replace("'", "")
    return str(argument)


def of_text(text, function, parameters, inputs):
    """The `let`s of a candidate's text, by Reckon's interpreter."""
    arguments = ", ".join(tensor_text(inputs[node.name]) for node in parameters)
    entries = rewritten.prefixes(function)
    program = text + "\n" + "".join(prefix for _, prefix in entries)
    computed = dict(
        zip(
            [name for name, _ in entries],
            evaluated(program, [f"{function.name}__{name}({arguments})" for name, _ in entries]),
        )
    )
    steps = {}
    for name, node in zip(function.parameters, parameters):
        steps[name] = Step(name, f"the parameter `{name}`", inputs[node.name].double(), given=True)
    for let in function.lets:
        operands = [steps[used] for used in rewritten.mentions(let, function) if used in steps]
        for name in let.names:
            if computed[name] is not None:
                steps[name] = Step(name, f"`{let.statement}`", computed[name], operands, source=let, operator="let")
    results = [tensor_of(value) for value in _session.evaluate(program, [f"{function.name}({arguments})"], "exact")]
    used = [steps[name] for name in rewritten.used_in(function.result, steps)]
    outputs = [Step("result", f"the result `{' '.join(function.result.split())}`", value, used) for value in results]

    def repaired(step, candidates):
        if step.source is None or len(step.source.names) != 1 or not candidates:
            return []
        form = FORMATS[parameters[0].dtype]
        sizes = f"[{', '.join(str(size) for size in step.value.shape)}]" if step.value.dim() else ""
        changed = rewritten.with_parameter(function, step.source, f"{form}{sizes}")
        calls = [
            f"{function.name}__repaired({arguments}, {tensor_text(value.reshape(step.value.shape))})"
            for value in candidates
        ]
        found = [tensor_of(value) for value in _session.evaluate(text + "\n" + changed, calls, "exact")]
        return [found[k : k + len(outputs)] for k in range(0, len(found), len(outputs))]

    return Side(list(steps.values()) + outputs, outputs, repaired)


def evaluated(program, calls):
    """One tensor for each call; None where the value is a tuple or has no value."""
    try:
        results = _session.evaluate(program, calls, "exact")
        if len(results) == len(calls):
            return [tensor_of(result) for result in results]
    except _session.ReckonError:
        pass
    if len(calls) < 2:
        return [None] * len(calls)
    return [value for call in calls for value in evaluated(program, [call])]
