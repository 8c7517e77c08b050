// What launchers launch, on a driver that logs it: the launches that runtime/ makes of the same plan.
#include <fmt/format.h>

#include <set>

#include "driver/prepare.h"
#include "interp/evaluate.h"
#include "ir/parser.h"
#include "runtime/cuda/launch.h"
#include "semantics/standard.h"
#include "tests/runtime/fake_cuda/fake_cuda.h"
#include "tests/standalone/circuits.h"
#include "tests/support/compiled_semantics.h"
#include "tests/support/in_turn.h"
#include "tests/support/python.h"
#include "tests/support/sanitized.h"

using namespace reckon;
using namespace reckon::test;

namespace {

using Sizes = std::vector<std::int64_t>;

struct Launched {
  std::string circuit;
  std::vector<Sizes> sizes;
  std::vector<std::string> options = {};
};

/// Sizes that are no multiples of anything, small and large ones.
std::vector<Sizes> ragged(std::size_t count, std::int64_t least) {
  static const std::int64_t lengths[] = {1,   2,   3,    5,    7,    31,    33,    63,     65,     100,
                                         127, 257, 1000, 1023, 4097, 10007, 65537, 100003, 262145, 1000003};
  std::vector<Sizes> out;
  for (std::size_t k = 0; k < std::size(lengths); ++k) {
    Sizes sizes;
    // Of several sizes, no two are large together.
    for (std::size_t d = 0; d < count; ++d) sizes.push_back(lengths[d == k % count ? k : (k * 7 + d * 3) % 9]);
    for (std::int64_t& size : sizes) size = std::clamp<std::int64_t>(size, least, count > 1 ? 100003 : 1000003);
    out.push_back(sizes);
  }
  return out;
}

const std::vector<Launched>& launched() {
  static const std::vector<Launched> all{{"dot", ragged(1, 1)},
                                         {"softmax", ragged(1, 1)},
                                         {"mean_and_largest", ragged(2, 1)},
                                         {"matmul", ragged(3, 1)},
                                         {"total", ragged(2, 1)},
                                         {"product", ragged(3, 1)},
                                         {"numpy_sum", ragged(1, 1)},
                                         {"axpy", ragged(1, 0)},
                                         {"differences", ragged(1, 1)},
                                         {"weighted", ragged(1, 1)},
                                         {"noisy", {{}}},
                                         {"padded", {{}}},
                                         {"dot", ragged(1, 1), {"--in=fpsan"}},
                                         {"softmax", ragged(1, 1), {"--arch=sm_80"}}};
  return all;
}

/// The lines of a driver's log that say what was launched, without streams. Addresses are told by position: which piece
/// of memory is whose is looked at by `check_addresses`.
std::vector<std::string> launches_of(const std::string& log) {
  std::vector<std::string> out;
  for (std::string line : lines_of(log)) {
    if (const auto stream = line.find(" @"); stream != std::string::npos) line.resize(stream);
    if (line.starts_with("cuLaunchKernel ")) out.push_back(line);
    if (!line.starts_with("arguments ")) continue;
    std::string values;
    std::istringstream words(line.substr(10));
    for (std::string word; words >> word;) values += word.starts_with('#') ? " address" : " " + word;
    out.push_back("arguments" + values);
  }
  return out;
}

/// Every launch of a log is given the same addresses, and different buffers are different memory.
void check_addresses(const std::string& log) {
  std::string first;
  for (const std::string& line : lines_of(log)) {
    if (!line.starts_with("arguments ")) continue;
    if (first.empty()) {
      first = line;
      std::set<std::string> seen;
      std::istringstream words(line.substr(10));
      for (std::string word; words >> word;) {
        if (word.starts_with('#')) CHECK(seen.insert(word).second);
      }
    }
    CHECK(line == first);
  }
}

/// The plan of a circuit for all sizes, and what runtime/ launches of it.
class Expectation {
 public:
  explicit Expectation(const Launched& of) {
    std::string arch = "sm_90";
    bool fpsan = false;
    for (const std::string& option : of.options) {
      if (option.starts_with("--arch=")) arch = option.substr(7);
      fpsan = fpsan || option == "--in=fpsan";
    }
    std::vector<std::string> words{"compile", elsewhere, "--fn", of.circuit, "--emit=ir"};
    words.insert(words.end(), of.options.begin(), of.options.end());
    std::erase_if(words, [](const std::string& word) { return word.starts_with("--arch="); });
    const RunResult printed = reckon_here(words);
    REQUIRE(printed.status == 0);
    auto parsed = ir::parse_ir(module_, printed.out);
    REQUIRE(parsed);
    const auto semantics = interp::make_semantics(fpsan ? "fpsan" : "float", {}, {});
    REQUIRE(semantics);
    auto passed = driver::for_code(module_, parsed->back(), {}, (*semantics)->traits());
    REQUIRE(passed);
    function_ = *passed;
    codegen::CompileOptions options;
    options.semantics = (*semantics)->traits().compiled;
    options.target = codegen::Target::ptx;
    options.arch = arch;
    auto compiled = codegen::compile(module_, function_, options);
    REQUIRE(compiled);
    compiled_ = std::move(*compiled);
  }

  const codegen::Plan& plan() const { return compiled_.plan; }

  std::vector<std::string> launches(const Sizes& sizes) {
    runtime::cuda::FakeCuda fake;
    ir::Dimensions dimensions;
    for (std::size_t k = 0; k < sizes.size(); ++k) dimensions[compiled_.plan.dimensions[k]] = sizes[k];
    auto context = runtime::open_gpu({fake.options(), 0});
    REQUIRE(context);
    auto program = runtime::GpuProgram::prepare(*context, module_, function_, compiled_, dimensions, interp::generate);
    REQUIRE(program);
    std::vector<ir::HostTensor> arguments;
    for (const auto& tensor : program->tensors(runtime::GpuProgram::Role::parameter)) {
      arguments.emplace_back(tensor.scalar, tensor.shape);
    }
    REQUIRE(!program->upload(module_, arguments));
    REQUIRE(!program->launch());
    return launches_of(fake.log());
  }

 private:
  ir::Module module_;
  ir::Function function_;
  codegen::Compiled compiled_;
};

std::string read_log(const std::filesystem::path& path) { return std::filesystem::exists(path) ? read_file(path) : ""; }

/// Files for the program of a launcher: inputs of zeros.
std::vector<std::string> arguments_of(const Expectation& expected, const Sizes& sizes,
                                      const std::filesystem::path& folder) {
  std::vector<std::string> words;
  for (const std::int64_t size : sizes) words.push_back(std::to_string(size));
  write_file(folder / "zeros", "");
  std::filesystem::resize_file(folder / "zeros", 64 << 20);
  std::size_t results = 0;
  for (const codegen::Buffer& buffer : expected.plan().buffers) {
    if (buffer.role == codegen::Buffer::Role::parameter) words.push_back((folder / "zeros").string());
    if (buffer.role == codegen::Buffer::Role::result) ++results;
  }
  for (std::size_t k = 0; k < results; ++k) words.push_back((folder / ("result" + std::to_string(k))).string());
  return words;
}

}  // namespace

TEST_CASE("a launcher in C++ compiles without a warning, and launches what the runtime launches", "[targets]") {
  test::InTurn<bool> without_main({true, false});
  for (const Launched& each : launched()) {
    INFO(each.circuit << fmt::format(" {}", fmt::join(each.options, " ")));
    const TemporaryFolder folder;
    emit_to(folder / "launcher.cpp", each.circuit, "launcher=cpp", each.options);
    const std::string program = (folder / "program").string();
    const std::string include = "-I" + (data_folder() / "cuda").string();
    if (without_main.next().front()) {
      must_run({RECKON_CXX, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", include, "-c",
                (folder / "launcher.cpp").string(), "-o", (folder / "launcher.o").string()});
    }
    must_run({RECKON_CXX, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-DRECKON_LAUNCHER_MAIN", include,
              (folder / "launcher.cpp").string(), RECKON_FAKE_CUDA, "-o", program,
              "-Wl,-rpath," + std::filesystem::path(RECKON_FAKE_CUDA).parent_path().string()});
    Expectation expected(each);
    CHECK((each.sizes.size() >= 20 || each.sizes[0].empty()));
    for (const Sizes& sizes : each.sizes) {
      INFO(fmt::format("sizes {}", fmt::join(sizes, " ")));
      const std::filesystem::path log = folder / "log";
      std::filesystem::remove(log);
      std::vector<std::string> command{program};
      const auto arguments = arguments_of(expected, sizes, folder.path());
      command.insert(command.end(), arguments.begin(), arguments.end());
      must_run(command, {.environment = {{"FAKE_CUDA_LOG", log.string()}}});
      const auto launches = launches_of(read_log(log));
      CHECK(launches == expected.launches(sizes));
      check_addresses(read_log(log));
      CHECK(launches.size() >= (sizes.empty() || sizes[0] > 1 ? 2 : 0));
    }
  }
}

TEST_CASE("a launcher in Python launches what the runtime launches", "[targets]") {
  const auto python = python_with("ctypes");
  if (!python) return;
  test::InTurn<bool> wanted({true, false});
  for (const Launched& each : launched()) {
    INFO(each.circuit << fmt::format(" {}", fmt::join(each.options, " ")));
    const TemporaryFolder folder;
    emit_to(folder / "launcher.py", each.circuit, "launcher=python", each.options);
    Expectation expected(each);
    for (const Sizes& sizes : each.sizes) {
      if (!wanted.next().front()) continue;
      INFO(fmt::format("sizes {}", fmt::join(sizes, " ")));
      const std::filesystem::path log = folder / "log";
      std::filesystem::remove(log);
      std::vector<std::string> command{*python, "-B", (data_folder() / "launch.py").string(),
                                       (folder / "launcher.py").string(), each.circuit};
      for (const std::int64_t size : sizes) command.push_back(std::to_string(size));
      must_run(command, {.environment = {{"FAKE_CUDA_LOG", log.string()}, {"RECKON_LAUNCHER_CUDA", RECKON_FAKE_CUDA}}});
      CHECK(launches_of(read_log(log)) == expected.launches(sizes));
      check_addresses(read_log(log));
    }
  }
}

TEST_CASE("launchers on an emulated GPU give the interpreter's bits") {
  const auto python = python_with("numpy");
  if (!python || sanitized) return;  // Python would load a driver that needs the sanitizers' library before itself
  const std::string script = (source_folder() / "tests/standalone/launchers.py").string();
  const RunResult run = run_command({*python, "-B", script, program_path().string(), elsewhere},
                                    {.timeout = std::chrono::minutes(10),
                                     .folder = source_folder(),
                                     .environment = {{"RECKON_LAUNCHER_CUDA", (emulated_driver_folder() / "libcuda.so.1").string()}}});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK(run.out == "15 of 15 agree\n");
}

TEST_CASE("a launcher refuses sizes and addresses that cannot be used") {
  const TemporaryFolder folder;
  const std::string include = "-I" + (data_folder() / "cuda").string();
  emit_to(folder / "dot.cpp", "dot", "launcher=cpp");
  emit_to(folder / "softmax.cpp", "softmax", "launcher=cpp");
  emit_to(folder / "differences.cpp", "differences", "launcher=cpp");
  write_file(folder / "main.cpp", R"cpp(
#define RECKON_LAUNCHER_DECLARATIONS
#include "dot.cpp"
#include "softmax.cpp"
#include "differences.cpp"
#include <cstdio>
    int main() {
      CUdevice device;
      CUcontext context;
      cuInit(0);
      cuDeviceGet(&device, 0);
      cuDevicePrimaryCtxRetain(&context, device);
      cuCtxSetCurrent(context);
      reckon_dot::Kernels dot;
      reckon_softmax::Kernels softmax;
      CUdeviceptr memory = 0;
      if (reckon_dot::load(&dot) != CUDA_SUCCESS || reckon_softmax::load(&softmax) != CUDA_SUCCESS) return 1;
      if (cuMemAlloc(&memory, 1 << 20) != CUDA_SUCCESS) return 2;
      const auto text = [](const char* condition) { return condition != nullptr ? condition : "fine"; };
      std::printf("%s, %s, %s\n", text(reckon_dot::refused(5)), text(reckon_dot::refused(0)),
                  text(reckon_dot::refused(-1)));
      std::printf("%s, %s\n", text(reckon_differences::refused(1)), text(reckon_differences::refused(0)));
      std::printf("%d\n", reckon_dot::launch(dot, memory, memory + 1024, memory + 2048, 5, memory + 4096, nullptr));
      std::printf("%d\n", reckon_dot::launch(dot, memory, memory + 1024, memory + 2048, 0, memory + 4096, nullptr));
      std::printf("%d\n", reckon_dot::launch(dot, memory + 4, memory + 1024, memory + 2048, 5, memory + 4096, nullptr));
      std::printf("%d\n", reckon_softmax::launch(softmax, memory, memory + 1024, 5, memory + 4096, nullptr));
      if (reckon_softmax::scratch_bytes(100000) > 0) {
        std::printf("%d\n", reckon_softmax::launch(softmax, memory, memory + 1024, 100000, 0, nullptr));
      }
    }
  )cpp");
  const std::string program = (folder / "program").string();
  must_run({RECKON_CXX, "-std=c++17", "-Wall", "-Wextra", "-Werror", include, (folder / "main.cpp").string(),
            (folder / "dot.cpp").string(), (folder / "softmax.cpp").string(), (folder / "differences.cpp").string(),
            RECKON_FAKE_CUDA, "-o", program,
            "-Wl,-rpath," + std::filesystem::path(RECKON_FAKE_CUDA).parent_path().string()});
  const RunResult run = run_command({program});
  CHECK(run.status == 0);
  CHECK(run.out == "fine, 1 <= n, 1 <= n\nfine, 0 <= n - 1\n0\n1\n1\n0\n1\n");
}

TEST_CASE("semantics whose arguments have to be prepared are refused by name") {
  for (const char* semantics : {"interval", "padic"}) {
    for (const char* emit : {"launcher=cpp", "launcher=python", "object", "header"}) {
      const RunResult run = reckon_here({"compile", elsewhere, "--fn", "dot", std::string("--emit=") + emit,
                                         std::string("--in=") + semantics, "-o", "-"});
      CHECK(run.status == 3);
      CHECK_THAT(run.err, Catch::Contains(std::string("`") + semantics + "`") && Catch::Contains("--in=float"));
    }
  }
}
