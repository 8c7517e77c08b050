// The fpsan semantics against the vectors of shared data, through its array kernels.
#include <fstream>
#include <sstream>

#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

std::uint64_t parse(const std::string& text) { return std::stoull(text, nullptr, 16); }

}  // namespace

TEST_CASE("fpsan gives the vectors' carriers and payloads") {
  std::ifstream file(RECKON_TEST_DATA "/fpsan_vectors.txt");
  REQUIRE(file);
  auto ring = semantics("fpsan");
  int tested = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string generation, operation, formats;
    words >> generation >> operation >> formats;
    if (generation != "now") continue;
    const auto arrow = formats.find('>');
    const auto from = ir::scalar_named(formats.substr(0, arrow));
    const auto to = arrow == std::string::npos ? from : ir::scalar_named(formats.substr(arrow + 1));
    const auto op = operation == "cast" ? Op::convert : ir::op_named(operation).value_or(Op::parameter);
    if (!from || !to || op == Op::parameter) continue;  // 8-bit formats and erf come later
    alignas(8) std::byte operands[3][8], result[8];
    Rows rows[3];
    std::size_t count = 0;
    std::string word;
    while (words >> word && word != "->") {
      const std::uint64_t bits = parse(word);
      REQUIRE(!ring->load(*from, reinterpret_cast<const std::uint8_t*>(&bits), 1, operands[count]));
      rows[count] = {operands[count], 1};
      ++count;
    }
    std::string carrier, payload;
    words >> carrier >> payload;
    REQUIRE(!ring->apply(op, *from, *to, rows, result, 1, 1, 1));
    const Rendering shown = ring->render(*to, result);
    INFO(line);
    REQUIRE(shown.fields[0] == std::pair<std::string, std::string>{"payload", payload});
    REQUIRE(shown.fields[1] == std::pair<std::string, std::string>{"bits", carrier});
    REQUIRE(ring->bits(*to, result) == parse(carrier));
    ++tested;
  }
  CHECK(tested > 500);
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
