// stdlib/profiles/wgsl.rk and stdlib/wgsl.rk against the results of WebGPU's conformance suite.
#include <fmt/format.h>

#include <set>

#include "tests/interp/wgsl_cases.h"
#include "tests/profiles/program.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using reckon::test::Elaborated;

namespace {

/// The alternatives by themselves, of which the suite has rows, and functions of one format that are the library's.
std::string program() {
  std::string out = R"(
import "profiles/wgsl"
import "wgsl"
builtin fn clampMinMax[T](x: T, low: T, high: T) -> T = x
builtin fn mixPrecise[T](x: T, y: T, z: T) -> T = x
builtin fn mixImprecise[T](x: T, y: T, z: T) -> T = x
builtin fn acoshPrimary[T](x: T) -> T = x
builtin fn acoshAlternative[T](x: T) -> T = x
profile rows = wgsl_suite with {
  clampMinMax(x, low, high) = min(max(x, low), high)
  mixPrecise(x, y, z) in f32, f16 = x * (1 - z) + y * z
  mixImprecise(x, y, z) in f32, f16 = x + (y - x) * z
  acoshPrimary(x) in f32, f16 = log(x + sqrt(x * x - 1))
  acoshAlternative(x) in f32, f16 = log(x + sqrt((x + 1) * (x - 1)))
}
)";
  const std::pair<const char*, const char*> functions[] = {
      {"saturate", "T"},       {"step", "T, T"},       {"smoothstep", "T, T, T"}, {"degrees", "T"},
      {"radians", "T"},        {"dot", "T[n], T[n]"},  {"length", "T[n]"},        {"distance", "T[n], T[n]"},
      {"normalize", "T[n]"},   {"cross", "T[3], T[3]"}, {"reflect", "T[n], T[n]"}, {"determinant2", "T[2, 2]"},
      {"determinant3", "T[3, 3]"}, {"determinant4", "T[4, 4]"}, {"matAdd", "T[c, r], T[c, r]"},
      {"matSub", "T[c, r], T[c, r]"}, {"matScalarMul", "T[c, r], T"}, {"matVecMul", "T[c, r], T[c]"},
      {"vecMatMul", "T[r], T[c, r]"}, {"matMul", "T[k, r], T[c, k]"}};
  for (const char* format : {"f32", "f16", "f64"}) {
    for (const auto& [name, types] : functions) {
      std::string parameters, arguments, type;
      char letter = 'x';
      int depth = 0;
      for (const char* at = types;; ++at) {
        if (*at == '[') ++depth;
        if (*at == ']') --depth;
        if ((*at == ',' && depth == 0) || *at == 0) {
          parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", letter, type);
          arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", letter);
          ++letter;
          type.clear();
          if (*at == 0) break;
        } else if (*at == 'T') {
          type += format;
        } else if (*at != ' ' || depth > 0) {
          type += *at;
        }
      }
      out += fmt::format("fn its_{}_{}({}) = {}({})\n", name, format, parameters, name, arguments);
    }
  }
  return out;
}

/// The rows' profile, and the library's functions.
struct Suite {
  Elaborated elaborated;
  Cases cases{elaborated.profile(program(), "rows")};
  std::map<std::string, ir::Function> functions;

  Suite() {
    cases.functions = [this](const std::string& name, Scalar scalar, const auto& shapes) -> Cases::Found {
      std::string full = name == "determinant" ? fmt::format("determinant{}", shapes[0][0]) : name;
      if ((name == "length" || name == "distance") && shapes[0].empty()) return {};  // of numbers
      full = fmt::format("its_{}_{}", full, ir::scalar_name(scalar));
      auto found = functions.find(full);
      if (found == functions.end()) {
        auto made = elaborated.session.circuit(full);
        if (!made) return {};
        found = functions.emplace(full, *made).first;
      }
      return {&elaborated.session.module(), &found->second};
    };
  }
};

}  // namespace

TEST_CASE("the library's wgsl_suite gives the suite's intervals, both ends to the last bit") {
  Suite suite;
  // Alternatives that are vectors: accept_wgsl_test.cpp compares them.
  const Agreement found = compare_rows(suite.cases, [](const std::string& op) { return op == "faceForward"; });
  CHECK(found.rows == 2090);
  CHECK(found.passed_over == 51);
  CHECK(found.agreeing == found.rows - found.passed_over);
  CHECK(suite.functions.size() > 40);
}

TEST_CASE("abstract floats have the suite's answers of f32 where it does not evaluate in them") {
  const std::set<std::string> lacking{"acos",       "asin",  "asinh",   "atan",        "atan2",    "atanh",  "cos",
                                      "cosh",       "cross", "degrees", "determinant", "distance", "div",    "dot",
                                      "exp",        "exp2",  "fma",     "length",      "log",      "log2",   "mix",
                                      "normalize",  "pow",   "radians", "reflect",     "rem",      "sin",    "sinh",
                                      "smoothstep", "tan",   "tanh",    "inverseSqrt", "matMul",   "refract"};
  Suite suite;
  int compared = 0;
  for (json row : wgsl_cases()) {
    if (row["trait"] != "f32" || !lacking.contains(row["op"].get<std::string>())) continue;
    row["trait"] = "abstract";
    if (row["op"] == "length" || row["op"] == "distance") {
      if (!row["input"][0].is_array()) continue;  // of numbers
    }
    INFO(row.dump());
    const auto results = suite.cases.evaluate_row(row);
    REQUIRE(results);
    CHECK(row_agrees(row, *results));
    ++compared;
  }
  CHECK(compared > 300);
}
