#include "cli/golden/children.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>

namespace reckon::golden {
namespace {

using Clock = std::chrono::steady_clock;

void shut(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

/// One process that runs.
struct Child {
  std::size_t index = 0;
  pid_t process = -1;
  int out = -1, messages = -1;
  Clock::time_point begin, end;
  Ended so_far;
};

/// In the new process: does not return. Calls nothing that needs a lock which another thread could have held.
[[noreturn]] void become(const char* program, char* const* words, const char* folder, int in, int out, int messages,
                         int failed, pid_t parent) {
  setpgid(0, 0);  // so that a time limit ends what it starts, too
  // If this program is killed, nobody would end those that it started.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  signal(SIGINT, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(messages, STDERR_FILENO);
  if (chdir(folder) == 0) execv(program, words);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(failed, &error, sizeof error);
  _exit(127);
}

/// Starts a process; gives the number of the error, or 0.
int start(const Command& command, const std::string& program, Child& child) {
  std::vector<char*> words;
  std::string name = "reckon";
  words.push_back(name.data());
  std::vector<std::string> copies = command.words;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  std::array<int, 2> out{-1, -1}, messages{-1, -1}, failed{-1, -1};
  int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int error = in < 0 || pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(messages.data(), O_CLOEXEC) != 0 ||
                      pipe2(failed.data(), O_CLOEXEC) != 0
                  ? errno
                  : 0;
  const pid_t parent = getpid();
  if (error == 0 && (child.process = fork()) < 0) error = errno;
  if (child.process == 0) {
    become(program.c_str(), words.data(), command.folder.c_str(), in, out[1], messages[1], failed[1], parent);
  }
  shut(in);
  for (auto* ends : {&out, &messages, &failed}) shut((*ends)[1]);
  if (error == 0) {
    setpgid(child.process, child.process);  // called in both processes, because either may run first
    // The pipe closes when the program is started; what can be read before is the error.
    if (read(failed[0], &error, sizeof error) != sizeof error) error = 0;
    if (error != 0) waitpid(child.process, nullptr, 0);
  }
  shut(failed[0]);
  if (error != 0) {
    shut(out[0]);
    shut(messages[0]);
    return error;
  }
  child.out = out[0];
  child.messages = messages[0];
  for (const int end : {child.out, child.messages}) fcntl(end, F_SETFL, O_NONBLOCK);
  return 0;
}

void drain(int& end, std::string& text) {
  std::array<char, 1 << 16> buffer;
  const ssize_t got = read(end, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  else if (got == 0 || (errno != EAGAIN && errno != EINTR)) shut(end);
}

class Children {
 public:
  Children(const ChildrenOptions& options, const std::function<void(std::size_t, Ended)>& ended)
      : options_(options), ended_(ended) {}

  /// Ends those that still run, of which nobody hears.
  ~Children() {
    for (Child& child : running_) {
      stop(child, Ended::How::timed_out);
      shut(child.out);
      shut(child.messages);
    }
  }
  Children(const Children&) = delete;

  bool has_room() const { return running_.size() < std::max<std::size_t>(options_.at_once, 1); }
  bool any() const { return !running_.empty(); }

  void add(std::size_t index, const Command& command) {
    Child child;
    child.index = index;
    child.begin = Clock::now();
    child.end = child.begin + std::chrono::duration_cast<Clock::duration>(options_.timeout);
    if (const int error = start(command, options_.program, child); error != 0) {
      ended_(index, {Ended::How::not_started, error, {}, {}, 0});
      return;
    }
    running_.push_back(std::move(child));
  }

  /// Reads what there is, ends those that run too long, and reports those that have ended; waits for a while.
  void step() {
    std::vector<pollfd> ends;
    int wait = 100;
    const auto now = Clock::now();
    for (const Child& child : running_) {
      for (const int end : {child.out, child.messages}) {
        if (end >= 0) ends.push_back({end, POLLIN, 0});
      }
      // Its pipes are closed, and it will end in a moment, as a rule.
      if (child.out < 0 && child.messages < 0) wait = 1;
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(child.end - now).count() + 1;
      wait = static_cast<int>(std::clamp<std::int64_t>(left, 0, wait));
    }
    poll(ends.data(), ends.size(), wait);
    for (auto at = running_.begin(); at != running_.end();) {
      const auto here = at++;
      if (here->out >= 0) drain(here->out, here->so_far.out);
      if (here->messages >= 0) drain(here->messages, here->so_far.messages);
      if (here->so_far.out.size() + here->so_far.messages.size() > options_.most_bytes) {
        stop(*here, Ended::How::wrote_too_much);
      } else if (Clock::now() >= here->end) {
        stop(*here, Ended::How::timed_out);
      }
      if (here->process < 0 || (here->out < 0 && here->messages < 0 && has_ended(*here))) finish(here);
    }
  }

 private:
  static void stop(Child& child, Ended::How how) {
    kill(-child.process, SIGKILL);
    kill(child.process, SIGKILL);
    while (waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) {
    }
    child.process = -1;
    child.so_far.how = how;
  }

  static bool has_ended(Child& child) {
    int status = 0;
    if (waitpid(child.process, &status, WNOHANG) != child.process) return false;
    const bool signalled = WIFSIGNALED(status);
    child.so_far.how = signalled ? Ended::How::signalled : Ended::How::exited;
    child.so_far.number = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    return true;
  }

  void finish(std::list<Child>::iterator at) {
    shut(at->out);
    shut(at->messages);
    at->so_far.seconds = std::chrono::duration<double>(Clock::now() - at->begin).count();
    const std::size_t index = at->index;
    Ended ended = std::move(at->so_far);
    running_.erase(at);
    ended_(index, std::move(ended));
  }

  const ChildrenOptions& options_;
  const std::function<void(std::size_t, Ended)>& ended_;
  std::list<Child> running_;
};

}  // namespace

void run_children(const std::vector<Command>& commands, const ChildrenOptions& options, const std::atomic<bool>& stop,
                  const std::function<void(std::size_t, Ended)>& ended) {
  Children children(options, ended);
  for (std::size_t next = 0; !stop && (next < commands.size() || children.any());) {
    while (!stop && next < commands.size() && children.has_room()) {
      children.add(next, commands[next]);
      ++next;
    }
    if (children.any()) children.step();
  }
}

}  // namespace reckon::golden
