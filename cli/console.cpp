#include "cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>

namespace reckon::cli {
namespace {

bool use_color(const std::string& choice, int descriptor) {
  if (choice != "auto") return choice == "always";
  return isatty(descriptor) && !std::getenv("NO_COLOR");
}

}  // namespace

Console::Console(const Common& common)
    : common_(common),
      colored_(use_color(common.color, STDOUT_FILENO)),
      colored_errors_(use_color(common.color, STDERR_FILENO)) {}

void Console::raise(int status) { status_ = graver_status(status_, status); }

void Console::line(const std::string& text) {
  if (!common_.silent) std::cout << text << '\n' << std::flush;
}

void Console::complain(const std::string& text) {
  Message& failure = failures_.emplace_back();
  failure.message = text;
  if (common_.silent) return;
  std::cout.flush();
  std::cerr << "reckon: " << text << '\n';
}

void Console::progress(const std::optional<Progress>& now) {
  if (!now) {
    std::cerr << "\r\033[K" << std::flush;
    return;
  }
  constexpr std::size_t max_text = 40;
  std::string item = now->item.size() > max_text ? now->item.substr(0, max_text - 3) + "..." : now->item;
  std::string line = fmt::format("{}  {}{}", item, now->at, now->at.empty() ? "" : "  ");
  line += now->planned > 0 ? fmt::format("trial {} of {}", now->trials, now->planned) : fmt::format("trial {}", now->trials);
  if (now->seconds > 0) line += fmt::format(", {:.3g} a second", static_cast<double>(now->trials) / now->seconds);
  if (std::isfinite(now->budget)) {
    line += fmt::format(", {:.0f} s left at most", std::max(0.0, now->budget - now->seconds));
  }
  std::cerr << '\r' << line << "\033[K" << std::flush;
}

void Console::print(const std::vector<Shown>& parts) {
  if (common_.quiet) return;
  if (!common_.json) return line(to_text(parts));
  for (const Shown& part : parts) line(to_json(part));
}

void Console::finish() {
  if (common_.quiet || accepted_.checks() < 2) return;
  if (!common_.json) return line(to_text(accepted_));
  for (const Accepted::Row& row : accepted_.rows()) line(to_json(row));
}

void Console::print(const Checked& check) {
  if (check.judged) accepted_.add(check);
  raise(status_of(check, common_.strict));
  if (common_.quiet && check.verdict == "holds") return;
  line(common_.json ? to_json(check) : to_text(check, {.colored = colored_, .verbose = common_.verbose}));
}

/// A text that is no program has a mistake in every line: more messages than this are not read by anyone.
constexpr std::size_t max_messages = 20;

void Console::print(const std::vector<Message>& messages) {
  for (std::size_t k = 0; k < messages.size(); ++k) {
    const Message& message = messages[k];
    raise(message.status);
    if (message.status != good) failures_.push_back(message);
    if (common_.json) {
      line(message.json);
    } else if (!common_.silent && k < max_messages) {
      std::cout.flush();
      std::cerr << (colored_errors_ ? message.colored : message.text);
    }
  }
  if (common_.json || common_.silent || messages.size() <= max_messages) return;
  std::cerr << fmt::format("{} more messages are not shown; `--format=json` has all\n", messages.size() - max_messages);
}

void Console::print(const Event& event) {
  if (auto* parts = std::get_if<std::vector<Shown>>(&event)) print(*parts);
  if (auto* check = std::get_if<Checked>(&event)) print(*check);
  if (auto* messages = std::get_if<std::vector<Message>>(&event)) print(*messages);
  if (auto* saved = std::get_if<Saved>(&event); saved && !common_.quiet) {
    line(common_.json ? to_json(*saved) : to_text(*saved));
  }
}

bool read_definitions(Common& common, Console& console) {
  for (const std::string& text : common.definitions) {
    if (read_definition(text, common.values, common.formats)) continue;
    console.complain(fmt::format("-D {}: write NAME=INT, for example -D n=1000, or NAME=FORMAT, -D T=f32", text));
    console.raise(wrong_usage);
    return false;
  }
  return true;
}

bool gives_no_format(const Common& common, Console& console) {
  if (common.formats.empty()) return true;
  const auto& [name, format] = *common.formats.begin();
  console.complain(fmt::format("-D {0}={1}: a program's items name their formats themselves, as in `check f[{1}] == "
                               "g[{1}]`; here -D gives sizes of checks, -D n=1000",
                               name, format));
  console.raise(wrong_usage);
  return false;
}

bool define_all(Session& session, const Common& common, Console& console) {
  const auto define = [&](const std::string& name, const std::string& value) {
    auto defined = session.load("let " + name + " = " + value, "-D " + name + "=" + value);
    if (!defined) console.print(defined.messages());
    return static_cast<bool>(defined);
  };
  return std::all_of(common.values.begin(), common.values.end(),
                     [&](const auto& each) { return define(each.first, std::to_string(each.second)); }) &&
         std::all_of(common.formats.begin(), common.formats.end(),
                     [&](const auto& each) { return define(each.first, each.second); });
}

std::optional<std::string> read_program(const std::string& path, Console& console) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  if (auto text = Session::read_text(path)) return text;
  console.complain(fmt::format("`{}` cannot be read", path));
  console.raise(wrong_usage);
  return std::nullopt;
}

/// RECKON_KERNELS, a folder, or `off`; else where the XDG base directory specification puts caches.
std::string kernel_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string chosen = variable("RECKON_KERNELS"); !chosen.empty()) return chosen == "off" ? "" : chosen;
  if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/')) return cache + "/reckon/kernels";
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache/reckon/kernels";
  return {};
}

SessionOptions session_options(const Common& common) {
  SessionOptions options;
  options.semantics = common.semantics;
  options.semantics_libraries = common.semantics_libraries;
  options.seed = common.seed;
  options.values = common.values;
  options.explain_rounding = common.explain_rounding;
  options.explain_proofs = common.explain_proofs;
  if (common.budget) options.budget = *common.budget;
  if (isatty(STDERR_FILENO) != 0 && !common.json && !common.silent) options.progress = Console::progress;
  options.kernel_folder = kernel_folder();
  return options;
}

bool semantics_exists(const Session& session, const Common& common, Console& console) {
  auto problems = session.check_semantics(common.semantics.empty() ? usual_semantics() : common.semantics);
  for (Message& problem : problems) problem.status = wrong_usage;  // the program is not at fault
  console.print(problems);
  return problems.empty();
}

}  // namespace reckon::cli
