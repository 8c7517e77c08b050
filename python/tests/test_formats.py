"""Rounding to formats, against NumPy's conversions, exact fractions and the definition of the formats."""

import math
import random
import struct
from decimal import Decimal
from fractions import Fraction

import pytest

from reckon import _formats
from reckon._formats import FORMATS, convert, number, pattern

numpy = pytest.importorskip("numpy")


#: Of the OCP Microscaling Formats: all their patterns are numbers.
MICROSCALING = ("f6e3m2", "f6e2m3", "f4e2m1")


def all_values(form):
    """The finite values of a small format with their patterns, from the meaning of its fields alone."""
    exponent_bits, fraction_bits, bias = {
        "f8e4m3": (4, 3, 7),
        "f8e5m2": (5, 2, 15),
        "f6e3m2": (3, 2, 3),
        "f6e2m3": (2, 3, 1),
        "f4e2m1": (2, 1, 1),
        "f16": (5, 10, 15),
        "bf16": (8, 7, 127),
    }[form.name]
    for bits in range(1 << (exponent_bits + fraction_bits)):
        field, fraction = bits >> fraction_bits, bits & ((1 << fraction_bits) - 1)
        ones = form.name not in MICROSCALING and field == (1 << exponent_bits) - 1
        if ones and (form.name != "f8e4m3" or fraction == 7):
            continue
        leading = 0 if field == 0 else 1 << fraction_bits
        yield bits, Fraction(leading + fraction) * Fraction(2) ** (max(field, 1) - bias - fraction_bits)


@pytest.mark.parametrize("name", [*MICROSCALING, "f8e4m3", "f8e5m2", "f16", "bf16"])
def test_every_value_of_a_small_format_and_every_midpoint_round_as_they_must(name):
    form = FORMATS[name]
    values = list(all_values(form))
    if len(values) > 1000:
        start = random.Random(name).randrange(len(values) - 700)
        values = values[:400] + values[start : start + 300] + values[-400:]
    for bits, value in values:
        assert pattern(value, form) == bits
        assert number(bits, form) == value
        assert pattern(-float(value), form) == bits | 1 << (form.width - 1)
    for (low, below), (high, above) in zip(values, values[1:]):
        if high != low + 1:
            continue
        middle = (below + above) / 2
        tiny = (above - below) / 1000
        assert pattern(middle, form) == (low if low % 2 == 0 else high)
        assert pattern(middle - tiny, form) == low
        assert pattern(middle + tiny, form) == high


def test_overflow_gives_infinity_or_the_largest_number():
    assert [pattern(1e39, FORMATS[name]) for name in ("f32", "f16", "bf16")] == [0x7F800000, 0x7C00, 0x7F80]
    assert pattern(1e9, FORMATS["f8e4m3"]) == 0x7E and pattern(-1e9, FORMATS["f8e5m2"]) == 0xFB
    assert pattern(math.inf, FORMATS["f8e5m2"]) == 0x7C and pattern(math.inf, FORMATS["f8e4m3"]) == 0x7E
    largest = float(numpy.finfo(numpy.float32).max)
    half = (2.0**128 - largest) / 2
    assert pattern(Fraction(largest) + Fraction(half) - 1, FORMATS["f32"]) == 0x7F7FFFFF
    assert pattern(Fraction(largest) + Fraction(half), FORMATS["f32"]) == 0x7F800000


@pytest.mark.parametrize("name, largest, bits", [("f6e3m2", 28, 0x1F), ("f6e2m3", 7.5, 0x1F), ("f4e2m1", 6, 0x07)])
def test_without_infinity_and_nan_all_of_them_become_the_largest_number(name, largest, bits):
    form = FORMATS[name]
    assert number(bits, form) == largest
    assert [pattern(x, form) for x in (1e9, math.inf, math.nan, -math.nan)] == [bits] * 4
    assert pattern(-math.inf, form) == bits | 1 << (form.width - 1)
    assert convert([largest, 2 * largest], name, patterns=True).tolist() == [bits, bits]
    assert _formats.format_named("float%s_%sfn" % (name[1], name[2:])) is form  # as ml_dtypes calls it


@pytest.mark.parametrize("name, code", [("f64", "d"), ("f32", "f"), ("f16", "e")])
def test_random_floats_round_as_numpy_rounds_them(name, code):
    form = FORMATS[name]
    source = random.Random(1)
    for _ in range(2000):
        value = math.ldexp(
            source.uniform(-2, 2), source.randint(-160, 130) if name != "f16" else source.randint(-30, 17)
        )
        with numpy.errstate(over="ignore"):
            expected = numpy.array(value).astype(form.numpy_name)
        assert pattern(value, form) == int(expected.view(_formats.pattern_dtype(form)))
        assert numpy.float64(number(pattern(value, form), form)) == numpy.float64(expected)
    assert (
        struct.unpack("<" + code, struct.pack("<" + {"d": "Q", "f": "I", "e": "H"}[code], pattern(math.nan, form)))[0]
        != 0
    )


def test_integers_fractions_and_decimals_round_once():
    # To f64 first, and then to f32, this would be 2^24; it is above the midpoint by less than f64 has digits for.
    above = 2**24 + 1 + Fraction(1, 2**60)
    assert number(pattern(above, FORMATS["f32"]), FORMATS["f32"]) == 2**24 + 2
    assert number(pattern(2**60 + 2**36 + 1, FORMATS["f32"]), FORMATS["f32"]) == 2**60 + 2**37
    assert number(pattern(Decimal("16777217.000000000000000000001"), FORMATS["f32"]), FORMATS["f32"]) == 2**24 + 2
    assert convert([2**60 + 2**36 + 1, 1.5], "f32").tolist() == [float(2**60 + 2**37), 1.5]


def test_zeros_keep_their_sign():
    assert pattern(-0.0, FORMATS["f32"]) == 0x80000000 and pattern(0, FORMATS["f32"]) == 0
    assert pattern(Decimal("-0"), FORMATS["f64"]) == 1 << 63
    assert pattern(-1e-60, FORMATS["f32"]) == 0x80000000


def test_tf32_is_f32_whose_13_low_bits_are_0():
    assert pattern(0.1, FORMATS["tf32"]) == 0x3DCCC000  # as `show tf32(0.1)` has it
    for value in (1.0, 1 + 2.0**-10, -3.5, 2.0**-126, 2.0**-136, 65504.0):
        assert pattern(value, FORMATS["tf32"]) == int(numpy.float32(value).view(numpy.uint32))


def test_convert_of_arrays():
    x = numpy.array([0.1, -2.5, 3e38])
    assert convert(x, "float16").dtype == numpy.float16
    bits = convert(x, "bf16", patterns=True)
    assert bits.dtype == numpy.uint16
    # bf16 is the upper half of an f32; 0.1 and 3e38 are rounded to nearest there.
    upper = x.astype(numpy.float32).view(numpy.uint32)
    assert bits.tolist() == [int(u + 0x7FFF + ((u >> 16) & 1)) >> 16 for u in upper.astype(object)]
    assert convert([[1, 0], [0, 1]], "bool").dtype == numpy.bool_
    assert convert(7, "u32") == 7
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        info = numpy.iinfo(name)
        ends = convert([info.min, info.max, 7], name)
        assert ends.dtype == name and ends.tolist() == [info.min, info.max, 7]
        with pytest.raises(ValueError, match="not an integer from"):
            convert(int(info.max) + 1, name)
        with pytest.raises(ValueError, match="not an integer from"):
            convert(int(info.min) - 1, name)
    with pytest.raises(ValueError, match="not an integer from 0"):
        convert([1.5], "u32")
    with pytest.raises(ValueError, match="no format; there are f64"):
        convert([1], "f33")
    with pytest.raises(ValueError, match="different lengths"):
        convert([[1, 2], [3]], "f32")
