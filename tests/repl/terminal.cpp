#include "tests/repl/terminal.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>

#include "tests/support/files.h"

namespace reckon::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{60};

/// Takes escape sequences and carriage returns out of `raw`; what is left of an unfinished sequence stays there.
std::string without_controls(std::string& raw) {
  std::string out;
  std::size_t i = 0;
  while (i < raw.size()) {
    const char c = raw[i];
    if (c != '\033') {
      if (c != '\r' && c != '\a') out += c;
      ++i;
      continue;
    }
    if (i + 1 == raw.size()) break;
    std::size_t end = i + 2;
    if (raw[i + 1] == '[') {
      while (end < raw.size() && (raw[end] < '@' || raw[end] > '~')) ++end;
      if (end == raw.size()) break;
      ++end;
    }
    i = end;
  }
  raw.erase(0, i);
  return out;
}

}  // namespace

bool have_terminals() {
  int terminal = -1, other_end = -1;
  if (openpty(&terminal, &other_end, nullptr, nullptr, nullptr) != 0) {
    WARN("skipped: no pseudo-terminal can be made here (is devpts mounted on /dev/pts?)");
    return false;
  }
  close(terminal);
  close(other_end);
  return true;
}

Terminal::Terminal(const std::filesystem::path& state, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program_path().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  winsize size{};
  size.ws_row = 50;
  size.ws_col = 200;  // so that no line of a test is wrapped
  child_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (child_ < 0) FAIL("no pseudo-terminal can be made");
  if (child_ == 0) {
    setenv("TERM", "xterm", 1);
    setenv("XDG_STATE_HOME", state.c_str(), 1);
    setenv("HOME", state.c_str(), 1);  // no ~/.editrc of whoever runs the tests
    unsetenv("NO_COLOR");
    if (chdir(source_folder().c_str()) == 0) execv(argv[0], argv.data());
    _exit(127);
  }
  until_prompt();
}

Terminal::~Terminal() {
  if (!ended_) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  close(terminal_);
}

void Terminal::type(std::string_view keys) {
  while (!keys.empty()) {
    const ssize_t count = write(terminal_, keys.data(), keys.size());
    if (count <= 0) FAIL("the terminal takes no keys");
    keys.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string Terminal::read_some() {
  pollfd end{terminal_, POLLIN, 0};
  if (poll(&end, 1, 1000) <= 0) return {};
  std::array<char, 65536> buffer;
  const ssize_t count = read(terminal_, buffer.data(), buffer.size());
  if (count <= 0) {
    ended_ = true;  // the other side is closed
    return {};
  }
  raw_.append(buffer.data(), static_cast<std::size_t>(count));
  return without_controls(raw_);
}

std::string Terminal::until(std::string_view text) {
  const auto limit = Clock::now() + patience;
  std::size_t found;
  while ((found = text_.find(text)) == std::string::npos) {
    if (Clock::now() > limit || ended_) FAIL("waited for `" << text << "` and saw `" << text_ << "`");
    text_ += read_some();
  }
  std::string out = text_.substr(0, found + text.size());
  text_.erase(0, out.size());
  return out;
}

bool Terminal::reads_keys() const {
  termios mode{};
  return tcgetattr(terminal_, &mode) == 0 && (mode.c_lflag & ICANON) == 0;
}

std::string Terminal::interrupt(const std::string& line) {
  type(line + "\r");
  until(line + "\n");
  const auto limit = Clock::now() + patience;
  while (text_.find("interrupted") == std::string::npos) {
    if (Clock::now() > limit || ended_) FAIL("waited for an interruption and saw `" << text_ << "`");
    // A signal before the evaluation has begun interrupts nothing: once more then.
    if (!reads_keys()) type("\x03");
    for (int wait = 0; wait < 3 && text_.find("interrupted") == std::string::npos; ++wait) text_ += read_some();
  }
  return until_prompt();
}

std::string Terminal::until_prompt() {
  const auto limit = Clock::now() + patience;
  while (true) {
    for (const char* prompt : {"> ", ". "}) {
      // A Ctrl-C that comes when an evaluation has just ended is echoed before the prompt, on its line.
      const auto ends_with = [&](const char* before) { return text_.ends_with(std::string(before) + prompt); };
      if (text_ != prompt && !ends_with("\n") && !ends_with("\n^C")) continue;
      // Keys that come before the editor has taken the terminal over would be echoed twice.
      while (!reads_keys() && Clock::now() < limit) usleep(1000);
      prompt_ = prompt;
      std::string out = text_.substr(0, text_.size() - 2);
      text_.clear();
      return out;
    }
    if (Clock::now() > limit || ended_) FAIL("waited for a prompt and saw `" << text_ << "`");
    text_ += read_some();
  }
}

std::string Terminal::enter(const std::string& line) {
  type(line + "\r");
  until(line + "\n");
  // The line's break is the prompt's, should nothing be printed.
  text_.insert(0, "\n");
  return until_prompt().substr(1);
}

void Terminal::give_up() {
  type("\x03");
  until("^C\n");
  text_.insert(0, "\n");
  until_prompt();
}

int Terminal::end() {
  const auto limit = Clock::now() + patience;
  int status = 0;
  while (true) {
    const pid_t gone = waitpid(child_, &status, WNOHANG);
    if (gone == child_) break;
    if (Clock::now() > limit) FAIL("the program does not end; saw `" << text_ << "`");
    if (!ended_) text_ += read_some();
    else usleep(1000);
  }
  ended_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace reckon::test
