// expect: no match for call to
#include <reckon/circuit.h>
using namespace reckon::circuit;
const auto square = fn("square", in<f32>("s"), [](auto s) { return s * s; });
auto wrong = fn("wrong", in<f64>("t"), [](auto t) { return square(t); });
