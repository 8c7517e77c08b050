#!/usr/bin/env bash
# On a machine with a GPU: tests/gpu/place.rk at sizes that reach every placement, whole and ragged, against the host.
#   tests/gpu/place.sh path/to/reckon [CIRCUIT...]
set -u
export reckon=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
shift
export program="$root/tests/gpu/place.rk" RECKON_STDLIB="$root/stdlib"
[ $# -gt 0 ] || set -- total runs runs_of_runs pinned pinned_runs pinned_block pinned_grid turns turns_of_one in_order products_in_order lanes_then_fused columns_then_fused row_lanes row_products row_vectors row_swirl row_wide row_canonical row_sums row_tree row_warp row_halving column_sums column_tree fused_dots softmax powers gated marked rms_norm layer_norm
. "$root/tests/gpu/against_host.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
sizes=("3 300" "5 4097" "64 1024" "7 8192" "300 64" "4097 6" "1000 257" "600 4100" "2 1100000")

one() {  # CIRCUIT SEMANTICS M N
  local arguments=(--arg "x=@x-$3-$4.npy")
  [ "$1" = fused_dots ] && arguments+=(--arg "y=@y-$4.npy")
  agrees "$1-$2-$3-$4" "$1 $2 $3 x $4" "$1" "$2" "${arguments[@]}"
}
export -f one

jobs=()
for size in "${sizes[@]}" "1 65536" "2 131072"; do
  read -r m n <<<"$size"
  printf 'save "x-%s-%s.npy" = random(f32[%s, %s], 1)\nsave "y-%s.npy" = random(f32[%s], 2)\n' "$m" "$n" "$m" "$n" "$n" "$n" |
    "$reckon" run - >/dev/null
  for circuit in "$@"; do
    # Those in turns have as many elements as their layout has.
    [[ $circuit == turns* && $((n % 4096)) != 0 ]] && continue
    for semantics in float fpsan; do jobs+=("$circuit $semantics $size"); done
  done
done
side_by_side "${jobs[@]}"
