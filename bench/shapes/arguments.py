"""Arguments of a row on the host: random numbers in the formats of its circuit's parameters."""

from __future__ import annotations

import math
from typing import Any, Dict, List

import numpy as np

import reckon
from rows import INTEGERS, UNIT, Row

NATIVE = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i32": np.int32, "u32": np.uint32}


def _widened_8_bits(exponent_bits: int) -> Any:
    """What each pattern of a format of 8 bits is. f8e4m3 has no infinities."""
    mantissa_bits, bias = 7 - exponent_bits, 2 ** (exponent_bits - 1) - 1
    table = np.empty(256)
    for pattern in range(256):
        exponent, mantissa = (pattern & 127) >> mantissa_bits, pattern & (2**mantissa_bits - 1)
        size = math.ldexp(mantissa + (2**mantissa_bits if exponent else 0), max(exponent, 1) - bias - mantissa_bits)
        table[pattern] = -size if pattern & 128 else size
    table[[127, 255]] = np.nan
    return table


def widened(array: Any, format_: str) -> Any:
    """The numbers of an array as f64 (integers as they are), where it may hold bit patterns."""
    array = np.asarray(array)
    if array.dtype == np.uint16 and format_ == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if array.dtype == np.uint8 and format_ == "f8e4m3":
        return _widened_8_bits(4)[array]
    return array.astype(np.int64 if format_ in ("i32", "u32") else np.float64)


def host_arguments(row: Row, circuit: Any, seed: int = 1) -> List[Any]:
    generator = np.random.default_rng(seed)
    below: Dict[str, str] = INTEGERS.get(row.circuit, {})
    found = []
    for each in circuit.parameters:
        shape, format_ = row.shape(each.shape), row.format_of(each.type)
        if each.name in below:
            found.append(generator.integers(0, row.sizes[below[each.name]], shape, dtype=np.int32))
            continue
        uniform = each.name in UNIT.get(row.circuit, ())
        wide = np.float32 if format_ == "f32" else np.float64
        values = generator.random(shape, wide) if uniform else generator.standard_normal(shape, wide)
        if format_ in NATIVE:
            found.append(np.asarray(values, NATIVE[format_]))
        else:
            found.append(reckon.convert(np.asarray(values, np.float64), format_, patterns=True))
    return found


def stated(row: Row, circuit: Any) -> Dict[str, Any]:
    """The keywords of a call: static parameters, and the format of arrays that hold bit patterns."""
    keywords = row.definitions()
    for each in circuit.parameters:
        format_ = row.format_of(each.type)
        if format_ not in NATIVE:
            keywords["dtype"] = format_
    return keywords
