#!/usr/bin/env python3
"""What `within orders` says of sums of normals from files, through the language: with one element dropped, with one
doubled, accumulated in f16, and right ones in random orders.
   tests/verdicts/bugs_in_sums.py [build/dev/cli/reckon] [SEEDS] [N]     100 seeds of 100000
Prints how many of each fail, as the first three must and the last must not; exit status 1 if one is otherwise. A sum in f16
may come near the real one by chance, as about one in 500 does: `undecided` then. An element below a tenth of the mean
magnitude is not dropped or doubled: what it is worth may be rounding."""
import collections
import concurrent.futures
import subprocess
import sys
import tempfile

import numpy as np

program = sys.argv[1] if len(sys.argv) > 1 else "build/dev/cli/reckon"
seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
count = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000


def blocks(x, width):
    """Sums of rows in their order, then of those: an order of f32 additions that numpy's own sum does not have."""
    rows = x[: len(x) // width * width].reshape(-1, width)
    total = np.float32(0)
    for column in np.cumsum(rows, axis=1, dtype=np.float32)[:, -1]:
        total = np.float32(total + column)
    for value in x[len(rows) * width:]:
        total = np.float32(total + value)
    return total


def narrow(x):
    total = np.float16(0)
    for value in x.astype(np.float16):
        total = np.float16(total + value)
    return total


KINDS = ["dropped", "doubled", "narrow", "right"]


def verdicts_of(seed):
    """The words of the four checks of one seed, in the order of KINDS."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(count, dtype=np.float32)
    typical = np.flatnonzero(np.abs(x) >= np.abs(x).mean() / 10)
    one = int(random.choice(typical))
    order = random.permutation(count)
    with np.errstate(over="ignore"):
        results = {
            "dropped": blocks(np.delete(x, one)[random.permutation(count - 1)], 128),
            "doubled": blocks(np.append(x, x[one])[random.permutation(count + 1)], 128),
            "narrow": narrow(x[order]),
            "right": blocks(x[order], int(random.choice([1, 32, 100, 256, 1000]))),
        }
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        lines = ["fn total(x: f32[n]) -> f32 = sum i: x[i]", f'let x = load("{folder}/x.npy")']
        lines += [f"check total(x) ~ f32({float(results[kind])!r}) within orders in float" for kind in KINDS]
        run = subprocess.run([program, "run", "-"], input="\n".join(lines), capture_output=True, text=True, check=False)
    words = [line.split()[0] for line in run.stdout.splitlines() if line and not line.startswith(" ")]
    if len(words) != len(KINDS):
        raise RuntimeError(f"seed {seed}: {run.stdout}{run.stderr}")
    return words


def main():
    with concurrent.futures.ProcessPoolExecutor() as pool:
        of_seeds = list(pool.map(verdicts_of, range(seeds)))
    good = True
    for kind, words in zip(KINDS, zip(*of_seeds)):
        seen = collections.Counter(words)
        print(f"{kind:8} " + ", ".join(f"{word} {often}" for word, often in sorted(seen.items())))
        for word in seen.keys() - {"holds" if kind == "right" else "fails"}:
            print(f"         {word} for the seeds", *[seed for seed, other in enumerate(words) if other == word][:20])
        if kind == "right":
            good = good and not seen["fails"]
        elif kind == "narrow":
            good = good and not seen["holds"] and seen["undecided"] * 50 <= seeds
        else:
            good = good and seen.keys() == {"fails"}
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
