// What the elaboration of one `profile` holds (elaborate_profile.cpp, elaborate_accuracy.cpp).
#pragma once

#include <map>
#include <utility>

#include "frontend/elaborator.h"
#include "ir/profile.h"

namespace reckon::frontend {

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
