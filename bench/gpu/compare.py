#!/usr/bin/env python3
"""Reckon's kernels beside CUB, cuBLAS, PyTorch and Triton: one script, one GPU, random data, device events, medians.

    bench/gpu/compare.py path/to/reckon [--peers torch,compiled,cub,canonical,triton] [--only total,softmax] [--sums SO]
        [--semantics fpsan,padic]

Needs PyTorch; Triton and nvcc for their columns. `canonical` is WG21 P4016's reduction written by hand in CUDA. A row gives
microseconds, then GB/s of the bytes that must move (TFLOP/s of matrix products), then our speed over each peer's. Every kernel is captured in a graph 20 times (fewer if it is long) and the
graph replayed, ours (`reckon bench`) and theirs alike. Data that fits in the cache stays there, for everyone.
"""
import argparse, ctypes, json, os, statistics, subprocess, sys, tempfile, time

import numpy
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
N = 1 << 28
MEANINGS = ("total", "dot", "softmax", "matmul", "matmul_split")  # whose times under other semantics are told
SECONDS = 0.1  # of launches, for everyone: a chip at its power limit slows down. As long as triton.testing.do_bench
ROWS = [  # name, circuit, sizes, elements' type, shapes of the inputs
    ("sum 2^28 f32", "total", {"n": N}),
    ("  by canonical(128)", "total_canonical", {"n": N}),
    ("  by tree", "total_tree", {"n": N}),
    ("  by cub_device", "total_cub", {"n": N}),
    ("  by lanes in runs", "total_lanes", {"n": N}),
    ("sum 2^27 f64", "total_f64", {"n": N // 2}),
    ("sum 2^28 f16", "total_f16", {"n": N}),
    ("sum 10^6 f32", "total", {"n": 10**6}),
    ("dot 2^28 f32", "dot", {"n": N}),
    ("row sums 8192^2", "row_sums", {"m": 8192, "n": 8192}),
    ("column sums 8192^2", "column_sums", {"m": 8192, "n": 8192}),
    ("matrix-vector 8192", "matvec", {"m": 8192, "n": 8192}),
    ("softmax 8192^2", "softmax", {"m": 8192, "n": 8192}),
    ("RMS norm 8192^2", "rms_norm", {"m": 8192, "n": 8192}),
    ("layer norm 8192^2", "layer_norm", {"m": 8192, "n": 8192}),
    ("matmul 1024", "matmul", {"m": 1024, "n": 1024, "k": 1024}),
    ("  by tile(256) then seq", "matmul_split", {"m": 1024, "n": 1024, "k": 1024}),
    ("matmul 2048", "matmul", {"m": 2048, "n": 2048, "k": 2048}),
    ("matmul 4096", "matmul", {"m": 4096, "n": 4096, "k": 4096}),
    ("matmul 8192", "matmul", {"m": 8192, "n": 8192, "k": 8192}),
]


def ours(reckon, circuit, sizes, semantics="float"):
    command = [reckon, "bench", os.path.join(HERE, "rows.rk"), "--fn", circuit, "--on=gpu", f"--seconds={SECONDS}",
               "--format=json", "--in=" + semantics]
    for name, size in sizes.items():
        command += ["-D", f"{name}={size}"]
    done = subprocess.run(command, capture_output=True, text=True)
    answer = json.loads(done.stdout.splitlines()[0]) if done.stdout else {}
    if answer.get("kind") != "bench":
        print(f"{circuit}: {answer.get('message', done.stderr)}", file=sys.stderr)
        return None
    return answer


def seconds(work):
    """Median seconds of a run of `work`, which queues on the current stream."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        runs = max(1, min(20, int(5 / max(begin.elapsed_time(end), 0.001))))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(runs):
                work()
        graph.replay()
        times = []
        until = time.monotonic() + SECONDS
        while len(times) < 5 or time.monotonic() < until:
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) / runs / 1e3)
    return statistics.median(times)


def data(circuit, sizes):
    torch.manual_seed(1)
    kind = {"total_f64": torch.float64, "total_f16": torch.float16}.get(circuit, torch.float32)
    make = lambda *shape: torch.rand(*shape, device="cuda", dtype=torch.float32).to(kind) if kind == torch.float16 \
        else torch.rand(*shape, device="cuda", dtype=kind)
    m, n, k = (sizes.get(name) for name in "mnk")
    if k:
        return make(m, k), make(k, n)
    if circuit == "dot":
        return make(n), make(n)
    if circuit == "matvec":
        return make(m, n), make(n)
    return (make(m, n),) if m else (make(n),)


def torch_work(circuit):
    F = torch.nn.functional
    if circuit.startswith("total"):
        wide = torch.float32 if circuit == "total_f16" else None
        return lambda x: torch.sum(x, dtype=wide)
    return {
        "dot": torch.dot,
        "row_sums": lambda x: x.sum(1),
        "column_sums": lambda x: x.sum(0),
        "matvec": torch.mv,
        "softmax": lambda x: torch.softmax(x, 1),
        "rms_norm": lambda x: F.rms_norm(x, (x.shape[1],), eps=1e-5),
        "layer_norm": lambda x: F.layer_norm(x, (x.shape[1],)),
        "matmul": torch.mm,
        "matmul_split": torch.mm,
    }[circuit]


def cuda_sums(path):
    if path is None:
        path = os.path.join(tempfile.mkdtemp(), "libsums.so")
        sources = [os.path.join(HERE, name) for name in ("cub_sum.cu", "canonical_sum.cu")]
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC", *sources, "-o", path],
                       check=True)
    return ctypes.CDLL(path)


def cuda_sum(function, circuit, x):
    """What runs a sum of libsums.so over x, and where its result is."""
    kind = {"total_f64": 1, "total_f16": 2}.get(circuit, 0)
    out = torch.empty(1, device="cuda", dtype=torch.float64 if kind == 1 else torch.float32)
    size = ctypes.c_size_t(0)

    def call(temporary):
        failed = function(temporary, ctypes.byref(size), ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()),
                          ctypes.c_long(x.numel()), kind, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        if failed:
            raise RuntimeError(f"CUDA error {failed}")

    call(None)
    room = torch.empty(max(size.value, 1), device="cuda", dtype=torch.uint8)
    return (lambda: call(ctypes.c_void_p(room.data_ptr()))), out


def same_canonical_bits(reckon, function):
    """Our canonical sums of the first so many of a million numbers are bit for bit the ones by hand."""
    x = torch.randn(10**6, device="cuda")
    with tempfile.TemporaryDirectory() as folder:
        for n in (1, 127, 129, 32768, 32769, 99999, 10**6):
            work, out = cuda_sum(function, "total_canonical", x[:n])
            work()
            path = os.path.join(folder, "x.npy")
            numpy.save(path, x[:n].cpu().numpy())
            done = subprocess.run([reckon, "call", os.path.join(HERE, "rows.rk"), "--fn=total_canonical", "--on=gpu",
                                   f"--arg=x=@{path}", "-o", os.path.join(folder, "sum.npy")], capture_output=True, text=True)
            if done.returncode or numpy.load(os.path.join(folder, "sum.npy")).tobytes() != out.cpu().numpy().tobytes():
                return f"canonical sums of {n} differ {done.stderr[:200]}"
    return "same bits"


def triton_softmax(x):
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(out, x, columns: tl.constexpr):
        at = tl.program_id(0) * columns + tl.arange(0, columns)
        row = tl.load(x + at)
        e = tl.exp(row - tl.max(row, axis=0))
        tl.store(out + at, e / tl.sum(e, axis=0))

    globals().update(tl=tl)
    out = torch.empty_like(x)
    return lambda: kernel[(x.shape[0],)](out, x, x.shape[1], num_warps=16)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("reckon")
    options.add_argument("--peers", default="torch,compiled,cub,canonical,triton")
    options.add_argument("--only", default="")
    options.add_argument("--semantics", default="fpsan,padic,interval,interval(f32)", help="under which the time is taken, too")
    options.add_argument("--sums", help="cub_sum.cu and canonical_sum.cu, compiled already")
    options = options.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    peers = options.peers.split(",")
    only = set(filter(None, options.only.split(",")))
    library = cuda_sums(options.sums) if "cub" in peers or "canonical" in peers else None
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    print(f"{'':22}{'us':>9}{'rate':>12}{'of a copy':>11}   ours/peer (peer's us)")
    for name, circuit, sizes in ROWS:
        if only and circuit not in only:
            continue
        mine = ours(options.reckon, circuit, sizes)
        if mine is None:
            continue
        our_time = mine["median_seconds"]
        product = circuit.startswith("matmul")
        rate = f"{mine['arithmetic'] / our_time / 1e12:.1f} TFLOP/s" if product else f"{mine['bytes'] / our_time / 1e9:.0f} GB/s"
        copied = "" if product else f"{mine['bytes'] / our_time / mine['copy_bytes_per_second']:.3f}"
        beside = []
        inputs = data(circuit, sizes)
        work = torch_work(circuit)
        candidates = {"torch": lambda: lambda: work(*inputs)}
        if not product:
            candidates["compiled"] = lambda: (lambda f: lambda: f(*inputs))(torch.compile(work))
        if circuit.startswith("total"):
            candidates["cub"] = lambda: cuda_sum(library.cub_sum, circuit, inputs[0])[0]
        if circuit == "total_canonical":
            candidates["canonical"] = lambda: cuda_sum(library.canonical_sum, circuit, inputs[0])[0]
        if circuit == "softmax":
            candidates["triton"] = lambda: triton_softmax(inputs[0])
        for peer, make in candidates.items():
            if peer not in peers:
                continue
            try:
                theirs = seconds(make())
                beside.append(f"{peer} {theirs / our_time:.3f} ({theirs * 1e6:.1f})")
            except Exception as problem:
                beside.append(f"{peer}: {type(problem).__name__} {str(problem)[:60]}")
        if circuit == "total_canonical" and "canonical" in peers:
            beside.append(same_canonical_bits(options.reckon, library.canonical_sum))
        for semantics in filter(None, options.semantics.split(",")):
            if circuit not in MEANINGS or sizes["n"] == 10**6 or (semantics != "fpsan" and product and sizes["n"] > 2048):
                continue
            other = ours(options.reckon, circuit, sizes, semantics)
            if other:
                beside.append(f"{semantics} takes {other['median_seconds'] / our_time:.2f} of it")
        print(f"{name:22}{our_time * 1e6:9.1f}{rate:>12}{copied:>11}   {'; '.join(beside)}", flush=True)
        del inputs
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
