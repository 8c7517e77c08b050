"""From a function or module and example inputs to a graph, and the tensors that are its parameters."""

import inspect

import torch

from .errors import ArgumentMistake
from .graph import Graph, Names, Node, map_tensors
from .recorder import Functions, ModulePath, Recorder


class Pool:
    """The tensors that are parameters of circuits: they are found again by identity, in a candidate, too."""

    def __init__(self):
        self.names = Names()
        self.nodes = []
        self.by_identity = {}
        self.identified = []

    def add(self, title, tensor, kind="parameter"):
        node = Node(self.names.fresh(title), kind, tuple(tensor.shape), tensor.dtype, value=tensor, title=title)
        self.nodes.append(node)
        self.by_identity[id(tensor)] = node
        return node

    def find(self, tensor):
        node = self.by_identity.get(id(tensor))
        if node is not None and (node.value is tensor or any(seen is tensor for seen in self.identified)):
            return node
        return None

    def identify(self, tensor, node):
        self.by_identity[id(tensor)] = node
        self.identified.append(tensor)


def add_parameters(pool, module):
    """The parameters and float buffers of a module, under their names."""
    for name, tensor in list(module.named_parameters()) + list(module.named_buffers()):
        if tensor.dtype.is_floating_point and id(tensor) not in pool.by_identity:
            pool.add(name, tensor)


def input_names(function, inputs):
    target = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        declared = [
            name
            for name, parameter in inspect.signature(target).parameters.items()
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        declared = []
    return [declared[i] if i < len(declared) else f"input_{i + 1}" for i in range(len(inputs))]


def check_arguments(function, inputs):
    """One message for a wrong number of inputs, before PyTorch's own inside of the module."""
    target = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*inputs)
    except TypeError as mistake:
        raise ArgumentMistake(
            f"`{title_of(function)}{signature}` does not take the {len(inputs)} example "
            f"input{'s' if len(inputs) != 1 else ''} given: {mistake}"
        ) from None


def title_of(function):
    return (
        type(function).__name__
        if isinstance(function, torch.nn.Module)
        else getattr(function, "__name__", type(function).__name__)
    )


def trace(function, example_inputs, supported, pool, inputs=None):
    """The graph of a function or module at the example inputs' shapes. Float tensors among them are inputs of the
    graph; integer and boolean tensors and numbers are constants. `inputs` are nodes of a graph before this one to
    share."""
    check_arguments(function, example_inputs)
    if not any(isinstance(value, torch.Tensor) for value in example_inputs):
        raise ArgumentMistake("the example inputs have no tensor: give one for each input, as a list")
    module = function if isinstance(function, torch.nn.Module) else None
    fresh = [value.detach().clone() if isinstance(value, torch.Tensor) else value for value in example_inputs]
    floats = [value for value in fresh if isinstance(value, torch.Tensor) and value.dtype.is_floating_point]
    if inputs is None:
        named = zip(input_names(function, fresh), fresh)
        inputs = [
            pool.add(name, value, "input")
            for name, value in named
            if isinstance(value, torch.Tensor) and value.dtype.is_floating_point
        ]
    with ModulePath(module) as path:
        recorder = Recorder(supported, pool, path)
        recorder.names.used.update({node.name: 0 for node in pool.nodes})
        for value, node in zip(floats, inputs):
            recorder.follow(value, node)

        def run():
            with slow_paths(module), Functions(recorder), torch.backends.mkldnn.flags(enabled=False), recorder:
                return function(*fresh)

        result = unchanged(module, run)
    outputs = []
    map_tensors(result, lambda tensor: outputs.append(recorder.node_of(tensor) or recorder.constant(tensor)))
    if not outputs:
        raise ArgumentMistake(f"`{title_of(function)}` returned no tensor, but {type(result).__name__}")
    used = live(recorder.nodes, outputs)
    return Graph(used, inputs, outputs, [node for node in used if node.kind == "parameter"])


def unchanged(module, run):
    """Runs, and gives a module's buffers (counts of batches, running statistics) their values back."""
    kept = [(tensor, tensor.clone()) for tensor in module.buffers()] if module is not None else []
    try:
        return run()
    finally:
        with torch.no_grad():
            for tensor, before in kept:
                tensor.copy_(before)


def live(nodes, outputs):
    """Those nodes that an output depends on, in order, and all parameters among them."""
    needed = set(outputs)
    for node in reversed(nodes):
        if node in needed:
            needed.update(node.operands())
    return [node for node in nodes if node in needed]


class slow_paths:
    """Keeps attention modules from their fused operators: these ask whether a gradient may be needed."""

    def __init__(self, module):
        self.parameters = (
            []
            if module is None
            else [
                tensor for tensor in module.parameters() if tensor.dtype.is_floating_point and not tensor.requires_grad
            ]
        )
        self.grad = torch.enable_grad()

    def __enter__(self):
        for tensor in self.parameters:
            tensor.requires_grad_(True)
        self.grad.__enter__()

    def __exit__(self, *error):
        self.grad.__exit__(*error)
        for tensor in self.parameters:
            tensor.requires_grad_(False)
