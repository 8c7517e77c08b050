"""The wheel: its files, its record, and that the same inputs give the same bytes."""

import base64
import csv
import hashlib
import io
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parent.parent
STDLIB = PYTHON.parent / "stdlib"


def build(*options):
    found = subprocess.run(
        [sys.executable, str(PYTHON / "build_wheel.py"), *map(str, options)], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    return Path(found.stdout.strip())


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """What cpack packs, with texts for libraries."""
    folder = tmp_path_factory.mktemp("tree")
    (folder / "lib" / "reckon").mkdir(parents=True)
    (folder / "lib" / "libreckon.so.0.1.0").write_text("the library")
    (folder / "lib" / "libreckon.so.0").symlink_to("libreckon.so.0.1.0")
    (folder / "lib" / "reckon" / "libLLVM.so.22").write_text("needed")
    (folder / "lib" / "reckon" / "libfmt.so.9.1.0").write_text("linked")
    (folder / "lib" / "reckon" / "libfmt.so.9").symlink_to("libfmt.so.9.1.0")
    shutil.copytree(STDLIB, folder / "share" / "reckon" / "stdlib")
    (folder / "program").write_text("the program")
    return folder


@pytest.fixture(scope="module")
def wheel(tree, tmp_path_factory):
    return build("--tree", tree, "--program", tree / "program", "-o", tmp_path_factory.mktemp("wheel"))


def test_the_record_has_every_file_with_its_hash(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = next(name for name in names if name.endswith("/RECORD"))
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
        assert set(rows) == set(names) and rows[record] == ["", ""] and len(names) == len(set(names))
        for name in set(names) - {record}:
            data = archive.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert rows[name] == [f"sha256={digest}", str(len(data))]


def test_the_files_are_where_the_package_and_the_library_look(wheel):
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("reckon/libreckon.so") == b"the library"
        assert archive.read("reckon/reckon/libLLVM.so.22") == b"needed"
        assert archive.read("reckon/reckon/libfmt.so.9") == b"linked"
        assert "reckon/reckon/libfmt.so.9.1.0" not in archive.namelist()  # one file has one name
        assert archive.read("reckon/bin/reckon") == b"the program"
        assert archive.getinfo("reckon/bin/reckon").external_attr >> 16 == 0o100755
        names = set(archive.namelist())
        assert {"reckon/__init__.py", "reckon/py.typed", "reckon/stdlib/schedules.rk"} <= names
        assert not any("__pycache__" in name for name in names)
        scripts = archive.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
        assert "[console_scripts]\nreckon = reckon.__main__:main" in scripts
        assert "[pytest11]\nreckon = reckon.pytest_plugin" in scripts


def test_the_same_inputs_give_the_same_bytes(tree, wheel, tmp_path):
    again = build("--tree", tree, "--program", tree / "program", "-o", tmp_path)
    assert again.read_bytes() == wheel.read_bytes()


def test_the_version_is_the_projects(wheel):
    text = (PYTHON.parent / "CMakeLists.txt").read_text()
    version = text.split("project(reckon VERSION ")[1].split()[0]
    assert wheel.name == f"reckon-{version}-py3-none-manylinux_2_36_x86_64.whl"
    with zipfile.ZipFile(wheel) as archive:
        assert f"\nVersion: {version}\n" in archive.read(f"reckon-{version}.dist-info/METADATA").decode()


def test_the_package_works_where_it_is_unpacked(tree, tmp_path):
    library = os.environ.get("RECKON_LIBRARY")
    if not library:
        pytest.skip("RECKON_LIBRARY names no library")
    with zipfile.ZipFile(build("--library", tree / "program", "--stdlib", STDLIB, "-o", tmp_path)) as archive:
        archive.extractall(tmp_path)
    shutil.copyfile(library, tmp_path / "reckon" / "libreckon.so")
    code = 'import reckon\nprint(reckon.eval("depth(numpy, 8)"), reckon.__version__, reckon.__file__)'
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECKON_")}
    environment["PYTHONPATH"] = str(tmp_path)
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert found.returncode == 0, found.stderr
    depth, version, place = found.stdout.split()
    assert depth == "3" and version[0].isdigit() and place.startswith(str(tmp_path))


def test_wrong_uses_are_told(tmp_path):
    for options, message in [
        (["--tree", tmp_path], "has no lib/libreckon.so"),
        (["--library", tmp_path / "none"], "none is no file"),
        (["--library", __file__, "--stdlib", tmp_path], "is not the standard library"),
        ([], "required"),
    ]:
        command = [sys.executable, str(PYTHON / "build_wheel.py"), *map(str, options)]
        found = subprocess.run(command, capture_output=True, text=True)
        assert found.returncode == 2 and message in found.stderr
