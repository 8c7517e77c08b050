// Random pairs of small terms of all real functions: what is proved equal is compared under `exact` at random points,
// and is equal there. Half of the pairs are a term and what a rule makes of a part of it, where half of the rules are
// wrong; half are two random terms, small enough to be equal by chance. RECKON_TRIALS=10000 for the long run.
#include <fmt/format.h>

#include "tests/prove/pair.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::normal;

namespace {

/// Two templates over A and B: of equal value wherever both have one, or nearly so.
struct Rule {
  const char *from, *to;
};
constexpr Rule rules[] = {
    {"abs(A)", "max(A, -(A))"},
    {"abs(A)", "A"},
    {"abs(A) * abs(B)", "abs((A) * (B))"},
    {"abs(A) + abs(B)", "abs((A) + (B))"},
    {"max(A, B)", "((A) + (B) + abs((A) - (B))) / 2"},
    {"max(A, B)", "((A) + (B) - abs((A) - (B))) / 2"},
    {"min(A, max(A, B))", "A"},
    {"min(A, max(A, B))", "B"},
    {"clamp(clamp(A, 0, 2), 0, 2)", "clamp(A, 0, 2)"},
    {"clamp(clamp(A, 0, 2), 1, 3)", "clamp(A, 1, 3)"},
    {"sign(A) * abs(A)", "A"},
    {"sign(A) * sign(A)", "f64(1)"},
    {"copysign(A, B)", "abs(A) * sign(B)"},
    {"copysign(copysign(A, B), A)", "A"},
    {"sqrt((A) * (A))", "abs(A)"},
    {"sqrt((A) * (A))", "A"},
    {"cbrt(A) * cbrt(B)", "cbrt((A) * (B))"},
    {"cbrt(A) + cbrt(B)", "cbrt((A) + (B))"},
    {"sqrt(A) * sqrt(B)", "sqrt((A) * (B))"},
    {"log((A) * (B))", "log(A) + log(B)"},
    {"log((A) * (A))", "2 * log(A)"},
    {"exp(log(A))", "A"},
    {"log(exp(A))", "A"},
    {"sin(asin(A))", "A"},
    {"asin(sin(A))", "A"},
    {"cos(asin(A))", "sqrt(1 - (A) * (A))"},
    {"cos(acos(A) / 2)", "sqrt((1 + (A)) / 2)"},
    {"sin(acos(A) / 2)", "-sqrt((1 - (A)) / 2)"},
    {"atan(tan(A))", "A"},
    {"atan(A) + atan(1 / (A))", "f64(pi) / 2 * sign(A)"},
    {"atan(A) + atan(1 / (A))", "f64(pi) / 2"},
    {"acos(A)", "f64(pi) / 2 - asin(A)"},
    {"acos(-(A))", "-acos(A)"},
    {"sinh(asinh(A))", "A"},
    {"cosh(acosh(A))", "A"},
    {"acosh(cosh(A))", "A"},
    {"acosh(cosh(A))", "abs(A)"},
    {"tanh(atanh(A))", "A"},
    {"atanh(A)", "log((1 + (A)) / (1 - (A))) / 2"},
    {"log((A) / (B))", "log(A) - log(B)"},
    {"log(A + sqrt((A) * (A) + 1))", "asinh(A)"},
    {"log(A + sqrt((A) * (A) - 1))", "acosh(A)"},
    {"log(-(A) + sqrt((A) * (A) + 1))", "asinh(A)"},
    {"log(exp(A) + exp(B))", "max(A, B) + log1p(exp(-abs((A) - (B))))"},
    {"log(exp(A) + exp(B))", "min(A, B) + log1p(exp(-abs((A) - (B))))"},
    {"tan((A) / 2)", "sin(A) / (1 + cos(A))"},
    {"cos((A) / 2)", "sqrt((1 + cos(A)) / 2)"},
    {"abs(cos((A) / 2))", "sqrt((1 + cos(A)) / 2)"},
    {"((A) % (B)) % (B)", "(A) % (B)"},
    {"((A) % (B)) % (A)", "(A) % (B)"},
    {"(-(A)) % (B)", "(A) % (B)"},
    {"floor((A) + 1)", "floor(A) + 1"},
    {"round((A) + 1)", "round(A) + 1"},
    {"pow(A, 1.5)", "(A) * sqrt(A)"},
    {"pow(pow(A, 2), 0.5)", "A"},
    {"pow(pow(A, 0.5), 2)", "abs(A)"},
    {"exp(max(A, B))", "max(exp(A), exp(B))"},
    {"exp(max(A, B))", "max(exp(A), exp(-(B)))"},
    {"select(A < B, A, B)", "min(A, B)"},
    {"select(A <= B, B, A)", "max(A, B)"},
    {"select(A < B, B, A)", "min(A, B)"},
    {"select(A > 0, A, 0)", "max(A, 0)"},
    {"select(A >= 0, A, -(A))", "abs(A)"},
    {"select((A) == (B), A, 0)", "select((A) == (B), B, 0)"},
    {"select((A) == (B), A, 0)", "select((A) == (B), -(B), 0)"},
    {"sqrt((A) / (1 + (A)))", "sqrt(A) / sqrt(1 + (A))"},
    {"sqrt((1 + (A)) / (1 - (A)))", "(1 + (A)) / sqrt(1 - (A) * (A))"},
    {"(A) / (A)", "f64(1)"},
    {"(A) - (B)", "(B) - (A)"},
    {"hypot(A, B)", "sqrt((A) * (A) + (B) * (B))"},
    {"hypot(A, B)", "(A) + (B)"},
    {"atan2(exp(A), exp(B))", "atan(exp((A) - (B)))"},
    {"atan2(A, B)", "atan((A) / (B))"},
    {"max(A, 0) * max(-(A), 0)", "f64(0)"},
};

class Writer {
 public:
  explicit Writer(Random& random) : random_(random) {}

  std::string term(int depth) {
    if (depth == 0 || random_.below(6) == 0) return leaf();
    static constexpr const char* unary[] = {"abs",  "sqrt",  "exp",  "log",   "sin",  "cos",   "tanh", "asin",
                                            "atan", "asinh", "cbrt", "floor", "sign", "acosh", "log1p"};
    static constexpr const char* binary[] = {" + ", " - ", " * ", " / "};
    static constexpr const char* functions[] = {"max", "min", "copysign", "hypot"};
    switch (random_.below(8)) {
      case 0:
      case 1: return fmt::format("{}({})", unary[random_.below(std::size(unary))], term(depth - 1));
      case 2:
        return fmt::format("{}({}, {})", functions[random_.below(std::size(functions))], term(depth - 1),
                           term(depth - 1));
      case 3:
        return fmt::format("select({} {} {}, {}, {})", leaf(), random_.below(2) ? "<" : "<=", leaf(), term(depth - 1),
                           term(depth - 1));
      case 4: return fmt::format("(-({}))", term(depth - 1));
      default:
        return fmt::format("(({}){}({}))", term(depth - 1), binary[random_.below(std::size(binary))], term(depth - 1));
    }
  }

  /// `from` and `to` with the same terms put in, each inside the same term.
  std::pair<std::string, std::string> rewritten() {
    const Rule& rule = rules[random_.below(std::size(rules))];
    const std::string a = term(static_cast<int>(random_.below(2))), b = term(static_cast<int>(random_.below(2)));
    std::string left = put_in(rule.from, a, b), right = put_in(rule.to, a, b);
    for (std::uint64_t k = random_.below(3); k > 0; --k) {
      const std::string other = leaf();
      static constexpr const char* around[] = {"(A) + (B)", "(A) * (B)", "(B) / (A)", "exp(A)",
                                               "max(A, B)", "(A) - (B)", "abs(A)"};
      const char* text = around[random_.below(std::size(around))];
      left = put_in(text, left, other);
      right = put_in(text, right, other);
    }
    return {left, right};
  }

 private:
  std::string leaf() {
    static constexpr const char* leaves[] = {"x", "y", "x", "y", "f64(1)", "f64(2)", "f64(1/2)", "f64(0)", "f64(-1)"};
    return leaves[random_.below(std::size(leaves))];
  }
  static std::string put_in(std::string_view text, const std::string& a, const std::string& b) {
    std::string out;
    for (char c : text) out += c == 'A' ? a : c == 'B' ? b : std::string(1, c);
    return out;
  }

  Random& random_;
};

}  // namespace

TEST_CASE("random terms of real functions: nothing is proved that is not so") {
  const auto count = test::trials<std::int64_t>(1000);
  std::int64_t proved = 0, compared = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    Random random(test::stream(5) * 1000003 + static_cast<std::uint64_t>(k));
    Writer writer(random);
    std::pair<std::string, std::string> sides;
    if (k % 2 == 0) {
      sides = writer.rewritten();
    } else {
      const int depth = 1 + static_cast<int>(random.below(2));
      sides = {writer.term(depth), writer.term(depth)};
    }
    Pair pair(fmt::format("fn f(x: f64, y: f64) -> f64 = {} + f64(0)\nfn g(x: f64, y: f64) -> f64 = {} + f64(0)\n",
                          sides.first, sides.second));
    if (!pair.prove()) continue;
    ++proved;
    for (int trial = 0; trial < 8; ++trial) {
      std::vector<interp::Argument> arguments;
      for (int parameter = 0; parameter < 2; ++parameter) {
        ir::HostTensor value(ir::Scalar::f64, {});
        const double scale = trial % 2 == 0 ? 1 : 4;
        const double drawn = (static_cast<double>(random.below(33)) / 16 - 1) * scale;
        value.set_bits(0, std::bit_cast<std::uint64_t>(drawn));
        arguments.emplace_back(std::move(value));
      }
      const auto truth = pair.compare(arguments);
      compared += truth == interp::Truth::yes;
      INFO(pair.text);
      if (truth == interp::Truth::no) FAIL("proved equal, but different");
    }
  }
  if (test::long_run()) fmt::print("terms: {} pairs, {} proved, {} points equal\n", count, proved, compared);
  CHECK(proved * 10 > count);
  CHECK(compared > proved);
}
