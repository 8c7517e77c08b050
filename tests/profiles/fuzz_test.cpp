// Random rules for random circuits on random shapes: never a crash, never a result of another shape; and with the rule
// `exact`, the exact result rounded to nearest is among the answers.
#include <fmt/format.h>

#include <random>

#include "diagnostics/codes/internal.h"
#include "interp/evaluate.h"
#include "numerics/format.h"
#include "semantics/standard.h"
#include "tests/profiles/program.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::test;

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return random() % n; }
template <class T>
const T& one_of(Random& random, const std::vector<T>& all) {
  return all[below(random, all.size())];
}

/// Circuits with the types of their arguments: `s` a number, `v` a vector, `w` one of three elements, `m` a matrix,
/// `q` a square one of two rows, `u` an integer.
struct Circuit {
  std::string name, arguments;
};
const std::vector<Circuit> circuits{{"fract", "s"},         {"modf", "s"},           {"saturate", "s"},
                                    {"step", "ss"},         {"degrees", "s"},        {"mix", "sss"},
                                    {"clampMedian", "sss"}, {"smoothstep", "sss"},   {"dot", "vv"},
                                    {"length", "v"},        {"distance", "vv"},      {"normalize", "v"},
                                    {"cross", "ww"},        {"reflect", "vv"},       {"refract", "vvs"},
                                    {"faceForward", "vvv"}, {"transpose", "m"},      {"determinant2", "q"},
                                    {"matMul", "qq"},       {"unpack4x8unorm", "u"}, {"sq", "s"},
                                    {"axpy", "svvs"},       {"both", "sv"},          {"positive", "s"},
                                    {"lifted", "m"},        {"zero", "v"},           {"quantizeToF16", "s"}};
const std::string own = R"(
import "profiles/wgsl"
import "profiles/ieee"
import "wgsl"
builtin fn sq[T](x: T) -> T = x * x
builtin fn axpy[T](a: T, x: T[n], y: T[n], b: T) -> T[n] = for i: a * x[i] + b * y[i]
builtin fn both[T](x: T, v: T[n]) -> (T, T[n]) = (x + 1, v)
builtin fn positive[T](x: T) -> bool = x > 0
builtin fn lifted[T](m: T[c, r]) -> T[r, c] = for i, j: m[j, i] + 1
builtin fn zero[T](v: T[n]) -> T = sum i: v[i]
)";

std::string number(Random& random, const std::string& format) {
  static const std::vector<std::string> some{"0",   "1",    "-1",   "0.5",   "3",    "-2.25", "0.1",
                                             "100", "1e-3", "-1e4", "1e-40", "1e-7", "60000", "-0x1p-24"};
  return fmt::format("{}({})", format, one_of(random, some));
}
std::string row(Random& random, const std::string& format, std::size_t n) {
  std::string out;
  for (std::size_t k = 0; k < n; ++k) out += (k == 0 ? "" : ", ") + number(random, format);
  return "[" + out + "]";
}
/// One length for all vectors of a call.
std::string argument(Random& random, const std::string& format, char type, std::size_t length) {
  switch (type) {
    case 's': return number(random, format);
    case 'v': return row(random, format, length);
    case 'w': return row(random, format, 3);
    case 'q': return fmt::format("[{}, {}]", row(random, format, 2), row(random, format, 2));
    case 'u': return fmt::format("{}", static_cast<std::uint32_t>(random()));
    default: {
      const std::size_t columns = 1 + below(random, 3);
      std::string out;
      for (std::size_t k = 0; k < columns; ++k) out += (k == 0 ? "" : ", ") + row(random, format, length);
      return "[" + out + "]";
    }
  }
}
std::string call(Random& random, const Circuit& circuit, const std::string& format) {
  const std::size_t length = 1 + below(random, 3);
  std::string out;
  for (char type : circuit.arguments) out += (out.empty() ? "" : ", ") + argument(random, format, type, length);
  return fmt::format("{}({})", circuit.name, out);
}

std::string rule(Random& random, const Circuit& circuit) {
  static const std::vector<std::string> expressions{"x",
                                                    "x + 1",
                                                    "x * x",
                                                    "(x, x)",
                                                    "(x, x + 1)",
                                                    "[x, x]",
                                                    "for i: x[i]",
                                                    "sum i: x[i]",
                                                    "x[0]",
                                                    "x > 0",
                                                    "0",
                                                    "7.5",
                                                    "sqrt(x)",
                                                    "x[0, 0]",
                                                    "for i, j: x[j, i]",
                                                    "f16(x)",
                                                    "length(x)",
                                                    "dot(x, x)",
                                                    "fract(x)",
                                                    "sq(x)",
                                                    "sq(x) + x",
                                                    "for i, j: x[i, j] * 2",
                                                    "x[1] + x[7]",
                                                    "max i: x[i]"};
  static const std::vector<std::string> primitives{"fract",       "transpose",      "modf",
                                                   "clampMedian", "faceForward",    "refract",
                                                   "ldexp",       "unpack4x8unorm", "quantizeToF16"};
  const auto accuracy = [&](auto&& self, int depth) -> std::string {
    switch (below(random, depth > 0 ? 10 : 8)) {
      case 0: return "exact";
      case 1: return "rounded";
      case 2: return fmt::format("absolute({})", one_of<std::string>(random, {"0", "0.5", "1e30", "abs(x)", "1 / x"}));
      case 3: return fmt::format("ulps({})", one_of<std::string>(random, {"0", "1", "2.5", "3 + abs(x)", "1e9"}));
      case 4: return "anything";
      case 5: return fmt::format("primitive({})", one_of(random, primitives));
      case 6: return "primitive";
      case 7: return fmt::format("inherited({})", one_of(random, expressions));
      case 8: return fmt::format("either({}, {})", self(self, 0), self(self, 0));
      default: return fmt::format("hull({}, {})", self(self, 0), self(self, 0));
    }
  };
  static const std::vector<std::string> names{"x", "y", "z", "w"};
  std::string head = circuit.name + "(";
  for (std::size_t k = 0; k < circuit.arguments.size(); ++k) head += (k == 0 ? "" : ", ") + names[k];
  head += ")";
  if (below(random, 4) == 0) return head + " = " + one_of(random, expressions);
  std::string out = head + " : " + accuracy(accuracy, 1);
  static const std::vector<std::string> domains{" for x: -1..1", " for x > 0", " for abs(x): 0x1p-10..100"};
  if (below(random, 3) == 0) out += one_of(random, domains) + " else " + accuracy(accuracy, 1);
  return out;
}

struct Program {
  Elaborated elaborated;
  bool sound = true;  ///< the front end had nothing against it
  std::shared_ptr<const ir::Profile> profile;

  explicit Program(const std::string& text) {
    auto& sources = elaborated.sources;
    sound = elaborated.session.add(sources.add("p.rk", text), "p.rk", frontend::ParseAs::program).diagnostics.empty();
    auto found = elaborated.session.profile("mine", {});
    if (found) profile = *found;
  }
  /// Nothing: what went wrong was said.
  std::optional<std::vector<Values>> probe(Semantics& semantics) {
    auto function = elaborated.session.circuit("probe");
    if (!function) return std::nullopt;
    auto results = evaluate(elaborated.session.module(), *function, semantics, {});
    if (!results) {
      CHECK(results.error().code != code::internal);
      UNSCOPED_INFO(results.error().message);
      return std::nullopt;
    }
    return std::move(*results);
  }
};

std::unique_ptr<Semantics> accept_of(const Program& program) {
  auto made = make_semantics("accept", {{"mine", program.profile}}, {});
  REQUIRE(made);
  return std::move(*made);
}

}  // namespace

TEST_CASE("random rules for circuits never crash, and never change a shape") {
  const int programs = trials(150);
  int ruled = 0, evaluated = 0;
  for (int k = 0; k < programs; ++k) {
    const std::uint64_t seed = stream(static_cast<std::uint64_t>(k));
    Random random(seed);
    const Circuit& circuit = one_of(random, circuits);
    const auto format = one_of<std::string>(random, {"f32", "f16"});
    const auto base = one_of<std::string>(random, {"wgsl", "wgsl_suite", "ieee"});
    const std::string text =
        fmt::format("{}profile mine = {} with {{ {} }}\nfn probe() = {}\n", own, base, rule(random, circuit),
                    call(random, circuit, circuit.name == "quantizeToF16" ? "f32" : format));
    INFO("seed " << seed << "\n" << text);
    Program program(text);
    if (program.profile == nullptr) continue;
    ++ruled;
    const auto semantics = accept_of(program);
    const auto results = program.probe(*semantics);
    if (!results) continue;
    ++evaluated;
    // The circuit's own results, without the rule: shapes are the same.
    Program plain(own + "profile mine = ieee with {}\n" + text.substr(text.find("fn probe()")));
    const auto exact = make_semantics("exact", {}, {});
    if (const auto expected = plain.probe(**exact)) {
      REQUIRE(results->size() == expected->size());
      for (std::size_t r = 0; r < results->size(); ++r) CHECK((*results)[r].shape() == (*expected)[r].shape());
    }
  }
  CHECK(ruled > programs / 4);
  CHECK(evaluated > programs / 5);
}

TEST_CASE("the rule `exact` allows the exact result, rounded to nearest") {
  const int programs = trials(100);
  int compared = 0;
  for (int k = 0; k < programs; ++k) {
    const std::uint64_t seed = stream(static_cast<std::uint64_t>(k));
    Random random(seed);
    const Circuit& circuit = one_of(random, circuits);
    if (circuit.name == "positive" || circuit.name == "quantizeToF16") continue;  // of which there is no such rule
    const std::string format =
        circuit.name == "unpack4x8unorm" ? "f32" : one_of<std::string>(random, {"f32", "f16", "f64"});
    const auto base = one_of<std::string>(random, {"wgsl", "ieee"});
    const std::string text = fmt::format("{}profile mine = {} with {{ {} : exact }}\nfn probe() = {}\n", own, base,
                                         circuit.name, call(random, circuit, format));
    INFO("seed " << seed << "\n" << text);
    Program program(text);
    REQUIRE(program.profile != nullptr);
    const auto semantics = accept_of(program);
    const auto exact = make_semantics("exact", {}, {});
    const auto allowed = program.probe(*semantics);
    REQUIRE(allowed);
    const auto results = program.probe(**exact);
    if (!results) continue;  // 0 / 0 and the like
    for (std::size_t r = 0; r < results->size(); ++r) {
      const ir::Scalar scalar = (*results)[r].scalar();
      for (std::int64_t i = 0; i < (*results)[r].count(); ++i) {
        const auto ends = (*exact)->finest_enclosure(scalar, (*results)[r].at(i));
        REQUIRE(ends);
        const std::uint64_t bits = numerics::round_rational(ends->low, ir::format_of(scalar));
        if (bits != numerics::round_rational(ends->high, ir::format_of(scalar))) continue;
        const auto said = semantics->acceptance(scalar, (*allowed)[r].at(i), bits);
        REQUIRE(said);
        CHECK(said->accepted);
        ++compared;
      }
    }
  }
  CHECK(compared > programs);
}
