#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

TEST_CASE("count gives operations and depth") {
  const std::int64_t n = 1000;
  for (auto [sequential, depth] : {std::pair{true, 1000}, {false, 11}}) {
    Circuit c;
    const NodeId x = c.parameter("x", Scalar::f32, {c.constant(n)});
    c.result(c.reduce(Op::add, c.constant(n), sequential ? c.seq() : c.tree(), [&](VariableId i) {
      const NodeId e = c.module.element(x, {c.at(i)});
      return c.module.apply(Op::mul, {e, e});
    }));
    auto count = semantics("count");
    auto values = c.run(*count, {generate(ir::Source::Kind::uniform, Scalar::f32, {n}, 5)});
    REQUIRE(values);
    CHECK(count->render(Scalar::f32, (*values)[0].data()).text == "depth " + std::to_string(depth));
    CHECK(count->summary() == std::vector<std::pair<std::string, std::string>>{
                                  {"add", "999"}, {"mul", "1000"}, {"depth", std::to_string(depth)}});
  }
}

TEST_CASE("under count a comparison is unknown and select takes the deeper side") {
  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f32);
  const NodeId deep = c.module.apply(Op::neg, {c.module.apply(Op::exp, {x})});
  c.result(c.module.apply(Op::select, {c.module.apply(Op::less, {x, deep}), x, deep}));
  auto count = semantics("count");
  auto values = c.run(*count, {tensor({}, {1})});
  REQUIRE(values);
  CHECK(count->render(Scalar::f32, (*values)[0].data()).fields[0].second == "2");
}
