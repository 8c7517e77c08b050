// Reckon inside a C++ program: load a circuit, call it interpreted and compiled for this machine, read a message.
#include <reckon/reckon.h>
#include <iostream>
#include <vector>

int main() {
  reckon::Session session;
  auto loaded = session.load("fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(8, tree) then tree");
  if (!loaded) {
    for (const reckon::Message& message : loaded.messages()) std::cerr << message.text;
    return 1;
  }
  const std::vector<float> x{1, 2, 3}, y{4, 5, 6};
  for (reckon::On where : {reckon::On::interpreter, reckon::On::host}) {
    auto result = session.call("dot", {reckon::Tensor::of<float>(x), reckon::Tensor::of<float>(y)}, {.on = where});
    if (!result) return 1;
    std::cout << result->at(0).tensor->as<float>()[0] << '\n';
  }
  auto wrong = session.load("fn double(x: f32) -> f32 = x + z");
  for (const reckon::Message& message : wrong.messages()) {
    std::cout << message.code << " at " << message.line << ':' << message.column << ": " << message.message << '\n';
  }
}
