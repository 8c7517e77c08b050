// What a call of a compiled circuit on a GPU costs the host, next to a bare cuLaunchKernel of a kernel that does nothing:
// microseconds from the call until it is queued, medians of bursts that are waited for outside of the time taken.
#include <cstdio>
#include <string>

#include "api/reckon/prepared.h"
#include "bench/gpu.h"
#include "bench/measure.h"

namespace {

using namespace reckon;

constexpr int burst = 200, bursts = 51;

constexpr const char* bare = R"(
.version 7.8
.target sm_50
.address_size 64
.visible .entry bare(.param .u64 x, .param .u64 y, .param .u64 out, .param .u64 n) { ret; }
)";

constexpr const char* circuits = R"(
fn axpy(a: f32, x: f32[n], y: f32[n]) -> f32[n] = for i: a * x[i] + y[i]
fn add(x: f32[n], y: f32[n]) -> f32[n] = for i: x[i] + y[i]
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(128, tree) then tree
)";

template <class Call>
void row(const char* name, Call&& call) {
  const auto& context = *bench::gpu();
  std::vector<double> times;
  for (int k = 0; k <= bursts; ++k) {
    const auto start = std::chrono::steady_clock::now();
    for (int each = 0; each < burst; ++each) call();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    bench::check(context.synchronize());
  }
  std::sort(times.begin(), times.end());
  std::printf("  %-44s %6.2f us\n", name, times[times.size() / 2] / burst * 1e6);
}

void stop(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(1);
}

}  // namespace

int main() {
  namespace cuda = runtime::cuda;
  const auto context = bench::gpu();
  const auto stream = bench::must(cuda::create_stream(context));
  std::printf("calls with 1000 elements, %s\n", context->device().name.c_str());

  const auto memory = bench::must(cuda::allocate(context, 1 << 20));
  std::vector<cuda::DeviceAddress> places;
  for (int k = 0; k < 4; ++k) places.push_back(memory.get() + static_cast<cuda::DeviceAddress>(k) * 8192);
  const auto module = bench::must(cuda::load_module(context, bare));
  cuda::FunctionObject* const kernel = bench::must(cuda::find_kernel(module, "bare"));
  std::int64_t n = 1000;
  void* parameters[] = {&places[0], &places[1], &places[2], &n};
  row("cuLaunchKernel, 3 pointers and a size", [&] {
    if (context->call().launch(kernel, 8, 1, 1, 128, 1, 1, 0, stream.get(), parameters, nullptr) != 0) stop("no launch");
  });

  const auto pointer = [&](std::size_t k) { return reinterpret_cast<void*>(places[k]); };
  Session session;
  if (!session.load(circuits)) stop("the circuits cannot be read");
  for (const char* name : {"add", "dot", "axpy"}) {
    PrepareOptions options;
    options.values = {{"n", n}};
    auto program = session.prepare(name, options);
    if (!program) stop(program.messages().front().text);
    std::vector<const void*> arguments;
    for (std::size_t k = 0; k < program->parameters().size(); ++k) arguments.push_back(pointer(k));
    void* result = pointer(3);
    row((std::string("C++: Prepared::run of ") + name).c_str(), [&] {
      if (!program->run(arguments, {&result, 1}, stream.get()).empty()) stop("no run");
    });
    bool odd = false;
    row((std::string("C++: ") + name + ", another result each time").c_str(), [&] {
      odd = !odd;
      void* other = reinterpret_cast<void*>(places[3] + (odd ? 8192 : 0));
      if (!program->run(arguments, {&other, 1}, stream.get()).empty()) stop("no run");
    });
  }
  return 0;
}
