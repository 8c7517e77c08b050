"""Arguments in the memory of a GPU: arrays of PyTorch, CuPy, and all that one of these two takes without a copy.

A circuit runs on the current stream of the array's framework, on the arrays' addresses, and writes to memory that the
framework allocates. Nothing is waited for, so that the call can be recorded in a CUDA graph.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from ctypes import c_void_p
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from . import _formats, _host
from ._errors import ArgumentError
from ._formats import FORMATS, Format
from ._program import Program

if TYPE_CHECKING:
    from ._session import Session

#: Kernels read and write 16 bytes at once.
ALIGNMENT = 16
#: How many numbers that were written to a device a plan keeps there.
NUMBERS = 64


class Torch:
    """Tensors of PyTorch."""

    name = "torch"

    def __init__(self, module: Any) -> None:
        self.module = module
        self.kind = module.Tensor
        private = getattr(module, "_C", None)
        self._raw_stream = getattr(private, "_cuda_getCurrentRawStream", None)
        self._capturing = getattr(private, "_cuda_isCurrentStreamCapturing", None)
        self._empty_like = module.empty_like
        self._formats: Dict[Any, Format] = {}
        self._dtypes: Dict[str, Any] = {}
        self._places: Dict[int, Any] = {}
        for form in FORMATS.values():
            dtype = getattr(module, str(form.torch_name), None)
            if dtype is not None and form.name != "tf32":
                self._formats[dtype] = form
                self._dtypes[form.name] = dtype
        self._dtypes["tf32"] = module.float32

    def format(self, array: Any) -> Optional[Format]:
        return self._formats.get(array.dtype)

    def device(self, array: Any) -> int:
        index = array.device.index
        return 0 if index is None else int(index)

    def key(self, array: Any) -> Tuple[Any, ...]:
        return array.shape, array.dtype, array.device

    def address(self, array: Any) -> int:
        return array.data_ptr()  # type: ignore[no-any-return]

    def ready(self, array: Any) -> int:
        """The address, if kernels can read and write the array where it is; otherwise -1."""
        place = array.data_ptr()
        # What is real may be the imaginary part of a conjugate, whose sign its elements lack.
        if place & (ALIGNMENT - 1) or not array.is_contiguous() or array.is_neg():
            return -1
        return place  # type: ignore[no-any-return]

    def copy(self, array: Any) -> Any:
        return array.detach().clone(memory_format=self.module.contiguous_format)

    def look(self, array: Any, key: List[Any]) -> bool:
        """Adds what a call's program depends on to its key; False if `check` may refuse the array."""
        if array.requires_grad:
            return False
        key += (array.shape, array.dtype, array.device)
        return True

    def check(self, array: Any, what: str) -> None:
        _host.refuse_gradients(array, what)
        if array.layout != self.module.strided:
            raise ArgumentError(f"{what} is sparse: make it dense, x.to_dense()")

    def device_of(self, index: int) -> Any:
        found = self._places.get(index)
        if found is None:
            found = self._places[index] = self.module.device("cuda", index)
        return found

    def same(self, form: Format, dtype: Any) -> bool:
        """Whether results of a format have this dtype."""
        return self._dtypes.get(form.name) == dtype

    def empty_like(self, array: Any, shape: Tuple[int, ...], same: bool) -> Any:
        """An array with the dtype and device of another, which is contiguous, without the time that `empty` takes to read
        these, and with less still if they have the same shape."""
        return self._empty_like(array) if same else array.new_empty(shape)

    def empty(self, shape: Tuple[int, ...], form: Format, device: int) -> Any:
        dtype = self._dtypes.get(form.name)
        if dtype is None:
            raise ArgumentError(f"this PyTorch has no dtype for results of {form.name}")
        return self.module.empty(shape, dtype=dtype, device=self.device_of(device))

    def full(self, number: Any, form: Format, device: int) -> Any:
        """A number in the device's memory, written by a kernel on the current stream."""
        return self.module.full((), number, dtype=self._dtypes[form.name], device=self.device_of(device))

    def stream(self, device: int) -> int:
        if self._raw_stream is not None:
            return self._raw_stream(device)  # type: ignore[no-any-return]
        return int(self.module.cuda.current_stream(device).cuda_stream)

    def capturing(self) -> bool:
        if self._capturing is not None:
            return self._capturing()  # type: ignore[no-any-return]
        return bool(self.module.cuda.is_current_stream_capturing())

    def adopt(self, value: Any) -> Any:
        if hasattr(value, "__cuda_array_interface__"):
            return self.module.as_tensor(value, device="cuda")
        return self.module.from_dlpack(value)


def _found(module: Any, *names: str) -> Any:
    """The attribute of a module's module, or None."""
    for name in names:
        module = getattr(module, name, None)
    return module


class CuPy:
    """Arrays of CuPy. It has no dtypes of bf16 and f8; `dtype="bf16"` says that uint16 holds patterns."""

    name = "cupy"

    def __init__(self, module: Any) -> None:
        self.module = module
        self.kind = module.ndarray
        cuda = module.cuda
        # CuPy's own shortcuts, where they are: numbers in place of objects for streams and devices.
        self._stream = _found(cuda, "stream", "get_current_stream_ptr")
        self._is_capturing = _found(cuda, "runtime", "streamIsCapturing")
        self._current = _found(cuda, "device", "get_device_id") or (lambda: cuda.Device().id)

    def format(self, array: Any) -> Optional[Format]:
        return _formats.format_of_dtype(array.dtype)

    def device(self, array: Any) -> int:
        return int(array.data.device_id)

    def key(self, array: Any) -> Tuple[Any, ...]:
        return array.shape, array.dtype, array.data.device_id

    def address(self, array: Any) -> int:
        return array.data.ptr  # type: ignore[no-any-return]

    def ready(self, array: Any) -> int:
        place = array.data.ptr
        return place if not place & (ALIGNMENT - 1) and array.flags.c_contiguous else -1

    def copy(self, array: Any) -> Any:
        return array.copy(order="C")

    def look(self, array: Any, key: List[Any]) -> bool:
        key += (array.shape, array.dtype, array.data.device_id)
        return True

    def check(self, array: Any, what: str) -> None:
        pass

    def _dtype(self, form: Format) -> Any:
        return _formats.dtype_of(form, patterns=True)

    def same(self, form: Format, dtype: Any) -> bool:
        return False  # `empty` takes no longer than another way would.

    def empty(self, shape: Tuple[int, ...], form: Format, device: int) -> Any:
        if device != self._current():
            with self.module.cuda.Device(device):
                return self.module.empty(shape, self._dtype(form))
        return self.module.empty(shape, self._dtype(form))

    def full(self, number: Any, form: Format, device: int) -> Any:
        with self.module.cuda.Device(device):
            if form.numpy_name is None:
                return self.module.full((), _formats.pattern(number, form), self._dtype(form))
            return self.module.full((), number, self._dtype(form))

    def stream(self, device: int) -> int:
        if self._stream is not None:
            return self._stream()  # type: ignore[no-any-return]
        return int(self.module.cuda.get_current_stream().ptr)

    def capturing(self) -> bool:
        if self._is_capturing is not None:
            stream = self.stream(0)
            # The default stream cannot be captured, and to ask about it while another is captured is an error.
            return stream > 2 and bool(self._is_capturing(stream))
        return bool(self.module.cuda.get_current_stream().is_capturing())

    def adopt(self, value: Any) -> Any:
        if hasattr(value, "__cuda_array_interface__"):
            return self.module.asarray(value)
        return self.module.from_dlpack(value)


_frameworks: Dict[str, Any] = {}
_classes = {"torch": Torch, "cupy": CuPy}


def framework(name: str, load: bool = False) -> Any:
    """What is known of a framework; None if the program has not imported it."""
    module = sys.modules.get(name)
    found = _frameworks.get(name)
    if found is not None and found.module is module:
        return found
    if module is None and load:
        try:
            module = __import__(name)
        except ImportError:
            return None
    if module is None or not hasattr(module, "Tensor" if name == "torch" else "ndarray"):
        return None
    if found is not None:
        by_class.pop(found.kind, None)
    found = _frameworks[name] = _classes[name](module)
    by_class[found.kind] = found
    return found


#: The frameworks by the class of their arrays.
by_class: Dict[type, Any] = {}


def on_device(value: Any) -> bool:
    """Whether an object lies in the memory of a CUDA device."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        return bool(value.is_cuda)
    if type(value).__module__ in ("numpy", "builtins", "array"):
        return False
    if hasattr(value, "__cuda_array_interface__"):
        return True
    if hasattr(value, "__dlpack_device__"):
        return int(value.__dlpack_device__()[0]) == 2
    return False


def framework_of(values: Sequence[Any]) -> Tuple[Any, List[Any]]:
    """The framework that the arrays belong to, and the values as its arrays. Numbers stay as they are."""
    arrays = [value for value in values if not _host.is_plain(value)]
    found = None
    for name in _classes:
        each = framework(name)
        if each is not None and any(isinstance(value, each.kind) for value in arrays):
            if found is not None:
                raise ArgumentError("the arguments are arrays of both torch and cupy: pass those of one of them")
            found = each
    if found is None:
        found = framework("cupy") or framework("torch") or framework("cupy", True) or framework("torch", True)
    if found is None:
        raise ArgumentError("the results of arrays on a GPU are made by CuPy or PyTorch, and neither can be imported")
    out = []
    for value in values:
        if _host.is_plain(value):
            out.append(value)
        elif on_device(value):
            out.append(value if isinstance(value, found.kind) else found.adopt(value))
        else:
            raise ArgumentError(
                f"some arguments lie on a GPU, and one, a {type(value).__name__}, in the memory of the host: "
                "move it there"
            )
    return found, out


# ---- Captures

#: Plans that CUDA graphs recorded. A graph may be replayed as long as the process lives, so they are kept as long.
recorded: "List[DevicePlan]" = []


class _Driver:
    """A function of the CUDA driver that concerns captures. The frameworks have loaded it."""

    def __init__(self) -> None:
        self.library: Any = None
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError:
            pass

    def capture(self, stream: int) -> int:
        """The number of the capture that a stream takes part in."""
        status, number = ctypes.c_int(), ctypes.c_uint64()
        if self.library is not None:
            self.library.cuStreamGetCaptureInfo(c_void_p(stream), ctypes.byref(status), ctypes.byref(number))
        return number.value


_driver: Optional[_Driver] = None
_driver_lock = threading.Lock()


def driver() -> _Driver:
    global _driver
    with _driver_lock:
        if _driver is None:
            _driver = _Driver()
        return _driver


class DevicePlan:
    """A program on a GPU, for one stream, with what a call of it needs."""

    def __init__(self, program: Program, circuit: str, frame: Any, device: int, stated: Optional[Format]) -> None:
        self.program = program
        self.session: "Session" = program.session
        self.circuit = circuit
        self.frame = frame
        self.device = device
        self.stated = stated
        self._run = program._lib.program_run
        self._handle = program.handle
        self._arguments = (c_void_p * max(len(program.parameters), 1))()
        self._results = (c_void_p * max(len(program.results), 1))()
        self._sizes = [part.bytes for part in program.parameters]
        #: For each result, its shape and format, an argument of the same dtype or None, and whether that has the same
        #: shape; known after the first call.
        self._made: Optional[List[Tuple[Tuple[int, ...], Format, Optional[int], bool]]] = None
        #: Whether a CUDA graph has the plan's addresses.
        self.recorded = False
        self._numbers: Dict[Any, Any] = {}

    def with_numbers(self, values: Sequence[Any]) -> List[Any]:
        """The arguments, with arrays of the device in place of numbers. Those of the last few numbers are kept."""
        return [self._number(index, value) if _host.is_plain(value) else value for index, value in enumerate(values)]

    def _number(self, index: int, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            raise ArgumentError("beside arrays on a GPU, lists are no arguments: make arrays of them there")
        # The two zeros are equal, and so are 1, 1.0 and True.
        key = (index, value.__class__, value if value else repr(value))
        found = self._numbers.get(key)
        if found is None:
            form = self.program.parameters[index].form
            try:
                number = _formats.number(_formats.pattern(value, form), form)
            except (TypeError, ValueError) as error:
                raise ArgumentError(f"{self.what(index)} cannot be rounded to {form.name}: {error}") from None
            found = self.frame.full(number, form, self.device)
            if len(self._numbers) >= NUMBERS and not self.recorded:
                self._numbers.clear()
            self._numbers[key] = found
        return found

    def run(self, arrays: Sequence[Any], stream: int, outs: Optional[Sequence[Any]] = None) -> Any:
        """Queues the program on arrays of the framework that have the plan's dtypes, shapes and device."""
        frame, session, places = self.frame, self.session, self._arguments
        ready = frame.ready
        lock = session.lock._lock
        if not lock.acquire(False):
            session.lock.wait()
        try:
            if session._handle is None:
                session._raise_gone()
            index = 0
            for array in arrays:
                place = ready(array)
                if place <= 0:
                    if place < 0:
                        # The framework's allocator gives memory back in the stream's order, so the copy lives long
                        # enough.
                        array = frame.copy(array)
                        place = frame.address(array)
                        arrays = list(arrays)
                        arrays[index] = array
                    if not place and self._sizes[index]:
                        raise ArgumentError(f"{self.what(index)} has no memory any more")
                places[index] = place
                index += 1
            if outs is None:
                outs = self._new_results(arrays)
            index = 0
            for out in outs:
                self._results[index] = frame.address(out)
                index += 1
            status = self._run(self._handle, places, self._results, stream)
            if status:
                self.program.fail(status)
            return outs[0] if len(outs) == 1 else tuple(outs)
        finally:
            lock.release()

    def _new_results(self, arrays: Sequence[Any]) -> List[Any]:
        frame, device, made = self.frame, self.device, self._made
        if made is None:
            made = self._made = [self._like(part.shape, part.form, arrays) for part in self.program.results]
        return [
            frame.empty(shape, form, device) if index is None else frame.empty_like(arrays[index], shape, same)
            for shape, form, index, same in made
        ]

    def _like(
        self, shape: Tuple[int, ...], form: Format, arrays: Sequence[Any]
    ) -> Tuple[Tuple[int, ...], Format, Optional[int], bool]:
        found = [index for index, array in enumerate(arrays) if self.frame.same(form, array.dtype)]
        alike = [index for index in found if tuple(arrays[index].shape) == shape]
        return shape, form, next(iter(alike + found), None), bool(alike)

    def what(self, index: int) -> str:
        return f"argument `{self.program.parameters[index].name}` of `{self.circuit}`"

    def checked_results(self, out: Any, arrays: Sequence[Any]) -> List[Any]:
        """The caller's arrays for the results."""
        frame, results = self.frame, self.program.results
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(outs) != len(results):
            raise ArgumentError(f"out has {len(outs)} arrays, and `{self.circuit}` has {len(results)} results")
        spans = [(frame.address(each), part.bytes) for each, part in zip(arrays, self.program.parameters)]
        for index, (each, part) in enumerate(zip(outs, results)):
            what = "out" if each is out else f"out[{index}]"
            if not isinstance(each, frame.kind) or not on_device(each):
                raise ArgumentError(f"{what} is no array of {frame.name} on the GPU")
            found = frame.format(each)
            patterns = self.stated is not None and each.dtype == _formats.pattern_dtype(part.form)
            if found is not part.form and not patterns and not (part.form.name == "tf32" and found is FORMATS["f32"]):
                raise ArgumentError(f"{what} is of {each.dtype}, and the result is of {part.form.name}")
            if tuple(each.shape) != part.shape:
                raise ArgumentError(f"{what} has the shape {tuple(each.shape)}, and the result has {part.shape}")
            if frame.device(each) != self.device:
                raise ArgumentError(
                    f"{what} lies on the device {frame.device(each)}, and the arguments on {self.device}"
                )
            place = frame.address(each)
            if frame.ready(each) < 0:
                raise ArgumentError(f"{what} is not contiguous and aligned to {ALIGNMENT} bytes")
            if any(place < other + size and other < place + part.bytes for other, size in spans):
                raise ArgumentError(
                    f"{what} shares memory with an argument or another result, which are read meanwhile"
                )
            spans.append((place, part.bytes))
        return outs
