"""Numbers of a Python program as numbers of a circuit.

A float in a PyTorch program stands for a real number that a double cannot hold: 0.35355339059327373 is written where
1/sqrt(8) is meant. Text that is compared over the reals says the latter, so that two programs that reach the number in
different ways agree; text that runs in floats says the double itself."""

import functools
import math
from fractions import Fraction

LIMIT = 4096
ULPS = 2


def close(value, candidate):
    return abs(value - candidate) <= ULPS * math.ulp(value)


def ratio(value, limit=LIMIT):
    """A fraction of small numerator and denominator within two units in the last place, or None."""
    if not 1e-9 < value < 1e9:
        return None
    found = Fraction(value).limit_denominator(limit)
    return found if found.numerator and found.numerator <= 1 << 20 and close(value, float(found)) else None


def written(fraction):
    return str(fraction.numerator) if fraction.denominator == 1 else f"{fraction.numerator}/{fraction.denominator}"


@functools.lru_cache(maxsize=4096)
def recognised(value):
    """Text of the real number that a double of 15 or more digits stands for, `None` if it is the decimal itself. `sqrt`
    in the text needs the format around it."""
    digits = repr(value).split("e")[0].replace(".", "").replace("-", "").lstrip("0")
    if len(digits) < 15:
        return None
    size = abs(value)
    sign = "-" if value < 0 else ""
    plain = ratio(size)
    if plain is not None:
        return f"{sign}{written(plain)}"
    for name, constant in (("log2e", 1 / math.log(2)), ("ln2", math.log(2)), ("pi", math.pi), ("e", math.e)):
        factor = ratio(size / constant, 64)
        if factor is not None:
            return f"{sign}{name}" if factor == 1 else f"{sign}{written(factor)} * {name}"
    for form, square in (
        ("sqrt({})", size * size),
        ("sqrt({} / pi)", size * size * math.pi),
        ("sqrt({} * pi)", size * size / math.pi),
    ):
        inside = near_root(square, 6)
        if inside is not None:
            return f"{sign}{form.format(written(inside))}"
    inside = near_root(size**4, 12)
    return None if inside is None else f"{sign}sqrt(sqrt({written(inside)}))"


def near_root(power, ulps):
    """The small fraction whose root was taken: a power of a double is good to some units in the last place."""
    if not 1e-9 < power < 1e9:
        return None
    found = Fraction(power).limit_denominator(1024)
    small = found.numerator <= 1024 or found.denominator == 1
    return found if found.numerator and small and abs(power - float(found)) <= ulps * math.ulp(power) else None


def literal(value, form, real):
    """The text of a number in the format `form`. `real`: as the real that is meant, or as the double that it is."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value)
    if math.isinf(value) or math.isnan(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    if not real:
        return repr(value) if Fraction(repr(value)) == Fraction(value) else value.hex()
    text = recognised(value)
    if text is None:
        return repr(value)
    return f"{form}({text})" if "sqrt" in text or "*" in text else f"({text})"


def factor(text):
    """The same number as an operand of `*` and `-`."""
    return f"({text})" if text.startswith("-") else text
