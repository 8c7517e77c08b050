// Circuits written in C++: typed expressions with the meaning of the language's text (docs/cpp.md).
//
//   using namespace reckon::circuit;
//   const Size n("n");
//   const auto dot = fn("dot", in<f32>("x", n), in<f32>("y", n), [](auto x, auto y) {
//     Index i;
//     return sum(i, x(i) * y(i)).by(lanes(128, tree).then(tree));
//   });
//   reckon::Session session;
//   auto result = dot(session, std::vector{1.f, 2.f, 3.f}, std::vector{4.f, 5.f, 6.f});   // 32, or messages
//
// These headers need the standard library and reckon.h alone.
#pragma once

#include "circuit/claims.h"
#include "circuit/layouts.h"
