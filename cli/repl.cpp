// The prompt: entries of one or more lines, and commands that begin with a colon.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/explain.h"
#include "cli/history_file.h"
#include "cli/interrupt.h"
#include "cli/line_editor.h"
#include "cli/options.h"

namespace reckon::cli {
namespace {

constexpr const char* help_text = R"(Type an expression to evaluate it, or an item: fn, let, check, show, save, import.
An entry goes on over several lines until it is complete; an empty line gives it up.
`ans` is the last value.

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
    // Ctrl-C never ends the session: while a line is read, it is a key of the editor.
    const Interruptible interruptible(session_, false);
    if (auto problems = session_.use_library(); !problems.empty()) console_.print(problems);
    if (editor_.interactive()) {
      console_.line(fmt::format("Reckon {}. :help lists commands, Ctrl-D leaves.", Session::version()));
    }
    while (auto entry = read_entry()) {
      if (trimmed(*entry).empty()) continue;
      editor_.remember(*entry);
      if (trimmed(*entry).front() == ':') {
        command(std::string(trimmed(*entry)));
        if (left_) break;
        continue;
      }
      for (const Event& event : session_.enter(*entry).events) console_.print(event);
    }
    if (editor_.interactive()) console_.line("");
    return good;
  }

 private:
  std::vector<std::string> complete(std::string_view before) {
    if (trimmed(before) == ":explain") {
      std::vector<std::string> codes;
      for (const ErrorPage& page : error_pages()) codes.push_back(page.code);
      return codes;
    }
    std::vector<std::string> names = session_.names();
    for (const std::string& keyword : Session::keywords()) names.push_back(keyword);
    if (trimmed(before).empty()) {
      for (const Command& each : commands()) names.emplace_back(each.name);
    }
    for (const std::string& name : session_.all_semantics()) names.push_back(name);
    names.emplace_back("ans");
    return names;
  }

  /// Reads one entry: lines are added as long as the first mistake is that the text ends.
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

  struct Command {
    const char* name;
    const char* abbreviation;
    const char* argument;  ///< as help has it; empty: it takes none
    std::string text;
    void (Repl::*run)(const std::string& argument);
  };

  std::vector<Command> commands() const {
    return {
        {":help", ":h", "", "this", &Repl::help},
        {":type", "", "NAME", "what a name is", &Repl::type},
        {":ir", "", "NAME", "the IR of a circuit", &Repl::ir},
        {":tree", "", "NAME N", "the tree of its first reduction for N leaves; or of a schedule", &Repl::tree},
        {":ptx", "", "NAME", "its PTX", &Repl::ptx},
        {":in", "", "SEMANTICS",
         fmt::format("evaluate in {}; without a name: which one", fmt::join(session_.all_semantics(), ", ")),
         &Repl::set_semantics},
        {":load", "", "FILE", "read and run a file", &Repl::load},
        {":explain", "", "CODE", "what the code of a message means; without one: all codes", &Repl::explain},
        {":quit", ":q", "", "leave (also Ctrl-D)", &Repl::quit}};
  }

  void command(const std::string& text) {
    const auto space = text.find_first_of(" \t");
    const std::string name = text.substr(0, space);
    const std::string argument(space == std::string::npos ? std::string_view() : trimmed(std::string_view(text).substr(space)));
    for (const Command& each : commands()) {
      if (name == each.name || name == each.abbreviation) return (this->*each.run)(argument);
    }
    console_.complain(fmt::format("there is no command `{}`; :help lists them", name));
  }

  void help(const std::string&) {
    std::cout << help_text;
    for (const Command& each : commands()) {
      std::cout << fmt::format("  {:<18} {}\n", fmt::format("{} {}", each.name, each.argument), each.text);
    }
    std::cout << std::flush;
  }

  void quit(const std::string&) { left_ = true; }

  /// Whether a command was given the argument that it needs; complains if not.
  bool given(const std::string& argument, const char* usage) {
    if (argument.empty()) console_.complain(fmt::format("write {}", usage));
    return !argument.empty();
  }

  void load(const std::string& path) {
    if (!given(path, ":load FILE")) return;
    if (auto program = read_program(path, console_)) {
      session_.run(*program, path, [&](const Event& event) { console_.print(event); });
    }
  }

  void explain(const std::string& code) { explain_code(code, console_.json(), console_); }

  void type(const std::string& name) {
    if (!given(name, ":type NAME")) return;
    if (auto line = session_.describe(name)) console_.line(*line);
    else console_.complain(fmt::format("`{}` is not defined", name));
  }

  void ir(const std::string& name) {
    if (given(name, ":ir NAME")) compile(name, Emit::ir);
  }
  void ptx(const std::string& name) {
    if (given(name, ":ptx NAME")) compile(name, Emit::ptx);
  }
  void compile(const std::string& name, Emit emit) {
    CompileOptions options;
    options.emit = emit;
    print(session_.compile(name, options));
  }

  void set_semantics(const std::string& name) {
    if (name.empty()) {
      console_.line(common_.semantics.empty() ? usual_semantics() : common_.semantics);
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
    const std::int64_t leaves = std::stoll(count);
    print(session_.parameters(name) ? session_.tree(name, leaves) : session_.tree_of_schedule(name, leaves));
  }

  void print(const Result<std::string>& result) {
    if (result) console_.line(std::string(trimmed(*result)));
    else console_.print(result.messages());
  }

  Common common_;
  Console console_;
  Session session_;
  LineEditor editor_;
  bool left_ = false;  ///< by `:quit`
};

}  // namespace

int repl(const Common& common) {
  Console console(common);
  return gives_no_format(common, console) ? Repl(common).run() : console.status();
}

}  // namespace reckon::cli
