#include "tests/verdicts/pairs.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/sanitized.h"

namespace reckon::test {
namespace {

constexpr std::array<std::string_view, 9> miss_names{"false holds", "false fails", "decided",  "none", "slow",
                                                     "undecided",   "weak",        "no words", "right"};
constexpr std::array<std::string_view, 3> strengths{"observed", "agreed", "proved"};

std::filesystem::path folder() { return source_folder() / "tests/verdicts"; }
std::filesystem::path list_path() { return folder() / "known_misses.txt"; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

std::vector<std::string> fields_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find("; ", from), text.size());
    out.push_back(text.substr(from, to - from));
    from = to + 2;
  }
  return out;
}

/// `holds proved; says: ...; truth: ...` into the pair.
void read_expectation(Pair& pair, const std::string& text) {
  const std::vector<std::string> fields = fields_of(text);
  std::istringstream words(fields[0]);
  for (std::string word; words >> word;) {
    if (word == "holds" || word == "fails" || word == "undecided") pair.verdicts.push_back(word);
    else if (std::ranges::count(strengths, word) == 1) pair.strength = word;
    else if (word != "or") FAIL(pair.place << ": `" << word << "` is no verdict and no strength");
  }
  for (std::size_t k = 1; k < fields.size(); ++k) {
    if (fields[k].starts_with("says: ")) pair.says.push_back(fields[k].substr(6));
    else if (fields[k].starts_with("truth: ")) pair.truth = fields[k].substr(7);
    else FAIL(pair.place << ": `" << fields[k] << "` is neither words nor a truth");
  }
  if (pair.verdicts.empty() || pair.truth.empty()) FAIL(pair.place << ": an expectation has a verdict and a truth");
}

/// The strength in a verdict's line, -1 if there is none. The evidence stands in the last parentheses that begin after
/// two spaces, behind the check's own text.
int strength_in(const std::string& line) {
  const std::size_t evidence = line.rfind("  (");
  if (evidence == std::string::npos) return -1;
  for (int k = 0; k < 3; ++k) {
    if (line.find(strengths[static_cast<std::size_t>(k)], evidence) != std::string::npos) return k;
  }
  return -1;
}

/// What every verdict has to say: of a failed check a witness, of an undecided one a reason; and that all sizes are
/// covered only where that was proved. Static checks (without `in`) are their own witnesses.
bool rests_on_something(const std::string& line, const std::string& output) {
  const bool more = output.find("\n    ") != std::string::npos;
  if (line.starts_with("fails") && line.find(" in ") != std::string::npos && !more) return false;
  if (line.starts_with("undecided") && !more) return false;
  return output.find("all sizes") == std::string::npos || strength_in(line) == 2;
}

std::chrono::duration<double> children_cpu() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return std::chrono::duration<double>(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::string_view miss_name(Miss miss) { return miss_names[static_cast<std::size_t>(miss)]; }

std::vector<Pair> pairs_in(const std::string& stem, const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<Pair> out;
  std::string id, expectation;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string& line = lines[at];
    const std::string place = stem + ".rk:" + std::to_string(at + 1);
    if (line.starts_with("# id: ")) id = line.substr(6);
    if (line.starts_with("# expect: ")) expectation = line.substr(10);
    if (!line.starts_with("check ")) continue;
    if (id.empty() || expectation.empty()) FAIL(place << ": a check without `# id:` and `# expect:` before it");
    Pair pair{
        .id = stem + "/" + id, .place = place, .verdicts = {}, .strength = {}, .says = {}, .truth = {}, .program = {}};
    read_expectation(pair, expectation);
    for (std::size_t other = 0; other < lines.size(); ++other) {
      if (other == at || !lines[other].starts_with("check ")) pair.program += lines[other];
      pair.program += '\n';
    }
    out.push_back(std::move(pair));
    id.clear();
    expectation.clear();
  }
  if (!id.empty() || !expectation.empty()) FAIL(stem << ".rk: an expectation without a check");
  return out;
}

std::vector<Pair> all_pairs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "pairs")) {
    if (entry.path().extension() == ".rk") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Pair> out;
  for (const auto& file : files) {
    for (Pair& pair : pairs_in(file.stem().string(), read_file(file))) out.push_back(std::move(pair));
  }
  return out;
}

Verdict judged(const Pair& pair, const std::string& output, const std::string& errors) {
  Verdict out;
  out.said = output.substr(0, output.find('\n'));
  const std::string verdict = out.said.substr(0, out.said.find(' '));
  if (verdict != "holds" && verdict != "fails" && verdict != "undecided") {
    out.miss = Miss::none;
    if (out.said.empty()) out.said = errors.substr(0, errors.find('\n'));
  } else if (std::ranges::find(pair.verdicts, verdict) == pair.verdicts.end()) {
    // Where nothing can be said, any decision is one too many.
    const bool open = std::ranges::find(pair.verdicts, "holds") == pair.verdicts.end() &&
                      std::ranges::find(pair.verdicts, "fails") == pair.verdicts.end();
    out.miss = verdict == "undecided" ? Miss::undecided
               : open                 ? Miss::decided
               : verdict == "holds"   ? Miss::false_holds
                                      : Miss::false_fails;
  } else {
    const auto wanted = std::ranges::find(strengths, pair.strength) - strengths.begin();
    if (!pair.strength.empty() && strength_in(out.said) < wanted) out.miss = Miss::weak;
    const auto is_said = [&](const std::string& words) { return output.find(words) != std::string::npos; };
    if (out.miss == Miss::right && !(std::ranges::all_of(pair.says, is_said) && rests_on_something(out.said, output))) {
      out.miss = Miss::words;
    }
  }
  return out;
}

TimedRun timed_run(const std::string& program) {
  const auto before = children_cpu();
  RunOptions options{
      .input = program, .timeout = std::chrono::seconds(sanitized ? 300 : 90), .folder = source_folder(), .environment = {}};
  const std::vector<std::string> words{"run", "-", "--color=never"};
  RunResult run = run_program(sanitized ? with_time(words) : words, options);
  return {std::move(run.out), std::move(run.err), run.timed_out, children_cpu() - before};
}

Verdict run_pair(const Pair& pair) {
  const TimedRun run = timed_run(pair.program);
  Verdict out = judged(pair, run.out, run.err);
  if (run.timed_out) out = {.miss = Miss::slow, .said = "no verdict in time", .cpu = {}};
  if (!sanitized && run.cpu > longest_check && out.miss > Miss::slow) out.miss = Miss::slow;
  out.cpu = run.cpu;
  return out;
}

std::map<std::string, std::string> known_misses() {
  std::map<std::string, std::string> out;
  for (const std::string& line : lines_of(read_file(list_path()))) {
    if (line.empty() || line.starts_with("#")) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) FAIL("known_misses.txt: `" << line << "` does not say what is missed");
    out[line.substr(0, space)] = line.substr(line.find_first_not_of(' ', space));
  }
  return out;
}

void write_known_misses(const std::map<std::string, std::string>& misses) {
  std::string text;
  for (const std::string& line : lines_of(read_file(list_path()))) {
    if (line.starts_with("#")) text += line + "\n";
  }
  for (const auto& [id, miss] : misses) text += id + "  " + miss + "\n";
  write_file(list_path(), text);
}

}  // namespace reckon::test
