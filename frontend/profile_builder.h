// The elaboration of one `profile`: what is being made, what its rules are for, and how each rule is made.
#pragma once

#include <fmt/format.h>

#include <map>
#include <utility>

#include "frontend/elaborator.h"
#include "ir/op.h"
#include "ir/profile.h"

namespace reckon::frontend {

/// An operation that a profile may have a rule for: one that gives floats, by arithmetic.
inline std::optional<ir::Op> ruled_operation(const std::string& name) {
  const auto op = ir::op_named(name);
  if (!op || ir::is_integer_operation(*op)) return std::nullopt;
  return ir::traits(*op).result == ir::ResultRule::same || *op == ir::Op::convert ? op : std::nullopt;
}

/// `exp` in f32, for messages.
inline std::string place_of(const std::pair<std::string, ir::Scalar>& key) {
  return fmt::format("`{}` in {}", key.first, ir::scalar_name(key.second));
}

/// Tuples flattened.
inline std::vector<ir::Scalar> scalars_of(const ir::Module& module, ir::TypeId id) {
  const ir::Type& type = module.types()[id];
  if (type.kind != ir::TypeKind::tuple) return {type.scalar};
  std::vector<ir::Scalar> out;
  for (ir::TypeId part : type.parts) {
    for (ir::Scalar scalar : scalars_of(module, part)) out.push_back(scalar);
  }
  return out;
}

/// A profile that is being made, with the circuits of its rules.
struct ProfileBuilder {
  ir::Profile profile;
  struct Circuit {
    ir::Function function;
    std::uint32_t program = 0;
    ExprId written;
  };
  std::vector<Circuit> circuits;
};

/// What a rule is for: an operation, or a builtin circuit.
struct Ruled {
  int arity = 0;
  std::optional<ir::Op> operation;
  std::uint32_t circuit = 0;  ///< its declaration, if it is no operation
};

/// The operation or the builtin circuit of this name.
std::optional<Ruled> ruled(Elaborator& elaborator, const Context& context, const Word& name);
/// The circuit in the format, every one of its static formats being that one.
std::optional<ir::Function> ruled_circuit(Elaborator& elaborator, const Ruled& ruled, const Word& name,
                                          ir::Scalar format);
/// Whether every operation of every circuit has a rule, and no rule rests on itself (elaborate_circuits.cpp).
bool rules_suffice(Elaborator& elaborator, ProfileBuilder& builder);

/// A rule for one operation or builtin circuit in one format.
class RuleElaboration {
 public:
  /// `circuit`: a builtin circuit's instance for the format, else null.
  RuleElaboration(Elaborator& elaborator, ProfileBuilder& builder, const Context& context,
                  const RuleDecl::Operation& operation, const Ruled& ruled, ir::Scalar format,
                  const ir::Function* circuit)
      : elaborator_(elaborator),
        module_(elaborator.module),
        builder_(builder),
        context_(context),
        operation_(operation),
        arity_(ruled.arity),
        format_(format),
        op_(ruled.operation),
        circuit_(circuit) {}
  RuleElaboration(const RuleElaboration&) = delete;

  /// Adds the rule to the profile.
  bool add(const RuleDecl& decl);

 private:
  // Accuracies (elaborate_accuracy.cpp)
  bool arguments_are_named();
  std::optional<std::vector<ir::Accuracy>> accuracies(ExprId id, bool& hull);
  std::optional<ir::Accuracy> accuracy(ExprId id);
  std::optional<ir::Accuracy> inherited(ExprId id);
  std::optional<std::uint32_t> rule_parameter(const Word& name);

  // Amounts and domains (elaborate_domain.cpp)
  bool names_argument(ExprId id) const;
  bool amount(ExprId id, ir::Amount& out);
  std::optional<ir::Domain> domain(const DomainDecl& decl);
  std::optional<ir::Literal> domain_end(ExprId id);

  // Whether an accuracy fits what it is for (elaborate_ruled.cpp)
  bool has_true_values(SourceSpan accuracy);
  bool takes_primitive(const ir::PrimitiveName& primitive, SourceSpan accuracy);
  bool is_number(std::uint32_t argument, SourceSpan place, const std::string& what);

  /// `x, y`: the arguments' names, from the rule or made up.
  std::string arguments() const {
    if (operation_.has_parameters) return fmt::format("{}", fmt::join(operation_.parameters, ", "));
    static constexpr const char* letters[] = {"", "x", "x, y", "x, y, z"};
    return arity_ <= 3 ? letters[arity_] : "...";
  }
  const Expr& expr(ExprId id) const { return elaborator_.expr(context_, id); }
  std::nullopt_t report(Diagnostic diagnostic) { return elaborator_.report(std::move(diagnostic)); }

  Elaborator& elaborator_;
  ir::Module& module_;
  ProfileBuilder& builder_;
  const Context context_;
  const RuleDecl::Operation& operation_;
  const int arity_;
  const ir::Scalar format_;
  const std::optional<ir::Op> op_;
  const ir::Function* const circuit_;  ///< a builtin circuit's instance for the format
};

}  // namespace reckon::frontend
