"""What a check comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _formats
from ._errors import CheckFailed, Error
from ._formats import FORMATS, numpy

if TYPE_CHECKING:
    from ._session import Session


@dataclass(frozen=True)
class Counterexample:
    """Inputs for which a check fails. `inputs` has arrays; `expressions` has the language's text for each, which
    makes it again. `left` and `right` are forms of the two results: `value`, `hex`, `bits`, ..."""

    dimensions: Dict[str, int]
    inputs: Dict[str, Any]
    expressions: Dict[str, str]
    left: Dict[str, Any]
    right: Dict[str, Any]
    element: Tuple[int, ...] = ()
    distance: str = ""
    ulps: Optional[int] = None
    parting: str = ""
    fields: Dict[str, Any] = field(default_factory=dict, repr=False)


class Verdict:
    """The outcome of a check. True if it holds; `undecided` is not true.

    `verdict` is holds, fails or undecided; `strength` proved, agreed or observed; `evidence` says what it rests on
    (docs/verdicts.md); `text` is the report of the command line.
    """

    def __init__(self, fields: Dict[str, Any], text: str, session: "Session") -> None:
        self.fields = fields
        self.text = text.rstrip("\n")
        self.check: str = fields["text"]
        self.verdict: str = fields["verdict"]
        self.strength: str = fields.get("strength", "")
        self.semantics: str = fields.get("semantics", "")
        self.evidence: Dict[str, Any] = fields.get("evidence", {})
        self.notes: Tuple[str, ...] = tuple(fields.get("notes", ()))
        self._session = session
        self._counterexample: Optional[Counterexample] = None

    def __bool__(self) -> bool:
        return self.verdict == "holds"

    @property
    def interrupted(self) -> bool:
        return bool(self.fields.get("interrupted") or self.evidence.get("interrupted"))

    @property
    def counterexample(self) -> Optional[Counterexample]:
        found = self.fields.get("counterexample")
        if found is None:
            return None
        if self._counterexample is None:
            inputs = found.get("inputs", {})
            self._counterexample = Counterexample(
                dimensions=found.get("dimensions", {}),
                inputs={name: _made_again(self._session, each) for name, each in inputs.items()},
                expressions={name: each.get("expression", "") for name, each in inputs.items()},
                left=found.get("left", {}),
                right=found.get("right", {}),
                element=tuple(found.get("element", ())),
                distance=found.get("distance", ""),
                ulps=found.get("ulps"),
                parting=found.get("parting", ""),
                fields=found,
            )
        return self._counterexample

    def raise_for_failure(self) -> "Verdict":
        """CheckFailed unless the check holds."""
        if not self:
            raise CheckFailed(self.text, self)
        return self

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.verdict}: {self.check}" + (f" ({self.strength})>" if self.strength else ">")


def _made_again(session: "Session", each: Dict[str, Any]) -> Any:
    """The array of an input from the expression that makes it, or the expression where that is not possible."""
    from ._statics import _asked

    expression = each.get("expression", "")
    form = FORMATS.get(each.get("type", ""))
    numbers = _literal(expression)
    if numbers is not None:
        bits = _formats.rounded(numbers, form or FORMATS["f64"])
        if numpy is None:
            return numbers
        found = bits.view(_formats.dtype_of(form or FORMATS["f64"]))
        return found if found.ndim else found[()]
    try:
        return _asked(session, expression)
    except Error:
        return expression


def _literal(text: str) -> Any:
    """A number or nested lists of numbers, as the language writes them; None of anything else."""
    words = text.replace("[", " [ ").replace("]", " ] ").replace(",", " ").split()
    stack: List[Any] = [[]]
    for word in words:
        if word == "[":
            stack.append([])
        elif word == "]":
            if len(stack) < 2:
                return None
            done = stack.pop()
            stack[-1].append(done)
        else:
            number = _number(word)
            if number is None:
                return None
            stack[-1].append(number)
    return stack[0][0] if len(stack) == 1 and len(stack[0]) == 1 else None


def _number(word: str) -> Any:
    from fractions import Fraction

    if "#" in word:
        name, _, digits = word.partition("#")
        form = FORMATS.get(name)
        return None if form is None else _formats.number(int(digits, 16), form)
    try:
        if word.lower().lstrip("+-") in ("inf", "nan"):
            return float(word)
        if "0x" in word:
            return float.fromhex(word)
        if float(word) == 0:
            return float(word)
        return Fraction(word)
    except (ValueError, ZeroDivisionError):
        return None
