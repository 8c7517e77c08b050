// expect: a tensor takes one subscript for each of its dimensions
#include <reckon/circuit.h>
using namespace reckon::circuit;
const Index i;
auto wrong = fn("wrong", in<f32>("a", 2, 3), [](auto a) { return sum(i, a(i)); });
