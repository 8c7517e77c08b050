// expect: two formats are mixed, and nothing is converted silently: write cast<f64>(x)
#include <reckon/circuit.h>
using namespace reckon::circuit;
auto wrong = fn("wrong", in<f32>("s"), in<f16>("t"), [](auto s, auto t) { return fma(s, 2, t); });
