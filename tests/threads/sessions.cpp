// Sessions are independent of each other: 16 threads with a session each do the same work in different orders, and each
// piece of work gives the text that it gave in one session alone.
#include <reckon/prepared.h>
#include <reckon/reckon.h>
#include <reckon/render.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

using reckon::Session;

constexpr std::size_t threads_count = 16;

const char* const program = R"(
import "profiles/wgsl"
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(4, tree) then tree
fn dot_in_order(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by seq
fn softmax(x: f32[n]) -> f32[n] {
  let top = max i: x[i] by tree;
  let powers = for i: exp(x[i] - top);
  let total = sum i: powers[i] by lanes(2, tree) then tree;
  for i: powers[i] / total
}
fn matmul(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for r, c: sum i: a[r, i] * b[i, c] by tree
)";

std::string text_of(const std::vector<reckon::Message>& messages) {
  std::string out;
  for (const reckon::Message& message : messages) out += message.text + "\n";
  return out;
}

template <class T>
std::string text_of(const reckon::Result<T>& result, const std::function<std::string(const T&)>& render) {
  return result ? render(*result) : text_of(result.messages());
}

/// The outcomes of a text's items.
std::string run(Session& session, const std::string& text) {
  std::string out;
  session.run(text, "items", [&](const reckon::Event& event) {
    std::visit([&](const auto& each) {
      if constexpr (requires { reckon::to_text(each); }) out += reckon::to_text(each) + "\n";
      else out += text_of(each);
    }, event);
  });
  return out;
}

std::string call(Session& session, reckon::On on, const char* semantics) {
  std::vector<float> x(37), y(37);
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = 1.0f / static_cast<float>(k + 1);
    y[k] = 0.3f * static_cast<float>(k) - 5;
  }
  const auto result = session.call("dot", {reckon::Tensor::of<float>(x), reckon::Tensor::of<float>(y)},
                                   {.on = on, .semantics = semantics});
  return text_of<std::vector<reckon::Shown>>(result, [](const auto& shown) { return reckon::to_text(shown); });
}

std::string prepared(Session& session) {
  reckon::PrepareOptions options;
  options.values = {{"n", 100}};
  auto made = session.prepare_host("softmax", options);
  if (!made) return text_of(made.messages());
  std::vector<float> x(100), result(100);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k % 7) - 3;
  std::uint64_t hash = 0;
  for (int round = 0; round < 20; ++round) {
    const void* from = x.data();
    void* to = result.data();
    if (const auto problems = made->run({&from, 1}, {&to, 1}); !problems.empty()) return text_of(problems);
    for (const float each : result) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &each, sizeof bits);
      hash = hash * 1099511628211u + bits;
    }
  }
  return std::to_string(hash);
}

std::string reveal(Session& session) {
  const auto adds_pairs = [](std::span<const std::uint64_t> x, std::span<const std::uint64_t>) {
    const auto number = [&](std::size_t k) {
      const auto bits = static_cast<std::uint32_t>(x[k]);
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    };
    const float sum = (number(0) + number(1)) + (number(2) + number(3));
    std::uint32_t bits = 0;
    std::memcpy(&bits, &sum, sizeof bits);
    return std::optional<std::uint64_t>(bits);
  };
  const auto found = session.reveal(reckon::FunctionBox{adds_pairs}, {.n = 4});
  return text_of<reckon::Revealed>(found, [](const auto& each) { return each.tree; });
}

struct Work {
  const char* name;
  std::function<std::string(Session&)> run;
};

std::vector<Work> all_work() {
  const auto items = [](const char* name, const char* text) {
    return Work{name, [text](Session& session) { return run(session, text); }};
  };
  const auto compiled = [](const char* name, const char* circuit, reckon::Emit emit, bool host) {
    return Work{name, [=](Session& session) {
      const auto text = session.compile(circuit, {.emit = emit, .host = host, .arch = host ? "x86-64-v3" : "sm_90"});
      return text_of<std::string>(text, [](const auto& each) { return each; });
    }};
  };
  return {
      items("a check in algebra", "check dot == dot_in_order in algebra for n: {9}"),
      items("a check by fpsan", "check dot == dot_in_order in fpsan for n: {33} trials 50"),
      items("a check within a bound", "check dot ~ dot_in_order within bound in float for n: {33} trials 50"),
      items("a check that fails", "check dot == dot_in_order in float for n: {33} trials 50"),
      items("an interval", "show softmax([f32(1), 2, 3]) in interval"),
      items("an exact value", "show dot([f32(0.1), 0.2], [3, 4]) in exact"),
      items("enclosures of functions", "show exp(f32(1)) + sin(f32(2)) * erf(f32(0.5)) in interval"),
      items("a p-adic number", "show dot([f32(0.5), 2], [3, 4]) in padic"),
      items("accepted values", "check exp([f32(1)]) ~ [2.7182817] in accept(wgsl)"),
      items("a mistake", "show dot([f32(1)], [f32(1), 2])"),
      items("a bound", "show dot([f32(1), 2, 3], [4, 5, 6]) in bound"),
      {"a call, interpreted", [](Session& session) { return call(session, reckon::On::interpreter, "float"); }},
      {"a call, compiled", [](Session& session) { return call(session, reckon::On::host, "float"); }},
      {"a call of intervals", [](Session& session) { return call(session, reckon::On::host, "interval"); }},
      {"a call of the ring", [](Session& session) { return call(session, reckon::On::host, "fpsan"); }},
      {"a prepared program", prepared},
      {"an order revealed", reveal},
      {"a tree", [](Session& session) {
         const auto found = session.tree("dot", 11);
         return text_of<std::string>(found, [](const auto& each) { return each; });
       }},
      compiled("PTX", "softmax", reckon::Emit::ptx, false),
      compiled("PTX of a product", "matmul", reckon::Emit::ptx, false),
      compiled("assembly", "dot", reckon::Emit::assembly, true),
      {"a picture", [](Session& session) {
         const auto found = session.draw("lanes(4, tree) then tree", {.leaves = 13});
         return text_of<std::string>(found, [](const auto& each) { return each; });
       }},
  };
}

Session made() {
  Session session({.budget = 1e6});
  if (const auto loaded = session.load(program); !loaded) {
    std::cerr << text_of(loaded.messages());
    std::exit(1);
  }
  return session;
}

}  // namespace

int main() {
  const std::vector<Work> work = all_work();
  std::vector<std::string> expected;
  {
    Session session = made();
    for (const Work& each : work) expected.push_back(each.run(session));
  }
  for (std::size_t k = 0; k < work.size(); ++k) {
    const bool mistake = expected[k].find("error[") != std::string::npos;
    if (expected[k].empty() || mistake != (work[k].name == std::string("a mistake"))) {
      std::cerr << work[k].name << " gives \"" << expected[k] << "\"\n";
      return 1;
    }
  }
  std::vector<std::vector<std::string>> found(threads_count, std::vector<std::string>(work.size()));
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < threads_count; ++thread) {
    threads.emplace_back([&, thread] {
      Session session = made();
      for (std::size_t k = 0; k < work.size(); ++k) {
        const std::size_t at = (thread * 5 + k * (2 * thread + 1)) % work.size();
        if (found[thread][at].empty()) found[thread][at] = work[at].run(session);
      }
      for (std::size_t at = 0; at < work.size(); ++at) {
        if (found[thread][at].empty()) found[thread][at] = work[at].run(session);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int differ = 0;
  for (std::size_t thread = 0; thread < threads_count; ++thread) {
    for (std::size_t k = 0; k < work.size(); ++k) {
      if (found[thread][k] == expected[k]) continue;
      if (++differ > 3) continue;
      std::cerr << work[k].name << " in thread " << thread << ":\n" << found[thread][k] << "\ninstead of\n" << expected[k] << '\n';
    }
  }
  std::cout << threads_count << " threads with a session each, " << work.size() << " pieces of work: " << differ << " differ\n";
  return differ == 0 ? 0 : 1;
}
