"""The wheel: its files, its record, and that the same inputs give the same bytes."""

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parent.parent
STDLIB = PYTHON.parent / "stdlib"


def build(out, *options):
    library = os.environ.get("RECKON_LIBRARY")
    if not library:
        pytest.skip("RECKON_LIBRARY names no library")
    command = [
        sys.executable,
        str(PYTHON / "build_wheel.py"),
        "--library",
        library,
        "--stdlib",
        str(STDLIB),
        "-o",
        str(out),
    ]
    found = subprocess.run(command + list(options), capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return Path(found.stdout.strip())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(tmp_path_factory.mktemp("wheel"))


def test_the_record_has_every_file_with_its_hash(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = next(name for name in names if name.endswith("/RECORD"))
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
        assert set(rows) == set(names) and rows[record] == ["", ""]
        for name in set(names) - {record}:
            data = archive.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert rows[name] == [f"sha256={digest}", str(len(data))]
        assert {"reckon/__init__.py", "reckon/py.typed", "reckon/libreckon.so", "reckon/stdlib/schedules.rk"} <= set(
            names
        )


def test_the_same_inputs_give_the_same_bytes(wheel, tmp_path):
    assert build(tmp_path).read_bytes() == wheel.read_bytes()


def test_the_version_is_the_projects(wheel):
    text = (PYTHON.parent / "CMakeLists.txt").read_text()
    version = text.split("project(reckon VERSION ")[1].split()[0]
    assert wheel.name == f"reckon-{version}-py3-none-manylinux_2_36_x86_64.whl"
    with zipfile.ZipFile(wheel) as archive:
        assert f"\nVersion: {version}\n" in archive.read(f"reckon-{version}.dist-info/METADATA").decode()
        assert (
            "reckon = reckon.pytest_plugin" in archive.read(f"reckon-{version}.dist-info/entry_points.txt").decode()
        )


def test_the_package_works_where_it_is_unpacked(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = 'import reckon\nprint(reckon.eval("depth(numpy, 8)"), reckon.__version__, reckon.__file__)'
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECKON_")}
    environment["PYTHONPATH"] = str(tmp_path)
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert found.returncode == 0, found.stderr
    depth, version, place = found.stdout.split()
    assert depth == "3" and version in wheel.name and place.startswith(str(tmp_path))
