"""Finds libreckon.so, loads it, and says what its functions take (api/reckon/c.h)."""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, List, Optional

ABI = 1

OK = 0
CHECK_FAILED = 1
BAD_USE = 2
SOURCE_ERROR = 3
MISSING = 69
INTERNAL = 70
INTERRUPTED = 130

ON = {"interpreter": 0, "host": 1, "gpu": 2, "gpus": 3, "mpi": 4}


class _Sized(Structure):
    """A structure that begins with its own size, so that later versions of the library can add members."""

    def __init__(self, **members: Any) -> None:
        super().__init__(size=ctypes.sizeof(type(self)), **members)


class SessionOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("library_folder", c_char_p),
        ("semantics", c_char_p),
        ("kernel_folder", c_char_p),
        ("budget", c_double),
        ("seed", POINTER(c_int64)),
        ("cuda_driver", c_char_p),
    ]


class Tensor(Structure):
    _fields_ = [("type", c_char_p), ("rank", c_size_t), ("shape", POINTER(c_int64)), ("data", c_void_p)]


class CallOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("on", c_int),
        ("semantics", c_char_p),
        ("definitions", POINTER(c_char_p)),
        ("arch", c_char_p),
    ]


class CompileOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("emit", c_char_p),
        ("host", c_int),
        ("semantics", c_char_p),
        ("arch", c_char_p),
        ("definitions", POINTER(c_char_p)),
    ]


class DrawOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("leaves", c_int64),
        ("form", c_char_p),
        ("as_", c_char_p),
        ("label", c_char_p),
        ("shade", c_char_p),
        ("tile", POINTER(c_int64)),
        ("tile_rank", c_size_t),
        ("element_bytes", c_int64),
        ("no_caption", c_int),
    ]


class RevealOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("n", c_int64),
        ("format", c_char_p),
        ("accumulator", c_char_p),
        ("result", c_char_p),
        ("products", c_int),
        ("verify", c_int64),
        ("seed", c_uint64),
        ("shape", POINTER(c_int64)),
        ("rank", c_size_t),
        ("second_shape", POINTER(c_int64)),
        ("second_rank", c_size_t),
        ("outputs", c_size_t),
    ]


class PtxArgument(Structure):
    _fields_ = [("number", c_char_p), ("memory", Tensor), ("unwritten", c_int), ("zeros", c_int)]


class PtxOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("kernel", c_char_p),
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("shared_bytes", c_uint32),
        ("semantics", c_char_p),
        ("seed", c_uint64),
        ("instructions", c_uint64),
        ("no_races", c_int),
        ("nearest", c_int),
        ("verify", c_int64),
        ("chip", c_char_p),
    ]


class PrepareOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("on", c_int),
        ("semantics", c_char_p),
        ("definitions", POINTER(c_char_p)),
        ("arguments", POINTER(Tensor)),
        ("argument_count", c_size_t),
        ("arch", c_char_p),
        ("device", c_int),
    ]


class TensorInfo(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_char_p),
        ("rank", c_size_t),
        ("shape", POINTER(c_int64)),
        ("bytes", c_uint64),
        ("row_major", c_int),
    ]


Sink = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_void_p)
Box = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int64, POINTER(c_uint64))
OutputsBox = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p)

_texts = POINTER(c_char_p)
_handle = c_void_p
_SIGNATURES = {
    "version": (c_char_p, []),
    "abi": (c_int, []),
    "session_new": (c_int, [POINTER(SessionOptions), POINTER(_handle)]),
    "session_free": (None, [_handle]),
    "interrupt": (None, [_handle]),
    "use_ranks": (c_int, [_handle, c_size_t, POINTER(c_int), POINTER(c_int)]),
    "message_text": (c_char_p, [_handle]),
    "messages": (c_char_p, [_handle]),
    "load": (c_int, [_handle, c_char_p, c_char_p]),
    "use_library": (c_int, [_handle]),
    "names": (c_int, [_handle, _texts]),
    "loaded": (c_int, [_handle, _texts]),
    "describe": (c_int, [_handle, c_char_p, _texts]),
    "signature": (c_int, [_handle, c_char_p, _texts]),
    "define": (c_int, [_handle, c_char_p, POINTER(Tensor)]),
    "run": (c_int, [_handle, c_char_p, c_char_p, Sink, c_void_p]),
    "enter": (c_int, [_handle, c_char_p, Sink, c_void_p]),
    "evaluate": (c_int, [_handle, c_char_p, POINTER(_handle)]),
    "call": (c_int, [_handle, c_char_p, POINTER(Tensor), c_size_t, POINTER(CallOptions), POINTER(_handle)]),
    "values_free": (None, [_handle]),
    "values_count": (c_size_t, [_handle]),
    "value_type": (c_char_p, [_handle, c_size_t]),
    "value_semantics": (c_char_p, [_handle, c_size_t]),
    "value_rank": (c_size_t, [_handle, c_size_t]),
    "value_shape": (POINTER(c_int64), [_handle, c_size_t]),
    "value_elements": (c_size_t, [_handle, c_size_t]),
    "value_bits": (c_void_p, [_handle, c_size_t, POINTER(c_size_t)]),
    "value_text": (c_char_p, [_handle, c_size_t, c_size_t]),
    "value_form": (c_char_p, [_handle, c_size_t, c_size_t, c_char_p]),
    "value_numbers": (c_int, [_handle, c_size_t, c_char_p, c_void_p]),
    "value_summary": (c_char_p, [_handle, c_size_t]),
    "compile": (c_int, [_handle, c_char_p, POINTER(CompileOptions), POINTER(c_void_p), POINTER(c_size_t)]),
    "tree": (c_int, [_handle, c_char_p, c_int64, _texts]),
    "circuit_tree": (c_int, [_handle, c_char_p, c_int64, _texts, _texts]),
    "draw": (c_int, [_handle, c_char_p, POINTER(DrawOptions), _texts]),
    "draw_circuit": (c_int, [_handle, c_char_p, POINTER(DrawOptions), _texts, _texts]),
    "reveal": (c_int, [_handle, Box, c_void_p, POINTER(RevealOptions), _texts]),
    "reveal_outputs": (c_int, [_handle, OutputsBox, c_void_p, POINTER(RevealOptions), _texts]),
    "ptx": (
        c_int,
        [_handle, c_char_p, c_char_p, POINTER(PtxArgument), c_size_t, POINTER(PtxOptions), POINTER(c_void_p), _texts],
    ),
    "trace": (
        c_int,
        [_handle, c_char_p, c_char_p, POINTER(PtxArgument), c_size_t, POINTER(PtxOptions), _texts],
    ),
    "prepare": (c_int, [_handle, c_char_p, POINTER(PrepareOptions), POINTER(_handle)]),
    "program_free": (None, [_handle]),
    "program_parameters": (c_size_t, [_handle]),
    "program_results": (c_size_t, [_handle]),
    "program_parameter": (c_int, [_handle, c_size_t, POINTER(TensorInfo)]),
    "program_result": (c_int, [_handle, c_size_t, POINTER(TensorInfo)]),
    "program_run": (c_int, [_handle, c_void_p, c_void_p, c_void_p]),
    "program_wait": (c_int, [_handle]),
    "program_message_text": (c_char_p, [_handle]),
    "program_messages": (c_char_p, [_handle]),
}


class Library:
    """The functions of libreckon.so, without the prefix `reckon_`."""

    def __init__(self, loaded: ctypes.CDLL, path: str) -> None:
        self.path = path
        for name, (result, arguments) in _SIGNATURES.items():
            try:
                function = getattr(loaded, "reckon_" + name)
            except AttributeError:
                raise ImportError(f"{path} is not a libreckon.so of this package: it has no reckon_{name}") from None
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)
        found = self.abi()
        if found != ABI:
            raise ImportError(f"{path} has version {found} of the interface, and this package needs version {ABI}")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def candidates() -> List[str]:
    """Where the library is looked for, in this order. A library that the environment names hides the package's own."""
    found = []
    named = os.environ.get("RECKON_LIBRARY")
    if named:
        found.append(named)
    else:
        beside = Path(__file__).resolve().parent / "libreckon.so"
        if beside.exists():
            found.append(str(beside))
        found.append("libreckon.so.0")
    return found


_library: Optional[Library] = None
_loading = threading.Lock()


def library() -> Library:
    """The library, which the first call loads. Importing the package does not need it."""
    global _library
    if _library is None:
        with _loading:
            if _library is None:
                _library = _load()
    return _library


def _load() -> Library:
    failures = []
    for path in candidates():
        try:
            return Library(ctypes.CDLL(path), path)
        except OSError as error:
            failures.append(f"  {error}")
    raise ImportError(
        "libreckon.so cannot be loaded:\n"
        + "\n".join(failures)
        + "\nhelp: the environment variable RECKON_LIBRARY names the file"
    )


def texts(values: "List[str]") -> "Optional[ctypes.Array[c_char_p]]":
    """A list of texts that a NULL ends."""
    if not values:
        return None
    return (c_char_p * (len(values) + 1))(*[value.encode() for value in values], None)


def sizes(values: "Any") -> "ctypes.Array[c_int64]":
    return (c_int64 * max(len(values), 1))(*values)


def decoded(text: Optional[bytes]) -> str:
    return "" if text is None else text.decode("utf-8", "replace")
