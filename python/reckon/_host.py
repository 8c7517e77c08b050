"""Arguments in the memory of the host: what each kind of Python object becomes.

An array keeps its dtype: another dtype than the parameter's format is an error that says how to convert. Numbers
without an array (floats, integers, fractions, lists of them, scalars of NumPy) are rounded once to the parameter's
format. Where an array is contiguous, aligned and in the machine's byte order, its memory is used as it is; otherwise
a copy of it.
"""

from __future__ import annotations

import ctypes
import sys
from numbers import Number
from typing import Any, List, Optional, Tuple

from . import _formats
from ._errors import ArgumentError
from ._formats import FORMATS, Format, numpy

_from_buffer: Any = ctypes.c_char.from_buffer


class HostArray:
    """Row-major, tightly packed bit patterns at an address. `owner` keeps them alive."""

    __slots__ = ("form", "shape", "address", "owner")

    def __init__(self, form: Format, shape: Tuple[int, ...], address: int, owner: Any) -> None:
        self.form, self.shape, self.address, self.owner = form, shape, address, owner


def is_plain(value: Any) -> bool:
    """Whether a value is numbers without a dtype of their own."""
    if isinstance(value, (list, tuple)):
        return True
    if numpy is not None and isinstance(value, numpy.generic):
        return True
    return isinstance(value, Number)


def stated_format(dtype: Any) -> Optional[Format]:
    if dtype is None:
        return None
    try:
        return _formats.format_named(dtype)
    except ValueError as error:
        raise ArgumentError(f"dtype: {error}") from None


def own_format(value: Any, stated: Optional[Format]) -> Optional[Format]:
    """The format that an array brings along; None of plain numbers, which take any."""
    if is_plain(value):
        return None
    array, form = _look(value, "an argument")
    return form or _array_format(array.dtype, None, stated)


def _array_format(dtype: Any, wanted: Optional[Format], stated: Optional[Format]) -> Optional[Format]:
    """The format of an array's elements, where `wanted` is the parameter's and `stated` the caller's."""
    dtype = dtype.newbyteorder("=")
    found = _formats.format_of_dtype(dtype)
    if wanted is not None and wanted.name == "tf32" and found is FORMATS["f32"]:
        return wanted
    if stated is not None and found is not stated:
        if dtype == _formats.pattern_dtype(stated) or (stated.name == "tf32" and found is FORMATS["f32"]):
            return stated
    return found


def _look(value: Any, what: str) -> Tuple[Any, Optional[Format]]:
    """The NumPy array (without NumPy a HostArray) that shares a value's memory, and its format where no dtype says
    it."""
    if numpy is None:
        view = _view_without_numpy(value, what)
        return view, view.form
    if isinstance(value, numpy.ndarray):
        if isinstance(value, numpy.ma.MaskedArray):
            raise ArgumentError(f"{what} is a masked array, and circuits know no masks: fill it, x.filled(0)")
        return value, None
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _of_torch(value, what)
    try:
        if hasattr(value, "__array_interface__") or hasattr(value, "__array_struct__"):
            return numpy.asarray(value), None
        if hasattr(value, "__dlpack__"):
            device = int(value.__dlpack_device__()[0]) if hasattr(value, "__dlpack_device__") else 1
            if device not in (1, 3):
                raise ArgumentError(f"{what} lies on a device that Reckon has no code for (DLPack's number {device})")
            return numpy.from_dlpack(value), None
        if hasattr(value, "__array__"):
            return numpy.asarray(value), None
        if isinstance(value, str):
            raise TypeError("a text is no number")
        return numpy.asarray(memoryview(value)), None
    except ArgumentError:
        raise
    except Exception as error:
        raise ArgumentError(f"{what} is a {type(value).__name__}, which is no array of numbers: {error}") from error


def _of_torch(tensor: Any, what: str) -> Tuple[Any, Optional[Format]]:
    torch = sys.modules["torch"]
    refuse_gradients(tensor, what)
    if tensor.device.type != "cpu":
        raise ArgumentError(
            f"{what} lies on the device `{tensor.device}`, and others do not, or Reckon has no code for it"
        )
    name = str(tensor.dtype).rpartition(".")[2]
    if name.endswith("_x2"):
        raise ArgumentError(f"{what} has two numbers in each byte ({tensor.dtype}): Reckon takes f4e2m1 in a byte each")
    for form in FORMATS.values():
        if form.torch_name == name and form.numpy_name is None:
            # NumPy cannot say what these are, and so takes their patterns.
            same = {1: torch.uint8, 2: torch.int16}[form.bytes]
            return tensor.detach().contiguous().view(same).numpy().view(_formats.pattern_dtype(form)), form
    return tensor.detach().numpy(), None


def to_torch(array: Any, form: Format) -> Any:
    """A tensor of PyTorch that shares an array's memory."""
    torch = sys.modules["torch"]
    array = numpy.asarray(array)
    if form.numpy_name is None and form.torch_name is not None:
        same = {1: numpy.uint8, 2: numpy.int16}[form.bytes]
        return torch.from_numpy(array.view(same)).view(getattr(torch, str(form.torch_name)))
    if form.torch_name is not None and not hasattr(torch, form.torch_name):
        raise ArgumentError(f"this PyTorch has no dtype for results of {form.name}: pass an array of NumPy")
    return torch.from_numpy(array)


def refuse_gradients(tensor: Any, what: str) -> None:
    torch = sys.modules["torch"]
    if tensor.requires_grad and torch.is_grad_enabled():
        raise ArgumentError(
            f"{what} requires a gradient, and circuits have no derivatives: pass x.detach(), or call within "
            "torch.no_grad()"
        )


def argument(value: Any, form: Optional[Format], what: str, stated: Optional[Format]) -> HostArray:
    """An argument for a parameter of this format; None: of the argument's own."""
    if is_plain(value):
        return _plain(value, form or FORMATS["f64"], what)
    array, found = _look(value, what)
    if numpy is None:
        if form is not None and array.form is not form:
            raise _wrong_format(what, form, array.form.name, "")
        return HostArray(array.form, array.shape, array.address, array.owner)
    found = found or _array_format(array.dtype, form, stated)
    if found is None or (form is not None and found is not form):
        raise wrong_dtype(array.dtype, form, what)
    form = found
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    array = packed(array)
    if form.name == "tf32" and array.size and (array.view(numpy.uint32) & 0x1FFF).any():
        raise ArgumentError(
            f"{what} has elements of tf32, and this array has numbers that are no tf32: round it, "
            "reckon.convert(x, 'tf32')"
        )
    return HostArray(form, array.shape, address_of(array), array)


def packed(array: Any) -> Any:
    """An array of NumPy, or a copy of it that is contiguous and aligned."""
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    return numpy.array(array, order="C", copy=True)


def _plain(value: Any, form: Format, what: str) -> HostArray:
    try:
        array = _formats.rounded(value, form)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(value, (list, tuple)) and any(hasattr(each, "shape") for each in value):
            raise ArgumentError(f"{what} is a list of arrays: join them, numpy.stack(x)") from None
        raise ArgumentError(f"{what} cannot be rounded to {form.name}: {error}") from None
    if numpy is None:
        return HostArray(form, array.shape, _address_of_view(array), array)
    return HostArray(form, array.shape, address_of(array), array)


def address_of(array: Any) -> int:
    """The address of an array's memory."""
    try:
        return ctypes.addressof(_from_buffer(array))
    except (TypeError, ValueError):
        return int(array.__array_interface__["data"][0])


def wrong_dtype(dtype: Any, form: Optional[Format], what: str) -> ArgumentError:
    if form is None:
        return ArgumentError(
            f"{what} has elements of a format that follows from the array, and {dtype} is none of its formats: "
            f"convert it to one of {', '.join(_formats.FORMATS)}; patterns of bf16 in uint16 need dtype='bf16'"
        )
    if form.numpy_name is not None and form.name != "tf32":
        how = "x != 0" if form.name == "bool" else f"x.astype(numpy.{form.numpy_name})"
        return _wrong_format(what, form, str(dtype), how)
    how = f"reckon.convert(x, {form.name!r})"
    extra = ""
    if dtype == _formats.pattern_dtype(form):
        extra = f"; or, if these are its bit patterns, say so: dtype={form.name!r}"
    return _wrong_format(what, form, str(dtype), how + extra)


def _wrong_format(what: str, form: Format, found: str, how: str) -> ArgumentError:
    text = f"{what} has elements of {form.name}, and this array is of {found}"
    return ArgumentError(text + (f": convert it, {how}" if how else ""))


# ---- Results


def result(form: Format, shape: Tuple[int, ...], patterns: bool) -> Any:
    """Memory for a result."""
    if numpy is not None:
        return numpy.empty(shape, _formats.dtype_of(form, patterns))
    count = 1
    for each in shape:
        count *= each
    memory = memoryview(bytearray(count * form.bytes))
    code = _VIEW_CODES.get(form.name, form.code)
    return memory.cast(code, shape) if count else memory.cast(code)


def checked_result(out: Any, form: Format, shape: Tuple[int, ...], index: int) -> Any:
    """The caller's array for a result, or why it cannot be that."""
    what = "out" if index < 0 else f"out[{index}]"
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(out, torch.Tensor):
        out = _of_torch(out, what)[0]
    if numpy is None or not isinstance(out, numpy.ndarray):
        raise ArgumentError(f"{what} is a {type(out).__name__}; results are written to NumPy arrays")
    if out.dtype not in (_formats.dtype_of(form), _formats.dtype_of(form, True)) or not out.dtype.isnative:
        raise ArgumentError(f"{what} is of {out.dtype}, and the result is of {form.name} ({_formats.dtype_of(form)})")
    if out.shape != shape:
        raise ArgumentError(f"{what} has the shape {out.shape}, and the result has {shape}")
    if not out.flags.writeable:
        raise ArgumentError(f"{what} is read-only")
    if not (out.flags.c_contiguous and out.flags.aligned):
        raise ArgumentError(f"{what} is not contiguous and aligned: write to an array of its own, and copy")
    return out


def finished(array: Any, form: Format) -> Any:
    """A result as the caller gets it: of rank 0, a scalar."""
    if array.ndim:
        return array
    if numpy is not None:
        return array[()]
    return _formats.number(int.from_bytes(array.tobytes(), "little"), form)


# ---- Without NumPy

_VIEW_CODES = {"f64": "d", "f32": "f", "i8": "b", "i16": "h", "i32": "i", "i64": "q"}
_VIEW_FORMATS = {"d": "f64", "f": "f32", "?": "bool", "e": "f16"}
_VIEW_FORMATS.update({"b": "i8", "h": "i16", "i": "i32", "q": "i64", "B": "u8", "H": "u16", "I": "u32", "Q": "u64"})


def _view_without_numpy(value: Any, what: str) -> HostArray:
    try:
        view = memoryview(value)
    except TypeError:
        raise ArgumentError(f"{what} is a {type(value).__name__}, which is no array of numbers") from None
    code = view.format.lstrip("@=<")
    name = _VIEW_FORMATS.get(code)
    if code in ("l", "L"):
        name = f"{'i' if code == 'l' else 'u'}{8 * view.itemsize}"
    if name is None or view.format.startswith((">", "!")):
        raise ArgumentError(f"{what} has elements of the kind `{view.format}`, which is no format of numbers")
    shape = view.shape or ()
    if view.readonly or not view.c_contiguous:
        view = memoryview(bytearray(view.tobytes()))
    return HostArray(FORMATS[name], tuple(shape), _address_of_view(view), view)


def _address_of_view(view: Any) -> int:
    if view.nbytes == 0:
        return ctypes.addressof(_nothing)
    return ctypes.addressof(_from_buffer(view))


_nothing = ctypes.create_string_buffer(16)


def addresses(values: List[int]) -> Any:
    return (ctypes.c_void_p * max(len(values), 1))(*values)
