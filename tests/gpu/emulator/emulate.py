"""An emulator of the part of PTX that Reckon's kernels are written in.

All threads of many blocks go together: a register is an array with an element for each thread. At each step those go
on that stand at the smallest program counter; so threads that parted meet again. Arithmetic is exact. Races between
warps of a block and between blocks, accesses outside of buffers, and divergent barriers are found.
"""
import re
import numpy as np
from arithmetic import COMPARE, Fault, RAW, TYPES, UNORDERED, WHOLE, compare, operation, type_bytes

RUNS, AT_BARRIER, AT_WARP, ENDED = range(4)
LOCKSTEP = True  # a warp's threads race with each other only if this is False
SPACE = 40  # bits of an address inside of one buffer
LOCAL = 1 << 62  # where local memory begins among generic addresses; there is no other memory there
IGNORED = {"nc", "volatile", "relaxed", "weak", "cta", "gpu", "sys", "ca", "cg", "cs", "lu", "cv", "uni", "aligned"}


LEVELS = 32  # activations of one function, at most


def in_cycles(calls):
    """The functions that call themselves, by way of others or not; calls: by name, those that each one calls."""
    reached = {name: set(callees) for name, callees in calls.items()}
    for _ in reached:
        for callees in reached.values():
            callees.update(*(calls[c] for c in list(callees) if c in calls))
    return {name for name, callees in reached.items() if name in callees}


class Watch:
    """Who wrote and read each granule since the last barrier: 0 is nobody, -1 several. `seen`: by number, whose writes
    each one may read (they were released before, and it has acquired them)."""
    def __init__(self, size, granule, seen=None):
        self.granule, self.seen = granule, seen
        self.wrote, self.read = (np.zeros(-(-size // granule) + 16, np.int32) for _ in "wr")

    def touch(self, at, count, who, write):
        g = (at // self.granule)[:, None] + np.arange(max(count // self.granule, 1))
        who = np.broadcast_to(who[:, None], g.shape)
        w, r = self.wrote[g], self.read[g]
        bad = (w != 0) & (w != who)
        if self.seen and bad.any():
            pairs, which = np.unique(np.stack([w[bad], who[bad]]), axis=1, return_inverse=True)
            unseen = np.array([writer not in self.seen.get(reader, ()) for writer, reader in pairs.T.tolist()])
            bad[bad] = unseen[which.reshape(-1)]
        if write:
            bad |= (r != 0) & (r != who)
            self.wrote[g] = who
            bad |= self.wrote[g] != who
        else:
            now = np.where((r == 0) | (r == who), who, -1)
            self.read[g] = now
            self.read[g[self.read[g] != now]] = -1
        return bad.any(1)


class Buffer:
    def __init__(self, name, size):
        self.name, self.size = name, size
        self.data = np.full(-(-size // 16) * 16 + 16, 0xCD, np.uint8)
        self.watch = None


def copy(to, what, threads):
    """A parameter. One name may stand for several types at several calls; the room is the largest's."""
    size = min(to.shape[1], what.shape[1])
    to[threads, :size] = what[threads, :size]


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
        self.local_bytes, self.local, shared, bodies = 0, {}, {}, {}
        function, header, comment = None, "", re.compile(r"//.*")
        for number, line in enumerate(text.split("\n"), 1):
            line = comment.sub("", line).strip()
            if not line or (function is None and not header and line.startswith((".version", ".target", ".address"))):
                continue
            if function is None:
                header += " " + line
                if header.lstrip().startswith((".global", ".visible .global", ".const", ".extern")) and line[-1] == ";":
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


# ---- threads ----
class Machine:
    """Some blocks of one launch, from their first instruction to their last."""
    def __init__(self, module, entry, arguments, threads, first, blocks, grid, log, order):
        self.module, self.entry, self.log = module, module.functions[entry], log
        self.count, self.threads, self.blocks = threads * blocks, threads, blocks
        if threads % 32 or threads > self.entry.threads:
            raise Fault(f"{entry}: {threads} threads, of {self.entry.threads}")
        n = np.arange(self.count)
        self.block, self.warp, self.lane = n // threads, n // 32, n % threads % 32
        shared = self.warp if LOCKSTEP else n
        self.who = {"shared": (shared + 1).astype(np.int32), "global": (first + self.block + 1).astype(np.int32)}
        u32 = np.uint32
        self.special = {"%tid.x": (n % threads).astype(u32), "%ctaid.x": (first + self.block).astype(u32),
                        "%laneid": self.lane.astype(u32), "%ntid.x": u32(threads), "%nctaid.x": u32(grid),
                        "%lanemask_lt": (u32(1) << self.lane.astype(u32)) - u32(1)}
        self.special |= {f"%{k}.{d}": u32(v) for k, v in
                         (("tid", 0), ("ctaid", 0), ("ntid", 1), ("nctaid", 1)) for d in "yz"}
        self.registers, self.parameters, self.buffers = {}, {}, {}
        self.carry = np.zeros(self.count, bool)
        self.shared_bytes = self.entry.shared_bytes()
        self.shared_stride = -(-self.shared_bytes // 16) * 16 + 16
        self.local_level = -(-module.local_bytes // 16) * 16
        self.local_stride = self.local_level * module.levels + 16
        self.memory = {"shared": np.full(self.shared_stride * blocks, 0xCD, np.uint8),
                       "local": np.full(self.local_stride * self.count, 0xCD, np.uint8)}
        self.granules = {}
        for f, _, _, opcode, _ in module.code:
            p = opcode.split(".")
            if p[0] in ("ld", "st"):
                self.granules[p[1]] = min(self.granules.get(p[1], 16), type_bytes(p[-1]))
        self.shared_watch = Watch(self.shared_stride * blocks, self.granules.get("shared", 1))
        for k, b in enumerate([a for a in arguments if isinstance(a, Buffer)] + list(module.globals.values()), 1):
            self.buffers[k] = b
            b.base = k << SPACE
        for f in module.functions.values():
            for name, size in f.sizes.items():
                self.parameters[f.name, name] = np.full((self.count, size), 0xCD, np.uint8)
        for name, a in zip(self.entry.params, arguments, strict=True):
            value = np.array([a.base if isinstance(a, Buffer) else a], np.int64).view(np.uint8)
            self.parameters[entry, name][:] = value
        self.pc, self.wait = np.full(self.count, self.entry.start), np.zeros(self.count, np.int8)
        self.stopped_at = np.zeros(self.count, np.int64)
        self.stack, self.depth = np.zeros((self.count, 16 * module.levels), np.int64), np.zeros(self.count, np.int64)
        # Of recursive functions: how many activations there are, and what those have that wait for another one.
        self.level = {name: np.zeros(self.count, np.int64) for name in module.recursive}
        self.frames = {}
        self.seen, self.released = order  # between blocks
        self.reductions = []  # of the barrier that threads wait at
        self.steps = 0
        self.code = [None] * len(module.code)

    def report(self, what):
        f, number = self.module.code[self.at][:2]
        self.log.setdefault(f"{f.name}, PTX line {number}: {what}", 0)
        self.log[f"{f.name}, PTX line {number}: {what}"] += 1

    # -- operands: functions of the threads that stand there, a slice or their numbers --
    def register(self, f, name):
        if (f.name, name) not in self.registers:
            kind = name if name in f.registers else re.match(r"%[a-z]+", name)[0]
            raw = f.registers[kind]
            garbage = np.full(self.count * np.dtype(raw).itemsize, 0xCD if raw is not np.bool_ else 1, np.uint8)
            self.registers[f.name, name] = garbage.view(raw)
        return self.registers[f.name, name]

    def get(self, f, text, t):
        t = TYPES[t] if isinstance(t, str) else t
        if text[0] == "!":
            inner = self.get(f, text[1:], t)
            return lambda a: ~inner(a)
        if text in self.special:
            value = self.special[text]
            return (lambda a: value[a].astype(t)) if np.ndim(value) else lambda a: t(value)
        if text[0] == "%":
            values = self.register(f, text)
            if t is np.bool_ or values.dtype.itemsize == np.dtype(t).itemsize:
                return lambda a: values[a].view(t)
            raw = RAW[np.dtype(t).itemsize]
            return lambda a: values[a].astype(raw).view(t)
        if m := re.match(r"0[fFdD]([0-9a-fA-F]+)$", text):
            value = np.array(int(m[1], 16), RAW[len(m[1]) // 2]).view(np.float32 if len(m[1]) == 8 else np.float64)
            value = value[()].astype(t) if np.dtype(t).kind == "f" else value.view(t)[()]
        elif re.match(r"-?\d", text):
            size = np.dtype(t).itemsize
            value = np.array(int(text.rstrip("U"), 0) % 2 ** (8 * size), RAW[size]).view(t)[()]
        else:
            m = re.match(r"([\w$]+)(?:\+(\d+))?$", text)
            name, tables = m[1], {**{k: v[0] for k, v in f.shared.items()}, **self.module.local}
            tables |= {k: b.base for k, b in self.module.globals.items()}
            value = t(tables[name] + int(m[2] or 0))
            if name in self.module.local and f.name in self.level:
                level = self.level[f.name]
                return lambda a: value + ((level[a] - 1) * self.local_level).astype(t)
        return lambda a: value

    def put(self, f, text):
        if text == "_":
            return lambda a, v: None
        values = self.register(f, text)
        def store(a, v):
            v = np.asarray(v)
            values[a] = v.view(RAW[v.dtype.itemsize]) if v.dtype.kind == "f" else v
        return store

    # -- memory --
    def reach(self, space, a, at, size, count, write, constant=False):
        """The bytes' array, and where in it each thread's access starts; groups of threads by buffer."""
        total = size * count
        if np.any(at % np.uint64(total)):
            raise Fault(f"{space}: {total} bytes at {int(at[(at % np.uint64(total)) != 0][0]):#x} are not aligned")
        if space == "global":
            which = at >> np.uint64(SPACE)
            for k in [which[0]] if (which == which[0]).all() else np.unique(which):
                here = slice(None) if which[0] == k and (which == k).all() else np.flatnonzero(which == k)
                b, offset = self.buffers.get(int(k)), (at[here] & np.uint64(2**SPACE - 1)).astype(np.int64)
                if b is None or np.any(offset + total > b.size):
                    worst = int(at[here][0] if b is None else offset.max())
                    raise Fault(f"{total} bytes at {worst:#x} {'write' if write else 'read'} outside of "
                                f"{f'{b.name}, which has {b.size:#x}' if b else 'every buffer'}")
                if b.watch is None:
                    b.watch = Watch(b.size, self.granules.get("global", 1), self.seen)
                if write and b.name in self.module.globals:
                    raise Fault(f"writes to {b.name}")
                if constant and b.watch.wrote[offset // b.watch.granule].any():
                    self.report(f"ld.global.nc of what the kernel writes, {b.name}")
                if b.watch.touch(offset, total, self.who["global"][a][here], write).any():
                    self.report(f"race between blocks on {b.name}")
                yield here, b.data, offset
            return
        limit = self.shared_bytes if space == "shared" else self.local_level * self.module.levels
        if np.any(at > np.uint64(max(limit - total, 0))) or limit < total:
            raise Fault(f"{total} bytes at {int(at.max()):#x} of {limit:#x} bytes of {space} memory")
        owner, stride = (self.block[a], self.shared_stride) if space == "shared" else \
            (np.arange(self.count)[a], self.local_stride)
        offset = owner * stride + at.astype(np.int64)
        if space == "shared":
            bad = self.shared_watch.touch(offset, total, self.who["shared"][a], write)
            if bad.any():
                t = np.arange(self.count)[a][bad][0] % self.threads
                rivals = "warps" if LOCKSTEP else "threads"
                self.report(f"race between {rivals} on shared byte {int(at[bad][0])}, thread {t}")
        yield slice(None), self.memory[space], offset

    def addresses(self, f, text):
        base, offset = re.match(r"\[([%\w$.]+)(?:\+(-?\d+))?\]", text).groups()
        get, offset = self.get(f, base, np.uint64), np.uint64(int(offset or 0) % 2**64)
        return lambda a: np.broadcast_to(get(a) + offset, len(self.pc[a]))

    def access(self, f, parts, ops):
        load, t = parts[0] == "ld", TYPES[parts[-1]]
        space = next((p for p in parts if p in ("global", "shared", "local", "param", "const")), None)
        regs, place = ops[:2] if load else ops[::-1]  # a load may have a hint for the cache
        regs = [r.strip() for r in regs.strip("{}").split(",")]
        size, unknown = np.dtype(t).itemsize, set(parts[1:-1]) - IGNORED - {space, "v2", "v4"}
        if {u for u in unknown if not u.startswith("L")}:
            raise Fault("unknown " + ".".join(parts))
        values = [self.put(f, r) if load else self.get(f, r, t) for r in regs]
        if space == "param":
            name, offset = re.match(r"\[([\w$]+)(?:\+(\d+))?\]", place).groups()
            block, offset = self.parameters[f.name, name], int(offset or 0)
            def param(a):
                for k, v in enumerate(values):
                    part = slice(offset + k * size, offset + (k + 1) * size)
                    if load:
                        v(a, np.ascontiguousarray(block[a, part]).view(t)[:, 0])
                    else:
                        block[a, part] = np.broadcast_to(v(a), len(self.pc[a])).copy().view(np.uint8).reshape(-1, size)
            return param
        generic = space is None
        where, space = self.addresses(f, place), "local" if generic else "global" if space == "const" else space
        def go(a):
            at = where(a)
            if generic:
                at = at - LOCAL
                if (at < 0).any():
                    raise Fault(f"{f.name}, {'.'.join(parts)}: a generic address outside of local memory")
            found = [np.empty(len(at), t) if load else np.broadcast_to(v(a), len(at)) for v in values]
            for here, data, offset in self.reach(space, a, at, size, len(values), not load, "nc" in parts):
                view, index = data.view(t), offset // size
                for k, v in enumerate(found):
                    if load:
                        v[here] = view[index + k]
                    else:
                        view[index + k] = v[here]
            for put, v in zip(values, found) if load else ():
                put(a, v)
        return go

    def atomic(self, f, parts, ops):
        """A counter that wraps around. It releases what its block wrote, and acquires what those released that came
        before."""
        if set(parts[1:]) - {"acq_rel", "gpu"} != {"global", "inc", "u32"}:
            raise Fault("unknown " + ".".join(parts))
        to, where, most = self.put(f, ops[0]), self.addresses(f, ops[1]), self.get(f, ops[2], "u32")
        ordered = "acq_rel" in parts
        def go(a):
            at, top = where(a), np.broadcast_to(most(a), len(self.pc[a]))
            old = np.zeros(len(at), np.uint32)
            for k, (address, who) in enumerate(zip(at.tolist(), self.who["global"][a].tolist())):
                b, offset = self.buffers.get(address >> SPACE), address & (1 << SPACE) - 1
                if b is None or offset + 4 > b.size or offset % 4:
                    raise Fault(f"atom at {address:#x}")
                word = b.data[offset : offset + 4].view(np.uint32)
                old[k] = word[0]
                word[0] = 0 if word[0] >= top[k] else word[0] + 1
                if ordered:
                    known = self.seen.setdefault(who, {who})
                    known |= self.released.setdefault(address, set())
                    self.released[address] |= known
            to(a, old)
        return go

    def with_carry(self, f, name, gives, t, ops):
        word = RAW[np.dtype(TYPES[t]).itemsize]
        to, x, y = self.put(f, ops[0]), *(self.get(f, op, TYPES[t]) for op in ops[1:])
        def go(a):
            u, v = (np.broadcast_to(np.asarray(k(a)).astype(word), len(self.pc[a])) for k in (x, y))
            before = self.carry[a].astype(word) if name.endswith("c") else np.zeros_like(u)
            if name.startswith("add"):
                first, second = u + v, u + v + before
                carry = (first < u) | (second < first)
            else:
                first, second = u - v, u - v - before
                carry = (u < v) | (first < before)
            if gives:
                self.carry[a] = carry
            to(a, second.astype(TYPES[t]))
        return go

    # -- instructions --
    def translate(self, f, opcode, ops):
        p = opcode.split(".")
        name, t, rest = p[0], p[-1], p[1:-1]
        plain = [m for m in rest if m not in IGNORED]
        if name in ("ld", "st"):
            return self.access(f, p, ops)
        if name == "cvta" and plain in (["local"], ["to", "local"]):
            to, x = self.put(f, ops[0]), self.get(f, ops[1], TYPES[t])
            base = np.uint64(LOCAL if plain == ["local"] else 2**64 - LOCAL)
            return lambda a: to(a, x(a) + base)
        if name in ("addc", "subc") or name in ("add", "sub") and plain == ["cc"]:
            return self.with_carry(f, name, "cc" in plain, t, ops)
        if name == "shfl":
            return self.shuffle(f, p[2], ops)
        if name == "atom":
            return self.atomic(f, p, ops)
        if name in ("membar", "fence", "nop", "griddepcontrol", "createpolicy"):
            return lambda a: None
        if name == "mov" and ops[0][0] == "{" or ops[-1][0] == "{":
            return self.pack(f, t, ops)
        if name == "setp":
            return self.set_predicate(f, plain, t, ops)
        made, inputs = operation(name, plain, p[-2], t, len(ops) - 1)
        put, gets = self.put(f, ops[0]), [self.get(f, o, k) for o, k in zip(ops[1:], inputs, strict=True)]
        if name in WHOLE:
            return lambda a: put(a, made(*(np.broadcast_to(g(a), len(self.pc[a])) for g in gets)))
        return lambda a: put(a, made(*(g(a) for g in gets)))

    def set_predicate(self, f, plain, t, ops):
        puts = [self.put(f, o) for o in ops[0].split("|")]
        x, y = self.get(f, ops[1], t), self.get(f, ops[2], t)
        third = self.get(f, ops[3], "pred") if len(ops) > 3 else None
        join = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}.get(plain[-1])
        if plain[0] not in COMPARE and plain[0] not in UNORDERED:
            raise Fault("setp." + plain[0])
        def go(a):
            c = compare(plain[0], TYPES[t], x(a), y(a))
            for put, v in zip(puts, (c, ~c)):
                put(a, join(v, third(a)) if third else v)
        return go

    def pack(self, f, t, ops):
        many = next(o for o in ops if o[0] == "{").strip("{}").split(",")
        part = RAW[type_bytes(t) // len(many)]
        if ops[0][0] == "{":
            puts, x = [self.put(f, o.strip()) for o in many], self.get(f, ops[1], t)
            def take(a):
                v = np.broadcast_to(x(a), len(self.pc[a])).copy().view(part).reshape(-1, len(many))
                for k, put in enumerate(puts):
                    put(a, v[:, k])
            return take
        put, gets = self.put(f, ops[0]), [self.get(f, o.strip(), part) for o in many]
        def give(a):
            v = np.stack([np.broadcast_to(g(a), len(self.pc[a])) for g in gets], 1)
            put(a, np.ascontiguousarray(v).view(TYPES[t])[:, 0])
        return give

    def shuffle(self, f, mode, ops):
        dest, held = (ops[0].split("|") + [None])[:2], None
        put, x, n, c = self.put(f, dest[0]), *(self.get(f, o, "u32") for o in ops[1:4])
        held = self.put(f, dest[1]) if dest[1] else None
        mask = self.get(f, ops[4], "u32")
        def go(a):
            lane = self.lane[a]
            by, clamp = n(a).astype(np.int64) & 31, c(a).astype(np.int64)
            segment, clamp = clamp >> 8 & 31, clamp & 31
            low, top = lane & segment, lane & segment | clamp & ~segment
            source = {"up": lambda: lane - by, "down": lambda: lane + by, "bfly": lambda: lane ^ by,
                      "idx": lambda: low | by & ~segment}[mode]()
            inside = source >= top if mode == "up" else source <= top
            source = np.where(inside, source, lane)
            if np.any(np.broadcast_to(mask(a), lane.shape) >> source.astype(np.uint32) & np.uint32(1) == 0):
                raise Fault("shfl reads a lane outside of its mask")
            value = np.broadcast_to(x(slice(None)), self.count)[self.warp[a] * 32 + source]
            put(a, value)
            if held:
                held(a, inside)
        return go

    # -- the order of things --
    def run(self):
        everyone = np.arange(self.count)
        while True:
            ready = self.wait == RUNS
            if not ready.any():
                if not self.pass_barrier():
                    return
                continue
            pcs = np.where(ready, self.pc, 1 << 40)
            self.at = int(pcs.min())
            stand = pcs == self.at
            group = everyone[stand]
            others = pcs[~stand]
            self.go(slice(None) if len(group) == self.count else group, group, others.min() if len(others) else 1 << 40)

    def go(self, a, group, limit):
        """These threads, until they part, wait or meet others."""
        while True:
            f, number, guard, opcode, ops = self.module.code[self.at]
            self.steps += 1
            try:
                done = self.step(f, guard, opcode, ops, a, group)
            except (Fault, LookupError, TypeError, ValueError, AttributeError) as fault:
                kind = "" if isinstance(fault, Fault) else type(fault).__name__ + " "
                raise Fault(f"{f.name}, PTX line {number}, {opcode}: {kind}{fault}") from fault
            if done or self.at >= limit:
                if not done:
                    self.pc[group] = self.at
                return

    def step(self, f, guard, opcode, ops, a, group):
        """True if the threads have parted or wait; their program counters are written then."""
        at, head = self.at, opcode[:4].split(".")[0]
        chosen, rest = group, group[:0]
        if guard:
            flags = self.register(f, guard[1])[a] != guard[0]
            if not flags.any():
                self.at += 1
                return False
            if not flags.all():
                chosen, rest = group[flags], group[~flags]
                a = chosen
        if head == "bra":
            target = self.module.labels[ops[-1]]
            if not len(rest):
                self.at = target
                return False
            self.pc[chosen], self.pc[rest] = target, at + 1
            return True
        if head == "brx":
            targets = np.array([self.module.labels[t] for t in self.module.targets[f.name, ops[1]]])
            self.pc[rest] = at + 1
            self.pc[chosen] = targets[self.get(f, ops[0], np.uint32)(a)]
            return True
        if head in ("bar", "barr", "shfl", "ret", "exit", "call"):
            self.pc[rest] = at + 1
            return self.stop(f, head, opcode, ops, chosen)
        if head == "trap" or head == "brkp":
            raise Fault(opcode)
        if self.code[at] is None:
            self.code[at] = self.after_call(f, ops) if opcode == "after_call" else self.translate(f, opcode, ops)
        self.code[at](a)
        self.at += 1
        return False

    def stop(self, f, head, opcode, ops, chosen):
        at = self.at
        if head == "shfl" or ".warp" in opcode:
            return self.meet_warp(f, opcode, ops, chosen)
        if head in ("bar", "barr"):
            if opcode in ("bar.red.or.pred", "barrier.cta.red.or.pred"):
                self.reductions.append((self.put(f, ops[0]), chosen, self.get(f, ops[2], np.bool_)(chosen)))
            elif ops[1:] or "sync" not in opcode:
                raise Fault("unknown instruction " + opcode)
            self.pc[chosen], self.wait[chosen], self.stopped_at[chosen] = at + 1, AT_BARRIER, at
        elif head == "call":
            name = next(o for o in ops if o in self.module.functions)
            callee = self.module.functions[name]
            given = ops[ops.index(name) + 1].strip("()").split(",") if len(ops) > ops.index(name) + 1 else []
            if name in self.level:
                self.suspend(name, chosen)
            for mine, its in zip((g.strip() for g in given), callee.params):
                copy(self.parameters[name, its], self.parameters[f.name, mine], chosen)
            self.stack[chosen, self.depth[chosen]] = at + 1
            self.depth[chosen] += 1
            self.pc[chosen] = callee.start
        else:
            out = self.depth[chosen] == 0 if head == "ret" else np.ones(len(chosen), bool)
            self.wait[chosen[out]] = ENDED
            back = chosen[~out]
            self.depth[back] -= 1
            if f.name in self.level:
                self.resume(f, back)
            self.pc[back] = self.stack[back, self.depth[back]]
        return True

    def frame_of(self, name):
        """The registers and parameters of a function."""
        return [(key, table) for table in (self.registers, self.parameters) for key in list(table) if key[0] == name]

    def suspend(self, name, threads):
        """Another activation of a recursive function begins."""
        level = self.level[name]
        for n in np.unique(level[threads]):
            if n + 1 >= self.module.levels:
                raise Fault(f"recursion, unknown instruction: more than {n} levels of calls")
            here = threads[level[threads] == n]
            for key, table in self.frame_of(name) if n else ():
                kept = self.frames.setdefault((n, key), np.empty_like(table[key]))
                kept[here] = table[key][here]
        level[threads] += 1

    def resume(self, f, threads):
        """One ends: the one before goes on with what it had. The result is its caller's to take."""
        level = self.level[f.name]
        level[threads] -= 1
        for n in np.unique(level[threads]):
            here = threads[level[threads] == n]
            for key, table in self.frame_of(f.name) if n else ():
                if key != (f.name, f.result) and (n, key) in self.frames:
                    table[key][here] = self.frames[n, key][here]

    def after_call(self, f, ops):
        name = next(o for o in ops if o in self.module.functions)
        def go(a):
            if ops[0][0] == "(":
                result = self.parameters[name, self.module.functions[name].result]
                copy(self.parameters[f.name, ops[0].strip("() ")], result, a)
        return go

    def meet_warp(self, f, opcode, ops, chosen):
        """Lanes wait for all that their mask names."""
        at = self.at
        self.pc[chosen], self.wait[chosen], self.stopped_at[chosen] = at, AT_WARP, at
        here = (self.wait == AT_WARP) & (self.pc == at)
        mask = np.broadcast_to(self.get(f, ops[-1], "u32")(slice(None)), self.count)
        present = (here.reshape(-1, 32) << np.arange(32)).sum(1).astype(np.uint32)
        together = np.flatnonzero(here & (mask & ~present[self.warp] == 0))
        if len(together):
            if np.any(mask[together] >> self.lane[together].astype(np.uint32) & np.uint32(1) == 0):
                raise Fault(opcode + " by a lane outside of its mask")
            if "shfl" in opcode:
                self.code[at] = self.code[at] or self.translate(f, opcode, ops)
                self.code[at](together)
            self.pc[together], self.wait[together] = at + 1, RUNS
        return True

    def pass_barrier(self):
        state, stood = self.wait.reshape(self.blocks, -1), self.stopped_at.reshape(self.blocks, -1)
        live = state != ENDED
        if not live.any():
            return False
        if (self.wait == AT_WARP).any():
            self.at = int(self.stopped_at[self.wait == AT_WARP][0])
            f, number = self.module.code[self.at][:2]
            raise Fault(f"{f.name}, PTX line {number}: lanes wait for others of their warp that do not come")
        self.at = int(stood[live].max())
        if (np.where(live, stood, -1).max(1) != np.where(live, stood, 1 << 40).min(1))[live.any(1)].any():
            self.report("divergent barrier: threads of a block wait at different ones")
        if (live.any(1) & ~live.all(1)).any():
            self.report("divergent barrier: some threads of a block have ended")
        self.wait[self.wait == AT_BARRIER] = RUNS
        any_of = np.zeros(self.blocks, bool)
        for _, threads, value in self.reductions:
            np.logical_or.at(any_of, threads // self.threads, value)
        for put, threads, _ in self.reductions:
            put(threads, any_of[threads // self.threads])
        self.reductions = []
        self.shared_watch.wrote[:], self.shared_watch.read[:] = 0, 0
        return True


def launch(module, entry, arguments, threads, grid, log, most=32768):
    """Every block of a launch, some at a time; log counts what was found. Returns the instructions carried out."""
    steps, order = 0, ({}, {})
    for a in arguments:
        if isinstance(a, Buffer):
            a.watch = None
    at_once = max(most // module.levels // threads, 1)
    for first in range(0, grid, at_once):
        machine = Machine(module, entry, arguments, threads, first, min(at_once, grid - first), grid, log, order)
        machine.run()
        steps += machine.steps
    return steps
