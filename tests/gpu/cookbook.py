#!/usr/bin/env python3
"""The circuits that docs/cookbook.md shows, with the arguments shown there, on other evaluators than the interpreter:

    cookbook.py path/to/reckon [TARGET...]     targets: host gpu (both, if none is named)

Every `show f(...)` of a recipe whose arguments are numbers is called on each target; the bits must be the interpreter's."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent.parent


def split(text):
    """The arguments of a call: at its commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return parts + [text[start:].strip()] if text.strip() else []


def numbers(text):
    """A list of numbers as `--arg` takes it, or nothing: formats around numbers are the parameter's own."""
    text = re.sub(r"\b(?:u32|f64|f32|f16|bf16|f8e4m3|f8e5m2)\(([^()]*)\)", r"\1", text)
    return re.sub(r"\s", "", text) if re.fullmatch(r"[-+0-9.eE,\[\]\sinfa]*", text) else None


def results(reckon, file, name, statics, arguments, target):
    command = [reckon, "call", file, "--fn", name, f"--on={target}", "--format=json"]
    for static in statics:
        command += ["-D", static]
    for argument in arguments:
        command += ["--arg", argument]
    run = subprocess.run(command, capture_output=True, text=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return run.returncode, [line for line in lines if line["kind"] != "note"]


def main():
    reckon, targets = sys.argv[1], sys.argv[2:] or ["host", "gpu"]
    agreed, differ, left = 0, 0, []
    text = (root / "docs/cookbook.md").read_text()
    for title, program in re.findall(r"(?ms)^### ([^\n]*)\n.*?^```reckon\n(.*?)^```$", text):
        heads = {
            name: (split(statics or ""), [part.split(":")[0].strip() for part in split(parameters)])
            for name, statics, parameters in re.findall(r"(?m)^fn (\w+)(?:\[([^\]]*)\])?\((.*?)\) ->", program)
        }
        with tempfile.NamedTemporaryFile("w", suffix=".rk") as file:
            file.write(re.sub(r"(?m)^(check|show) .*\n", "", program))
            file.flush()
            for shown in re.findall(r"(?m)^show (.*)$", program):
                call = re.fullmatch(r"(\w+)(?:\[([^\]]*)\])?\((.*)\)", shown)
                if call is None or call[1] not in heads:
                    left.append(f"{title}: {shown}")
                    continue
                statics, parameters = heads[call[1]]
                values = [numbers(argument) for argument in split(call[3])]
                if None in values or len(values) != len(parameters):
                    left.append(f"{title}: {shown}")
                    continue
                arguments = [f"{name}={value}" for name, value in zip(parameters, values)]
                given = [f"{name}={value}" for name, value in zip(statics, split(call[2] or ""))]
                expected = results(reckon, file.name, call[1], given, arguments, "interp")
                for target in targets:
                    found = results(reckon, file.name, call[1], given, arguments, target)
                    same = found == expected and expected[0] == 0
                    agreed, differ = agreed + same, differ + (not same)
                    if not same:
                        print(f"DIFFER  {title}: {shown} on {target}\n{expected}\n{found}")
    print(f"{agreed} agree, {differ} differ; {len(left)} are no calls with numbers:")
    for each in left:
        print(f"  {each}")
    sys.exit(differ > 0)


main()
