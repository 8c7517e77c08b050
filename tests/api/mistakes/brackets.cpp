// expect: subscripts stand in parentheses: x(i), a(i, j)
#include <reckon/circuit.h>
using namespace reckon::circuit;
const Index i, j;
auto wrong = fn("wrong", in<f32>("x", 8), [](auto x) { return x[0]; });
