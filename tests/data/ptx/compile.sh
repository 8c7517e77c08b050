#!/bin/sh
# Makes the PTX of the CUDA sources beside it, with CUDA 13.0's nvcc: FILE_sm_80.ptx and FILE_sm_90.ptx of each, the
# second one only where more than its `.target` differs; and of hopper.cu, which only Hopper can run, hopper_sm_90a.ptx.
# Names of files in it are without folders, so that it is the same wherever it is made. Of CUB's kernels there are no
# lines: they would be most of the file.
set -e
cd "$(dirname "$0")"
for source in ${*:-*.cu}; do
  name=${source%.cu}
  lines=-lineinfo
  targets="sm_80 sm_90"
  [ "$name" = hopper ] && targets=sm_90a
  [ "$name" = cub ] && lines=
  for target in $targets; do
    "${NVCC:-nvcc}" -O3 $lines -arch=$target -ptx "$source" -o "${name}_$target.ptx"
    sed -i -E 's/^(\t\.file\t[0-9]+ ")[^"]*\//\1/' "${name}_$target.ptx"
  done
  if [ "$targets" = "sm_80 sm_90" ] && sed 's/^\.target sm_80$/.target sm_90/' "${name}_sm_80.ptx" | cmp -s - "${name}_sm_90.ptx"; then
    rm "${name}_sm_90.ptx"
  fi
done
