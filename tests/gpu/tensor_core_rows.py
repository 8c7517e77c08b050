#!/usr/bin/env python3
"""On a machine with a Hopper GPU: circuits of two products by `mma(hopper)`, each as one kernel on tensor cores, have the
host's bits at sizes of every kind.

    PYTHONPATH=python python3 tests/gpu/tensor_core_rows.py [--quick] [--only CIRCUIT]

The inputs are random: normal numbers, wide exponents, and a few infinities and NaNs. Prints how many results differ; the
status is 1 if any does.
"""

import argparse
import pathlib
import sys
import time

import numpy

import reckon

HERE = pathlib.Path(__file__).resolve().parent
# Heads, rows, columns, leaves of the first product, columns of the second.
SIZES = [(1, 128, 128, 64, 64), (3, 130, 257, 64, 64), (2, 64, 1000, 128, 128), (2, 333, 77, 96, 80), (4, 200, 512, 128, 64),
         (1, 45, 5, 16, 8), (140, 100, 130, 128, 128), (2, 257, 640, 192, 200), (1, 1000, 1024, 256, 256)]
SHAPES = {
    "attention": lambda h, s, t, d, c: ((h, s, d), (h, t, d), (h, t, c)),
    "causal": lambda h, s, t, d, c: ((h, s, d), (h, s, d), (h, s, c)),
    "quick_causal": lambda h, s, t, d, c: ((h, s, d), (h, s, d), (h, s, c)),
    "gpu_causal": lambda h, s, t, d, c: ((h, s, d), (h, s, d), (h, s, c)),
    "grouped": lambda h, s, t, d, c: ((2 * h, s, d), (h, t, d), (h, t, c)),
    "normalised": lambda h, s, t, d, c: ((h, s, d), (h, (t + 7) // 8 * 8, d), (h, c, (t + 7) // 8 * 8)),
    "gated": lambda h, s, t, d, c: ((s, d), (t, d), (t,), (t, c)),
}
KINDS = ["normal", "wide", "special"]


def numbers(random, shape, kind):
    out = random.standard_normal(shape)
    if kind == "wide":
        out = out * 2.0 ** random.integers(-12, 4, shape)
    if kind == "special":
        at = random.random(shape)
        out = numpy.where(at < 2e-5, numpy.inf, numpy.where(at > 1 - 1e-5, numpy.nan, out))
    return out


def differing(circuit, operand, shapes, kind, seed):
    """How many results differ, and how many there are. A NaN equals a NaN."""
    random = numpy.random.default_rng(seed)
    arguments = []
    for shape in shapes:
        values = numbers(random, shape, kind)
        is_bias = len(shape) == 1
        arguments.append(values.astype(numpy.float32) if is_bias else reckon.convert(values, operand, patterns=True))
    found = circuit(*arguments, on="gpu", T=operand, dtype=operand)
    # The host has no approximate instructions.
    other = {"semantics": "float(h200)"} if circuit.name.startswith("gpu_") else {"on": "host"}
    expected = circuit(*arguments, T=operand, dtype=operand, **other)
    wrong = count = 0
    for mine, theirs in zip(*(each if isinstance(each, tuple) else (each,) for each in (found, expected))):
        mine, theirs = numpy.asarray(mine), numpy.asarray(theirs)
        same = mine.view(f"u{mine.itemsize}") == theirs.view(f"u{mine.itemsize}")
        if mine.dtype.kind == "f":
            same |= numpy.isnan(mine) & numpy.isnan(theirs)
        wrong += int(numpy.count_nonzero(~same))
        count += mine.size
    return wrong, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer sizes and kinds of numbers")
    parser.add_argument("--only", default="", help="one circuit")
    parser.add_argument("--verbose", action="store_true", help="say how long each call took, here and on the host")
    options = parser.parse_args()
    module = reckon.load(HERE / "tensor_core_rows.rk")
    total = failed = runs = 0
    for name, shapes in SHAPES.items():
        if options.only not in name:
            continue
        for number, sizes in enumerate(SIZES[:6] if options.quick else SIZES):
            for kind in KINDS[number % 3:number % 3 + 1] if options.quick else KINDS:
                for operand in ("bf16", "f16"):
                    began = time.monotonic()
                    wrong, count = differing(module[name], operand, shapes(*sizes), kind, runs)
                    if options.verbose:
                        print(f"{name} {operand} {sizes} {kind}: {time.monotonic() - began:.1f} s", flush=True)
                    runs, total, failed = runs + 1, total + count, failed + wrong
                    if wrong:
                        print(f"DIFFER  {name} {operand} {sizes} {kind}: {wrong} of {count}", flush=True)
    print(f"{runs} calls, {total} results, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
