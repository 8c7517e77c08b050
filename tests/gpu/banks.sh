#!/usr/bin/env bash
# On a machine with a GPU and nvcc: bank conflicts as the clock shows them, next to the wavefronts that
# `ir/layout/memory` gives. Status 1 if the model is off for a pattern.
#   tests/gpu/banks.sh [ARCH]
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O2 -std=c++17 -arch="${1:-sm_90}" -I"$root/tests/golden/layout" -o "$work/banks" "$root/tests/gpu/banks.cu"
"$work/banks"
