// expect: the body of a circuit is an expression, or a function of the circuit's parameters
#include <reckon/circuit.h>
using namespace reckon::circuit;
const Index i, j;
auto wrong = fn("wrong", in<f32>("x", 8), in<f32>("y", 8), [](auto x) { return x(0); });
