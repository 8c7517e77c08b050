"""`python -m reckon`: the program `reckon` of this package, or the one on the path."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    from .testing import program

    found = program()
    if found is None:
        sys.exit("reckon: this package was made without the program, and there is none on the path")
    own_library = Path(__file__).resolve().parent / "stdlib"
    if own_library.is_dir():
        os.environ.setdefault("RECKON_STDLIB", str(own_library))
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    main()
