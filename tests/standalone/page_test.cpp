// The examples of docs/kernels_elsewhere.md, carried out as they stand there.
#include <sstream>

#include "tests/standalone/circuits.h"
#include "tests/support/python.h"

using namespace reckon::test;

namespace {

/// The first block of the page with this mark behind its fence that contains the words.
std::string block(const std::string& mark, const std::string& words) {
  const auto lines = lines_of(read_file(source_folder() / "docs/kernels_elsewhere.md"));
  std::string text, fence;
  bool open = false;
  for (const std::string& line : lines) {
    if (!line.starts_with("```")) {
      text += line + "\n";
      continue;
    }
    if (open && fence == mark && text.find(words) != std::string::npos) return text;
    open = !open;
    fence = line.substr(3);
    text.clear();
  }
  FAIL("there is no such block: " << words);
  return {};
}

/// Runs the commands `$ reckon ...` of a block in the folder, with the repository's examples beside it.
void run_commands(const std::string& text, const std::filesystem::path& folder) {
  int run = 0;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("$ reckon ")) continue;
    std::vector<std::string> words;
    std::istringstream stream(line.substr(9));
    for (std::string word; stream >> word;) words.push_back(word);
    const RunResult result = reckon_in(folder, words);
    INFO(line << "\n" << result.err);
    REQUIRE(result.status == 0);
    ++run;
  }
  CHECK(run > 0);
}

void add_examples(const std::filesystem::path& folder) {
  std::filesystem::create_directory_symlink(source_folder() / "examples", folder / "examples");
}

}  // namespace

TEST_CASE("docs/kernels_elsewhere.md: the program of C") {
  const TemporaryFolder folder;
  add_examples(folder.path());
  run_commands(block("", "--emit=object"), folder.path());
  CHECK(read_file(folder / "dot.h").find(block("c", "int dot_wide(")) != std::string::npos);
  write_file(folder / "main.c", block("c", "int main"));
  must_run({"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "main.c", "dot.o", "-lm", "-o", "main"},
           {.folder = folder.path()});
  CHECK(run_command({(folder / "main").string()}).out == "32\n");
}

TEST_CASE("docs/kernels_elsewhere.md: the launcher in C++") {
  const TemporaryFolder folder;
  add_examples(folder.path());
  run_commands(block("", "--emit=launcher=cpp"), folder.path());
  std::string head, body;
  for (const std::string& line : lines_of(block("c++", "reckon_online::launch"))) {
    (line.starts_with("#") ? head : body) += line + "\n";
  }
  write_file(folder / "use.cpp",
             head + "void use(std::int64_t n, CUdeviceptr x, CUdeviceptr result, CUstream stream) {\n" + body + "}\n");
  must_run({RECKON_CXX, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I" + (data_folder() / "cuda").string(), "-c",
            "use.cpp", "-o", "use.o"},
           {.folder = folder.path()});
}

TEST_CASE("docs/kernels_elsewhere.md: the launcher in Python, on PyTorch's stream") {
  const auto python = python_with("ctypes");
  if (!python) return;
  const TemporaryFolder folder;
  add_examples(folder.path());
  run_commands(block("", "--emit=launcher=python"), folder.path());
  // As much of PyTorch as the example and the launcher use, on the driver that logs.
  write_file(folder / "torch.py", R"py(
import ctypes
driver = ctypes.CDLL(__import__("os").environ["RECKON_LAUNCHER_CUDA"])
context = ctypes.c_void_p()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)
class Tensor:
    is_cuda = True
    device = "cuda"
    def __init__(self, *shape):
        self.shape, self.address = shape, ctypes.c_uint64()
        driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(4 * shape[0] * shape[1]))
    def data_ptr(self): return self.address.value
    def is_contiguous(self): return True
    def element_size(self): return 4
def rand(*shape, device): return Tensor(*shape)
empty = rand
class cuda:
    stream = ctypes.c_void_p()
    driver.cuStreamCreate(ctypes.byref(stream), 0)
    @classmethod
    def current_stream(cls, device):
        cls.cuda_stream = cls.stream.value
        return cls
)py");
  write_file(folder / "main.py", block("python", "import torch"));
  const std::filesystem::path log = folder / "log";
  must_run({*python, "-B", "main.py"},
           {.folder = folder.path(),
            .environment = {{"FAKE_CUDA_LOG", log.string()}, {"RECKON_LAUNCHER_CUDA", RECKON_FAKE_CUDA}}});
  int launches = 0;
  bool sizes = false;
  for (const std::string& line : lines_of(read_file(log))) {
    if (line.starts_with("cuLaunchKernel ")) {
      CHECK(line.ends_with(" @1"));
      ++launches;
    }
    sizes = sizes || line.ends_with(" 300 100 200");  // m, k, n
  }
  CHECK(launches > 0);
  CHECK(sizes);
}
