"""The order in which a function of Python adds."""

from __future__ import annotations

import _thread
import ctypes
import inspect
import json
import random
import sys
from ctypes import byref, c_char_p
from queue import SimpleQueue
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from . import _formats, _library
from ._errors import ArgumentError, Interrupted
from ._formats import FORMATS, Format, numpy
from ._session import Session
from ._statics import Schedule, Tree


class Revealed:
    """What the calls of a black box show (docs/reveal.md). True if its order was found."""

    def __init__(self, fields: Dict[str, Any], session: Session) -> None:
        self.fields = fields
        self.n: int = fields["n"]
        #: Why the order cannot be seen; empty if it was found.
        self.reason: str = fields.get("reason") or ""
        self.verdict: str = fields["verdict"]
        tree, schedule = fields.get("tree"), fields.get("schedule")
        self.tree: Optional[Tree] = Tree(tree, _session=session) if tree else None
        self.schedule: Optional[Schedule] = Schedule(schedule, _session=session) if schedule else None
        #: Schedules of the standard library with this tree.
        self.names: Tuple[str, ...] = tuple(fields.get("names") or ())
        #: In which the tree gives the function's bits: "f32", "f32 with fma", ...
        self.arithmetic: str = fields.get("arithmetic") or ""
        self.notes: Tuple[str, ...] = tuple(fields.get("notes") or ())
        self.calls: Any = fields.get("calls")

    def __bool__(self) -> bool:
        return self.verdict == "revealed"

    def __str__(self) -> str:
        if not self:
            return f"undecided: {self.reason}"
        tree = str(self.tree)
        lines = [
            f"order      {self.schedule.text if self.schedule is not None else 'no schedule that has a name'}",
            f"tree       {tree if len(tree) <= 80 else tree[:76] + ' ...'}",
            f"arithmetic {self.arithmetic or 'unknown'}",
        ]
        return "\n".join(lines + [f"note       {each}" for each in self.notes])

    def __repr__(self) -> str:
        found = self.schedule.text if self.schedule is not None else str(self.tree)
        return f"<revealed for {self.n}: {found}>" if self else f"<undecided for {self.n}: {self.reason}>"

    def _repr_svg_(self) -> Optional[str]:
        return self.tree.draw(svg=True) if self.tree is not None else None


def reveal(
    function: Callable[..., Any],
    n: int,
    dtype: Any = "float32",
    products: bool = False,
    *,
    framework: Optional[str] = None,
    device: Any = None,
    accumulate: Any = None,
    result: Any = None,
    verify: int = 0,
    seed: int = 0,
) -> Revealed:
    """The order in which `function` adds n numbers, found by calling it and looking at the results.

    It takes one array of n elements of `dtype` (two with products=True: it adds x[i] * y[i]) and returns their sum: a
    number, or an array of one element. `framework` is "numpy" or "torch", and where it is not stated, follows from the
    function; `device` is where tensors lie ("cuda"). `accumulate` and `result` are the formats of running sums and of
    the result; a result that is a Python float counts as the elements' format if that holds all results of some
    trials.

    A function that scales its sum, a mean, is no sum: reveal(lambda x: x.mean() * n, n) with n a power of two is one.
    """
    if not callable(function):
        raise ArgumentError(f"a {type(function).__name__} cannot be called")
    if n < 1:
        raise ArgumentError(f"a sum has at least one summand, not {n}")
    try:
        form = _formats.format_named(dtype)
    except ValueError as error:
        raise ArgumentError(f"dtype: {error}") from None
    box = _Box(function, form, _arrays(function, framework, device), products)
    result_form = _formats.format_named(result) if result is not None else box.guess_result(n, seed)
    box.result = result_form
    session = Session()
    session.do(session._lib.use_library)
    options = _library.RevealOptions(
        n=n,
        format=form.name.encode(),
        accumulator=None if accumulate is None else _formats.format_named(accumulate).name.encode(),
        result=result_form.name.encode(),
        products=int(products),
        verify=verify,
        seed=seed,
    )
    with session.lock:
        text = c_char_p()
        status = _served(box, session, options, text)
        if status != _library.OK:
            session.fail(status)
        fields = json.loads(text.value or b"{}")
    return Revealed(fields, session)


def _served(box: "_Box", session: Session, options: _library.RevealOptions, text: c_char_p) -> int:
    """The status of reckon_reveal. The library calls the box in a thread of its own; but the function is the caller's,
    whose thread has the current stream of a GPU, and sees Ctrl-C if it is the main one. So the library works in another
    thread, and this one answers."""
    requests: "SimpleQueue[Any]" = SimpleQueue()
    answers: "SimpleQueue[Optional[int]]" = SimpleQueue()
    claim = _thread.allocate_lock()
    ended: List[Any] = []

    def ask(_: Any, x: int, y: Optional[int], n: int, out: Any) -> int:
        requests.put((x, y, n))
        answer = answers.get()
        if answer is None:
            return 1
        out[0] = answer
        return 0

    callback = _library.Box(ask)

    def work() -> None:
        if not claim.acquire(False):
            return
        try:
            ended.append(session._lib.reveal(session.handle, callback, None, byref(options), byref(text)))
        except BaseException as error:
            ended.append(error)
        finally:
            requests.put(None)

    trouble: Optional[BaseException] = None
    started = False
    while True:
        try:
            if not started:
                started = True
                _thread.start_new_thread(work, ())
            while not ended:
                request = requests.get()
                if request is not None:
                    answers.put(None if trouble is not None else box.answer(*request))
            break
        except BaseException as error:
            trouble = trouble or error
            if claim.acquire(False):
                raise trouble  # The work has not begun, and now never will.
            if not ended:
                session._lib.interrupt(session.handle)
                answers.put(None)
    if trouble is not None:
        if type(trouble) is KeyboardInterrupt:
            raise Interrupted() from None
        raise trouble
    if isinstance(ended[0], BaseException):
        raise ended[0]
    return int(ended[0])


class _Box:
    """The library's view of the function: bit patterns in, a bit pattern out."""

    def __init__(self, function: Callable[..., Any], form: Format, make: Any, products: bool) -> None:
        self.function, self.form, self.make, self.products = function, form, make, products
        self.result = form

    def answer(self, x: int, y: Optional[int], n: int) -> int:
        arrays = [self.make(self._words(x, n), self.form)]
        if y:
            arrays.append(self.make(self._words(y, n), self.form))
        return self._pattern(self.function(*arrays))

    def _words(self, address: int, n: int) -> Any:
        words = (ctypes.c_uint64 * n).from_address(address)
        if numpy is None:
            return list(words)
        return numpy.frombuffer(words, numpy.uint64).astype(_formats.pattern_dtype(self.form))

    def _pattern(self, value: Any) -> int:
        number = _one_number(value)
        bits = _formats.pattern(number, self.result)
        back = _formats.number(bits, self.result)
        if back != number and number == number:
            raise ArgumentError(
                f"the function returned {number!r}, which is no {self.result.name}: state the format of its result, "
                'result="f64"'
            )
        return bits

    def guess_result(self, n: int, seed: int) -> Format:
        """The narrowest format from the elements' on that holds the results of some trials; that of their dtype if it
        is narrower. A result of f64 may hold a sum of f32: NumPy and Python make it from one that is multiplied by 1.
        """
        found = self.form
        source = random.Random(seed)
        for _ in range(4):
            words = [_formats.pattern(source.uniform(-1, 1), self.form) for _ in range(n)]
            if numpy is not None:
                words = numpy.array(words, _formats.pattern_dtype(self.form))
            arrays = [self.make(words, self.form) for _ in range(2 if self.products else 1)]
            value = self.function(*arrays)
            form = _format_of_result(value)
            if form is not None and form.precision < self.form.precision:
                return form
            number = _one_number(value)
            wider = [found] + [each for each in (FORMATS["f32"], FORMATS["f64"]) if each.precision > found.precision]
            found = next((each for each in wider if number != number or _fits(number, each)), found)
        return found


def _fits(number: Any, form: Format) -> bool:
    return bool(_formats.number(_formats.pattern(number, form), form) == number)


def _format_of_result(value: Any) -> Optional[Format]:
    dtype = getattr(value, "dtype", None)
    if dtype is None or isinstance(value, float) and not hasattr(value, "shape"):
        return None
    try:
        found = _formats.format_named(dtype)
    except ValueError:
        return None
    return found if found.is_float else None


def _one_number(value: Any) -> Union[int, float]:
    """The number that a function returned."""
    if isinstance(value, (int, float)):
        return value
    if hasattr(value, "numel"):
        if value.numel() == 1:
            return value.item()  # type: ignore[no-any-return]
    elif getattr(value, "size", None) == 1 or hasattr(value, "__float__") and not hasattr(value, "shape"):
        return value.item() if hasattr(value, "item") else float(value)
    shape = f" of the shape {tuple(value.shape)}" if hasattr(value, "shape") else ""
    raise ArgumentError(f"the function returned a {type(value).__name__}{shape}, and not one number")


# ---- The arrays that it takes


def _arrays(function: Callable[..., Any], framework: Optional[str], device: Any) -> Callable[[Any, Format], Any]:
    if framework is None:
        framework = "torch" if device is not None or _is_torch(function) else "numpy"
    if framework == "torch":
        try:
            import torch
        except ImportError:
            raise ArgumentError('framework="torch", and torch cannot be imported') from None
        return lambda words, form: _tensor(torch, words, form, device)
    if framework != "numpy":
        raise ArgumentError(f"framework={framework!r}: there are 'numpy' and 'torch'")
    if numpy is None:
        return lambda words, form: [_formats.number(word, form) for word in words]
    return lambda words, form: words.view(_formats.dtype_of(form))


def _is_torch(function: Callable[..., Any]) -> bool:
    """Whether a function is one of PyTorch's, or a function whose code names the module `torch`."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    if (getattr(function, "__module__", None) or "").partition(".")[0] == "torch":
        return True
    if isinstance(function, torch.nn.Module) if hasattr(torch, "nn") else False:
        return True
    owner = getattr(function, "__self__", None)
    if owner is not None and getattr(owner, "__name__", "").partition(".")[0] == "torch":
        return True
    try:
        found = inspect.getclosurevars(function)
    except (TypeError, ValueError):
        return False
    return any(each is torch for each in (*found.globals.values(), *found.nonlocals.values()))


def _tensor(torch: Any, words: Any, form: Format, device: Any) -> Any:
    size: List[int] = [len(words)]
    same = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[form.bytes]
    if numpy is not None:
        data = bytearray(words.tobytes())
    else:
        data = bytearray(b"".join(word.to_bytes(form.bytes, "little") for word in words))
    tensor = torch.frombuffer(data, dtype=same).view(getattr(torch, str(form.torch_name))).reshape(size)
    return tensor if device is None else tensor.to(device)
