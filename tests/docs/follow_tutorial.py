#!/usr/bin/env python3
"""Follows a page of documentation word for word, as a reader does, and compares what each step prints.

Usage: follow_tutorial.py PAGE RECKON_PROGRAM

Everything happens in a fresh folder, with the program as `reckon` on the PATH. The blocks of the page are
  - ```reckon with a first line `# file: NAME.rk`: the block is written to that file; a ```text block that follows is
    what `reckon run NAME.rk` prints;
  - ``` without a language: lines that begin with `$ ` are commands for bash, and the lines behind a command are what
    it prints, its standard error included. The exit status is not compared.
Any other block is an error of the page. The status is 1 if anything differs, else 0.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCED = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def steps(page):
    """Yields (line, file, text, command, output): a file to write, or None, and a command to run, or None."""
    written = None
    for block in FENCED.finditer(page):
        language, text = block.groups()
        line = page.count("\n", 0, block.start()) + 1
        name = re.match(r"# file: (\S+\.rk)\n", text)
        if language == "reckon" and name:
            written = name[1]
            yield line, written, text, None, None
        elif language == "text" and written:
            yield line, None, None, f"reckon run {written}", text
            written = None
        elif not language and text.startswith("$ "):
            for command, output in COMMAND.findall(text):
                yield line, None, None, command, output
            written = None
        else:
            sys.exit(f"line {line}: a reader cannot follow this block: it is no file, no output and no command")


def main(page, program):
    differences = 0
    with tempfile.TemporaryDirectory() as top:
        binaries, folder = pathlib.Path(top, "bin"), pathlib.Path(top, "work")
        binaries.mkdir()
        folder.mkdir()
        (binaries / "reckon").symlink_to(pathlib.Path(program).resolve())
        environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "LC_ALL": "C", "XDG_CACHE_HOME": top}
        for line, file, text, command, output in steps(pathlib.Path(page).read_text(encoding="utf-8")):
            if file:
                (folder / file).write_text(text, encoding="utf-8")
                continue
            result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8")
            if result.stdout != output:
                differences += 1
                print(f"{page}:{line}: $ {command}")
                print("".join(difflib.unified_diff(output.splitlines(True), result.stdout.splitlines(True),
                                                   "the page", "what it prints")))
    return 1 if differences else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
