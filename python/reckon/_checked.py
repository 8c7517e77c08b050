"""Kernels of Triton or CuPy that are checked where they are called (docs/python.md, "Kernels of PTX")."""

from __future__ import annotations

import re
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._circuit import Circuit
from ._errors import ArgumentError, CheckFailed
from ._ptx import Trace, TracedOutput, trace
from ._verdict import Verdict

_ENTRY = re.compile(r"\.entry\s+([A-Za-z_$%][\w$]*)\s*\(([^)]*)\)")

Circuits = Union[Circuit, Mapping[int, Circuit]]


def checked(
    circuit: Circuits,
    question: str = "in algebra",
    *,
    ptx: Union[str, Callable[[], str], None] = None,
    entry: Optional[str] = None,
    verify: int = 1,
) -> Callable[[Any], "CheckedKernel"]:
    """A decorator that checks a kernel at its calls, without the GPU's help: the circuit of its PTX, read off a launch
    with the call's arguments, against `circuit`, once for each grid and each shape of the arguments.

        @reckon.checked(program.layer_norm, "in fpsan")
        @triton.jit
        def layer_norm(x, y, n, BLOCK: tl.constexpr): ...

        layer_norm[(rows,)](x, y, n, BLOCK=1024)

    A kernel of Triton brings its PTX along; of CuPy's, which are called by (grid, block, args), `ptx` is the text or a
    function that gives it. The circuit takes the arguments that the kernel reads, in their order, and gives the memory
    that it writes; of several outputs, `circuit` has one for each, by the number of the kernel's argument. `question`
    says how they are compared: "in algebra" (proved for all inputs of these sizes), "in fpsan", "in float", or "in
    float within 1e-5". CheckFailed is raised if the check does not hold, or if the kernel is no circuit; the kernel has
    been launched by then.
    """
    return lambda kernel: CheckedKernel(kernel, circuit, question, ptx, entry, verify)


class CheckedKernel:
    """A kernel that `checked` wraps: it is called like the kernel itself."""

    def __init__(
        self,
        kernel: Any,
        circuit: Circuits,
        question: str,
        text: Union[str, Callable[[], str], None],
        entry: Optional[str],
        verify: int,
    ) -> None:
        #: The kernel without checks.
        self.kernel = kernel
        #: The verdicts so far, in the order of the calls that led to them.
        self.verdicts: List[Verdict] = []
        if not isinstance(circuit, (Circuit, Mapping)):
            raise ArgumentError(
                f"checked takes the circuit of a program, or one for each output's argument, not {type(circuit).__name__}"
            )
        self._circuits: Mapping[Optional[int], Circuit] = (
            {None: circuit} if isinstance(circuit, Circuit) else dict(circuit)  # type: ignore
        )
        self._question, self._text, self._entry, self._verify = question, text, entry, verify
        self._seen: set[Any] = set()

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        """Triton's way: kernel[grid](arguments, META=...)."""

        def launch(*args: Any, **options: Any) -> Any:
            key = (_key(grid), tuple(map(_key, args)), tuple((name, _key(each)) for name, each in sorted(options.items())))
            before = None if key in self._seen else {k: _copy(each) for k, each in enumerate(args)}
            named = {name: _copy(each) for name, each in options.items()} if before is not None else {}
            compiled = self.kernel[grid](*args, **options)
            if before is not None:
                text = self._given_text() or compiled.asm["ptx"]
                values = _of_parameters(self.kernel, compiled, list(before.values()), named)
                blocks = grid(_names(self.kernel, args, options)) if callable(grid) else grid
                data = getattr(compiled, "metadata", None)
                threads = 32 * int(getattr(data, "num_warps", options.get("num_warps", 4)))
                self._check(text, blocks, threads, values, int(getattr(data, "shared", 0) or 0))
                self._seen.add(key)
            return compiled

        return launch

    def __call__(self, grid: Any, block: Any, args: Sequence[Any], **options: Any) -> Any:
        """CuPy's way: kernel(grid, block, arguments)."""
        key = (_key(grid), _key(block), tuple(map(_key, args)))
        before = None if key in self._seen else [_copy(each) for each in args]
        out = self.kernel(grid, block, args, **options)
        if before is not None:
            text = self._given_text()
            if text is None:
                raise ArgumentError("a kernel that is called by (grid, block, args) has no PTX of its own: checked(..., ptx=text)")
            self._check(text, grid, block, before, int(options.get("shared_mem", 0)))
            self._seen.add(key)
        return out

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)

    def _given_text(self) -> Optional[str]:
        return self._text() if callable(self._text) else self._text

    def _check(self, text: str, grid: Any, block: Any, values: List[Any], shared: int) -> None:
        entry, count = _entry(text, self._entry)
        # What a compiler adds to the user's parameters: places for scratch, which these kernels do not use.
        values = values + [0] * max(0, count - len(values))
        found = trace(text, entry, grid, block, values, shared=shared, verify=self._verify, name=f"{entry}.ptx")
        wanted = self._outputs(found, entry)
        for output, circuit in wanted:
            if not output.circuit:
                raise CheckFailed(f"`{entry}` is no circuit: of argument {output.argument}, {output.problem}")
            module = circuit._module
            module.run(found.program)
            sign = "~" if " within " in f" {self._question} " else "=="
            verdict = module.check(f"{output.name} {sign} {circuit.__name__} {self._question}")
            self.verdicts.append(verdict)
            verdict.raise_for_failure()

    def _outputs(self, found: Trace, entry: str) -> List[Tuple[TracedOutput, Circuit]]:
        written = {output.argument: output for output in found.outputs}
        if None in self._circuits:
            if len(written) != 1:
                raise ArgumentError(f"`{entry}` writes the arguments {sorted(written)}: checked({{...}}) names a circuit for each")
            return [(next(iter(written.values())), self._circuits[None])]
        for argument in self._circuits:
            if argument not in written:
                raise ArgumentError(f"`{entry}` does not write argument {argument}, but {sorted(written)}")
        return [(written[argument], circuit) for argument, circuit in self._circuits.items()]  # type: ignore


def _entry(text: str, name: Optional[str]) -> Tuple[str, int]:
    """A kernel of the text, and how many parameters it has."""
    kernels: Dict[str, int] = {each: rest.count(".param") for each, rest in _ENTRY.findall(text)}
    if name is None and len(kernels) == 1:
        name = next(iter(kernels))
    if name is None or name not in kernels:
        has = ", ".join(f"`{each}`" for each in kernels) or "none"
        raise ArgumentError(f"which kernel is meant: entry=... is one of those that the PTX has: {has}")
    return name, kernels[name]


def _names(kernel: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Dict[str, Any]:
    """The arguments by their names, as far as the kernel knows them."""
    return {**dict(zip(getattr(kernel, "arg_names", ()), args)), **options}


def _of_parameters(kernel: Any, compiled: Any, args: List[Any], options: Mapping[str, Any]) -> List[Any]:
    """The arguments that are parameters of the PTX: those that Triton has not made constants."""
    names = getattr(kernel, "arg_names", None)
    if not names:
        return args
    signature = getattr(getattr(compiled, "src", None), "signature", None) or {}
    constant = {each.name for each in getattr(kernel, "params", ()) if getattr(each, "is_constexpr", False)}
    constant |= {name for name, type_ in signature.items() if type_ == "constexpr"}
    values = {**dict(zip(names, args)), **{name: each for name, each in options.items() if name in names}}
    return [values[name] for name in names if name in values and name not in constant]


def _copy(value: Any) -> Any:
    """A copy in the host's memory, as an array is before the launch."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return value.detach().cpu().clone()
    if hasattr(value, "get") and hasattr(value, "device") and hasattr(value, "dtype"):  # CuPy
        return value.get()
    return value.copy() if hasattr(value, "copy") and hasattr(value, "dtype") else value


def _key(value: Any) -> Any:
    """What a kernel's circuit depends on: shapes and types of floats, and all else as it is."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return value if isinstance(value, (int, float, str, bool, tuple, type(None))) else repr(value)
    kind = str(dtype)
    if "float" in kind or shape == ():
        return (tuple(shape), kind) if shape != () else (kind, str(value))
    # Addresses and ways may depend on integers.
    data = _copy(value)
    return tuple(shape), kind, bytes(data.tobytes() if hasattr(data, "tobytes") else data.numpy().tobytes())
