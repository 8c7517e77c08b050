"""The plugin of pytest, with a stand-in for the program."""

import os
import stat
import subprocess
import sys

import pytest

PROGRAM = """#!/bin/sh
echo "$1" "$(basename "$2")"
case "$2" in *bad.rk) echo "the difference"; exit 1;; esac
"""


@pytest.fixture
def folder(tmp_path):
    program = tmp_path / "reckon"
    program.write_text(PROGRAM)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "good.rk").write_text("show 3\n")
    (tmp_path / "good.expected").write_text("3\n")
    (tmp_path / "inside.rk").write_text("show 3\n#| 3\n\n")
    (tmp_path / "bad.rk").write_text("show 4\n#| 5\n")
    (tmp_path / "free.rk").write_text("show 3\n")
    return tmp_path


def run(folder, *options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "RECKON_PROGRAM": str(folder / "reckon")}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "reckon.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "-q",
        str(folder),
    ]
    return subprocess.run(command + list(options), capture_output=True, text=True, env=environment, cwd=folder)


def test_programs_with_expected_output_are_tests(folder):
    found = run(folder)
    assert "1 failed, 2 passed" in found.stdout
    assert "test bad.rk\nthe difference" in found.stdout and "Traceback" not in found.stdout


def test_others_are_tests_where_that_is_asked_for(folder):
    assert "1 failed, 3 passed" in run(folder, "--rk").stdout


def test_a_program_that_is_missing_is_told(folder):
    (folder / "reckon").unlink()
    assert "No such file" in run(folder).stdout
