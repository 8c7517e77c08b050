// A whole program: parameters, the circuit `main`, and what it came to need on the way.
#include "tests/differential/formats.h"
#include "tests/differential/generator.h"

namespace reckon::differential {

Generator::Generator(std::uint64_t seed, bool for_interval) : random_(seed), seed_(seed), for_interval_(for_interval) {}

std::string Generator::operation_of(const Format& format) {
  const std::string name = fresh("op");
  Scope outer = std::move(scope_);
  only_scalars({{"a", format, {}}, {"b", format, {}}});
  // Both operands matter, in their order.
  Node rest = scalar(format, 2);
  static constexpr const char* joined[] = {"(a - $0 * b)", "(a * $0 + b)", "fma(a, $0, b)", "max(a - b, $0)", "(b / (a + $0))"};
  static constexpr const char* of_words[] = {"(a - $0 * b)", "((a << 3) xor $0 | b)", "max(a - b, $0)", "(a * $0 + (b >> 1))"};
  Node value{format, is_integer(format) ? random_.pick(of_words) : random_.pick(joined), {}, {}, {std::move(rest)}};
  scope_ = std::move(outer);
  items_.push_back({"item", "fn " + name + "(a: " + format + ", b: " + format + ") -> " + format + " = $0", {}, {}, {std::move(value)}});
  return name;
}

std::string Generator::operation_of_tuples(const std::vector<Format>& formats) {
  const std::string name = fresh("op");
  Scope outer = std::move(scope_);
  std::vector<Variable> variables;
  std::string type, left, right;
  for (std::size_t k = 0; k < formats.size(); ++k) {
    const std::string comma = k > 0 ? ", " : "", number = std::to_string(k);
    type += comma + formats[k];
    left += comma + "a" + number;
    right += comma + "b" + number;
    variables.push_back({"a" + number, formats[k], {}});
    variables.push_back({"b" + number, formats[k], {}});
  }
  only_scalars(std::move(variables));
  std::vector<Node> parts;
  for (std::size_t k = 0; k < formats.size(); ++k) {
    const std::string number = std::to_string(k);
    Node rest = scalar(formats[k], 2);
    static constexpr const char* joined[] = {"(a# + $0 * b#)", "max(a#, $0 - b#)", "(a# - $0)", "fma(b#, $0, a#)", "min($0, b#)"};
    static constexpr const char* of_words[] = {"(a# + $0 * b#)", "(a# & b# xor $0)", "(a# - (b# << $0))", "min($0, b#)"};
    std::string pattern = is_integer(formats[k]) ? random_.pick(of_words) : random_.pick(joined);
    for (std::size_t at; (at = pattern.find('#')) != std::string::npos;) pattern.replace(at, 1, number);
    parts.push_back({formats[k], pattern, {}, {}, {std::move(rest)}});
  }
  scope_ = std::move(outer);
  items_.push_back({"item",
                    "fn " + name + "(a: (" + type + "), b: (" + type + ")) -> (" + type + ") { let (" + left +
                        ") = a; let (" + right + ") = b; ($0, $1) }",
                    {}, {}, std::move(parts)});
  return name;
}

GeneratedProgram Generator::program() {
  GeneratedProgram out;
  out.seed = seed_;
  float_ = out.float_ = !random_.one_in(6);
  fuel_ = 12 + static_cast<int>(random_.below(60));
  static constexpr const char* formats[] = {"f32",  "f32",    "f32",    "f32",    "f32",     "f32",
                                            "f64",  "f16",    "bf16",   "f16",    "f8e4m3",  "f8e5m2",
                                            "tf32", "f6e3m2", "f6e2m3", "f4e2m1", "integer", "integer"};
  do format_ = random_.pick(formats);
  while ((!float_ && has_no_payloads(format_)) || (for_interval_ && format_ == "integer"));
  if (format_ == "integer") format_ = integer_type();

  Node parameters{"parameters", "$,", {}, {}, {}};
  static constexpr const char* names[] = {"x", "y", "z"};
  static constexpr const char* dimensions[] = {"n", "m", "k"};
  const std::uint64_t count = 1 + random_.below(3);
  for (std::uint64_t p = 0; p < count; ++p) {
    Variable variable{names[p], random_.one_in(5) ? other_format(format_) : format_, {}};
    const std::uint64_t rank = p == 0 ? 1 + random_.below(2) : random_.below(4) % 3;
    for (std::uint64_t d = 0; d < rank; ++d) {
      const std::string name = dimensions[random_.below(p + 1 + d > 3 ? 3 : p + 1 + d)];
      bool bound = false;
      for (const std::string& each : scope_.dimensions) bound = bound || each == name;
      if (bound && random_.one_in(5)) {
        static constexpr const char* computed[] = {"(# + 1)", "(2 * #)", "(# // 2 + 1)", "3"};
        std::string extent = random_.pick(computed);
        if (const auto at = extent.find('#'); at != std::string::npos) extent.replace(at, 1, name);
        variable.extents.push_back(extent);
        continue;
      }
      if (!bound) scope_.dimensions.push_back(name);
      variable.extents.push_back(name);
    }
    std::string type = variable.format;
    for (std::size_t d = 0; d < variable.extents.size(); ++d) type += (d == 0 ? "[" : ", ") + variable.extents[d];
    parameters.children.push_back(atom("parameter", variable.name + ": " + type + (variable.extents.empty() ? "" : "]")));
    scope_.variables.push_back(std::move(variable));
  }

  const int depth = 2 + static_cast<int>(random_.below(3));
  const auto one = [&]() -> Node {
    std::vector<Extent> extents;
    for (std::uint64_t rank = random_.below(5) % 3; rank > 0; --rank) extents.push_back(extent());
    const auto kind = extents.empty() ? &Generator::scalar_result : &Generator::tensor;
    if (random_.one_in(2)) return block(kind, format_, extents, depth);
    return (this->*kind)(format_, extents, depth);
  };
  Node body;
  if (random_.one_in(5)) {
    Node first = one();
    body = {"(" + first.sort + ", ", "($0, $1)", "($0., $1.)", Binding::atom, {std::move(first), one()}};
    body.sort += body.children[1].sort + ")";
  } else {
    body = one();
  }
  Node result = atom("result", " -> " + body.sort);
  out.root = {"program", "$;", {}, {}, std::move(items_)};
  out.root.children.push_back({"main", "fn main($0)$1 = $2", "fn main($0)$1 { $2. }", {},
                               {std::move(parameters), std::move(result), std::move(body)}});
  out.nesting = nesting_;
  return out;
}

GeneratedProgram generate(std::uint64_t seed, bool for_interval) { return Generator(seed, for_interval).program(); }

}  // namespace reckon::differential
