// Preimages of words: the operations are carried out again on each word that was found, here and in C++'s arithmetic.
#include "check/preimages.h"

#include <fmt/format.h>

#include <random>

#include "tests/prove/pair.h"

using namespace reckon;

namespace {

/// An operation on a word and a number, as text and as a function.
struct Step {
  const char* name;
  const char* text;  ///< of x and c
  std::uint32_t (*apply)(std::uint32_t x, std::uint32_t c);
};
const std::vector<Step> steps = {
    {"add", "({x} + {c})", [](std::uint32_t x, std::uint32_t c) { return x + c; }},
    {"sub", "({x} - {c})", [](std::uint32_t x, std::uint32_t c) { return x - c; }},
    {"sub from", "({c} - {x})", [](std::uint32_t x, std::uint32_t c) { return c - x; }},
    {"mul", "({x} * {c})", [](std::uint32_t x, std::uint32_t c) { return x * c; }},
    {"and", "({x} & {c})", [](std::uint32_t x, std::uint32_t c) { return x & c; }},
    {"or", "({c} | {x})", [](std::uint32_t x, std::uint32_t c) { return c | x; }},
    {"xor", "({x} xor {c})", [](std::uint32_t x, std::uint32_t c) { return x ^ c; }},
    {"shift left", "({x} << {c})", [](std::uint32_t x, std::uint32_t c) { return x << c; }},
    {"shift right", "({x} >> {c})", [](std::uint32_t x, std::uint32_t c) { return x >> c; }},
};
bool is_shift(const Step& step) { return std::string_view(step.name).starts_with("shift"); }

struct Chain {
  std::string text = "x";
  std::vector<std::pair<const Step*, std::uint32_t>> steps;

  void add(const Step& step, std::uint32_t c) {
    text = fmt::format(fmt::runtime(step.text), fmt::arg("x", text), fmt::arg("c", c));
    steps.emplace_back(&step, c);
  }
  std::uint32_t operator()(std::uint32_t x) const {
    for (const auto& [step, c] : steps) x = step->apply(x, c);
    return x;
  }
};

/// Words x for which the chain's value is `target`, as found.
std::vector<std::uint32_t> words_with(const Chain& chain, std::uint32_t target) {
  normal::Pair pair(fmt::format("fn f(x: u32) -> bool = {} == {}\nfn g(x: u32) -> bool = x == x\n", chain.text, target));
  std::vector<std::uint32_t> words;
  for (const check::Comparison& comparison : check::comparisons_of(pair.session.module(), pair.f->body, 0)) {
    for (const check::Preimage& each : check::preimages(pair.session.module(), {{}}, comparison)) {
      CHECK(each.place.parameter == 0);
      words.push_back(static_cast<std::uint32_t>(each.bits));
    }
  }
  return words;
}

}  // namespace

TEST_CASE("every preimage of a word has that word as its value") {
  std::mt19937 random(1);
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    Chain chain;
    for (std::uint32_t length = 1 + random() % 3; length > 0; --length) {
      const Step& step = steps[random() % steps.size()];
      chain.add(step, is_shift(step) ? random() % 32 : random() >> random() % 32);
    }
    const std::uint32_t target = chain(static_cast<std::uint32_t>(random()));
    INFO(chain.text << " == " << target);
    const std::vector<std::uint32_t> words = words_with(chain, target);
    for (const std::uint32_t word : words) CHECK(chain(word) == target);
    found += !words.empty();
  }
  CHECK(found >= 200);  // A product by an even number, and masks below other operations, are not always undone.
}

TEST_CASE("one operation by a number is always undone, unless a product wraps") {
  std::mt19937 random(2);
  for (const Step& step : steps) {
    for (const std::uint32_t c : {0u, 1u, 3u, 5u, 12u, 31u}) {
      const std::string_view name = step.name;
      Chain chain;
      chain.add(step, c);
      const std::uint32_t x = static_cast<std::uint32_t>(random()) >> (name == "mul" ? 4 : 0);
      INFO(chain.text << " == " << chain(x));
      const std::vector<std::uint32_t> words = words_with(chain, chain(x));
      if (name == "mul" && c == 0) continue;  // any x will do
      CHECK_FALSE(words.empty());
      for (const std::uint32_t word : words) CHECK(chain(word) == chain(x));
      // The smallest and the largest word that a right shift takes to the target.
      if (name == "shift right") {
        CHECK(std::ranges::find(words, x >> c << c) != words.end());
        CHECK(std::ranges::find(words, x >> c << c | ((std::uint32_t{1} << c) - 1)) != words.end());
      }
    }
  }
}
