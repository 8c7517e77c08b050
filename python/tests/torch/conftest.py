import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("RECKON_PROGRAM", str(ROOT / "build/dev/cli/reckon"))

try:
    import torch  # noqa: F401
except ImportError:
    # A skip here would skip all other tests of the package, too.
    collect_ignore_glob = ["test_*.py"]
