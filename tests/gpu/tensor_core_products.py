#!/usr/bin/env python3
"""On a machine with a Hopper GPU: products by `mma(hopper)` as compiled to tensor cores, beside the model of their
additions that docs/schedules.md states ("Tensor cores"), restated in NumPy (tensor_cores.py).

    RECKON_PROGRAM=build/dev/cli/reckon python3 tests/gpu/tensor_core_products.py [--samples N] [--quick] [--formats bf16,f16] \
        [--instruction mma.sync]

For each format and each arrangement of the factors products of ragged sizes, with random numbers of every kind: normal
ones, any pattern, wide exponents, subnormals, cancellation, infinities and NaNs. All results of small products are
compared, and N samples (10^5) of large ones. Prints how many differ; the status is 1 if any does.
"""

import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

import cupy
import numpy

import tensor_cores

RECKON = os.environ.get("RECKON_PROGRAM", "build/dev/cli/reckon")
DTYPES = {8: numpy.uint8, 16: numpy.uint16, 32: numpy.uint32}
# Shapes and factors: rows and columns with the leaf as the last dimension of their tensors, or as the first.
ARRANGEMENTS = {"nn": ("[m, k]", "[k, n]", "a[i, l]", "b[l, j]"), "nt": ("[m, k]", "[n, k]", "a[i, l]", "b[j, l]"),
                "tn": ("[k, m]", "[k, n]", "a[l, i]", "b[l, j]"), "tt": ("[k, m]", "[n, k]", "a[l, i]", "b[j, l]")}


def launcher(folder, name, text, sizes, instruction=None):
    """The module that launches the circuit `f` of the text, by the named instruction if there is one."""
    source, made = folder / f"{name}.rk", folder / f"{name}.py"
    source.write_text(text)
    command = [RECKON, "compile", source, "--fn", "f", "--emit=launcher=python", "-o", made]
    for size, value in sizes.items():
        command += ["-D", f"{size}={value}"]
    if instruction:
        command += ["--choose", f"reckon_f_0.instruction={instruction}"]
    subprocess.run(command, check=True)
    spec = importlib.util.spec_from_file_location(name, made)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(operand, arrangement):
    a, b, x, y = ARRANGEMENTS[arrangement]
    return f"fn f(a: {operand}{a}, b: {operand}{b}) -> f32[m, n] = for i, j: sum l: f32({x}) * f32({y}) by mma(hopper)\n"


def expected(x, y, operand):
    """The chain of additions of x[..., k] with y[..., k], patterns; a short last one has zeros, which take no part."""
    row = tensor_cores.HOPPER[(operand, "f32", "wgmma")]
    length, count = row[0], x.shape[-1]
    pad = [(0, 0)] * (x.ndim - 1) + [(0, -count % length)]
    x, y = numpy.pad(x, pad), numpy.pad(y, pad)
    total = numpy.zeros(x.shape[:-1], dtype=numpy.uint32)
    for first in range(0, count, length):
        part = slice(first, first + length)
        total = tensor_cores.model(x[..., part], y[..., part], total.astype(numpy.uint32), operand, "f32", row)
    return total


def differing(module, random, operand, arrangement, m, n, k, kind, samples):
    """How many of the results that are looked at differ, and how many these are."""
    x = tensor_cores.patterns(random, operand, (m, k), kind)
    y = tensor_cores.patterns(random, operand, (n, k), kind)
    if kind == "cancelling":
        half = k // 2
        y[:, half:2 * half] = y[:, :half] ^ y.dtype.type(1 << (tensor_cores.FORMATS[operand][0] - 1))
    a = x if arrangement[0] == "n" else x.T
    b = y.T if arrangement[1] == "n" else y
    out = cupy.full((m, n), numpy.float32(numpy.nan), dtype=numpy.float32)
    # The launcher wants contiguous arrays; their element type does not matter but for its width.
    module.f(cupy.asarray(numpy.ascontiguousarray(a)), cupy.asarray(numpy.ascontiguousarray(b)), out)
    found = out.get().view(numpy.uint32).astype(numpy.int64)
    if m * n > samples:
        rows, columns = random.integers(0, m, samples), random.integers(0, n, samples)
    else:
        rows, columns = (part.reshape(-1) for part in numpy.indices((m, n)))
    wrong = 0
    step = max(1, 2 ** 23 // max(k, 1))
    for first in range(0, len(rows), step):
        r, c = rows[first:first + step], columns[first:first + step]
        want, have = expected(x[r], y[c], operand), found[r, c]
        infinity = 0x7F800000
        both_nan = ((want & 0x7FFFFFFF) > infinity) & ((have & 0x7FFFFFFF) > infinity)
        wrong += int(numpy.count_nonzero((want != have) & ~both_nan))
    return wrong, len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=10 ** 5)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and kinds of numbers")
    parser.add_argument("--formats", default="bf16,f16,tf32,f8e4m3,f8e5m2")
    parser.add_argument("--instruction", choices=["wgmma", "mma.sync"], help="the usual one by default; not for f8")
    options = parser.parse_args()
    random = numpy.random.default_rng(20261129)
    folder = pathlib.Path(tempfile.mkdtemp())
    total, bad, number = 0, 0, 0
    for operand in options.formats.split(","):
        width = tensor_cores.FORMATS[operand][0] // 8
        whole = 16 // width  # elements of 16 bytes
        for arrangement in ARRANGEMENTS:
            sizes = [(8 * 13, 8 * 9, 40 * whole), (264, 520, 9 * whole), (1, 16, whole), (40, 8, 8 * whole)]
            if arrangement == "nt":
                sizes += [(77, 131, 5 * whole), (130, 257, 17 * whole), (3, 3, 8 * whole)]
            sizes += [(5, 7, 4 * whole + 3), (71, 133, 10 * whole - 1), (200, 391, 8 * whole)]
            if not options.quick:
                sizes += [(1000 // 8 * 8, 2056, 24 * whole), (4096, 4096, 512 * whole)]
            for m, n, k in sizes:
                number += 1
                # Some kernels are for any sizes.
                known = {"m": m, "n": n, "k": k} if number % 3 else {}
                module = launcher(folder, f"product_{number}", text_of(operand, arrangement), known, options.instruction)
                kinds = tensor_cores.KINDS if m * n < 2 ** 20 and not options.quick else ["normal", "special"]
                for kind in kinds:
                    samples = options.samples if m * n * k < 2 ** 32 else options.samples // 10
                    wrong, looked = differing(module, random, operand, arrangement, m, n, k, kind, samples)
                    total, bad = total + looked, bad + wrong
                    if wrong:
                        print(f"{operand} {arrangement} {m} x {n} x {k} {kind}: {wrong} of {looked} differ", flush=True)
        print(f"{operand}: {total} results so far, {bad} differ", flush=True)
    print(f"{number} products, {total} results, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
