// expect: a size is a Size, n of `Size n("n")`, a number, or an expression of sizes
#include <reckon/circuit.h>
using namespace reckon::circuit;
const Index i, j;
auto wrong = fn("wrong", in<f32>("x", "n"), [](auto x) { return x(0); });
