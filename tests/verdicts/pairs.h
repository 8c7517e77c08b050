// Pairs of circuits of which mathematics says whether they are equal, and what the program says of them.
//
// pairs/*.rk are programs. Two comments stand before each check, and say what its verdict must be:
//   # id: NAME
//   # expect: VERDICT [or VERDICT] [STRENGTH]; says: WORDS; ...; truth: a sentence that says why
// The strength is the least one that will do. WORDS have to stand somewhere in what the program prints of the check.
// Besides, what fails needs a witness, what is undecided a reason, and only a proof covers all sizes.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::test {

struct Pair {
  std::string id;                     ///< `sums/capped-in-float`: the file's name, and the pair's in it
  std::string place;                  ///< `sums.rk:54`, the line of the check
  std::vector<std::string> verdicts;  ///< those that are right; the first is the one that is wanted
  std::string strength;               ///< the least, or empty
  std::vector<std::string> says;
  std::string truth;
  std::string program;  ///< the file with this check alone, lines where they were
};

/// What is wrong with a verdict, from bad to less bad; `right` if nothing is.
enum class Miss { false_holds, false_fails, decided, none, slow, undecided, weak, words, right };
/// `false holds`, `undecided`, ...
std::string_view miss_name(Miss miss);

struct Verdict {
  Miss miss = Miss::right;
  std::string said;  ///< the verdict's own line, or what was said instead of one
  std::chrono::duration<double> cpu{};
};

/// The pairs of one program. Fails the running test where a check lacks its comments, or a comment its check.
std::vector<Pair> pairs_in(const std::string& stem, const std::string& text);
/// All pairs of pairs/, by file and line.
std::vector<Pair> all_pairs();

/// What `output` and `errors`, printed by the program, are worth as a verdict on the pair.
Verdict judged(const Pair& pair, const std::string& output, const std::string& errors);
/// Runs the program on the pair's check alone.
Verdict run_pair(const Pair& pair);

/// known_misses.txt: verdicts that are not yet as they should be, by the pair's id.
std::map<std::string, std::string> known_misses();
/// Rewrites it; the comment at its beginning stays.
void write_known_misses(const std::map<std::string, std::string>& misses);

/// Runs the program, and says how much time all of its threads took.
struct TimedRun {
  std::string out, err;
  bool timed_out = false;
  std::chrono::duration<double> cpu{};
};
TimedRun timed_run(const std::string& program);

/// A check's default budget of one core, and what starting and ending may take beside it.
constexpr std::chrono::seconds longest_check{12};

}  // namespace reckon::test
