// Where a text defines its names, and where it uses them: what editors ask about. Nothing is evaluated.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/ast.h"

namespace reckon::frontend {

enum class NameKind : std::uint8_t {
  circuit,           ///< `fn`
  value,             ///< `let` of a file: a schedule, a layout, a function over them, a closed circuit
  type,              ///< of tuples with named parts
  profile,
  kernel,
  static_parameter,  ///< in brackets; of a `let`, in parentheses
  parameter,         ///< of a circuit, or of a rule of a profile
  dimension,         ///< `n` of `x: f32[n]`
  index,             ///< `i` of `sum i: ...`
  local,             ///< `let` of a block
  length,            ///< `n` of `length n: ...`
  argument,          ///< `x` of `check f(x) ... for x: -1..1`
};

struct NameDefinition {
  std::string name;
  NameKind kind{};
  SourceSpan span;   ///< of the name where it is defined
  SourceSpan whole;  ///< of the item, the parameter with its type, the binding, ...
  SourceSpan scope;  ///< where the name may be used; an item's: not known, which stands for everywhere
};

struct NameUse {
  std::string name;
  SourceSpan span;
  std::optional<std::size_t> definition;  ///< none: an imported file defines the name, or the language does, or nothing
};

struct NamePlaces {
  std::vector<NameDefinition> definitions;
  std::vector<NameUse> uses;  ///< those where names are defined are not among them
};

/// `is_known` tells the names that the language or an imported file defines: in `f32[min(n, 8)]` only `n` is a dimension.
NamePlaces name_places(const Program& program, const std::function<bool(const std::string&)>& is_known);

}  // namespace reckon::frontend
