"""The one place where this package reaches Reckon itself: it runs program text and gives back what `reckon
--format=json run -` prints, one dictionary for each object. RECKON_PROGRAM names the program (default: `reckon`)."""

import json
import os
import subprocess


class ReckonError(RuntimeError):
    """The program text has mistakes. `errors` has Reckon's own error objects, `program` the text."""

    def __init__(self, errors, program):
        self.errors = errors
        self.program = program
        lines = program.split("\n")
        parts = []
        for error in errors:
            line = error.get("line", 0)
            source = lines[line - 1].strip() if 0 < line <= len(lines) else ""
            helps = "".join(f"; {text}" for text in error.get("helps", []))
            parts.append(f"{error.get('code', '')} {error.get('message', '')} (line {line}: `{source}`){helps}")
        super().__init__("\n".join(parts))


def run(program, budget=None, seed=None):
    """Runs a program. Errors of the source are raised; failing checks are not errors."""
    command = [os.environ.get("RECKON_PROGRAM", "reckon"), "--format=json"]
    if budget is not None:
        command += ["--budget", str(budget)]
    if seed is not None:
        command += ["--seed", str(seed)]
    try:
        done = subprocess.run(command + ["run", "-"], input=program, capture_output=True, text=True, check=False)
    except FileNotFoundError as missing:
        raise RuntimeError(
            f"the program `{command[0]}` was not found: set RECKON_PROGRAM to the path of `reckon`"
        ) from missing
    results = [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]
    errors = [result for result in results if result["kind"] == "error"]
    if errors:
        raise ReckonError(errors, program)
    if done.returncode not in (0, 1, 4):
        raise RuntimeError(f"`{command[0]}` ended with status {done.returncode}: {done.stderr.strip()}")
    return results


def check(program_text, check_text, budget=None, seed=None):
    """The verdict of one check, as a dictionary (docs/command_line.md, "JSON")."""
    return check_all(program_text, [check_text], budget, seed)[0]


def check_all(program_text, check_texts, budget=None, seed=None):
    """The verdicts of several checks of one program."""
    program = program_text + "\n" + "\n".join(check_texts) + "\n"
    return [result for result in run(program, budget, seed) if result["kind"] == "check"]


def evaluate(program_text, expressions, semantics="exact"):
    """The values of expressions under a semantics, as dictionaries: one for each, or for each part of a tuple."""
    shows = "\n".join(f"show {expression} in {semantics}" for expression in expressions)
    results = run(program_text + "\n" + shows + "\n")
    return [result for result in results if result["kind"] in ("value", "static")]
