// The private header of the elaborator: what all of its parts share. The parts are functions and classes that are given
// an Elaborator, by concern: calls.h, operators.h, binders.h, index_ranges.h, schedules.h, layouts/layouts.h,
// layouts/symbolic.h, layouts/at_indices.h, views.h, kernels.h, checks.h, profiles.h, imports.h.
// Every function that returns an optional has reported why when it returns nothing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/elaborate.h"
#include "frontend/environment.h"
#include "frontend/imports.h"
#include "frontend/value.h"
#include "layout/int_tuple.h"

namespace reckon::frontend {

class Session::Lone {
 public:
  Lone(PlacedResult result_, std::uint32_t program_) : result(std::move(result_)), program(program_) {}

  PlacedResult result;
  std::uint32_t program;  ///< whose result the expression is
};

/// A value, or nothing: then it has been reported why.
using Maybe = std::optional<Value>;

/// An index of a binder, and its range as far as it is known.
struct BinderRange {
  std::string name;
  SourceSpan declared;
  std::optional<ir::IndexId> extent;
  SourceSpan found;    ///< where the extent was found
  bool given = false;  ///< `i < e`
};

/// The module that is built, the definitions of all files, the diagnostics; the walk over expressions and definitions,
/// and what values are where a construct needs a node, an integer, a type, a schedule or a layout.
class Elaborator {
 public:
  Elaborator(SourceMap& sources_, Files files_, BackEnd back_end_);
  Elaborator(const Elaborator&) = delete;

  ir::Module module;
  SourceMap& sources;
  const Files files;
  const BackEnd back_end;
  Imports imports{*this};
  std::deque<LoadedProgram> programs;
  std::deque<Declaration> declarations;
  std::shared_ptr<Environment> session = std::make_shared<Environment>();  ///< of the main program and the REPL
  std::map<std::string, Value> predefined;                                 ///< built-in names
  std::vector<Diagnostic> diagnostics;
  bool keep_literal_places = false;
  bool reads_clauses = true;  ///< whether clauses of kernels are read
  ReadOff read_off;           ///< what stands in the item or definition that is elaborated
  /// The circuits of kernels of PTX, as texts of programs, by what they were read off (elaborate_ptx.cpp).
  std::map<std::string, std::string> ptx_circuits;
  /// At the prompt and in `eval`: the format of numbers that meet none.
  std::optional<ir::Scalar> entry_format;
  /// The same while such an entry is elaborated; empty inside of definitions.
  std::optional<ir::Scalar> format_of_numbers;
  /// The places where numbers of the program were converted to a float format: file, begin, end. One node may have
  /// several places.
  std::map<ir::NodeId, std::set<std::array<std::uint32_t, 3>>> literal_places;

  // Where elaboration stands
  std::map<ir::VariableId, BinderRange> ranges;          ///< of the indices of the binders around
  /// Of binders `for` that make a value of a stated type: its extents. A range that no subscript shows is one of them.
  std::map<const Expr*, std::vector<ir::IndexId>> stated_extents;
  std::vector<ir::Requirement>* requirements = nullptr;  ///< of the function being elaborated
  std::uint32_t length_depth = 0;                        ///< how many `length` bodies are around

  // Diagnostics
  std::nullopt_t report(Diagnostic diagnostic);
  template <class... Arguments>
  std::nullopt_t fail(Arguments&&... arguments) {
    report(Diagnostic(std::forward<Arguments>(arguments)...));
    return std::nullopt;
  }

  // Definitions and items (elaborate_item.cpp)
  Session::Outcome add(std::uint32_t file, const std::string& path, ParseAs as);
  Session::Outcome add(ParseResult parsed, const std::string& path, ParseAs as);
  /// Brings the imports and definitions of a program into scope.
  void declare(std::uint32_t program, const std::string& path, Environment& environment);
  const Item& item_of(const Declaration& declaration) const {
    return programs[declaration.program].tree.items[declaration.item];
  }
  /// The value of a definition; nothing if there is none of that name, or if it has errors.
  const Value* global_value(const Environment& environment, const std::string& name, SourceSpan place);
  std::vector<std::string> all_names(const Environment& environment) const;
  /// The function of a circuit or a kernel for these static arguments.
  std::optional<ir::Function> instance(std::uint32_t declaration, const std::vector<Value>& arguments,
                                       SourceSpan place);
  std::optional<ir::Function> closed_function(const Value& value, SourceSpan span, const std::string& name,
                                              std::optional<ir::Scalar> scalar = std::nullopt);
  /// A call of a static function (elaborate_call.cpp).
  Maybe call_closure(const ClosureValue& closure, const std::vector<Value>& arguments, SourceSpan at);
  bool takes_profile(const std::optional<SemanticsRef>& semantics) const {
    return semantics && back_end.takes_profile && back_end.takes_profile(semantics->name);
  }
  bool judges_by_profile(const Item& item) const { return takes_profile(item.semantics); }

  // Expressions (elaborate_expression.cpp)
  Maybe elaborate(const Context& context, ExprId id);
  const Expr& expr(const Context& context, ExprId id) const { return programs[context.program].tree[id]; }

  // Values as text (describe.cpp)
  /// `a circuit`, `a schedule`, `f32[n]`: what a value is, for messages.
  std::string kind_text(const Value& value);
  std::string value_text(const Value& value);
  /// An integer of the program, in which the indices of binders have their names.
  std::string index_text(ir::IndexId index);
  /// The same for static arguments, where `-0` and `0` are different.
  std::string key_text(const Value& value);
  std::optional<StaticResult> static_result(const Value& value);

  // Values as nodes, integers and types (coerce.cpp)
  /// The value as a node; static numbers become literals of `scalar` (of `number` if none is given).
  std::optional<ir::NodeId> node_of(const Value& value, std::optional<ir::Scalar> scalar, SourceSpan at);
  /// A value for a parameter or result of the given type, whose dimensions the substitution may bind.
  std::optional<ir::NodeId> fit(const Value& value, ir::TypeId type, ir::IndexSubstitution& dimensions, bool bind,
                                SourceSpan at, const std::string& what);
  /// The parts of a tuple for `let (a, b) = t`; reports another number of them than of names.
  std::optional<std::vector<Value>> parts_of_tuple(const Value& value, std::size_t count, SourceSpan at);
  std::optional<ir::Scalar> scalar_of(const Value& value) const;
  std::optional<ir::IndexId> index_of(const Value& value, SourceSpan at, const std::string& what);
  std::optional<std::int64_t> integer_of(const Value& value, SourceSpan at, const std::string& what);
  std::optional<ir::TypeId> type_of(const Context& context, const TypeExpr& type);
  std::optional<ir::TypeId> type_of(const TypeValue& type, SourceSpan at);
  /// Notes that the expression should have this type.
  void state_type(const Context& context, ExprId id, ir::TypeId type);
  /// The value of the expression in `let NAME: TYPE = ...`.
  Maybe of_stated_type(const Context& context, const TypeExpr& type, ExprId id, const std::string& name);
  /// Whether two extents are equal; what depends on sizes becomes a requirement of the function being elaborated.
  bool equal_extents(ir::IndexId a, ir::IndexId b, Diagnostic diagnostic);

  // Values as schedules and layouts (elaborate_schedule.cpp, elaborate_layout.cpp)
  std::optional<ir::ScheduleId> schedule_of(const Value& value, SourceSpan at, bool stage);
  std::optional<layout::IntTuple> int_tuple_of(const Value& value, SourceSpan at);
  std::optional<layout::Layout> layout_of(const Value& value, SourceSpan at);
  /// Like int_tuple_of, but also for sizes and indices that are not known numbers.
  std::optional<ir::IndexTuple> index_tuple_of(const Value& value, SourceSpan at);
  std::optional<ir::IndexLayout> index_layout_of(const Value& value, SourceSpan at);

 private:
  struct ClosureCall {
    std::uint32_t length_depth = 0;  ///< how many `length` bodies enclosed its start
    bool referenced = false;         ///< a schedule that refers to itself
  };
  std::map<std::string, ClosureCall> closure_calls_;  ///< in progress, by name and arguments
  std::uint32_t depth_ = 0;
  std::uint64_t steps_ = 0;
  bool gave_up_ = false;  ///< the step limit was reached, which is reported once
};

}  // namespace reckon::frontend
