// Accuracy profiles: which answers a conforming implementation may give, for each operation and format.
//
// A profile is data. The front end makes it from a `profile` item; `accept(P)` (semantics/accept/accept.cpp) uses it.
// Source of the kinds of accuracy: the WGSL specification, "Floating point accuracy"; docs/profiles.md explains them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// A number that may depend on the operation's arguments, `3 + 2 * abs(x)`: steps in postfix order.
struct Amount {
  enum class Kind : std::uint8_t { constant, argument, neg, abs, floor, add, sub, mul, div, min, max };
  struct Step {
    Kind kind{};
    mpq_class value;             ///< constant
    std::uint32_t argument = 0;  ///< argument: its position
  };
  std::vector<Step> steps;
};

/// The values that one argument may have: those in one of the ranges. Endpoints are rounded to nearest into the format.
struct Domain {
  struct Range {
    Literal low, high;  ///< rational, real or infinity
    bool low_open = false, high_open = false;
  };
  std::uint32_t argument = 0;
  bool magnitude = false;  ///< the ranges are the absolute value's
  std::vector<Range> ranges;
  SourceSpan span;
};

/// How far an answer may lie from the true one.
struct Accuracy {
  enum class Kind : std::uint8_t {
    exact,      ///< the one IEEE answer
    rounded,    ///< either neighbour of the true value
    absolute,   ///< at most `amount` away
    ulps,       ///< at most `amount` units in the last place away
    circuit,    ///< whatever `circuit` may give: an inherited accuracy
    primitive,  ///< a rule of the engine that no circuit can express; `circuit` is its name
    anything,   ///< any value, NaN among them
  };
  Kind kind{};
  Amount amount;
  std::string circuit;
  SourceSpan span;
};

/// An accuracy that counts where the arguments lie in every domain.
struct Piece {
  std::vector<Domain> domains;
  Accuracy accuracy;
};

/// Pieces in order. The first piece whose domains contain the arguments applies; if none does, every answer is allowed.
struct Choice {
  std::vector<Piece> pieces;
};

/// One operation in one format. An answer that any of the choices allows is allowed.
struct Rule {
  std::vector<Choice> choices;
  bool hull = false;  ///< every value between them is allowed as well; otherwise they are alternatives
  SourceSpan span;
  /// Of a builtin circuit: the place of its definition, since another file may define one of the same name. Unknown:
  /// any of them.
  SourceSpan definition = {};
};

struct Profile {
  enum class Flush : std::uint8_t { never, may, always };
  /// What a compiler may do to the program: nothing, or what the setting says (docs/profiles.md).
  enum class Rewrite : std::uint8_t { never, may };
  enum class Overflow : std::uint8_t {
    indeterminate,  ///< beyond the largest number: anything goes
    infinite,       ///< rounds to the largest number or to infinity, and infinities are values
  };

  std::string name;
  SourceSpan span;
  std::vector<Scalar> formats;
  Flush flush_inputs = Flush::never, flush_outputs = Flush::never;
  Overflow overflow = Overflow::infinite;
  Rewrite contract = Rewrite::never;     ///< an addition of a product may be one fma
  Rewrite reassociate = Rewrite::never;  ///< sums and products may be computed in any order
  /// The rule of WebGPU's conformance suite: an operation is evaluated only at the endpoints of its operands
  /// (docs/profiles.md). This is not sound for wide intervals.
  bool endpoints_only = false;
  /// By the name of an operation (ops.def's spelling) or of a builtin circuit, and the format.
  std::map<std::pair<std::string, Scalar>, Rule> rules;
  /// The inherited circuits, named by Accuracy::circuit. That of an operation goes from scalars to a scalar, that of a
  /// builtin circuit from and to the types that the builtin has in the rule's format.
  std::shared_ptr<const Module> circuits;

  bool contracts() const { return contract == Rewrite::may; }
  bool reassociates() const { return reassociate == Rewrite::may; }
  bool rewrites() const { return contracts() || reassociates(); }
  const Rule* find(std::string_view operation, Scalar scalar) const {
    const auto found = rules.find({std::string(operation), scalar});
    return found == rules.end() ? nullptr : &found->second;
  }
};

/// Names of the engine's rules (Accuracy::primitive): those of semantics/accept, with how many arguments each has.
struct PrimitiveName {
  enum class Kind : std::uint8_t {
    scalar,     ///< of an operation, or of a builtin circuit, element by element
    vector,     ///< of a builtin circuit with such types
    operation,  ///< of the operation of this name alone
  };
  std::string_view name;
  int arity;
  Kind kind{};
  std::string_view types;  ///< vector: as ir/primitives.def says
};
const std::vector<PrimitiveName>& primitive_names();

/// The format whose rule counts for a builtin circuit with such scalars: that of its first float result, or, without a
/// float result, that of its first float argument.
std::optional<Scalar> ruled_format(const std::vector<Scalar>& results, const std::vector<Scalar>& arguments);

/// Whether the operation has one answer up to rounding and flushing, so that a profile needs no rule for it.
bool goes_without_saying(Op op);

/// Whether some number of the format lies in the range (endpoints are included unless they are open).
bool has_number(const Domain::Range& range, bool magnitude, Format format);

/// The whole profile as a stable text: a setting or a rule a line, then the circuits.
std::string profile_text(const Profile& profile);

}  // namespace reckon::ir
