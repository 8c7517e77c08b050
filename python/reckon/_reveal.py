"""The order in which a function of Python adds."""

from __future__ import annotations

import _thread
import ctypes
import inspect
import json
import math
import random
import sys
from ctypes import byref, c_char_p
from queue import SimpleQueue
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

from . import _formats, _library
from ._errors import ArgumentError, Interrupted
from ._formats import FORMATS, Format, numpy
from ._session import Session
from ._statics import Schedule, Tree


class Scaling:
    """What a function does besides adding: it multiplies or divides the sum, or each element before it is added."""

    def __init__(self, fields: Dict[str, Any]) -> None:
        #: "divide", "multiply"; "either" by a power of two, since all ways are exact.
        self.operation: str = fields["operation"]
        #: "sum", "elements"; "either" by a power of two.
        self.where: str = fields["where"]
        self.by: float = fields["by"]
        #: "n", "1/n", "sqrt(n)", "1/sqrt(n)", or "".
        self.name: str = fields.get("name") or ""
        #: In which the operation rounds.
        self.format: str = fields["format"]
        #: Whether the sum is rounded to the result's format before it is scaled.
        self.rounded_first: bool = fields["rounded_first"]
        #: Exact factors of the elements, powers of two; empty if all are 1.
        self.weights: Tuple[float, ...] = tuple(fields.get("weights") or ())
        self.text: str = fields["text"]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<scaling: {self.text}>"


class Revealed:
    """What the calls of a black box show (docs/reveal.md). True if its order was found."""

    def __init__(self, fields: Dict[str, Any], session: Session) -> None:
        self.fields = fields
        self.n: int = fields["n"]
        #: Why the order cannot be seen; empty if it was found.
        self.reason: str = fields.get("reason") or ""
        self.verdict: str = fields["verdict"]
        tree, schedule, scaling = fields.get("tree"), fields.get("schedule"), fields.get("scaling")
        self.tree: Optional[Tree] = Tree(tree, _session=session) if tree else None
        self.schedule: Optional[Schedule] = Schedule(schedule, _session=session) if schedule else None
        #: Schedules of the standard library with this tree.
        self.names: Tuple[str, ...] = tuple(fields.get("names") or ())
        #: In which the tree gives the function's bits: "f32", "f32 with fma", ...
        self.arithmetic: str = fields.get("arithmetic") or ""
        #: How the sum is scaled; None if it is not.
        self.scaling: Optional[Scaling] = Scaling(scaling) if scaling else None
        #: The random inputs on which tree, arithmetic and scaling gave the function's bits.
        self.verified: int = fields.get("verified") or 0
        self.notes: Tuple[str, ...] = tuple(fields.get("notes") or ())
        self.calls: Any = fields.get("calls")

    def __bool__(self) -> bool:
        return self.verdict == "revealed"

    def __str__(self) -> str:
        if not self:
            return "\n".join([f"undecided: {self.reason}"] + [f"note       {each}" for each in self.notes])
        tree = str(self.tree)
        bits = f"  (the same bits on {self.verified} random inputs)" if self.verified else ""
        lines = [
            f"order      {self.schedule.text if self.schedule is not None else 'no schedule that has a name'}",
            f"tree       {tree if len(tree) <= 80 else tree[:76] + ' ...'}",
            f"arithmetic {self.arithmetic or 'unknown'}{bits}",
        ]
        if self.scaling is not None:
            lines.append(f"scaled     {self.scaling}")
        return "\n".join(lines + [f"note       {each}" for each in self.notes])

    @property
    def found(self) -> str:
        """The schedule, or else the tree, and the scaling, in a line; or why there is none."""
        if not self:
            return self.reason
        tree = str(self.tree)
        order = self.schedule.text if self.schedule is not None else tree if len(tree) <= 80 else tree[:76] + " ..."
        return order + (f"; {self.scaling}" if self.scaling is not None else "")

    def __repr__(self) -> str:
        return f"<{'revealed' if self else 'undecided'} for {self.n}: {self.found}>"

    def _repr_svg_(self) -> Optional[str]:
        return self.tree.draw(form="svg") if self.tree is not None else None


class RevealedGroup(Revealed):
    """Outputs of a function that are computed in one way, each from elements of its own."""

    def __init__(self, fields: Dict[str, Any], session: Session) -> None:
        super().__init__(fields, session)
        #: The numbers of the outputs, counted row by row.
        self.outputs: Tuple[int, ...] = tuple(fields["outputs"])
        #: The elements of each output, where they are a slice of the array: "x[i, :]".
        self.over: str = fields.get("over") or ""
        #: The same of the second array, by which they are multiplied: "y[:, j]".
        self.over_second: str = fields.get("over_second") or ""

    def title(self, outputs: int) -> str:
        """`64 outputs, one tree each over x[i, :]`."""
        count = len(self.outputs)
        of_all = "" if count == outputs else f" of {outputs}"
        text = f"{count}{of_all} output{'s' if count > 1 else ''}"
        if self.n == 0:
            return text
        over = self.over + (f" and {self.over_second}" if self.over_second else "")
        return f"{text}, one tree {'each ' if count > 1 else ''}over {over or f'{self.n} elements of its own'}"


class RevealedOutputs:
    """What the calls of a black box that gives many sums show. True if the order of every output was found."""

    def __init__(self, fields: Dict[str, Any], session: Session, shape: Tuple[int, ...]) -> None:
        self.fields = fields
        self.verdict: str = fields["verdict"]
        #: The shape of the function's result.
        self.shape = shape
        self.groups: Tuple[RevealedGroup, ...] = tuple(RevealedGroup(each, session) for each in fields["groups"])
        self.calls: Any = fields["calls"]
        #: The random arrays on which all outputs were compared.
        self.verified: int = fields["verified"]
        self._places = {output: (group, k) for group in self.groups for k, output in enumerate(group.outputs)}

    def __bool__(self) -> bool:
        return self.verdict == "revealed"

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, output: Union[int, Tuple[int, ...]]) -> RevealedGroup:
        """The group of an output: its tree, its schedule, its scaling. Outputs are numbers or coordinates."""
        return self._place(output)[0]

    def __iter__(self) -> Iterator[RevealedGroup]:
        """The groups of all outputs, output by output."""
        return (self._places[output][0] for output in range(len(self)))

    def elements(self, output: Union[int, Tuple[int, ...]]) -> Tuple[int, ...]:
        """The elements that an output depends on, counted row by row: leaf k of its tree is the k-th."""
        return self._elements(output, "")

    def second_elements(self, output: Union[int, Tuple[int, ...]]) -> Tuple[int, ...]:
        """The elements of the second array by which those of the first are multiplied, leaf by leaf."""
        return self._elements(output, "_second") if "second_shape" in self.fields else ()

    def weights(self, output: Union[int, Tuple[int, ...]]) -> Tuple[float, ...]:
        """The exact factors of an output's elements, leaf by leaf: powers of two; empty if all are 1."""
        group, place = self._place(output)
        listed = group.fields.get("weights")
        return tuple(listed[place]) if listed is not None else ()

    def _place(self, output: Union[int, Tuple[int, ...]]) -> Tuple[RevealedGroup, int]:
        number = output
        if isinstance(output, tuple):
            number = 0
            if len(output) != len(self.shape):
                raise IndexError(f"{output} are not coordinates in a result of the shape {self.shape}")
            for place, extent in zip(output, self.shape):
                if not -extent <= place < extent:
                    raise IndexError(f"there is no output {output} in a result of the shape {self.shape}")
                number = number * extent + place % extent
        elif isinstance(output, int) and -len(self) <= output < len(self):
            number = output % len(self)
        if number not in self._places:
            raise IndexError(f"there is no output {output}: there are {len(self)}")
        return self._places[number]  # type: ignore[index]

    def _elements(self, output: Union[int, Tuple[int, ...]], suffix: str) -> Tuple[int, ...]:
        group, place = self._place(output)
        listed = group.fields.get("elements" + suffix)
        if listed is not None:
            return tuple(listed[place])
        # A slice: all coordinates on the axes that are `:`, and on the others those of the first element.
        over, shape = group.fields["over" + suffix], self.fields["second_shape" if suffix else "shape"]
        found, step = [group.fields["first" + suffix][place]], 1
        for axis, extent in reversed(list(zip(over[2:-1].split(", "), shape))):
            if axis == ":":
                found = [at + k * step for k in range(extent) for at in found]
            step *= extent
        return tuple(sorted(found))

    def __str__(self) -> str:
        lines = []
        for group in self.groups:
            lines += [group.title(len(self)), *("  " + each for each in str(group).splitlines())]
        return "\n".join(lines)

    def __repr__(self) -> str:
        found = "; ".join(f"{each.title(len(self))}: {each.found}" for each in self.groups)
        return f"<revealed: {found}>" if self else f"<undecided: {found}>"

    def _repr_svg_(self) -> Optional[str]:
        return self.groups[0]._repr_svg_() if len(self.groups) == 1 else None


_Sizes = Sequence[int]


@overload
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
) -> Revealed: ...


@overload
def reveal(
    function: Callable[..., Any],
    n: None = None,
    dtype: Any = "float32",
    products: bool = False,
    *,
    shape: Union[_Sizes, Sequence[_Sizes]],
    framework: Optional[str] = None,
    device: Any = None,
    accumulate: Any = None,
    result: Any = None,
    verify: int = 0,
    seed: int = 0,
) -> RevealedOutputs: ...


def reveal(
    function: Callable[..., Any],
    n: Optional[int] = None,
    dtype: Any = "float32",
    products: bool = False,
    *,
    shape: Any = None,
    framework: Optional[str] = None,
    device: Any = None,
    accumulate: Any = None,
    result: Any = None,
    verify: int = 0,
    seed: int = 0,
) -> Union[Revealed, RevealedOutputs]:
    """The order in which `function` adds n numbers, found by calling it and looking at the results.

    It takes one array of n elements of `dtype` (two with products=True: it adds x[i] * y[i]) and returns their sum,
    scaled or not (a mean): a number, or an array of one element. `framework` is "numpy" or "torch", and where it is
    not stated, follows from the function; `device` is where tensors lie ("cuda"). `accumulate` and `result` are the
    formats of running sums and of the result; a result that is a Python float counts as the elements' format if that
    holds all results of some trials. `verify` is the number of random inputs on which bits are compared (0: 50).

    With `shape=(m, n)` instead of n it takes an array of that shape and may return an array of sums, as
    `lambda x: x.sum(axis=1)` does; with products=True, `shape=((m, k), (k, n))` for `lambda x, y: x @ y`.
    """
    if not callable(function):
        raise ArgumentError(f"a {type(function).__name__} cannot be called")
    if (n is None) == (shape is None):
        raise ArgumentError("say how many numbers are added, n=100, or the shape of an array of them, shape=(4, 100)")
    try:
        form = _formats.format_named(dtype)
    except ValueError as error:
        raise ArgumentError(f"dtype: {error}") from None
    if shape is not None:
        shapes = _shapes(shape, products)
    else:
        if n is None or n < 1:
            raise ArgumentError(f"a sum has at least one summand, not {n}")
        shapes = [(n,)] * (2 if products else 1)
    box = _Box(function, form, _arrays(function, framework, device), shapes, many=shape is not None)
    guessed = box.guess_result(seed)
    box.result = _formats.format_named(result) if result is not None else guessed
    session = Session()
    session.do(session._lib.use_library)
    options = _library.RevealOptions(
        n=n or 0,
        format=form.name.encode(),
        accumulator=None if accumulate is None else _formats.format_named(accumulate).name.encode(),
        result=box.result.name.encode(),
        products=int(products),
        verify=verify,
        seed=seed,
    )
    if shape is not None:
        options.outputs, options.rank = box.count, len(shapes[0])
        options.shape = (ctypes.c_int64 * len(shapes[0]))(*shapes[0])
        if products:
            options.second_rank = len(shapes[1])
            options.second_shape = (ctypes.c_int64 * len(shapes[1]))(*shapes[1])
    with session.lock:
        text = c_char_p()
        status = _served(box, session, options, text)
        if status != _library.OK:
            session.fail(status)
        fields = json.loads(text.value or b"{}")
    return Revealed(fields, session) if shape is None else RevealedOutputs(fields, session, box.shape)


def _shapes(shape: Any, products: bool) -> List[Tuple[int, ...]]:
    """The shapes of the arrays: of one, or with products of two."""

    def sizes(given: Any) -> Tuple[int, ...]:
        try:
            found = tuple(int(each) for each in given)
        except TypeError:
            raise ArgumentError(f"shape={shape!r}: a shape is a tuple of sizes, shape=(4, 100)") from None
        if not found or min(found) < 1:
            raise ArgumentError(f"shape={shape!r}: an array has at least one axis, and no axis of fewer than 1 element")
        return found

    if numpy is None and "torch" not in sys.modules:
        raise ArgumentError("shape= is for arrays of NumPy or PyTorch, and neither can be imported")
    nested = isinstance(shape, (tuple, list)) and any(isinstance(each, (tuple, list)) for each in shape)
    if not products:
        if nested:
            raise ArgumentError("shape= has two shapes, for a function of two arrays: that needs products=True")
        return [sizes(shape)]
    if nested and len(shape) != 2:
        raise ArgumentError(f"shape={shape!r}: a function of two arrays has two shapes, not {len(shape)}")
    return [sizes(each) for each in shape] if nested else [sizes(shape)] * 2


def _served(box: "_Box", session: Session, options: _library.RevealOptions, text: c_char_p) -> int:
    """The status of reckon_reveal. The library calls the box in a thread of its own; but the function is the caller's,
    whose thread has the current stream of a GPU, and sees Ctrl-C if it is the main one. So the library works in another
    thread, and this one answers."""
    requests: "SimpleQueue[Any]" = SimpleQueue()
    answers: "SimpleQueue[Optional[List[int]]]" = SimpleQueue()
    claim = _thread.allocate_lock()
    ended: List[Any] = []

    def ask(_: Any, x: int, y: Optional[int], n: int, out: Any) -> int:
        requests.put((x, y))
        answer = answers.get()
        if answer is None:
            return 1
        out[0] = answer[0]
        return 0

    def ask_many(_: Any, x: int, y: Optional[int], out: int) -> int:
        requests.put((x, y))
        answer = answers.get()
        if answer is None:
            return 1
        (ctypes.c_uint64 * len(answer)).from_address(out)[:] = answer
        return 0

    reveal = session._lib.reveal_outputs if box.many else session._lib.reveal
    callback = _library.OutputsBox(ask_many) if box.many else _library.Box(ask)

    def work() -> None:
        if not claim.acquire(False):
            return
        try:
            ended.append(reveal(session.handle, callback, None, byref(options), byref(text)))
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
    """The library's view of the function: bit patterns in, bit patterns out."""

    def __init__(
        self, function: Callable[..., Any], form: Format, make: Any, shapes: List[Tuple[int, ...]], many: bool
    ) -> None:
        self.function, self.form, self.make, self.shapes, self.many = function, form, make, shapes, many
        self.result = form
        self.shape: Tuple[int, ...] = ()  # of the result

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    def answer(self, x: int, y: Optional[int]) -> List[int]:
        arrays = [self._array(self._words(at, shape), shape) for at, shape in zip((x, y), self.shapes) if at]
        value = self.function(*arrays)
        if not self.many:
            return [self._pattern(_one_number(value))]
        numbers, shape = _numbers(value)
        if shape != self.shape:
            raise ArgumentError(f"the function returned an array of the shape {shape}, after one of {self.shape}")
        patterns = self._patterns(numbers)
        return patterns if patterns is not None else [self._pattern(each) for each in numbers.tolist()]

    def _array(self, words: Any, shape: Tuple[int, ...]) -> Any:
        array = self.make(words, self.form)
        return array.reshape(shape) if self.many else array

    def _words(self, address: int, shape: Tuple[int, ...]) -> Any:
        words = (ctypes.c_uint64 * math.prod(shape)).from_address(address)
        if numpy is None:
            return list(words)
        return numpy.frombuffer(words, numpy.uint64).astype(_formats.pattern_dtype(self.form))

    def _pattern(self, number: Any) -> int:
        bits = _formats.pattern(number, self.result)
        back = _formats.number(bits, self.result)
        if back != number and number == number:
            raise ArgumentError(
                f"the function returned {number!r}, which is no {self.result.name}: state the format of its result, "
                'result="f64"'
            )
        return bits

    def _patterns(self, numbers: Any) -> Optional[List[int]]:
        """The patterns of an array whose dtype is the result's format."""
        if numpy is None or not isinstance(numbers, numpy.ndarray) or _format_of_result(numbers) is not self.result:
            return None
        return numbers.view(_formats.pattern_dtype(self.result)).tolist()  # type: ignore[no-any-return]

    def guess_result(self, seed: int) -> Format:
        """The narrowest format from the elements' on that holds the results of some trials; that of their dtype if it
        is narrower. A result of f64 may hold a sum of f32: NumPy and Python make it from one that is multiplied by 1.
        """
        found = self.form
        source = random.Random(seed)
        for _ in range(4):
            arrays = []
            for shape in self.shapes:
                words = [_formats.pattern(source.uniform(-1, 1), self.form) for _ in range(math.prod(shape))]
                if numpy is not None:
                    words = numpy.array(words, _formats.pattern_dtype(self.form))
                arrays.append(self._array(words, shape))
            value = self.function(*arrays)
            numbers = [_one_number(value)] if not self.many else []
            if self.many:
                flat, self.shape = _numbers(value)
                numbers = flat.tolist()
            form = _format_of_result(value)
            if form is not None and form.precision < self.form.precision:
                return form
            wider = [found] + [each for each in (FORMATS["f32"], FORMATS["f64"]) if each.precision > found.precision]
            for number in numbers:
                found = next((each for each in wider if number != number or _fits(number, each)), found)
                wider = [each for each in wider if each.precision >= found.precision]
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
    many = ": state the shape of its argument, shape=(m, n), if it returns many sums" if shape else ""
    raise ArgumentError(f"the function returned a {type(value).__name__}{shape}, and not one number{many}")


def _numbers(value: Any) -> Tuple[Any, Tuple[int, ...]]:
    """The numbers that a function returned, in a row, and the shape in which they stand."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        shape = tuple(value.shape)
        if str(value.dtype) == "torch.bfloat16" or numpy is None:
            value = value.double()
        return value.contiguous().reshape(-1) if numpy is None else value.numpy().reshape(-1), shape
    if numpy is None:
        raise ArgumentError(f"the function returned a {type(value).__name__}, and not an array")
    try:
        array = numpy.asarray(value)
    except (TypeError, ValueError):
        array = None
    if array is None or array.dtype.kind not in "fiuV" and _format_of_result(array) is None:
        raise ArgumentError(f"the function returned a {type(value).__name__}, and not an array of numbers")
    if array.size == 0:
        raise ArgumentError("the function returned an array without elements")
    return numpy.ascontiguousarray(array).reshape(-1), tuple(array.shape)


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
