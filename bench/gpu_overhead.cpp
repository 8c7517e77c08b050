// What a call of a compiled circuit on a GPU costs the host, next to a bare cuLaunchKernel of a kernel that does nothing:
// microseconds from the call until it is queued, medians of bursts that are waited for outside of the time taken.
// It sees the public headers alone, so it can be compiled anywhere: g++ -std=c++20 gpu_overhead.cpp -lreckon -ldl
#include <dlfcn.h>
#include <reckon/prepared.h>
#include <reckon/reckon.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

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

[[noreturn]] void stop(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(1);
}

/// A function of the CUDA driver; each returns 0 for success.
template <class... Arguments>
auto entry(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) stop("there is no CUDA driver");
  void* const found = dlsym(library, name);
  if (found == nullptr) stop(std::string("the CUDA driver has no ") + name);
  return reinterpret_cast<int (*)(Arguments...)>(found);
}

template <class... Arguments>
void cuda(const char* name, Arguments... arguments) {
  if (entry<Arguments...>(name)(arguments...) != 0) stop(std::string(name) + " failed");
}

void wait() { cuda("cuCtxSynchronize"); }

template <class Call>
void row(const std::string& name, Call&& call) {
  std::vector<double> times;
  for (int k = 0; k <= bursts; ++k) {
    const auto start = std::chrono::steady_clock::now();
    for (int each = 0; each < burst; ++each) call();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    wait();
  }
  std::sort(times.begin(), times.end());
  std::printf("  %-44s %6.2f us\n", name.c_str(), times[times.size() / 2] / burst * 1e6);
}

}  // namespace

int main() {
  int device = 0;
  void *context = nullptr, *stream = nullptr, *module = nullptr, *kernel = nullptr;
  cuda("cuInit", 0u);
  cuda("cuDeviceGet", &device, 0);
  cuda("cuDevicePrimaryCtxRetain", &context, device);
  cuda("cuCtxSetCurrent", context);
  cuda("cuStreamCreate", &stream, 1u);
  char machine[100] = "";
  cuda("cuDeviceGetName", &machine[0], 100, device);
  std::printf("calls with 1000 elements, %s\n", machine);

  std::uint64_t memory = 0;
  cuda("cuMemAlloc_v2", &memory, std::size_t{1} << 20);
  std::vector<std::uint64_t> places;
  for (std::uint64_t k = 0; k < 5; ++k) places.push_back(memory + k * 8192);
  cuda("cuModuleLoadData", &module, static_cast<const void*>(bare));
  cuda("cuModuleGetFunction", &kernel, module, "bare");
  std::uint64_t n = 1000;
  void* parameters[] = {&places[0], &places[1], &places[2], &n};
  const auto launch = entry<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                            void**>("cuLaunchKernel");
  row("cuLaunchKernel, 3 pointers and a size", [&] {
    if (launch(kernel, 8, 1, 1, 128, 1, 1, 0, stream, &parameters[0], nullptr) != 0) stop("no launch");
  });

  reckon::Session session;
  if (!session.load(circuits)) stop("the circuits cannot be read");
  for (const std::string name : {"add", "dot", "axpy"}) {
    reckon::PrepareOptions options;
    options.values = {{"n", 1000}};
    auto program = session.prepare(name, options);
    if (!program) stop(program.messages().front().text);
    std::vector<const void*> arguments;
    for (std::size_t k = 0; k < program->parameters().size(); ++k)
      arguments.push_back(reinterpret_cast<const void*>(places[k]));
    void* const results[] = {reinterpret_cast<void*>(places[3]), reinterpret_cast<void*>(places[4])};
    row("Prepared::run of " + name, [&] {
      if (!program->run(arguments, {&results[0], 1}, stream).empty()) stop("no run");
    });
    int turn = 0;
    row(name + ", another result each time", [&] {
      if (!program->run(arguments, {&results[++turn % 2], 1}, stream).empty()) stop("no run");
    });
  }
}
