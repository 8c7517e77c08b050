#include "cli/test_report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace reckon::cli {
namespace {

using golden::Outcome;
using golden::Verdict;
using Json = nlohmann::ordered_json;

std::size_t columns_of_terminal() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40) return size.ws_col - 1u;
  return golden::DifferenceStyle().width;
}

}  // namespace

TestReport::TestReport(const Common& common, Console& console, std::size_t count, bool updating)
    : common_(common), console_(console), outcomes_(count), known_(count, false), updating_(updating) {
  style_.colored = console.colored();
  style_.width = columns_of_terminal();
  if (common.verbose) style_.most_lines = static_cast<std::size_t>(-1);
  shows_progress_ = isatty(STDERR_FILENO) != 0 && !common.json;
}

void TestReport::add(std::size_t index, Outcome outcome) {
  outcomes_[index] = std::move(outcome);
  known_[index] = true;
  wipe();
  for (; printed_ < outcomes_.size() && known_[printed_]; ++printed_) print(outcomes_[printed_]);
  if (!shows_progress_) return;
  std::cerr << fmt::format("\r{} of {}", std::count(known_.begin(), known_.end(), true), known_.size()) << std::flush;
}

std::vector<Outcome> TestReport::finish(double seconds, std::size_t at_once) {
  wipe();
  std::vector<Outcome> all;
  for (std::size_t k = 0; k < outcomes_.size(); ++k) {
    if (!known_[k]) continue;
    if (k >= printed_) print(outcomes_[k]);
    all.push_back(std::move(outcomes_[k]));
  }
  if (common_.json) {
    Json summary{{"kind", "tests"}, {"tests", all.size()}, {"verdicts", Json::object()}};
    for (const auto& [follows, count] : golden::tally(all)) summary["verdicts"][follows->word] = count;
    summary["seconds"] = seconds;
    console_.line(summary.dump());
  } else if (!common_.quiet || !all_good_) {
    print_summary(all, seconds, at_once);
  }
  return all;
}

void TestReport::wipe() {
  if (shows_progress_) std::cerr << "\r\033[K" << std::flush;
}

void TestReport::print(const Outcome& outcome) {
  const golden::Consequence& follows = golden::consequence(outcome.verdict);
  const bool is_good = follows.status == good;
  console_.raise(follows.status);
  all_good_ = all_good_ && is_good;
  differing_ += outcome.verdict == Verdict::differs;
  if (common_.json) return print_json(outcome);
  const bool changed = outcome.verdict == Verdict::updated || outcome.verdict == Verdict::written;
  if (is_good && !common_.verbose && (!changed || common_.quiet)) return;
  std::string word = fmt::format("{:<9}", follows.word);
  if (console_.colored()) word = fmt::format("\033[{}m{}\033[0m", !is_good ? 31 : changed ? 33 : 32, word);
  std::string text = fmt::format("{} {}", word, changed ? outcome.expected_file : outcome.program);
  if (!outcome.sentence.empty()) text += changed ? "  (" + outcome.sentence + ")" : ": " + outcome.sentence;
  if (common_.verbose) text += fmt::format("  ({:.2f} s)", outcome.seconds);
  console_.line(text);
  std::string more = outcome.details;
  if (outcome.verdict == Verdict::differs || common_.verbose) more += outcome.difference(style_);
  if (!more.empty()) console_.line(more);  // which leaves an empty line behind it
}

void TestReport::print_json(const Outcome& outcome) {
  Json out{{"kind", "test"},
           {"program", outcome.program},
           {"verdict", golden::consequence(outcome.verdict).word},
           {"seconds", outcome.seconds}};
  if (!outcome.expected_file.empty()) {
    out["expected"] = outcome.expected_file;
    out["line"] = outcome.line;
  }
  if (!outcome.sentence.empty()) out["message"] = outcome.sentence;
  if (!outcome.details.empty()) out["output"] = outcome.details;
  if (const std::string difference = outcome.difference({}); !difference.empty()) out["difference"] = difference;
  console_.line(out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void TestReport::print_summary(const std::vector<Outcome>& all, double seconds, std::size_t at_once) {
  std::vector<std::string> parts;
  for (const auto& [follows, count] : golden::tally(all)) {
    parts.push_back(fmt::format("{} {}", count, count == 1 ? follows->word : follows->of_several));
  }
  console_.line(fmt::format("{} test{}: {}  ({:.2f} s, {} at a time)", all.size(), all.size() == 1 ? "" : "s",
                            fmt::join(parts, ", "), seconds, at_once));
  if (differing_ > 0 && !updating_)
    console_.line("If the new results are right, `--update` makes them the expected ones.");
}

}  // namespace reckon::cli
