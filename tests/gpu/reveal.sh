#!/usr/bin/env bash
# On a machine with a GPU: the orders of Triton's tl.sum, PyTorch's torch.sum and CUB's reductions, each compared bit for
# bit on 1,000 random inputs with the tree that was revealed.
#   tests/gpu/reveal.sh path/to/reckon        PYTHON=python3 NVCC=nvcc VERIFY=1000
set -u
reckon=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
boxes=$root/tests/gpu/reveal_boxes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RECKON_STDLIB="$root/stdlib"
python=${PYTHON:-python3} nvcc=${NVCC:-nvcc} verify=${VERIFY:-1000}
passed=0 failed=0

# box NAME N COMMAND: prints what is revealed; the tree is checked on random inputs by reveal itself.
box() {
  local name=$1 n=$2 command=$3 status
  "$reckon" reveal --n "$n" --lines --command "$command" --timeout 300 --verify "$verify" >"$work/out" 2>&1
  status=$?
  echo "== $name, n = $n: status $status"
  cut -c1-160 "$work/out"
  if [ $status -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

for block in 64 128 256 512 1024; do box "tl.sum" $block "$python '$boxes/triton_sum.py' $block"; done
for n in 7 64 100 512 1000 1024 4096; do box "torch.sum" $n "$python '$boxes/torch_sum.py'"; done
if "$nvcc" -O2 -std=c++17 -o "$work/cub" "$boxes/cub_block_sum.cu"; then
  for algorithm in raking commutative warp; do
    for threads in 32 64 128 256 512 1024; do box "cub::BlockReduce $algorithm" $threads "$work/cub $algorithm $threads"; done
  done
  for n in 7 100 1000 4096; do box "cub::DeviceReduce" $n "$work/cub device"; done
else
  echo "cub_block_sum.cu was not built"
  failed=$((failed + 1))
fi
echo "$passed revealed, $failed not"
[ "$failed" -eq 0 ]
