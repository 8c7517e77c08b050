// The state of the elaboration of one `profile` (elaborate_profile.cpp, elaborate_accuracy.cpp).
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
  if (!op || ir::is_bit_operation(*op)) return std::nullopt;
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

struct Elaborator::ProfileBuilder {
  ir::Profile profile;
  struct Circuit {
    ir::Function function;
    std::uint32_t program = 0;
    ExprId written;
  };
  std::vector<Circuit> circuits;
};

/// What a rule is for: an operation, or a builtin circuit.
struct Elaborator::Ruled {
  int arity = 0;
  std::optional<ir::Op> operation;
  std::uint32_t circuit = 0;  ///< its declaration, if it is no operation
};

/// A rule for one operation or builtin circuit in one format.
struct Elaborator::RuleContext {
  ProfileBuilder& builder;
  Context context;
  const RuleDecl::Operation& operation;
  int arity = 0;
  ir::Scalar format{};
  std::optional<ir::Op> op;
  const ir::Function* circuit = nullptr;  ///< a builtin circuit's instance for the format

  /// `x, y`: the arguments' names, from the rule or made up.
  std::string arguments() const {
    if (operation.has_parameters) return fmt::format("{}", fmt::join(operation.parameters, ", "));
    static constexpr const char* letters[] = {"", "x", "x, y", "x, y, z"};
    return arity <= 3 ? letters[arity] : "...";
  }
};

}  // namespace reckon::frontend
