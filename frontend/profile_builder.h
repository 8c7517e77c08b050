// What the elaboration of one `profile` holds (elaborate_profile.cpp, elaborate_accuracy.cpp).
#pragma once

#include <fmt/format.h>

#include <map>
#include <utility>

#include "frontend/elaborator.h"
#include "ir/profile.h"

namespace reckon::frontend {

/// An operation that a profile may have a rule for.
inline std::optional<ir::Op> ruled_operation(const std::string& name) {
  const auto op = ir::op_named(name);
  if (!op) return std::nullopt;
  const ir::ResultRule result = ir::traits(*op).result;
  return result == ir::ResultRule::same || result == ir::ResultRule::cast ? op : std::nullopt;
}

/// `exp` in f32, for messages.
inline std::string place_of(const std::pair<std::string, ir::Scalar>& key) {
  return fmt::format("`{}` in {}", key.first, ir::scalar_name(key.second));
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

/// A rule for one operation in one format.
struct Elaborator::RuleContext {
  ProfileBuilder& builder;
  Context context;
  const RuleDecl::Operation& operation;
  int arity = 0;
  ir::Scalar format{};
};

}  // namespace reckon::frontend
