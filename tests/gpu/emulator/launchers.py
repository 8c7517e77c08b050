"""Launchers in Python on the emulator against the interpreter, bit by bit: launchers.py RECKON PROGRAM

The launcher's driver is replaced by one whose kernels are carried out by emulate.py. Prints `N of N agree`.
"""
import ctypes
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import emulate
import ptx

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
STEP = 1 << 32  # between the beginnings of two pieces of memory


class Driver:
    """As much of the CUDA driver as a launcher calls; memory is that of the emulator."""

    def __init__(self):
        self.memory, self.log, self.launches, self.dynamic = [], {}, 0, {}

    def new(self, data):
        self.memory.append(data)
        return STEP * len(self.memory)

    def piece(self, address):
        """The memory from an address on, as a buffer of its own."""
        data = self.memory[address // STEP - 1][address % STEP:]
        buffer = ptx.Buffer("memory at %#x" % address, len(data) - 16)
        buffer.data = data
        return buffer

    def cuInit(self, flags):
        return 0

    def cuCtxGetCurrent(self, context):
        context._obj.value = 1
        return 0

    def cuCtxGetDevice(self, device):
        return 0

    def cuDeviceGetAttribute(self, value, number, device):
        value._obj.value = {16: 4, 39: 2048}[number.value]
        return 0

    def cuFuncGetAttribute(self, value, number, function):
        value._obj.value = {0: 1024, 3: 0}[number.value]
        return 0

    def cuFuncSetAttribute(self, function, number, value):
        assert number == 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        self.dynamic[function.value] = value
        return 0

    def allowed(self, function, shared):
        assert shared <= max(self.dynamic.get(function.value, 0), 48 * 1024)
        return shared

    def cuDeviceTotalMem_v2(self, value, device):
        value._obj.value = 1 << 36
        return 0

    def cuCtxGetLimit(self, value, limit):
        value._obj.value = 1 << 20
        return 0

    def cuModuleLoadData(self, module, text):
        self.module = ptx.Module(text.decode())
        self.names = list(self.module.entries)
        return 0

    def cuModuleLoadDataEx(self, module, text, count, options, values):
        return self.cuModuleLoadData(module, text)

    def cuModuleGetFunction(self, function, module, name):
        function._obj.value = 1 + self.names.index(name.decode())
        return 0

    def cuModuleGetGlobal_v2(self, address, size, module, name):
        variable = self.module.globals.pop(name.decode())
        address._obj.value, size._obj.value = self.new(variable.data), variable.size
        return 0

    def cuMemAlloc_v2(self, address, size):
        address._obj.value = self.new(np.full(size.value + 16, 0xCD, np.uint8))
        return 0

    def cuMemFree_v2(self, address):
        return 0

    def cuMemsetD8Async(self, address, value, count, stream):
        self.memory[address.value // STEP - 1][address.value % STEP:][: count.value] = value.value
        return 0

    def cuLaunchKernel(self, function, grid, y, z, threads, by, bz, shared, stream, pointers, extra):
        name, arguments, buffers = self.names[function.value - 1], [], {}
        for pointer in pointers:
            value = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_uint64))[0]
            # One piece of memory may have several buffers: each ends where the next begins.
            arguments.append(buffers.setdefault(value, self.piece(value)) if value >= STEP else value)
        for address, buffer in buffers.items():
            after = [other for other in buffers if other > address and other // STEP == address // STEP]
            if after:
                buffer.size = min(after) - address - 16
                buffer.data = buffer.data[: min(after) - address]
        emulate.launch(self.module, name, arguments, threads, grid, self.log, self.allowed(function, shared))
        self.launches += 1
        return 0


class Array:
    def __init__(self, driver, values):
        self.bytes = np.frombuffer(values.tobytes(), np.uint8)
        self.memory = np.zeros(-(-len(self.bytes) // 16) * 16 + 16, np.uint8)
        self.memory[: len(self.bytes)] = self.bytes
        self.__cuda_array_interface__ = {"shape": values.shape, "typestr": values.dtype.str, "version": 3,
                                         "data": (driver.new(self.memory), False)}


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def problems(reckon, program, case, folder):
    circuit, parameters, shape = case
    rng = np.random.default_rng(17)
    flags, arguments, driver = [], [], Driver()
    for name, (kind, extents) in parameters.items():
        values = np.array(rng.uniform(-2, 2, extents), kind)
        np.save(folder / (name + ".npy"), values)
        flags += ["--arg", "%s=@%s" % (name, folder / (name + ".npy"))]
        arguments.append(Array(driver, values))
    common = [program, "--fn", circuit]
    subprocess.run([reckon, "call", *common, *flags, "-o", folder / "expected.npy"], check=True, stdout=subprocess.DEVNULL)
    expected = np.load(folder / "expected.npy")
    made = folder / (circuit + ".py")
    subprocess.run([reckon, "compile", *common, "--emit=launcher=python", "-o", made], check=True)
    launcher = loaded(made)
    launcher._driver = lambda: driver
    result = Array(driver, np.zeros(shape, expected.dtype))
    getattr(launcher, circuit)(*arguments, result)
    actual = result.memory[: expected.nbytes].view(expected.dtype).reshape(expected.shape)
    found = ["%s (%d times)" % item for item in driver.log.items()]
    if actual.tobytes() != expected.tobytes():
        found.append("%r instead of %r" % (actual, expected))
    if not driver.launches:
        found.append("nothing was launched")
    return found


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
