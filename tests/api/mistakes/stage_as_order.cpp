// expect: a stage leaves several nodes: say how they are reduced, lanes(8, seq).then(tree)
#include <reckon/circuit.h>
using namespace reckon::circuit;
const Index i, j;
auto wrong = fn("wrong", in<f32>("x", 8), [](auto x) { return sum(i, x(i)).by(lanes(8, seq)); });
