"""The text of PTX: what a file declares, and its instructions."""
import re
import numpy as np
from arithmetic import Fault, RAW, TYPES, type_bytes

LEVELS = 32  # activations of one function, at most


def in_cycles(calls):
    """The functions that call themselves, by way of others or not; calls: by name, those that each one calls."""
    reached = {name: set(callees) for name, callees in calls.items()}
    for _ in reached:
        for callees in reached.values():
            callees.update(*(calls[c] for c in list(callees) if c in calls))
    return {name for name, callees in reached.items() if name in callees}


class Buffer:
    def __init__(self, name, size):
        self.name, self.size = name, size
        self.data = np.full(-(-size // 16) * 16 + 16, 0xCD, np.uint8)
        self.watch = None


class Function:
    def __init__(self, name):
        self.name, self.params, self.result = name, [], None
        self.registers, self.shared, self.sizes, self.start, self.threads = {}, {}, {}, 0, 1024

    def shared_bytes(self):
        return max((at + size for at, size in self.shared.values()), default=0)


class Module:
    """The text of a PTX file: instructions as (function, line, guard, opcode, operands), and their labels."""
    def __init__(self, text):
        self.functions, self.globals, self.code, self.labels, self.entries = {}, {}, [], {}, ()
        self.targets = {}  # of brx.idx
        self.of_launch = None  # the array of shared memory whose size a launch states
        self.local_bytes, self.local, shared, bodies = 0, {}, {}, {}
        function, header, comment = None, "", re.compile(r"//.*")
        for number, line in enumerate(text.split("\n"), 1):
            line = comment.sub("", line).strip()
            if not line or (function is None and not header and line.startswith((".version", ".target", ".address"))):
                continue
            if function is None:
                header += " " + line
                if m := re.match(r" \.extern \.shared \.align \d+ \.b8 ([\w$]+)\[\];$", header):
                    self.of_launch, header = m[1], ""
                elif header.lstrip().startswith((".global", ".visible .global", ".const", ".extern")) and line[-1] == ";":
                    self.variable(header)
                    header = ""
                elif m := re.match(r" \.shared \.align \d+ \.(\w+) ([\w$]+)\[(\d+)\];$", header):
                    shared[m[2]] = type_bytes(m[1]) * int(m[3])
                    header = ""
                elif line.endswith(";"):
                    header = ""
                elif line == "{":
                    function, header = self.header(header), ""
                    body, depth = bodies.setdefault(function.name, []), 1
            elif line in "{}":
                depth += 1 if line == "{" else -1
                function = function if depth else None
            elif body and body[-1][2].find(".branchtargets") >= 0 and body[-1][2][-1] != ";":
                body[-1] = (*body[-1][:2], body[-1][2] + " " + line)
            else:
                body.append((function, number, line))
        for name in sorted(bodies, key=lambda n: n in self.entries):  # what is called stands first: it goes first
            self.functions[name].start = len(self.code)
            for item in bodies[name]:
                self.statement(*item)
        end = max((f.shared_bytes() for f in self.functions.values()), default=0)
        for variable, size in shared.items():  # what stands outside of functions: after all of theirs
            at = -(-end // 16) * 16
            end = at + size
            for f in self.functions.values():
                f.shared[variable] = (at, size)
        calls = {name: set() for name in self.functions}
        for f, _, _, opcode, operands in self.code:
            if opcode == "call":
                calls[f.name] |= {o for o in operands if o in self.functions}
        self.recursive = in_cycles(calls)
        self.levels = LEVELS if self.recursive else 1

    def header(self, text):
        entry = ".entry" in text
        m = re.search(r"\.(?:entry|func)\s*(?:\(([^)]*)\))?\s*([\w$]+)\s*(?:\(([^)]*)\))?", text)
        f = self.functions[m[2]] = Function(m[2])
        pattern = re.compile(r"\.(\w+)\s+(?:\.ptr.*\s)?([\w$]+)(?:\[(\d+)\])?\s*$")
        found = [[pattern.search(p) for p in (part or "").split(",") if p.strip()] for part in (m[1], m[3])]
        f.sizes = {p[2]: type_bytes(p[1]) * int(p[3] or 1) for p in found[0] + found[1]}
        f.result, f.params = found[0][0][2] if found[0] else None, [p[2] for p in found[1]]
        if entry:
            self.entries += (m[2],)
            limit = re.search(r"\.maxntid (\d+)", text)
            f.threads = int(limit[1]) if limit else 1024
        return f

    def variable(self, text):
        m = re.search(r"\.(\w+) ([\w$]+)(?:\[(\d+)\])?(?:\s*=\s*\{?([^}]*)\}?)?;", text)
        values = [int(v, 0) for v in (m[4] or "").split(",") if v.strip()]
        b = Buffer(m[2], type_bytes(m[1]) * int(m[3] or 1))
        data = np.zeros(int(m[3] or 1), TYPES[m[1]])
        data[: len(values)] = np.array(values, object).astype(TYPES[m[1]])
        b.data[: b.size] = data.view(np.uint8)
        self.globals[m[2]] = b

    def statement(self, f, number, line):
        if label := re.match(r"([\w$]+):\s*(.*)$", line):
            self.labels[label[1]] = len(self.code)
            if not label[2]:
                return
            line = label[2]
            if line.startswith(".branchtargets"):
                self.targets[f.name, label[1]] = re.findall(r"[\w$]+", line)[1:]
                return
        if m := re.match(r"\.reg \.(\w+)\s+(%\w+)", line):
            f.registers[m[2]] = np.bool_ if m[1] == "pred" else RAW[type_bytes(m[1])]
        elif m := re.match(r"\.(shared|local)(?: \.align (\d+))? \.(\w+)\s+([\w$]+)(?:\[(\d+)\])?", line):
            size, align = type_bytes(m[3]) * int(m[5] or 1), int(m[2] or 1)
            if m[1] == "shared":
                at = -(-f.shared_bytes() // align) * align
                f.shared[m[4]] = (at, size)
            else:
                self.local[m[4]] = -(-self.local_bytes // 16) * 16
                self.local_bytes = self.local[m[4]] + size
        elif m := re.match(r"\.param(?: \.align \d+)?\s+\.(\w+)\s+([\w$]+)(?:\[(\d+)\])?", line):
            f.sizes[m[2]] = max(f.sizes.get(m[2], 0), type_bytes(m[1]) * int(m[3] or 1))
        elif line.startswith(".pragma") or line.startswith(".loc"):
            pass
        else:
            m = re.match(r"(?:@(!?)(%\w+)\s+)?([a-z][\w.:]*)\s*([^;]*);$", line)
            if not m:
                raise Fault(f"line {number}: {line}")
            operands = re.findall(r"\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|[^,{}\[\]()]+", m[4])
            operands = [o.strip() for o in operands if o.strip()]
            guard = (m[1] == "!", m[2]) if m[2] else None
            if m[3].startswith("call"):
                self.code.append((f, number, guard, "call", operands))
                self.code.append((f, number, None, "after_call", operands))
            else:
                self.code.append((f, number, guard, m[3], operands))
