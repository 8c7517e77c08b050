#!/usr/bin/env bash
# On a machine with GPUs: the circuits of tests/mpi/ranks.rk on all of them together, against the interpreter.
#   tests/gpu/gpus.sh path/to/reckon [CIRCUIT...]
set -u
reckon=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
shift
[ $# -gt 0 ] || set -- sums_of_gpus softmax table
export RECKON_STDLIB="$root/stdlib"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$root/tests/mpi/ranks.rk" program.rk
# The orders that GPUs have code for.
cat >>program.rk <<'END'
fn sums_of_gpus(x: f32[n]) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, (f32, f32)) =
  (sum i: x[i] by tree,
   sum i: x[i] by tile(16, seq) then tree,
   sum i: x[i] by tile(16, tree) then lanes(3, seq) then seq,
   sum i: x[i] by halving,
   sum i: x[i] by numpy,
   sum i: x[i] * x[i] by fused(lanes(5, seq) then tree),
   sum i: x[i] by neumaier(tree),
   sum i: x[i] by seq,
   max i: x[i] by any,
   reduce(merge) i: (x[i], f32(1)) by lanes(4, seq) then tree)
END
agree=0 all=0
for n in 1 2 7 100 1000 4097 100003; do
  echo "save \"x-$n.npy\" = random(f32[$n], $n)" | "$reckon" run - >/dev/null
  for circuit in "$@"; do
    [ "$circuit" = table ] && [ "$n" -gt 5000 ] && continue
    all=$((all + 1))
    "$reckon" call program.rk --fn "$circuit" --arg "x=@x-$n.npy" --on=interp >one.txt 2>one.err
    if "$reckon" call program.rk --fn "$circuit" --arg "x=@x-$n.npy" --on=gpus >all.txt 2>all.err && cmp -s one.txt all.txt; then
      agree=$((agree + 1))
    else
      echo "$circuit, $n elements, differs:"
      head -5 all.err
      diff one.txt all.txt | head -5
    fi
  done
done
"$reckon" --verbose call program.rk --fn softmax --arg "x=@x-4097.npy" --on=gpus 2>&1 >/dev/null | grep -A1 note
echo "$agree of $all agree"
[ "$agree" = "$all" ]
