"""What can go wrong, as exceptions whose text is the report that the command line prints."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

from . import _library


@dataclass(frozen=True)
class Message:
    """A diagnostic. Lines and columns count from 1; 0 means that there is no place."""

    code: str = ""
    message: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    notes: Tuple[str, ...] = ()
    helps: Tuple[str, ...] = ()
    text: str = ""
    status: int = 0

    def __str__(self) -> str:
        return self.text or self.message

    @staticmethod
    def of(fields: Dict[str, Any]) -> "Message":
        return Message(
            code=fields.get("code", ""),
            message=fields.get("message", ""),
            file=fields.get("file", ""),
            line=fields.get("line", 0),
            column=fields.get("column", 0),
            notes=tuple(fields.get("notes", ())),
            helps=tuple(fields.get("helps", ())),
            text=fields.get("text", ""),
            status=fields.get("status", 0),
        )


class Error(Exception):
    """The base of all errors that Reckon reports. `messages` has each diagnostic."""

    def __init__(self, text: str, messages: Sequence[Message] = ()) -> None:
        super().__init__(text)
        self.messages: Tuple[Message, ...] = tuple(messages)
        #: Of a program that was carried out: what came of the items before the mistake.
        self.partial: Tuple[Any, ...] = ()

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def code(self) -> str:
        """The code of the first message: `E0200`."""
        return self.messages[0].code if self.messages else ""


class SourceError(Error):
    """A program, an expression or an argument has a mistake."""


class ArgumentError(SourceError, TypeError, ValueError):
    """A Python object does not fit a circuit's parameter: its dtype, shape, memory or device."""


class UsageError(Error):
    """The call itself is wrong: a session that is closed, an option that there is not."""


class ForkError(UsageError):
    """The session belongs to the process from which this one was forked."""


class MissingError(Error):
    """A device, a driver or a tool is missing, or failed."""


class InternalError(Error):
    """A mistake in Reckon."""


class CheckFailed(Error, AssertionError):
    """A check does not hold. `verdict` is its outcome."""

    def __init__(self, text: str, verdict: Any = None) -> None:
        super().__init__(text)
        self.verdict = verdict


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended the work. The session can be used again; `partial` has what was found until then."""

    def __init__(self, text: str = "interrupted", partial: Sequence[Any] = ()) -> None:
        super().__init__(text)
        self.partial = tuple(partial)


_CLASSES: Dict[int, Type[Error]] = {
    _library.CHECK_FAILED: CheckFailed,
    _library.BAD_USE: UsageError,
    _library.SOURCE_ERROR: SourceError,
    _library.MISSING: MissingError,
    _library.INTERNAL: InternalError,
}


def messages_of(text: Optional[bytes]) -> List[Message]:
    if not text:
        return []
    return [Message.of(fields) for fields in json.loads(text)]


def error(status: int, text: str, messages: Sequence[Message]) -> BaseException:
    """The exception for a status and its messages."""
    text = text.rstrip("\n")
    if not text:
        text = "\n".join(str(message).rstrip("\n") for message in messages) or f"Reckon gave the status {status}"
    if status == _library.INTERRUPTED:
        return Interrupted(text)
    return (
        _CLASSES.get(status, InternalError)(text, messages) if status != _library.CHECK_FAILED else CheckFailed(text)
    )
