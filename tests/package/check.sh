#!/usr/bin/env bash
# Programs of others against an installed Reckon: found by CMake and by pkg-config, from C++ and from C.
#   tests/package/check.sh PREFIX FOLDER
# PREFIX: where Reckon was installed. FOLDER: for what is built here; it is made anew.
set -eu -o pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
examples=$(cd "$source/../../examples" && pwd)
prefix=$(cd "${1:?"usage: tests/package/check.sh PREFIX FOLDER"}" && pwd)
folder=${2:?"usage: tests/package/check.sh PREFIX FOLDER"}
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
failed=0

# expect NAME FILE COMMAND...: what the command prints is the text in FILE.
expect() {
  local name=$1 file=$2
  shift 2
  if ! "$@" >"$folder/output" 2>"$folder/errors"; then
    echo "failed: $name: $*"
    cat "$folder/output" "$folder/errors"
    failed=1
  elif ! diff -u "$file" "$folder/output"; then
    echo "failed: $name prints something else"
    failed=1
  else
    echo "ok: $name"
  fi
}

# The same sums by hand: 1 * 4 + 2 * 5 + 3 * 6 = 32.
printf '32\n32\nE0200 at 1:32: `z` is not defined\n' >"$folder/embed.txt"
# What Reckon says of the mistake is tested elsewhere; here it must arrive.
printf '32\n32\n' >"$folder/embed_c.txt"

pc=$(find "$prefix" -name reckon.pc | head -n 1)
lib=$(dirname "$(find "$prefix" -name 'libreckon.so' | head -n 1)")
export PKG_CONFIG_PATH=${pc%/*} LD_LIBRARY_PATH=$lib

# What ./dev installs has Ninja, and not make.
[ -n "$(command -v make)" ] || export CMAKE_GENERATOR=Ninja
cmake -S "$source/cmake" -B "$folder/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLES="$examples" >"$folder/cmake.log" 2>&1 &&
  cmake --build "$folder/cmake" >>"$folder/cmake.log" 2>&1 || { cat "$folder/cmake.log"; exit 1; }
expect 'C++, found by CMake' "$folder/embed.txt" "$folder/cmake/embed"
expect 'C, found by CMake' "$folder/embed_c.txt" sh -c "'$folder/cmake/embed_c' | head -n 2"

if (cd "$folder/cmake" && ctest --output-on-failure) >"$folder/ctest.log" 2>&1; then
  echo "ok: reckon_add_test"
else
  cat "$folder/ctest.log"
  failed=1
fi

${CXX:-c++} -std=c++20 "$examples/embed.cpp" $(pkg-config --cflags --libs reckon) -o "$folder/embed"
expect 'C++, found by pkg-config' "$folder/embed.txt" "$folder/embed"
${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror "$examples/embed_c.c" $(pkg-config --cflags --libs reckon) -o "$folder/embed_c"
expect 'C, found by pkg-config' "$folder/embed_c.txt" sh -c "'$folder/embed_c' | head -n 2"

for program in device circuits own_semantics; do
  ${CXX:-c++} -std=c++20 "$examples/$program.cpp" $(pkg-config --cflags --libs reckon) -o "$folder/$program"
done
expect 'circuits in C++' "$source/../golden/api/circuits_example.txt" "$folder/circuits"
expect 'semantics of its own' "$source/../golden/api/own_semantics_example.txt" "$folder/own_semantics"

# What the library shows: the C functions, and the C++ interface; nothing of LLVM, ANTLR or our inside. The classes of the
# interface are those that an installed header marks.
classes=$(grep -rhoE '(class|struct) RECKON_API \w+' "$prefix/include/reckon" | awk '{print $3}' | paste -sd '|')
nm -D --defined-only --demangle "$lib/libreckon.so" | sed 's/^[0-9a-f ]* [A-Za-z] //; s/@@.*//' |
  grep -v -E "^reckon_|^RECKON_1\$|^reckon::[a-z_]+(\[abi:cxx11\])?\(|^reckon::($classes)::|^reckon::circuit::" >"$folder/symbols" || true
if [ -s "$folder/symbols" ]; then
  echo "failed: libreckon.so shows more than its interface:"
  head "$folder/symbols"
  failed=1
else
  echo "ok: libreckon.so shows its interface alone"
fi
exit "$failed"
