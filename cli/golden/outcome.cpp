#include "cli/golden/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "cli/golden/lines.h"

namespace reckon::golden {
namespace {

/// The exit statuses of `reckon run` that are no results of a program: docs/command_line.md.
constexpr int wrong_usage = 2, missing_device = 69, internal_error = 70, interrupted = 130;

constexpr std::size_t verdicts = 1 + static_cast<std::size_t>(Verdict::unwritten);

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string seconds_text(double seconds) { return fmt::format("{:.4g} s", seconds); }

/// Of a run that gave no result: what happened. Returns whether that is so.
bool has_no_result(Ended& ended, const ChildrenOptions& options, Outcome& out) {
  const auto is = [&](Verdict verdict, std::string sentence, const std::string& wrote) {
    out.verdict = verdict;
    out.sentence = std::move(sentence);
    out.details = last_lines(wrote);
    return true;
  };
  const std::string& said = ended.messages.empty() ? ended.out : ended.messages;
  switch (ended.how) {
    case Ended::How::timed_out:
      return is(Verdict::no_end, fmt::format("no end within {} (--timeout)", seconds_text(options.timeout.count())),
                ended.out);
    case Ended::How::wrote_too_much:
      return is(Verdict::too_long, fmt::format("more than {} MiB of output", options.most_bytes >> 20), {});
    case Ended::How::not_started:
      return is(Verdict::device, fmt::format("no process can be started: {}", std::strerror(ended.number)), {});
    case Ended::How::signalled:
      return is(Verdict::crashes, fmt::format("signal {} ({})", ended.number, strsignal(ended.number)), said);
    case Ended::How::exited: break;
  }
  switch (ended.number) {
    case wrong_usage: return is(Verdict::refused, "`reckon run` refuses to run it: status 2", said);
    case missing_device: return is(Verdict::device, "a device or tool that it needs is missing: status 69", said);
    case internal_error: return is(Verdict::crashes, "an internal error: status 70", said);
    case interrupted: return is(Verdict::crashes, "interrupted: status 130", said);
    default: return false;
  }
}

}  // namespace

const Consequence& consequence(Verdict verdict) {
  static constexpr std::array<Consequence, verdicts> all{{
      {"passes", "pass", 0, nullptr},
      {"differs", "differ", 1, "failure"},
      {"missing", "missing", 1, "failure"},
      {"twice", "twice", 3, "error"},
      {"alone", "alone", 1, "failure"},
      {"no result", "no result", 2, "error"},
      {"no result", "no result", 2, "error"},
      {"no result", "no result", 69, "error"},
      {"no end", "no end", 1, "error"},
      {"too long", "too long", 1, "error"},
      {"crashes", "crash", 70, "error"},
      {"updated", "updated", 0, nullptr},
      {"written", "written", 0, nullptr},
      {"unwritten", "unwritten", 2, "error"},
  }};
  return all[static_cast<std::size_t>(verdict)];
}

std::string Outcome::difference(DifferenceStyle style) const {
  style.first_line = line;
  const std::string parts = golden::difference(expected, actual, style);
  if (parts.empty()) return {};
  const std::string from = verdict == Verdict::missing || verdict == Verdict::written ? "nothing" : expected_file;
  const std::string left = fmt::format("--- {}", from), right = fmt::format("+++ what `reckon run {}` gives", program);
  if (!style.colored) return fmt::format("{}\n{}\n{}", left, right, parts);
  return fmt::format("\033[1m{}\033[0m\n\033[1m{}\033[0m\n{}", left, right, parts);
}

Outcome judged(const std::string& program, const Expectation& expectation, Ended ended,
               const ChildrenOptions& options) {
  using Place = Expectation::Place;
  Outcome out;
  out.program = program;
  out.seconds = ended.seconds;
  out.expected_file = expectation.place == Place::inside ? program : path_beside(program);
  out.line = expectation.place == Place::inside ? expectation.line : 1;
  if (expectation.place == Place::both) {
    out.verdict = Verdict::twice;
    out.sentence = fmt::format("its expected output stands in {} and in its own last lines, from line {}: remove one",
                               file_name(out.expected_file), expectation.line);
    return out;
  }
  if (has_no_result(ended, options, out)) return out;
  out.expected = expectation.text;
  out.actual = result_text(ended.out, ended.messages, ended.number);
  if (expectation.place == Place::nowhere) {
    out.verdict = Verdict::missing;
    out.sentence = fmt::format("there is neither {} nor a line `#|` at its end; `--update` writes the file",
                               file_name(out.expected_file));
    if (expectation.stray_line > 0) {
      out.sentence +=
          fmt::format(" (lines `#|` such as line {} count at the end of the program only)", expectation.stray_line);
    }
  } else if (out.expected != out.actual) {
    out.verdict = Verdict::differs;
  }
  return out;
}

std::string last_lines(const std::string& text) {
  constexpr std::size_t most = 10;
  const auto lines = lines_of(text);
  std::string out;
  for (std::size_t k = lines.size() - std::min(lines.size(), most); k < lines.size(); ++k) {
    out += lines[k];
    out += '\n';
  }
  return out;
}

std::vector<std::pair<const Consequence*, std::size_t>> tally(const std::vector<Outcome>& outcomes) {
  std::vector<std::pair<const Consequence*, std::size_t>> out;
  for (std::size_t k = 0; k < verdicts; ++k) {
    const auto verdict = static_cast<Verdict>(k);
    const auto count =
        static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(),
                                               [&](const Outcome& outcome) { return outcome.verdict == verdict; }));
    const Consequence* follows = &consequence(verdict);
    if (count == 0) continue;
    if (!out.empty() && std::string_view(out.back().first->word) == follows->word) out.back().second += count;
    else out.emplace_back(follows, count);
  }
  return out;
}

}  // namespace reckon::golden
