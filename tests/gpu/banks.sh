#!/usr/bin/env bash
# On a machine with a GPU and nvcc: bank conflicts as the clock and, where there is a profiler, the hardware's counters show
# them, next to the wavefronts that `layout/memory` gives. Status 1 if the model is off for a pattern.
#   tests/gpu/banks.sh [ARCH]
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O2 -std=c++17 -arch="${1:-sm_90}" -I"$root/tests/golden/layout" -o "$work/banks" "$root/tests/gpu/banks.cu"
"$work/banks"
# The hardware's own counters, where there is a profiler that may read them.
command -v ncu >/dev/null || exit 0
metric=l1tex__data_pipe_lsu_wavefronts_mem_shared_op
ncu --clock-control none --csv --metrics ${metric}_ld.sum,${metric}_st.sum --log-file "$work/counters.csv" \
  "$work/banks" --once >"$work/expected.txt"
"$root/tests/gpu/banks_counters.py" "$work/expected.txt" "$work/counters.csv"
