// What array_semantics.h gives every semantics: shapes of kernels, logic, faults.
#include "diagnostics/codes/number_without_format.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "semantics/standard.h"
#include "tests/interp/kernels.h"
#include "tests/interp/wgsl_profile.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

TEST_CASE("two-dimensional kernels reach every element, whatever the strides") {
  auto floating = semantics("float");
  Random random(3);
  std::vector<float> pool(4000);
  for (float& x : pool) x = static_cast<float>(random.below(1000));
  for (std::size_t rows : {1, 2, 5, 33}) {
    for (std::size_t columns : {1, 2, 3, 4, 5, 8, 40}) {
      for (std::size_t gap : {0, 1, 40}) {
        const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(columns + gap);
        const Rows operands[2] = {{reinterpret_cast<const std::byte*>(pool.data()), stride},
                                  {reinterpret_cast<const std::byte*>(pool.data() + 7), 0}};
        std::vector<float> out(rows * columns, -1);
        REQUIRE(!floating->apply(Op::sub, Scalar::f32, Scalar::f32, operands, reinterpret_cast<std::byte*>(out.data()),
                                 static_cast<std::ptrdiff_t>(columns), rows, columns));
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t c = 0; c < columns; ++c)
            REQUIRE(out[r * columns + c] == pool[r * (columns + gap) + c] - pool[7 + c]);
        }
        std::vector<float> total(pool.begin() + 100, pool.begin() + 100 + static_cast<std::ptrdiff_t>(columns)),
            expected = total;
        REQUIRE(!floating->accumulate(Op::sub, Scalar::f32, reinterpret_cast<std::byte*>(total.data()), operands[0],
                                      rows, columns));
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t c = 0; c < columns; ++c) expected[c] -= pool[r * (columns + gap) + c];
        }
        REQUIRE(total == expected);
      }
    }
  }
}

TEST_CASE("an operand's place may take the result") {
  auto floating = semantics("float");
  std::vector<float> a(100), b(100, 2);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  const Rows operands[2] = {{reinterpret_cast<const std::byte*>(a.data()), 100},
                            {reinterpret_cast<const std::byte*>(b.data()), 100}};
  REQUIRE(!floating->apply(Op::mul, Scalar::f32, Scalar::f32, operands, reinterpret_cast<std::byte*>(a.data()), 100, 1,
                           100));
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(a[i] == 2 * static_cast<float>(i));
}

TEST_CASE("logic is Kleene's under every semantics") {
  const std::vector<Truth> a{Truth::no,  Truth::no,      Truth::no,      Truth::yes,    Truth::yes,
                             Truth::yes, Truth::unknown, Truth::unknown, Truth::unknown};
  const std::vector<Truth> b{Truth::no,      Truth::yes, Truth::unknown, Truth::no,     Truth::yes,
                             Truth::unknown, Truth::no,  Truth::yes,     Truth::unknown};
  const auto N = Truth::no, Y = Truth::yes, U = Truth::unknown;
  // Under `bound` an unknown truth also says what the floats say, in its lowest bit.
  const auto applied = [](Semantics& semantics, Op op, const std::vector<std::vector<Truth>>& operands) {
    auto out = apply_all<Truth, Truth>(semantics, op, Scalar::boolean, Scalar::boolean, operands);
    for (Truth& truth : out) truth = (static_cast<int>(truth) & 2) != 0 ? Truth::unknown : truth;
    return out;
  };
  for (const std::string& name : semantics_names()) {
    const auto profile = wgsl_profile(false);
    auto made = name == "accept" ? std::move(*make_semantics(name, {{profile->name, profile}}, {}))
                                 : semantics(name.c_str());
    CHECK(applied(*made, Op::logical_and, {a, b}) == std::vector<Truth>{N, N, N, N, Y, U, N, U, U});
    CHECK(applied(*made, Op::logical_or, {a, b}) == std::vector<Truth>{N, Y, U, Y, Y, Y, U, Y, U});
    CHECK(applied(*made, Op::logical_not, {a}) == std::vector<Truth>{Y, Y, Y, N, N, N, U, U, U});
    CHECK(applied(*made, Op::select, {a, b, a}) == std::vector<Truth>{N, N, N, N, Y, U, U, U, U});
  }
}

TEST_CASE("what a semantics lacks is an error at its place, with help") {
  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f32);
  const NodeId power = c.module.apply(Op::approx_exp2, {x});
  c.module.places().put(power, {0, 10, 17});
  c.result(power);
  auto ring = semantics("fpsan");
  auto values = c.run(*ring, {tensor({}, {2})});
  REQUIRE(!values);
  CHECK(values.error().code == code::unsupported_operation);
  CHECK(values.error().message == "the interpreter has no `approx.exp2`: only a GPU has that instruction");
  REQUIRE(values.error().helps.size() == 1);
  CHECK(values.error().helps[0].starts_with("write `exp2(x)`, which has the same bits everywhere"));
  CHECK(values.error().primary.span == SourceSpan{0, 10, 17});
}

TEST_CASE("a number without a format is refused where formats matter") {
  Circuit c;
  c.result(c.module.apply(Op::add,
                          {c.module.rational(mpq_class(1, 3), Scalar::number), c.module.rational(1, Scalar::number)}));
  for (const char* name : {"float", "fpsan"}) {
    auto made = semantics(name);
    auto values = c.run(*made);
    REQUIRE(!values);
    CHECK(values.error().code == code::number_without_format);
    CHECK(values.error().helps == std::vector<std::string>{"give it a format, for example `f64(...)`"});
  }
  auto exact = semantics("exact");
  auto values = c.run(*exact);
  REQUIRE(values);
  CHECK(exact->render(Scalar::number, (*values)[0].data()).text == "4/3");
}
