"""Every circuit and format of the suite at small sizes: the interpreter against NumPy in f64, and the compiled host's bits
against the interpreter's; and every row of the GPU's compiled to PTX at its own sizes."""

from __future__ import annotations

import subprocess
from typing import Any, Dict, List, Set, Tuple

import numpy as np

import reckon
from arguments import host_arguments, stated, widened
from peers_host import NUMPY
from rows import Row

#: What a result may differ by, relative to the largest: one rounding to the format, and the sums' own.
ALLOWED = {"f64": 1e-12, "f32": 2e-5, "f16": 2e-3, "bf16": 1.6e-2, "f8e4m3": 0.13, "i32": 0, "u32": 0}
SMALL = {"d": 6, "l": 5, "s": 7, "t": 9, "h": 5, "g": 3, "b": 2, "c": 3, "o": 4, "r": 3, "v": 11, "w": 6, "k": 7}


def shrunk(row: Row) -> Row:
    """The row with sizes of 3 to 300 and the same relations between them (a window is smaller than what it slides over)."""
    small = dict(SMALL)
    if row.work == "conv_2d":
        small.update(s=min(3, row.sizes["s"]), r=min(3, row.sizes["r"]))
    if row.work in ("product_split", "linear_split"):
        small.update(k=1100)
    if row.circuit.startswith("scan"):
        small.update(n=2100)
    sizes = {name: min(size, small.get(name, 300 if name == "n" else 5)) for name, size in row.sizes.items()}
    return Row(row.group, row.circuit, sizes, row.format, "float", row.statics)


def problem(row: Row, modules: Dict[str, Any]) -> str:
    """What is wrong with a row's results at small sizes; empty if nothing is."""
    module = modules.setdefault(row.path, reckon.load(row.path)) if row.path not in modules else modules[row.path]
    circuit = module[row.circuit]
    arguments, keywords = host_arguments(row, circuit), stated(row, circuit)
    wide = [widened(a, row.format_of(p.type)) for a, p in zip(arguments, circuit.parameters)]
    if row.needs_gpu:
        # The host has no approximate instructions; tests/gpu/tensor_core_rows.py compares the GPU's bits.
        found = compiled = circuit(*arguments, semantics="float(h200)", **keywords)
    else:
        found = circuit(*arguments, on="interpreter", **keywords)
        compiled = circuit(*arguments, **keywords)
    expected = NUMPY[row.work](*wide, row)
    one = not isinstance(found, tuple)
    for number, part in enumerate(circuit.results):
        format_ = row.format_of(part.type)
        mine, host, theirs = (each if one else each[number] for each in (found, compiled, expected))
        if np.asarray(mine).tobytes() != np.asarray(host).tobytes():
            return f"result {number}: the host's bits are not the interpreter's"
        mine, theirs = widened(mine, format_), np.asarray(theirs)
        if mine.shape != theirs.shape:
            return f"result {number} has the shape {mine.shape}, and NumPy's {theirs.shape}"
        apart = np.abs(mine - theirs).max()
        if not apart <= ALLOWED[format_] * max(np.abs(theirs).max(), 1):
            return f"result {number} in {format_} is {apart:.3g} from NumPy's, whose largest is {np.abs(theirs).max():.3g}"
    return ""


def check(rows: List[Row], reckon_program: str, to_ptx: bool) -> int:
    modules: Dict[str, Any] = {}
    seen: Set[Tuple[Any, ...]] = set()
    failed = 0
    for row in rows:
        small = shrunk(row)
        key = (row.circuit, tuple(row.statics.items()), row.work == "conv_2d" and row.sizes["r"])
        if key not in seen:
            seen.add(key)
            try:
                wrong = problem(small, modules)
            except Exception as error:
                wrong = str(error)
            if wrong:
                failed += 1
                print(f"{small.name}: {wrong}", flush=True)
        if to_ptx:
            command = [reckon_program, "compile", row.path, "--fn", row.circuit, "--in=" + row.semantics, "--arch=sm_90"]
            for name, value in {**row.sizes, **row.statics}.items():
                command += ["-D", f"{name}={value}"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                failed += 1
                print(f"{row.name}: does not compile: {done.stderr}", flush=True)
    print(f"{len(rows)} rows, {len(seen)} circuits and formats checked, {failed} failed")
    return 1 if failed else 0
