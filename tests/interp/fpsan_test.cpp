// The fpsan semantics against the vectors of shared data, through its array kernels.
#include "semantics/standard.h"
#include "tests/interp/fpsan_vectors.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

TEST_CASE("fpsan gives the vectors' carriers and payloads, in all four generations") {
  std::map<std::string, std::unique_ptr<Semantics>> rings;
  rings["fpsan"] = semantics("fpsan");
  const auto make = [&](const std::string& name, std::vector<SemanticsArgument> arguments) {
    auto made = make_semantics("fpsan", arguments, {});
    REQUIRE(made);
    CHECK((*made)->name() == name);
    rings[name] = std::move(*made);
  };
  make("fpsan(now, homomorphic)", {{"now"}, {"homomorphic"}});
  make("fpsan(v38)", {{"v38"}});
  make("fpsan(article)", {{"article"}});
  for (const FpsanVector& vector : fpsan_vectors()) {
    INFO(vector.line);
    Semantics& ring = *rings.at(vector.semantics);
    alignas(8) std::byte operands[3][8], result[8];
    Rows rows[3];
    for (std::size_t k = 0; k < vector.operands.size(); ++k) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(&vector.operands[k]);
      REQUIRE(!ring.load(vector.from, bytes, 1, operands[k]));
      rows[k] = {operands[k], 1};
    }
    REQUIRE(!ring.apply(vector.op, vector.from, vector.to, rows, result, 1, 1, 1));
    const Rendering shown = ring.render(vector.to, result);
    REQUIRE(shown.fields[0] == std::pair<std::string, std::string>{"payload", vector.payload_digits});
    REQUIRE(shown.fields[1] == std::pair<std::string, std::string>{"bits", vector.carrier_digits});
    REQUIRE(ring.bits(vector.to, result) == vector.carrier);
  }
}

TEST_CASE("functions without a rule hash their symbols") {
  auto ring = semantics("fpsan");
  const std::vector<std::uint32_t> x{0x14bad15d}, y{0x3fbdcc2e};  // 1.5 and 2.5
  const auto apply = [&](Op op, std::vector<std::vector<std::uint32_t>> operands) {
    return apply_all<std::uint32_t, std::uint32_t>(*ring, op, Scalar::f32, Scalar::f32, std::move(operands))[0];
  };
  CHECK(apply(Op::tanh, {x}) == 0x0fa3928c);
  CHECK(apply(Op::pow, {x, y}) == 0xe296bbcd);
  CHECK(apply(Op::tan, {x}) == (0x14bad15du ^ 0xc3722243u));
  // An extern is its own inverse, and two of them commute: what fpsan cannot see.
  CHECK(apply(Op::tanh, {{apply(Op::tanh, {x})}}) == x[0]);
  CHECK(apply(Op::tan, {{apply(Op::tanh, {x})}}) == apply(Op::tanh, {{apply(Op::tan, {x})}}));
  CHECK(apply(Op::minnum, {x, y}) == apply(Op::min, {x, y}));
  CHECK(apply(Op::clamp, {y, x, x}) == x[0]);
}

TEST_CASE("fpsan leaves comparisons, abs and sign to the carriers") {
  auto ring = semantics("fpsan");
  auto load = [&](float value) {
    std::uint32_t payload = 0;
    REQUIRE(!ring->load(Scalar::f32, reinterpret_cast<const std::uint8_t*>(&value), 1,
                        reinterpret_cast<std::byte*>(&payload)));
    return payload;
  };
  const std::vector<std::uint32_t> a{load(1.5f), load(-2), load(3)}, b{load(2.5f), load(-3), load(3)};
  CHECK(apply_all<Truth, std::uint32_t>(*ring, Op::less, Scalar::f32, Scalar::boolean, {a, b}) ==
        std::vector<Truth>{Truth::yes, Truth::no, Truth::no});
  CHECK(apply_all<Truth, std::uint32_t>(*ring, Op::equal, Scalar::f32, Scalar::boolean, {a, b}) ==
        std::vector<Truth>{Truth::no, Truth::no, Truth::yes});
  CHECK(apply_all<std::uint32_t, std::uint32_t>(*ring, Op::abs, Scalar::f32, Scalar::f32, {a}) ==
        std::vector<std::uint32_t>{a[0], load(2), a[2]});
  CHECK(apply_all<std::uint32_t, std::uint32_t>(*ring, Op::sign, Scalar::f32, Scalar::f32, {a}) ==
        std::vector<std::uint32_t>{1, 0xffffffff, 1});
}

TEST_CASE("under fpsan every order gives the same sum") {
  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f32, {c.dimension("n")});
  std::vector<NodeId> sums;
  for (ScheduleId schedule : {c.seq(), c.tree(), c.halving(), c.schedules().default_order()}) {
    sums.push_back(
        c.reduce(Op::add, c.dimension("n"), schedule, [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
  }
  c.result(c.module.tuple(sums));
  auto ring = semantics("fpsan");
  auto values = c.run(*ring, {generate(ir::Source::Kind::uniform, Scalar::f32, {1000}, 5)});
  REQUIRE(values);
  for (const Values& value : *values) CHECK(ring->equal(Scalar::f32, value.data(), (*values)[0].data()) == Truth::yes);
}
