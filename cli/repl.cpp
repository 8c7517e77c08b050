// The prompt: entries of one or more lines, and commands that begin with a colon.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/history_file.h"
#include "cli/interrupt.h"
#include "cli/line_editor.h"
#include "cli/options.h"

namespace reckon::cli {
namespace {

constexpr const char* help_text =
    R"(Type an expression to evaluate it, or an item: fn, let, check, show, save, import.
An entry goes on over several lines until it is complete; an empty line gives it up.
`ans` is the last value.

  :help              this
  :type NAME         what a name is
  :ir NAME           the IR of a circuit
  :tree NAME N       the tree of its first reduction for N leaves; or of a schedule
  :ptx NAME          its PTX
  :in SEMANTICS      evaluate in float, exact, interval, fpsan, padic, count; without a name: which one
  :load FILE         read and run a file
  :quit              leave (also Ctrl-D)
)";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

class Repl {
 public:
  explicit Repl(const Common& common)
      : common_(common),
        console_(common_),
        session_(session_options(common)),
        editor_(HistoryFile::default_path(), [this](std::string_view, std::string_view before) { return complete(before); }) {}

  int run() {
    // It never ends the session: while a line is read, Ctrl-C is a key of the editor.
    const Interruptible interruptible(session_, false);
    if (auto problems = session_.use_library(); !problems.empty()) console_.print(problems);
    if (editor_.interactive()) {
      console_.line(fmt::format("Reckon {}. :help lists commands, Ctrl-D leaves.", Session::version()));
    }
    while (auto entry = read_entry()) {
      if (trimmed(*entry).empty()) continue;
      editor_.remember(*entry);
      if (trimmed(*entry).front() == ':') {
        if (!command(std::string(trimmed(*entry)))) break;
        continue;
      }
      for (const Event& event : session_.enter(*entry).events) console_.print(event);
    }
    if (editor_.interactive()) console_.line("");
    return good;
  }

 private:
  std::vector<std::string> complete(std::string_view before) {
    std::vector<std::string> names = session_.names();
    for (const std::string& keyword : Session::keywords()) names.push_back(keyword);
    if (trimmed(before).empty()) {
      for (const char* each : {":help", ":type", ":ir", ":tree", ":ptx", ":in", ":load", ":quit"}) names.emplace_back(each);
    }
    for (const std::string& name : Session::semantics_names()) names.push_back(name);
    names.emplace_back("ans");
    return names;
  }

  /// One entry: lines are added exactly while the first mistake is that the text ends.
  std::optional<std::string> read_entry() {
    std::string entry;
    while (true) {
      auto line = editor_.read(entry.empty() ? "> " : ". ");
      if (editor_.interrupted()) return std::string();
      if (!line) return entry.empty() ? std::nullopt : std::optional(entry);
      const bool gave_up = !entry.empty() && trimmed(*line).empty();
      entry += (entry.empty() ? "" : "\n") + *line;
      const std::string_view text = trimmed(entry);
      if (gave_up || text.empty() || text.front() == ':' || !session_.incomplete(entry)) return entry;
    }
  }

  bool command(const std::string& text) {
    const auto space = text.find_first_of(" \t");
    const std::string name = text.substr(0, space);
    const std::string argument(space == std::string::npos ? std::string_view() : trimmed(std::string_view(text).substr(space)));
    if (name == ":quit" || name == ":q") return false;
    if (name == ":help" || name == ":h") {
      std::cout << help_text << std::flush;
    } else if (name == ":in") {
      set_semantics(argument);
    } else if (argument.empty() && (name == ":load" || name == ":type" || name == ":ir" || name == ":ptx")) {
      console_.complain(fmt::format("write {} {}", name, name == ":load" ? "FILE" : "NAME"));
    } else if (name == ":load") {
      if (auto program = read_program(argument, console_)) {
        session_.run(*program, argument, [&](const Event& event) { console_.print(event); });
      }
    } else if (name == ":type") {
      if (auto line = session_.describe(argument)) console_.line(*line);
      else console_.complain(fmt::format("`{}` is not defined", argument));
    } else if (name == ":ir" || name == ":ptx") {
      CompileOptions options;
      options.emit = name == ":ir" ? Emit::ir : Emit::ptx;
      print(session_.compile(argument, options));
    } else if (name == ":tree") {
      tree(argument);
    } else {
      console_.complain(fmt::format("there is no command `{}`; :help lists them", name));
    }
    return true;
  }

  void set_semantics(const std::string& name) {
    if (name.empty()) {
      console_.line(common_.semantics.empty() ? "float" : common_.semantics);
      return;
    }
    if (auto problems = session_.check_semantics(name); !problems.empty()) {
      console_.print(problems);
      return;
    }
    common_.semantics = name;
    session_.set_semantics(name);
  }

  void tree(const std::string& argument) {
    const auto space = argument.find_last_of(" \t");
    const std::string count = space == std::string::npos ? "" : argument.substr(space + 1);
    if (count.empty() || count.size() > 9 || !std::all_of(count.begin(), count.end(), [](unsigned char c) { return std::isdigit(c); })) {
      console_.complain("write :tree NAME N, for example `:tree dot 8` or `:tree lanes(4, tree) then tree 8`");
      return;
    }
    const std::string name(trimmed(std::string_view(argument).substr(0, space)));
    if (session_.parameters(name)) {
      print(session_.tree(name, std::stoll(count)));
      return;
    }
    auto values = session_.evaluate(fmt::format("parens({}, {})", name, count));
    if (values) console_.print(*values);
    else console_.print(values.messages());
  }

  void print(const Result<std::string>& result) {
    if (result) console_.line(std::string(trimmed(*result)));
    else console_.print(result.messages());
  }

  Common common_;
  Console console_;
  Session session_;
  LineEditor editor_;
};

}  // namespace

int repl(const Common& common) {
  Console console(common);
  return gives_no_format(common, console) ? Repl(common).run() : console.status();
}

}  // namespace reckon::cli
