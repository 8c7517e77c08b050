#!/usr/bin/env python3
"""Random scalar circuits of f32, each beside a rewritten or a damaged one, held against `check ... in float`.

    tests/verdicts/mutate.py [--program build/dev/cli/reckon] [--pairs 500] [--seed 1] [--show 10]

A rewrite follows laws that hold for every float, signed zeros, infinities and NaNs included. Damage changes one
constant, operator, comparison or variable; the pair counts as different where this script's own arithmetic (f32 by way
of Python's doubles, which for + - * / and sqrt rounds once in effect: Figueroa 1995) gives different bits at some point
that it tries. Damage that shows at none of these is left out. Prints how many verdicts are right, and the pairs whose
verdict is false, with a witness. Status 1 if there is one.
"""
import argparse
import math
import random
import struct
import subprocess
import sys

NAN = float("nan")
CONSTANTS = [0.0, 1.0, 2.0, 3.0, 0.5, 0.25, 1.5, 6.0, 10.0, 100.0, 1000.0, -1.0, -2.0, -10.0]


def f32(x):
    """x, a double, rounded to f32."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:  # beyond the largest f32 after rounding
        return math.copysign(math.inf, x)


SPECIAL = [f32(x) for x in (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 2.5, -3.0, 100.0, -100.0, 1e4, -1e4, 3e38,
                            -3e38, math.inf, -math.inf, NAN, 2.0**-149, -(2.0**-149), 2.0**-126, 1e-30, -1e-30, 1e20,
                            -1e20)]


def bits(x):
    return 0x7FC00000 if math.isnan(x) else struct.unpack("<I", struct.pack("<f", x))[0]


def smaller(a, b):
    if math.isnan(a) or math.isnan(b):
        return NAN
    if a == b:  # -0 is below +0
        return a if math.copysign(1, a) < 0 else b
    return min(a, b)


def quotient(a, b):
    if b != 0:
        return f32(a / b)
    return NAN if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


COMPARE = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
           "==": lambda a, b: a == b, "!=": lambda a, b: a != b}
UNARY = {"neg": lambda a: -a, "abs": abs, "sqrt": lambda a: NAN if a < 0 else f32(math.sqrt(a)) if a == a else NAN}
BINARY = {"+": lambda a, b: f32(a + b), "-": lambda a, b: f32(a - b), "*": lambda a, b: f32(a * b), "/": quotient,
          "min": smaller, "max": lambda a, b: -smaller(-a, -b)}


# A circuit is a tuple: ("var", name), ("const", value), (unary, a), (binary, a, b), ("select", comparison, a, b, c, d).
def circuit(rng, depth):
    if depth == 0 or rng.random() < 0.1:
        return ("var", rng.choice("xyz")) if rng.random() < 0.65 else ("const", rng.choice(CONSTANTS))
    kind = rng.random()
    if kind < 0.2:
        return (rng.choice(list(UNARY)), circuit(rng, depth - 1))
    if kind < 0.75:
        return (rng.choice(list(BINARY)), circuit(rng, depth - 1), circuit(rng, depth - 1))
    return ("select", rng.choice(list(COMPARE)), *(circuit(rng, depth - 1) for _ in range(4)))


def value(e, at):
    if e[0] == "var":
        return at[e[1]]
    if e[0] == "const":
        return e[1]
    if e[0] == "select":
        a, b, c, d = (value(part, at) for part in e[2:])
        return c if COMPARE[e[1]](a, b) else d
    if e[0] in UNARY:
        return UNARY[e[0]](value(e[1], at))
    return BINARY[e[0]](value(e[1], at), value(e[2], at))


def text(e):
    if e[0] == "var":
        return e[1]
    if e[0] == "const":
        return f"f32({e[1]!r})"
    if e[0] == "select":
        a, b, c, d = map(text, e[2:])
        return f"select({a} {e[1]} {b}, {c}, {d})"
    if e[0] == "neg":
        return f"(-{text(e[1])})"
    if e[0] in "+-*/":
        return f"({text(e[1])} {e[0]} {text(e[2])})"
    return f"{e[0]}({', '.join(map(text, e[1:]))})"


def children(e):
    return [k for k, part in enumerate(e) if isinstance(part, tuple)]


def places(e, path=()):
    """All subexpressions' paths."""
    yield path
    for k in children(e):
        yield from places(e[k], path + (k,))


def changed(e, path, change):
    if not path:
        return change(e)
    k = path[0]
    return e[:k] + (changed(e[k], path[1:], change),) + e[k + 1:]


def rewritten(rng, e):
    """An expression with the same bits for all operands."""
    op = e[0]
    if op in ("+", "*", "min", "max") and rng.random() < 0.6:
        return (op, e[2], e[1])
    if op == "-":
        return ("+", e[1], ("neg", e[2]))
    if op in ("*", "/"):
        return (op, ("neg", e[1]), ("neg", e[2]))
    if op in ("min", "max"):
        return ("neg", ("max" if op == "min" else "min", ("neg", e[1]), ("neg", e[2])))
    if op == "abs":
        return ("max", e[1], ("neg", e[1]))
    if op == "select" and e[1] in ("<", "<=", ">", ">="):
        return ("select", {"<": ">", ">": "<", "<=": ">=", ">=": "<="}[e[1]], e[3], e[2], e[4], e[5])
    if op == "select":
        return ("select", "!=" if e[1] == "==" else "==", e[2], e[3], e[5], e[4])
    return ("neg", ("neg", e)) if rng.random() < 0.5 else ("*", e, ("const", 1.0))


def damaged(rng, e):
    op = e[0]
    if op == "const":
        return ("const", rng.choice([c for c in CONSTANTS if c != e[1]] + [f32(e[1] * 1.001 + 1e-5), -e[1]]))
    if op == "var":
        return ("var", rng.choice([name for name in "xyz" if name != e[1]])) if rng.random() < 0.5 else ("abs", e)
    if op == "select":
        return ("select", rng.choice([c for c in COMPARE if c != e[1]]), *e[2:])
    if op in UNARY:
        return e[1]
    return (rng.choice([other for other in BINARY if other != op]), e[1], e[2])


def points(rng):
    out = [dict(zip("xyz", (rng.choice(SPECIAL + CONSTANTS) for _ in range(3)))) for _ in range(600)]
    for _ in range(600):
        scale = 10.0 ** rng.uniform(-3, 4)
        out.append({name: f32(rng.uniform(-scale, scale)) for name in "xyz"})
    for point in out[::3]:  # equal operands
        point["y"] = point["x"]
    return out


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--program", default="build/dev/cli/reckon")
    options.add_argument("--pairs", type=int, default=500)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", type=int, default=10)
    options = options.parse_args()
    rng = random.Random(options.seed)
    pairs = []  # (left, right, witness or None, share of the points at which they differ)
    while len(pairs) < options.pairs:
        left = circuit(rng, 4)
        tried = points(rng)
        if len({bits(value(left, at)) for at in tried}) < 10:
            continue
        right, true = left, rng.random() < 0.5
        for _ in range(rng.randint(1, 4) if true else 1):
            right = changed(right, rng.choice(list(places(right))), lambda e: (rewritten if true else damaged)(rng, e))
        apart = [at for at in tried if bits(value(left, at)) != bits(value(right, at))]
        if true and apart:
            sys.exit(f"no law: {text(left)} and {text(right)} differ at {apart[0]}")
        if (true and right != left) or apart:
            pairs.append((left, right, apart[0] if apart else None, len(apart) / len(tried)))

    counts = {}
    shown = plain = 0
    for begin in range(0, len(pairs), 20):
        batch = pairs[begin:begin + 20]
        program = ""
        for k, (left, right, _, _) in enumerate(batch):
            program += f"fn f{k}(x: f32, y: f32, z: f32) -> f32 = {text(left)}\n"
            program += f"fn g{k}(x: f32, y: f32, z: f32) -> f32 = {text(right)}\ncheck f{k} == g{k} in float\n"
        run = subprocess.run([options.program, "run", "-"], input=program, capture_output=True, text=True)
        words = [line.split(" ", 1)[0] for line in run.stdout.splitlines()]
        verdicts = [word for word in words if word in ("holds", "fails", "undecided")]
        if len(verdicts) != len(batch):
            sys.exit(f"{len(verdicts)} verdicts for {len(batch)} checks\n{run.stderr}\n{program}")
        for verdict, (left, right, witness, share) in zip(verdicts, batch):
            truth = "different" if witness else "equal"
            counts[truth, verdict] = counts.get((truth, verdict), 0) + 1
            plain += verdict == "holds" and share >= 0.01
            if verdict != ("fails" if witness else "holds") and shown < options.show:
                shown += 1
                print(f"{verdict}, and they are {truth}:\n  {text(left)}\n  {text(right)}")
                if witness:
                    print(f"  at {witness}: {value(left, witness)!r} and {value(right, witness)!r}, "
                          f"and at {100 * share:.2g} % of the points")
    for (truth, verdict), count in sorted(counts.items()):
        print(f"{truth:<10} {verdict:<10} {count}")
    print(f"of those that are different and hold, {plain} differ at 1 % of the points or more")
    return 1 if counts.get(("different", "holds"), 0) + counts.get(("equal", "fails"), 0) else 0


if __name__ == "__main__":
    sys.exit(main())
