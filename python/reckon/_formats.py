"""The formats of numbers: their NumPy dtypes, and correct rounding to them.

NumPy has no dtype for bf16 and the formats of 8 bits and fewer. Where the package ml_dtypes has them, its dtypes stand for
them; otherwise arrays of uint16 or uint8 hold their bit patterns, and `dtype="bf16"` says so.
"""

from __future__ import annotations

import math
import struct
import sys
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any, Dict, List, Optional, Tuple, Union

numpy: Any
try:
    import numpy
except ImportError:
    numpy = None


@dataclass(frozen=True)
class Format:
    """A format of the language. Floats have `precision` bits, and `least` is the exponent of the last place of the
    smallest number. `specials` says which patterns are no finite numbers: those whose exponent field is all ones
    ("infinities": infinities and NaNs), one of each sign ("nan"), or none ("none")."""

    name: str
    bytes: int
    code: str  #: of struct and memoryview, for the patterns
    numpy_name: Optional[str] = None
    ml_name: Optional[str] = None
    torch_name: Optional[str] = None
    precision: int = 0
    least: int = 0
    specials: str = "infinities"
    saturates: bool = False
    bits: int = 0  #: of a pattern, in the low bits of its bytes; 0: all of them
    signed: bool = False  #: of integers

    @property
    def width(self) -> int:
        return self.bits or 8 * self.bytes

    @property
    def is_float(self) -> bool:
        return self.precision > 0

    @property
    def is_integer(self) -> bool:
        return self.precision == 0 and self.name != "bool"


FORMATS: Dict[str, Format] = {
    each.name: each
    for each in [
        Format("f64", 8, "Q", "float64", None, "float64", 53, -1074),
        Format("f32", 4, "I", "float32", None, "float32", 24, -149),
        Format("f16", 2, "H", "float16", None, "float16", 11, -24),
        Format("bf16", 2, "H", None, "bfloat16", "bfloat16", 8, -133),
        Format("tf32", 4, "I", "float32", None, "float32", 11, -136),
        Format("f8e4m3", 1, "B", None, "float8_e4m3fn", "float8_e4m3fn", 4, -9, "nan", True),
        Format("f8e5m2", 1, "B", None, "float8_e5m2", "float8_e5m2", 3, -16, "infinities", True),
        Format("f6e3m2", 1, "B", None, "float6_e3m2fn", None, 3, -4, "none", True, 6),
        Format("f6e2m3", 1, "B", None, "float6_e2m3fn", None, 4, -3, "none", True, 6),
        Format("f4e2m1", 1, "B", None, "float4_e2m1fn", None, 2, -1, "none", True, 4),
        Format("i8", 1, "B", "int8", None, "int8", signed=True),
        Format("i16", 2, "H", "int16", None, "int16", signed=True),
        Format("i32", 4, "I", "int32", None, "int32", signed=True),
        Format("i64", 8, "Q", "int64", None, "int64", signed=True),
        Format("u8", 1, "B", "uint8", None, "uint8"),
        Format("u16", 2, "H", "uint16", None, "uint16"),
        Format("u32", 4, "I", "uint32", None, "uint32"),
        Format("u64", 8, "Q", "uint64", None, "uint64"),
        Format("bool", 1, "?", "bool", None, "bool"),
    ]
}

_PATTERNS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}
_ALIASES = {
    "float64": "f64",
    "double": "f64",
    "float32": "f32",
    "float": "f32",
    "single": "f32",
    "float16": "f16",
    "half": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8e4m3",
    "float8_e5m2": "f8e5m2",
    "float6_e3m2fn": "f6e3m2",
    "float6_e2m3fn": "f6e2m3",
    "float4_e2m1fn": "f4e2m1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "bool_": "bool",
}


def format_named(name: Any) -> Format:
    """The format that a name, a NumPy dtype or a torch dtype means."""
    if isinstance(name, Format):
        return name
    text = name if isinstance(name, str) else _dtype_name(name)
    text = text.rpartition(".")[2]
    found = FORMATS.get(_ALIASES.get(text, text))
    if found is None:
        raise ValueError(f"`{text}` is no format; there are {', '.join(FORMATS)}")
    return found


def _dtype_name(dtype: Any) -> str:
    if isinstance(dtype, type):
        return dtype.__name__
    return str(getattr(dtype, "name", None) or dtype)


def ml_dtypes() -> Any:
    """The package ml_dtypes, or None."""
    if "ml_dtypes" in _modules:
        return _modules["ml_dtypes"]
    try:
        import ml_dtypes as found  # type: ignore
    except ImportError:
        found = None
    _modules["ml_dtypes"] = found
    return found


_modules: Dict[str, Any] = {}
_dtypes: Dict[Any, Any] = {}


def pattern_dtype(form: Format) -> Any:
    """The NumPy dtype of a format's bit patterns."""
    return None if numpy is None else numpy.dtype(_PATTERNS[form.bytes])


def dtype_of(form: Format, patterns: bool = False) -> Any:
    """The NumPy dtype of a format's arrays."""
    key = (form.name, patterns)
    found = _dtypes.get(key)
    if found is None:
        if form.numpy_name is not None:
            found = numpy.dtype(form.numpy_name)
        elif patterns or not hasattr(ml_dtypes(), str(form.ml_name)):
            found = pattern_dtype(form)
        else:
            found = numpy.dtype(getattr(ml_dtypes(), str(form.ml_name)))
        _dtypes[key] = found
    return found


def format_of_dtype(dtype: Any) -> Optional[Format]:
    """The format whose numbers a NumPy dtype holds; tf32 has none of its own."""
    if not dtype.isnative:
        return None
    name = _ALIASES.get(dtype.name, dtype.name)
    form = FORMATS.get(name)
    return form if form is not None and name != "tf32" else None


#: Classes of numbers that calls take without a closer look.
NUMBERS: Any = {float, int} if numpy is None else {float, int, numpy.float32, numpy.float64}


# ---- Rounding

#: The integers up to this are numbers of f64.
EXACT = 2**53
Number = Union[int, float, Fraction, Decimal]


def _round_half_even(value: Fraction) -> int:
    return round(value)  # Python rounds ties to even.


def pattern(value: Any, form: Format) -> int:
    """The bit pattern of a number in a format: rounded once, to nearest, ties to even. Numbers that are too large
    become infinite, or the largest number of a format that saturates or has no infinity. So does a NaN in a format that
    has none."""
    if form.name == "bool":
        if not isinstance(value, (bool, int)) or value not in (0, 1):
            if numpy is None or not isinstance(value, numpy.bool_):
                raise ValueError(f"{value!r} is not a bool")
        return int(value)
    if form.is_integer:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        least = -(1 << (form.width - 1)) if form.signed else 0
        if not isinstance(value, Integral) or not least <= int(value) < least + (1 << form.width):
            low, high = (f"-2^{form.width - 1}", form.width - 1) if form.signed else ("0", form.width)
            raise ValueError(f"{value!r} is not an integer from {low} to 2^{high} - 1")
        return int(value) % (1 << form.width)
    negative, exact = False, Fraction(0)
    if isinstance(value, Decimal):
        if value.is_finite():
            negative, exact = value.is_signed(), abs(Fraction(value))
        else:
            value = float(value)
    elif isinstance(value, Rational):  # int, bool and NumPy's integers among them
        exact = abs(Fraction(int(value.numerator), int(value.denominator)))
        negative = value < 0
    if not isinstance(value, (Rational, Decimal)):
        try:
            number = value.__float__()
        except AttributeError:
            raise TypeError(f"{value!r} is no real number") from None
        if math.isnan(number):
            return _nan(form)
        negative = math.copysign(1.0, number) < 0
        if math.isinf(number):
            return _sign(negative, form) | _infinity(form)
        exact = Fraction(abs(number))
    return _sign(negative, form) | _magnitude(exact, form)


def _sign(negative: bool, form: Format) -> int:
    return 1 << (form.width - 1) if negative else 0


def _fraction_bits(form: Format) -> int:
    return 23 if form.name == "tf32" else form.precision - 1


def _magnitude(exact: Fraction, form: Format) -> int:
    if exact == 0:
        return 0
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if exact < Fraction(2) ** exponent:
        exponent -= 1  # 2^exponent <= exact < 2^(exponent + 1)
    unit = max(exponent - form.precision + 1, form.least)
    digits = _round_half_even(exact / Fraction(2) ** unit)
    if digits >= 1 << form.precision:
        digits, unit = digits >> 1, unit + 1
    # A subnormal has the exponent field 0; others lack their leading bit, which adding the digits brings back in.
    field = unit - form.least
    bits = digits if field == 0 else (field << (form.precision - 1)) + digits
    bits <<= _fraction_bits(form) - (form.precision - 1)
    if bits > _largest(form):
        return _largest(form) if form.saturates else _infinity(form)
    return bits


def _finite_end(form: Format) -> int:
    """The least magnitude that is no finite number; one more than all magnitudes if there is none."""
    sign = _sign(True, form)
    return {"infinities": sign - (1 << _fraction_bits(form)), "nan": sign - 1, "none": sign}[form.specials]


def _largest(form: Format) -> int:
    return _finite_end(form) - (1 << (_fraction_bits(form) - (form.precision - 1)))


def _infinity(form: Format) -> int:
    return _finite_end(form) if form.specials == "infinities" else _largest(form)


def _nan(form: Format) -> int:
    if form.specials == "infinities":
        return _finite_end(form) | 1 << (_fraction_bits(form) - 1)
    return _finite_end(form) if form.specials == "nan" else _largest(form)


def number(bits: int, form: Format) -> Union[float, int, bool]:
    """The number that a bit pattern of a format stands for."""
    if form.name == "bool":
        return bool(bits)
    if form.is_integer:
        return bits - (1 << form.width) if form.signed and bits >> (form.width - 1) else bits
    fraction_bits = _fraction_bits(form)
    negative = bool(bits & _sign(True, form))
    magnitude = bits & (_sign(True, form) - 1)
    field, fraction = magnitude >> fraction_bits, magnitude & ((1 << fraction_bits) - 1)
    if magnitude >= _finite_end(form):
        value = math.inf if form.specials == "infinities" and fraction == 0 else math.nan
    else:
        least = form.least - (fraction_bits - (form.precision - 1))
        digits = fraction if field == 0 else fraction | 1 << fraction_bits
        value = math.ldexp(digits, least + max(field - 1, 0))
    return -value if negative else value


def rounded(values: Any, form: Format) -> Any:
    """Numbers, or nested lists of them, as a NumPy array of bit patterns. Without NumPy: a memoryview of them."""
    if numpy is not None:
        return _rounded_array(values, form)
    flat: List[Any] = []
    shape = _flatten(values, flat)
    bytes_ = struct.pack(f"={len(flat)}{form.code}", *[pattern(each, form) for each in flat])
    view = memoryview(bytearray(bytes_))
    if not shape:
        return view.cast(form.code, ())
    return view.cast(form.code, shape) if 0 not in shape else view.cast(form.code)


def _flatten(values: Any, out: List[Any]) -> Tuple[int, ...]:
    if not isinstance(values, (list, tuple)):
        out.append(values)
        return ()
    shapes = {_flatten(each, out) for each in values}
    if len(shapes) > 1:
        raise ValueError("the rows of this list have different lengths")
    return (len(values), *(shapes.pop() if shapes else ()))


def _rounded_array(values: Any, form: Format) -> Any:
    flat: List[Any] = []
    shape = _flatten(values, flat)
    kinds = set(map(type, flat))
    if int in kinds and all(type(each) is not int or -EXACT <= each <= EXACT for each in flat):
        kinds.discard(int)
    if kinds <= {float, numpy.float64} and form.numpy_name is not None and form.is_float and form.name != "tf32":
        # The conversion of a float is one correct rounding.
        with numpy.errstate(over="ignore"):
            array = numpy.array(flat, numpy.float64).astype(form.numpy_name).view(pattern_dtype(form))
        return array.reshape(shape)
    out = numpy.array([pattern(each, form) for each in flat], pattern_dtype(form))
    return out.reshape(shape)


def convert(values: Any, format: Any, *, patterns: bool = False) -> Any:
    """An array in a format of numbers of any kind: floats, integers, fractions, decimals, nested lists, arrays.

    Each number is rounded once, to nearest, ties to even. `patterns=True` gives bit patterns (uint16 for `bf16`) even
    where ml_dtypes is there. `tf32` gives float32 whose 13 low bits are 0.
    """
    form = format_named(format)
    if numpy is not None and hasattr(values, "__array__"):
        values = numpy.asarray(values)
        if values.dtype.kind == "f" and values.dtype.itemsize > 8:
            raise ValueError(f"{values.dtype} has more digits than this function keeps: convert to float64 first")
        if values.dtype.kind not in "fiubO" and format_of_dtype(values.dtype) is None:
            raise ValueError(f"{values.dtype} is no array of real numbers")
        if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
            values = values.astype(numpy.float64)
        elif values.dtype.kind not in "iubO":
            values = values.astype(numpy.float64)  # ml_dtypes
        values = values.tolist()
    bits = rounded(values, form)
    return bits if numpy is None else bits.view(dtype_of(form, patterns))


assert sys.byteorder == "little", "libreckon.so is built for little-endian machines"
