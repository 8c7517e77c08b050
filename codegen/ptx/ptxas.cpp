// Runs ptxas as a process: the assembler of the CUDA toolkit decides whether PTX is valid.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "codegen/compile.h"

extern char** environ;

namespace reckon::codegen {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> find_ptxas() {
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  path += ":/usr/local/cuda/bin";
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/ptxas";
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

/// A file of its own in the folder for temporary files, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const char* suffix) {
    std::error_code failure;
    const fs::path folder = fs::temp_directory_path(failure);
    if (failure) return;
    path_ = (folder / "reckon-XXXXXX").string() + suffix;
    const int descriptor = mkstemps(path_.data(), static_cast<int>(std::string(suffix).size()));
    if (descriptor >= 0) close(descriptor);
    else path_.clear();
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Exit status and everything that was printed.
std::pair<int, std::string> run_process(const std::vector<std::string>& words) {
  int endpoints[2];
  if (pipe2(endpoints, O_CLOEXEC) != 0) return {-1, "no pipe"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, endpoints[1], 1);
  posix_spawn_file_actions_adddup2(&actions, endpoints[1], 2);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int spawned = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(endpoints[1]);
  std::string output;
  if (spawned == 0) {
    std::array<char, 4096> buffer;
    for (ssize_t n; (n = read(endpoints[0], buffer.data(), buffer.size())) > 0;)
      output.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(endpoints[0]);
  if (spawned != 0) return {-1, "it could not be started"};
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

/// The first line that reports an error: `ptxas FILE, line N; error : TEXT`, without the file's name.
std::string first_error(const std::string& output) {
  std::istringstream lines(output);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (first.empty()) first = line;
    if (line.find("error") == std::string::npos && line.find("fatal") == std::string::npos) continue;
    const auto place = line.find(", line ");
    return place == std::string::npos ? line : line.substr(place + 2);
  }
  return first.empty() ? "ptxas failed without a message" : first;
}

}  // namespace

PtxasResult check_with_ptxas(const std::string& ptx, const std::string& arch, std::optional<int> level) {
  using Status = PtxasResult::Status;
  const auto assembler = find_ptxas();
  if (!assembler) return {Status::missing, "no `ptxas` in PATH or /usr/local/cuda/bin"};
  const TemporaryFile source(".ptx");
  const TemporaryFile cubin(".cubin");
  if (source.path().empty() || cubin.path().empty()) return {Status::no_file, "no temporary file could be made"};
  std::ofstream(source.path(), std::ios::binary) << ptx;
  std::vector<std::string> words{*assembler, "-arch=" + arch, "-warn-spills", "-o", cubin.path(), source.path()};
  if (level) words.push_back("-O" + std::to_string(*level));
  const auto [status, output] = run_process(words);
  if (status != 0) return {Status::rejected, first_error(output)};
  std::ifstream stream(cubin.path(), std::ios::binary);
  return {Status::accepted, output, {std::istreambuf_iterator<char>(stream), {}}};
}

}  // namespace reckon::codegen
