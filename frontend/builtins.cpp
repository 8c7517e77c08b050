// The names that need no definition, and what calling them means.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/layouts/functions.h"

namespace reckon::frontend {

using ir::NodeId;
using ir::Op;
using ir::Scalar;

void Elaborator::define_builtins() {
  for (const char* name : {"f64", "f32", "f16", "bf16", "tf32", "f8e4m3", "f8e5m2", "u32", "bool", "number"}) {
    predefined[name] = {TypeValue{*ir::scalar_named(name), {}, false}};
  }
  const std::pair<const char*, ir::ScheduleOp> schedules[] = {
      {"seq", ir::ScheduleOp::seq},           {"tree", ir::ScheduleOp::tree},
      {"halving", ir::ScheduleOp::halving},   {"blelloch", ir::ScheduleOp::blelloch},
      {"kahan", ir::ScheduleOp::kahan},       {"rounded_once", ir::ScheduleOp::rounded_once},
      {"any", ir::ScheduleOp::any},           {"any_tree", ir::ScheduleOp::any_tree},
      {"any_seq", ir::ScheduleOp::any_seq}};
  for (const auto& [name, op] : schedules) predefined[name] = {ScheduleValue{module.schedules().simple(op)}};
  const std::pair<const char*, ir::RealConstant> reals[] = {{"pi", ir::RealConstant::pi},
                                                            {"e", ir::RealConstant::e},
                                                            {"ln2", ir::RealConstant::ln2},
                                                            {"log2e", ir::RealConstant::log2e}};
  for (const auto& [name, constant] : reals) predefined[name] = {RealMultiple{1, constant}};
  predefined["_"] = {OpenExtent{}};
  predefined["inf"] = {SpecialNumber{false, false}};
  predefined["nan"] = {SpecialNumber{true, false}};
  for (const char* name :
       {"add",  "sub",  "mul",   "div",  "rem",  "neg",     "abs",    "fma",      "sqrt",  "rsqrt", "exp",
        "exp2", "log",  "log2",  "sin",  "cos",  "min",     "max",    "sign",     "copysign", "floor", "ceil",
        "tan",  "asin", "acos",  "atan", "sinh", "cosh",    "tanh",   "asinh",    "acosh", "atanh", "erf",
        "expm1", "log1p", "cbrt", "atan2", "pow", "hypot",  "minnum", "maxnum",   "clamp",
        "trunc", "round", "select", "split", "tile", "lanes", "arrange", "fused", "neumaier", "binned", "parens", "depth",
        "same", "leaves", "error_growth", "hash", "view", "random", "normal", "lcg", "load", "spread", "attains",
        "bound", "bound_dot", "ldexp", "bits", "from_bits", "bit_and", "bit_or", "bit_xor", "shift_left",
        "shift_right"}) {
    predefined[name] = {BuiltinValue{name}};
  }
  for (const LayoutFunction& function : all_layout_functions()) {
    const std::string name(function.name);
    predefined.try_emplace(name, Value{BuiltinValue{name}});
  }
  for (auto op = Op::approx_exp2; ir::is_approximate(op); op = static_cast<Op>(static_cast<int>(op) + 1)) {
    const std::string name(ir::traits(op).spelling);
    predefined[name] = {BuiltinValue{name}};
  }
}

Elaborator::Maybe Elaborator::call_builtin(const std::string& name, const std::vector<Value>& arguments,
                                           const std::vector<SourceSpan>& spans, SourceSpan at) {
  // Some names are those of operations, too: of layouts they are asked with one first.
  const bool of_layout = !arguments.empty() && (arguments[0].is<layout::Layout>() || arguments[0].is<LayoutObject>() || arguments[0].is<ir::IndexLayout>());
  if (of_layout && is_layout_function(name)) return call_layout_function(name, arguments, spans, at);
  if (name == "bits" || name == "from_bits") return call_bits(name, arguments, spans, at);
  if (auto op = ir::op_named(name); op && is_scalar_operation(*op)) {
    if (wrong_count(name, traits(*op).arity, arguments, at)) return std::nullopt;
    const auto* a = arguments[0].get_if<mpq_class>();
    const auto* b = arguments.size() > 1 ? arguments[1].get_if<mpq_class>() : nullptr;
    auto integer = [](const Value& value) { return value.is<SymbolicInteger>() || value.is<mpq_class>(); };
    switch (*op) {
      // Static numbers and sizes stay static where the result is exact.
      case Op::min:
      case Op::max:
        if (a && b) return Value{(*op == Op::min) == (*a <= *b) ? *a : *b};
        if (integer(arguments[0]) && integer(arguments[1])) {
          auto x = index_of(arguments[0], spans[0], "an integer operand");
          if (!x) return std::nullopt;
          auto y = index_of(arguments[1], spans[1], "an integer operand");
          if (!y) return std::nullopt;
          return Value{SymbolicInteger{*op == Op::min ? module.indices().minimum(*x, *y)
                                                      : module.indices().maximum(*x, *y)}};
        }
        break;
      case Op::abs:
        if (a) return Value{mpq_class(abs(*a))};
        break;
      case Op::neg:
        if (a) return Value{mpq_class(-*a)};
        break;
      case Op::select:
        if (auto* known = arguments[0].get_if<bool>(); known && !arguments[1].is<DynamicValue>() && !arguments[2].is<DynamicValue>()) {
          return arguments[*known ? 1 : 2];
        }
        break;
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
        if (a && b) {
          Expr here;
          here.span = here.operator_span = at;
          const char* sign = *op == Op::add ? "+" : *op == Op::sub ? "-" : *op == Op::mul ? "*" : "/";
          return static_arithmetic(sign, *a, *b, here, spans[1]);
        }
        break;
      default: break;
    }
    return apply(*op, arguments, spans, at, name);
  }
  for (const char* maker : {"split", "tile", "lanes", "arrange", "fused", "neumaier", "binned"}) {
    if (name == maker) return make_schedule(name, arguments, spans, at);
  }
  const bool of_tree = !arguments.empty() && (arguments[0].is<ScheduleValue>() || arguments[0].is<TreeValue>());
  for (const char* question : {"parens", "depth", "same", "leaves", "error_growth", "hash", "shape"}) {
    if (name == question && (name != "shape" || of_tree)) return ask_schedule(name, arguments, spans, at);
  }
  if (name == "random" || name == "normal" || name == "lcg" || name == "load") {
    return call_source(name, arguments, spans, at);
  }
  if (name == "spread" || name == "attains") return call_question(name, arguments, spans, at);
  if (name == "view") return call_view(arguments, spans, at);
  if (name == "bound" || name == "bound_dot") return call_bound(name, arguments, spans, at);
  return call_layout_function(name, arguments, spans, at);
}

Elaborator::Maybe Elaborator::convert(const TypeValue& type, const Value& value, SourceSpan at, SourceSpan value_span) {
  if (type.indexed) return fail(Code::not_callable, at, "convert with the format alone: `f32(x)` works element by element");
  const std::string name(ir::scalar_name(type.scalar));
  if (auto* integer = value.get_if<SymbolicInteger>()) {
    if (!ir::has_pattern(type.scalar)) {
      return fail(Code::type_mismatch, at, fmt::format("`{}` cannot be made of an integer", name));
    }
    return Value{DynamicValue{module.index_value(integer->index, type.scalar)}};
  }
  const auto from = scalar_of(value);
  if ((from == Scalar::boolean) != (type.scalar == Scalar::boolean)) {
    return report(Diagnostic(Code::type_mismatch, value_span,
                             fmt::format("`{}` cannot be made of {}", name, kind_text(value)))
                      .help("choose numbers by a condition with `select(c, 1, 0)`"));
  }
  auto node = node_of(value, value.is<DynamicValue>() || from ? std::nullopt : std::optional(type.scalar), value_span);
  if (!node) return std::nullopt;
  const ir::Type have = module.type(*node);
  if (have.kind == ir::TypeKind::tuple) return fail(Code::type_mismatch, value_span, "a tuple cannot be converted");
  if (have.scalar == type.scalar) return Value{DynamicValue{*node}};
  if (type.scalar == Scalar::number) {
    return fail(Code::type_mismatch, at, fmt::format("`{}` cannot be made a `number` again", ir::scalar_name(have.scalar)));
  }
  return cast(Op::convert, *node, type.scalar, at);
}

Elaborator::Maybe Elaborator::cast(Op op, NodeId value, Scalar to, SourceSpan at) {
  const ir::Type have = module.type(value);
  if (have.kind == ir::TypeKind::scalar) return Value{DynamicValue{module.cast(op, value, to)}};
  std::vector<ir::VariableId> variables;
  std::vector<ir::IndexId> subscripts;
  for (std::size_t d = 0; d < have.extents.size(); ++d) {
    variables.push_back(module.fresh_variable());
    subscripts.push_back(module.indices().variable(variables.back()));
  }
  const NodeId body = module.cast(op, module.element(value, subscripts), to);
  module.set_span(body, at);
  return Value{DynamicValue{module.map(std::move(variables), have.extents, body)}};
}

/// `bits(x)` and `from_bits(T, u)`.
Elaborator::Maybe Elaborator::call_bits(const std::string& name, const std::vector<Value>& arguments,
                                        const std::vector<SourceSpan>& spans, SourceSpan at) {
  const bool from = name == "from_bits";
  if (wrong_count(name, from ? 2 : 1, arguments, at)) return std::nullopt;
  const auto* type = from ? arguments[0].get_if<TypeValue>() : nullptr;
  if (from && (!type || type->indexed || !ir::is_float(type->scalar))) {
    return report(Diagnostic(Code::type_mismatch, spans[0],
                             fmt::format("`from_bits` needs a format first, and this is {}", kind_text(arguments[0])))
                      .help("for example `from_bits(f32, u)`"));
  }
  const SourceSpan value_at = spans.back();
  auto node = node_of(arguments.back(), from ? std::optional(Scalar::u32) : std::nullopt, value_at);
  if (!node) return std::nullopt;
  const ir::Type have = module.type(*node);
  const std::string text = ir::type_text(module, module[*node].type);
  if (have.kind == ir::TypeKind::tuple || (from ? have.scalar != Scalar::u32 : !ir::is_float(have.scalar))) {
    Diagnostic diagnostic(Code::type_mismatch, value_at,
                          fmt::format("`{}` needs {} here, and this is `{}`", name, from ? "a `u32`" : "a float",
                                      text));
    if (!from && have.scalar == Scalar::number) diagnostic.helps.push_back("give it a format: `bits(f32(...))`");
    return report(std::move(diagnostic));
  }
  const Scalar format = from ? type->scalar : have.scalar;
  if (format == Scalar::f64) {
    return report(Diagnostic(Code::type_mismatch, from ? spans[0] : value_at,
                             "the 64 bits of an `f64` do not fit a `u32`")
                      .help("convert it to a narrower format: `bits(f32(x))`"));
  }
  return cast(from ? Op::from_bits : Op::bits, *node, from ? format : Scalar::u32, at);
}

Elaborator::Maybe Elaborator::call_source(const std::string& name, const std::vector<Value>& arguments,
                                          const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::Source source;
  if (name == "load") {
    const bool of_library = arguments.size() == 2;
    if (!of_library && wrong_count(name, 1, arguments, at)) return std::nullopt;
    auto* path = arguments[0].get_if<std::string>();
    if (!path) return fail(Code::type_mismatch, spans[0], fmt::format("a path is needed, and this is {}", kind_text(arguments[0])));
    if (of_library) {
      auto* symbol = arguments[1].get_if<std::string>();
      if (!symbol) {
        return report(Diagnostic(Code::type_mismatch, spans[1],
                                 fmt::format("a function's name is needed, and this is {}", kind_text(arguments[1])))
                          .help(fmt::format("write it as a string: `load(\"{}\", \"my_exp\")`", *path)));
      }
      auto function = files_.find_function(*path, *symbol, at);
      if (!function) return report(function.error());
      return Value{LibraryValue{std::move(*function)}};
    }
    auto data = files_.read_tensor(*path, spans[0]);
    if (!data) {
      Diagnostic problem = data.error();
      if (path->find(".so") != std::string::npos) {
        problem.helps.push_back(fmt::format("a library's function: `load(\"{}\", \"my_exp\")`", *path));
      }
      return report(std::move(problem));
    }
    source.kind = ir::Source::Kind::file;
    source.path = *path;
    std::vector<ir::IndexId> extents;
    for (std::int64_t extent : data->shape) extents.push_back(module.indices().constant(extent));
    const ir::TypeId type = module.types().tensor(data->scalar, std::move(extents));
    source.data = std::make_shared<const ir::HostTensor>(std::move(*data));
    return Value{DynamicValue{module.source(std::move(source), type)}};
  }
  if (wrong_count(name, 2, arguments, at)) return std::nullopt;
  auto* type = arguments[0].get_if<TypeValue>();
  if (type && type->scalar == Scalar::u32 && name != "random") {
    return report(Diagnostic(Code::type_mismatch, spans[0], fmt::format("`{}` makes floats, and no `u32`", name))
                      .help("`random(u32[n], seed)` has any 32 bits"));
  }
  if (!type || !ir::has_pattern(type->scalar)) {
    return fail(Code::type_mismatch, spans[0],
                fmt::format("a type such as `f32[8]` is needed, and this is {}", kind_text(arguments[0])));
  }
  auto type_id = type_of(*type, spans[0]);
  if (!type_id) return std::nullopt;
  // A seed is 64 bits, and may be written as any of them.
  std::optional<ir::IndexId> seed;
  const auto* number = arguments[1].get_if<mpq_class>();
  if (number && number->get_den() == 1 && mpz_sizeinbase(number->get_num_mpz_t(), 2) <= 64) {
    mpz_class low;
    mpz_fdiv_r_2exp(low.get_mpz_t(), number->get_num_mpz_t(), 64);
    seed = module.indices().constant(static_cast<std::int64_t>(mpz_get_ui(low.get_mpz_t())));
  } else {
    seed = index_of(arguments[1], spans[1], "a seed");
  }
  if (!seed) return std::nullopt;
  if (!module.indices().variables(*seed).empty()) return fail(Code::static_needed, spans[1], "a seed cannot depend on an index");
  for (ir::IndexId extent : module.types()[*type_id].extents) {
    if (!module.indices().variables(extent).empty()) {
      return fail(Code::ragged_tensor, spans[0], "the shape of generated data cannot depend on an index");
    }
  }
  source.kind = name == "random" ? ir::Source::Kind::uniform
                : name == "normal" ? ir::Source::Kind::normal
                                   : ir::Source::Kind::lcg;
  source.seed = *seed;
  return Value{DynamicValue{module.source(std::move(source), *type_id)}};
}

}  // namespace reckon::frontend
