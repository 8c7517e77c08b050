// Scalar expressions, subscripts and conditions.
#include <algorithm>

#include "tests/differential/formats.h"
#include "tests/differential/generator.h"

namespace reckon::differential {
namespace {

bool is_small(const std::string& format) { return format.starts_with("f8") || has_no_nan(format); }

int digits(const std::string& format) {
  return format == "f64" ? 16 : format == "f32" || format == "tf32" ? 8 : is_small(format) ? 2 : 4;
}

/// Patterns at the edges of a format: zeros, subnormals, the largest finite values, infinities, NaN.
std::string edge(Random& random, const std::string& format) {
  static constexpr const char* f64[] = {"8000000000000000", "0000000000000001", "000fffffffffffff", "0010000000000000",
                                        "7fefffffffffffff", "7ff0000000000000", "fff0000000000000", "7ff8000000000000"};
  static constexpr const char* f32[] = {"80000000", "00000001", "807fffff", "00800000",
                                        "7f7fffff", "7f800000", "ff800000", "7fc00000"};
  static constexpr const char* f16[] = {"8000", "0001", "83ff", "0400", "7bff", "7c00", "fc00", "7e00"};
  static constexpr const char* bf16[] = {"8000", "0001", "807f", "0080", "7f7f", "7f80", "ff80", "7fc0"};
  static constexpr const char* tf32[] = {"80000000", "00002000", "807fe000", "00800000",
                                         "7f7fe000", "7f800000", "ff800000", "7fc00000"};
  static constexpr const char* f8e4m3[] = {"80", "01", "87", "08", "7e", "fe", "7f", "ff"};
  static constexpr const char* f8e5m2[] = {"80", "01", "83", "04", "7b", "7c", "fc", "7e"};
  static constexpr const char* f6e3m2[] = {"20", "01", "23", "04", "1f", "3f", "1c", "2b"};
  static constexpr const char* f6e2m3[] = {"20", "01", "27", "08", "1f", "3f", "18", "2f"};
  static constexpr const char* f4e2m1[] = {"08", "01", "09", "02", "07", "0f", "05", "0b"};
  const auto& table = format == "f64"      ? f64
                      : format == "f32"    ? f32
                      : format == "tf32"   ? tf32
                      : format == "f8e4m3" ? f8e4m3
                      : format == "f8e5m2" ? f8e5m2
                      : format == "f6e3m2" ? f6e3m2
                      : format == "f6e2m3" ? f6e2m3
                      : format == "f4e2m1" ? f4e2m1
                      : format == "f16"    ? f16
                                           : bf16;
  return random.pick(table);
}

}  // namespace

Node call_node(Sort sort, const std::string& name, std::vector<Node> children) {
  Node out{std::move(sort), name + "(", name + "(", Binding::atom, std::move(children)};
  for (std::size_t k = 0; k < out.children.size(); ++k) {
    const std::string place = (k > 0 ? ", $" : "$") + std::to_string(k);
    out.pattern += place;
    out.other += place + ".";
  }
  out.pattern += ")";
  out.other += ")";
  return out;
}

Generator::Format Generator::other_format(const Format& format) {
  static constexpr const char* formats[] = {"f32",    "f64",    "f16",    "bf16",   "f32",     "tf32",   "f8e4m3",
                                            "f8e5m2", "f6e3m2", "f6e2m3", "f4e2m1", "integer", "integer"};
  Format out;
  do out = random_.pick(formats);
  while ((!float_ && has_no_payloads(out)) || (for_interval_ && out == "integer"));
  if (out == "integer") out = integer_type();
  return out == format ? (format == "f32" ? "f16" : "f32") : out;
}

Generator::Format Generator::float_format(const Format& format) {
  Format out;
  do out = other_format(format);
  while (is_integer(out));
  return out;
}

Node Generator::literal(const Format& format) {
  if (const auto* type = integer_named(format)) {
    static constexpr const char* words[] = {"0", "1", "7", "8", "15", "31", "63", "100"};
    if (type->is_signed && random_.one_in(4))
      return atom(format, format + "(" + random_.pick({"-1", "-2", "-100", "-7"}) + ")");
    if (random_.one_in(2)) return atom(format, format + "(" + random_.pick(words) + ")");
    // A pattern: a border, the bits of a float, or any.
    std::string bits = random_.pick({"80", "7f", "ff", "3f", "00"});
    const bool same = random_.one_in(2);
    while (static_cast<int>(bits.size()) < type->width / 4)
      bits += same ? bits.back() == '0' ? '0' : 'f' : "0123456789abcdef"[random_.below(16)];
    return atom(format, format + "#" + bits);
  }
  switch (random_.below(8)) {
    case 0: return atom(format, format + "#" + edge(random_, format));
    case 1: {
      // A pattern of ordinary size: the sign and exponent of a number near 1, any digits below.
      static constexpr const char* high[] = {"3f", "bf", "40", "c0", "3e"};
      std::string bits = format == "f16"         ? std::string(random_.pick({"3c", "bc", "40", "c0", "38"}))
                         : has_no_nan(format) ? std::string(random_.pick({"02", "03", "04", "0a", "0c"}))
                                              : random_.pick(high);
      if (format == "tf32") bits += std::string(1, "0123456789abcdef"[random_.below(16)]) + "c4000";
      while (static_cast<int>(bits.size()) < digits(format)) bits += "0123456789abcdef"[random_.below(16)];
      return atom(format, format + "#" + bits);
    }
    case 2: {
      static constexpr const char* hexadecimal[] = {"0x1.8p-3", "0x1.fffffep3", "-0x1p4", "0x1.5555p0", "0x1p-20"};
      return atom(format, format + "(" + random_.pick(hexadecimal) + ")");
    }
    case 3: {
      static constexpr const char* special[] = {"inf", "-inf", "nan", "pi", "2 * e", "-ln2 / 3", "1e-45", "1e40", "1/3", "0"};
      std::string value = random_.pick(special);
      if (for_interval_ && value == "nan") value = "-1/7";
      const bool none = (has_no_nan(format) && value == "nan") ||
                        ((has_no_nan(format) || format == "f8e4m3") && value.ends_with("inf"));
      return atom(format, format + "(" + (none ? "1e6" : value) + ")");
    }
    default: {
      static constexpr const char* decimal[] = {"1", "-1", "0.1", "2", "-0.5", "1.5e1", "3.25", "-7.3e-2", "0", "100"};
      return atom(format, format + "(" + random_.pick(decimal) + ")");
    }
  }
}

Node Generator::operand(const Format& format, int depth) {
  if (!random_.one_in(8)) return scalar(format, depth);
  static constexpr const char* bare_words[] = {"1", "23", "0x7f", "0", "64", "7"};
  if (is_integer(format)) return atom(format, random_.pick(bare_words));
  static constexpr const char* bare[] = {"0.1", "1", "2", "0", "0x1.4p1", "1e-3", "7"};
  return atom(format, random_.pick(bare));
}

Node Generator::index(int depth) {
  const auto variable = [&]() -> Node {
    if (scope_.indices.empty()) return atom("index", std::to_string(random_.below(5)));
    return atom("index", random_.pick(scope_.indices).name);
  };
  if (depth == 0) {
    if (!scope_.dimensions.empty() && random_.one_in(5)) return atom("index", random_.pick(scope_.dimensions));
    return random_.one_in(6) ? atom("index", std::to_string(random_.below(7))) : variable();
  }
  const auto two = [&](const char* pattern, const char* other, Binding binding) {
    return Node{"index", pattern, other, binding, {index(depth - 1), index(depth - 1)}};
  };
  switch (random_.below(8)) {
    case 0: return two("($0 + $1)", "$0+ + $1*", Binding::sum);
    case 1: return two("($0 - $1)", "$0+ - $1*", Binding::sum);
    case 2: return two("($0 * $1)", "$0* * $1", Binding::product);
    case 3: return two("min($0, $1)", "min($0., $1.)", Binding::atom);
    case 4: return two("max($0, $1)", "max($0., $1.)", Binding::atom);
    case 5: return {"index", "($0 // " + std::to_string(1 + random_.below(4)) + ")", {}, {}, {index(depth - 1)}};
    case 6: return {"index", "($0 % " + std::to_string(1 + random_.below(5)) + ")", {}, {}, {index(depth - 1)}};
    default: return {"index", "(-$0)", {}, {}, {index(depth - 1)}};
  }
}

Node Generator::subscript(const Extent& extent) {
  std::vector<std::string> fitting;
  for (const IndexVariable& variable : scope_.indices) {
    if (std::find(variable.below.begin(), variable.below.end(), extent) != variable.below.end()) {
      fitting.push_back(variable.name);
    }
  }
  if (!fitting.empty() && random_.below(10) < 7) {
    // The innermost index more often than not, so that loops are about something.
    return atom("index", random_.one_in(3) ? random_.pick(fitting) : fitting.back());
  }
  switch (random_.below(6)) {
    case 0: return atom("index", "0");
    case 1: return atom("index", "(" + extent + " - 1)");
    case 2:
      if (!fitting.empty()) return {"index", "(" + extent + " - 1 - $0)", {}, {}, {atom("index", random_.pick(fitting))}};
      [[fallthrough]];
    case 3:
      if (!fitting.empty()) return {"index", "($0 // 2)", {}, {}, {atom("index", random_.pick(fitting))}};
      [[fallthrough]];
    case 4: return {"index", "min(max($0, 0), " + extent + " - 1)", "min(max($0., 0), " + extent + " - 1)", {}, {index(1)}};
    default: return {"index", "($0 % " + extent + ")", "$0 % " + extent, Binding::product, {index(1)}};
  }
}

Node Generator::element(const Variable& tensor) {
  if (tensor.extents.empty()) return atom(tensor.format, tensor.name);
  Node out{tensor.format, "(" + tensor.name + ")[", tensor.name + "[", Binding::atom, {}};
  if (!random_.one_in(4)) out.pattern = out.other;
  for (std::size_t k = 0; k < tensor.extents.size(); ++k) {
    const std::string place = (k > 0 ? ", $" : "$") + std::to_string(k);
    out.children.push_back(subscript(tensor.extents[k]));
    out.pattern += place;
    out.other += place + ".";
  }
  out.pattern += "]";
  out.other += "]";
  return out;
}

Node Generator::leaf(const Format& format) {
  std::vector<const Variable*> same, other;
  for (const Variable& variable : scope_.variables) (variable.format == format ? same : other).push_back(&variable);
  const std::uint64_t kind = random_.below(10);
  if (kind < 7 && !same.empty()) {
    // The most recent ones as often as all others together.
    const std::size_t from = random_.one_in(2) && same.size() > 2 ? same.size() - 2 : 0;
    return element(*same[from + random_.below(same.size() - from)]);
  }
  if (kind < 8 && !other.empty()) {
    const Variable& from = *random_.pick(other);
    const bool has_bits = !is_integer(from.format) && format == (from.format == "f64" ? "u64" : "u32");
    if (has_bits && random_.one_in(2)) return call_node(format, "bits", {element(from)});
    return call_node(format, format, {element(from)});
  }
  if (kind == 8 && is_integer(format) && !scope_.scalars_only) {
    // A static integer must not be negative; an index may.
    if (scope_.indices.empty()) return call_node(format, format, {index(0)});
    return {format, format + "($0 - 5)", {}, {}, {atom("index", random_.pick(scope_.indices).name)}};
  }
  if (kind == 8 && !scope_.scalars_only) return call_node(format, format, {index(random_.below(2))});
  return literal(format);
}

Node Generator::condition(int depth, bool indices) {
  static constexpr const char* comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
  const std::string sign = random_.pick(comparisons);
  if (depth > 0 && random_.one_in(3)) {
    // Now and then of both kinds.
    const bool others = random_.one_in(5) ? !indices && !scope_.indices.empty() : indices;
    Node first = condition(depth - 1, indices);
    switch (random_.below(3)) {
      case 0: return {"bool", "($0 and $1)", "$0 and $1", Binding::open, {std::move(first), condition(depth - 1, others)}};
      case 1: return {"bool", "($0 or $1)", "$0 or $1", Binding::open, {std::move(first), condition(depth - 1, others)}};
      default: return {"bool", "(not $0)", "not $0", Binding::open, {std::move(first)}};
    }
  }
  const std::string pattern = "($0 " + sign + " $1)", other = "$0+ " + sign + " $1+";
  if (indices) {
    // One side is a variable: a comparison of what is known would be static.
    Node left = atom("index", random_.pick(scope_.indices).name);
    return {"bool", pattern, other, Binding::open, {std::move(left), index(random_.below(2))}};
  }
  const Format format = random_.one_in(6) ? other_format(format_) : format_;
  Node left = scalar(format, depth / 2);
  return {"bool", pattern, other, Binding::open, {std::move(left), operand(format, depth / 2)}};
}

/// What a rewrite would take for its operand, or for a constant: some of these are, under some semantics.
Node Generator::identity(const Format& format, int depth) {
  static constexpr const char* forms[] = {"($0 + 0)", "(0 + $0)", "($0 - 0)",  "(0 - $0)", "($0 * 1)",    "(1 * $0)",     "($0 / 1)",
                                          "($0 * 0)", "(-(-$0))", "($0 - $0)", "($0 / $0)", "min($0, $0)", "max($0, $0)",  "($0 + -0)",
                                          "(2 * $0)", "($0 + $0)", "abs(-$0)", "(-1 * $0)", "($0 % 1)",    "fma($0, 1, 0)"};
  const std::string form = random_.pick(forms);
  return {format, form, {}, {}, {scalar(format, depth - 1)}};
}

/// Operations of integers, and the ways from a float to one.
Node Generator::word(const Format& format, int depth) {
  const auto two = [&](const char* pattern, const char* other, Binding binding) {
    Node a = scalar(format, depth - 1), b = operand(format, depth - 1);
    return Node{format, pattern, other, binding, {std::move(a), std::move(b)}};
  };
  switch (random_.below(20)) {
    case 0: return two("($0 + $1)", "add($0., $1.)", Binding::atom);
    case 1: return two("($0 - $1)", "sub($0., $1.)", Binding::atom);
    case 2: return two("($0 * $1)", "mul($0., $1.)", Binding::atom);
    case 3: return two("($0 & $1)", "bit_and($0., $1.)", Binding::atom);
    case 4: return two("($0 | $1)", "bit_or($0., $1.)", Binding::atom);
    case 5: return two("($0 xor $1)", "bit_xor($0., $1.)", Binding::atom);
    case 6: return two("($0 << $1)", "shift_left($0., $1.)", Binding::atom);
    case 7: return two("($0 >> $1)", "shift_right($0., $1.)", Binding::atom);
    case 8: return two("min($0, $1)", "min($0., $1.)", Binding::atom);
    case 9: return two("max($0, $1)", "max($0., $1.)", Binding::atom);
    case 10: return {format, "(-$0)", "neg($0.)", Binding::atom, {scalar(format, depth - 1)}};
    case 11: {
      Node chosen = condition(depth, !scope_.indices.empty() && random_.one_in(2)), a = scalar(format, depth - 1);
      return call_node(format, "select", {std::move(chosen), std::move(a), operand(format, depth - 1)});
    }
    case 12: return call_scalar(format, depth);
    case 13: return call_node(format, format, {scalar(other_format(format), depth - 1)});
    case 14: return call_node(format, format, {scalar(integer_type(), depth - 1)});
    case 15: return call_node(format, "abs", {scalar(format, depth - 1)});
    case 16: return two("($0 // ($1 | 1))", "floor_div($0., ($1 | 1))", Binding::atom);
    case 17: return two("($0 % ($1 | 1))", "floor_mod($0., ($1 | 1))", Binding::atom);
    default: {
      const Format from = float_format(format);
      Node bits = call_node(from == "f64" ? "u64" : "u32", "bits", {scalar(from, depth - 1)});
      return bits.sort == format ? bits : call_node(format, format, {std::move(bits)});
    }
  }
}

Node Generator::rootn(const Format& format, int depth, bool defined) {
  // The degrees are numbers of every format, but 5, which f4e2m1 has not.
  static constexpr const char* degrees[] = {"2", "-2", "3", "-3", "4", "-4", "6", "5"};
  std::string degree = random_.pick(degrees);
  if (degree == "5" && format == "f4e2m1") degree = "1";
  Node x = scalar(format, depth - 1);
  if (defined && degree != "3" && degree != "5") x = call_node(format, "cosh", {std::move(x)});
  return Node{format, "rootn($0, " + degree + ")", "", Binding::atom, {std::move(x)}};
}

Node Generator::operation(const Format& format, int depth) {
  if (is_integer(format)) return word(format, depth);
  const auto two = [&](const char* pattern, const char* other, Binding binding) {
    const bool swapped = random_.one_in(2);
    Node a = scalar(format, depth - 1), b = operand(format, depth - 1);
    if (swapped) std::swap(a, b);
    return Node{format, pattern, other, binding, {std::move(a), std::move(b)}};
  };
  const auto named = [&](const char* name, std::size_t arity) {
    std::vector<Node> operands;
    for (std::size_t k = 0; k < arity; ++k) operands.push_back(scalar(format, depth - 1));
    return call_node(format, name, std::move(operands));
  };
  switch (random_.below(28)) {
    case 26:
      if (for_interval_) return identity(format, depth);
      return random_.one_in(4) ? named("ldexp", 2) : call_node(format, "ldexp", {scalar(format, depth - 1), named("round", 1)});
    case 27: {
      if (for_interval_) return identity(format, depth);
      Node bits = scalar(format == "f64" ? "u64" : "u32", depth - 1);
      return {format, "from_bits(" + format + ", $0)", "from_bits(" + format + ", $0.)", Binding::atom, {std::move(bits)}};
    }
    case 24: return identity(format, depth);
    case 0:
    case 1:
    case 2: return random_.one_in(2) ? two("($0 + $1)", "$0+ + $1*", Binding::sum) : two("($0 + $1)", "add($0., $1.)", Binding::atom);
    case 3:
    case 4: return random_.one_in(2) ? two("($0 - $1)", "$0+ - $1*", Binding::sum) : two("sub($0, $1)", "$0+ - $1*", Binding::sum);
    case 5:
    case 6:
    case 7: return random_.one_in(2) ? two("($0 * $1)", "$0* * $1", Binding::product) : two("($0 * $1)", "mul($0., $1.)", Binding::atom);
    case 8:
    case 9:
      if (for_interval_ && !random_.one_in(8)) return two("($0 / select($1 == 0, 3, $1))", "$0* / select($1+ == 0, 3, $1.)", Binding::product);
      return two("($0 / $1)", "$0* / $1", Binding::product);
    case 10:
      if (for_interval_ && !random_.one_in(8)) return two("($0 % select($1 == 0, 3, $1))", "rem($0., select($1+ == 0, 3, $1.))", Binding::atom);
      return two("($0 % $1)", "rem($0., $1.)", Binding::atom);
    case 11: {
      Node value = scalar(format, depth - 1);
      return {format, "(-$0)", "neg($0.)", Binding::atom, {std::move(value)}};
    }
    case 12:
    case 13: return named("fma", 3);
    case 14: return named("min", 2);
    case 15: return named("max", 2);
    case 16: return named(!float_ || for_interval_ || random_.one_in(2) ? "copysign" : "nextafter", 2);
    case 17: {
      static constexpr const char* unary[] = {"abs", "sign", "floor", "ceil", "trunc", "round", "sqrt"};
      const std::string chosen = random_.pick(unary);
      return named(for_interval_ && chosen == "sqrt" && !random_.one_in(8) ? "abs" : chosen.c_str(), 1);
    }
    case 18: {
      if (for_interval_ && random_.one_in(3)) return named(random_.one_in(3) ? "exp2" : "exp", 1);
      if (for_interval_ && random_.one_in(6)) return call_node(format, random_.one_in(2) ? "log" : "log2", {named("exp", 1)});
      if (for_interval_ && random_.one_in(3)) return call_node(format, "sqrt", {named("abs", 1)});
      if (for_interval_) {
        static constexpr const char* total[] = {"sin",   "cos", "tan",   "atan", "sinh",  "cosh",  "tanh",
                                                "asinh", "erf", "expm1", "cbrt", "sinpi", "cospi", "erfc"};
        static constexpr const char* bounded[] = {"asin", "acos", "atanh"};
        switch (random_.below(8)) {
          case 0: return named("hypot", 2);
          case 1:
            return call_node(format, random_.one_in(2) ? "rsqrt" : "acosh",
                             {call_node(format, "cosh", {named("abs", 1)})});
          case 2: return call_node(format, random_.pick(bounded), {named("tanh", 1)});
          case 6: return rootn(format, depth, true);
          case 3: return call_node(format, "pow", {named("exp", 1), scalar(format, depth - 1)});
          case 4: return call_node(format, "atan2", {scalar(format, depth - 1), named("cosh", 1)});
          case 5: return call_node(format, "log1p", {named("abs", 1)});
          default: return named(random_.pick(total), 1);
        }
      }
      if (random_.one_in(12)) return rootn(format, depth, false);
      static constexpr const char* unary[] = {"exp",   "exp2",  "sin",  "cos",   "log",   "log2",
                                              "rsqrt", "erf",   "exp",  "exp10", "log10", "sinpi",
                                              "cospi", "tanpi", "erfc", "gamma", "lgamma"};
      return named(random_.pick(unary), 1);
    }
    case 19:
    case 20:
    case 25: {
      Node chosen = condition(depth, !scope_.indices.empty() && random_.one_in(2)), a = scalar(format, depth - 1), b = operand(format, depth - 1);
      return call_node(format, "select", {std::move(chosen), std::move(a), std::move(b)});
    }
    case 21: return call_node(format, format, {scalar(other_format(format), depth - 1)});
    case 22: {
      const Format through = other_format(format);
      return call_node(format, format, {call_node(through, through, {scalar(format, depth - 1)})});
    }
    default: return call_scalar(format, depth);
  }
}

Node Generator::call_scalar(const Format& format, int depth) {
  // A circuit of scalars, defined for this call; its body sees its parameters alone.
  const std::string name = fresh("h");
  const std::vector<Format> formats{format, random_.one_in(3) ? other_format(format) : format};
  std::vector<Node> arguments;
  for (const Format& each : formats) arguments.push_back(scalar(each, depth - 1));
  Scope outer = scope_;
  only_scalars({{"a", formats[0], {}}, {"b", formats[1], {}}});
  Node definition{"item", "fn " + name + "(a: " + formats[0] + ", b: " + formats[1] + ") -> " + format + " = $0",
                  "fn " + name + "(a: " + formats[0] + ", b: " + formats[1] + ") -> " + format + " { $0. }", {},
                  {scalar(format, 2)}};
  scope_ = std::move(outer);
  items_.push_back(std::move(definition));
  return call_node(format, name, std::move(arguments));
}

Node Generator::scalar(const Format& format, int depth) {
  if (depth <= 0 || !spend() || random_.one_in(9)) return leaf(format);
  if (scope_.scalars_only) return operation(format, depth);
  const std::uint64_t kind = random_.below(10);
  if (kind < 3 && scope_.nesting < 3) return reduction(format, depth);
  if (kind == 3 && scope_.nesting < 3) return call_tensor(format, depth);
  if (kind == 4 && depth > 1) return block(&Generator::scalar_result, format, {}, depth - 1);
  return operation(format, depth);
}

}  // namespace reckon::differential
