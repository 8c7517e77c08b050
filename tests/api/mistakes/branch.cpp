// expect: a circuit has no branches on its values: write select(c, a, b)
#include <reckon/circuit.h>
using namespace reckon::circuit;
const Index i, j;
auto wrong = fn("wrong", in<f32>("s"), [](auto s) { return s > 0 ? s : -s; });
