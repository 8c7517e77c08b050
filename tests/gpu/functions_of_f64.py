#!/usr/bin/env python3
"""On a machine with a GPU: the elementary functions of f64 on the GPU, on the host and in the interpreter have the same
bits, for random arguments, the published hard ones (tests/data) and those next to multiples of a quarter turn; and
their throughput beside PyTorch's, whose functions are CUDA's and, on the host, the C library's or SLEEF's.

    RECKON_LIBRARY=.../libreckon.so PYTHONPATH=python python3 tests/gpu/functions_of_f64.py [ARGUMENTS [INTERPRETED]]

ARGUMENTS: how many random ones (2^24), of which the first INTERPRETED (2^16) are also given to the interpreter. Prints
one line for each function; the status is 1 if bits differ.
"""

import pathlib
import sys
import time

import numpy
import torch

import reckon

data = pathlib.Path(__file__).resolve().parents[1] / "data"
one = ("rsqrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
       "erf erfc gamma lgamma cbrt").split()
two = "atan2 pow hypot".split()
peers = {name: getattr(torch, name) for name in one + two if hasattr(torch, name)}
count = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 24
interpreted = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 16

program = "".join(f"fn {name}_of(x: f64[n]) -> f64[n] = for i: {name}(x[i])\n" for name in one)
program += "".join(f"fn {name}_of(x: f64[n], y: f64[n]) -> f64[n] = for i: {name}(x[i], y[i])\n" for name in two)
rk = reckon.loads(program)


def numbers(random, n):
    """Half of the patterns, uniformly; the rest where results are ordinary, subnormal or near 1."""
    bits = random.integers(0, 1 << 64, n, dtype=numpy.uint64).view(numpy.float64)
    unit = random.random(n)
    usual = numpy.choose(random.integers(0, 4, n), [1420 * unit - 710, 20 * unit - 10, 2.2 * unit - 1.1,
                                                    1 + (unit - 0.5) * 2.0 ** -random.integers(0, 50, n)])
    return numpy.where(random.random(n) < 0.5, bits, usual)


def published():
    found = {}
    for line in (data / "f64_hard_cases.txt").read_text().splitlines():
        if not line.startswith("#"):
            name, *arguments = line.split()
            found.setdefault(name, []).append([float.fromhex(each) for each in arguments])
    for line in (data / "f64_near_quarter_turns.txt").read_text().splitlines():
        if not line.startswith("#"):
            for name in ("sin", "cos", "tan"):
                found[name].append([float.fromhex(line.split()[1])])
    return {name: [numpy.array(column) for column in zip(*rows)] for name, rows in found.items()}


def differing(a, b):
    same = (a.view(numpy.uint64) == b.view(numpy.uint64)) | (numpy.isnan(a) & numpy.isnan(b))
    return numpy.flatnonzero(~same)


def nanoseconds(run, wait, n):
    """For each element; the best of five."""
    run()
    best = float("inf")
    for _ in range(5):
        wait()
        start = time.perf_counter()
        run()
        wait()
        best = min(best, time.perf_counter() - start)
    return best / n * 1e9


hard = published()
failed = 0
print(f"{'function':8} {'arguments':>10} {'hard':>5} differ   ns on the GPU, PyTorch's   ns on the host, PyTorch's ({torch.get_num_threads()} threads)")
for name in one + two:
    random = numpy.random.default_rng(sum(map(ord, name)))
    arguments = [numbers(random, count) for _ in range(1 if name in one else 2)]
    known = hard.get(name, [numpy.empty(0)] * len(arguments))
    arguments = [numpy.concatenate([a, b, -b]) for a, b in zip(arguments, known)]
    f = getattr(rk, name + "_of")
    host = f(*arguments)
    on_gpu = [torch.from_numpy(each).cuda() for each in arguments]
    gpu = f(*on_gpu)
    wrong = len(differing(host, gpu.cpu().numpy()))
    few = [numpy.concatenate([each[:interpreted], each[count:]]) for each in arguments]
    wrong += len(differing(f(*few, on="interpreter"), f(*few)))
    failed += wrong != 0
    n = len(arguments[0])
    ours = nanoseconds(lambda: f(*on_gpu), torch.cuda.synchronize, n)
    ours_here = nanoseconds(lambda: f(*[each[: 1 << 20] for each in arguments]), lambda: None, 1 << 20)
    theirs = theirs_here = float("nan")
    if name in peers:
        theirs = nanoseconds(lambda: peers[name](*on_gpu), torch.cuda.synchronize, n)
        here = [torch.from_numpy(each[: 1 << 20]) for each in arguments]
        theirs_here = nanoseconds(lambda: peers[name](*here), lambda: None, 1 << 20)
    print(f"{name:8} {count:10} {len(known[0]):5} {wrong:6}   {ours:13.3f} {theirs:10.3f}   {ours_here:14.2f} {theirs_here:10.2f}", flush=True)
sys.exit(1 if failed else 0)
