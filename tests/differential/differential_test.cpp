// Random programs: every evaluator gives the interpreter's bits.
//
// RECKON_DIFFERENTIAL_SEED is the first program's seed (1), RECKON_DIFFERENTIAL_COUNT how many there are (60):
//   RECKON_DIFFERENTIAL_SEED=100000 RECKON_DIFFERENTIAL_COUNT=10000 reckon_tests "random programs give the same bits
//   everywhere"
// RECKON_DIFFERENTIAL_PTX=1 compares the compiled PTX alone, run in the emulator, which is several times as quick.
// RECKON_DIFFERENTIAL_SHOW=1 prints each program before it is run, for those that end the test program.
#include <catch2/catch.hpp>
#include <iostream>

#include "tests/differential/formats.h"
#include "tests/differential/settings.h"
#include "tests/differential/shrink.h"

namespace reckon::differential {
namespace {

/// Sizes that keep the work of a program in bounds: its loops are nested `nesting` deep.
Trial make_trial(Random& random, const std::vector<std::string>& dimensions, int nesting) {
  static constexpr std::int64_t sizes[] = {1, 2, 3, 7, 8, 17, 33, 100, 129, 200, 300};
  static constexpr std::int64_t most[] = {300, 300, 33, 8, 7};
  static constexpr std::int64_t max_at_once[] = {300, 300, 129, 33, 17};
  const auto level = static_cast<std::size_t>(std::min(nesting, 4));
  Trial out;
  // One dimension may be larger than the others.
  const std::size_t large = random.below(std::max<std::size_t>(dimensions.size(), 1) * 2);
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    std::int64_t size = 0;
    const std::int64_t limit = dimensions.size() > 1 && k == large ? max_at_once[level] : most[level];
    do size = random.pick(sizes);
    while (size > limit);
    out.sizes[dimensions[k]] = size;
  }
  out.seed = random.below(1000);
  static constexpr int kinds[] = {0, 0, 0, 1, 1, 2, 3, 5, 5, 6};
  out.inputs = random.pick(kinds);
  return out;
}

/// The variants of the number-th program: cheap ones for each, two compiled ones in turn.
std::set<Variant> variants_of(std::uint64_t number) {
  using enum Variant;
  if (setting("RECKON_DIFFERENTIAL_PTX", 0) != 0) return {number % 2 == 0 ? ptx : ptx_call};
  static constexpr Variant single[] = {pass_fold, pass_share, pass_dead};
  static constexpr Variant symbolic[] = {host, host_passes, host, host_unoptimised};
  static constexpr Variant others[] = {host_call, host_fold, host_instantiated, host_share, host_dead};
  std::set<Variant> out{small_batches, other_spelling, printed, instantiated, trees_written, instantiated_passes, passes, ptx};
  out.insert(single[number % std::size(single)]);
  out.insert(symbolic[number / 2 % std::size(symbolic)]);
  out.insert(others[number % std::size(others)]);
  if (number % 5 == 0) out.insert(ptx_call);
  if (number % 25 == 0) out.insert(ptxas);
  return out;
}

/// `meaning`: what other programs than those of floats and fpsan are evaluated under; or empty.
Case make_case(std::uint64_t seed, std::uint64_t number, const std::string& meaning) {
  Case out;
  out.program = generate(seed, !meaning.empty());
  write_out(out);
  Random random(seed ^ 0x5eed);
  const bool has_payloads = !names_format_without_payloads(out.question.source);
  out.question.semantics = !out.program.float_ || (seed % 3 == 0 && has_payloads) ? "fpsan" : "float";
  if (!meaning.empty()) out.question.semantics = meaning;
  if (meaning == "interval" && number % 2 == 1) out.question.semantics = "interval(f32)";
  const auto dimensions = dimensions_of(out.question.source).value_or(std::vector<std::string>{});
  for (int trial = 0; trial < 3; ++trial) out.question.trials.push_back(make_trial(random, dimensions, out.program.nesting));
  out.question.variants = variants_of(number);
  return out;
}

void run_all(std::uint64_t count_otherwise, const std::string& meaning) {
  const std::uint64_t first = setting("RECKON_DIFFERENTIAL_SEED", 1), count = setting("RECKON_DIFFERENTIAL_COUNT", count_otherwise);
  const bool show = setting("RECKON_DIFFERENTIAL_SHOW", 0) != 0;
  std::map<Variant, int> ran;
  int failures = 0;
  for (std::uint64_t number = 0; number < count && failures < 5; ++number) {
    Case each = make_case(first + number, number, meaning);
    if (show) std::cerr << each.program.seed << " (" << each.question.semantics << ")\n" << each.question.source << "\n" << std::flush;
    // Shown if the program ends in a signal.
    INFO("program " << each.program.seed << ":\n" << each.question.source);
    const auto found = ask(each.question, &ran);
    if (!found) continue;
    ++failures;
    const Shrunk small = shrink(each, *found);
    FAIL_CHECK("evaluators disagree. Smallest program, after " << small.questions << " questions:\n"
                                                               << report(small.smallest, small.disagreement)
                                                               << "as it was found: " << found->what);
  }
  if (setting("RECKON_DIFFERENTIAL_PTX", 0) != 0) {
    for (const auto& [variant, times] : ran) std::cerr << times << " programs were " << name(variant) << "\n";
    return;
  }
  if (failures > 0 || count < 60 || !meaning.empty()) return;  // what has no value is not run everywhere
  for (int variant = 0; variant < variant_count; ++variant) {
    const auto each = static_cast<Variant>(variant);
    INFO(name(each));
    // Each variant has every so many programs, wherever the first one begins.
    const int one_of = each == Variant::ptxas ? 25 : 5;
    CHECK((ran[each] + 1) * one_of >= static_cast<int>(count));
  }
}

}  // namespace

TEST_CASE("random programs give the same bits everywhere") { run_all(60, ""); }

TEST_CASE("random programs give the same intervals everywhere") { run_all(16, "interval"); }

TEST_CASE("random programs give the same elements of the ring everywhere") { run_all(8, "padic"); }

}  // namespace reckon::differential
