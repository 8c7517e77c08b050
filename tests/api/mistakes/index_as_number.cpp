// expect: an index or a size is not a number of a circuit: write cast<f32>(i)
#include <reckon/circuit.h>
using namespace reckon::circuit;
const Index i;
auto wrong = fn("wrong", in<f32>("x", Size("n")), [](auto x) { return sum(i, x(i) * i); });
