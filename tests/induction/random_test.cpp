// Random statements, of which about half are false: what has a proof with steps is never refuted by inputs.
#include <fmt/format.h>
#include <bit>

#include "induction/induction.h"
#include "tests/induction/programs.h"
#include "tests/prove/pair.h"
#include "verify/check.h"

using namespace reckon;
using normal::Pair;
using normal::Random;

namespace {

struct Monomial {
  int coefficient;
  int powers[2];
};

std::string text(const Monomial& of, int coefficient) {
  std::string out = fmt::format("{}", coefficient);
  const char* names[] = {"x[i]", "y[i]"};
  for (const int k : {0, 1}) {
    for (int j = 0; j < of.powers[k]; ++j) out += fmt::format(" * {}", names[k]);
  }
  return "(" + out + ")";
}

std::vector<Monomial> draw(Random& random) {
  std::vector<Monomial> out;
  const int count = 1 + static_cast<int>(random.below(3));
  for (int k = 0; k < count; ++k) {
    out.push_back({static_cast<int>(random.below(9)) - 4,
                   {static_cast<int>(random.below(3)), static_cast<int>(random.below(3))}});
    if (out.back().coefficient == 0) out.back().coefficient = 5;
  }
  return out;
}

std::string sum_of(const std::vector<Monomial>& monomials, int change_of_first) {
  std::string body;
  for (std::size_t k = monomials.size(); k-- > 0;) {
    body += (body.empty() ? "" : " + ") + text(monomials[k], monomials[k].coefficient + (k == 0 ? change_of_first : 0));
  }
  return body;
}

double value_of(Pair& pair, const ir::Function& function, const std::vector<interp::Argument>& arguments) {
  const auto floats = interp::floats();
  const auto result = interp::evaluate(pair.session.module(), function, *floats, arguments);
  REQUIRE(result);
  return std::stod(floats->render((*result)[0].scalar(), (*result)[0].at(0)).text);
}

}  // namespace

TEST_CASE("random sums and recurrences: what is proved has no counterexample") {
  Random random(30);
  int proved = 0, true_ones = 0, false_ones = 0;
  for (int trial = 0; trial < 80; ++trial) {
    const auto monomials = draw(random);
    const int change = random.below(2) == 0 ? 0 : 1 + static_cast<int>(random.below(2));
    const std::string head = "(x: f64[n], y: f64[n]) -> f64 = ";
    std::string program = "fn f" + head + "sum i < n: " + sum_of(monomials, 0) + " by seq\n";
    if (random.below(2) == 0) {
      program += "fn g" + head + "(sum i < n: " + sum_of(monomials, change) + " by tree)\n";
    } else {
      // The same as a reduction by an operation of the program: a pair whose second part counts.
      program +=
          "fn join(a: (f64, f64), b: (f64, f64)) -> (f64, f64) { let (s, c) = a; let (t, d) = b; (s + t, c + d) }\n"
          "fn g(x: f64[n], y: f64[n]) -> f64 { let (s, c) = reduce(join) i < n: (" +
          sum_of(monomials, change) + ", f64(1)) by seq; s }\n";
    }
    Pair pair(program);
    const auto proof = only(ir::prove_by_steps(pair.session.module(), *pair.f, *pair.g, proof::Relation::equal));
    (change == 0 ? true_ones : false_ones)++;
    INFO(program);
    if (!proof) continue;
    CHECK(change == 0);
    CHECK_FALSE(verify::check(*proof));
    ++proved;
  }
  CHECK(proved == true_ones);
  CHECK(false_ones > 20);
}

TEST_CASE("random inequalities: what is proved has no counterexample") {
  Random random(31);
  int proved = 0, refuted = 0;
  for (int trial = 0; trial < 80; ++trial) {
    const auto monomials = draw(random);
    const std::string body = sum_of(monomials, 0), other = sum_of(draw(random), 0);
    const char* forms[] = {"sum i < n: abs({0})",    "sum i < n: {0} + abs({1})",      "sum i < n: abs({0}) - abs({1})",
                           "sum i < n: {0} + ({1})", "sum i < n: abs({0}) + abs({1})", "sum i < n: 2 * abs({0})"};
    const std::string head = "(x: f64[n], y: f64[n]) -> f64 ";
    const bool absolute = random.below(2) == 0;
    const std::string left =
        absolute ? fmt::format("{{ let s = sum i < n: {}; abs(s) }}", body) : fmt::format("= sum i < n: {} by tree", body);
    const std::string program = "fn f" + head + left + "\nfn g" + head + "= " +
                                fmt::format(fmt::runtime(forms[random.below(6)]), body, other) + "\n";
    Pair pair(program);
    const auto proof = only(ir::prove_by_steps(pair.session.module(), *pair.f, *pair.g, proof::Relation::at_most));
    bool counterexample = false;
    for (int sample = 0; sample < 12; ++sample) {
      ir::Dimensions sizes;
      for (const ir::SymbolId each : pair.f->dimensions) sizes[each] = 1 + static_cast<std::int64_t>(random.below(4));
      const auto arguments = pair.inputs(random, sizes, false);
      const double a = value_of(pair, *pair.f, arguments), b = value_of(pair, *pair.g, arguments);
      counterexample = counterexample || a > b + 1e-6 * (1 + std::abs(a) + std::abs(b));
    }
    INFO(program);
    CHECK_FALSE((proof && counterexample));
    proved += proof.has_value();
    refuted += counterexample;
  }
  CHECK(proved > 20);
  CHECK(refuted > 15);
}
