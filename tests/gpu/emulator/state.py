"""Threads: their registers, and the memory that they share."""
import re
import numpy as np
from arithmetic import Fault, RAW, TYPES, type_bytes
from ptx import Buffer

LOCKSTEP = True  # a warp's threads race with each other only if this is False
SPACE = 40  # bits of an address inside of one buffer
LOCAL = 1 << 62  # where local memory begins among generic addresses; there is no other memory there
IGNORED = {"nc", "volatile", "relaxed", "weak", "cta", "gpu", "sys", "ca", "cg", "cs", "lu", "cv", "uni", "aligned"}


ATOMIC = np.int32(-2)


class Watch:
    """Who wrote and read each granule since the last barrier: 0 is nobody, -1 several, ATOMIC additions. `seen`: by number, whose writes
    each one may read (they were released before, and it has acquired them)."""
    def __init__(self, size, granule, seen=None):
        self.granule, self.seen = granule, seen
        self.wrote, self.read = (np.zeros(-(-size // granule) + 16, np.int32) for _ in "wr")

    def touch(self, at, count, who, write):
        g = (at // self.granule)[:, None] + np.arange(max(count // self.granule, 1))
        who = np.broadcast_to(ATOMIC if write == "atomic" else who[:, None], g.shape)
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


class Threads:
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
        before. Or an addition to a word of shared memory."""
        if "shared" in parts and "add" in parts:
            return self.shared_sum(f, parts, ops)
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

    def shared_sum(self, f, parts, ops):
        """Additions in the order of threads: their results are not used, or this is a fault."""
        if set(parts[1:-1]) - {"relaxed", "cta", "shared", "add"} or parts[-1] not in ("u32", "s32", "u64"):
            raise Fault("unknown " + ".".join(parts))
        t = np.dtype(TYPES[parts[-1]])
        where, value = self.addresses(f, ops[-2]), self.get(f, ops[-1], TYPES[parts[-1]])
        if parts[0] == "atom" and ops[0] != "_":
            self.put(f, ops[0])(np.arange(0), np.zeros(0, t))
        def go(a):
            at = where(a)
            for here, data, offset in self.reach("shared", a, at, t.itemsize, 1, "atomic"):
                np.add.at(data.view(t), offset // t.itemsize, np.broadcast_to(value(a), len(at))[here])
        return go
