// From circuits that are written in C++ to the syntax tree of the language, which is then elaborated as a text's is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/reckon/circuit/claims.h"
#include "frontend/ast.h"

namespace reckon::circuit {

/// A place in a C++ file; where an operator stands there, the compiler's place is that of its last operand, and `sign`
/// is the operator to look for before it.
struct CppPlace {
  CppPlace(Place place_, std::string sign_ = {}) : place(place_), sign(std::move(sign_)) {}

  Place place;
  std::string sign;
};

/// What C++ cannot see and the language cannot express: a message at a place of the C++ source.
struct Mistake {
  std::string message, label, help;
  CppPlace place;
};

/// A syntax tree whose every place is a number of `places`.
struct Translation {
  frontend::Program program;
  std::vector<CppPlace> places;
  std::vector<Mistake> mistakes;
};

/// The names under which circuits stand in the text.
using DefinitionNames = std::map<const Definition*, std::string>;

/// The circuits that a definition or an expression calls, each once, callees first.
std::vector<std::shared_ptr<const Definition>> definitions_below(const std::vector<const Node*>& roots);

/// The definitions, in their order, as items of a program.
Translation translate(const std::vector<std::shared_ptr<const Definition>>& definitions, const DefinitionNames& names);
/// A lone expression.
Translation translate(const NodePointer& expression, const DefinitionNames& names);
/// A `check`.
Translation translate(const Claim& claim, const DefinitionNames& names);

}  // namespace reckon::circuit
