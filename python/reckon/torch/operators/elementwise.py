"""Operators that act on each element by itself. Operands are broadcast to the result's shape."""

import math

import torch

from ..graph import Node
from ..writer import FORMATS

ROOT_HALF = math.sqrt(0.5)
ROOT_TWO_OVER_PI = math.sqrt(2 / math.pi)


def form_of(writer, node):
    return writer.format_of(node.dtype)


def values(writer, node, *operands):
    """The operands' elements, in the result's format."""
    form = form_of(writer, node)
    indices = writer.indices(node.shape)
    return [writer.number(operand, node.shape, indices, form) for operand in operands]


def plain(template):
    """A rule from text with `{0}`, `{1}` in the places of the operands."""
    count = 1 + max((int(c) for c in "012" if "{" + c + "}" in template), default=0)

    def rule(writer, node, *args, **_):
        return template.format(*values(writer, node, *args[:count]))

    return rule


def scaled(sign):
    def rule(writer, node, a, b, alpha=1):
        x, y = values(writer, node, a, b)
        if alpha == 1:
            return f"{x} {sign} {y}"
        return f"{x} {sign} {writer.at(alpha, [], form_of(writer, node))} * {y}"

    return rule


def rsub(writer, node, a, b, alpha=1):
    x, y = values(writer, node, a, b)
    return f"{y} - {x}" if alpha == 1 else f"{y} - {writer.at(alpha, [], form_of(writer, node))} * {x}"


def divide(writer, node, a, b, rounding_mode=None):
    x, y = values(writer, node, a, b)
    whole = {None: "{}", "floor": "floor({})", "trunc": "trunc({})"}[rounding_mode]
    return whole.format(f"{x} / {y}")


def remainder(writer, node, a, b):
    x, y = values(writer, node, a, b)
    return f"{x} - {y} * floor({x} / {y})"


def power(writer, node, a, b):
    form = form_of(writer, node)
    if isinstance(b, Node) or not isinstance(a, Node):
        return "pow({}, {})".format(
            *[v if isinstance(o, Node) else writer.scalar(o, form) for o, v in zip((a, b), values(writer, node, a, b))]
        )
    (x,) = values(writer, node, a)
    if b == int(b) and 0 <= b <= 8:
        return " * ".join([x] * int(b)) if b else f"{form}(1)"
    if b == int(b) and -8 <= b < 0:
        return f"1 / ({' * '.join([x] * -int(b))})"
    if b in (0.5, -0.5, 1.5):
        return {0.5: f"sqrt({x})", -0.5: f"rsqrt({x})", 1.5: f"{x} * sqrt({x})"}[b]
    return f"pow({x}, {writer.scalar(b, form)})"


def gelu(writer, node, a, approximate="none"):
    (x,) = values(writer, node, a)
    form = form_of(writer, node)
    if approximate == "tanh":
        root = writer.at(ROOT_TWO_OVER_PI, [], form)
        return f"0.5 * {x} * (1 + tanh({root} * ({x} + 0.044715 * {x} * {x} * {x})))"
    return f"0.5 * {x} * (1 + erf({x} * {writer.at(ROOT_HALF, [], form)}))"


def softplus(writer, node, a, beta=1, threshold=20):
    """Beyond its threshold PyTorch gives x itself, a device against overflow: over the reals it is left out."""
    (x,) = values(writer, node, a)
    b = writer.at(beta, [], form_of(writer, node))
    smooth = f"log1p(exp({x}))" if beta == 1 else f"log1p(exp({b} * {x})) / {b}"
    if writer.real:
        return smooth
    argument = x if beta == 1 else f"{b} * {x}"
    return f"select({argument} > {threshold}, {x}, {smooth})"


def elu(writer, node, a, alpha=1, scale=1, input_scale=1):
    (x,) = values(writer, node, a)
    form = form_of(writer, node)
    positive = x if scale == 1 else f"{writer.at(scale, [], form)} * {x}"
    argument = x if input_scale == 1 else f"{writer.at(input_scale, [], form)} * {x}"
    size = [writer.at(number, [], form) for number in (alpha, scale) if number != 1]
    return f"select({x} > 0, {positive}, {' * '.join(size + [f'expm1({argument})'])})"


def leaky_relu(writer, node, a, slope=0.01):
    (x,) = values(writer, node, a)
    return f"select({x} > 0, {x}, {writer.at(slope, [], form_of(writer, node))} * {x})"


def clamp(writer, node, a, low=None, high=None):
    form = form_of(writer, node)
    indices = writer.indices(node.shape)
    (text,) = values(writer, node, a)
    if low is not None:
        text = f"max({text}, {writer.number(low, node.shape, indices, form)})"
    if high is not None:
        text = f"min({text}, {writer.number(high, node.shape, indices, form)})"
    return text


def hardtanh(writer, node, a, low=-1, high=1):
    return clamp(writer, node, a, low, high)


def threshold(writer, node, a, limit, value):
    (x,) = values(writer, node, a)
    form = form_of(writer, node)
    return f"select({x} > {writer.at(limit, [], form)}, {x}, {writer.scalar(value, form)})"


def common_form(writer, *operands):
    """The format in which operands are compared."""
    forms = [FORMATS[o.dtype] for o in operands if isinstance(o, Node) and o.dtype in FORMATS]
    rank = ["f8e5m2", "f8e4m3", "f16", "bf16", "f32", "f64"]
    return max(forms, key=rank.index) if forms else "f32"


def compare(sign):
    def rule(writer, node, a, b):
        form = common_form(writer, a, b)
        indices = writer.indices(node.shape)
        x, y = (writer.number(operand, node.shape, indices, form) for operand in (a, b))
        return f"{x} {sign} {y}"

    return rule


def truth(writer, node, operand):
    """An operand as a condition."""
    indices = writer.indices(node.shape)
    if isinstance(operand, Node) and operand.dtype == torch.bool:
        text = writer.element(operand, node.shape, indices, None)
        return f"({text})" if " " in text else text
    form = common_form(writer, operand)
    return f"({writer.number(operand, node.shape, indices, form)} != 0)"


def logical(word):
    def rule(writer, node, a, b):
        if node.dtype != torch.bool:
            writer.refuse("acts on bits of integers")
        x, y = truth(writer, node, a), truth(writer, node, b)
        return f"({x} and not {y}) or (not {x} and {y})" if word == "xor" else f"{x} {word} {y}"

    return rule


def logical_not(writer, node, a):
    return f"not {truth(writer, node, a)}"


def where(writer, node, c, a, b):
    form = form_of(writer, node)
    indices = writer.indices(node.shape)
    sides = [
        writer.number(side, node.shape, indices, form) if isinstance(side, Node) else writer.scalar(side, form)
        for side in (a, b)
    ]
    condition = truth(writer, node, c)
    plain = condition[1:-1] if condition.startswith("(") and condition.count("(") == 1 else condition
    return f"select({plain}, {sides[0]}, {sides[1]})"


def masked_fill(writer, node, a, mask, value):
    return where(writer, node, mask, value, a)


def convert(writer, node, a, **_):
    if node.dtype == torch.bool:
        return truth(writer, node, a)
    (x,) = values(writer, node, a)
    return x


def full_like(writer, node, a, value=0, **_):
    form = form_of(writer, node)
    return writer.scalar(value, form)


RULES = {
    "add": scaled("+"),
    "sub": scaled("-"),
    "rsub": rsub,
    "mul": plain("{0} * {1}"),
    "div": divide,
    "true_divide": divide,
    "neg": plain("-{0}"),
    "abs": plain("abs({0})"),
    "exp": plain("exp({0})"),
    "exp2": plain("exp2({0})"),
    "expm1": plain("expm1({0})"),
    "log": plain("log({0})"),
    "log2": plain("log2({0})"),
    "log1p": plain("log1p({0})"),
    "log10": plain("log10({0})"),
    "sqrt": plain("sqrt({0})"),
    "rsqrt": plain("rsqrt({0})"),
    "reciprocal": plain("1 / {0}"),
    "square": plain("{0} * {0}"),
    "sin": plain("sin({0})"),
    "cos": plain("cos({0})"),
    "tan": plain("tan({0})"),
    "asin": plain("asin({0})"),
    "acos": plain("acos({0})"),
    "atan": plain("atan({0})"),
    "sinh": plain("sinh({0})"),
    "cosh": plain("cosh({0})"),
    "asinh": plain("asinh({0})"),
    "acosh": plain("acosh({0})"),
    "atanh": plain("atanh({0})"),
    "atan2": plain("atan2({0}, {1})"),
    "hypot": plain("hypot({0}, {1})"),
    "tanh": plain("tanh({0})"),
    "sigmoid": plain("1 / (1 + exp(-{0}))"),
    "silu": plain("{0} / (1 + exp(-{0}))"),
    "erf": plain("erf({0})"),
    "erfc": plain("erfc({0})"),
    "lgamma": plain("lgamma({0})"),
    "relu": plain("max({0}, 0)"),
    "relu6": plain("min(max({0}, 0), 6)"),
    "mish": plain("{0} * tanh(log1p(exp({0})))"),
    "hardsigmoid": plain("min(max({0} + 3, 0), 6) / 6"),
    "hardswish": plain("{0} * min(max({0} + 3, 0), 6) / 6"),
    "softshrink": lambda w, n, a, limit=0.5: "{0} - min(max({0}, -{1}), {1})".format(
        *values(w, n, a), w.at(limit, [], form_of(w, n))
    ),
    "gelu": gelu,
    "softplus": softplus,
    "elu": elu,
    "leaky_relu": leaky_relu,
    "clamp": clamp,
    "clamp_min": lambda w, n, a, low: clamp(w, n, a, low),
    "clamp_max": lambda w, n, a, high: clamp(w, n, a, None, high),
    "hardtanh": hardtanh,
    "threshold": threshold,
    "pow": power,
    "remainder": remainder,
    "fmod": plain("{0} % {1}"),
    "maximum": plain("max({0}, {1})"),
    "minimum": plain("min({0}, {1})"),
    "fmax": plain("maxnum({0}, {1})"),
    "fmin": plain("minnum({0}, {1})"),
    "xlogy": plain("{0} * log({1})"),
    "sign": plain("sign({0})"),
    "sgn": plain("sign({0})"),
    "floor": plain("floor({0})"),
    "ceil": plain("ceil({0})"),
    "trunc": plain("trunc({0})"),
    "round": plain("round({0})"),
    "copysign": plain("copysign({0}, {1})"),
    "logaddexp": lambda w, n, a, b: "max({0}, {1}) + log1p(exp(-abs({0} - {1})))".format(*values(w, n, a, b)),
    "eq": compare("=="),
    "ne": compare("!="),
    "lt": compare("<"),
    "le": compare("<="),
    "gt": compare(">"),
    "ge": compare(">="),
    "logical_and": logical("and"),
    "logical_or": logical("or"),
    "logical_xor": logical("xor"),
    "bitwise_and": logical("and"),
    "bitwise_or": logical("or"),
    "logical_not": logical_not,
    "bitwise_not": logical_not,
    "where": where,
    "masked_fill": masked_fill,
    "_to_copy": convert,
    "full_like": full_like,
    "zeros_like": lambda w, n, a, **_: full_like(w, n, a, 0),
    "ones_like": lambda w, n, a, **_: full_like(w, n, a, 1),
}
