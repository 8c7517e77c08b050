#!/usr/bin/env python3
"""The hardware's counters of shared-memory wavefronts against the model's: banks_counters.py EXPECTED COUNTERS

EXPECTED is what `banks --once` prints; COUNTERS is Nsight Compute's CSV of the same run, a row for each launch and metric.
"""
import csv
import sys

METRICS = {"load": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
           "store": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}


def main():
    expected = [line.strip()[len("expect,"):].rsplit(",", 3) for line in open(sys.argv[1]) if line.startswith("expect,")]
    launches = {}
    for row in csv.DictReader(line for line in open(sys.argv[2]) if line.startswith('"')):
        launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = int(row["Metric Value"].replace(",", ""))
    off = abs(len(launches) - len(expected))
    for (name, kind, wavefronts, bounds), counted in zip(expected, (launches[k] for k in sorted(launches))):
        model, here = int(wavefronts), counted[METRICS[kind]]
        fine = 0 < here <= model if bounds == "1" else here == model
        off += not fine
        print(f"{name:40} {kind:6} {model:6} {here:6}{'' if fine else '  OFF'}")
    print(f"the model holds for {len(expected) - off} of {len(expected)} kernels")
    return off != 0 or not expected


if __name__ == "__main__":
    sys.exit(main())
