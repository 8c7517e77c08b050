#include "frontend/parse.h"

namespace reckon::frontend {

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> words = {
      // items and what belongs to them
      "import", "builtin", "fn", "let", "profile", "kernel", "check", "show", "save", "in", "within", "ulp", "relative",
      "bound", "orders", "trials", "seed", "formats", "flush", "overflow", "evaluate", "with", "threads", "values", "blocks",
      // expressions
      "for", "sum", "prod", "min", "max", "reduce", "scan", "by", "then", "length", "if", "else", "and", "or", "not",
      "xor", "true", "false",
      // types
      "f64", "f32", "f16", "bf16", "tf32", "f8e4m3", "f8e5m2", "u32", "bool", "number",
      // constants
      "pi", "e", "ln2", "log2e", "inf", "nan",
      // functions of circuits
      "neg", "abs", "fma", "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos", "select", "sign", "copysign",
      "floor", "ceil", "trunc", "round", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
      "acosh", "atanh", "erf", "pow", "cbrt", "hypot", "expm1", "log1p", "minnum", "maxnum", "clamp", "ldexp", "bits",
      "from_bits", "bit_and", "bit_or", "bit_xor", "shift_left", "shift_right",
      "approx.exp2", "approx.log2", "approx.sin", "approx.cos", "approx.tanh", "approx.sqrt",
      "approx.rsqrt", "approx.rcp", "approx.div", "load", "random", "normal", "lcg", "view",
      // schedules
      "seq", "tree", "halving", "split", "any", "any_tree", "any_seq", "tile", "lanes", "arrange", "fused", "neumaier",
      "kahan", "rounded_once", "binned", "parens", "depth", "error_growth", "same",
      // semantics
      "float", "exact", "interval", "accept", "fpsan", "padic", "count"};
  return words;
}

}  // namespace reckon::frontend
