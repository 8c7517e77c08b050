"""Writes a graph as a circuit: each node is a `let` of its own name, and its element an expression of its operands'."""

import torch

from . import constants
from .errors import Unsupported
from .graph import Node
from .numbers import factor, literal

FORMATS = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
for _name, _format in (("float8_e4m3fn", "f8e4m3"), ("float8_e5m2", "f8e5m2")):
    if hasattr(torch, _name):
        FORMATS[getattr(torch, _name)] = _format
WIDE = {"f16": "f32", "bf16": "f32", "f8e4m3": "f32", "f8e5m2": "f32"}


class Writer:
    """The text of one circuit. `real`: for comparison over the reals, otherwise for floats; `order`: of every sum;
    `wrap`: whole numbers have their format around them, as sizes that become names need."""

    def __init__(self, graph, rules, real=True, order="seq", wrap=False):
        self.wrap = wrap
        self.graph = graph
        self.rules = rules
        self.real = real
        self.order = order
        self.lines = []
        self.node = None
        self.constants = {}

    # ------------------------------------------------------------------ whole circuits

    def circuit(self, name, parameters, outputs=None):
        """`fn name(parameters) -> ... { ... }`, with a `let` for every operation that an output needs."""
        outputs = self.graph.outputs if outputs is None else outputs
        for node in self.graph.nodes:
            if node.kind == "operation":
                self.write(node)
        results = [self.whole(node) for node in outputs]
        head = ", ".join(f"{p.name}: {self.type_of(p)}" for p in parameters)
        types = ", ".join(self.type_of(node) for node in outputs)
        if len(outputs) > 1:
            types = f"({types})"
        value = results[0] if len(results) == 1 else "(" + ", ".join(results) + ")"
        body = "\n".join(self.lines + [f"  {value}"])
        return f"fn {name}({head}) -> {types} {{\n{body}\n}}\n"

    def write(self, node):
        self.node = node
        rule = self.rules.get(node.operator)
        body = rule(self, node, *node.args, **node.kwargs)
        note = ", ".join(
            text
            for text in (f"{node.operator}{' of ' + node.part_of if node.part_of else ''}", node.place.short())
            if text
        )
        self.lines.append(f"  let {node.name} = {self.loops(node.shape)}{body};  # {note}")

    def whole(self, node):
        """A node as a result: a constant is written out."""
        if node.kind != "constant":
            return node.name
        form = self.format_of(node.dtype)
        return f"{self.loops(node.shape)}{self.constant_at(node, self.indices(node.shape), form)}"

    # ------------------------------------------------------------------ parts

    def type_of(self, node):
        form = "bool" if node.dtype == torch.bool else self.format_of(node.dtype)
        return form + (f"[{', '.join(str(size) for size in node.shape)}]" if node.shape else "")

    def format_of(self, dtype):
        form = FORMATS.get(dtype)
        if form is None:
            self.refuse(f"has a value of type {dtype}, which is no format of a circuit", "convert it to a float type")
        return form

    def refuse(self, reason, hint=""):
        node = self.node
        raise Unsupported(node.operator if node else "constant", node.place if node else "", reason, hint)

    def indices(self, shape):
        return [f"i{d}" for d in range(len(shape))]

    def loops(self, shape):
        if not shape:
            return ""
        return "for " + ", ".join(f"i{d} < {size}" for d, size in enumerate(shape)) + ": "

    def at(self, operand, indices, form=None):
        """An element of an operand at these subscripts, in a format."""
        if not isinstance(operand, Node):
            text = factor(literal(operand, form or "f32", self.real))
            return f"{form or 'f32'}({text})" if self.wrap and text.isdigit() else text
        if operand.kind == "constant":
            return self.constant_at(operand, indices, form or self.form_or_default(operand.dtype))
        text = f"{operand.name}[{', '.join(indices)}]" if operand.shape else operand.name
        own = FORMATS.get(operand.dtype)
        if form is not None and own is not None and own != form:
            return f"{form}({text})"
        if form is not None and operand.dtype == torch.bool:
            return f"select({text}, {form}(1), {form}(0))"
        return text

    def scalar(self, number, form):
        """A Python number as a value of a format: `f32(-inf)`."""
        text = literal(number, form, self.real)
        return text if text.startswith(f"{form}(") else f"{form}({text.strip('()')})"

    def form_or_default(self, dtype):
        return FORMATS.get(dtype, "f32")

    def constant_at(self, node, indices, form):
        value = node.value
        if value.dtype == torch.bool and form != "bool" and form is not None and self.wants_number:
            value = value.to(torch.float32)
        text = constants.expression(value, indices, form, self.real)
        if text is not None:
            return text
        name = self.listed(node, form)
        element = f"{name}[{', '.join(indices)}]"
        return f"({element} == 1)" if value.dtype == torch.bool else element

    wants_number = False

    def listed(self, node, form):
        """A constant tensor without a pattern: a list of its numbers."""
        form = "f32" if form in (None, "bool") else form
        if (node, form) in self.constants:
            return self.constants[node, form]
        if node.value.numel() > constants.LONGEST:
            self.refuse(
                f"uses a constant tensor of {node.value.numel()} numbers without a pattern",
                "give the tensor as an input, or register it as a buffer of the module",
            )
        name = f"{node.name}_{form}"
        self.constants[node, form] = name
        self.lines.append(f"  let {name} = {constants.listed(node.value.to(torch.float64), form, self.real)};")
        return name

    def element(self, operand, shape, indices, form=None):
        """An element of an operand that is broadcast to a shape."""
        if not isinstance(operand, Node):
            return self.at(operand, [], form)
        offset = len(shape) - len(operand.shape)
        own = ["0" if size == 1 else indices[offset + d] for d, size in enumerate(operand.shape)]
        return self.at(operand, own, form)

    def number(self, operand, shape, indices, form):
        """The same, where a truth value counts as 0 or 1."""
        self.wants_number = True
        try:
            return self.element(operand, shape, indices, form)
        finally:
            self.wants_number = False

    def reduction(self, kind, ranges, body, form):
        """`sum r0 < 4: body by seq`. Sums of narrow formats are kept in f32, as PyTorch keeps them."""
        bounds = ", ".join(f"{name} < {size}" for name, size in ranges)
        if not bounds:
            return body
        if kind in ("max", "min"):
            return f"({kind} {bounds}: {body})"
        return f"({kind} {bounds}: {body} by {self.order})"

    def summed(self, ranges, terms, form):
        """A sum of products; `terms` are functions from a format to text."""
        wide = WIDE.get(form, form)
        body = " * ".join(term(wide) for term in terms)
        total = self.reduction("sum", ranges, body, wide)
        return total if wide == form else f"{form}{total}" if total.startswith("(") else f"{form}({total})"
