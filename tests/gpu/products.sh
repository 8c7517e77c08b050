#!/usr/bin/env bash
# On a machine with a GPU: matrix products by tiles against the interpreter, in full for 512 and for 10,000 outputs of
# larger ones, which the interpreter computes one by one. Needs NumPy.
#   tests/gpu/products.sh path/to/reckon [SIZE...]
set -u
reckon=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- 512 1024 2048 4096 8192
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export RECKON_STDLIB="$root/stdlib"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# Outputs (17 t + 3, 7919 t + 5) modulo n: every row of each size, and all over the columns.
cat >products.rk <<'END'
fn matmul(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum l: a[i, l] * b[l, j] by fused(seq)
fn split(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum l: a[i, l] * b[l, j] by tile(256, fused(seq)) then seq
fn matmul_some(a: f32[m, k], b: f32[k, n]) -> f32[10000] =
  for t < 10000: sum l: a[(17 * t + 3) % m, l] * b[l, (7919 * t + 5) % n] by fused(seq)
fn split_some(a: f32[m, k], b: f32[k, n]) -> f32[10000] =
  for t < 10000: sum l: a[(17 * t + 3) % m, l] * b[l, (7919 * t + 5) % n] by tile(256, fused(seq)) then seq
END
failed=0

call() {  # CIRCUIT PLACE
  "$reckon" call products.rk --fn "$1" --on="$2" --arg a=@a.npy --arg b=@b.npy -o "$1.npy" >/dev/null 2>err || head -c 500 err
}

for n in "$@"; do
  python3 - "$n" <<'END'
import sys
import numpy as np
random = np.random.default_rng(1)
for name in "ab":
    np.save(name + ".npy", random.standard_normal((int(sys.argv[1]),) * 2, np.float32))
END
  for circuit in matmul split; do
    rm -f "$circuit.npy" "${circuit}_some.npy" whole.npy
    call "$circuit" gpu
    mv "$circuit.npy" whole.npy
    if [ "$n" -le 512 ]; then call "$circuit" interp; else call "${circuit}_some" interp; fi
    python3 - "$circuit" "$n" <<'END' || failed=1
import sys
import numpy as np
name, n = sys.argv[1], int(sys.argv[2])
whole = np.load("whole.npy").view(np.uint32)
if n <= 512:
    mine, theirs = whole, np.load(name + ".npy").view(np.uint32)
else:
    t = np.arange(10000)
    mine, theirs = whole[(17 * t + 3) % n, (7919 * t + 5) % n], np.load(name + "_some.npy").view(np.uint32)
wrong = int((mine != theirs).sum())
print(f"{name} {n}: {mine.size} outputs, {wrong} differ", flush=True)
sys.exit(wrong > 0)
END
  done
done
exit $failed
