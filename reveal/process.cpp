#include "reveal/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "diagnostics/codes/box_failed.h"

namespace reckon::reveal {
namespace {

using Clock = std::chrono::steady_clock;

/// Writing to a process that has ended raises SIGPIPE, which must end neither this process nor another. The signal is
/// blocked in this thread, and removed if it came.
class WithoutBrokenPipe {
 public:
  WithoutBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutBrokenPipe() {
    const timespec now{};
    if (sigismember(&before_, SIGPIPE) == 0) {
      while (sigtimedwait(&pipe_, nullptr, &now) > 0) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
};

void shut(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

}  // namespace

Expected<std::unique_ptr<Process>> Process::start(const std::function<int()>& body) {
  std::array<int, 2> in{-1, -1}, out{-1, -1};
  std::unique_ptr<Process> process(new Process);
  process->errors_ = memfd_create("errors", MFD_CLOEXEC);
  if (process->errors_ < 0 || pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0 ||
      (process->child_ = fork()) < 0) {
    for (int* descriptor : {&in[0], &in[1], &out[0], &out[1]}) shut(*descriptor);
    return Diagnostic(code::box_failed, {}, fmt::format("no process can be started: {}", std::strerror(errno)));
  }
  if (process->child_ == 0) {
    setpgid(0, 0);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(process->errors_, STDERR_FILENO);
    shut(in[1]);
    shut(out[0]);
    _exit(body());
  }
  setpgid(process->child_, process->child_);  // called in both processes, because either may run first
  shut(in[0]);
  shut(out[1]);
  process->to_ = in[1];
  process->from_ = out[0];
  fcntl(process->to_, F_SETFL, O_NONBLOCK);
  fcntl(process->from_, F_SETFL, O_NONBLOCK);
  return process;
}

Process::~Process() {
  shut(to_);
  shut(from_);
  shut(errors_);
  if (child_ <= 0) return;
  kill(-child_, SIGKILL);
  kill(child_, SIGKILL);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Process::Reply Process::exchange(std::string_view text, bool last,
                                 const std::function<bool(const std::string&)>& enough,
                                 std::chrono::milliseconds timeout) {
  const WithoutBrokenPipe guard;
  const auto deadline = Clock::now() + timeout;
  Reply reply;
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    if (text.empty() && last) shut(to_);
    std::array<pollfd, 2> ends{pollfd{from_, POLLIN, 0}, pollfd{text.empty() ? -1 : to_, POLLOUT, 0}};
    const int ready = poll(ends.data(), ends.size(), milliseconds_until(deadline));
    if (ready == 0) {
      reply.timed_out = true;
      return reply;
    }
    if (ready < 0) continue;
    if (ends[1].revents != 0) {
      const ssize_t sent = write(to_, text.data(), text.size());
      if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
      // A command need not read everything before it answers.
      if (sent < 0 && errno != EAGAIN && errno != EINTR) text = {};
    }
    if (ends[0].revents != 0) {
      const ssize_t got = read(from_, buffer.data(), buffer.size());
      if (got > 0) {
        reply.bytes.append(buffer.data(), static_cast<std::size_t>(got));
        reply.enough = enough(reply.bytes);
        if (reply.enough && text.empty()) return reply;
      } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        return reply;
      }
    }
    if (reply.enough && text.empty()) return reply;
  }
}

std::string Process::ending(std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  int status = 0;
  for (int wait = 1;; wait = std::min(2 * wait, 20)) {
    const pid_t ended = waitpid(child_, &status, WNOHANG);
    if (ended == child_) break;
    if (Clock::now() >= deadline) return "no end";
    poll(nullptr, 0, wait);
  }
  child_ = -1;
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) == 0 ? std::string() : fmt::format("status {}", WEXITSTATUS(status));
}

std::string Process::complaints() const {
  constexpr off_t most = 1000;
  const off_t size = lseek(errors_, 0, SEEK_END);
  const off_t begin = std::max<off_t>(size - most, 0);
  std::string out(static_cast<std::size_t>(size - begin), '\0');
  const ssize_t got = pread(errors_, out.data(), out.size(), begin);
  out.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (begin > 0) out.erase(0, out.find('\n') + 1);
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

}  // namespace reckon::reveal
