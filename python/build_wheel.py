#!/usr/bin/env python3
"""Makes a wheel of the package `reckon` with the library in it, by Python's standard library alone.

    python/build_wheel.py --tree UNPACKED -o dist
    python/build_wheel.py --library build/static/api/libreckon.so --stdlib stdlib -o dist

UNPACKED is what `cpack` packs: lib/libreckon.so.VERSION, the libraries that it needs in lib/reckon, the standard
library in share/reckon/stdlib. With --program the wheel has the program `reckon`, too, as a console script; it must
need no other libraries than the system's. The same inputs give the same bytes. The version is that of the project in
CMakeLists.txt.
"""

import argparse
import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parent.parent
PLATFORM = "manylinux_2_36_x86_64"
#: The least that a ZIP archive can say. All files have it, so that the wheel depends on their contents alone.
TIME = (1980, 1, 1, 0, 0, 0)


def project_version() -> str:
    """The version that CMakeLists.txt states."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(reckon\s+VERSION\s+([0-9.]+)", text)
    if found is None:
        raise SystemExit("CMakeLists.txt states no version of the project")
    return found.group(1)


def metadata(version: str) -> str:
    description = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    return (
        "Metadata-Version: 2.1\n"
        "Name: reckon\n"
        f"Version: {version}\n"
        "Summary: Arithmetic circuits, the order of their reductions, and what can be proven of them\n"
        "License: Apache-2.0\n"
        "Requires-Python: >=3.9\n"
        "Provides-Extra: numpy\n"
        "Requires-Dist: numpy; extra == 'numpy'\n"
        "Provides-Extra: formats\n"
        "Requires-Dist: ml_dtypes; extra == 'formats'\n"
        "Classifier: License :: OSI Approved :: Apache Software License\n"
        "Classifier: Operating System :: POSIX :: Linux\n"
        "Classifier: Programming Language :: Python :: 3\n"
        "Classifier: Topic :: Scientific/Engineering :: Mathematics\n"
        "Classifier: Typing :: Typed\n"
        "Description-Content-Type: text/markdown\n"
        "\n" + description
    )


def entry_points(with_program: bool) -> str:
    text = "[pytest11]\nreckon = reckon.pytest_plugin\n"
    if with_program:
        text = "[console_scripts]\nreckon = reckon.__main__:main\n\n" + text
    return text


WHEEL = f"Wheel-Version: 1.0\nGenerator: reckon\nRoot-Is-Purelib: false\nTag: py3-none-{PLATFORM}\n"


class Archive:
    """The files of a wheel, by name, with the list of their hashes."""

    def __init__(self) -> None:
        self.files = {}
        self.executable = set()

    def add(self, name: str, data: bytes, executable: bool = False) -> None:
        self.files[name] = data
        if executable:
            self.executable.add(name)

    def add_folder(self, name: str, folder: Path, suffixes: tuple) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix in suffixes:
                self.add(f"{name}/{path.relative_to(folder).as_posix()}", path.read_bytes())

    def record(self, own_name: str) -> None:
        rows = []
        for name, data in sorted(self.files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(data)}\n")
        self.add(own_name, ("".join(rows) + f"{own_name},,\n").encode())

    def write(self, path: Path) -> None:
        # The files of .dist-info come last, as the format asks for.
        order = sorted(self.files, key=lambda name: (".dist-info/" in name, name))
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for name in order:
                entry = zipfile.ZipInfo(name, TIME)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.create_system = 3
                entry.external_attr = (0o100755 if name in self.executable else 0o100644) << 16
                archive.writestr(entry, self.files[name])


def build(library: Path, needed: list, stdlib: Path, program: Optional[Path], out: Path) -> Path:
    """The wheel of these files; `needed` are libraries, which the first finds in the folder reckon beside it."""
    version = project_version()
    archive = Archive()
    archive.add_folder("reckon", ROOT / "python" / "reckon", (".py", ".pyi", ".typed", ".rk"))
    archive.add("reckon/libreckon.so", library.read_bytes(), executable=True)
    for path in needed:
        archive.add(f"reckon/reckon/{path.name}", path.read_bytes(), executable=True)
    archive.add_folder("reckon/stdlib", stdlib, (".rk",))
    if program is not None:
        archive.add("reckon/bin/reckon", program.read_bytes(), executable=True)
    info = f"reckon-{version}.dist-info"
    archive.add(f"{info}/METADATA", metadata(version).encode())
    archive.add(f"{info}/WHEEL", WHEEL.encode())
    archive.add(f"{info}/entry_points.txt", entry_points(program is not None).encode())
    archive.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    archive.record(f"{info}/RECORD")
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"reckon-{version}-py3-none-{PLATFORM}.whl"
    archive.write(path)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tree", type=Path, help="the folder that cpack's archive unpacks to")
    source.add_argument("--library", type=Path, help="libreckon.so alone")
    parser.add_argument("--stdlib", type=Path, help="the folder of the standard library")
    parser.add_argument("--program", type=Path, help="the program reckon, which becomes a console script")
    parser.add_argument("-o", "--out", type=Path, default=Path("dist"), help="the folder for the wheel")
    options = parser.parse_args()
    library, needed, stdlib = options.library, [], options.stdlib or ROOT / "stdlib"
    if options.tree is not None:
        # The longest name is the file itself; the others are links to it.
        found = sorted((options.tree / "lib").glob("libreckon.so*"), key=lambda path: len(path.name))
        if not found:
            parser.error(f"{options.tree} has no lib/libreckon.so")
        library = found[-1]
        # A wheel has no links: of a library under two names, libfmt.so.9 -> libfmt.so.9.1.0, the loader asks for the link.
        there = sorted(path for path in (options.tree / "lib" / "reckon").glob("*.so*") if path.is_file())
        linked = {path.resolve() for path in there if path.is_symlink()}
        needed = [path for path in there if path.is_symlink() or path.resolve() not in linked]
        stdlib = options.stdlib or options.tree / "share" / "reckon" / "stdlib"
    for path in (library, options.program):
        if path is not None and not path.is_file():
            parser.error(f"{path} is no file")
    if not (stdlib / "schedules.rk").is_file():
        parser.error(f"{stdlib} is not the standard library: it has no schedules.rk")
    print(build(library, needed, stdlib, options.program, options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
