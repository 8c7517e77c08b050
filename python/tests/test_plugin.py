"""The plugin of pytest, with a stand-in for the program."""

import os
import stat
import subprocess
import sys

import pytest


@pytest.fixture
def folder(tmp_path):
    program = tmp_path / "reckon"
    program.write_text("#!/bin/sh\necho 3\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "good.rk").write_text("show 3\n")
    (tmp_path / "good.expected").write_text("3\n")
    (tmp_path / "bad.rk").write_text("show 4\n")
    (tmp_path / "bad.expected").write_text("4\n")
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
    assert "1 failed, 1 passed" in found.stdout
    assert "-4\n+3\n" in found.stdout and "bad.rk" in found.stdout and "Traceback" not in found.stdout


def test_others_are_tests_where_that_is_asked_for(folder):
    assert "1 failed, 2 passed" in run(folder, "--rk").stdout
