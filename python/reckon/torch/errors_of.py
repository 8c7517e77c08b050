"""Bounds on the rounding errors of a graph's values, over ranges of its inputs, in exact rational arithmetic.

Of every value v the analysis knows a range that holds it, and two numbers a and r such that what is computed differs
from v by at most a + r |v|: every operation is rounded once, to nearest, in its format, and a sum of n terms in the
stated order errs by at most g times the sum of the terms' magnitudes (Higham, Accuracy and Stability of Numerical
Algorithms, 2nd edition, sections 3.1 and 4.2), where g is what Reckon's `bound(S, n, format)` proves of the order."""

import functools
import math
from dataclasses import dataclass
from fractions import Fraction

from . import _session

ORDERS = 'import "schedules"\n'
ZERO, ONE = Fraction(0), Fraction(1)

# Significant bits, the least exponent of a normal number, and the largest number.
FORMATS = {
    "f64": (53, -1022, Fraction(2) ** 1024),
    "f32": (24, -126, Fraction(2) ** 128),
    "f16": (11, -14, Fraction(65504)),
    "bf16": (8, -126, Fraction(2) ** 128),
}


def unit(form):
    """The unit roundoff."""
    return Fraction(1, 2 ** FORMATS[form][0])


def underflow(form):
    """Half the least subnormal number: what rounding may add where a result is subnormal."""
    bits, least, _ = FORMATS[form]
    return Fraction(2) ** (least - bits)


def up(value):
    """A double that is not below, as a fraction: this keeps fractions short."""
    nearest = Fraction(float(value))
    return nearest if nearest >= value else Fraction(math.nextafter(float(value), math.inf))


def down(value):
    return -up(-value)


@dataclass(frozen=True)
class Value:
    """Values within low..high; computed ones differ by at most absolute + relative * |v|, and have at most `bits`
    significant bits. `masked`: some may be -inf instead. `positive`: what is computed is never below 0."""

    low: Fraction
    high: Fraction
    absolute: Fraction = ZERO
    relative: Fraction = ZERO
    bits: int = 0
    masked: bool = False
    positive: bool = False

    def size(self):
        return max(abs(self.low), abs(self.high))

    def least(self):
        """The least magnitude."""
        return max(self.low, -self.high, ZERO)

    def error(self):
        """The largest error."""
        return self.absolute + self.relative * self.size()

    def one_sign(self):
        return self.low >= 0 or self.high <= 0


def value(low, high, absolute=ZERO, relative=ZERO, bits=0):
    return Value(down(low), up(high), up(absolute), up(relative), bits)


def rounded(v, form, small=False):
    """After one rounding to a format. `small`: the result may be subnormal, as sums cannot be inexactly."""
    u = unit(form)
    least = underflow(form) if small else ZERO
    return value(v.low, v.high, v.absolute * (1 + u) + least, v.relative + u * (1 + v.relative), FORMATS[form][0])


def union(parts):
    return value(
        min(p.low for p in parts),
        max(p.high for p in parts),
        max(p.absolute for p in parts),
        max(p.relative for p in parts),
        max(p.bits for p in parts),
    )


def added(x, y, sign=1):
    low, high = (x.low + y.low, x.high + y.high) if sign > 0 else (x.low - y.high, x.high - y.low)
    aligned = (x.low >= 0 and sign * y.low >= 0 and sign * y.high >= 0) or (
        x.high <= 0 and sign * y.low <= 0 and sign * y.high <= 0
    )
    if aligned:
        return value(low, high, x.absolute + y.absolute, max(x.relative, y.relative))
    return value(low, high, x.error() + y.error())


def multiplied(x, y, same=False):
    ends = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
    low, high = min(ends), max(ends)
    if same:
        low = x.least() ** 2
    absolute = (
        x.absolute * y.size() * (1 + y.relative) + y.absolute * x.size() * (1 + x.relative) + x.absolute * y.absolute
    )
    return value(low, high, absolute, x.relative + y.relative + x.relative * y.relative, x.bits + y.bits)


def inverted(y):
    """1 / y, if y and what is computed of it stay away from 0; None otherwise."""
    least = y.least()
    if least == 0:
        return None
    r = y.relative + y.absolute / least
    if r >= 1:
        return None
    return value(1 / y.high, 1 / y.low, ZERO, r / (1 - r))


def increasing(function, x, low=None, high=None):
    """An increasing function of a range, by Reckon's intervals."""
    return (enclosed(function, x.low)[0] if low is None else low), (
        enclosed(function, x.high)[1] if high is None else high
    )


@functools.lru_cache(maxsize=4096)
def enclosed(function, argument):
    """What Reckon's `interval` proves of a function at a number."""
    text = float(argument).hex()
    result = _session.evaluate("", [f"{function}({text})"], "interval")[0]
    if "unbounded" in result or "empty" in result:
        raise ValueError(f"{function}({float(argument):.6g}) has no bounds")
    return endpoint(result["lo"]), endpoint(result["hi"])


def endpoint(text):
    number = float.fromhex(text) if "x" in str(text) else float(text)
    if math.isinf(number):
        raise ValueError("a range is unbounded")
    return Fraction(number)


@functools.lru_cache(maxsize=1024)
def growth(order, count, form):
    """What the sum of `count` terms in an order may err, as a multiple of the sum of their magnitudes: proven."""
    if count < 2:
        return ZERO
    return Fraction(_session.evaluate(ORDERS, [f"bound({order}, {count}, {form})"], "float")[0]["value"])


@functools.lru_cache(maxsize=1024)
def longest_path(order, count):
    """The number of additions on the longest path of an order's tree."""
    if order.startswith("any"):
        return count - 1
    program = ORDERS + f"fn total(x: f64[n]) -> f64 = sum i: x[i] by {order}"
    result = _session.evaluate(program, [f"total(random(f64[{count}], 1))"], "count")[0]
    return int(result["depth"]) if "depth" in result else int(str(result["value"]).rsplit("depth", 1)[1])


def likely_growth(depth, chance_per_term, form):
    """The same for roundings that are independent and of mean zero: exp(t sqrt(h) u + h u^2 / (1 - u)) - 1 holds for
    one term's h factors 1 + d but for a chance of 2 exp(-t^2 (1 - u)^2 / 2) (Higham and Mary, A new approach to
    probabilistic rounding error analysis, SIAM J. Sci. Comput. 41(5), 2019, theorem 2.4)."""
    u = float(unit(form))
    t = math.sqrt(2 * math.log(2 / chance_per_term)) / (1 - u)
    return t, up(Fraction(math.expm1(t * math.sqrt(depth) * u + depth * u * u / (1 - u))) * (1 + Fraction(1, 2**40)))
