#!/usr/bin/env bash
# On a machine with a GPU: `reckon call --on=gpu` runs the `approx.` instructions, and each is near its function.
#   tests/gpu/approximate.sh path/to/reckon
set -u
reckon=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RECKON_STDLIB="$root/stdlib"
cd "$work" || exit 1
printf 'save "f32.npy" = random(f32[100000], 1)\nsave "f16.npy" = random(f16[100000], 1)\n' | "$reckon" run - >/dev/null
passed=0 failed=0

# near CIRCUIT FORMAT LIMIT: the largest error is at most the limit, which is generous.
near() {
  local error
  error=$("$reckon" call "$root/tests/gpu/approximate.rk" --fn "$1" --on=gpu --arg "x=@$2.npy" 2>"$work/err" | cut -d' ' -f1)
  if awk -v e="${error:-nan}" -v l="$3" 'BEGIN { exit !(e ~ /^[0-9]/ && e + 0 <= l + 0) }'; then
    passed=$((passed + 1))
    echo "near    $1: $error"
  else
    failed=$((failed + 1))
    echo "FAR     $1: ${error:-nothing}, limit $3"
    head -c 1000 "$work/err"
  fi
}

for circuit in exp2_ log2_ sin_ cos_ sqrt_ rsqrt_ rcp_ div_; do near $circuit f32 2e-6; done
near tanh_ f32 2e-3
near exp2_half f16 4e-3
near tanh_half f16 4e-3
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
