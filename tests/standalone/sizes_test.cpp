// The conditions on sizes beside what is checked of a circuit when its sizes are known.
#include <fmt/format.h>

#include "ir/bind.h"
#include "ir/parser.h"
#include "ir/size_conditions.h"
#include "tests/standalone/circuits.h"

using namespace reckon;
using namespace reckon::test;

namespace {

/// What the conditions allow and what the checks allow, at all sizes from -1 to `most`.
void compare(const std::string& file, const std::string& circuit, std::int64_t most, bool exactly) {
  INFO(circuit);
  const RunResult printed = reckon_here({"compile", file, "--fn", circuit, "--emit=ir"});
  REQUIRE(printed.status == 0);
  ir::Module module;
  const auto parsed = ir::parse_ir(module, printed.out);
  REQUIRE(parsed);
  const ir::Function& function = parsed->back();
  const auto conditions = ir::size_conditions(module, function);
  REQUIRE(conditions);
  std::int64_t points = 1, allowed = 0, refused = 0;
  for (std::size_t k = 0; k < function.dimensions.size(); ++k) points *= most + 2;
  for (std::int64_t point = 0; point < points; ++point) {
    ir::Dimensions sizes;
    std::int64_t rest = point;
    bool natural = true;
    for (const ir::SymbolId dimension : function.dimensions) {
      sizes[dimension] = rest % (most + 2) - 1;
      natural = natural && sizes[dimension] >= 0;
      rest /= most + 2;
    }
    bool met = true;
    for (const ir::SizeCondition& condition : *conditions) {
      met = met && module.indices().evaluate(condition.holds, {sizes, {}}).value_or(0) != 0;
    }
    // Extents of arguments and results are those of tensors, which no check of the body looks at.
    bool sound = natural && !ir::size_problem(module, function, sizes);
    if (sound) {
      const ir::Function sized = ir::instantiate(module, function, sizes);
      sound = ir::check_bounds(module, sized).empty();
      for (const ir::Parameter& parameter : sized.parameters) {
        for (const ir::IndexId extent : module.types()[parameter.type].extents) {
          sound = sound && module.indices().as_constant(extent).value_or(-1) >= 0;
        }
      }
    }
    INFO(fmt::format("point {}", point));
    if (exactly ? met != sound : met && !sound) FAIL_CHECK("the conditions say " << met << ", the checks " << sound);
    (met ? allowed : refused) += 1;
  }
  CHECK(allowed > 0);
  CHECK(refused > 0);
}

}  // namespace

TEST_CASE("the conditions on sizes allow what the checks allow") {
  for (const char* circuit : {"dot", "half_sum", "axpy", "mean_and_largest", "matmul", "softmax", "numpy_sum", "prefix",
                              "below", "differences", "weighted", "choose", "total", "convolved", "triangle"}) {
    compare(elsewhere, circuit, 6, true);
  }
}

TEST_CASE("conditions on sizes that rest on bounds allow nothing that the checks refuse") {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.rk").string();
  write_file(
      file,
      "fn flat(x: f32[m, n]) -> f32[m * n] = for i < m * n: x[i // n, i % n]\n"
      "fn held(x: f32[n]) -> f32[n] = for i < n: x[min(i + 1, n - 1)] + x[max(i - 1, 0)]\n"
      "fn wrapped(x: f32[n], y: f32[m]) -> f32[m] = for i: y[i] + x[i % n]\n"
      "fn pairs(x: f32[2 * n - 2], y: f32[n]) -> f32[n] = for i: y[i] + sum j < n - 1: x[2 * j] by tree else 0\n");
  for (const char* circuit : {"flat", "held", "wrapped", "pairs"}) compare(file, circuit, 6, false);
}
