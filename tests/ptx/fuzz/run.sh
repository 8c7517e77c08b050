#!/bin/sh
# Builds the fuzzer of PTX under AddressSanitizer and UndefinedBehaviorSanitizer and runs it on the kernels of
# tests/data/ptx/: run.sh SECONDS SEED. It needs a build in build/dev, for the generated parser. In build/fuzz it leaves
# what it builds, and `mutant.ptx` after a crash.
set -e
cd "$(dirname "$0")/../../.."
build=build/fuzz
mkdir -p $build
antlr=$(sed -n 's/^antlr4_INCLUDE:PATH=//p' build/dev/CMakeCache.txt)
library=$(sed -n 's/^antlr4_LIBRARY:FILEPATH=//p' build/dev/CMakeCache.txt)
for source in ptx/module.cpp ptx/read/*.cpp ptx/emulate/*.cpp ptx/shadow/*.cpp tests/ptx/fuzz/mutants.cpp; do
  object=$build/$(echo "$source" | tr / _).o
  [ "$object" -nt "$source" ] && [ -z "$(find ptx numerics grammar -name '*.h' -newer "$object" | head -n 1)" ] && continue
  ${CXX:-c++} -std=c++20 -O1 -g1 -fno-char8_t -fsanitize=address,undefined -fno-sanitize-recover=undefined \
    -I. -Ibuild/dev/generated -Ibuild/dev/grammar/generated -isystem "$antlr" -c "$source" -o "$object"
done
${CXX:-c++} -fsanitize=address,undefined $build/*.o build/dev/grammar/libreckon_ptx_grammar.a \
  build/dev/numerics/libreckon_numerics.a "$library" -lfmt -lmpfr -lgmpxx -lgmp -lpthread -lz -o $build/mutants
cd $build
exec ./mutants "$1" "$2" ../../tests/data/ptx/*.ptx ../../tests/data/ptx/triton/*.ptx
