"""Kernels on the emulator against the host's compiled code, bit by bit: check.py RECKON [--short] [WORDS...]"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
import numpy as np
import emulate
import plans
import ptx
import state
from arithmetic import Fault

NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16}


def reckon(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))}: {done.stderr[:400]}")
    return done.stdout


# ---- inputs ----
def values(kind, shape, rng):
    x = rng.standard_normal(shape).astype(np.float32)
    if kind == "random":
        return x
    if kind == "specials":  # a few in each array
        special = np.array([0, -0.0, 1e-45, -3e-39, 1.2e-38, 3.4e38, -3e38, np.inf, -np.inf, np.nan, 1, -1], np.float32)
        where = rng.random(shape) < min(0.2, 6 / math.prod(shape[1:]))
        return np.where(where, rng.choice(special, shape), x).astype(np.float32)
    if kind == "bits":  # any number, subnormals among them
        x = rng.integers(0, 2**32, shape, np.uint32).view(np.float32)
        return np.where(np.isfinite(x), x, np.float32(1)).astype(np.float32)
    if kind == "bounds":  # numbers of every size, and many around 2^-90 and 2^60
        power = np.where(rng.random(shape) < 0.5, rng.integers(-149, 128, shape),
                         rng.choice([-91, -90, -89, 59, 60, 61], shape))
        sign = 1 if rng.random() < 0.5 else rng.choice([-1, 1], shape)
        mantissa = np.where(rng.random(shape) < 0.1, 1, 1 + rng.random(shape).astype(np.float32) * (1 - 2**-23))
        return np.ldexp(np.float64(sign * mantissa), power).astype(np.float32)
    if kind == "level":  # of a size for each row, so that the quick division does all of it or none
        power = rng.choice([-140, -127, -126, -120, -91, -90, -89, -60, 0, 30, 59, 60, 61, 100, 120], shape[0])
        return np.ldexp(x.T, power).T.astype(np.float32) if len(shape) > 1 else np.ldexp(x, power).astype(np.float32)
    if kind == "arguments":  # of exp
        edge = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 88.7, 88.72283, 88.72284, 88.8, 89, 128, 1e4, 3.4e38,
                         -3.4e38, -87.33, -87.34, -88, -103.97, -103.98, -104, -110, -150, 1e-45, -1e-45, 1e-38, 1e-8],
                        np.float32)
        return np.where(rng.random(shape) < 0.5, rng.choice(edge, shape), x * 60).astype(np.float32)
    if kind == "midpoints":  # of exp and exp2, with results near midpoints of bf16 and f16; and as for exp
        bits = rng.choice([8, 11], shape)
        at = (1 + (2 * rng.integers(0, 2**10, shape) + 1) / 2**bits % 1) * 2.0 ** rng.integers(-30, 12, shape)
        near = (np.log(at) / np.where(rng.random(shape) < 0.5, np.log(2), 1)).astype(np.float32)
        near = np.nextafter(near, rng.choice(np.float32([-200, 200]), shape))
        return np.where(rng.random(shape) < 0.05, near, values("arguments", shape, rng)).astype(np.float32)
    if kind == "tiny":
        return (x * np.float32(2.0**-126)).astype(np.float32)
    # For softmax: the exponentials' sizes. The largest of a row has 1, what is far below it nothing.
    if kind == "deep":
        return (-rng.random(shape) * 110).astype(np.float32)
    if kind == "edges":  # exp at the ends of its range, and where quotients become subnormal
        edge = np.array([0, -60.0, -62.2, -62.4, -62.6, -87.3, -87.4, -88.7, -100, -103.2, -103.97, -103.98, -104.1,
                         -120, -1e38, -np.inf, -1e-45, -1e-8], np.float32)
        return rng.choice(edge, shape).astype(np.float32)
    if kind == "mixed":  # some rows of each
        kinds = [values(k, shape, rng) for k in ("random", "deep", "edges", "specials", "huge")]
        return np.stack([kinds[i % 5][i] for i in range(shape[0])])
    if kind == "huge":
        return (x * np.float32(1e37)).astype(np.float32)
    raise ValueError(kind)


# ---- one case ----
def packed(x, layout, names):
    """An array as its buffer has it."""
    if not layout:
        return np.ascontiguousarray(x)
    extents, strides = (eval(part, {}, names) for part in layout.split(":"))
    if list(extents) != list(x.shape):
        raise RuntimeError("layout " + layout)
    out = np.zeros(1 + sum((e - 1) * s for e, s in zip(extents, strides)), x.dtype)
    np.lib.stride_tricks.as_strided(out, x.shape, [s * x.itemsize for s in strides])[...] = x
    return out


def same(x, y):
    if x.dtype != y.dtype or x.shape != y.shape:
        raise RuntimeError(f"{x.dtype}{x.shape} and {y.dtype}{y.shape}")
    bits = {2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize]
    return (x.view(bits) == y.view(bits)) | (np.isnan(x) & np.isnan(y))


def ends(text, semantics):
    """Both ends of each interval, as they are printed."""
    shown = json.loads(text.splitlines()[0])
    numbers = shown.get("values", [shown])
    pairs = [[float.fromhex(n["lo"]), float.fromhex(n["hi"])] for n in numbers]
    return np.array(pairs, np.float32 if "f32" in semantics else np.float64).reshape(*shown.get("shape", []), 2)


def check(program, case, work):
    """Lines of what is wrong."""
    file, function, parameters, sizes, semantics, kind, known, blocks = case
    rng = np.random.default_rng(zlib.crc32(repr((function, sizes, kind)).encode()))
    arrays = {n: values(kind, [sizes[d] for d in dims], rng) for n, dims in parameters.items()}
    flags, common = [], [file, "--fn", function, "--in", semantics]
    for name, x in arrays.items():
        np.save(work / f"{name}.npy", x)
        flags += ["--arg", f"{name}=@{work / name}.npy"]
    if semantics.startswith("interval"):
        expected = ends(reckon(program, "call", *common, "--on=host", "--format=json", *flags), semantics)
    else:
        reckon(program, "call", *common, "--on=host", *flags, "-o", work / "host.npy")
        expected = np.load(work / "host.npy")
    define = [f for n, v in sizes.items() for f in ("-D", f"{n}={v}")] if known else []
    texts = [work.parent / f"{Path(file).stem}-{function}-{semantics}{''.join(define)}.{e}" for e in ("plan", "ptx")]
    for text in texts:  # other cases have the same
        if not text.exists():
            made = reckon(program, "compile", *common, *define, f"--emit={text.suffix[1:]}", "-o", "-")
            (work / text.name).write_text(made)
            (work / text.name).replace(text)
    plan, module = json.loads(texts[0].read_text()), ptx.Module(texts[1].read_text())

    def number(text):
        return text if isinstance(text, int) else eval(text, {"max": max, "min": min}, sizes)

    buffers, result = [], None
    for k, b in enumerate(plan["buffers"]):
        extents = [number(e) for e in b["extents"]]
        size = math.prod(extents) * b["element_bytes"]
        if b["role"] == "parameter":
            data = packed(list(arrays.values())[b["position"]], b.get("layout"), sizes).view(np.uint8).reshape(-1)
            size = max(size, len(data))
        buffer = ptx.Buffer(f"buffer {k} ({b['role']})", size)
        if b["role"] == "parameter":
            buffer.data[: len(data)] = data
        elif b["role"] in ("faults", "counters"):
            buffer.data[:] = 0
        elif b["role"] not in ("intermediate", "result", "state"):
            raise RuntimeError("a buffer of " + b["role"])
        if b["role"] == "result":
            result = buffer
            if b.get("layout"):
                raise RuntimeError("a result stored by a layout")
        buffers.append(buffer)
    untouched = [(b, b.data.copy()) for b, row in zip(buffers, plan["buffers"]) if row["role"] == "parameter"]
    given, log, steps = [sizes[d] for d in plan["dimensions"]], {}, 0
    lines = []
    try:
        for kernel, order, rounds in plans.launches(plan, number):
            arguments = [buffers[k] for k in order] + given + rounds
            items = math.prod(number(e) for e in kernel["items"])
            grid = -(-items // (kernel["block_items"] or kernel["threads"]))
            if blocks and not kernel["one_item"]:
                grid = min(grid, blocks)  # blocks go on to further items
            threads = -(-kernel["threads"] // 32) * 32
            steps += emulate.launch(module, kernel["name"], arguments, threads, grid, log,
                                    kernel["dynamic_shared_bytes"])
    except Fault as fault:
        lines.append(f"FAULT {fault}")
    lines += [f"{what} ({count} times)" for what, count in log.items()]
    lines += [f"{b.name} was written" for b, before in untouched if (b.data != before).any()]
    if not semantics.startswith("interval"):  # which leaves elements empty
        lines += [f"{b.name} has a fault, the host none" for b in buffers if "faults" in b.name and b.data.any()]
    actual = result.data[: result.size].view(expected.dtype).reshape(expected.shape)
    if semantics.startswith("interval"):  # a printed end that is 0 has no sign
        actual = actual + 0
    agree = same(actual, expected)
    if not agree.all():
        at = tuple(int(i[0]) for i in np.nonzero(~agree)) if expected.ndim else ()
        lines.append(f"{(~agree).sum()} of {agree.size} differ; at {at} {actual[at]!r}, on the host {expected[at]!r}")
    return lines, steps, [k["name"] for k in plan["kernels"]]


# ---- the list ----
def cases(root, short):
    place, tiles, own = f"{root}/tests/gpu/place.rk", f"{root}/tests/gpu/tiles.rk", Path(__file__).with_name("rows.rk")
    rows = """total row_sums row_tree row_warp row_halving column_sums column_tree fused_dots softmax rms_norm
              layer_norm""".split()
    products = """plain absorbed wide half mixed stored transposed otherwise distances largest weighted pairs batch
                  between split_tree split_seq split_all""".split()

    stated = f"{root}/tests/gpu/kernels.rk"
    stated_products = "square laid uneven narrow shallow deep roomy by_four".split()
    stated_rows = "sums_by_warp sums_by_many total_by_few squares_by_128 softmax_by_64 softmax_by_128".split()

    def of_loops(f, m, n, *rest):
        return (f"{root}/tests/gpu/loops.rk", f, {"x": "mn"}, {"m": m, "n": n}, *rest)

    def of_rows(f, m, n, *rest):
        return (place, f, {"x": "mn"} | ({"y": "n"} if f == "fused_dots" else {}), {"m": m, "n": n}, *rest)

    def of_tiles(f, m, k, n, *rest):
        return (tiles, f, {"a": "mk", "b": "kn"}, {"m": m, "k": k, "n": n}, *rest)

    def of_stated(f, m, k, n, *rest):
        return (stated, f, {"a": "mk", "b": "kn"}, {"m": m, "k": k, "n": n}, *rest)

    def of_stated_rows(f, m, n, *rest):
        return (stated, f, {"x": "mn"}, {"m": m, "n": n}, *rest)

    def of_quotients(f, m, n, *rest):
        return (own, f, {"x": "mn"} | ({"y": "m"} if f in ("over", "quotients") else {}), {"m": m, "n": n}, *rest)

    def of_scans(f, m, n, *rest):
        return (Path(__file__).with_name("scans.rk"), f, {"x": "mn"}, {"m": m, "n": n}, *rest)

    scans = """in_order each_row each_column before sums tiles tiles_of_rows tiles_by_tree trees_of_tiles one_tree tree_of_rows largest
               one_blelloch blelloch_of_rows by_lanes recurrence recurrence_by_tree recurrence_by_blelloch recurrence_in_tiles
               differences differences_by_tree differences_by_blelloch ratios""".split()

    def of_staged(f, h, t, d, *rest):
        return (Path(__file__).with_name("staged.rk"), f, {"q": "hd", "k": "htd"}, {"h": h, "t": t, "d": d}, *rest)

    staged = "scores shared_keys last_side in_runs halves two_rows wide along differences places".split()

    def of_keys(f, n, *rest):
        return (Path(__file__).with_name("by_key.rk"), f, {"x": "mn"}, {"m": 2, "n": n}, *rest)

    by_key = "counts of_integers of_one_key of_many_keys".split()
    by_key_in_order = "keys_in_order of_halves of_zeros all_in_one".split()

    if short:
        for f in by_key:
            yield of_keys(f, 9001, "fpsan" if f == "of_integers" else "float", "random", f != "counts", 0)
        for f in by_key_in_order:
            yield of_keys(f, 17001, "float", "random", True, 0)
        for f in staged:
            yield of_staged(f, 3, 401, 84, "float", "random", True, 7)
        for f in scans:
            yield of_scans(f, 3, 1100, "fpsan" if f in ("tiles", "recurrence") else "float", "random", True, 0)
        for f in rows:
            yield of_rows(f, 3, 1024, "float", "specials" if f == "row_halving" else "random", True, 0)
        for f in ("softmax", "rms_norm", "row_sums"):
            yield of_rows(f, 5, 300, "fpsan" if f == "row_sums" else "float", "mixed", False, 2)
        for f, kind in (("shares", "level"), ("over", "bounds"), ("quotients", "bounds"), ("exps", "arguments"),
                        ("rounded_exps", "arguments"), ("rounded_powers", "arguments"), ("many_rounded", "midpoints"),
                        ("few_rounded", "midpoints")):
            yield of_quotients(f, 10, 1024, "float", kind, True, 0)
        for f in products:
            yield of_tiles(f, 33, 17, 35, "fpsan" if f in ("absorbed", "half") else "float", "random", True, 0)
        for f in ("column_sums", "column_tree"):
            yield of_rows(f, 300, 36, "float", "random", True, 3)
        for f in ("softmax", "powers", "gated", "marked"):
            yield of_rows(f, 2, 8192, "float", "mixed", True, 1)
        yield of_rows("runs", 2, 20001, "float", "random", True, 0)
        for f in ("row_lanes", "row_products", "row_vectors", "row_swirl"):
            yield of_rows(f, 3, 1100, "float", "random", f != "row_lanes", 0)
        yield of_rows("turns", 1, 65536, "float", "random", True, 0)
        for f, known in (("blur", True), ("centre", False), ("nested", True), ("recurrence", False), ("row_by_row", True), ("two_states", True)):
            yield of_loops(f, 5, 70, "float", "random", known, 0)
        for n, known in ((65, False), (200, True), (20001, False), (20001, True)):
            yield of_rows("lanes_then_fused", 2, n, "float", "random", known, 0)
        for m, known in ((3, False), (6, True), (300, False), (300, True)):
            yield of_rows("columns_then_fused", m, 36, "float", "random", known, 0)
        for f in stated_products:
            yield of_stated(f, 33, 17, 35, "float", "random", f not in ("square", "uneven"), 0)
        for f in ("laid", "shallow"):
            yield of_stated(f, 33, 40, 35, "fpsan", "random", f == "shallow", 0)
        for f in stated_rows:
            yield of_stated_rows(f, 3, 1024, "float", "random", f != "sums_by_many", 0)
        yield of_rows("rms_norm", 3, 300, "interval", "random", True, 0)
        yield of_tiles("absorbed", 33, 17, 35, "interval(f32)", "random", True, 0)
        return
    for n in (16384, 20000):
        for f in by_key_in_order:
            yield of_keys(f, n, "float", "random", True, 0)
            yield of_keys(f, n, "fpsan", "random", n == 20000, 0)
    for n in (4096, 4099, 20000, 140001):
        for f in by_key:
            yield of_keys(f, n, "float", "random", True, 0)
            yield of_keys(f, n, "fpsan" if n > 4096 else "float", "random", False, 0)
    for h, t, d in ((2, 8200, 33), (1, 16400, 100), (5, 4100, 16), (4, 4097, 128)):
        for f in ("short_rows", "short_trees", "short_sides"):
            yield of_staged(f, h, t, d, "float", "specials", True, 0)
            yield of_staged(f, h, t, d, "fpsan", "random", True, 5)
    for h, t, d in ((128, 300, 256), (256, 300, 256), (1, 256, 32772)):
        yield of_staged("columns", h, t, d, "float", "random", True, 0)
    for h, t, d in ((1, 1024, 16), (3, 401, 84), (2, 513, 129), (5, 300, 64), (8, 200, 262), (9, 250, 31), (2, 9000, 18),
                    (31, 140, 389)):
        for f in staged:
            yield of_staged(f, h, t, d, "float", "specials", True, 0)
            yield of_staged(f, h, t, d, "fpsan", "random", True, 5)
            if h == 3:
                yield of_staged(f, h, t, d, "float", "random", False, 0)
                yield of_staged(f, h, t, d, "interval(f32)", "random", True, 0)
    for m, n in ((1, 1), (1, 64), (3, 1024), (40, 70), (2, 4097), (33, 64), (1, 20000), (300, 33), (2500, 40)):
        for f in scans:
            yield of_scans(f, m, n, "float", "random", True, 0)
            yield of_scans(f, m, n, "fpsan", "random", m != 2, 3 if m == 40 else 0)
            yield of_scans(f, m, n, "float", "specials", False, 0)
            if f not in ("ratios", "sums"):
                yield of_scans(f, m, n, "interval" if m == 2 else "interval(f32)", "random", m != 3, 0)
    for m, n in ((3, 1024), (5, 300), (2, 4097), (33, 64), (1, 40000)):
        for f in rows:
            yield of_rows(f, m, n, "float", "random", True, 0)
            yield of_rows(f, m, n, "fpsan", "random", True, 0)
            if (m, n) in ((5, 300), (3, 1024)):
                yield of_rows(f, m, n, "float", "specials", True, 2)
                yield of_rows(f, m, n, "float", "bits", True, 1)
            if (m, n) in ((5, 300), (2, 4097), (33, 64)):
                yield of_rows(f, m, n, "float", "random", False, 2)
    for n in (16383, 16384, 16385, 40000):
        for semantics in ("float", "fpsan", "interval"):
            yield of_rows("runs", 2, n, semantics, "random", True, 0)
            yield of_rows("runs", 2, n, semantics, "random", False, 0)
    for f in ("row_lanes", "row_products", "row_vectors", "row_swirl", "row_wide", "row_canonical"):
        for n in (256, 300, 1024, 2048, 4097, 16384, 20000):
            for semantics in ("float", "fpsan", "interval"):
                yield of_rows(f, 2, n, semantics, "random", True, 0)
            yield of_rows(f, 3, n, "float", "specials", False, 0)
    for n in (2, 31, 32, 33, 100, 256, 1000, 40000):
        for f in ("in_order", "products_in_order", "total"):
            yield of_rows(f, 1, n, "float", "specials", True, 0)
            yield of_rows(f, 2, n, "fpsan", "random", n != 1000, 2 if f == "total" else 0)
    for n in (1, 6, 31, 33, 64, 1000, 1024, 1025, 5000, 40000):
        for f in ("pinned", "pinned_runs", "pinned_block", "pinned_grid"):
            yield of_rows(f, 1, n, "float", "specials", True, 0)
            yield of_rows(f, 3, n, "fpsan", "random", True, 0)
            yield of_rows(f, 2, n, "interval", "random", False, 0)
    for n in (20000, 40000):
        yield of_rows("pinned_runs", 1, n, "float", "random", True, 0)
    for n in (999424, 1000000, 1000100, 1048576):
        yield of_rows("total", 1, n, "float", "random", True, 0)
    for f in ("turns", "turns_of_one"):
        for semantics in ("float", "fpsan", "interval"):
            yield of_rows(f, 1, 65536, semantics, "random", True, 0)
            yield of_rows(f, 2, 131072, semantics, "random", False, 0)
    for n in (131071, 131072, 140000):
        yield of_rows("runs_of_runs", 2, n, "float", "specials", True, 0)
    for n in (1, 1000, 1024, 5000, 8191, 8192, 8193, 131072):  # whole runs, one at least or none, and what is left
        for f in ("runs", "runs_of_runs"):
            yield of_rows(f, 2, n, "float", "specials", False, 0)
    for f in ("softmax", "powers", "gated", "marked"):  # many elements of a row are a thread's
        for kind in ("mixed", "edges", "bits"):
            yield of_rows(f, 5, 8192, "float", kind, True, 2)
        yield of_rows(f, 3, 8192, "fpsan", "random", True, 0)
    yield of_rows("gated", 2, 32768, "float", "mixed", True, 0)
    for f in ("powers", "gated", "marked"):
        yield of_rows(f, 3, 1024, "float", "mixed", True, 0)
        yield of_rows(f, 5, 300, "float", "mixed", False, 0)
    for m, n in ((64, 33), (100, 37), (200, 36), (256, 8), (300, 5), (513, 6), (1000, 34), (1024, 132), (2049, 64)):  # blocks share a column
        for f in ("column_sums", "column_tree"):
            for semantics in ("float", "fpsan", "interval", "interval(f32)"):
                yield of_rows(f, m, n, semantics, "random", True, 0)
            yield of_rows(f, m, n, "float", "specials", True, 3)
    for f in rows:
        yield of_rows(f, 7, 333, "fpsan", "random", False, 2)
        yield of_rows(f, 0 or 1, 1, "float", "random", False, 0)
    for m, n in ((10, 256), (20, 1024), (5, 4096), (10, 300), (15, 64), (5, 4097), (5, 1)):
        for kind in ("deep", "edges", "mixed", "huge", "bits", "tiny"):
            yield of_rows("softmax", m, n, "float", kind, True, 0)
        yield of_rows("softmax", m, n, "float", "mixed", False, 2)
        for f in ("rms_norm", "layer_norm"):
            for kind in ("huge", "tiny", "mixed"):
                yield of_rows(f, m, n, "float", kind, True, 0)
    for m, n in ((24, 256), (24, 1024), (8, 2048), (6, 4096), (24, 300)):
        for f in ("shares", "to_top", "over", "quotients"):
            for kind in ("random", "bounds", "level", "bits", "specials", "tiny", "huge"):
                yield of_quotients(f, m, n, "float", kind, True, 0)
            yield of_quotients(f, m, n, "float", "level", False, 3)
        for kind in ("arguments", "bits", "deep"):
            yield of_quotients("exps", m, n, "float", kind, True, 0)
    for f in ("half_turns", "error_functions", "gammas", "roots", "wide_roots", "wide_errors", "wide_gammas",
              "neighbours"):
        for kind in ("random", "bits", "specials", "bounds"):
            yield of_quotients(f, 5, 300, "float", kind, True, 0)
    for f in ("blur", "centre", "nested", "recurrence", "row_by_row", "smooth", "two_states"):
        for m, n in ((3, 1024), (5, 300), (33, 65)):
            for semantics in ("float", "fpsan", "interval", "interval(f32)"):
                yield of_loops(f, m, n, semantics, "random", m != 5, 0)
    for semantics in ("interval", "interval(f32)"):
        for f in rows:
            if f not in ("softmax", "layer_norm"):  # exp and rsqrt have instructions of their own there
                yield of_rows(f, 3, 300, semantics, "random", True, 0)
                yield of_rows(f, 2, 1024, semantics, "random", False, 2)
        for f in ("plain", "absorbed", "batch", "otherwise", "distances", "largest", "split_tree"):
            yield of_tiles(f, 33, 17, 35, semantics, "random", True, 0)
    for m, k, n in ((7, 7, 7), (33, 17, 35), (64, 64, 64), (65, 40, 130)):
        for f in products:
            for semantics in ("float", "fpsan"):
                yield of_tiles(f, m, k, n, semantics, "random", True, 0)
                if m in (33, 65):
                    yield of_tiles(f, m, k, n, semantics, "random", False, 0)
            if m in (33, 65):
                yield of_tiles(f, m, k, n, "float", "specials" if m == 33 else "bits", True, 1)


    for m, k, n in ((1, 1, 1), (33, 17, 35), (64, 64, 64), (65, 40, 130)):
        for f in stated_products:
            for semantics in ("float", "fpsan"):
                yield of_stated(f, m, k, n, semantics, "random", True, 0)
                if f != "shallow":  # its runs must be known
                    yield of_stated(f, m, k, n, semantics, "specials", False, 0)
            if f in ("narrow", "laid", "by_four"):  # others have too many sums for intervals
                yield of_stated(f, m, k, n, "interval(f32)", "random", True, 0)
    for m, n in ((3, 1024), (5, 300), (2, 4097), (1, 40000)):
        for f in stated_rows:
            if m == 1 and f in ("softmax_by_64", "softmax_by_128", "squares_by_128"):  # is no kernel of rows
                continue
            for semantics in ("float", "fpsan"):
                yield of_stated_rows(f, m, n, semantics, "random", True, 0)
                yield of_stated_rows(f, m, n, semantics, "random", False, 2)


def one(program, folder, case):
    start = time.monotonic()
    try:
        lines, steps, kernels = check(program, case, Path(tempfile.mkdtemp(dir=folder)))
    except Exception as failure:
        lines, steps, kernels = [f"{type(failure).__name__}: {failure}"], 0, []
    return lines, steps, kernels, time.monotonic() - start


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("reckon")
    options.add_argument("words", nargs="*", help="only cases that have all of these words")
    options.add_argument("--short", action="store_true", help="a list of less than a minute")
    options.add_argument("--root", default=Path(__file__).resolve().parents[3], help="the repository")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--no-lockstep", action="store_true", help="races between threads of a warp count, too")
    options.add_argument("--list", action="store_true", help="every case's line")
    given = options.parse_intermixed_args()
    os.environ.setdefault("RECKON_STDLIB", f"{given.root}/stdlib")
    os.environ["RECKON_KERNELS"] = "off"
    state.LOCKSTEP = not given.no_lockstep
    begin, wrong, count = time.monotonic(), 0, 0

    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(given.jobs) as pool:
        chosen = []
        for case in cases(given.root, given.short):
            _, function, _, sizes, semantics, kind, known, blocks = case
            words = [function, semantics, kind, "known" if known else "unknown", "x".join(map(str, sizes.values()))]
            if all(w in words for w in given.words):
                chosen.append((words + ([f"{blocks} blocks"] if blocks else []), case))
        running = [(words, pool.submit(one, given.reckon, folder, case)) for words, case in chosen]
        for words, future in running:
            lines, steps, kernels, seconds = future.result()
            count, wrong = count + 1, wrong + bool(lines)
            if lines or given.list:
                print(f"{'WRONG ' if lines else 'agrees'} {' '.join(words)}: {steps} instructions, {seconds:.1f} s")
            for line in lines:
                print("    " + line)
            sys.stdout.flush()
    print(f"{count - wrong} of {count} agree; {time.monotonic() - begin:.0f} s")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
