#!/usr/bin/env python3
"""Checks the path of arrays on a GPU on a machine that has one, with PyTorch and CuPy where they can be imported.

    RECKON_LIBRARY=.../libreckon.so PYTHONPATH=python python3 python/tests/gpu_check.py

Prints one line for each check; the status is 1 if one fails, and 69 without a GPU or a framework.
"""

import sys
import time
import traceback

import numpy

import reckon
import reckon.testing

PROGRAM = """
fn softmax(x: f32[m, n]) -> f32[m, n] {
  let top = for i: max j: x[i, j];
  let e = for i, j: exp(x[i, j] - top[i]);
  let s = for i: sum j: e[i, j] by tree;
  for i, j: e[i, j] / s[i]
}
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(128, tree) then tree
fn axpy(a: f32, x: f32[n], y: f32[n]) -> f32[n] = for i: a * x[i] + y[i]
fn both[T](x: T[n]) -> (T, T[n]) = (sum i: x[i] by tree, for i: x[i] + x[i])
fn blocked[k](x: f32[n]) -> f32 = sum i: x[i] by tile(k, seq) then tree
"""

failures = 0


def check(name, function, *arguments):
    global failures
    try:
        detail = function(*arguments)
        print(f"ok      {name}" + (f": {detail}" if detail else ""), flush=True)
    except Exception as error:
        failures += 1
        print(f"failed  {name}: {type(error).__name__}: {error}", flush=True)
        traceback.print_exc(limit=4)


def same_bits(found, expected):
    reckon.testing.assert_bits_equal(found, expected)


def microseconds(calls, wait, repeat=200):
    """The host's time for each of some calls. So few calls follow each other that none waits until the GPU's queue has
    room. Since others use the machine, whose speed varies, the calls take turns, and the best of the turns counts."""
    best = [float("inf")] * len(calls)
    for turn in range(51):
        for index, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            if turn:
                best[index] = min(best[index], (time.perf_counter() - start) / repeat)
            wait()
    return [each * 1e6 for each in best]


# ---- PyTorch


class TorchChecks:
    def __init__(self, torch):
        self.torch, self.rk = torch, reckon.loads(PROGRAM, "gpu_check.rk")

    def tensor(self, array):
        return self.torch.from_numpy(numpy.ascontiguousarray(array)).cuda()

    def random(self, *shape, seed=1):
        return numpy.random.default_rng(seed).standard_normal(shape, dtype=numpy.float32)

    def run(self):
        name = self.torch.cuda.get_device_name()
        print(f"torch {self.torch.__version__}, {name}, reckon {reckon.__version__}")
        for method in sorted(dir(self)):
            if method.startswith("check_"):
                check("torch: " + method[6:].replace("_", " "), getattr(self, method))

    def check_bits_equal_the_interpreters(self):
        x = self.random(33, 1000)
        same_bits(self.rk.softmax(self.tensor(x)), self.rk.softmax(x, on="interpreter"))
        a, b = self.random(100_003), self.random(100_003, seed=2)
        same_bits(self.rk.dot(self.tensor(a), self.tensor(b)), self.rk.dot(a, b, on="interpreter"))
        return "softmax 33 x 1000, dot of 100003"

    def check_results_are_tensors_on_the_device(self):
        x = self.tensor(self.random(1000))
        total, twice = self.rk.both(x)
        assert total.is_cuda and total.shape == () and twice.shape == x.shape and twice.dtype == x.dtype
        assert bool((twice == x + x).all())

    def check_formats_of_16_bits(self):
        for dtype in (self.torch.float16, self.torch.bfloat16, self.torch.float64):
            x = self.tensor(self.random(777)).to(dtype)
            total, twice = self.rk.both(x)
            assert total.dtype == dtype and bool((twice == x + x).all())
            same_bits(total, self.rk.both(x.cpu(), on="interpreter", **{"dtype": str(dtype)})[0])

    def check_out_is_written_in_place(self):
        x, y = self.tensor(self.random(1000)), self.tensor(self.random(1000, seed=2))
        out = self.torch.zeros_like(x)
        place = out.data_ptr()
        assert self.rk.axpy(2.0, x, y, out=out) is out and out.data_ptr() == place
        same_bits(out, self.rk.axpy(2.0, x.cpu().numpy(), y.cpu().numpy(), on="interpreter"))

    def check_slices_that_are_not_aligned(self):
        whole = self.random(2001)
        x = self.tensor(whole)
        same_bits(self.rk.dot(x[1:1001], x[1001:]), self.rk.dot(whole[1:1001], whole[1001:], on="interpreter"))
        same_bits(self.rk.dot(x[::2], x[::2]), self.rk.dot(whole[::2].copy(), whole[::2].copy(), on="interpreter"))

    def check_a_side_stream(self):
        torch = self.torch
        host = self.random(1 << 20)
        expected = self.rk.dot(host, host, on="interpreter")
        stream = torch.cuda.Stream()
        x = torch.zeros(1 << 20, device="cuda")
        pinned = torch.from_numpy(host).pin_memory()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            self.rk.dot(x, x)  # compiles, and waits for the device
            torch.cuda.synchronize()
            # The stream is busy for some milliseconds before x is written: on any other stream, dot would see zeros.
            torch.cuda._sleep(50_000_000)
            x.copy_(pinned, non_blocking=True)
            start = time.perf_counter()
            found = self.rk.dot(x, x)
            queued = time.perf_counter() - start
        stream.synchronize()
        same_bits(found, expected)
        return f"queued in {queued * 1e6:.0f} us"

    def check_two_streams_at_once(self):
        torch = self.torch
        inputs = [self.random(1 << 20, seed=k) for k in range(2)]
        expected = [self.rk.dot(x, x, on="interpreter") for x in inputs]
        tensors = [self.tensor(x) for x in inputs]
        streams = [torch.cuda.Stream() for _ in inputs]
        torch.cuda.synchronize()
        found = [[], []]
        for _ in range(200):
            for k in range(2):
                with torch.cuda.stream(streams[k]):
                    found[k].append(self.rk.dot(tensors[k], tensors[k]))
        torch.cuda.synchronize()
        for k in range(2):
            for each in found[k]:
                same_bits(each, expected[k])
        return "200 calls on each"

    def check_nothing_is_waited_for(self):
        torch = self.torch
        x = self.tensor(self.random(1000))
        self.rk.dot(x, x)
        torch.cuda.synchronize()
        torch.cuda._sleep(2_000_000_000)
        start = time.perf_counter()
        for _ in range(100):
            self.rk.dot(x, x)
        queued = time.perf_counter() - start
        torch.cuda.synchronize()
        done = time.perf_counter() - start
        assert queued < done / 4, f"queued in {queued:.3f} s, done in {done:.3f} s"
        return f"100 calls queued in {queued * 1e3:.1f} ms, done after {done * 1e3:.0f} ms"

    def captured(self, warm):
        torch = self.torch
        x = self.tensor(self.random(16, 512))
        if warm:
            self.rk.softmax(x)
            torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = self.rk.softmax(x)
            z = self.rk.softmax(y)
        for seed in range(3):
            host = self.random(16, 512, seed=seed)
            x.copy_(torch.from_numpy(host))
            graph.replay()
            torch.cuda.synchronize()
            expected = self.rk.softmax(host, on="interpreter")
            same_bits(y, expected)
            same_bits(z, self.rk.softmax(expected, on="interpreter"))
        return "two calls, replayed 3 times"

    def check_a_cuda_graph(self):
        return self.captured(True)

    def check_a_graph_of_a_first_call_is_refused(self):
        self.rk = reckon.loads(PROGRAM, "gpu_check.rk")
        try:
            self.captured(False)
        except reckon.UsageError as error:
            return str(error)
        raise AssertionError("no exception")

    def check_a_graph_outlives_the_cache(self):
        import gc

        torch = self.torch
        x = self.tensor(self.random(4096))
        self.rk.dot(x, x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = self.rk.dot(x, x)
        self.rk.dot._gpu._plans.clear()
        self.rk.dot._gpu._known.clear()
        gc.collect()
        graph.replay()
        torch.cuda.synchronize()
        same_bits(y, self.rk.dot(x.cpu().numpy(), x.cpu().numpy(), on="interpreter"))

    def check_numbers_beside_tensors(self):
        x = self.random(1000)
        same_bits(self.rk.axpy(0.1, self.tensor(x), self.tensor(x)), self.rk.axpy(0.1, x, x, on="interpreter"))

    def check_static_parameters(self):
        x = self.random(1000)
        for k in (4, 32):
            same_bits(self.rk.blocked(self.tensor(x), k=k), self.rk.blocked(x, k=k, on="interpreter"))

    def check_empty_tensors(self):
        x = self.torch.empty(0, device="cuda")
        assert self.rk.axpy(1.0, x, x).shape == (0,)

    def check_errors_leave_the_gpu_usable(self):
        x = self.tensor(self.random(10))
        for wrong in (
            lambda: self.rk.dot(x, x[:5]),
            lambda: self.rk.dot(x, x.double()),
            lambda: self.rk.dot(x, x.cpu()),
        ):
            try:
                wrong()
            except reckon.Error:
                continue
            raise AssertionError("no exception")
        assert bool(self.torch.isfinite(self.rk.dot(x, x)))

    def check_overhead(self):
        torch = self.torch
        x = self.tensor(self.random(1000))
        a, matrix, alive = x[0], self.tensor(self.random(16, 512)), [None] * 4

        def keeping(call):
            """The call, whose last four results are alive, so that it writes to other memory than the call before."""

            def kept():
                alive.append(call())
                del alive[0]

            return kept

        names = ["dot", "torch.dot", "axpy", "torch.add", "softmax", "torch.softmax"]
        calls = [
            lambda: self.rk.dot(x, x),
            lambda: torch.dot(x, x),
            keeping(lambda: self.rk.axpy(a, x, x)),
            keeping(lambda: torch.add(x, x)),
            lambda: self.rk.softmax(matrix),
            lambda: torch.softmax(matrix, 1),
        ]
        found = microseconds(calls, torch.cuda.synchronize)
        return ", ".join(f"{name} {time:.1f} us" for name, time in zip(names, found))

    def check_reveal(self):
        for n in (64, 1000):
            found = reckon.reveal(self.torch.sum, n, device="cuda")
            print(f"        torch.sum of {n} f32: {found!r}, {found.arithmetic}")


# ---- CuPy


class CuPyChecks:
    def __init__(self, cupy):
        self.cupy, self.rk = cupy, reckon.loads(PROGRAM, "gpu_check.rk")

    def run(self):
        print(f"cupy {self.cupy.__version__}")
        for method in sorted(dir(self)):
            if method.startswith("check_"):
                check("cupy: " + method[6:].replace("_", " "), getattr(self, method))

    def check_bits_equal_the_interpreters(self):
        x = numpy.random.default_rng(1).standard_normal((33, 1000), dtype=numpy.float32)
        found = self.rk.softmax(self.cupy.asarray(x))
        assert isinstance(found, self.cupy.ndarray)
        same_bits(found, self.rk.softmax(x, on="interpreter"))

    def check_a_side_stream(self):
        x = numpy.random.default_rng(1).standard_normal(100_003, dtype=numpy.float32)
        with self.cupy.cuda.Stream(non_blocking=True) as stream:
            there = self.cupy.asarray(x)
            found = self.rk.dot(there, there)
            stream.synchronize()
        same_bits(found, self.rk.dot(x, x, on="interpreter"))

    def check_a_cuda_graph(self):
        x = numpy.random.default_rng(1).standard_normal(4096, dtype=numpy.float32)
        stream = self.cupy.cuda.Stream(non_blocking=True)
        with stream:
            there, out = self.cupy.asarray(x), self.cupy.empty((), numpy.float32)
            self.rk.dot(there, there, out=out)
            stream.synchronize()
            stream.begin_capture()
            self.rk.dot(there, there, out=out)
            graph = stream.end_capture()
            out.fill(0)
            graph.launch(stream)
            stream.synchronize()
        same_bits(out, self.rk.dot(x, x, on="interpreter"))

    def check_slices_that_are_not_aligned(self):
        x = numpy.random.default_rng(1).standard_normal(2001, dtype=numpy.float32)
        there = self.cupy.asarray(x)
        same_bits(self.rk.dot(there[1:1001], there[1001:]), self.rk.dot(x[1:1001], x[1001:], on="interpreter"))

    def check_overhead(self):
        x = self.cupy.ones(1000, numpy.float32)
        wait = self.cupy.cuda.get_current_stream().synchronize
        ours, theirs = microseconds([lambda: self.rk.dot(x, x), lambda: self.cupy.dot(x, x)], wait)
        return f"dot {ours:.1f} us (cupy.dot {theirs:.1f})"


def imported(name):
    """A framework, or None with a line that says why."""
    try:
        return __import__(name)
    except ImportError as error:
        print(f"skipped {name}: {error}")
        return None


def main():
    reckon.__version__  # Fails here if libreckon.so cannot be loaded.
    torch, cupy = imported("torch"), imported("cupy")
    found = 0
    if torch is not None:
        if torch.cuda.is_available():
            found += 1
            TorchChecks(torch).run()
        else:
            print("skipped torch: it sees no GPU")
    if cupy is not None:
        found += 1
        CuPyChecks(cupy).run()
    if not found:
        return 69
    print("all checks are ok" if not failures else f"{failures} checks failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
