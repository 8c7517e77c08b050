// The same classes for the command line and the prompt, as a shared library:
//   c++ -std=c++20 -O2 -shared -fPIC semantics_library.cpp -o libmine.so
//   reckon eval --semantics-library libmine.so --in=dual 'f64(2) * 3'
#include "affine.h"
#include "dual.h"

RECKON_SEMANTICS_LIBRARY({"dual", [] { return Dual{}; }}, {"affine", [] { return Affine{}; }})
