"""Static values that draw themselves: trees, schedules, layouts."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Union

from . import _library
from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._session import Session

#: The number of leaves for which a schedule draws itself.
LEAVES = 16


def _session_of(session: Optional["Session"]) -> "Session":
    if session is not None:
        return session
    from ._session import default_session

    return default_session()


def _draw_options(**options: Any) -> _library.DrawOptions:
    tile = options.pop("tile", None)
    options["no_caption"] = not options.pop("caption")
    texts = {
        name: None if value is None else str(value).encode() for name, value in options.items() if name in _TEXTS
    }
    numbers = {name: int(value) for name, value in options.items() if name not in _TEXTS}
    structure = _library.DrawOptions(**texts, **numbers)
    if tile is not None:
        structure.tile, structure.tile_rank = _library.sizes(tile), len(tile)
    return structure


def _drawn(session: "Session", expression: str, **options: Any) -> str:
    return session.text(session._lib.draw, expression.encode(), byref(_draw_options(**options)))


_TEXTS = ("form", "as_", "label", "shade")


class Tree:
    """The tree in which a schedule adds: `((0 1) 2)`. Leaves are the numbers of the summands."""

    def __init__(self, text: str, *, _session: Optional["Session"] = None) -> None:
        self.text = text.strip()
        self._session = _session

    @property
    def nested(self) -> Any:
        """The tree as nested tuples: ((0, 1), 2)."""
        stack: List[List[Any]] = [[]]
        for word in self.text.replace("(", " ( ").replace(")", " ) ").split():
            if word == "(":
                stack.append([])
            elif word == ")":
                done = tuple(stack.pop())
                if not stack:
                    raise ArgumentError(f"`{self.text}` is no tree: a `)` is too many")
                stack[-1].append(done)
            else:
                stack[-1].append(int(word))
        if len(stack) != 1 or len(stack[0]) != 1:
            raise ArgumentError(f"`{self.text}` is no tree")
        return stack[0][0]

    @property
    def leaves(self) -> Tuple[int, ...]:
        """The numbers of the leaves, from left to right."""
        return tuple(int(word) for word in self.text.replace("(", " ").replace(")", " ").split())

    @property
    def depth(self) -> int:
        depth = most = 0
        for letter in self.text:
            depth += (letter == "(") - (letter == ")")
            most = max(most, depth)
        return most

    def draw(self, form: str = "text", *, caption: bool = True) -> str:
        """The picture as text, or as a file's contents: form is text, svg or pdf. Without a caption, it has no title."""
        return _drawn(_session_of(self._session), "'" + self.text, form=form, caption=caption)

    def __eq__(self, other: Any) -> Any:
        return (
            self.text == other.text
            if isinstance(other, Tree)
            else self.text == other
            if isinstance(other, str)
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Tree({self.text!r})"

    def _repr_svg_(self) -> str:
        return self.draw(form="svg")


class _Expression:
    """A static value that an expression of the language denotes."""

    _type = ""

    def __init__(self, text: Union[str, "_Expression"], *, _session: Optional["Session"] = None) -> None:
        if isinstance(text, _Expression):
            _session = _session or text._session
            text = text.text
        self._session: Optional["Session"] = _session
        self.text: str = text if _session is not None else self._checked(text)

    def _checked(self, text: str) -> str:
        """The text as the language writes it, if it denotes a value of this type."""
        session = _session_of(None)
        with session.new_values(session._lib.evaluate, text.encode()) as values:
            try:
                type_ = _library.decoded(session._lib.value_type(values, 0))
                found = _library.decoded(session._lib.value_text(values, 0, 0))
            finally:
                session._lib.values_free(values)
        if type_ != self._type:
            article = "an" if type_[:1] in "aeiou" else "a"
            raise ArgumentError(f"`{text}` is {article} {type_}, not a {self._type}")
        return found

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"


def _asked(session: "Session", expression: str) -> Any:
    from ._values import take

    with session.new_values(session._lib.evaluate, expression.encode()) as values:
        return take(session, values)


class Schedule(_Expression):
    """An order of reductions: for every number of leaves, one tree.

    `str()` and notebooks show the tree for 16 leaves; `tree(n)` and `draw(n)` that for others. Two schedules are
    equal if they are written alike; `same(other, n)` compares their trees.
    """

    _type = "schedule"

    def tree(self, n: int) -> Tree:
        session = _session_of(self._session)
        return Tree(session.text(session._lib.tree, self.text.encode(), n), _session=self._session)

    def then(self, other: Union[str, "Schedule"]) -> "Schedule":
        """This stage, and on what it leaves the other schedule."""
        following = other.text if isinstance(other, Schedule) else other
        return (
            Schedule(f"{self.text} then {following}", _session=None)
            if self._session is None
            else self._within(f"{self.text} then {following}")
        )

    def _within(self, text: str) -> "Schedule":
        found = _asked(_session_of(self._session), text)
        if not isinstance(found, Schedule):
            raise ArgumentError(f"`{text}` is no schedule")
        return found

    def same(self, other: Union[str, "Schedule"], n: int) -> bool:
        """Whether both have the same tree for n leaves, but for the order of operands."""
        text = other.text if isinstance(other, Schedule) else other
        return bool(_asked(_session_of(self._session), f"same({self.text}, {text}, {n})"))

    def depth(self, n: int) -> int:
        return int(_asked(_session_of(self._session), f"depth({self.text}, {n})"))

    def draw(self, n: int = LEAVES, form: str = "text", *, caption: bool = True) -> str:
        """The picture of the tree for n leaves: form is text, svg or pdf."""
        return _drawn(_session_of(self._session), self.text, leaves=n, form=form, caption=caption)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (Schedule, str)):
            return NotImplemented
        return self.text == (other if isinstance(other, str) else other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.draw().rstrip("\n")

    def _repr_svg_(self) -> str:
        return self.draw(form="svg")


class Layout(_Expression):
    """A layout of the algebra: `Layout("(2, 4):(1, 2)")`. Equal layouts map every index alike."""

    _type = "layout"

    def __call__(self, *coordinates: int) -> int:
        """The offset of an index or a coordinate."""
        if not coordinates:
            raise ArgumentError("a layout is called with an index or a coordinate")
        found = _asked(_session_of(self._session), f"({self.text})({', '.join(map(str, coordinates))})")
        return int(found)

    @property
    def size(self) -> int:
        return int(_asked(_session_of(self._session), f"size({self.text})"))

    @property
    def cosize(self) -> int:
        return int(_asked(_session_of(self._session), f"cosize({self.text})"))

    def coalesce(self) -> "Layout":
        found = _asked(_session_of(self._session), f"coalesce({self.text})")
        assert isinstance(found, Layout)
        return found

    def compose(self, other: Union[str, "Layout"]) -> "Layout":
        """i -> self(other(i))."""
        text = other.text if isinstance(other, Layout) else other
        found = _asked(_session_of(self._session), f"compose({self.text}, {text})")
        if not isinstance(found, Layout):
            raise ArgumentError(f"the composition is no layout: {found}")
        return found

    def draw(
        self,
        form: str = "text",
        *,
        as_: Optional[str] = None,
        label: Optional[str] = None,
        shade: Optional[str] = None,
        tile: Optional[Sequence[int]] = None,
        element_bytes: int = 0,
        caption: bool = True,
    ) -> str:
        """The picture: form is text, svg or pdf; as_ is grid, tv, banks or bits; docs/pictures.md has the others."""
        session = _session_of(self._session)
        options = {"as_": as_, "label": label, "shade": shade, "tile": tile, "element_bytes": element_bytes}
        return _drawn(session, self.text, form=form, caption=caption, **options)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (Layout, str)):
            return NotImplemented
        text = other if isinstance(other, str) else other.text
        return self.text == text or bool(_asked(_session_of(self._session), f"({self.text}) == ({text})"))

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.draw().rstrip("\n")

    def _repr_svg_(self) -> str:
        return self.draw(form="svg")


def tree(schedule: Union[str, Schedule], n: int) -> Tree:
    """The tree of a schedule for n leaves: reckon.tree("lanes(4, tree) then tree", 6)."""
    if isinstance(schedule, Schedule):
        return schedule.tree(n)
    session = _session_of(None)
    return Tree(session.text(session._lib.tree, schedule.encode(), n))
