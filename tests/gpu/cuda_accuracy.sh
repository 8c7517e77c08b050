#!/usr/bin/env bash
# On a machine with a GPU and nvcc: CUDA's own functions and instructions against the profiles `cuda` and `cuda_fast`.
# Prints a verdict for each function; status 1 if one answers what its profile does not allow.
#   tests/gpu/cuda_accuracy.sh path/to/reckon [ARCH]
set -u
reckon=$(realpath "$1")
arch=${2:-sm_90}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RECKON_STDLIB="$root/stdlib"
cd "$work" || exit 1
mkdir cuda cuda_fast
nvcc -O2 -arch="$arch" -o default "$root/tests/gpu/cuda_accuracy.cu" &
nvcc -O2 -arch="$arch" -use_fast_math -DFAST -o fast "$root/tests/gpu/cuda_accuracy.cu" &
wait
./default cuda || exit 1
./fast cuda_fast || exit 1

# hold PROFILE NAME: the verdict of one function, in a file of its own.
hold() {
  local profile=$1 name=$2 call
  if [ -e "$profile/${name}_y.npy" ]; then
    call="$name(load(\"${name}_x.npy\"), load(\"${name}_y.npy\"))"
    # Operators are written as such.
    [ "$name" = div ] && call="load(\"div_x.npy\") / load(\"div_y.npy\")"
  else
    call="$name(load(\"${name}_x.npy\"))"
  fi
  printf 'import "profiles/cuda"\ncheck %s ~ load("%s_r.npy") in accept(%s)\n' "$call" "$name" "$profile" >"$profile/$name.rk"
  (cd "$profile" && "$reckon" run "$name.rk" >"$name.out" 2>&1)
  echo $? >"$profile/$name.rc"
}
for profile in cuda cuda_fast; do
  for file in "$profile"/*_r.npy; do
    name=$(basename "$file" _r.npy)
    hold "$profile" "$name" &
    while [ "$(jobs -r | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  done
done
wait
failed=0
for rc in cuda/*.rc cuda_fast/*.rc; do
  if [ "$(cat "$rc")" = 0 ]; then
    echo "inside   ${rc%.rc}  $(head -c 300 "${rc%.rc}.out" | tr '\n' ' ')"
  else
    failed=1
    echo "OUTSIDE  ${rc%.rc}"
    head -c 2000 "${rc%.rc}.out"
  fi
done
exit $failed
