"""Random programs on the emulator, as tests/differential exports them: check_random.py FOLDER

Their interpreter's results are compared with. A program with an instruction that the emulator lacks, or that takes too
long here, is counted, no more.
"""
import collections
import json
import re
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
import numpy as np
import emulate
import ptx
from arithmetic import Fault

most_threads = 4096
most_seconds = 8  # of a program
FLOATS = {"f64": (np.uint64, 52, 0x7FF), "f32": (np.uint32, 23, 0xFF), "tf32": (np.uint32, 23, 0xFF),
          "f16": (np.uint16, 10, 0x1F), "bf16": (np.uint16, 7, 0xFF), "f8e5m2": (np.uint8, 2, 0x1F)}


def same(actual, expected, row, fpsan):
    if fpsan or row["type"] not in FLOATS:
        if row["type"] == "f8e4m3" and not fpsan:  # one NaN of each sign
            return bool(((actual == expected) | ((actual & 127 == 127) & (expected & 127 == 127))).all())
        return bool((actual == expected).all())
    word, fraction, top = FLOATS[row["type"]]
    a, b = actual.view(word), expected.view(word)
    exponent, rest = word(top << fraction), word((1 << fraction) - 1)
    nan = [((x & exponent) == exponent) & ((x & rest) != 0) for x in (a, b)]
    # The ends' zeros have no sign.
    zero = ((a | b) & (exponent | rest)) == 0 if row["ends"] else np.zeros(a.shape, bool)
    return bool(((a == b) | (nan[0] & nan[1]) | zero).all())


def leaves_empty(plan):
    """Of intervals, what has no value is empty: a kernel's fault is an error only of a result that is one number."""
    return any(row["ends"] for row in plan["buffers"])


def is_recursive(text):
    """Does a function call itself, by way of others or not?"""
    calls, name = collections.defaultdict(set), None
    for line in text.split("\n"):
        if m := re.match(r"\.(?:visible )?(?:func|entry).*?([\w$]+)\s*\($", line):
            name = m[1]
        if m := re.search(r"call\.uni .*?([A-Za-z_$][\w$]*), \(param", line):
            calls[name].add(m[1])
    return bool(ptx.in_cycles(calls))


def check(path):
    plan, name = json.loads(path.read_text()), str(path.with_suffix(""))
    text, buffers = Path(name + ".ptx").read_text(), []
    module = ptx.Module(text)
    for k, row in enumerate(plan["buffers"]):
        buffer = ptx.Buffer(f"buffer {k}", -(-row["bytes"] // 16) * 16)
        given = Path(f"{name}.{k}.in")
        if given.exists():
            data = np.frombuffer(given.read_bytes(), np.uint8)
            buffer.data[: len(data)] = data
        elif not row["written"]:
            buffer.data[:] = 0
        buffers.append(buffer)
    log = {}
    for launch in plan["launches"]:
        kernel = plan["kernels"][launch["kernel"]]
        arguments = [buffers[k] for k in launch["buffers"]] + plan["dimensions"] + launch["rounds"]
        # Blocks and threads that go on to further items are as good, and most programs here are small.
        blocks = -(-kernel["items"] // (kernel["block_items"] or kernel["threads"]))
        if not kernel.get("one_item"):
            blocks = min(blocks, max(1, most_threads // kernel["threads"]))
        if kernel["items"]:
            threads = -(-kernel["threads"] // 32) * 32
            emulate.launch(module, kernel["name"], arguments, threads, blocks, log, kernel.get("dynamic_shared_bytes", 0))
    lines = [f"{what} ({count} times)" for what, count in log.items()]
    for k, (row, buffer) in enumerate(zip(plan["buffers"], buffers)):
        if row["faults"] and not leaves_empty(plan) and buffer.data.any():
            lines.append("a fault that the interpreter does not have")
        if row["result"]:
            expected = np.frombuffer(Path(f"{name}.{k}.out").read_bytes(), np.uint8)
            if not same(buffer.data[: row["used"]], expected, row, plan["fpsan"]):
                lines.append(f"result {k} differs")
    return lines


class TooLong(Exception):
    pass


def give_up(*_):
    raise TooLong


def one(path):
    """A program's name, what is wrong, and why it was left out."""
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(most_seconds)
    try:
        return path.name, check(path), ""
    except TooLong:
        return path.name, [], "too long"
    except Fault as fault:
        text = str(fault)
        lacks = text.split(",")[-1].strip() if "unknown instruction" in text else ""
        return path.name, [] if lacks else [text], lacks
    except Exception as failure:
        return path.name, [f"{type(failure).__name__}: {failure}"], ""
    finally:
        signal.alarm(0)


def main():
    wrong, count, unknown = 0, 0, collections.Counter()
    with ProcessPoolExecutor(2) as pool:
        for name, lines, lacks in pool.map(one, sorted(Path(sys.argv[1]).glob("*.json"))):
            count += 1
            wrong += bool(lines)
            unknown[lacks] += bool(lacks)
            for line in lines:
                print(name, line)
    lacking = sum(unknown.values())
    print(f"{count - wrong - lacking} of {count} agree; {lacking} left out:",
          ", ".join(f"{what} ({n})" for what, n in unknown.items() if what) or "none")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
