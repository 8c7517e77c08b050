// Expressions of FPCore as expressions of Reckon. What FPCore binds becomes lines `let name = value;`. Loops are
// written out: the rounds of a `while` are counted where constants alone decide them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "fpcore/names.h"
#include "fpcore/terms.h"

namespace reckon::fpcore {

/// A float, or a tensor of values.
struct Value {
  std::string text;  ///< of a float: an expression of Reckon's
  Format format = Format::f64;
  std::optional<mpq_class> number;  ///< the float itself, where constants alone decide it
  std::shared_ptr<const std::vector<Value>> elements;  ///< of a tensor, which has at least one
  bool is_tensor() const { return elements != nullptr; }
};
using Scope = std::map<std::string, Value>;

/// A truth value; `known`, where constants alone decide it.
struct Truth {
  std::string text;
  std::optional<bool> known;
};

struct UsedNames {
  std::set<std::string> all;
  std::map<std::string, int> next;  ///< by a name: its least number that may be free
};
/// A name of the language that is not among the names, which get it: letters, digits and underscores of `name`.
std::string unique_name(const std::string& name, UsedNames& names);
/// `3`, `-1.5e-3`, `1/3`: a number as it stands.
std::optional<mpq_class> number_of(const Term& term);
/// E0720: what the circuits of Reckon do not have, by its name.
Diagnostic not_read(const Term& term);

class Expressions {
 public:
  explicit Expressions(Format format) : format_(format) {}

  Expected<Value> value(const Term& term, const Scope& scope);
  Expected<Truth> truth(const Term& term, const Scope& scope);
  /// A name that no other name of the circuit is.
  std::string fresh(const std::string& name);
  /// The lines that values need, which stand before them.
  std::vector<std::string>& lines() { return lines_; }
  Format format() const { return format_; }

 private:
  struct Assigned {
    const Term *name, *start, *update;
  };

  Expected<Value> atom(const Term& term, const Scope& scope);
  Expected<Value> call(const Term& term, const Scope& scope);
  Expected<Value> choice(const Term& term, const Scope& scope);
  Expected<Value> operation(const Term& term, const Scope& scope);
  Expected<Value> bound(const Term& term, const Scope& scope, bool in_turn);
  Expected<Value> in_context(const Term& term, const Scope& scope);
  Expected<Value> loop(const Term& term, const Scope& scope, bool in_turn);
  Expected<Value> counted(const Term& term, const Scope& scope, bool in_turn, bool is_tensor);
  Expected<Value> list(const Term& term, const Scope& scope);
  Expected<Value> element(const Term& term, const Scope& scope);
  Expected<Value> extent(const Term& term, const Scope& scope);
  Expected<Value> rounded_away(const Term& term, const Value& operand);

  /// A number of the context's format.
  Value number(const mpq_class& exact) const;
  Expected<std::string> operand(const Value& value, Format format, const Term& term) const;
  Expected<std::vector<Assigned>> assigned(const Term& term) const;
  std::optional<Diagnostic> start(const std::vector<Assigned>& all, Scope& scope, const Scope& outer, bool in_turn);
  std::optional<Diagnostic> update(const std::vector<Assigned>& all, Scope& scope, bool in_turn);
  std::optional<Diagnostic> count_round(const Term& term);
  Value named(const std::string& name, Value value);
  Expected<std::int64_t> count(const Term& term, const Scope& scope);

  Format format_;  ///< of the context
  std::vector<std::string> lines_;
  std::size_t rounds_ = 0;  ///< of loops
  UsedNames names_;
  int depth_ = 0;
};

}  // namespace reckon::fpcore
