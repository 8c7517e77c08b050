import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", minversion="1.13.0a0")
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("RECKON_PROGRAM", str(ROOT / "build/dev/cli/reckon"))
