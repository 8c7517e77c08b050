// Accuracy profiles: which operation or circuit a rule is for, and whether the rule fits it.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/bad_accuracy.h"
#include "diagnostics/codes/unknown_name.h"
#include "frontend/profile_builder.h"
#include "ir/passes/passes.h"
#include "ir/visit.h"
#include "numerics/format.h"

namespace reckon::frontend {

using ir::Op;
using ir::Scalar;

namespace {

const char* rank_text(char code) {
  switch (code) {
    case '0': return "a number";
    case '1': return "a vector";
    case '2': return "a matrix";
    case 'u': return "a `u32`";
    case 'i': return "an `i32` or a tensor of them";
    default: return "a number or a tensor";
  }
}

}  // namespace

std::optional<Ruled> ruled(Elaborator& elaborator, const Context& context, const Word& name) {
  const Environment& environment = *elaborator.programs[context.program].environment;
  const auto found = environment.definitions.find(name.text);
  const Item* item =
      found == environment.definitions.end() ? nullptr : &elaborator.item_of(elaborator.declarations[found->second]);
  if (item != nullptr && item->is_builtin) return Ruled{static_cast<int>(item->parameters.size()), {}, found->second};
  if (const auto op = ruled_operation(name.text)) return Ruled{ir::traits(*op).arity, op, 0};
  const auto op = item == nullptr ? ir::op_named(name.text) : std::nullopt;
  if (op && ir::is_scalar_operation(*op)) {
    const char* why =
        ir::traits(*op).result == ir::ResultRule::choose ? "it gives one of its arguments as it is"
        : ir::traits(*op).result == ir::ResultRule::truth || ir::traits(*op).result == ir::ResultRule::logic
            ? "it gives a truth, by the answers that its arguments may be"
            : "it is about bit patterns";
    return elaborator.report(
               Diagnostic(code::bad_accuracy, name.span, fmt::format("`{}` has no accuracy: {}", name.text, why))
                   .help("leave it out: a profile's rules are for operations that give floats by arithmetic")),
           std::nullopt;
  }
  Diagnostic diagnostic(code::unknown_name, name.span,
                        item != nullptr ? fmt::format("`{}` is no operation of its own to profiles", name.text)
                                        : fmt::format("there is no operation `{}`", name.text));
  if (item != nullptr) {
    diagnostic.secondary.push_back({item->name_span, "defined here"});
    diagnostic.helps.push_back("a circuit gets rules if it is a `builtin fn`; any other is what its operations are");
    return elaborator.report(std::move(diagnostic)), std::nullopt;
  }
  static const std::pair<std::string_view, const char*> signs[] = {
      {"plus", "add"}, {"minus", "sub"}, {"times", "mul"}, {"inverseSqrt", "rsqrt"}};
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Op::source); ++i) {
    const std::string spelling(ir::traits(static_cast<Op>(i)).spelling);
    if (ruled_operation(spelling)) names.push_back(spelling);
  }
  for (const auto& [each, id] : environment.definitions) {
    if (elaborator.item_of(elaborator.declarations[id]).is_builtin) names.push_back(each);
  }
  std::optional<std::string> near = nearest_name(name.text, names);
  for (const auto& [sign, means] : signs) {
    if (name.text == sign) near = means;
  }
  if (near) {
    diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
    diagnostic.suggestion = Suggestion{name.span, *near};
  } else {
    diagnostic.helps.push_back("rules are for operations (`add`, `exp`, `approx.exp2`) and for `builtin fn`s in scope");
  }
  return elaborator.report(std::move(diagnostic)), std::nullopt;
}

std::optional<ir::Function> ruled_circuit(Elaborator& elaborator, const Ruled& ruled, const Word& name, Scalar format) {
  const Item& item = elaborator.item_of(elaborator.declarations[ruled.circuit]);
  std::vector<Value> statics;
  for (const std::string& parameter : item.static_parameters) {
    const bool is_format = std::any_of(item.parameters.begin(), item.parameters.end(),
                                       [&](const ParameterDecl& each) { return each.type.name == parameter; });
    if (!is_format) {
      return elaborator.report(
                 Diagnostic(code::bad_accuracy, name.span,
                            fmt::format("`{}` has no rule of its own: it depends on `{}`", name.text, parameter))
                     .with(item.name_span, "defined here")
                     .help(
                         "a profile knows circuits whose static arguments are formats: `builtin fn f[T](x: T) -> T`")),
             std::nullopt;
    }
    statics.push_back({TypeValue{format, {}, false}});
  }
  for (const ParameterDecl& parameter : item.parameters) {
    if (!parameter.type.name.empty()) continue;
    return elaborator.report(Diagnostic(code::bad_accuracy, name.span,
                                        fmt::format("`{}` has no rule of its own: its argument `{}` is a tuple",
                                                    name.text, parameter.name))
                                 .with(parameter.span, "here")
                                 .help("give the circuit an argument for each part")),
           std::nullopt;
  }
  return elaborator.instance(ruled.circuit, statics, name.span);
}

/// Errors are measured from the circuit's body in real numbers: over floats of the rule's format, without rounding.
bool RuleElaboration::has_true_values(SourceSpan accuracy) {
  if (circuit_ == nullptr) return true;
  const std::string& name = operation_.name.text;
  const auto refuse = [&](const std::string& what, const std::string& help) {
    report(Diagnostic(code::bad_accuracy, accuracy, what).with(circuit_->span, "defined here").help(help));
    return false;
  };
  for (Scalar scalar : scalars_of(module_, circuit_->result)) {
    if (scalar == format_) continue;
    return refuse(fmt::format("`{}` gives `{}`, and this accuracy is of numbers in {}", name,
                              ir::type_text(module_, circuit_->result), ir::scalar_name(format_)),
                  fmt::format("say what it inherits from: `{}({}) = ...`, or leave it to its operations", name,
                              arguments()));
  }
  const ir::Function whole = ir::inline_calls(module_, *circuit_);
  const auto rounds = ir::find_node(module_, {whole.body}, [&](ir::NodeId id) {
    if (module_[id].op == Op::bits) return true;
    if (module_[id].op != Op::convert || module_.type(id).kind != ir::TypeKind::scalar) return false;
    const Scalar from = module_.type(module_[id].operands[0]).scalar, to = module_.type(id).scalar;
    return ir::is_float(from) && ir::is_float(to) && !numerics::holds(ir::format_of(to), ir::format_of(from));
  });
  if (!rounds) return true;
  return refuse(fmt::format("`{}` {} on its way: there is no true value that an error could count from", name,
                            module_[*rounds].op == Op::bits
                                ? "takes bits"
                                : fmt::format("rounds to {}", ir::scalar_name(module_.type(*rounds).scalar))),
                fmt::format("leave it to its operations, or say what it inherits from: `{}({}) = ...`", name,
                            arguments()));
}

/// Whether a primitive rule of the engine is meant for this operation or circuit.
bool RuleElaboration::takes_primitive(const ir::PrimitiveName& primitive, SourceSpan accuracy) {
  using Kind = ir::PrimitiveName::Kind;
  const std::string& name = operation_.name.text;
  const auto refuse = [&](const std::string& what, const std::string& help) {
    Diagnostic diagnostic(code::bad_accuracy, accuracy, what);
    if (circuit_ != nullptr) diagnostic.secondary.push_back({circuit_->span, "defined here"});
    diagnostic.helps.push_back(help);
    report(std::move(diagnostic));
    return false;
  };
  if (primitive.kind == Kind::operation) {
    if (op_ && ir::traits(*op_).spelling == primitive.name) return true;
    return refuse(fmt::format("`primitive({})` is of the operation `{}` alone", primitive.name, primitive.name),
                  fmt::format("say what `{}` inherits from: `{}({}) = ...`", name, name, arguments()));
  }
  if (circuit_ == nullptr) {
    if (primitive.kind == Kind::scalar) return true;
    return refuse(fmt::format("`primitive({})` is of a builtin circuit, and `{}` is an operation", primitive.name,
                              name),
                  "docs/profiles.md lists the rules of the engine, and what each is for");
  }
  std::string types(primitive.types);
  if (primitive.kind == Kind::scalar) types = std::string(static_cast<std::size_t>(primitive.arity), '*') + ">*";
  const std::size_t arrow = types.find('>');
  const auto fits = [&](ir::TypeId id, char code) {
    const ir::Type& type = module_.types()[id];
    if (type.kind == ir::TypeKind::tuple) return false;
    if (code == 'u') return type.kind == ir::TypeKind::scalar && type.scalar == Scalar::u32;
    const std::size_t first = module_.types()[circuit_->parameters[0].type].extents.size();
    if (code == 'i') return type.scalar == Scalar::i32 && type.extents.size() == first;
    const std::size_t rank = type.extents.size();
    const bool result = code == '*' && id == circuit_->result;
    return type.scalar == format_ &&
           (code == '*' ? rank == first || (rank == 0 && !result) : rank == static_cast<std::size_t>(code - '0'));
  };
  bool fit = true;
  for (std::size_t k = 0; k < arrow; ++k) fit &= fits(circuit_->parameters[k].type, types[k]);
  const ir::Type& result = module_.types()[circuit_->result];
  const std::vector<ir::TypeId> results =
      result.kind == ir::TypeKind::tuple ? result.parts : std::vector{circuit_->result};
  fit &= results.size() == types.size() - arrow - 1;
  for (std::size_t k = 0; fit && k < results.size(); ++k) fit &= fits(results[k], types[arrow + 1 + k]);
  if (fit) return true;
  std::vector<std::string> takes, gives;
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (k != arrow) (k < arrow ? takes : gives).emplace_back(rank_text(types[k]));
  }
  return refuse(fmt::format("`primitive({})` does not fit `{}`", primitive.name, name),
                fmt::format("it takes {} and gives {}", fmt::join(takes, ", "), fmt::join(gives, ", ")));
}

/// Whether an argument is a number of the rule's format, as amounts and domains need.
bool RuleElaboration::is_number(std::uint32_t argument, SourceSpan place, const std::string& what) {
  if (circuit_ == nullptr) return true;
  const ir::Parameter& parameter = circuit_->parameters[argument];
  const ir::Type& type = module_.types()[parameter.type];
  if (type.kind == ir::TypeKind::scalar && type.scalar == format_) return true;
  report(Diagnostic(code::bad_accuracy, place,
                    fmt::format("{} depends on numbers in {}, and this argument of `{}` is `{}`", what,
                                ir::scalar_name(format_), operation_.name.text, ir::type_text(module_, parameter.type)))
             .with(parameter.span, "declared here"));
  return false;
}

}  // namespace reckon::frontend
