#!/usr/bin/env bash
# On a machine with a GPU: tests/gpu/tiles.rk at sizes that fill tiles and that do not, against the host.
#   tests/gpu/tiles.sh path/to/reckon [CIRCUIT...]
# The circuits are those of tests/gpu/kernels.rk with PROGRAM=kernels: square laid uneven narrow deep roomy by_four.
set -u
export reckon=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
shift
export program="$root/tests/gpu/${PROGRAM:-tiles}.rk" RECKON_STDLIB="$root/stdlib"
[ $# -gt 0 ] || set -- $(sed -n 's/^fn \([a-z_]*\)(a.*/\1/p' "$program")
. "$root/tests/gpu/against_host.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# The large one has tiles of 128 x 128, and none of its sizes is a multiple of anything.
shapes=("33 17 35" "64 64 64" "127 127 127" "128 128 128" "129 129 129" "200 300 500" "130 1025 70" "1850 37 1901")

one() {  # CIRCUIT SEMANTICS M K N
  agrees "$1-$2-$3-$4-$5" "$1 $2 $3 x $4 x $5" "$1" "$2" --arg "a=@a-$3-$4.npy" --arg "b=@b-$4-$5.npy"
}
export -f one

jobs=()
for shape in "${shapes[@]}"; do
  read -r m k n <<<"$shape"
  printf 'save "a-%s-%s.npy" = random(f32[%s, %s], 1)\nsave "b-%s-%s.npy" = random(f32[%s, %s], 2)\n' \
    "$m" "$k" "$m" "$k" "$k" "$n" "$k" "$n" | "$reckon" run - >/dev/null
  for circuit in "$@"; do
    for semantics in float fpsan; do jobs+=("$circuit $semantics $shape"); done
    [ "$m" -le 64 ] || continue
    for semantics in interval "interval(f32)" padic; do
      case $circuit in plain | absorbed | batch | otherwise) jobs+=("$circuit $semantics $shape") ;; esac
    done
  done
done
side_by_side "${jobs[@]}"
