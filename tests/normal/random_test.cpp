// Proofs of random pairs of circuits, against `exact`: what is proved must be equal for every input that is tried.
// RECKON_TRIALS=100000 for the long run.
#include <fmt/format.h>

#include <bit>
#include <catch2/catch.hpp>

#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "interp/semantics/registry.h"
#include "ir/normal/prove.h"
#include "tests/normal/expression.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::normal;

namespace {

frontend::Files no_files() {
  frontend::Files out;
  out.read_source = [](const std::string&) { return std::optional<std::string>(); };
  out.read_tensor = [](const std::string&, SourceSpan place) -> Expected<ir::HostTensor> {
    return Diagnostic(Code::unreadable_file, place, "there are no files here");
  };
  out.list_sources = [](const std::string&) { return std::vector<std::string>(); };
  return out;
}

/// Two circuits f and g of one program.
struct Pair {
  SourceMap sources;
  frontend::Session session{sources, no_files()};
  std::string text;
  std::optional<ir::Function> f, g;

  Pair(const Expression& a, const Expression& b) {
    const std::string head = "(x: f64[n + 3], y: f64[n + 3], z: f64[n]) -> f64 = ";
    text = "fn f" + head + a.source() + "\nfn g" + head + b.source() + "\n";
    auto outcome = session.add(sources.add("pair.rk", text), "pair.rk", frontend::ParseAs::program);
    INFO(text);
    INFO((outcome.diagnostics.empty() ? "" : outcome.diagnostics.front().message));
    REQUIRE(outcome.diagnostics.empty());
    f = *session.circuit("f");
    g = *session.circuit("g");
  }

  std::optional<ir::Proof> prove() { return ir::prove_equal(session.module(), *f, *g); }

  /// Inputs with zeros, equal and negative elements.
  static std::vector<interp::Argument> inputs(Random& random, std::int64_t n) {
    std::vector<interp::Argument> out;
    const bool few = random.below(2) == 0;
    for (std::int64_t length : {n + 3, n + 3, n}) {
      ir::HostTensor tensor(ir::Scalar::f64, {length});
      for (std::int64_t i = 0; i < length; ++i) {
        const auto step = static_cast<double>(static_cast<long>(random.below(few ? 3 : 41)) - (few ? 1 : 20));
        tensor.set_bits(i, std::bit_cast<std::uint64_t>(few ? step : step / 4));
      }
      out.emplace_back(std::move(tensor));
    }
    return out;
  }

  /// How the two compare for some inputs; nothing where one of them has no value.
  std::optional<interp::Truth> compare(Random& random, std::int64_t n) {
    auto semantics = interp::make_semantics("exact", {interp::SemanticsArgument{"bits(300)"}}, {});
    REQUIRE(semantics);
    const auto arguments = inputs(random, n);
    auto a = interp::evaluate(session.module(), *f, **semantics, arguments);
    if (!a) return {};
    auto b = interp::evaluate(session.module(), *g, **semantics, arguments);
    if (!b) return {};
    return (*semantics)->equal(ir::Scalar::f64, (*a)[0].at(0), (*b)[0].at(0));
  }
};

struct Tally {
  std::int64_t pairs = 0, proved = 0, equal = 0, different = 0, unknown = 0, undefined = 0;
  std::int64_t different_pairs = 0;
};

/// Compares the pair for several inputs; fails if a proof is wrong.
void examine(const Expression& a, const Expression& b, Random& random, Tally& tally) {
  Pair pair(a, b);
  const bool proved = pair.prove().has_value();
  ++tally.pairs;
  tally.proved += proved;
  bool differs = false;
  for (int trial = 0; trial < 6 && !differs; ++trial) {
    const auto truth = pair.compare(random, trial % 5);
    if (!truth) ++tally.undefined;
    else if (*truth == interp::Truth::yes) ++tally.equal;
    else if (*truth == interp::Truth::unknown) ++tally.unknown;
    else {
      ++tally.different;
      differs = true;
      INFO(pair.text);
      INFO("at n = " << trial % 5);
      if (proved) FAIL("proved equal, but different");
    }
  }
  tally.different_pairs += differs;
  if (std::getenv("RECKON_SHOW") && (differs == (std::getenv("RECKON_SHOW")[0] == 'd')) && !proved) fmt::print("{}{}\n", differs ? "DIFFERENT\n" : "", pair.text);
}

void report(const char* what, const Tally& tally) {
  if (!test::long_run()) return;
  fmt::print("{}: {} pairs, {} proved, {} refuted; inputs: {} equal, {} different, {} unknown, {} undefined\n", what, tally.pairs,
             tally.proved, tally.different_pairs, tally.equal, tally.different, tally.unknown, tally.undefined);
}

}  // namespace

TEST_CASE("rewrites by true laws are mostly proved") {
  const std::int64_t count = test::trials<std::int64_t>(600);
  Tally tally;
  for (std::int64_t k = 0; k < count; ++k) {
    Generator generator(test::stream(1) * 1000003 + static_cast<std::uint64_t>(k));
    const Generated made = generator.make();
    Expression changed = made.expression;
    for (std::uint64_t steps = 1 + generator.random().below(8); steps > 0; --steps) {
      Expression next = changed;
      generator.rewrite(next);
      if (next.size() < 150) changed = next;
    }
    examine(made.expression, changed, generator.random(), tally);
  }
  report("laws", tally);
  CHECK(tally.equal > count);  // the comparisons are about something
  CHECK(tally.different == 0); // the laws of this test are true
  CHECK(tally.proved * 100 > count * 70);
}

TEST_CASE("damaged circuits are never proved equal") {
  const std::int64_t count = test::trials<std::int64_t>(900);
  Tally tally;
  for (std::int64_t k = 0; k < count; ++k) {
    Generator generator(test::stream(2) * 1000003 + static_cast<std::uint64_t>(k));
    const Generated made = generator.make();
    Expression changed = made.expression;
    for (std::uint64_t steps = generator.random().below(5); steps > 0; --steps) {
      Expression next = changed;
      generator.rewrite(next);
      if (next.size() < 150) changed = next;
    }
    generator.damage(changed);
    examine(made.expression, changed, generator.random(), tally);
  }
  report("damage", tally);
  CHECK(tally.different_pairs * 100 > count * 30);
}
