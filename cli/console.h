// What every subcommand shares: where output goes, in which form, and the exit status so far.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/reckon/reckon.h"
#include "api/reckon/render.h"

namespace reckon::cli {

/// docs/command_line.md says when the program ends with each status.
enum Status : int {
  good = 0,
  check_failed = 1,
  wrong_usage = 2,
  source_error = 3,
  undecided = 4,
  missing = 69,
  internal_error = 70,
  interrupted = 130,
};

struct Common {
  std::string semantics;                        ///< --in
  std::vector<std::string> semantics_libraries; ///< --semantics-library
  std::vector<std::string> definitions;         ///< -D NAME=INT, -D NAME=FORMAT
  std::map<std::string, std::int64_t> values;   ///< the same, read
  std::map<std::string, std::string> formats;
  std::optional<std::int64_t> seed;
  bool json = false;
  std::string color = "auto";
  bool quiet = false;
  bool strict = false;
  bool verbose = false;
  std::optional<double> budget;                 ///< seconds that a check may take
  bool explain_proofs = false;
  bool explain_rounding = false;
  bool silent = false;                          ///< another rank of the job prints (cli/call.cpp, cli/run.cpp)
};

class Console {
 public:
  explicit Console(const Common& common);

  /// Prints an outcome: results to standard output, messages to standard error (in JSON: to standard output as well).
  void print(const Event& event);
  void print(const std::vector<Shown>& parts);
  void print(const Checked& check);
  void print(const std::vector<Message>& messages);
  void line(const std::string& text);           ///< to standard output
  void complain(const std::string& text);       ///< `reckon: ...` to standard error

  /// At the end of a program: of its checks in `accept(P)`, if there are two or more, how many results of each operation
  /// were judged and how they came out.
  void finish();

  /// A line on the terminal's standard error that is written over; no value wipes it out.
  static void progress(const std::optional<Progress>& now);

  int status() const { return status_; }
  /// What was wrong so far.
  const std::vector<Message>& failures() const { return failures_; }
  void raise(int status);                       ///< the graver of two statuses stays (graver_status)
  bool json() const { return common_.json; }
  bool colored() const { return colored_; }
  bool colored_errors() const { return colored_errors_; }

 private:
  const Common& common_;
  Accepted accepted_;
  std::vector<Message> failures_;
  bool colored_ = false;
  bool colored_errors_ = false;
  int status_ = good;
};

/// `NAME=INT` and `NAME=FORMAT` options as `values` and `formats`; complains if one is malformed.
bool read_definitions(Common& common, Console& console);

/// Whether `-D` gives no format: a program's items name theirs (`check f[f32] == g[f32]`). Complains if it does.
bool gives_no_format(const Common& common, Console& console);

/// The same as `let`s of the session, for expressions; complains if a name or a format is none.
bool define_all(Session& session, const Common& common, Console& console);

/// The text of a file, or of standard input for `-`; complains and gives nothing if it cannot be read.
std::optional<std::string> read_program(const std::string& path, Console& console);

SessionOptions session_options(const Common& common);

/// Whether the semantics of `--in` exists; complains if not.
bool semantics_exists(const Session& session, const Common& common, Console& console);

}  // namespace reckon::cli
