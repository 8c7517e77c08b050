// The prompt: entries of one or more lines, and commands that begin with a colon.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "cli/documentation.h"
#include "cli/explain.h"
#include "cli/history_file.h"
#include "cli/interrupt.h"
#include "cli/line_editor.h"
#include "cli/options.h"
#include "cli/prompt_words.h"

namespace reckon::cli {
namespace {

constexpr const char* help_text = R"(Type an expression to evaluate it, or an item: fn, let, check, show, save, import.
`x = [1, 2]` means `let x = [1, 2]`. `sqrt(2) in exact` evaluates in a semantics. `ans` is the last value.
An entry goes on over several lines until it is complete; an empty line gives it up.
Tab completes names; Ctrl-R searches what was entered before; Ctrl-C gives a line up, or stops what runs.

)";

constexpr std::size_t longest_listed = 100;  // of a definition in `:ls`

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// `dot 8` as `dot` and `8`; the second is empty if the text does not end in a number.
std::pair<std::string, std::string> name_and_count(const std::string& text) {
  const auto space = text.find_last_of(" \t");
  if (space == std::string::npos || !is_number(std::string_view(text).substr(space + 1))) return {text, {}};
  return {std::string(trimmed(std::string_view(text).substr(0, space))), text.substr(space + 1)};
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
      if (const auto word = prompt_word(*entry, session_.names(), command_names())) {
        if (word->command.empty()) console_.complain(word->sentence);
        else command(word->command);
        if (left_) break;
        continue;
      }
      enter(*entry);
    }
    if (editor_.interactive()) console_.line("");
    return good;
  }

 private:
  std::vector<std::string> complete(std::string_view before) {
    std::vector<std::string> codes;
    for (const ErrorPage& page : error_pages()) codes.push_back(page.code);
    if (trimmed(before) == ":explain") return codes;
    if (trimmed(before) == ":format") return Session::number_formats();
    std::vector<std::string> names = session_.names();
    for (const std::string& keyword : Session::keywords()) names.push_back(keyword);
    if (trimmed(before) == ":doc") {
      names.insert(names.end(), codes.begin(), codes.end());
      for (const std::string& name : documented_names()) names.push_back(name);
    }
    if (trimmed(before).empty()) names.insert(names.end(), command_names_.begin(), command_names_.end());
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
    return {{":help", ":h", "", "this", &Repl::help},
            {":doc", "", "NAME", "what a name, a semantics, a command or a code means, with an example", &Repl::doc},
            {":type", "", "NAME", "what a name is", &Repl::type},
            {":ir", "", "NAME", "the IR of a circuit", &Repl::ir},
            {":tree", "", "NAME N", "the tree of its first reduction for N leaves; or of a schedule", &Repl::tree},
            {":draw", "", "NAME N", "a picture of that tree; of a layout, without N", &Repl::draw},
            {":ptx", "", "NAME", "its PTX", &Repl::ptx},
            {":in", "", "SEMANTICS",
             fmt::format("evaluate in {}; without a name: which one", fmt::join(session_.all_semantics(), ", ")),
             &Repl::set_semantics},
            {":format", "", "FORMAT", "show numbers that meet no format in f64, f32, ...; without one: which",
             &Repl::set_format},
            {":budget", "", "SECONDS", "that a check may take; without a number: how many", &Repl::set_budget},
            {":time", "", "ENTRY", "evaluate an entry, and say how long it took", &Repl::time},
            {":ls", "", "", "the definitions of this session", &Repl::list},
            {":save", "", "FILE", "write them as a program", &Repl::save},
            {":load", "", "FILE", "read and run a file", &Repl::load},
            {":reload", "", "", "read and run the files of `:load` again", &Repl::reload},
            {":explain", "", "CODE", "what the code of a message means; without one: all codes", &Repl::explain},
            {":quit", ":q", "", "leave (also Ctrl-D)", &Repl::quit}};
  }

  std::vector<std::string> command_names() const {
    std::vector<std::string> out;
    for (const Command& each : commands()) out.emplace_back(each.name);
    return out;
  }

  void command(const std::string& text) {
    const auto space = text.find_first_of(" \t");
    const std::string name = text.substr(0, space);
    const std::string argument(space == std::string::npos ? std::string_view() : trimmed(std::string_view(text).substr(space)));
    for (const Command& each : commands()) {
      if (name == each.name || name == each.abbreviation) return (this->*each.run)(argument);
    }
    if (name == ":?") return help(argument);
    std::vector<std::string> names = command_names();
    const auto near = Session::nearest(name, names);
    console_.complain(
        fmt::format("there is no command `{}`; {}", name,
                    near ? fmt::format("did you mean `{}`? :help lists them", *near) : ":help lists them"));
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

  void enter(const std::string& entry) {
    for (const Event& event : session_.enter(entry).events) console_.print(event);
  }

  void load(const std::string& path) {
    if (!given(path, ":load FILE")) return;
    if (auto program = read_program(path, console_)) {
      std::erase(loaded_, path);
      loaded_.push_back(path);
      session_.run(*program, path, [&](const Event& event) { console_.print(event); });
    }
  }

  void reload(const std::string&) {
    if (loaded_.empty()) return console_.complain("no file was loaded yet: `:load FILE` does");
    for (const std::string& path : std::vector<std::string>(loaded_)) load(path);
  }

  void doc(const std::string& name) {
    if (!given(name, ":doc NAME")) return;
    for (const Command& each : commands()) {
      if (name != each.name && ":" + name != each.name) continue;
      if (":" + name == each.name && documentation(session_, name)) break;  // `in`, a keyword
      return console_.line(fmt::format("{} {}: {}", each.name, each.argument, each.text));
    }
    if (const auto text = documentation(session_, name)) return console_.line(*text);
    const bool is_code =
        name.size() > 1 && (name[0] == 'E' || name[0] == 'e') && is_number(std::string_view(name).substr(1));
    if (is_code) return explain_code(name, console_.json(), console_);
    std::vector<std::string> names = documented_names();
    for (const std::string& each : session_.names()) names.push_back(each);
    const auto near = Session::nearest(name, names);
    console_.complain(near ? fmt::format("nothing is called `{}`; did you mean `{}`?", name, *near)
                           : fmt::format("nothing is called `{}`; Tab completes names", name));
  }

  void list(const std::string&) {
    std::string last;  // `let (a, b) = t` is the text of both
    for (const Session::Definition& each : session_.definitions()) {
      if (std::exchange(last, each.text) == each.text) continue;
      std::string text = each.text.substr(0, each.text.find('\n'));
      if (text.size() > longest_listed) text = text.substr(0, longest_listed - 3) + "...";
      else if (text.size() < each.text.size()) text += " ...";
      console_.line(text);
    }
  }

  void save(const std::string& path) {
    if (!given(path, ":save FILE")) return;
    std::error_code error;
    const bool own = std::ranges::find(saved_, path) != saved_.end();
    if (!own && std::filesystem::exists(path, error)) {
      return console_.complain(fmt::format("`{}` is there already: name another file", path));
    }
    const std::string text = session_.definitions_text();
    // A definition that names `ans` means something in this session alone.
    Session fresh(session_options(common_));
    if (const auto loaded = fresh.load(text, path); !loaded) {
      console_.print(loaded.messages());
      return console_.complain("nothing was saved: these definitions would not load again");
    }
    if (const std::string problem = Session::write_file(path, text); !problem.empty()) {
      return console_.complain(fmt::format("`{}` cannot be written: {}", path, problem));
    }
    if (!own) saved_.push_back(path);
    const std::size_t count = session_.definitions().size();
    console_.print(Event(Saved{path, fmt::format("{} definition{}", count, count == 1 ? "" : "s")}));
  }

  void time(const std::string& entry) {
    if (!given(entry, ":time ENTRY")) return;
    const auto start = std::chrono::steady_clock::now();
    enter(entry);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const bool short_time = taken.count() < 1;
    console_.line(
        fmt::format("took {:.3g} {}", short_time ? 1e3 * taken.count() : taken.count(), short_time ? "ms" : "s"));
  }

  void set_format(const std::string& name) {
    if (name.empty()) return console_.line(session_.number_format());
    if (auto problems = session_.set_number_format(name); !problems.empty()) console_.print(problems);
  }

  void set_budget(const std::string& text) {
    if (text.empty()) return console_.line(fmt::format("{:g} s", session_.budget()));
    double seconds = 0;
    const std::string_view digits = std::string_view(text).substr(0, text.size() - (text.ends_with('s') ? 1 : 0));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    if (error != std::errc() || end != digits.data() + digits.size() || !(seconds > 0) || seconds > 1e6) {
      return console_.complain("write :budget SECONDS, a number above 0, for example `:budget 30`");
    }
    session_.set_budget(seconds);
  }

  void draw(const std::string& argument) {
    if (!given(argument,
               ":draw NAME N, for example `:draw dot 8` or `:draw tree 8`, or of a layout `:draw (4,8):(8,1)`"))
      return;
    const auto [name, count] = name_and_count(argument);
    if (!session_.parameters(name)) {
      DrawOptions options;
      if (!count.empty()) options.leaves = std::stoll(count);
      return picture(session_.draw(name, options));
    }
    if (count.empty()) return console_.complain(fmt::format("for how many leaves? `:draw {} 8`", name));
    const auto tree = session_.tree(name, std::stoll(count));
    if (!tree) return console_.print(tree.messages());
    picture(session_.draw("'" + *tree));
  }
  void picture(const Result<std::string>& picture) {
    if (picture) console_.line(picture->substr(0, picture->find_last_not_of('\n') + 1));
    else console_.print(picture.messages());
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
    const auto [name, count] = name_and_count(argument);
    if (count.empty()) {
      console_.complain("write :tree NAME N, for example `:tree dot 8` or `:tree lanes(4, tree) then tree 8`");
      return;
    }
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
  std::vector<std::string> command_names_ = command_names();
  LineEditor editor_;
  std::vector<std::string> loaded_, saved_;  ///< files of `:load` and `:save`
  bool left_ = false;  ///< by `:quit`
};

}  // namespace

int repl(const Common& common) {
  Console console(common);
  return gives_no_format(common, console) ? Repl(common).run() : console.status();
}

}  // namespace reckon::cli
