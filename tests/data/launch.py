"""Calls a launcher with arrays of zeros: launch.py LAUNCHER CIRCUIT SIZES..."""
import ctypes
import importlib.util
import inspect
import re
import sys

WIDTHS = {"f64": 8, "f32": 4, "u32": 4, "f16": 2, "bf16": 2, "bool": 1}
spec = importlib.util.spec_from_file_location("launcher", sys.argv[1])
launcher = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launcher)
function = getattr(launcher, sys.argv[2])
launcher.load()


class Array:
    """An array on the device, as CuPy describes its own."""

    def __init__(self, width, shape):
        count = 1
        for extent in shape:
            count *= extent
        address = ctypes.c_uint64()
        if count > 0:
            assert launcher._driver().cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(count * width + 16)) == 0
        self.__cuda_array_interface__ = {"shape": shape, "typestr": "<V%d" % width, "data": (address.value, False),
                                         "version": 3, "strides": None}


parameters = inspect.signature(function).parameters
sizes = [name for name, one in parameters.items() if one.kind == one.KEYWORD_ONLY and name not in ("scratch", "stream")]
values = dict(zip(sizes, map(int, sys.argv[3:])))
# The types stand in the function's documentation: `    x: f32[m, n]`.
arrays = []
for name, one in parameters.items():
    if one.kind == one.POSITIONAL_OR_KEYWORD:
        kind, extents = re.search(r"^    %s: (\w+)(?:\[(.*?)\])?" % name, function.__doc__, re.M).groups()
        shape = tuple(eval(extent, {}, dict(values)) for extent in extents.split(", ")) if extents else (1,)
        if sys.argv[2] == "padded":
            shape = (29,) if name == "a" else (30,)
        arrays.append(Array(WIDTHS[kind], shape))
function(*arrays, **values)
