// Circuits that stay on a GPU: compiled and loaded once, run for many inputs. The second reads what the first wrote,
// where it lies. Without a GPU: the reason, and status 69, as the command line has it.
#include <reckon/prepared.h>

#include <cmath>
#include <iostream>

namespace {

int tell(const std::vector<reckon::Message>& messages) {
  for (const reckon::Message& message : messages) std::cerr << message.text;
  return messages.empty() ? 0 : messages.front().status;
}

}  // namespace

int main() {
  reckon::Session session;
  const auto loaded = session.load(R"(
fn softmax(x: f32[n]) -> f32[n] {
  let m = max i: x[i];
  let e = for i: exp(x[i] - m);
  let s = sum i: e[i] by tree;
  for i: e[i] / s
}
fn energy(p: f32[n]) -> f32 = sum i: p[i] * p[i] by tree
)");
  if (!loaded) return tell(loaded.messages());

  const std::int64_t n = 10'000;
  auto softmax = session.prepare("softmax", {.values = {{"n", n}}});
  if (!softmax) return tell(softmax.messages());
  // On the first one's stream it comes after it, and needs no waiting.
  auto energy = session.prepare("energy", {.values = {{"n", n}}, .stream = softmax->stream()});
  if (!energy) return tell(energy.messages());
  auto probabilities = softmax->result_address(0);
  if (!probabilities) return tell(probabilities.messages());
  if (auto wrong = energy->bind_parameter(0, *probabilities); !wrong.empty()) return tell(wrong);

  for (int step = 1; step <= 3; ++step) {
    std::vector<float> x(n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i)) * static_cast<float>(step);
    // All of this is queued; the host is free until `wait`.
    if (auto wrong = softmax->upload(0, reckon::Tensor::of<float>(x)); !wrong.empty()) return tell(wrong);
    if (auto wrong = softmax->launch(); !wrong.empty()) return tell(wrong);
    if (auto wrong = energy->launch(); !wrong.empty()) return tell(wrong);
    if (auto wrong = energy->download(); !wrong.empty()) return tell(wrong);
    const auto result = energy->wait();
    if (!result) return tell(result.messages());
    std::cout << step << ": " << result->front().as<float>()[0] << '\n';
  }
}
