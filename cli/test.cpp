#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/golden/children.h"
#include "cli/golden/junit.h"
#include "cli/golden/outcome.h"
#include "cli/golden/selection.h"
#include "cli/options.h"
#include "cli/test_report.h"

namespace reckon::cli {
namespace {

using golden::Expectation;
using golden::Outcome;
using golden::Verdict;
namespace fs = std::filesystem;

std::atomic<bool> interrupted_by_user = false;

/// While it lives, Ctrl-C ends the programs that run, and what is known by then is reported.
class StopsAtInterrupt {
 public:
  StopsAtInterrupt() {
    interrupted_by_user = false;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted_by_user = true; };
    sigaction(SIGINT, &action, &before_);
  }
  ~StopsAtInterrupt() { sigaction(SIGINT, &before_, nullptr); }
  StopsAtInterrupt(const StopsAtInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

/// The options of `reckon run` with which every program runs, as on this command line.
std::vector<std::string> options_of_run(const Common& common) {
  std::vector<std::string> out{"run", "--color=never", fmt::format("--budget={}", common.budget.value_or(SessionOptions().budget))};
  if (!common.semantics.empty()) out.push_back("--in=" + common.semantics);
  for (const std::string& library : common.semantics_libraries) {
    out.push_back("--semantics-library=" + fs::absolute(library).string());
  }
  for (const std::string& definition : common.definitions) out.insert(out.end(), {"-D", definition});
  if (common.seed) out.push_back(fmt::format("--seed={}", *common.seed));
  if (common.explain_rounding) out.emplace_back("--explain-rounding");
  if (common.explain_proofs) out.emplace_back("--explain-proofs");
  if (common.strict) out.emplace_back("--strict");
  return out;
}

/// Every program runs in its own folder, so that what it prints of paths, and what it loads, is the same wherever the
/// tests are started.
golden::Command command_for(const std::string& program, std::vector<std::string> words) {
  const fs::path path(program);
  words.insert(words.end(), {"--", path.filename().string()});
  return {std::move(words), path.has_parent_path() ? path.parent_path().string() : "."};
}

/// The text of a regular file, or of a link to one; nothing if it cannot be read.
std::optional<std::string> readable(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) ? Session::read_text(path) : std::nullopt;
}

Outcome unreadable(const std::string& program, const std::string& file) {
  Outcome out;
  out.program = program;
  out.verdict = Verdict::unreadable;
  out.sentence = fmt::format("`{}` cannot be read", file);
  return out;
}

/// The first line of what a program says of itself, and its status; empty if all is good. Whoever makes a result the
/// expected one should see that it is a failure.
std::string failure_in(const golden::Ended& ended) {
  if (ended.number == 0) return {};
  return fmt::format("status {}{}{}", ended.number, ended.messages.empty() ? "" : ": ",
                     ended.messages.substr(0, ended.messages.find('\n')));
}

/// Makes what the program gave the expected output.
void update(Outcome& outcome, const std::string& text, const std::optional<std::string>& beside,
            const std::string& failure) {
  const bool is_new = outcome.verdict == Verdict::missing;
  const bool inside = outcome.expected_file == outcome.program;
  const std::string bytes =
      inside ? golden::with_expectation(text, outcome.actual) : golden::beside_file(outcome.actual, beside);
  // A file is replaced by another one of its name, which the file's own permissions would not forbid.
  std::error_code error;
  constexpr fs::perms writable = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  const bool read_only =
      !is_new && (fs::status(outcome.expected_file, error).permissions() & writable) == fs::perms::none;
  const std::string problem = read_only ? "it is read-only" : Session::write_file(outcome.expected_file, bytes);
  if (!problem.empty()) {
    outcome.verdict = Verdict::unwritten;
    outcome.sentence = fmt::format("{} cannot be written: {}", outcome.expected_file, problem);
    return;
  }
  outcome.verdict = is_new ? Verdict::written : Verdict::updated;
  outcome.sentence = failure;
}

Outcome outcome_of(const std::string& program, golden::Ended ended, const golden::ChildrenOptions& options,
                   bool updating) {
  const std::string file = golden::path_beside(program);
  const auto text = readable(program);
  if (!text) return unreadable(program, program);
  const auto beside = readable(file);
  std::error_code error;
  if (!beside && fs::exists(fs::symlink_status(file, error))) return unreadable(program, file);
  const std::string failure = failure_in(ended);
  Outcome out = golden::judged(program, golden::read_expectation(*text, beside), std::move(ended), options);
  if (updating && (out.verdict == Verdict::differs || out.verdict == Verdict::missing)) {
    update(out, *text, beside, failure);
  }
  return out;
}

/// The programs and the expected outputs without one, in one order; nothing, with complaints, if the paths are wrong.
std::optional<golden::Selection> selected(const TestCommand& command, Console& console) {
  golden::Selection found = golden::select(command.paths, command.names);
  for (const std::string& problem : found.problems) console.complain(problem);
  if (found.problems.empty() && found.programs.empty() && found.alone.empty()) {
    console.complain(fmt::format("-k {}: no path of the {} program{} here contains {}",
                                 fmt::join(command.names, " -k "), found.found, found.found == 1 ? "" : "s",
                                 command.names.size() == 1 ? "it" : "one of these"));
    console.raise(wrong_usage);
  }
  if (!found.problems.empty()) console.raise(wrong_usage);
  if (console.status() != good) return std::nullopt;
  return found;
}

Outcome without_program(const std::string& file) {
  Outcome out;
  out.program = file;
  out.verdict = Verdict::alone;
  out.sentence =
      fmt::format("there is no program {} for it", fs::path(file).filename().replace_extension(".rk").string());
  return out;
}

}  // namespace

int test(const TestCommand& command, const Common& common) {
  Console console(common);
  if (!common.semantics.empty() && !semantics_exists(Session(session_options(common)), common, console)) {
    return console.status();
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto selection = selected(command, console);
  if (!selection) return console.status();
  std::vector<std::string> paths = selection->programs;
  paths.insert(paths.end(), selection->alone.begin(), selection->alone.end());
  std::sort(paths.begin(), paths.end());

  golden::ChildrenOptions options;
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  options.at_once = std::min(command.jobs > 0 ? static_cast<std::size_t>(command.jobs) : threads,
                             std::max<std::size_t>(selection->programs.size(), 1));
  options.timeout = std::chrono::duration<double>(command.timeout);
  TestReport report(common, console, paths.size(), command.update);
  std::vector<golden::Command> commands;
  std::vector<std::size_t> index_of;  // among the paths, of each command
  for (std::size_t k = 0; k < paths.size(); ++k) {
    if (!paths[k].ends_with(".rk")) {
      report.add(k, without_program(paths[k]));
    } else if (!readable(paths[k])) {
      report.add(k, unreadable(paths[k], paths[k]));
    } else {
      commands.push_back(command_for(paths[k], options_of_run(common)));
      index_of.push_back(k);
    }
  }
  {
    const StopsAtInterrupt stops;
    golden::run_children(commands, options, interrupted_by_user, [&](std::size_t k, golden::Ended ended) {
      const std::string& path = paths[index_of[k]];
      report.add(index_of[k], outcome_of(path, std::move(ended), options, command.update));
    });
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::vector<Outcome> all = report.finish(seconds, options.at_once);
  if (interrupted_by_user) {
    console.complain(fmt::format("interrupted: {} of {} tests were not done", paths.size() - all.size(), paths.size()));
    console.raise(interrupted);
  }
  if (!command.junit.empty()) {
    const std::string problem = Session::write_file(command.junit, golden::junit_report(all, seconds));
    if (!problem.empty()) {
      console.complain(fmt::format("--junit: `{}` cannot be written: {}", command.junit, problem));
      console.raise(wrong_usage);
    }
  }
  return console.status();
}

}  // namespace reckon::cli
