"""Calls a launcher in Python on files: launch.py MODULE FUNCTION RESULT BYTES SIZES NAME...

Reads each NAME.bin, and writes BYTES bytes of the one result. SIZES are separated by spaces.
"""
import ctypes
import importlib.util
import inspect
import sys

path, function, result_path, result_bytes, sizes, *names = sys.argv[1:]
spec = importlib.util.spec_from_file_location("launcher", path)
launcher = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launcher)
# Static parameters are part of the name: total_16.
call = next(made for name, made in vars(launcher).items() if name == function or name.startswith(function + "_"))
launcher.load()
cuda = launcher._driver()


class Array:
    """Memory of the device, whose shape is not told."""

    def __init__(self, count):
        self.address = ctypes.c_uint64()
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(max(count, 16))) == 0

    def data_ptr(self):
        return self.address.value


arrays = []
for name in names:
    contents = open(name + ".bin", "rb").read()
    arrays.append(Array(len(contents)))
    assert cuda.cuMemcpyHtoD_v2(arrays[-1].address, contents, ctypes.c_size_t(len(contents))) == 0
arrays.append(Array(int(result_bytes)))
keywords = [name for name, one in inspect.signature(call).parameters.items() if one.kind == one.KEYWORD_ONLY]
call(*arrays, **dict(zip(keywords, map(int, sizes.split()))))
contents = ctypes.create_string_buffer(int(result_bytes))
assert cuda.cuMemcpyDtoH_v2(contents, arrays[-1].address, ctypes.c_size_t(int(result_bytes))) == 0
open(result_path, "wb").write(contents.raw)
