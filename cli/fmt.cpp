#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "api/reckon/source.h"
#include "cli/golden/difference.h"
#include "cli/golden/selection.h"
#include "cli/options.h"

namespace reckon::cli {
namespace {

/// What `--check` says of a file: the lines that would change.
std::string what_would_change(std::string text, const std::string& formatted, const std::string& path, bool colored) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  const std::string lines = golden::difference(text, formatted, {.colored = colored});
  return fmt::format("--- {0}\n+++ {0}, formatted\n{1}", path, lines.empty() ? "the last line does not end\n" : lines);
}

class Formatting {
 public:
  Formatting(bool checks, bool quiet, Console& console) : checks_(checks), quiet_(quiet), console_(console) {}

  void standard_input() {
    const auto text = read_program("-", console_);
    const auto formatted = text ? format_source(*text, "standard input") : Result<std::string>(std::vector<Message>());
    if (!formatted) return console_.print(formatted.messages());
    if (checks_) {
      note_checked("standard input", *text, *formatted);
    } else {
      std::cout << *formatted << std::flush;
    }
  }

  void file(const std::string& path) {
    const auto text = read_program(path, console_);
    if (!text) return;
    const auto formatted = format_source(*text, path);
    if (!formatted) return console_.print(formatted.messages());
    if (checks_) return note_checked(path, *text, *formatted);
    if (*formatted != *text) {
      const std::string problem = Session::write_file(path, *formatted);
      if (!problem.empty()) {
        console_.complain(fmt::format("{} cannot be written: {}", path, problem));
        return console_.raise(wrong_usage);
      }
    }
    report(path, *formatted != *text, path);
  }

 private:
  void note_checked(const std::string& path, const std::string& text, const std::string& formatted) {
    const bool differs = formatted != text;
    if (differs) console_.raise(check_failed);
    std::string difference = differs ? what_would_change(text, formatted, path, console_.colored()) : "";
    if (!difference.empty()) difference.pop_back();
    report(path, differs, difference);
  }

  void report(const std::string& path, bool changed, const std::string& text) {
    using Json = nlohmann::ordered_json;
    if (console_.json()) {
      console_.line(Json{{"kind", "formatted"}, {"file", path}, {"changed", changed}}.dump());
    } else if (changed && !quiet_) {
      console_.line(text);
    }
  }

  bool checks_, quiet_;
  Console& console_;
};

}  // namespace

int format(const FmtCommand& command, const Common& common) {
  Console console(common);
  Formatting formatting(command.check, common.quiet, console);
  if (command.paths == std::vector<std::string>{"-"}) {
    formatting.standard_input();
    return console.status();
  }
  const golden::Selection found = golden::select(command.paths, {});
  for (const std::string& problem : found.problems) {
    console.complain(problem);
    console.raise(wrong_usage);
  }
  for (const std::string& path : found.programs) formatting.file(path);
  return console.status();
}

}  // namespace reckon::cli
