#!/usr/bin/env python3
"""On a machine with a GPU: launches that the emulator of PTX carried out, repeated, and their bits compared.

    RECKON_PTX_RECORDS=records RECKON_PTX_TABLES=h200 build/dev/tests/reckon_tests --folder ptx    (anywhere)
    python3 tests/gpu/replay_kernels.py records --assemble                  (where there is a ptxas)
    python3 tests/gpu/replay_kernels.py records --keep differences          (on the machine with the GPU)

The first command writes each launch that found nothing wrong: the PTX, the shape, the parameters, and what the memory was
before and after it; approximate instructions give what the tables say. The second assembles kernels whose products an assembler may join with sums, with -fmad=false, which is what
the emulator computes. The third loads the same PTX, or what was assembled, with the CUDA driver, puts the same memory in place,
launches, and compares every byte that the emulator's kernel wrote or left. It prints a line for each kernel, and totals: of launches
whose bits have one right value, and apart those that depend on what a chip chooses: approximate instructions, the order of
float atomics, what atomics return, clocks, and tensor cores of older chips. --keep FOLDER writes the memory that differs. The status is 1 if any of the former differ or could not be run.

A launch that breaks the driver's context or takes longer than 15 seconds is counted as failed, and the rest go on in a new process.
Without a GPU, LD_LIBRARY_PATH=build/dev/ptx/emulated tries the script itself.
"""
import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import threading

import numpy

MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTER = 8, 14  # CUfunction_attribute
STACK, ERROR_LOG, ERROR_LOG_BYTES = 0, 5, 6       # CUlimit, CUjit_option


class Failure(Exception):
    """Of a call of the driver; `breaks`: the context is of no use any more."""

    def __init__(self, text, breaks):
        super().__init__(text)
        self.breaks = breaks


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(200)
        self.call("cuDeviceGetName", name, 200, device)
        self.name = name.value.decode()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuCtxSetLimit", STACK, ctypes.c_size_t(65536))

    def call(self, name, *arguments, breaks=True):
        status = getattr(self.cuda, name)(*arguments)
        if status != 0:
            texts = []
            for ask in (self.cuda.cuGetErrorName, self.cuda.cuGetErrorString):
                text = ctypes.c_char_p()
                ask(status, ctypes.byref(text))
                texts.append((text.value or b"?").decode(errors="replace"))
            raise Failure(f"{name}: {texts[0]}: {texts[1]}", breaks)

    def load(self, text):
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
        options = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), 4096)
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(text), 2, options, values, breaks=False)
        except Failure as failure:
            raise Failure(f"{failure} {log.value.decode(errors='replace')[:300]}", False) from None
        return module

    def room(self, count):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(count, 16)))
        return address.value

    def put(self, address, data):
        if len(data):
            self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), bytes(data), ctypes.c_size_t(len(data)))

    def get(self, address, count):
        data = ctypes.create_string_buffer(max(count, 1))
        if count:
            self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(count))
        return numpy.frombuffer(data.raw[:count], numpy.uint8)


def in_nans(data, other):
    """Which bytes belong to an f32, or an f64, that is a NaN in both."""
    out = numpy.zeros(len(data), bool)
    for kind in (numpy.float32, numpy.float64):
        size = numpy.dtype(kind).itemsize
        count = len(data) // size * size
        both = numpy.isnan(data[:count].view(kind)) & numpy.isnan(other[:count].view(kind))
        out[:count] |= numpy.repeat(both, size)
    return out


class Records:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.launches = [json.loads(line) for line in open(self.folder / "launches.jsonl")]
        self.bytes = numpy.fromfile(self.folder / "bytes.bin", numpy.uint8)

    def part(self, at, count):
        return self.bytes[at:at + count].copy()

    def text(self, launch):
        """The PTX, or machine code where an assembler would choose how to round."""
        assembled = (self.folder / launch["ptx"]).with_suffix(".cubin")
        return (assembled if launch["joins"] and assembled.exists() else self.folder / launch["ptx"]).read_bytes()

    def assemble(self):
        for name in sorted({launch["ptx"] for launch in self.launches if launch["joins"]}):
            path = self.folder / name
            target = next(launch["target"] for launch in self.launches if launch["ptx"] == name)
            arch = target if target > "sm_90" else "sm_90"
            subprocess.run(["ptxas", f"-arch={arch}", "-fmad=false", path, "-o", path.with_suffix(".cubin")], check=True)


def pointed(data, pointers, bases):
    """The bytes with the addresses of this machine."""
    for at, buffer, offset in pointers:
        data[at:at + 8] = numpy.array([bases[buffer] + offset], numpy.uint64).view(numpy.uint8)
    return data


def repeat(driver, records, launch, number, keep):
    """Launches, and gives how many bytes were compared, how many differ, how many of these are in NaNs, and where the
    first is."""
    module = driver.load(records.text(launch))
    function, own = ctypes.c_void_p(), []
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, launch["entry"].encode(), breaks=False)
    bases = []
    for buffer in launch["buffers"]:
        if "variable" in buffer:
            address, size = ctypes.c_uint64(), ctypes.c_size_t()
            try:
                driver.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module,
                            buffer["variable"].encode(), breaks=False)
            except Failure:
                pass  # The module has what it begins with.
            bases.append(address.value)
        else:
            own.append(driver.room(buffer["bytes"]))
            bases.append(own[-1])
    for buffer, base in zip(launch["buffers"], bases):
        if base and "keeps" not in buffer:
            driver.put(base, pointed(records.part(buffer["before"], buffer["bytes"]), buffer["pointers_before"], bases))
    given = pointed(records.part(*launch["parameter_bytes"]), launch["parameter_pointers"], bases)
    held = ctypes.create_string_buffer(bytes(given), max(len(given), 1) + 256)
    begin = ctypes.addressof(held)
    parameters = (ctypes.c_void_p * max(len(launch["parameters"]), 1))(*[begin + at for at, _ in launch["parameters"]])
    driver.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, launch["shared_bytes"], breaks=False)
    if numpy.prod(launch["cluster"]) > 8:
        driver.call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, 1, breaks=False)
    shape = [*launch["grid"], *launch["block"], launch["shared_bytes"], None, parameters]
    if launch["cooperative"] and hasattr(driver.cuda, "cuLaunchCooperativeKernel"):
        driver.call("cuLaunchCooperativeKernel", function, *shape)
    else:
        driver.call("cuLaunchKernel", function, *shape, None)
    driver.call("cuCtxSynchronize")
    compared = differing = nans = 0
    first = ""
    for place, (buffer, base) in enumerate(zip(launch["buffers"], bases)):
        if not base or "keeps" in buffer:
            continue
        count = buffer["bytes"]
        found = driver.get(base, count)
        expected = pointed(records.part(buffer["after"], count), buffer["pointers_after"], bases)
        counts = numpy.ones(count, bool)
        if buffer["unwritten"] is not None:
            bits = numpy.unpackbits(records.part(buffer["unwritten"], (count + 7) // 8), bitorder="little")
            counts = bits[:count] == 0
        differ = (found != expected) & counts
        compared += int(counts.sum())
        differing += int(differ.sum())
        nans += int((differ & in_nans(found, expected)).sum())
        if differ.any() and keep:
            (pathlib.Path(keep) / f"{number}.{place}.bin").write_bytes(found.tobytes())
        if differ.any() and not first:
            at = int(numpy.argmax(differ)) // 4 * 4
            first = f"buffer {place}, byte {at}: {found[at:at + 8].tobytes().hex()}, emulated {expected[at:at + 8].tobytes().hex()}"
    for address in own:
        driver.call("cuMemFree_v2", ctypes.c_uint64(address))
    driver.call("cuModuleUnload", module)
    return compared, differing, nans, first


def work(folder, begin, keep):
    """Repeats launches from a number on; a line of JSON for each."""
    # What kernels print goes to the standard output, and so the results go elsewhere.
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(row):
        print(json.dumps(row), file=results, flush=True)

    records, driver = Records(folder), Driver()
    for number in range(begin, len(records.launches)):
        tell({"begins": number, "device": driver.name})
        try:
            compared, differing, nans, first = repeat(driver, records, records.launches[number], number, keep)
            row = {"number": number, "compared": compared, "differ": differing, "nans": nans, "first": first}
        except Failure as failure:
            tell({"number": number, "failure": str(failure)})
            if failure.breaks:
                os._exit(0)
            continue
        tell(row)
    os._exit(0)


def results(folder, count, keep):
    """A row for each launch, whatever becomes of the processes that repeat them."""
    rows, begin, device = {}, 0, "no device"
    while begin < count:
        process = subprocess.Popen([sys.executable, __file__, folder, "--from", str(begin), *(["--keep", keep] if keep else [])],
                                   stdout=subprocess.PIPE)
        current = None
        while True:
            watch = threading.Timer(15, process.kill)
            watch.start()
            line = process.stdout.readline()
            watch.cancel()
            if not line:
                break
            row = json.loads(line)
            if "begins" in row:
                current, device = row["begins"], row["device"]
            else:
                rows[row["number"]] = row
        process.wait()
        if current is None:
            sys.exit("the driver cannot be used")
        rows.setdefault(current, {"number": current, "failure": "the process ended, or took too long"})
        begin = current + 1
    return rows, device


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--from", dest="begin", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--assemble", action="store_true", help="assemble, and launch nothing")
    parser.add_argument("--keep", metavar="FOLDER", help="write the memory that differs: LAUNCH.BUFFER.bin")
    options = parser.parse_args()
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    if options.begin is not None:
        work(options.folder, options.begin, options.keep)
    records = Records(options.folder)
    if options.assemble:
        return records.assemble()
    launches = records.launches
    rows, device = results(options.folder, len(launches), options.keep)
    kernels = {}
    for number, launch in enumerate(launches):
        row = rows[number]
        key = (launch["entry"], launch["target"], ", ".join(launch["depends_on"]), launch["test"])
        one = kernels.setdefault(key, {"launches": 0, "compared": 0, "differ": 0, "nans": 0, "failed": 0, "notes": []})
        one["launches"] += 1
        if "failure" in row:
            one["failed"] += 1
            note = row["failure"]
        else:
            for field in ("compared", "differ", "nans"):
                one[field] += row[field]
            note = row["first"]
        if note and len(one["notes"]) < 2:
            one["notes"].append(f"launch {number}: {note}")
    print(f"on {device}")
    totals = {}
    for (entry, target, depends, test), one in sorted(kernels.items()):
        print(f"{entry} ({target}; {test}): {one['launches']} launches, {one['compared']} bytes, {one['differ']} differ"
              + (f" ({one['nans']} in NaNs)" if one["nans"] else "") + (f", {one['failed']} failed" if one["failed"] else "")
              + (f"; depends on: {depends}" if depends else ""))
        for note in one["notes"]:
            print(f"  {note}")
        total = totals.setdefault(bool(depends), [0] * 5)
        for k, value in enumerate((1, one["launches"], one["compared"], one["differ"], one["failed"])):
            total[k] += value
    for depends, (count, number, compared, differ, failed) in sorted(totals.items()):
        print(f"total{', of those that depend on the chip' if depends else ''}: {count} kernels, {number} launches, "
              f"{compared} bytes, {differ} differ, {failed} launches failed")
    fixed = totals.get(False, [0] * 5)
    return 1 if fixed[3] or fixed[4] else 0


if __name__ == "__main__":
    sys.exit(main())
