// Programs that stay on a GPU, on a real one: bits against the interpreter's, graphs, streams, addresses, faults, and
// times.
//   ninja -C build/static reckon_gpu_prepared && build/static/tests/gpu/gpu_prepared [FOLDER OF stdlib]
// Status 0: all is right; 1: something is not; 69: there is no GPU.
#include <reckon/prepared.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace {

using reckon::Message;
using reckon::Prepared;
using reckon::Tensor;

constexpr const char* circuits = R"(
fn softmax(x: f32[n]) -> f32[n] {
  let m = max i: x[i];
  let e = for i: exp(x[i] - m);
  let s = sum i: e[i] by tree;
  for i: e[i] / s
}
fn scaled(x: f32[n], a: f32) -> f32[n] = for i: x[i] * a
fn dot(x: f32[n], y: f32[n]) -> (f32, f32[n]) = (sum i: x[i] * y[i] by tree, for i: x[i] + y[i])
fn root(x: f32[n]) -> f32[n] = for i: sqrt(x[i])
fn root_of_sum(x: f32[n]) -> f32 = sqrt(sum i: x[i] by tree)
)";
constexpr std::int64_t n = 100'003;

int failures = 0;

void expect(bool holds, const char* what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what);
  if (!holds) ++failures;
}

[[noreturn]] void stop(const std::vector<Message>& messages) {
  for (const Message& message : messages) std::fputs(message.text.c_str(), stderr);
  std::exit(messages.empty() ? 1 : messages.front().status);
}
template <class T>
T must(reckon::Result<T> result) {
  if (!result) stop(result.messages());
  return std::move(*result);
}
void must(const std::vector<Message>& messages) {
  if (!messages.empty()) stop(messages);
}

Tensor input(std::uint32_t seed, std::int64_t count = n) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 8) / 16777216.0f - 0.5f;
  }
  return Tensor::of<float>(values);
}

bool same(const std::vector<Tensor>& gpu, const std::vector<reckon::Shown>& expected) {
  bool equal = gpu.size() == expected.size();
  for (std::size_t k = 0; equal && k < gpu.size(); ++k) equal = gpu[k].bytes == expected[k].tensor->bytes;
  return equal;
}

template <class Work>
double microseconds(int runs, Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  for (int run = 0; run < runs; ++run) work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / runs;
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  reckon::SessionOptions options;
  if (count > 1) options.library_folders = {arguments[1]};
  reckon::Session session(options);
  if (auto loaded = session.load(circuits); !loaded) stop(loaded.messages());
  const auto prepare = [&](const char* circuit, std::optional<void*> stream = {}, const char* semantics = "float") {
    return must(session.prepare(circuit, {.semantics = semantics, .values = {{"n", n}}, .stream = stream}));
  };
  std::map<std::string, std::vector<reckon::Shown>> found;
  const auto host = [&](const char* circuit, const std::vector<Tensor>& inputs) {
    std::string key = circuit;
    for (const Tensor& each : inputs) key.append(each.bytes.begin(), each.bytes.end());
    const auto at = found.find(key);
    if (at != found.end()) return at->second;
    return found[key] = must(session.call(circuit, inputs, {.on = reckon::On::host}));
  };

  Prepared softmax = prepare("softmax");
  for (std::uint32_t seed : {1u, 2u, 3u})  // by kernels, by a graph that is made, by the graph
    expect(same(must(softmax.run({input(seed)})), host("softmax", {input(seed)})), "runs again: the host's bits");
  Prepared dot = prepare("dot");
  for (std::uint32_t seed : {1u, 2u, 3u})
    expect(same(must(dot.run({input(seed), input(seed + 9)})), host("dot", {input(seed), input(seed + 9)})),
           "two arguments, two results");

  {
    Prepared left = prepare("softmax"), right = prepare("softmax");
    bool right_bits = true;
    for (std::uint32_t round = 0; round < 8; ++round) {
      must(left.upload(0, input(round)));
      must(left.launch());
      must(right.upload(0, input(round + 100)));
      must(right.launch());
      must(left.download());
      must(right.download());
      right_bits = right_bits && same(must(left.wait()), host("softmax", {input(round)}));
      right_bits = right_bits && same(must(right.wait()), host("softmax", {input(round + 100)}));
    }
    expect(right_bits, "two programs at once, eight rounds");
  }
  for (bool shared : {false, true}) {
    Prepared scaled = prepare("scaled", shared ? std::optional<void*>(softmax.stream()) : std::nullopt);
    must(scaled.bind_parameter(0, must(softmax.result_address(0))));
    must(scaled.upload(1, Tensor::scalar(1000.0f)));
    bool bits = true;
    for (std::uint32_t round = 0; round < 4; ++round) {
      must(softmax.upload(0, input(round)));
      must(softmax.launch());
      if (!shared) must(scaled.wait_for(softmax));
      must(scaled.launch());
      must(scaled.download());
      const auto between = host("softmax", {input(round)});
      bits = bits && same(must(scaled.wait()), host("scaled", {*between[0].tensor, Tensor::scalar(1000.0f)}));
    }
    expect(bits, shared ? "a chain on one stream, no copy between" : "a chain on two streams, no copy between");
  }
  {
    Prepared on_default = prepare("softmax", nullptr);
    for (int run = 0; run < 3; ++run)
      expect(same(must(on_default.run({input(5)})), host("softmax", {input(5)})), "on the default stream");
  }
  {
    Prepared kept = prepare("softmax");
    must(kept.upload(0, input(4)));
    for (int run = 0; run < 50; ++run) must(kept.launch());
    Prepared moved = std::move(kept);
    must(moved.download());
    expect(same(must(moved.wait()), host("softmax", {input(4)})), "moved while it works");
    for (int run = 0; run < 50; ++run) must(moved.launch());
    must(moved.upload(0, input(6)));
  }  // ends while it works
  expect(same(must(softmax.run({input(7)})), host("softmax", {input(7)})), "another ended while it worked");

  float on_host[8] = {};
  const auto code = [](const std::vector<Message>& messages) {
    return messages.empty() ? std::string() : messages.front().code;
  };
  expect(code(softmax.bind_parameter(0, &on_host[0])) == "E0603", "memory of the host is refused");
  expect(code(softmax.bind_parameter(0, static_cast<char*>(must(softmax.result_address(0))) + 4)) == "E0603",
         "an address between elements of 16 bytes is refused");
  {
    Prepared in_place = prepare("scaled");
    must(in_place.upload(1, Tensor::scalar(2.0f)));
    must(in_place.bind_parameter(0, must(in_place.result_address(0))));
    expect(code(in_place.launch()) == "E0603", "a result in an argument's place is refused");
  }
  {
    Prepared small = must(session.prepare("scaled", {.values = {{"n", 4}}}));
    // Other memory may begin where this ends, so that it need not be refused.
    const auto messages = softmax.bind_parameter(0, must(small.result_address(0)));
    std::printf("note   16 bytes where 400 KB are needed: %s\n", messages.empty() ? "not seen" : "refused");
    must(softmax.bind_parameter(0, nullptr));
  }
  {
    Prepared root = prepare("root", {}, "interval");
    std::vector<float> values(n, 4.0f);
    const auto ends = must(root.run({Tensor::of<float>(values)}))[0].as<double>();
    expect(ends.front() == 2 && ends.back() == 2, "intervals have both ends");
    values[n / 2] = -1;
    const auto some = must(root.run({Tensor::of<float>(values)}))[0].as<double>();
    expect(std::isnan(some[n / 2 * 2]) && some[n / 2 * 2 + 2] == 2, "an element without a value is empty");
    Prepared whole = prepare("root_of_sum", {}, "interval");
    expect(code(whole.run({Tensor::of<float>(std::vector<float>(n, -1.0f))}).messages()) == "E0502",
           "a kernel's fault is told");
    expect(must(whole.wait()).empty(), "and once only");
  }

  Prepared timed = prepare("softmax");
  must(timed.run({input(1)}));
  must(timed.launch());
  must(timed.wait());
  std::printf("softmax of %lld: call %.0f us", static_cast<long long>(n),
              microseconds(3, [&] { must(session.call("softmax", {input(1)}, {.on = reckon::On::gpu})); }));
  const Tensor x = input(1);
  std::printf(", run %.0f us", microseconds(50, [&] { must(timed.run({x})); }));
  std::printf(", launch and wait %.1f us", microseconds(200, [&] {
                must(timed.launch());
                must(timed.wait());
              }));
  const double queued = microseconds(1, [&] {
    for (int run = 0; run < 500; ++run) must(timed.launch());
    must(timed.wait());
  });
  std::printf(", queued launches %.1f us each\n", queued / 500);
  return failures == 0 ? 0 : 1;
}
