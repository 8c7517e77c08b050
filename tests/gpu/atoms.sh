#!/usr/bin/env bash
# On a machine with a Hopper GPU and nvcc: matrix products through mma.sync and wgmma whose operands are placed by the
# thread-value layouts of layout/atoms. Status 1 if one is wrong.
#   tests/gpu/atoms.sh
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Not -arch=sm_90a: nvcc 13.0 then compiles for sm_90 too, which has no wgmma.
nvcc -O2 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -I"$root/tests/golden/layout" -o "$work/atoms" \
  "$root/tests/gpu/atoms.cu"
"$work/atoms"
