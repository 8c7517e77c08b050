#!/usr/bin/env bash
# Our own compiled functions are inside `accept(ieee)` and `accept(wgsl)`: for all f16 numbers, and for so many f32 numbers
# spread over all there are. Functions of two operands: each number with another one.
#   tests/gpu/accepted.sh path/to/reckon [NUMBERS] [TARGET...]     targets: host gpu (both, if none is named)
set -u
reckon=$(realpath "$1")
numbers=${2:-10000000}
shift $(($# < 2 ? $# : 2))
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(host gpu)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RECKON_STDLIB="$root/stdlib"
cd "$work" || exit 1

# Finite numbers of both signs; the other operands are the same in another order.
half=$((numbers / 2)) step=$((2139095040 / (numbers / 2)))
cat >inputs.rk <<END
save "x_f16.npy" = for i < 63488: from_bits(f16, u32(i % 31744) + u32(32768 * (i // 31744)))
save "y_f16.npy" = for i < 63488: from_bits(f16, u32((i * 7919 + 31) % 31744) + u32(32768 * (i // 5 % 2)))
save "x_f32.npy" = for i < $numbers: from_bits(f32, u32(i % $half) * u32($step) + u32(2147483648 * (i // $half)))
save "y_f32.npy" = for i < $numbers: from_bits(f32, u32((i * 7919 + 31) % $half) * u32($step) + u32(2147483648 * (i // 5 % 2)))
END
"$reckon" run inputs.rk >/dev/null || exit 1

one="exp exp2 log log2 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf expm1 log1p cbrt sqrt rsqrt"
two="atan2 pow hypot add sub mul div"
declare -A operator=([add]=+ [sub]=- [mul]='*' [div]=/)
wgsl_lacks=" erf expm1 log1p cbrt hypot "

# hold FUNCTION FORMAT TARGET: a verdict under each profile.
hold() {
  local name=$1 format=$2 target=$3 call parameters arguments loaded profiles
  if [[ " $two " == *" $name "* ]]; then
    parameters="x: $format[n], y: $format[n]" arguments="--arg x=@x_$format.npy --arg y=@y_$format.npy"
    call="$name(X, Y)"
    [ -n "${operator[$name]:-}" ] && call="X ${operator[$name]} Y"
  else
    parameters="x: $format[n]" arguments="--arg x=@x_$format.npy" call="$name(X)"
  fi
  local id=${name}_${format}_$target
  local small=${call//X/x} && small=${small//Y/y}
  loaded=${call//X/load(\"x_$format.npy\")} && loaded=${loaded//Y/load(\"y_$format.npy\")}
  echo "fn f($parameters) -> $format[n] = $small" >"$id.rk"
  # shellcheck disable=SC2086
  if ! "$reckon" call "$id.rk" --fn f --on="$target" $arguments -o "$id.npy" >"$id.out" 2>&1; then
    echo 3 >"$id.rc"
    return
  fi
  profiles=ieee
  [[ "$wgsl_lacks" == *" $name "* ]] || profiles="ieee wgsl"
  {
    for profile in $profiles; do echo "import \"profiles/$profile\""; done
    for profile in $profiles; do echo "check $loaded ~ load(\"$id.npy\") in accept($profile)"; done
  } >"$id.rk"
  "$reckon" run "$id.rk" >"$id.out" 2>&1
  echo $? >"$id.rc"
  rm -f "$id.npy"
}
for target in "${targets[@]}"; do
  for format in f16 f32; do
    for name in $one $two; do
      hold "$name" "$format" "$target" &
      while [ "$(jobs -r | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    done
  done
done
wait
passed=0 failed=0
for rc in *.rc; do
  if [ "$(cat "$rc")" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "OUTSIDE  ${rc%.rc}"
    head -c 1000 "${rc%.rc}.out"
  fi
done
echo "$passed inside, $failed not, of $numbers f32 numbers and all of f16"
[ $failed -eq 0 ]
