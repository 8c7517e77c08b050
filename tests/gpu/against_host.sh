# For place.sh and tiles.sh, which source it: circuits of $program by $reckon on a GPU, against the host, side by side.

# agrees NAME LABEL CIRCUIT SEMANTICS ARGUMENTS...: in files that begin with NAME.
agrees() {
  local name=$1 label=$2 circuit=$3 semantics=$4 on
  shift 4
  for on in host gpu; do
    # Intervals and elements of the ring are compared as they are shown.
    local output=(-o "$name.$on")
    case $semantics in interval* | padic) output=() ;; esac
    "$reckon" call "$program" --fn "$circuit" --in="$semantics" --on=$on "$@" ${output[@]+"${output[@]}"} \
      >"$name.$on.out" 2>"$name.$on.err"
    [ -e "$name.$on" ] || mv "$name.$on.out" "$name.$on"
  done
  if [ -s "$name.host" ] && cmp -s "$name.host" "$name.gpu"; then
    echo agrees
  else
    echo "DIFFER  $label"
    head -c 300 "$name.host.err" "$name.gpu.err"
  fi
  rm -f "$name".*
}
export -f agrees

# side_by_side JOB...: `one` for each, with the job's words; says how many agree. Status 1 unless all do.
side_by_side() {
  printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c 'one $1' _ {} >results 2>&1
  grep -v '^agrees$' results
  local passed
  passed=$(grep -c '^agrees$' results)
  echo "$passed agree, $(($# - passed)) do not"
  [ "$passed" -eq $# ]
}
