"""A candidate that is Reckon text: its circuit, and the values of its `let`s."""

import re
from dataclasses import dataclass, field

from .errors import ArgumentMistake

HEAD = re.compile(r"(?m)^\s*(?:builtin\s+)?fn\s+(\w+)\s*(\[[^\]]*\])?\s*\(")


@dataclass
class Let:
    """`let name = text` of a block; a pattern `(a, b)` names several values."""

    names: list
    statement: str


@dataclass
class Function:
    """One `fn` of a program: the text of its parameters and the `let`s of its block."""

    name: str
    parameters: list
    parameter_text: str
    lets: list = field(default_factory=list)
    result: str = ""


def without_comments(text):
    """`#` starts a comment unless it follows a format name directly (`f32#3fc00000`)."""
    return re.sub(r"(?<![\w])#[^\n]*", "", text)


def closing(text, start):
    """The place of the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        if text[place] in "([{":
            depth += 1
        elif text[place] in ")]}":
            depth -= 1
            if depth == 0:
                return place
    raise ArgumentMistake("the candidate's text has a bracket that is not closed")


def split_at(text, separator):
    """Pieces of a text at a separator outside of all brackets."""
    pieces, depth, last = [], 0, 0
    for place, letter in enumerate(text):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == separator and depth == 0:
            pieces.append(text[last:place])
            last = place + 1
    return pieces + [text[last:]]


def function_of(text, name=None):
    """The function of that name, or the last one of the program."""
    plain = without_comments(text)
    heads = [head for head in HEAD.finditer(plain) if name is None or head.group(1) == name]
    if not heads:
        raise ArgumentMistake(
            f"the candidate's text has no `fn {name}`" if name else "the candidate's text has no `fn`"
        )
    head = heads[-1]
    if head.group(2):
        raise ArgumentMistake(f"`{head.group(1)}` has static parameters: give a `fn` without them that calls it")
    end = closing(plain, head.end() - 1)
    parameter_text = plain[head.end() : end]
    parameters = [piece.split(":")[0].strip() for piece in split_at(parameter_text, ",") if piece.strip()]
    found = Function(head.group(1), parameters, parameter_text)
    following = HEAD.search(plain, end)
    body = plain[end : following.start() if following else len(plain)]
    opening = re.search(r"[={]", body)
    if opening and body[opening.start()] == "{":
        inside = body[opening.start() + 1 : closing(body, opening.start())]
        statements = split_at(inside, ";")
        found.result = statements[-1]
        for statement in statements[:-1]:
            pattern = re.match(r"\s*let\s+(\w+|\([^)]*\))\s*=", statement)
            if pattern:
                names = re.findall(r"\w+", pattern.group(1))
                found.lets.append(Let(names, " ".join(statement.split())))
    elif opening:
        found.result = body[opening.end() :]
    return found


def prefixes(function):
    """For every `let`, a function of the same parameters that gives it; with the names of its values."""
    texts = []
    for count, let in enumerate(function.lets, 1):
        inside = ";\n  ".join(entry.statement for entry in function.lets[:count])
        for name in let.names:
            texts.append(
                (name, f"fn {function.name}__{name}({function.parameter_text}) = {{\n  {inside};\n  {name}\n}}\n")
            )
    return texts


def with_parameter(function, let, kind):
    """The function with the value of one `let` as a further parameter."""
    inside = ";\n  ".join([entry.statement for entry in function.lets if entry is not let] + [function.result.strip()])
    return f"fn {function.name}__repaired({function.parameter_text}, {let.names[0]}: {kind}) = {{\n  {inside}\n}}\n"


def used_in(text, names):
    words = set(re.findall(r"\w+", text))
    return [name for name in names if name in words]


def mentions(let, function):
    """The names of earlier `let`s and parameters that a `let` uses."""
    earlier = list(function.parameters)
    for entry in function.lets:
        if entry is let:
            break
        earlier += entry.names
    return used_in(let.statement.split("=", 1)[1], earlier)
