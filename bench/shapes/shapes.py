#!/usr/bin/env python3
"""Reckon beside its peers at the shapes that people run: layers of language models, convolutions, stencils, scans,
statistics, ragged sizes, in several formats. `./dev bench shapes`, or

    RECKON_PROGRAM=.../reckon RECKON_LIBRARY=.../libreckon.so PYTHONPATH=python python3 bench/shapes/shapes.py --gpu

Each row gives our time, the best peer's time over ours (above 1: ours is faster), and the rate of the bytes that must move
or of the operations; the end gives geometric means by group and the worst rows. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import sys

# On the host, the peers and our code have one thread. NumPy reads this when it is loaded.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "RECKON_THREADS"):
    os.environ[name] = "1"

import table  # noqa: E402
from rows import rows as rows_of  # noqa: E402


def written(path: str, text: str) -> None:
    """The whole file or the one before: a run that is killed leaves no half of it."""
    with open(path + ".part", "w") as file:
        file.write(text)
    os.replace(path + ".part", path)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = options.add_mutually_exclusive_group(required=True)
    where.add_argument("--host", action="store_true", help="on one thread of the host, beside NumPy and its BLAS")
    where.add_argument("--gpu", action="store_true", help="on a GPU, beside PyTorch, cuBLAS, cuDNN, CUB and Triton")
    where.add_argument("--from", dest="source", metavar="FILE", help="show the results that --json wrote")
    options.add_argument("--only", metavar="GLOB", help="rows whose names match: 'softmax *bf16'")
    options.add_argument("--group", help="rows of this group")
    options.add_argument("--seconds", type=float, default=1e9, help="after which no further row is begun")
    options.add_argument("--json", metavar="FILE", help="write the results, after every row")
    options.add_argument("--picture", metavar="FILE", help="write a picture of the results, as SVG")
    options.add_argument("--compiled", action="store_true", help="torch.compile as a peer, too: seconds for each row")
    options.add_argument("--cub", metavar="FILE", help="cub.cu, compiled already")
    options.add_argument("--check", action="store_true", help="check every circuit at small sizes against NumPy instead; "
                         "with --gpu, compile every row to PTX, too")
    options.add_argument("--list", action="store_true", help="name the rows instead")
    options = options.parse_args()
    if options.source:
        with open(options.source) as file:
            data = json.load(file)
        print(table.text(data))
        if options.picture:
            written(options.picture, table.picture(data))
        return 0

    machine_name = "gpu" if options.gpu else "host"
    rows = [each for each in rows_of(machine_name)
            if (not options.only or fnmatch.fnmatchcase(each.name, options.only))
            and (not options.group or each.group == options.group)]
    if not rows:
        print("no row is of that name and group", file=sys.stderr)
        return 2
    if options.list:
        for each in rows:
            print(f"{each.group:22} {each.name}")
        return 0
    program = os.environ.get("RECKON_PROGRAM", "reckon")
    if options.check:
        from check import check

        return check(rows, program, options.gpu)
    import measure

    machine = measure.Gpu(program, options.cub, options.compiled) if options.gpu else measure.Host(program)
    data = {**machine.describe(), "copy_rate": machine.copy_rate(), "rows": []}
    print(table.title(data), table.HEADER, sep="\n", flush=True)

    def done(result: dict) -> None:
        data["rows"].append(result)
        if result.get("skipped") != "not reached":
            print(table.line(result, data["copy_rate"]), flush=True)
        if options.json:
            written(options.json, json.dumps(data, indent=1))

    try:
        measure.measured(machine, rows, options.seconds, done)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    print(table.summary(data))
    if options.picture:
        written(options.picture, table.picture(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
