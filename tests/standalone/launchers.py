"""Launchers in Python on the emulated GPU against the interpreter, bit by bit: launchers.py RECKON PROGRAM

The environment's RECKON_LAUNCHER_CUDA names the emulator's driver (ptx/driver/). Prints `N of N agree`.
"""
import ctypes
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

# Circuit, its arguments' types and shapes, and the shape of its result.
CASES = [
    ("axpy", {"alpha": ("f4", ()), "x": ("f4", (n,)), "y": ("f4", (n,))}, (n,)) for n in (1, 33, 1000)
] + [("dot", {"x": ("f4", (n,)), "y": ("f4", (n,))}, ()) for n in (1, 300)] + [
    ("softmax", {"x": ("f4", (100,))}, (100,)),
    ("weighted", {"x": ("f4", (40,))}, ()),
    ("noisy", {"x": ("f4", (4,))}, (4,)),
    ("numpy_sum", {"x": ("f4", (300,))}, ()),
    ("total", {"x": ("f4", (3, 70))}, ()),
    ("matmul", {"a": ("f4", (9, 5)), "b": ("f4", (5, 7))}, (9, 7)),
    ("half_sum", {"x": ("f2", (77,))}, ()),
    ("differences", {"x": ("f4", (50,))}, (49,)),
    ("convolved", {"x": ("f4", (50,)), "w": ("f4", (7,))}, (44,)),
    ("triangle", {"x": ("f4", (12,))}, (12,)),
]


class Array:
    """Memory of the emulated device."""

    def __init__(self, cuda, values):
        self.cuda, self.bytes = cuda, values.nbytes
        address = ctypes.c_uint64()
        # What lies up to the next multiple of 16 may be read.
        assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(-(-values.nbytes // 16) * 16 + 16)) == 0
        self.address = address.value
        assert cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(self.address), values.tobytes(), ctypes.c_size_t(values.nbytes)) == 0
        self.__cuda_array_interface__ = {"shape": values.shape, "typestr": values.dtype.str, "version": 3,
                                         "data": (self.address, False)}

    def contents(self):
        out = ctypes.create_string_buffer(self.bytes)
        assert self.cuda.cuMemcpyDtoH_v2(out, ctypes.c_uint64(self.address), ctypes.c_size_t(self.bytes)) == 0
        return out.raw


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def problems(reckon, program, case, folder):
    circuit, parameters, shape = case
    rng = np.random.default_rng(17)
    flags, given = [], []
    for name, (kind, extents) in parameters.items():
        given.append(np.array(rng.uniform(-2, 2, extents), kind))
        np.save(folder / (name + ".npy"), given[-1])
        flags += ["--arg", "%s=@%s" % (name, folder / (name + ".npy"))]
    common = [program, "--fn", circuit]
    subprocess.run([reckon, "call", *common, *flags, "-o", folder / "expected.npy"], check=True, stdout=subprocess.DEVNULL)
    expected = np.load(folder / "expected.npy")
    made = folder / (circuit + ".py")
    subprocess.run([reckon, "compile", *common, "--emit=launcher=python", "-o", made], check=True)
    launcher = loaded(made)
    launcher.load()
    cuda = launcher._driver()
    result = Array(cuda, np.zeros(shape, expected.dtype))
    getattr(launcher, circuit)(*(Array(cuda, values) for values in given), result)
    actual = np.frombuffer(result.contents(), expected.dtype).reshape(expected.shape)
    return [] if actual.tobytes() == expected.tobytes() else ["%r instead of %r" % (actual, expected)]


def main():
    agree = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            found = problems(sys.argv[1], sys.argv[2], case, Path(folder))
            agree += not found
            for line in found:
                print(case[0], line)
    print("%d of %d agree" % (agree, len(CASES)))
    return agree != len(CASES)


sys.exit(main())
