// What a kernel states: its text, its way through printed IR, and what contradicts itself.
#include "ir/kernel_clauses.h"

#include <catch2/catch.hpp>

#include "ir/bind.h"
#include "ir/parser.h"
#include "ir/passes/compaction.h"
#include "ir/printer.h"
#include "ir/verifier.h"

using namespace reckon;
using namespace reckon::ir;

namespace {

std::string circuit(const std::string& clauses) {
  return "fn f[n](x: f32[n]) -> f32" + clauses +
         " {\n  %v0: f32 = reduce add %0 < n by tree { yield x[%0] }\n  yield %v0\n}\n";
}

/// What parse_ir says about it; nothing if it takes it.
std::string refused(const std::string& clauses) {
  Module m;
  const auto parsed = parse_ir(m, circuit(" with " + clauses));
  return parsed ? "" : parsed.error().message;
}

}  // namespace

TEST_CASE("the clauses of a kernel print and parse, and stay with the function") {
  for (const std::string clauses :
       {"tile(64, 32)", "tile(64, 32, 8)", "threads(256)", "blocks(2)", "threads(64), blocks(32)",
        "tile(64, 64, 16), values(8, 8), threads((8,8):(8,1)), blocks(4)",
        "values((4,2):(1,32), (2,(2,2)):(1,(16,32)))", "threads(((4,2),(8,2)):((8,64),(1,32)))"}) {
    INFO(clauses);
    const std::string text = circuit(" with " + clauses);
    Module m;
    auto parsed = parse_ir(m, text);
    if (!parsed) FAIL(parsed.error().message);
    const Function& f = parsed->front();
    CHECK(clauses_text(f.kernel) == clauses);
    CHECK(print(m, f) == text);
    CHECK(verify(m, f).empty());
    Module other;
    CHECK(print(other, copy_function(m, f, other)) == text);
    CHECK(clauses_text(instantiate(m, f, {{m.symbol("n"), 5}}).kernel) == clauses);
  }
  Module m;
  const auto plain = parse_ir(m, circuit(""));
  REQUIRE(plain);
  CHECK(plain->front().kernel.empty());
  CHECK(print(m, plain->front()) == circuit(""));
}

TEST_CASE("clauses that mean nothing, or contradict each other, are refused in printed IR, too") {
  for (const char* wrong : {"tile(64)",
                            "tile(0, 64)",
                            "tile(64, 64, 0)",
                            "tile(64, 64, 8, 8)",
                            "tile(64, 100000)",
                            "tile(64, (8,8):(8,1))",
                            "values(8)",
                            "values(0, 8)",
                            "values((2,2):(1,1), 4)",
                            "values((2,2):(1,3), 4)",
                            "values((2,2):(-1,2), 4)",
                            "values(4:0, 4)",
                            "threads(0)",
                            "threads(64:1)",
                            "threads((8,8):(8,2))",
                            "threads((8,8):(1,1))",
                            "blocks(0)",
                            "tile(100, 64), values(8, 8)",
                            "tile(64, 64), values((4,2):(1,48), 8)",
                            "tile(64, 64), values(8, 8), threads(128)",
                            "tile(64, 64), values(8, 8), threads((4,16):(16,1))",
                            "tile(64, 60), threads((8,8):(8,1))",
                            "threads(64), threads(64)",
                            "speed(9)",
                            "tile(64, 64) threads(64)",
                            "threads((8,8))",
                            "threads("}) {
    INFO(wrong);
    CHECK(refused(wrong) != "");
  }
  // What a machine can follow is not known here.
  CHECK(refused("threads(48)") == "");
  CHECK(refused("threads((4,4):(4,1))") == "");
}
