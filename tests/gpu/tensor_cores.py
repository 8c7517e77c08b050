#!/usr/bin/env python3
"""On a machine with a Hopper GPU: what the tensor cores' instructions compute, beside the model of them that
docs/schedules.md states ("Tensor cores"), restated here in NumPy.

    python3 tests/gpu/tensor_cores.py [--blocks N] [--vectors FILE]

For each format of the operands, each format of the accumulator, and the instructions mma.sync and wgmma, N dot products
(10^6) of random numbers: normal ones, any pattern, wide exponents, subnormals, cancellation, infinities and NaNs, with any
accumulator before them. Prints how many differ; the status is 1 if any does. FILE gets some of them as lines of text
(tests/data/tensor_cores_h200.txt): instruction, formats, a, b, c, d, in hexadecimal.
"""

import argparse
import sys

import cupy
import numpy

# name -> (storage bits, fraction bits, exponent bits, bias, whether all-ones exponents are special)
FORMATS = {
    "f16": (16, 10, 5, 15, "ieee"),
    "bf16": (16, 7, 8, 127, "ieee"),
    "tf32": (32, 10, 8, 127, "ieee"),
    "f8e4m3": (8, 3, 4, 7, "one nan"),
    "f8e5m2": (8, 2, 5, 15, "ieee"),
}
# (operands, accumulator, instruction) -> length of a block, which is the instruction's k; kept bits; least exponent;
# fraction bits of the result (None: rounded to nearest in f16).
HOPPER = {
    ("f16", "f32", "mma"): (16, 25, -133, 23),
    ("f16", "f16", "mma"): (16, 25, -21, None),
    ("bf16", "f32", "mma"): (16, 25, -133, 23),
    ("tf32", "f32", "mma"): (8, 25, -133, 23),
    ("f16", "f32", "wgmma"): (16, 25, -133, 23),
    ("f16", "f16", "wgmma"): (16, 25, -21, None),
    ("bf16", "f32", "wgmma"): (16, 25, -133, 23),
    ("tf32", "f32", "wgmma"): (8, 25, -133, 23),
    ("f8e4m3", "f32", "wgmma"): (32, 13, -133, 13),
    ("f8e5m2", "f32", "wgmma"): (32, 13, -133, 13),
    ("f8e4m3", "f32", "mma"): (32, 13, -133, 13),
    ("f8e5m2", "f32", "mma"): (32, 13, -133, 13),
}
PTX_NAMES = {"f16": "f16", "bf16": "bf16", "tf32": "tf32", "f8e4m3": "e4m3", "f8e5m2": "e5m2"}

# A warp for each 16 x 8 outputs. Each register of an operand holds 4 bytes of one row (PTX ISA, "Matrix fragments for
# mma.m16n8k16" and its siblings, which agree when they are counted in bytes).
KERNEL = r"""
extern "C" __global__ void run(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  __shared__ __align__(128) unsigned columns[64];
  const int lane = threadIdx.x %% 32, warp = threadIdx.x / 32, group = lane / 4, place = lane %% 4;
  const long long tile = %(tile)s;
  // A row of either operand has 32 bytes: 8 words.
  const unsigned* rows = a + tile * 16 * 8;
  const unsigned x0 = rows[group * 8 + place], x1 = rows[(group + 8) * 8 + place];
  const unsigned x2 = rows[group * 8 + place + 4], x3 = rows[(group + 8) * 8 + place + 4];
  const unsigned* y = b + %(column_tile)s * 8 * 8;
  const int words = %(words)s;  // of an output's row
  const unsigned* from = c + tile * 16 * words;
  unsigned* to = d + tile * 16 * words;
  %(load)s
  %(multiply)s
  %(store)s
}
"""
LOADS = {
    "f32": ("unsigned r0 = from[group * 8 + place * 2], r1 = from[group * 8 + place * 2 + 1];"
            "unsigned r2 = from[(group + 8) * 8 + place * 2], r3 = from[(group + 8) * 8 + place * 2 + 1];",
            "to[group * 8 + place * 2] = r0; to[group * 8 + place * 2 + 1] = r1;"
            "to[(group + 8) * 8 + place * 2] = r2; to[(group + 8) * 8 + place * 2 + 1] = r3;"),
    "f16": ("unsigned r0 = from[group * 4 + place], r1 = from[(group + 8) * 4 + place];",
            "to[group * 4 + place] = r0; to[(group + 8) * 4 + place] = r1;"),
}
WGMMA = r"""
  // Two matrices of 8 columns by 16 bytes, one after the other (PTX ISA, "Core matrices", without a swizzle).
  if (threadIdx.x < 64) columns[threadIdx.x %% 8 / 4 * 32 + threadIdx.x / 8 * 4 + threadIdx.x %% 4] = y[threadIdx.x];
  __syncthreads();
  asm volatile("fence.proxy.async;" ::: "memory");
  const unsigned long long at = (unsigned)__cvta_generic_to_shared(columns);
  const unsigned long long matrix = (at & 0x3ffff) >> 4 | (unsigned long long)(128 >> 4) << 16 | (unsigned long long)(256 >> 4) << 32;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("{ .reg .pred adds; setp.eq.u32 adds, 1, 1; "
               "wgmma.mma_async.sync.aligned.m64n8k%(k)d.%(acc)s.%(ptx)s.%(ptx)s {%(d)s}, {%(x)s}, %(m)s, adds, 1, 1%(trans)s; }"
               : %(outs)s : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "l"(matrix) : "memory");
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
"""
MMA = r"""
  const unsigned y0 = y[group * 8 + place], y1 = y[group * 8 + place + 4];
  asm volatile("mma.sync.aligned.m16n8k%(k)d.row.col.%(acc)s.%(ptx)s.%(ptx)s.%(acc)s {%(d)s}, {%(x)s}, {%(y)s}, {%(d)s};"
               : %(outs)s : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1));
"""


def kernel(operand, accumulator, instruction, k):
    registers = 4 if accumulator == "f32" else 2
    names = {
        "k": k, "acc": accumulator, "ptx": PTX_NAMES[operand], "trans": ", 0" if operand in ("f16", "bf16") else "",
        "d": ", ".join(f"%{i}" for i in range(registers)),
        "x": ", ".join(f"%{registers + i}" for i in range(4)), "y": f"%{registers + 4}, %{registers + 5}",
        "m": f"%{registers + 4}", "outs": ", ".join(f'"+r"(r{i})' for i in range(registers)),
    }
    load, store = LOADS[accumulator]
    of_warps = instruction == "wgmma"
    multiply = (WGMMA if of_warps else MMA) % names
    text = KERNEL % {"tile": "(long long)blockIdx.x * 4 + warp" if of_warps else "blockIdx.x",
                     "column_tile": "(long long)blockIdx.x" if of_warps else "tile",
                     "words": 8 if accumulator == "f32" else 4, "load": load, "multiply": multiply, "store": store}
    return cupy.RawModule(code=text, options=("--gpu-architecture=sm_90a",), backend="nvrtc").get_function("run")


def parts(bits, name):
    """sign, significand as an integer, exponent of its last bit's unit times 2^fraction, and kinds of special values."""
    storage, fraction, exponent_bits, bias, kind = FORMATS[name]
    bits = bits.astype(numpy.int64)
    if name == "tf32":
        fraction_field, shift = (bits >> 13) & 1023, 23
    else:
        fraction_field, shift = bits & ((1 << fraction) - 1), fraction
    field = (bits >> shift) & ((1 << exponent_bits) - 1)
    sign = (bits >> (storage - 1)) & 1
    normal = field > 0
    significand = fraction_field + (normal.astype(numpy.int64) << fraction)
    exponent = numpy.where(normal, field, 1) - bias
    top = field == (1 << exponent_bits) - 1
    if kind == "one nan":
        nan, infinite = top & (fraction_field == 7), numpy.zeros_like(top)
    else:
        nan, infinite = top & (fraction_field != 0), top & (fraction_field == 0)
    return sign, significand, exponent, nan, infinite


def accumulator_parts(bits, accumulator):
    fraction, bias, exponent_bits, width = (23, 127, 8, 32) if accumulator == "f32" else (10, 15, 5, 16)
    bits = bits.astype(numpy.int64)
    field = (bits >> fraction) & ((1 << exponent_bits) - 1)
    low = bits & ((1 << fraction) - 1)
    normal = field > 0
    top = field == (1 << exponent_bits) - 1
    return ((bits >> (width - 1)) & 1, low + (normal.astype(numpy.int64) << fraction),
            numpy.where(normal, field, 1) - bias, top & (low != 0), top & (low == 0), fraction)


def shifted(magnitude, by):
    left, right = numpy.clip(by, 0, 40), numpy.clip(-by, 0, 62)
    return (magnitude << left) >> right


def model(a, b, c, operand, accumulator, row):
    """d for a[..., k], b[..., k] and c[...]: patterns, after docs/schedules.md, "Tensor cores"."""
    block, kept, least, result_fraction = row
    assert block == a.shape[-1]
    xs, xm, xe, xn, xi = parts(a, operand)
    ys, ym, ye, yn, yi = parts(b, operand)
    fraction = FORMATS[operand][1]
    magnitude, exponent, negative = xm * ym, xe + ye, xs ^ ys
    cs, cm, ce, cn, ci, c_fraction = accumulator_parts(c, accumulator)
    absent = -(10 ** 6)
    largest = numpy.where(magnitude > 0, exponent, absent).max(axis=-1)
    largest = numpy.maximum(largest, numpy.where(cm > 0, ce, absent))
    largest = numpy.maximum(largest, least)
    unit = largest - kept
    terms = shifted(magnitude, exponent - 2 * fraction - unit[..., None])
    total = numpy.where(negative == 1, -terms, terms).sum(axis=-1)
    c_term = shifted(cm, ce - c_fraction - unit)
    total = total + numpy.where(cs == 1, -c_term, c_term)
    # Infinities and NaNs.
    product_nan = xn | yn | (xi & (ym == 0) & ~yi) | (yi & (xm == 0) & ~xi)
    product_infinite = (xi | yi) & ~product_nan
    plus = (product_infinite & (negative == 0)).any(axis=-1) | (ci & (cs == 0))
    minus = (product_infinite & (negative == 1)).any(axis=-1) | (ci & (cs == 1))
    nan = product_nan.any(axis=-1) | cn | (plus & minus)
    exact = numpy.ldexp(numpy.abs(total).astype(numpy.float64), unit.astype(numpy.int32))
    with numpy.errstate(over="ignore"):
        if result_fraction is None:
            out = exact.astype(numpy.float16).view(numpy.uint16).astype(numpy.int64)
            sign, infinity, quiet = 1 << 15, 0x7C00, 0x7FFF
        else:
            unit_of_result = (numpy.maximum(numpy.frexp(exact)[1] - 1, -126) - result_fraction).astype(numpy.int32)
            cut = numpy.ldexp(numpy.floor(numpy.ldexp(exact, -unit_of_result)), unit_of_result)
            out = cut.astype(numpy.float32).view(numpy.uint32).astype(numpy.int64)
            sign, infinity, quiet = 1 << 31, 0x7F800000, 0x7FFFFFFF
    out = out | numpy.where((total < 0) & (out != 0), sign, 0)  # a sum that is cut to 0 is +0
    out = numpy.where(plus, infinity, out)
    out = numpy.where(minus, infinity | sign, out)
    return numpy.where(nan, quiet, out)


def f8_by_mma(a, b, c, operand):
    """mma.sync of f8 is no instruction of Hopper's tensor cores: ptxas converts its operands to f16, and multiplies
    the even pairs and then the odd pairs of each, from 0; c is added last, rounded to nearest."""
    _, m, e, nan, infinite = parts(numpy.arange(256), operand)
    with numpy.errstate(over="ignore"):
        real = numpy.ldexp(m.astype(float), (e - FORMATS[operand][1]).astype(numpy.int32))
    real = numpy.where(nan, numpy.nan, numpy.where(infinite, numpy.inf, real)) * numpy.where(numpy.arange(256) < 128, 1, -1)
    as_f16 = real.astype(numpy.float16).view(numpy.uint16)
    x, y = as_f16[a], as_f16[b]
    total = numpy.zeros_like(c)
    for odd in (0, 1):
        chosen = [4 * t + 2 * odd + i for t in range(8) for i in (0, 1)]
        total = model(x[..., chosen], y[..., chosen], total, "f16", "f32", (16, 25, -133, 23))
    with numpy.errstate(all="ignore"):
        floats = total.astype(numpy.uint32).view(numpy.float32) + c.astype(numpy.uint32).view(numpy.float32)
    return floats.view(numpy.uint32).astype(numpy.int64)


def encode(values, name):
    """Patterns of numbers, cut to the format (towards zero); too large ones become the largest finite number."""
    if name == "f16":
        return numpy.clip(values, -65504, 65504).astype(numpy.float16).view(numpy.uint16)
    if name in ("bf16", "tf32"):
        wide = numpy.clip(values, -3e38, 3e38).astype(numpy.float32).view(numpy.uint32)
        return (wide >> 16).astype(numpy.uint16) if name == "bf16" else wide & ~numpy.uint32(0x1FFF)
    _, fraction, exponent_bits, bias, kind = FORMATS[name]
    table = numpy.arange(128)
    _, m, e, nan, infinite = parts(table, name)
    real = numpy.where(nan | infinite, numpy.inf, numpy.ldexp(m.astype(float), (e - fraction).astype(numpy.int32)))
    finite = numpy.flatnonzero(numpy.isfinite(real))
    at = numpy.clip(numpy.searchsorted(real[finite], numpy.abs(values), side="right") - 1, 0, len(finite) - 1)
    return (finite[at] | numpy.where(values < 0, 128, 0)).astype(numpy.uint8)


def patterns(random, name, shape, kind):
    storage, fraction, exponent_bits, bias, _ = FORMATS[name]
    dtype = {8: numpy.uint8, 16: numpy.uint16, 32: numpy.uint32}[storage]
    if kind == "any":
        bits = random.integers(0, 1 << 32, shape, dtype=numpy.uint64) & ((1 << storage) - 1)
        return (bits & ~numpy.uint64(0x1FFF if name == "tf32" else 0)).astype(dtype)
    if kind == "normal":
        return encode(random.standard_normal(shape), name)
    if kind == "cancelling":
        values = random.standard_normal(shape) * numpy.exp2(random.integers(0, 6, shape))
        half = shape[-1] // 2
        values[..., half:2 * half] = values[..., :half]
        return encode(values, name)
    shift = 23 if name == "tf32" else fraction
    low = random.integers(0, 1 << fraction, shape) << (13 if name == "tf32" else 0)
    top = (1 << exponent_bits) - 2
    if kind == "wide":
        field = random.integers(0, top + 1, shape)
    elif kind == "subnormal":
        field = random.integers(0, 2, shape) * random.integers(0, 2, shape)
        field = numpy.where(random.random(shape) < 0.3, random.integers(0, top + 1, shape), field)
    elif kind == "tiny":  # products near the least results
        field = numpy.clip(bias - (random.integers(60, 80, shape) if bias == 127 else random.integers(6, 15, shape)), 0, top)
    else:  # special
        field = numpy.where(random.random(shape) < 0.05, top + 1, random.integers(0, top + 1, shape))
        low = numpy.where(random.random(shape) < 0.7, 0, low)
    sign = random.integers(0, 2, shape)
    return (low | field << shift | sign << (storage - 1)).astype(dtype)


def accumulators(random, accumulator, shape, kind):
    width, fraction, bias = (32, 23, 127) if accumulator == "f32" else (16, 10, 15)
    dtype = numpy.uint32 if accumulator == "f32" else numpy.uint16
    of = numpy.float32 if accumulator == "f32" else numpy.float16
    if kind in ("normal", "cancelling"):
        return (random.standard_normal(shape) * 4).astype(of).view(dtype)
    if kind == "any":
        return random.integers(0, 1 << width, shape, dtype=numpy.uint64).astype(dtype)
    top = 2 * bias
    field = random.integers(0, top + 1, shape)
    if kind in ("tiny", "subnormal"):
        field = numpy.where(random.random(shape) < 0.7, random.integers(0, 3, shape), field)
    if kind == "special":
        field = numpy.where(random.random(shape) < 0.05, top + 1, field)
    low = random.integers(0, 1 << fraction, shape)
    low = numpy.where(random.random(shape) < 0.2, 0, low)
    bits = (low | field << fraction | random.integers(0, 2, shape) << (width - 1)).astype(dtype)
    return numpy.where(random.random(shape) < 0.3, dtype(0), bits)


KINDS = ["normal", "wide", "cancelling", "subnormal", "tiny", "any", "special"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=10 ** 6)
    parser.add_argument("--vectors")
    options = parser.parse_args()
    random = numpy.random.default_rng(20261129)
    lines, bad = [], False
    for (operand, accumulator, instruction), row in HOPPER.items():
        k = row[0]
        try:
            run = kernel(operand, accumulator, instruction, k)
        except Exception as error:  # nvrtc's own exception type moved between versions
            print(f"{instruction} {operand} {accumulator}: no kernel: {str(error)[-600:]}", flush=True)
            bad = True
            continue
        of_warps = instruction == "wgmma"
        tiles = max(4, options.blocks // len(KINDS) // 128 // 4 * 4)
        for kind in KINDS:
            a = patterns(random, operand, (tiles, 16, k), kind)
            b = patterns(random, operand, (tiles // 4 if of_warps else tiles, 8, k), kind)
            if kind == "cancelling":
                half = k // 2
                b[..., half:2 * half] = b[..., :half] ^ b.dtype.type(1 << (FORMATS[operand][0] - 1))
            c = accumulators(random, accumulator, (tiles, 16, 8), kind)
            out = cupy.zeros(c.shape, dtype=c.dtype)
            run((tiles // 4 if of_warps else tiles,), (128 if of_warps else 32,),
                (cupy.asarray(a), cupy.asarray(b), cupy.asarray(c), out))
            d = out.get().astype(numpy.int64)
            wide_b = numpy.repeat(b, 4, axis=0) if of_warps else b
            infinity = 0x7F800000 if accumulator == "f32" else 0x7C00
            is_nan = lambda bits: (bits & (2 * infinity - 1 if accumulator == "f16" else 0x7FFFFFFF)) > infinity

            count, where = 0, None
            for first in range(0, tiles, 1024):
                part = slice(first, min(first + 1024, tiles))
                x = numpy.broadcast_to(a[part, :, None, :], (*c[part].shape, k))
                y = numpy.broadcast_to(wide_b[part, None, :, :], (*c[part].shape, k))
                if instruction == "mma" and operand.startswith("f8"):
                    expected = f8_by_mma(x, y, c[part], operand)
                else:
                    expected = model(x, y, c[part], operand, accumulator, row)
                wrong = (expected != d[part]) & ~(is_nan(expected) & is_nan(d[part]))
                count += int(wrong.sum())
                if where is None and wrong.any():
                    t, i, j = (int(v) for v in numpy.argwhere(wrong)[0])
                    where = (first + t, i, j, int(expected[t, i, j]))
            print(f"{instruction:5} {operand:6} {accumulator} {kind:10} {c.size:8} blocks, {count} differ", flush=True)
            if count:
                bad = True
                t, i, j, expected = where
                print("   first: a", " ".join(f"{int(v):x}" for v in a[t, i]), "b",
                      " ".join(f"{int(v):x}" for v in wide_b[t, j]), f"c {int(c[t, i, j]):x} d {int(d[t, i, j]):x} "
                      f"model {expected:x}")
            if instruction == "mma" and operand.startswith("f8"):
                continue
            for _ in range(16 if kind in ("subnormal", "tiny", "special") else 10):
                t, i, j = int(random.integers(tiles)), int(random.integers(16)), int(random.integers(8))
                digits = FORMATS[operand][0] // 4
                text = lambda values: "".join(f"{int(v):0{digits}x}" for v in values)
                width = 8 if accumulator == "f32" else 4
                lines.append(f"{instruction} {operand} {accumulator} {text(a[t, i])} {text(wide_b[t, j])} "
                             f"{int(c[t, i, j]):0{width}x} {int(d[t, i, j]):0{width}x}")
    if options.vectors:
        with open(options.vectors, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
