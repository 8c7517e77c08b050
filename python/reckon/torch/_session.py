"""The one place where this package reaches Reckon itself: it runs program text and gives back what `reckon
--format=json run` prints, one dictionary for each object."""

import dataclasses

from .. import _errors
from .._session import Session


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
    session = Session(budget=budget or 0, seed=seed)
    try:
        outcomes = session.outcomes(session._lib.run, program.encode(), b"program")
    except _errors.SourceError as mistake:
        raise ReckonError([dataclasses.asdict(each) for each in mistake.messages], program) from None
    finally:
        session.close()
    results = []
    for outcome in outcomes:
        results.extend(outcome.fields if isinstance(outcome.fields, list) else [outcome.fields])
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
