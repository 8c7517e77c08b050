// A profile in the form that the evaluation uses: numbers as doubles, rules by operation and format.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/profile.h"
#include "semantics/accept/number_kind.h"

namespace reckon::interp::accept {

/// ir::Amount, evaluated in doubles.
class Amount {
 public:
  Amount() = default;
  explicit Amount(const ir::Amount& amount);
  std::size_t steps() const { return steps_.size(); }
  /// The amount at a point, in f64 arithmetic rounded to nearest, as the suite computes it.
  double at(const double* point) const;
  /// An upper bound of the amount's magnitude over a box.
  double upper_bound(const Interval* box) const;

 private:
  using Kind = ir::Amount::Kind;
  struct Step {
    Kind kind{};
    std::uint32_t argument = 0;
    double near = 0;
    Interval value;
  };
  std::vector<Step> steps_;
  bool constant_ = false;
  double near_ = 0, upper_bound_ = 0;
};

struct Domain {
  std::uint32_t argument = 0;
  std::vector<Interval> ranges;  ///< ascending, apart; ends are numbers of the format
};

struct PrimitiveRow;

struct Piece {
  using Kind = ir::Accuracy::Kind;
  std::vector<Domain> domains;
  Kind kind{};
  Amount amount;
  int circuit = -1;                         ///< its number among the profile's circuits
  std::string name;                         ///< of a primitive rule
  const PrimitiveRow* primitive = nullptr;  ///< its row, if it is one of scalars
};

struct Choice {
  std::vector<Piece> pieces;
  bool has_circuits = false;
};

struct Rule {
  std::vector<Choice> choices;
  bool hull = false;
  SourceSpan definition;  ///< ir::Rule::definition
};

/// What the evaluation of one operation needs to know besides its rule.
struct Setting {
  using Flush = ir::Profile::Flush;
  NumberKind kind;
  Flush flush_inputs{}, flush_outputs{};
  bool indeterminate = true;  ///< a result that overflows may be anything
  bool endpoints_only = false;
  std::uint16_t operation = 0;
  bool constant = false;  ///< it is in a constant expression, where overflow is a verdict
  int arity = 0;          ///< for an operation of ops.def
  bool flushes() const { return flush_inputs != Flush::never || flush_outputs != Flush::never; }
};

class Rules {
 public:
  /// How fine the numbers are. `reals`: every format counts as f64, which encloses reals; the profile does not round.
  enum class Numbers : std::uint8_t { formats, reals };
  /// `constant`: values carry verdicts.
  explicit Rules(std::shared_ptr<const ir::Profile> profile, bool constant = false, Numbers numbers = Numbers::formats);

  const ir::Profile& profile() const { return *profile_; }
  std::shared_ptr<const ir::Profile> shared() const { return profile_; }
  bool has(ir::Scalar scalar) const { return formats_[index(scalar)]; }
  /// The rule; null if the profile says nothing and the operation has no default accuracy.
  const Rule* rule(ir::Op op, ir::Scalar scalar) const {
    return by_operation_[static_cast<std::size_t>(op)][index(scalar)];
  }
  /// The rule of a builtin circuit.
  const Rule* rule(std::string_view name, ir::Scalar scalar) const;
  Setting setting(ir::Scalar scalar, std::uint16_t operation) const;
  /// A builtin circuit's Answers::operation, if the profile has a rule for it in some format.
  std::uint16_t operation_number(std::string_view builtin) const;
  /// The name for an Answers::operation, for messages: in back-ticks, if it has a name.
  std::string operation_text(std::uint16_t operation) const;
  /// The names of the circuits, by Piece::circuit.
  const std::vector<std::string>& circuits() const { return circuits_; }

 private:
  static constexpr std::size_t scalars = static_cast<std::size_t>(ir::Scalar::number) + 1, operations = 256;
  static std::size_t index(ir::Scalar scalar) { return static_cast<std::size_t>(scalar); }
  Rule compiled(const ir::Rule& rule, const NumberKind& kind);

  std::shared_ptr<const ir::Profile> profile_;
  bool constant_;
  std::array<bool, scalars> formats_{};
  std::array<NumberKind, scalars> kinds_{};
  std::map<std::pair<std::string, ir::Scalar>, Rule, std::less<>> rules_;
  std::array<std::array<const Rule*, scalars>, operations> by_operation_{};
  std::vector<std::string> circuits_;
  std::vector<std::string> builtins_;  ///< the builtin circuits that have rules
  Rule rounded_;  ///< the default: one rounding
};

}  // namespace reckon::interp::accept
