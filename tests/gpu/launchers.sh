#!/usr/bin/env bash
# On a machine with a GPU, CUDA's headers and g++: launchers in C++ and Python give the interpreter's bits, for circuits of
# the examples at sizes that are no multiples of 32, under float and fpsan.
#   tests/gpu/launchers.sh path/to/reckon [LANGUAGE...]     languages: cpp python (both, if none is named)
# CUDA=FOLDER in the environment: where include/cuda.h is, /usr/local/cuda by default. Python needs no package.
set -u
reckon=$(realpath "$1")
shift
languages=("$@")
[ ${#languages[@]} -gt 0 ] || languages=(cpp python)
cuda=${CUDA:-/usr/local/cuda}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RECKON_STDLIB="$root/stdlib"
cd "$work" || exit 1
passed=0 failed=0
# libcuda.so.1 comes with the driver, and need not have a name for the linker.
library=$(ldconfig -p | sed -n 's/.*libcuda\.so\.1 .*x86-64.*=> //p' | head -n 1)
[ -n "$library" ] || library=$(ldconfig -p | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n 1)
[ -n "$library" ] || { echo "there is no libcuda.so.1: no driver for a GPU"; exit 69; }
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)

# input NAME TYPE SEED: a .npy file of random numbers, and its elements alone as NAME.bin.
input() {
  printf 'save "%s.npy" = random(%s, %s)\n' "$1" "$2" "$3" | "$reckon" run - >/dev/null
  elements "$1.npy" >"$1.bin"
}
# elements FILE.npy: what follows the header.
elements() { python3 -c 'import sys
data = open(sys.argv[1], "rb").read()
sys.stdout.buffer.write(data[10 + int.from_bytes(data[8:10], "little"):])' "$1"; }

# agree FILE FUNCTION SEMANTICS SIZES INPUTS OPTIONS...: one result. SIZES are in the order of the launcher's comment.
declare -A built
agree() {
  local file=$root/examples/$1 function=$2 semantics=$3 sizes=$4 inputs=$5 language name arguments=()
  shift 5
  for name in $inputs; do arguments+=(--arg "$name=@$name.npy"); done
  rm -f expected.npy
  if ! "$reckon" call "$file" --fn "$function" --in="$semantics" "$@" "${arguments[@]}" -o expected.npy >/dev/null 2>err; then
    echo "DIFFER  $function $semantics: the interpreter gives no result"; cat err; failed=$((failed + 1)); return
  fi
  elements expected.npy >expected.bin
  for language in "${languages[@]}"; do
    rm -f result.bin
    "launch_$language" "$file" "$function" "$semantics" "$sizes" "$inputs" "$@" >out 2>&1
    if cmp -s expected.bin result.bin; then
      passed=$((passed + 1))
      echo "agree   $language $function $semantics $sizes $*: $(md5sum <result.bin | cut -c1-12)"
    else
      failed=$((failed + 1))
      echo "DIFFER  $language $function $semantics $sizes $*"
      head -c 1000 out
    fi
  done
}
# emit OUTPUT KIND FILE FUNCTION OPTIONS...
emit() { "$reckon" compile "$3" --fn "$4" ${arch:+--arch=sm_$arch} --emit="$2" -o "$1" "${@:5}"; }
launch_cpp() {
  local program=$work/$2.$3.${*:6} name files=()
  program=${program//[ =]/_}
  if [ -z "${built[$program]:-}" ]; then
    emit "$program.cpp" launcher=cpp "$1" "$2" --in="$3" "${@:6}" || return
    g++ -std=c++17 -Wall -Wextra -Werror -DRECKON_LAUNCHER_MAIN -I"$cuda/include" "$program.cpp" "$library" -o "$program" || return
    built[$program]=yes
  fi
  for name in $5; do files+=("$name.bin"); done
  # shellcheck disable=SC2086
  "$program" $4 "${files[@]}" result.bin
}
launch_python() {
  local module=$work/$2.$3.${*:6}.py
  module=${module//[ =]/_}
  [ -f "$module" ] || emit "$module" launcher=python "$1" "$2" --in="$3" "${@:6}" || return
  python3 "$root/tests/gpu/launch.py" "$module" "$2" result.bin "$(stat -c %s expected.bin)" "$4" $5
}

for semantics in float fpsan; do
  for n in 1 33 1000 4097 100003; do
    input x "f32[$n]" 1
    input y "f32[$n]" 2
    for function in dot_seq dot_tree dot_wide dot_numpy; do agree dot.rk $function $semantics "$n" "x y"; done
    for function in naive shifted online online_tree; do agree softmax.rk $function $semantics "$n" x; done
  done
  for sizes in "3 5 7" "33 17 65" "100 257 70"; do
    read -r m k n <<<"$sizes"
    input a "f32[$m, $k]" 3
    input b "f32[$k, $n]" 4
    for function in matmul split_k; do agree matmul.rk $function $semantics "$sizes" "a b"; done
  done
done
for n in 17 1001 100003; do
  input x "f64[$n]" 5
  for lanes in 16 128; do agree canonical.rk total float "$n" x -D l=$lanes; done
  input x "f16[$n]" 6
  for function in blocks16 blocks32; do agree order_matters.rk $function float "$n" x -D b=64; done
done

for sizes in "5 70" "33 1025"; do
  read -r m n <<<"$sizes"
  input x "f32[$m, $n]" 7
  for function in blur centre nested recurrence row_by_row smooth two_states; do
    agree ../tests/gpu/loops.rk $function float "$sizes" x
  done
done

# Every other circuit of the examples: its launcher is compiled, or it is said why there is none.
for file in "$root"/examples/*.rk; do
  for function in $(sed -nE 's/^(fn|kernel) ([A-Za-z0-9_]+)[ (].*/\2/p' "$file"); do
    if ! emit all.cpp launcher=cpp "$file" "$function" 2>err; then
      grep -q '^error\[E0[1-7]' err || { echo "DIFFER  $function: $(head -n 1 err)"; failed=$((failed + 1)); }
      continue
    fi
    if g++ -std=c++17 -Wall -Wextra -Werror -DRECKON_LAUNCHER_MAIN -I"$cuda/include" -c all.cpp -o all.o; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1)) && echo "DIFFER  $function does not compile"
    fi
  done
done
echo "$passed agree, $failed differ"
[ "$failed" -eq 0 ]
