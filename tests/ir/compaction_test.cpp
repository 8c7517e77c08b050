// A compact module holds the same circuits, and nothing else.
#include <catch2/catch.hpp>
#include <set>

#include "ir/parser.h"
#include "ir/passes/compaction.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/ir/random_circuit.h"

using namespace reckon;
using namespace reckon::ir;
using reckon::ir::testing::RandomCircuit;

namespace {

void reach(const Module& module, NodeId id, std::set<NodeId>& out) {
  if (!out.insert(id).second) return;
  for (NodeId operand : module[id].operands) reach(module, operand, out);
}

}  // namespace

TEST_CASE("compacting keeps the circuit and drops the rest") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Module module;
    const Function function = RandomCircuit(module, seed).make();
    RandomCircuit(module, seed + 5000).make();  // dead
    const auto compacted = compact(module, {function});
    REQUIRE(compacted->functions().size() == 1);
    REQUIRE(print(*compacted) == print(module, function));
    REQUIRE(verify(*compacted, compacted->functions()[0]).empty());
    std::set<NodeId> reached;
    reach(module, function.body, reached);
    REQUIRE(compacted->node_count() == reached.size());
  }
}

TEST_CASE("source places, file data and definitions go along") {
  Module module;
  auto tensor = std::make_shared<HostTensor>(Scalar::f32, std::vector<std::int64_t>{2});
  Source source;
  source.kind = Source::Kind::file;
  source.path = "x.npy";
  source.data = tensor;
  const NodeId loaded = module.source(source, module.types().tensor(Scalar::f32, {module.indices().constant(2)}));
  module.places().put(loaded, {3, 10, 12});
  Function function;
  function.name = module.symbol("f");
  function.body = loaded;
  function.result = module[loaded].type;
  const auto compacted = compact(module, {function});
  const Function& copy = compacted->functions()[0];
  CHECK(compacted->source_of(copy.body).data == tensor);
  CHECK(compacted->span(copy.body) == SourceSpan{3, 10, 12});

  Module other;
  const auto parsed =
      parse_ir(other,
               "schedule a = length %0: if %0 < 2 { seq } else { split(1, a, b) }\nschedule b = length %0: a\n"
               "schedule unused = tree\n"
               "fn f[n](x: f32[n]) -> f32 {\n  %v0: f32 = reduce add %0 < n by a { yield x[%0] }\n  yield %v0\n}\n");
  REQUIRE(parsed);
  const auto small = compact(other, *parsed);
  CHECK(small->schedules().definitions().size() == 2);
  CHECK(print(*small) == print(other, parsed->front()));
}
