"""Circuits as functions of Python."""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from ctypes import byref, c_size_t, c_void_p, string_at
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _device, _formats, _host, _library, _values
from ._errors import ArgumentError, UsageError
from ._formats import FORMATS, Format, numpy
from ._gpu import GpuCalls
from ._program import Cache, HostPlan, Program, Shape, definition_texts, tensors
from ._statics import Tree, _draw_options

if TYPE_CHECKING:
    from ._module import Module
    from ._session import Session

_ndarray: Any = numpy.ndarray if numpy is not None else ()


@dataclass(frozen=True)
class Parameter:
    """A parameter or a result of a circuit. `type` is the format of its elements, or a static parameter's name;
    `shape` has the text of each size: ("n", "2 * m")."""

    name: str
    type: str
    shape: Tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        type_ = self.type + (f"[{', '.join(self.shape)}]" if self.shape else "")
        return f"{self.name}: {type_}" if self.name else type_


_OPTIONS = ("on", "semantics", "dtype", "arch", "definitions")


class Circuit:
    """A circuit of a program: a pure function of numbers and tensors.

    Arguments are NumPy arrays, whatever shares its memory as one does (buffers, DLPack, torch tensors), numbers, and
    lists of numbers; or arrays of PyTorch or CuPy on a GPU, where the circuit then runs. Keywords beside the
    parameters' names:

    on           "host" (compiled, the default), "interpreter", "gpu", "gpus": all of this machine together, or "mpi": the
                 ranks of a job, of which rank 0 gets the result and the others None; of arrays on a GPU always "gpu"
    semantics    "float"; "interval", "exact", "bound", "fpsan", "count", ... give a `Values`
    dtype        the format of arrays that hold bit patterns: dtype="bf16" of arrays of uint16
    out          the array that gets the result, or a tuple of them
    k=64, T="f32"   dimensions that do not follow from the arguments, and static parameters; if one has the name of a
                 keyword, definitions={"on": 64}

    The result is a NumPy array, a scalar of NumPy if its rank is 0, and a tuple if the circuit gives several; if an
    argument is a tensor of PyTorch, it is one, too.
    """

    def __init__(self, module: "Module", name: str, doc: Optional[str] = None) -> None:
        self._module = module
        self._session: "Session" = module._session
        self.name: str = name
        self.__name__ = name
        self.__qualname__ = name
        self.__doc__ = doc
        self._plans: "Cache[HostPlan]" = Cache()
        self._gpu = GpuCalls(self)
        self._read: Optional[Dict[str, Any]] = None
        self._parameters: Optional[Tuple[Parameter, ...]] = None

    # ---- What it is

    def _describe(self) -> Dict[str, Any]:
        if self._read is None:
            session = self._session
            self._read = session.json(session._lib.signature, self.name.encode())
        return self._read

    @property
    def parameters(self) -> Tuple[Parameter, ...]:
        if self._parameters is None:
            found = self._describe()["parameters"]
            self._parameters = tuple(Parameter(each["name"], each["type"], tuple(each["shape"])) for each in found)
        return self._parameters

    @property
    def results(self) -> Tuple[Parameter, ...]:
        """What it gives, without names; tuples are flattened."""
        return tuple(Parameter("", each["type"], tuple(each["shape"])) for each in self._describe()["results"])

    @property
    def static_parameters(self) -> Tuple[str, ...]:
        """The names in brackets: `fn blocked[b](x: f32[n])` has "b"."""
        return tuple(each["name"] for each in self._describe()["static"])

    @property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter
        found = [
            kind(each.name, kind.POSITIONAL_OR_KEYWORD, annotation=str(each).partition(": ")[2])
            for each in self.parameters
        ]
        found += [kind(name, kind.KEYWORD_ONLY, default=None) for name in self.static_parameters]
        defaults = {"on": None, "semantics": "float", "dtype": None, "out": None}
        taken = {each.name for each in found}
        found += [
            kind(name, kind.KEYWORD_ONLY, default=value) for name, value in defaults.items() if name not in taken
        ]
        if not self.static_parameters:
            found.append(kind("definitions", kind.VAR_KEYWORD))
        return inspect.Signature(found)

    @property
    def text(self) -> str:
        """What the prompt says of it: `fn dot(x: f32[n], y: f32[n]) -> f32`."""
        session = self._session
        return session.text(session._lib.describe, self.name.encode())

    def __repr__(self) -> str:
        try:
            return f"<circuit {self.text[3:] if self.text.startswith('fn ') else self.text}>"
        except Exception:
            return f"<circuit {self.name}>"

    def __reduce__(self) -> Any:
        raise TypeError("a circuit cannot be pickled: load its program again in the other process")

    # ---- Calls

    def __call__(self, *arguments: Any, out: Any = None, **options: Any) -> Any:
        try:
            key = []
            for value in arguments:
                if value.__class__ is _ndarray:
                    key.append(value.shape)
                    key.append(value.dtype)
                elif value.__class__ in _formats.NUMBERS:
                    key.append(value.__class__)
                else:
                    return self._gpu.quick(arguments, options, out)
            if options:
                key.extend(options.items())
            whole = tuple(key)
            plan = self._plans.get(whole)
        except TypeError:
            # An option cannot be hashed: a dictionary, or an argument that is given by name.
            return self._call(arguments, options, out, None)
        if plan is None:
            return self._call(arguments, options, out, whole)
        return plan.quick(arguments, out)

    def _call(
        self, arguments: Tuple[Any, ...], options: Dict[str, Any], out: Any, key: Optional[Tuple[Any, ...]]
    ) -> Any:
        known = {name: options[name] for name in _OPTIONS if name in options}
        definitions = {name: value for name, value in options.items() if name not in _OPTIONS}
        definitions.update(known.get("definitions") or {})
        values = self._bound(arguments, definitions)
        self._check_names(definitions)
        if len(values) != len(arguments):
            key = None
        semantics = known.get("semantics") or "float"
        on = known.get("on")
        if on is not None and on not in _library.ON:
            raise UsageError(f"on={on!r}: a circuit runs on {', '.join(map(repr, _library.ON))}")
        stated = _host.stated_format(known.get("dtype"))
        texts = definition_texts(definitions)
        if any(_device.on_device(value) for value in values):
            if semantics != "float":
                raise ArgumentError(
                    f"arrays on a GPU are computed with in `float`, not in `{semantics}`: copy them to the host first"
                )
            if on not in (None, "gpu"):
                raise ArgumentError(
                    f"the arguments lie on a GPU, and on={on!r} computes in the host's memory: copy them"
                )
            return self._gpu.call(values, texts, stated, out, key)
        held = self._host_arguments(values, stated, texts)
        if semantics != "float" or on in ("interpreter", "gpu", "gpus", "mpi"):
            if out is not None:
                raise UsageError("out= is for circuits that run compiled on the host, or on arrays of a GPU")
            patterns = stated is not None and stated.numpy_name is None
            found = self._interpreted(held, texts, semantics, on or "interpreter", known.get("arch"), patterns)
            return self._in_kind(values, found, texts)
        plan = self._host_plan(held, texts, stated)
        if key is not None and self._is_quick(values, held):
            self._plans.keep(key, plan)
        if out is None:
            return self._in_kind(values, plan.run(held, None), texts)
        plan.run(held, plan.checked_results(out, [each.owner for each in held]))
        return out

    def _in_kind(self, values: Sequence[Any], found: Any, texts: List[str]) -> Any:
        """The results as tensors of PyTorch, if an argument is one."""
        torch = sys.modules.get("torch")
        if torch is None or found is None or not any(isinstance(value, torch.Tensor) for value in values):
            return found
        stated = dict(text.split("=", 1) for text in texts)
        parts = []
        for part, result in zip(found if isinstance(found, tuple) else (found,), self.results):
            form = FORMATS[stated.get(result.type, result.type)]
            parts.append(part if isinstance(part, _values.Values) else _host.to_torch(part, form))
        return tuple(parts) if isinstance(found, tuple) else parts[0]

    def _bound(self, arguments: Tuple[Any, ...], definitions: Dict[str, Any]) -> List[Any]:
        """The arguments in the parameters' order; those that are given by name are taken out of `definitions`."""
        parameters = self.parameters
        values = list(arguments)
        if len(values) > len(parameters):
            raise ArgumentError(
                f"`{self.name}` takes {len(parameters)} arguments and was given {len(values)}: {self.text}"
            )
        given = {each.name for each in parameters[: len(values)]}
        for each in parameters:
            if each.name in definitions and each.name in given:
                raise ArgumentError(f"argument `{each.name}` of `{self.name}` is given twice")
        for each in parameters[len(values) :]:
            if each.name not in definitions:
                raise ArgumentError(f"`{self.name}` lacks the argument `{each.name}`: {self.text}")
            values.append(definitions.pop(each.name))
        return values

    def _check_names(self, definitions: Dict[str, Any]) -> None:
        """Whether each name is that of a static parameter or of a dimension, and no static parameter is missing."""
        statics = {each["name"]: each["kind"] for each in self._describe()["static"]}
        texts = " ".join(text for each in self.parameters + self.results for text in each.shape)
        known = [*statics, *re.findall(r"[A-Za-z_][A-Za-z_0-9]*", texts)]
        for name in definitions:
            if name not in known:
                near = difflib.get_close_matches(name, [*known, *_OPTIONS, "out"], 1)
                hint = f"; is `{near[0]}` meant?" if near else f": {self.text}"
                raise ArgumentError(f"`{self.name}` has no parameter, dimension or keyword `{name}`{hint}")
        for name, kind in statics.items():
            if kind == "integer" and name not in definitions:
                raise ArgumentError(f"`{self.name}` lacks the static parameter `{name}`: give it one, {name}=64")

    def _formats_of(
        self, values: Sequence[Any], own: Callable[[Any], Optional[Format]], texts: List[str]
    ) -> List[Format]:
        """The format of each parameter. One that is a static parameter is what `texts` say, or that of the first array
        there, and then added to `texts`."""
        found: Dict[str, Format] = {}
        for text in texts:
            name, _, value = text.partition("=")
            if value in FORMATS:
                found[name] = FORMATS[value]
        for each, value in zip(self.parameters, values):
            if each.type not in FORMATS and each.type not in found and not _host.is_plain(value):
                form = own(value)
                if form is None:
                    dtype = getattr(value, "dtype", type(value).__name__)
                    raise _host.wrong_dtype(dtype, None, self._what(each))
                found[each.type] = form
                texts.append(f"{each.type}={form.name}")
        for each in self.parameters:
            if each.type not in FORMATS and each.type not in found:
                raise ArgumentError(
                    f"the format `{each.type}` of `{self.name}` follows from its arrays, and there are only numbers: "
                    f'state it, {each.type}="f32"'
                )
        return [FORMATS.get(each.type) or found[each.type] for each in self.parameters]

    def _what(self, parameter: Parameter) -> str:
        return f"argument `{parameter.name}` of `{self.name}`"

    def _host_arguments(
        self, values: Sequence[Any], stated: Optional[Format], texts: List[str]
    ) -> List[_host.HostArray]:
        formats = self._formats_of(values, lambda value: _host.own_format(value, stated), texts)
        held = []
        for each, value, form in zip(self.parameters, values, formats):
            argument = _host.argument(value, form, self._what(each), stated)
            self._check_rank(each, len(argument.shape), argument.shape)
            held.append(argument)
        return held

    def _check_rank(self, parameter: Parameter, rank: int, shape: Tuple[int, ...]) -> None:
        if rank != parameter.rank:
            raise ArgumentError(
                f"{self._what(parameter)} is `{parameter}` of rank {parameter.rank}, and was given the shape "
                f"{tuple(shape)}"
            )

    def _is_quick(self, values: Sequence[Any], held: List[_host.HostArray]) -> bool:
        """Whether arrays with these dtypes need no more than their addresses."""
        return all(
            each.form.name != "tf32" and (value.__class__ is not _ndarray or value.dtype.isnative)
            for value, each in zip(values, held)
        )

    def _host_plan(self, held: List[_host.HostArray], texts: List[str], stated: Optional[Format]) -> HostPlan:
        shapes = [Shape(each.form, each.shape) for each in held]
        key = ("canonical", *[each.key() for each in shapes], *sorted(texts), stated and stated.name)
        plan = self._plans.get(key)
        if plan is None:
            program = Program(self._session, self.name, "host", shapes, texts)
            patterns = stated is not None and stated.numpy_name is None
            plan = HostPlan(program, self.name, stated, patterns)
            self._plans.keep(key, plan)
        return plan

    def _interpreted(
        self,
        held: List[_host.HostArray],
        texts: List[str],
        semantics: str,
        on: str,
        arch: Optional[str],
        patterns: bool,
    ) -> Any:
        session = self._session
        structures = tensors(held)
        options = _library.CallOptions(
            on=_library.ON[on],
            semantics=semantics.encode(),
            definitions=_library.texts(texts),
            arch=None if arch is None else arch.encode(),
        )
        with session.new_values(
            session._lib.call, self.name.encode(), structures, len(held), byref(options)
        ) as values:
            found = _values.take(session, values, patterns)
        return None if on == "mpi" and found == () else found

    # ---- Texts

    def compile(
        self,
        emit: str = "ptx",
        *,
        host: bool = False,
        arch: Optional[str] = None,
        semantics: str = "float",
        **definitions: Any,
    ) -> Union[str, bytes]:
        """The circuit at a stage of compilation: ir, kernels, report, llvm, ptx, asm, cubin (bytes), plan."""
        session = self._session
        options = _library.CompileOptions(
            emit=emit.encode(),
            host=int(host),
            semantics=semantics.encode(),
            arch=None if arch is None else arch.encode(),
            definitions=_library.texts(definition_texts(definitions)),
        )
        text, size = c_void_p(), c_size_t()
        with session.lock:
            session._call(session._lib.compile, self.name.encode(), byref(options), byref(text), byref(size))
            found = string_at(text.value or 0, size.value) if size.value else b""
        return found if emit == "cubin" else found.decode()

    def tree(self, n: int, **definitions: Any) -> Tree:
        """The tree of its first reduction for n leaves."""
        session = self._session
        texts = _library.texts(definition_texts(definitions))
        return Tree(session.text(session._lib.circuit_tree, self.name.encode(), n, texts))

    def draw(self, n: int = 0, form: str = "text", *, caption: bool = True, **definitions: Any) -> str:
        """The orders in which it reduces: form is text, svg or pdf. Sizes that are not given (`m=8`) are n."""
        session = self._session
        texts = _library.texts(definition_texts(definitions))
        options = _draw_options(leaves=n, form=form, caption=caption)
        return session.text(session._lib.draw_circuit, self.name.encode(), byref(options), texts)

    def close(self) -> None:
        """Gives up what was compiled of it. Graphs that recorded calls of it must not be replayed any more."""
        self._plans.clear()
        self._gpu.clear()
