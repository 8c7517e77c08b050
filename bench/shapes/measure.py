"""Times of a row, ours and its peers'. A result is a dictionary, which goes to the JSON file as it is:

    name group circuit format semantics sizes memory_bound   of the row
    seconds       ours; absent where `error` or `skipped` says why
    peers         by name, seconds or the text of what went wrong
    best          the name of the fastest peer
    bytes, operations, compile_ms, how ("graph", "calls"), differs
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any, Callable, Dict, List

import reckon
from rows import Row

SECONDS = 0.1  # of launches for each side of a row
MOST_BYTES = 16 << 30
MOST_SECONDS = {"gpu": 3.0, "host": 2.0}  # that one run of a row may be expected to take


class Growth:
    """Which rows would take too long, from smaller ones of the same circuit. A circuit that is already slow beside its
    peer is taken to grow with the square of its size."""

    def __init__(self, limit: float) -> None:
        self.limit, self.known = limit, {}

    @staticmethod
    def size(row: Row) -> int:
        size = 1
        for each in row.sizes.values():
            size *= each
        return size

    def expected(self, row: Row) -> float:
        size, most = self.size(row), 0.0
        for before, seconds, slow in self.known.get((row.circuit, row.format, row.semantics), ()):
            if before <= size:
                most = max(most, seconds * (size / before) ** (2 if slow else 1))
        return most

    def note(self, row: Row, result: Dict[str, Any]) -> None:
        if "seconds" in result:
            slow = "best" in result and result["seconds"] > 20 * result["peers"][result["best"]]
            self.known.setdefault((row.circuit, row.format, row.semantics), []).append(
                (self.size(row), result["seconds"], slow)
            )


def one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def of_row(row: Row) -> Dict[str, Any]:
    return {"name": row.name, "group": row.group, "circuit": row.circuit, "format": row.format, "semantics": row.semantics,
            "sizes": row.sizes, "memory_bound": row.memory_bound, "peers": {}}


def by_program(program: str, row: Row, on: str, semantics: str) -> Dict[str, Any]:
    """What `reckon bench` says of a row: for semantics other than `float`, which the Python package does not compile."""
    command = [program, "bench", row.path, "--fn", row.circuit, f"--on={on}", f"--seconds={SECONDS}", "--format=json",
               "--in=" + semantics]
    for name, value in {**row.sizes, **row.statics}.items():
        command += ["-D", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    for line in done.stdout.splitlines():
        found = json.loads(line)
        if found.get("kind") == "bench":
            return found
        raise RuntimeError(found.get("message", line))
    raise RuntimeError(done.stderr or f"`reckon bench` ended with {done.returncode}")


def beside_float(program: str, row: Row, on: str, result: Dict[str, Any]) -> None:
    """A row under another semantics: its peer is the same circuit under `float`."""
    found = by_program(program, row, on, row.semantics)
    result.update(seconds=found["median_seconds"], bytes=found["bytes"], how="reckon bench")
    result["peers"]["ours in float"] = by_program(program, row, on, "float")["median_seconds"]


class Host:
    """Rows on one thread of the host."""

    name = "host"

    def __init__(self, program: str) -> None:
        self.program = program

    def describe(self) -> Dict[str, Any]:
        import numpy

        from peers_host import blas, blas_core

        model, core = "an unknown processor", blas_core()
        if os.path.exists("/proc/cpuinfo"):
            with open("/proc/cpuinfo") as file:
                model = next((line.split(": ")[1].strip() for line in file if line.startswith("model name")), model)
        return {"machine": f"one thread of {model}", "software": f"NumPy {numpy.__version__}, its products by {blas()}{core and f' for {core}'}"}

    def copy_rate(self) -> float:
        import numpy

        x = numpy.ones(1 << 25)
        y = numpy.empty_like(x)
        return 2 * x.nbytes / self.seconds(lambda: numpy.copyto(y, x))

    def seconds(self, work: Callable[[], Any]) -> float:
        """The median of runs, in this process's own time, which others on the machine do not lengthen."""
        clock = time.process_time
        work()
        begin = clock()
        work()
        once = max(clock() - begin, 1e-7)
        runs = max(1, int(0.002 / once))
        times: List[float] = []
        until = time.monotonic() + SECONDS
        while len(times) < 3 or (time.monotonic() < until and len(times) < 200):
            begin = clock()
            for _ in range(runs):
                work()
            times.append((clock() - begin) / runs)
            if once > 0.5:
                break
        return statistics.median(times)

    def measure(self, row: Row, result: Dict[str, Any]) -> None:
        from arguments import host_arguments, stated
        from peers_host import peers

        if row.semantics != "float":
            beside_float(self.program, row, "host", result)
            return
        begin = time.monotonic()
        with reckon.load(row.path) as module:
            circuit = module[row.circuit]
            loaded = time.monotonic() - begin
            arguments, keywords = host_arguments(row, circuit), stated(row, circuit)
            result.update(bytes=row.bytes(circuit), operations=row.operations())
            begin = time.monotonic()
            circuit(*arguments, **keywords)
            first = loaded + time.monotonic() - begin
            result["seconds"] = self.seconds(lambda: circuit(*arguments, **keywords))
            result["compile_ms"] = max(0, first - result["seconds"]) * 1e3
            result["how"] = "calls"
            for name, work in peers(row).items():
                result["peers"][name] = self.seconds(lambda: work(*arguments))


class Gpu:
    """Rows on a GPU, with PyTorch's tensors, on one stream. All work is recorded in CUDA graphs where it can be."""

    name = "gpu"

    def __init__(self, program: str, cub_library: Any, compiled: bool) -> None:
        # What is compiled is not to come from a cache.
        os.environ.setdefault("RECKON_KERNELS", "off")
        os.environ.setdefault("CUDA_CACHE_DISABLE", "1")
        import torch

        import peers_gpu

        self.torch, self.peers = torch, peers_gpu
        self.program, self.compiled = program, compiled
        self.cub = peers_gpu.Cub(cub_library)
        self.stream = torch.cuda.Stream()

    def describe(self) -> Dict[str, Any]:
        torch = self.torch
        return {"machine": torch.cuda.get_device_name(),
                "software": f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"}

    def copy_rate(self) -> float:
        with self.torch.cuda.stream(self.stream):
            x = self.torch.ones(1 << 28, device="cuda")
            y = self.torch.empty_like(x)
            return 2 * 4 * (1 << 28) / self.seconds(lambda: y.copy_(x))[0]

    def seconds(self, work: Callable[[], Any], recordable: bool = True) -> Any:
        """The median seconds of a run of `work`, and whether a graph was replayed."""
        torch, stream = self.torch, self.stream
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

        def timed(run: Callable[[], Any]) -> float:
            begin.record(stream)
            run()
            end.record(stream)
            end.synchronize()
            return begin.elapsed_time(end) / 1e3

        work()
        once = timed(work)
        if once > 0.25:
            return once, "calls"
        once = min(once, timed(work))
        runs, how = max(1, min(20, int(0.005 / max(once, 1e-6)))), "calls"

        def run() -> None:
            for _ in range(runs):
                work()

        if recordable:
            try:
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
                    run()
                run, how = graph.replay, "graph"
            except Exception as error:
                torch.cuda.synchronize()
                print(f"no graph: {one_line(error)}", file=sys.stderr, flush=True)
        timed(run)
        times: List[float] = []
        until = time.monotonic() + SECONDS
        while len(times) < 5 or time.monotonic() < until:
            times.append(timed(run) / runs)
            if sum(times) * runs > 0.25:
                break
        torch.cuda.synchronize()
        return statistics.median(times), how

    def tensors(self, row: Row, circuit: Any) -> List[Any]:
        from rows import BYTES, INTEGERS, UNIT

        torch = self.torch
        torch.manual_seed(1)
        kinds = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
                 "f8e4m3": torch.float8_e4m3fn, "i32": torch.int32}
        found: List[Any] = []
        for each in circuit.parameters:
            shape, kind = row.shape(each.shape), kinds[row.format_of(each.type)]
            if each.name in INTEGERS.get(row.circuit, {}):
                below = row.sizes[INTEGERS[row.circuit][each.name]]
                found.append(torch.randint(0, below, shape, device="cuda", dtype=kind))
            elif not shape:
                found.append(0.75)
            else:
                make = torch.rand if each.name in UNIT.get(row.circuit, ()) else torch.randn
                direct = kind if BYTES[row.format_of(each.type)] > 1 else torch.float32
                found.append(make(*shape, device="cuda", dtype=direct).to(kind))
        return found

    def measure(self, row: Row, result: Dict[str, Any]) -> None:
        if row.semantics != "float":
            beside_float(self.program, row, "gpu", result)
            return
        with self.torch.cuda.stream(self.stream):
            self.measure_tensors(row, result)

    def measure_tensors(self, row: Row, result: Dict[str, Any]) -> None:
        torch = self.torch
        begin = time.monotonic()
        with reckon.load(row.path) as module:
            circuit = module[row.circuit]
            loaded = time.monotonic() - begin
            result.update(bytes=row.bytes(circuit), operations=row.operations())
            if row.held_bytes(circuit) > MOST_BYTES:
                result["skipped"] = f"needs {row.held_bytes(circuit) / 2**30:.0f} GiB"
                return
            tensors, keywords = self.tensors(row, circuit), row.definitions()
            torch.cuda.synchronize()
            begin = time.monotonic()
            mine = circuit(*tensors, **keywords)
            torch.cuda.synchronize()
            first = loaded + time.monotonic() - begin
            result["seconds"], result["how"] = self.seconds(lambda: circuit(*tensors, **keywords))
            result["compile_ms"] = max(0, first - result["seconds"]) * 1e3
            for number, (name, make) in enumerate(self.peers.peers(row, self.cub, self.compiled).items()):
                try:
                    work = make(*tensors)
                    if number == 0:
                        result["differs"] = self.difference(mine, work(), row)
                        mine = None
                    waits = name == "torch" and row.circuit in self.peers.WAITING
                    result["peers"][name] = self.seconds(work, not waits)[0]
                except Exception as error:
                    torch.cuda.synchronize()
                    result["peers"][name] = one_line(error)
                work = None

    def difference(self, mine: Any, theirs: Any, row: Row) -> str:
        """How far the results are apart, where that is more than formats and orders explain; else nothing."""
        torch = self.torch
        mine, theirs = ((each if isinstance(each, tuple) else (each,)) for each in (mine, theirs))
        for one, other in zip(mine, theirs):
            if one.numel() > 1 << 27:
                continue
            one, other = one.reshape(-1).double(), other.reshape(-1).double()
            if row.circuit == "row_argmax":
                share = (one != other).double().mean().item()
                if share > 0.5:  # of equal numbers PyTorch may take any
                    return f"{share:.0%} of the results are others than PyTorch's"
                continue
            allowed = {"f64": 1e-9, "f32": 2e-4, "f16": 1e-2, "bf16": 4e-2, "f8e4m3": 0.13, "i32": 0}[row.format]
            apart, largest = (one - other).abs().max().item(), other.abs().max().item()
            # A sum of numbers of both signs may be small beside what was added.
            sums = row.circuit in ("total", "dot", "scan_seq", "scan_tree", "scan_tiled")
            if not apart <= allowed * max(largest, 1) * (10 if sums else 1):
                return f"{apart:.3g} from PyTorch's, whose largest is {largest:.3g}"
        return ""

    def clean(self) -> None:
        gc.collect()
        self.torch.cuda.empty_cache()


def measured(machine: Any, rows: List[Row], limit: float, done: Callable[[Dict[str, Any]], None]) -> None:
    """Measures the rows until `limit` seconds are over, and hands each result to `done`."""
    growth, until = Growth(MOST_SECONDS[machine.name]), time.monotonic() + limit
    for row in rows:
        result = of_row(row)
        if time.monotonic() > until:
            result["skipped"] = "not reached"
        elif growth.expected(row) > growth.limit:
            result["skipped"] = f"would take {growth.expected(row):.0f} s or more, from a smaller one"
        else:
            try:
                machine.measure(row, result)
            except KeyboardInterrupt:
                raise
            except Exception as error:
                result.pop("seconds", None)
                result["error"] = one_line(error)
            if hasattr(machine, "clean"):
                try:
                    machine.clean()
                except Exception as error:
                    print(f"the device is lost: {one_line(error)}", file=sys.stderr, flush=True)
            times = {name: value for name, value in result["peers"].items() if isinstance(value, float)}
            if times:
                result["best"] = min(times, key=times.__getitem__)
            growth.note(row, result)
        done(result)
