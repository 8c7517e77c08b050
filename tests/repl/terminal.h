// `reckon` on a terminal: a pseudo-terminal that a test types into. Nothing here waits for a time to pass; everything
// waits for text to appear.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::test {

/// Whether pseudo-terminals can be made here; a bare chroot has none. Says so where not: the case is skipped.
bool have_terminals();

class Terminal {
 public:
  /// Starts the REPL, with its history below `state`, and waits for the first prompt.
  explicit Terminal(const std::filesystem::path& state, const std::vector<std::string>& arguments = {});
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Keys, as a keyboard sends them.
  void type(std::string_view keys);
  /// What appears until `text` has; terminal controls and carriage returns are left out. Fails the test after a minute.
  std::string until(std::string_view text);
  /// Types a line and gives what is printed between its echo and the next prompt.
  std::string enter(const std::string& line);
  /// The prompt that stands now: `> ` for an entry, `. ` for more of one.
  const std::string& prompt() const { return prompt_; }
  /// Ctrl-C on the line that is being typed: gives it up.
  void give_up();
  /// Types a line that takes long, and Ctrl-C while it runs; gives what is printed up to the next prompt.
  std::string interrupt(const std::string& line);
  /// Waits for the end; the exit status, or 128 + the signal that ended it.
  int end();

 private:
  std::string read_some();
  bool reads_keys() const;  ///< the line editor reads, and not the usual terminal
  std::string until_prompt();

  int terminal_ = -1;
  int child_ = -1;
  std::string raw_;   ///< an unfinished escape sequence
  std::string text_;  ///< what appeared and has not been given out
  std::string prompt_;
  bool ended_ = false;
};

}  // namespace reckon::test
