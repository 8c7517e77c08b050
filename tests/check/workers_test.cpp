// Trials on several threads are those of one.
#include "check/workers.h"

#include "semantics/standard.h"
#include "tests/prove/pair.h"

using namespace reckon;
using check::TrialResult;

namespace {

struct Both {
  normal::Pair pair;
  frontend::ElaboratedItem item;

  explicit Both(const std::string& program) : pair(program) {
    item.left = pair.f;
    item.right = pair.g;
    item.relation = frontend::Item::Relation::equal;
  }

  std::vector<Expected<TrialResult>> run(const char* semantics_name, double seconds_each) {
    auto semantics = interp::make_semantics(semantics_name, {}, {});
    REQUIRE(semantics);
    ir::Module& module = pair.session.module();
    auto first = check::Trial::make(module, item, **semantics, {});
    REQUIRE(first);
    check::Workers workers(module, item, **semantics, options, *first);
    ir::Dimensions sizes;
    for (const ir::SymbolId symbol : item.left->dimensions) sizes[symbol] = 6;
    return workers.run(sizes, 0, 40, true, seconds_each);
  }
  interp::EvaluateOptions options;
};

constexpr double alone = 0, together = 1;

}  // namespace

TEST_CASE("threads find what one finds, in its order") {
  // Under float the two orders part in most trials, but not in each; sqrt is drawn again in padic.
  for (const char* program : {"fn f(x: f32[n]) -> f32 = sum i < 3: x[i] by seq\nfn g(x: f32[n]) -> f32 = x[0] + (x[1] + x[2])\n",
                              "fn f(x: f32[n]) -> f32 = sqrt(sum i: x[i])\nfn g(x: f32[n]) -> f32 = sqrt(sum i: x[i] by tree)\n"}) {
    Both both(program);
    for (const char* semantics : {"float", "padic", "fpsan", "exact", "bound"}) {
      // A square root of what may be negative is an error under `exact`, and `bound` says unknown.
      const auto one = both.run(semantics, alone), many = both.run(semantics, together);
      INFO(semantics << ": " << program);
      REQUIRE(one.size() == many.size());
      REQUIRE_FALSE(one.empty());
      for (std::size_t k = 0; k < one.size(); ++k) {
        REQUIRE(static_cast<bool>(one[k]) == static_cast<bool>(many[k]));
        if (!one[k]) {
          CHECK(one[k].error().message == many[k].error().message);
          continue;
        }
        CHECK(one[k]->truth == many[k]->truth);
        CHECK(one[k]->elements.size() == many[k]->elements.size());
        if (!one[k]->counterexample) continue;
        CHECK(one[k]->counterexample->left.text == many[k]->counterexample->left.text);
        CHECK(one[k]->counterexample->inputs[0].elements == many[k]->counterexample->inputs[0].elements);
      }
    }
  }
}

TEST_CASE("nothing follows the first trial that fails") {
  Both both("fn f(x: f32[n]) -> f32 = x[0]\nfn g(x: f32[n]) -> f32 = select(x[0] < 0, x[0] + 1, x[0])\n");
  const auto found = both.run("exact", together);
  REQUIRE(found.size() < 40);
  for (std::size_t k = 0; k < found.size(); ++k) {
    REQUIRE(found[k]);
    CHECK((found[k]->truth == interp::Truth::no) == (k + 1 == found.size()));
  }
}
