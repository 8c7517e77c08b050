#!/usr/bin/env python3
"""On a machine with a GPU: what its approximate instructions on f32 give, of which no table is published.

    python3 tests/gpu/approximate_tables.py FOLDER
    python3 tests/gpu/approximate_tables.py FOLDER --pack chip.approx

The first, which needs NumPy and libcuda alone, writes for each instruction and each range of inputs a file of what it gave: for whole ranges of mantissas as differences, in
units of the last place, from what NumPy rounds to nearest; for random inputs as pairs of patterns. The second makes of them
the tables that `reckon ptx --approx=FILE` reads (numerics/chips/chip.h).
"""
import ctypes
import lzma
import pathlib
import sys
import zlib

import numpy

KERNEL = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d, .param .u32 count)
{
.reg .b64 pa, pb, pd, at; .reg .b32 i, n, t, c; .reg .f32 x, y, z; .reg .pred out;
ld.param.u64 pa, [a]; ld.param.u64 pb, [b]; ld.param.u64 pd, [d]; ld.param.u32 n, [count];
mov.u32 i, %%ctaid.x; mov.u32 t, %%ntid.x; mov.u32 c, %%tid.x; mad.lo.u32 i, i, t, c;
setp.ge.u32 out, i, n; @out ret;
mul.wide.u32 at, i, 4; add.u64 pa, pa, at; add.u64 pb, pb, at; add.u64 pd, pd, at;
ld.global.f32 x, [pa]; ld.global.f32 y, [pb];
%s
st.global.f32 [pd], z;
ret;
}
"""
ONE = ["ex2.approx.ftz.f32", "ex2.approx.f32", "lg2.approx.ftz.f32", "lg2.approx.f32", "rcp.approx.ftz.f32", "rcp.approx.f32",
       "rsqrt.approx.ftz.f32", "rsqrt.approx.f32", "sqrt.approx.ftz.f32", "sqrt.approx.f32", "sin.approx.ftz.f32", "sin.approx.f32",
       "cos.approx.ftz.f32", "cos.approx.f32", "tanh.approx.f32"]
TWO = ["div.approx.ftz.f32", "div.approx.f32", "div.full.ftz.f32", "div.full.f32"]
NEAREST = {"ex2": numpy.exp2, "lg2": numpy.log2, "rcp": lambda x: 1 / x, "rsqrt": lambda x: 1 / numpy.sqrt(x), "sqrt": numpy.sqrt,
           "sin": numpy.sin, "cos": numpy.cos, "tanh": numpy.tanh}
# All f32s from the first pattern on, so many.
RANGES = {"ex2": [(0x3f800000, 1 << 23)], "lg2": [(0x3f800000, 1 << 23), (0x3f000000, 1 << 23), (0x40000000, 1 << 23)],
          "rcp": [(0x3f800000, 1 << 23)], "rsqrt": [(0x3f800000, 1 << 24)], "sqrt": [(0x3f800000, 1 << 24)],
          "sin": [(0x3e800000, 3 << 23)], "cos": [(0x3e800000, 3 << 23)], "tanh": [(0x3e000000, 5 << 23)]}


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(200)
        self.call("cuDeviceGetName", name, 200, device)
        self.name = name.value
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status != 0:
            sys.exit(f"{name}: error {status}")

    def results(self, instruction, x, y):
        """Patterns of the instruction's results."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        text = KERNEL % f"{instruction} z, x{', y' if instruction in TWO else ''};"
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(text.encode()))
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"k")
        count, made = len(x), numpy.empty(len(x), numpy.uint32)
        addresses = []
        for data in (x, y, made):
            address = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(4 * count))
            data = numpy.ascontiguousarray(data)
            self.call("cuMemcpyHtoD_v2", address, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(4 * count))
            addresses.append(address)
        number = ctypes.c_uint32(count)
        given = (ctypes.c_void_p * 4)(*[ctypes.addressof(one) for one in (*addresses, number)])
        self.call("cuLaunchKernel", function, (count + 255) // 256, 1, 1, 256, 1, 1, 0, None, given, None)
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", made.ctypes.data_as(ctypes.c_void_p), addresses[2], ctypes.c_size_t(4 * count))
        for address in addresses:
            self.call("cuMemFree_v2", address)
        self.call("cuModuleUnload", module)
        return made


def pack(folder, path):
    """One file of tables of the functions that numbers of [1, 2) or [1, 4) say everything of."""
    with open(path, "wb") as out:
        out.write(b"reckon approximate tables: " + (folder / "device.txt").read_bytes() + b"\n")
        for function in ("ex2", "rcp", "rsqrt", "sqrt"):
            first, count = RANGES[function][0]
            packed = (folder / f"{function}.approx.ftz.f32.{first:08x}.{count}.int8.xz").read_bytes()
            apart = numpy.frombuffer(lzma.decompress(packed), numpy.int8).astype(numpy.int16) + 128
            table = zlib.compress(apart.astype(numpy.uint8).tobytes(), 9)
            out.write(f"{function} {count} {len(table)}\n".encode() + table)


def main():
    folder = pathlib.Path(sys.argv[1])
    if "--pack" in sys.argv:
        return pack(folder, sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    driver, random = Driver(), numpy.random.default_rng(20261130)
    (folder / "device.txt").write_bytes(driver.name)
    any_bits = random.integers(0, 1 << 32, 1 << 15, dtype=numpy.uint32)
    near = random.normal(0, 8, 1 << 15).astype(numpy.float32).view(numpy.uint32)
    tame = numpy.exp(random.normal(0, 3, 1 << 15)).astype(numpy.float32).view(numpy.uint32)
    eighths = (numpy.arange(-1200, 1200) / 8).astype(numpy.float32).view(numpy.uint32)
    x = numpy.concatenate([any_bits, near, tame, eighths])
    y = random.permutation(x)
    for name in ONE + TWO:
        made = driver.results(name, x, y)
        columns = [x, made] if name in ONE else [x, y, made]
        (folder / f"{name}.random.xz").write_bytes(lzma.compress(numpy.stack(columns).tobytes(), preset=6))
        print(name, "random", len(x), flush=True)
    for name in ONE:
        function = name.split(".")[0]
        if ".ftz" not in name and function != "tanh":
            continue
        for first, count in RANGES[function]:
            bits = (numpy.arange(count, dtype=numpy.uint64) + first).astype(numpy.uint32)
            made = driver.results(name, bits, bits)
            with numpy.errstate(all="ignore"):
                near = NEAREST[function](bits.view(numpy.float32).astype(numpy.float64)).astype(numpy.float32).view(numpy.uint32)
            apart = made.astype(numpy.int64) - near.astype(numpy.int64)
            kind = numpy.int8 if numpy.abs(apart).max() < 128 else numpy.int32
            (folder / f"{name}.{first:08x}.{count}.{numpy.dtype(kind).name}.xz").write_bytes(
                lzma.compress(apart.astype(kind).tobytes(), preset=6))
            print(name, hex(first), count, "most units apart", int(numpy.abs(apart).max()), "not nearest", int((apart != 0).sum()), flush=True)


if __name__ == "__main__":
    main()
