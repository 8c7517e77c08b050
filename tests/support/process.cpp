#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/support/files.h"
#include "tests/support/sanitized.h"

namespace reckon::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) FAIL("cannot make a pipe");
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

[[noreturn]] void start_child(std::vector<char*>& argv, const RunOptions& options, const Pipe& in, const Pipe& out,
                              const Pipe& err) {
  setpgid(0, 0);  // so that a time limit can end its children too
  signal(SIGPIPE, SIG_DFL);
  dup2(in.read, STDIN_FILENO);
  dup2(out.write, STDOUT_FILENO);
  dup2(err.write, STDERR_FILENO);
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  if (options.folder.empty() || chdir(options.folder.c_str()) == 0) execvp(argv[0], argv.data());
  _exit(127);
}

/// Appends what there is to read; closes the end when there will be no more.
void drain(int& end, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(end, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  else if (count == 0 || (errno != EINTR && errno != EAGAIN)) Pipe::close_end(end);
}

void feed(int& end, std::string_view& input) {
  const ssize_t count = ::write(end, input.data(), input.size());
  if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
  const bool gone = count < 0 && errno != EINTR && errno != EAGAIN;
  if (input.empty() || gone) Pipe::close_end(end);
}

}  // namespace

RunResult run_command(const std::vector<std::string>& command, const RunOptions& options) {
  RunResult result;
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  Pipe in, out, err;
  const auto start = Clock::now();
  // Programs take some ten times as long under the sanitizers.
  const auto limit = start + options.timeout * (sanitized ? 10 : 1);
  const pid_t child = fork();
  if (child < 0) FAIL("cannot fork");
  if (child == 0) start_child(argv, options, in, out, err);
  setpgid(child, child);
  Pipe::close_end(in.read);
  Pipe::close_end(out.write);
  Pipe::close_end(err.write);

  auto* const old_handler = signal(SIGPIPE, SIG_IGN);  // the program need not read what it is given
  fcntl(in.write, F_SETFL, O_NONBLOCK);
  std::string_view input = options.input;
  if (input.empty()) Pipe::close_end(in.write);
  while (out.read >= 0 || err.read >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit - Clock::now()).count();
    if (left <= 0 && !result.timed_out) {
      result.timed_out = true;
      kill(-child, SIGKILL);
    }
    std::array<pollfd, 3> ends{{{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}}};
    if (poll(ends.data(), ends.size(), result.timed_out ? -1 : static_cast<int>(left)) < 0) continue;
    if (ends[0].revents) drain(out.read, result.out);
    if (ends[1].revents) drain(err.read, result.err);
    if (ends[2].revents) feed(in.write, input);
  }
  Pipe::close_end(in.write);
  signal(SIGPIPE, old_handler);

  int status = 0;
  rusage usage{};
  // It may have closed its output and still run.
  while (true) {
    const pid_t ended = wait4(child, &status, result.timed_out ? 0 : WNOHANG, &usage);
    if (ended == child) break;
    if (Clock::now() >= limit) {
      result.timed_out = true;
      kill(-child, SIGKILL);
    } else if (ended == 0) {
      usleep(200);
    }
  }
  result.wall = Clock::now() - start;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.peak_memory_kb = usage.ru_maxrss;
  return result;
}

RunResult run_program(const std::vector<std::string>& args, const RunOptions& options) {
  std::vector<std::string> command{program_path().string()};
  command.insert(command.end(), args.begin(), args.end());
  return run_command(command, options);
}

RunResult run_program(const std::vector<std::string>& args, std::string_view input, std::chrono::milliseconds timeout) {
  return run_program(args, RunOptions{.input = input, .timeout = timeout, .folder = {}, .environment = {}});
}

}  // namespace reckon::test
