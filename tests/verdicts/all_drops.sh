#!/bin/bash
# A sum that stops at K elements against the whole one, for every K from 1 to LAST, under each semantics:
#   tests/verdicts/all_drops.sh [build/dev/cli/reckon] [LAST] [float algebra ...]
# Prints how many fail as they must, the first that do not, and the slowest check's wall time.
set -eu
program=${1:-build/dev/cli/reckon}
last=${2:-4096}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- float algebra fpsan exact
status=0
for meaning in "$@"; do
  failing=0 slowest=0 missed=()
  for ((k = 1; k <= last; ++k)); do
    begin=${EPOCHREALTIME/[.,]/}
    # A failed check ends with status 1.
    line=$("$program" run - <<PROGRAM || true
fn whole(x: f32[n]) -> f32 = sum i: x[i]
fn capped(x: f32[n]) -> f32 = sum i < min(n, $k): x[i]
check whole == capped in $meaning
PROGRAM
    )
    taken=$((${EPOCHREALTIME/[.,]/} - begin))
    ((taken <= slowest)) || slowest=$taken
    if [[ $line == "fails "* ]]; then ((++failing)); else missed+=("$k"); fi
  done
  printf '%-8s %d of %d fail, the slowest in %d ms' "$meaning" "$failing" "$last" $((slowest / 1000))
  if [ ${#missed[@]} -gt 0 ]; then
    printf '; missed: %s' "${missed[*]:0:20}"
    [ ${#missed[@]} -le 20 ] || printf ' ...'
    status=1
  fi
  printf '\n'
done
exit $status
