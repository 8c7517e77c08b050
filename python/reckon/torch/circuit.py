"""`circuit(...)`: a PyTorch module or function as a Reckon circuit."""

from fractions import Fraction

import torch

from . import _session
from .dynamic import resized, sizes_of, symbolic
from .errors import ArgumentMistake
from .graph import Graph, Names
from .operators import RULES
from .trace import Pool, add_parameters, input_names, title_of, trace
from .writer import Writer


class Circuit:
    """A module's computation at the example's shapes. `program` is its text; `parameters` are the nodes that the
    circuit takes, inputs first, then parameters and buffers of the module; `values` has the module's own values of
    the latter."""

    def __init__(self, graph: Graph, pool: Pool, name, order):
        self.graph = graph
        self.pool = pool
        self.name = name
        self.order = order
        self.parameters = graph.inputs + graph.parameters
        self.values = {node.name: node.value for node in graph.parameters}

    def text(self, real=True, name=None, parameters=None, wrap=False):
        """The circuit as text. `real`: constants are the reals that they stand for, for comparison over the reals;
        otherwise the doubles that they are, for evaluation in floats. The order of every sum is `order`."""
        writer = Writer(self.graph, RULES, real, self.order, wrap)
        return writer.circuit(name or self.name, self.parameters if parameters is None else parameters)

    def evaluate(self, *inputs, semantics="exact", **values):
        """The outputs as float64 tensors, computed by Reckon's interpreter under a semantics. Under `interval` each is
        a pair of tensors, the lower and the upper ends; under `bound`, the values and the bounds on their errors."""
        given = dict(self.values)
        given.update({node.name: value for node, value in zip(self.graph.inputs, float_tensors(inputs))})
        given.update(values)
        missing = [node.name for node in self.parameters if node.name not in given]
        if missing:
            raise ArgumentMistake(f"`{self.name}` has inputs without a value: {', '.join(missing)}")
        program = self.text(real=not semantics.startswith(("float", "bound")))
        arguments = ", ".join(tensor_text(given[node.name]) for node in self.parameters)
        results = _session.evaluate(program, [f"{self.name}({arguments})"], semantics)
        pairs = {"interval": ("lo", "hi"), "bound": ("value", "bound")}.get(semantics.split("(")[0])
        if pairs is None:
            return [tensor_of(result) for result in results]
        return [tuple(tensor_of(result, key) for key in pairs) for result in results]

    def __str__(self):
        return self.program.rstrip("\n")

    def __repr__(self):
        takes = ", ".join(f"{node.name}: {list(node.shape)}" for node in self.parameters)
        return f"<circuit {self.name}({takes}), {len(self.graph.nodes)} nodes>"


def float_tensors(inputs):
    return [value for value in inputs if isinstance(value, torch.Tensor) and value.dtype.is_floating_point]


def circuit(module_or_function, example_inputs, *, name=None, order="seq", dynamic=None):
    """Imports a module or function at the shapes and formats of the example inputs.

    Float tensors among the inputs, and the module's parameters and float buffers, become the circuit's parameters;
    other inputs are constants. Sums are stated in the order `order`, a schedule's text: over the reals it makes no
    difference, in floats it is what the circuit means. `dynamic` gives dimensions of inputs names, `{"x": {0: "n"}}`;
    then `program` is the circuit for all sizes of them."""
    if isinstance(example_inputs, torch.Tensor):
        example_inputs = [example_inputs]
    pool = Pool()
    if isinstance(module_or_function, torch.nn.Module):
        add_parameters(pool, module_or_function)
    graph = trace(module_or_function, example_inputs, RULES, pool)
    made = Circuit(
        graph, pool, name or Names().fresh(title_of(module_or_function).lower().replace("lambda", "function")), order
    )
    made.program = made.text()  # what the graph has and a circuit cannot say is refused now
    if dynamic:
        places = sizes_of(example_inputs, input_names(module_or_function, example_inputs), dynamic)
        made.program = symbolic(
            lambda sizes: circuit(
                module_or_function, resized(example_inputs, places, sizes), name=made.name, order=order
            ).text(wrap=True),
            places,
        )
    return made


def number_text(value):
    if value != value or value in (float("inf"), float("-inf")):
        return {"inf": "inf", "-inf": "-inf"}.get(str(value), "nan")
    text = repr(value)
    return text if Fraction(text) == Fraction(value) else value.hex()


def tensor_text(value):
    """A tensor as a list of exact numbers."""
    if value.dim() == 0:
        return number_text(float(value))
    return "[" + ", ".join(tensor_text(part) for part in value.detach().to(torch.float64)) + "]"


def parsed(element, key="value"):
    """A number of the program's JSON as a float; what has no value is NaN."""
    text = str(element.get(key, "nan")).replace("...", "")
    if text in ("true", "false"):
        return float(text == "true")
    if "0x" in text:
        return float.fromhex(text)
    if "+-" in text:
        text = text.split("+-")[0].strip()
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        pass
    try:
        return float(text)
    except ValueError:
        return float("nan")


def tensor_of(result, key="value"):
    """The tensor of a result. The parts of a tuple are results of their own."""
    if "shape" in result:
        numbers = [parsed(element, key) for element in result["values"]]
        return torch.tensor(numbers, dtype=torch.float64).reshape(result["shape"])
    return torch.tensor(parsed(result, key), dtype=torch.float64)
