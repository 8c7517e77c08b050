#!/usr/bin/env bash
# The CUDA sources of tests/data/ptx/, compiled for other chips and with other options than the tests' own PTX
# (compile.sh there), and the tests run on that: compilations.sh FOLDER [CHIP:OPTIONS]...
# FOLDER receives the PTX and what each run printed. A line for each compilation says how many cases passed, and then come,
# each once, the messages of the emulator in the others: refusals by an instruction's name, and findings with their line.
# Bits differ where the options say so: -use_fast_math approximates, and -G joins no products with sums. Of -G and -O0,
# wgmma is found: what they put between it and its wait reads its registers. nvcc is the one in PATH, or $NVCC.
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?"usage: compilations.sh FOLDER [CHIP:OPTIONS]..."}
shift
[ $# -gt 0 ] || set -- sm_75:-O3 sm_80:-G "sm_80:-O3 -lineinfo --use_fast_math" "sm_90:-Xcicc -O0" "sm_90:-Xcicc -O1" \
  sm_100:-O3 sm_100:-G "sm_100:-O3 --use_fast_math" sm_120:-O3
for each in "$@"; do
  chip=${each%%:*} options=${each#*:}
  to=$folder/$(echo "$chip$options" | tr -d ' ')
  mkdir -p "$to"
  for source in tests/data/ptx/*.cu; do
    name=$(basename "$source" .cu)
    of=$chip
    [ "$name" = hopper ] && of=sm_90a
    # shellcheck disable=SC2086
    "${NVCC:-nvcc}" $options -arch="$of" -ptx "$source" -o "$to/$name.ptx" >"$to/$name.log" 2>&1 || true
  done
  RECKON_TESTS_PTX=$to build/dev/tests/reckon_tests "CUDA*" >"$to/tests.log" 2>&1 || true
  echo "$chip $options: $(grep -a '^test cases:\|^All tests' "$to/tests.log")"
  grep -a 'line [0-9]*: ' "$to/tests.log" | sed 's/line [0-9]*: //' | sort | uniq -c | sort -rn || true
done
