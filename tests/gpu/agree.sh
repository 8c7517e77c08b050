#!/usr/bin/env bash
# On a machine with a GPU: `reckon call --on=gpu` gives the interpreter's and the host's bits, for the circuits of the
# examples at sizes that are no multiples of 32, under float and fpsan.
#   tests/gpu/agree.sh path/to/reckon [TARGET...]     targets: host gpu (both, if none is named)
# ONLY='*layouts*' in the environment: circuits of those files.
set -u
reckon=$(realpath "$1")
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(host gpu)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RECKON_STDLIB="$root/stdlib"
cd "$work" || exit 1
passed=0 failed=0

# input NAME TYPE SEED: a .npy file of random numbers.
input() { printf 'save "%s.npy" = random(%s, %s)\n' "$1" "$2" "$3" | "$reckon" run - >/dev/null; }

# agree FILE FUNCTION SEMANTICS OPTIONS...: the three results are one. It runs beside others, in a folder with the inputs
# that are there now.
jobs=0
agree() {
  [[ $1 == ${ONLY:-*} ]] || return 0
  local job=$work/jobs/$((++jobs))
  mkdir -p "$job"
  ln ./*.npy "$job" 2>/dev/null
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  (cd "$job" && compare "$@" >result 2>&1; rm -f ./*.npy) &
}
compare() {
  local file=$root/examples/$1 function=$2 semantics=$3 on
  shift 3
  for on in interp "${targets[@]}"; do
    # Notes on elements without a value are the interpreter's alone.
    "$reckon" call "$file" --fn "$function" --in="$semantics" --on="$on" "$@" --format=json 2>"$on.err" |
      grep -v '"kind":"note"' >"$on.out"
    [ -s "$on.out" ] && cmp -s interp.out "$on.out" && ! grep -q '"kind":"error"' "$on.out" && continue
    echo "DIFFER  $function $semantics $*"
    head -c 1000 "$on.err" "$on.out"
    return
  done
  echo "agree   $function $semantics $*: $(md5sum <interp.out | cut -c1-12)"
}

for semantics in float fpsan; do
  for n in 1 33 1000 4097; do
    input x "f32[$n]" 1
    input y "f32[$n]" 2
    for function in dot_seq dot_tree dot_wide dot_numpy; do
      agree dot.rk $function $semantics --arg x=@x.npy --arg y=@y.npy
    done
    for function in naive shifted online online_tree; do agree softmax.rk $function $semantics --arg x=@x.npy; done
  done
  for sizes in "3 5 7" "33 17 65" "100 257 70"; do
    read -r m k n <<<"$sizes"
    input a "f32[$m, $k]" 3
    input b "f32[$k, $n]" 4
    for function in matmul split_k partials; do
      agree matmul.rk $function $semantics --arg a=@a.npy --arg b=@b.npy
    done
  done
  for n in 17 1001 100003; do
    input x "f64[$n]" 5
    for lanes in 16 128; do agree canonical.rk total $semantics -D l=$lanes --arg x=@x.npy; done
    input h "f16[$n]" 6
    agree order_matters.rk blocks16 $semantics -D b=64 --arg x=@h.npy
    agree order_matters.rk blocks32 $semantics -D b=64 --arg x=@h.npy
  done
done

# Accumulators and arrangements, on numbers that cancel.
accumulators=../tests/gpu/accumulators.rk
for n in 1 2 5 33 1000 4097; do
  input x "f32[$n]" 7
  input y "f32[$n]" 8
  input d "f64[$n]" 9
  input e "f64[$n]" 10
  input h "f16[$n]" 11
  input i "f16[$n]" 12
  for function in kahan_sum kahan_lanes neumaier_seq neumaier_lanes blocks arranged arranged_twice once bins; do
    agree $accumulators $function float --arg x=@x.npy
  done
  for function in fused_seq fused_lanes once_products; do agree $accumulators $function float --arg x=@x.npy --arg y=@y.npy; done
  for function in fused_tree once_wide; do agree $accumulators $function float --arg x=@d.npy --arg y=@e.npy; done
  for function in once_lanes bins_wide; do agree $accumulators $function float --arg x=@d.npy; done
  for function in neumaier_half once_half; do agree $accumulators $function float --arg x=@h.npy; done
  for function in fused_half fused_wide; do agree $accumulators $function float --arg x=@h.npy --arg y=@i.npy; done
done
input a "f32[65, 130]" 13
for function in sums rows_once; do agree $accumulators $function float --arg a=@a.npy; done

# Intervals: ends of every operation, and of sums along several schedules; a fault told from a kernel.
intervals=../tests/gpu/intervals.rk
for n in 1 2 33 1000 4097; do
  input x "f32[$n]" 14
  input y "f32[$n]" 15
  input d "f64[$n]" 16
  for function in field fused remainders roots exponentials logarithms waves hyperbolic angles lengths order bools dot_seq dot_tree \
      dot_lanes dot_halving quotients; do
    agree $intervals $function interval --arg x=@x.npy --arg y=@y.npy --arg d=@d.npy
  done
  for function in exponentials logarithms roots waves hyperbolic angles lengths directions powers; do
    agree $intervals $function "interval(f32)" --arg x=@x.npy --arg y=@y.npy --arg d=@d.npy
  done
done
for function in exponentials logarithms waves hyperbolic angles lengths directions powers; do
  agree $intervals $function "interval(f32)" --arg x=f32#00000001,f32#7f7fffff,inf,-inf,0,-0.0,1e-30 \
    --arg y=f32#80000001,f32#ff7fffff,3,-1e-38,1,2,1e38 \
    --arg d=5e-324,1.7976931348623157e308,inf,-inf,-1e-310,1e-300,-1e300
done
for function in field fused remainders roots exponentials logarithms waves hyperbolic angles lengths order bools; do
  agree $intervals $function interval --arg x=f32#00000001,f32#7f7fffff,inf,-inf,0,-0.0,1e-30 \
    --arg y=f32#80000001,f32#ff7fffff,3,-1e-38,1,2,1e38 \
    --arg d=5e-324,1.7976931348623157e308,inf,-inf,-1e-310,1e-300,-1e300
done
agree softmax.rk online interval --arg x=@x.npy
agree softmax.rk shifted interval --arg x=@x.npy
# An element without a value is empty; a result that is one number, and empty, is an error.
agree $intervals inverse interval --arg x=1,0,2
for arguments in "1,-1 no" "1,2 yes"; do
  read -r x fine <<<"$arguments"
  for on in "${targets[@]}"; do
    "$reckon" call "$root/tests/gpu/intervals.rk" --fn inverse_of_sum --in=interval --on="$on" --arg x="$x" >"$on.out" 2>"$on.err"
    if grep -q 'E0502' "$on.err"; then got=no; else got=yes; fi
    if [ $got = "$fine" ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "DIFFER  inverse of the sum of $x on $on"; fi
  done
done

# The ring padic: every operation, sums along several schedules, and rewrites of kernels.
for sizes in "1 1" "5 31" "7 33" "3 1025" "257 300" "2 100003"; do
  read -r m n <<<"$sizes"
  input x "f32[$m, $n]" 13
  for function in rows columns totals; do agree ../tests/gpu/sums.rk $function fpsan --arg x=@x.npy; done
done
rings=../tests/gpu/rings.rk
for n in 1 2 33 1000 4097; do
  input x "f32[$n]" 17
  input y "f32[$n]" 18
  for function in field exponentials logarithms roots circles order bools steps sums; do
    agree $rings $function padic --arg x=@x.npy --arg y=@y.npy
  done
  for function in softmax shifted online parallel; do agree algebra/online_softmax.rk $function padic --arg x=@x.npy; done
done
for function in field exponentials logarithms roots circles order bools steps sums; do
  agree $rings $function padic --arg x=0.3,2,-0.7,-inf,0,11,1e-30 --arg y=0.2,3,0.5,1,0,-4,39119
done
for sizes in "3 5 7" "33 17 65"; do
  read -r m k n <<<"$sizes"
  input a "f32[$m, $k]" 19
  input b "f32[$k, $n]" 20
  for function in matmul split_k partials; do agree matmul.rk $function padic --arg a=@a.npy --arg b=@b.npy; done
done
for name in q k v; do input $name "f32[33, 8]" 21; done
for function in naive flash; do
  for file in flash_attention causal_attention; do
    agree algebra/$file.rk $function padic --arg q=@q.npy --arg k=@k.npy --arg v=@v.npy
  done
done

# u32 and ldexp.
words=../tests/gpu/words.rk
for semantics in float fpsan; do
  for n in 1 33 1000 4097; do
    input u "u32[$n]" 22
    input v "u32[$n]" 23
    for function in total mixed prefixes floats patterns; do agree $words $function $semantics --arg u=@u.npy; done
    for function in arithmetic shifts order integers scaled below specials; do
      agree $words $function $semantics --arg u=@u.npy --arg v=@v.npy
    done
  done
done
for function in integers scaled specials; do
  agree $words $function float --arg u=0x7f800000,0xff800000,0x7fc00000,0x00000001,0x4f7fffff,0x4f800000,0xbf800000,0x80000000 \
    --arg v=0x7f800000,0xff800000,0x7fc00000,0x3f000000,0x43000000,0xc3160000,0xc3150000,0x7f7fffff
done

# Loops over tensors.
for semantics in float fpsan interval padic; do
  for sizes in "1 1" "5 70" "33 1025" "3 20000"; do
    read -r m n <<<"$sizes"
    input x "f32[$m, $n]" 28
    for function in blur centre nested recurrence every_row row_by_row smooth two_states; do
      agree ../tests/gpu/loops.rk $function $semantics --arg x=@x.npy
    done
  done
done

# Integers of every type.
for type in i8 i16 i32 i64 u8 u16 u32 u64; do
  for n in 1 33 1000 4097; do
    input u "$type[$n]" 26
    input v "$type[$n]" 27
    for function in total prefixes floats converted back; do
      agree ../tests/gpu/integers.rk $function float -D T=$type --arg u=@u.npy
    done
    for function in arithmetic quotients shifts order dot; do
      agree ../tests/gpu/integers.rk $function float -D T=$type --arg u=@u.npy --arg v=@v.npy
    done
  done
done

# Views, and parameters and results stored by a layout.
for semantics in float fpsan padic interval; do
  for sizes in "8 16" "12 40" "64 96"; do
    read -r m n <<<"$sizes"
    input a "f32[$m, $n]" 24
    input b "f32[$m, $n]" 25
    for function in columns padded interleaved transposed product tiles swizzled by_columns spread_rows products parts \
      swizzled_order; do
      agree ../tests/gpu/layouts.rk $function $semantics --arg a=@a.npy --arg b=@b.npy
    done
    [ "$sizes" = "8 16" ] || continue
    agree ../tests/gpu/layouts.rk swizzled_places $semantics --arg a=@a.npy --arg b=@b.npy
  done
done

# Leaves under a condition, states with tensors, folds, and subscripts that are data.
leaves=../tests/gpu/leaves.rk
# words NAME SIZES MASK SEED: random u32 under a mask.
words() {
  printf 'fn low(u: u32[n]) -> u32[n] = for i: u[i] & %d\nsave "%s.npy" = view(low(random(u32[%d], %d)), row_major((%s)))\n' \
    "$3" "$1" "$((${2// /}))" "$4" "${2//\*/,}" | "$reckon" run - >/dev/null
}
for semantics in float fpsan; do
  for n in 1 33 1000 4097; do
    words key "$n" 7 26
    input x "f32[$n]" 27
    for function in sums sums_in_order counts products largest folded one_sum one_fold looked_up stated compacted filtered last relaxed roots \
      ends whole; do
      agree $leaves $function $semantics --arg key=@key.npy --arg x=@x.npy
    done
  done
  for sizes in "1 1" "5 3" "33 8" "257 65"; do
    read -r n d <<<"$sizes"
    input x "f32[$n, $d]" 28
    for function in attended attended_in_blocks running rows pairs states turned all_turned; do
      agree $leaves $function $semantics --arg x=@x.npy
    done
    input table "f32[64, $d]" 29
    input w "f32[$n, $d]" 30
    input v "f32[64]" 31
    words token "$n" 63 32
    words column "$n*$d" 63 33
    agree look_up.rk embed $semantics --arg table=@table.npy --arg token=@token.npy
    agree look_up.rk sparse $semantics --arg w=@w.npy --arg column=@column.npy --arg x=@v.npy
    agree look_up.rk reversed $semantics --arg w=@w.npy --arg column=@column.npy --arg x=@v.npy
  done
done
for on in "${targets[@]}"; do
  "$reckon" call "$root/examples/look_up.rk" --fn embed --on="$on" --arg table=[[1,2],[3,4]] --arg token=1,2,0 >"$on.out" 2>"$on.err"
  if grep -q 'E0308.*index 2' "$on.err" && [ ! -s "$on.out" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "DIFFER  an index out of range on $on"
  fi
done

# The known answers of WG21 P4016.
printf 'save "p.npy" = lcg(f64[1000000], 0x243F6A8885A308D3)\n' | "$reckon" run - >/dev/null
for pair in 16:40618f71f6379380 128:40618f71f6379397; do
  got=$("$reckon" call "$root/examples/canonical.rk" --fn total -D l=${pair%:*} --arg x=@p.npy --on="${targets[-1]}" --format=json)
  if [[ $got == *${pair#*:}* ]]; then
    passed=$((passed + 1))
    echo "agree   P4016 with ${pair%:*} lanes: ${pair#*:}"
  else
    failed=$((failed + 1))
    echo "DIFFER  P4016 with ${pair%:*} lanes: $got"
  fi
done
wait
for ((job = 1; job <= jobs; ++job)); do cat "$work/jobs/$job/result"; done
agreed=$(cat "$work"/jobs/*/result 2>/dev/null | grep -c '^agree ')
passed=$((passed + agreed)) failed=$((failed + jobs - agreed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
