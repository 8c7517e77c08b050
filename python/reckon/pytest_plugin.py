"""A plugin of pytest that collects programs: each .rk file that says what it should print is a test.

The expected output stands in `sum.expected` beside `sum.rk`, or in its last lines, `#| ...`. With the option --rk,
files without one are tests, too: their checks must hold.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, Optional

import pytest

from . import testing
from ._errors import CheckFailed


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("reckon")
    group.addoption(
        "--rk", action="store_true", help="collect all programs of Reckon, not only those with expected output"
    )


def pytest_collect_file(file_path: Path, parent: Any) -> Optional["ProgramFile"]:
    if file_path.suffix != ".rk":
        return None
    if not testing.has_expected_output(file_path) and not parent.config.getoption("--rk"):
        return None
    found: ProgramFile = ProgramFile.from_parent(parent, path=file_path)
    return found


class ProgramFile(pytest.File):
    def collect(self) -> Iterator["Program"]:
        yield Program.from_parent(self, name=self.path.stem)


class Program(pytest.Item):
    def runtest(self) -> None:
        testing.raise_for_file(self.path)

    def repr_failure(self, excinfo: Any, style: Any = None) -> str:
        if isinstance(excinfo.value, CheckFailed):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> Any:
        return self.path, 0, f"program {self.path.name}"
