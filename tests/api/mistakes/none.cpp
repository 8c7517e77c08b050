// expect:
#include <reckon/circuit.h>
using namespace reckon::circuit;
auto right = fn("right", in<f32>("s"), in<f64>("t"), [](auto s, auto t) { return cast<f64>(s) + t; });
