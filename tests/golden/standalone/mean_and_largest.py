# Compiled by Reckon 0.1.0 for sm_90, under the semantics float:
#
#   fn mean_and_largest[m, n](x: f32[m, n]) -> (f32[m], f32[m], f32)
#
# The order of each reduction:
#   reduction by add of n leaves, line 9: lanes(128, tree) then tree
#   reduction by max of n leaves, line 10: lanes(128, tree) then tree
#   reduction by add of m leaves, line 11: seq
#
# Sizes: m, n, each a 64-bit integer. The kernels do not check: 1 <= n; 1 <= m.
#
# Each kernel takes the addresses of these buffers, in this order, and then the sizes m, n:
#   0 parameter x: f32[m, n]
#   1 result_0: f32[m]
#   2 result_1: f32[m]
#   3 result_2: f32
#   4 intermediate: f32[0], memory for what kernels give each other
# Elements are row-major where no layout is named. Every address is a multiple of 16, and the bytes up to the next
# multiple of 16 can be read. An extent of 0 counts as 1. No buffer that is written overlaps another.
#
# The launches, in order; grids and blocks have one dimension:
#   reckon_mean_and_largest_1: block 256; grid m, or any other number of blocks; 4096 bytes of static shared
#     memory.
#   reckon_mean_and_largest_2: block 256; grid 1, or any other number of blocks; 1040 bytes of static shared
#     memory; it waits by itself for the kernel before it, so it may be launched with programmatic stream
#     serialization.

"""Launches `mean_and_largest` on a GPU: x: f32[m, n], result_0: f32[m], result_1: f32[m], result_2: f32

Arrays are tensors of PyTorch, arrays of CuPy, or any object on the device with `__cuda_array_interface__` or
`data_ptr()`; they are contiguous. The kernels run on the stream that is current for the arguments' library, unless
`stream` is given (an integer: the driver's handle). Nothing waits for them.

`driver_library` is the CUDA driver's library; RECKON_LAUNCHER_CUDA in the environment names another one.
"""
import ctypes
import os
import sys

driver_library = os.environ.get("RECKON_LAUNCHER_CUDA", "libcuda.so.1")


class CudaError(RuntimeError):
    """The driver refused something; `status` is its number."""

    def __init__(self, status, action):
        text = ctypes.c_char_p()
        _driver().cuGetErrorName(status, ctypes.byref(text))
        name = text.value.decode() if text.value else "error %d" % status
        super().__init__("could not %s: %s" % (action, name))
        self.status = status


# The kernels, in order: name, threads of a block, items that a block computes together (0: each is one thread's), how
# many blocks a multiprocessor gets at most (0: a block computes no more than that, so there is one for each), whether it
# needs a stack, and the bytes of shared memory that the launch gives it.
_LAUNCHES = (
    ("reckon_mean_and_largest_1", 256, 1, 4096, False, 0),
    ("reckon_mean_and_largest_2", 256, 1, 4096, False, 0),
)
_PTX = rb"""..."""


def _driver(loaded=[]):
    if not loaded:
        loaded.append(ctypes.CDLL(driver_library))
        _check(loaded[0].cuInit(0), "start CUDA")
    return loaded[0]


def _check(status, action):
    if status != 0:
        raise CudaError(status, action)


def _attribute(function, number, of, action):
    value = ctypes.c_int()
    _check(function(ctypes.byref(value), ctypes.c_int(number), of), action)
    return value.value


class _Kernels:
    """The kernels in one context."""

    def __init__(self):
        cuda = _driver()
        device = ctypes.c_int()
        _check(cuda.cuCtxGetDevice(ctypes.byref(device)), "find the device")
        self.multiprocessors = max(_attribute(cuda.cuDeviceGetAttribute, 16, device, "describe the device"), 1)
        self.module = ctypes.c_void_p()
        _check(cuda.cuModuleLoadData(ctypes.byref(self.module), _PTX), "load the kernels")
        self.functions = []
        for name, _, _, _, recursive, shared in _LAUNCHES:
            function = ctypes.c_void_p()
            _check(cuda.cuModuleGetFunction(ctypes.byref(function), self.module, name.encode()), "find a kernel")
            threads = _attribute(cuda.cuFuncGetAttribute, 0, function, "describe a kernel")
            self.functions.append((function, threads))
            if recursive:
                self._reserve_stack(function, device)
            if shared:
                _check(cuda.cuFuncSetAttribute(function, 8, shared), "give shared memory to a kernel")
        self.constants = []
        for number in range(0):
            address, size = ctypes.c_uint64(), ctypes.c_size_t()
            name = b"reckon_constant_%d" % number
            status = cuda.cuModuleGetGlobal_v2(ctypes.byref(address), ctypes.byref(size), self.module, name)
            _check(status, "find a constant")
            self.constants.append(address.value)
        self.scratch = {}

    def _reserve_stack(self, function, device):
        """Functions that call themselves need a stack: at most an eighth of the device's memory for all threads."""
        cuda = _driver()
        local = max(_attribute(cuda.cuFuncGetAttribute, 3, function, "describe a kernel"), 0)
        threads = max(_attribute(cuda.cuDeviceGetAttribute, 39, device, "describe the device"), 1)
        total, present = ctypes.c_size_t(), ctypes.c_size_t()
        _check(cuda.cuDeviceTotalMem_v2(ctypes.byref(total), device), "describe the device")
        _check(cuda.cuCtxGetLimit(ctypes.byref(present), 0), "tell the stack's size")
        wanted = local + min(max(total.value // 8 // (self.multiprocessors * threads) // 1024 * 1024, 4096), 131072)
        if present.value < wanted:
            _check(cuda.cuCtxSetLimit(0, ctypes.c_size_t(wanted)), "reserve a stack")

    def scratch_for(self, stream, needed):
        """Memory for the launches on a stream, which it keeps: launches on one stream come one after the other."""
        address, size = self.scratch.get(stream, (0, 0))
        if size < needed:
            cuda = _driver()
            if address:
                _check(cuda.cuMemFree_v2(ctypes.c_uint64(address)), "release memory")
            made = ctypes.c_uint64()
            self.scratch.pop(stream, None)
            _check(cuda.cuMemAlloc_v2(ctypes.byref(made), ctypes.c_size_t(needed)), "allocate memory")
            address = made.value
            self.scratch[stream] = (address, needed)
        return address

    def start(self, which, items, values, stream, maps=()):
        if items <= 0:
            return
        function, max_threads = self.functions[which]
        _, threads, block_items, most_blocks, _, shared = _LAUNCHES[which]
        if block_items:
            blocks, most = (items - 1) // block_items + 1, self.multiprocessors * most_blocks or 2**31 - 1
        else:
            threads = min((max(threads, 1) + 31) // 32 * 32, max(max_threads // 32, 1) * 32)
            while threads >= 64 and items // threads < self.multiprocessors:
                threads = threads // 64 * 32
            blocks, most = (items - 1) // threads + 1, self.multiprocessors * 32
        words = [ctypes.c_uint64(value) for value in values]
        places = [ctypes.addressof(word) for word in words] + [place for _, place in maps]
        pointers = (ctypes.c_void_p * len(places))(*places)
        grid = min(blocks, most)
        stream = ctypes.c_void_p(stream)
        status = _driver().cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, shared, stream, pointers, None)
        _check(status, "launch a kernel")


def load(loaded={}):
    """The kernels in the current context; without one, in the first device's primary context."""
    cuda = _driver()
    context = ctypes.c_void_p()
    _check(cuda.cuCtxGetCurrent(ctypes.byref(context)), "find the context")
    if not context.value:
        device = ctypes.c_int()
        _check(cuda.cuDeviceGet(ctypes.byref(device), 0), "find a device")
        _check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "open the device")
        _check(cuda.cuCtxSetCurrent(context), "open the device")
    if context.value not in loaded:
        loaded[context.value] = _Kernels()
    return loaded[context.value]


def _describe(name, value):
    """Address and shape of an array (no shape: not known), and the size of an element (0: not known)."""
    if hasattr(value, "data_ptr"):
        if hasattr(value, "is_cuda") and not value.is_cuda:
            raise ValueError("`%s` is not on a GPU" % name)
        if hasattr(value, "is_contiguous") and not value.is_contiguous():
            raise ValueError("`%s` is not contiguous: give `%s.contiguous()`" % (name, name))
        shape = tuple(value.shape) if hasattr(value, "shape") else None
        return value.data_ptr(), shape, value.element_size() if hasattr(value, "element_size") else 0
    if hasattr(value, "__cuda_array_interface__"):
        interface = value.__cuda_array_interface__
        shape, width = tuple(interface["shape"]), int(interface["typestr"][2:])
        step, contiguous = width, True
        if interface.get("strides") is not None:
            for extent, stride in zip(reversed(shape), reversed(interface["strides"])):
                contiguous, step = contiguous and (extent == 1 or stride == step), step * extent
        if not contiguous and 0 not in shape:
            raise ValueError("`%s` is not contiguous" % name)
        return interface["data"][0] or 0, shape, width
    kind = type(value).__name__
    raise TypeError("`%s` is a %s, which has neither `data_ptr()` nor `__cuda_array_interface__`" % (name, kind))


def _current_stream(values):
    """The stream that is current for the library whose arrays these are."""
    for library in ("torch", "cupy"):
        module = sys.modules.get(library)
        kind = getattr(module, "Tensor" if library == "torch" else "ndarray", None)
        for value in values:
            if kind is not None and isinstance(value, kind):
                if library == "torch":
                    return module.cuda.current_stream(value.device).cuda_stream
                return module.cuda.get_current_stream().ptr
    return 0


def _address(name, array, extents, width, stand_in):
    address, shape, element = array
    if element and element != width:
        raise ValueError("an element of `%s` has %d bytes and should have %d" % (name, element, width))
    count = 1
    for extent in extents:
        count *= extent
    if shape is not None:
        given = 1
        for extent in shape:
            given *= extent
        if given != count or (extents and len(shape) > 1 and tuple(shape) != tuple(extents)):
            raise ValueError("`%s` has the shape %s and should have %s" % (name, tuple(shape), tuple(extents)))
    if count == 0:
        return stand_in
    if address == 0 or address % 16 != 0:
        raise ValueError("the address of `%s` is not a multiple of 16" % name)
    return address


def refused(m, n):
    """None if these sizes can be used; otherwise the condition that they do not meet."""
    if not (1 <= n):
        return "1 <= n"
    if not (1 <= m):
        return "1 <= m"
    if max(max(m, 1) * max(n, 1), max(m, 1), max(m, 1), 1, max(0, 1), m, 1, 0) * 16 >= 2**63:
        return "the number of elements fits in 64 bits"
    return None


def scratch_bytes(m, n):
    """Bytes of device memory that a launch needs besides its arguments."""
    return _find_places(m, n)[-1]


def _find_places(m, n):
    places = []
    at = 0
    places.append(at)
    at += (max(m, 1) * max(n, 1) * 4 + 255) // 256 * 256 if m * n == 0 else 0
    places.append(at)
    at += (max(m, 1) * 4 + 255) // 256 * 256 if m == 0 else 0
    places.append(at)
    at += (max(m, 1) * 4 + 255) // 256 * 256 if m == 0 else 0
    places.append(at)
    at += (max(0, 1) * 4 + 255) // 256 * 256
    places.append(at)
    return places


def mean_and_largest(x, result_0, result_1, result_2, *, m=None, n=None, scratch=None, stream=None):
    """Queues all kernels.

    x: f32[m, n]
    result_0: f32[m], which is written
    result_1: f32[m], which is written
    result_2: f32, which is written, an array of one element
    m, n: sizes; those that an argument's shape has may be left out.
    scratch: device memory of `scratch_bytes(m, n)` bytes, as an array or an address;
        without it, the module keeps some for each stream. Give it where a stream is under capture.
    """
    arrays = {"x": _describe("x", x), "result_0": _describe("result_0", result_0), "result_1": _describe("result_1", result_1), "result_2": _describe("result_2", result_2)}
    if m is None and arrays["x"][1] is not None and len(arrays["x"][1]) == 2:
        m = arrays["x"][1][0]
    if m is None:
        raise TypeError("the size `m` is needed")
    m = int(m)
    if n is None and arrays["x"][1] is not None and len(arrays["x"][1]) == 2:
        n = arrays["x"][1][1]
    if n is None:
        raise TypeError("the size `n` is needed")
    n = int(n)
    problem = refused(m, n)
    if problem is not None:
        raise ValueError("the sizes do not meet: " + problem)
    if stream is None:
        stream = _current_stream((x, result_0, result_1, result_2, ))
    kernels = load()
    places = _find_places(m, n)
    if scratch is None:
        scratch = kernels.scratch_for(stream, places[-1]) if places[-1] else 0
    elif not isinstance(scratch, int):
        scratch = _describe("scratch", scratch)[0]
    if scratch % 16 != 0 or (places[-1] and not scratch):
        raise ValueError("scratch memory has an address that is a multiple of 16")
    values = [_address("x", arrays["x"], (m, n, ), 4, scratch + places[0]),
              _address("result_0", arrays["result_0"], (m, ), 4, scratch + places[1]),
              _address("result_1", arrays["result_1"], (m, ), 4, scratch + places[2]),
              _address("result_2", arrays["result_2"], (), 4, 0),
              scratch + places[3]]
    values += [m, n]
    kernels.start(0, m, values, stream)
    kernels.start(1, 1, values, stream)
