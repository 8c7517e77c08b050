#!/usr/bin/env bash
# On a machine with a GPU: tests/gpu/place.rk at sizes that reach every placement, whole and ragged, against the host.
#   tests/gpu/place.sh path/to/reckon
set -u
reckon=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RECKON_STDLIB="$root/stdlib"
cd "$work" || exit 1
passed=0 failed=0
for sizes in "3 300" "5 4097" "64 1024" "7 8192" "300 64" "4097 6" "1000 257" "600 4100" "2 1100000"; do
  read -r m n <<<"$sizes"
  printf 'save "x.npy" = random(f32[%s, %s], 1)\nsave "y.npy" = random(f32[%s], 2)\n' "$m" "$n" "$n" | "$reckon" run - >/dev/null
  for function in total row_sums row_tree row_warp row_halving column_sums column_tree fused_dots softmax rms_norm layer_norm; do
    for semantics in float fpsan; do
      arguments=(--arg x=@x.npy)
      [ $function = fused_dots ] && arguments+=(--arg y=@y.npy)
      for on in host gpu; do
        "$reckon" call "$root/tests/gpu/place.rk" --fn $function --in=$semantics --on=$on "${arguments[@]}" -o $on.npy >$on.err 2>&1
      done
      if [ -s host.npy ] && cmp -s host.npy gpu.npy; then
        passed=$((passed + 1))
      else
        failed=$((failed + 1))
        echo "DIFFER  $function $semantics $m x $n"
        head -c 300 host.err gpu.err
      fi
      rm -f host.npy gpu.npy
    done
  done
done
echo "$passed agree, $failed do not"
[ $failed -eq 0 ]
