"""What each operator does to ranges and errors."""

import dataclasses
import math
from fractions import Fraction

import torch

from . import errors_of as bounds
from .errors_of import ONE, ZERO, Value, added, enclosed, inverted, multiplied, rounded, unit, value
from .graph import Node
from .operators.reductions import dimensions
from .writer import FORMATS, WIDE


# Operators that may be given -inf: those that move it, subtract from it, or make it 0.
MASKABLE = frozenset(
    """
    view _unsafe_view reshape permute transpose expand amax sub exp unsqueeze squeeze
    """.split()
)


# Never below 0, and never below 0 where no operand is.
NEVER_NEGATIVE = frozenset("abs relu exp sigmoid square sqrt softplus".split())
KEEPS_SIGN = frozenset(
    """
    add mul div sum amax amin max min maximum minimum mm bmm view _unsafe_view reshape _reshape_alias unsqueeze squeeze
    permute transpose t expand select slice split unbind flip repeat cat stack
    """.split()
)


class Analysis:
    """One pass over a graph: proven (`chance` is None), or probable with a chance of error for the whole."""

    def __init__(self, order, function_ulps, chance, graph, accumulate):
        self.order = order
        self.accumulate = accumulate
        self.function_ulps = function_ulps
        self.chance = chance
        self.reasons = []
        self.assumed = set()
        self.functions = set()
        self.values = {}
        self.node = None
        self.terms = sum(terms_of(node) for node in graph.nodes) or 1

    def apply(self, rule, node, values):
        self.values, self.node = values, node
        masked = any(values[operand].masked for operand in node.operands())
        if masked and node.operator not in MASKABLE:
            raise ValueError("its operand may be -inf")
        result = rule(self, node, *node.args, **node.kwargs)
        return dataclasses.replace(result, positive=self.is_positive(node, result))

    def is_positive(self, node, result):
        """Whether what is computed is never below 0, since rounding keeps signs."""
        if node.operator in NEVER_NEGATIVE or result.low - result.error() >= 0:
            return True
        if node.operator == "mul" and node.args[0] is node.args[1]:
            return True
        if node.operator == "pow" and not isinstance(node.args[1], Node) and node.args[1] % 2 == 0:
            return True
        numbers = [argument for argument in node.args if isinstance(argument, (int, float))]
        return (
            node.operator in KEEPS_SIGN
            and all(self.values[operand].positive for operand in node.operands())
            and (node.operator not in ("add", "mul", "div") or all(number >= 0 for number in numbers))
        )

    def constant(self, node):
        low, high = node.value.double().min().item(), node.value.double().max().item()
        if math.isinf(low) or math.isinf(high):
            raise ValueError("an infinite constant has no range")
        return (
            value(Fraction(low), Fraction(high), bits=53)
            if low < 0
            else dataclasses.replace(value(Fraction(low), Fraction(high), bits=53), positive=True)
        )

    def of(self, operand, form):
        """The value of an operand: a node's, or a number, which is rounded to the format."""
        if isinstance(operand, Node):
            return self.values[operand]
        exact = Fraction(operand)
        numerator = abs(exact.numerator)
        held = numerator == 0 or (
            numerator.bit_length() - (numerator & -numerator).bit_length() < bounds.FORMATS[form][0]
        )
        return value(exact, exact, relative=ZERO if held else unit(form), bits=bounds.FORMATS[form][0])

    def form(self):
        return FORMATS[self.node.dtype]

    def format_of_sums(self):
        """The format in which the sums of the node's operation are kept; a statement says so where the result is of a
        narrow format."""
        form = self.form()
        usual = WIDE.get(form, form)
        kept = form if self.accumulate == "own" else usual
        if usual != form:
            self.assumed.add(f"sums of {form} are kept in {kept}")
        return kept

    def rounded(self, result, small=False):
        return self.within(rounded(result, self.form(), small))

    def within(self, result, form=None):
        largest = bounds.FORMATS[form or self.form()][2]
        if result.size() + result.error() >= largest:
            raise ValueError(f"`{self.node.name}` may overflow {form or self.form()}")
        return result

    def function(self, low, high, absolute, relative):
        """The value of a function: its error in the last place comes on top."""
        self.functions.add(self.node.operator)
        form = self.form()
        ulps = 2 * self.function_ulps * unit(form)
        return self.within(
            value(
                low,
                high,
                absolute * (1 + ulps) + 2 * bounds.underflow(form),
                relative + ulps * (1 + relative),
                bounds.FORMATS[form][0],
            )
        )

    def growth(self, count, form):
        if self.chance is None:
            return bounds.growth(self.order, count, form)
        if count < 2:
            return ZERO
        depth = bounds.longest_path(self.order, count)
        _, likely = bounds.likely_growth(depth, self.chance / self.terms, form)
        return min(likely, bounds.growth(self.order, count, form))

    def summed(self, term, count, form):
        """The sum of `count` terms, each of which `term` describes, in `form`."""
        g = self.growth(count, form)
        low, high = term.low * count, term.high * count
        if term.one_sign():
            result = value(low, high, term.absolute * count * (1 + g), term.relative + g * (1 + term.relative))
        else:
            computed = term.size() + term.error()
            result = value(low, high, count * term.error() + g * count * computed)
        if count > 1:
            what = "of the sum" if term.one_sign() else f"of {count} terms of up to {float(term.size()):.6g}"
            self.reasons.append(
                f"{self.node.name}: {count} terms in {form} by `{self.order}` err by {float(g):.4g} {what}"
            )
        return Value(result.low, result.high, result.absolute, result.relative, bounds.FORMATS[form][0])

    def statement(self):
        roundings = "every operation rounds once, to nearest, in its format"
        orders = "sums in any order" if self.order == "any" else f"sums by `{self.order}`"
        assumed = sorted(self.assumed)
        if self.functions:
            assumed.append(f"{', '.join(sorted(self.functions))} err by at most {self.function_ulps} ulp")
        extra = "".join(f"; {text}" for text in assumed)
        if self.chance is None:
            return (
                f"proven for all inputs within the ranges, if {roundings}, {orders}{extra} [Higham 2002, 3.1 and 4.2]"
            )
        return (
            f"exceeded with a chance of at most {self.chance:g} for any one input, if the rounding errors of sums are "
            f"independent and of mean zero, {roundings}, {orders}{extra} [Higham and Mary 2019, theorem 2.4]"
        )


def terms_of(node):
    """How many terms the sums of a node add: each has a chance of its own to be far off."""
    if node.operator in ("sum", "cumsum"):
        return node.args[0].value_count() if isinstance(node.args[0], Node) else 0
    if node.operator in ("mm", "bmm", "mv", "dot"):
        return node.value_count() * node.args[0].shape[-1]
    if node.operator == "convolution":
        return node.value_count() * math.prod(node.args[1].shape[1:])
    return 0


def pair(sign):
    def rule(analysis, node, a, b, alpha=1):
        x, y = analysis.of(a, analysis.form()), analysis.of(b, analysis.form())
        if alpha != 1:
            y = analysis.rounded(multiplied(y, analysis.of(alpha, analysis.form())), True)
        result = added(x, y, sign)
        if sign < 0 and largest_of(b, a):
            result = value(result.low, min(result.high, ZERO), result.absolute, result.relative)
        result = analysis.rounded(result)
        return dataclasses.replace(result, masked=True) if x.masked and sign < 0 and not y.masked else result

    return rule


def largest_of(b, a):
    """Whether b is the largest element of a, so that a - b is at most 0."""
    return isinstance(b, Node) and b.operator == "amax" and b.args[0] is a


def product(analysis, node, a, b):
    x, y = analysis.of(a, analysis.form()), analysis.of(b, analysis.form())
    result = multiplied(x, y, a is b)
    return result if exact_power(a) or exact_power(b) else analysis.rounded(result, True)


def exact_power(operand):
    """Multiplying by a power of two does not round."""
    return not isinstance(operand, Node) and operand != 0 and abs(math.frexp(operand)[0]) == 0.5


def quotient(analysis, node, a, b, rounding_mode=None):
    if rounding_mode is not None:
        raise ValueError("is no continuous function")
    x, y = analysis.of(a, analysis.form()), analysis.of(b, analysis.form())
    inverse = inverted(y)
    if inverse is None:
        raise ValueError("its divisor may be 0, or nearer to 0 than its error")
    result = multiplied(x, inverse)
    return result if exact_power(b) else analysis.rounded(result, True)


def moved(analysis, node, *args, **kwargs):
    parts = [analysis.values[operand] for operand in node.operands()]
    if any(part.masked for part in parts):
        return parts[0]
    if node.operator in ("constant_pad_nd", "tril", "triu"):
        number = args[2] if node.operator == "constant_pad_nd" and len(args) > 2 else kwargs.get("value", 0)
        parts.append(analysis.of(number, analysis.form()))
    return bounds.union(parts)


def chosen(analysis, node, condition, a, b):
    certain(analysis, condition)
    return bounds.union([analysis.of(a, analysis.form()), analysis.of(b, analysis.form())])


def certain(analysis, condition):
    """Refuses a choice that rounding may turn: then the other side's value is the result."""
    if analysis.values[condition].error():
        raise ValueError("its condition depends on rounded values, so the other side may be chosen")


def masked_fill(analysis, node, a, mask, number):
    certain(analysis, mask)
    x = analysis.values[a]
    if number == -math.inf:
        analysis.assumed.add("no row is masked as a whole")
        return dataclasses.replace(x, masked=True)
    return bounds.union([x, analysis.of(number, analysis.form())])


def extremes(analysis, node, a, dim=None, keepdim=False, *_, **__):
    x = dataclasses.replace(analysis.values[a], masked=False)
    return x if x.one_sign() else value(x.low, x.high, x.error(), bits=x.bits)


def two_extremes(larger):
    def rule(analysis, node, a, b):
        x, y = analysis.of(a, analysis.form()), analysis.of(b, analysis.form())
        both = bounds.union([x, y])
        pick = max if larger else min
        error = ZERO if x.error() == 0 and y.error() == 0 else max(x.error(), y.error())
        return value(pick(x.low, y.low), pick(x.high, y.high), error, bits=both.bits)

    return rule


def clamped(analysis, node, a, low=None, high=None):
    x = analysis.values[a]
    ends = [analysis.of(end, analysis.form()) for end in (low, high) if end is not None]
    low = x.low if low is None else Fraction(low)
    high = x.high if high is None else Fraction(high)
    error = max([x.error()] + [end.error() for end in ends])
    return value(min(max(x.low, low), high), max(min(x.high, high), low), error, bits=x.bits)


def relu(analysis, node, a):
    x = analysis.values[a]
    return value(max(x.low, ZERO), max(x.high, ZERO), x.absolute, x.relative, x.bits)


def absolute(analysis, node, a):
    x = analysis.values[a]
    return value(x.least(), x.size(), x.absolute, x.relative, x.bits)


def negated(analysis, node, a):
    x = analysis.values[a]
    return value(-x.high, -x.low, x.absolute, x.relative, x.bits)


def exponential(analysis, node, a):
    x = analysis.values[a]
    (low, _), (_, high) = enclosed("exp", x.low), enclosed("exp", x.high)
    change = enclosed("expm1", bounds.up(x.error()))[1] if x.error() else ZERO
    return analysis.function(ZERO if x.masked else low, high, ZERO, change)


def logarithm(analysis, node, a):
    x = analysis.values[a]
    if x.low <= 0 or x.absolute / x.low + x.relative >= 1:
        raise ValueError("its operand may be 0, or nearer to 0 than its error")
    r = x.relative + x.absolute / x.low
    (low, _), (_, high) = enclosed("log", x.low), enclosed("log", x.high)
    return analysis.function(low, high, r / (1 - r), ZERO)


def root(analysis, node, a):
    x = analysis.values[a]
    if x.low < 0:
        raise ValueError("its operand may be negative")
    (low, _), (_, high) = enclosed("sqrt", x.low), enclosed("sqrt", x.high)
    if not x.positive:
        raise ValueError("what is computed of its operand may be negative")
    if x.absolute == 0:
        return analysis.rounded(value(low, high, ZERO, x.relative))
    if x.low > 0 and x.absolute / x.low + x.relative < 1:
        return analysis.rounded(value(low, high, ZERO, x.relative + x.absolute / x.low))
    return analysis.rounded(value(low, high, enclosed("sqrt", bounds.up(x.error()))[1]))


def inverse_root(analysis, node, a):
    x = analysis.values[a]
    if x.low <= 0 or x.absolute / x.low + x.relative >= 1:
        raise ValueError("its operand may be 0, or nearer to 0 than its error")
    r = x.relative + x.absolute / x.low
    (low, _), (_, high) = enclosed("rsqrt", x.high), enclosed("rsqrt", x.low)
    return analysis.function(low, high, ZERO, r / (1 - r))


def reciprocal(analysis, node, a):
    inverse = inverted(analysis.values[a])
    if inverse is None:
        raise ValueError("its operand may be 0, or nearer to 0 than its error")
    return analysis.rounded(inverse, True)


def steep(slope, low=None, high=None, name=None, composed=0):
    """A function whose derivative is at most `slope` in magnitude: its operand's error grows by that at most.
    `composed`: it is computed by several operations, whose errors are up to so many ulps of its operand, or of 1."""
    slope = Fraction(slope)

    def rule(analysis, node, a, *_, **__):
        x = analysis.values[a]
        if name is not None:
            ends = enclosed(name, x.low)[0], enclosed(name, x.high)[1]
        else:
            ends = (
                -slope * x.size() if low is None else Fraction(low),
                slope * x.size() if high is None else Fraction(high),
            )
        extra = composed * max(analysis.function_ulps, 1) * unit(analysis.form()) * max(x.size(), ONE)
        return analysis.function(*ends, slope * x.error() + extra, ZERO)

    return rule


def sigmoid(analysis, node, a):
    x = analysis.values[a]
    low, high = (1 / (1 + enclosed("exp", -end)[side]) for end, side in ((x.low, 1), (x.high, 0)))
    return analysis.function(low, high, x.error() / 4, ZERO)


def power(analysis, node, a, b):
    x = analysis.values.get(a) if isinstance(a, Node) else None
    if x is None or isinstance(b, Node) or b != int(b) or not 1 <= b <= 8:
        raise ValueError("is bounded for whole exponents from 1 to 8")
    result = x
    for k in range(int(b) - 1):
        result = analysis.rounded(multiplied(result, x, k == 0), True)
    if int(b) % 2 == 0:
        result = value(max(result.low, ZERO), result.high, result.absolute, result.relative, result.bits)
    return result


def total(analysis, node, a, dim=None, keepdim=False, **_):
    x = analysis.values[a]
    dims = dimensions(len(a.shape), dim)
    form = analysis.form()
    wide = analysis.format_of_sums()
    result = analysis.summed(x, math.prod(a.shape[d] for d in dims), wide)
    if softmax_weights(a, dims):
        result = value(max(result.low, ONE), result.high, result.absolute, result.relative, result.bits)
    return analysis.within(result) if wide == form else analysis.rounded(result)


def softmax_weights(a, dims):
    """Exponentials of what lies below the largest: one of them is 1."""
    if a.operator != "exp" or not isinstance(a.args[0], Node) or a.args[0].operator != "sub":
        return False
    x, largest = a.args[0].args[:2]
    return largest_of(largest, x) and dimensions(len(x.shape), largest.args[1]) == dims


def contracted(analysis, node, a, b, count, padded=False):
    form = analysis.form()
    wide = analysis.format_of_sums()
    x, y = analysis.values[a], analysis.values[b]
    term = multiplied(x, y)
    if padded:
        term = dataclasses.replace(term, low=min(term.low, ZERO), high=max(term.high, ZERO))
    if x.bits + y.bits > bounds.FORMATS[wide][0] or not x.bits or not y.bits:
        term = rounded(term, wide, True)
    else:
        analysis.reasons.append(f"{node.name}: the products of {x.bits} and {y.bits} bits are exact in {wide}")
    result = analysis.summed(term, count, wide)
    return analysis.within(result, wide) if wide == form else analysis.rounded(result)


def matrices(analysis, node, a, b):
    return contracted(analysis, node, a, b, a.shape[-1])


def convolution(analysis, node, x, weight, bias, stride, padding, dilation, transposed, *_):
    if transposed:
        raise ValueError("is bounded where it is not transposed")
    result = contracted(analysis, node, x, weight, math.prod(weight.shape[1:]), any(padding))
    if bias is not None:
        result = analysis.rounded(added(result, analysis.values[bias]))
    return result


def converted(analysis, node, a, **_):
    x = analysis.values[a]
    form = analysis.form()
    bits = bounds.FORMATS[form][0]
    before = FORMATS.get(a.dtype)
    if before == form or (
        x.bits and x.bits <= bits and bounds.FORMATS[form][1] <= bounds.FORMATS.get(before, (0, 0))[1]
    ):
        return x
    return analysis.rounded(x, True)


def condition(analysis, node, *operands, **__):
    """A truth value; its error is 1 if what it compares is rounded."""
    parts = [analysis.of(operand, "f32") for operand in operands]
    return value(ZERO, ONE, ONE if any(part.error() for part in parts) else ZERO)


MOVING = frozenset(
    """
    view _unsafe_view reshape _reshape_alias unsqueeze squeeze permute transpose t expand select slice split
    split_with_sizes unsafe_split unbind flip repeat roll cat stack constant_pad_nd tril triu im2col unfold diagonal
    upsample_nearest2d index_select
    """.split()
)
CONDITIONS = frozenset(
    "eq ne lt le gt ge logical_and logical_or logical_not bitwise_and bitwise_or bitwise_not".split()
)

RULES_OF_ERRORS = {
    **{name: moved for name in MOVING},
    **{name: condition for name in CONDITIONS},
    "add": pair(1),
    "sub": pair(-1),
    "mul": product,
    "div": quotient,
    "where": chosen,
    "relu": relu,
    "abs": absolute,
    "neg": negated,
    "exp": exponential,
    "log": logarithm,
    "sqrt": root,
    "rsqrt": inverse_root,
    "reciprocal": reciprocal,
    "tanh": steep(1, name="tanh"),
    "sigmoid": sigmoid,
    "erf": steep(Fraction(113, 100), name="erf"),
    "sin": steep(1, -1, 1),
    "cos": steep(1, -1, 1),
    "silu": steep(Fraction(11, 10), composed=8),
    "gelu": steep(Fraction(113, 100), composed=8),
    "softplus": lambda analysis, node, a, *_: steep(1, 0, ONE + analysis.values[a].size(), composed=8)(
        analysis, node, a
    ),
    "leaky_relu": lambda analysis, node, a, slope=0.01: analysis.rounded(
        steep_line(analysis.values[a], slope, analysis.form()), True
    ),
    "pow": power,
    "square": lambda analysis, node, a: product(analysis, node, a, a),
    "sum": total,
    "amax": extremes,
    "amin": extremes,
    "max": extremes,
    "min": extremes,
    "maximum": two_extremes(True),
    "minimum": two_extremes(False),
    "clamp": clamped,
    "clamp_min": lambda n, node, a, low: clamped(n, node, a, low),
    "clamp_max": lambda n, node, a, high: clamped(n, node, a, None, high),
    "hardtanh": lambda n, node, a, low=-1, high=1: clamped(n, node, a, low, high),
    "mm": matrices,
    "bmm": matrices,
    "mv": matrices,
    "dot": matrices,
    "convolution": convolution,
    "masked_fill": masked_fill,
    "_to_copy": converted,
    "max_pool2d_with_indices": extremes,
}


def steep_line(x, slope, form):
    """x, or its product with a number that is rounded to the format."""
    slope = Fraction(slope)
    ends = [min(x.low, x.low * slope), max(x.high, x.high * slope)]
    size = max(ONE, abs(slope))
    return value(min(ends), max(ends), x.absolute * size, x.relative + unit(form) * (1 + x.relative))
