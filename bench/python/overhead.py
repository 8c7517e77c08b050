#!/usr/bin/env python3
"""What a call from Python costs beside the circuit's own work: small arrays, in the steady state.

    RECKON_LIBRARY=build/release/capi/libreckon.so PYTHONPATH=python python3 bench/python/overhead.py
"""

import sys
import time
import timeit

import numpy

import reckon

PROGRAM = """
fn id(x: f32[n]) -> f32[n] = x
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree
fn axpy(a: f32, x: f32[n], y: f32[n]) -> f32[n] = for i: a * x[i] + y[i]
fn both(x: f32[n]) -> (f32, f32[n]) = (sum i: x[i] by tree, for i: -x[i])
fn blocked[k](x: f32[n]) -> f32 = sum i: x[i] by tile(k, seq) then tree
"""


def nanoseconds(call: object) -> float:
    # The time of this process, which others on the machine do not lengthen.
    timer = timeit.Timer(call, timer=time.process_time)
    number, _ = timer.autorange()
    return min(timer.repeat(5, number)) / number * 1e9


def main() -> int:
    rk = reckon.loads(PROGRAM, "overhead.rk")
    x = numpy.linspace(-1, 1, 16, dtype=numpy.float32)
    y = x + 1
    frozen = x.copy()
    frozen.flags.writeable = False
    out = numpy.empty_like(x)
    rows = [
        ("numpy: x.copy()", lambda: x.copy()),
        ("numpy: numpy.dot(x, y)", lambda: numpy.dot(x, y)),
        ("numpy: 2.0 * x + y", lambda: 2.0 * x + y),
        ("rk.id(x)", lambda: rk.id(x)),
        ("rk.dot(x, y)", lambda: rk.dot(x, y)),
        ("rk.axpy(2.0, x, y)", lambda: rk.axpy(2.0, x, y)),
        ("rk.both(x), two results", lambda: rk.both(x)),
        ("rk.blocked(x, k=4)", lambda: rk.blocked(x, k=4)),
        ("rk.id(x), x read-only", lambda: rk.id(frozen)),
        ("rk.id(x[::2]), a copy", lambda: rk.id(x[::2])),
        ("rk.id(x, out=y)", lambda: rk.id(x, out=out)),
        ("rk.dot([1, 2, 3], [4, 5, 6]), lists", lambda: rk.dot([1, 2, 3], [4, 5, 6])),
    ]
    print(f"{'call, 16 elements of f32':<40} {'ns':>8}")
    for name, call in rows:
        print(f"{name:<40} {nanoseconds(call):8.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
