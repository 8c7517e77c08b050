"""The examples of docs/python.md are sessions at Python's prompt, which this repeats in order."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_the_examples_print_what_they_say(tmp_path, monkeypatch):
    numpy = pytest.importorskip("numpy")
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    sessions = [block for block in blocks if block.startswith(">>> ")]
    assert len(sessions) >= 8
    source = "\n".join(block.replace("```", "") for block in sessions)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.rk").write_text(
        re.search(r"^```reckon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1)
    )
    example = doctest.DocTestParser().get_doctest(source, {"numpy": numpy}, "docs/python.md", str(PAGE), 0)
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
