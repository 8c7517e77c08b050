"""An emulator of the part of PTX that Reckon's kernels are written in.

All threads of many blocks go together: a register is an array with an element for each thread. At each step those go
on that stand at the smallest program counter; so threads that parted meet again. Arithmetic is exact. Races between
warps of a block and between blocks, accesses outside of buffers, and divergent barriers are found.
"""
import numpy as np
from arithmetic import Fault
from instructions import Instructions
from ptx import Buffer

RUNS, AT_BARRIER, AT_WARP, ENDED = range(4)


def copy(to, what, threads):
    """A parameter. One name may stand for several types at several calls; the room is the largest's."""
    size = min(to.shape[1], what.shape[1])
    to[threads, :size] = what[threads, :size]


class Machine(Instructions):
    """Some blocks of one launch, from their first instruction to their last: the order of things."""
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
        if head in ("bar", "barr", "shfl", "matc", "ret", "exit", "call"):
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
        if head in ("shfl", "matc") or ".warp" in opcode:
            return self.meet_warp(f, head, opcode, ops, chosen)
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

    def meet_warp(self, f, head, opcode, ops, chosen):
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
            if head in ("shfl", "matc"):
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


def launch(module, entry, arguments, threads, grid, log, shared=0, most=32768):
    """Every block of a launch, some at a time; log counts what was found. Returns the instructions carried out."""
    if module.of_launch:
        function = module.functions[entry]
        function.shared.pop(module.of_launch, None)
        function.shared[module.of_launch] = (-(-function.shared_bytes() // 16) * 16, shared)
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
