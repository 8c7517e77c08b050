"""Instructions: what each one does to the threads that carry it out."""
import numpy as np
from arithmetic import COMPARE, Fault, RAW, TYPES, UNORDERED, WHOLE, compare, operation, type_bytes
from state import IGNORED, LOCAL, Threads


class Instructions(Threads):
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
        if name == "match":
            return self.match(f, p, ops)
        if name in ("atom", "red"):
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

    def match(self, f, parts, ops):
        if parts[1:] != ["any", "sync", "b32"]:
            raise Fault("unknown " + ".".join(parts))
        put, x = self.put(f, ops[0]), self.get(f, ops[1], "u32")
        def go(a):
            value = np.broadcast_to(x(slice(None)), self.count)
            same = value.reshape(-1, 32)[self.warp[a]] == value[a][:, None]
            put(a, (same.astype(np.uint32) << np.arange(32, dtype=np.uint32)).sum(1).astype(np.uint32))
        return go

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
