// Reductions by random operations on triples, in two orders: where the proof says that the order does not count,
// `exact` finds no inputs for which it does. RECKON_TRIALS=100000 for the long run.
#include <fmt/format.h>

#include "tests/prove/pair.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::normal;

namespace {

template <std::size_t count>
std::string pick(Random& random, const char* const (&list)[count]) {
  return list[random.below(count)];
}

/// The operation's parts; `m` is the first.
struct Operation {
  std::string parts[3];

  explicit Operation(Random& random) {
    parts[0] =
        pick(random, {"a0 + b0", "a0 + b0", "max(a0, b0)", "max(b0, a0)", "min(a0, b0)", "a0 * b0", "b0", "a0 - b0"});
    parts[1] = pick(random,
                    {"a1 + b1", "a1 * b1", "a1 * exp(a0 - m) + b1 * exp(b0 - m)", "a1 * exp(a0 - m) + b1 * exp(b0 - m)",
                     "(a1 * a0 + b1 * b0) / m", "a1 + (b1 - a1) * b0 / m", "a1 * b0 + b1", "a1 + b1 * exp(b0 - a0)",
                     "a1 * exp(m - a0) + b1 * exp(m - b0)", "(a1 * a0 + b1 * b0) / (a0 - b0)", "max(a1, b1)"});
    parts[2] = pick(random, {"a2 + b2", "a2 + b2 + (b1 - a1) * (b1 - a1) * a0 * b0 / m",
                             "a2 + b2 + (b1 - a1) * (b1 - a1) * a0 / m", "a2 * exp(a0 - m) + b2 * exp(b0 - m)",
                             "a2 + b2 + a1 * b1", "a2 * a1 + b2 * b1", "(a2 * a1 + b2 * b1) / (a1 + b1)"});
  }
  std::string text(const char* name) const {
    return fmt::format(
        "fn {}(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {{ let (a0, a1, a2) = a; let (b0, b1, b2) = "
        "b;"
        " let m = {}; (m, {}, {}) }}\n",
        name, parts[0], parts[1], parts[2]);
  }
};

}  // namespace

TEST_CASE("reductions by operations of the program: the order counts, or is proved not to") {
  const std::int64_t count = test::trials<std::int64_t>(300);
  std::int64_t proved = 0, refuted = 0, equal = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    Random random(test::stream(3) * 1000003 + static_cast<std::uint64_t>(k));
    const Operation first(random);
    Operation second = first;
    if (const auto part = random.below(12); part < 3) second.parts[part] = Operation(random).parts[part];
    const std::string leaf =
        fmt::format("({}, {}, {})", pick(random, {"x[i]", "f64(1)", "f64(1)", "f64(2)", "y[i] * y[i]"}),
                    pick(random, {"x[i]", "y[i]", "f64(1)"}), pick(random, {"f64(0)", "y[i]", "x[i] * y[i]"}));
    const std::string result = pick(random, {"p", "q", "q", "r", "r / p", "q * exp(p)", "r / q"});
    const auto side = [&](const char* name, const char* operation, const char* order) {
      return fmt::format("fn {}(x: f64[n], y: f64[n]) -> f64 {{ let (p, q, r) = reduce({}) i < n: {} by {}; {} }}\n",
                         name, operation, leaf, order, result);
    };
    Pair pair(first.text("join") + second.text("other") + side("f", "join", "seq") +
              side("g", "other", random.below(2) ? "tree" : "lanes(2, seq) then tree"));
    const bool is_proved = pair.prove().has_value();
    proved += is_proved;
    bool differs = false;
    for (int trial = 0; trial < 5 && !differs; ++trial) {
      const ir::Dimensions sizes{{pair.session.module().symbol("n"), 1 + trial}};
      const auto truth = pair.compare(pair.inputs(random, sizes, trial % 2 == 0));
      equal += truth == interp::Truth::yes;
      differs = truth == interp::Truth::no;
      INFO(pair.text);
      if (differs && is_proved) FAIL("proved equal, but different at n = " << 1 + trial);
    }
    refuted += differs;
  }
  if (test::long_run())
    fmt::print("folds: {} pairs, {} proved, {} refuted; inputs: {} equal\n", count, proved, refuted, equal);
  CHECK(proved * 10 > count);
  CHECK(refuted * 10 > count);
}
