#!/usr/bin/env python3
"""Random programs on a GPU, as tests/differential exports them, against the interpreter's results:

    random_programs.py FOLDER [SECONDS]

What is not reached in that time is counted, and makes the status 1.
For a machine with nothing of Reckon's on it but the kernels: libcuda and numpy are enough. Each is run twice, and in grids of
two sizes, which must make no difference. Recursive ones need so much stack that few processes fit side by side: where there
is a ptxas, all processors assemble them first (ARCH=sm_90), at -O1, as the runtime has it done (Plan::assembler_level).
"""
import collections
import ctypes
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

most_bytes = 1 << 30  # of a program's buffers

folder = Path(__file__).parent / "emulator"
sys.path.insert(0, str(folder))
import check_random  # noqa: E402  what is the same, signs of zeros and NaNs' payloads considered


class Failed(Exception):
    pass


driver = None


def call(name, *arguments):
    status = getattr(driver, name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        driver.cuGetErrorName(status, ctypes.byref(text))
        raise Failed(f"{name}: {text.value.decode() if text.value else status}")


def open_device(stack_bytes):
    global driver
    driver = ctypes.CDLL("libcuda.so.1")
    call("cuInit", 0)
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuCtxSetLimit", 0, ctypes.c_size_t(stack_bytes))


def load(image, recursive):
    module, log = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
    options = (ctypes.c_int * 3)(5, 6, 7)  # the error log and its size, the level of optimisation
    values = (ctypes.c_void_p * 3)(ctypes.cast(log, ctypes.c_void_p), len(log), 1)
    try:
        call("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(image), 3 if recursive else 2, options, values)
    except Failed as failure:
        raise Failed(f"{failure} {log.value.decode()[:300]}")
    return module


class Program:
    def __init__(self, path):
        self.plan, self.name = json.loads(path.read_text()), str(path.with_suffix(""))
        self.module, self.memory = None, []

    def __enter__(self):
        if sum(row["bytes"] for row in self.plan["buffers"]) > most_bytes:
            raise Failed("too large")
        assembled, text = Path(self.name + ".cubin"), Path(self.name + ".ptx").read_text()
        recursive = check_random.is_recursive(text)
        self.module = load(assembled.read_bytes() if assembled.exists() else text.encode(), recursive)
        for row in self.plan["buffers"]:
            pointer = ctypes.c_uint64()
            call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(16, -(-row["bytes"] // 16) * 16)))
            self.memory.append(pointer)
        return self

    def __exit__(self, *_):
        for pointer in self.memory:
            driver.cuMemFree_v2(pointer)
        driver.cuModuleUnload(self.module)

    def run(self, divisor):
        """The results' bytes; a grid has a divisor-th of its blocks where a block may go on to further items."""
        for k, (row, pointer) in enumerate(zip(self.plan["buffers"], self.memory)):
            size = max(16, -(-row["bytes"] // 16) * 16)
            # What is never written shows.
            call("cuMemsetD8_v2", pointer, ctypes.c_ubyte(0x5A if row["written"] else 0), ctypes.c_size_t(size))
            given = Path(f"{self.name}.{k}.in")
            if given.exists() and given.stat().st_size:
                data = given.read_bytes()
                call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
        for launch in self.plan["launches"]:
            kernel = self.plan["kernels"][launch["kernel"]]
            values = [self.memory[k] for k in launch["buffers"]]
            values += [ctypes.c_int64(d) for d in self.plan["dimensions"] + launch["rounds"]]
            words = (ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values)
            parameters = (ctypes.c_void_p * len(values))(*words)
            blocks = -(-kernel["items"] // (kernel["block_items"] or kernel["threads"]))
            if not blocks:
                continue
            if not kernel["one_item"]:
                blocks = max(1, min(blocks, 1 << 16) // divisor)
            function = ctypes.c_void_p()
            call("cuModuleGetFunction", ctypes.byref(function), self.module, kernel["name"].encode())
            call("cuLaunchKernel", function, blocks, 1, 1, kernel["threads"], 1, 1, 0, None, parameters, None)
        call("cuCtxSynchronize")
        out = []
        for row, pointer in zip(self.plan["buffers"], self.memory):
            data = np.zeros(max(1, row["bytes"]), np.uint8)
            if (row["result"] or row["faults"]) and row["bytes"]:
                call("cuMemcpyDtoH_v2", data.ctypes.data_as(ctypes.c_void_p), pointer, ctypes.c_size_t(row["bytes"]))
            out.append(data)
        return out


def check(path):
    lines = []
    with Program(path) as program:
        plan, runs = program.plan, [program.run(divisor) for divisor in (1, 1, 3)]
        for k, row in enumerate(plan["buffers"]):
            if row["faults"] and not check_random.leaves_empty(plan) and runs[0][k].any():
                lines.append("a fault that the interpreter does not have")
            if not row["result"]:
                continue
            used = row["used"]
            if any((run[k][:used] != runs[0][k][:used]).any() for run in runs):
                lines.append(f"result {k} differs between two runs")
            expected = np.fromfile(f"{program.name}.{k}.out", np.uint8)
            if not check_random.same(runs[0][k][:used], expected, row, plan["fpsan"]):
                lines.append(f"result {k} differs from the interpreter's")
    return lines


def work(stack_bytes, paths):
    """Checks the programs in this process, a line of results for each. After an error the device may refuse all further
    work of a process: what is left is another's."""
    while True:
        try:
            open_device(stack_bytes)
            break
        except Failed as failure:
            # The stacks of the processes beside this one take the memory of a small card: when they have ended, it is free.
            if "OUT_OF_MEMORY" not in str(failure):
                raise
            time.sleep(1)
    for k, path in enumerate(paths):
        try:
            print(json.dumps([path, check(Path(path))]), flush=True)
        except Failed as failure:
            print(json.dumps([path, [str(failure)]]), flush=True)
            if k + 1 < len(paths):
                os.execv(sys.executable, [sys.executable, __file__, "--work", str(stack_bytes), *paths[k + 1:]])
            return


def start(stack_bytes, paths):
    command = [sys.executable, __file__, "--work", str(stack_bytes), *paths]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def assemble(paths, until):
    """Makes a .cubin of each .ptx in what time there is."""
    def one(path):
        if time.monotonic() < until:
            name = str(Path(path).with_suffix(""))
            subprocess.run(["ptxas", "-O1", "-arch=" + os.environ.get("ARCH", "sm_90"), name + ".ptx", "-o", name + ".cubin"],
                           stderr=subprocess.DEVNULL)

    if shutil.which("ptxas"):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(one, paths))


def results(running, until):
    """What the processes find, as it comes, until all have ended or the time is up."""
    lines = queue.Queue()

    def pass_on(process):
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    for process in running:
        threading.Thread(target=pass_on, args=(process,), daemon=True).start()
    ended = 0
    while ended < len(running):
        try:
            line = lines.get(timeout=max(until - time.monotonic(), 0.01))
        except queue.Empty:
            break
        if line is None:
            ended += 1
        else:
            yield json.loads(line)
    for process in running:
        process.kill()


def main():
    if sys.argv[1] == "--work":
        return work(int(sys.argv[2]), sys.argv[3:])
    until = time.monotonic() + (float(sys.argv[2]) if len(sys.argv) > 2 else 1e9)
    plain, recursive = [], []
    for path in sorted(Path(sys.argv[1]).glob("*.json")):
        text = path.with_suffix(".ptx").read_text()
        (recursive if check_random.is_recursive(text) else plain).append(str(path))
    count, bad, wrong = 0, 0, collections.Counter()
    # A stack is there for every thread that the device can hold, in each process.
    for paths, processes, stack_bytes in ((plain, os.cpu_count(), 4096), (recursive, 4, 1 << 17)):
        if paths is recursive:
            assemble(paths, until)
        slices = [paths[k::processes] for k in range(processes)]
        running = [start(stack_bytes, part) for part in slices if part]
        for path, found in results(running, until):
            count += not found
            bad += bool(found)
            for what in found:
                wrong[what] += 1
                if wrong[what] <= 10:
                    print(Path(path).name, what, flush=True)
    total = len(plain) + len(recursive)
    print(f"{count} of {total} agree, {len(recursive)} of them recursive; {total - count - bad} were not reached")
    return count != total or count == 0


if __name__ == "__main__":
    sys.exit(main())
