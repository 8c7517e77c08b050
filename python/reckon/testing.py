"""Assertions for tests: of circuits, of results, of programs with the output that they should print."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional, Tuple, Union

from . import _formats, _host
from ._circuit import Circuit
from ._errors import ArgumentError, CheckFailed
from ._formats import FORMATS, Format, numpy
from ._module import Module, _about_call, define_argument
from ._verdict import Verdict

__all__ = ["assert_bits_equal", "assert_same_algebra", "assert_within_orders", "program", "run_file"]


def _module_of(*circuits: Union[Circuit, str], module: Optional[Module] = None) -> Module:
    owners = [each._module for each in circuits if isinstance(each, Circuit)]
    if module is not None:
        owners.append(module)
    if not owners:
        raise ArgumentError("names alone do not say which program is meant: module=rk")
    if any(each is not owners[0] for each in owners):
        raise ArgumentError("the circuits belong to two programs: load both texts as one, to compare them")
    return owners[0]


def _name(circuit: Union[Circuit, str]) -> str:
    return circuit.name if isinstance(circuit, Circuit) else circuit


def assert_same_algebra(
    f: Union[Circuit, str], g: Union[Circuit, str], conditions: str = "", *, module: Optional[Module] = None
) -> Verdict:
    """Fails unless the two circuits compute the same function of real numbers, `check f == g in algebra`.

    `conditions` follow: assert_same_algebra(rk.f, rk.g, "for x > 0"). The verdict's `strength` says whether it is
    proved.
    """
    rk = _module_of(f, g, module=module)
    return rk.check(f"{_name(f)} == {_name(g)} in algebra {conditions}".rstrip()).raise_for_failure()


def assert_within_orders(circuit: Circuit, arguments: Any, result: Any, **definitions: Any) -> Verdict:
    """Fails unless `result`, from elsewhere, is near what thousands of orders of the circuit's sums give.

    `arguments` is a tuple of the circuit's arguments, or its only argument. An undecided check fails, too.
    """
    values = arguments if isinstance(arguments, tuple) else (arguments,)
    call, form = _about_call(circuit, values, definitions)
    rk = circuit._module
    held = _host.argument(result, form, "the result", None)
    name = "result_from_elsewhere"
    define_argument(rk._session, name, held)
    return rk.check(f"{call} ~ {name} within orders in float").raise_for_failure()


def assert_bits_equal(actual: Any, expected: Any, dtype: Any = None) -> None:
    """Fails unless two arrays have the same dtype, the same shape and the same bits. All NaNs are equal, -0 and 0 are
    not.

    `dtype` is the format of arrays of bit patterns: dtype="bf16" of arrays of uint16.
    """
    if numpy is None:
        raise ArgumentError("assert_bits_equal needs NumPy")
    stated = _host.stated_format(dtype)
    left, form = _pattern_array(actual, stated, "actual")
    right, other = _pattern_array(expected, stated, "expected")
    if form is not other:
        raise AssertionError(f"the formats differ: {form.name} and {other.name}")
    if left.shape != right.shape:
        raise AssertionError(f"the shapes differ: {left.shape} and {right.shape}")
    different = left != right
    if form.is_float and different.any():
        different &= ~(_nans(left, form) & _nans(right, form))
    count = int(different.sum())
    if not count:
        return
    places = [tuple(int(k) for k in place) for place in numpy.argwhere(different)[:5]]
    lines = [f"{count} of {left.size} elements differ:"]
    for place in places:
        at = f"[{', '.join(map(str, place))}]" if place else ""
        lines.append(f"  actual{at} = {_shown(left[place], form)}, expected {_shown(right[place], form)}"
                     f"{_apart(left[place], right[place], form)}")  # fmt: skip
    if count > len(places):
        lines.append(f"  and {count - len(places)} more")
    raise AssertionError("\n".join(lines))


def _pattern_array(value: Any, stated: Optional[Format], what: str) -> Tuple[Any, Format]:
    from . import _device

    if _device.on_device(value):
        value = value.cpu() if hasattr(value, "cpu") else value.get()
    if _host.is_plain(value) and not hasattr(value, "dtype"):
        held = _host.argument(value, stated or FORMATS["f64"], what, None)
    else:
        held = _host.argument(numpy.asarray(value) if isinstance(value, numpy.generic) else value, None, what, stated)
    return held.owner.view(_formats.pattern_dtype(held.form)), held.form


def _nans(patterns: Any, form: Format) -> Any:
    magnitude = patterns & ~patterns.dtype.type(_formats._sign(True, form))
    return magnitude > _formats._infinity(form)


def _shown(pattern: Any, form: Format) -> str:
    return f"{_formats.number(int(pattern), form)!r} ({form.name}#{int(pattern):0{2 * form.bytes}x})"


def _apart(left: Any, right: Any, form: Format) -> str:
    if not form.is_float or _nans(left, form) or _nans(right, form):
        return ""
    sign = _formats._sign(True, form)
    steps = [sign - int(each) if int(each) & sign else int(each) for each in (left, right)]
    return f", {abs(steps[0] - steps[1])} ulp apart"


# ---- Programs with expected output


def program() -> Optional[str]:
    """The program `reckon`: what RECKON_PROGRAM names, the one of this package, or the one on the path."""
    named = os.environ.get("RECKON_PROGRAM")
    if named:
        return named
    own = Path(__file__).resolve().parent / "bin" / "reckon"
    return str(own) if own.exists() else shutil.which("reckon")


def has_expected_output(path: Union[str, "os.PathLike[str]"]) -> bool:
    """Whether a program says what it should print: in the file `sum.expected` beside `sum.rk`, or in its own last
    lines, which begin with `#|`."""
    if Path(path).with_suffix(".expected").exists():
        return True
    lines = Path(path).read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
    return bool(lines) and lines[-1].startswith("#|")


def run_file(path: Union[str, "os.PathLike[str]"]) -> Tuple[bool, str]:
    """Runs a program with `reckon test`, or with `reckon run` if it does not say what it should print: whether all is
    well, and the report."""
    reckon = program()
    if reckon is None:
        return False, "the program `reckon` is not found: the environment variable RECKON_PROGRAM names it"
    command = "test" if has_expected_output(path) else "run"
    found = subprocess.run([reckon, command, os.fspath(path)], capture_output=True, text=True)
    return found.returncode == 0, found.stdout + found.stderr


def raise_for_file(path: Union[str, "os.PathLike[str]"]) -> None:
    """CheckFailed unless the program prints what it should."""
    good, report = run_file(path)
    if not good:
        raise CheckFailed(report)
