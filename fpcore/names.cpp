#include "fpcore/names.h"

#include <set>

namespace reckon::fpcore {

namespace {

struct Precision {
  std::string_view name;
  Format format;
};
constexpr Precision precisions[] = {{"binary64", Format::f64},
                                    {"binary32", Format::f32},
                                    {"binary16", Format::f16},
                                    {"bfloat16", Format::bf16}};

}  // namespace

const Names& functions() {
  static const Names out = {
      {"fabs", "abs"},    {"fma", "fma"},        {"sqrt", "sqrt"},         {"exp", "exp"},      {"exp2", "exp2"},
      {"expm1", "expm1"}, {"log", "log"},        {"log2", "log2"},         {"log10", "log10"},  {"log1p", "log1p"},
      {"pow", "pow"},     {"cbrt", "cbrt"},      {"hypot", "hypot"},       {"sin", "sin"},      {"cos", "cos"},
      {"tan", "tan"},     {"asin", "asin"},      {"acos", "acos"},         {"atan", "atan"},    {"atan2", "atan2"},
      {"sinh", "sinh"},   {"cosh", "cosh"},      {"tanh", "tanh"},         {"asinh", "asinh"},  {"acosh", "acosh"},
      {"atanh", "atanh"}, {"erf", "erf"},        {"erfc", "erfc"},         {"tgamma", "gamma"}, {"lgamma", "lgamma"},
      {"fmin", "minnum"}, {"fmax", "maxnum"},    {"copysign", "copysign"}, {"floor", "floor"},  {"ceil", "ceil"},
      {"trunc", "trunc"}, {"nearbyint", "round"}, {"fmod", "rem"}};
  return out;
}

const Names& constants() {
  static const Names out = {{"E", "e"},
                            {"PI", "pi"},
                            {"LN2", "ln2"},
                            {"LOG2E", "log2e"},
                            {"LN10", "log(10)"},
                            {"LOG10E", "1 / log(10)"},
                            {"PI_2", "pi / 2"},
                            {"PI_4", "pi / 4"},
                            {"M_1_PI", "1 / pi"},
                            {"M_2_PI", "2 / pi"},
                            {"M_2_SQRTPI", "2 / sqrt(pi)"},
                            {"SQRT2", "sqrt(2)"},
                            {"SQRT1_2", "sqrt(1 / 2)"},
                            {"INFINITY", "inf"},
                            {"NAN", "nan"}};
  return out;
}

bool is_taken(std::string_view name) {
  static const auto taken = [] {
    std::set<std::string, std::less<>> out = {"pi",    "e",    "ln2", "log2e", "inf",  "nan", "true",
                                              "false", "min",  "max", "sum",   "prod", "f64", "f32",
                                              "f16",   "bf16", "bound", "select"};
    for (const auto& [theirs, ours] : functions()) out.insert(ours);
    return out;
  }();
  return taken.contains(name);
}

std::optional<Format> format_of_precision(std::string_view precision) {
  for (const Precision& each : precisions) {
    if (each.name == precision) return each.format;
  }
  return std::nullopt;
}

std::optional<std::string_view> precision_of(Format format) {
  for (const Precision& each : precisions) {
    if (each.format == format) return each.name;
  }
  return std::nullopt;
}

}  // namespace reckon::fpcore
