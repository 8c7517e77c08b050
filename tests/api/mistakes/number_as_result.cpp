// expect: a circuit's result is a scalar, a tensor or a tuple of them; give a number a format: cast<f32>(1)
#include <reckon/circuit.h>
using namespace reckon::circuit;
auto wrong = fn("wrong", in<f32>("s"), [](auto) { return 1.5; });
