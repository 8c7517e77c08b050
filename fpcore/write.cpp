#include "fpcore/write.h"

#include <fmt/format.h>

#include <set>

#include "diagnostics/codes/not_available.h"
#include "interp/algebra/real_constant.h"
#include "numerics/wide_float.h"

namespace reckon::fpcore {

namespace {

using ir::Op;
using worst::Kind;
using worst::Node;
using worst::NodeNumber;

/// Expressions that are used once stand where they are used, up to this depth.
constexpr int deepest_inline = 4;

/// FPCore's operation of the same operands; nothing where there is none.
std::optional<std::string> operation_named(Op op) {
  switch (op) {
    case Op::add: return "+";
    case Op::sub:
    case Op::neg: return "-";
    case Op::mul: return "*";
    case Op::div: return "/";
    case Op::min: return "fmin";
    case Op::max: return "fmax";
    case Op::convert: return "cast";
    default: break;
  }
  for (const auto& [theirs, ours] : functions()) {
    if (ours == ir::traits(op).spelling) return theirs;
  }
  return std::nullopt;
}

class Writer {
 public:
  Writer(const ir::Module& module, const ir::Function& function, const worst::Circuit& circuit,
         const std::vector<std::string>& inputs, Format format)
      : module_(module),
        function_(function),
        circuit_(circuit),
        format_(format),
        texts_(inputs),
        uses_(circuit.nodes().size()),
        expressions_(circuit.nodes().size()) {
    for (const ir::Parameter& parameter : function.parameters) names_.insert(std::string(module.name(parameter.name)));
  }

  /// The outputs' expressions, after their bindings.
  std::optional<Diagnostic> write(const std::vector<NodeNumber>& outputs) {
    count_uses(outputs);
    for (NodeNumber k = 0; k < circuit_.nodes().size(); ++k) {
      if (auto problem = write(k)) return problem;
    }
    return std::nullopt;
  }
  const std::string& text(NodeNumber node) const { return expressions_[node].text; }
  const std::vector<std::string>& bindings() const { return bindings_; }

 private:
  struct Expression {
    std::string text;
    int depth = 0;
  };

  void count_uses(const std::vector<NodeNumber>& outputs) {
    for (const Node& node : circuit_.nodes()) {
      const NodeNumber operands[] = {node.first, node.second, node.third};
      for (int k = 0; k < worst::arity(node); ++k) ++uses_[operands[k]];
      if (node.kind == Kind::operation && node.op == Op::select)
        circuit_.visit_compared(node.third, [&](NodeNumber compared) { uses_[compared] += 2; });
      if (node.kind == Kind::residual) {
        const Node& sum = circuit_[node.first];
        for (const NodeNumber each : {node.first, sum.first, sum.second}) uses_[each] += 2;
      }
      if (node.kind == Kind::operation && node.op == Op::sign) ++uses_[node.first];
    }
    for (const NodeNumber output : outputs) ++uses_[output];
  }

  std::string in_format(Format format, const std::string& text) const {
    return format == format_ ? text : fmt::format("(! :precision {} {})", *precision_of(format), text);
  }

  std::string literal(const worst::Constant& constant) const {
    if (constant.named == ir::RealConstant::one || constant.real == 0) return constant.real.get_str();
    static const std::map<ir::RealConstant, std::string> names = {{ir::RealConstant::pi, "PI"},
                                                                  {ir::RealConstant::e, "E"},
                                                                  {ir::RealConstant::ln2, "LN2"},
                                                                  {ir::RealConstant::log2e, "LOG2E"}};
    if (const auto name = names.find(constant.named); name != names.end() && constant.real == 1) return name->second;
    // More digits than any format has, of which the nearest float is the constant's own.
    return numerics::wide_real(constant.real, *interp::real_constant(constant.named), 400, numerics::Toward::below)
        .rational()
        .get_str();
  }

  std::string condition(std::uint32_t number) const {
    const worst::Condition& of = circuit_.condition_of(number);
    switch (of.op) {
      case Op::logical_not: return fmt::format("(not {})", condition(of.left));
      case Op::logical_and: return fmt::format("(and {} {})", condition(of.left), condition(of.right));
      case Op::logical_or: return fmt::format("(or {} {})", condition(of.left), condition(of.right));
      default: break;
    }
    const std::string_view compares = of.op == Op::less         ? "<"
                                      : of.op == Op::less_equal ? "<="
                                      : of.op == Op::equal      ? "=="
                                                                : "!=";
    return fmt::format("({} {} {})", compares, text(of.left), text(of.right));
  }

  /// Knuth, TAOCP 2, 4.2.2.
  std::string residual(const Node& node) {
    const Node& sum = circuit_[node.first];
    const std::string &s = text(node.first), &a = text(sum.first), &b = text(sum.second);
    const std::string part = bind(in_format(node.format, fmt::format("(- {} {})", s, a)));
    return fmt::format("(+ (- {0} (- {2} {3})) (- {1} {3}))", a, b, s, part);
  }

  std::string bind(const std::string& value) {
    std::string name;
    do name = fmt::format("t{}", ++bound_);
    while (names_.contains(name));
    bindings_.push_back(fmt::format("[{} {}]", name, value));
    return name;
  }

  std::optional<Diagnostic> write(NodeNumber number) {
    const Node& node = circuit_[number];
    Expression& out = expressions_[number];
    if (!precision_of(node.format)) {
      return Diagnostic(code::not_available, circuit_.place_of(node),
                        fmt::format("FPCore has no name for `{}`", format_name(node.format)))
          .help("it has f64, f32, f16 and bf16: compute in one of these");
    }
    if (node.kind == Kind::exact || node.kind == Kind::block) {
      return Diagnostic(code::not_available, circuit_.place_of(node),
                        "a sum that is rounded once, in bins or by tensor cores is not written as FPCore, which has no "
                        "such operation")
          .help("state an order of additions: `by seq`, `by tree`");
    }
    if (node.kind == Kind::input) {
      out.text = texts_[node.first];
      return std::nullopt;
    }
    if (node.kind == Kind::constant) {
      out.text = in_format(node.format, literal(circuit_.constant_of(node)));
      return std::nullopt;
    }
    const NodeNumber operands[] = {node.first, node.second, node.third};
    for (int k = 0; k < worst::arity(node); ++k) out.depth = std::max(out.depth, expressions_[operands[k]].depth + 1);
    if (node.kind == Kind::residual) {
      out.text = residual(node);
    } else if (node.op == Op::select) {
      out.text = fmt::format("(if {} {} {})", condition(node.third), text(node.first), text(node.second));
    } else if (node.op == Op::sign) {
      out.text = fmt::format("(if (== {0} 0) {0} (copysign 1 {0}))", text(node.first));
    } else if (const auto name = operation_named(node.op)) {
      out.text = fmt::format("({}", *name);
      for (int k = 0; k < worst::arity(node); ++k) out.text += " " + text(operands[k]);
      out.text += ")";
    } else {
      return Diagnostic(code::not_available, circuit_.place_of(node),
                        fmt::format("`{}` is not written as FPCore, which has no such operation",
                                    ir::traits(node.op).spelling))
          .help("write it by others, as `1 / sqrt(x)` for `rsqrt(x)`: the bits may then differ");
    }
    out.text = in_format(node.format, out.text);
    if (uses_[number] > 1 || out.depth > deepest_inline) {
      out.text = bind(out.text);
      out.depth = 0;
    }
    return std::nullopt;
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const worst::Circuit& circuit_;
  const Format format_;  ///< of the core
  const std::vector<std::string> texts_;  ///< of the inputs
  std::vector<int> uses_;
  std::vector<Expression> expressions_;
  std::vector<std::string> bindings_;
  std::set<std::string> names_;
  int bound_ = 0;
};

/// `(array (array a b) (array c d))`: the elements from number `at` on, which becomes the number of the next one.
std::string array_of(const std::vector<std::string>& elements, const std::vector<std::int64_t>& extents,
                     std::size_t depth, std::size_t& at) {
  if (depth == extents.size()) return elements[at++];
  std::string out = "(array";
  for (std::int64_t k = 0; k < extents[depth]; ++k) out += " " + array_of(elements, extents, depth + 1, at);
  return out + ")";
}

/// `(ref A 1 2)`.
std::string input_text(std::string_view name, const std::vector<std::int64_t>& shape, std::int64_t element) {
  if (shape.empty()) return std::string(name);
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    at[k] = element % shape[k];
    element /= shape[k];
  }
  return fmt::format("(ref {} {})", name, fmt::join(at, " "));
}

}  // namespace

Expected<std::string> written(ir::Module& module, const ir::Function& function, const ir::Dimensions& sizes,
                              const driver::ClosedNumbers* numbers, const interp::EvaluateOptions& options) {
  const ir::Type result = module.types()[function.result];
  if (result.kind == ir::TypeKind::tuple || !ir::is_float(result.scalar)) {
    return Diagnostic(code::not_available, function.span, "an FPCore gives one float, or one tensor of floats")
        .help("export a circuit whose result is one: of a tuple, write a circuit for each part");
  }
  const auto shapes = worst::shapes_of(module, function, sizes);
  if (!shapes) return shapes.error();
  auto recorder = worst::Recorder::make(module, function, *shapes, numbers);
  if (!recorder) return recorder.error();
  recorder->follow_steps();
  auto outputs = recorder->add(module, function, sizes, options);
  if (!outputs) return outputs.error();
  const Format format = ir::format_of(result.scalar);
  if (!precision_of(format)) {
    return Diagnostic(code::not_available, function.span,
                      fmt::format("FPCore has no name for `{}`", format_name(format)))
        .help("it has f64, f32, f16 and bf16: convert the result to one of these");
  }
  std::vector<std::string> arguments, inputs;
  for (std::size_t p = 0; p < function.parameters.size(); ++p) {
    const ir::Parameter& parameter = function.parameters[p];
    const std::string name(module.name(parameter.name));
    const Format own = ir::format_of(module.types()[parameter.type].scalar);
    std::string argument = name;
    for (const std::int64_t extent : (*shapes)[p]) argument += fmt::format(" {}", extent);
    if (own != format && precision_of(own)) argument = fmt::format("! :precision {} {}", *precision_of(own), argument);
    arguments.push_back(argument.find(' ') == std::string::npos ? argument : "(" + argument + ")");
  }
  for (const worst::Recorder::Input& input : recorder->inputs()) {
    inputs.push_back(input_text(module.name(function.parameters[input.parameter].name), (*shapes)[input.parameter],
                                input.element));
  }
  worst::Circuit circuit = std::move(recorder->circuit());
  circuit.reduce(*outputs);
  Writer writer(module, function, circuit, inputs, format);
  if (auto problem = writer.write(*outputs)) return *problem;
  std::vector<std::string> elements;
  for (const NodeNumber output : *outputs) elements.push_back(writer.text(output));
  std::vector<std::int64_t> extents;
  for (const ir::IndexId extent : result.extents) extents.push_back(*module.indices().evaluate(extent, {sizes, {}}));
  std::size_t at = 0;
  const std::string body = array_of(elements, extents, 0, at);
  std::string out = fmt::format("(FPCore {} ({})\n  :precision {}\n", module.name(function.name),
                                fmt::join(arguments, " "), *precision_of(format));
  if (writer.bindings().empty()) return out + fmt::format("  {})\n", body);
  return out + fmt::format("  (let* ({})\n    {}))\n", fmt::join(writer.bindings(), "\n         "), body);
}

}  // namespace reckon::fpcore
