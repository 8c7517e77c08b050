// expect: several indices stand in braces: each({i, j}, a(i, j))
#include <reckon/circuit.h>
using namespace reckon::circuit;
const Index i, j;
auto wrong = fn("wrong", in<f32>("a", 2, 3), [](auto a) { return each(i, j, a(i, j)); });
