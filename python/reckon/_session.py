"""A session of the library: one lock, exceptions for statuses, Ctrl-C, fork."""

from __future__ import annotations

import _thread
import ctypes
import json
import os
import threading
import weakref
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Callable, Iterator, List, NoReturn, Optional, Tuple

from . import _errors, _library
from ._library import library

_sessions: "weakref.WeakSet[Session]" = weakref.WeakSet()


def _forget_sessions() -> None:
    """In a child that was forked: threads and locks of the parent are gone, so nothing of its sessions is touched."""
    for session in list(_sessions):
        session._disown()


os.register_at_fork(after_in_child=_forget_sessions)


class _SessionLock:
    """A lock that one thread cannot take twice: a function that the library calls must not come back to its session."""

    __slots__ = ("_lock", "_owner")

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._owner = 0

    def wait(self) -> None:
        """Takes the lock for a call that does not come back to Python."""
        if not self._lock.acquire(False):
            if self._owner == _thread.get_ident():
                raise _errors.UsageError(
                    "this session is at work in the same thread, further up: use another session"
                )
            self._lock.acquire()

    def __enter__(self) -> None:
        self.wait()
        self._owner = _thread.get_ident()

    def __exit__(self, *_: Any) -> None:
        self._owner = 0
        self._lock.release()


class Outcome:
    """What an item of a program came to: `fields` as JSON has it, the text of the command line, the value of a show."""

    def __init__(self, fields: Any, text: str, value: Any) -> None:
        self.fields, self.text, self.value = fields, text, value

    @property
    def kind(self) -> str:
        return str(self.fields.get("kind", "")) if isinstance(self.fields, dict) else "several"

    @property
    def is_error(self) -> bool:
        several = self.fields if isinstance(self.fields, list) else [self.fields]
        return any(each.get("kind") == "error" for each in several)


class Session:
    """Definitions, and what was compiled of them. Any thread may use it; they take turns."""

    def __init__(
        self,
        *,
        library_folder: Optional[str] = None,
        semantics: Optional[str] = None,
        kernel_folder: Optional[str] = None,
        budget: float = 0,
        seed: Optional[int] = None,
        cuda_driver: Optional[str] = None,
    ) -> None:
        self._lib = library()
        self._handle: Optional[int] = None
        self._gone = "this session is closed"
        self.lock = _SessionLock()
        #: Programs and values that were freed while the session was at work; the next call frees them.
        self._litter: List[Tuple[Callable[[Any], None], int]] = []
        options = _library.SessionOptions(
            library_folder=_encoded(library_folder),
            semantics=_encoded(semantics),
            kernel_folder=_encoded(kernel_folder),
            budget=budget,
            cuda_driver=_encoded(cuda_driver),
        )
        if seed is not None:
            number = ctypes.c_int64(seed)
            options.seed = ctypes.pointer(number)
        handle = c_void_p()
        status = self._lib.session_new(byref(options), byref(handle))
        if not handle.value:
            raise _errors.error(status or _library.INTERNAL, "the session cannot be made", [])
        self._handle = handle.value
        if status != _library.OK:
            try:
                self.fail(status)
            finally:
                self.close()
        _sessions.add(self)

    # ---- The handle

    @property
    def handle(self) -> int:
        if self._handle is None:
            self._raise_gone()
        return self._handle

    def _raise_gone(self) -> NoReturn:
        if "forked" in self._gone:
            raise _errors.ForkError(self._gone)
        raise _errors.UsageError(self._gone)

    def _disown(self) -> None:
        self._handle = None
        self._litter = []
        self.lock = _SessionLock()
        self._gone = (
            f"this session belongs to process {os.getppid()}, from which process {os.getpid()} was forked; "
            "load the program again in the new process, or start it with multiprocessing's method `spawn`"
        )

    @property
    def alive(self) -> bool:
        return self._handle is not None

    def close(self) -> None:
        """Frees the session. What it compiled can still be freed, but no longer be used."""
        with self.lock:
            handle, self._handle = self._handle, None
            self._sweep()
            if handle is not None:
                self._lib.session_free(handle)

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle is not None:
            self._sweep()
            self._lib.session_free(handle)

    def discard(self, free: Callable[[Any], None], handle: int) -> None:
        """Frees a program or values. Python may destroy an object in any thread and within any call."""
        if self._handle is None and "forked" in self._gone:
            return
        self._litter.append((free, handle))
        if self.lock._lock.acquire(False):
            try:
                self._sweep()
            finally:
                self.lock._lock.release()

    def _sweep(self) -> None:
        while self._litter:
            free, handle = self._litter.pop()
            free(handle)

    # ---- Calls

    def fail(self, status: int) -> NoReturn:
        """Raises the exception for a status; the lock is held."""
        handle = self.handle
        text = _library.decoded(self._lib.message_text(handle))
        messages = _errors.messages_of(self._lib.messages(handle))
        raise _errors.error(status, text, messages)

    def do(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function of the library that takes the session first. Ctrl-C ends its work."""
        with self.lock:
            self._call(function, *arguments)

    def _call(self, function: Callable[..., int], *arguments: Any, passing: Tuple[int, ...] = ()) -> int:
        handle = self.handle
        for each in arguments:
            if type(each) is bytes and b"\0" in each:
                raise _errors.SourceError("the text has a null byte, which ends a text in C")
        self._sweep()
        status = interruptible(lambda: function(handle, *arguments), lambda: self._lib.interrupt(handle))
        if status != _library.OK and status not in passing:
            self.fail(status)
        return status

    def text(self, function: Callable[..., int], *arguments: Any) -> str:
        """The text that a function gives by its last parameter."""
        with self.lock:
            out = c_char_p()
            self._call(function, *arguments, byref(out))
            return _library.decoded(out.value)

    def json(self, function: Callable[..., int], *arguments: Any) -> Any:
        return json.loads(self.text(function, *arguments))

    @contextmanager
    def new_values(self, function: Callable[..., int], *arguments: Any) -> Iterator[int]:
        """The handle of the values that a function gives by its last parameter; the lock is held meanwhile."""
        with self.lock:
            out = c_void_p()
            self._call(function, *arguments, byref(out))
            yield out.value or 0

    def outcomes(self, function: Callable[..., int], *arguments: Any) -> List["Outcome"]:
        """Carries a program or an entry out. The exception for a mistake has the outcomes before it as `partial`."""
        from ._values import read

        found: List[Outcome] = []
        trouble: List[BaseException] = []

        def sink(_: Any, fields: bytes, text: bytes, values: Optional[int]) -> None:
            try:
                found.append(
                    Outcome(json.loads(fields), _library.decoded(text), read(self, values) if values else None)
                )
            except BaseException as error:  # An exception must not go through the library.
                trouble.append(error)

        callback = _library.Sink(sink)
        with self.lock:
            try:
                self._call(function, *arguments, callback, None, passing=(_library.CHECK_FAILED,))
            except (_errors.Error, KeyboardInterrupt) as error:
                error.partial = tuple(found)  # type: ignore[union-attr]
                raise
        if trouble:
            raise trouble[0]
        return found


def _encoded(text: Optional[Any]) -> Optional[bytes]:
    """Of an option that may be left out: a text or a path."""
    return None if text is None else os.fspath(text).encode()


def _text(text: Any) -> bytes:
    """Of a program, or of a part of one. A path is none: its characters would be taken for the program."""
    if not isinstance(text, str):
        raise TypeError(f"a text is wanted, not {type(text).__name__}")
    return text.encode()


def interruptible(call: Callable[[], int], interrupt: Callable[[], Any]) -> int:
    """Does `call` so that a signal's handler can end it.

    Python runs handlers in the main thread and between instructions of Python alone, so a call that the main thread
    made itself would delay Ctrl-C to its end. Another thread makes it, while the main thread waits on a lock, which
    signals do wake. If the handler raises, `interrupt` ends the work, and the exception goes on when it has ended.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    claim, done = _thread.allocate_lock(), _thread.allocate_lock()
    done.acquire()
    outcome: List[Any] = []

    def work() -> None:
        if not claim.acquire(False):
            return
        try:
            outcome.append(call())
        except BaseException as error:
            outcome.append(error)
        finally:
            done.release()

    stopped: Optional[BaseException] = None
    try:
        _thread.start_new_thread(work, ())
        done.acquire()
    except BaseException as error:
        stopped = error
    while stopped is not None:
        # Whoever has the claim decides whether the work takes place at all.
        if claim.acquire(False):
            raise stopped
        try:
            if not outcome:
                interrupt()
                done.acquire()
            break
        except BaseException as error:
            stopped = error
    result = outcome[0]
    if stopped is not None:
        if isinstance(stopped, KeyboardInterrupt):
            raise _errors.Interrupted() from None
        raise stopped
    if isinstance(result, BaseException):
        raise result
    return int(result)


_default: Optional[Session] = None
_default_lock = threading.Lock()


def default_session() -> Session:
    """The session of questions that belong to no program: it has the standard library in scope."""
    global _default
    with _default_lock:
        if _default is None or not _default.alive:
            session = Session()
            session.do(session._lib.use_library)
            _default = session
        return _default


def _forget_default() -> None:
    global _default, _default_lock
    _default = None
    _default_lock = threading.Lock()


os.register_at_fork(after_in_child=_forget_default)
