"""Programs as objects whose attributes are their circuits and static values."""

from __future__ import annotations

import difflib
import math
import os
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _formats, _host, _values
from ._circuit import Circuit
from ._errors import ArgumentError, Error, Interrupted, UsageError
from ._formats import FORMATS
from ._program import tensors
from ._session import Outcome, Session, _text, default_session
from ._verdict import Verdict

_ITEM = re.compile(r"^\s*(?:builtin\s+)?(?:fn|kernel)\s+([A-Za-z_][A-Za-z_0-9]*)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")


class Module:
    """A program. `rk.softmax` is its circuit softmax; `rk["check"]` one whose name is taken by a method.

    Static values are attributes, too: integers, fractions, `Schedule`s, `Layout`s. The standard library is in scope.
    """

    def __init__(self, session: Session, name: str, source: str, path: Optional[str]) -> None:
        self._session = session
        self.__name__ = name
        self.__doc__ = _leading_comment(source)
        self._source = source
        self._path = path
        self._circuits: Dict[str, Circuit] = {}
        self._loaded: List[str] = [str(each) for each in session.json(session._lib.loaded)]
        self._comments = comments(source)

    # ---- Names

    @property
    def circuits(self) -> Tuple[str, ...]:
        """The names of the circuits that the program defines."""
        return tuple(self._loaded)

    def __getattr__(self, name: str) -> Any:
        # Notebooks and debuggers ask every object for names like this.
        if name.startswith("_") and name not in self.__dict__.get("_loaded", ()):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __getitem__(self, name: str) -> Any:
        found = self.__dict__.get("_circuits", {}).get(name)
        if found is not None:
            return found
        session = self._session
        if name in self._loaded:
            return self._circuit(name)
        names = session.json(session._lib.names)
        if name not in names or not _NAME.match(name):
            near = difflib.get_close_matches(name, self._loaded + names, 1)
            hint = f"; is `{near[0]}` meant?" if near else ""
            raise KeyError(f"the program has no `{name}`" + hint)
        if session.text(session._lib.describe, name.encode()).startswith(("fn ", "builtin fn ", "kernel ")):
            return self._circuit(name)
        return self.eval(name)

    def _circuit(self, name: str) -> Circuit:
        found = self._circuits.setdefault(name, Circuit(self, name, self._comments.get(name)))
        if not hasattr(type(self), name):
            # From now on an attribute that Python finds by itself.
            self.__dict__[name] = found
        return found

    def __dir__(self) -> List[str]:
        return sorted({*object.__dir__(self), *self._loaded})

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __repr__(self) -> str:
        return f"<reckon module {self.__name__}: {', '.join(self._loaded) or 'no circuits'}>"

    def __reduce__(self) -> Any:
        raise TypeError("a program cannot be pickled: load it again in the other process")

    # ---- Questions

    def eval(self, expression: str, *, semantics: Optional[str] = None, **arrays: Any) -> Any:
        """The value of an expression; arrays that are given by name are in scope."""
        session = self._session
        text = _text(expression)
        self._define(arrays)
        if semantics is None:
            with session.new_values(session._lib.evaluate, text) as values:
                return _values.take(session, values)
        outcomes = session.outcomes(session._lib.enter, f"show {expression} in {semantics}".encode())
        return outcomes[-1].value if outcomes else None

    def run(self, text: str, **arrays: Any) -> List[Any]:
        """Carries out items of a program, as the prompt does: a list of `Verdict`s of its checks, of the values of its
        shows, and of dictionaries for all else."""
        entry = _text(text)
        self._define(arrays)
        session = self._session
        try:
            return self._items(session.outcomes(session._lib.enter, entry))
        except (Error, Interrupted) as stopped:
            stopped.partial = tuple(self._items(stopped.partial))
            raise
        finally:
            if session.alive:
                self._renew(text)

    def _items(self, outcomes: Sequence[Outcome]) -> List[Any]:
        """What a caller gets for each outcome; errors are exceptions."""
        found: List[Any] = []
        for each in outcomes:
            if each.kind == "check":
                found.append(Verdict(each.fields, each.text, self._session))
            elif each.value is not None:
                found.append(each.value)
            elif not each.is_error:
                found.append(each.fields)
        return found

    def _renew(self, text: str) -> None:
        """Forgets circuits that the text may have defined anew."""
        names = _ITEM.findall(text)
        known = set(self._session.json(self._session._lib.names)) if names else set()
        for name in names:
            self._circuits.pop(name, None)
            self.__dict__.pop(name, None)
            self._comments.pop(name, None)
            if name in known and name not in self._loaded:
                self._loaded.append(name)
        self._comments.update(comments(text))

    def check(self, text: str, **arrays: Any) -> Verdict:
        """The verdict of one check: rk.check("f == g in algebra"). Ctrl-C raises `Interrupted`, whose `partial` has the
        verdict so far."""
        self._define(arrays)
        session = self._session
        entry = _text(text)
        if not entry.lstrip().startswith(b"check "):
            entry = b"check " + entry
        try:
            items = self._items(session.outcomes(session._lib.enter, entry))
        except Interrupted as stopped:
            stopped.partial = tuple(self._items(stopped.partial))
            raise
        verdicts = [each for each in items if isinstance(each, Verdict)]
        if len(verdicts) != 1:
            raise UsageError(f"this is no check: {text}" if not verdicts else "these are several checks: use run")
        return verdicts[0]

    def _define(self, arrays: Dict[str, Any]) -> None:
        for name, value in arrays.items():
            define(self._session, name, value)

    def close(self) -> None:
        """Gives up the program and what was compiled of it, which any later use reports."""
        for circuit in self._circuits.values():
            circuit.close()
        self._session.close()

    def __enter__(self) -> "Module":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def define(session: Session, name: str, value: Any) -> None:
    """Gives a name in the session's scope to an array, a number, or a text of the language."""
    if not _NAME.match(name):
        raise ArgumentError(f"`{name}` is no name of the language")
    if isinstance(value, str):
        session.outcomes(session._lib.enter, f"let {name} = {value}".encode())
        return
    if isinstance(value, (int, float, Fraction, list, tuple)) and not hasattr(value, "dtype"):
        # Numbers without a format take that of what they meet.
        session.outcomes(session._lib.enter, f"let {name} = {_number_text(value, name)}".encode())
        return
    form = _host.own_format(value, None) if not hasattr(value, "ndim") or value.ndim else None
    if form is None:
        form = _formats.format_of_dtype(value.dtype) if hasattr(value, "dtype") else None
    define_argument(session, name, _host.argument(value, form, f"`{name}`", None))


def _number_text(value: Any, name: str) -> str:
    """Numbers and lists of them as the language writes them, exactly."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_number_text(each, name) for each in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Fraction)):
        return str(value)
    if isinstance(value, float):
        return value.hex() if math.isfinite(value) and not value.is_integer() else str(value).replace("e+", "e")
    raise ArgumentError(f"`{name}` has an element {value!r} that is no number: pass an array")


def define_argument(session: Session, name: str, argument: _host.HostArray) -> None:
    session.do(session._lib.define, name.encode(), tensors([argument]))


# ---- Comments


def comments(source: str) -> Dict[str, str]:
    """The comment right above each circuit."""
    found: Dict[str, str] = {}
    pending: List[str] = []
    for line in source.splitlines():
        text = line.strip()
        if text.startswith("#"):
            pending.append(text[1:].strip())
            continue
        match = _ITEM.match(text)
        if match and pending:
            found[match.group(1)] = "\n".join(pending)
        pending = []
    return found


def _leading_comment(source: str) -> Optional[str]:
    """The comment that begins a program, if an empty line or an import parts it from the first item."""
    lines: List[str] = []
    for line in source.splitlines():
        text = line.strip()
        if text.startswith("#"):
            lines.append(text[1:].strip())
            continue
        return "\n".join(lines) if lines and (not text or text.startswith("import")) else None
    return None


# ---- Loading


def loads(text: str, path: str = "<string>", **options: Any) -> Module:
    """The program of this text; `path` is its name in messages, and imports start from its folder.

    Options of the session: semantics, budget (seconds that a check may take), seed, kernel_folder, library_folder.
    """
    session = _new_session(options)
    session.do(session._lib.load, _text(text), os.fspath(path).encode())
    return Module(session, path, text, None)


def load(path: Union[str, "os.PathLike[str]"], **options: Any) -> Module:
    """The program of a file. Its checks and shows are not carried out: `rk.run` does that."""
    name = os.fspath(path)
    source = Path(name).read_bytes()
    session = _new_session(options)
    session.do(session._lib.load, source, name.encode())
    return Module(session, Path(name).stem, source.decode("utf-8", "replace"), name)


def _new_session(options: Dict[str, Any]) -> Session:
    session = Session(**options)
    session.do(session._lib.use_library)
    return session


def _default_module() -> Module:
    session = default_session()
    found = getattr(session, "_module", None)
    if found is None:
        found = Module(session, "<default>", "", None)
        session._module = found  # type: ignore[attr-defined]
    return found


def check(text: str, module: Optional[Module] = None, **arrays: Any) -> Verdict:
    """The verdict of one check, of a program's circuits or of static values alone."""
    return (module or _default_module()).check(text, **arrays)


def eval(expression: str, module: Optional[Module] = None, **options: Any) -> Any:
    """The value of an expression: reckon.eval("1/3 + 1/6")."""
    return (module or _default_module()).eval(expression, **options)


def bound(circuit: Circuit, *arguments: Any, any_order: bool = False, **options: Any) -> Any:
    """The float result with a proven bound on its error: `.value`, `.bound`, `.lo`, `.hi`. With any_order=True the
    bound holds for every order of the circuit's sums."""
    return circuit(*arguments, semantics="bound(any)" if any_order else "bound", **options)


def spread(circuit: Circuit, *arguments: Any, **definitions: Any) -> Any:
    """The least and the greatest result that any order gives of a circuit whose sums are `by any`, with the orders as
    witnesses: `.lo`, `.hi`, `.lo_witness`, `.hi_witness`."""
    call, _ = _about_call(circuit, arguments, definitions)
    name, _, rest = call.partition("(")
    return circuit._module.eval(f"spread({name}, {rest}")


def _about_call(
    circuit: Circuit, arguments: Tuple[Any, ...], definitions: Dict[str, Any]
) -> Tuple[str, Optional[_formats.Format]]:
    """The text of a call of a circuit with arguments that this gives names, and the format of the first."""
    module = circuit._module
    values = circuit._bound(arguments, definitions)
    names = []
    first = None
    for index, (each, value) in enumerate(zip(circuit.parameters, values)):
        held = _host.argument(value, FORMATS.get(each.type), f"argument `{each.name}` of `{circuit.name}`", None)
        first = first or held.form
        names.append(f"argument_{index}")
        define_argument(module._session, names[-1], held)
    statics = [str(definitions[name]) for name in circuit.static_parameters if name in definitions]
    return circuit.name + (f"[{', '.join(statics)}]" if statics else "") + f"({', '.join(names)})", first
