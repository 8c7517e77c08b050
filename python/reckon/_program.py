"""Circuits compiled for fixed sizes, and the quick way from a call to one of them."""

from __future__ import annotations

import ctypes
import threading
from collections import OrderedDict
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, List, NoReturn, Optional, Sequence, Tuple, TypeVar

from . import _errors, _formats, _host, _library
from ._errors import ArgumentError
from ._formats import FORMATS, Format, numpy

if TYPE_CHECKING:
    from ._session import Session

_from_buffer: Any = ctypes.c_char.from_buffer
_addressof = ctypes.addressof
_ndarray: Any = numpy.ndarray if numpy is not None else memoryview


#: How many programs a circuit keeps on the host, and on GPUs; the one that was not used for longest is given up.
CACHE_SIZE = 128

T = TypeVar("T")


class Cache(Generic[T]):
    """The values that were used last. Several threads may use it."""

    def __init__(self) -> None:
        self._values: "OrderedDict[Any, T]" = OrderedDict()
        self._lock = threading.Lock()
        #: The hash, the key and the value that were found last: most calls are like the one before.
        self._last: Optional[Tuple[int, Any, T]] = None

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Any) -> Optional[T]:
        """TypeError if the key cannot be hashed."""
        hashed = hash(key)
        last = self._last
        if last is not None and last[0] == hashed and last[1] == key:
            return last[2]
        found = self._values.get(key)
        if found is not None:
            # In this order: `take` and `clear` first drop the value, then what was found last.
            self._last = hashed, key, found
            try:
                self._values.move_to_end(key)
            except KeyError:
                self._last = None  # Another thread gave it up.
        return found

    def keep(self, key: Any, value: T) -> None:
        with self._lock:
            self._values[key] = value
            while len(self._values) > CACHE_SIZE:
                self._values.popitem(last=False)
            self._last = None

    def take(self, keys: Callable[[List[Any]], Optional[Any]]) -> Optional[T]:
        """Takes the value out whose key `keys` chooses."""
        with self._lock:
            key = keys(list(self._values))
            found = None if key is None else self._values.pop(key)
            self._last = None
            return found

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._last = None


class Shape:
    """What an argument of a call is, without its data."""

    __slots__ = ("form", "shape")

    def __init__(self, form: Format, shape: Tuple[int, ...]) -> None:
        self.form, self.shape = form, shape

    def key(self) -> Tuple[str, Tuple[int, ...]]:
        return self.form.name, self.shape


def tensors(arguments: Sequence[Any]) -> Any:
    """The library's structures for arguments with `form`, `shape` and perhaps an `address`. They hold what they point
    to."""
    out = (_library.Tensor * max(len(arguments), 1))()
    for tensor, argument in zip(out, arguments):
        tensor.type = argument.form.name.encode()
        tensor.rank = len(argument.shape)
        tensor.shape = _library.sizes(argument.shape)
        tensor.data = getattr(argument, "address", None)
    return out


class Part:
    """A parameter or a result of a program."""

    __slots__ = ("name", "form", "shape", "bytes", "row_major")

    def __init__(self, info: _library.TensorInfo) -> None:
        self.name = _library.decoded(info.name)
        self.form = FORMATS[_library.decoded(info.type)]
        self.shape: Tuple[int, ...] = tuple(info.shape[: info.rank]) if info.rank else ()
        self.bytes: int = info.bytes
        self.row_major = bool(info.row_major)


class Program:
    """Owns a reckon_program."""

    def __init__(
        self,
        session: "Session",
        circuit: str,
        on: str,
        arguments: Sequence[Any],
        definitions: List[str],
        device: int = 0,
    ) -> None:
        self.session = session
        self.handle: Optional[int] = None
        self._lib = session._lib
        held = tensors(arguments)
        options = _library.PrepareOptions(
            on=_library.ON[on],
            definitions=_library.texts(definitions),
            device=device,
            arguments=held,
            argument_count=len(arguments),
        )
        out = c_void_p()
        with session.lock:
            session._call(self._lib.prepare, circuit.encode(), byref(options), byref(out))
            self.handle = out.value
            self.parameters = self._parts(self._lib.program_parameters, self._lib.program_parameter)
            self.results = self._parts(self._lib.program_results, self._lib.program_result)

    def _parts(self, count: Any, describe: Any) -> List[Part]:
        parts = []
        for index in range(count(self.handle)):
            info = _library.TensorInfo()
            status = describe(self.handle, index, byref(info))
            if status != _library.OK:
                self.fail(status)
            parts.append(Part(info))
        return parts

    def fail(self, status: int) -> NoReturn:
        """Raises what the program's messages say."""
        text = _library.decoded(self._lib.program_message_text(self.handle))
        raise _errors.error(status, text, _errors.messages_of(self._lib.program_messages(self.handle)))

    def __del__(self) -> None:
        if self.handle is not None:
            self.session.discard(self._lib.program_free, self.handle)


class HostPlan:
    """A program on the host with what a call of it needs, made once."""

    def __init__(self, program: Program, circuit: str, stated: Optional[Format], patterns: bool) -> None:
        self.program = program
        self.session = program.session
        self.circuit = circuit
        self.stated = stated
        self.patterns = patterns
        self._lock = program.session.lock._lock
        self._run = program._lib.program_run
        self._handle = program.handle
        self._arguments = (c_void_p * max(len(program.parameters), 1))()
        self._results = (c_void_p * max(len(program.results), 1))()
        #: Memory for Python numbers, which are rounded into it.
        self._cells = [(ctypes.c_uint64 * 1)() for _ in program.parameters]
        self._masks = [_alignment(part.form) - 1 for part in program.parameters]
        self._makers = [(part.shape, self._dtype(part.form)) for part in program.results]
        single = len(program.results) == 1
        self._single = self._makers[0] if single and numpy is not None else None

    def _dtype(self, form: Format) -> Any:
        return None if numpy is None else _formats.dtype_of(form, self.patterns)

    def quick(self, values: Sequence[Any], out: Any = None) -> Any:
        """Runs on values that are like those of an earlier call: arrays of NumPy of the same dtypes and shapes, and
        Python numbers at the same places. One result."""
        lock = self._lock
        if not lock.acquire(False):
            self.session.lock.wait()
        try:
            if self.session._handle is None:
                self.session._raise_gone()
            places = self._arguments
            held = []
            index = 0
            for value in values:
                if value.__class__ is _ndarray:
                    try:
                        buffer = _from_buffer(value)
                        place = _addressof(buffer)
                        if place & self._masks[index]:
                            raise ValueError
                    except (TypeError, ValueError):
                        # Read-only, empty, not contiguous or not aligned.
                        buffer = _host.packed(value)
                        place = _host.address_of(buffer)
                    held.append(buffer)
                else:
                    place = self._number(value, index)
                places[index] = place
                index += 1
            if out is not None:
                self._into(self.checked_results(out, values))
                return out
            single = self._single
            if single is None:
                return self._several()
            array = numpy.empty(*single)
            try:
                self._results[0] = _addressof(_from_buffer(array))
            except ValueError:
                self._results[0] = _host.address_of(array)
            status = self._run(self._handle, places, self._results, None)
            if status:
                self.program.fail(status)
            return array if single[0] else array[()]
        finally:
            lock.release()

    def _what(self, index: int) -> str:
        return f"argument `{self.program.parameters[index].name}` of `{self.circuit}`"

    def _number(self, value: Any, index: int) -> int:
        cell = self._cells[index]
        form = self.program.parameters[index].form
        if value.__class__ is not float and form.is_float:
            if value.__class__ is not int or -_formats.EXACT <= value <= _formats.EXACT:
                value = float(value)  # Exact: the others are float32 and float64 of NumPy.
        if value.__class__ is float and form.name == "f32":
            ctypes.c_float.from_buffer(cell).value = value
        elif value.__class__ is float and form.name == "f64":
            ctypes.c_double.from_buffer(cell).value = value
        else:
            try:
                cell[0] = _formats.pattern(value, form)
            except (TypeError, ValueError, OverflowError) as error:
                raise ArgumentError(f"{self._what(index)} cannot be rounded to {form.name}: {error}") from None
        return _addressof(cell)

    def _several(self) -> Any:
        outs = [_host.result(part.form, part.shape, self.patterns) for part in self.program.results]
        self._into(outs)
        found = tuple(_host.finished(out, part.form) for out, part in zip(outs, self.program.results))
        return found[0] if len(found) == 1 else found

    def _into(self, outs: Sequence[Any]) -> None:
        for index, out in enumerate(outs):
            if numpy is not None:
                self._results[index] = _host.address_of(out)
            else:
                self._results[index] = _host._address_of_view(out)
        status = self._run(self._handle, self._arguments, self._results, None)
        if status:
            self.program.fail(status)

    def run(self, arguments: Sequence[_host.HostArray], outs: Optional[Sequence[Any]]) -> Any:
        """Runs on arguments that were looked at."""
        with self.session.lock:
            self.session.handle  # Raises if it is gone.
            for index, argument in enumerate(arguments):
                self._arguments[index] = argument.address
            if outs is None:
                return self._several()
            self._into(outs)
            return outs[0] if len(outs) == 1 else tuple(outs)

    def checked_results(self, out: Any, arguments: Sequence[Any]) -> List[Any]:
        """The caller's arrays for the results, which share no memory with the arrays among the arguments."""
        results = self.program.results
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(outs) != len(results):
            raise ArgumentError(f"out has {len(outs)} arrays, and `{self.circuit}` has {len(results)} results")
        for index, (each, part) in enumerate(zip(outs, results)):
            outs[index] = _host.checked_result(each, part.form, part.shape, -1 if each is out else index)
        for index, each in enumerate(outs):
            others = [*arguments, *outs[:index]]
            if any(isinstance(other, _ndarray) and numpy.may_share_memory(each, other) for other in others):
                raise ArgumentError(
                    "out shares memory with an argument or another result, which are read while it is written"
                )
        return outs


def _alignment(form: Format) -> int:
    return form.bytes


def definition_texts(values: Dict[str, Any]) -> List[str]:
    """`k=64`, `T=f32`."""
    found = []
    for name, value in values.items():
        if isinstance(value, bool) or not (isinstance(value, (int, str)) or hasattr(value, "__index__")):
            try:
                value = _formats.format_named(value).name
            except ValueError:
                raise ArgumentError(
                    f"`{name}` is {value!r}: a dimension or static parameter is an integer or a format"
                ) from None
        elif isinstance(value, str):
            try:
                value = _formats.format_named(value).name
            except ValueError:
                pass
        else:
            value = int(value)
        found.append(f"{name}={value}")
    return found
