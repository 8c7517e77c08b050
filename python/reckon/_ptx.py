"""Kernels of PTX, whoever wrote them, in an emulator of a GPU (docs/ptx.md)."""

from __future__ import annotations

import ctypes
import json
import numbers
import operator
import re
from ctypes import byref, c_char_p, c_int64, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _errors, _formats, _host, _library
from ._errors import ArgumentError
from ._formats import FORMATS, numpy
from ._session import Session, _encoded, _text, default_session

_MEMORY = re.compile(r"(zeros:)?([a-z0-9]+)\[([0-9, ]+)\]$")


class Launch:
    """What a launch left. True if the kernel did nothing that no kernel should do."""

    def __init__(self, memory: List[Any], counts: Dict[str, Any], messages: Sequence[_errors.Message]) -> None:
        #: The arguments' memory after the launch, in their order; None for numbers.
        self.memory = memory
        #: What was counted, by name: instructions, divergent branches, requests of memory.
        self.counts = counts
        #: What the kernel did and should not have done, with lines of the PTX.
        self.messages: Tuple[_errors.Message, ...] = tuple(messages)

    def __bool__(self) -> bool:
        return not self.messages

    def __repr__(self) -> str:
        return f"<launch: {self.counts.get('thread instructions', 0)} instructions, {len(self.messages)} findings>"


class TracedFold:
    """A sum or an extreme of many terms in a kernel."""

    def __init__(self, fields: Dict[str, Any]) -> None:
        self.terms: int = fields["terms"]
        #: As the language writes it; "" if none is recognised.
        self.schedule: str = fields["schedule"]
        self.tree: str = fields["tree"]
        #: "f32", "f32 with fma", "tensor cores (hopper)"
        self.arithmetic: str = fields["arithmetic"]

    def __repr__(self) -> str:
        return f"<{self.terms} terms, {self.arithmetic}: {self.schedule or self.tree[:60]}>"


class TracedOutput:
    """An argument in whose memory the kernel stored what it computed."""

    def __init__(self, fields: Dict[str, Any]) -> None:
        self.fields = fields
        self.argument: int = fields["argument"]
        #: Of the circuit, if there is one.
        self.name: str = fields["name"]
        #: The text of the circuit; "" if the elements are not computed in one way that is regular: `problem` says why.
        self.circuit: str = fields["circuit"]
        self.problem: str = fields["problem"]
        #: For elements that are computed in one way: these elements, and their folds.
        self.groups: List[Tuple[List[int], List[TracedFold]]] = [
            (each["elements"], [TracedFold(fold) for fold in each["folds"]]) for each in fields["groups"]
        ]
        bits = fields.get("bits") or {}
        #: Launches after which all elements had the circuit's bits, and all launches that were compared.
        self.equal: int = bits.get("equal", 0)
        self.compared: int = bits.get("compared", 0)


class Trace:
    """The circuit of a kernel, read off a launch."""

    def __init__(self, fields: Dict[str, Any]) -> None:
        #: The circuits as a program: `reckon.loads(trace.program)`.
        self.program: str = fields["program"]
        self.outputs: Tuple[TracedOutput, ...] = tuple(TracedOutput(each) for each in fields["outputs"])


def ptx(
    text: str,
    entry: str,
    grid: Union[int, Sequence[int]],
    block: Union[int, Sequence[int]],
    args: Sequence[Any],
    *,
    semantics: Optional[str] = None,
    shared: int = 0,
    seed: int = 0,
    instructions: int = 0,
    races: bool = True,
    nearest: bool = False,
    chip: Optional[str] = None,
    name: str = "kernel.ptx",
) -> Launch:
    """Runs a kernel of PTX (`kernel.asm["ptx"]` of Triton's) without a GPU.

    Arguments are numbers; bytes, of a struct; arrays, of which the kernel gets copies; and texts for memory: "f32[64, 64]",
    which nobody has written, and "zeros:f32[64]". `semantics="fpsan"` computes in its ring. `chip="h200"`, or the path of a file
    of tables, says whose approximate instructions are meant; `nearest` takes the nearest numbers for what else they give.
    A kernel that cannot be read or run raises SourceError.
    """
    session = default_session()
    call = _Call(text, entry, grid, block, args, semantics, shared, seed, instructions, races, nearest, name, chip=chip)
    outs, memory = call.room()
    with session.lock:
        out = c_char_p()
        session._call(session._lib.ptx, *call.arguments, outs, byref(out), passing=(_library.CHECK_FAILED,))
        counts = json.loads(_library.decoded(out.value))
        messages = _errors.messages_of(session._lib.messages(session.handle))
    counts.pop("kind", None)
    return Launch(memory, counts, messages)


def trace(
    text: str,
    entry: str,
    grid: Union[int, Sequence[int]],
    block: Union[int, Sequence[int]],
    args: Sequence[Any],
    *,
    shared: int = 0,
    verify: int = 5,
    seed: int = 0,
    name: str = "kernel.ptx",
) -> Trace:
    """Reads the circuit off a kernel of PTX: the order of each sum, and a program where the kernel is regular.

    Arguments are those of `ptx`. A kernel whose way depends on floats raises CheckFailed.
    """
    session: Session = default_session()
    call = _Call(text, entry, grid, block, args, None, shared, seed, 0, True, True, name, verify)
    return Trace(session.json(session._lib.trace, *call.arguments))


class _Call:
    """The arguments of a function of the library, and what keeps them alive."""

    def __init__(
        self,
        text: str,
        entry: str,
        grid: Any,
        block: Any,
        args: Sequence[Any],
        semantics: Optional[str],
        shared: int,
        seed: int,
        instructions: int,
        races: bool,
        nearest: bool,
        name: str,
        verify: int = 0,
        chip: Optional[str] = None,
    ) -> None:
        self._kept: List[Any] = []
        self._shapes: List[Optional[Tuple[Any, Tuple[int, ...]]]] = []
        self._array = (_library.PtxArgument * max(len(args), 1))()
        for k, value in enumerate(args):
            self._fill(self._array[k], value, k)
        options = _library.PtxOptions(kernel=_encoded(entry), shared_bytes=shared, semantics=_encoded(semantics))
        options.grid[:] = _extents(grid, "grid")
        options.block[:] = _extents(block, "block")
        options.seed, options.instructions = seed, instructions
        options.no_races, options.nearest, options.verify = int(not races), int(nearest), verify
        options.chip = _encoded(chip)
        self._options = options
        self.arguments = (_text(text), _encoded(name), self._array, len(args), byref(options))

    def _fill(self, out: Any, value: Any, k: int) -> None:
        if isinstance(value, (bool, numbers.Number)) or _is_scalar(value):
            number = value.item() if hasattr(value, "item") else value
            out.number = (repr(float(number)) if isinstance(number, float) else str(int(number))).encode()
            self._shapes.append(None)
            return
        if isinstance(value, bytes):
            out.number = b"bytes:" + value.hex().encode()
            self._shapes.append(None)
            return
        if isinstance(value, str):
            form, shape, unwritten = _memory(value, k)
            data = ctypes.create_string_buffer(max(_bytes(form, shape), 1))
            self._kept.append(data)
            self._set(out, form, shape, ctypes.addressof(data), unwritten)
            out.zeros = int(not unwritten)
            return
        if _host.is_plain(value):
            raise ArgumentError(f"argument {k} is a list: make it an array, whose type says what the memory holds")
        array = _host.argument(value, None, f"argument {k}", None)
        self._kept.append(array)
        self._set(out, array.form, tuple(array.shape), array.address, False)

    def _set(self, out: Any, form: Any, shape: Tuple[int, ...], address: int, unwritten: bool) -> None:
        extents = (c_int64 * max(len(shape), 1))(*shape)
        self._kept.append(extents)
        out.memory = _library.Tensor(form.name.encode(), len(shape), extents, address)
        out.unwritten = int(unwritten)
        self._shapes.append((form, shape))

    def room(self) -> Tuple[Any, List[Any]]:
        """Where the memory after the launch goes: the addresses, and arrays there."""
        addresses = (c_void_p * max(len(self._shapes), 1))()
        memory: List[Any] = []
        for k, each in enumerate(self._shapes):
            if each is None:
                memory.append(None)
                continue
            form, shape = each
            if numpy is None:
                made = ctypes.create_string_buffer(max(_bytes(form, shape), 1))
                addresses[k] = ctypes.addressof(made)
            else:
                made = numpy.zeros(shape, dtype=_formats.dtype_of(form, patterns=form.numpy_name is None))
                addresses[k] = _host.address_of(made)
            memory.append(made)
        return addresses, memory


def _is_scalar(value: Any) -> bool:
    return numpy is not None and isinstance(value, numpy.generic)


def _bytes(form: Any, shape: Tuple[int, ...]) -> int:
    out = form.bytes
    for extent in shape:
        out *= extent
    return out


def _extents(given: Any, what: str) -> Tuple[int, int, int]:
    try:
        made = [operator.index(each) for each in (given if hasattr(given, "__iter__") else [given])]
    except TypeError:
        made = []
    if not 1 <= len(made) <= 3 or any(not 1 <= each < 2**32 for each in made):
        raise ArgumentError(f"{what}={given!r}: {what} has one to three extents, integers from 1 to 2^32 - 1")
    return tuple(made + [1] * (3 - len(made)))  # type: ignore


def _memory(text: str, k: int) -> Tuple[Any, Tuple[int, ...], bool]:
    found = _MEMORY.match(text.strip())
    form = FORMATS.get(found.group(2)) if found else None
    if found is None or form is None:
        raise ArgumentError(f"argument {k}: `{text}` is no memory: write \"f32[8, 8]\" or \"zeros:f32[8, 8]\"")
    shape = tuple(int(each) for each in found.group(3).split(",") if each.strip())
    return form, shape, found.group(1) is None
