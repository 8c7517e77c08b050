// expect: a reduction combines numbers, or tuples of numbers: subscript the tensor, sum(j, a(i, j))
#include <reckon/circuit.h>
using namespace reckon::circuit;
const Index i;
auto wrong = fn("wrong", in<f32>("x", Size("n")), [](auto x) { return sum(i, x); });
