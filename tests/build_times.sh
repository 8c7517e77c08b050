#!/usr/bin/env bash
# What building costs here: from nothing without ccache, by source, and after two edits that are made every day.
#   tests/build_times.sh FOLDER
# FOLDER becomes a copy of the work tree, in which all of it happens; some 20 minutes and 3 GB on two free cores. In a FOLDER
# that is built already the edits alone are measured.
set -eu -o pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:?"usage: tests/build_times.sh FOLDER"}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
times=$folder/build/compilations

# timed NAME COMMAND...: its seconds on one line; what it says goes to a log.
timed() {
  local name=$1 start status=0
  shift
  start=$(date +%s.%N)
  (cd "$folder" && "$@") >"$folder/build/times.log" 2>&1 || status=$?
  awk -v name="$name" -v a="$start" -v b="$(date +%s.%N)" -v s="$status" \
    'BEGIN { printf "%-52s %7.1f s%s\n", name, b - a, s ? "  (status " s ")" : "" }'
}

if [ ! -x "$folder/build/dev/tests/reckon_tests" ]; then
  git -C "$root" ls-files -z -co --exclude-standard --deduplicate |
    while IFS= read -r -d '' file; do
      if [ -e "$root/$file" ]; then printf '%s\0' "$file"; fi
    done | tar -C "$root" --null -T - -cf - | tar -C "$folder" -xf -
  mkdir -p "$folder/build"
  # Stands where ccache would, and notes what each compilation takes.
  cat >"$folder/build/launcher" <<'LAUNCHER'
#!/usr/bin/env python3
import resource, subprocess, sys, time
start = time.time()
status = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "a") as out:
    out.write("%.1f s, %.1f s of processor, %d MB: %s\n" % (time.time() - start, used.ru_utime + used.ru_stime,
                                                           used.ru_maxrss / 1024, sys.argv[-1]))
sys.exit(status)
LAUNCHER
  chmod +x "$folder/build/launcher"
  export CMAKE_CXX_COMPILER_LAUNCHER="$folder/build/launcher;$times"
  timed 'from nothing: ./dev run examples/tour.rk' ./dev run examples/tour.rk
  timed 'and then: ./dev test' ./dev test
fi

if [ -e "$times" ]; then
  echo 'the ten slowest sources:'
  sort -rn "$times" | head -n 10 | sed "s|$folder/||; s|^|  |"
fi

build=(cmake --build build/dev --parallel "$(nproc)")
timed 'nothing to do' "${build[@]}"
kept=$(mktemp)
cp -p "$folder/diagnostics/diagnostics.def" "$kept"
trap 'cp "$kept" "$folder/diagnostics/diagnostics.def"; rm "$kept"' EXIT
echo 'RECKON_DIAGNOSTIC(build_times, 998, "a row that is measured")' >>"$folder/diagnostics/diagnostics.def"
timed 'a new row in diagnostics.def: everything' "${build[@]}"
touch "$folder/codegen/compile.cpp"
timed 'an edit of codegen/compile.cpp: the program' env CCACHE_DISABLE=1 "${build[@]}" --target cli/reckon
