// Formatting random programs: their IR stays, and a second time changes nothing.
//
// RECKON_DIFFERENTIAL_SEED is the first program's seed (1), RECKON_DIFFERENTIAL_COUNT how many there are (100).
#include <catch2/catch.hpp>
#include <random>

#include "frontend/format_source.h"
#include "tests/differential/evaluate.h"
#include "tests/differential/program.h"
#include "tests/differential/settings.h"
#include "tests/support/white_space.h"

namespace reckon::differential {
namespace {

std::string formatted(const std::string& text) {
  SourceMap sources;
  frontend::FormattedSource out = frontend::format_source(sources, sources.add("program.rk", text));
  REQUIRE(out.diagnostics.empty());
  return std::move(out.text);
}

}  // namespace

TEST_CASE("random programs keep their IR when they are formatted") {
  const std::uint64_t first = setting("RECKON_DIFFERENTIAL_SEED", 1), count = setting("RECKON_DIFFERENTIAL_COUNT", 100);
  std::mt19937 random(1);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const GeneratedProgram program = generate(seed);
    for (const Spelling spelling : {Spelling::plain, Spelling::other}) {
      const std::string plain = text(program.root, spelling), ir = ir_of(plain);
      for (const std::string& source : {plain, test::scrambled(plain, random)}) {
        const std::string once = formatted(source);
        INFO("program " << seed << ":\n" << source << "formatted:\n" << once);
        CHECK(ir_of(once) == ir);
        CHECK(formatted(once) == once);
      }
    }
  }
}

}  // namespace reckon::differential
