// A child process that receives bytes and answers. Boxes run in one, so that a box that crashes, hangs or writes
// garbage does no harm.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"

namespace reckon::reveal {

class Process {
 public:
  /// Runs `body` in the child, with its standard input and output connected to us; its result is the exit status.
  static Expected<std::unique_ptr<Process>> start(const std::function<int()>& body);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// Ends the process and those that it started.
  ~Process();

  struct Reply {
    std::string bytes;
    bool enough = false;     ///< what was waited for came
    bool timed_out = false;  ///< else the process closed its output
  };
  /// Sends `text` (and the end of input, if it is the last), and reads until `enough` or the end of its output. Both at
  /// once: neither side can block the other.
  Reply exchange(std::string_view text, bool last, const std::function<bool(const std::string&)>& enough,
                 std::chrono::milliseconds timeout);

  /// Waits for the end of the process, at most for `timeout`, and says how it ended: empty for status 0, else
  /// `status 3` or `signal 11 (Segmentation fault)`, for example.
  std::string ending(std::chrono::milliseconds timeout);
  /// The last lines that it wrote to standard error.
  std::string complaints() const;

 private:
  Process() = default;
  pid_t child_ = -1;
  int to_ = -1, from_ = -1, errors_ = -1;
};

}  // namespace reckon::reveal
