"""Results: arrays under `float`, and under other semantics values with several forms."""

from __future__ import annotations

import ctypes
import json
from ctypes import byref, c_size_t
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from . import _formats, _host, _library
from ._formats import FORMATS, numpy

if TYPE_CHECKING:
    from ._session import Session

#: The forms of an element that docs/command_line.md names.
FORMS = (
    "value",
    "hex",
    "bits",
    "lo",
    "hi",
    "bound",
    "payload",
    "unbounded",
    "reason",
    "nan",
    "alternatives",
    "empty",
    "depth",
    "orders",
    "leaves",
    "exact",
    "lo_bits",
    "hi_bits",
    "lo_witness",
    "hi_witness",
    "nan_witness",
    "lo_found",
    "hi_found",
    "witness",
)
_INTEGERS = {"payload", "bits", "lo_bits", "hi_bits"}
_TEXTS = {
    "hex",
    "unbounded",
    "reason",
    "nan",
    "alternatives",
    "empty",
    "exact",
    "lo_witness",
    "hi_witness",
    "nan_witness",
    "witness",
    "orders",
}


class _Held:
    """Owns the library's values, which the parts of a result share."""

    __slots__ = ("session", "handle")

    def __init__(self, session: "Session", handle: int) -> None:
        self.session, self.handle = session, handle

    def __del__(self) -> None:
        self.session.discard(self.session._lib.values_free, self.handle)


class _OfHandle:
    """The elements of one part of the library's values, read when they are asked for."""

    def __init__(self, held: _Held, part: int) -> None:
        self._held, self._part = held, part

    def text(self, element: int) -> str:
        found = self._ask(lambda lib, values: lib.value_text(values, self._part, element))
        return _library.decoded(found)

    def form(self, element: int, name: str) -> Optional[str]:
        found = self._ask(lambda lib, values: lib.value_form(values, self._part, element, name.encode()))
        return None if found is None else _library.decoded(found)

    def numbers(self, name: str, count: int) -> Optional[List[float]]:
        out = (ctypes.c_double * max(count, 1))()
        status = self._ask(lambda lib, values: lib.value_numbers(values, self._part, name.encode(), out))
        return None if status != _library.OK else list(out)[:count]

    def _ask(self, question: Callable[[Any, int], Any]) -> Any:
        session = self._held.session
        if not session.alive:
            session._raise_gone()
        with session.lock:
            return question(session._lib, self._held.handle)


class _OfJson:
    """The elements of a `show` that a program carried out."""

    def __init__(self, forms: List[Dict[str, Any]], texts: List[str]) -> None:
        self._forms, self._texts = forms, texts

    def text(self, element: int) -> str:
        return self._texts[element]

    def form(self, element: int, name: str) -> Optional[str]:
        found = self._forms[element].get(name)
        return found if found is None or isinstance(found, str) else json.dumps(found)

    def numbers(self, name: str, count: int) -> Optional[List[float]]:
        texts = [self.form(each, name) for each in range(count)]
        if all(each is None for each in texts):
            return None
        return [float("nan") if each is None else _number(each) for each in texts]


def _number(text: str) -> float:
    if "/" in text:
        return float(Fraction(text))
    return float.fromhex(text) if "0x" in text else float(text)


class Values:
    """A result under a semantics whose numbers are no floats: `interval`, `exact`, `bound`, `fpsan`, `count`, ...

    `str()` shows it as the prompt does. Its forms are attributes: `lo` and `hi` under `interval`, `value` and `bound`
    under `bound`, `payload` and `bits` under `fpsan`, ... Numbers are arrays of float64 (of rank 0: a float), rounded
    to nearest; payloads and bit patterns are arrays of unsigned integers; `texts` has the exact text of each element.
    """

    def __init__(
        self, source: Any, type: str, semantics: str, shape: Tuple[int, ...], summary: Optional[Dict[str, Any]] = None
    ) -> None:
        self._source = source
        #: The elements' format: `f32`.
        self.type = type
        self.semantics = semantics
        self.shape = shape
        #: What the evaluation measured, under `count`: {"add": 7, "depth": 3}.
        self.summary = summary or {}
        self._known: Dict[str, Any] = {}

    @property
    def size(self) -> int:
        size = 1
        for each in self.shape:
            size *= each
        return size

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a result of rank 0 has no length")
        return self.shape[0]

    @property
    def forms(self) -> Tuple[str, ...]:
        """The forms that some element has."""
        found = [
            name for name in FORMS if any(self._source.form(k, name) is not None for k in range(min(self.size, 64)))
        ]
        return tuple(found)

    @property
    def texts(self) -> Any:
        """The text of each element, as an array of objects; of rank 0, the text."""
        return self._shaped([self._source.text(each) for each in range(self.size)], object)

    @property
    def fractions(self) -> Any:
        """Each element as a Fraction, as an array of objects. ValueError if one is no rational number."""
        return self._shaped([Fraction(self._source.text(each)) for each in range(self.size)], object)

    def form(self, name: str) -> Any:
        """One form of all elements."""
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def _read(self, name: str) -> Any:
        if name not in _INTEGERS and name not in _TEXTS:
            numbers = self._source.numbers(name, self.size)
            if numbers is not None:
                return self._shaped(numbers, "float64")
        texts = [self._source.form(each, name) for each in range(self.size)]
        if all(each is None for each in texts) and self.size:
            raise AttributeError(f"a value under `{self.semantics}` has no `{name}`; it has {', '.join(self.forms)}")
        if name in _INTEGERS:
            width = FORMATS[self.type].bytes if self.type in FORMATS else 8
            longest = max((len(each) for each in texts if each), default=2)
            width = max(width, 1 << ((longest + 1) // 2 - 1).bit_length() if longest > 2 else 1)
            integers = [int(each, 16) if each else 0 for each in texts]
            return self._shaped(integers, _formats._PATTERNS[width] if width <= 8 else object)
        return self._shaped(texts, object)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in FORMS:
            raise AttributeError(f"a result has no attribute `{name}`")
        return self.form(name)

    def _shaped(self, flat: List[Any], dtype: Any) -> Any:
        if not self.shape:
            if dtype == object or numpy is None:
                return flat[0]
            return numpy.dtype(dtype).type(flat[0])
        if numpy is None:
            return _nested(flat, self.shape)
        array = numpy.empty(len(flat), dtype)
        array[:] = flat
        return array.reshape(self.shape)

    def __str__(self) -> str:
        if self.summary:
            return ", ".join(f"{name} {value}" for name, value in self.summary.items())
        return _bracketed([self._source.text(each) for each in range(self.size)], self.shape)

    def __repr__(self) -> str:
        shape = f"[{', '.join(map(str, self.shape))}]" if self.shape else ""
        head = f"<{self.type}{shape} in {self.semantics}: "
        if self.size > 100 and not self.summary:
            return head + ", ".join(self._source.text(each) for each in range(4)) + ", ...>"
        return head + str(self) + ">"


def _nested(flat: List[Any], shape: Tuple[int, ...]) -> Any:
    if not shape:
        return flat[0]
    step = len(flat) // shape[0] if shape[0] else 0
    return [_nested(flat[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


def _bracketed(texts: List[str], shape: Tuple[int, ...]) -> str:
    if not shape:
        return texts[0]
    step = len(texts) // shape[0] if shape[0] else 0
    return "[" + ", ".join(_bracketed(texts[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])) + "]"


# ---- Reading what the library gives


def _summary(lib: Any, values: int, part: int) -> Dict[str, Any]:
    text = lib.value_summary(values, part)
    if not text:
        return {}
    found = json.loads(text)
    return {name: int(each) if isinstance(each, str) and each.isdigit() else each for name, each in found.items()}


def _part_head(lib: Any, values: int, part: int) -> Tuple[str, Optional[str], Tuple[int, ...]]:
    type_ = _library.decoded(lib.value_type(values, part))
    semantics = lib.value_semantics(values, part)
    rank = lib.value_rank(values, part)
    shape = tuple(lib.value_shape(values, part)[:rank]) if rank else ()
    return type_, None if semantics is None else _library.decoded(semantics), shape


def _floats(lib: Any, values: int, part: int, type_: str, shape: Tuple[int, ...], patterns: bool) -> Any:
    """The array of a value whose bits are those of its format, or None."""
    count = c_size_t()
    address = lib.value_bits(values, part, byref(count))
    form = FORMATS.get(type_)
    if not address or form is None:
        return None
    out = _host.result(form, shape, patterns)
    nbytes = out.nbytes
    if nbytes != count.value:
        return None
    if nbytes:
        place = _host.address_of(out) if numpy is not None else ctypes.addressof(_host._from_buffer(out))
        ctypes.memmove(place, address, nbytes)
    return _host.finished(out, form)


def _is_float(semantics: str) -> bool:
    return semantics == "float" or semantics.startswith("float(")


def _parts(session: "Session", values: int, patterns: bool, other: Callable[[int], Any]) -> Any:
    """What the library's values are: static values, arrays of floats, and of the parts of other semantics `other`."""
    lib = session._lib
    parts: List[Any] = []
    for part in range(lib.values_count(values)):
        type_, semantics, shape = _part_head(lib, values, part)
        if semantics is None:
            parts.append(static(session, type_, _library.decoded(lib.value_text(values, part, 0))))
            continue
        found = _floats(lib, values, part, type_, shape, patterns) if _is_float(semantics) else None
        if found is None:
            found = Values(other(part), type_, semantics, shape, _summary(lib, values, part))
        parts.append(found)
    return parts[0] if len(parts) == 1 else tuple(parts)


def take(session: "Session", values: int, patterns: bool = False) -> Any:
    """The result that a handle is, which this takes over. The session's lock is held."""
    held = _Held(session, values)
    return _parts(session, values, patterns, lambda part: _OfHandle(held, part))


def read(session: "Session", values: int) -> Any:
    """The result of a `show`, whose values end with the sink's call."""
    lib = session._lib

    def copied(part: int) -> "_OfJson":
        count = lib.value_elements(values, part)
        texts = [_library.decoded(lib.value_text(values, part, each)) for each in range(count)]
        forms = []
        for each in range(count):
            found = {name: lib.value_form(values, part, each, name.encode()) for name in FORMS}
            forms.append({name: _library.decoded(text) for name, text in found.items() if text is not None})
        return _OfJson(forms, texts)

    return _parts(session, values, False, copied)


def static(session: "Session", type_: str, text: str) -> Any:
    """A static value as an object of Python."""
    from ._statics import Layout, Schedule, Tree

    if type_ == "integer":
        return int(text)
    if type_ == "rational":
        return Fraction(text)
    if type_ == "bool":
        return text == "true"
    if type_ == "layout":
        return Layout(text, _session=session)
    if type_ == "schedule":
        return Schedule(text, _session=session)
    if type_ == "tree":
        return Tree(text)
    if type_ == "tuple":
        numbers = text.replace("(", "").replace(")", "").replace(" ", "").split(",")
        if all(each.lstrip("-").isdigit() for each in numbers if each):
            import ast

            return ast.literal_eval(text)
    return text
