#!/bin/bash
# A sum that stops at K elements against the whole one, for every K from 1 to LAST, under each semantics; as many checks at
# once as there are processors:
#   tests/verdicts/all_drops.sh [build/dev/cli/reckon] [LAST] [float algebra ...]
# Prints how many fail as they must, the first that do not, and the slowest check's wall time. Exit status 1 if one does not
# fail.
set -eu
export program=${1:-build/dev/cli/reckon}
last=${2:-4096}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- float algebra fpsan exact

# one MEANING K: prints the verdict's word, K and the milliseconds.
one() {
  local begin=${EPOCHREALTIME/[.,]/} line
  # A failed check ends with status 1.
  line=$("$program" run - <<PROGRAM || true
fn whole(x: f32[n]) -> f32 = sum i: x[i]
fn capped(x: f32[n]) -> f32 = sum i < min(n, $2): x[i]
check whole == capped in $1
PROGRAM
  )
  printf '%s %d %d\n' "${line%% *}" "$2" $(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
}
export -f one

status=0
for meaning in "$@"; do
  seq "$last" | xargs -P "$(nproc)" -I{} bash -c 'one "$@"' _ "$meaning" {} | sort -n -k 2 |
    awk -v meaning="$meaning" -v last="$last" '
      $3 > slowest { slowest = $3 }
      $1 == "fails" { ++failing; next }
      ++others <= 20 { missed = missed " " $2 }
      END {
        printf "%-8s %d of %d fail, the slowest in %d ms", meaning, failing, last, slowest
        if (others) printf "; missed:%s%s", missed, others > 20 ? " ..." : ""
        printf "\n"
        exit failing != last
      }' || status=1
done
exit $status
