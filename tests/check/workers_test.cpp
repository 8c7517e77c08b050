// Trials on several threads are those of one.
#include "check/workers.h"

#include "semantics/standard.h"
#include "tests/prove/pair.h"

using namespace reckon;

namespace {

struct Both {
  normal::Pair pair;
  frontend::ElaboratedItem item;

  explicit Both(const std::string& program) : pair(program) {
    item.left = pair.f;
    item.right = pair.g;
    item.relation = frontend::Item::Relation::equal;
  }

  check::Summary run(const char* semantics_name, double seconds_each, std::int64_t from = 0, std::int64_t to = 40) {
    auto semantics = interp::make_semantics(semantics_name, {}, {});
    REQUIRE(semantics);
    ir::Module& module = pair.session.module();
    auto first = check::Trial::make(module, item, **semantics, {});
    REQUIRE(first);
    const check::Options usual;
    check::Watchdog watch(usual);
    check::Workers workers(module, item, **semantics, options, *first, watch, nullptr);
    workers.expect(seconds_each);
    ir::Dimensions sizes;
    for (const ir::SymbolId symbol : item.left->dimensions) sizes[symbol] = 6;
    return workers.run(sizes, from, to, true);
  }
  interp::EvaluateOptions options;
};

constexpr double alone = 1e-9, together = 1;  // the expected seconds of a trial

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
      REQUIRE(one.last > 0);
      CHECK(one.last == many.last);
      CHECK(one.bytes() == many.bytes());
      REQUIRE(one.end.has_value() == many.end.has_value());
      if (!one.end) continue;
      const auto &a = *one.end->result, &b = *many.end->result;
      REQUIRE(static_cast<bool>(a) == static_cast<bool>(b));
      if (!a) {
        CHECK(a.error().message == b.error().message);
        continue;
      }
      CHECK(a->truth == b->truth);
      CHECK(a->counterexample->left.text == b->counterexample->left.text);
      CHECK(a->counterexample->inputs[0].elements == b->counterexample->inputs[0].elements);
    }
  }
}

TEST_CASE("summaries of parts of a sweep merge into that of all, also as bytes") {
  for (const char* program : {"fn f(x: f32[n]) -> f32 = sum i < 3: x[i] by seq\nfn g(x: f32[n]) -> f32 = sum i < 3: x[i] by tree\n",
                              "fn f(x: f32[n]) -> f32 = sqrt(sum i: x[i])\nfn g(x: f32[n]) -> f32 = sqrt(sum i: x[i] by tree)\n"}) {
    Both both(program);
    for (const auto tolerance : {frontend::Tolerance::Kind::none, frontend::Tolerance::Kind::bound}) {
      both.item.tolerance = tolerance;
      both.item.relation = tolerance == frontend::Tolerance::Kind::none ? frontend::Item::Relation::equal
                                                                        : frontend::Item::Relation::near;
      const bool bound = tolerance == frontend::Tolerance::Kind::bound;
      const auto all = both.run(bound ? "float" : "padic", alone);
      REQUIRE(all.last == 40);
      CHECK(all.compared > 0);
      CHECK(all.power.has_value() == bound);
      for (const std::int64_t cut : {1, 13, 39}) {
        auto merged = both.run(bound ? "float" : "padic", alone, 0, cut);
        const auto rest = both.run(bound ? "float" : "padic", alone, cut, 40);
        merged = check::Summary::read(0, cut, merged.bytes());
        merged.add(check::Summary::read(cut, 40, rest.bytes()));
        INFO(program << " cut at " << cut);
        CHECK(merged.bytes() == all.bytes());
      }
    }
  }
}

TEST_CASE("nothing follows the first trial that fails") {
  Both both("fn f(x: f32[n]) -> f32 = x[0]\nfn g(x: f32[n]) -> f32 = select(x[0] < 0, x[0] + 1, x[0])\n");
  const auto found = both.run("exact", together);
  REQUIRE(found.last < 40);
  REQUIRE(found.end);
  CHECK(found.end->trial + 1 == found.last);
  REQUIRE(*found.end->result);
  CHECK((*found.end->result)->truth == interp::Truth::no);
}
