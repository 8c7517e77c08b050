"""The examples of docs/pytorch.md print what the page says. They are one program, from top to bottom."""

import contextlib
import io
import linecache
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs/pytorch.md"


def blocks(text):
    """Each ```python block with the ```text block after it."""
    found, fence, lines = [], None, []
    for line in text.split("\n"):
        if line.startswith("```"):
            if fence is None:
                fence, lines = line[3:], []
            else:
                if fence == "python":
                    found.append(["\n".join(lines) + "\n", ""])
                elif fence == "text" and found:
                    found[-1][1] = "\n".join(lines) + "\n"
                fence = None
        elif fence is not None:
            lines.append(line)
    return found


def outputs(text):
    """What every block prints. Lines are counted through all blocks, as in one file."""
    scope, start = {}, 0
    program = "".join(code for code, _ in blocks(text))
    linecache.cache["example.py"] = (len(program), None, program.splitlines(keepends=True), "example.py")
    for code, _ in blocks(text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * start + code, "example.py", "exec"), scope)
        start += code.count("\n")
        yield printed.getvalue()


def updated(text):
    """The page with every output as it is now: `python3 test_docs.py --update` writes it."""
    for (code, expected), printed in zip(blocks(text), outputs(text)):
        old = f"```python\n{code}```\n\n```text\n{expected}```\n"
        assert old in text
        text = text.replace(old, f"```python\n{code}```\n\n```text\n{printed}```\n")
    return text


def test_examples():
    text = PAGE.read_text()
    assert len(blocks(text)) >= 5
    for (code, expected), printed in zip(blocks(text), outputs(text)):
        assert printed == expected, f"of\n{code}"


if __name__ == "__main__" and "--update" in sys.argv:
    import conftest  # noqa: F401, the paths

    PAGE.write_text(updated(PAGE.read_text()))
