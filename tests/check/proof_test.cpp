// check::strengthen: which outcomes become proofs.
#include "check/proof.h"

#include "tests/prove/pair.h"

using namespace reckon;
using check::Outcome;
using check::Strength;
using check::Verdict;

namespace {

struct Case {
  normal::Pair pair;
  frontend::ElaboratedItem item;
  Outcome outcome;

  explicit Case(const char* g)
      : pair(std::string("fn f(x: f64[n]) -> f64 = sum i: x[i] by seq\nfn g(x: f64[n]) -> f64 = ") + g + "\n") {
    item.left = pair.f;
    item.right = pair.g;
    item.relation = frontend::Item::Relation::equal;
    outcome.verdict = Verdict::holds;
    outcome.strength = Strength::agreed;
    outcome.evidence = {{"sizes", std::vector<check::NamedSizes>{{{"n", 4}}}, "n: 4"},
                        {"trials", std::int64_t{40}, "40 trials"},
                        {"error_probability", std::string("none proven"), "probability of error: none proven"}};
  }
  bool run() {
    ir::Module& module = pair.session.module();
    const bool over_reals = outcome.strength == Strength::agreed;
    return check::strengthen(over_reals ? check::proof_of_algebra(module, item) : check::proof_of_bits(module, item), item, outcome);
  }
};

}  // namespace

TEST_CASE("an agreement becomes a proof where both sides have one normal form") {
  Case same("sum i: x[i] by tree");
  CHECK(same.run());
  CHECK(same.outcome.strength == Strength::proved);
  // Neither the sizes that were tried nor a probability say anything of a proof for all sizes.
  std::vector<std::string> names;
  for (const check::Fact& each : same.outcome.evidence) {
    names.push_back(each.name);
    CHECK(each.text.empty());
  }
  CHECK(names == std::vector<std::string>{"trials", "all_sizes", "proof"});
  Case divided("(sum i: x[i] / (x[0] + 1)) * x[0] + (sum i: x[i] by tree) / (1 + x[0])");
  CHECK(divided.run());
}

TEST_CASE("an observation becomes a proof where both sides carry out the same operations") {
  Case same("sum j < n: (for k < n: x[k])[j] by seq");
  same.outcome.strength = Strength::observed;
  CHECK(same.run());
  CHECK(same.outcome.strength == Strength::proved);
  CHECK(same.outcome.evidence.back().name == "proof");
  CHECK(std::get<std::string>(same.outcome.evidence.back().value) == "the same operations in the same order");
}

TEST_CASE("other outcomes stay as they are") {
  Case other("sum i: x[i] * x[i] by tree");
  CHECK_FALSE(other.run());
  CHECK(other.outcome.strength == Strength::agreed);
  CHECK(other.outcome.evidence.size() == 3);
  Case failed("sum i: x[i] by tree");
  failed.outcome.verdict = Verdict::fails;
  CHECK_FALSE(failed.run());
  Case observed("sum i: x[i] by tree");
  observed.outcome.strength = Strength::observed;
  CHECK_FALSE(observed.run());
  Case near("sum i: x[i] by tree");
  near.item.relation = frontend::Item::Relation::within;
  CHECK_FALSE(near.run());
}
